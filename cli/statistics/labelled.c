/* Labelled points of a file. */
#include <stdlib.h>
#include <string.h>

#include "statistics/statistics.h"

/* Arrays of labels and subjects from what the data set has. */
static bool fill(labelled_data *d) {
    const rm2_data *data = d->data;
    size_t n = data->count;
    d->points = malloc(n * rm2_manifold_ambient(data->manifold) * sizeof *d->points);
    d->labels = calloc(n, sizeof *d->labels);
    d->subjects = calloc(n, sizeof *d->subjects);
    if (!d->points || !d->labels || !d->subjects)
        return false;
    memcpy(d->points, data->points, n * rm2_manifold_ambient(data->manifold) * sizeof *d->points);
    if (data->labels)
        memcpy(d->labels, data->labels, n * sizeof *d->labels);
    for (size_t t = 0; t < data->trajectories; t++)
        for (size_t i = data->starts[t]; i < data->starts[t + 1]; i++)
            d->subjects[i] = t;
    d->view = (rm2_labelled){.manifold = data->manifold,
                             .n = n,
                             .points = d->points,
                             .labels = d->labels,
                             .label_count = data->labels ? data->label_count : 1,
                             .subjects = data->trajectories ? d->subjects : NULL};
    return true;
}

int labelled_read(const work *w, const char *path, data_options *options, labelled_data *d) {
    *d = (labelled_data){.data = NULL};
    if (!setting_given(&options->from, "scale"))
        options->settings.scale = RM2_SCALE_NONE;
    int code = work_check(w, rm2_data_read(w->ctx, path, &options->settings, &d->data, NULL, NULL));
    if (code == EXIT_DONE && !fill(d))
        code = work_no_memory(w);
    return code;
}

void labelled_free(labelled_data *d) {
    rm2_data_free(d->data);
    free(d->points);
    free(d->labels);
    free(d->subjects);
    *d = (labelled_data){.data = NULL};
}

const char *labelled_name(const labelled_data *d, size_t label) {
    return d->data->labels ? d->data->label_names[label] : "all";
}

int labelled_name_width(const labelled_data *d, int least) {
    int width = least;
    for (size_t k = 0; k < d->view.label_count; k++) {
        int length = (int)strlen(labelled_name(d, k));
        width = length > width ? length : width;
    }
    return width;
}

void labelled_print(FILE *out, const labelled_data *d) {
    (void)fprintf(out, "%s: %zu point%s on %s", d->data->source, d->view.n, plural(d->view.n),
                  rm2_manifold_spec(d->view.manifold));
    if (d->data->trajectories)
        (void)fprintf(out, " of %zu subject%s", d->data->trajectories,
                      plural(d->data->trajectories));
    (void)fputc('\n', out);
}
