/* Files of names of rows and columns (--names). Names that are taken are UTF-8 without control characters and fit into
 * their room; otherwise there is a message of one line. */
#include "core/names.h"
#include "front/base.h"
#include "fuzz_cli.h"

static void check_name(const char *name) {
    size_t size = strlen(name);
    CHECK(size > 0 && size < REGION_NAME);
    for (size_t used = 0, next; used < size; used += next) {
        next = rm2_utf8_length(name + used, size - used);
        CHECK(next > 0 && (unsigned char)name[used] >= ' ' && name[used] != 127);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    work w = fuzz_work(NULL);
    region_names names = {0};
    listener l;
    listener_start(&l);
    int code = names_parse(&w, "names.txt", text, &names);
    listener_stop(&l, code);
    for (size_t k = 0; k < names.count; k++)
        check_name(names.names[k]);
    names_free(&names);
    free(text);
    return 0;
}
