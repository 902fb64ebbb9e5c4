/* The evidence of evidence.h by inducing points: a lower bound, N r^2 per evaluation, and an upper bound.
 *
 * With Q = Knu Kuu^-1 Kun in place of K (symbols of linear_mean.h, whose T is F^T U (U^T A U)^-1 U^T F) Sylvester's
 * identity log|B| - log|A| = log|I + T/c| leaves matrices of r x r and of outputs x outputs:
 *
 *   E(Q) = sum_{j=1..m} (lgamma((a + n + 1 - j)/2) - lgamma((a + 1 - j)/2)) - (n m/2) log(pi c)
 *          - h (log|T + c' I| - (rows - m) log c' - m log c) - (m/2) log|U^T A U|,   h = (a + n)/2
 *   lower = E(Q) - (m/2) t,   t = tr(K - Q),   c' = c + n e
 *
 * For a given Kf the variational bound (Titsias, 2009) is log N(F; Q) - (m/2) t: noise and kernel have the same
 * covariance of the outputs, which cancels in the trace. So t leaves the integral over Kf, and lower <= E(K).
 * Above: K <= Q + t I, so that T is at least that of the noise 1 + t, and |U^T A U| at least that of Q:
 *
 *   upper = E(Q) with T at the noise 1 + t
 *
 * e is the smallest variance of the outputs, as if each had independent noise of that variance; `rows` may be more
 * than the m outputs that count, the others being zero in some basis. The bounds are equal where all points are inducing.
 * Derivatives by the kernel are those of linear_mean.h with W = (T + c' I)/(2 h). */
#ifndef RM2I_EVIDENCE_BOUND_H
#define RM2I_EVIDENCE_BOUND_H

#include "gp/evidence.h"

typedef struct rm2i_evidence_bound rm2i_evidence_bound;

/* `index`: which r of the points are inducing. Data are copied. */
rm2_status rm2i_evidence_bound_create(rm2_context *ctx, const rm2i_evidence_data *data, size_t r,
                                      const size_t *index, rm2i_evidence_bound **bound);
void rm2i_evidence_bound_free(rm2i_evidence_bound *b);

/* n, and the mean variance of the residuals, as in evidence.h. */
size_t rm2i_evidence_bound_freedom(const rm2i_evidence_bound *b);
double rm2i_evidence_bound_level(const rm2i_evidence_bound *b);

/* The lower bound, and unless NULL its derivatives by the logarithms of the four. */
rm2_status rm2i_evidence_bound_value(rm2i_evidence_bound *b, const rm2i_evidence_at *at,
                                     double *value, rm2i_evidence_at *slope);
/* t at the last value. */
double rm2i_evidence_bound_trace(const rm2i_evidence_bound *b);
rm2_status rm2i_evidence_bound_upper(rm2i_evidence_bound *b, const rm2i_evidence_at *at,
                                     double *value);

#endif
