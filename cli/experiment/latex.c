/* The table of an experiment for LaTeX, with booktabs. */
#include <string.h>

#include "experiment/experiment.h"

/* Characters that LaTeX takes for its own, and two that old fonts do not have. */
static void print_cell(const char *text, FILE *out) {
    static const struct {
        const char *plain, *latex;
    } words[] = {{"±", "$\\pm$"}, {"²", "\\textsuperscript{2}"},
                 {"%", "\\%"},    {"&", "\\&"},
                 {"_", "\\_"},    {"#", "\\#"}};
    while (*text) {
        size_t k = 0, count = sizeof words / sizeof *words;
        while (k < count && strncmp(text, words[k].plain, strlen(words[k].plain)) != 0)
            k++;
        if (k < count)
            (void)fputs(words[k].latex, out);
        else
            (void)fputc(*text, out);
        text += k < count ? strlen(words[k].plain) : 1;
    }
}

static void print_row(const table_line *l, FILE *out) {
    for (size_t k = 0; k < l->count; k++) {
        print_cell(l->cells[k], out);
        (void)fputs(k + 1 < l->count ? " & " : " \\\\\n", out);
    }
}

void experiment_print_tabular(FILE *out, const char *title, const table_line *lines, size_t count) {
    (void)fprintf(out, "%% %s; needs \\usepackage{booktabs}\n\\begin{tabular}{l", title);
    for (size_t k = 1; k < lines[0].count; k++)
        (void)fputc('r', out);
    (void)fputs("}\n\\toprule\n", out);
    for (size_t k = 0; k < count; k++) {
        print_row(&lines[k], out);
        if (k == 0)
            (void)fputs("\\midrule\n", out);
    }
    (void)fputs("\\bottomrule\n\\end{tabular}\n", out);
}

void experiment_print_latex(const experiment_run *r, FILE *out) {
    char title[200];
    table_line lines[1 + MOST_VARIANTS] = {experiment_head(r)};
    for (size_t k = 0; k < r->outcome_count; k++)
        lines[1 + k] = experiment_row(r, &r->outcomes[k]);
    (void)snprintf(title, sizeof title, "%s on %.100s", r->experiment->title,
                   rm2_manifold_spec(r->data->manifold));
    experiment_print_tabular(out, title, lines, 1 + r->outcome_count);
}
