/* Requests of the explorer's page. The first byte chooses the question and how the rest is its body: the bytes themselves, or one
 * number per byte, which reaches further. An answer is whole numbers of doubles, or a text with a status that says whose
 * fault it is. */
#include <string.h>

#include "explore/explorer.h"
#include "fuzz.h"
#include "riemann2/fit.h"

enum { DEMOS = 2, POINTS = 6, OK = 200, BAD = 400, NOT_FOUND = 404, FAULT = 422 };

static const char *const questions[] = {"grid", "decode", "geodesic", "samples",
                                        "arm",  "encode", "motion",   "other"};

/* The explorer of a model that is trained once. */
static explorer *small_explorer(void) {
    static explorer e;
    static rm2_model *model;
    rm2_generate_settings toy = {.size = sizeof toy, .trajectories = DEMOS, .points = POINTS};
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_context *ctx;
    rm2_data *data;
    const arm_source arm = {.spec = "planar:1,1,1"};
    const rm2_space *space;
    if (model)
        return &e;
    s.optim.max_iterations = 5;
    CHECK(rm2_context_create(&ctx) == RM2_OK);
    rm2_context_set_threads(ctx, 1);
    CHECK(rm2_data_generate(ctx, "manipulability", &toy, &data) == RM2_OK);
    CHECK(rm2_fit(ctx, data, &s, NULL, &model) == RM2_OK);
    e = (explorer){.file = "fuzz.npz", .settings = rm2_space_settings_default()};
    CHECK(explorer_open(ctx, model, &arm, &e) == RM2_OK);
    CHECK(space_plain(&e, ctx, &space) == RM2_OK); /* or its thread would outlive main */
    rm2_data_free(data);
    rm2_context_free(ctx);
    return &e;
}

/* The body in memory of its own size, as the server has it. */
static void *make_body(const uint8_t *data, size_t size, bool each, size_t *bytes) {
    *bytes = each ? size * sizeof(double) : size;
    double *values = malloc(*bytes ? *bytes : 1);
    CHECK(values);
    for (size_t k = 0; each && k < size; k++)
        values[k] = (double)(int8_t)data[k] / (k < 4 ? 1 : 16);
    if (!each)
        memcpy(values, data, size);
    return values;
}

static void check_answer(http_answer *a) {
    if (a->status == OK)
        CHECK(a->size % sizeof(double) == 0 && (a->bytes || a->size == 0));
    else
        CHECK((a->status == BAD || a->status == NOT_FOUND || a->status == FAULT) && a->size > 0);
    if (!a->kept)
        free(a->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    http_handlers h = explorer_handlers(small_explorer());
    const char *name = questions[data[0] % 8];
    http_request request = {.name = name};
    void *body = make_body(data + 1, size - 1, data[0] & 8, &request.size);
    request.body = body;
    http_answer answer = h.post(h.user, &request);
    check_answer(&answer);
    free(body);
    return 0;
}
