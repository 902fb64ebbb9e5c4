/* Obstacles as texts; the first byte chooses plane or space. A text is a list of regions that are valid and have a distance
 * from any point, or an error with a message of one line. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "region/region.h"
#include "riemann2/region.h"

static void check_region(rm2_context *ctx, const rm2_region *r, size_t dim) {
    const double point[RM2_REGION_DIM] = {0.1, -0.2, 0.3}, other[RM2_REGION_DIM] = {1, 2, -3};
    CHECK(r->dim == dim);
    CHECK(rm2_region_check(ctx, r) == RM2_OK);
    CHECK(!isnan(rm2_region_distance(r, point, NULL)));
    CHECK(!isnan(rm2i_region_segment_distance(r, point, other)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    rm2_region *regions = NULL;
    size_t count, dim = size > 0 && data[0] % 2 ? 2 : 3;
    if (size == 0)
        return 0;
    char *text = malloc(size); /* no byte more than the text */
    CHECK(text && rm2_context_create(&ctx) == RM2_OK);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (rm2_regions_parse(ctx, text, dim, &count, &regions) == RM2_OK)
        for (size_t k = 0; k < count; k++)
            check_region(ctx, &regions[k], dim);
    else
        CHECK(!regions && rm2_context_error(ctx)[0] && !strchr(rm2_context_error(ctx), '\n'));
    rm2_free(regions);
    rm2_context_free(ctx);
    free(text);
    return 0;
}
