/* A table under one lock. */
#include "explore/connections.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

struct peer {
    bool used, busy, closed; /* closed: by us, and not gone yet */
    int socket;
    uint64_t since; /* when it became idle: a count of such moments */
};

struct connections {
    pthread_mutex_t lock;
    uint64_t moments;
    size_t open; /* used and not closed */
    peer places[CONNECTION_PLACES];
};

connections *connections_create(void) {
    connections *all = calloc(1, sizeof *all);
    if (all)
        (void)pthread_mutex_init(&all->lock, NULL);
    return all;
}

void connections_free(connections *all) {
    if (!all)
        return;
    (void)pthread_mutex_destroy(&all->lock);
    free(all);
}

/* The server sees the end of the connection, and frees it. */
static void close_oldest(connections *all) {
    peer *oldest = NULL;
    for (size_t k = 0; k < CONNECTION_PLACES; k++) {
        peer *c = &all->places[k];
        if (c->used && !c->busy && !c->closed && (!oldest || c->since < oldest->since))
            oldest = c;
    }
    if (!oldest)
        return;
    oldest->closed = true;
    all->open--;
    (void)shutdown(oldest->socket, SHUT_RDWR);
}

peer *peer_open(connections *all, int socket) {
    peer *one = NULL;
    (void)pthread_mutex_lock(&all->lock);
    if (all->open >= CONNECTIONS)
        close_oldest(all);
    for (size_t k = 0; k < CONNECTION_PLACES && !one; k++)
        if (!all->places[k].used)
            one = &all->places[k];
    if (one) {
        *one = (peer){.used = true, .socket = socket, .since = all->moments++};
        all->open++;
    }
    (void)pthread_mutex_unlock(&all->lock);
    return one;
}

void peer_set_busy(connections *all, peer *one, bool busy) {
    if (!one)
        return;
    (void)pthread_mutex_lock(&all->lock);
    one->busy = busy;
    one->since = all->moments++;
    (void)pthread_mutex_unlock(&all->lock);
}

void peer_gone(connections *all, peer *one) {
    if (!one)
        return;
    (void)pthread_mutex_lock(&all->lock);
    all->open -= !one->closed;
    one->used = false;
    (void)pthread_mutex_unlock(&all->lock);
}
