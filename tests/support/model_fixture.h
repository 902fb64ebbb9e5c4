/* Small data sets, models trained on them, and what holds for every model. */
#ifndef MODEL_FIXTURE_H
#define MODEL_FIXTURE_H

#include "riemann2/model.h"
#include "shared_context.h"

/* Of the group of tests: the shared context and an empty folder, which must be empty at the end. */
int model_set_up(void **state);
int model_tear_down(void **state);
/* A path in it; valid until the call after the next. */
const char *in_folder(const char *name);

rm2_data *example_data(const char *name, size_t trajectories, size_t points);
/* The same with its Euclidean factors scaled. */
rm2_data *scaled_example(const char *name, size_t trajectories, size_t points);
/* A data set with the manifold and trajectories of another, and other points. */
rm2_data *data_like(const rm2_data *data, const double *points, bool scale);
/* A copy of points as a data set; one trajectory if `trajectory`. */
rm2_data *data_of(const char *spec, size_t count, const double *points, bool trajectory);

rm2_fit_settings robust_settings(size_t iterations);
rm2_model *fit_model(const rm2_data *data, const rm2_fit_settings *s);
rm2_model *fit_model_with(const rm2_data *data, const rm2_fit_settings *s,
                          const rm2_checkpoint *checkpoint);

double *numbers(size_t count); /* zeros, the caller's to free */
void assert_finite(size_t count, const double *values);
double worst_defect(const rm2_manifold *m, size_t n, const double *points);

/* Everything a model says and predicts is finite, its training did not go down, its points are on
 * the manifold, and its reconstruction error is that of its decoded latents. */
void check_model(const rm2_model *model);

#endif
