/* Ids and labels in files of named arrays. */
#include <math.h>
#include <stdlib.h>

#include "core/work.h"

static int number_texts(const work *w, const rm2_array *a, rm2_texts *t) {
    size_t n = rm2_array_count(a);
    char(*texts)[NAME_SIZE] = malloc((n + 1) * sizeof *texts);
    const char **list = malloc((n + 1) * sizeof *list);
    for (size_t i = 0; texts && list && i < n; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "%.17g", a->values[i] + 0.0); /* -0 is 0 */
        list[i] = isnan(a->values[i]) ? "" : texts[i];
    }
    int code =
        texts && list ? work_check(w, rm2_texts_create(w->ctx, n, list, t)) : work_no_memory(w);
    free(texts);
    free(list);
    return code;
}

int work_archive_texts(const work *w, rm2_archive *archive, size_t index, rm2_texts *texts) {
    if (rm2_archive_entry_at(archive, index)->texts)
        return work_check(w, rm2_archive_texts(w->ctx, archive, index, texts));
    rm2_array array;
    int code = work_check(w, rm2_archive_array(w->ctx, archive, index, &array));
    if (code == EXIT_DONE)
        code = number_texts(w, &array, texts);
    rm2_array_clear(&array);
    return code;
}
