/* A matrix of distances: its file, its summary, medoids. */
#ifndef RM2_CLI_MATRIX_H
#define RM2_CLI_MATRIX_H

#include "core/model.h"

typedef struct distance_summary {
    size_t n, unconverged; /* points, pairs that did not converge */
    size_t blocked;        /* pairs that no way joins */
    double mean, largest;  /* of the others */
} distance_summary;

distance_summary summarise_distances(size_t n, const double *distance, size_t unconverged);
/* To --output. */
int write_distances(const model_work *m, size_t n, double *distance);

/* --medoids */
typedef struct centres {
    size_t *index; /* the caller's to free */
    double cost;
} centres;

/* Are there as many points? */
int check_centres(const model_work *m, size_t n);
int find_centres(const model_work *m, size_t n, const double *distance, centres *c);
/* Nothing for 0 medoids. */
void centres_print(FILE *out, const centres *c, size_t medoids);
void centres_json(rm2_json *json, const centres *c, size_t medoids);

#endif
