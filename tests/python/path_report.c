/* A report on a path by the calls in C, for the test that compares it with the program and with Python.
 * path_report MODEL FROM TO LIMIT [NAME=VALUE ...]: between two training points; settings of the space, and one sphere
 * as avoid=X,Y,RADIUS. Prints the reasons and the numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "riemann2.h"

static rm2_context *ctx;

static void must(rm2_status status) {
    if (status == RM2_OK)
        return;
    (void)fprintf(stderr, "%s\n", rm2_context_error(ctx));
    exit(1);
}

static void read_settings(int count, char **words, rm2_space_settings *s, rm2_obstacles *obstacles,
                          rm2_region *ball) {
    for (int k = 0; k < count; k++) {
        char *value = strchr(words[k], '=');
        *value++ = 0;
        if (strcmp(words[k], "avoid") != 0) {
            must(rm2_settings_set(ctx, rm2_settings_table_of(RM2_SETTINGS_SPACE), s, words[k],
                                  value));
            continue;
        }
        *ball = (rm2_region){.kind = RM2_REGION_SPHERE, .dim = 2};
        (void)sscanf(value, "%lf,%lf,%lf", &ball->a[0], &ball->a[1], &ball->radius);
        *obstacles = (rm2_obstacles){1, ball, RM2_ALL_FACTORS};
        s->obstacles = obstacles;
    }
}

static void print(const rm2_path_report *r) {
    (void)printf("%d|", r->reliable);
    for (rm2_path_reason k = 0; (k = rm2_path_next_reason(r->reasons, k));) {
        char text[RM2_REASON_SIZE];
        rm2_path_reason_text(r, k, text, sizeof text);
        (void)printf("%s: %s|", rm2_path_reason_name(k), text);
    }
    (void)printf("\n%zu %.17g %.17g %.17g %.17g %.17g %.17g %.17g", r->nodes, r->length, r->energy,
                 r->straight, r->error, r->clearance, r->over_spread, r->spread);
    for (size_t p = 0; p < RM2_CURVE_PARTS; p++)
        (void)printf(" %.17g %.17g %.17g %.17g", r->smoothness.turning[p], r->smoothness.jerk[p],
                     r->demonstrated.turning[p], r->demonstrated.jerk[p]);
    (void)printf("\n");
}

int main(int argc, char **argv) {
    rm2_model *model;
    rm2_vicinity *vicinity;
    rm2_space *space;
    rm2_curve *curve;
    rm2_obstacles obstacles;
    rm2_region ball;
    rm2_path_report report = {.size = sizeof report};
    rm2_report_settings with = rm2_report_settings_default();
    rm2_space_settings s = rm2_space_settings_default();
    if (argc < 5 || rm2_context_create(&ctx) != RM2_OK)
        return 1;
    must(rm2_model_read(ctx, argv[1], &model));
    read_settings(argc - 5, argv + 5, &s, &obstacles, &ball);
    const rm2_model_info *info = rm2_model_info_of(model);
    const double *from = info->latents + (size_t)atoi(argv[2]) * info->latent_dim;
    const double *to = info->latents + (size_t)atoi(argv[3]) * info->latent_dim;
    must(rm2_vicinity_create(ctx, model, &vicinity));
    with.vicinity = vicinity;
    with.spread_limit = atof(argv[4]);
    with.nodes = s.nodes;
    s.nodes = rm2_path_measured_nodes(s.nodes);
    must(rm2_space_create(ctx, model, &s, 0, NULL, &space));
    must(rm2_space_geodesic(ctx, space, from, to, &curve));
    must(rm2_path_measure(ctx, space, curve, &with, NULL, &report));
    print(&report);
    rm2_curve_free(curve);
    rm2_space_free(space);
    rm2_vicinity_free(vicinity);
    rm2_model_free(model);
    rm2_context_free(ctx);
    return 0;
}
