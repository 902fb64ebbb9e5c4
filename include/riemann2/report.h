/* Report on a path in a latent space: its length and accuracy, its distances from obstacles and
 * from the demonstrations, its smoothness compared with theirs, and whether it is reliable. The
 * program, the Python package and the explorer report the results of one call:
 *
 *     rm2_report_settings s = rm2_report_settings_default();
 *     rm2_path_report report = {.size = sizeof report};
 *     s.vicinity = vicinity;
 *     rm2_space_geodesic(ctx, space, from, to, &curve);
 *     rm2_path_measure(ctx, space, curve, &s, NULL, &report);
 *     if (!report.reliable) {
 *         char why[RM2_REASON_SIZE];
 *         rm2_path_reason_text(&report, rm2_path_next_reason(report.reasons, 0), why, sizeof why);
 *         puts(why); // node 87 of 200 is 2.31 spreads from the nearest training data ...
 *     } */
#ifndef RIEMANN2_REPORT_H
#define RIEMANN2_REPORT_H

#include "riemann2/base.h"
#include "riemann2/eval.h"
#include "riemann2/geodesic.h"
#include "riemann2/settings.h"
#include "riemann2/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reasons why a path is not reliable: bits of a set. */
typedef enum rm2_path_reason {
    RM2_PATH_BLOCKED = 1, /* no path keeps the clearance from the obstacles: do not drive it */
    /* The curve keeps the clearance, but the lines between its nodes do not. */
    RM2_PATH_TOO_FEW_NODES = 2,
    RM2_PATH_NOT_CONVERGED = 4, /* the last stage did not reach its tolerance */
    RM2_PATH_OUTSIDE = 8,       /* a node is farther from the demonstrations than the limit */
    RM2_PATH_INCOMPLETE = 16    /* a part of the demonstrated motion between its ends is left out */
} rm2_path_reason;

/* Name of a reason: "blocked", "too few nodes", "not converged", "outside", "incomplete"; or
 * "unknown reason". */
RM2_API const char *rm2_path_reason_name(rm2_path_reason reason);
/* The smallest reason of a set that is above `last`; begin with 0. The result is 0 after the last
 * one. */
RM2_API rm2_path_reason rm2_path_next_reason(unsigned reasons, rm2_path_reason last);

/* Settings of a report. The table has the limit. */
typedef struct rm2_report_settings {
    size_t size;         /* as rm2_report_settings_default sets it */
    double spread_limit; /* largest distance from the demonstrations, in spreads */
    double
        omission_limit; /* largest distance of the demonstrated motion from the path, in spreads */
    const rm2_vicinity *vicinity; /* vicinity of the space's model; NULL: distances stay unknown */
    size_t stops;         /* number of points that the path should pass, including its ends */
    const double *points; /* stops x Q; NULL: the ends of the curve */
    bool straight;        /* measure the straight lines through these points (default) */
    /* Number of nodes of the curve that are used, evenly spaced among them; 0: all. */
    size_t nodes;
} rm2_report_settings;

static inline rm2_report_settings rm2_report_settings_default(void) {
    rm2_report_settings settings = {0};
    settings.size = sizeof settings;
    settings.straight = true;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_REPORT), 0, &settings);
    return settings;
}

/* The report. Later versions may add members at the end. Lengths are in the exact metric of the
 * space, whichever metric was minimised. Nodes are counted from 0 among the nodes that are used;
 * SIZE_MAX: none. */
typedef struct rm2_path_report {
    size_t size; /* sizeof(rm2_path_report), set by the caller */
    bool reliable;
    unsigned reasons; /* set of rm2_path_reason; empty if `reliable` */
    size_t nodes;     /* number of nodes that are used */
    double length, energy;
    double straight; /* length of the straight lines; NaN: not measured */
    double error;    /* numerical error, as in rm2_curve */
    double residual;
    bool converged;
    bool blocked;     /* RM2_PATH_BLOCKED or RM2_PATH_TOO_FEW_NODES */
    double clearance; /* proven, of the polygon through the nodes; infinity without obstacles */
    double clearance_wanted; /* clearance of the space's settings */
    size_t clearance_node;   /* node with the least clearance */
    /* Largest distance from the demonstrations, in spreads; NaN: unknown, or blocked. */
    double over_spread;
    size_t farthest;     /* node with this distance */
    double spread;       /* spread of the demonstrations, in the model's units; NaN: unknown */
    double spread_limit; /* in spreads */
    /* Smoothness of the decoded path, and its median over the demonstrations; NaN: unknown, or
     * blocked. */
    rm2_smoothness smoothness, demonstrated;
    /* Distance from the path that a tenth of the demonstrated motion between its stops is beyond, in
     * spreads; a single demonstration, which has no spread, counts in parts of its size. NaN:
     * unknown, blocked or no trajectories. */
    double omission;
    double omission_limit; /* in spreads */
    /* A demonstration and its point that is farthest from the path; SIZE_MAX: unknown. */
    size_t omitted_demonstration, omitted_point;
    const char *omitted_id; /* id of the demonstration, owned by the model; NULL: unknown */
} rm2_path_report;

/* Number of nodes for measuring: the least number of nodes, at least 200, of which every k-th makes
 * `nodes`. Lengths of polygons and distances from the demonstrations need enough nodes; paths with
 * few nodes are measured on curves with this number of nodes. */
RM2_API size_t rm2_path_measured_nodes(size_t nodes);

/* Measure a curve.
 *
 * @param ctx  context
 * @param space  the space
 * @param curve  a curve of the space
 * @param settings  NULL: the defaults
 * @param over_spread  result: distance of each node from the demonstrations (curve->nodes; NaN if
 *     unknown), or NULL
 * @param report  result
 */
RM2_API rm2_status rm2_path_measure(rm2_context *ctx, const rm2_space *space,
                                    const rm2_curve *curve, const rm2_report_settings *settings,
                                    double *over_spread, rm2_path_report *report);

enum { RM2_REASON_SIZE = 400 };

/* Explain a reason in a sentence with numbers and a remedy; "" for a reason that the report does
 * not give. */
RM2_API void rm2_path_reason_text(const rm2_path_report *report, rm2_path_reason reason, char *text,
                                  size_t size);

#ifdef __cplusplus
}
#endif
#endif
