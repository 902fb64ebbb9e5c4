/* The table of checks. */
#include "check.h"

#include <string.h>

static const struct {
    const char *name;
    check_fn run;
} checks[] = {
#define CHECK_ROW(name) {#name, check_##name},
    CHECK_LIST(CHECK_ROW)
#undef CHECK_ROW
};

check_fn check_find(const char *name) {
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (strcmp(checks[i].name, name) == 0)
            return checks[i].run;
    return NULL;
}
