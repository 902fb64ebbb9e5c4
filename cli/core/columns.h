/* Columns of CSV files by the names that commands write. They are looked for in the header that the reader
 * of the file has found (rm2_csv_settings.choose), never in the file itself: a pipe can be read only once,
 * and a header may come after blank lines and comments. */
#ifndef RM2_CLI_COLUMNS_H
#define RM2_CLI_COLUMNS_H

#include "core/cli.h"

enum { COLUMN_NAME = 96 };

/* Names in the form that rm2_csv_settings has them; `list` has room for one more. */
typedef struct column_list {
    size_t count;
    char (*names)[COLUMN_NAME];
    const char **list;
} column_list;

/* z1, z2, ...; entries of points: x, qw, ...; false: no memory. Free after a failure too. */
bool columns_of_latents(column_list *c, size_t Q);
bool columns_of_points(column_list *c, const rm2_manifold *m);
void columns_free(column_list *c);

/* Has the file one of them? All of them? */
bool columns_any(const column_list *c, const rm2_table *header);
bool columns_all(const column_list *c, const rm2_table *header);

/* The column that tells trajectories of a file apart: demo, sample, pair; NULL: none. */
const char *columns_ids(const rm2_table *header);

/* "z1", "z2", ...: the column of latent coordinate q. */
void latent_name(size_t q, char name[COLUMN_NAME]);

#endif
