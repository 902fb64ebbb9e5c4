/* Links and joints of a URDF file, by expat.
 *
 * Read are <link name> and <joint name type> below <robot>, and of a joint its <origin xyz rpy>, <parent link>,
 * <child link>, <axis xyz>, <limit lower upper velocity> and <mimic joint>; of a link its <collision>s with <origin xyz rpy>
 * and in <geometry> a <sphere radius>, <cylinder radius length>, <box size> or something else, a mesh. All else (inertia,
 * transmissions, other namespaces) is skipped. A document type declaration is refused, so that there are no entities to expand;
 * depth and numbers of elements are limited. */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "urdf/urdf.h"

enum { DEEPEST = 64 };

typedef struct scan {
    rm2_context *ctx;
    XML_Parser parser;
    rm2i_urdf_robot *robot;
    rm2i_urdf_joint *joint; /* the one that is open; NULL: none */
    rm2i_urdf_shape *shape; /* the same; of the last link */
    bool in_link, in_geometry;
    size_t depth;
    bool is_robot;
    rm2_status status;
} scan;

/* ---- failures ------------------------------------------------------------------------------- */

/* The first failure ends the parse. */
static void stop(scan *s, rm2_status status) {
    if (s->status == RM2_OK)
        s->status = status;
    (void)XML_StopParser(s->parser, XML_FALSE);
}

static size_t line_of(const scan *s) {
    return (size_t)XML_GetCurrentLineNumber(s->parser);
}

static void refuse(scan *s, const char *what) {
    if (s->status == RM2_OK)
        stop(s, rm2_context_fail(s->ctx, RM2_ERR_DATA, "%s, line %zu: %s", s->robot->file,
                                 line_of(s), what));
}

static void no_memory(scan *s) {
    stop(s, rm2_context_fail(s->ctx, RM2_ERR_MEMORY, "out of memory"));
}

/* ---- attributes ----------------------------------------------------------------------------- */

static const char *attribute(const XML_Char **list, const char *name) {
    for (size_t i = 0; list[i]; i += 2)
        if (strcmp(list[i], name) == 0)
            return list[i + 1];
    return NULL;
}

static char *copy(scan *s, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *made = malloc(bytes);
    if (made)
        memcpy(made, text, bytes);
    else
        no_memory(s);
    return made;
}

/* A name that an element must have. */
static void parse_name(scan *s, const XML_Char **list, const char *element, const char *name,
                       char **to) {
    const char *value = attribute(list, name);
    if (!value || !*value)
        stop(s, rm2_context_fail(s->ctx, RM2_ERR_DATA, "%s, line %zu: <%s> without %s",
                                 s->robot->file, line_of(s), element, name));
    else if (*to)
        stop(s, rm2_context_fail(s->ctx, RM2_ERR_DATA,
                                 "%s, line %zu: duplicate <%s> in joint \"%.60s\"", s->robot->file,
                                 line_of(s), element, s->joint->name));
    else
        *to = copy(s, value);
}

/* `count` numbers with spaces between them; an attribute that is not there leaves what is there. */
static void parse_numbers(scan *s, const XML_Char **list, const char *name, size_t count,
                          double *to) {
    const char *text = attribute(list, name), *at = text;
    if (!text || s->status != RM2_OK)
        return;
    for (size_t i = 0; i < count && at; i++) {
        char *end;
        to[i] = strtod(at, &end);
        at = end == at || !isfinite(to[i]) ? NULL : end;
    }
    if (at && at[strspn(at, " \t\r\n")] == '\0')
        return;
    stop(s, rm2_context_fail(s->ctx, RM2_ERR_DATA,
                             "%s, line %zu: %s=\"%.60s\": expected %zu finite number%s",
                             s->robot->file, line_of(s), name, text, count, count == 1 ? "" : "s"));
}

/* ---- elements ------------------------------------------------------------------------------- */

/* Room for one more of `count` things; capacities are powers of two. */
static bool grow(scan *s, void *list, size_t count, size_t size) {
    if (count == RM2I_URDF_MOST) {
        refuse(s, "too many links, joints or shapes; 4096 are supported");
        return false;
    }
    if (count & (count - 1) || count == 1)
        return true;
    void *old;
    memcpy(&old, list, sizeof old);
    void *new = realloc(old, (count ? 2 * count : 2) * size);
    if (!new)
        no_memory(s);
    else
        memcpy(list, &new, sizeof new);
    /* cppcheck-suppress memleak */
    return new != NULL;
}

static bool has_link(const rm2i_urdf_robot *r, const char *name) {
    for (size_t i = 0; i < r->link_count; i++)
        if (strcmp(r->links[i], name) == 0)
            return true;
    return false;
}

static void open_link(scan *s, const XML_Char **list) {
    rm2i_urdf_robot *r = s->robot;
    const char *name = attribute(list, "name");
    if (!name || !*name) {
        refuse(s, "<link> without name");
        return;
    }
    if (has_link(r, name)) {
        refuse(s, "this link is listed twice");
        return;
    }
    if (!grow(s, (void *)&r->links, r->link_count, sizeof *r->links))
        return;
    r->links[r->link_count] = copy(s, name);
    r->link_count += r->links[r->link_count] != NULL;
    s->in_link = true;
}

static void open_shape(scan *s) {
    rm2i_urdf_robot *r = s->robot;
    if (!grow(s, (void *)&r->shapes, r->shape_count, sizeof *r->shapes))
        return;
    s->shape = &r->shapes[r->shape_count++];
    *s->shape = (rm2i_urdf_shape){.link = r->link_count - 1};
}

/* What stands in <geometry>. */
static void parse_form(scan *s, const char *name, const XML_Char **list) {
    rm2i_urdf_shape *shape = s->shape;
    shape->form = RM2I_URDF_MESH;
    size_t sizes = 1;
    if (strcmp(name, "sphere") == 0) {
        shape->form = RM2I_URDF_SPHERE;
        parse_numbers(s, list, "radius", 1, shape->size);
    } else if (strcmp(name, "cylinder") == 0) {
        shape->form = RM2I_URDF_CYLINDER;
        sizes = 2;
        parse_numbers(s, list, "radius", 1, shape->size);
        parse_numbers(s, list, "length", 1, shape->size + 1);
    } else if (strcmp(name, "box") == 0) {
        shape->form = RM2I_URDF_BOX;
        sizes = 3;
        parse_numbers(s, list, "size", 3, shape->size);
    }
    for (size_t i = 0; i < sizes; i++)
        if (!(shape->size[i] > 0))
            shape->form = RM2I_URDF_MESH; /* as links without extent have it */
}

/* Elements of a link: depth 2 below <link>, 3 below <collision>, 4 below <geometry>. */
static void open_link_part(scan *s, size_t depth, const char *name, const XML_Char **list) {
    if (depth == 2 && strcmp(name, "collision") == 0)
        open_shape(s);
    else if (depth == 3 && s->shape && strcmp(name, "geometry") == 0)
        s->in_geometry = true;
    else if (depth == 3 && s->shape && strcmp(name, "origin") == 0) {
        parse_numbers(s, list, "xyz", 3, s->shape->xyz);
        parse_numbers(s, list, "rpy", 3, s->shape->rpy);
    } else if (depth == 4 && s->shape && s->in_geometry)
        parse_form(s, name, list);
}

static void open_joint(scan *s, const XML_Char **list) {
    rm2i_urdf_robot *r = s->robot;
    if (!grow(s, (void *)&r->joints, r->joint_count, sizeof *r->joints))
        return;
    s->joint = &r->joints[r->joint_count++];
    *s->joint = (rm2i_urdf_joint){
        .axis = {1, 0, 0}, .lower = NAN, .upper = NAN, .velocity = NAN, .line = line_of(s)};
    parse_name(s, list, "joint", "name", &s->joint->name);
    if (s->status == RM2_OK)
        parse_name(s, list, "joint", "type", &s->joint->type);
}

static void open_part(scan *s, const char *name, const XML_Char **list) {
    rm2i_urdf_joint *j = s->joint;
    if (strcmp(name, "origin") == 0) {
        parse_numbers(s, list, "xyz", 3, j->xyz);
        parse_numbers(s, list, "rpy", 3, j->rpy);
    } else if (strcmp(name, "parent") == 0) {
        parse_name(s, list, name, "link", &j->parent);
    } else if (strcmp(name, "child") == 0) {
        parse_name(s, list, name, "link", &j->child);
    } else if (strcmp(name, "axis") == 0) {
        parse_numbers(s, list, "xyz", 3, j->axis);
    } else if (strcmp(name, "limit") == 0) {
        parse_numbers(s, list, "lower", 1, &j->lower);
        parse_numbers(s, list, "upper", 1, &j->upper);
        parse_numbers(s, list, "velocity", 1, &j->velocity);
    } else if (strcmp(name, "mimic") == 0) {
        parse_name(s, list, name, "joint", &j->mimic);
    }
}

static void XMLCALL on_open(void *user, const XML_Char *name, const XML_Char **list) {
    scan *s = user;
    size_t depth = s->depth++;
    if (depth == DEEPEST)
        refuse(s, "elements are nested too deeply");
    else if (strncmp(name, "xacro:", strlen("xacro:")) == 0)
        refuse(s, "this is a xacro file; expand it first: xacro FILE > robot.urdf");
    else if (depth == 0 && strcmp(name, "robot") != 0)
        refuse(s, "the outermost element is not <robot>: not a URDF file");
    else if (depth == 0)
        s->is_robot = true;
    else if (depth == 1 && strcmp(name, "link") == 0)
        open_link(s, list);
    else if (depth == 1 && strcmp(name, "joint") == 0)
        open_joint(s, list);
    else if (depth == 2 && s->joint)
        open_part(s, name, list);
    else if (s->in_link)
        open_link_part(s, depth, name, list);
}

static void close_link_part(scan *s) {
    s->in_geometry = s->in_geometry && s->depth > 3;
    if (s->depth <= 2)
        s->shape = NULL;
    s->in_link = s->in_link && s->depth > 1;
}

static void XMLCALL on_close(void *user, const XML_Char *name) {
    scan *s = user;
    (void)name;
    s->depth--;
    close_link_part(s);
    if (s->depth > 1 || !s->joint ||
        s->status != RM2_OK) /* expat may close an element after a stop */
        return;
    if (!s->joint->parent || !s->joint->child)
        stop(s, rm2_context_fail(s->ctx, RM2_ERR_DATA,
                                 "%s, line %zu: joint \"%.60s\" needs a <parent> and a <child>",
                                 s->robot->file, s->joint->line, s->joint->name));
    s->joint = NULL;
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal) {
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    refuse(user, "document type declarations and entities are not accepted; remove <!DOCTYPE ...>");
}

/* ---- all of it ------------------------------------------------------------------------------ */

static rm2_status parse(scan *s, size_t bytes, const char *text) {
    XML_SetUserData(s->parser, s);
    XML_SetElementHandler(s->parser, on_open, on_close);
    XML_SetStartDoctypeDeclHandler(s->parser, on_doctype);
    bool whole = XML_Parse(s->parser, text, (int)bytes, XML_TRUE) == XML_STATUS_OK;
    if (s->status != RM2_OK || whole)
        return s->status;
    if (XML_GetErrorCode(s->parser) == XML_ERROR_NO_MEMORY)
        return rm2_context_fail(s->ctx, RM2_ERR_MEMORY, "out of memory");
    return rm2_context_fail(s->ctx, RM2_ERR_DATA, "%s, line %zu: not well-formed XML: %s",
                            s->robot->file, line_of(s),
                            XML_ErrorString(XML_GetErrorCode(s->parser)));
}

rm2_status rm2i_urdf_scan(rm2_context *ctx, size_t bytes, const char *text,
                          rm2i_urdf_robot *robot) {
    scan s = {.ctx = ctx, .robot = robot, .status = RM2_OK};
    if (bytes > INT_MAX)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "%s: a URDF file of %zu bytes is too large",
                                robot->file, bytes);
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); /* "1.5" is 1.5 everywhere */
    s.parser = c ? XML_ParserCreate(NULL) : NULL;
    if (s.parser) {
        locale_t before = uselocale(c);
        s.status = parse(&s, bytes, text);
        (void)uselocale(before);
        XML_ParserFree(s.parser);
    } else {
        s.status = rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory");
    }
    if (c)
        freelocale(c);
    return s.status;
}

void rm2i_urdf_clear(rm2i_urdf_robot *r) {
    for (size_t i = 0; i < r->link_count; i++)
        free(r->links[i]);
    for (size_t i = 0; i < r->joint_count; i++) {
        rm2i_urdf_joint *j = &r->joints[i];
        char *const texts[] = {j->name, j->type, j->parent, j->child, j->mimic};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            free(texts[k]);
    }
    free((void *)r->links);
    free(r->joints);
    free(r->shapes);
}
