/* What training reads: the data, kernels of the back constraint, latent points to start from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/latents.h"
#include "fit/fit.h"

/* "heat:0.2,matern52:0.5", one for each factor. */
static bool parse_back_kernels(const char *text, size_t factors, rm2_factor_kernel *kernels) {
    for (size_t k = 0; k < factors; k++) {
        char name[32];
        size_t length = strcspn(text, ":");
        if (length == 0 || length >= sizeof name || text[length] != ':')
            return false;
        memcpy(name, text, length);
        name[length] = 0;
        char *end;
        double value = strtod(text + length + 1, &end);
        if (!rm2_kernel_from_name(name, &kernels[k].kind) || end == text + length + 1 ||
            !(value > 0 && isfinite(value)) || *end != (k + 1 < factors ? ',' : 0))
            return false;
        kernels[k].lengthscale = value;
        text = end + 1;
    }
    return true;
}

static int read_back_kernels(training *t) {
    const char *text = t->options->back_kernels;
    if (!text)
        return EXIT_DONE;
    size_t factors =
        t->options->settings.model == RM2_GPLVM ? 1 : rm2_manifold_factor_count(t->data->manifold);
    t->kernels = calloc(factors, sizeof *t->kernels);
    if (!t->kernels)
        return work_no_memory(&t->work);
    t->settings.back_kernels = t->kernels;
    if (parse_back_kernels(text, factors, t->kernels))
        return EXIT_DONE;
    return work_complain(&t->work, EXIT_USAGE,
                         "--back-kernels %s: expected kernel:lengthscale for %zu factor%s (%s), "
                         "such as heat:0.2%s",
                         text, factors, plural(factors), rm2_manifold_spec(t->data->manifold),
                         factors > 1 ? ",matern52:0.5" : "");
}

static int read_start(training *t) {
    const char *path = t->options->init_from;
    size_t rows;
    if (!path)
        return EXIT_DONE;
    int code = work_read_latents(&t->work, path, t->options->settings.latent_dim, &rows, &t->start);
    if (code == EXIT_DONE && rows != t->data->count)
        code = work_complain(&t->work, EXIT_BAD_DATA,
                             "%s has %zu latent point%s, but there are %zu training points", path,
                             rows, plural(rows), t->data->count);
    t->settings.init_latent = t->start;
    return code;
}

int fit_read_inputs(training *t) {
    const work *w = &t->work;
    int code = work_check(
        w, rm2_data_read(w->ctx, t->path, &t->data_options->settings, &t->data, &t->held, NULL));
    if (code != EXIT_DONE)
        return code;
    code = read_back_kernels(t);
    if (code == EXIT_DONE)
        code = read_start(t);
    if (code == EXIT_DONE)
        code = fit_read_inducing(t);
    return code == EXIT_DONE ? fit_read_base(t) : code;
}
