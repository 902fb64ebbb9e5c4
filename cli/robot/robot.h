/* riemann2 robot track: what it works with and what it found. */
#ifndef RM2_CLI_ROBOT_H
#define RM2_CLI_ROBOT_H

#include "core/arm.h"
#include "core/settings.h"
#include "core/work.h"

typedef struct robot_options {
    data_options data;
    rm2_track_settings track;
    setting_options track_from;
    rm2_placement placement;
    setting_options place_from;
    arm_source arm;
    const char *output, *offset, *rotate, *start;
    const char *trajectory, *joint_names; /* of the file for a robot's controller */
    int place;                            /* 1: auto */
    bool no_null_space;
    text_list avoid;
    const char *link_radius;
    rm2_arm_scene scene; /* of the links, where track.scene is set */
} robot_options;

typedef struct robot_work {
    work work;
    robot_options *options;
    const char *path;
    rm2_data *data;
    double *targets; /* points of the data, once placed */
    rm2_arm *arm;
    rm2_arm_task task;
    double *q, *reached; /* points x joints, points x ambient */
    rm2_track_error *errors;
    rm2_track_info info; /* of all trajectories */
    rm2_region *regions;
    double *near_rows;           /* points x 2: distances of links */
    rm2_arm_clearance_info near; /* of all trajectories, places from their first point on */
    bool placed;                 /* a placement was found, not given */
    double written;              /* seconds of the joint trajectory that was written; 0: none */
    double stretched;            /* factor of its times */
} robot_work;

/* Targets and task from the file; r->data and r->targets are the caller's to free. */
int robot_read(robot_work *r);
/* The joint motion as a table, where it is asked for. */
int robot_write(const robot_work *r);
/* Times and angles under the names of the joints, for a robot's controller, where it is asked for. */
int robot_check_trajectory(const robot_work *r);
int robot_write_trajectory(robot_work *r);
/* Radii of the links, and what they keep away from. */
int robot_parse_links(robot_work *r);
/* How near they come to it on one trajectory. */
rm2_status robot_measure_links(robot_work *r, size_t from, size_t n);
bool robot_links_keep(const robot_work *r);
/* Was there something to compare links with? */
bool robot_compares(const robot_work *r, const rm2_arm_nearest *nearest);
void robot_print_links(const robot_work *r, FILE *out);
void robot_json_links(const robot_work *r, rm2_json *json);
int robot_complain_of_links(const robot_work *r);
/* "at line 17 (point 3 of 68, 0.03 of the path)", or "between line 17 and line 18 (...)" */
enum { PLACE_SIZE = 200 };
void robot_place(const robot_work *r, double at, char *text, size_t size);
/* Errors, limits, speeds; the exit code. */
int robot_report(const robot_work *r);

#endif
