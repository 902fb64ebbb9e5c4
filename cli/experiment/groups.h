/* What an experiment without trajectories finds about its groups: numbers (groups.c), tables (groups_report.c). */
#ifndef RM2_CLI_EXPERIMENT_GROUPS_H
#define RM2_CLI_EXPERIMENT_GROUPS_H

#include "experiment/experiment.h"

/* One table in several forms; a row of `lines` is a row of the table, the first one its head. */
enum { MOST_LINES = 1 + MOST_TESTS };
typedef struct group_table {
    const char *name, *title; /* name: in the comment of the LaTeX file */
    char note[400];           /* below it */
    table_line lines[MOST_LINES];
    size_t count;
} group_table;

/* The tables that there are: points held out, groups, tests, classification. */
enum { GROUP_TABLES = 4 };
size_t group_tables(const experiment_run *r, group_table tables[GROUP_TABLES]);

void groups_print_text(const experiment_run *r, FILE *out);
void groups_print_latex(const experiment_run *r, FILE *out);
void groups_print_csv(const experiment_run *r, FILE *out); /* part,item,measure,value,error */
/* Members of an object; none without results. */
void groups_print_json(const experiment_run *r, rm2_json *json);

#endif
