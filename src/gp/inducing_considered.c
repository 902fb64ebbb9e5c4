/* Among which points inducing points are chosen. Of many points every k-th is considered: these stand for the others,
 * whose density they have, and t is scaled by their share. The chosen points are points of the data all the same. All
 * processes get the considered points, which are at most some ten thousand, and choose together. */
#include <stdlib.h>

#include "base/base.h"
#include "gp/inducing.h"

typedef struct considered {
    const rm2i_inducing_request *request;
    size_t all, every; /* points; each such one is considered */
    size_t n, *index;  /* those that are considered */
    double *X;         /* n x Q, and scratch to gather them */
} considered;

size_t rm2i_inducing_at_a_time(const rm2i_inducing_request *request) {
    return request->considered ? request->considered : RM2I_INDUCING_CONSIDERED;
}

static rm2_status gather(rm2_context *ctx, considered *c) {
    const rm2i_inducing_request *request = c->request;
    size_t Q = request->kernel->dim, arrays = rm2i_rows_shared(request->rows) ? 3 : 1;
    rm2_status status = rm2i_alloc(ctx, c->n, sizeof *c->index, &c->index);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, c->n, arrays * Q * sizeof *c->X, &c->X);
    RM2_TRY(rm2i_rows_agree(ctx, request->rows, status));
    for (size_t i = 0; i < c->n; i++)
        c->index[i] = i * c->every;
    rm2i_rows_pick_all(request->rows, &(rm2i_few){c->n, c->index}, Q, request->X, c->X + c->n * Q,
                       c->X);
    return RM2_OK;
}

static rm2_status choose(rm2_context *ctx, considered *c, size_t *index, size_t *count,
                         double *left) {
    rm2i_inducing_request some = *c->request;
    double share = (double)c->n / (double)c->all;
    RM2_TRY(gather(ctx, c));
    some.N = c->n;
    some.X = c->X;
    some.enough *= share;
    RM2_TRY(rm2i_inducing_choose_more(ctx, &some, NULL, index, count, left));
    for (size_t j = 0; j < *count; j++)
        index[j] *= c->every;
    *left /= share;
    return RM2_OK;
}

rm2_status rm2i_inducing_choose(rm2_context *ctx, const rm2i_inducing_request *request,
                                size_t *index, size_t *count, double *left) {
    size_t all = rm2i_rows_all(request->rows, request->N), most = rm2i_inducing_at_a_time(request);
    considered c = {.request = request, .all = all, .every = (all + most - 1) / most};
    *count = 0;
    if (c.every == 1 && !rm2i_rows_shared(request->rows)) /* all of them are here */
        return rm2i_inducing_choose_more(ctx, request, NULL, index, count, left);
    c.n = (all + c.every - 1) / c.every;
    rm2_status status = choose(ctx, &c, index, count, left);
    free(c.X);
    free(c.index);
    return status;
}
