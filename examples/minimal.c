/* From arrays to a latent space, a geodesic in it, and back to the sphere.
 * cc minimal.c $(pkg-config --cflags --libs riemann2) -o minimal */
#include <math.h>
#include <stdio.h>

#include <riemann2.h>

#define TRY(call)                                                                                  \
    if ((call) != RM2_OK)                                                                          \
    return printf("%s\n", rm2_context_error(ctx)), 1

int main(void) {
    double points[60 * 3], decoded[200 * 3];
    int64_t arc[60]; /* three arcs of 20 points on S2, one above the other */
    for (int i = 0; i < 60; i++) {
        double t = 0.08 * (i % 20), height = 0.2 * (i / 20), r = sqrt(1 - height * height);
        points[3 * i] = r * cos(t), points[3 * i + 1] = r * sin(t), points[3 * i + 2] = height;
        arc[i] = i / 20;
    }
    rm2_context *ctx = NULL;
    rm2_manifold *sphere;
    rm2_data *data;
    rm2_model *model;
    rm2_space *space;
    rm2_curve *curve;
    TRY(rm2_context_create(&ctx));
    TRY(rm2_manifold_create(ctx, "S2", &sphere));
    rm2_data_arrays set = {.size = sizeof set,
                           .manifold = sphere,
                           .count = 60,
                           .points = points,
                           .group_numbers = arc};
    TRY(rm2_data_create(ctx, &set, NULL, &data, NULL, NULL));
    TRY(rm2_fit(ctx, data, NULL, NULL, &model));
    TRY(rm2_space_create(ctx, model, NULL, 0, NULL, &space));
    const double *z = rm2_model_info_of(model)->latents; /* 60 x 2; from the first to the last */
    TRY(rm2_space_geodesic(ctx, space, z, z + 2 * 59, &curve));
    TRY(rm2_space_decode(ctx, space, curve->nodes, curve->x, decoded, NULL));
    for (size_t i = 0; i < curve->nodes; i += 20) /* of 200 */
        printf("%6.3f %6.3f %6.3f\n", decoded[3 * i], decoded[3 * i + 1], decoded[3 * i + 2]);
    rm2_curve_free(curve), rm2_space_free(space), rm2_model_free(model), rm2_data_free(data);
    rm2_manifold_free(sphere), rm2_context_free(ctx);
}
