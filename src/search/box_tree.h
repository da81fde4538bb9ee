/*
 * The tree of kdtree and octree: an 8-wide hierarchy of tight bounding boxes over leaves of a few points.
 *
 * A node holds the boxes of its children as a structure of arrays, so that one vector instruction works on
 * all eight, and three binary levels are one step of the search. Leaves are blocks of 8 points, also as
 * structures of arrays. kdtree and octree differ in where they split ranges of points, not in how the result
 * is searched.
 *
 * Why pruning is exact without a margin. The bound of a box is computed with the operations and order of the
 * exact distance, with the gap g = max(lo - q, q - hi, 0) in place of |q - s|. For a point s of the box, lo
 * <= s <= hi, and IEEE rounding is monotone: fl(q - s) is in magnitude >= each of fl(lo - q), fl(q - hi) that
 * is positive, products and sums of non-negative numbers and maxima are monotone in each operand, and they
 * round monotonically. So, operation by operation, bound <= exact distance of every point inside, also after
 * an overflow to infinity. A box is excluded if (bound, least index inside) is not before (worst distance,
 * worst index): ties keep the lowest index.
 *
 * In a periodic box of period L a difference is min(u, L - u), u = |q - s|. For a box, u is at least g and at
 * most U = max(q - lo, hi - q), also as rounded, so that min(g, L - U) bounds it in the same way.
 */
#ifndef GV_BOX_TREE_H
#define GV_BOX_TREE_H

#include "search/backend.h"
#include "search/code_sort.h"
#include "search/nearest_list.h"

enum {
  GV_LANES = 8, /* children of a node, points of a block */
  GV_LEAF_BLOCKS_MAX = 8,
  GV_STACK_ENTRIES = 1024 /* of a search: 7 for each level and 8 for the last, see box_tree.c on the depth */
};

typedef struct gv_box_tree {
  gv_metric metric;
  int32_t dim;
  int64_t node_count, block_count;
  char *nodes;           /* node_count x gv_node_bytes */
  char *blocks;          /* block_count x gv_block_bytes */
  double *low, *high;    /* the box of all points */
  const double *periods; /* gv_reference's */
  double power;
} gv_box_tree;

/* A node: for each dimension 8 lower and 8 upper bounds; 8 children; 8 least indices. Lanes without a child
 * have a box at infinity and GV_NO_INDEX, which never wins a comparison. A child >= 0 is a node, < 0 a leaf
 * (gv_leaf_child). */
static inline size_t gv_node_bytes(int32_t dim) {
  return ((size_t)dim * 2 + 2) * GV_LANES * 8;
}
static inline double *gv_node_box(const gv_box_tree *tree, int64_t node) {
  return (double *)(tree->nodes + (size_t)node * gv_node_bytes(tree->dim));
}
static inline int64_t *gv_node_child(const gv_box_tree *tree, int64_t node) {
  return (int64_t *)(gv_node_box(tree, node) + (size_t)tree->dim * 2 * GV_LANES);
}
static inline int64_t *gv_node_least(const gv_box_tree *tree, int64_t node) {
  return gv_node_child(tree, node) + GV_LANES;
}

/* A block: 8 values of each dimension, then 8 indices. Lanes without a point are at infinity with
 * GV_NO_INDEX. */
static inline size_t gv_block_bytes(int32_t dim) {
  return ((size_t)dim + 1) * GV_LANES * 8;
}
static inline double *gv_block_points(const gv_box_tree *tree, int64_t block) {
  return (double *)(tree->blocks + (size_t)block * gv_block_bytes(tree->dim));
}
static inline int64_t *gv_block_index(const gv_box_tree *tree, int64_t block) {
  return (int64_t *)(gv_block_points(tree, block) + (size_t)tree->dim * GV_LANES);
}

static inline int64_t gv_leaf_child(int64_t first_block, int64_t blocks) {
  return ~(first_block * GV_LEAF_BLOCKS_MAX + (blocks - 1));
}
static inline int64_t gv_leaf_first_block(int64_t child) {
  return ~child / GV_LEAF_BLOCKS_MAX;
}
static inline int64_t gv_leaf_blocks(int64_t child) {
  return ~child % GV_LEAF_BLOCKS_MAX + 1;
}

/* Builds a tree. With `codes` (count pairs sorted by code, consumed) ranges are split where the code's
 * highest differing bit changes, as an octree does; without, and below the codes' resolution, at the median
 * of the widest dimension. */
gv_status gv_box_tree_build(gv_context *context, const gv_reference *reference, gv_sort_code *codes,
                            gv_box_tree **out);
void gv_box_tree_destroy(const gv_reference *reference, gv_box_tree *tree);

/* Backend entry points shared by kdtree and octree. */
gv_status gv_box_tree_search(gv_context *context, const gv_reference *reference, const void *state,
                             const gv_query *query, int64_t *indices, double *canonical);
gv_within_fn gv_box_tree_within;

/* Searches queries order[first] ... order[last - 1] on the calling thread (order NULL: in their own order).
 * query_is_reference: every query has the coordinates of the point that self-exclusion excludes for it. */
typedef void (*gv_box_tree_kernel)(const gv_box_tree *tree, const gv_query *query, const gv_sort_code *order,
                                   int64_t first, int64_t last, bool query_is_reference, int64_t *indices,
                                   double *canonical);
GV_KERNEL_TABLE(gv_box_tree_kernel);

/* gv_within_fn. */
typedef void (*gv_box_tree_within_kernel)(const gv_box_tree *tree, const double *query, double limit,
                                          int64_t self, gv_found_list *list);
GV_KERNEL_TABLE(gv_box_tree_within_kernel);

/* gv_pairs_fn, for at most GV_PAIR_DIM_MAX dimensions. */
enum { GV_PAIR_QUERIES = GV_LEAF_BLOCKS_MAX * GV_LANES, GV_PAIR_DIM_MAX = 12 };
gv_pairs_fn gv_box_tree_pairs;

/* What a thread needs for the pairs of a leaf (box_tree_pairs.c). */
typedef struct gv_pair_scratch gv_pair_scratch;

typedef enum gv_pairs_result { GV_PAIRS_FOUND, GV_PAIRS_OTHER_CAPACITY, GV_PAIRS_NO_MEMORY } gv_pairs_result;

/*
 * The pairs (i, j > i) of the points i of a leaf that are at most `limit` apart: counted at offsets[i + 1],
 * or (pairs not NULL) written in order to the room that the offsets give to i, if it is theirs. A bound of
 * two boxes is that of a box and a point with the gap between the boxes, so it is at most the exact distance
 * of each pair by the argument above.
 */
typedef gv_pairs_result (*gv_box_tree_pairs_kernel)(const gv_box_tree *tree, int64_t leaf, double limit,
                                                    int64_t *offsets, int64_t *pairs,
                                                    gv_pair_scratch *scratch);
GV_KERNEL_TABLE(gv_box_tree_pairs_kernel);

#endif
