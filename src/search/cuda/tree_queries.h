/* Queries of a tree in the order of the Hilbert curve, and searches by radius. */
#ifndef GV_CUDA_TREE_QUERIES_H
#define GV_CUDA_TREE_QUERIES_H

#include "search/cuda/tree.h"
#include "search/device_radius.h"

/* order[0]: the numbers of `count` queries in the order of the tree's curve. codes, order: `count` entries each, in two buffers that may be
 * exchanged. Uses queue slot `slot` for itself. */
gv_status gv_tree_order_queries(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                                const double *data, int count, uint32_t *codes[2], int *order[2]);

/* Of cuda-kdtree and cuda-octree. */
extern "C" gv_device_radius_fn gv_cuda_tree_radius;

#endif
