/* Sums, decisions and failures of a team of processes (riemann2/team.h).
 *
 * Sums are trees (tree.h) whose terms are divided among the ranks, consecutive ones to each. The nodes of all ranks are
 * joined in the order of ranks, so that a sum has the same bits for any number of ranks. Numbers of long sums are
 * divided among the ranks too: each joins its slice of all nodes, then all get all slices.
 *
 * Ranks take the same decisions because they take them from equal numbers: sums, which are the same bits on all ranks,
 * or numbers of rank 0. */
#ifndef RM2I_TEAM_H
#define RM2I_TEAM_H

#include "base/tree.h"
#include "riemann2/team.h"

/* The team of a context; NULL: none, or of one rank. Contexts of threads (rm2i_context_child) have none. */
const rm2_team *rm2i_team_of(const rm2_context *ctx);

/* How many; 1 without a team. */
static inline size_t rm2i_team_ranks(const rm2_team *team) {
    return team ? (size_t)team->size : 1;
}

/* Numbers of rank 0 on all ranks. A team of NULL does nothing, as in all calls below. */
void rm2i_team_tell(const rm2_team *team, void *data, size_t bytes);
/* Is this true on rank 0? */
bool rm2i_team_decide(const rm2_team *team, bool on_this_rank);
/* All ranks fail if one did, with the message of the first that did, which says which rank that was. Called where a rank
 * may have failed alone, as for lack of memory. */
rm2_status rm2i_team_settle_all(rm2_context *ctx, const rm2_team *team, rm2_status status);
static inline rm2_status rm2i_team_settle(rm2_context *context, const rm2_team *team,
                                          rm2_status status) {
    rm2_status all = team ? rm2i_team_settle_all(context, team, status) : status;
    return status != RM2_OK ? status : all; /* static analysis sees that a failure stays one */
}
/* Memory of zeros on every rank, or on none: where one has too little, the others give theirs back. `out` is as in
 * rm2i_alloc. */
rm2_status rm2i_team_alloc(rm2_context *ctx, const rm2_team *team, size_t count, size_t size,
                           void *out);

/* What a loop over the rows of all ranks leaves in `state`: the ranks run `leg` over their own rows one after the other,
 * each from where the one before ended. All ranks have the result, which has the bits of a single process's loop. For
 * loops that cost little: it runs on one rank at a time. */
void rm2i_team_relay(const rm2_team *team, size_t bytes, void *state,
                     void (*leg)(const void *job, void *state), const void *job);

/* Memory to exchange items with rank 0: `sent` and `received` are scratch, one number for each rank. */
typedef struct rm2i_mail {
    const rm2_team *team;
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
    const rm2_team *team;
    size_t *first;           /* size + 1: rank k has the terms first[k] to first[k + 1] - 1 */
    size_t nodes;            /* of all ranks */
    size_t *sent, *received; /* size: numbers to and from each rank */
    double *out, *in;        /* numbers of nodes: to all ranks, from all ranks */
    double *joined;          /* nodes of a slice */
    double *counts, *memory; /* what `first`, `sent` and `received` are in, and the rest */
} rm2i_shares;

/* Collective; `terms` is how many this rank has, which must be one at least. A team of NULL: *shares is NULL. */
rm2_status rm2i_shares_create(rm2_context *ctx, const rm2_team *team, size_t terms,
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
