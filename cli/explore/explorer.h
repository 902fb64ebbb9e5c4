/* What the server knows: one model, its latent space, and contexts for the threads that answer. */
#ifndef RM2_CLI_EXPLORE_EXPLORER_H
#define RM2_CLI_EXPLORE_EXPLORER_H

#include <pthread.h>

#include "core/work.h"
#include "explore/http.h"

enum { EXPLORER_SLOTS = 64, CLIENT_SIZE = 16, KIND_SIZE = 16 };

/* A request under way: a newer one of the same page and kind interrupts it. */
typedef struct explorer_slot {
    rm2_context *ctx;
    char client[CLIENT_SIZE], kind[KIND_SIZE];
    bool busy;
} explorer_slot;

typedef struct explorer {
    const rm2_model *model;
    const rm2_model_info *info;
    const char *file;         /* name of the model's file, without its folder */
    rm2_space_settings space_settings;
    rm2_space *space;         /* without obstacles */
    rm2_space *avoiding;      /* with the obstacles asked for last, or NULL */
    double *obstacles;        /* these: count x (n + 1) */
    size_t obstacle_count;
    rm2_arm *arm;             /* or NULL */
    const char *arm_name;
    char *description;        /* of the model, as JSON */
    double *points;           /* training points in the units of the data */
    pthread_mutex_t lock;       /* of slots */
    pthread_mutex_t space_lock; /* of the space with obstacles */
    explorer_slot slots[EXPLORER_SLOTS];
} explorer;

/* Numbers of a request in the order in which they are read. */
typedef struct reader {
    const double *at, *end;
    bool short_of; /* fewer numbers than were asked for */
} reader;

/* The handler of the server; `user` is an explorer. */
http_answer explorer_answer(void *user, const http_request *request);

/* The model as JSON: freed with free(); NULL without memory. */
char *explorer_describe(const explorer *e);

/* ---- answers, each on a context of its own -------------------------------------------------- */

/* Numbers to send: `values` is freed with free(). */
typedef struct numbers {
    double *values;
    size_t count;
} numbers;

rm2_status answer_grid(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_decode(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_geodesic(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_samples(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_arm(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_encode(explorer *e, rm2_context *ctx, const http_request *request, numbers *out);

/* Numbers of a request: the next one, a count up to a limit, the next few. */
double reader_number(reader *r);
size_t reader_count(reader *r, size_t limit);
const double *reader_numbers(reader *r, size_t count);

#endif
