/* xoshiro256++ seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2019); normals by Marsaglia's polar method. The same seed gives the same numbers on
 * every machine with IEEE doubles, up to the last digit of log and sqrt. */
#include <math.h>

#include "base/base.h"

static uint64_t rotate(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rm2_rng_seed(rm2_rng *rng, uint64_t seed) {
    if (!rng)
        return;
    for (int i = 0; i < 4; i++)
        rng->state[i] = splitmix(&seed);
    rng->spare = 0;
    rng->has_spare = false;
}

uint64_t rm2_rng_next(rm2_rng *rng) {
    if (!rng)
        return 0;
    uint64_t *s = rng->state;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double rm2_rng_uniform(rm2_rng *rng) {
    if (!rng)
        return NAN;
    /* 52 random bits, moved by half a step so that neither 0 nor 1 comes out */
    return ((double)(rm2_rng_next(rng) >> 12) + 0.5) * 0x1p-52;
}

double rm2_rng_normal(rm2_rng *rng) {
    if (!rng)
        return NAN;
    if (rng->has_spare) {
        rng->has_spare = false;
        return rng->spare;
    }
    double a, b, s;
    do {
        a = 2 * rm2_rng_uniform(rng) - 1;
        b = 2 * rm2_rng_uniform(rng) - 1;
        s = a * a + b * b;
    } while (s >= 1 || s == 0);
    double scale = sqrt(-2 * log(s) / s);
    rng->spare = b * scale;
    rng->has_spare = true;
    return a * scale;
}
