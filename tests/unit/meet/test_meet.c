/* Motions that meet poses: the poses, the process by its definition, velocities, draws, demonstrations that are reversed, cut, broken
 * or of two families, obstacles, and what is refused. */
#include "meet_fixture.h"

#include "base/base.h"
#include "meet/meet.h"
#include "space_with.h"

static const plan toy = {.spec = "R2 x S2", .count = 6, .families = 1};

/* ---- poses ---------------------------------------------------------------------------------- */

static const char *const specs[] = {"R3 x S3", "R2 x SO3", "R2 x SPD2", "R2 x H2",
                                    "S2",      "R3",       "S1 x R1",   "SPD2:log x R1"};

/* A start, a goal and a via pose off the demonstrations are met, on the manifold, to 1e-9: the bound that the call promises. */
static void met_on(const char *spec) {
    const plan p = {.spec = spec, .count = 5, .families = 1};
    scene s = open_scene(&p, 20);
    double *start = aside(&s, shown(&s, 0, 0), 0.08),
           *goal = aside(&s, shown(&s, 1, POINTS - 1), 0.1);
    double *via = aside(&s, shown(&s, 2, POINTS / 2), 0.05);
    rm2_meet_pose middle = {.point = via};
    rm2_meet_request r = {{.point = start}, {.point = goal}, 1, &middle, 0, NULL};
    rm2_meet *meet = meet_request(&s, &r, NULL);
    const rm2_meet_result *out = rm2_meet_result_of(meet);
    const double *asked[3] = {start, via, goal};
    assert_int_equal(out->poses, 3);
    assert_int_equal(out->nodes, NODES);
    assert_int_equal(out->pose_nodes[0], 0);
    assert_int_equal(out->pose_nodes[2], NODES - 1);
    for (size_t k = 0; k < 3; k++)
        assert_true(distance_of(s.m, out->points + out->pose_nodes[k] * s.D, asked[k]) < 1e-9);
    assert_true(worst_defect(s.m, NODES, out->points) < 1e-12);
    /* F_i are orthogonal, s rises from 0 to 1, route points are the decoded curve */
    double *decoded = numbers(NODES * s.D);
    ok(rm2_model_decode(ctx, s.model, NODES, out->route->x, decoded, NULL, NULL, NULL));
    assert_memory_equal(decoded, out->route_points, NODES * s.D * sizeof *decoded);
    for (size_t i = 0; i < NODES; i++) {
        const double *F = out->frames + i * s.M * s.M;
        for (size_t a = 0; a < s.M; a++)
            for (size_t b = 0; b < s.M; b++) {
                double dot = 0;
                for (size_t k = 0; k < s.M; k++)
                    dot += F[a * s.M + k] * F[b * s.M + k];
                assert_true(fabs(dot - (a == b)) < 1e-10); /* rounding of 40 transports */
            }
        assert_true(i == 0 || out->phase[i] > out->phase[i - 1]);
    }
    assert_true(out->phase[0] == 0 && fabs(out->phase[NODES - 1] - 1) < 1e-15);
    double shares = out->pose_shares[0] + out->pose_shares[1] + out->pose_shares[2];
    assert_true(fabs(shares - 1) < 1e-9);
    free(decoded);
    free(start);
    free(goal);
    free(via);
    rm2_meet_free(meet);
    close_scene(&s);
}

static void poses_are_met(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        met_on(specs[k]);
}

/* Free factors are NaN: the others are met, and less is asked of the motion. */
static void free_factors(void **state) {
    scene s = open_scene(&toy, 20);
    double start[5], goal[5], via[5];
    (void)state;
    memcpy(start, shown(&s, 0, 0), sizeof start);
    memcpy(goal, shown(&s, 0, POINTS - 1), sizeof goal);
    memcpy(via, shown(&s, 1, POINTS / 2), sizeof via);
    start[2] = start[3] = start[4] = NAN; /* a position without a direction */
    via[0] = via[1] = NAN;                /* a direction without a position */
    start[0] += 0.1;
    rm2_meet_pose middle = {.point = via};
    rm2_meet_request r = {{.point = start}, {.point = goal}, 1, &middle, 0, NULL};
    rm2_meet *meet = meet_request(&s, &r, NULL);
    const rm2_meet_result *out = rm2_meet_result_of(meet);
    const double *y = out->points + out->pose_nodes[1] * s.D;
    for (size_t k = 0; k < 2; k++)
        assert_true(fabs(out->points[k] - start[k]) < 1e-12);
    for (size_t k = 2; k < 5; k++)
        assert_true(fabs(y[k] - via[k]) < 1e-12);
    assert_true(isnan(out->pose_errors[1]) && isnan(out->pose_errors[2]));
    assert_true(out->pose_errors[0] < 1e-12 && out->pose_errors[3] < 1e-12);
    rm2_meet_free(meet);
    close_scene(&s);
}

/* Times choose the nodes; latent ends are met at their decoded points, without any correction asked. */
static void times_and_latents(void **state) {
    scene s = open_scene(&toy, 20);
    const double *X = rm2_model_info_of(s.model)->latents;
    rm2_meet_settings settings = rm2_meet_settings_default();
    (void)state;
    settings.duration = 4;
    double *via = aside(&s, shown(&s, 2, POINTS / 2), 0.03), decoded[5];
    rm2_meet_pose middle = {.point = via, .timed = true, .time = 1};
    rm2_meet_request r = {{.latent = X}, {.latent = X + (POINTS - 1) * 2}, 1, &middle, 0, NULL};
    rm2_meet *meet = meet_request(&s, &r, &settings);
    const rm2_meet_result *out = rm2_meet_result_of(meet);
    double step = 1.0 / (NODES - 1);
    assert_true(fabs(out->phase[out->pose_nodes[1]] - 0.25) < 1.5 * step);
    ok(rm2_model_decode(ctx, s.model, 1, X, decoded, NULL, NULL, NULL));
    assert_true(distance_of(s.m, out->points, decoded) < 1e-12);
    assert_false(out->context[0] || out->context[1]);
    rm2_meet_free(meet);
    settings.through = true; /* the route passes the encoded via pose */
    meet = meet_request(&s, &r, &settings);
    assert_true(rm2_meet_result_of(meet)->pose_errors[2] < 1e-9);
    rm2_meet_free(meet);
    free(via);
    close_scene(&s);
}

/* ---- the process by its definition ---------------------------------------------------------- */

/* x of A x = b by elimination with pivots; A and b are destroyed. */
static void eliminate(size_t n, double *A, double *b) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k; i < n; i++)
            pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
        for (size_t j = 0; j < n; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = t;
        }
        double t = b[k];
        b[k] = b[pivot];
        b[pivot] = t;
        for (size_t i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* C of all nodes, (n M) x (n M), from the deviations alone; spd: coordinate from which the factor is of matrices. */
static double *dense_prior(const rm2_meet *meet, bool approach, size_t spd) {
    const rm2i_meet_deviations *d = &meet->deviations;
    const double *s = meet->result.phase;
    size_t n = d->n, M = d->M, size = n * M;
    double *C = numbers(size * size), D = (double)d->D, lambda = fmax(1, 8 / D);
    double kappa = meet->result.kappa;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t a = 0; a < M; a++)
                for (size_t b = 0; b < M; b++) {
                    double u = s[i] - s[j], sum = 0;
                    for (size_t k = 0; k < d->D; k++) { /* (delta - mu)/sqrt(D - 1) */
                        double x = d->delta[(k * n + i) * M + a] - d->mu[i * M + a];
                        double y = d->delta[(k * n + j) * M + b] - d->mu[j * M + b];
                        sum += x * y / (D - 1);
                    }
                    bool matrix = a >= spd;
                    double l = matrix ? 0.1 : 0.3;
                    double q = exp(-u * u / (2 * l * l)) + 0.2 * exp(-u * u / (2 * 0.07 * 0.07));
                    double bb = 1 + (2 * s[i] - 1) * (2 * s[j] - 1);
                    double wi = 10 * pow(s[i], 3) - 15 * pow(s[i], 4) + 6 * pow(s[i], 5);
                    double wj = 10 * pow(s[j], 3) - 15 * pow(s[j], 4) + 6 * pow(s[j], 5);
                    if (approach)
                        bb = 2 * ((1 - wi) * (1 - wj) + wi * wj);
                    double smooth = matrix ? kappa * q : kappa * bb + (1 + 0.1 * kappa) * q;
                    if (a == b)
                        sum += lambda * d->W[a < 2 ? 0 : 1] * smooth;
                    C[(i * M + a) * size + j * M + b] = sum;
                }
    return C;
}

/* mean = mu + C A^T (A C A^T)^-1 (v - A mu), with nodes 0 and n - 1 observed whole. */
static void compare_with_dense(const rm2_meet *meet, const double *C) {
    const rm2i_meet_deviations *d = &meet->deviations;
    size_t n = d->n, M = d->M, size = n * M, P = 2 * M;
    double *K = numbers(P * P), *r = numbers(P), *copy = numbers(P * P), *x = numbers(P);
    double *cov = numbers(n * M * M), square = 0;
    for (size_t p = 0; p < P; p++) {
        size_t row = p < M ? p : (n - 1) * M + p - M;
        r[p] = meet->result.correction[row] - d->mu[row];
        for (size_t q = 0; q < P; q++)
            K[p * P + q] = C[row * size + (q < M ? q : (n - 1) * M + q - M)];
    }
    memcpy(copy, K, P * P * sizeof *K);
    memcpy(x, r, P * sizeof *r);
    eliminate(P, copy, x);
    for (size_t p = 0; p < P; p++)
        square += r[p] * x[p] / (double)P;
    if (meet->result.kappa == 1)
        assert_true(fabs(sqrt(square) - meet->result.stretch) < 1e-9);
    else
        assert_true(square <= 1 && meet->result.stretch > 1);
    for (size_t i = 0; i < size; i++) { /* K has a condition of about 1e4: 1e-9 leaves room */
        double sum = d->mu[i];
        for (size_t p = 0; p < P; p++)
            sum += C[i * size + (p < M ? p : (n - 1) * M + p - M)] * x[p];
        assert_true(fabs(sum - meet->result.correction[i]) < 1e-9);
    }
    ok(rm2_meet_covariance(ctx, meet, RM2_MEET_CARRIED, cov, NULL));
    for (size_t i = 0; i < n; i += 7)
        for (size_t b = 0; b < M; b++) {
            memcpy(copy, K, P * P * sizeof *K);
            for (size_t p = 0; p < P; p++)
                x[p] = C[(i * M + b) * size + (p < M ? p : (n - 1) * M + p - M)];
            eliminate(P, copy, x);
            for (size_t a = 0; a < M; a++) {
                double sum = C[(i * M + a) * size + i * M + b];
                for (size_t p = 0; p < P; p++)
                    sum -= C[(i * M + a) * size + (p < M ? p : (n - 1) * M + p - M)] * x[p];
                assert_true(fabs(sum - cov[(i * M + a) * M + b]) < 1e-9);
            }
        }
    for (size_t k = 0; k < M * M; k++) /* zero at the poses */
        assert_true(fabs(cov[k]) < 1e-9 && fabs(cov[(n - 1) * M * M + k]) < 1e-9);
    free(K);
    free(r);
    free(copy);
    free(x);
    free(cov);
}

static void conditioned_by_definition(void **state) {
    (void)state;
    for (int matrices = 0; matrices < 2; matrices++) {
        const plan p = {.spec = matrices ? "R2 x SPD2" : "R2 x S2", .count = 6, .families = 1};
        scene s = open_scene(&p, 20);
        for (int k = 0; k < 3; k++) { /* near, far, far with the other b(s) */
            rm2_meet_settings settings = rm2_meet_settings_default();
            settings.approach = k == 2;
            double *goal = aside(&s, shown(&s, 0, POINTS - 1), k == 0 ? 0.02 : 0.5);
            rm2_meet *meet = meet_ends(&s, shown(&s, 1, 0), goal, &settings);
            assert_true((rm2_meet_result_of(meet)->kappa > 1) == (k > 0));
            double *C = dense_prior(meet, settings.approach, matrices ? 2 : SIZE_MAX);
            compare_with_dense(meet, C);
            free(C);
            free(goal);
            rm2_meet_free(meet);
        }
        close_scene(&s);
    }
}

/* delta is the Log of a point of the demonstration, and mu, W follow from it. */
static void deviations_by_definition(void **state) {
    scene s = open_scene(&toy, 20);
    rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), shown(&s, 0, POINTS - 1), NULL);
    const rm2i_meet_deviations *d = &meet->deviations;
    size_t n = d->n, M = d->M;
    double W[2] = {0, 0};
    (void)state;
    assert_int_equal(d->D, toy.count);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < M; a++) {
            double mean = 0;
            for (size_t k = 0; k < d->D; k++)
                mean += d->delta[(k * n + i) * M + a] / (double)d->D;
            assert_true(fabs(mean - d->mu[i * M + a]) < 1e-14);
            for (size_t k = 0; k < d->D; k++)
                W[a / 2] += pow(d->delta[(k * n + i) * M + a] - mean, 2) /
                            ((double)(d->D - 1) * (double)n * 2);
        }
    assert_true(fabs(W[0] / d->W[0] - 1) < 1e-12 && fabs(W[1] / d->W[1] - 1) < 1e-12);
    for (size_t k = 0; k < d->D;
         k++) { /* the ends are joined: delta there is that of the ends of the demonstration */
        double c[4], e[4];
        for (int end = 0; end < 2; end++) {
            size_t i = end ? n - 1 : 0;
            const double *y =
                s.data->points + (s.data->starts[k + (size_t)end] - (size_t)end) * s.D;
            ok(rm2_manifold_log_coords(ctx, s.m, 1, meet->line.y + i * s.D, 1, y, c));
            rm2i_meet_to_frame(&meet->line, i, d->delta + (k * n + i) * M, e);
            for (size_t a = 0; a < M; a++) {
                if (!(fabs(c[a] - e[a]) < 1e-9))
                    print_message("XX %zu %d %g %g\n", k, end, c[a], e[a]);
                assert_true(fabs(c[a] - e[a]) < 1e-9);
            }
        }
    }
    rm2_meet_free(meet);
    close_scene(&s);
}

/* Alignment: a demonstration that is the route itself lies on it; parts of it lie where they are, with open ends. */
static void alignment(void **state) {
    rm2_manifold *m;
    rm2i_meet_route route;
    enum { N = 199 }; /* every second node is a sample */
    double y[2 * N], demo[2 * RM2I_MEET_SAMPLES], place[N], cost;
    (void)state;
    ok(rm2_manifold_create(ctx, "R2", &m));
    for (size_t i = 0; i < N; i++) { /* a straight line, so that steps of arc length are even */
        y[2 * i] = (double)i / (N - 1);
        y[2 * i + 1] = 2 * y[2 * i];
    }
    ok(rm2i_meet_route_build(ctx, m, N, y, &route));
    for (int backwards = 0; backwards < 2; backwards++) {
        for (size_t k = 0; k < RM2I_MEET_SAMPLES; k++) {
            size_t from = backwards ? RM2I_MEET_SAMPLES - 1 - k : k;
            memcpy(demo + 2 * k, y + 4 * from, 2 * sizeof *demo);
        }
        rm2i_meet_open closed = {.route = {false, false}};
        ok(rm2i_meet_align(ctx, &route, demo, &closed, backwards, place, &cost));
        assert_true(cost == 0);
        for (size_t i = 0; i < N; i++) {
            double at = (double)i / 2;
            assert_true(fabs(place[i] - (backwards ? RM2I_MEET_SAMPLES - 1 - at : at)) < 1e-12);
        }
    }
    /* the second half of the route: nothing before, and every second sample of the demonstration per sample of the route */
    for (size_t k = 0; k < RM2I_MEET_SAMPLES; k++) {
        demo[2 * k] = 0.5 + 0.5 * (double)k / (RM2I_MEET_SAMPLES - 1);
        demo[2 * k + 1] = 2 * demo[2 * k];
    }
    rm2i_meet_open cut = {.demo = {true, false}};
    ok(rm2i_meet_align(ctx, &route, demo, &cut, false, place, &cost));
    for (size_t i = 0; i < N; i++) {
        double x = (double)i / (N - 1), wanted = (x - 0.5) / 0.5 * (RM2I_MEET_SAMPLES - 1);
        if (fabs(x - 0.5) > 0.02) /* two samples of the route */
            assert_true(isnan(place[i]) == (x < 0.5));
        if (x > 0.55 && x < 0.95) /* the mean of what is matched is off by a sample, at most */
            assert_true(fabs(place[i] - wanted) < 2);
    }
    rm2i_meet_route_free(&route);
    /* a route that begins in the middle of the demonstration */
    for (size_t k = 0; k < RM2I_MEET_SAMPLES; k++) {
        demo[2 * k] = 2 * (double)k / (RM2I_MEET_SAMPLES - 1) - 1;
        demo[2 * k + 1] = 2 * demo[2 * k];
    }
    ok(rm2i_meet_route_build(ctx, m, N, y, &route));
    rm2i_meet_open middle = {.route = {true, false}};
    ok(rm2i_meet_align(ctx, &route, demo, &middle, false, place, &cost));
    assert_true(fabs(place[0] - 49.5) < 2 && place[N - 1] == RM2I_MEET_SAMPLES - 1);
    rm2i_meet_route_free(&route);
    rm2_manifold_free(m);
}

/* ---- velocities ----------------------------------------------------------------------------- */

/* The parabola through the motion at the pose's node and its neighbours has the asked derivative there. */
static void assert_velocity(const scene *s, const rm2_meet_result *r, size_t node,
                            const double *velocity, double duration) {
    size_t first = node == 0 ? 0 : node + 1 < r->nodes ? node - 1 : node - 2;
    const double *pose = r->points + node * s->D;
    double c[3][8], wanted[8];
    for (size_t k = 0; k < 3; k++)
        ok(rm2_manifold_log_coords(ctx, s->m, 1, pose, 1, r->points + (first + k) * s->D, c[k]));
    ok(rm2_manifold_to_coords(ctx, s->m, 1, pose, 1, velocity, wanted));
    const double *t = r->phase + first;
    double x = r->phase[node];
    for (size_t a = 0; a < s->M; a++) {
        double sum = 0; /* derivative of Lagrange's polynomial */
        for (size_t k = 0; k < 3; k++) {
            double p = t[(k + 1) % 3], q = t[(k + 2) % 3];
            sum += c[k][a] * (2 * x - p - q) / ((t[k] - p) * (t[k] - q));
        }
        assert_true(fabs(sum - duration * wanted[a]) < 1e-6); /* of about 1 */
    }
}

static void velocities(void **state) {
    const char *const on[] = {"R2 x S2", "R3 x S3", "R2 x SO3", "R2 x SPD2"};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        const plan p = {.spec = on[k], .count = 5, .families = 1};
        scene s = open_scene(&p, 20);
        double *goal = aside(&s, shown(&s, 0, POINTS - 1), 0.05), c[8], v[3][16];
        double *via = aside(&s, shown(&s, 1, POINTS / 2), 0.05);
        const double *at[3] = {shown(&s, 0, 0), via, goal};
        for (size_t e = 0; e < 3; e++) {
            for (size_t a = 0; a < s.M; a++)
                c[a] = 0.1 * ((double)a + 1) - 0.2 * (double)e;
            ok(rm2_manifold_from_coords(ctx, s.m, 1, at[e], 1, c, v[e]));
        }
        rm2_meet_settings settings = rm2_meet_settings_default();
        settings.duration = 2;
        rm2_meet_pose middle = {.point = via, .velocity = v[1]};
        rm2_meet_request r = {{.point = at[0], .velocity = v[0]},
                              {.point = goal, .velocity = v[2]},
                              1,
                              &middle,
                              0,
                              NULL};
        rm2_meet *meet = meet_request(&s, &r, &settings);
        const rm2_meet_result *out = rm2_meet_result_of(meet);
        for (size_t e = 0; e < 3; e++) {
            const double *found = out->pose_velocities + e * s.D;
            assert_velocity(&s, out, out->pose_nodes[e], v[e], 2);
            for (size_t a = 0; a < s.D; a++) /* up to the sign of a quaternion */
                assert_true(fabs(fabs(found[a]) - fabs(v[e][a])) < 1e-6);
        }
        rm2_meet_free(meet);
        free(goal);
        free(via);
        close_scene(&s);
    }
}

/* ---- draws ---------------------------------------------------------------------------------- */

/* Mean and variance of the positions of many draws; each draw meets the poses. */
static void samples(void **state) {
    enum { COUNT = 4000 };
    scene s = open_scene(&toy, 20);
    rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), shown(&s, 2, POINTS - 1), NULL);
    const rm2_meet_result *r = rm2_meet_result_of(meet);
    double *y = numbers(COUNT * NODES * s.D), *cov = numbers(NODES * s.M * s.M);
    (void)state;
    rm2_context_set_seed(ctx, 5);
    ok(rm2_meet_sample(ctx, meet, COUNT, y));
    ok(rm2_meet_covariance(ctx, meet, RM2_MEET_POSE, cov, NULL));
    for (size_t k = 0; k < COUNT; k += 50) {
        assert_true(distance_of(s.m, y + k * NODES * s.D, r->points) < 1e-9);
        assert_true(distance_of(s.m, y + ((k + 1) * NODES - 1) * s.D, shown(&s, 2, POINTS - 1)) <
                    1e-9);
    }
    assert_true(worst_defect(s.m, NODES, y) < 1e-12);
    for (size_t i = 3; i < NODES - 3; i += 6)
        for (size_t a = 0; a < 2; a++) {
            double mean = 0, square = 0, variance = cov[(i * s.M + a) * s.M + a];
            for (size_t k = 0; k < COUNT; k++) {
                double x = y[(k * NODES + i) * s.D + a] - r->points[i * s.D + a];
                mean += x / COUNT;
                square += x * x / COUNT;
            }
            /* standard errors: sqrt(variance/COUNT) and sqrt(2/COUNT) of it; five of each */
            assert_true(fabs(mean) < 5 * sqrt(variance / COUNT));
            assert_true(fabs(square / variance - 1) < 5 * sqrt(2.0 / COUNT));
        }
    free(y);
    free(cov);
    rm2_meet_free(meet);
    close_scene(&s);
}

/* In the frame at the pose and the units of the data: positions times the scale, rotations by their angle. */
static void covariance_units(void **state) {
    const plan p = {.spec = "R3 x S3", .count = 5, .families = 1};
    scene s = open_scene(&p, 20);
    rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), shown(&s, 2, POINTS - 1), NULL);
    double *carried = numbers(NODES * 36), *pose = numbers(NODES * 36),
           *shown_by = numbers(NODES * 36);
    (void)state;
    ok(rm2_meet_covariance(ctx, meet, RM2_MEET_CARRIED, carried, NULL));
    ok(rm2_meet_covariance(ctx, meet, RM2_MEET_POSE, pose, shown_by));
    const rm2_meet_result *r = rm2_meet_result_of(meet);
    double scale = s.data->scale[0], *each = numbers(NODES * 6), *of_demos = numbers(NODES * 6);
    ok(rm2_meet_deviations(ctx, meet, RM2_MEET_POSE, each, of_demos));
    for (size_t i = 0; i < NODES * 6; i++) {
        double variance[2] = {pose[i / 6 * 36 + i % 6 * 7], shown_by[i / 6 * 36 + i % 6 * 7]};
        assert_true(each[i] == sqrt(fmax(variance[0], 0)) && of_demos[i] == sqrt(variance[1]));
    }
    ok(rm2_meet_deviations(ctx, meet, RM2_MEET_CARRIED, NULL, of_demos));
    for (size_t i = 0; i < NODES; i++) {
        double trace[2][3] = {{0}};
        for (size_t a = 0; a < 6; a++) {
            trace[a / 3][0] += carried[i * 36 + 7 * a];
            trace[a / 3][1] += pose[i * 36 + 7 * a];
            trace[a / 3][2] += shown_by[i * 36 + 7 * a];
        }
        assert_true(fabs(trace[0][1] - scale * scale * trace[0][0]) < 1e-12);
        assert_true(fabs(trace[1][1] - 4 * trace[1][0]) < 1e-12); /* transport is orthogonal */
        for (size_t f = 0; f < 2; f++)
            assert_true(fabs(sqrt(trace[f][2]) - r->variability[i * 2 + f]) < 1e-12);
    }
    free(each);
    free(of_demos);
    free(carried);
    free(pose);
    free(shown_by);
    rm2_meet_free(meet);
    close_scene(&s);
}

/* ---- demonstrations of all kinds ------------------------------------------------------------ */

/* The motion back is the mirror image: as exact as the geodesic, whose tolerance is 1e-4 of the velocity. */
static void against_the_demonstrations(void **state) {
    scene s = open_scene(&toy, 20);
    rm2_meet *forth = meet_ends(&s, shown(&s, 0, 0), shown(&s, 1, POINTS - 1), NULL);
    rm2_meet *back = meet_ends(&s, shown(&s, 1, POINTS - 1), shown(&s, 0, 0), NULL);
    const rm2_meet_result *a = rm2_meet_result_of(forth), *b = rm2_meet_result_of(back);
    (void)state;
    assert_true(!a->reversed && b->reversed);
    for (size_t i = 0; i < NODES; i++)
        assert_true(distance_of(s.m, a->points + i * s.D, b->points + (NODES - 1 - i) * s.D) <
                    1e-3);
    assert_true(fabs(a->stretch - b->stretch) < 1e-3);
    rm2_meet_free(forth);
    rm2_meet_free(back);
    close_scene(&s);
}

/* From the middle of the motion: the part of the demonstrations before it plays no role. */
static void from_the_middle(void **state) {
    scene s = open_scene(&toy, 20);
    rm2_meet_request r = {.start = {.point = shown(&s, 0, POINTS / 2), .middle = true},
                          .goal = {.point = shown(&s, 0, POINTS - 1)}};
    rm2_meet *meet = meet_request(&s, &r, NULL);
    const rm2_meet_result *out = rm2_meet_result_of(meet);
    double most = 0;
    (void)state;
    for (size_t k = 0; k < toy.count; k++)
        for (size_t i = 0; i < NODES; i++)
            for (size_t a = 0; a < s.M; a++)
                most = fmax(most, fabs(meet->deviations.delta[(k * NODES + i) * s.M + a]));
    assert_true(most <
                0.5); /* demonstrations differ by 0.1, half of the motion is more than 1 long */
    assert_true(out->stretch < 1);
    rm2_meet_free(meet);
    close_scene(&s);
}

/* Mean distance of a motion from the one between the same ends that is made of clean demonstrations. */
static double pulled(const plan *p, bool robust) {
    plan clean = *p;
    clean.broken_start = clean.spike = clean.bump = false;
    scene s = open_scene(p, 20), good = open_scene(&clean, 20);
    rm2_meet_settings settings = rm2_meet_settings_default();
    settings.robust = robust;
    rm2_meet *a = meet_ends(&s, shown(&good, 0, 0), shown(&good, 0, POINTS - 1), &settings);
    rm2_meet *b = meet_ends(&good, shown(&good, 0, 0), shown(&good, 0, POINTS - 1), &settings);
    double sum = 0;
    for (size_t i = 0; i < NODES; i++)
        sum += distance_of(s.m, rm2_meet_result_of(a)->points + i * s.D,
                           rm2_meet_result_of(b)->points + i * s.D) /
               NODES;
    rm2_meet_free(a);
    rm2_meet_free(b);
    close_scene(&s);
    close_scene(&good);
    return sum;
}

/* How far the last demonstration moves the mean of the others, where it is farthest from them, in the second factor. */
static double pull_of_bump(const plan *p, bool robust) {
    scene s = open_scene(p, 20);
    rm2_meet_settings settings = rm2_meet_settings_default();
    settings.robust = robust;
    rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), shown(&s, 0, POINTS - 1), &settings);
    const rm2i_meet_deviations *d = &meet->deviations;
    double farthest = 0, pull = 0;
    for (size_t i = 0; i < d->n; i++) {
        double away = 0, moved = 0;
        for (size_t a = 2; a < 4; a++) {
            double mean = 0;
            for (size_t k = 0; k + 1 < d->D; k++)
                mean += d->delta[(k * d->n + i) * d->M + a] / (double)(d->D - 1);
            away = hypot(away, d->delta[((d->D - 1) * d->n + i) * d->M + a] - mean);
            moved = hypot(moved, d->mu[i * d->M + a] - mean);
        }
        if (away > farthest) {
            farthest = away;
            pull = moved;
        }
    }
    rm2_meet_free(meet);
    close_scene(&s);
    return pull;
}

static void broken_demonstrations(void **state) {
    plan p = toy;
    (void)state;
    p.bump = true;
    double with = pull_of_bump(&p, true), without = pull_of_bump(&p, false);
    print_message("bump: %g robust, %g otherwise\n", with, without);
    assert_true(with < 0.1 * without);
    p = toy;
    p.broken_start = true; /* a way to the motion that the others do not have */
    with = pulled(&p, true);
    print_message("broken start: %g\n", with);
    assert_true(with < 0.1); /* demonstrations differ by about that */
    p = toy;
    p.spike = true;
    with = pulled(&p, true);
    print_message("spike: %g\n", with);
    assert_true(with <
                0.05); /* the spike is 0.9 high, one of 30 points of one of 6 demonstrations */
    /* clean data: every demonstration counts whole, and the numbers are the same */
    scene s = open_scene(&toy, 20);
    rm2_meet_settings off = rm2_meet_settings_default();
    off.robust = false;
    rm2_meet *a = meet_ends(&s, shown(&s, 0, 0), shown(&s, 1, POINTS - 1), NULL);
    rm2_meet *b = meet_ends(&s, shown(&s, 0, 0), shown(&s, 1, POINTS - 1), &off);
    assert_memory_equal(rm2_meet_result_of(a)->points, rm2_meet_result_of(b)->points,
                        NODES * s.D * sizeof(double));
    rm2_meet_free(a);
    rm2_meet_free(b);
    close_scene(&s);
}

/* A demonstration that lacks its first third counts nowhere there, and whole in the last half. */
static void cut_demonstration(void **state) {
    plan p = toy;
    (void)state;
    p.cut = POINTS / 3;
    scene s = open_scene(&p, 20);
    const rm2_start_report *report = rm2_model_info_of(s.model)->start_report;
    assert_non_null(report);
    assert_true(report->demo[p.count - 1].begin > 0.15);
    rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), shown(&s, 0, POINTS - 1), NULL);
    const rm2i_meet_deviations *d = &meet->deviations;
    const double *part = d->part + (d->D - 1) * d->n * d->factors;
    assert_true(part[0] == 0 && part[2 * (NODES / 8)] == 0);
    for (size_t i = NODES * 6 / 10; i < NODES; i++)
        assert_true(part[2 * i] == 1);
    assert_true(d->part[0] == 1);
    for (size_t a = 0; a < d->M; a++) { /* the mean at the start is that of the others */
        double mean = 0;
        for (size_t k = 0; k + 1 < d->D; k++)
            mean += d->delta[k * d->n * d->M + a] / (double)(d->D - 1);
        assert_true(fabs(mean - d->mu[a]) < 1e-14);
    }
    rm2_meet_free(meet);
    close_scene(&s);
}

static void families(void **state) {
    plan p = toy;
    (void)state;
    p.families = 2;
    scene s = open_scene(&p, 20);
    for (size_t f = 0; f < 2; f++) { /* each by the demonstrations of its own family */
        rm2_meet *meet = meet_ends(&s, shown(&s, 3 * f, 0), shown(&s, 3 * f, POINTS - 1), NULL);
        assert_int_equal(rm2_meet_result_of(meet)->family, f);
        assert_int_equal(rm2_meet_result_of(meet)->demonstrations, 3);
        rm2_meet_free(meet);
    }
    const double *X = rm2_model_info_of(s.model)->latents; /* between them: nothing was shown */
    rm2_meet_request r = {
        .start = {.point = shown(&s, 0, 0), .latent = X},
        .goal = {.point = shown(&s, 3, POINTS - 1), .latent = X + (s.data->starts[4] - 1) * 2}};
    rm2_meet *meet = meet_request(&s, &r, NULL);
    assert_true(rm2_meet_result_of(meet)->family == SIZE_MAX);
    assert_int_equal(rm2_meet_result_of(meet)->demonstrations, 0);
    assert_true(rm2_meet_result_of(meet)->pose_errors[0] < 1e-9);
    rm2_meet_free(meet);
    close_scene(&s);
}

static void few_demonstrations(void **state) {
    (void)state;
    for (size_t count = 1; count <= 3; count++) {
        plan p = toy;
        p.count = count;
        scene s = open_scene(&p, 20);
        double *goal = aside(&s, shown(&s, 0, POINTS - 1), 0.2);
        rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), goal, NULL);
        const rm2_meet_result *r = rm2_meet_result_of(meet);
        assert_int_equal(r->demonstrations, count);
        assert_finite(NODES * s.D, r->points);
        assert_true(isfinite(r->stretch) && r->pose_errors[2] < 1e-9);
        rm2_meet_free(meet);
        free(goal);
        close_scene(&s);
    }
    /* points without trajectories: the route with a smooth blend */
    rm2_data *data = plan_data(&toy);
    double *y = numbers(data->count * 5);
    rm2_data_original(data, y);
    scene s = {.data = data_of("R2 x S2", data->count, y, false), .D = 5, .M = 4};
    rm2_fit_settings fit = robust_settings(10);
    fit.init = RM2_INIT_PCA;
    s.model = fit_model(s.data, &fit);
    s.m = s.data->manifold;
    rm2_space_settings space = rm2_space_settings_default();
    space.nodes = NODES;
    ok(rm2_space_create(ctx, s.model, &space, 0, NULL, &s.space));
    rm2_meet *meet = meet_ends(&s, y, y + 5 * (POINTS - 1), NULL);
    assert_int_equal(rm2_meet_result_of(meet)->demonstrations, 0);
    assert_true(rm2_meet_result_of(meet)->pose_errors[0] < 1e-9);
    rm2_meet_free(meet);
    free(y);
    rm2_data_free(data);
    close_scene(&s);
}

/* ---- reports -------------------------------------------------------------------------------- */

static void stretched(void **state) {
    scene s = open_scene(&toy, 20);
    double before = 0;
    (void)state;
    for (int k = 0; k < 4; k++) {
        double *goal = aside(&s, shown(&s, 0, POINTS - 1), 0.25 * k);
        rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), goal, NULL);
        const rm2_meet_result *r = rm2_meet_result_of(meet);
        assert_true(r->stretch > before);
        assert_true((r->stretch > 1) == (strstr(r->reason, "goal") != NULL));
        assert_true(r->outside || (r->stretch <= 2 && r->route_over_spread <= 1.5));
        assert_true(!(r->stretch > 2) || r->outside);
        before = r->stretch;
        rm2_meet_free(meet);
        free(goal);
    }
    assert_true(before > 2); /* the last one is far enough to see all cases */
    close_scene(&s);
}

/* ---- obstacles ------------------------------------------------------------------------------ */

/* Least distance of the corrected curve and of its polygon from a region, by samples: decoded points of the latent line plus the
 * correction in between. */
static double sampled(const scene *s, const rm2_meet_result *r, const rm2_region *region) {
    enum { STEPS = 20 };
    double least = INFINITY, x[2], y[5];
    for (size_t i = 0; i + 1 < r->nodes; i++)
        for (int k = 0; k <= STEPS; k++) {
            double t = (double)k / STEPS, line[2], curve[2];
            for (size_t q = 0; q < 2; q++)
                x[q] = (1 - t) * r->route->x[2 * i + q] + t * r->route->x[2 * i + 2 + q];
            ok(rm2_model_decode(ctx, s->model, 1, x, y, NULL, NULL, NULL));
            for (size_t q = 0; q < 2; q++) {
                double c[2] = {r->correction[i * s->M + q], r->correction[(i + 1) * s->M + q]};
                curve[q] = y[q] + s->data->scale[0] * ((1 - t) * c[0] + t * c[1]);
                line[q] = (1 - t) * r->points[i * s->D + q] + t * r->points[(i + 1) * s->D + q];
            }
            least = fmin(least, fmin(rm2_region_distance(region, curve, NULL),
                                     rm2_region_distance(region, line, NULL)));
        }
    return least;
}

static void obstacles(void **state) {
    scene s = open_scene(&toy, 20);
    size_t clear = 0, planned = 0;
    (void)state;
    for (int k = 0; k < 6; k++) {
        double *goal = aside(&s, shown(&s, 0, POINTS - 1), 0.06 * k);
        rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), goal, NULL);
        const double *middle = rm2_meet_result_of(meet)->points + NODES / 2 * s.D;
        const rm2_region balls[] = {
            {RM2_REGION_SPHERE, 2, {middle[0] + 0.01, middle[1] + 0.02}, {0}, 0.04},
            {RM2_REGION_BOX,
             2,
             {middle[0] - 0.03, middle[1]},
             {middle[0] + 0.03, middle[1] + 0.05},
             0},
            {RM2_REGION_CAPSULE, 2, {middle[0], middle[1]}, {middle[0], middle[1] + 9}, 0.02}};
        const rm2_obstacles o = {1, &balls[k % 3], RM2_ALL_FACTORS};
        scene around = s;
        rm2_meet_free(meet);
        ok(space_with_obstacles(ctx, s.space, &o, 0.02, k == 5 ? 0.2 : 0, &around.space));
        meet = meet_ends(&around, shown(&s, 0, 0), goal, NULL);
        const rm2_meet_result *r = rm2_meet_result_of(meet);
        assert_true(r->plans >= 1 && r->plans <= 5);
        assert_true(r->blocked == (r->clearance < 0.02));
        assert_true(!r->blocked || strstr(r->reason, "no way"));
        /* a proof is never more than what samples find, but for rounding */
        assert_true(sampled(&s, r, &balls[k % 3]) >= r->clearance - 1e-12);
        assert_true(r->pose_errors[0] < 1e-9 && r->pose_errors[2] < 1e-9);
        clear += !r->blocked;
        planned += r->plans;
        rm2_meet_free(meet);
        rm2_space_free(around.space);
        free(goal);
    }
    print_message("obstacles: %zu of 6 clear, %zu plans\n", clear, planned);
    assert_true(clear >= 4);
    close_scene(&s);
}

/* A wall across the way: five plans, blocked. */
static void blocked(void **state) {
    scene s = open_scene(&toy, 20);
    const double *a = shown(&s, 0, 0), *b = shown(&s, 0, POINTS - 1);
    const double middle[2] = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2},
                 way[2] = {b[0] - a[0], b[1] - a[1]};
    const rm2_region wall = {RM2_REGION_CAPSULE,
                             2,
                             {middle[0] - 9 * way[1], middle[1] + 9 * way[0]},
                             {middle[0] + 9 * way[1], middle[1] - 9 * way[0]},
                             0.05};
    const rm2_obstacles o = {1, &wall, RM2_ALL_FACTORS};
    rm2_space *free_space = s.space;
    (void)state;
    ok(space_with_obstacles(ctx, free_space, &o, 0, 0, &s.space));
    rm2_meet *meet = meet_ends(&s, a, b, NULL);
    const rm2_meet_result *r = rm2_meet_result_of(meet);
    assert_true(r->blocked && r->clearance < 0);
    assert_int_equal(r->plans, 5);
    assert_non_null(strstr(r->reason, "no way around"));
    rm2_meet_free(meet);
    rm2_space_free(free_space);
    close_scene(&s);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void refuse(const scene *s, const rm2_meet_request *r, rm2_status status,
                   const char *words) {
    rm2_meet *meet = (rm2_meet *)s->model;
    rm2_status got = rm2_meet_create(ctx, s->space, NULL, r, NULL, &meet);
    if (got != status || !strstr(rm2_context_error(ctx), words))
        fail_msg("status %d, %s; expected %d, %s", (int)got, rm2_context_error(ctx), (int)status,
                 words);
    assert_null(meet);
}

static void refusals(void **state) {
    scene s = open_scene(&toy, 20);
    const double *a = shown(&s, 0, 0), *b = shown(&s, 0, POINTS - 1), *c = shown(&s, 0, POINTS / 2);
    double half[5], none[5] = {NAN, NAN, NAN, NAN, NAN}, off[5], far[5], infinite[5];
    rm2_meet_pose via[2] = {{.point = c}, {.point = c}};
    const rm2_meet_pose start = {.point = a}, goal = {.point = b};
    (void)state;
    memcpy(half, a, sizeof half);
    memcpy(off, a, sizeof off);
    memcpy(far, b, sizeof far);
    memcpy(infinite, a, sizeof infinite);
    half[3] = NAN;
    off[4] += 0.5;
    infinite[0] = INFINITY;
    for (int k = 2; k < 5; k++)
        far[k] = -b[k];
    refuse(&s, &(rm2_meet_request){{0}, goal, 0, NULL, 0, NULL}, RM2_ERR_ARGUMENT,
           "start: point and latent are both NULL");
    refuse(&s, &(rm2_meet_request){start, goal, 2, NULL, 0, NULL}, RM2_ERR_ARGUMENT,
           "request.via is NULL");
    refuse(&s, &(rm2_meet_request){{.point = half}, goal, 0, NULL, 0, NULL}, RM2_ERR_DATA,
           "start: factor 2 has 2 of 3 entries");
    refuse(&s, &(rm2_meet_request){start, {.point = none}, 0, NULL, 0, NULL}, RM2_ERR_DATA,
           "goal: all factors are NaN");
    refuse(&s, &(rm2_meet_request){{.point = infinite}, goal, 0, NULL, 0, NULL}, RM2_ERR_DATA,
           "not finite");
    refuse(&s, &(rm2_meet_request){{.point = off}, goal, 0, NULL, 0, NULL}, RM2_ERR_DOMAIN,
           "start");
    refuse(&s, &(rm2_meet_request){start, {.point = far}, 0, NULL, 0, NULL}, RM2_ERR_CUT_LOCUS,
           "goal");
    refuse(&s, &(rm2_meet_request){start, goal, 2, via, 0, NULL}, RM2_ERR_DATA, "same node");
    via[0].point = a;
    refuse(&s, &(rm2_meet_request){start, goal, 1, via, 0, NULL}, RM2_ERR_DATA,
           "nearest to the start");
    via[0].point = b;
    refuse(&s, &(rm2_meet_request){start, goal, 1, via, 0, NULL}, RM2_ERR_DATA,
           "nearest to the goal");
    via[0] = (rm2_meet_pose){.point = c, .timed = true, .time = 1};
    refuse(&s, &(rm2_meet_request){start, goal, 1, via, 0, NULL}, RM2_ERR_ARGUMENT,
           "time 1 is not between");
    via[0].time = 0.7;
    via[1] = (rm2_meet_pose){.point = c, .timed = true, .time = 0.3};
    refuse(&s, &(rm2_meet_request){start, goal, 2, via, 0, NULL}, RM2_ERR_DATA, "in this order");
    via[0] = (rm2_meet_pose){.point = c, .latent = c};
    refuse(&s, &(rm2_meet_request){start, goal, 1, via, 0, NULL}, RM2_ERR_ARGUMENT,
           "exclude each other");
    refuse(&s, &(rm2_meet_request){{.point = a, .velocity = half}, goal, 0, NULL, 0, NULL},
           RM2_ERR_DATA, "velocity of start");
    memcpy(half, a, sizeof half);
    half[0] = half[1] = NAN;
    refuse(&s, &(rm2_meet_request){{.point = half, .velocity = a}, goal, 0, NULL, 0, NULL},
           RM2_ERR_DATA, "a velocity but no point");
    const double *X = rm2_model_info_of(s.model)->latents;
    refuse(&s, &(rm2_meet_request){{.latent = X}, {.latent = X}, 0, NULL, 0, NULL}, RM2_ERR_DATA,
           "both are the same point");
    /* a pose inside of an obstacle */
    const rm2_region ball = {RM2_REGION_SPHERE, 2, {b[0], b[1]}, {0}, 0.01};
    const rm2_obstacles o = {1, &ball, RM2_ALL_FACTORS};
    rm2_space *free_space = s.space;
    ok(space_with_obstacles(ctx, free_space, &o, 0, 0, &s.space));
    refuse(&s, &(rm2_meet_request){start, goal, 0, NULL, 0, NULL}, RM2_ERR_DATA,
           "goal is -0.01 from obstacle 1");
    rm2_space_free(s.space);
    /* too few nodes */
    rm2_space_settings g = *rm2_space_settings_of(free_space);
    g.nodes = 19;
    ok(rm2_space_with_settings(ctx, free_space, &g, &s.space));
    refuse(&s, &(rm2_meet_request){start, goal, 0, NULL, 0, NULL}, RM2_ERR_ARGUMENT,
           "settings.nodes of the space is 19");
    rm2_space_free(free_space);
    close_scene(&s);
}

static void unsupported(void **state) {
    rm2_metric *flat;
    rm2_space *space;
    rm2_meet *meet;
    const double x[] = {0, 0}, y[] = {1, 1};
    rm2_meet_request r = {.start = {.latent = x}, .goal = {.latent = y}};
    (void)state;
    rm2_space_settings line = rm2_space_settings_default();
    line.roadmap = RM2_SPACE_LINE;
    line.grid_points = 0;
    ok(rm2_metric_analytic(ctx, "euclidean", 2, &flat));
    ok(rm2_space_from_metric(ctx, flat, &line, 0, NULL, &space));
    assert_int_equal(rm2_meet_create(ctx, space, NULL, &r, NULL, &meet), RM2_ERR_UNSUPPORTED);
    rm2_space_free(space);
    rm2_metric_free(flat);
    rm2_data *data = plan_data(&toy);
    rm2_fit_settings fit = robust_settings(5);
    fit.model = RM2_GPLVM;
    rm2_model *model = fit_model(data, &fit);
    ok(rm2_space_create(ctx, model, NULL, 0, NULL, &space));
    assert_int_equal(rm2_meet_create(ctx, space, NULL, &r, NULL, &meet), RM2_ERR_UNSUPPORTED);
    assert_non_null(strstr(rm2_context_error(ctx), "not a Euclidean one"));
    rm2_space_free(space);
    rm2_model_free(model);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_met),
        cmocka_unit_test(free_factors),
        cmocka_unit_test(times_and_latents),
        cmocka_unit_test(conditioned_by_definition),
        cmocka_unit_test(deviations_by_definition),
        cmocka_unit_test(alignment),
        cmocka_unit_test(velocities),
        cmocka_unit_test(samples),
        cmocka_unit_test(covariance_units),
        cmocka_unit_test(against_the_demonstrations),
        cmocka_unit_test(from_the_middle),
        cmocka_unit_test(broken_demonstrations),
        cmocka_unit_test(cut_demonstration),
        cmocka_unit_test(families),
        cmocka_unit_test(few_demonstrations),
        cmocka_unit_test(stretched),
        cmocka_unit_test(obstacles),
        cmocka_unit_test(blocked),
        cmocka_unit_test(refusals),
        cmocka_unit_test(unsupported),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
