/* The shortest path on a grid around obstacles: A* (Hart, Nilsson and Raphael, IEEE Transactions on Systems Science and
 * Cybernetics 4, 1968). The length that is left is estimated by that of the shortest path to the goal without obstacles:
 * obstacles take edges away and make others longer, hence the estimate is never too large. It is exact where no obstacle is
 * in the way, and stays as long as the goal does. On finer grids it is that of the space's grid, and not quite as sure: there
 * the question is whether there is a way. Nodes are looked at, and edges compared with the regions, when the search comes to them.
 *
 * Chords are compared, with the bows of their lines as samples have them. Whoever needs a proof for a path of the grid takes the edges that fail out and searches again
 * (lazy collision checking: Bohlin and Kavraki, ICRA 2000). */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "graph/heap.h"
#include "planner/planner.h"

enum { BETWEEN_LOOKS = 64 }; /* nodes, after which the clock is looked at */

bool rm2i_scene_late(const rm2i_planner_scene *scene) {
    return (isfinite(scene->end) && rm2_seconds() > scene->end) || rm2i_interrupted(scene->ctx);
}

/* ---- nodes and edges ------------------------------------------------------------------------ */

/* Clearance and barrier of node i, once an update. */
static const rm2i_clear_point *look_at(rm2i_level *l, const rm2i_planner_scene *s, size_t i) {
    const rm2i_clearance *c = s->clearance;
    rm2i_clear_point *p = &l->node[i];
    if (l->seen[i] == s->number)
        return p;
    l->seen[i] = s->number;
    p->clearance = INFINITY;
    for (size_t k = 0; k < c->count; k++)
        p->clearance = fmin(p->clearance, rm2_region_distance(&c->regions[k], p->y, NULL));
    p->clearance -= c->deviations * p->deviation;
    l->root[i] = p->clearance > c->wanted ? sqrt(rm2i_barrier_factor(c, s->width, p)) : INFINITY;
    return p;
}

static double chord_length(const rm2i_planner_scene *s, const rm2i_clear_point *a,
                           const rm2i_clear_point *b) {
    double square = 0;
    for (size_t k = 0; k < s->clearance->position.dim; k++)
        square += (a->y[k] - b->y[k]) * (a->y[k] - b->y[k]);
    return sqrt(square);
}

/* Does the chord keep the clearance and the bow of its line? On a chord of length l the distance is at least
 * (d_a + d_b - l)/2; only where that is too little regions are compared. */
static bool line_keeps(const rm2i_planner_scene *s, const rm2i_clear_point *a,
                       const rm2i_clear_point *b, double bow) {
    rm2i_clearance c = *s->clearance;
    double bound = (a->clearance + b->clearance - chord_length(s, a, b) -
                    c.deviations * fabs(a->deviation - b->deviation)) /
                   2;
    c.wanted += bow;
    return bound >= c.wanted || rm2i_clearance_chord_holds(&c, a, b);
}

/* ---- ends ----------------------------------------------------------------------------------- */

/* The 4^Q nodes around an end, by an odometer, and the lengths of the lines to them. */
static void join(const rm2i_level *l, const rm2i_field *field, rm2i_end *end) {
    const rm2i_roadmap *net = l->net;
    size_t first[RM2I_GRID_Q] = {0}, last[RM2I_GRID_Q] = {0}, at[RM2I_GRID_Q] = {0};
    for (size_t q = 0; q < net->Q; q++) {
        double place = rm2i_grid_place(net, q, end->x[q]);
        first[q] = at[q] = (size_t)fmax(floor(place) - 1, 0);
        last[q] = (size_t)fmin(floor(place) + 2, (double)(net->count[q] - 1));
    }
    end->count = 0;
    for (size_t q = 0; q < net->Q;) {
        size_t node = 0;
        for (size_t r = 0; r < net->Q; r++)
            node += at[r] * net->stride[r];
        end->node[end->count] = node;
        end->length[end->count++] = rm2i_field_length(field, end->x, net->x + node * net->Q);
        for (q = 0; q < net->Q && at[q]++ == last[q]; q++)
            at[q] = first[q];
    }
}

/* Length of joint k of an end with the barrier; infinite where its chord comes too near. */
static double joint(rm2i_level *l, const rm2i_planner_scene *s, const rm2i_end *end, size_t k) {
    const rm2i_clear_point *p = look_at(l, s, end->node[k]);
    if (!isfinite(l->root[end->node[k]]) || !line_keeps(s, &end->at, p, 0))
        return INFINITY;
    double phi = rm2i_barrier_factor(s->clearance, s->width, &end->at);
    return end->length[k] * (sqrt(phi) + l->root[end->node[k]]) / 2;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Lengths to the goal without obstacles, on the grid of the space. */
static void measure_to_goal(rm2i_level *l, const rm2i_planner_scene *s) {
    const rm2i_search search = {.graph = &l->net->graph,
                                .seeds = s->to.count,
                                .seed = s->to.node,
                                .start = s->to.length,
                                .at = s->to_goal,
                                .work = l->searching};
    (void)rm2i_graph_search(&search, NULL);
}

/* The length that is left from node i. Finer grids interpolate between the nodes of the space's grid: the least of the
 * corners of the cell. */
static double left_from(const rm2i_level *l, const rm2i_planner_scene *s, size_t i) {
    const rm2i_roadmap *fine = l->net, *grid = s->field->grid;
    double least = INFINITY;
    if (fine == grid)
        return s->to_goal[i];
    size_t base = 0, up[RM2I_GRID_Q];
    for (size_t q = 0; q < fine->Q; q++) {
        size_t place = i / fine->stride[q] % fine->count[q];
        base += place / l->times * grid->stride[q];
        up[q] = place % l->times ? grid->stride[q] : 0;
    }
    for (size_t corner = 0; corner < (size_t)1 << fine->Q; corner++) {
        size_t node = base;
        for (size_t q = 0; q < fine->Q; q++)
            node += corner >> q & 1 ? up[q] : 0;
        least = fmin(least, s->to_goal[node]);
    }
    return least;
}

/* Nodes that were taken have no place. */
static void offer(rm2i_level *l, const rm2i_planner_scene *s, rm2i_heap *heap, size_t node,
                  double length, size_t before) {
    bool is_new = l->reached[node] != l->search;
    if (!is_new && length >= l->at[node])
        return;
    double left = is_new ? left_from(l, s, node) : l->key[node] - l->at[node];
    bool is_outside = is_new || heap->place[node] == SIZE_MAX;
    l->reached[node] = l->search;
    l->at[node] = length;
    l->key[node] = length + left;
    l->before[node] = before;
    rm2i_heap_rise(heap, is_outside ? heap->count++ : heap->place[node], node);
}

/* Offer the neighbours of a node what the way over it would be. */
static void expand(rm2i_level *l, rm2i_heap *heap, const rm2i_planner_scene *s, size_t from) {
    const rm2i_graph *g = &l->net->graph;
    for (size_t e = g->first[from]; e < g->first[from + 1]; e++) {
        size_t to = g->to[e];
        bool known = l->reached[to] == l->search;
        if (known && l->at[from] + g->length[e] >= l->at[to])
            continue;
        const rm2i_clear_point *p = look_at(l, s, to);
        double length = l->at[from] + g->length[e] * (l->root[from] + l->root[to]) / 2;
        if (isfinite(length) && !(known && length >= l->at[to]) && l->removed[e] != s->number &&
            line_keeps(s, &l->node[from], p, l->bow[e]))
            offer(l, s, heap, to, length, from);
    }
}

/* Length of the way to the goal over a node. */
static double over(rm2i_level *l, const rm2i_planner_scene *s, size_t node) {
    for (size_t k = 0; k < s->to.count; k++)
        if (s->to.node[k] == node)
            return l->at[node] + joint(l, s, &s->to, k);
    return INFINITY;
}

/* The last node of the shortest path, and its length. */
static rm2i_outcome search(rm2i_level *l, rm2i_planner_scene *s, size_t *last, double *shortest) {
    rm2i_heap heap = {.at = l->key, .node = l->heap, .place = l->heap + l->net->nodes};
    double best = INFINITY;
    l->search++;
    for (size_t k = 0; k < s->from.count; k++) {
        double length = joint(l, s, &s->from, k);
        if (isfinite(length))
            offer(l, s, &heap, s->from.node[k], length, SIZE_MAX);
    }
    while (heap.count > 0) {
        size_t node = rm2i_heap_pop(&heap);
        heap.place[node] = SIZE_MAX;
        if (l->key[node] >= best)
            break;
        double length = over(l, s, node);
        if (length < best) {
            best = length;
            *last = node;
        }
        expand(l, &heap, s, node);
        if (++s->expanded % BETWEEN_LOOKS == 0 && rm2i_scene_late(s))
            return RM2I_TOO_LATE;
    }
    *shortest = best;
    return isfinite(best) ? RM2I_WAY : RM2I_NO_WAY;
}

/* The path to a last node, with both ends. */
static void copy_way(const rm2i_level *l, const rm2i_planner_scene *s, size_t last,
                     rm2i_polygon *way) {
    size_t Q = l->net->Q, bytes = Q * sizeof *way->x, count = 2;
    for (size_t i = last; i != SIZE_MAX; i = l->before[i])
        count++;
    way->n = count;
    memcpy(way->x, s->from.x, bytes);
    memcpy(way->x + --count * Q, s->to.x, bytes);
    for (size_t i = last; i != SIZE_MAX; i = l->before[i])
        memcpy(way->x + --count * Q, l->net->x + i * Q, bytes);
}

static void prepare(rm2i_level *l, rm2i_planner_scene *s) {
    join(l, s->field, &s->from);
    join(l, s->field, &s->to);
    if (s->new_goal && l->net == s->field->grid) {
        measure_to_goal(l, s);
        s->new_goal = false;
    }
}

rm2i_outcome rm2i_level_shortest(rm2i_level *l, rm2i_planner_scene *s, rm2i_polygon *way) {
    size_t last = SIZE_MAX;
    prepare(l, s);
    rm2i_outcome outcome = search(l, s, &last, &way->length);
    if (outcome == RM2I_WAY)
        copy_way(l, s, last, way);
    return outcome;
}

/* ---- with a proof --------------------------------------------------------------------------- */

static bool line_holds(const rm2i_planner_scene *s, const double *a, const rm2i_clear_point *at_a,
                       const double *b, const rm2i_clear_point *at_b) {
    return rm2i_clearance_holds(s->clearance, a, at_a, b, at_b, s->work);
}

static void remove_edge(rm2i_level *l, const rm2i_planner_scene *s, size_t from, size_t to) {
    for (size_t e = l->net->graph.first[from]; e < l->net->graph.first[from + 1]; e++)
        if (l->net->graph.to[e] == to)
            l->removed[e] = s->number;
}

static void remove_joint(rm2i_end *end, size_t node) {
    for (size_t k = 0; k < end->count; k++)
        if (end->node[k] == node)
            end->length[k] = INFINITY;
}

/* Take out the lines of the path that do not hold; true if there are none. */
static bool path_holds(rm2i_level *l, rm2i_planner_scene *s, size_t last) {
    size_t Q = l->net->Q, b = last;
    rm2i_clear_point at_b, at_a;
    bool holds = true;
    rm2i_clearance_at(s->clearance, l->net->x + b * Q, &at_b, s->work);
    if (!line_holds(s, l->net->x + b * Q, &at_b, s->to.x, &s->to.at)) {
        remove_joint(&s->to, b);
        holds = false;
    }
    for (size_t a = l->before[b]; a != SIZE_MAX; b = a, a = l->before[b], at_b = at_a) {
        rm2i_clearance_at(s->clearance, l->net->x + a * Q, &at_a, s->work);
        if (line_holds(s, l->net->x + a * Q, &at_a, l->net->x + b * Q, &at_b))
            continue;
        remove_edge(l, s, a, b);
        remove_edge(l, s, b, a);
        holds = false;
    }
    if (!line_holds(s, s->from.x, &s->from.at, l->net->x + b * Q, &at_b)) {
        remove_joint(&s->from, b);
        holds = false;
    }
    return holds;
}

rm2i_outcome rm2i_level_proven(rm2i_level *l, rm2i_planner_scene *s, rm2i_polygon *way) {
    prepare(l, s);
    for (;;) {
        size_t last = SIZE_MAX;
        rm2i_outcome outcome = search(l, s, &last, &way->length);
        if (outcome != RM2I_WAY)
            return outcome;
        if (path_holds(l, s, last)) {
            copy_way(l, s, last, way);
            return RM2I_WAY;
        }
        if (rm2i_scene_late(s))
            return RM2I_TOO_LATE;
    }
}

/* ---- is there hope? ------------------------------------------------------------------------- */

/* Neighbour k of the 3^Q on the grid; SIZE_MAX beyond its border. */
static size_t neighbour(const rm2i_roadmap *net, size_t i, size_t k) {
    for (size_t q = 0; q < net->Q; q++, k /= 3) {
        size_t place = i / net->stride[q] % net->count[q], to = place + k % 3; /* one too many */
        if (to < 1 || to > net->count[q])
            return SIZE_MAX;
        i += net->stride[q] * (to - 1 - place);
    }
    return i;
}

/* Could a way that keeps the clearance pass through the cell around node i? */
static bool may_pass(rm2i_level *l, const rm2i_planner_scene *s, size_t i) {
    return look_at(l, s, i)->clearance + l->radius[i] >= s->clearance->wanted;
}

/* Breadth first from the nodes around one end; every way passes through cells of which each touches the one before. */
bool rm2i_level_may_pass(rm2i_level *l, rm2i_planner_scene *s) {
    const rm2i_roadmap *net = l->net;
    size_t head = 0, tail = 0, *queue = l->heap, around = 1;
    for (size_t q = 0; q < net->Q; q++)
        around *= 3;
    l->search++;
    for (size_t k = 0; k < s->from.count; k++) {
        l->reached[s->from.node[k]] = l->search;
        queue[tail++] = s->from.node[k];
    }
    while (head < tail) {
        size_t i = queue[head++];
        if (head % BETWEEN_LOOKS == 0 && rm2i_scene_late(s))
            return true;
        for (size_t k = 0; k < around; k++) {
            size_t to = neighbour(net, i, k);
            if (to == SIZE_MAX || l->reached[to] == l->search || !may_pass(l, s, to))
                continue;
            l->reached[to] = l->search;
            queue[tail++] = to;
        }
    }
    for (size_t k = 0; k < s->to.count; k++)
        if (l->reached[s->to.node[k]] == l->search)
            return true;
    return false;
}
