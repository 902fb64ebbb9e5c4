/* Matrices with subject, label and time: as CSV, whose columns are those that SPD data have, or as .npz and .npy of
 * (n, d, d). */
#include <string.h>

#include "core/sheet.h"
#include "covariance/covariance.h"

static int write_table(const covariance_work *c, const covariance_set *s, const rm2_manifold *m) {
    sheet t;
    const char *const *subjects = (const char *const *)s->subjects.names;
    const char *const *labels = (const char *const *)s->labels.names;
    const char *path = c->options->output ? c->options->output : "-";
    size_t columns = 1u + s->labelled + s->windowed + rm2_manifold_ambient(m);
    bool built =
        sheet_create(&t, s->count, columns) &&
        sheet_add_texts(&t, "subject", s->subject, subjects, s->subjects.count) &&
        (!s->labelled || sheet_add_texts(&t, "label", s->label, labels, s->labels.count)) &&
        (!s->windowed || sheet_add(&t, "time", s->time, 1)) &&
        sheet_add_named_points(&t, m, &s->names, s->matrices);
    int code = built ? work_check(&c->work,
                                  rm2_csv_write(c->work.ctx, path, &t.table, c->work.common->force))
                     : work_no_memory(&c->work);
    sheet_free(&t);
    return code;
}

static int write_arrays(const covariance_work *c, const covariance_set *s) {
    static char points[] = "points", subject[] = "subject", label[] = "label", time[] = "time";
    rm2_array arrays[4] = {{.name = points,
                            .dims = 3,
                            .shape = {s->count, s->channels, s->channels},
                            .values = s->matrices},
                           {.name = subject,
                            .dims = 1,
                            .shape = {s->count},
                            .values = s->subject,
                            .texts = (const char *const *)s->subjects.names,
                            .text_count = s->subjects.count}};
    size_t count = 2;
    if (s->labelled)
        arrays[count++] = (rm2_array){.name = label,
                                      .dims = 1,
                                      .shape = {s->count},
                                      .values = s->label,
                                      .texts = (const char *const *)s->labels.names,
                                      .text_count = s->labels.count};
    if (s->windowed)
        arrays[count++] =
            (rm2_array){.name = time, .dims = 1, .shape = {s->count}, .values = s->time};
    const char *path = c->options->output;
    bool force = c->work.common->force;
    return work_check(&c->work, has_ending(path, ".npz")
                                    ? rm2_npz_write(c->work.ctx, path, arrays, count, force)
                                    : rm2_npy_write(c->work.ctx, path, arrays, force));
}

int set_write(const covariance_work *c, const covariance_set *s) {
    const char *path = c->options->output;
    if (path && (has_ending(path, ".npz") || has_ending(path, ".npy")))
        return write_arrays(c, s);
    char spec[NAME_SIZE];
    rm2_manifold *m;
    (void)snprintf(spec, sizeof spec, "SPD%zu", s->channels);
    int code = work_check(&c->work, rm2_manifold_create(c->work.ctx, spec, &m));
    if (code == EXIT_DONE) {
        code = write_table(c, s, m);
        rm2_manifold_free(m);
    }
    return code;
}
