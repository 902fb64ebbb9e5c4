/* Forged model files and checkpoints. The input says how to forge: its first byte chooses a valid file,
 * which was made at the start by training; the rest are changes of its values, of the headers of its arrays, of
 * the zip records, of any byte, or of its end. Changes within an array get a right checksum, so that they reach the
 * reader. A model that is read must predict finite numbers.
 *
 * All is in memory and in one context: only the models that pass every check are made ready to predict. */
#define _GNU_SOURCE /* memfd_create */ // NOLINT(bugprone-reserved-identifier)
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "model_file/model_file.h"
#include "npz_forge.h"
#include "riemann2/fit.h"
#include "train/train.h"

enum { FILES = 6, COMPACT = 4, FILE_MAX = 1 << 16, DEMOS = 2, POINTS = 5, MOST_CHANGES = 16 };

static npz_forge originals[FILES]; /* the last is a checkpoint */
static uint64_t fingerprint;       /* that of the checkpoint */
static unsigned char forged[FILE_MAX];
static rm2_context *ctx;
static int file_fd = -1; /* holds a forged checkpoint */
static char file_path[32];

/* ---- valid files ---------------------------------------------------------------------------- */

static rm2_fit_settings settings_of(size_t which) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.optim.max_iterations = 2;
    if (which == 1) {
        s.noise = RM2_NOISE_PER_OUTPUT;
        s.task = RM2_TASK_LEARNED;
        s.back_constraint = true;
        s.gpdm_weight = 1;
    }
    if (which >= 2) {
        s.inference = RM2_INFERENCE_INDUCING;
        s.inducing = 3;
        s.inducing_free = which == 3;
    }
    return s;
}

static void load(const char *path, npz_forge *f) {
    FILE *stream = fopen(path, "rb");
    unsigned char *bytes = malloc(FILE_MAX);
    CHECK(stream && bytes);
    size_t size = fread(bytes, 1, FILE_MAX, stream);
    CHECK(size < FILE_MAX);
    *f = npz_forge_open(bytes, size);
    CHECK(f->count > 8 && fclose(stream) == 0 && unlink(path) == 0);
}

static void make_file(const rm2_data *data, size_t which, const char *path) {
    rm2_fit_settings s = settings_of(which);
    bool saves = which == FILES - 1;
    rm2_checkpoint checkpoint = {saves ? path : NULL, 1e9, false};
    rm2_model *model;
    CHECK(rm2_fit(ctx, data, &s, &checkpoint, &model) == RM2_OK);
    if (which == COMPACT) {
        rm2_model *whole = model;
        CHECK(rm2_model_compact(ctx, whole, 8, &model) == RM2_OK);
        rm2_model_free(whole);
    }
    CHECK(saves || rm2_model_write(ctx, model, path, true) == RM2_OK);
    rm2_model_free(model);
    load(path, &originals[which]);
}

/* What the checkpoint says of itself, so that forged ones are read further. */
static void find_fingerprint(void) {
    const npz_forge *f = &originals[FILES - 1];
    const npz_entry *e = npz_forge_find(f, "fingerprint");
    char digits[20] = "";
    CHECK(e && e->width == 16 * 4);
    for (size_t k = 0; k < 16; k++)
        digits[k] = (char)f->bytes[e->values + 4 * k];
    fingerprint = strtoull(digits, NULL, 16);
}

static void prepare(void) {
    rm2_generate_settings toy = {.size = sizeof toy, .trajectories = DEMOS, .points = POINTS};
    char folder[] = "/tmp/rm2-fuzz-XXXXXX", path[64];
    rm2_data *data;
    CHECK(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/file", folder);
    CHECK(rm2_context_create(&ctx) == RM2_OK);
    rm2_context_set_threads(ctx, 1);
    CHECK(rm2_data_generate(ctx, "toy", &toy, &data) == RM2_OK);
    for (size_t k = 0; k < FILES; k++)
        make_file(data, k, path);
    rm2_data_free(data);
    find_fingerprint();
    file_fd = memfd_create("checkpoint", 0);
    CHECK(file_fd >= 0 && rmdir(folder) == 0);
    (void)snprintf(file_path, sizeof file_path, "/proc/self/fd/%d", file_fd);
}

/* ---- changes -------------------------------------------------------------------------------- */

typedef struct script {
    const uint8_t *at, *end;
} script;

/* The next bytes as a number; 0 where there are no more. */
static uint64_t next(script *s, size_t bytes) {
    uint64_t value = 0;
    for (size_t k = 0; k < bytes && s->at < s->end; k++)
        value |= (uint64_t)*s->at++ << 8 * k;
    return value;
}

static double choose_value(unsigned choice) {
    static const double values[] = {
        0, -0.0, 1,   -1, 0.5,      1e-320,    1e-160, 1e-80,  1e80,   1e160,  1e308, -1e308, 2,
        3, 1e-8, 1e8, -2, INFINITY, -INFINITY, NAN,    0x1p53, 0x1p63, 0x1p64, 1e3,   16};
    return values[choice % (sizeof values / sizeof *values)];
}

static const npz_entry *next_entry(script *s, const npz_forge *f) {
    return &f->entries[next(s, 1) % f->count];
}

static void change_value(script *s, npz_forge *f, bool any) {
    const npz_entry *e = next_entry(s, f);
    size_t index = e->count ? (size_t)next(s, 2) % e->count : 0, character = (size_t)next(s, 1);
    double value = choose_value((unsigned)next(s, 1));
    uint64_t bits = any ? next(s, 8) : 0;
    if (e->count == 0)
        return;
    if (e->kind == 'U') /* one character */
        memcpy(f->bytes + e->values + index * e->width + character % (e->width / 4) * 4, &bits, 4);
    else if (any)
        memcpy(f->bytes + e->values + index * e->width, &bits, 8);
    else
        npz_forge_number(f, e, index, value);
    npz_forge_mend(f, e);
}

/* A byte of the header of an array: of its type, its shape, ... */
static void change_header(script *s, npz_forge *f) {
    static const char bytes[] = "0123456789(), {}'<>|=fiubUSOc-Tx";
    const npz_entry *e = next_entry(s, f);
    size_t at = e->data + (size_t)next(s, 1) % (e->values - e->data);
    f->bytes[at] = (unsigned char)bytes[next(s, 1) % (sizeof bytes - 1)];
    npz_forge_mend(f, e);
}

/* A number of a zip record: ends of ranges, neighbours of the old one, places in the file. */
static void change_record(script *s, npz_forge *f) {
    static const size_t fields[][2] = {{6, 2},  {8, 2},  {10, 2}, {16, 4}, {20, 4},
                                       {24, 4}, {28, 2}, {30, 2}, {42, 4}, {18, 4}};
    const npz_entry *e = next_entry(s, f), *other = next_entry(s, f);
    const size_t *field = fields[next(s, 1) % (sizeof fields / sizeof *fields)];
    size_t where = (size_t)next(s, 1) % 3, width = field[1];
    size_t at = where == 0   ? e->directory + field[0]
                : where == 1 ? e->local + field[0] % 28
                             : f->end + field[0] % 18;
    uint64_t old = 0, choice = next(s, 1);
    memcpy(&old, f->bytes + at, width);
    const uint64_t numbers[] = {
        0,           1,           UINT64_MAX, old + 1,      old - 1, 2 * old,       other->local,
        other->data, other->size, f->size,    f->directory, f->end,  f->size - old, old ^ 8,
        choice};
    uint64_t value = numbers[choice % (sizeof numbers / sizeof *numbers)];
    memcpy(f->bytes + at, &value, width);
}

/* Two arrays of one length change their names. */
static void swap_names(script *s, npz_forge *f) {
    const npz_entry *a = next_entry(s, f), *b = next_entry(s, f);
    size_t length = strlen(a->name);
    if (length != strlen(b->name))
        return;
    memcpy(f->bytes + a->local + 30, b->name, length);
    memcpy(f->bytes + a->directory + 46, b->name, length);
    memcpy(f->bytes + b->local + 30, a->name, length);
    memcpy(f->bytes + b->directory + 46, a->name, length);
}

/* Returns the new size. */
static size_t forge(script s, const npz_forge *original) {
    npz_forge f = *original;
    f.bytes = forged;
    size_t size = f.size;
    memcpy(forged, original->bytes, size);
    for (int k = 0; k < MOST_CHANGES && s.at < s.end; k++)
        switch (next(&s, 1) % 8) {
        case 0:
        case 1:
            change_value(&s, &f, false);
            break;
        case 2:
            change_value(&s, &f, true);
            break;
        case 3:
            change_header(&s, &f);
            break;
        case 4:
            change_record(&s, &f);
            break;
        case 5:
            swap_names(&s, &f);
            break;
        case 6:
            forged[next(&s, 2) % f.size] = (unsigned char)next(&s, 1);
            break;
        default:
            size = (size_t)next(&s, 2) % (f.size + 1);
        }
    return size;
}

/* ---- readers -------------------------------------------------------------------------------- */

static void check_message(void) {
    CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
}

static void use_model(const rm2_model *model) {
    const rm2_model_info *i = rm2_model_info_of(model);
    size_t D = rm2_manifold_ambient(i->manifold), M = i->outputs, count = D + M + M * M + 1;
    double *block = calloc(count, sizeof *block);
    CHECK(block);
    CHECK(rm2_model_decode(ctx, model, 1, i->latents, block, block + D, block + D + M,
                           block + D + M + M * M) == RM2_OK);
    for (size_t k = 0; k < count; k++)
        CHECK(isfinite(block[k]));
    free(block);
}

/* The copy has no byte more than the file. */
static void read_model(size_t size) {
    unsigned char *copy = malloc(size + (size == 0));
    rm2_model *model = NULL;
    CHECK(copy);
    memcpy(copy, forged, size);
    rm2_status status = rm2i_model_readable(ctx, copy, size, "fuzz", NULL);
    if (status == RM2_OK)
        status = rm2_model_from_bytes(ctx, copy, size, "fuzz", &model);
    if (status == RM2_OK) {
        use_model(model);
    } else {
        CHECK(!model);
        check_message();
    }
    rm2_model_free(model);
    free(copy);
}

static void read_checkpoint(size_t size) {
    rm2i_saved saved;
    CHECK(pwrite(file_fd, forged, size, 0) == (ssize_t)size);
    CHECK(ftruncate(file_fd, (off_t)size) == 0);
    if (rm2i_checkpoint_read(ctx, file_path, fingerprint, &saved) != RM2_OK) {
        check_message();
        return;
    }
    for (size_t first = 0; first < saved.state_size;) {
        double some[100];
        size_t count = saved.state_size - first < 100 ? saved.state_size - first : 100;
        if (rm2i_file_some((rm2i_reader){ctx, saved.file, file_path, NULL}, "state", first, count,
                           some) != RM2_OK) {
            check_message();
            break;
        }
        first += count;
    }
    rm2i_saved_free(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!ctx)
        prepare();
    if (size == 0)
        return 0;
    const size_t which = data[0] % FILES;
    size_t forged_size = forge((script){data + 1, data + size}, &originals[which]);
    if (which < FILES - 1)
        read_model(forged_size);
    else
        read_checkpoint(forged_size);
    return 0;
}
