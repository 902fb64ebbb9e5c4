/* Covariances of many windows, on all threads; what is wrong with one, in words. */
#include <stdio.h>
#include <string.h>

#include "covariance/covariance.h"
#include "front/data.h"
#include "linalg/dense.h"

enum { CHANNELS_MAX = 2000 }; /* as SPD(n) has */

typedef struct job {
    const rm2_signals *signals;
    rm2_covariance_settings settings;
    double *matrices;
    rm2_window_info *info; /* NULL: a fault is a failure */
} job;

static size_t count_of(const rm2_signals *s) {
    return s->windows ? s->windows : 1;
}

static size_t begin_of(const rm2_signals *s, size_t window) {
    return s->windows ? s->begin[window] : 0;
}

static size_t length_of(const rm2_signals *s) {
    return s->windows ? s->length : s->samples;
}

static void window_covariance(const job *j, size_t i, rm2_window_info *info, double *work) {
    const rm2_signals *s = j->signals;
    size_t d = s->channels;
    rm2i_covariance(&j->settings, length_of(s), d, s->values + begin_of(s, i) * d,
                    j->matrices + i * d * d, info, work);
}

static rm2_status one_window(const void *arg, size_t i, double *work) {
    const job *j = arg;
    rm2_window_info info;
    window_covariance(j, i, &info, work);
    if (j->info)
        j->info[i] = info;
    return j->info || info.fault == RM2_WINDOW_GOOD ? RM2_OK : RM2_ERR_DATA;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* "s1.csv, window 3 (samples 200 to 299)"; samples count from 0. */
typedef struct place {
    char text[240];
} place;

static place place_of(const rm2_signals *s, size_t window) {
    place p;
    const char *source = s->source ? s->source : "signals";
    if (s->windows)
        (void)snprintf(p.text, sizeof p.text, "%.120s, window %zu (samples %zu to %zu)", source,
                       window + 1, s->begin[window], s->begin[window] + s->length - 1);
    else
        (void)snprintf(p.text, sizeof p.text, "%.120s", source);
    return p;
}

static void channel_name(const rm2_signals *s, size_t channel, char *text, size_t size) {
    if (s->names && s->names[channel])
        (void)snprintf(text, size, "%zu (\"%.40s\")", channel + 1, s->names[channel]);
    else
        (void)snprintf(text, size, "%zu", channel + 1);
}

/* Estimators that are regular where the one in use is not. */
static const char *other_estimator(rm2_estimator used) {
    return rm2i_estimator_shrinks(used)
               ? "settings.estimator cov with a settings.shrinkage such as 0.1"
               : "settings.estimator lwf or oas, a settings.shrinkage such as 0.1";
}

static rm2_status singular(rm2_context *ctx, const job *j, const place *p) {
    const rm2_signals *s = j->signals;
    size_t T = length_of(s), d = s->channels;
    const char *name = rm2i_estimator_name(j->settings.estimator);
    if (T <= d)
        return rm2i_fail(
            ctx, RM2_ERR_DATA,
            "%s: %zu samples are too few for the %s of %zu channels, which needs more than "
            "%zu: choose %s, or longer windows",
            p->text, T, name, d, d, other_estimator(j->settings.estimator));
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%s: the %s is singular: channels are combinations of others (an average reference, "
        "copies?); leave some out, or choose %s",
        p->text, name, other_estimator(j->settings.estimator));
}

static rm2_status explain(rm2_context *ctx, const job *j, size_t window,
                          const rm2_window_info *info) {
    char channel[80];
    place p = place_of(j->signals, window);
    channel_name(j->signals, info->channel, channel, sizeof channel);
    switch (info->fault) {
    case RM2_WINDOW_GOOD:
        return RM2_OK;
    case RM2_WINDOW_SHORT:
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: %zu sample; a covariance needs at least 2", p.text,
                         length_of(j->signals));
    case RM2_WINDOW_MISSING:
        return rm2i_fail(
            ctx, RM2_ERR_DATA,
            "%s: channel %s has values that are missing or not finite; leave the channel or "
            "these windows out",
            p.text, channel);
    case RM2_WINDOW_CONSTANT:
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: channel %s is constant; leave the channel or these windows out",
                         p.text, channel);
    case RM2_WINDOW_SINGULAR:
        return singular(ctx, j, &p);
    }
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "info.fault is %d, not an rm2_window_fault",
                     (int)info->fault);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static rm2_status check_signals(rm2_context *ctx, const rm2_signals *s) {
    if (s->channels == 0 || s->channels > CHANNELS_MAX || s->samples == 0)
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            "%s: %zu samples of %zu channels; at least 1 sample and 1 to %d channels are "
            "needed",
            s->source ? s->source : "signals", s->samples, s->channels, CHANNELS_MAX);
    RM2_REQUIRE(ctx, s->values);
    if (s->windows == 0)
        return RM2_OK;
    RM2_REQUIRE(ctx, s->begin);
    for (size_t i = 0; i < s->windows; i++)
        if (s->length == 0 || s->length > s->samples || s->begin[i] > s->samples - s->length)
            return rm2i_fail(
                ctx, RM2_ERR_ARGUMENT,
                "window %zu: %zu samples from sample %zu on are not within the %zu samples", i + 1,
                s->length, s->begin[i], s->samples);
    return RM2_OK;
}

/* The first window with a fault once more, for its message. */
static rm2_status explain_failure(rm2_context *ctx, const job *j, size_t window, size_t work_size) {
    double *work;
    rm2_window_info info;
    RM2_TRY(rm2i_alloc(ctx, work_size, sizeof *work, &work));
    window_covariance(j, window, &info, work);
    rm2_free(work);
    return explain(ctx, j, window, &info);
}

rm2_status rm2_covariances(rm2_context *ctx, const rm2_signals *signals,
                           const rm2_covariance_settings *settings, double *matrices,
                           rm2_window_info *info) {
    RM2_REQUIRE(ctx, signals, matrices);
    rm2_signals own = {.size = sizeof own};
    RM2_TRY(rm2i_settings_overlay(ctx, signals, &own));
    job j = {.signals = &own, .matrices = matrices};
    RM2_TRY(rm2i_covariance_settings_overlay(ctx, settings, &j.settings));
    RM2_TRY(rm2i_check_size(ctx, info, sizeof *info));
    RM2_TRY(check_signals(ctx, &own));
    size_t n = count_of(&own), failed = 0;
    size_t work = rm2i_covariance_work(length_of(&own), own.channels);
    if (info)
        RM2_TRY(rm2i_alloc(ctx, n, sizeof *j.info, &j.info));
    rm2_status status = rm2i_jobs(ctx, n, work, one_window, &j, &failed);
    if (status == RM2_OK)
        rm2i_results_give(n, j.info, sizeof *j.info, info);
    rm2_free(j.info);
    return status == RM2_ERR_DATA ? explain_failure(ctx, &j, failed, work) : status;
}

rm2_status rm2_window_explain(rm2_context *ctx, const rm2_signals *signals,
                              const rm2_covariance_settings *settings, size_t window,
                              const rm2_window_info *info) {
    RM2_REQUIRE(ctx, signals, info);
    job j = {.signals = signals};
    RM2_TRY(rm2i_covariance_settings_overlay(ctx, settings, &j.settings));
    if (window >= count_of(signals) || (signals->windows && !signals->begin) ||
        info->channel >= signals->channels)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the signals have no window %zu", window);
    return explain(ctx, &j, window, info);
}
