/* Encoding by a back constraint: the formula with the kernel of the manifold, and its uncertainty,
 * also where the density is not concave. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/dense.h"
#include "model/model.h"
#include "model_density.h"
#include "model_fixture.h"
#include "riemann2/kernel.h"

/* Where the Hessian is not positive definite, as it may be off the optimum: the inverse of J^T S^-1
 * J and the broad Gaussian, J by central differences, S from the moments (Kronecker noise). Returns
 * whether this was such a point; nothing is checked close to the limit. Q = 2. */
static bool check_indefinite(const rm2_model *model, const double *x, const double *v,
                             const double *cov) {
    rm2_model_info i = *rm2_model_info_of(model);
    size_t M = i.outputs, Q = 2;
    double H[MOST_Q][MOST_Q], S[MOST_M * MOST_M], L[MOST_M * MOST_M], J[2][MOST_M];
    find_hessian(model, x, v, H);
    double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    double size = fmax(fabs(H[0][0]), fabs(H[1][1]));
    if (H[0][0] > 0 && H[1][1] > 0 && det > -0.05 * size * size)
        return false;
    assert_int_equal(rm2_model_decode(ctx, model, 1, x, NULL, J[0], S, NULL), RM2_OK);
    for (size_t k = 0; k < M * M; k++)
        S[k] += i.noise * predicted_covariance(model, k / M, k % M);
    assert_int_equal(rm2i_cholesky(M, S, L), RM2_OK);
    for (size_t q = 0; q < Q; q++) { /* L^-1 J_q */
        double up[MOST_M], down[MOST_M], moved[2] = {x[0], x[1]}, h = 1e-5;
        moved[q] = x[q] + h;
        assert_int_equal(rm2_model_decode(ctx, model, 1, moved, NULL, up, NULL, NULL), RM2_OK);
        moved[q] = x[q] - h;
        assert_int_equal(rm2_model_decode(ctx, model, 1, moved, NULL, down, NULL, NULL), RM2_OK);
        for (size_t a = 0; a < M; a++) {
            J[q][a] = (up[a] - down[a]) / (2 * h);
            for (size_t b = 0; b < a; b++)
                J[q][a] -= L[a * M + b] * J[q][b];
            J[q][a] /= L[a * M + a];
        }
    }
    for (size_t q = 0; q < Q; q++)
        for (size_t r = 0; r < Q; r++) {
            double at[2] = {x[0], x[1]}, up, down;
            H[q][r] = 0;
            for (size_t a = 0; a < M; a++)
                H[q][r] += J[q][a] * J[r][a];
            at[q] = x[q] + 1;
            up = log_broad_at(model, at);
            at[q] = x[q] - 1;
            down = log_broad_at(model, at);
            if (q == r) /* a parabola: its second difference is exact */
                H[q][r] -= up + down - 2 * log_broad_at(model, x);
        }
    assert_inverse(Q, H, cov);
    return true;
}

/* x = sum_j w_j k(y, y_j), with the kernel of the manifold (of R^5 for a Euclidean model). */
static void test_back_constraint(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 3, 20), *fresh = example_data("toy", 4, 20);
    for (int kind = 0; kind < 2; kind++) {
        rm2_fit_settings s = robust_settings(15);
        s.back_constraint = true;
        s.model = kind ? RM2_GPLVM : RM2_WGPLVM;
        rm2_model *model = fit_model(data, &s);
        rm2_model_info i = *rm2_model_info_of(model);
        assert_true(i.settings->back_constraint);
        double x[60 * 2], K[20 * 60], cov[20 * 4];
        size_t indefinite = 0;
        rm2_encoded info[20] = {{.size = sizeof *info}};
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 60, data->points, x, NULL, NULL),
                         RM2_OK);
        for (size_t k = 0; k < 120; k++) /* sums of 60 terms with weights up to 1e3 */
            assert_true(fabs(x[k] - i.latents[k]) <= 1e-9);
        rm2_manifold *space;
        rm2_manifold_kernel *kernel;
        const double *y = fresh->points + 60 * 5;
        assert_int_equal(rm2_manifold_create(ctx, kind ? "R5" : "R2 x S2", &space), RM2_OK);
        assert_int_equal(
            rm2_manifold_kernel_create(ctx, space, model->back_kernels, kind ? 1 : 2, &kernel),
            RM2_OK);
        assert_int_equal(rm2_manifold_kernel_matrix(ctx, kernel, 20, y, 60, data->points, K),
                         RM2_OK);
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 20, y, x, cov, info), RM2_OK);
        for (size_t n = 0; n < 20; n++) {
            for (size_t q = 0; q < 2; q++) {
                double sum = 0;
                for (size_t j = 0; j < 60; j++)
                    sum += K[n * 60 + j] * model->back_weights[j * 2 + q];
                assert_true(fabs(sum - x[n * 2 + q]) <= 1e-9);
            }
            double v[MOST_M];
            assert_true(isfinite(info[n].log_density) && info[n].converged);
            assert_positive_definite(2, cov + n * 4);
            outputs_of(model, y + n * 5, v);
            indefinite += check_indefinite(model, x + n * 2, v, cov + n * 4);
        }
        assert_true(indefinite > 0);
        rm2_manifold_kernel_free(kernel);
        rm2_manifold_free(space);
        rm2_model_free(model);
    }
    rm2_data_free(data);
    rm2_data_free(fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_back_constraint),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
