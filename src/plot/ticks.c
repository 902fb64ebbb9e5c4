/* Ticks: round values on an axis, and their texts.
 *
 * Linear axes: multiples of 1, 2 or 5 times a power of ten, the smallest step that gives at most so
 * many. Logarithmic axes: powers of ten, every k-th of them, with 2 to 9 times these as minor ticks;
 * below two decades 1, 2 and 5 times a power of ten, and in less than that linear ticks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/draw.h"

static const double SLACK = 1e-9;    /* a tick this part of the range outside is still at its end */
static const double LARGE = 99999.5; /* from here on a power of ten is taken out of the texts */
static const double SMALL = 1e-3;    /* and below here */
static const double LONG = 1e5;      /* more steps from zero are written as an offset */

double rm2i_range_part(const rm2i_axis_range *range, double value) {
    if (range->log)
        return value > 0 ? log(value / range->lo) / log(range->hi / range->lo) : NAN;
    return (value - range->lo) / (range->hi - range->lo);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Copy with a true minus sign for every hyphen. */
static void with_minus(const char *plain, char text[RM2I_TICK_TEXT]) {
    size_t used = 0;
    for (; *plain && used + 4 < RM2I_TICK_TEXT; plain++) {
        const char *sign = *plain == '-' ? "−" : (char[]){*plain, '\0'};
        memcpy(text + used, sign, strlen(sign));
        used += strlen(sign);
    }
    text[used] = '\0';
}

static void superscript(int exponent, char text[RM2I_TICK_TEXT]) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    (void)snprintf(plain, sizeof plain, "%d", exponent);
    int used = 0;
    for (const char *p = plain; *p; p++)
        used += snprintf(text + used, RM2I_TICK_TEXT - (size_t)used, "%s",
                         *p == '-' ? "⁻" : digits[*p - '0']);
}

static void power_text(int factor, int exponent, char text[RM2I_TICK_TEXT]) {
    char power[RM2I_TICK_TEXT];
    superscript(exponent, power);
    if (factor == 1)
        (void)snprintf(text, RM2I_TICK_TEXT, "10%.20s", power);
    else
        (void)snprintf(text, RM2I_TICK_TEXT, "%d·10%.20s", factor, power);
}

/* Value with the decimals its step needs. */
static void number_text(double value, double step, char text[RM2I_TICK_TEXT]) {
    char plain[RM2I_TICK_TEXT];
    int decimals = (int)-floor(log10(step) + SLACK);
    decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
    (void)snprintf(plain, sizeof plain, "%.*f", decimals, fabs(value) < step / 2 ? 0.0 : value);
    with_minus(plain, text);
}

void rm2i_axis_text(const char *label, const rm2i_ticks *ticks, char text[RM2I_LINE_SIZE]) {
    char power[RM2I_TICK_TEXT] = "", offset[RM2I_TICK_TEXT] = "", digits[RM2I_TICK_TEXT];
    bool named = label && *label;
    if (ticks->exponent != 0) {
        superscript(ticks->exponent, digits);
        (void)snprintf(power, sizeof power, "×10%.20s", digits);
    }
    if (ticks->offset != 0)
        (void)snprintf(offset, sizeof offset, "%s%s%s%.15g", *power ? " " : "",
                       ticks->offset < 0 ? "−" : "+", *power ? " " : "", fabs(ticks->offset));
    if (!*power && !*offset)
        (void)snprintf(text, RM2I_LINE_SIZE, "%s", named ? label : "");
    else
        (void)snprintf(text, RM2I_LINE_SIZE, named ? "%.200s (%.24s%.36s)" : "%s%.24s%.36s",
                       named ? label : "", power, offset);
}

/* ---- linear ---------------------------------------------------------------------------------- */

/* Multiples of a step in the range: number of the first, and how many. */
static double multiples(const rm2i_axis_range *range, double step, double *first) {
    double slack = SLACK * (range->hi - range->lo) / step;
    *first = ceil(range->lo / step - slack);
    return floor(range->hi / step + slack) - *first + 1;
}

static double round_step(const rm2i_axis_range *range, size_t most) {
    static const double factors[] = {1, 2, 5};
    int exponent = (int)floor(log10((range->hi - range->lo) / (double)most)) - 1;
    for (;; exponent++)
        for (size_t i = 0; i < 3; i++) {
            double first, step = factors[i] * pow(10, exponent);
            if (multiples(range, step, &first) <= (double)most)
                return step;
        }
}

/* Number of steps that all ticks have in common, if it would make their texts too long. */
static double common_steps(double first, size_t count) {
    double largest = fmax(fabs(first), fabs(first + (double)count - 1));
    double span = pow(10, ceil(log10((double)count) + SLACK));
    return largest > LONG ? trunc(first / span) * span : 0;
}

static void linear_ticks(const rm2i_axis_range *range, size_t most, rm2i_ticks *ticks) {
    double first, step = round_step(range, most);
    ticks->count = (size_t)multiples(range, step, &first);
    double common = common_steps(first, ticks->count), start = first - common;
    double largest = fmax(fabs(start), fabs(start + (double)ticks->count - 1)) * step;
    ticks->offset = common * step;
    if (largest > 0 && (largest >= LARGE || largest < SMALL))
        ticks->exponent = (int)floor(log10(largest) + SLACK);
    double unit = pow(10, ticks->exponent);
    for (size_t i = 0; i < ticks->count; i++) {
        ticks->at[i] = (first + (double)i) * step;
        number_text((start + (double)i) * (step / unit), step / unit, ticks->text[i]);
    }
}

/* ---- logarithmic ------------------------------------------------------------------------------ */

static bool inside(const rm2i_axis_range *range, double value) {
    double part = rm2i_range_part(range, value);
    return part >= -SLACK && part <= 1 + SLACK;
}

static void decade_ticks(const rm2i_axis_range *range, int first, int last, size_t most,
                         rm2i_ticks *ticks) {
    int every = (int)ceil((last - first + 1) / (double)most);
    for (int e = first; e <= last && ticks->count < RM2I_TICKS_MAX; e += every) {
        ticks->at[ticks->count] = pow(10, e);
        power_text(1, e, ticks->text[ticks->count++]);
    }
    for (int e = first - 1; every == 1 && e <= last; e++)
        for (int k = 2; k < 10 && ticks->minor_count < RM2I_MINOR_MAX; k++)
            if (inside(range, k * pow(10, e)))
                ticks->minor[ticks->minor_count++] = k * pow(10, e);
}

/* 1, 2 and 5 times powers of ten; false if they are fewer than two or too many. */
static bool few_ticks(const rm2i_axis_range *range, int first, int last, size_t most,
                      rm2i_ticks *ticks) {
    static const int factors[] = {1, 2, 5};
    for (int e = first - 1; e <= last; e++)
        for (size_t i = 0; i < 3; i++) {
            double value = factors[i] * pow(10, e);
            if (!inside(range, value))
                continue;
            if (ticks->count == most)
                return false;
            ticks->at[ticks->count] = value;
            char *text = ticks->text[ticks->count++];
            if (e >= -3 && e <= 4)
                number_text(value, pow(10, e), text);
            else
                power_text(factors[i], e, text);
        }
    return ticks->count >= 2;
}

void rm2i_ticks_make(const rm2i_axis_range *range, size_t most, rm2i_ticks *ticks) {
    memset(ticks, 0, sizeof *ticks);
    most = most > RM2I_TICKS_MAX ? RM2I_TICKS_MAX : most < 2 ? 2 : most;
    if (!range->log) {
        linear_ticks(range, most, ticks);
        return;
    }
    int first = (int)ceil(log10(range->lo) - SLACK), last = (int)floor(log10(range->hi) + SLACK);
    if (last - first >= 2) {
        decade_ticks(range, first, last, most, ticks);
        return;
    }
    if (few_ticks(range, first, last, most, ticks))
        return;
    memset(ticks, 0, sizeof *ticks);
    if (last > first)
        decade_ticks(range, first, last, most, ticks);
    else
        linear_ticks(range, most, ticks);
}

/* ---- on the page ------------------------------------------------------------------------------ */

/* Do neighbouring texts keep a distance? */
static bool texts_fit(cairo_t *cr, const rm2i_axis_range *range, double length, bool vertical,
                      const rm2i_ticks *ticks) {
    double gap = (vertical ? 1.1 : 0.9) * rm2i_digit_height(cr);
    for (size_t i = 1; i < ticks->count; i++) {
        double distance = length * (rm2i_range_part(range, ticks->at[i]) -
                                    rm2i_range_part(range, ticks->at[i - 1]));
        double need =
            vertical
                ? rm2i_digit_height(cr)
                : (rm2i_text_width(cr, ticks->text[i]) + rm2i_text_width(cr, ticks->text[i - 1])) /
                      2;
        if (distance < need + gap)
            return false;
    }
    return true;
}

void rm2i_ticks_fit(cairo_t *cr, const rm2i_axis_range *range, double length, bool vertical,
                    rm2i_ticks *ticks, double *breadth) {
    bool fit = false;
    for (size_t most = 7; most >= 2 && !fit; most--) {
        rm2i_ticks_make(range, most, ticks);
        fit = texts_fit(cr, range, length, vertical, ticks);
    }
    for (size_t i = 1; !fit && i < ticks->count; i++)
        ticks->text[i][0] = '\0'; /* not even two: the first alone */
    *breadth = 0;
    for (size_t i = 0; i < ticks->count; i++)
        *breadth = fmax(*breadth, rm2i_text_width(cr, ticks->text[i]));
}
