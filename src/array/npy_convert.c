/* Numbers of NumPy arrays as doubles. Every type but the 64-bit integers fits exactly; of those a
 * number is refused if it has more than 53 significant bits, so that no id or counter is changed
 * silently. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/npy.h"

static uint64_t load(const unsigned char *raw, size_t size, bool swapped) {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        return raw[0];
    case 2:
        memcpy(&two, raw, sizeof two);
        return swapped ? __builtin_bswap16(two) : two;
    case 4:
        memcpy(&four, raw, sizeof four);
        return swapped ? __builtin_bswap32(four) : four;
    default:
        memcpy(&eight, raw, sizeof eight);
        return swapped ? __builtin_bswap64(eight) : eight;
    }
}

/* IEEE half precision: 1 sign, 5 exponent, 10 mantissa bits. */
static double from_half(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 0x1f);
    double mantissa = (double)(bits & 0x3ff);
    double size;
    if (exponent == 0x1f)
        size = mantissa > 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        size = ldexp(mantissa, -24);
    else
        size = ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 ? -size : size;
}

static double from_float(uint64_t bits, size_t size) {
    if (size == 2)
        return from_half(bits);
    if (size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t four = (uint32_t)bits;
    float value;
    memcpy(&value, &four, sizeof value);
    return (double)value;
}

static int64_t sign_extended(uint64_t bits, size_t size) {
    switch (size) {
    case 1:
        return (int8_t)bits;
    case 2:
        return (int16_t)bits;
    case 4:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

static bool fits_double(uint64_t magnitude) {
    return magnitude == 0 || magnitude >> __builtin_ctzll(magnitude) < UINT64_C(1) << 53;
}

/* False if the number has more digits than a double. */
static bool from_bits(rm2i_npy_type type, uint64_t bits, double *value) {
    int64_t number;
    switch (type.kind) {
    case RM2I_NPY_FLOAT:
        *value = from_float(bits, type.size);
        return true;
    case RM2I_NPY_SIGNED:
        number = sign_extended(bits, type.size);
        *value = (double)number;
        return fits_double(number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    case RM2I_NPY_UNSIGNED:
        *value = (double)bits;
        return fits_double(bits);
    case RM2I_NPY_BOOL:
    case RM2I_NPY_UTF32: /* texts are no numbers: npy_text.c */
    case RM2I_NPY_BYTES:
        break;
    }
    *value = bits != 0;
    return true;
}

size_t rm2i_npy_convert(rm2i_npy_type type, const unsigned char *raw, size_t count, double *values,
                        char digits[RM2I_NUMBER_SIZE]) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = load(raw + i * type.size, type.size, type.swapped);
        if (from_bits(type, bits, &values[i]))
            continue;
        if (type.kind == RM2I_NPY_SIGNED)
            (void)snprintf(digits, RM2I_NUMBER_SIZE, "%" PRId64, (int64_t)bits);
        else
            (void)snprintf(digits, RM2I_NUMBER_SIZE, "%" PRIu64, bits);
        return i;
    }
    return count;
}
