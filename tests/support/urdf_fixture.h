/* Two public arms as URDF text, written by hand from their published dimensions. */
#ifndef URDF_FIXTURE_H
#define URDF_FIXTURE_H

/* A joint of a chain whose links are called like its joints: link NAME is the child of joint NAME. */
#define URDF_JOINT(name, type, parent, origin, more)                                               \
    "<link name=\"" name "\"/><joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent   \
    "\"/><child link=\"" name "\"/><origin " origin "/>" more "</joint>\n"
#define URDF_Z(lower, upper, speed)                                                                \
    "<axis xyz=\"0 0 1\"/><limit lower=\"" lower "\" upper=\"" upper "\" velocity=\"" speed        \
    "\" effort=\"10\"/>"
#define URDF_Y(range)                                                                              \
    "<axis xyz=\"0 1 0\"/><limit lower=\"-" range "\" upper=\"" range                              \
    "\" velocity=\"3.15\" effort=\"10\"/>"

#define RIGHT_ANGLE "1.57079632679489661923"

/* Franka Emika Panda to its flange, j8. */
static const char panda_urdf[] =
    "<?xml version=\"1.0\"?>\n<robot name=\"panda\">\n<link name=\"base\"/>\n" URDF_JOINT(
        "j1", "revolute", "base", "xyz=\"0 0 0.333\"",
        URDF_Z("-2.8973", "2.8973", "2.175")) URDF_JOINT("j2", "revolute", "j1",
                                                         "rpy=\"-" RIGHT_ANGLE " 0 0\"",
                                                         URDF_Z("-1.7628", "1.7628", "2.175"))
        URDF_JOINT("j3", "revolute", "j2", "rpy=\"" RIGHT_ANGLE " 0 0\" xyz=\"0 -0.316 0\"",
                   URDF_Z("-2.8973", "2.8973",
                          "2.175")) URDF_JOINT("j4", "revolute", "j3",
                                               "rpy=\"" RIGHT_ANGLE " 0 0\" xyz=\"0.0825 0 0\"",
                                               URDF_Z("-3.0718", "-0.0698", "2.175"))
            URDF_JOINT(
                "j5", "revolute", "j4", "rpy=\"-" RIGHT_ANGLE " 0 0\" xyz=\"-0.0825 0.384 0\"",
                URDF_Z("-2.8973", "2.8973", "2.61")) URDF_JOINT("j6", "revolute", "j5",
                                                                "rpy=\"" RIGHT_ANGLE " 0 0\"",
                                                                URDF_Z("-0.0175", "3.7525", "2.61"))
                URDF_JOINT("j7", "revolute", "j6", "rpy=\"" RIGHT_ANGLE " 0 0\" xyz=\"0.088 0 0\"",
                           URDF_Z("-2.8973", "2.8973", "2.61"))
                    URDF_JOINT("j8", "fixed", "j7", "xyz=\"0 0 0.107\"", "") URDF_JOINT(
                        "left_finger", "prismatic", "j8", "xyz=\"0 0 0.058\"",
                        "<axis xyz=\"0 1 0\"/><limit lower=\"0\" upper=\"0.04\" velocity=\"0.2\"/>")
                        URDF_JOINT(
                            "right_finger", "prismatic", "j8", "xyz=\"0 0 0.058\"",
                            "<axis xyz=\"0 -1 0\"/><limit lower=\"0\" upper=\"0.04\" "
                            "velocity=\"0.2\"/><mimic joint=\"left_finger\"/>") "<transmission "
                                                                                "name=\"t\"><joint "
                                                                                "name=\"j1\"/></"
                                                                                "transmission>\n</"
                                                                                "robot>\n";

/* Universal Robots UR5 to its tool flange: axes along y, unlike the tables of Denavit and Hartenberg. */
static const char ur5_urdf[] = "<robot name=\"ur5\"><link name=\"base\"/>\n" URDF_JOINT(
    "pan", "revolute", "base", "xyz=\"0 0 0.089159\"", URDF_Z("-6.2832", "6.2832", "3.15"))
    URDF_JOINT("lift", "revolute", "pan", "xyz=\"0 0.13585 0\" rpy=\"0 " RIGHT_ANGLE " 0\"",
               URDF_Y("6.2832")) URDF_JOINT("elbow", "revolute", "lift", "xyz=\"0 -0.1197 0.425\"",
                                            URDF_Y("3.1416"))
        URDF_JOINT("wrist1", "revolute", "elbow", "xyz=\"0 0 0.39225\" rpy=\"0 " RIGHT_ANGLE " 0\"",
                   URDF_Y("6.2832")) URDF_JOINT("wrist2", "continuous", "wrist1",
                                                "xyz=\"0 0.093 0\"", "<axis xyz=\"0 0 1\"/>")
            URDF_JOINT("wrist3", "revolute", "wrist2", "xyz=\"0 0 0.09465\"", URDF_Y("6.2832"))
                URDF_JOINT("tool", "fixed", "wrist3",
                           "xyz=\"0 0.0823 0\" rpy=\"-" RIGHT_ANGLE " 0 0\"", "") "</robot>";

#endif
