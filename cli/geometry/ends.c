/* End points of geodesics, by their many names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/geometry.h"

static const double FAR = 8; /* lengthscales: kernels there are exp(-32) = 1e-14 and less */

static int training_point(const model_work *m, const char *name, const char *text, double *x) {
    char *end;
    size_t Q = m->info->latent_dim;
    unsigned long long index = strtoull(text, &end, 10);
    if (*end || *text < '0' || *text > '9' || index >= m->info->points)
        return work_complain(&m->work, EXIT_BAD_DATA,
                             "%s %s: the model has the training points 0 to %zu", name, text,
                             m->info->points - 1);
    memcpy(x, m->info->latents + (size_t)index * Q, Q * sizeof *x);
    return EXIT_DONE;
}

static int trajectory_end(const model_work *m, const char *id, bool first, double *x) {
    const rm2_model_info *i = m->info;
    size_t t;
    int code = model_find_trajectory(m, id, &t);
    if (code != EXIT_DONE)
        return code;
    size_t at = first ? i->data->starts[t] : i->data->starts[t + 1] - 1;
    memcpy(x, i->latents + at * i->latent_dim, i->latent_dim * sizeof *x);
    return EXIT_DONE;
}

/* From the nearest training latent, in lengthscales. */
static double distance_from_data(const rm2_model_info *i, const double *x) {
    double nearest = INFINITY;
    for (size_t n = 0; n < i->points; n++) {
        double square = 0;
        for (size_t q = 0; q < i->latent_dim; q++) {
            double part = (x[q] - i->latents[n * i->latent_dim + q]) / i->lengthscale[q];
            square += part * part;
        }
        nearest = fmin(nearest, square);
    }
    return sqrt(nearest);
}

static int latent_point(const model_work *m, const char *name, const char *text, double *x) {
    if (!parse_numbers(text, m->info->latent_dim, x))
        return work_complain(&m->work, EXIT_USAGE, "%s %s: a latent point has %zu number%s", name,
                             text, m->info->latent_dim, plural(m->info->latent_dim));
    double away = distance_from_data(m->info, x);
    char note[256];
    (void)snprintf(
        note, sizeof note,
        "warning: %s %s is %.3g lengthscales from the nearest training latent, where the "
        "model knows nothing",
        name, text, away);
    if (away > FAR)
        work_note(&m->work, note);
    return EXIT_DONE;
}

/* Encode a point that is on the manifold; its quaternions get the signs of the training data. */
static int encode(const model_work *m, const char *name, double *y, double *x) {
    rm2_encode_settings s = rm2_encode_settings_default();
    rm2_encoded info = {.size = sizeof info};
    rm2_data_align_points(m->info->data, 1, y);
    rm2_status status = rm2_model_encode(m->work.ctx, m->model, &s, 1, y, x, NULL, &info);
    if (status == RM2_OK && !m->work.common->quiet)
        (void)fprintf(stderr, "%s: encoded, residual %.2g (tangent coordinates)%s\n", PLAIN(name),
                      info.residual, info.converged ? "" : ", not converged");
    return work_check(&m->work, status);
}

static int encoded_point(const model_work *m, const char *name, const char *text, double *x) {
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    double *y = malloc(ambient * sizeof *y);
    if (!y)
        return work_no_memory(&m->work);
    int code = EXIT_DONE;
    if (!parse_numbers(text, ambient, y))
        code = work_complain(&m->work, EXIT_USAGE, "%s %s: a point of %s has %zu numbers", name,
                             text, rm2_manifold_spec(m->info->manifold), ambient);
    if (code == EXIT_DONE)
        code = work_move_onto(&m->work, EXIT_USAGE, name, m->info->manifold, NULL, y);
    if (code == EXIT_DONE)
        code = encode(m, name, y, x);
    free(y);
    return code;
}

int geometry_parse_end(const model_work *m, const char *name, const char *text, double *x) {
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0, count = count_numbers(text);
#define IS(word) (length == strlen(word) && strncmp(text, word, length) == 0)
    if (IS("index"))
        return training_point(m, name, colon + 1, x);
    if (IS("first") || IS("last"))
        return trajectory_end(m, colon + 1, IS("first"), x);
    if (IS("latent"))
        return latent_point(m, name, colon + 1, x);
    if (IS("point"))
        return encoded_point(m, name, colon + 1, x);
#undef IS
    if (count == 1 && strspn(text, "0123456789") == strlen(text))
        return training_point(m, name, text, x);
    if (count == m->info->latent_dim)
        return latent_point(m, name, text, x);
    if (count == rm2_manifold_ambient(m->info->manifold))
        return encoded_point(m, name, text, x);
    return work_complain(&m->work, EXIT_USAGE,
                         "%s %s: expected the index of a training point, %zu latent coordinate%s, "
                         "%zu entries of a point, first:ID or last:ID",
                         name, text, m->info->latent_dim, m->info->latent_dim == 1 ? "" : "s",
                         rm2_manifold_ambient(m->info->manifold));
}
