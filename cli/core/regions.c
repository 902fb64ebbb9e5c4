/* Keep-out regions: in the option itself, or in a file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/regions.h"

const rm2_factor *positions_factor(const rm2_manifold *m) {
    for (size_t i = 0; i < rm2_manifold_factor_count(m); i++)
        if (rm2_manifold_factor(m, i)->geometry == &rm2_euclidean)
            return rm2_manifold_factor(m, i);
    return NULL;
}

/* The regions of one text or file. */
static int read_regions(const work *w, const char *text, size_t dim, size_t *count,
                        rm2_region **regions) {
    if (access(text, F_OK) == 0)
        return work_check(w, rm2_regions_read(w->ctx, text, dim, count, regions));
    rm2_status status = rm2_regions_parse(w->ctx, text, dim, count, regions);
    if (status == RM2_ERR_DATA)
        return work_complain(w, EXIT_USAGE, "--avoid %s: %s (and it is not a file)", text,
                             rm2_context_error(w->ctx));
    return work_check(w, status);
}

/* Put them behind those that there are. */
static int append(const work *w, size_t more, const rm2_region *add, size_t *count,
                  rm2_region **regions) {
    rm2_region *grown = realloc(*regions, (*count + more + 1) * sizeof *grown);
    if (!grown)
        return work_no_memory(w);
    if (more > 0)
        memcpy(grown + *count, add, more * sizeof *grown);
    *regions = grown;
    *count += more;
    return EXIT_DONE;
}

int parse_regions(const work *w, const rm2_manifold *manifold, const text_list *texts,
                  size_t *count, rm2_region **regions) {
    const rm2_factor *factor = positions_factor(manifold);
    int code = EXIT_DONE;
    *count = 0;
    *regions = NULL;
    if (!factor)
        return work_complain(w, EXIT_USAGE, "--avoid needs a Euclidean factor; %s has none",
                             rm2_manifold_spec(manifold));
    if (factor->dim > RM2_REGION_DIM)
        return work_complain(
            w, EXIT_USAGE,
            "--avoid needs positions of at most %d dimensions; the first Euclidean "
            "factor of %s has %zu",
            RM2_REGION_DIM, rm2_manifold_spec(manifold), factor->dim);
    for (size_t k = 0; k < texts->count && code == EXIT_DONE; k++) {
        rm2_region *add = NULL;
        size_t more = 0;
        code = read_regions(w, texts->items[k], factor->dim, &more, &add);
        if (code == EXIT_DONE)
            code = append(w, more, add, count, regions);
        rm2_free(add);
    }
    return code;
}
