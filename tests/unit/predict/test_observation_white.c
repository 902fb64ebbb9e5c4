/* Many outputs: densities from whitened coefficients are those from a solve per evaluation, with their slopes. Rounding of
 * 276 terms, whose solves lose the digits of the condition of Kf (1e4 here): 1e-9 relative. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "front/base.h"
#include "predict/observation.h"
#include "riemann2/fit.h"

enum { SIZE = 23, POINTS = 12, OUTPUTS = SIZE * (SIZE + 1) / 2, Q = 2 };

static rm2_model *fit_matrices(rm2_context *ctx) {
    rm2_data_settings d = rm2_data_settings_default();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_data *data;
    rm2_model *model;
    rm2_manifold *m = make_manifold(ctx, "SPD23");
    double *points = calloc(POINTS * SIZE * SIZE, sizeof *points);
    double *coords = calloc(POINTS * OUTPUTS, sizeof *coords),
           *base = calloc(SIZE * SIZE, sizeof *base);
    assert_true(points && coords && base);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < OUTPUTS; k++)
            coords[i * OUTPUTS + k] = 0.3 * sin(0.4 * (double)i + (double)k) +
                                      0.02 * rm2_rng_normal(rm2_context_rng(ctx));
    rm2_manifold_default_point(m, base);
    assert_int_equal(rm2_manifold_exp_coords(ctx, m, POINTS, base, 1, coords, points), RM2_OK);
    s.latent_dim = Q;
    s.init = RM2_INIT_TANGENT;
    s.optim.max_iterations = 2;
    const rm2_data_arrays arrays = {
        .size = sizeof arrays, .manifold = m, .count = POINTS, .points = points};
    assert_int_equal(rm2_data_create(ctx, &arrays, &d, &data, NULL, NULL), RM2_OK);
    if (rm2_fit(ctx, data, &s, NULL, &model) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    rm2_data_free(data);
    rm2_manifold_free(m);
    free(points);
    free(coords);
    free(base);
    return model;
}

static void same_densities(void **state) {
    rm2_context *ctx = *state;
    rm2_model *m = fit_matrices(ctx);
    bool there[OUTPUTS];
    double *memory = calloc(rm2i_observation_size(m), sizeof *memory);
    assert_true(memory && m->white);
    memset(there, 1, sizeof there);
    rm2i_observation o = rm2i_observation_in(m, memory);
    for (int kind = RM2_ENCODE_DENSITY; kind <= RM2_ENCODE_RESIDUAL; kind++) {
        o.kind = (rm2_encode_kind)kind;
        assert_int_equal(rm2i_observe(&o, m->F + 3 * OUTPUTS, there), RM2_OK);
        assert_ptr_equal(o.white, m->white);
        for (size_t i = 0; i < POINTS; i++) {
            double value[2], slope[2][Q], x[Q] = {m->X[i * Q] + 0.1, m->X[i * Q + 1]};
            for (int white = 0; white < 2; white++) {
                o.white = white ? m->white : NULL;
                assert_int_equal(rm2i_observation_minus_log(&o, x, &value[white], slope[white]),
                                 RM2_OK);
            }
            assert_true(fabs(value[0] - value[1]) <= 1e-9 * (1 + fabs(value[0])));
            for (size_t q = 0; q < Q; q++)
                assert_true(fabs(slope[0][q] - slope[1][q]) <=
                            1e-9 * (1 + hypot(slope[0][0], slope[0][1])));
        }
    }
    free(memory);
    rm2_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_densities)};
    return cmocka_run_group_tests(tests, create_context, destroy_context);
}
