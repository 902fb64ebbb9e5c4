/* riemann2 mean without a model: Fréchet means by label, distances between them, permutation tests. */
#include <math.h>
#include <stdlib.h>

#include "core/progress.h"
#include "statistics/points.h"
#include "statistics/statistics.h"

#define OWN(member) offsetof(mean_options, member)

const option mean_points_table[] = {
    {"--test", NULL, OPTION_FLAG, OWN(test), NULL,
     "test whether labels differ: permutations of the distance between their means; --group names "
     "subjects, whose rows stay together"},
    {.name = NULL},
};

mean_options mean_options_default(void) {
    return (mean_options){.test_settings = rm2_test_settings_default(),
                          .test_from = {.table = rm2_settings_table_of(RM2_SETTINGS_TEST)}};
}

/* Two labels, the distance between their means, and the test of it. */
typedef struct comparison {
    size_t first, second;
    double distance, adjusted;
    rm2_test_result test;
} comparison;

typedef struct mean_work {
    const model_work *m;
    const mean_options *own;
    labelled_data d;
    region_names names;   /* of the columns that are written */
    double *means;        /* label_count x ambient */
    rm2_group *groups;    /* label_count */
    size_t count;         /* pairs of labels that have points */
    comparison *compared; /* count */
    bool converged;
} mean_work;

/* ---- numbers -------------------------------------------------------------------------------- */

static int find_means(mean_work *w) {
    size_t labels = w->d.view.label_count;
    w->means = malloc(labels * rm2_manifold_ambient(w->d.view.manifold) * sizeof *w->means);
    w->groups = calloc(labels, sizeof *w->groups);
    w->compared = calloc(labels * (labels - 1) / 2 + 1, sizeof *w->compared);
    if (!w->means || !w->groups || !w->compared)
        return work_no_memory(&w->m->work);
    w->groups->size = sizeof *w->groups;
    int code = work_check(&w->m->work,
                          rm2_group_means(w->m->work.ctx, &w->d.view, NULL, w->means, w->groups));
    for (size_t k = 0; code == EXIT_DONE && k < labels; k++)
        w->converged = w->converged && (w->groups[k].points == 0 || w->groups[k].converged);
    return code;
}

static int compare_means(mean_work *w, size_t a, size_t b) {
    size_t D = rm2_manifold_ambient(w->d.view.manifold);
    comparison *c = &w->compared[w->count++];
    *c = (comparison){.first = a, .second = b};
    return work_check(&w->m->work,
                      rm2_manifold_distance(w->m->work.ctx, w->d.view.manifold, 1, w->means + a * D,
                                            1, w->means + b * D, &c->distance));
}

static int compare_all(mean_work *w) {
    int code = EXIT_DONE;
    for (size_t a = 0; a < w->d.view.label_count; a++)
        for (size_t b = a + 1; b < w->d.view.label_count && code == EXIT_DONE; b++)
            if (w->groups[a].points && w->groups[b].points)
                code = compare_means(w, a, b);
    return code;
}

static int test_one(mean_work *w, comparison *c) {
    progress p;
    rm2_test_settings settings = w->own->test_settings;
    settings.seed = w->m->work.common->seed;
    c->test.size = sizeof c->test;
    progress_begin(&w->m->work, &p);
    int code = progress_end(&p, rm2_group_test(w->m->work.ctx, &w->d.view, c->first, c->second,
                                               &settings, NULL, &c->test));
    w->converged = w->converged && c->test.converged;
    return code;
}

static int test_all(mean_work *w) {
    int code = EXIT_DONE;
    double *p = calloc(w->count + 1, sizeof *p);
    if (!p)
        return work_no_memory(&w->m->work);
    for (size_t k = 0; k < w->count && code == EXIT_DONE; k++) {
        code = test_one(w, &w->compared[k]);
        p[k] = w->compared[k].test.p_value;
    }
    if (code == EXIT_DONE)
        code = work_check(&w->m->work, rm2_adjust_p_values(w->m->work.ctx, w->count, p, p));
    for (size_t k = 0; k < w->count; k++)
        w->compared[k].adjusted = p[k];
    free(p);
    return code;
}

/* ---- results -------------------------------------------------------------------------------- */

static void print_groups(const mean_work *w, FILE *out) {
    int width = labelled_name_width(&w->d, 5);
    bool subjects = w->d.view.subjects != NULL;
    (void)fprintf(out, "\n%-*s  points%s   spread\n", width, "label", subjects ? "  subjects" : "");
    for (size_t k = 0; k < w->d.view.label_count; k++) {
        const rm2_group *g = &w->groups[k];
        if (g->points == 0)
            continue;
        (void)fprintf(out, "%-*s  %6zu", width, labelled_name(&w->d, k), g->points);
        if (subjects)
            (void)fprintf(out, "  %8zu", g->subjects);
        (void)fprintf(out, "  %7.4g%s\n", sqrt(g->variance), g->converged ? "" : "  NOT CONVERGED");
    }
}

static void print_test(const comparison *c, bool adjusted, FILE *out) {
    (void)fprintf(out, "  %8.4g", c->test.p_value);
    if (adjusted)
        (void)fprintf(out, "  %8.4g", c->adjusted);
    (void)fprintf(out, "  %12zu%s%s", c->test.permutations, c->test.exact ? ", all" : "",
                  c->test.converged ? "" : "  NOT CONVERGED");
}

static void print_comparisons(const mean_work *w, FILE *out) {
    int width = labelled_name_width(&w->d, 5);
    bool test = w->own->test, adjusted = test && w->count > 1;
    bool tangent = test && w->own->test_settings.statistic == RM2_TEST_TANGENT;
    if (w->count == 0)
        return;
    (void)fprintf(out, "\n%-*s  distance%s%s%s\n", 2 * width + 3, "means", test ? "         p" : "",
                  adjusted ? "    Holm p" : "", test ? "  permutations" : "");
    for (size_t k = 0; k < w->count; k++) {
        const comparison *c = &w->compared[k];
        (void)fprintf(out, "%*s - %-*s  %8.4g", width, labelled_name(&w->d, c->first), width,
                      labelled_name(&w->d, c->second), c->distance);
        if (test)
            print_test(c, adjusted, out);
        (void)fputc('\n', out);
    }
    if (tangent)
        (void)fprintf(out, "statistic of the test: distance between means of logarithms\n");
}

static void json_groups(rm2_json *json, const mean_work *w) {
    rm2_json_array(json, "groups");
    for (size_t k = 0; k < w->d.view.label_count; k++) {
        const rm2_group *g = &w->groups[k];
        rm2_json_record(json, NULL, RM2_TEXT("label", labelled_name(&w->d, k)),
                        RM2_COUNT("points", g->points), RM2_COUNT("subjects", g->subjects),
                        RM2_NUMBER("variance", g->variance), RM2_FLAG("converged", g->converged));
    }
    rm2_json_end(json);
}

static void json_comparison(rm2_json *json, const mean_work *w, const comparison *c) {
    rm2_json_object(json, NULL);
    rm2_json_put(json, RM2_TEXT("first", labelled_name(&w->d, c->first)),
                 RM2_TEXT("second", labelled_name(&w->d, c->second)),
                 RM2_NUMBER("distance", c->distance));
    if (w->own->test) {
        rm2_json_put(json, RM2_NUMBER("statistic", c->test.statistic),
                     RM2_NUMBER("p", c->test.p_value), RM2_NUMBER("p_adjusted", c->adjusted),
                     RM2_COUNT("permutations", c->test.permutations),
                     RM2_FLAG("exact", c->test.exact), RM2_FLAG("converged", c->test.converged));
    }
    rm2_json_end(json);
}

static void print_json(const mean_work *w, FILE *out) {
    size_t n = w->d.view.n;
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("file", w->d.data->source),
                 RM2_TEXT("manifold", rm2_manifold_spec(w->d.view.manifold)),
                 RM2_COUNT("points", n),
                 RM2_COUNT("subjects", w->d.view.subjects ? w->d.data->trajectories : n));
    json_groups(&json, w);
    rm2_json_array(&json, "between");
    for (size_t k = 0; k < w->count; k++)
        json_comparison(&json, w, &w->compared[k]);
    rm2_json_end(&json);
    rm2_json_end(&json);
}

/* One row per label that has points. */
static int write_means(const mean_work *w) {
    const rm2_manifold *manifold = w->d.view.manifold;
    size_t D = rm2_manifold_ambient(manifold), labels = w->d.view.label_count, rows = 0;
    sheet s = {.next = 0};
    double *codes = malloc(labels * sizeof *codes), *points = malloc(labels * D * sizeof *points);
    const char **names = malloc(labels * sizeof *names);
    bool built = codes && points && names;
    for (size_t k = 0; built && k < labels; k++) {
        names[k] = labelled_name(&w->d, k);
        if (w->groups[k].points == 0)
            continue;
        codes[rows] = (double)k;
        for (size_t j = 0; j < D; j++)
            points[rows * D + j] = w->means[k * D + j];
        rows++;
    }
    built = built && sheet_create(&s, rows, D + 1) &&
            sheet_add_texts(&s, "label", codes, names, labels) &&
            sheet_add_named_points(&s, manifold, &w->names, points);
    int code = built ? model_write_sheet(w->m, &s) : work_no_memory(&w->m->work);
    sheet_free(&s);
    free(codes);
    free(points);
    free(names);
    return code;
}

static int report(const mean_work *w) {
    const common_options *common = w->m->work.common;
    int code = w->m->options->output ? write_means(w) : EXIT_DONE;
    FILE *out = points_summary(w->m);
    if (code == EXIT_DONE && common->json) {
        print_json(w, out);
    } else if (code == EXIT_DONE && !common->quiet) {
        labelled_print(out, &w->d);
        print_groups(w, out);
        print_comparisons(w, out);
    }
    if (code == EXIT_DONE && !w->converged)
        return EXIT_NOT_CONVERGED;
    return code;
}

static int check_options(const mean_work *w, const data_options *options) {
    char word[SETTING_WORD];
    const char *given = setting_first_given(&w->own->test_from, word);
    if (given && !w->own->test)
        return work_complain(&w->m->work, EXIT_USAGE, "%s needs --test", given);
    if (w->own->test && !options->settings.label)
        return work_complain(&w->m->work, EXIT_USAGE, "--test needs --label, the column of groups");
    return EXIT_DONE;
}

int mean_of_points(const model_work *m, data_options *options) {
    mean_work w = {.m = m, .own = m->own, .converged = true};
    int code = check_options(&w, options);
    if (code == EXIT_DONE)
        code = labelled_read(&m->work, m->paths[0], options, &w.d);
    if (code == EXIT_DONE)
        code = names_read(&m->work, m->options->names, w.d.view.manifold, &w.names);
    if (code == EXIT_DONE)
        code = find_means(&w);
    if (code == EXIT_DONE)
        code = compare_all(&w);
    if (code == EXIT_DONE && w.own->test && w.count == 0)
        code = work_complain(&m->work, EXIT_BAD_DATA, "--test needs two labels; %s has %s",
                             w.d.data->source, labelled_name(&w.d, 0));
    if (code == EXIT_DONE && w.own->test)
        code = test_all(&w);
    if (code == EXIT_DONE)
        code = report(&w);
    free(w.means);
    free(w.groups);
    free(w.compared);
    names_free(&w.names);
    labelled_free(&w.d);
    return code;
}
