/* Sums that do not depend on how their terms are divided among threads and processes.
 *
 * Terms 0, 1, ... are the leaves of a binary tree: node i of level l is the sum of the nodes 2i and 2i + 1 of the level
 * below, leaves i 2^l to (i + 1) 2^l - 1. Whoever has consecutive terms adds them to as few nodes as possible, and
 * appends to these the nodes of the one who has the terms behind: the additions are those of the tree, whoever makes
 * them, and the sum has the same bits. */
#ifndef RM2I_TREE_H
#define RM2I_TREE_H

#include <stddef.h>

enum { RM2I_TREE_NODES = 64 }; /* enough for 2^30 terms, and one that is being added */

typedef struct rm2i_node {
    size_t level, index;
} rm2i_node;

/* Nodes of consecutive terms, each an array of numbers. */
typedef struct rm2i_tree {
    size_t size;    /* numbers of a node */
    double *values; /* rm2i_tree_most x size, the caller's */
    size_t count;   /* nodes */
    rm2i_node node[RM2I_TREE_NODES];
} rm2i_tree;

/* Largest number of nodes at a time in a sum of this number of terms. */
size_t rm2i_tree_most(size_t terms);

/* The next term, which must follow the last one: its numbers, all 0, for the caller to fill in before the next call. */
double *rm2i_tree_leaf(rm2i_tree *tree, size_t index);
/* Add nodes that are children of the same one, once the last term is filled in. */
void rm2i_tree_join(rm2i_tree *tree);
/* The nodes of the terms first to end - 1 when they are joined; `node` has room for RM2I_TREE_NODES. Returns how many. */
size_t rm2i_tree_nodes(size_t first, size_t end, rm2i_node *node);
/* The nodes of the terms behind. */
void rm2i_tree_append(rm2i_tree *tree, const rm2i_tree *behind);
/* The numbers of the sum, once all terms are there. */
double *rm2i_tree_total(rm2i_tree *tree);

#endif
