/* mean and distance on the manifold itself: a file of points in place of a model. */
#ifndef RM2_CLI_POINTS_H
#define RM2_CLI_POINTS_H

#include "core/model.h"

/* Own options of `mean`. */
typedef struct mean_options {
    bool test; /* --test */
    rm2_test_settings test_settings;
    setting_options test_from;
} mean_options;

mean_options mean_options_default(void);
extern const option mean_points_table[];

/* Where the summary goes: standard output, unless that has the table. */
FILE *points_summary(const model_work *m);

/* For model_action.run_on_points. */
int mean_of_points(const model_work *m, data_options *options);
int distance_of_points(const model_work *m, data_options *options);

#endif
