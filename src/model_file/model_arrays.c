/* Arrays of a model file whose sizes follow from data and settings: one row each. Adding an array is adding a row. */
#include <stddef.h>

#include "model_file/check_model.h"
#include "model_file/model_file.h"

/* Extents that depend on the model; smaller ones are meant as they are. */
enum { POINTS = 1000, OUTPUTS, LATENTS, AMBIENT };

typedef struct row {
    const char *name;
    size_t shape[2]; /* ends with 0; a single value has none */
    size_t offset;   /* in rm2_model: of the value or values, or of the pointer to them */
    bool pointer;
    bool (*when)(const rm2_model *model); /* is it there, by data and settings? NULL: always */
    const rm2i_range *range;
} row;

#define VALUE(member)  offsetof(rm2_model, member), false
#define VALUES(member) offsetof(rm2_model, member), true

/* Squares of entries of data, and sums of some; their inverses are finite. */
static const rm2i_range VARIANCE = {1e-301, 1e301, "positive, between 1e-301 and 1e301"};
static const rm2i_range FREEDOM = {2 + 1e-9, 1e15, "above 2, and at most 1e15"};

static bool is_integrated(const rm2_model *m) {
    return m->settings.task == RM2_TASK_INTEGRATED;
}

static bool has_linear(const rm2_model *m) {
    return m->settings.linear.start > 0;
}

static bool has_task_noise(const rm2_model *m) {
    return m->task_noise != NULL;
}

static bool has_dynamics(const rm2_model *m) {
    return m->settings.gpdm_weight > 0;
}

static bool has_back_constraint(const rm2_model *m) {
    return m->back_weights != NULL;
}

static const row rows[] = {
    {"data/outputs", {OUTPUTS, POINTS}, VALUES(F), NULL, &rm2i_finite},
    {"data/mean", {OUTPUTS}, VALUES(mean), NULL, &rm2i_finite},
    {"data/base", {AMBIENT}, VALUES(base), NULL, &rm2i_finite},
    {"parameters/latents", {POINTS, LATENTS}, VALUES(X), NULL, &rm2i_finite},
    {"parameters/lengthscale", {LATENTS}, VALUES(lengthscale), NULL, &rm2i_length},
    {"parameters/variance", {0}, VALUE(variance), NULL, &VARIANCE},
    {"parameters/linear", {0}, VALUE(linear), has_linear, &VARIANCE},
    {"parameters/noise", {0}, VALUE(noise), NULL, &VARIANCE},
    {"parameters/freedom", {0}, VALUE(freedom), is_integrated, &FREEDOM},
    {"parameters/latent_noise", {0}, VALUE(latent_noise), is_integrated, &VARIANCE},
    {"parameters/task_noise", {OUTPUTS}, VALUES(task_noise), has_task_noise, &VARIANCE},
    {"parameters/task_covariance", {OUTPUTS, OUTPUTS}, VALUES(Kf), NULL, &rm2i_finite},
    {"parameters/gpdm", {3}, VALUE(gpdm), has_dynamics, &VARIANCE},
    {"parameters/back_weights",
     {POINTS, LATENTS},
     VALUES(back_weights),
     has_back_constraint,
     &rm2i_entry},
    {"training/start", {RM2I_TERMS}, VALUE(training.start), NULL, &rm2i_finite},
    {"training/end", {RM2I_TERMS}, VALUE(training.end), NULL, &rm2i_finite},
    {"training/volume", {0}, VALUE(volume), NULL, &rm2i_finite},
};

static size_t extent_of(const rm2_model *m, size_t extent) {
    switch (extent) {
    case POINTS:
        return m->N;
    case OUTPUTS:
        return m->M;
    case LATENTS:
        return m->Q;
    case AMBIENT:
        return rm2_manifold_ambient(m->manifold);
    default:
        return extent;
    }
}

/* The row's shape in this model; returns the number of values. */
static size_t shape_of(const rm2_model *m, const row *a, size_t *dims, size_t shape[2]) {
    size_t count = 1;
    for (*dims = 0; *dims < 2 && a->shape[*dims]; ++*dims)
        count *= shape[*dims] = extent_of(m, a->shape[*dims]);
    return count;
}

static double *values_of(const rm2_model *m, const row *a) {
    char *member = (char *)m + a->offset;
    return a->pointer ? *(double **)(void *)member : (double *)(void *)member;
}

rm2_status rm2i_model_arrays_put(rm2i_file_writer w, const rm2_model *m) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t dims, shape[2];
        (void)shape_of(m, &rows[k], &dims, shape);
        if (!rows[k].when || rows[k].when(m))
            RM2_TRY(rm2i_file_put_doubles(w, rows[k].name, dims, shape, values_of(m, &rows[k])));
    }
    return RM2_OK;
}

rm2_status rm2i_model_arrays_get(rm2i_reader r, rm2_model *m) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *a = &rows[k];
        size_t dims, shape[2], count = shape_of(m, a, &dims, shape);
        if (a->when && !a->when(m))
            continue;
        RM2_TRY(rm2i_file_copy(r, a->name, dims, shape, values_of(m, a)));
        RM2_TRY(rm2i_check_range(r.ctx, r.path, a->name, count, values_of(m, a), a->range));
    }
    return RM2_OK;
}
