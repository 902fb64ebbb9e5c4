/* Outputs of a case against its targets. */
#ifndef CONFORMANCE_COMPARE_H
#define CONFORMANCE_COMPARE_H

#include "case.h"

/* What came of one output, or of a whole case (output NULL). */
typedef struct verdict {
    const char *output;
    bool passed;
    bool measured; /* false: there was nothing to compare, the note says why */
    double error, tolerance;
    double ratio; /* error / tolerance: above 1 fails, infinity for NaN */
    const char *note;
} verdict;

typedef void (*verdict_fn)(void *user, const verdict *v);

/* max |got - want| against abs + rel * max |want|; NaN among `got` never passes. */
verdict compare_numbers(const double *got, const double *want, size_t count, double abs_tolerance,
                        double rel_tolerance);

/* Judge every target of a case whose check has run; true when all of them pass. */
bool compare_case(const conf_case *c, verdict_fn report, void *user);

#endif
