/* Forged model files and checkpoints. The input says how to forge: its first byte chooses a valid file,
 * which was made at the start by training; what follows are changes of the fields of its structures, of its
 * values, of any byte, or of its end. Then all checksums and the seal are set right, so that the
 * changes reach the reader. A model that is read must predict finite numbers. */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "h5_forge.h"
#include "hdf5/bytes.h"
#include "hdf5/h5_read.h"
#include "riemann2/fit.h"
#include "train/train.h"

enum { FILES = 6, COMPACT = 4, FILE_MAX = 1 << 16, FIELDS_MAX = 1 << 13, DEMOS = 2, POINTS = 5 };

typedef struct original {
    unsigned char *bytes;
    size_t size;
    h5_field *fields;
    size_t count;
} original;

static original originals[FILES]; /* the last is a checkpoint */
static unsigned char forged[FILE_MAX];
static int file_fd = -1; /* holds the forged file */
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

static void load(const char *path, original *o) {
    FILE *stream = fopen(path, "rb");
    o->bytes = malloc(FILE_MAX);
    o->fields = calloc(FIELDS_MAX, sizeof *o->fields);
    CHECK(stream && o->bytes && o->fields);
    o->size = fread(o->bytes, 1, FILE_MAX, stream);
    o->count = h5_fields(o->bytes, o->size, o->fields, FIELDS_MAX);
    CHECK(o->size < FILE_MAX && o->count > 100 && o->count < FIELDS_MAX);
    CHECK(fclose(stream) == 0 && unlink(path) == 0);
}

static void make_file(rm2_context *ctx, const rm2_data *data, size_t which, const char *path) {
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

/* The file that forged ones are written to has no name, so that nothing is left behind. */
static void prepare(void) {
    rm2_generate_settings toy = {.size = sizeof toy, .trajectories = DEMOS, .points = POINTS};
    char folder[] = "/tmp/rm2-fuzz-XXXXXX", path[64];
    rm2_context *ctx;
    rm2_data *data;
    CHECK(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/file", folder);
    CHECK(rm2_context_create(&ctx) == RM2_OK);
    rm2_context_set_threads(ctx, 1);
    CHECK(rm2_data_generate(ctx, "toy", &toy, &data) == RM2_OK);
    for (size_t k = 0; k < FILES; k++)
        make_file(ctx, data, k, path);
    rm2_data_free(data);
    rm2_context_free(ctx);
    file_fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(file_fd >= 0 && unlink(path) == 0 && rmdir(folder) == 0);
    (void)snprintf(file_path, sizeof file_path, "/dev/fd/%d", file_fd);
}

/* ---- changes -------------------------------------------------------------------------------- */

typedef struct script {
    const uint8_t *at, *end;
} script;

/* The next bytes as a number; 0 where there are no more. */
static uint64_t next(script *s, size_t bytes) {
    size_t left = (size_t)(s->end - s->at), some = bytes < left ? bytes : left;
    uint64_t value = rm2i_load(s->at, some);
    s->at += some;
    return value;
}

/* A number for a field: ends of ranges, neighbours of the old one, places in the file. */
static uint64_t choose_number(unsigned choice, const original *o, const h5_field *f, uint64_t old) {
    const uint64_t base = RM2I_H5_BLOCK, at = f->at;
    const uint64_t numbers[] = {0,
                                1,
                                UINT64_MAX,
                                UINT64_MAX / 2 + 1,
                                old + 1,
                                old - 1,
                                2 * old,
                                at - base,
                                at - base - 8,
                                o->size,
                                o->size - base,
                                o->size - base - 8,
                                UINT64_C(0xff0000000030),
                                old ^ 1,
                                old ^ 0x80,
                                rm2i_load(o->bytes + base + 36, 8)};
    return numbers[choice % (sizeof numbers / sizeof *numbers)];
}

static double choose_value(unsigned choice) {
    static const double values[] = {
        0, -0.0, 1,   -1, 0.5,      1e-320,    1e-160, 1e-80,  1e80,   1e160,  1e308, -1e308, 2,
        3, 1e-8, 1e8, -2, INFINITY, -INFINITY, NAN,    0x1p53, 0x1p63, 0x1p64, 1e3,   16};
    return values[choice % (sizeof values / sizeof *values)];
}

/* The n-th field of values or of others, from any one on. */
static const h5_field *field_at(const original *o, uint64_t n, bool values) {
    size_t k = (size_t)(n % o->count);
    while (o->fields[k].values != values)
        k = (k + 1) % o->count;
    return &o->fields[k];
}

static void change_field(script *s, const original *o, bool any) {
    const h5_field *f = field_at(o, next(s, 2), false);
    uint64_t old = rm2i_load(o->bytes + f->at, f->width);
    uint64_t value = any ? next(s, f->width) : choose_number((unsigned)next(s, 1), o, f, old);
    rm2i_store(forged + f->at, value, f->width);
}

static void change_value(script *s, const original *o, bool any) {
    const h5_field *f = field_at(o, next(s, 2), true);
    size_t width = f->width < 8 ? f->width : 8, entry = (size_t)next(s, 1) % (f->width / width);
    double value = any ? 0 : choose_value((unsigned)next(s, 1));
    uint64_t bits = next(s, any ? width : 0);
    if (!any)
        memcpy(&bits, &value, sizeof bits);
    rm2i_store(forged + f->at + entry * width, bits, width);
}

/* Returns the new size. */
static size_t forge(script s, const original *o) {
    size_t size = o->size;
    memcpy(forged, o->bytes, size);
    while (s.at < s.end)
        switch (next(&s, 1) % 7) {
        case 0:
        case 1:
            change_field(&s, o, false);
            break;
        case 2:
            change_field(&s, o, true);
            break;
        case 3:
            change_value(&s, o, false);
            break;
        case 4:
            change_value(&s, o, true);
            break;
        case 5:
            forged[next(&s, 2) % o->size] = (unsigned char)next(&s, 1);
            break;
        default:
            size = RM2I_H5_BLOCK + (size_t)next(&s, 2) % (o->size - RM2I_H5_BLOCK + 1);
        }
    h5_mend(forged, size);
    return size;
}

/* ---- readers -------------------------------------------------------------------------------- */

static void check_message(rm2_context *ctx) {
    CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
}

static void read_dataset(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t size) {
    size_t dims, shape[RM2_ARRAY_MAX_DIMS], elements = 1, *sizes;
    double *values;
    char **texts;
    if (rm2i_h5_shape(ctx, h5, name, &dims, shape) != RM2_OK)
        return;
    for (size_t k = 0; k < dims; k++)
        elements *= shape[k];
    CHECK(elements <= size);
    if (rm2i_h5_get_doubles(ctx, h5, name, dims, shape, &values) == RM2_OK)
        free(values);
    else if (rm2i_h5_get_sizes(ctx, h5, name, dims, shape, &sizes) == RM2_OK)
        free(sizes);
    else if (rm2i_h5_get_texts(ctx, h5, name, shape, &texts) == RM2_OK)
        rm2i_texts_free(texts, elements);
}

/* Every member of the root group and of the groups in it. */
static void read_structures(rm2_context *ctx, const rm2i_h5 *h5, size_t size) {
    const rm2i_h5_object *root = h5->objects;
    for (size_t k = root->first; k < root->first + root->count; k++) {
        char name[600];
        const rm2i_h5_object *o = &h5->objects[k];
        int at = snprintf(name, sizeof name, "%.*s", (int)o->length, (const char *)o->name);
        CHECK(rm2i_h5_has(h5, name));
        read_dataset(ctx, h5, name, size);
        for (size_t j = o->first; o->kind == RM2I_H5_GROUP && j < o->first + o->count; j++) {
            (void)snprintf(name + at, sizeof name - (size_t)at, "/%.*s", (int)h5->objects[j].length,
                           (const char *)h5->objects[j].name);
            CHECK(rm2i_h5_has(h5, name));
            read_dataset(ctx, h5, name, size);
        }
    }
}

static void use_model(rm2_context *ctx, const rm2_model *model) {
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

static void read_model(rm2_context *ctx) {
    rm2_model *model;
    if (rm2_model_read(ctx, file_path, &model) == RM2_OK) {
        use_model(ctx, model);
    } else {
        CHECK(!model);
        check_message(ctx);
    }
    rm2_model_free(model);
}

static void read_checkpoint(rm2_context *ctx, size_t fingerprint) {
    rm2i_saved saved;
    if (rm2i_checkpoint_read(ctx, file_path, fingerprint, &saved) != RM2_OK) {
        check_message(ctx);
        return;
    }
    for (size_t first = 0; first < saved.state_size;) {
        double some[100];
        size_t count = saved.state_size - first < 100 ? saved.state_size - first : 100;
        if (rm2i_h5_get_some(ctx, saved.file, &(rm2i_h5_some){"state", first, count}, some) !=
            RM2_OK) {
            check_message(ctx);
            break;
        }
        first += count;
    }
    rm2i_saved_free(&saved);
}

/* The structures, then what they stand for. The copy has no byte more than the file. */
static void read_forged(rm2_context *ctx, size_t size, bool is_model) {
    unsigned char *copy = malloc(size);
    size_t fingerprint = 0;
    rm2i_h5 *h5;
    CHECK(copy);
    memcpy(copy, forged, size);
    if (rm2i_h5_open_bytes(ctx, copy, size, "fuzz", &h5) == RM2_OK) {
        read_structures(ctx, h5, size);
        (void)rm2i_h5_get_size(ctx, h5, "fingerprint", &fingerprint);
    } else {
        CHECK(!h5);
        check_message(ctx);
    }
    rm2i_h5_close(h5);
    free(copy);
    if (is_model)
        read_model(ctx);
    else
        read_checkpoint(ctx, fingerprint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    if (file_fd < 0)
        prepare();
    if (size == 0 || rm2_context_create(&ctx) != RM2_OK)
        return 0;
    rm2_context_set_threads(ctx, 1);
    const size_t which = data[0] % FILES;
    size_t forged_size = forge((script){data + 1, data + size}, &originals[which]);
    CHECK(pwrite(file_fd, forged, forged_size, 0) == (ssize_t)forged_size);
    CHECK(ftruncate(file_fd, (off_t)forged_size) == 0);
    read_forged(ctx, forged_size, which < FILES - 1);
    rm2_context_free(ctx);
    return 0;
}
