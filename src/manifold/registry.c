#include "manifold/registry.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

static const rm2_geometry *const built_in[] = {&rm2_euclidean, &rm2_sphere,  &rm2_rotation,
                                               &rm2_spd,       &rm2_spd_log, &rm2_hyperbolic};
enum { BUILT_IN = sizeof built_in / sizeof built_in[0] };

static bool same_name(const char *a, const char *b) {
    return strcasecmp(a, b) == 0;
}

const rm2_geometry *rm2i_geometry_find(const rm2_context *ctx, const char *name) {
    const rm2_geometry *g;
    for (size_t i = 0; i < BUILT_IN; i++)
        if (same_name(name, built_in[i]->name))
            return built_in[i];
    for (size_t i = 0; (g = rm2i_context_geometry(ctx, i)); i++)
        if (same_name(name, g->name))
            return g;
    return NULL;
}

/* ---- checks --------------------------------------------------------------------------------- */

static rm2_status check_name(rm2_context *ctx, const rm2_geometry *g) {
    size_t letters = 0;
    while (g->name && isalpha((unsigned char)g->name[letters]))
        letters++;
    if (letters == 0 || letters > RM2I_MAX_LETTERS || g->name[letters])
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "invalid name \"%.40s\" of a geometry: must be 1 to %d letters",
                         g->name ? g->name : "", RM2I_MAX_LETTERS);
    const rm2_geometry *other = rm2i_geometry_find(ctx, g->name);
    bool short_form = same_name(g->name, "T") || same_name(g->name, "SE");
    if (short_form || (other && other != g))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "the name %s belongs to another geometry; choose a name that is neither "
                         "built in nor registered in this context",
                         g->name);
    return RM2_OK;
}

static rm2_status check_functions(rm2_context *ctx, const rm2_geometry *g) {
    bool many = g->size >= sizeof *g && g->many_n_max > 0;
#define FUNCTION(member)                                                                           \
    { #member, g->member != NULL }
    const struct {
        const char *name;
        bool given;
    } required[] = {
        FUNCTION(dim),
        FUNCTION(ambient),
        FUNCTION(frame_size),
        FUNCTION(work_size),
        FUNCTION(default_point),
        FUNCTION(defect),
        FUNCTION(project),
        FUNCTION(random_point),
        FUNCTION(frame),
        FUNCTION(to_coords),
        FUNCTION(from_coords),
        FUNCTION(exp),
        FUNCTION(log),
        FUNCTION(distance),
        FUNCTION(injectivity_radius),
        FUNCTION(transport),
        FUNCTION(dexp),
        FUNCTION(log_volume),
        FUNCTION(metric),
        FUNCTION(metric_derivative),
        {"exp_many", !many || g->exp_many},
        {"log_many", !many || g->log_many},
    };
#undef FUNCTION
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (!required[i].given)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "geometry %s: function %s is missing", g->name,
                             required[i].name);
    return RM2_OK;
}

rm2_status rm2i_geometry_check(rm2_context *ctx, const rm2_geometry *g) {
    for (size_t i = 0; i < BUILT_IN; i++)
        if (g == built_in[i])
            return RM2_OK;
    RM2_TRY(rm2i_check_size(ctx, g, sizeof *g));
    RM2_TRY(check_name(ctx, g));
    if (g->n_min > g->n_max)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "geometry %s: n_min %zu is larger than n_max %zu",
                         g->name, g->n_min, g->n_max);
    return check_functions(ctx, g);
}

/* ---- registration --------------------------------------------------------------------------- */

rm2_status rm2_manifold_register(rm2_context *ctx, const rm2_geometry *geometry) {
    RM2_REQUIRE(ctx, geometry);
    RM2_TRY(rm2i_geometry_check(ctx, geometry));
    if (rm2i_geometry_find(ctx, geometry->name) == geometry) /* built in, or registered before */
        return RM2_OK;
    return rm2i_context_add_geometry(ctx, geometry);
}
