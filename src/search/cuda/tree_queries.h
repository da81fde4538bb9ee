/* Queries of a tree in an order in which groups of them are close together, and searches by radius. */
#ifndef GV_CUDA_TREE_QUERIES_H
#define GV_CUDA_TREE_QUERIES_H

#include "search/cuda/tree.h"
#include "search/device_radius.h"

/* order[0]: the numbers of `count` queries in the order of the tree's curve; if they are the tree's points
 * from number `own` on (-1: they are not, else they may be) in the order of the tree. codes, order: `count`
 * entries each, in two buffers that may be exchanged. Uses queue slot `slot` for itself. */
gv_status gv_tree_order_queries(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                                int64_t own, const double *data, int count, uint32_t *codes[2],
                                int *order[2]);

/* The tree's points from number `first` on as queries: their coordinates in data[0 ... count x dim - 1],
 * order[0 ... count - 1] as before; an integer in *kept. */
gv_status gv_tree_own_queries(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                              int first, int count, int *kept, int *order, double *data);

/* Of cuda-kdtree and cuda-octree. */
extern "C" gv_device_radius_fn gv_cuda_tree_radius;

#endif
