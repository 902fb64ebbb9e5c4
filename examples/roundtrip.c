/* Distances and interpolation on R3 x S3: reads two poses, walks the geodesic between them.
 * cc roundtrip.c $(pkg-config --cflags --libs riemann2) -o roundtrip */
#include <stdio.h>

#include <riemann2.h>

int main(void) {
    rm2_context *ctx = NULL;
    rm2_manifold *poses = NULL;
    /* position in metres, unit quaternion w x y z */
    const double start[7] = {0.3, 0.0, 0.2, 1, 0, 0, 0};
    const double goal[7] = {0.5, 0.2, 0.4, 0.6, 0, 0.8, 0};
    double direction[6], step[6], pose[7], distance;

    rm2_status status = rm2_context_create(&ctx);
    if (status == RM2_OK)
        status = rm2_manifold_create(ctx, "R3 x S3", &poses);
    if (status == RM2_OK)
        status = rm2_manifold_distance(ctx, poses, 1, start, 1, goal, &distance);
    if (status == RM2_OK)
        status = rm2_manifold_log_coords(ctx, poses, 1, start, 1, goal, direction);
    for (int k = 0; status == RM2_OK && k <= 4; k++) {
        for (int i = 0; i < 6; i++)
            step[i] = direction[i] * k / 4;
        status = rm2_manifold_exp_coords(ctx, poses, 1, start, 1, step, pose);
        if (status == RM2_OK)
            printf("%.2f  %6.3f %6.3f %6.3f  %6.3f %6.3f %6.3f %6.3f\n", k / 4.0, pose[0], pose[1],
                   pose[2], pose[3], pose[4], pose[5], pose[6]);
    }
    if (status == RM2_OK)
        printf("distance %.6f\n", distance);
    else
        fprintf(stderr, "%s\n", rm2_context_error(ctx));
    rm2_manifold_free(poses);
    rm2_context_free(ctx);
    return status == RM2_OK ? 0 : 1;
}
