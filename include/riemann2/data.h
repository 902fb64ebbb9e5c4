/* Data sets: points on a manifold, in trajectories, with labels and time; read from files,
 * validated, converted to the library's conventions; and the four example data sets. */
#ifndef RIEMANN2_DATA_H
#define RIEMANN2_DATA_H

#include "riemann2/base.h"
#include "riemann2/io.h"
#include "riemann2/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A trajectory is a run of consecutive points. Data without trajectories have 0 of them. */
typedef struct rm2_data {
    rm2_manifold *manifold;
    char *source;        /* file name, or the name of the generator */
    size_t count;        /* points */
    double *points;      /* count x ambient */
    size_t *rows;        /* count: line of the text file, or index in the array (for messages) */
    bool rows_are_lines; /* which of the two */
    size_t trajectories;
    size_t *starts; /* trajectories + 1: first point of each, and count; NULL if none */
    char **ids;     /* trajectories: as in the file */
    double *time;   /* count, or NULL */
    size_t *labels; /* count: index into label_names, or NULL */
    char **label_names;
    size_t label_count;
    double *scale; /* factors: what a Euclidean factor's entries were divided by (1: nothing) */
} rm2_data;

RM2_API void rm2_data_free(rm2_data *data);

/* ---- reading -------------------------------------------------------------------------------- */

typedef enum rm2_quat_order {
    RM2_QUAT_AUTO, /* from header names (qw, qx, qy, qz); without them wxyz, and the report says so
                    */
    RM2_QUAT_WXYZ,
    RM2_QUAT_XYZW
} rm2_quat_order;

typedef enum rm2_orientation {
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

/* What cannot have an effect, such as `angles` where no factor is S1, is refused. */
typedef struct rm2_data_settings {
    const char *manifold; /* spec; required */
    const char *columns;  /* "a,b,c": names or 0-based numbers; NULL: all without another role */
    const char *group;    /* column (array, in an .npz) of trajectory ids; NULL: none */
    const char *label;    /* column of labels; NULL: none */
    const char *time;     /* column of time; NULL: none */
    const char *array;    /* array of points in an .npz; NULL: "points", or the only one */
    char delimiter;       /* as in rm2_csv_settings */
    int header;           /* an rm2_header */
    rm2_quat_order quat_order;
    rm2_orientation orientation; /* how S3 and SO3 factors are given */
    const char *euler; /* "xyz": fixed axes, "XYZ": turning axes, first to last; any order */
    bool degrees;      /* Euler and joint angles are in degrees */
    bool angles;       /* S1 factors are given as one angle each */
    rm2_spd_layout spd_layout;
    bool unit_diagonal;   /* the triangle has no diagonal: ones are added (correlations) */
    bool align_signs;     /* S3, SO3: choose q or -q along and across trajectories (default) */
    size_t thin;          /* keep this many evenly spaced points of each trajectory; 0: all */
    const char *holdout;  /* "2,5": trajectories set aside, by id; NULL: none */
    const char *select;   /* "2,5": the only trajectories kept; NULL: all */
    bool allow_missing;   /* NaN stands for a missing entry: Euclidean ones, or whole factors */
    bool scale;           /* divide Euclidean factors by one scalar each (see rm2_data_scale) */
    double project_below; /* defects up to this are projected silently (counted): 1e-6 */
    double warn_below;    /* up to this with a warning: 1e-3; beyond: an error */
} rm2_data_settings;

RM2_API rm2_data_settings rm2_data_settings_default(void);

/* What was found on the way; everything `riemann2 check` prints comes from here. */
typedef struct rm2_factor_report {
    double worst_defect;
    size_t worst_row;   /* row (line or index) of the worst defect */
    size_t projected;   /* points moved onto the manifold, of which */
    size_t warned;      /* were further off than project_below */
    size_t sign_flips;  /* quaternions whose sign was changed */
    size_t sign_jumps;  /* neighbours in a trajectory that still turn by more than 90 degrees */
    bool order_assumed; /* quaternions whose order nothing tells: wxyz was taken */
    size_t near_cut;    /* points within 0.1 of the cut locus of the mean */
    double spread;      /* root mean squared distance from the mean */
    double farthest;    /* largest distance from the mean */
    size_t rank;        /* numerical rank of the tangent coordinates at the mean */
    bool mean_found;    /* false: spread, farthest, near_cut and rank are not known */
    double condition;   /* SPD: largest condition number; else 0 */
    double magnitude;   /* root mean squared entry: shows wild scales */
} rm2_factor_report;

typedef struct rm2_data_report {
    size_t factors;
    rm2_factor_report *factor;
    size_t duplicates;        /* points equal to the one before them */
    size_t shortest, longest; /* points of the shortest and longest trajectory */
    size_t time_reversals;    /* points whose time does not come after the one before */
} rm2_data_report;

RM2_API void rm2_data_report_clear(rm2_data_report *report);

/* Read .csv .tsv .txt .npy .npz by extension. With `holdout` the trajectories set aside come in
 * *held_out (NULL pointer allowed if there are none). `report` may be NULL. */
RM2_API rm2_status rm2_data_read(rm2_context *ctx, const char *path,
                                 const rm2_data_settings *settings, rm2_data **data,
                                 rm2_data **held_out, rm2_data_report *report);

/* The same from a table of rm2_csv_read, for those who must see the names of its columns first; columns of
 * ids and labels were read as texts. `name` stands for the path. What the table had is moved or freed. */
RM2_API rm2_status rm2_data_from_table(rm2_context *ctx, const char *name, rm2_table *table,
                                       const rm2_data_settings *settings, rm2_data **data,
                                       rm2_data **held_out, rm2_data_report *report);

/* Write .csv .tsv .npy .npz by extension: trajectory id (column "demo"), time, label, point. */
RM2_API rm2_status rm2_data_write(rm2_context *ctx, const rm2_data *data, const char *path,
                                  bool overwrite);

/* Name of entry k of a point, as rm2_data_write has it: x, sy, qw, m12, ... */
RM2_API void rm2_data_column_name(const rm2_manifold *manifold, size_t k, char *name, size_t size);

/* Divide each Euclidean factor by the root of the mean of its column variances; stored in
 * data->scale and undone by rm2_data_unscale on points of the same manifold. */
RM2_API rm2_status rm2_data_scale(rm2_context *ctx, rm2_data *data);
RM2_API void rm2_data_unscale(const rm2_data *data, size_t n, double *points);

/* ---- examples ------------------------------------------------------------------------------- */

typedef struct rm2_generate_settings {
    uint64_t seed;
    size_t trajectories; /* 0: the example's own number */
    size_t points;       /* points of a trajectory (connectome: of the set); 0: its own number */
} rm2_generate_settings;

/* toy (R2 x S2), robot (R3 x S3), manipulability (R2 x SPD2), connectome (SPD15). `settings` may
 * be NULL. */
RM2_API rm2_status rm2_data_generate(rm2_context *ctx, const char *name,
                                     const rm2_generate_settings *settings, rm2_data **data);
/* Names and one-line descriptions, for help texts; NULL past the end. */
RM2_API const char *rm2_data_example_name(size_t index);
RM2_API const char *rm2_data_example_description(size_t index);

#ifdef __cplusplus
}
#endif
#endif
