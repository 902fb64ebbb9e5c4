/* Constant curvature k = +1 (sphere) and -1 (hyperbolic): the parts that differ only by the sign.
 *
 *   y(v) = cs(r) p + snc(r) v,  r = |v|
 *   transport of z:  z + [versine v - k snc p] <v, z>,  versine = (cs - 1)/r^2
 *   dExp w:          snc w + [snc' v - k snc p] <v, w>
 *   G = dExp^T g dExp = phi I + psi v v^T: radial eigenvalue 1, tangential phi = snc^2
 *   dG[z] w = (v.z) (phi' w + psi' v (v.w)) + psi (z (v.w) + v (z.w)) */
#include "geometry/geometries.h"
#include "linalg/dense.h"
#include "math/special.h"

size_t rm2i_identity_size(size_t n) {
    return n;
}

size_t rm2i_next_size(size_t n) {
    return n + 1;
}

size_t rm2i_no_work(size_t n) {
    (void)n;
    return 0;
}

void rm2i_space_form_transport(int k, size_t ambient, double r, const double *p, const double *v,
                               double cz, double *out_z) {
    double snc = rm2i_space_form_at(k, r).snc, versine = rm2i_versine(k, r);
    for (size_t i = 0; i < ambient; i++)
        out_z[i] += (versine * v[i] - k * snc * p[i]) * cz;
}

void rm2i_space_form_dexp(int k, size_t ambient, double r, const double *p, const double *v,
                          double cw, double *out_w) {
    double snc = rm2i_space_form_at(k, r).snc, d_snc = rm2i_d_snc(k, r);
    for (size_t i = 0; i < ambient; i++)
        out_w[i] = snc * out_w[i] + (d_snc * v[i] - k * snc * p[i]) * cw;
}

rm2_status rm2i_space_form_metric(int k, double unit, size_t dim, const double *c,
                                  const rm2_product_query *query) {
    rm2i_pullback g = rm2i_pullback_at(k, unit * rm2i_norm(dim, c));
    const double *W = query->W;
    double *out = query->out;
    for (size_t j = 0; j < query->count; j++, W += query->stride, out += query->stride) {
        double along = unit * unit * g.psi * rm2i_dot(dim, c, W);
        for (size_t i = 0; i < dim; i++)
            out[i] = g.phi * W[i] + along * c[i];
    }
    return RM2_OK;
}

rm2_status rm2i_space_form_metric_derivative(int k, double unit, size_t dim, const double *c,
                                             const double *z, const rm2_product_query *query) {
    rm2i_pullback g = rm2i_pullback_at(k, unit * rm2i_norm(dim, c));
    const double *W = query->W;
    double u2 = unit * unit, cz = u2 * rm2i_dot(dim, c, z), *out = query->out;
    for (size_t j = 0; j < query->count; j++, W += query->stride, out += query->stride) {
        double cw = u2 * rm2i_dot(dim, c, W), zw = u2 * rm2i_dot(dim, z, W);
        for (size_t i = 0; i < dim; i++)
            out[i] = cz * (g.d_phi * W[i] + g.d_psi * c[i] * cw) + g.psi * (z[i] * cw + c[i] * zw);
    }
    return RM2_OK;
}

/* w^T G w = phi |w|^2 + psi (v.w)^2, and along z (v.z) (phi' |w|^2 + psi' (v.w)^2) + 2 psi (v.w) (z.w) */
rm2_status rm2i_space_form_metric_norms(int k, double unit, size_t dim, const double *c,
                                        const rm2_norms_query *query) {
    rm2i_pullback g = rm2i_pullback_at(k, unit * rm2i_norm(dim, c));
    double u2 = unit * unit;
    size_t directions = query->directions;
    for (size_t j = 0; j < query->count; j++) {
        const double *w = query->W + j * query->stride;
        double ww = rm2i_dot(dim, w, w), cw = rm2i_dot(dim, c, w);
        query->value[j] += g.phi * ww + u2 * g.psi * cw * cw;
        for (size_t d = 0; d < directions; d++) {
            const double *z = query->Z + d * query->stride;
            double cz = u2 * rm2i_dot(dim, c, z), zw = u2 * rm2i_dot(dim, z, w);
            query->derivative[j * directions + d] +=
                cz * (g.d_phi * ww + u2 * g.d_psi * cw * cw) + 2 * g.psi * cw * zw;
        }
    }
    return RM2_OK;
}
