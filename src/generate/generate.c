/* The table of example data sets and the work common to them: sizes, the generator, the frame.
 *
 * A set is a manifold, a number of demonstrations and a range for the number of points of each,
 * which is drawn from it. All random numbers of a set come from one generator of its own, seeded
 * with settings->seed, in one order and on one thread: the same seed gives the same bits. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "front/data.h"
#include "generate/generate.h"
#include "settings/settings.h"

typedef struct generator {
    const char *name, *description, *manifold;
    size_t trajectories;      /* 0: separate points */
    size_t shortest, longest; /* points of a demonstration, or of the set */
    rm2i_fill_fn fill;
} generator;

static const generator generators[] = {
    {"toy", "handwriting: letter J in the plane, letter C on the sphere (R2 x S2)", "R2 x S2", 6,
     200, 200, rm2i_fill_toy},
    {"robot", "end-effector poses: reach for a bottle, grasp, lift, carry (R3 x S3)", "R3 x S3", 6,
     60, 85, rm2i_fill_robot},
    {"manipulability",
     "planar 4-link arm draws a C, velocity ellipsoid turned to the motion (R2 x SPD2)",
     "R2 x SPD2", 6, 100, 100, rm2i_fill_manipulability},
    {"connectome", "covariances of 15 coupled regions, controls and patients (SPD15)", "SPD15", 0,
     200, 200, rm2i_fill_connectome},
};
enum { GENERATORS = sizeof generators / sizeof *generators };

const char *rm2_data_example_name(size_t index) {
    return index < GENERATORS ? generators[index].name : NULL;
}

const char *rm2_data_example_description(size_t index) {
    return index < GENERATORS ? generators[index].description : NULL;
}

/* ---- what is asked for ---------------------------------------------------------------------- */

static rm2_status find(rm2_context *ctx, const char *name, const generator **found) {
    char known[128] = "";
    for (size_t i = 0; i < GENERATORS; i++) {
        if (strcmp(name, generators[i].name) == 0) {
            *found = &generators[i];
            return RM2_OK;
        }
        strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, generators[i].name, sizeof known - strlen(known) - 1);
    }
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "unknown example data set '%s'; known: %s", name,
                     known);
}

static const rm2_setting rows[] = {
    {RM2I_MEMBER(rm2_generate_settings, trajectories), .name = "trajectories", .option = "demos",
     .type = RM2_SETTING_COUNT, RM2I_COUNT_FROM(1), .zero = "auto", .defaults = {"auto"},
     .group = "Sizes", .help = "number of trajectories; auto: the example's own"},
    {RM2I_MEMBER(rm2_generate_settings, points), .name = "points", .type = RM2_SETTING_COUNT,
     RM2I_COUNT_FROM(2), .zero = "auto", .defaults = {"auto"}, .group = "Sizes",
     .help = "points of a trajectory (connectome: of the set); auto: the example's own"},
    {RM2I_MEMBER(rm2_generate_settings, seed), .name = "seed", .type = RM2_SETTING_SEED,
     .defaults = {"0"}, .group = "Sizes", .help = "seed of the random numbers"},
};

RM2I_TABLE(rm2i_generate_table, "generate", rm2_generate_settings, rows)

/* Fill in the set's own numbers and refuse what cannot be made. */
static rm2_status complete(rm2_context *ctx, const generator *g, rm2_generate_settings *s) {
    if (g->trajectories == 0 && s->trajectories > 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s has points without trajectories; set the number of points instead",
                         g->name);
    if (s->trajectories == 0)
        s->trajectories = g->trajectories;
    size_t each = s->points > g->longest ? s->points : g->longest;
    if (s->trajectories > SIZE_MAX / each)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: %zu trajectories of %zu points are too many",
                         g->name, s->trajectories, each);
    return RM2_OK;
}

/* ---- making it ------------------------------------------------------------------------------ */

static size_t draw_length(const generator *g, rm2_rng *rng) {
    double choices = (double)(g->longest - g->shortest + 1);
    return g->shortest + (size_t)(choices * rm2_rng_uniform(rng));
}

/* Sizes of the demonstrations into natural, and how many points there are in all. */
static size_t draw_lengths(const generator *g, const rm2_generate_settings *s, rm2_rng *rng,
                           size_t *natural) {
    size_t count = 0;
    for (size_t d = 0; d < s->trajectories; d++) {
        natural[d] = draw_length(g, rng);
        count += s->points ? s->points : natural[d];
    }
    if (s->trajectories == 0)
        count = s->points ? s->points : g->longest;
    return count;
}

static void set_starts(const rm2_generate_settings *s, const size_t *natural, rm2i_draft *data) {
    for (size_t d = 0; d < data->trajectories; d++)
        data->starts[d + 1] = data->starts[d] + (s->points ? s->points : natural[d]);
}

static rm2_status fill(rm2_context *ctx, const generator *g, const rm2_generate_settings *s,
                       size_t *natural, rm2i_draft *draft) {
    rm2_manifold *m;
    rm2_rng rng;
    rm2_rng_seed(&rng, s->seed);
    size_t count = draw_lengths(g, s, &rng, natural);
    RM2_TRY(rm2_manifold_create(ctx, g->manifold, &m));
    rm2_status status = rm2i_draft_create(ctx, m, g->name, count, s->trajectories, draft);
    rm2_manifold_free(m);
    RM2_TRY(status);
    set_starts(s, natural, draft);
    RM2_TRY(g->fill(ctx, &rng, natural, draft));
    return s->scale ? rm2i_scale(ctx, NULL, draft, NULL) : RM2_OK;
}

static rm2_status make(rm2_context *ctx, const generator *g, const rm2_generate_settings *s,
                       size_t *natural, rm2_data **data) {
    rm2i_draft draft = {.count = 0};
    rm2_status status = fill(ctx, g, s, natural, &draft);
    if (status == RM2_OK)
        status = rm2i_draft_finish(ctx, &draft, data);
    rm2i_draft_clear(&draft);
    return status;
}

rm2_status rm2_data_generate(rm2_context *ctx, const char *name,
                             const rm2_generate_settings *settings, rm2_data **data) {
    RM2_REQUIRE(ctx, data);
    *data = NULL;
    RM2_REQUIRE(ctx, name);
    rm2_generate_settings s = rm2_generate_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &s));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_GENERATE), &s));
    const generator *g = NULL;
    RM2_TRY(find(ctx, name, &g));
    RM2_TRY(complete(ctx, g, &s));
    size_t *natural;
    RM2_TRY(rm2i_calloc(ctx, s.trajectories, sizeof *natural, &natural));
    rm2_status status = make(ctx, g, &s, natural, data);
    free(natural);
    return status;
}
