/* A report on a path of a latent space: its length, how exact it is, how near it comes to obstacles and how far it is
 * from the demonstrations, how smooth it is next to them, and whether it may be relied on. The program, the Python package and the explorer report
 * what one call finds:
 *
 *     rm2_report_settings s = rm2_report_settings_default();
 *     rm2_path_report report = {.size = sizeof report};
 *     s.vicinity = vicinity;
 *     rm2_space_geodesic(ctx, space, from, to, &curve);
 *     rm2_path_measure(ctx, space, curve, &s, NULL, &report);
 *     if (!report.reliable) {
 *         char why[RM2_REASON_SIZE];
 *         rm2_path_reason_text(&report, rm2_path_next_reason(report.reasons, 0), why, sizeof why);
 *         puts(why); // node 87 of 200 is 2.31 spreads from the nearest training data (limit 1.5): ...
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

/* Reasons not to rely on a path: bits of a set. */
typedef enum rm2_path_reason {
    RM2_PATH_BLOCKED = 1,       /* no way keeps the clearance from the obstacles: do not drive it */
    RM2_PATH_TOO_FEW_NODES = 2, /* the curve keeps the clearance, lines between its nodes do not */
    RM2_PATH_NOT_CONVERGED = 4, /* the last stage did not reach its tolerance */
    RM2_PATH_OUTSIDE = 8        /* a node is farther from the demonstrations than the limit */
} rm2_path_reason;

/* "blocked", "too few nodes", "not converged", "outside"; "unknown reason". */
RM2_API const char *rm2_path_reason_name(rm2_path_reason reason);
/* The smallest reason of a set that is above `last`, 0 at first; 0: there are no more. */
RM2_API rm2_path_reason rm2_path_next_reason(unsigned reasons, rm2_path_reason last);

/* The limit is in the table. */
typedef struct rm2_report_settings {
    size_t size;                  /* as rm2_report_settings_default sets it */
    double spread_limit;          /* largest distance from the demonstrations, in spreads */
    const rm2_vicinity *vicinity; /* of the space's model; NULL: distances stay unknown */
    size_t stops;                 /* points that the path was to pass, with its ends; */
    const double *points;         /* stops x Q; NULL: the ends of the curve */
    bool straight;                /* measure the straight lines through them: true */
    size_t nodes; /* how many nodes of the curve are used, evenly spaced among them; 0: all */
} rm2_report_settings;

static inline rm2_report_settings rm2_report_settings_default(void) {
    rm2_report_settings settings = {0};
    settings.size = sizeof settings;
    settings.straight = true;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_REPORT), 0, &settings);
    return settings;
}

/* Later versions may add members at the end. Lengths are in the exact metric of the space, whichever metric was
 * minimised. Nodes are counted among those that are used, from 0; SIZE_MAX: none. */
typedef struct rm2_path_report {
    size_t size; /* sizeof(rm2_path_report), set by the caller */
    bool reliable;
    unsigned reasons; /* set of rm2_path_reason; empty where `reliable` */
    size_t nodes;     /* that are used */
    double length, energy;
    double straight; /* length of the straight lines; NaN: not measured */
    double error;    /* numerical, as in rm2_curve */
    double residual;
    bool converged;
    bool blocked;     /* RM2_PATH_BLOCKED or RM2_PATH_TOO_FEW_NODES */
    double clearance; /* proven, of the polygon through the nodes; infinity without obstacles */
    double clearance_wanted; /* of the space */
    size_t clearance_node;   /* the node with the least clearance */
    double
        over_spread; /* largest distance from the demonstrations, in spreads; NaN: unknown, or blocked */
    size_t farthest;     /* node where it is */
    double spread;       /* of the demonstrations, in the model's units; NaN: unknown */
    double spread_limit; /* in spreads */
    /* of the decoded path, and the median of the demonstrations; NaN: unknown, or blocked */
    rm2_smoothness smoothness, demonstrated;
} rm2_path_report;

/* Lengths of polygons and distances from the demonstrations need enough nodes: the least number of nodes, at least 200,
 * of which every k-th makes `nodes`. Paths with few nodes are measured on curves with this number of nodes. */
RM2_API size_t rm2_path_measured_nodes(size_t nodes);

/* Measure a curve of the space. `over_spread` (one per node of the curve, or NULL): distance of each from the
 * demonstrations, NaN where that is unknown. */
RM2_API rm2_status rm2_path_measure(rm2_context *ctx, const rm2_space *space,
                                    const rm2_curve *curve, const rm2_report_settings *settings,
                                    double *over_spread, rm2_path_report *report);

enum { RM2_REASON_SIZE = 400 };

/* A sentence with numbers and a remedy; "" for a reason that the report does not give. */
RM2_API void rm2_path_reason_text(const rm2_path_report *report, rm2_path_reason reason, char *text,
                                  size_t size);

#ifdef __cplusplus
}
#endif
#endif
