/* End points of geodesics as texts: "17", "first:0", "latent:0.1,0.2", "point:...". A point that is taken has finite
 * coordinates; otherwise there is a message of one line. */
#include <math.h>

#include "fuzz_cli.h"
#include "geometry/geometry.h"
#include "riemann2/fit.h"

enum { DEMOS = 2, POINTS = 6, LATENT = 2 };

/* A model that is trained once. */
static const model_work *small_model(void) {
    static model_work m;
    rm2_generate_settings toy = {.size = sizeof toy, .trajectories = DEMOS, .points = POINTS};
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_context *ctx;
    rm2_data *data;
    if (m.model)
        return &m;
    s.optim.max_iterations = 5;
    CHECK(rm2_context_create(&ctx) == RM2_OK);
    rm2_context_set_threads(ctx, 1);
    CHECK(rm2_data_generate(ctx, "toy", &toy, &data) == RM2_OK);
    CHECK(rm2_fit(ctx, data, &s, NULL, &m.model) == RM2_OK);
    rm2_data_free(data);
    m.work = fuzz_work(ctx);
    m.info = rm2_model_info_of(m.model);
    CHECK(m.info->latent_dim == LATENT);
    return &m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const model_work *m = small_model();
    char *text = fuzz_text(data, size);
    double x[LATENT];
    listener l;
    listener_start(&l);
    int code = geometry_parse_end(m, "--from", text, x);
    listener_stop(&l, code);
    for (size_t q = 0; code == EXIT_DONE && q < LATENT; q++)
        CHECK(isfinite(x[q]));
    free(text);
    return 0;
}
