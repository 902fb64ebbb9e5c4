/* Tables in memory: columns by name, release. */
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

void rm2_table_clear(rm2_table *table) {
    if (!table)
        return;
    for (size_t c = 0; table->texts && c < table->columns; c++)
        if (table->text_counts) /* missing in a table that was never whole */
            rm2i_texts_free(table->texts[c], table->text_counts[c]);
    rm2i_texts_free(table->names, table->columns);
    free(table->texts);
    free(table->text_counts);
    free(table->lines);
    free(table->values);
    *table = (rm2_table){0};
}

size_t rm2i_written_number(const char *text) {
    size_t number = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9' || number > SIZE_MAX / 10 - 1)
            return SIZE_MAX;
        number = 10 * number + (size_t)(*p - '0');
    }
    return *text ? number : SIZE_MAX;
}

size_t rm2_table_column(const rm2_table *table, const char *name) {
    if (!table || !name)
        return SIZE_MAX;
    for (size_t c = 0; table->names && c < table->columns; c++)
        if (strcmp(table->names[c], name) == 0)
            return c;
    size_t number = rm2i_written_number(name);
    return number < table->columns ? number : SIZE_MAX;
}
