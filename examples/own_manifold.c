/* A manifold of one's own: the sphere of radius 3, made from the unit sphere's table by scaling. It is
 * put through the library's conformance suite; a model is trained on it, written, read again where the
 * geometry is registered, and a geodesic of the model computed.
 * cc own_manifold.c $(pkg-config --cflags --libs riemann2) -o own_manifold */
#include <math.h>
#include <stdio.h>

#include <riemann2.h>

#define RADIUS    3.0
#define FILE_NAME "own_manifold.rm2"
enum { MAX_DIM = 64 };
enum { LENGTH = 20, POINTS = 3 * LENGTH, AMBIENT = 4, NODES = 9 }; /* R1 x Large2: 1 + 3 entries */

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
    if (!passed)
        printf("FAILED %-48s %.1e (bound %.1e)\n", property, worst, bound);
}

/* The table: the unit sphere's, except where lengths enter. */
static rm2_geometry large_sphere(void) {
    rm2_geometry g = rm2_sphere;
    g.name = "Large";
    g.n_max = MAX_DIM;
    g.to_coords = to_coords;
    g.from_coords = from_coords;
    g.exp = exponential;
    g.log = logarithm;
    g.distance = distance;
    g.injectivity_radius = injectivity_radius;
    g.transport = transport;
    g.dexp = dexp;
    g.log_volume = log_volume;
    g.metric = metric;
    g.metric_derivative = metric_derivative;
    g.metric_norms = NULL; /* the library makes them from the two above */
    return g;
}

/* Does the table do what a geometry must? */
static rm2_status test(rm2_context *ctx, const rm2_manifold *m) {
    size_t failures;
    rm2_status status = rm2_manifold_selftest(ctx, m, 20, print, NULL, &failures);
    if (status == RM2_OK)
        printf("%s: %zu properties of a Riemannian manifold do not hold\n", rm2_manifold_spec(m),
               failures);
    return status == RM2_OK && failures ? RM2_ERR_NUMERIC : status;
}

/* Train on three arcs, at heights of their own, and write the model to a file. */
static rm2_status train(rm2_context *ctx, const rm2_manifold *m) {
    double points[POINTS * AMBIENT];
    int64_t arc[POINTS];
    rm2_data *data = NULL;
    rm2_model *model = NULL;
    for (size_t i = 0; i < POINTS; i++) {
        double t = 0.08 * (double)(i % LENGTH), height = 0.2 * (double)(i / LENGTH);
        double r = sqrt(1 - height * height), *p = points + AMBIENT * i;
        arc[i] = (int64_t)(i / LENGTH);
        p[0] = t; /* on the line, how far along the arc */
        p[1] = r * cos(t);
        p[2] = r * sin(t);
        p[3] = height;
    }
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = m,
                              .source = "arcs",
                              .count = POINTS,
                              .points = points,
                              .group_numbers = arc};
    rm2_status status = rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL);
    if (status == RM2_OK)
        status = rm2_fit(ctx, data, NULL, NULL, &model);
    if (status == RM2_OK)
        status = rm2_model_write(ctx, model, FILE_NAME, true);
    rm2_model_free(model);
    rm2_data_free(data);
    return status;
}

/* The geodesic from the first training point to the last, and where it leads on the manifold. */
static rm2_status connect(rm2_context *ctx, const rm2_model *model) {
    const rm2_model_info *info = rm2_model_info_of(model);
    const double *z = info->latents;
    double points[NODES * AMBIENT];
    rm2_space_settings settings = rm2_space_settings_default();
    rm2_space *space = NULL;
    rm2_curve *curve = NULL;
    settings.nodes = NODES;
    rm2_status status = rm2_space_create(ctx, model, &settings, 0, NULL, &space);
    if (status == RM2_OK)
        status =
            rm2_space_geodesic(ctx, space, z, z + (info->points - 1) * info->latent_dim, &curve);
    if (status == RM2_OK)
        status = rm2_space_decode(ctx, space, NODES, curve->x, points, NULL);
    for (size_t k = 0; status == RM2_OK && k < NODES; k++) {
        const double *p = points + AMBIENT * k;
        printf("%6.3f  %6.3f %6.3f %6.3f\n", p[0], p[1], p[2], p[3]);
    }
    rm2_curve_free(curve);
    rm2_space_free(space);
    return status;
}

/* Read the model as another program would: in a context that must be told of the geometry first. */
static rm2_status use(const rm2_geometry *geometry) {
    rm2_context *ctx = NULL;
    rm2_model *model = NULL;
    rm2_status status = rm2_context_create(&ctx);
    if (status == RM2_OK && rm2_model_read(ctx, FILE_NAME, &model) != RM2_ERR_UNSUPPORTED)
        status = RM2_ERR_NUMERIC;
    printf("%s\n", rm2_context_error(ctx));
    if (status == RM2_OK)
        status = rm2_manifold_register(ctx, geometry);
    if (status == RM2_OK)
        status = rm2_model_read(ctx, FILE_NAME, &model);
    if (status == RM2_OK)
        status = connect(ctx, model);
    if (status != RM2_OK)
        fprintf(stderr, "%s\n", rm2_context_error(ctx));
    rm2_model_free(model);
    rm2_context_free(ctx);
    return status;
}

int main(void) {
    const rm2_geometry large = large_sphere();
    const rm2_factor factors[] = {{.geometry = &rm2_euclidean, .n = 1},
                                  {.geometry = &large, .n = 2}};
    rm2_context *ctx = NULL;
    rm2_manifold *m = NULL;
    rm2_status status = rm2_context_create(&ctx);
    if (status == RM2_OK)
        status = rm2_manifold_from_factors(ctx, factors, 2, &m);
    if (status == RM2_OK)
        status = test(ctx, m);
    if (status == RM2_OK)
        status = train(ctx, m);
    if (status != RM2_OK)
        fprintf(stderr, "%s\n", rm2_context_error(ctx));
    rm2_manifold_free(m);
    rm2_context_free(ctx);
    return status == RM2_OK && use(&large) == RM2_OK ? 0 : 1;
}
