/* Numbers as text, independent of the locale and correctly rounded.
 *
 * Reading collects up to 19 digits in a 64-bit integer. Small cases are exact in double arithmetic
 * (Clinger, "How to read floating point numbers accurately", 1990): integer and power of ten are
 * both exact, so one operation rounds once. Longer ones use the 64-bit mantissa of the x87
 * long double, where powers of ten up to 10^27 are exact: n operations err by less than n units of
 * that mantissa, and unless the result is that close to the middle of two doubles, rounding it to
 * double is right. What remains (more than 19 digits, near ties, very large or small numbers) goes
 * to strtod. Formatting tries 15, 16 and 17 digits; 17 are always enough. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

enum {
    DIGITS_MAX = 19,         /* any such integer fits into 64 bits */
    EXPONENT_MAX = 1000000,  /* larger exponents mean the same: zero or infinity */
    EXACT_POWER = 22,        /* 10^22 is the largest power that is exact as a double */
    EXTENDED_POWER = 27,     /* the same for a mantissa of 64 bits */
    EXTENDED_EXPONENT = 290, /* beyond, double results leave the normal range */
};

typedef struct decimal {
    uint64_t digits;
    long exponent; /* value: digits * 10^exponent */
    bool negative;
    bool complete; /* false: there are more digits than fit */
} decimal;

rm2_status rm2i_c_locale_enter(rm2_context *ctx, rm2i_c_locale *scope) {
    scope->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scope->own == (locale_t)0)
        return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory: cannot create the C locale");
    scope->previous = uselocale(scope->own);
    return RM2_OK;
}

void rm2i_c_locale_leave(rm2i_c_locale *scope) {
    (void)uselocale(scope->previous);
    freelocale(scope->own);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *p, uint64_t *digits) {
    uint64_t sum = *digits;
    for (; is_digit(*p); p++)
        sum = 10 * sum + (uint64_t)(*p - '0');
    *digits = sum;
    return p;
}

/* The part "e-12", if it is there and complete. */
static const char *scan_exponent(const char *p, long *exponent) {
    if (*p != 'e' && *p != 'E')
        return p;
    const char *q = p + 1;
    bool negative = *q == '-';
    if (*q == '-' || *q == '+')
        q++;
    if (!is_digit(*q))
        return p;
    long power = 0;
    for (; is_digit(*q); q++)
        power = power < EXPONENT_MAX ? 10 * power + (*q - '0') : power;
    *exponent += negative ? -power : power;
    return q;
}

static long leading_zeros(const char *p) {
    long zeros = 0;
    for (; *p == '0' || *p == '.'; p++)
        zeros += *p == '0';
    return zeros;
}

static const char *scan_decimal(const char *text, decimal *number) {
    const char *p = text;
    number->negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    const char *first = p;
    number->digits = 0;
    number->exponent = 0;
    p = scan_digits(p, &number->digits);
    long count = p - first;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = scan_digits(fraction, &number->digits);
        number->exponent = -(p - fraction);
        count += p - fraction;
    }
    if (count == 0)
        return NULL;
    number->complete = count <= DIGITS_MAX || count - leading_zeros(first) <= DIGITS_MAX;
    return scan_exponent(p, &number->exponent);
}

static bool convert_exact(const decimal *number, double *value) {
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    long e = number->exponent;
    if (FLT_EVAL_METHOD != 0 || number->digits > (UINT64_C(1) << DBL_MANT_DIG) ||
        e < -EXACT_POWER || e > EXACT_POWER)
        return false;
    double digits = (double)number->digits;
    *value = e < 0 ? digits / powers[-e] : digits * powers[e];
    return true;
}

#if LDBL_MANT_DIG == 64 && DBL_MANT_DIG == 53 && defined(__x86_64__)
static bool convert_extended(const decimal *number, double *value) {
    static const long double powers[EXTENDED_POWER + 1] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
        1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    if (number->digits == 0 || number->exponent < -EXTENDED_EXPONENT ||
        number->exponent > EXTENDED_EXPONENT)
        return false;
    long left = number->exponent < 0 ? -number->exponent : number->exponent;
    long double x = (long double)number->digits;
    int64_t operations = 0;
    do {
        long step = left < EXTENDED_POWER ? left : EXTENDED_POWER;
        x = number->exponent < 0 ? x / powers[step] : x * powers[step];
        left -= step;
        operations++;
    } while (left > 0);
    if (x < (long double)DBL_MIN || x > (long double)DBL_MAX)
        return false;
    uint64_t mantissa;
    memcpy(&mantissa, &x, sizeof mantissa);
    int64_t from_middle = (int64_t)(mantissa & 0x7ff) - 0x400; /* 11 bits are rounded away */
    if (from_middle > -operations && from_middle < operations)
        return false;
    *value = (double)x;
    return true;
}
#else
static bool convert_extended(const decimal *number, double *value) {
    (void)number;
    (void)value;
    return false;
}
#endif

const char *rm2i_parse_double(const char *text, double *value) {
    decimal number;
    const char *end = scan_decimal(text, &number);
    if (!end)
        return NULL;
    double size;
    if (!number.complete || !(convert_exact(&number, &size) || convert_extended(&number, &size)))
        *value = strtod(text, NULL);
    else
        *value = number.negative ? -size : size;
    return end;
}

void rm2i_format_double(double value, char text[RM2I_NUMBER_SIZE]) {
    for (int digits = 15; digits <= 17; digits++) {
        double again;
        (void)snprintf(text, RM2I_NUMBER_SIZE, "%.*g", digits, value);
        if (!rm2i_parse_double(text, &again) || again == value)
            return;
    }
}
