/* Shortest paths between nodes: a search from every source. Sources are independent: threads share
 * nothing but the graph, and the result does not depend on them. */
#include "start/start.h"

typedef struct paths_job {
    const rm2i_graph *graph;
    const size_t *source; /* NULL: every node */
    double *distance;
} paths_job;

static rm2_status paths_from(const void *job, size_t k, double *work) {
    const paths_job *j = job;
    size_t source = j->source ? j->source[k] : k;
    rm2i_search search = {.graph = j->graph,
                          .seeds = 1,
                          .seed = &source,
                          .start = (const double[]){0},
                          .at = j->distance + k * j->graph->n,
                          .work = work};
    (void)rm2i_graph_search(&search, NULL);
    return RM2_OK;
}

rm2_status rm2i_graph_distances_from(rm2_context *ctx, const rm2i_graph *graph, size_t count,
                                     const size_t *source, double *distance) {
    paths_job job = {graph, source, distance};
    return rm2i_jobs(ctx, count, rm2i_search_work(graph->n), paths_from, &job, NULL);
}

rm2_status rm2i_graph_distances(rm2_context *ctx, const rm2i_graph *graph, double *distance) {
    size_t n = graph->n;
    RM2_TRY(rm2i_graph_distances_from(ctx, graph, n, NULL, distance));
    for (size_t i = 0; i < n; i++) /* forth and back, the same sum may round differently */
        for (size_t j = 0; j < i; j++)
            distance[i * n + j] = distance[j * n + i];
    return RM2_OK;
}
