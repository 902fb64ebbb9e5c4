/* Nearest points vote. */
#include <string.h>

#include "statistics/statistics.h"

/* The k nearest in order of their distances, by insertion: k is small. */
static size_t find_nearest(size_t n, const double *distance, size_t k, size_t *order) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if (found == k && !(distance[i] < distance[order[k - 1]]))
            continue;
        size_t at = found < k ? found++ : k - 1;
        for (; at > 0 && distance[i] < distance[order[at - 1]]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return found;
}

size_t rm2i_vote(size_t n, const double *distance, const size_t *labels, size_t k, size_t *order,
                 size_t *votes, size_t label_count) {
    size_t found = find_nearest(n, distance, k < n ? k : n, order), best = labels[order[0]];
    memset(votes, 0, label_count * sizeof *votes);
    for (size_t j = 0; j < found; j++)
        votes[labels[order[j]]]++;
    for (size_t j = 0; j < found; j++) /* the nearest first: a tie keeps it */
        if (votes[labels[order[j]]] > votes[best])
            best = labels[order[j]];
    return best;
}
