/* Nodes lie one behind the other; two that are children of the same node are added as soon as both are there. */
#include "rows/tree.h"

#include <string.h>

size_t rm2i_tree_most(size_t terms) {
    size_t levels = 1;
    for (; terms > 1; terms = (terms + 1) / 2)
        levels++;
    return 2 * levels < RM2I_TREE_NODES ? 2 * levels : RM2I_TREE_NODES;
}

static double *values_of(const rm2i_tree *t, size_t k) {
    return t->values + k * t->size;
}

static void add(size_t n, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

void rm2i_tree_join(rm2i_tree *t) {
    while (t->count > 1) {
        rm2i_node *left = &t->node[t->count - 2];
        const rm2i_node *right = &t->node[t->count - 1];
        if (left->level != right->level || left->index % 2 != 0 || right->index != left->index + 1)
            return;
        add(t->size, values_of(t, t->count - 1), values_of(t, t->count - 2));
        *left = (rm2i_node){left->level + 1, left->index / 2};
        t->count--;
    }
}

double *rm2i_tree_leaf(rm2i_tree *tree, size_t index) {
    rm2i_tree_join(tree); /* the leaf before is filled in by now */
    double *values = values_of(tree, tree->count);
    tree->node[tree->count++] = (rm2i_node){0, index};
    memset(values, 0, tree->size * sizeof *values);
    return values;
}

/* As many terms as a node can have that begins at `first`. */
static rm2i_node largest_node(size_t first, size_t end) {
    size_t level = 0;
    while (first % ((size_t)2 << level) == 0 && first + ((size_t)2 << level) <= end)
        level++;
    return (rm2i_node){level, first >> level};
}

size_t rm2i_tree_nodes(size_t first, size_t end, rm2i_node *node) {
    size_t count = 0;
    while (first < end) {
        node[count] = largest_node(first, end);
        first += (size_t)1 << node[count++].level;
    }
    return count;
}

void rm2i_tree_append(rm2i_tree *tree, const rm2i_tree *behind) {
    for (size_t k = 0; k < behind->count; k++) {
        rm2i_tree_join(tree);
        memcpy(values_of(tree, tree->count), values_of(behind, k), tree->size * sizeof(double));
        tree->node[tree->count++] = behind->node[k];
    }
    rm2i_tree_join(tree);
}

double *rm2i_tree_total(rm2i_tree *tree) {
    rm2i_tree_join(tree);
    if (tree->count == 0)
        memset(tree->values, 0, tree->size * sizeof *tree->values);
    for (; tree->count > 1; tree->count--) /* where the number of terms is not a power of two */
        add(tree->size, values_of(tree, tree->count - 1), values_of(tree, tree->count - 2));
    return tree->values;
}
