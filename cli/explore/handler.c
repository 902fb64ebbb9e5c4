/* From a request to an answer: which question it is, on which context it is answered. */
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"
#include "explore/page.h"

enum { BUSY = 503, INTERRUPTED = 409 };

/* ---- contexts ------------------------------------------------------------------------------- */

static bool same_question(const explorer_slot *s, const char *client, const char *kind) {
    return s->busy && client[0] && strncmp(s->client, client, CLIENT_SIZE - 1) == 0 &&
           strcmp(s->kind, kind) == 0;
}

/* A free slot, with its context; NULL: too many requests at once, or no memory. An older request of
 * the same page and kind is interrupted: nobody waits for it any more. */
static explorer_slot *enter(explorer *e, const char *client, const char *kind) {
    explorer_slot *mine = NULL;
    (void)pthread_mutex_lock(&e->lock);
    for (size_t k = 0; k < EXPLORER_SLOTS; k++) {
        explorer_slot *s = &e->slots[k];
        if (same_question(s, client, kind))
            rm2_context_interrupt(s->ctx);
        if (!s->busy && !mine)
            mine = s;
    }
    if (mine && !mine->ctx && rm2_context_create(&mine->ctx) != RM2_OK)
        mine = NULL;
    if (mine) {
        mine->busy = true;
        (void)snprintf(mine->client, sizeof mine->client, "%s", client);
        (void)snprintf(mine->kind, sizeof mine->kind, "%s", kind);
        rm2_context_clear_interrupt(mine->ctx);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return mine;
}

static void leave(explorer *e, explorer_slot *s) {
    (void)pthread_mutex_lock(&e->lock);
    s->busy = false;
    (void)pthread_mutex_unlock(&e->lock);
}

/* ---- answers -------------------------------------------------------------------------------- */

static http_answer say(unsigned status, const char *text) {
    http_answer a = {.status = status, .type = "text/plain; charset=utf-8", .bytes = strdup(text)};
    a.size = a.bytes ? strlen(text) : 0;
    return a;
}

static http_answer send_kept(const char *type, const void *bytes, size_t size) {
    return (http_answer){.status = 200,
                         .type = type,
                         .bytes = (void *)(uintptr_t)bytes,
                         .size = size,
                         .kept = true};
}

static http_answer send_doubles(const double *values, size_t count) {
    return send_kept("application/octet-stream", values, count * sizeof *values);
}

static http_answer send_result(rm2_status status, bool short_of, const rm2_context *ctx,
                               numbers *out) {
    if (status == RM2_OK && !short_of)
        return (http_answer){.status = 200,
                             .type = "application/octet-stream",
                             .bytes = out->values,
                             .size = out->count * sizeof *out->values};
    free(out->values);
    if (short_of)
        return say(400, "the request does not have the numbers that it should have\n");
    if (status == RM2_INTERRUPTED)
        return say(INTERRUPTED, "a newer request has taken its place\n");
    const char *text = rm2_context_error(ctx);
    return say(status == RM2_ERR_MEMORY ? 500 : 422, text[0] ? text : rm2_status_text(status));
}

/* ---- questions ------------------------------------------------------------------------------ */

static const struct question {
    const char *name;
    rm2_status (*answer)(explorer *e, rm2_context *ctx, reader *r, numbers *out);
} questions[] = {
    {"grid", answer_grid},       {"decode", answer_decode}, {"geodesic", answer_geodesic},
    {"samples", answer_samples}, {"arm", answer_arm},
};

static http_answer answer_numbers(explorer *e, const http_request *request,
                                  const struct question *q) {
    explorer_slot *slot = enter(e, request->client, q->name);
    if (!slot)
        return say(BUSY, "too many requests at once\n");
    const double *body = request->body;
    reader r = {.at = body, .end = body ? body + request->size / sizeof *body : body};
    r.short_of = request->size % sizeof *body != 0 || !request->post;
    numbers out = {NULL, 0};
    rm2_status status = r.short_of ? RM2_OK : q->answer(e, slot->ctx, &r, &out);
    http_answer a = send_result(status, r.short_of || r.at != r.end, slot->ctx, &out);
    leave(e, slot);
    return a;
}

static http_answer answer_csv(explorer *e, const http_request *request) {
    explorer_slot *slot = enter(e, request->client, "encode");
    if (!slot)
        return say(BUSY, "too many requests at once\n");
    numbers out = {NULL, 0};
    rm2_status status = answer_encode(e, slot->ctx, request, &out);
    http_answer a = send_result(status, false, slot->ctx, &out);
    leave(e, slot);
    return a;
}

http_answer explorer_answer(void *user, const http_request *request) {
    explorer *e = user;
    page_file file;
    if (page_find(request->name, &file))
        return send_kept(file.type, file.bytes, file.size);
    if (strcmp(request->name, "alive") == 0)
        return say(200, "yes\n");
    if (strcmp(request->name, "model") == 0)
        return send_kept("application/json", e->description, strlen(e->description));
    if (strcmp(request->name, "latents") == 0)
        return send_doubles(e->info->latents, e->info->points * e->info->latent_dim);
    if (strcmp(request->name, "points") == 0)
        return send_doubles(e->points,
                            e->info->points * rm2_manifold_ambient(e->info->manifold));
    if (strcmp(request->name, "encode") == 0 && request->post)
        return answer_csv(e, request);
    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
        if (strcmp(questions[k].name, request->name) == 0)
            return answer_numbers(e, request, &questions[k]);
    return say(404, "not found\n");
}
