/* Models and decoded paths of an experiment as files, for the other commands. */
#include "experiment/experiment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/sheet.h"

/* "Riemann², correlated" to "riemann2-correlated". */
static void add_word(const char *text, char name[FILE_NAME]) {
    size_t used = strlen(name);
    for (; *text && used + 2 < FILE_NAME; text++) {
        unsigned char c = (unsigned char)*text;
        bool gap = used > 0 && name[used - 1] == '-';
        if (c == 0xC2 && (unsigned char)text[1] == 0xB2) { /* superscript 2 */
            name[used++] = '2';
            text++;
        } else if (isalnum(c) || c == '.') {
            name[used++] = (char)tolower(c);
        } else if (!gap) {
            name[used++] = '-';
        }
    }
    name[used] = '\0';
}

void experiment_path_name(const variant *v, char name[FILE_NAME]) {
    (void)snprintf(name, FILE_NAME, "path-");
    add_word(v->name, name);
}

void experiment_model_file(rm2_model_kind kind, bool independent, char name[FILE_NAME]) {
    (void)snprintf(name, FILE_NAME, "model-%s%s", kind == RM2_WGPLVM ? "wgplvm" : "gplvm",
                   independent ? "-independent" : "");
}

static int write_path(const experiment_run *r, const outcome *o) {
    char name[FILE_NAME], path[PATH_SIZE];
    const rm2_manifold *m = r->data->manifold;
    size_t n = o->curve->nodes, Q = o->trained->info->latent_dim;
    sheet s;
    double *t = malloc(n * sizeof *t);
    for (size_t i = 0; t && i < n; i++)
        t[i] = n > 1 ? (double)i / (double)(n - 1) : 0;
    bool built = sheet_create(&s, n, 1 + Q + rm2_manifold_ambient(m)) && t &&
                 sheet_add(&s, "t", t, 1) && sheet_add_latents(&s, Q, o->curve->x) &&
                 sheet_add_points(&s, m, o->points);
    experiment_path_name(o->variant, name);
    experiment_path(r, name, "csv", path);
    int code = built ? work_check(&r->work,
                                  rm2_csv_write(r->work.ctx, path, &s.table, r->work.common->force))
                     : work_no_memory(&r->work);
    sheet_free(&s);
    free(t);
    return code;
}

/* Means of the groups, as the command mean writes them. */
static int write_means(const experiment_run *r) {
    char path[PATH_SIZE];
    const rm2_data *d = r->reference;
    double codes[MOST_GROUPS];
    sheet s;
    if (r->groups.count == 0)
        return EXIT_DONE;
    for (size_t k = 0; k < r->groups.count; k++)
        codes[k] = (double)k;
    bool built = sheet_create(&s, r->groups.count, 1 + rm2_manifold_ambient(d->manifold)) &&
                 sheet_add_texts(&s, "label", codes, d->label_names, r->groups.count) &&
                 sheet_add_named_points(&s, d->manifold, &r->names, r->groups.means);
    experiment_path(r, "means", "csv", path);
    int code = built ? work_check(&r->work,
                                  rm2_csv_write(r->work.ctx, path, &s.table, r->work.common->force))
                     : work_no_memory(&r->work);
    sheet_free(&s);
    return code;
}

int experiment_save_files(experiment_run *r) {
    int code = write_means(r);
    char name[FILE_NAME], path[PATH_SIZE];
    for (size_t k = 0; k < r->model_count && code == EXIT_DONE; k++) {
        experiment_model_file(r->models[k].kind, r->models[k].independent, name);
        experiment_path(r, name, "npz", path);
        code = work_check(&r->work, rm2_model_write(r->work.ctx, r->models[k].model, path,
                                                    r->work.common->force));
    }
    for (size_t k = 0; k < r->outcome_count && code == EXIT_DONE; k++)
        code = write_path(r, &r->outcomes[k]);
    return code;
}
