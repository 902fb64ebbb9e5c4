/* What an evaluation found: measures of items, items in parts, in the order they were added. One list for
 * the tables that people read, for JSON (part, item, measure: objects inside one another) and for CSV
 * (columns part, item, measure, value). */
#ifndef RM2_CLI_FINDINGS_H
#define RM2_CLI_FINDINGS_H

#include "core/cli.h"

typedef struct finding {
    const char *part; /* static */
    size_t item;      /* index of its name */
    char *measure;
    double value;
    bool detail; /* not in the tables */
} finding;

typedef struct findings {
    finding *list;
    size_t count;
    char **items;
    size_t item_count;
    const char *part; /* of the current item */
    bool failed;      /* out of memory: asked once, at the end */
} findings;

/* The measures that follow belong to this item; all items of a part have the same ones. */
void findings_item(findings *f, const char *part, const char *item);
void findings_add(findings *f, const char *measure, double value);
void findings_detail(findings *f, const char *measure, double value);
void findings_free(findings *f);

void findings_print(FILE *out, const findings *f);
/* The parts as members of an object. */
void findings_print_json(rm2_json *json, const findings *f);
rm2_status findings_write(rm2_context *ctx, const findings *f, const char *path, bool overwrite);

#endif
