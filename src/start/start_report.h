/* The report of a start. */
#ifndef RM2I_REPORT_H
#define RM2I_REPORT_H

#include "base/base.h"
#include "riemann2/start.h"

/* An empty report, to be filled and freed (rm2_start_report_free) by the caller. */
rm2_status rm2i_start_report_create(rm2_context *ctx, size_t demos, size_t families,
                                    rm2_start_report **report);

#endif
