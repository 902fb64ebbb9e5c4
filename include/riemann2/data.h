/* Data sets: points on a manifold, in trajectories, with labels and time; from files or arrays,
 * validated, converted to the library's conventions; and the four example data sets. */
#ifndef RIEMANN2_DATA_H
#define RIEMANN2_DATA_H

#include "riemann2/base.h"
#include "riemann2/io.h"
#include "riemann2/manifold.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A data set never changes once it is made, so that any number of threads may share it. It is made by
 * the library alone (rm2_data_read, rm2_data_create, rm2_data_generate,
 * rm2_data_align), and later versions may add members at its end. A trajectory is a run of consecutive
 * points; data without trajectories have 0 of them. */
typedef struct rm2_data {
    const rm2_manifold *manifold;
    const char *source;   /* file name, or the name it was given */
    size_t count;         /* points */
    const double *points; /* count x ambient, Euclidean factors divided by their scale */
    const size_t *rows;   /* count: number of each point where it came from, for messages */
    const char *row_word; /* "line" of a text file, "row" of an array file, or "point" */
    size_t trajectories;
    const size_t *starts;   /* trajectories + 1: first point of each, and count; NULL if none */
    const char *const *ids; /* trajectories */
    const double *time;     /* count, or NULL */
    const size_t *labels;   /* count: index into label_names, or NULL */
    const char *const *label_names;
    size_t label_count;
    const double *scale; /* factors: what Euclidean entries were divided by (1: nothing) */
    size_t missing;      /* entries that are missing (NaN): rm2_data_settings.allow_missing */
    double shrinkage;    /* of SPD factors: rm2_data_settings.shrinkage */
    size_t singular;     /* SPD matrices that were singular within rounding when they were read, */
    size_t singular_row; /* and the row of the first, as in rows */
} rm2_data;

/* One more reference; free gives one back, and the last one frees. NULL is allowed in both. */
RM2_API rm2_data *rm2_data_retain(const rm2_data *data);
RM2_API void rm2_data_free(rm2_data *data);

/* ---- settings ------------------------------------------------------------------------------- */

typedef enum rm2_quat_order {
    RM2_QUAT_AUTO, /* from header names (qw, qx, qy, qz); without them wxyz, which the report shows
                    */
    RM2_QUAT_WXYZ,
    RM2_QUAT_XYZW
} rm2_quat_order;

typedef enum rm2_orientation {
    RM2_ORIENTATION_AUTO, /* Euler angles where `euler` is given, else quaternions */
    RM2_ORIENTATION_QUATERNION,
    RM2_ORIENTATION_MATRIX, /* 9 entries by rows */
    RM2_ORIENTATION_ROTVEC, /* axis times angle in radians */
    RM2_ORIENTATION_EULER   /* three angles, order named */
} rm2_orientation;

typedef enum rm2_spd_layout {
    RM2_SPD_FULL,   /* n*n by rows */
    RM2_SPD_UPPER,  /* upper triangle by rows */
    RM2_SPD_LOWER,  /* lower triangle by rows */
    RM2_SPD_FSL,    /* xx xy xz yy yz zz */
    RM2_SPD_MRTRIX, /* xx yy zz xy xz yz */
    RM2_SPD_ANTS    /* xx xy yy xz yz zz, also dipy */
} rm2_spd_layout;

/* Which Euclidean factors are divided by one scalar each, the root of the mean of their column variances, so that
 * factors weigh about the same. */
typedef enum rm2_scale_rule {
    RM2_SCALE_NONE,
    RM2_SCALE_ALL,
    RM2_SCALE_AUTO /* those of products, if there are at least two points and none may be missing */
} rm2_scale_rule;

/* Settings that cannot take effect, such as `angles` where no factor is S1, are rejected. Defaults and
 * ranges are in the table (RM2_SETTINGS_DATA) and in docs/settings.md. */
typedef struct rm2_data_settings {
    size_t size;          /* as rm2_data_settings_default sets it */
    const char *manifold; /* spec; required for files, NULL for data in memory */
    const char *columns;  /* as in rm2_column_choice; NULL: all without another role */
    const char *group; /* column (array, in a file of named arrays) of trajectory ids; NULL: none */
    const char *label; /* column of labels; NULL: none */
    const char *time;  /* column of time; NULL: none */
    const char
        *array; /* array of points in an .npz or .mat; NULL: "points", or the only one that fits */
    char delimiter; /* as in rm2_csv_settings */
    rm2_header header;
    rm2_quat_order quat_order;
    rm2_orientation orientation; /* how S3 and SO3 factors are given */
    const char *euler; /* "xyz": fixed axes, "XYZ": turning axes, first to last; any order */
    bool degrees;      /* Euler and joint angles are in degrees */
    bool angles;       /* S1 factors are given as one angle each */
    rm2_spd_layout spd_layout;
    bool unit_diagonal;  /* the triangle has no diagonal: ones are added (correlations) */
    bool align_signs;    /* S3, SO3: choose q or -q along and across trajectories (default) */
    size_t thin;         /* keep this many evenly spaced points of each trajectory; 0: all */
    const char *holdout; /* "2,5": trajectories set aside, by id; NULL: none */
    const char *select;  /* "2,5": the only trajectories kept; NULL: all */
    bool allow_missing;  /* NaN stands for a missing entry: Euclidean ones, or whole factors */
    rm2_scale_rule scale;
    double project_below; /* defects up to this are projected silently (counted): 1e-6 */
    double warn_below;    /* up to this with a warning: 1e-3; beyond: an error */
    double shrinkage;     /* SPD: A becomes (1 - s) A + s tr(A)/n I; 0: none */
    const char *ignore;   /* columns to leave out, as in rm2_column_choice; NULL: none */
} rm2_data_settings;

static inline rm2_data_settings rm2_data_settings_default(void) {
    rm2_data_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_DATA), 0, &settings);
    return settings;
}

/* What was found on the way; everything `riemann2 check` prints comes from here. */
typedef struct rm2_factor_report {
    double worst_defect;
    size_t worst_row;    /* row of the worst defect, as in rm2_data.rows */
    size_t projected;    /* points moved onto the manifold, of which */
    size_t warned;       /* were further off than project_below */
    size_t sign_flips;   /* quaternions whose sign was changed */
    size_t sign_jumps;   /* neighbours in a trajectory that still turn by more than 90 degrees */
    bool order_assumed;  /* quaternions of unknown order: wxyz was assumed */
    size_t near_cut;     /* points within 0.1 of the cut locus of the mean */
    double spread;       /* root mean squared distance from the mean */
    double farthest;     /* largest distance from the mean */
    size_t rank;         /* numerical rank of the tangent coordinates at the mean */
    bool mean_found;     /* false: spread, farthest, near_cut and rank are not known */
    double condition;    /* SPD: largest condition number; else 0 */
    double magnitude;    /* root mean squared entry: shows wild scales */
    size_t singular;     /* SPD: matrices that are singular within rounding; models refuse them */
    size_t singular_row; /* row of the first */
} rm2_factor_report;

/* Columns of Euclidean factors that may not be what they are taken for. */
typedef enum rm2_oddity {
    RM2_ODD_CONSTANT, /* one value */
    RM2_ODD_STEADY,   /* runs evenly along every trajectory, as time or an index does */
    RM2_ODD_TINY      /* varies less than a thousandth of the factor's largest */
} rm2_oddity;

typedef struct rm2_odd_column {
    size_t factor, entry; /* entry of the factor, both from 0 */
    rm2_oddity kind;
} rm2_odd_column;

typedef struct rm2_data_report {
    size_t size; /* sizeof(rm2_data_report), set by the caller */
    size_t factors;
    rm2_factor_report *factor;
    size_t duplicates;        /* points equal to the one before them */
    size_t shortest, longest; /* points of the shortest and longest trajectory */
    size_t time_reversals;    /* points whose time does not come after the one before */
    size_t odd_columns;
    rm2_odd_column *odd_column;
} rm2_data_report;

RM2_API void rm2_data_report_clear(rm2_data_report *report);

/* ---- reading -------------------------------------------------------------------------------- */

/* Read .csv .tsv .txt .npy .npz by extension, and formats of the context such as .mat (rm2_mat_register). With `holdout` the trajectories set aside come in
 * *held_out (NULL: they are dropped). `report` may be NULL; clear it with rm2_data_report_clear. */
RM2_API rm2_status rm2_data_read(rm2_context *ctx, const char *path,
                                 const rm2_data_settings *settings, rm2_data **data,
                                 rm2_data **held_out, rm2_data_report *report);

/* ---- data in memory ------------------------------------------------------------------------- */

/* Arrays of a data set; all are copied. Zero what you do not have. */
typedef struct rm2_data_arrays {
    size_t size;                  /* sizeof(rm2_data_arrays), set by the caller */
    const rm2_manifold *manifold; /* required; retained */
    const char *source;           /* name in messages and model files; NULL: "memory" */
    size_t count;                 /* points, at least 1 */
    size_t width;         /* numbers per point; 0: as many as manifold and settings ask for */
    const double *points; /* count x width */
    /* trajectories: by their first points, or by one id per point; without any the points are
     * separate */
    size_t trajectories;
    const size_t *starts;           /* trajectories + 1: first point of each, and count */
    const char *const *ids;         /* trajectories: ids that go with starts; NULL: "0", "1", ... */
    const int64_t *group_numbers;   /* count: ids; equal ones stand next to each other */
    const char *const *group_texts; /* count */
    const double *time;             /* count */
    /* labels: as indices with names, or as one text per point */
    const size_t *labels; /* count: index into label_names */
    const char *const *label_names;
    size_t label_count;
    const char *const *label_texts; /* count */
    double
        shrunk; /* shrinkage that the matrices have had already: rm2_data.shrinkage of the copy; 0: none */
} rm2_data_arrays;

/* A data set from arrays: checked, converted, projected, sign-aligned, split, scaled and reported on as
 * a file's numbers are. `settings` (NULL: the defaults) may not name columns or a manifold. held_out
 * and report as in rm2_data_read. Messages name points by their index, from 0. */
RM2_API rm2_status rm2_data_create(rm2_context *ctx, const rm2_data_arrays *arrays,
                                   const rm2_data_settings *settings, rm2_data **data,
                                   rm2_data **held_out, rm2_data_report *report);

/* ---- use ------------------------------------------------------------------------------------ */

/* A copy whose quaternions (S3, SO3) have the signs of a reference, such as a model's training data:
 * each trajectory as a whole takes the sign that agrees with the reference's first one at equal phases;
 * without trajectories each point takes that of the nearest reference point. Missing ones stay. */
RM2_API rm2_status rm2_data_align(rm2_context *ctx, const rm2_data *data, const rm2_data *reference,
                                  rm2_data **aligned);
/* The same for n points of your own on the reference's manifold, each alone, in place. */
RM2_API void rm2_data_align_points(const rm2_data *reference, size_t n, double *points);

/* Regularise the SPD matrices of n points of your own as those of the reference were (reference->shrinkage), in
 * place: new data for a model, whose training data are the reference. Missing ones stay. */
RM2_API void rm2_data_regularise_points(const rm2_data *reference, size_t n, double *points);

/* The points in the units they came in: count x ambient. */
RM2_API void rm2_data_original(const rm2_data *data, double *points);
/* The same for n points of your own that are in the units of data->points, in place. */
RM2_API void rm2_data_unscale(const rm2_data *data, size_t n, double *points);

/* Write .csv .tsv .npy .npz by extension: trajectory id (column "demo"), time, label, point. */
RM2_API rm2_status rm2_data_write(rm2_context *ctx, const rm2_data *data, const char *path,
                                  bool overwrite);

/* ---- examples ------------------------------------------------------------------------------- */

typedef struct rm2_generate_settings {
    size_t size; /* as rm2_generate_settings_default sets it */
    uint64_t seed;
    size_t trajectories; /* 0: the example's own number */
    size_t points;       /* points of a trajectory (connectome: of the set); 0: its own number */
    bool scale;          /* as in rm2_data_settings */
} rm2_generate_settings;

/* Seed and sizes are in it. */
static inline rm2_generate_settings rm2_generate_settings_default(void) {
    rm2_generate_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_GENERATE), 0, &settings);
    return settings;
}

/* toy (R2 x S2), robot (R3 x S3), manipulability (R2 x SPD2), connectome (SPD15). `settings` may
 * be NULL. */
RM2_API rm2_status rm2_data_generate(rm2_context *ctx, const char *name,
                                     const rm2_generate_settings *settings, rm2_data **data);
#ifdef __cplusplus
}
#endif
#endif
