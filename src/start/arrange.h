/* Families in one latent space. */
#ifndef RM2I_ARRANGE_H
#define RM2I_ARRANGE_H

#include "base/base.h"

/* The embedded nodes of one family. */
typedef struct rm2i_embedding {
    size_t n, M, Q;
    const double *q; /* n x M: nodes */
    double *Y;       /* n x Q: their latents */
} rm2i_embedding;

/* Place the embeddings side by side, in the given order; moves their latents. */
rm2_status rm2i_arrange(rm2_context *ctx, size_t count, const rm2i_embedding *embedding);

#endif
