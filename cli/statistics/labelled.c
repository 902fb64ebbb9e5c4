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
    d->view = (rm2_labelled){.size = sizeof(rm2_labelled),
                             .manifold = data->manifold,
                             .n = n,
                             .points = d->points,
                             .labels = d->labels,
                             .label_count = data->labels ? data->label_count : 1,
                             .subjects = data->trajectories ? d->subjects : NULL};
    return true;
}

/* Points without a label are no group. */
static int check_labels(const work *w, const rm2_data *data, const char *column) {
    size_t count = 0, first = 0;
    for (size_t i = data->count; data->labels && i-- > 0;)
        if (data->label_names[data->labels[i]][0] == '\0') {
            count++;
            first = i;
        }
    if (count == 0)
        return EXIT_DONE;
    return work_complain(w, EXIT_BAD_DATA,
                         "%s: %zu of %zu points have no label in column \"%s\", the first is point "
                         "%zu, counted from 0; fill the labels in, or leave these rows out",
                         data->source, count, data->count, column, first);
}

/* Logarithms of singular matrices are rounding errors: so would be means and distances. */
static int check_regular(const work *w, const rm2_data *data) {
    if (data->singular == 0)
        return EXIT_DONE;
    return work_complain(
        w, EXIT_BAD_DATA,
        "%s: %zu matri%s singular within rounding, the first in %s %zu: distances to them are not "
        "defined; regularise with --shrinkage X (0.1), or estimate them with riemann2 covariance "
        "--estimator lwf",
        data->source, data->singular, data->singular == 1 ? "x is" : "ces are", data->row_word,
        data->singular_row);
}

int labelled_read(const work *w, const char *path, data_options *options, labelled_data *d) {
    *d = (labelled_data){.data = NULL};
    if (!setting_given(&options->from, "scale"))
        options->settings.scale = RM2_SCALE_NONE;
    int code = work_check(w, rm2_data_read(w->ctx, path, &options->settings, &d->data, NULL, NULL));
    if (code == EXIT_DONE)
        code = check_labels(w, d->data, options->settings.label);
    if (code == EXIT_DONE && options->settings.shrinkage == 0)
        code = check_regular(w, d->data);
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
