/* The paths that riemann2 plot draws: their names and looks. A path whose latent points lie on a line is a straight
 * line and looks like one; the first other path looks like a geodesic. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD_APART = 8 };

/* Is the greatest distance of the points from the chord far below its length? */
static bool is_straight(const double *x, size_t n, size_t Q) {
    static const double TOLERANCE = 1e-6;
    const double *last = x + (n - 1) * Q;
    double length = 0, most = 0;
    for (size_t q = 0; q < Q; q++)
        length = hypot(length, last[q] - x[q]);
    for (size_t i = 1; i + 1 < n && length > 0; i++) {
        double along = 0, square = 0;
        for (size_t q = 0; q < Q; q++) {
            double step = x[i * Q + q] - x[q];
            along += step * (last[q] - x[q]) / length;
            square += step * step;
        }
        most = fmax(most, square - along * along); /* squared distance from the chord */
    }
    return n > 2 && length > 0 && most <= pow(TOLERANCE * length, 2);
}

static void name_path(const drawn_file *f, size_t run, bool apart, char name[DRAWN_SIZE]) {
    char text[2 * DRAWN_SIZE];
    if (!apart || f->paths.runs == 1) {
        memcpy(name, f->name, DRAWN_SIZE);
        return;
    }
    (void)snprintf(text, sizeof text, "%s, path %zu", f->name, run + 1);
    figure_text(text, name);
}

static size_t count_runs(const plot_job *j) {
    size_t count = 0;
    for (size_t k = 0; k < j->options->paths.count; k++)
        count += j->files[k].paths.runs;
    return count;
}

/* Numbers of looks: the first path that is not straight has 0. */
static void number_paths(plot_job *j, bool apart) {
    size_t number = 0, order = 0;
    for (size_t k = 0; k < j->path_count; k++) {
        drawn_path *p = &j->paths[k];
        bool again = k > 0 && !apart && p[-1].file == p->file;
        p->order = again ? p[-1].order : order++;
        if (again && p[-1].straight == p->straight)
            p->number = p[-1].number;
        else if (!p->straight)
            p->number = number++;
    }
}

int plot_find_paths(plot_job *j) {
    size_t total = count_runs(j), Q = j->m->info->latent_dim;
    bool apart = total <= MOST_TOLD_APART;
    j->paths = calloc(total + 1, sizeof *j->paths);
    if (!j->paths)
        return work_no_memory(&j->m->work);
    for (size_t k = 0; k < j->options->paths.count; k++) {
        const drawn_file *f = &j->files[k];
        for (size_t r = 0; r < f->paths.runs; r++) {
            drawn_path *p = &j->paths[j->path_count++];
            *p = (drawn_path){.file = f,
                              .from = f->paths.starts[r],
                              .n = f->paths.starts[r + 1] - f->paths.starts[r]};
            p->straight = is_straight(f->paths.x + p->from * Q, p->n, Q);
            name_path(f, r, apart, p->name);
        }
    }
    number_paths(j, apart);
    return EXIT_DONE;
}

rm2_style plot_path_style(const drawn_path *p, bool on_heat) {
    if (p->straight)
        return figure_straight_style(p->name, on_heat);
    return p->number == 0 ? figure_geodesic_style(p->name, on_heat)
                          : figure_other_style(p->number - 1, p->name, on_heat);
}
