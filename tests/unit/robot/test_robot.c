/* Arms and their kinematics: poses against products of homogeneous matrices written out here and
 * against known poses, Jacobians and ellipsoids against finite differences and their Taylor slopes,
 * arms from files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/base.h"
#include "io_fixture.h"
#include "near.h"
#include "robot/robot.h"

enum { MOST = 8, TRIALS = 40 };

static const double pi = 3.14159265358979323846;

static int set_up(void **state) {
    return fixture_set_up(state, "arm.csv");
}

static rm2_arm *open_arm(fixture *f, const char *spec) {
    rm2_arm *arm = NULL;
    if (rm2_arm_read(f->ctx, spec, &arm) != RM2_OK)
        fail_msg("%s: %s", spec, rm2_context_error(f->ctx));
    return arm;
}

/* Arms of all kinds: built in, with angle offsets and twists, fixed links between joints. */
static rm2_arm *make_arm(fixture *f, size_t kind) {
    static const char *const specs[] = {"panda", "planar:1,1,1,1", "planar:0.7,0.4"};
    if (kind < 3)
        return open_arm(f, specs[kind]);
    rm2_link links[7];
    rm2_arm *arm = NULL;
    for (size_t i = 0; i < 7; i++)
        links[i] = (rm2_link){.a = 0.1 * (double)i - 0.2,
                              .d = 0.3 - 0.1 * (double)i,
                              .alpha = 0.4 * (double)i - 1,
                              .theta = 0.3 * (double)i,
                              .lower = i == 3 ? 0.25 : -2,
                              .upper = i == 3 ? 0.25 : 2,
                              .speed = 1};
    assert_int_equal(rm2_arm_create(f->ctx, "own", links, 7, &arm), RM2_OK);
    assert_int_equal(rm2_arm_joints(arm), 6);
    return arm;
}
enum { KINDS = 4 };

static void random_angles(fixture *f, size_t joints, double *q) {
    for (size_t k = 0; k < joints; k++)
        q[k] = 6 * rm2_rng_uniform(rm2_context_rng(f->ctx)) - 3;
}

/* ---- poses ---------------------------------------------------------------------------------- */

typedef struct matrix {
    double m[4][4];
} matrix;

static matrix product(matrix a, matrix b) {
    matrix c;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            c.m[i][j] = 0;
            for (int k = 0; k < 4; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
        }
    return c;
}

static matrix rotation_x(double t) {
    return (matrix){{{1, 0, 0, 0}, {0, cos(t), -sin(t), 0}, {0, sin(t), cos(t), 0}, {0, 0, 0, 1}}};
}

static matrix rotation_z(double t) {
    return (matrix){{{cos(t), -sin(t), 0, 0}, {sin(t), cos(t), 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static matrix shift(double x, double z) {
    return (matrix){{{1, 0, 0, x}, {0, 1, 0, 0}, {0, 0, 1, z}, {0, 0, 0, 1}}};
}

/* Rx(alpha) Dx(a) Rz(theta) Dz(d), multiplied out link by link; origins on the way. */
static matrix forward(const rm2_arm *arm, const double *q, double (*origins)[3]) {
    matrix T = shift(0, 0);
    size_t joint = 0;
    for (size_t i = 0; i < rm2_arm_links(arm); i++) {
        const rm2_link *l = rm2i_arm_link(arm, i);
        double angle = l->theta + (l->lower < l->upper ? q[joint++] : l->lower);
        T = product(T, product(product(rotation_x(l->alpha), shift(l->a, 0)),
                               product(rotation_z(angle), shift(0, l->d))));
        for (int k = 0; k < 3; k++)
            origins[i + 1][k] = T.m[k][3];
    }
    return T;
}

/* Rotation matrix of a unit quaternion. */
static void rotation_of(const double q[4], double R[3][3]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double entries[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, entries, sizeof entries);
}

/* 8 products of rotations: errors of some roundings, 1e-14 with room. */
static void poses_are_products_of_matrices(void **state) {
    fixture *f = *state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        rm2_arm *arm = make_arm(f, kind);
        for (int trial = 0; trial < TRIALS; trial++) {
            double q[MOST], pose[7], R[3][3], points[MOST + 1][3], origins[MOST + 1][3] = {{0}};
            random_angles(f, rm2_arm_joints(arm), q);
            assert_int_equal(rm2_arm_pose(f->ctx, arm, 1, q, pose), RM2_OK);
            assert_int_equal(rm2_arm_skeleton(f->ctx, arm, 1, q, points[0]), RM2_OK);
            matrix T = forward(arm, q, origins);
            rotation_of(pose + 3, R);
            for (int i = 0; i < 3; i++) {
                assert_near(pose[i], T.m[i][3], 1e-14);
                for (int j = 0; j < 3; j++)
                    assert_near(R[i][j], T.m[i][j], 1e-14);
                for (size_t k = 0; k <= rm2_arm_links(arm); k++)
                    assert_near(points[k][i], origins[k][i], 1e-14);
            }
        }
        rm2_arm_free(arm);
    }
}

/* q = 0: the arm upright, its flange 88 mm in front and looking down. The ready posture of the
 * manufacturer's examples, from the side: the upper arm leans back by 45 degrees, the forearm is
 * horizontal, the flange looks down. */
static void the_panda_is_where_it_is_known_to_be(void **state) {
    fixture *f = *state;
    rm2_arm *arm = open_arm(f, "panda");
    const double q[2][7] = {{0}, {0, -pi / 4, 0, -3 * pi / 4, 0, pi / 2, pi / 4}};
    double poses[2][7], R[3][3];
    assert_int_equal(rm2_arm_joints(arm), 7);
    assert_int_equal(rm2_arm_links(arm), 8);
    assert_int_equal(rm2_arm_pose(f->ctx, arm, 2, q[0], poses[0]), RM2_OK);
    assert_near(poses[0][0], 0.088, 1e-15);
    assert_near(poses[0][1], 0, 1e-15);
    assert_near(poses[0][2], 0.333 + 0.316 + 0.384 - 0.107, 1e-15);
    assert_near(fabs(poses[0][4]), 1, 1e-15); /* half a turn about x */
    rotation_of(poses[1] + 3, R);
    double lean = sqrt(0.5); /* sine and cosine of 45 degrees */
    assert_near(poses[1][0], -0.316 * lean + 0.0825 * lean + 0.384 + 0.088, 1e-15);
    assert_near(poses[1][1], 0, 1e-15);
    assert_near(poses[1][2], 0.333 + 0.316 * lean + 0.0825 * lean + 0.0825 - 0.107, 1e-15);
    assert_near(R[2][2], -1, 1e-14);
    assert_near(rm2_arm_joint(arm, 3)->upper, -0.0698, 0);
    assert_near(rm2_arm_joint(arm, 5)->lower, -0.0175, 0);
    assert_near(rm2_arm_joint(arm, 4)->speed, 2.61, 0);
    rm2_arm_free(arm);
}

static void a_planar_arm_is_a_sum_of_links(void **state) {
    fixture *f = *state;
    rm2_arm *arm = open_arm(f, "planar:0.7,0.4");
    double q[2] = {0.3, -1.1}, pose[7], J[6][2];
    assert_int_equal(rm2_arm_pose(f->ctx, arm, 1, q, pose), RM2_OK);
    assert_near(pose[0], 0.7 * cos(0.3) + 0.4 * cos(-0.8), 1e-15);
    assert_near(pose[1], 0.7 * sin(0.3) + 0.4 * sin(-0.8), 1e-15);
    assert_near(pose[2], 0, 0);
    assert_near(pose[3], cos(-0.4), 1e-15);
    assert_near(pose[6], sin(-0.4), 1e-15);
    assert_near(rm2_arm_reach(arm), 1.1, 1e-15);
    assert_int_equal(rm2_arm_jacobian(f->ctx, arm, 1, q, J[0]), RM2_OK);
    assert_near(J[0][0], -pose[1], 1e-15);
    assert_near(J[1][0], pose[0], 1e-15);
    assert_near(J[0][1], -0.4 * sin(-0.8), 1e-15);
    assert_near(J[1][1], 0.4 * cos(-0.8), 1e-15);
    assert_near(J[5][0], 1, 1e-15);
    rm2_arm_free(arm);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Pose at q + h v against first order: position, and the rotation vector between the two, 6 numbers
 * minus h J v. */
static double jacobian_error(fixture *f, const rm2_arm *arm, const double *q, const double *v,
                             double h) {
    size_t joints = rm2_arm_joints(arm);
    double moved[MOST], a[7], b[7], J[6 * MOST], worst = 0;
    for (size_t k = 0; k < joints; k++)
        moved[k] = q[k] + h * v[k];
    assert_int_equal(rm2_arm_pose(f->ctx, arm, 1, q, a), RM2_OK);
    assert_int_equal(rm2_arm_pose(f->ctx, arm, 1, moved, b), RM2_OK);
    assert_int_equal(rm2_arm_jacobian(f->ctx, arm, 1, q, J), RM2_OK);
    /* vector part of b a^-1, times 2: the rotation vector up to third order in h */
    double sign = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -2 : 2;
    const double turn[3] = {sign * (-b[3] * a[4] + b[4] * a[3] - b[5] * a[6] + b[6] * a[5]),
                            sign * (-b[3] * a[5] + b[4] * a[6] + b[5] * a[3] - b[6] * a[4]),
                            sign * (-b[3] * a[6] - b[4] * a[5] + b[5] * a[4] + b[6] * a[3])};
    for (size_t i = 0; i < 6; i++) {
        double first = 0, change = i < 3 ? b[i] - a[i] : turn[i - 3];
        for (size_t k = 0; k < joints; k++)
            first += h * J[i * joints + k] * v[k];
        worst = fmax(worst, fabs(change - first));
    }
    return worst;
}

/* The remainder of first order falls with h^2: a factor 100 for a tenth of the step, within 20 %
 * because of the next order. Central differences in h would hide a wrong second order only. */
static void jacobians_have_taylor_slope_two(void **state) {
    fixture *f = *state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        rm2_arm *arm = make_arm(f, kind);
        for (int trial = 0; trial < TRIALS; trial++) {
            double q[MOST], v[MOST];
            random_angles(f, rm2_arm_joints(arm), q);
            random_angles(f, rm2_arm_joints(arm), v);
            double large = jacobian_error(f, arm, q, v, 1e-3);
            double small = jacobian_error(f, arm, q, v, 1e-4);
            double slope = log10(large / small);
            if (!(large < 1e-3) || !(slope > 1.9 && slope < 2.1))
                fail_msg("arm %zu: errors %g, %g, slope %g", kind, large, small, slope);
        }
        rm2_arm_free(arm);
    }
}

/* Central differences with step 1e-5: truncation 1e-10, rounding 1e-16/1e-5 = 1e-11, times entries
 * of some units. */
static void ellipsoid_derivatives_match_differences(void **state) {
    fixture *f = *state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        rm2_arm *arm = make_arm(f, kind);
        size_t joints = rm2_arm_joints(arm);
        for (size_t dim = 2; dim <= 3; dim++)
            for (int trial = 0; trial < TRIALS; trial++) {
                double q[MOST], dM[MOST * 9], up[9], down[9], J[6 * MOST], M[9];
                random_angles(f, joints, q);
                assert_int_equal(rm2_arm_manipulability_derivative(f->ctx, arm, dim, 1, q, dM),
                                 RM2_OK);
                assert_int_equal(rm2_arm_jacobian(f->ctx, arm, 1, q, J), RM2_OK);
                assert_int_equal(rm2_arm_manipulability(f->ctx, arm, dim, 1, q, M), RM2_OK);
                for (size_t e = 0; e < dim * dim; e++) { /* M = J J^T by its definition */
                    double sum = 0;
                    for (size_t k = 0; k < joints; k++)
                        sum += J[e / dim * joints + k] * J[e % dim * joints + k];
                    assert_near(M[e], sum, 1e-13);
                }
                for (size_t j = 0; j < joints; j++) {
                    const double h = 1e-5, kept = q[j];
                    q[j] = kept + h;
                    assert_int_equal(rm2_arm_manipulability(f->ctx, arm, dim, 1, q, up), RM2_OK);
                    q[j] = kept - h;
                    assert_int_equal(rm2_arm_manipulability(f->ctx, arm, dim, 1, q, down), RM2_OK);
                    q[j] = kept;
                    for (size_t e = 0; e < dim * dim; e++)
                        assert_near(dM[j * dim * dim + e], (up[e] - down[e]) / (2 * h), 1e-8);
                }
            }
        rm2_arm_free(arm);
    }
}

/* dc = -C dq to first order only where c = 0, but the derivative of |c|^2/2 is -C^T c everywhere. */
static void ellipsoid_residuals_have_the_right_gradient(void **state) {
    fixture *f = *state;
    rm2_arm *arm = open_arm(f, "planar:1,1,1,1");
    const rm2_arm_task task = {.dim = 2, .ellipsoid = true};
    double target[6] = {0, 0, 3, -1, -1, 2}, work[256];
    assert_true(rm2_spd.work_size(2) <= 256);
    for (int trial = 0; trial < TRIALS; trial++) {
        double q[4], c[3], C[3 * 4];
        rm2i_posture p;
        random_angles(f, 4, q);
        rm2i_arm_posture(arm, q, &p, NULL);
        assert_int_equal(
            rm2i_ellipsoid_residual(&(rm2i_ellipsoid_query){&task, target, 4, 0, &p}, c, C, work),
            RM2_OK);
        for (size_t j = 0; j < 4; j++) {
            const double h = 1e-5, kept = q[j];
            double half[2], gradient = 0, other[3];
            for (int side = 0; side < 2; side++) {
                q[j] = kept + (side ? -h : h);
                rm2i_arm_posture(arm, q, &p, NULL);
                assert_int_equal(
                    rm2i_ellipsoid_residual(&(rm2i_ellipsoid_query){&task, target, 4, 0, &p}, other,
                                            NULL, work),
                    RM2_OK);
                half[side] = (other[0] * other[0] + other[1] * other[1] + other[2] * other[2]) / 2;
            }
            q[j] = kept;
            for (size_t i = 0; i < 3; i++)
                gradient -= C[i * 4 + j] * c[i];
            /* third derivatives times h^2 = 1e-10, large near stretched arms */
            double difference = (half[0] - half[1]) / (2 * h);
            assert_near(gradient, difference, 1e-6 * (1 + fabs(difference)));
        }
    }
    rm2_arm_free(arm);
}

/* ---- arms from tables and files ------------------------------------------------------------- */

static void write_text(const fixture *f, const char *text) {
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void files_describe_arms(void **state) {
    fixture *f = *state;
    write_text(f, "# flange last\n"
                  "speed,upper,lower,a,d,alpha,theta\n"
                  "2,1.5,-1.5,0,0.4,0,0.25\n"
                  ",,,0.3,0,-1.5707963267948966,0\n"
                  "1,0.5,0.5,0,0.1,0,0\n");
    rm2_arm *arm = open_arm(f, f->path);
    assert_int_equal(rm2_arm_links(arm), 3);
    assert_int_equal(rm2_arm_joints(arm), 2);
    assert_string_equal(rm2_arm_name(arm), f->path);
    const rm2_link *first = rm2i_arm_link(arm, 0), *second = rm2_arm_joint(arm, 1);
    assert_near(first->theta, 0.25, 0);
    assert_near(first->upper, 1.5, 0);
    assert_near(first->speed, 2, 0);
    assert_near(second->a, 0.3, 0);
    assert_true(isinf(second->lower) && second->lower < 0 && isinf(second->upper));
    assert_true(isinf(second->speed));
    rm2_arm_free(arm);
    write_text(f, "0,0.4,0,0.25,-1.5,1.5,2\n0.3,0,0,0,,,\n"); /* no header: the usual order */
    arm = open_arm(f, f->path);
    assert_near(rm2i_arm_link(arm, 0)->d, 0.4, 0);
    assert_int_equal(rm2_arm_joints(arm), 2);
    rm2_arm_free(arm);
}

static void refuses(fixture *f, const char *spec, rm2_status status, const char *part) {
    rm2_arm *arm = (rm2_arm *)f;
    assert_int_equal(rm2_arm_read(f->ctx, spec, &arm), status);
    assert_null(arm);
    if (!strstr(rm2_context_error(f->ctx), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rm2_context_error(f->ctx));
}

static void refuses_file(fixture *f, const char *text, const char *part) {
    write_text(f, text);
    refuses(f, f->path, RM2_ERR_DATA, part);
}

static void bad_arms_are_refused(void **state) {
    fixture *f = *state;
    const char *header = "a,d,alpha,theta,lower,upper,speed\n";
    char text[512];
    static const struct {
        const char *row, *part;
    } cases[] = {
        {",0,0,0,,,\n", "line 2, column a: a number is missing"},
        {"1,0,0,,,,\n", "line 2, column theta: a number is missing"},
        {"1,0,90,0,,,\n", "line 2: alpha and theta are angles in radians"},
        {"1,0,0,0,2,1,1\n", "line 2: the lower limit is above the upper one"},
        {"1,0,0,0,,,0\n", "line 2: the largest speed must be positive"},
        {"1,0,0,0,0,0,\n", "no joint that moves"},
        {"0,0,0,0,,,\n", "links of 0 in all"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        (void)snprintf(text, sizeof text, "%s%s", header, cases[k].row);
        refuses_file(f, text, cases[k].part);
    }
    refuses_file(f, "a,d,alpha,theta,lower,upper,type\n1,0,0,0,,,1\n", "no column speed");
    refuses_file(f, "a,d,alpha\n1,0,0\n", "3 columns");
    refuses_file(f, "a,d,alpha,theta,lower,upper,speed,type\n1,0,0,0,,,,1\n", "revolute");
    refuses(f, "planar:1e60", RM2_ERR_ARGUMENT, "links of 1e+60 in all");
    refuses(f, "planar:", RM2_ERR_ARGUMENT, "expected lengths");
    refuses(f, "planar:1,-1", RM2_ERR_ARGUMENT, "expected lengths");
    refuses(f, "planar:1,x", RM2_ERR_ARGUMENT, "expected lengths");
    refuses(f, "planar:1,", RM2_ERR_ARGUMENT, "expected lengths");
    refuses(f, "panada", RM2_ERR_ARGUMENT, "unknown arm \"panada\" (did you mean panda?)");
    refuses(f, "planer:1,1", RM2_ERR_ARGUMENT, "(did you mean planar:1,1,0.5?)");
    refuses(f, "ur5", RM2_ERR_ARGUMENT,
            "unknown arm \"ur5\"; known: panda, planar:L1,L2,..., URDF");
    refuses(f, "no/such.csv", RM2_ERR_IO, "no/such.csv");
    rm2_link link = {.a = 1, .lower = NAN, .upper = 1, .speed = 1};
    rm2_arm *arm;
    assert_int_equal(rm2_arm_create(f->ctx, "x", &link, 1, &arm), RM2_ERR_ARGUMENT);
    assert_null(arm);
    assert_int_equal(rm2_arm_create(f->ctx, "x", &link, 0, &arm), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_arm_create(f->ctx, "x", &link, RM2_ARM_MAX_LINKS + 1, &arm),
                     RM2_ERR_ARGUMENT);
}

static void long_arms_have_a_limit(void **state) {
    fixture *f = *state;
    char spec[512] = "planar:1";
    for (int i = 1; i < RM2_ARM_MAX_LINKS - 1; i++)
        (void)strcat(spec, ",1");
    rm2_arm *arm = open_arm(f, spec);
    assert_int_equal(rm2_arm_joints(arm), RM2_ARM_MAX_LINKS - 1);
    double q[RM2_ARM_MAX_LINKS] = {0}, pose[7];
    assert_int_equal(rm2_arm_pose(f->ctx, arm, 1, q, pose), RM2_OK);
    assert_near(pose[0], RM2_ARM_MAX_LINKS - 1, 1e-12);
    rm2_arm_free(arm);
    (void)strcat(spec, ",1");
    refuses(f, spec, RM2_ERR_ARGUMENT, "at most 63 links");
}

static void bad_angles_are_refused(void **state) {
    fixture *f = *state;
    rm2_arm *arm = open_arm(f, "planar:1,1");
    double q[4] = {0, 0, 0, NAN}, out[64];
    assert_int_equal(rm2_arm_pose(f->ctx, arm, 2, q, out), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "configuration 1: the value of joint 2"));
    assert_int_equal(rm2_arm_skeleton(f->ctx, arm, 2, q, out), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_arm_jacobian(f->ctx, arm, 2, q, out), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_arm_manipulability(f->ctx, arm, 2, 2, q, out), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_arm_manipulability_derivative(f->ctx, arm, 2, 2, q, out),
                     RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_arm_manipulability(f->ctx, arm, 4, 1, q, out), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_arm_manipulability_derivative(f->ctx, arm, 1, 1, q, out),
                     RM2_ERR_ARGUMENT);
    rm2_arm_free(arm);
}

static void manifolds_describe_tasks(void **state) {
    fixture *f = *state;
    static const struct {
        const char *spec;
        size_t dim;
        bool orientation, ellipsoid;
    } cases[] = {{"R2", 2, false, false},          {"R3", 3, false, false},
                 {"R3 x S3", 3, true, false},      {"SE3", 3, true, false},
                 {"R2 x SPD2", 2, false, true},    {"R3 x SPD3", 3, false, true},
                 {"R3 x S3 x SPD3", 3, true, true}};
    static const char *const refused[] = {
        "R1",      "R4",           "S3",      "R2 x S3", "R2 x SPD3",     "R3 x S2",
        "S3 x R3", "R3 x S3 x S3", "R2 x S1", "SPD2",    "R2 x SPD2 x R1"};
    rm2_manifold *m;
    rm2_arm_task task;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(rm2_manifold_create(f->ctx, cases[k].spec, &m), RM2_OK);
        assert_int_equal(rm2_arm_task_from_manifold(f->ctx, m, &task), RM2_OK);
        assert_int_equal(task.dim, cases[k].dim);
        assert_int_equal(task.orientation, cases[k].orientation);
        assert_int_equal(task.ellipsoid, cases[k].ellipsoid);
        assert_int_equal(rm2_arm_task_width(&task), rm2_manifold_ambient(m));
        rm2_manifold_free(m);
    }
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        assert_int_equal(rm2_manifold_create(f->ctx, refused[k], &m), RM2_OK);
        assert_int_equal(rm2_arm_task_from_manifold(f->ctx, m, &task), RM2_ERR_UNSUPPORTED);
        rm2_manifold_free(m);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(poses_are_products_of_matrices),
        CASE(the_panda_is_where_it_is_known_to_be),
        CASE(a_planar_arm_is_a_sum_of_links),
        CASE(jacobians_have_taylor_slope_two),
        CASE(ellipsoid_derivatives_match_differences),
        CASE(ellipsoid_residuals_have_the_right_gradient),
        CASE(files_describe_arms),
        CASE(bad_arms_are_refused),
        CASE(long_arms_have_a_limit),
        CASE(bad_angles_are_refused),
        CASE(manifolds_describe_tasks),
    };
    return cmocka_run_group_tests_name("robot", tests, NULL, NULL);
}
