/* Acceptance of the recipe `points` on data that is not part of this repository: residuals, densities, distances and
 * neighbours of held-out points compared with principal components in the tangent space (PCA), probabilistic PCA and a
 * Ledoit-Wolf normal density. Usage: acceptance_points DATA [SET]; one line per set and latent dimension. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "linalg/dense.h"
#include "linalg/factor.h"
#include "math/special.h"
#include "metric/metric.h"
#include "riemann2.h"

enum { NEIGHBOURS = 7, PAIRED = 40, SIDES = 6, MOST_NAME = 64, MOST_PATH = 4096 };

typedef struct reference {
    const char *name, *manifold;
    size_t folds, Q;       /* folds 0 .. folds - 1 are held out in turn */
    double objective;      /* of all points, latents held; without constants of the priors */
    double ratio, density; /* of the study: residual over that of PCA, log density */
    bool distinct;
    double hyper[4]; /* g, l, c, nu of the objective: the maximum at principal components */
    double moved[3]; /* after the latents have moved: objective, e, s */
} reference;

static const reference references[] = {
    {"fnc",
     "SPD28",
     5,
     2,
     -14649.893484,
     0.999,
     -186.0,
     true,
     {0.433172, 3.08951, 76.3555, 539.961},
     {-14648.091764, 0.141386, 1.8884}},
    {"fnc",
     "SPD28",
     5,
     5,
     -12889.134854,
     1.000,
     -184.5,
     true,
     {0.141241, 2.30389, 144.917, 1134.63},
     {-12886.905937, 0.127455, 1.68765}},
    {"conn1",
     "SPD15",
     3,
     2,
     28072.455473,
     0.967,
     141.6,
     true,
     {4.94501, 2.98959, 2.40503, 463.612},
     {28097.330303, 0.00517537, 0.78028}},
    {"conn1",
     "SPD15",
     3,
     5,
     28039.254055,
     0.999,
     142.0,
     true,
     {0.0645702, 1.84473, 10.8233, 2305.4},
     {28040.079024, 0.00469255, 0.519775}},
    {"conn2",
     "SPD15",
     3,
     2,
     28134.226574,
     0.975,
     142.9,
     true,
     {1.4886, 2.17843, 2.47405, 478.04},
     {28149.531647, 0.00517426, 0.815343}},
    {"conn2",
     "SPD15",
     3,
     5,
     28042.836208,
     0.998,
     143.1,
     true,
     {0.1353, 2.34148, 10.8486, 2311.73},
     {28043.862887, 0.00469064, 0.538138}},
    {"spd3",
     "SPD3",
     3,
     2,
     -71.673689,
     0.661,
     -2.73,
     true,
     {1.02446, 0.854886, 0.232844, 1.83491},
     {-66.963496, 0.0605854, 0.938951}},
    {"spd3",
     "SPD3",
     3,
     5,
     63.857207,
     0.873,
     -2.21,
     true,
     {1.10862, 1.6827, 5.53735, 345.161},
     {64.489087, 0.0156218, 0.688263}},
    {"spd5",
     "SPD5",
     3,
     2,
     -34.702305,
     0.797,
     -2.36,
     true,
     {0.454893, 0.701124, 2.56796, 44.1159},
     {0.560417, 0.0493855, 0.943596}},
    {"spd5",
     "SPD5",
     3,
     5,
     194.166677,
     0.943,
     -2.43,
     true,
     {0.445862, 1.41473, 66.7387, 1833.76},
     {197.856291, 0.0357298, 0.693096}},
    {"spd8",
     "SPD8",
     3,
     2,
     -374.767450,
     0.973,
     -6.23,
     true,
     {0.247683, 1.137, 41.1182, 606.459},
     {-362.199532, 0.0667738, 0.988313}},
    {"spd8",
     "SPD8",
     3,
     5,
     -130.358795,
     0.999,
     -6.67,
     true,
     {0.0297818, 1.39218, 280.949, 4517.67},
     {-130.124253, 0.0620601, 0.710688}},
    {"spd5c",
     "SPD5",
     3,
     2,
     763.782590,
     0.458,
     8.32,
     true,
     {2.25492, 0.632075, 0.0627401, 0.441362},
     {835.085822, 0.0113881, 0.817125}},
    {"spd5c",
     "SPD5",
     3,
     5,
     1283.893753,
     0.321,
     11.50,
     true,
     {20.7772, 1.43039, 0.041423, 15.3817},
     {1312.588077, 0.00195626, 0.63292}},
    {"s2a",
     "S2",
     3,
     1,
     82.151694,
     0.480,
     -0.52,
     false,
     {6.93873, 0.60255, 7.56997, 448.644},
     {110.641670, 0.0110837, 0.840084}},
    {"s3a",
     "S3",
     3,
     2,
     106.745776,
     0.370,
     0.51,
     true,
     {21.0024, 1.38574, 5.27627, 445.604},
     {125.816065, 0.00849858, 0.618931}},
    {"h2a",
     "H2",
     3,
     1,
     -109.988899,
     0.186,
     -1.08,
     false,
     {1.23228, 0.459153, 104.341, 448.652},
     {74.885300, 0.0146488, 0.686335}},
    {"swiss",
     "R3",
     3,
     2,
     -274.978293,
     0.352,
     -3.47,
     true,
     {0.196182, 0.702762, 381.543, 749.871},
     {-203.444651, 0.214442, 0.841044}},
};

static rm2_context *ctx;

static void ok(rm2_status status) {
    if (status != RM2_OK) {
        (void)fprintf(stderr, "acceptance_points: %s\n", rm2_context_error(ctx));
        exit(1);
    }
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) {
        (void)fprintf(stderr, "acceptance_points: out of memory\n");
        exit(1);
    }
    return memory;
}

/* ---- sets ------------------------------------------------------------------------------------ */

typedef struct set {
    const rm2_manifold *manifold;
    rm2_data *data; /* all points */
    size_t N, D, M;
    double *points; /* N x D, units of the data */
    int *fold;
    size_t *label;
} set;

/* The first column of a file of numbers with a header. */
static void read_folds(const char *path, size_t n, int *fold) {
    char line[256];
    FILE *in = fopen(path, "r");
    bool good = in && fgets(line, sizeof line, in);
    for (size_t i = 0; good && i < n; i++) {
        good = fgets(line, sizeof line, in) != NULL;
        fold[i] = good ? (int)strtol(line, NULL, 10) : 0;
    }
    if (in)
        (void)fclose(in);
    if (!good) {
        (void)fprintf(stderr, "acceptance_points: %s has fewer than %zu folds\n", path, n);
        exit(1);
    }
}

/* Classes of the connectomes by the ids that their points are labelled with. */
static void read_classes(const char *path, set *s) {
    char line[256], id[MOST_NAME];
    FILE *in = fopen(path, "r");
    size_t found = 0;
    while (in && fgets(line, sizeof line, in)) {
        char *comma = strchr(line, ',');
        if (!comma || comma - line >= MOST_NAME)
            continue;
        memcpy(id, line, (size_t)(comma - line));
        id[comma - line] = 0;
        for (size_t i = 0; i < s->N; i++)
            if (strcmp(s->data->label_names[s->data->labels[i]], id) == 0) {
                s->label[i] = (size_t)strtol(comma + 1, NULL, 10);
                found++;
            }
    }
    if (in)
        (void)fclose(in);
    if (found != s->N) {
        (void)fprintf(stderr, "acceptance_points: %s has classes of %zu of %zu points\n", path,
                      found, s->N);
        exit(1);
    }
}

static void take_points(set *s) {
    s->manifold = s->data->manifold;
    s->N = s->data->count;
    s->D = rm2_manifold_ambient(s->manifold);
    s->M = rm2_manifold_dim(s->manifold);
    s->points = room(s->N * s->D, sizeof *s->points);
    s->fold = room(s->N, sizeof *s->fold);
    s->label = room(s->N, sizeof *s->label);
    rm2_data_original(s->data, s->points);
}

static void read_set(const char *folder, const reference *r, set *s) {
    char path[MOST_PATH];
    rm2_data_settings settings = rm2_data_settings_default();
    bool generated = strncmp(r->name, "conn", 4) == 0, real = strcmp(r->name, "fnc") == 0;
    *s = (set){.N = 0};
    settings.manifold = r->manifold;
    settings.align_signs = strcmp(r->manifold, "S3") != 0; /* points of S3, not rotations */
    settings.label = real ? "Id" : "label";
    settings.time = real ? NULL : "fold";
    settings.spd_layout = real ? RM2_SPD_UPPER : settings.spd_layout;
    settings.unit_diagonal = real;
    (void)snprintf(path, sizeof path, real ? "%s/connectomes/train_FNC.csv" : "%s/points/%s.csv",
                   folder, r->name);
    if (generated) {
        rm2_generate_settings g = rm2_generate_settings_default();
        g.seed = (uint64_t)(r->name[4] - '0');
        ok(rm2_data_generate(ctx, "connectome", &g, &s->data));
    } else {
        ok(rm2_data_read(ctx, path, &settings, &s->data, NULL, NULL));
    }
    take_points(s);
    if (generated || real) {
        (void)snprintf(path, sizeof path, "%s/points/%s_folds.csv", folder, r->name);
        read_folds(path, s->N, s->fold);
    }
    for (size_t i = 0; i < s->N; i++) {
        s->label[i] = s->data->labels ? s->data->labels[i] : 0;
        if (!generated && !real)
            s->fold[i] = (int)s->data->time[i];
    }
    if (real) {
        (void)snprintf(path, sizeof path, "%s/connectomes/train_labels.csv", folder);
        read_classes(path, s);
    }
}

static void free_set(set *s) {
    rm2_data_free(s->data);
    free(s->points);
    free(s->fold);
    free(s->label);
}

/* ---- one fold -------------------------------------------------------------------------------- */

typedef struct split {
    size_t n, t, M, Q;    /* training and test points */
    double *train, *test; /* n x D, t x D */
    size_t *train_label, *test_label;
    double *F, *V;            /* n x M, t x M: tangent coordinates, less the mean of the first */
    double *values, *vectors; /* of F^T F/n: M ascending, M x M rows */
    rm2_data *data;
    rm2_model *model;
    double *Z, *z; /* latents: n x Q of the model, t x Q of encoding */
} split;

static void divide(const set *s, int fold, split *p) {
    for (size_t i = 0; i < s->N; i++) {
        bool held = s->fold[i] == fold;
        double *to = held ? p->test + p->t * s->D : p->train + p->n * s->D;
        memcpy(to, s->points + i * s->D, s->D * sizeof *to);
        if (held)
            p->test_label[p->t++] = s->label[i];
        else
            p->train_label[p->n++] = s->label[i];
    }
}

static void find_tangent(const set *s, split *p) {
    const rm2_model_info *i = rm2_model_info_of(p->model);
    double *gram = p->vectors, *work = room(rm2i_symmetric_eigen_work(p->M), sizeof *work);
    int n = (int)p->n, M = (int)p->M;
    ok(rm2_manifold_log_coords(ctx, s->manifold, p->n, i->base, 1, p->train, p->F));
    ok(rm2_manifold_log_coords(ctx, s->manifold, p->t, i->base, 1, p->test, p->V));
    for (size_t k = 0; k < p->n * p->M; k++)
        p->F[k] -= i->mean[k % p->M];
    for (size_t k = 0; k < p->t * p->M; k++)
        p->V[k] -= i->mean[k % p->M];
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, M, n, 1 / (double)n, p->F, M, 0, gram, M);
    ok(rm2i_symmetric_eigen(p->M, gram, p->values, work));
    free(work);
}

/* Scores of rows of V: t x Q, components of the largest eigenvalues first. */
static void find_scores(const split *p, size_t t, const double *V, double *scores) {
    for (size_t i = 0; i < t; i++)
        for (size_t q = 0; q < p->Q; q++)
            scores[i * p->Q + q] = rm2i_dot(p->M, V + i * p->M, p->vectors + (p->M - 1 - q) * p->M);
}

static void open_split(const set *s, size_t Q, int fold, split *p) {
    rm2_fit_settings settings = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    size_t N = s->N, D = s->D, M = s->M;
    *p = (split){.M = M, .Q = Q};
    p->train = room(N * D, sizeof *p->train);
    p->test = room(N * D, sizeof *p->test);
    p->train_label = room(N, sizeof *p->train_label);
    p->test_label = room(N, sizeof *p->test_label);
    p->F = room(N * M, sizeof *p->F);
    p->V = room(N * M, sizeof *p->V);
    p->values = room(M, sizeof *p->values);
    p->vectors = room(M * M, sizeof *p->vectors);
    p->z = room(N * Q, sizeof *p->z);
    divide(s, fold, p);
    const rm2_data_arrays arrays = {
        .size = sizeof arrays, .manifold = s->manifold, .count = p->n, .points = p->train};
    rm2_data_settings of_data = rm2_data_settings_default();
    of_data.align_signs = strcmp(rm2_manifold_spec(s->manifold), "S3") != 0;
    settings.latent_dim = Q;
    ok(rm2_data_create(ctx, &arrays, &of_data, &p->data, NULL, NULL));
    ok(rm2_fit(ctx, p->data, &settings, NULL, &p->model));
    find_tangent(s, p);
}

static void close_split(split *p) {
    rm2_model_free(p->model);
    rm2_data_free(p->data);
    free(p->train);
    free(p->test);
    free(p->train_label);
    free(p->test_label);
    free(p->F);
    free(p->V);
    free(p->values);
    free(p->vectors);
    free(p->z);
}

/* ---- measures -------------------------------------------------------------------------------- */

typedef struct measures {
    double residual, pca, density, at_latent, ppca, lw, reach;
    double knn, knn_pca; /* shares of test points with the right label */
    double correlation, correlation_pca, scale;
    size_t test, coincident;
} measures;

/* Mean log density of rows under N(0, C), C from its eigenvalues in the basis of p->vectors. */
static double normal_density(const split *p, const double *values) {
    double sum = 0;
    for (size_t i = 0; i < p->t; i++)
        for (size_t k = 0; k < p->M; k++) {
            double y = rm2i_dot(p->M, p->V + i * p->M, p->vectors + k * p->M);
            sum -= 0.5 * (y * y / values[k] + log(values[k]) + RM2I_LOG_2PI);
        }
    return sum / (double)p->t;
}

static double ppca_density(const split *p) {
    double rest = 0, *values = room(p->M, sizeof *values);
    for (size_t k = 0; k < p->M - p->Q; k++)
        rest += fmax(p->values[k], 0) / (double)(p->M - p->Q);
    for (size_t k = 0; k < p->M; k++)
        values[k] = k < p->M - p->Q ? rest : p->values[k];
    double density = normal_density(p, values);
    free(values);
    return density;
}

/* Ledoit and Wolf (2004): S shrunk towards its mean variance. */
static double lw_density(const split *p) {
    double n = (double)p->n, m = (double)p->M, mean = 0, square = 0, fourth = 0;
    double *values = room(p->M, sizeof *values);
    for (size_t k = 0; k < p->M; k++) {
        mean += p->values[k] / m;
        square += p->values[k] * p->values[k];
    }
    for (size_t i = 0; i < p->n; i++)
        fourth += pow(rm2i_dot(p->M, p->F + i * p->M, p->F + i * p->M), 2) / n;
    double spread = square / m - mean * mean;
    double shrink = fmin((fourth - square) / n / m, spread) / spread;
    for (size_t k = 0; k < p->M; k++)
        values[k] = shrink * mean + (1 - shrink) * fmax(p->values[k], 0);
    double density = normal_density(p, values);
    free(values);
    return density;
}

static double squared_distance(size_t n, const double *x, const double *y) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

/* Share of test points whose label most of the nearest training points have. */
static double neighbour_share(const split *p, const double *train, const double *test) {
    enum { MOST_LABELS = 64 };
    double *square = room(p->n, sizeof *square);
    size_t right = 0;
    for (size_t i = 0; i < p->t; i++) {
        size_t votes[MOST_LABELS] = {0}, best = 0;
        for (size_t j = 0; j < p->n; j++)
            square[j] = squared_distance(p->Q, test + i * p->Q, train + j * p->Q);
        for (int k = 0; k < NEIGHBOURS; k++) {
            size_t nearest = 0;
            for (size_t j = 1; j < p->n; j++)
                nearest = square[j] < square[nearest] ? j : nearest;
            square[nearest] = INFINITY;
            votes[p->train_label[nearest] % MOST_LABELS]++;
        }
        for (size_t k = 1; k < MOST_LABELS; k++)
            best = votes[k] > votes[best] ? k : best;
        right += best == p->test_label[i] % MOST_LABELS;
    }
    free(square);
    return (double)right / (double)p->t;
}

static double correlation(size_t n, const double *x, const double *y) {
    double a = 0, b = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        a += x[i] / (double)n;
        b += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - a) * (x[i] - a);
        yy += (y[i] - b) * (y[i] - b);
        xy += (x[i] - a) * (y[i] - b);
    }
    return xy / sqrt(xx * yy);
}

/* Lengths of straight lines between training latents in the expected metric, against distances of the data. */
static void compare_distances(const set *s, const split *p, const double *scores, measures *m) {
    const rm2_model_info *info = rm2_model_info_of(p->model);
    size_t n = p->n < PAIRED ? p->n : PAIRED, pairs = 0;
    double *data = room(n * n, sizeof *data), *own = room(n * n, sizeof *own);
    double *pca = room(n * n, sizeof *pca), *path = room((SIDES + 1) * p->Q, sizeof *path);
    double lengths = 0, distances = 0;
    rm2_metric *metric;
    ok(rm2i_metric_pullback(ctx, p->model, NULL, &metric));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++, pairs++) {
            const double *a = info->latents + i * p->Q, *b = info->latents + j * p->Q;
            for (size_t k = 0; k < (SIDES + 1) * p->Q; k++) {
                double at = (double)(k / p->Q) / SIDES;
                path[k] = (1 - at) * a[k % p->Q] + at * b[k % p->Q];
            }
            ok(rm2i_metric_measure(ctx, metric, SIDES + 1, path, own + pairs, NULL));
            ok(rm2_manifold_distance(ctx, s->manifold, 1, p->train + i * s->D, 1,
                                     p->train + j * s->D, data + pairs));
            pca[pairs] = sqrt(squared_distance(p->Q, scores + i * p->Q, scores + j * p->Q));
            lengths += own[pairs];
            distances += data[pairs];
        }
    m->correlation = correlation(pairs, own, data);
    m->correlation_pca = correlation(pairs, pca, data);
    m->scale = lengths / distances;
    rm2_metric_free(metric);
    free(data);
    free(own);
    free(pca);
    free(path);
}

static void encode(split *p, rm2_encode_kind kind, measures *m) {
    const rm2_model_info *info = rm2_model_info_of(p->model);
    rm2_encode_settings s = rm2_encode_settings_default();
    rm2_encoded *got = room(p->t, sizeof *got);
    got->size = sizeof *got;
    s.objective = kind;
    ok(rm2_model_encode(ctx, p->model, &s, p->t, p->test, p->z, NULL, got));
    double squares = 0;
    for (size_t i = 0; i < p->t; i++) {
        squares += got[i].residual * got[i].residual / (double)p->t;
        if (kind == RM2_ENCODE_DENSITY) {
            m->density += got[i].log_density / (double)p->t;
            m->at_latent += got[i].log_density_at_latent / (double)p->t;
        }
    }
    if (kind == RM2_ENCODE_NEAREST)
        m->residual = sqrt(squares);
    else
        m->reach =
            rm2i_max_abs(p->t * p->Q, p->z) / rm2i_max_abs(info->points * p->Q, info->latents);
    free(got);
}

static void measure(const set *s, split *p, bool distances, measures *m) {
    const rm2_model_info *info = rm2_model_info_of(p->model);
    rm2_fidelity fidelity = {.size = sizeof fidelity};
    double *a = room(p->n * p->Q, sizeof *a), *b = room(p->t * p->Q, sizeof *b), rest = 0;
    *m = (measures){.test = p->t};
    find_scores(p, p->n, p->F, a);
    find_scores(p, p->t, p->V, b);
    for (size_t i = 0; i < p->t; i++)
        rest += rm2i_dot(p->M, p->V + i * p->M, p->V + i * p->M) -
                rm2i_dot(p->Q, b + i * p->Q, b + i * p->Q);
    m->pca = sqrt(rest / (double)p->t);
    m->ppca = ppca_density(p);
    m->lw = lw_density(p);
    encode(p, RM2_ENCODE_NEAREST, m);
    encode(p, RM2_ENCODE_DENSITY, m);
    m->knn = neighbour_share(p, info->latents, p->z);
    m->knn_pca = neighbour_share(p, a, b);
    ok(rm2_model_fidelity(ctx, p->model, &fidelity));
    m->coincident = fidelity.coincident;
    if (distances)
        compare_distances(s, p, a, m);
    free(a);
    free(b);
}

/* ---- criteria -------------------------------------------------------------------------------- */

/* What a fit of all points gives, next to the references of another implementation. */
typedef struct fit_of_all {
    double objective;    /* latents held: the maximum */
    double at;           /* latents held, at the hyperparameters of the reference */
    double moved;        /* latents moved */
    double latent_noise; /* e/s^2 then */
} fit_of_all;

/* Constants of the log-normal priors, of widths 1, 3 and 3, which the references leave out. */
static double without_constants(double objective) {
    return objective + log(9) + 1.5 * RM2I_LOG_2PI;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median over the latents of the distance to the 2Q-th nearest, from its definition. */
static double neighbour_distance(size_t N, size_t Q, const double *X) {
    double *far = room(N, sizeof *far), *row = room(N, sizeof *row);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++)
            row[j] = sqrt(squared_distance(Q, X + i * Q, X + j * Q));
        qsort(row, N, sizeof *row, by_value);
        far[i] = row[2 * Q]; /* row[0] is the point itself */
    }
    qsort(far, N, sizeof *far, by_value);
    double median = (far[(N - 1) / 2] + far[N / 2]) / 2;
    free(far);
    free(row);
    return median;
}

static rm2_model *fit_all(const set *s, const rm2_fit_settings *settings) {
    rm2_model *model;
    ok(rm2_fit(ctx, s->data, settings, NULL, &model));
    return model;
}

/* Evidence and log priors at the hyperparameters of the reference, latents at principal components. */
static double objective_at(const set *s, const reference *r, rm2_fit_settings settings) {
    rm2_hyperparameter *held[4] = {&settings.variance, &settings.lengthscale, &settings.task_scale,
                                   &settings.task_weight};
    for (int k = 0; k < 4; k++)
        *held[k] = (rm2_hyperparameter){.start = r->hyper[k]};
    rm2_model *model = fit_all(s, &settings);
    const rm2_model_info *i = rm2_model_info_of(model);
    double near = neighbour_distance(i->points, r->Q, i->latents), Q = (double)r->Q;
    double l = log(r->hyper[1] / fmax(sqrt(Q), 1.2 * near)), g = log(r->hyper[0] / 0.1) / 3;
    double nu = log(r->hyper[3] / ((double)s->N - 1 - Q)) / 3;
    double value = i->training.end.log_likelihood - 0.5 * (l * l + g * g + nu * nu);
    rm2_model_free(model);
    return value;
}

static fit_of_all fit_everything(const set *s, const reference *r) {
    rm2_fit_settings settings = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    fit_of_all all;
    settings.latent_dim = r->Q;
    settings.init = RM2_INIT_TANGENT;
    rm2_model *model = fit_all(s, &settings);
    all.moved = without_constants(rm2_model_info_of(model)->training.end.total);
    all.latent_noise = rm2_model_info_of(model)->latent_noise;
    rm2_model_free(model);
    settings.latents_held = true;
    model = fit_all(s, &settings);
    all.objective = without_constants(rm2_model_info_of(model)->training.end.total);
    rm2_model_free(model);
    all.at = objective_at(s, r, settings);
    return all;
}

static bool judge(const reference *r, const measures *m, const fit_of_all *all, double entries) {
    /* maxima to 1e-9 of an objective per entry; the reference adds 1e-9 to the noise */
    double tolerance = fmax(1e-6 * fabs(r->objective), 2e-6 * entries);
    bool connectome = strcmp(r->name, "fnc") == 0 || strncmp(r->name, "conn", 4) == 0;
    double error = sqrt(m->knn_pca * (1 - m->knn_pca) / (double)m->test);
    const struct {
        bool good;
        const char *text;
    } rules[] = {
        {fabs(all->objective - r->objective) <= tolerance, "objective"},
        {fabs(all->at - r->objective) <= tolerance, "objective at the study's hyperparameters"},
        {m->residual <= 1.002 * m->pca, "residual above that of PCA"},
        {m->residual <= (r->ratio + 0.02) * m->pca, "residual above the study's"},
        {m->density > fmax(m->ppca, m->lw), "density below a normal one"},
        {m->density >= r->density - 0.7, "density below the study's"},
        {!r->distinct || m->coincident == 0, "latents coincide"},
        /* a roll that is unrolled is longer than its chords */
        {m->scale >= 0.3 && (m->scale <= 3 || strcmp(r->name, "swiss") == 0), "scale of distances"},
        {!connectome || m->correlation >= m->correlation_pca - 0.005, "correlation of distances"},
        {m->knn >= m->knn_pca - error, "neighbours"},
        {m->reach <= 1.2, "reach of encoding"},
    };
    bool good = true;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (!rules[k].good) {
            printf("FAILED  points, %s Q %zu: %s\n", r->name, r->Q, rules[k].text);
            good = false;
        }
    return good;
}

static void add(measures *sum, const measures *m, double folds) {
    sum->residual += m->residual / folds;
    sum->pca += m->pca / folds;
    sum->density += m->density / folds;
    sum->at_latent += m->at_latent / folds;
    sum->ppca += m->ppca / folds;
    sum->lw += m->lw / folds;
    sum->reach += m->reach / folds;
    sum->knn += m->knn / folds;
    sum->knn_pca += m->knn_pca / folds;
    sum->test += m->test;
    sum->coincident += m->coincident;
}

static bool check(const char *folder, const reference *r) {
    set s;
    measures sum = {.test = 0};
    read_set(folder, r, &s);
    const fit_of_all all = fit_everything(&s, r);
    for (size_t fold = 0; fold < r->folds; fold++) {
        split p;
        measures m;
        open_split(&s, r->Q, (int)fold, &p);
        measure(&s, &p, fold == 0, &m);
        add(&sum, &m, (double)r->folds);
        if (fold == 0) {
            sum.correlation = m.correlation;
            sum.correlation_pca = m.correlation_pca;
            sum.scale = m.scale;
        }
        close_split(&p);
    }
    bool good = judge(r, &sum, &all, (double)(s.N * s.M));
    printf("%s points, %s Q %zu: objective %.4f (%.4f; at its place %.4f), moved %.3f (%.3f), "
           "noise of a latent %.4g (%.4g), residual %.4g of PCA's %.4g (%.3f), "
           "density %.2f (%.2f; PPCA "
           "%.2f, LW %.2f; at latents %.2f), correlation %.3f (PCA %.3f), scale %.2f, neighbours "
           "%.3f (PCA %.3f), "
           "reach %.2f, coincident %zu\n",
           good ? "ok     " : "FAILED ", r->name, r->Q, all.objective, r->objective, all.at,
           all.moved, r->moved[0], all.latent_noise, r->moved[1] / (r->moved[2] * r->moved[2]),
           sum.residual / sum.pca, sum.pca, r->ratio, sum.density, r->density, sum.ppca, sum.lw,
           sum.at_latent, sum.correlation, sum.correlation_pca, sum.scale, sum.knn, sum.knn_pca,
           sum.reach, sum.coincident);
    (void)fflush(stdout);
    free_set(&s);
    return good;
}

int main(int argc, char **argv) {
    size_t failed = 0;
    if (argc < 2 || rm2_context_create(&ctx) != RM2_OK) {
        (void)fprintf(stderr, "usage: acceptance_points DATA [SET]\n");
        return 2;
    }
    for (size_t k = 0; k < sizeof references / sizeof *references; k++)
        if (argc < 3 || strcmp(argv[2], references[k].name) == 0)
            failed += !check(argv[1], &references[k]);
    rm2_context_free(ctx);
    return failed ? 1 : 0;
}
