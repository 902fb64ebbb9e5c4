/* The example data sets: sizes, membership of the manifold, determinism, and the properties each is
 * made for (smooth strokes of human-like spread, unit quaternions without jumps, ellipsoids that
 * turn with the motion, well-conditioned covariances of two groups). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "front/data.h"
#include "generate/generate.h"
#include "riemann2/data.h"

static rm2_context *ctx;

static int setup(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

/* ---- helpers -------------------------------------------------------------------------------- */

static rm2_data *generate(const char *name, uint64_t seed, size_t trajectories, size_t points) {
    rm2_generate_settings settings = {sizeof settings, seed, trajectories, points, false};
    rm2_data *data = NULL;
    assert_int_equal(rm2_data_generate(ctx, name, &settings, &data), RM2_OK);
    assert_non_null(data);
    return data;
}

static size_t ambient(const rm2_data *data) {
    return rm2_manifold_ambient(data->manifold);
}

static double worst_defect(const rm2_data *data) {
    size_t n = data->count * rm2_manifold_factor_count(data->manifold);
    double *defect = malloc(n * sizeof *defect), worst = 0;
    assert_non_null(defect);
    assert_int_equal(rm2_manifold_defect(ctx, data->manifold, data->count, data->points, defect),
                     RM2_OK);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, defect[i]);
    free(defect);
    return worst;
}

static bool same_points(const rm2_data *a, const rm2_data *b) {
    return a->count == b->count &&
           memcmp(a->points, b->points, a->count * ambient(a) * sizeof(double)) == 0;
}

/* Smallest and largest geodesic step between neighbours of a trajectory. */
static void steps(const rm2_data *data, double *least, double *most) {
    size_t width = ambient(data);
    *least = INFINITY;
    *most = 0;
    for (size_t d = 0; d < data->trajectories; d++) {
        size_t first = data->starts[d], n = data->starts[d + 1] - first - 1;
        double *length = malloc(n * sizeof *length);
        assert_non_null(length);
        const double *p = data->points + first * width;
        assert_int_equal(rm2_manifold_distance(ctx, data->manifold, n, p, n, p + width, length),
                         RM2_OK);
        for (size_t i = 0; i < n; i++) {
            *least = fmin(*least, length[i]);
            *most = fmax(*most, length[i]);
        }
        free(length);
    }
}

/* Root of the least sum of squared distances over monotone alignments of two trajectories. */
static double warped_distance(const rm2_data *data, size_t a, size_t b) {
    size_t width = ambient(data), n = data->starts[a + 1] - data->starts[a];
    size_t m = data->starts[b + 1] - data->starts[b];
    double *row = malloc((m + 1) * sizeof *row), *length = malloc(m * sizeof *length);
    assert_true(row && length);
    const double *q = data->points + data->starts[b] * width;
    for (size_t j = 0; j <= m; j++)
        row[j] = j == 0 ? 0 : INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double *p = data->points + (data->starts[a] + i) * width;
        assert_int_equal(rm2_manifold_distance(ctx, data->manifold, m, p, 1, q, length), RM2_OK);
        double corner = row[0];
        row[0] = INFINITY;
        for (size_t j = 1; j <= m; j++) {
            double best = fmin(corner, fmin(row[j], row[j - 1]));
            corner = row[j];
            row[j] = best + length[j - 1] * length[j - 1];
        }
    }
    double result = sqrt(row[m]);
    free(row);
    free(length);
    return result;
}

static double mean_warped_distance(const rm2_data *data) {
    double sum = 0, pairs = 0;
    for (size_t a = 0; a < data->trajectories; a++)
        for (size_t b = 0; b < a; b++, pairs++)
            sum += warped_distance(data, a, b);
    return sum / pairs;
}

/* Mean and variance of an entry over all points. */
static void moments(const rm2_data *data, size_t column, double *mean, double *variance) {
    double sum = 0, square = 0, n = (double)data->count;
    for (size_t i = 0; i < data->count; i++) {
        double x = data->points[i * ambient(data) + column];
        sum += x;
        square += x * x;
    }
    *mean = sum / n;
    *variance = square / n - *mean * *mean;
}

static void assert_standardised(const rm2_data *data) {
    for (size_t column = 0; column < 2; column++) {
        double mean, variance;
        moments(data, column, &mean, &variance);
        assert_true(fabs(mean) < 1e-12);
        assert_true(fabs(variance - 1) < 1e-12);
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct shape {
    const char *name, *manifold;
    size_t trajectories, shortest, longest;
} shapes[] = {{"toy", "R2 x S2", 6, 200, 200},
              {"robot", "R3 x S3", 6, 60, 85},
              {"manipulability", "R2 x SPD2", 6, 100, 100},
              {"connectome", "SPD15", 0, 200, 200}};

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(rm2_data_example_name(i), shapes[i].name);
        assert_true(strlen(rm2_data_example_description(i)) > 10);
    }
    assert_null(rm2_data_example_name(4));
    assert_null(rm2_data_example_description(4));
}

static void test_shapes(void **state) {
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        const struct shape *want = &shapes[k];
        rm2_data *data = NULL;
        assert_int_equal(rm2_data_generate(ctx, want->name, NULL, &data), RM2_OK);
        assert_string_equal(rm2_manifold_spec(data->manifold), want->manifold);
        assert_string_equal(data->source, want->name);
        assert_int_equal(data->trajectories, want->trajectories);
        for (size_t d = 0; d < data->trajectories; d++) {
            size_t n = data->starts[d + 1] - data->starts[d];
            assert_in_range(n, want->shortest, want->longest);
        }
        if (data->trajectories)
            assert_int_equal(data->starts[data->trajectories], data->count);
        else
            assert_int_equal(data->count, want->longest);
        rm2_data_free(data);
    }
}

static void test_on_manifold(void **state) {
    (void)state;
    for (size_t k = 0; k < 4; k++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            rm2_data *data = generate(shapes[k].name, seed, 0, 0);
            assert_true(worst_defect(data) < 1e-12);
            rm2_data_free(data);
        }
}

static void test_deterministic(void **state) {
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        rm2_data *a = generate(shapes[k].name, 7, 0, 0), *b = generate(shapes[k].name, 7, 0, 0);
        rm2_data *c = generate(shapes[k].name, 8, 0, 0);
        assert_true(same_points(a, b));
        assert_false(same_points(a, c));
        rm2_data_free(a);
        rm2_data_free(b);
        rm2_data_free(c);
    }
}

static void test_context_generator_untouched(void **state) {
    (void)state;
    rm2_rng before = *rm2_context_rng(ctx);
    rm2_data_free(generate("toy", 1, 0, 0));
    assert_memory_equal(before.state, rm2_context_rng(ctx)->state, sizeof before.state);
}

static void test_sizes_asked_for(void **state) {
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        rm2_data *data = generate(shapes[k].name, 0, 3, 17);
        assert_int_equal(data->trajectories, 3);
        assert_int_equal(data->count, 51);
        assert_int_equal(data->starts[2], 34);
        assert_true(worst_defect(data) < 1e-12);
        rm2_data_free(data);
        data = generate(shapes[k].name, 0, 1, 2);
        assert_int_equal(data->count, 2);
        assert_true(worst_defect(data) < 1e-12);
        rm2_data_free(data);
    }
    rm2_data *data = generate("connectome", 0, 0, 9);
    assert_int_equal(data->count, 9);
    rm2_data_free(data);
}

static void assert_refused(const char *name, size_t trajectories, size_t points, const char *says) {
    rm2_generate_settings settings = {sizeof settings, 0, trajectories, points, false};
    rm2_data *data = NULL;
    assert_int_equal(rm2_data_generate(ctx, name, &settings, &data), RM2_ERR_ARGUMENT);
    assert_null(data);
    assert_non_null(strstr(rm2_context_error(ctx), says));
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused("toys", 0, 0, "toy, robot, manipulability, connectome");
    assert_refused(NULL, 0, 0, "'name' is NULL");
    assert_refused("toy", 0, 1, "settings.points is 1, expected a whole number from 2");
    assert_refused("connectome", 0, 1, "settings.points is 1");
    assert_refused("connectome", 3, 0, "without trajectories");
    assert_refused("toy", (size_t)1 << 52, (size_t)1 << 52, "too many");
    assert_refused("toy", SIZE_MAX, 2, "settings.trajectories is");
    assert_int_equal(rm2_data_generate(ctx, "toy", NULL, NULL), RM2_ERR_ARGUMENT);
}

/* ---- toy ------------------------------------------------------------------------------------ */

static void test_toy_spread(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        rm2_data *data = generate("toy", seed, 0, 0);
        assert_standardised(data);
        double spread = mean_warped_distance(data);
        print_message("toy seed %d: mean DTW %.3f\n", (int)seed, spread);
        assert_true(spread > 2.5 && spread < 4.5);
        rm2_data_free(data);
    }
}

static void test_toy_smooth(void **state) {
    (void)state;
    rm2_data *data = generate("toy", 0, 0, 0);
    double least, most, farthest = 0;
    steps(data, &least, &most);
    print_message("toy: steps %.2g .. %.3f\n", least, most);
    assert_true(least > 0 && most < 0.12);
    for (size_t i = 0; i < data->count; i++)
        farthest = fmax(farthest, acos(data->points[5 * i + 2]));
    assert_true(farthest > 1.0 && farthest < 1.5);
    rm2_data_free(data);
}

/* Slow at both ends: the first and last twentieth of the time cover little of the path. */
static void test_stroke_speed(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (int d = 0; d < 20; d++) {
        rm2i_stroke stroke;
        rm2i_arm_stroke(&rng, &stroke);
        double a[2], b[2], c[2], e[2];
        rm2i_stroke_at(&stroke, 0, a, NULL);
        rm2i_stroke_at(&stroke, 0.05, b, NULL);
        rm2i_stroke_at(&stroke, 0.95, c, NULL);
        rm2i_stroke_at(&stroke, 1, e, NULL);
        assert_true(hypot(b[0] - a[0], b[1] - a[1]) < 0.2);
        assert_true(hypot(e[0] - c[0], e[1] - c[1]) < 0.2);
    }
}

/* The tangent is the derivative of the position, by central differences. */
static void test_stroke_tangent(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 6);
    rm2i_stroke stroke;
    rm2i_arm_stroke(&rng, &stroke);
    for (double t = 0.1; t < 0.9; t += 0.05) {
        double x[2], y[2], middle[2], tangent[2], h = 1e-5;
        rm2i_stroke_at(&stroke, t - h, x, NULL);
        rm2i_stroke_at(&stroke, t + h, y, NULL);
        rm2i_stroke_at(&stroke, t, middle, tangent);
        double length = hypot(y[0] - x[0], y[1] - x[1]);
        assert_true(fabs((y[0] - x[0]) / length - tangent[0]) < 1e-6);
        assert_true(fabs((y[1] - x[1]) / length - tangent[1]) < 1e-6);
    }
}

/* ---- robot ---------------------------------------------------------------------------------- */

static double quaternion_dot(const double *p, const double *q) {
    return p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6];
}

static void test_robot_quaternions(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        rm2_data *data = generate("robot", seed, 0, 0);
        for (size_t d = 0; d < data->trajectories; d++) {
            const double *first = data->points + 7 * data->starts[d];
            const double *last = data->points + 7 * (data->starts[d + 1] - 1);
            for (const double *p = first; p < last; p += 7)
                assert_true(quaternion_dot(p, p + 7) > 0.99);
            assert_true(quaternion_dot(data->points, first) > 0.9);
            double turn = 2 * acos(fmin(1, fabs(quaternion_dot(first, last))));
            assert_true(turn > 1.0);
        }
        rm2_data_free(data);
    }
}

static void test_robot_time(void **state) {
    (void)state;
    rm2_data *data = generate("robot", 0, 0, 0);
    assert_non_null(data->time);
    for (size_t d = 0; d < data->trajectories; d++) {
        assert_true(data->time[data->starts[d]] == 0);
        for (size_t i = data->starts[d] + 1; i < data->starts[d + 1]; i++)
            assert_true(fabs(data->time[i] - data->time[i - 1] - 0.05) < 1e-12);
    }
    rm2_data_free(data);
}

/* In metres, within an arm's reach, lifted at the end, no faster than a person. */
static void test_robot_motion(void **state) {
    (void)state;
    rm2_data *data = generate("robot", 0, 0, 0);
    double least, most;
    steps(data, &least, &most);
    print_message("robot: steps %.2g .. %.3f, mean DTW %.3f\n", least, most,
                  mean_warped_distance(data));
    assert_true(most < 0.1);
    for (size_t d = 0; d < data->trajectories; d++) {
        double lowest = INFINITY, top = data->points[7 * (data->starts[d + 1] - 1) + 2];
        for (size_t i = data->starts[d]; i < data->starts[d + 1]; i++) {
            const double *p = data->points + 7 * i;
            assert_true(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) < 1.0);
            lowest = fmin(lowest, p[2]);
        }
        assert_true(top - lowest > 0.15);
    }
    rm2_data_free(data);
}

/* ---- manipulability ------------------------------------------------------------------------- */

enum { ARM_POINTS = 100 };

static double condition(const double m[3]) {
    double half = (m[0] + m[2]) / 2, det = m[0] * m[2] - m[1] * m[1];
    double large = half + sqrt(fmax(0, half * half - det));
    return large * large / det;
}

/* Mean of t^T M t / tr M over the stroke; also checks that the tip is on it. */
static double alignment(const rm2i_stroke *stroke, const double *angles) {
    double sum = 0;
    for (size_t i = 0; i < ARM_POINTS; i++) {
        double x[2], t[2], tip[2], m[3];
        rm2i_stroke_at(stroke, (double)i / (ARM_POINTS - 1), x, t);
        rm2i_arm_tip(angles + 4 * i, tip);
        assert_true(hypot(tip[0] - x[0], tip[1] - x[1]) < 1e-9);
        rm2i_arm_ellipsoid(angles + 4 * i, m);
        double along = t[0] * t[0] * m[0] + 2 * t[0] * t[1] * m[1] + t[1] * t[1] * m[2];
        sum += along / (m[0] + m[2]) / ARM_POINTS;
    }
    return sum;
}

static void test_arm_alignment(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (int d = 0; d < 6; d++) {
        double turned[4 * ARM_POINTS], plain[4 * ARM_POINTS];
        rm2i_stroke stroke;
        rm2i_arm_stroke(&rng, &stroke);
        rm2i_arm_follow(&stroke, rm2i_arm_gain, ARM_POINTS, turned);
        rm2i_arm_follow(&stroke, 0, ARM_POINTS, plain);
        double with = alignment(&stroke, turned), without = alignment(&stroke, plain);
        print_message("arm: alignment %.3f, pseudo-inverse alone %.3f\n", with, without);
        assert_true(with > 0.9);
        assert_true(with > without + 0.08);
    }
}

/* The ellipsoid is J J^T of the tip's Jacobian, by central differences. */
static void test_arm_ellipsoid(void **state) {
    (void)state;
    const double q[4] = {0.3, 0.7, -0.4, 1.1}, h = 1e-5;
    double m[3], sum[3] = {0, 0, 0};
    rm2i_arm_ellipsoid(q, m);
    for (int k = 0; k < 4; k++) {
        double up[4], down[4], a[2], b[2];
        memcpy(up, q, sizeof q);
        memcpy(down, q, sizeof q);
        up[k] += h;
        down[k] -= h;
        rm2i_arm_tip(up, a);
        rm2i_arm_tip(down, b);
        double x = (a[0] - b[0]) / (2 * h), y = (a[1] - b[1]) / (2 * h);
        sum[0] += x * x;
        sum[1] += x * y;
        sum[2] += y * y;
    }
    for (int k = 0; k < 3; k++)
        assert_true(fabs(sum[k] - m[k]) < 1e-8);
}

/* No transient at the start: the arm has come to rest there. */
static void test_arm_settled(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    rm2i_stroke stroke;
    rm2i_arm_stroke(&rng, &stroke);
    double q[4 * ARM_POINTS], path[2][2];
    rm2i_arm_follow(&stroke, rm2i_arm_gain, ARM_POINTS, q);
    rm2i_arm_tip(q, path[0]);
    rm2i_arm_tip(q + 4, path[1]);
    double moved = hypot(path[1][0] - path[0][0], path[1][1] - path[0][1]), turned = 0;
    for (int k = 0; k < 4; k++)
        turned = fmax(turned, fabs(q[4 + k] - q[k]));
    assert_true(turned < 5 * moved + 1e-6);
}

static void test_manipulability_data(void **state) {
    (void)state;
    rm2_data *data = generate("manipulability", 0, 0, 0);
    assert_standardised(data);
    double least, most, low = INFINITY, high = 0;
    steps(data, &least, &most);
    for (size_t i = 0; i < data->count; i++) {
        const double *p = data->points + 6 * i;
        const double m[3] = {p[2], p[3], p[5]};
        assert_true(p[3] == p[4]);
        low = fmin(low, condition(m));
        high = fmax(high, condition(m));
    }
    print_message("manipulability: condition %.1f .. %.1f, steps %.2g .. %.3f, mean DTW %.3f\n",
                  low, high, least, most, mean_warped_distance(data));
    assert_true(low > 2 && high < 300);
    assert_true(least > 0 && most < 0.8);
    rm2_data_free(data);
}

/* Twice as many points, half as long steps: a jump would keep its size. */
static void test_no_jumps(void **state) {
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        rm2_data *coarse = generate(shapes[k].name, 4, 4, 101);
        rm2_data *fine = generate(shapes[k].name, 4, 4, 201);
        double least, most, finer;
        steps(coarse, &least, &most);
        steps(fine, &least, &finer);
        assert_true(finer < 0.55 * most);
        rm2_data_free(coarse);
        rm2_data_free(fine);
    }
}

/* ---- connectome ----------------------------------------------------------------------------- */

/* Extreme eigenvalues by Jacobi rotations. */
static void eigen_range(const double *S, double *least, double *most) {
    enum { R = RM2I_REGIONS };
    double A[R][R];
    memcpy(A, S, sizeof A);
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < R; p++)
            for (int q = p + 1; q < R; q++) {
                double angle = 0.5 * atan2(2 * A[p][q], A[q][q] - A[p][p]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < R; k++) {
                    double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - s * y;
                    A[k][q] = s * x + c * y;
                }
                for (int k = 0; k < R; k++) {
                    double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y;
                    A[q][k] = s * x + c * y;
                }
            }
    *least = INFINITY;
    *most = 0;
    for (int i = 0; i < R; i++) {
        *least = fmin(*least, A[i][i]);
        *most = fmax(*most, A[i][i]);
    }
}

static void test_connectome_condition(void **state) {
    (void)state;
    rm2_data *data = generate("connectome", 0, 0, 0);
    double worst = 0;
    for (size_t i = 0; i < data->count; i++) {
        double least, most, trace = 0;
        const double *S = data->points + 225 * i;
        eigen_range(S, &least, &most);
        assert_true(least > 0);
        worst = fmax(worst, most / least);
        for (size_t k = 0; k < 15; k++)
            trace += S[16 * k];
        assert_true(fabs(trace - 15) < 1e-10);
    }
    print_message("connectome: largest condition number %.1f\n", worst);
    assert_true(worst > 5 && worst < 1e4);
    rm2_data_free(data);
}

static void test_connectome_labels(void **state) {
    (void)state;
    rm2_data *data = generate("connectome", 0, 0, 51);
    assert_null(data->starts);
    assert_int_equal(data->label_count, 2);
    assert_string_equal(data->label_names[0], "control");
    assert_string_equal(data->label_names[1], "patient");
    size_t patients = 0;
    for (size_t i = 0; i < data->count; i++)
        patients += data->labels[i];
    assert_int_equal(patients, 25);
    rm2_data_free(data);
}

/* The variance of the first module, per group, in logarithms: mean and variance of it. */
static void module_strength(const rm2_data *data, size_t group, double *mean, double *variance) {
    double n = 0, sum = 0, square = 0;
    for (size_t i = 0; i < data->count; i++) {
        if (data->labels[i] != group)
            continue;
        double v = 0;
        for (size_t k = 0; k < 5; k++)
            v += data->points[225 * i + 16 * k] / 5;
        n++;
        sum += log(v);
        square += log(v) * log(v);
    }
    *mean = sum / n;
    *variance = square / n - *mean * *mean;
}

/* The groups differ, and overlap. */
static void test_connectome_groups(void **state) {
    (void)state;
    rm2_data *data = generate("connectome", 0, 0, 0);
    double mean[2], variance[2];
    module_strength(data, 0, &mean[0], &variance[0]);
    module_strength(data, 1, &mean[1], &variance[1]);
    double effect = (mean[1] - mean[0]) / sqrt((variance[0] + variance[1]) / 2);
    print_message("connectome: groups differ by %.2f standard deviations\n", effect);
    assert_true(effect > 0.5 && effect < 3);
    rm2_data_free(data);
}

/* The largest row sum bounds the spectral radius. */
static void test_connectome_stable(void **state) {
    (void)state;
    for (double z1 = -4; z1 <= 4; z1 += 0.1)
        for (double z2 = -5; z2 <= 5; z2 += 0.5) {
            const double z[2] = {z1, z2};
            double A[RM2I_REGIONS][RM2I_REGIONS];
            rm2i_connectome_coupling(z, A);
            for (int i = 0; i < RM2I_REGIONS; i++) {
                double sum = 0;
                for (int j = 0; j < RM2I_REGIONS; j++)
                    sum += fabs(A[i][j]);
                assert_true(sum < 0.9);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_on_manifold),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_context_generator_untouched),
        cmocka_unit_test(test_sizes_asked_for),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_toy_spread),
        cmocka_unit_test(test_toy_smooth),
        cmocka_unit_test(test_stroke_speed),
        cmocka_unit_test(test_stroke_tangent),
        cmocka_unit_test(test_robot_quaternions),
        cmocka_unit_test(test_robot_time),
        cmocka_unit_test(test_robot_motion),
        cmocka_unit_test(test_arm_alignment),
        cmocka_unit_test(test_arm_ellipsoid),
        cmocka_unit_test(test_arm_settled),
        cmocka_unit_test(test_manipulability_data),
        cmocka_unit_test(test_no_jumps),
        cmocka_unit_test(test_connectome_condition),
        cmocka_unit_test(test_connectome_labels),
        cmocka_unit_test(test_connectome_groups),
        cmocka_unit_test(test_connectome_stable),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
