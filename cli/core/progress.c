/* Lines of progress. */
#include "core/progress.h"

#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 120 };
static const double TERMINAL_SECONDS = 0.2, FILE_SECONDS = 10; /* between two lines */
static const double WORTH_A_LINE = 2; /* seconds of a call whose last line stays */

static void describe(const rm2_progress *p, char line[LINE_SIZE]) {
    bool stages = strcmp(p->activity, "geodesic") == 0; /* which do not take equally long */
    double left = p->done ? p->seconds / (double)p->done * (double)(p->total - p->done) : 0;
    if (p->total == 0)
        (void)snprintf(line, LINE_SIZE, "%s%s %zu, %.0f s", p->activity,
                       strcmp(p->activity, "mean") == 0 ? ", geodesics" : "", p->done, p->seconds);
    else if (stages || p->done == 0)
        (void)snprintf(line, LINE_SIZE, "%s %zu of %zu%s, %.0f s", p->activity, p->done, p->total,
                       stages ? " stages" : "", p->seconds);
    else
        (void)snprintf(line, LINE_SIZE, "%s %zu of %zu, %.0f s, about %.0f s left", p->activity,
                       p->done, p->total, p->seconds, left);
}

/* Over the line that is there; `ended`: it stays. */
static void print_line(progress *p, const char *line, bool ended) {
    int width = (int)strlen(line);
    if (p->terminal)
        (void)fprintf(stderr, "\r%s%*s", line, p->width > width ? p->width - width : 0, "");
    else
        (void)fprintf(stderr, "%s", line);
    if (ended || !p->terminal)
        (void)fputc('\n', stderr);
    p->width = ended || !p->terminal ? 0 : width;
}

static bool show(void *user, const rm2_progress *report) {
    progress *p = user;
    if (p->work->common->quiet)
        return true;
    char line[LINE_SIZE];
    double now = rm2_seconds();
    bool ended = report->total > 0 && report->done == report->total;
    bool due = now - p->last >= (p->terminal ? TERMINAL_SECONDS : FILE_SECONDS);
    if (!due && !(ended && report->seconds > WORTH_A_LINE))
        return true;
    p->last = now;
    describe(report, line);
    print_line(p, line, ended && report->seconds > WORTH_A_LINE);
    return true;
}

progress progress_of(const work *w) {
    double now = rm2_seconds();
    return (progress){.work = w, .terminal = isatty(2) != 0, .started = now, .last = now};
}

void progress_count(progress *p, const char *what, size_t done, size_t total) {
    rm2_progress report = {
        .activity = what, .done = done, .total = total, .seconds = rm2_seconds() - p->started};
    (void)show(p, &report);
}

void progress_begin(const work *w, progress *p) {
    *p = progress_of(w);
    rm2_context_set_progress(w->ctx, show, p);
    catch_interrupts(w->ctx);
}

int progress_end(progress *p, rm2_status status) {
    catch_interrupts(NULL);
    rm2_context_set_progress(p->work->ctx, NULL, NULL);
    if (p->width > 0)
        (void)fprintf(stderr, "\r%*s\r", p->width, "");
    p->width = 0;
    return work_check(p->work, status);
}
