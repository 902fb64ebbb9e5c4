#include "model_settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "settings/settings.h"

/* Bits, so that a NaN is equal to itself; padding inside of a hyperparameter does not count. */
static bool same_value(const rm2_setting *row, const void *a, const void *b) {
    if (row->type != RM2_SETTING_HYPERPARAMETER)
        return memcmp((const char *)a + row->offset, (const char *)b + row->offset,
                      rm2i_setting_width(row)) == 0;
    rm2i_value x, y;
    rm2i_setting_load(row, a, &x);
    rm2i_setting_load(row, b, &y);
    return memcmp(&x.hyper.start, &y.hyper.start, sizeof(double)) == 0 &&
           x.hyper.learned == y.hyper.learned && x.hyper.prior == y.hyper.prior &&
           memcmp(&x.hyper.a, &y.hyper.a, sizeof(double)) == 0 &&
           memcmp(&x.hyper.b, &y.hyper.b, sizeof(double)) == 0;
}

void assert_same_settings(const rm2_fit_settings *a, const rm2_fit_settings *b) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    for (size_t k = 0; k < table->count; k++)
        if (!same_value(&table->rows[k], a, b))
            fail_msg("settings.%s differs", table->rows[k].field);
}
