/* The stages of a geodesic: each starts from a curve of known lengths and makes a shorter one. */
#ifndef RM2I_STAGE_H
#define RM2I_STAGE_H

#include "geodesic/arc.h"

typedef struct rm2i_stage {
    rm2_context *ctx;
    rm2i_evaluator *evaluator;
    size_t max_iterations; /* of one minimisation */
    double tolerance;      /* relative error of the velocity */
    double accuracy;       /* of lengths, relative; 0: as a first rule has them */
    size_t iterations;     /* so far */
} rm2i_stage;

/* What a stage has made. */
typedef struct rm2i_curve_candidate {
    rm2i_pieces *curve; /* NULL: nothing */
    rm2i_arc *arc;
    double error; /* estimated, of the velocity; infinity where there is no estimate */
    bool converged;
} rm2i_curve_candidate;

void rm2i_candidate_clear(rm2i_curve_candidate *candidate);

/* The path of n >= 2 points itself, and its length. */
rm2_status rm2i_path_stage(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                           const double *path, rm2i_curve_candidate *out);

/* The same without a message where the metric is not defined. */
rm2_status rm2i_path_measure(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                             const double *path, rm2i_curve_candidate *out);

/* Do the ends coincide, or nearly? */
bool rm2i_is_one_place(size_t Q, size_t n, const double *path);

/* The path with few evaluations where the metric barely changes along the path; else no curve. */
rm2_status rm2i_path_sketch(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                            const double *path, rm2i_curve_candidate *out);

/* Least energy among natural cubic splines. Intervals are doubled from `intervals` as long as they
 * are too coarse for the metric. */
rm2_status rm2i_spline_stage(rm2i_stage *stage, const rm2i_arc *start, size_t intervals,
                             rm2i_curve_candidate *out);

/* Solution of the geodesic equation: elements, divided from `elements` where they are too coarse. */
rm2_status rm2i_polish_stage(rm2i_stage *stage, const rm2i_arc *start, size_t elements,
                             rm2i_curve_candidate *out);

/* The same from a curve that solves it in a metric near the stage's: on its elements, with second derivatives of that
 * metric as long as they will do. */
rm2_status rm2i_polish_near(rm2i_stage *stage, rm2i_evaluator *near, const rm2i_pieces *start,
                            rm2i_curve_candidate *out);

#endif
