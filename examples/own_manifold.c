/* A manifold of one's own: the sphere of radius 3, made from the unit sphere's table by scaling,
 * and put through the library's conformance suite for manifolds. cc own_manifold.c $(pkg-config
 * --cflags --libs riemann2) -lm -o own_manifold */
#include <stdio.h>

#include <riemann2.h>

#define RADIUS 3.0
enum { MAX_DIM = 64 };

/* Points stay unit vectors; lengths are RADIUS times those of the unit sphere. So coordinates of
 * this manifold are RADIUS times the unit sphere's. */
static void scaled(size_t n, const double *c, double by, double *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = by * c[i];
}

static void to_coords(size_t n, const double *frame, const double *v, double *c, double *work) {
    double unit[MAX_DIM];
    rm2_sphere.to_coords(n, frame, v, unit, work);
    scaled(n, unit, RADIUS, c);
}

static void from_coords(size_t n, const double *frame, const double *c, double *v, double *work) {
    double unit[MAX_DIM];
    scaled(n, c, 1 / RADIUS, unit);
    rm2_sphere.from_coords(n, frame, unit, v, work);
}

static rm2_status exponential(size_t n, const double *frame, const double *c, double *y,
                              double *work) {
    double unit[MAX_DIM];
    scaled(n, c, 1 / RADIUS, unit);
    return rm2_sphere.exp(n, frame, unit, y, work);
}

static rm2_status logarithm(size_t n, const double *frame, const double *q, double *c,
                            double *work) {
    double unit[MAX_DIM];
    rm2_status status = rm2_sphere.log(n, frame, q, unit, work);
    if (status == RM2_OK)
        scaled(n, unit, RADIUS, c);
    return status;
}

static rm2_status distance(size_t n, const double *p, const double *q, double *d, double *work) {
    rm2_status status = rm2_sphere.distance(n, p, q, d, work);
    *d *= RADIUS;
    return status;
}

static double injectivity_radius(size_t n) {
    return RADIUS * rm2_sphere.injectivity_radius(n);
}

static rm2_status transport(size_t n, const double *frame, const double *c, const double *z,
                            double *out, double *work) {
    double unit_c[MAX_DIM], unit_z[MAX_DIM];
    scaled(n, c, 1 / RADIUS, unit_c);
    scaled(n, z, 1 / RADIUS, unit_z);
    return rm2_sphere.transport(n, frame, unit_c, unit_z, out, work);
}

static rm2_status dexp(size_t n, const double *frame, const double *c, const double *w, double *out,
                       double *work) {
    double unit_c[MAX_DIM], unit_w[MAX_DIM];
    scaled(n, c, 1 / RADIUS, unit_c);
    scaled(n, w, 1 / RADIUS, unit_w);
    return rm2_sphere.dexp(n, frame, unit_c, unit_w, out, work);
}

static rm2_status log_volume(size_t n, const double *c, double *value, double *work) {
    double unit[MAX_DIM];
    scaled(n, c, 1 / RADIUS, unit);
    return rm2_sphere.log_volume(n, unit, value, work);
}

static rm2_status metric(size_t n, const double *c, const rm2_product_query *query, double *work) {
    double unit[MAX_DIM];
    scaled(n, c, 1 / RADIUS, unit);
    return rm2_sphere.metric(n, unit, query, work);
}

static rm2_status metric_derivative(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work) {
    double unit_c[MAX_DIM], unit_z[MAX_DIM];
    scaled(n, c, 1 / RADIUS, unit_c);
    scaled(n, z, 1 / RADIUS, unit_z);
    return rm2_sphere.metric_derivative(n, unit_c, unit_z, query, work);
}

static void print(void *user, const char *property, double worst, double bound, bool passed) {
    (void)user;
    printf("%-6s %-48s %.1e (bound %.1e)\n", passed ? "ok" : "FAILED", property, worst, bound);
}

int main(void) {
    rm2_geometry large_sphere = rm2_sphere;
    large_sphere.name = "L";
    large_sphere.n_max = MAX_DIM;
    large_sphere.to_coords = to_coords;
    large_sphere.from_coords = from_coords;
    large_sphere.exp = exponential;
    large_sphere.log = logarithm;
    large_sphere.distance = distance;
    large_sphere.injectivity_radius = injectivity_radius;
    large_sphere.transport = transport;
    large_sphere.dexp = dexp;
    large_sphere.log_volume = log_volume;
    large_sphere.metric = metric;
    large_sphere.metric_derivative = metric_derivative;
    large_sphere.metric_norms =
        NULL; /* the unit sphere's: the library falls back to the two above */

    const rm2_factor factors[] = {{.geometry = &rm2_euclidean, .n = 2},
                                  {.geometry = &large_sphere, .n = 2}};
    rm2_context *ctx = NULL;
    rm2_manifold *m = NULL;
    size_t failures = 0;
    rm2_status status = rm2_context_create(&ctx);
    if (status == RM2_OK)
        status = rm2_manifold_from_factors(ctx, factors, 2, &m);
    if (status == RM2_OK)
        status = rm2_manifold_selftest(ctx, m, 20, print, NULL, &failures);
    if (status != RM2_OK)
        fprintf(stderr, "%s\n", rm2_context_error(ctx));
    rm2_manifold_free(m);
    rm2_context_free(ctx);
    return status == RM2_OK && failures == 0 ? 0 : 1;
}
