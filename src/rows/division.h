/* For the files of this folder: who has which rows, and memory to exchange them and to add up sums. */
#ifndef RM2I_DIVISION_H
#define RM2I_DIVISION_H

#include <stddef.h>

enum rm2i_kind { RM2I_POINTS, RM2I_STEPS, RM2I_TRAJECTORIES, RM2I_KINDS };
enum {
    RM2I_PIECE = 1 << 16, /* numbers of a sum that are exchanged at a time */
    RM2I_SHORT = 16       /* numbers of a sum that every process adds up by itself */
};

typedef struct rm2i_division {
    size_t processes;
    size_t *rows, *trajectories,
        *steps;              /* processes + 1: process k has those from [k] to [k + 1] - 1 */
    size_t *sent, *received; /* processes: numbers to and from each */
    double *values;          /* processes: one of each */
    size_t *starts;
    double *memory;
} rm2i_division;

typedef struct rm2i_cut {
    size_t units, processes, nodes; /* nodes of all processes */
    size_t *unit[RM2I_KINDS];       /* units + 1 */
    size_t *first;    /* processes + 1: process k has the units from [k] to [k + 1] - 1 */
    double *out, *in; /* numbers of nodes: to all processes, from all processes */
    double *joined;   /* nodes of a slice */
    double *memory, *sums;
} rm2i_cut;

#endif
