/* Preloaded over OpenBLAS by the test of the restart: claims old kernels until OPENBLAS_CORETYPE is
 * set, as the library does on a processor it does not know. */
#include <stdlib.h>

const char *openblas_get_corename(void);

__attribute__((visibility("default"))) const char *openblas_get_corename(void) {
    const char *chosen = getenv("OPENBLAS_CORETYPE");
    return chosen && *chosen ? chosen : "Prescott";
}
