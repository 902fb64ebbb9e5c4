/* MATLAB files: the only part of the program that knows libriemann2-mat. */
#include "riemann2/mat.h"
#include "core/cli.h"

rm2_status mat_register(rm2_context *ctx) {
    return rm2_mat_register(ctx);
}
