/* mat.h: arguments that are missing are named. */
#include "api.h"
#include "riemann2/mat.h"

static void formats(void **state) {
    (void)state;
    NO_CONTEXT(rm2_mat_register(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
