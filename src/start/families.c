/* Average linkage: the two clusters whose members are closest on average are merged, again and again,
 *
 *     d(A + B, C) = (|A| d(A, C) + |B| d(B, C)) / (|A| + |B|)
 *
 * Clusters of three members and more are large; the others are strays. With H the least distance of two
 * large clusters and W the mean distance within them, a cut is allowed where H >= 0.33, H > 1.9 W and
 * strays are at most a quarter of all. The first cut that is allowed gives the families: strays then join
 * the nearest. None gives one family. Strays do not count in W: one odd demonstration would hide
 * families that are twice as far apart as they are wide.
 *
 * On 605 sets of letters and robot tasks, of one to three motions, warped, cut and reversed, every ratio from 1.8 to
 * 2.0 finds all families and splits none; 1.7 splits one set, 2.1 misses two pairs of similar letters. */
#include "start/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 3 };
static const double HEIGHT = 0.33, RATIO = 1.9, STRAYS = 0.25;

typedef struct linkage {
    size_t n;
    const double *distance; /* of the members */
    double *between;        /* of the clusters */
    size_t *cluster;        /* of each member: its smallest member */
    size_t *size;           /* of the cluster named by its smallest member; 0: merged */
} linkage;

static bool is_large(const linkage *l, size_t cluster) {
    return l->size[cluster] >= LARGE;
}

/* The closest two clusters, a < b. */
static void find_closest(const linkage *l, size_t *a, size_t *b) {
    double best = INFINITY;
    for (size_t i = 0; i < l->n; i++)
        for (size_t j = i + 1; l->size[i] && j < l->n; j++)
            if (l->size[j] && l->between[i * l->n + j] < best) {
                best = l->between[i * l->n + j];
                *a = i;
                *b = j;
            }
}

/* b into a; a < b. */
static void merge(linkage *l, size_t a, size_t b) {
    double wa = (double)l->size[a], wb = (double)l->size[b];
    for (size_t c = 0; c < l->n; c++) {
        double mean = (wa * l->between[a * l->n + c] + wb * l->between[b * l->n + c]) / (wa + wb);
        l->between[a * l->n + c] = l->between[c * l->n + a] = mean;
    }
    for (size_t i = 0; i < l->n; i++)
        if (l->cluster[i] == b)
            l->cluster[i] = a;
    l->size[a] += l->size[b];
    l->size[b] = 0;
}

/* W */
static double mean_within(const linkage *l) {
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < l->n; i++)
        for (size_t j = 0; j < i; j++)
            if (l->cluster[i] == l->cluster[j] && is_large(l, l->cluster[i])) {
                sum += l->distance[i * l->n + j];
                pairs++;
            }
    return sum / pairs;
}

/* H; infinite with fewer than two large clusters. */
static double least_between(const linkage *l) {
    double least = INFINITY;
    for (size_t i = 0; i < l->n; i++)
        for (size_t j = 0; j < i; j++)
            if (is_large(l, i) && is_large(l, j))
                least = fmin(least, l->between[i * l->n + j]);
    return least;
}

static bool may_cut(const linkage *l) {
    double height = least_between(l), strays = 0;
    for (size_t i = 0; i < l->n; i++)
        strays += is_large(l, l->cluster[i]) ? 0 : 1;
    return isfinite(height) && strays <= STRAYS * (double)l->n && height >= HEIGHT &&
           height > RATIO * mean_within(l);
}

/* Nearest large cluster; n if there is none. */
static size_t nearest_large(const linkage *l, size_t cluster) {
    size_t nearest = l->n;
    for (size_t j = 0; j < l->n; j++)
        if (j != cluster && is_large(l, j) &&
            (nearest == l->n ||
             l->between[cluster * l->n + j] < l->between[cluster * l->n + nearest]))
            nearest = j;
    return nearest;
}

static void join_strays(linkage *l) {
    for (size_t i = 0; i < l->n; i++) {
        size_t to = l->size[i] && !is_large(l, i) ? nearest_large(l, i) : l->n;
        if (to < l->n)
            merge(l, to < i ? to : i, to < i ? i : to);
    }
}

/* Merge until a cut is allowed, or all are one. */
static void link_up(linkage *l) {
    size_t clusters = l->n;
    for (; clusters > 1 && !may_cut(l); clusters--) {
        size_t a = 0, b = 1;
        find_closest(l, &a, &b);
        merge(l, a, b);
    }
    if (clusters > 1)
        join_strays(l);
}

/* Numbers in the order of the first members. */
static size_t number_clusters(const linkage *l, size_t *family) {
    size_t count = 0;
    for (size_t i = 0; i < l->n; i++)
        family[i] = l->cluster[i] == i ? count++ : family[l->cluster[i]];
    return count;
}

rm2_status rm2i_families(rm2_context *ctx, size_t n, const double *distance, size_t *family,
                         size_t *count) {
    linkage l = {.n = n, .distance = distance};
    RM2_TRY(rm2i_alloc(ctx, n * n, sizeof *l.between, &l.between));
    rm2_status status = rm2i_alloc(ctx, 2 * n, sizeof *l.cluster, &l.cluster);
    if (status == RM2_OK) {
        memcpy(l.between, distance, n * n * sizeof *distance);
        l.size = l.cluster + n;
        for (size_t i = 0; i < n; i++) {
            l.cluster[i] = i;
            l.size[i] = 1;
        }
        link_up(&l);
        *count = number_clusters(&l, family);
    }
    free(l.between);
    free(l.cluster);
    return status;
}

/* ---- labels ----------------------------------------------------------------------------------- */

static bool varies(const rm2i_labels *l, size_t d) {
    for (size_t i = l->starts[d]; i < l->starts[d + 1]; i++)
        if (l->label[i] != l->label[l->starts[d]])
            return true;
    return false;
}

rm2_status rm2i_families_of_labels(rm2_context *ctx, const rm2i_labels *l, size_t *family,
                                   size_t *count, size_t *varying) {
    size_t *of_label; /* its family; SIZE_MAX: none yet */
    *count = 0;
    *varying = SIZE_MAX;
    RM2_TRY(rm2i_alloc(ctx, l->count, sizeof *of_label, &of_label));
    for (size_t k = 0; k < l->count; k++)
        of_label[k] = SIZE_MAX;
    for (size_t d = 0; d < l->trajectories; d++) {
        size_t *own = &of_label[l->label[l->starts[d]]];
        if (*own == SIZE_MAX)
            *own = (*count)++;
        family[d] = *own;
        if (*varying == SIZE_MAX && varies(l, d))
            *varying = d;
    }
    free(of_label);
    return RM2_OK;
}
