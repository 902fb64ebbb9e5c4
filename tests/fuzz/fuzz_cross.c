/* Files of results of cross-validations. Records that are found are those that were asked for, each once, with a message that
 * ends; a file that is taken is written and read again with the same records. */
#include <string.h>

#include "fuzz_file.h"
#include "validate/cross.h"

enum { RECORDS = 3 };

static void ask(rm2i_cross_record *records) {
    memset(records, 0, RECORDS * sizeof *records);
    for (size_t k = 0; k < RECORDS; k++)
        records[k].key = k + 1;
}

static void check_again(rm2_context *ctx, const rm2i_cross_record *records, size_t found) {
    char name[] = "/tmp/rm2-fuzz-XXXXXX";
    static rm2i_cross_record again[RECORDS];
    size_t count;
    int file = mkstemp(name);
    CHECK(file >= 0 && close(file) == 0);
    CHECK(rm2i_cross_write(ctx, name, RECORDS, records) == RM2_OK);
    ask(again);
    CHECK(rm2i_cross_read(ctx, name, RECORDS, again, &count) == RM2_OK && count == found);
    CHECK(unlink(name) == 0);
    for (size_t k = 0; k < RECORDS; k++) {
        CHECK(again[k].done == records[k].done && again[k].job.train == records[k].job.train);
        CHECK(strcmp(again[k].message, records[k].message) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static rm2i_cross_record records[RECORDS];
    rm2_context *ctx;
    size_t found, done = 0;
    const char *path = fuzz_file(data, size);
    CHECK(rm2_context_create(&ctx) == RM2_OK);
    ask(records);
    rm2_status status = rm2i_cross_read(ctx, path, RECORDS, records, &found);
    for (size_t k = 0; k < RECORDS; k++) {
        done += records[k].done;
        CHECK(memchr(records[k].message, '\0', sizeof records[k].message));
    }
    CHECK(found == done);
    if (status == RM2_OK && found > 0)
        check_again(ctx, records, found);
    else if (status != RM2_OK)
        CHECK(found == 0 && rm2_context_error(ctx)[0] && !strchr(rm2_context_error(ctx), '\n'));
    rm2_context_free(ctx);
    return 0;
}
