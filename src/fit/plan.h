/* Plans of fits: one function decides everything that the caller left open.
 *
 * The order: settings within their ranges; the recipe; the settings that the caller gave over those of the recipe; what
 * these imply; rules of the settings among each other and with the sizes of the data (model/rules.h). An automatic recipe is
 * robust for trajectories. For data without trajectories it is points, unless the rules say no: then robust, and the rule
 * is the reason. Automatic latent dimensions and starts need the data, and are chosen last, on points held out (folds.h). */
#ifndef RM2I_FIT_PLAN_H
#define RM2I_FIT_PLAN_H

#include "model/model.h"
#include "riemann2/fit.h"

/* All that the rules must know of the data, on every process that has a part of them. */
typedef struct rm2i_fit_subject {
    const rm2_manifold *manifold;
    size_t points, trajectories;
    const char *source;
} rm2i_fit_subject;

enum {
    RM2I_FIT_NOTES = 12,     /* at most */
    RM2I_FIT_DIMENSIONS = 8, /* latent dimensions that are compared, at most */
    RM2I_FIT_VALUE = 48,
    RM2I_FIT_REASON = 1024
};

struct rm2_fit_plan {
    rm2_fit_plan_info info;
    rm2_fit_settings settings;
    bool open;      /* the recipe was automatic */
    rm2_data *data; /* retained */
    rm2_fit_note notes[RM2I_FIT_NOTES];
    char values[RM2I_FIT_NOTES][RM2I_FIT_VALUE], reasons[RM2I_FIT_NOTES][RM2I_FIT_REASON];
    rm2_latent_choice dimensions[RM2I_FIT_DIMENSIONS];
};

/* Decide without training: settings and notes of a plan that is zeroed otherwise. subject NULL: see rm2_fit_check. */
rm2_status rm2i_plan_decide(rm2_context *ctx, const rm2_fit_settings *given,
                            const rm2i_fit_subject *subject, rm2_fit_plan *plan);
/* Log the notes, each after `prefix`. */
void rm2i_plan_log(rm2_context *ctx, const char *prefix, const rm2_fit_plan *plan);
rm2i_fit_subject rm2i_fit_subject_of(const rm2_data *data);
/* Warn of more latent dimensions than the data can have. */
void rm2i_warn_dimensions(rm2_context *ctx, const rm2_fit_settings *s, const rm2_manifold *m);

#endif
