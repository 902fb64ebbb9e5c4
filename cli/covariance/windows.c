/* Windows of a recording. Runs of samples with one id and one label are stretches, as epochs are; windows lie in one
 * stretch each. Events begin a window each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/covariance.h"

void set_free(covariance_set *s) {
    for (size_t k = 0; k < s->subjects.count; k++)
        free(s->subjects.names[k]);
    for (size_t k = 0; k < s->labels.count; k++)
        free(s->labels.names[k]);
    free(s->subjects.names);
    free(s->labels.names);
    names_free(&s->names);
    free(s->matrices);
    free(s->subject);
    free(s->label);
    free(s->time);
}

/* The number of a name; SIZE_MAX: no memory. */
static size_t name_number(name_list *list, const char *name) {
    for (size_t k = list->count; k-- > 0;) /* most often the last one */
        if (strcmp(list->names[k], name) == 0)
            return k;
    char **more = realloc(list->names, (list->count + 1) * sizeof *more);
    if (!more)
        return SIZE_MAX;
    list->names = more;
    list->names[list->count] = strdup(name);
    return list->names[list->count] ? list->count++ : SIZE_MAX;
}

/* ---- cutting --------------------------------------------------------------------------------- */

typedef struct window {
    size_t begin, length, entry; /* entry: of the recording's texts */
} window;

typedef struct window_list {
    window *items;
    size_t count, room, longest; /* longest stretch that was looked at */
} window_list;

static bool add_window(window_list *list, size_t begin, size_t length, size_t entry) {
    if (list->count == list->room) {
        size_t room = 2 * list->room + 64;
        window *more = realloc(list->items, room * sizeof *more);
        if (!more)
            return false;
        list->items = more;
        list->room = room;
    }
    list->items[list->count++] = (window){begin, length, entry};
    return true;
}

/* The windows of samples [from, to). */
static bool cut_stretch(const covariance_work *c, size_t from, size_t to, size_t entry,
                        window_list *list) {
    size_t length = to - from;
    list->longest = length > list->longest ? length : list->longest;
    if (c->window == 0)
        return add_window(list, from, length, entry);
    for (size_t at = from; at + c->window <= to; at += c->step)
        if (!add_window(list, at, c->window, entry))
            return false;
    return true;
}

static const char *text_at(const rm2_texts *t, size_t entry) {
    return t->count ? t->distinct[t->codes[entry]] : "";
}

/* Missing texts, as they are written in tables. */
static bool is_missing(const char *text) {
    static const char *const words[] = {"", "NA", "NaN", "nan", "n/a"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(text, words[k]) == 0)
            return true;
    return false;
}

static bool begins_stretch(const recording *r, size_t i) {
    return i == 0 || (r->group.count && r->group.codes[i] != r->group.codes[i - 1]) ||
           (r->label.count && r->label.codes[i] != r->label.codes[i - 1]);
}

static bool cut_runs(const covariance_work *c, const recording *r, covariance_set *s,
                     window_list *list) {
    for (size_t from = 0, to; from < r->samples; from = to) {
        to = from + 1;
        while (to < r->samples && !begins_stretch(r, to))
            to++;
        if (r->label.count && is_missing(text_at(&r->label, from)))
            s->unlabelled++;
        else if (!cut_stretch(c, from, to, from, list))
            return false;
    }
    return true;
}

static bool cut_epochs(const covariance_work *c, const recording *r, covariance_set *s,
                       window_list *list) {
    size_t length = r->samples / r->epochs;
    for (size_t k = 0; k < r->epochs; k++) {
        if (r->label.count && is_missing(text_at(&r->label, k)))
            s->unlabelled++;
        else if (!cut_stretch(c, k * length, (k + 1) * length, k, list))
            return false;
    }
    return true;
}

static bool cut_events(const covariance_work *c, const recording *r, covariance_set *s,
                       window_list *list) {
    list->longest = r->samples;
    for (size_t i = 0; i < r->samples; i++) {
        const char *text = text_at(&r->events, i);
        if (is_missing(text) || strcmp(text, "0") == 0)
            continue;
        long begin = (long)i + c->offset;
        if (begin < 0 || (size_t)begin + c->window > r->samples)
            s->late++;
        else if (!add_window(list, (size_t)begin, c->window, i))
            return false;
    }
    return true;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static bool resize(double **array, size_t count) {
    double *larger = realloc(*array, count * sizeof *larger);
    if (!larger)
        return false;
    *array = larger;
    return true;
}

static bool grow(covariance_set *s, size_t more) {
    if (s->count + more <= s->room)
        return true;
    size_t room = s->count + more + s->room / 2, square = s->channels * s->channels;
    if (!resize(&s->matrices, room * square) || !resize(&s->subject, room) ||
        !resize(&s->label, room) || !resize(&s->time, room))
        return false;
    s->room = room;
    return true;
}

/* Names and time of the window; its matrix stands at s->count. False: no memory. */
static bool keep_window(const covariance_work *c, const recording *r, const window *w,
                        const char *label, covariance_set *s) {
    const char *subject = r->group.count ? text_at(&r->group, w->entry) : r->subject;
    if (!label)
        label = r->events.count ? text_at(&r->events, w->entry) : text_at(&r->label, w->entry);
    size_t a = name_number(&s->subjects, subject), b = name_number(&s->labels, label);
    if (a == SIZE_MAX || b == SIZE_MAX)
        return false;
    s->subject[s->count] = (double)a;
    s->label[s->count] = (double)b;
    s->time[s->count] = (double)w->begin / (c->options->rate > 0 ? c->options->rate : 1);
    s->count++;
    return true;
}

static void note_shrinkage(const rm2_window_info *info, covariance_set *s) {
    s->least = s->count == 0 ? info->shrinkage : fmin(s->least, info->shrinkage);
    s->most = s->count == 0 ? info->shrinkage : fmax(s->most, info->shrinkage);
    s->sum += info->shrinkage;
}

/* n windows of one length, and scratch for them. */
typedef struct batch {
    const window *windows;
    size_t n, *begin;
    rm2_window_info *info;
} batch;

/* Keep the good ones of n windows, whose matrices stand at the end of the set. */
static int keep_good(const covariance_work *c, const recording *r, const rm2_signals *signals,
                     const batch *b, const char *label, covariance_set *s) {
    const rm2_window_info *info = b->info;
    size_t square = s->channels * s->channels;
    double *found = s->matrices + s->count * square;
    for (size_t k = 0; k < signals->windows; k++) {
        if (info[k].fault != RM2_WINDOW_GOOD && !c->options->skip_bad) {
            char text[MESSAGE_SIZE];
            (void)rm2_window_explain(c->work.ctx, signals, &c->options->settings, k, &info[k]);
            return work_complain(
                &c->work, EXIT_BAD_DATA, "%s; --skip-bad leaves such windows out",
                message_as_options(rm2_context_error(c->work.ctx), text, sizeof text));
        }
        if (info[k].fault != RM2_WINDOW_GOOD) {
            s->bad++;
            continue;
        }
        note_shrinkage(&info[k], s);
        memmove(s->matrices + s->count * square, found + k * square, square * sizeof *found);
        if (!keep_window(c, r, &b->windows[k], label, s))
            return work_no_memory(&c->work);
    }
    return EXIT_DONE;
}

static int estimate_in(const covariance_work *c, const recording *r, const batch *b,
                       const char *label, covariance_set *s) {
    for (size_t k = 0; k < b->n; k++)
        b->begin[k] = b->windows[k].begin;
    rm2_signals signals = {.size = sizeof signals,
                           .samples = r->samples,
                           .channels = r->channels,
                           .values = r->values,
                           .windows = b->n,
                           .begin = b->begin,
                           .length = b->windows[0].length,
                           .source = r->path,
                           .names = (const char *const *)r->names};
    int code = work_check(
        &c->work, rm2_covariances(c->work.ctx, &signals, &c->options->settings,
                                  s->matrices + s->count * s->channels * s->channels, b->info));
    return code == EXIT_DONE ? keep_good(c, r, &signals, b, label, s) : code;
}

static int estimate(const covariance_work *c, const recording *r, const window *windows, size_t n,
                    const char *label, covariance_set *s) {
    size_t *begin = malloc((n + 1) * sizeof *begin);
    rm2_window_info *info = calloc(n + 1, sizeof *info);
    int code = EXIT_FAILED;
    if (info)
        info->size = sizeof *info;
    if (begin && info && grow(s, n))
        code = estimate_in(c, r, &(batch){windows, n, begin, info}, label, s);
    else
        (void)work_no_memory(&c->work);
    free(begin);
    free(info);
    return code;
}

/* All recordings have the same channels. */
static int check_channels(const covariance_work *c, const recording *r, covariance_set *s) {
    if (s->recordings == 0)
        s->channels = r->channels;
    if (r->channels == s->channels)
        return EXIT_DONE;
    return work_complain(
        &c->work, EXIT_BAD_DATA,
        "%s has %zu channels, the files before it have %zu; choose the same ones with "
        "--columns",
        r->path, r->channels, s->channels);
}

/* Names of the channels, as long as all recordings agree. */
static int note_names(const covariance_work *c, const recording *r, covariance_set *s) {
    const char *const *names = (const char *const *)r->names;
    if (s->recordings == 0 && names && !names_copy(r->channels, names, &s->names))
        return work_no_memory(&c->work);
    if (s->names.count > 0 && !names_equal(&s->names, r->channels, names))
        names_free(&s->names);
    return EXIT_DONE;
}

static int cut(const covariance_work *c, const recording *r, covariance_set *s, window_list *list) {
    bool room = r->events.count ? cut_events(c, r, s, list)
                : r->epochs     ? cut_epochs(c, r, s, list)
                                : cut_runs(c, r, s, list);
    if (!room)
        return work_no_memory(&c->work);
    if (list->count > 0)
        return EXIT_DONE;
    if (r->events.count)
        return work_complain(&c->work, EXIT_BAD_DATA,
                             "%s: no event with %zu samples after it in column \"%s\"", r->path,
                             c->window, c->options->events);
    if (list->longest == 0)
        return work_complain(&c->work, EXIT_BAD_DATA, "%s: no sample has a label", r->path);
    return work_complain(
        &c->work, EXIT_BAD_DATA,
        "%s: a window has %zu samples, the longest stretch of the recording %zu; choose a "
        "shorter --window",
        r->path, c->window, list->longest);
}

int set_add(const covariance_work *c, const recording *r, const char *label, covariance_set *s) {
    window_list list = {.items = NULL};
    int code = check_channels(c, r, s);
    if (code == EXIT_DONE)
        code = note_names(c, r, s);
    if (code == EXIT_DONE)
        code = cut(c, r, s, &list);
    for (size_t from = 0, to; code == EXIT_DONE && from < list.count; from = to) {
        to = from + 1;
        while (to < list.count && list.items[to].length == list.items[from].length)
            to++;
        code = estimate(c, r, list.items + from, to - from, label, s);
    }
    s->windowed = s->windowed || list.count > 1;
    s->labelled = s->labelled || label || r->label.count || r->events.count;
    size_t length = r->epochs ? r->samples / r->epochs : r->samples;
    if (!s->wide && r->channels > length)
        s->wide = r->path;
    s->recordings++;
    free(list.items);
    return code;
}
