/* Costs of aligning all demonstrations to each other, or, where these are many, to some references
 * evenly chosen among them. A pair is one task for a thread. */
#include "start/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "start/families.h"

enum { ALL_UP_TO = 64, REFERENCES = 32 };

typedef struct pairs_job {
    const rm2i_curves *curves;
    rm2i_pairs *pairs;
} pairs_job;

static rm2_status align_pair(const void *job, size_t k, double *work) {
    const pairs_job *j = job;
    size_t query = k / j->pairs->R, reference = j->pairs->reference[k % j->pairs->R];
    rm2i_fit fit =
        rm2i_align(j->curves, rm2i_curve(j->curves, query), rm2i_curve(j->curves, reference), work);
    j->pairs->cost[k] = fit.cost;
    j->pairs->strict[k] = fit.strict;
    return RM2_OK;
}

void rm2i_pairs_free(rm2i_pairs *pairs) {
    free(pairs->reference);
    free(pairs->cost);
    *pairs = (rm2i_pairs){0};
}

static size_t most_nodes(const rm2i_curves *c) {
    size_t most = 0;
    for (size_t d = 0; d < c->D; d++)
        most = rm2i_curve_nodes(c, d) > most ? rm2i_curve_nodes(c, d) : most;
    return most;
}

rm2_status rm2i_pairs_build(rm2_context *ctx, const rm2i_curves *curves, rm2i_pairs *p) {
    size_t D = curves->D;
    *p = (rm2i_pairs){.D = D, .R = D <= ALL_UP_TO ? D : REFERENCES};
    rm2_status status = rm2i_alloc(ctx, p->R, sizeof *p->reference, &p->reference);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, D, 2 * p->R * sizeof *p->cost, &p->cost);
    if (status == RM2_OK) {
        pairs_job job = {curves, p};
        p->strict = p->cost + D * p->R;
        for (size_t r = 0; r < p->R; r++)
            p->reference[r] = (2 * r + 1) * D / (2 * p->R);
        status =
            rm2i_jobs(ctx, D * p->R, rm2i_align_work(most_nodes(curves)), align_pair, &job, NULL);
    }
    if (status != RM2_OK)
        rm2i_pairs_free(p);
    return status;
}

/* The member in the middle, for a family without references. */
static size_t middle_member(const rm2i_pairs *p, const size_t *family, size_t f) {
    size_t members = 0, d = 0;
    for (size_t k = 0; k < p->D; k++)
        members += family[k] == f;
    for (size_t seen = family[0] == f; seen <= members / 2; seen += family[d] == f)
        d++;
    return d;
}

size_t rm2i_pairs_reference(const rm2i_pairs *p, const size_t *family, size_t f) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t r = 0; r < p->R; r++) {
        double sum = 0;
        for (size_t d = 0; d < p->D; d++)
            sum += family[d] == f ? p->cost[d * p->R + r] : 0;
        if (family[p->reference[r]] == f && sum < least) {
            least = sum;
            best = p->reference[r];
        }
    }
    return best != SIZE_MAX ? best : middle_member(p, family, f);
}

/* ---- families ---------------------------------------------------------------------------------- */

/* Mean distance of a demonstration from the references of a family. */
static double distance_to(const rm2i_pairs *p, size_t d, const size_t *of_reference, size_t f) {
    double sum = 0, members = 0;
    for (size_t r = 0; r < p->R; r++)
        if (of_reference[r] == f) {
            sum += p->strict[d * p->R + r];
            members++;
        }
    return sum / members;
}

/* Demonstrations that are no references belong where the references are closest on average. */
static void assign_rest(const rm2i_pairs *p, size_t count, const size_t *of_reference,
                        size_t *family) {
    for (size_t d = 0; d < p->D; d++) {
        double least = INFINITY;
        for (size_t f = 0; f < count; f++) {
            double distance = distance_to(p, d, of_reference, f);
            if (distance < least) {
                least = distance;
                family[d] = f;
            }
        }
    }
    for (size_t r = 0; r < p->R; r++)
        family[p->reference[r]] = of_reference[r];
}

rm2_status rm2i_pairs_families(rm2_context *ctx, const rm2i_pairs *p, size_t *family,
                               size_t *count) {
    size_t R = p->R, *of_reference = NULL;
    double *distance;
    RM2_TRY(rm2i_alloc(ctx, R * R, sizeof *distance, &distance));
    rm2_status status = rm2i_alloc(ctx, R, sizeof *of_reference, &of_reference);
    if (status == RM2_OK) {
        for (size_t i = 0; i < R; i++)
            for (size_t j = 0; j < R; j++)
                distance[i * R + j] =
                    fmin(p->strict[p->reference[i] * R + j], p->strict[p->reference[j] * R + i]);
        status = rm2i_families(ctx, R, distance, of_reference, count);
    }
    if (status == RM2_OK)
        assign_rest(p, *count, of_reference, family);
    free(distance);
    free(of_reference);
    return status;
}
