/* Lists of values of riemann2 cv. Each line of the input is an option: after '=' the text of --set, else the first byte chooses a
 * setting and the rest is its list. Candidates of a grid are all different; wrong lists have a message of one line. */
#include "cv/cv.h"
#include "fuzz_cli.h"

enum { TRIED = 40 };

static void take_lines(char *text, fit_options *o) {
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line == '=' && o->set.count < TEXT_LIST_MAX)
            o->set.items[o->set.count++] = line + 1;
        else if (*line && *line != '=')
            o->from.given[(unsigned char)*line % o->from.table->count] = line + 1;
    }
}

/* The number of a candidate from its values. */
static size_t number_of(const grid *g, size_t candidate) {
    size_t number = 0;
    for (size_t k = 0; k < g->count; k++) {
        const axis *a = &g->axes[k];
        const char *value = grid_value(g, candidate, k);
        size_t digit = 0;
        while (digit < a->count && strcmp(a->value[digit], value) != 0)
            digit++;
        CHECK(digit < a->count);
        number = number * a->count + digit;
    }
    return number;
}

static void check_grid(const work *w, const grid *g, const fit_options *o) {
    static fit_texts texts;
    CHECK(g->candidates > 0 && g->candidates <= GRID_POINTS && g->count <= GRID_AXES);
    for (size_t k = 0; k < g->candidates && k < TRIED; k++) {
        rm2_fit_settings s;
        listener l;
        CHECK(number_of(g, k) == k);
        listener_start(&l);
        int code = grid_settings(w, g, o, k, &texts, &s);
        if (code == EXIT_DONE)
            code = work_check(w, rm2_fit_check(w->ctx, NULL, &s));
        listener_stop(&l, code);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    CHECK(rm2_context_create(&ctx) == RM2_OK);
    char *text = fuzz_text(data, size);
    work w = fuzz_work(ctx);
    fit_options o = fit_options_default();
    grid g;
    listener l;
    o.from.lists = true;
    take_lines(text, &o);
    listener_start(&l);
    int code = grid_create(&w, &o, &g);
    listener_stop(&l, code);
    if (code == EXIT_DONE)
        check_grid(&w, &g, &o);
    grid_free(&g);
    free(text);
    rm2_context_free(ctx);
    return 0;
}
