/* The manifold object: factors with their offsets, a count of references. It never changes once it is
 * made, so that any number of threads may use it. */
#include "manifold/manifold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "manifold/registry.h"

static rm2_status check_factors(rm2_context *ctx, const rm2_factor *factors, size_t count) {
    if (count == 0 || count > RM2I_MAX_FACTORS)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a manifold has 1 to %d factors, not %zu",
                         RM2I_MAX_FACTORS, count);
    for (size_t i = 0; i < count; i++) {
        const rm2_geometry *g = factors[i].geometry;
        if (!g)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "factor %zu has no geometry", i + 1);
        RM2_TRY(rm2i_geometry_check(ctx, g));
        if (factors[i].n < g->n_min || factors[i].n > g->n_max)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s%zu: %s exists for n = %zu to %zu", g->name,
                             factors[i].n, g->name, g->n_min, g->n_max);
    }
    return RM2_OK;
}

/* Fill sizes and offsets. */
static void lay_out(rm2_manifold *m) {
    for (size_t i = 0; i < m->count; i++) {
        rm2_factor *f = &m->factors[i];
        f->dim = f->geometry->dim(f->n);
        f->ambient = f->geometry->ambient(f->n);
        f->dim_offset = m->dim;
        f->ambient_offset = m->ambient;
        m->frame_offsets[i] = m->frame_size;
        m->dim += f->dim;
        m->ambient += f->ambient;
        m->frame_size += f->geometry->frame_size(f->n);
        size_t work = rm2i_factor_work(f);
        m->work_size = work > m->work_size ? work : m->work_size;
    }
}

static rm2_status write_spec(rm2_context *ctx, rm2_manifold *m) {
    enum { TERM = 64 };
    RM2_TRY(rm2i_alloc(ctx, m->count, TERM, &m->spec));
    size_t used = 0;
    for (size_t i = 0; i < m->count; i++) {
        const rm2_geometry *g = m->factors[i].geometry;
        bool log_euclidean = g == &rm2_spd_log; /* SPD15:log */
        used += (size_t)snprintf(m->spec + used, TERM, "%s%.*s%zu%s", i ? " x " : "",
                                 RM2I_MAX_LETTERS, log_euclidean ? rm2_spd.name : g->name,
                                 m->factors[i].n, log_euclidean ? ":log" : "");
    }
    return RM2_OK;
}

static rm2_status build(rm2_context *ctx, const rm2_factor *factors, size_t count,
                        rm2_manifold *m) {
    atomic_init(&m->references, 1);
    m->count = count;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *m->factors, &m->factors));
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *m->frame_offsets, &m->frame_offsets));
    memcpy(m->factors, factors, count * sizeof *factors);
    lay_out(m);
    return write_spec(ctx, m);
}

rm2_status rm2_manifold_from_factors(rm2_context *ctx, const rm2_factor *factors, size_t count,
                                     rm2_manifold **manifold) {
    RM2_REQUIRE(ctx, manifold);
    *manifold = NULL;
    RM2_REQUIRE(ctx, factors);
    RM2_TRY(check_factors(ctx, factors, count));
    rm2_manifold *m;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *m, &m));
    rm2_status status = build(ctx, factors, count, m);
    if (status != RM2_OK) {
        rm2_manifold_free(m);
        return status;
    }
    *manifold = m;
    return RM2_OK;
}

rm2_manifold *rm2_manifold_retain(const rm2_manifold *manifold) {
    rm2_manifold *shared = (rm2_manifold *)manifold; /* the count alone changes */
    if (shared)
        atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void rm2_manifold_free(rm2_manifold *manifold) {
    if (!manifold || atomic_fetch_sub_explicit(&manifold->references, 1, memory_order_acq_rel) > 1)
        return;
    free(manifold->factors);
    free(manifold->frame_offsets);
    free(manifold->spec);
    free(manifold);
}

bool rm2_manifold_equal(const rm2_manifold *a, const rm2_manifold *b) {
    if (a == b || !a || !b)
        return a == b;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->factors[i].geometry != b->factors[i].geometry || a->factors[i].n != b->factors[i].n)
            return false;
    return true;
}

const char *rm2_manifold_spec(const rm2_manifold *manifold) {
    return manifold ? manifold->spec : "";
}

size_t rm2_manifold_dim(const rm2_manifold *manifold) {
    return manifold ? manifold->dim : 0;
}

size_t rm2_manifold_ambient(const rm2_manifold *manifold) {
    return manifold ? manifold->ambient : 0;
}

size_t rm2_manifold_factor_count(const rm2_manifold *manifold) {
    return manifold ? manifold->count : 0;
}

const rm2_factor *rm2_manifold_factor(const rm2_manifold *manifold, size_t index) {
    return manifold && index < manifold->count ? &manifold->factors[index] : NULL;
}

void rm2_manifold_default_point(const rm2_manifold *manifold, double *p) {
    for (size_t i = 0; manifold && p && i < manifold->count; i++) {
        const rm2_factor *f = &manifold->factors[i];
        f->geometry->default_point(f->n, p + f->ambient_offset);
    }
}
