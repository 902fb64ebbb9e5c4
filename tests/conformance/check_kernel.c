/* Checks "kernel" and "kernel_row": Gram matrix of points, or its first row, on manifolds with one
 * factor. */
#include "check.h"

#include <stdlib.h>

#include "riemann2/kernel.h"

static rm2_manifold_kernel *make_kernel(conf_case *c, const rm2_manifold *m) {
    const json_value *in = c->in;
    const char *name = json_member_string(in, "kernel", "");
    rm2_factor_kernel setting = {.lengthscale = json_member_number(in, "lengthscale", 0)};
    rm2_manifold_kernel *kernel = NULL;
    if (!rm2_kernel_from_name(name, &setting.kind)) {
        case_fail(c, "kernel \"%s\" is not known", name);
        return NULL;
    }
    case_ok(c, rm2_manifold_kernel_create(c->ctx, m, &setting, 1, &kernel));
    return kernel;
}

/* `rows` of the n x n matrix; all of them (0) by the symmetric call. */
static void output_kernel(conf_case *c, const char *output, size_t rows) {
    const rm2_manifold *m = case_manifold(c, NULL);
    size_t size;
    const double *X = m ? case_input_any(c, "X", &size) : NULL;
    if (!X)
        return;
    size_t n = size / rm2_manifold_ambient(m);
    double *K = case_output(c, output, (rows ? rows : n) * n);
    rm2_manifold_kernel *kernel = K ? make_kernel(c, m) : NULL;
    if (!kernel)
        return;
    case_ok(c, rows ? rm2_manifold_kernel_matrix(c->ctx, kernel, rows, X, n, X, K)
                    : rm2_manifold_kernel_matrix(c->ctx, kernel, n, X, 0, NULL, K));
    rm2_manifold_kernel_free(kernel);
}

void check_kernel(conf_case *c) {
    output_kernel(c, "K", 0);
}

void check_kernel_row(conf_case *c) {
    output_kernel(c, "row0", 1);
}
