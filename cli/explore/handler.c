/* From a request to an answer. */
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"
#include "explore/page.h"
#include "explore/queue.h"

enum {
    DONE = 200,
    BAD_REQUEST = 400,
    NOT_FOUND = 404,
    REPLACED = 409,
    FAULT = 422,
    NO_MEMORY = 500
};

/* ---- what stays as it is -------------------------------------------------------------------- */

static http_answer send_kept(const char *type, const void *bytes, size_t size) {
    return (http_answer){
        .status = DONE, .type = type, .bytes = (void *)bytes, .size = size, .kept = true};
}

static http_answer send_doubles(const double *values, size_t count) {
    return send_kept("application/octet-stream", values, count * sizeof *values);
}

static http_answer on_get(void *user, const http_request *request) {
    const explorer *e = user;
    const rm2_model_info *i = e->info;
    page_file file;
    if (page_find(request->name, &file))
        return send_kept(file.type, file.bytes, file.size);
    if (strcmp(request->name, "model") == 0)
        return send_kept("application/json", e->description, strlen(e->description));
    if (strcmp(request->name, "latents") == 0)
        return send_doubles(i->latents, i->points * i->latent_dim);
    if (strcmp(request->name, "points") == 0)
        return send_doubles(e->points, i->points * rm2_manifold_ambient(i->manifold));
    return http_text(NOT_FOUND, "not found\n");
}

/* ---- what is computed ----------------------------------------------------------------------- */

static const struct question {
    const char *name;
    rm2_status (*answer)(explorer *e, rm2_context *ctx, reader *r, numbers *out);
} questions[] = {
    {"grid", answer_grid},     {"decode", answer_decode},   {"geodesic", answer_geodesic},
    {"motion", answer_motion}, {"samples", answer_samples}, {"arm", answer_arm},
};

static http_answer send_result(rm2_status status, bool bad, const rm2_context *ctx, numbers *out) {
    if (status == RM2_OK && !bad)
        return (http_answer){.status = DONE,
                             .type = "application/octet-stream",
                             .bytes = out->values,
                             .size = out->count * sizeof *out->values};
    free(out->values);
    if (bad)
        return http_text(BAD_REQUEST, "the request has the wrong number of values\n");
    if (status == RM2_INTERRUPTED)
        return http_text(REPLACED, "replaced by a newer request\n");
    const char *text = rm2_context_error(ctx);
    return http_text(status == RM2_ERR_MEMORY ? NO_MEMORY : FAULT,
                     text[0] ? text : rm2_status_text(status));
}

static http_answer answer_numbers(explorer *e, rm2_context *ctx, const http_request *request,
                                  const struct question *q) {
    const double *body = request->body; /* from malloc: aligned */
    reader r = {body, body ? body + request->size / sizeof *body : body,
                request->size == 0 || request->size % sizeof *body != 0};
    numbers out = {NULL, 0};
    rm2_status status = r.bad ? RM2_OK : q->answer(e, ctx, &r, &out);
    return send_result(status, r.bad || r.at != r.end, ctx, &out);
}

static http_answer answer_text(explorer *e, rm2_context *ctx, const http_request *request) {
    numbers out = {NULL, 0};
    rm2_status status =
        answer_encode(e, ctx, request->body ? request->body : "", request->size, &out);
    return send_result(status, false, ctx, &out);
}

static http_answer on_post(void *user, const http_request *request) {
    explorer *e = user;
    rm2_context *ctx = e->contexts[request->worker];
    rm2_context_clear_interrupt(ctx);
    if (strcmp(request->name, "encode") == 0)
        return answer_text(e, ctx, request);
    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
        if (strcmp(questions[k].name, request->name) == 0)
            return answer_numbers(e, ctx, request, &questions[k]);
    return http_text(NOT_FOUND, "not found\n");
}

static void on_interrupt(void *user, size_t worker) {
    const explorer *e = user;
    rm2_context_interrupt(e->contexts[worker]);
}

http_handlers explorer_handlers(explorer *e) {
    return (http_handlers){on_get, on_post, on_interrupt, e};
}
