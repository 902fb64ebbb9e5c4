/* MATLAB files. Without libmatio they are refused by the library, with the way out. */
#include "glue.h"

#ifdef RM2_PYTHON_MAT

#include <riemann2/mat.h>

bool glue_add_formats(rm2_context *ctx) {
    return rm2_mat_register(ctx) == RM2_OK;
}

#else

bool glue_add_formats(rm2_context *ctx) {
    (void)ctx;
    return true;
}

#endif
