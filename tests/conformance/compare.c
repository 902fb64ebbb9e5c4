/* Outputs of a case against its targets: one verdict a target. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double error_ratio(double error, double tolerance) {
    if (isnan(error) || isnan(tolerance))
        return INFINITY;
    if (error == 0.0)
        return 0.0;
    return tolerance > 0.0 ? error / tolerance : INFINITY;
}

verdict compare_numbers(const double *got, const double *want, size_t count, double abs_tolerance,
                        double rel_tolerance) {
    double error = 0.0, scale = 0.0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs(got[i] - want[i]);
        if (!(difference <= error) && !isnan(error)) /* a NaN stays */
            error = difference;
        scale = fmax(scale, fabs(want[i]));
    }
    double tolerance = abs_tolerance + rel_tolerance * scale;
    return (verdict){.passed = error <= tolerance,
                     .measured = true,
                     .error = error,
                     .tolerance = tolerance,
                     .ratio = error_ratio(error, tolerance),
                     .note = ""};
}

static verdict failed(const char *note) {
    return (verdict){.ratio = INFINITY, .note = note};
}

static verdict compare_sized(const conf_case *c, const case_value *got, const double *want,
                             size_t count, char *note) {
    const json_value *tolerance = json_member(json_member(c->json, "tol"), got->name);
    if (got->count != count) {
        snprintf(note, NOTE_SIZE, "size %zu, expected %zu", got->count, count);
        return failed(note);
    }
    return compare_numbers(got->data, want, count, json_member_number(tolerance, "abs", 0.0),
                           json_member_number(tolerance, "rel", 0.0));
}

/* `note` is NOTE_SIZE bytes that the verdict may point to. */
static verdict compare_target(const conf_case *c, const json_value *target, char *note) {
    const case_value *got = case_find(c, target->name);
    size_t count;
    if (!got)
        return failed("output not supported yet");
    if (got->note[0] != '\0')
        return failed(got->note);
    double *want = json_numbers(target, &count);
    if (!want || count == 0) {
        free(want);
        return failed("target is not numbers");
    }
    verdict v = compare_sized(c, got, want, count, note);
    free(want);
    return v;
}

bool compare_case(const conf_case *c, verdict_fn report, void *user) {
    const json_value *out = json_member(c->json, "out");
    bool passed = true;
    if (c->note[0] != '\0' || !out || out->type != JSON_OBJECT || out->count == 0) {
        verdict v = failed(c->note[0] != '\0' ? c->note : "no targets");
        report(user, &v);
        return false;
    }
    for (const json_value *target = out->first; target; target = target->next) {
        char note[NOTE_SIZE];
        verdict v = compare_target(c, target, note);
        v.output = target->name;
        report(user, &v);
        passed = passed && v.passed;
    }
    return passed;
}
