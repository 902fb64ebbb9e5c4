#include "base/base.h"
#include "riemann2/geodesic.h"
rm2_status rm2_network_path(rm2_context *ctx, const rm2_network *network, const rm2_metric *metric,
                            const double *from, const double *to, size_t *count, double **path,
                            double *length) {
    (void)network, (void)metric, (void)from, (void)to, (void)count, (void)path, (void)length;
    return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "no networks yet");
}
rm2_status rm2_network_distances(rm2_context *ctx, const rm2_network *network,
                                 const rm2_metric *metric, size_t n, const double *points,
                                 double *distance) {
    (void)network, (void)metric, (void)n, (void)points, (void)distance;
    return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "no networks yet");
}
