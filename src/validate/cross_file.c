/* The file of results of a cross-validation: a CSV table with one row per finished job.
 *
 * A job is known by a hash of all that its result depends on: the points of both parts, the settings of the training, and the
 * version of the library. Jobs of other candidates or other data in the same file do no harm: their keys are not asked for. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "io/io.h"
#include "model_file/settings_file.h"
#include "validate/cross.h"

enum { KEY_SIZE = 20 };

static const char *const columns[] = {"key",         "status",   "train",   "held",
                                      "unconverged", "seconds",  "message", "log_density",
                                      "residual",    "coverage", "motion"};
enum { KEY, STATUS, TRAIN, HELD, UNCONVERGED, SECONDS, MESSAGE, VALUES, COLUMNS = VALUES + 4 };
_Static_assert(sizeof columns / sizeof *columns == COLUMNS, "one name per column");
_Static_assert((int)RM2_CROSS_MEASURES == COLUMNS - VALUES, "one column per measure");

const char *rm2_cross_measure_text(rm2_cross_measure measure) {
    return (size_t)measure < RM2_CROSS_MEASURES ? columns[VALUES + measure] : "unknown";
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void mix_number(uint64_t *hash, double value) {
    rm2i_hash(hash, &value, sizeof value);
}

static void mix_data(uint64_t *hash, const rm2_data *d) {
    const char *spec = rm2_manifold_spec(d->manifold);
    rm2i_hash(hash, spec, strlen(spec));
    rm2i_hash(hash, d->points, d->count * rm2_manifold_ambient(d->manifold) * sizeof *d->points);
    rm2i_hash(hash, d->scale, rm2_manifold_factor_count(d->manifold) * sizeof *d->scale);
    if (d->trajectories)
        rm2i_hash(hash, d->starts, (d->trajectories + 1) * sizeof *d->starts);
    if (d->time)
        rm2i_hash(hash, d->time, d->count * sizeof *d->time);
    if (d->labels) /* families of demonstrations */
        rm2i_hash(hash, d->labels, d->count * sizeof *d->labels);
}

uint64_t rm2i_cross_key(const rm2i_cross_part *part, const rm2_fit_settings *s, bool motion) {
    uint64_t hash = RM2I_HASH_START;
    const rm2_manifold *m = part->train->manifold;
    size_t factors = s->model == RM2_GPLVM ? 1 : rm2_manifold_factor_count(m);
    rm2i_hash(&hash, rm2_version(), strlen(rm2_version()));
    mix_data(&hash, part->train);
    mix_data(&hash, part->held);
    rm2i_settings_mix(s, &hash);
    mix_number(&hash, (double)s->optim.max_iterations); /* limits are not among them */
    mix_number(&hash, s->optim.max_seconds);
    mix_number(&hash, motion);
    if (s->base == RM2_BASE_GIVEN && s->base_point)
        rm2i_hash(&hash, s->base_point, rm2_manifold_ambient(m) * sizeof *s->base_point);
    for (size_t k = 0; s->back_constraint && s->back_kernels && k < factors; k++) {
        mix_number(&hash, (double)s->back_kernels[k].kind);
        mix_number(&hash, s->back_kernels[k].lengthscale);
    }
    return hash;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct output {
    rm2_table table;
    char **texts[COLUMNS]; /* of the table, which borrows all of this */
    size_t counts[COLUMNS];
    char **keys, **messages;
    char *digits; /* KEY_SIZE per row */
} output;

static rm2_status output_create(rm2_context *ctx, size_t rows, output *o) {
    RM2_TRY(rm2i_alloc(ctx, rows * COLUMNS, sizeof(double), &o->table.values));
    RM2_TRY(rm2i_calloc(ctx, rows, sizeof *o->keys, &o->keys));
    RM2_TRY(rm2i_calloc(ctx, rows, sizeof *o->messages, &o->messages));
    RM2_TRY(rm2i_alloc(ctx, rows, KEY_SIZE, &o->digits));
    o->table.columns = COLUMNS;
    o->table.names = (char **)columns; /* only read, as the texts are */
    o->table.texts = o->texts;
    o->table.text_counts = o->counts;
    o->texts[KEY] = o->keys;
    o->texts[MESSAGE] = o->messages;
    return RM2_OK;
}

static void output_free(output *o) {
    free(o->table.values);
    free(o->keys);
    free(o->messages);
    free(o->digits);
}

static void add_row(output *o, const rm2i_cross_record *r) {
    size_t row = o->table.rows++;
    double *v = o->table.values + row * COLUMNS;
    const rm2_cross_job *job = &r->job;
    o->keys[row] = o->digits + row * KEY_SIZE;
    (void)snprintf(o->keys[row], KEY_SIZE, "k%016" PRIx64, r->key);
    o->messages[row] = (char *)job->message;
    o->counts[KEY] = o->counts[MESSAGE] = row + 1;
    v[KEY] = v[MESSAGE] = (double)row;
    v[STATUS] = (double)job->status;
    v[TRAIN] = (double)job->train;
    v[HELD] = (double)job->held;
    v[UNCONVERGED] = (double)job->unconverged;
    v[SECONDS] = job->seconds;
    memcpy(v + VALUES, job->value, sizeof job->value);
}

rm2_status rm2i_cross_write(rm2_context *ctx, const char *path, size_t count,
                            const rm2i_cross_record *records) {
    output o = {.digits = NULL};
    rm2_status status = output_create(ctx, count, &o);
    for (size_t k = 0; status == RM2_OK && k < count; k++)
        if (records[k].done)
            add_row(&o, &records[k]);
    if (status == RM2_OK)
        status = rm2_csv_write(ctx, path, &o.table, true);
    output_free(&o);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static rm2_status check_columns(rm2_context *ctx, const char *path, const rm2_table *t) {
    bool good = t->columns == COLUMNS && t->names;
    for (size_t c = 0; good && c < COLUMNS; c++)
        good = strcmp(t->names[c], columns[c]) == 0;
    return good ? RM2_OK
                : rm2i_fail(ctx, RM2_ERR_FORMAT,
                            "%s is not a file of cross-validation results: expected the columns "
                            "key, status, ..., motion",
                            path);
}

static size_t as_count(double value) {
    return value >= 0 && value < 0x1p53 ? (size_t)value : 0;
}

static void parse_row(const rm2_table *t, size_t row, rm2i_cross_record *r) {
    const double *v = t->values + row * COLUMNS;
    (void)snprintf(r->message, sizeof r->message, "%s", t->texts[MESSAGE][(size_t)v[MESSAGE]]);
    r->job = (rm2_cross_job){.status = (rm2_status)as_count(v[STATUS]),
                             .message = r->message,
                             .train = as_count(v[TRAIN]),
                             .held = as_count(v[HELD]),
                             .unconverged = as_count(v[UNCONVERGED]),
                             .seconds = v[SECONDS]};
    memcpy(r->job.value, v + VALUES, sizeof r->job.value);
    r->done = true;
}

static size_t parse_rows(const rm2_table *t, size_t count, rm2i_cross_record *records) {
    size_t found = 0;
    for (size_t row = 0; row < t->rows; row++) {
        const char *text = t->texts[KEY][(size_t)t->values[row * COLUMNS + KEY]];
        uint64_t key = strtoull(text + (*text == 'k'), NULL, 16);
        for (size_t k = 0; k < count; k++)
            if (!records[k].done && records[k].key == key) {
                parse_row(t, row, &records[k]);
                found++;
            }
    }
    return found;
}

rm2_status rm2i_cross_read(rm2_context *ctx, const char *path, size_t count,
                           rm2i_cross_record *records, size_t *found) {
    static const char *const texts[] = {"key", "message"};
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table = {0};
    *found = 0;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return RM2_OK;
    s.text = texts;
    s.text_count = 2;
    s.allow_missing = true;
    s.most_bytes = RM2_SMALL_FILE;
    rm2_status status = rm2_csv_read(ctx, path, &s, &table);
    if (status != RM2_OK && status != RM2_ERR_IO && status != RM2_ERR_MEMORY)
        return rm2i_fail_prefix(ctx, RM2_ERR_FORMAT, "not a file of cross-validation results");
    RM2_TRY(status);
    status = check_columns(ctx, path, &table);
    if (status == RM2_OK)
        *found = parse_rows(&table, count, records);
    rm2_table_clear(&table);
    return status;
}
