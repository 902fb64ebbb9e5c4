/* Arms from URDF text: two public ones against the tables of Denavit and Hartenberg, and everything that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "near.h"
#include "riemann2/urdf.h"
#include "robot_fixture.h"
#include "urdf_fixture.h"

static rm2_arm *parse(const char *text, const char *base, const char *tip) {
    rm2_arm *arm = NULL;
    if (rm2_urdf_parse(ctx, "arm.urdf", strlen(text), text, base, tip, &arm) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    return arm;
}

/* ---- two arms -------------------------------------------------------------------------------- */

static void random_joints(size_t count, double *q) {
    for (size_t k = 0; k < count; k++)
        q[k] = 6 * rm2_rng_uniform(rm2_context_rng(ctx)) - 3;
}

/* Orientations up to the sign of the quaternion. */
static void assert_same_pose(const double *a, const double *b) {
    double dot = 0;
    for (size_t k = 0; k < 3; k++)
        assert_near(a[k], b[k], 1e-14);
    for (size_t k = 3; k < 7; k++)
        dot += a[k] * b[k];
    assert_near(fabs(dot), 1, 1e-14);
}

static void the_panda_is_the_built_in_one(void **state) {
    (void)state;
    rm2_arm *urdf = parse(panda_urdf, "base", "j8"), *table = open_arm("panda");
    assert_int_equal(rm2_arm_joints(urdf), 7);
    assert_string_equal(rm2_arm_joint_name(urdf, 3), "j4");
    assert_near(rm2_arm_reach(urdf), rm2_arm_reach(table), 1e-14);
    for (size_t k = 0; k < 7; k++) {
        const rm2_link *a = rm2_arm_joint(urdf, k), *b = rm2_arm_joint(table, k);
        assert_near(a->lower, b->lower, 0);
        assert_near(a->upper, b->upper, 0);
        assert_near(a->speed, b->speed, 0);
    }
    for (int trial = 0; trial < 50; trial++) {
        double q[7], a[7], b[7], J[2][42];
        random_joints(7, q);
        assert_int_equal(rm2_arm_pose(ctx, urdf, 1, q, a), RM2_OK);
        assert_int_equal(rm2_arm_pose(ctx, table, 1, q, b), RM2_OK);
        assert_same_pose(a, b);
        assert_int_equal(rm2_arm_jacobian(ctx, urdf, 1, q, J[0]), RM2_OK);
        assert_int_equal(rm2_arm_jacobian(ctx, table, 1, q, J[1]), RM2_OK);
        for (size_t i = 0; i < 42; i++)
            assert_near(J[0][i], J[1][i], 1e-14);
    }
    rm2_arm_free(urdf);
    rm2_arm_free(table);
}

/* The maker's table (a, d, alpha), its base turned by half a turn about z against that of the URDF text. */
static void the_ur5_is_its_table(void **state) {
    (void)state;
    const double right = 1.57079632679489661923, pi = 2 * right;
    const double free_ = INFINITY;
    const rm2_link links[] = {{0, 0.089159, 0, 0, -free_, free_, free_},
                              {0, 0, right, 0, -free_, free_, free_},
                              {-0.425, 0, 0, 0, -free_, free_, free_},
                              {-0.39225, 0.10915, 0, 0, -free_, free_, free_},
                              {0, 0.09465, right, 0, -free_, free_, free_},
                              {0, 0.0823, -right, 0, -free_, free_, free_}};
    rm2_link turned[7];
    rm2_arm *urdf = parse(ur5_urdf, NULL, NULL), *table = NULL;
    turned[0] = (rm2_link){0, 0, 0, pi, 0, 0, free_};
    memcpy(turned + 1, links, sizeof links);
    assert_int_equal(rm2_arm_create(ctx, "ur5", turned, 7, &table), RM2_OK);
    assert_true(isinf(rm2_arm_joint(urdf, 4)->upper)); /* continuous */
    assert_true(isinf(rm2_arm_joint(urdf, 4)->speed));
    for (int trial = 0; trial < 50; trial++) {
        double q[6], a[7], b[7];
        random_joints(6, q);
        assert_int_equal(rm2_arm_pose(ctx, urdf, 1, q, a), RM2_OK);
        assert_int_equal(rm2_arm_pose(ctx, table, 1, q, b), RM2_OK);
        assert_same_pose(a, b);
    }
    rm2_arm_free(urdf);
    rm2_arm_free(table);
}

static void parts_of_a_robot_are_arms(void **state) {
    (void)state;
    rm2_arm *arm = parse(panda_urdf, "j2", "left_finger");
    assert_int_equal(rm2_arm_joints(arm), 6);
    assert_int_equal(rm2_arm_joint_kind(arm, 5), RM2_JOINT_PRISMATIC);
    rm2_arm_free(arm);
}

static void files_are_read(void **state) {
    (void)state;
    const char *path = "test_urdf.urdf";
    FILE *file = fopen(path, "w");
    rm2_arm *arm = NULL;
    assert_non_null(file);
    for (int i = 0; i < 3000; i++) /* more than one block */
        assert_true(fputs("<!-- a comment of some length, to fill the file -->\n", file) >= 0);
    assert_true(fputs(ur5_urdf, file) >= 0 && fclose(file) == 0);
    assert_int_equal(rm2_urdf_read(ctx, path, NULL, "wrist3", &arm), RM2_OK);
    assert_string_equal(rm2_arm_name(arm), path);
    rm2_arm_free(arm);
    assert_int_equal(remove(path), 0);
    refuses(rm2_urdf_read(ctx, "no_such.urdf", NULL, NULL, &arm), RM2_ERR_IO, "no_such.urdf");
    refuses(rm2_urdf_read(ctx, ".", NULL, NULL, &arm), RM2_ERR_IO, ".");
}

/* ---- refusals -------------------------------------------------------------------------------- */

#define LINKS "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>"
#define J(name, type, parent, child, more)                                                         \
    "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child \
    "\"/>" more "</joint>"
#define LIMIT    "<limit lower=\"-1\" upper=\"1\"/>"
#define ROBOT(x) "<robot name=\"r\">" x "</robot>"

static void hostile_text_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *base, *tip, *part;
    } cases[] = {
        {"", NULL, NULL, "not well-formed XML"},
        {"a,d,alpha\n0,0,0\n", NULL, NULL, "line 1: not well-formed XML"},
        {"<robot><link name=\"a\">", NULL, NULL, "not well-formed XML"},
        {"<html/>", NULL, NULL, "not a URDF file"},
        {"<robot name=\"r\"/>", NULL, NULL, "no links"},
        {"<!DOCTYPE r [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><robot>&b;</robot>", NULL, NULL,
         "document type declarations and entities are not accepted"},
        {"<robot>&undefined;</robot>", NULL, NULL, "not well-formed XML"},
        {"<robot xmlns:xacro=\"x\">\n<xacro:macro name=\"m\"/></robot>", NULL, NULL,
         "line 2: this is a xacro file"},
        {ROBOT("<link/>"), NULL, NULL, "<link> without name"},
        {ROBOT("<link name=\"a\"/><link name=\"a\"/>"), NULL, NULL, "twice"},
        {ROBOT(LINKS "<joint type=\"fixed\"/>"), NULL, NULL, "<joint> without name"},
        {ROBOT(LINKS "<joint name=\"j\"/>"), NULL, NULL, "<joint> without type"},
        {ROBOT(LINKS "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"), NULL, NULL,
         "joint \"j\" needs a <parent> and a <child>"},
        {ROBOT(LINKS J("j", "fixed", "a", "b", "<parent link=\"c\"/>")), NULL, NULL,
         "duplicate <parent>"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT)), "x", "b", "base \"x\" is not a link"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT)), "a", "x", "tip \"x\" is not a link"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT)), "a", "a", "the same link"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT)), "c", "b", "\"a\" has no parent"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT)), NULL, "b", "could be the base link"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT) J("k", "revolute", "a", "c", LIMIT)), NULL,
         NULL, "could be the tip link"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT) J("k", "revolute", "b", "a", LIMIT)), "c",
         "b", "form a cycle"},
        {ROBOT("<link name=\"a\"/>" J("j", "fixed", "a", "a", "")), NULL, NULL, "form a cycle"},
        {ROBOT(LINKS J("j", "revolute", "a", "c", LIMIT) J("k", "revolute", "b", "c", LIMIT)), "a",
         "c", "child of two joints"},
        {ROBOT("<link name=\"b\"/>" J("j", "revolute", "ghost", "b", LIMIT)), "b", "ghost",
         "tip \"ghost\" is not a link"},
        {ROBOT("<link name=\"b\"/><link name=\"a\"/>" J("j", "revolute", "ghost", "b", LIMIT)), "a",
         "b", "parent \"ghost\" is not a link"},
        {ROBOT(LINKS J("j", "floating", "a", "b", "")), "a", "b", "type \"floating\""},
        {ROBOT(LINKS J("j", "revolute", "a", "b", LIMIT "<mimic joint=\"k\"/>")), "a", "b",
         "mimics another joint"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", "")), "a", "b", "needs <limit"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", "<limit lower=\"2\" upper=\"1\"/>")), "a", "b",
         "not below"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", "<limit lower=\"x\"/>")), "a", "b",
         "lower=\"x\": expected 1 finite number"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", "<origin xyz=\"1 2\"/>")), "a", "b",
         "xyz=\"1 2\": expected 3 finite numbers"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", "<origin rpy=\"1 2 nan\"/>")), "a", "b",
         "expected 3 finite numbers"},
        {ROBOT(LINKS J("j", "revolute", "a", "b", "<axis xyz=\"0 0 0\"/>" LIMIT)), "a", "b",
         "axis"},
        {ROBOT(LINKS J("j", "fixed", "a", "b", "")), "a", "b", "no joint that moves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rm2_arm *arm;
        refuses(rm2_urdf_parse(ctx, "bad.urdf", strlen(cases[i].text), cases[i].text, cases[i].base,
                               cases[i].tip, &arm),
                RM2_ERR_DATA, cases[i].part);
        assert_null(arm);
        assert_null(strchr(rm2_context_error(ctx), '\n'));
    }
}

/* `head`, then `count` times `part` with its number, then `tail`. */
static char *repeat(const char *head, const char *part, size_t count, const char *tail) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    (void)fputs(head, out);
    for (size_t i = 0; i < count; i++) {
        char one[256];
        const char *mark = strchr(part, '#');
        (void)snprintf(one, sizeof one, "%.*s%zu%s", (int)(mark - part), part, i, mark + 1);
        (void)fputs(one, out);
    }
    (void)fputs(tail, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void large_text_is_refused(void **state) {
    (void)state;
    char *links = repeat("<robot>", "<link name=\"l#\"/>", 5000, "</robot>");
    char *deep = repeat("<robot>", "<e n=\"#\">", 100000, "");
    rm2_arm *arm;
    refuses(rm2_urdf_parse(ctx, "x", strlen(links), links, NULL, NULL, &arm), RM2_ERR_DATA,
            "too many links");
    refuses(rm2_urdf_parse(ctx, "x", strlen(deep), deep, NULL, NULL, &arm), RM2_ERR_DATA,
            "nested too deeply");
    free(links);
    free(deep);
    char *chain = repeat("<robot><link name=\"l\"/>", "<link name=\"l#\"/>", 70, "");
    size_t used = strlen(chain);
    char *whole = malloc(used + 70 * 200);
    assert_non_null(whole);
    memcpy(whole, chain, used);
    for (int i = 0; i + 1 < 70; i++)
        used +=
            (size_t)sprintf(whole + used,
                            "<joint name=\"j%d\" type=\"continuous\"><parent link=\"l%d\"/><child "
                            "link=\"l%d\"/></joint>",
                            i, i, i + 1);
    (void)strcpy(whole + used, "</robot>");
    refuses(rm2_urdf_parse(ctx, "x", strlen(whole), whole, "l0", "l69", &arm), RM2_ERR_DATA,
            "more than 64 joints");
    free(chain);
    free(whole);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static const char shaped[] =
    "<robot name='s'><link name='base'><collision><geometry><mesh "
    "filename='b.stl'/></geometry></collision></link>"
    "<link name='upper'><visual><geometry><sphere radius='9'/></geometry></visual>"
    "<collision><origin xyz='0.1 0.2 0.3' rpy='0.4 -0.5 0.6'/><geometry><box size='0.2 0.6 "
    "0.1'/></geometry></collision>"
    "<collision><geometry><cylinder radius='0.05' length='0.4'/></geometry><origin rpy='0 "
    "1.5707963267948966 0'/>"
    "</collision></link>"
    "<link name='tip'><collision><origin xyz='0 0 0.1'/><geometry><sphere "
    "radius='0.07'/></geometry></collision></link>"
    "<joint name='a' type='continuous'><parent link='base'/><child link='upper'/><origin xyz='0 0 "
    "0.5'/></joint>"
    "<joint name='b' type='continuous'><parent link='upper'/><child link='tip'/><origin xyz='0.7 0 "
    "0'/></joint></robot>";

/* Points of a box with the sides 0.2, 0.6, 0.1, turned by Rz(0.6) Ry(-0.5) Rx(0.4) and moved, are in the body. */
static void box_is_inside(const rm2_arm_body *body) {
    rm2_region region = {.kind = RM2_REGION_CAPSULE, .dim = 3, .radius = body->radius};
    memcpy(region.a, body->end[0], sizeof region.a);
    memcpy(region.b, body->end[1], sizeof region.b);
    double least = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        double x = corner & 1 ? 0.1 : -0.1, y = corner & 2 ? 0.3 : -0.3,
               z = corner & 4 ? 0.05 : -0.05, t;
        t = y * cos(0.4) - z * sin(0.4);
        z = y * sin(0.4) + z * cos(0.4);
        y = t;
        t = x * cos(-0.5) + z * sin(-0.5);
        z = -x * sin(-0.5) + z * cos(-0.5);
        x = t;
        t = x * cos(0.6) - y * sin(0.6);
        y = x * sin(0.6) + y * cos(0.6);
        x = t;
        const double p[3] = {x + 0.1, y + 0.2, z + 0.3};
        least = fmax(least, rm2_region_distance(&region, p, NULL));
    }
    assert_near(least, 0, 1e-12); /* and no larger than it must be */
}

static void shapes_are_bodies(void **state) {
    (void)state;
    rm2_arm *arm = parse(shaped, NULL, NULL);
    const rm2_arm_body *b;
    assert_int_equal(rm2_arm_bodies(arm), 4);
    b = rm2_arm_body_at(arm, 0); /* a mesh: the way to the next frame */
    assert_string_equal(b->name, "base");
    assert_near(b->radius, 1.2 / 20, 1e-15);
    assert_near(b->end[1][2], 0.5, 0);
    b = rm2_arm_body_at(arm, 1);
    assert_string_equal(b->name, "upper");
    assert_int_equal(b->frame[0], 1);
    box_is_inside(b);
    b = rm2_arm_body_at(arm, 2); /* turned from z to x */
    assert_near(b->end[0][0], -0.2, 1e-15);
    assert_near(b->end[1][0], 0.2, 1e-15);
    assert_near(b->end[1][2], 0, 1e-15);
    assert_near(b->radius, 0.05, 0);
    b = rm2_arm_body_at(arm, 3);
    assert_string_equal(b->name, "tip");
    assert_int_equal(b->frame[0], 2);
    assert_near(b->radius, 0.07, 0);
    assert_near(b->end[0][2], 0.1, 0);
    rm2_arm_free(arm);
}

/* Without a size the body is the way to the next frame, as that of a mesh. */
static void shapes_without_size_are_none(void **state) {
    (void)state;
    static const char *const shapes[] = {"<sphere/>", "<sphere radius='0'/>",
                                         "<box size='1 -1 1'/>", "<cylinder radius='1'/>"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "<robot name='s'><link "
                       "name='base'><collision><geometry>%s</geometry></collision></link>"
                       "<link name='tip'/><joint name='a' type='continuous'><parent link='base'/>"
                       "<child link='tip'/><origin xyz='1 0 0'/></joint></robot>",
                       shapes[i]);
        rm2_arm *arm = parse(text, NULL, NULL);
        assert_int_equal(rm2_arm_bodies(arm), 1);
        assert_near(rm2_arm_body_at(arm, 0)->radius, 0.05, 1e-15);
        assert_near(rm2_arm_body_at(arm, 0)->end[1][0], 1, 0);
        rm2_arm_free(arm);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(the_panda_is_the_built_in_one),
        WITH_FRESH_CONTEXT(the_ur5_is_its_table),
        WITH_FRESH_CONTEXT(parts_of_a_robot_are_arms),
        WITH_FRESH_CONTEXT(files_are_read),
        WITH_FRESH_CONTEXT(hostile_text_is_refused),
        WITH_FRESH_CONTEXT(large_text_is_refused),
        WITH_FRESH_CONTEXT(shapes_are_bodies),
        WITH_FRESH_CONTEXT(shapes_without_size_are_none),
    };
    return cmocka_run_group_tests_name("urdf", tests, NULL, NULL);
}
