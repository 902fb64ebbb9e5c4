/* Shapes of arrays of points: which axes are a point, and which count points. */
#ifndef RM2I_RAW_SHAPE_H
#define RM2I_RAW_SHAPE_H

#include "data/data.h"

typedef struct rm2i_shape {
    size_t dims;
    const size_t *sizes;
} rm2i_shape;

/* How an array holds points. */
typedef enum rm2i_form {
    RM2I_FORM_NONE,         /* not at all */
    RM2I_FORM_ROWS,         /* the last axis is a point */
    RM2I_FORM_MATRICES,     /* the last two axes are */
    RM2I_FORM_MATRICES_LAST /* the first two axes are, and the third, if there is one, counts them */
} rm2i_form;

/* Numbers of a row, if the last `tail` axes make one. */
size_t rm2i_tail_product(rm2i_shape a, size_t tail);

/* By the shape alone; the shape must have 1 or 2 axes before those of a point. */
rm2i_form rm2i_form_of(rm2i_shape a, const rm2i_wanted *wanted, bool columns_chosen);
/* The same; failure if there is none. */
rm2_status rm2i_find_form(rm2_context *ctx, const char *path, const rm2i_wanted *wanted,
                          bool columns_chosen, rm2i_shape a, rm2i_form *found);

/* n matrices of size n in a file whose last axis counts: matrices that are symmetric tell which axis does. */
rm2_status rm2i_resolve_cube(rm2_context *ctx, const char *path, const rm2_array *a,
                             rm2i_form *found);
/* (n, n, N) to (N, n, n). */
rm2_status rm2i_matrices_first(rm2_context *ctx, rm2_array *a);

#endif
