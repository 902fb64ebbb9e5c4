/* Names of columns, and which of them a file has. */
#include "core/columns.h"

#include <stdlib.h>

void latent_name(size_t q, char name[COLUMN_NAME]) {
    (void)snprintf(name, COLUMN_NAME, "z%zu", q + 1);
}

/* Room for the names. */
static bool columns_create(column_list *c, size_t count) {
    *c = (column_list){.count = count,
                       .names = calloc(count, sizeof *c->names),
                       .list = calloc(count + 1, sizeof *c->list)};
    for (size_t k = 0; c->names && c->list && k < count; k++)
        c->list[k] = c->names[k];
    return c->names && c->list;
}

bool columns_of_latents(column_list *c, size_t Q) {
    bool room = columns_create(c, Q);
    for (size_t q = 0; room && q < Q; q++)
        latent_name(q, c->names[q]);
    return room;
}

bool columns_of_points(column_list *c, const rm2_manifold *m) {
    bool room = columns_create(c, rm2_manifold_ambient(m));
    for (size_t k = 0; room && k < c->count; k++)
        rm2_data_column_name(m, k, c->names[k], sizeof c->names[k]);
    return room;
}

void columns_free(column_list *c) {
    free(c->list);
    free(c->names);
    *c = (column_list){.count = 0};
}

static size_t count_found(const column_list *c, const rm2_table *header) {
    size_t found = 0;
    for (size_t k = 0; k < c->count; k++)
        found += rm2_table_column(header, c->list[k]) != SIZE_MAX;
    return found;
}

bool columns_any(const column_list *c, const rm2_table *header) {
    return count_found(c, header) > 0;
}

bool columns_all(const column_list *c, const rm2_table *header) {
    return count_found(c, header) == c->count;
}

const char *columns_ids(const rm2_table *header) {
    static const char *const names[] = {"demo", "sample", "pair"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (rm2_table_column(header, names[k]) != SIZE_MAX)
            return names[k];
    return NULL;
}
