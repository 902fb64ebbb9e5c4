/* Geometries by name: the built-in ones, and those that the caller registered in a context. */
#ifndef RM2I_REGISTRY_H
#define RM2I_REGISTRY_H

#include "riemann2/manifold.h"

enum {
    RM2I_MAX_FACTORS = 1000,
    RM2I_MAX_LETTERS = 20 /* of a geometry's name */
};

/* The geometry with this name, in upper or lower case; NULL if there is none. */
const rm2_geometry *rm2i_geometry_find(const rm2_context *ctx, const char *name);

/* Can a manifold of this context be made of it? Required functions are there, and the name means no
 * other geometry: a spec must say which one it is. */
rm2_status rm2i_geometry_check(rm2_context *ctx, const rm2_geometry *geometry);

/* Does its geometry offer exp_many and log_many? A table of an earlier version may end before them. */
static inline bool rm2i_geometry_many(const rm2_factor *f) {
    return f->geometry->size >= sizeof *f->geometry && f->n <= f->geometry->many_n_max;
}

#endif
