/* Numbers, lists and arms in arguments of the program: "0.1,-0.3", "a,b,c", "planar:1,1". As many numbers as are counted
 * can be read where they are finite; the parts of a list together are the text; messages have no control characters. */
#include <math.h>
#include <string.h>

#include "core/work.h"
#include "fuzz.h"
#include "riemann2/robot.h"

enum { MOST_NUMBERS = 64 };

static void check_numbers(const char *text) {
    double values[MOST_NUMBERS];
    size_t count = count_numbers(text);
    if (count == 0 || count > MOST_NUMBERS)
        return;
    if (parse_numbers(text, count, values))
        for (size_t k = 0; k < count; k++)
            CHECK(isfinite(values[k]));
    CHECK(count == 1 || !parse_numbers(text, count - 1, values));
}

static void check_parts(const char *text, char separator) {
    size_t count, bytes = 0;
    char **parts = split_text(text, separator, &count);
    CHECK(parts && count > 0);
    for (size_t k = 0; k < count; k++) {
        CHECK(!strchr(parts[k], separator));
        bytes += strlen(parts[k]) + 1;
    }
    CHECK(bytes == strlen(text) + 1);
    free((void *)parts);
}

static void check_plain(const char *text) {
    char plain[16];
    (void)plain_text(text, plain, sizeof plain);
    CHECK(strlen(plain) < sizeof plain);
    for (const char *c = plain; *c; c++)
        CHECK((unsigned char)*c >= ' ' && *c != 127);
}

static void check_arm(const char *text) {
    rm2_context *ctx;
    rm2_arm *arm = NULL;
    static const char planar[] = "planar:";
    char *spec = malloc(strlen(text) + sizeof planar);
    CHECK(spec && rm2_context_create(&ctx) == RM2_OK);
    (void)strcat(strcpy(spec, planar), text);
    if (rm2_arm_read(ctx, spec, &arm) == RM2_OK)
        CHECK(rm2_arm_joints(arm) > 0 && isfinite(rm2_arm_reach(arm)));
    else
        CHECK(!arm && rm2_context_error(ctx)[0] && !strchr(rm2_context_error(ctx), '\n'));
    rm2_arm_free(arm);
    rm2_context_free(ctx);
    free(spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1); /* no byte more than the text */
    CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    check_numbers(text);
    check_parts(text, ',');
    check_plain(text);
    check_arm(text);
    free(text);
    return 0;
}
