/* Sums are trees (tree.h) whose terms are divided among the ranks, consecutive ones to each. The nodes of all ranks are
 * joined in the order of ranks, so that a sum has the same bits for any number of ranks. Numbers of long sums are
 * divided among the ranks too: each joins its slice of all nodes, then all get all slices. */
#ifndef RM2I_SHARES_H
#define RM2I_SHARES_H

#include "rows/communicator.h"
#include "rows/tree.h"

/* Memory to exchange items with rank 0: `sent` and `received` are scratch, one number for each rank. */
typedef struct rm2i_mail {
    const rm2_communicator *comm;
    size_t *sent, *received;
} rm2i_mail;
/* Items of `width` numbers, of which rank k has of_rank[k] to of_rank[k + 1] - 1: those of all ranks to rank 0, or from
 * there; `whole` is not used on other ranks. */
void rm2i_mail_collect(const rm2i_mail *mail, const size_t *of_rank, size_t width,
                       const double *own, double *whole);
void rm2i_mail_distribute(const rm2i_mail *mail, const size_t *of_rank, size_t width,
                          const double *whole, double *own);

/* Who has which terms of a sum, and memory to add them up. */
typedef struct rm2i_shares {
    const rm2_communicator *comm;
    size_t *first;           /* size + 1: rank k has the terms first[k] to first[k + 1] - 1 */
    size_t nodes;            /* of all ranks */
    size_t *sent, *received; /* size: numbers to and from each rank */
    double *out, *in;        /* numbers of nodes: to all ranks, from all ranks */
    double *joined;          /* nodes of a slice */
    double *counts, *memory; /* what `first`, `sent` and `received` are in, and the rest */
} rm2i_shares;

/* Collective; `terms` is how many this rank has, which must be one at least. A team of NULL: *shares is NULL. */
rm2_status rm2i_shares_create(rm2_context *ctx, const rm2_communicator *comm, size_t terms,
                              rm2i_shares **shares);
void rm2i_shares_free(rm2i_shares *shares);

/* rm2i_tree_total of the terms of all ranks, given the tree of this rank's. shares NULL: of this tree. */
double *rm2i_shares_total(const rm2i_shares *shares, rm2i_tree *tree);
/* Largest of the ranks' values, none of which is NaN. */
double rm2i_shares_max(const rm2i_shares *shares, double value);

/* Do all ranks have this value, in all bits? */
bool rm2i_shares_agree(const rm2i_shares *shares, double value);

/* As rm2i_mail_collect and rm2i_mail_distribute. */
void rm2i_shares_collect(const rm2i_shares *shares, const size_t *of_rank, size_t width,
                         const double *own, double *whole);
void rm2i_shares_distribute(const rm2i_shares *shares, const size_t *of_rank, size_t width,
                            const double *whole, double *own);

#endif
