/* The report of a start. */
#include <stdlib.h>

#include "start/start_report.h"

rm2_status rm2i_start_report_create(rm2_context *ctx, size_t demos, size_t families,
                                    rm2_start_report **report) {
    *report = NULL;
    rm2_start_report *r;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *r, &r));
    r->demos = demos;
    r->families = families;
    rm2_status status = rm2i_calloc(ctx, demos, sizeof *r->demo, &r->demo);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, families, sizeof *r->family, &r->family);
    if (status != RM2_OK) {
        rm2_start_report_free(r);
        return status;
    }
    *report = r;
    return RM2_OK;
}

void rm2_start_report_free(rm2_start_report *report) {
    if (!report)
        return;
    free(report->demo);
    free(report->family);
    free(report);
}
