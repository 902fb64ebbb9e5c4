/* Colours: the palette and two maps.
 *
 * The maps are paths in OKLab (Ottosson, "A perceptual color space for image processing", 2020), where
 * equal distances look equally different; L is lightness, C chroma, h hue.
 *
 * Sequential: L(t) = L0 + (L1 - L0) t and C(t) = c0 + c2 (t - m)^2, which stays inside sRGB; the hue
 * takes what is left of a constant speed k in the plane of chroma and hue,
 *     C'^2 + (C h')^2 = k^2,     h(t) = h0 - int_0^t sqrt(k^2 - C'^2) / C,
 * so that steps in t are steps of one length. h falls from violet (305 degrees) over blue and green to
 * yellow (105 degrees). Diverging: two straight lines from white. */
#include <math.h>

#include "front/base.h"
#include "plot/draw.h"

rm2_colour rm2_palette(size_t i) {
    static const rm2_colour colours[RM2_PALETTE_SIZE] = {
        RM2_BLUE, RM2_ORANGE, RM2_GREEN, RM2_PURPLE, RM2_SKY, RM2_BROWN, RM2_YELLOW};
    return colours[i % RM2_PALETTE_SIZE];
}

/* Linear light in [0, 1] to an sRGB byte (IEC 61966-2-1). */
static rm2_colour srgb_byte(double linear) {
    double x = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (rm2_colour)(255 * encoded + 0.5);
}

/* OKLab to sRGB: cube of the cone responses, then a matrix. */
static rm2_colour from_oklab(double L, double C, double h) {
    double a = C * cos(h), b = C * sin(h);
    double l = pow(L + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(L - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(L - 0.0894841775 * a - 1.2914855480 * b, 3);
    rm2_colour red = srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    rm2_colour green = srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    rm2_colour blue = srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
    return RM2_RGB(red << 16 | green << 8 | blue);
}

static const double CHROMA_LEAST = 0.09, CHROMA_CURVE = 0.2, CHROMA_AT = 0.42, SPEED = 0.3849;

static double chroma(double t) {
    return CHROMA_LEAST + CHROMA_CURVE * (t - CHROMA_AT) * (t - CHROMA_AT);
}

static double hue_speed(double t) {
    double slope = 2 * CHROMA_CURVE * (t - CHROMA_AT);
    return sqrt(SPEED * SPEED - slope * slope) / chroma(t);
}

/* The integral by Simpson's rule: with 16 intervals its error is far below a step of a byte. */
static double hue(double t) {
    enum { INTERVALS = 16 };
    double sum = hue_speed(0) + hue_speed(t);
    for (int i = 1; i < INTERVALS; i++)
        sum += (i % 2 ? 4 : 2) * hue_speed(t * i / INTERVALS);
    return 305 * RM2_PI / 180 - sum * t / (3 * INTERVALS);
}

static rm2_colour sequential(double t) {
    return from_oklab(0.25 + 0.67 * t, chroma(t), hue(t));
}

/* From white at t = 1/2 to blue and orange-red of the same lightness and chroma at the ends. */
static rm2_colour diverging(double t) {
    double away = fabs(2 * t - 1);
    return from_oklab(0.98 - 0.5 * away, 0.145 * away, (t < 0.5 ? 255 : 40) * RM2_PI / 180);
}

rm2_colour rm2_colour_map_at(rm2_colour_map map, double t) {
    if (isnan(t) || (map != RM2_MAP_SEQUENTIAL && map != RM2_MAP_DIVERGING))
        return RM2I_LIGHT;
    double inside = t < 0 ? 0 : t > 1 ? 1 : t;
    return map == RM2_MAP_DIVERGING ? diverging(inside) : sequential(inside);
}

static double channel(rm2_colour colour, int shift) {
    return (colour >> shift & 255u) / 255.0;
}

void rm2i_set_colour(cairo_t *cr, rm2_colour colour, double opacity) {
    cairo_set_source_rgba(cr, channel(colour, 16), channel(colour, 8), channel(colour, 0), opacity);
}

rm2_colour rm2i_mix(rm2_colour a, rm2_colour b, double t) {
    rm2_colour mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double value = (1 - t) * channel(a, shift) + t * channel(b, shift);
        mixed |= (rm2_colour)(255 * value + 0.5) << shift;
    }
    return RM2_RGB(mixed);
}
