/* riemann2 check: reads a data set and says in words what was found and what to do about it. */
#include <math.h>
#include <string.h>

#include "core/settings.h"
#include "core/start.h"

/* ---- words ---------------------------------------------------------------------------------- */

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void print_heading(const rm2_data *data, const rm2_data *held, const rm2_data_report *r) {
    printf("%s: %zu point%s on %s (dimension %zu)\n", PLAIN(data->source), data->count,
           plural(data->count), rm2_manifold_spec(data->manifold),
           rm2_manifold_dim(data->manifold));
    if (data->trajectories && r->shortest == r->longest)
        printf("%zu trajector%s of %zu point%s\n", data->trajectories,
               data->trajectories == 1 ? "y" : "ies", r->longest, plural(r->longest));
    else if (data->trajectories)
        printf("%zu trajectories of %zu to %zu points\n", data->trajectories, r->shortest,
               r->longest);
    if (held)
        printf("held out: %zu trajector%s, %zu points\n", held->trajectories,
               held->trajectories == 1 ? "y" : "ies", held->count);
    if (data->labels) {
        printf("%zu label%s:", data->label_count, plural(data->label_count));
        for (size_t k = 0; k < data->label_count && k < 8; k++)
            printf(" %s", PLAIN(data->label_names[k]));
        printf("%s\n", data->label_count > 8 ? " ..." : "");
    }
}

static void print_factors(const rm2_data *data, const rm2_data_report *r) {
    printf("\n%-8s %12s %10s %10s %10s %8s %10s\n", "factor", "worst defect", "projected", "spread",
           "farthest", "rank", "scale");
    for (size_t k = 0; k < r->factors; k++) {
        const rm2_factor *f = rm2_manifold_factor(data->manifold, k);
        const rm2_factor_report *q = &r->factor[k];
        char name[32], rank[32] = "-", spread[32] = "-", farthest[32] = "-";
        (void)snprintf(name, sizeof name, "%s%zu", f->geometry->name, f->n);
        if (q->mean_found && q->rank != SIZE_MAX)
            (void)snprintf(rank, sizeof rank, "%zu/%zu", q->rank, f->dim);
        if (q->mean_found) {
            (void)snprintf(spread, sizeof spread, "%.4g", q->spread * data->scale[k]);
            (void)snprintf(farthest, sizeof farthest, "%.4g", q->farthest * data->scale[k]);
        }
        printf("%-8s %12.1e %10zu %10s %10s %8s %10.4g\n", name, q->worst_defect, q->projected,
               spread, farthest, rank, data->scale[k]);
    }
    printf("spread: root mean squared distance from the mean, in the file's units; rank: of the "
           "tangent\ncoordinates there; scale: what training divides the entries by\n");
}

/* ---- things to look at ---------------------------------------------------------------------- */

static void say(size_t *remarks, const char *factor, const char *text) {
    printf("%s- %s%s%s\n", *remarks ? "" : "\nTo look at:\n", factor, *factor ? ": " : "", text);
    ++*remarks;
}

static void remark_signs(const rm2_factor_report *q, const char *name, size_t *remarks) {
    char text[300];
    if (q->order_assumed)
        say(remarks, name,
            "the order of the quaternions is unknown: w,x,y,z is assumed; set it with "
            "--quat-order");
    if (q->sign_flips) {
        (void)snprintf(text, sizeof text,
                       "the sign of %zu quaternion%s was changed so that trajectories are "
                       "continuous and agree (q and -q are the same orientation; --no-align-signs "
                       "leaves them)",
                       q->sign_flips, plural(q->sign_flips));
        say(remarks, name, text);
    }
    if (q->sign_jumps) {
        (void)snprintf(text, sizeof text,
                       "%zu step%s turn by more than 90 degrees: points missing, trajectories run "
                       "together (--group), or quaternions in another order (--quat-order)?",
                       q->sign_jumps, plural(q->sign_jumps));
        say(remarks, name, text);
    }
}

static void remark_spread(const rm2_factor *f, const rm2_factor_report *q, const rm2_data *data,
                          const char *name, size_t *remarks) {
    char text[400];
    if (!q->mean_found) {
        say(remarks, name,
            "no unique mean: the points are spread over too much of the manifold for "
            "one base point");
        return;
    }
    if (q->near_cut) {
        (void)snprintf(text, sizeof text,
                       "%zu point%s within 0.1 of the cut locus of the mean: the logarithm is "
                       "unstable there; choose another base point or fewer data",
                       q->near_cut, plural(q->near_cut));
        say(remarks, name, text);
    }
    size_t points = data->count;
    size_t most = points - 1 < f->dim ? points - 1 : f->dim; /* largest rank of the points */
    if (q->rank != SIZE_MAX && q->rank < most) {
        (void)snprintf(text, sizeof text,
                       "the points vary in %zu of %zu directions only; constant or dependent "
                       "columns are valid, but without information",
                       q->rank, f->dim);
        say(remarks, name, text);
    }
    if (q->singular) {
        (void)snprintf(
            text, sizeof text,
            "%zu matri%s singular within rounding, the first in %s %zu: fit refuses them; "
            "regularise them with --shrinkage X such as 0.01 (check and fit), or estimate them "
            "anew: riemann2 covariance SIGNALS --estimator lwf",
            q->singular, q->singular == 1 ? "x is" : "ces are", data->row_word, q->singular_row);
        say(remarks, name, text);
    } else if (q->condition > 1e10) {
        (void)snprintf(
            text, sizeof text,
            "condition numbers up to %.1e: nearly singular matrices; if that is estimation noise, "
            "regularise them with --shrinkage X (check and fit), or estimate them anew: "
            "riemann2 covariance SIGNALS --estimator lwf",
            q->condition);
        say(remarks, name, text);
    }
}

enum { SHOWN = 12 }; /* demonstrations that are named */

/* ---- columns and demonstrations --------------------------------------------------------------- */

static void remark_column(const rm2_data *data, const rm2_odd_column *odd, size_t *remarks) {
    static const char *const words[] = {
        [RM2_ODD_CONSTANT] = "is constant: valid, but without information",
        [RM2_ODD_STEADY] =
            "runs evenly along every trajectory: time or an index? It would be learned as part "
            "of the motion; name it with --time, or leave it out with --columns",
        [RM2_ODD_TINY] =
            "varies a thousand times less than others of its factor (other units?): training "
            "barely uses it; change its units, or give it a factor of its own",
    };
    const rm2_factor *f = rm2_manifold_factor(data->manifold, odd->factor);
    char name[64];
    (void)snprintf(name, sizeof name, "factor %zu (%s%zu), entry %zu", odd->factor + 1,
                   f->geometry->name, f->n, odd->entry + 1);
    say(remarks, name, words[odd->kind]);
}

/* What some of the trajectories have, and what it means. */
typedef struct demo_remark {
    start_choice choice;
    const char *what, *means;
} demo_remark;

static bool is_cut(const rm2_data *data, const rm2_start_report *r, size_t d) {
    (void)data;
    return start_is_cut(&r->demo[d]);
}

static bool is_uneven(const rm2_data *data, const rm2_start_report *r, size_t d) {
    (void)data;
    return r->demo[d].unevenness > 4 * START_UNEVEN;
}

/* For a tenth of its points. */
static bool rests(const rm2_data *data, const rm2_start_report *r, size_t d) {
    return 10 * r->demo[d].resting > data->starts[d + 1] - data->starts[d];
}

static bool has_outliers(const rm2_data *data, const rm2_start_report *r, size_t d) {
    (void)data;
    return r->demo[d].outliers > 0;
}

static const demo_remark demo_remarks[] = {
    {start_is_reversed, "run against the others",
     "training turns them; leave them out (--holdout) if they are another motion"},
    {is_cut, "late beginnings or early ends", "training puts them where they belong on the motion"},
    {is_uneven, "uneven pace", "training aligns it; with --init isomap the timing would count"},
    {rests, "pauses",
     "the start ignores them, but resting points count in training as often as they occur"},
    {start_is_noisy, "noisy: points jitter along the trajectory",
     "the model may follow the noise; smooth the recordings first (a median and a mean over a few "
     "points)"},
    {start_is_odd, "unlike the others", "another motion, or a failed recording?"},
};

static void remark_demos(const rm2_data *data, const rm2_start_report *r, const demo_remark *remark,
                         size_t *remarks) {
    size_t count = 0;
    for (size_t d = 0; d < r->demos; d++)
        count += remark->choice(data, r, d);
    if (count == 0)
        return;
    printf("%s- %s (trajector%s", *remarks ? "" : "\nTo look at:\n", remark->what,
           count == 1 ? "y" : "ies");
    ++*remarks;
    start_list(stdout, data, r, remark->choice);
    printf("): %s\n", remark->means);
}

/* A line per demonstration, with its worst point. */
static void remark_outliers(const rm2_data *data, const rm2_start_report *r, size_t *remarks) {
    size_t count = 0;
    for (size_t d = 0; d < r->demos; d++)
        if (has_outliers(data, r, d) && count++ < SHOWN) {
            printf("%s- points far from those around them in trajectory ",
                   *remarks ? "" : "\nTo look at:\n");
            ++*remarks;
            start_outliers(stdout, data, r, d);
            printf("\n");
        }
    if (count)
        printf(
            "  (%zu trajector%s): the start leaves such points out, training does not. Correct or "
            "remove them if they are errors\n",
            count, count == 1 ? "y" : "ies");
}

static void remark_start(const rm2_data *data, const rm2_start_report *r, size_t *remarks) {
    char text[300];
    size_t parts = 0;
    if (!r)
        return;
    if (r->families > 1 && !r->labelled) {
        (void)snprintf(text, sizeof text,
                       "%zu families of motions found: training places them side by side; name "
                       "them with fit --family COLUMN, or join them with fit --families one",
                       r->families);
        say(remarks, "", text);
    }
    for (size_t f = 0; f < r->families; f++)
        parts += !r->family[f].complete;
    if (parts)
        say(remarks, "",
            "no trajectory is complete in at least one family: its motion is put together from "
            "parts");
    for (size_t k = 0; k < sizeof demo_remarks / sizeof *demo_remarks; k++)
        remark_demos(data, r, &demo_remarks[k], remarks);
    remark_outliers(data, r, remarks);
}

static void remark_set(const rm2_data *data, const rm2_data_report *r, size_t *remarks) {
    char text[300];
    if (r->duplicates) {
        (void)snprintf(
            text, sizeof text,
            "%zu point%s repeat%s the one before (a pause?): they count as often as they occur",
            r->duplicates, plural(r->duplicates), r->duplicates == 1 ? "s" : "");
        say(remarks, "", text);
    }
    if (r->time_reversals) {
        (void)snprintf(text, sizeof text, "time does not grow at %zu point%s of a trajectory",
                       r->time_reversals, plural(r->time_reversals));
        say(remarks, "", text);
    }
    if (data->trajectories && r->shortest < 2)
        say(remarks, "", "a trajectory has a single point");
    if (data->count < 3)
        say(remarks, "", "fewer than 3 points: not enough to learn from");
}

static void print_remarks(const rm2_data *data, const rm2_data_report *r,
                          const rm2_start_report *start) {
    size_t remarks = 0;
    for (size_t k = 0; k < r->factors; k++) {
        const rm2_factor *f = rm2_manifold_factor(data->manifold, k);
        const rm2_factor_report *q = &r->factor[k];
        char name[48], text[300];
        (void)snprintf(name, sizeof name, "factor %zu (%s%zu)", k + 1, f->geometry->name, f->n);
        if (q->warned) {
            (void)snprintf(
                text, sizeof text,
                "%zu point%s moved onto the manifold by more than rounding, the worst by "
                "%.2g (%s %zu)",
                q->warned, plural(q->warned), q->worst_defect, data->row_word, q->worst_row);
            say(&remarks, name, text);
        }
        remark_signs(q, name, &remarks);
        remark_spread(f, q, data, name, &remarks);
        if (q->magnitude > 0 && (q->magnitude < 1e-6 || q->magnitude > 1e6)) {
            (void)snprintf(text, sizeof text,
                           "entries around %.1e: fine, tolerances are relative to the data",
                           q->magnitude);
            say(&remarks, name, text);
        }
    }
    for (size_t k = 0; k < r->odd_columns; k++)
        remark_column(data, &r->odd_column[k], &remarks);
    remark_set(data, r, &remarks);
    remark_start(data, start, &remarks);
    if (remarks == 0)
        printf("\nNothing to fix.\n");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_factor(rm2_json *json, const rm2_data *data, const rm2_data_report *r, size_t k) {
    const rm2_factor *f = rm2_manifold_factor(data->manifold, k);
    const rm2_factor_report *q = &r->factor[k];
    rm2_json_record(
        json, NULL, RM2_TEXT("geometry", f->geometry->name), RM2_COUNT("n", f->n),
        RM2_COUNT("dim", f->dim), RM2_COUNT("projected", q->projected),
        RM2_COUNT("warned", q->warned), RM2_COUNT("sign_flips", q->sign_flips),
        RM2_COUNT("sign_jumps", q->sign_jumps), RM2_FLAG("order_assumed", q->order_assumed),
        RM2_FLAG("mean_found", q->mean_found), RM2_COUNT("near_cut", q->near_cut),
        RM2_COUNT("worst_row", q->worst_row), RM2_NUMBER("worst_defect", q->worst_defect),
        RM2_NUMBER("spread", q->mean_found ? q->spread * data->scale[k] : NAN),
        RM2_NUMBER("farthest", q->mean_found ? q->farthest * data->scale[k] : NAN),
        RM2_COUNT("rank", q->mean_found ? q->rank : SIZE_MAX),
        RM2_NUMBER("condition", rm2_is_spd(f->geometry) ? q->condition : NAN),
        RM2_COUNT("singular", q->singular), RM2_NUMBER("magnitude", q->magnitude),
        RM2_NUMBER("scale", data->scale[k]));
}

static void json_columns(rm2_json *json, const rm2_data_report *r) {
    static const char *const words[] = {
        [RM2_ODD_CONSTANT] = "constant", [RM2_ODD_STEADY] = "steady", [RM2_ODD_TINY] = "tiny"};
    rm2_json_array(json, "odd_columns");
    for (size_t k = 0; k < r->odd_columns; k++)
        rm2_json_record(json, NULL, RM2_COUNT("factor", r->odd_column[k].factor),
                        RM2_COUNT("entry", r->odd_column[k].entry),
                        RM2_TEXT("kind", words[r->odd_column[k].kind]));
    rm2_json_end(json);
}

static void print_json(const rm2_data *data, const rm2_data *held, const rm2_data_report *r,
                       const rm2_start_report *start) {
    rm2_json json = rm2_json_begin(stdout);
    rm2_json_put(&json, RM2_TEXT("file", data->source),
                 RM2_TEXT("manifold", rm2_manifold_spec(data->manifold)),
                 RM2_COUNT("dim", rm2_manifold_dim(data->manifold)),
                 RM2_COUNT("ambient", rm2_manifold_ambient(data->manifold)),
                 RM2_COUNT("points", data->count), RM2_COUNT("trajectories", data->trajectories),
                 RM2_COUNT("shortest", r->shortest), RM2_COUNT("longest", r->longest),
                 RM2_COUNT("held_out", held ? held->count : 0));
    rm2_json_texts(&json, "labels", data->label_count, (const char *const *)data->label_names);
    rm2_json_put(&json, RM2_COUNT("duplicates", r->duplicates),
                 RM2_COUNT("time_reversals", r->time_reversals));
    rm2_json_array(&json, "factors");
    for (size_t k = 0; k < r->factors; k++)
        json_factor(&json, data, r, k);
    rm2_json_end(&json);
    json_columns(&json, r);
    start_json(&json, data, start);
    rm2_json_end(&json);
}

/* ---- command -------------------------------------------------------------------------------- */

/* Report of the start of a training on these data; NULL if it fails, for a reason that other checks report
 * (missing entries, mean that does not exist). */
static rm2_start_report *look_at_demos(rm2_context *ctx, const rm2_data *data) {
    rm2_start_report *start = NULL;
    rm2_fit_plan *plan;
    if (data->trajectories < 2 || rm2_fit_plan_create(ctx, data, NULL, &plan) != RM2_OK)
        return NULL;
    rm2_status status = rm2_fit_inspect(ctx, plan, &start);
    rm2_fit_plan_free(plan);
    return status == RM2_OK ? start : NULL;
}

static int check(const command *self, rm2_context *ctx, const char *path, data_options *options,
                 const common_options *common) {
    rm2_data *data = NULL, *held = NULL;
    rm2_data_report report = {.size = sizeof report};
    rm2_status status = rm2_data_read(ctx, path, &options->settings, &data, &held, &report);
    if (status != RM2_OK)
        return command_fail(self, ctx, status);
    rm2_start_report *start = look_at_demos(ctx, data);
    if (common->json) {
        print_json(data, held, &report, start);
    } else {
        print_heading(data, held, &report);
        start_print(stdout, data, start);
        print_factors(data, &report);
        print_remarks(data, &report, start);
    }
    rm2_start_report_free(start);
    rm2_data_free(data);
    rm2_data_free(held);
    rm2_data_report_clear(&report);
    return EXIT_DONE;
}

int run_check(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options options = data_options_default();
    const option_group groups[] = {{"Data", NULL, &options.settings, &options.from},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *path = NULL;
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0 || !options.settings.manifold) {
        (void)fprintf(stderr, "usage: riemann2 check %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    rm2_context *ctx = command_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    int code = check(self, ctx, path, &options, &common);
    rm2_context_free(ctx);
    return code;
}
