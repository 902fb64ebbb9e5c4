/* Covariances of the activity of 15 coupled regions, one per subject: points on SPD15.
 *
 *   z in R2                 what a subject differs by; z_1 is an angle
 *   A(z) in R15x15          coupling of the regions, three modules of five
 *   g_m(z)                  how strongly module m is driven as a whole
 *   x_s = A(z) x_(s-1) + e_s + g_m(z) f_s,m                    activity, 400 samples kept
 *   e_s ~ N(0, diag(sigma^2)), f_s ~ N(0, I_3)                 noise of regions and modules
 *   S = (1 - l) C + l (tr C / 15) I                            covariance C, shrunk
 *   point = 15 S / tr S
 *
 * With a_m = z_1 + 2 pi m / 3 for the modules m = 0, 1, 2,
 *   A = 0.25 I + sum_m w_m Ring_m + sum_m b_m Bridge_m,
 *   w_m = 0.14 + 0.10 sin(a_m),   b_m = 0.08 tanh(z_2 + cos(a_m)),   g_m = 0.7 exp(0.6 sin(a_m)).
 * Ring_m joins each region of module m with its two neighbours, Bridge_m joins the first three
 * regions of module m with those of module m + 1. As z_1 grows the strength wanders around the
 * modules on an arc: the family is curved, and of dimension two in the 120 of SPD15.
 *
 * Rows of |A| sum to at most 0.25 + 2 (0.24) + 2 (0.08) = 0.89, a bound of the spectral radius, so
 * the process is stable for all z and 100 samples let it forget its start. Patients have a larger
 * z_1 on average. What is left of the differences between subjects is the sampling error of a
 * covariance from few samples, as in measured data; shrinkage keeps the smallest eigenvalues off
 * zero. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "generate/generate.h"

enum { R = RM2I_REGIONS, MODULES = 3, SIZE = 5, BRIDGED = 3, BURN_IN = 100, SAMPLES = 400 };

static const double third = 2.09439510239319549231; /* 2 pi / 3 */
static const double shrinkage = 0.05;
static const double angle_spread = 0.8, group_shift = 0.6;
static const char *const groups[] = {"control", "patient"};

/* ---- the model ------------------------------------------------------------------------------ */

typedef struct subject {
    double A[R][R], gain[MODULES];
} subject;

static void join(double A[R][R], int i, int j, double weight) {
    A[i][j] += weight;
    A[j][i] += weight;
}

static double module_angle(const double z[2], int m) {
    return z[0] + third * m;
}

void rm2i_connectome_coupling(const double z[2], double A[R][R]) {
    memset(A, 0, sizeof(double[R][R]));
    for (int i = 0; i < R; i++)
        A[i][i] = 0.25;
    for (int m = 0; m < MODULES; m++) {
        double ring = 0.14 + 0.10 * sin(module_angle(z, m));
        double bridge = 0.08 * tanh(z[1] + cos(module_angle(z, m)));
        int own = m * SIZE, next = (m + 1) % MODULES * SIZE;
        for (int i = 0; i < SIZE; i++)
            join(A, own + i, own + (i + 1) % SIZE, ring);
        for (int i = 0; i < BRIDGED; i++)
            join(A, own + i, next + i, bridge);
    }
}

/* x <- A x + e + g f */
static void advance(const subject *who, rm2_rng *rng, double x[R]) {
    double y[R], drive[MODULES];
    for (int m = 0; m < MODULES; m++)
        drive[m] = who->gain[m] * rm2_rng_normal(rng);
    for (int i = 0; i < R; i++) {
        double sigma = 0.8 + 0.4 * (i % SIZE) / (SIZE - 1);
        y[i] = drive[i / SIZE] + sigma * rm2_rng_normal(rng);
        for (int j = 0; j < R; j++)
            y[i] += who->A[i][j] * x[j];
    }
    memcpy(x, y, sizeof y);
}

/* ---- one subject ---------------------------------------------------------------------------- */

static void draw_subject(rm2_rng *rng, size_t group, subject *who) {
    double shift = group == 0 ? -group_shift : group_shift;
    double z[2] = {shift + angle_spread * rm2_rng_normal(rng), rm2_rng_normal(rng)};
    rm2i_connectome_coupling(z, who->A);
    for (int m = 0; m < MODULES; m++)
        who->gain[m] = 0.7 * exp(0.6 * sin(module_angle(z, m)));
}

static void simulate(const subject *who, rm2_rng *rng, double series[SAMPLES][R]) {
    double x[R] = {0};
    for (int s = 0; s < BURN_IN; s++)
        advance(who, rng, x);
    for (int s = 0; s < SAMPLES; s++) {
        advance(who, rng, x);
        memcpy(series[s], x, sizeof x);
    }
}

static void centre(double series[SAMPLES][R]) {
    for (int i = 0; i < R; i++) {
        double mean = 0;
        for (int s = 0; s < SAMPLES; s++)
            mean += series[s][i] / SAMPLES;
        for (int s = 0; s < SAMPLES; s++)
            series[s][i] -= mean;
    }
}

static void covariance(double series[SAMPLES][R], double *C) {
    for (int i = 0; i < R; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int s = 0; s < SAMPLES; s++)
                sum += series[s][i] * series[s][j];
            C[i * R + j] = C[j * R + i] = sum / (SAMPLES - 1);
        }
}

static void shrink_and_scale(double *C) {
    double mean = 0;
    for (int i = 0; i < R; i++)
        mean += C[i * R + i] / R;
    for (int k = 0; k < R * R; k++)
        C[k] *= (1 - shrinkage) / mean;
    for (int i = 0; i < R; i++)
        C[i * R + i] += shrinkage;
}

static void measure(const subject *who, rm2_rng *rng, double *point) {
    double series[SAMPLES][R];
    simulate(who, rng, series);
    centre(series);
    covariance(series, point);
    shrink_and_scale(point);
}

/* ---- the data set --------------------------------------------------------------------------- */

rm2_status rm2i_fill_connectome(rm2_context *ctx, rm2_rng *rng, const size_t *natural,
                                rm2i_draft *data) {
    (void)natural;
    RM2_TRY(rm2i_draft_set_labels(ctx, data, 2, groups));
    for (size_t i = 0; i < data->count; i++) {
        if (rm2i_interrupted(ctx))
            return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
        data->labels[i] = i < data->count - data->count / 2 ? 0 : 1; /* controls first */
        subject who;
        draw_subject(rng, data->labels[i], &who);
        measure(&who, rng, data->points + R * R * i);
    }
    return RM2_OK;
}
