/* Connections of a server, so that those that ask for nothing do not keep others out: where there are too many, the one that
 * has been idle for longest is closed. Calls on any thread. */
#ifndef RM2_CLI_EXPLORE_CONNECTIONS_H
#define RM2_CLI_EXPLORE_CONNECTIONS_H

#include <stdbool.h>

/* Open at a time; and places for those that are closed and not gone yet. */
enum { CONNECTIONS = 384, CONNECTION_PLACES = 512 };

typedef struct connections connections;
typedef struct peer peer;

connections *connections_create(void);
void connections_free(connections *all);
/* A new connection, which is idle; may close another one. NULL: no place is left. */
peer *peer_open(connections *all, int socket);
/* Busy connections are not closed: a request has come, or is answered. */
void peer_set_busy(connections *all, peer *one, bool busy);
/* The socket is closed. NULL is allowed. */
void peer_gone(connections *all, peer *one);

#endif
