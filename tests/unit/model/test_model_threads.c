/* Two threads with a context each train on one data set, write and read their models and ask one model that they share: both
 * get the numbers that one alone gets. A thread that has no part in a training interrupts it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "riemann2/fit.h"

typedef struct visitor {
    const rm2_model *shared;
    const rm2_data *data;
    char path[128];
    bool failed;
    void *bytes; /* of the model trained here */
    size_t size;
    double *points, *latents; /* decoded and encoded by the shared model */
} visitor;

#define CALL(call) v->failed = v->failed || (call) != RM2_OK

static void train(rm2_context *own, visitor *v) {
    rm2_fit_settings s = robust_settings(3);
    rm2_model *model = NULL, *again = NULL;
    CALL(rm2_fit(own, v->data, &s, NULL, &model));
    CALL(rm2_model_write(own, model, v->path, true));
    CALL(rm2_model_read(own, v->path, &again));
    CALL(rm2_model_to_bytes(own, again, &v->bytes, &v->size));
    rm2_model_free(model);
    rm2_model_free(again);
}

static void ask(rm2_context *own, visitor *v) {
    const rm2_model_info *i = rm2_model_info_of(v->shared);
    CALL(rm2_model_decode(own, v->shared, i->points, i->latents, v->points, NULL, NULL, NULL));
    CALL(rm2_model_encode(own, v->shared, NULL, 3, v->points, v->latents, NULL, NULL));
}

static void *run(void *user) {
    visitor *v = user;
    rm2_context *own = NULL;
    CALL(rm2_context_create(&own));
    if (own) {
        rm2_context_set_threads(own, 1);
        train(own, v);
        ask(own, v);
    }
    rm2_context_free(own);
    return NULL;
}

static visitor visitor_of(const rm2_model *shared, const rm2_data *data, const char *name) {
    const rm2_model_info *i = rm2_model_info_of(shared);
    visitor v = {.shared = shared, .data = data};
    (void)snprintf(v.path, sizeof v.path, "%s", in_folder(name));
    v.points = numbers(i->points * rm2_manifold_ambient(i->manifold));
    v.latents = numbers(3 * i->latent_dim);
    return v;
}

static void threads_do_not_disturb_each_other(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 10);
    rm2_fit_settings s = robust_settings(2);
    rm2_model *shared = fit_model(data, &s);
    const rm2_model_info *info = rm2_model_info_of(shared);
    size_t entries = info->points * rm2_manifold_ambient(info->manifold);
    visitor v[3] = {visitor_of(shared, data, "a.npz"), visitor_of(shared, data, "b.npz"),
                    visitor_of(shared, data, "c.npz")};
    pthread_t threads[2];
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, run, &v[k]), 0);
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(pthread_join(threads[k], NULL), 0);
    (void)run(&v[2]); /* alone */
    for (size_t k = 0; k < 3; k++) {
        assert_false(v[k].failed);
        assert_int_equal(v[k].size, v[2].size);
        assert_memory_equal(v[k].bytes, v[2].bytes, v[2].size);
        assert_memory_equal(v[k].points, v[2].points, entries * sizeof *v[k].points);
        assert_memory_equal(v[k].latents, v[2].latents, 3 * info->latent_dim * sizeof(double));
    }
    for (size_t k = 0; k < 3; k++) {
        (void)remove(v[k].path);
        rm2_free(v[k].bytes);
        free(v[k].points);
        free(v[k].latents);
    }
    rm2_model_free(shared);
    rm2_data_free(data);
}

/* ---- interrupts from elsewhere --------------------------------------------------------------- */

/* What the thread that trains and the one that interrupts it share. */
typedef struct onlooker {
    rm2_context *ctx;
    atomic_size_t rows; /* reported by the training */
} onlooker;

static bool count_rows(void *user, const rm2_progress *p) {
    onlooker *o = user;
    if (p->row)
        atomic_fetch_add(&o->rows, 1);
    return true;
}

static void *interrupt_after_rows(void *user) {
    onlooker *o = user;
    while (atomic_load(&o->rows) < 3)
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    rm2_context_interrupt(o->ctx);
    return NULL;
}

/* The settings end by no iteration that a test would wait for. */
static void another_thread_interrupts(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 10);
    rm2_fit_settings s = robust_settings(1000000);
    rm2_model *fitted = NULL;
    pthread_t thread;
    s.optim.method = RM2_ADAM; /* converges slowly */
    s.optim.gradient = 0;
    onlooker o = {0};
    ok(rm2_context_create(&o.ctx));
    rm2_context_set_threads(o.ctx, 2);
    rm2_context_set_progress(o.ctx, count_rows, &o);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_after_rows, &o), 0);
    ok(rm2_fit(o.ctx, data, &s, NULL, &fitted));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(rm2_model_info_of(fitted)->training.stop, RM2_STOP_INTERRUPTED);
    rm2_model_free(fitted);
    rm2_context_free(o.ctx);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_disturb_each_other),
                                       cmocka_unit_test(another_thread_interrupts)};
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
