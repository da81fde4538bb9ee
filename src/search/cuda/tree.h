/*
 * The tree of cuda-kdtree and cuda-octree (box_tree.h is that of `kdtree` and `octree`): an order of the
 * points, and an implicit hierarchy of tight boxes over it. cuda-kdtree and cuda-octree differ in the order.
 *
 * Eight consecutive points are a leaf, 32 consecutive leaves a node, 32 consecutive nodes a node of the next
 * level, up to one root: so there are no pointers, a child's number is 32 x its parent's + its lane, a warp
 * tests all children of a node in one step, and there are at most 6 levels for any set of less than 2^31
 * points.
 *
 * Bounds are exact without a margin for the reason given in box_tree.h: they are computed in double, with the
 * operations and the order of the exact distance, and rounding is monotone.
 */
#ifndef GV_CUDA_TREE_H
#define GV_CUDA_TREE_H

#include "search/backend.h"
#include "search/cuda/runtime.h"

enum {
  GV_TREE_LEAF = 8,
  GV_TREE_FAN = 32,
  GV_TREE_LEVELS = 6,
  GV_TREE_MAX_DIM = 128,
  GV_TREE_BINS = 256,     /* of a frame, a dimension */
  GV_TREE_ORDER_DIM = 16, /* number of dimensions that a frame uses */
  GV_TREE_NO_INDEX = 0x7fffffff
};

/* A tree as kernels use it; pointers are the device's. Level 0 has leaves as children, level `top` is the
 * root only. */
typedef struct gv_tree_view {
  int dim, top;
  int overlapping;              /* non-zero: boxes of one level do, see tree_search.cu */
  int children[GV_TREE_LEVELS]; /* of all nodes of the level together */
  /* a node: for each dimension 32 lower and 32 upper bounds of its children */
  const double *boxes[GV_TREE_LEVELS];
  const int *least[GV_TREE_LEVELS]; /* a node: 32 least point numbers */
  const double *points;             /* a leaf: 8 values of each dimension; missing ones at infinity */
  /* a leaf: 8 numbers in the caller's order; missing ones GV_TREE_NO_INDEX */
  const int *numbers;
  const double *edges; /* the frame, see tree_curve.cuh */
} gv_tree_view;

typedef struct gv_cuda_tree {
  int device;
  void *memory; /* everything the view points to */
  gv_tree_view view;
} gv_cuda_tree;

/* An order of the points: fills order[0 ... count - 1] on the device with point numbers; boxes of one level
 * overlap in it or not. `data`: the points on the device, row-major. Works on the queue's stream; may use
 * queue slots from GV_TREE_SLOT_FREE on. */
typedef gv_status gv_tree_orderer(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                                  const double *data, const double *edges, int *order, bool *overlapping);

/* By halves, that of cuda-kdtree. */
gv_tree_orderer gv_tree_order_by_halves;

enum { GV_TREE_SLOT_DATA, GV_TREE_SLOT_ORDER, GV_TREE_SLOT_FREE };

/* The backends' entry points, except the orderer. */
gv_status gv_cuda_tree_build(gv_context *context, const gv_reference *reference, gv_tree_orderer *orderer,
                             void **state);
void gv_cuda_tree_destroy(const gv_reference *reference, void *state);
gv_status gv_cuda_tree_search(gv_context *context, const gv_reference *reference, const void *state,
                              const gv_query *query, int64_t *indices, double *canonical);

/*
 * Radix sorts on the queue's stream (CUB), stable, by bits 0 ... bits - 1 of the keys. Keys and values lie in
 * two buffers each; which of them holds the result is put first. Uses queue slot `slot` for itself.
 */
gv_status gv_tree_sort_32(gv_context *context, gv_cuda_queue *queue, int slot, uint32_t *keys[2],
                          int *values[2], int count, int bits);
gv_status gv_tree_sort_64(gv_context *context, gv_cuda_queue *queue, int slot, uint64_t *keys[2],
                          int *values[2], int count, int bits);

/* The values from `least` to `most`, in their order, and how many in *kept. Uses queue slot `slot` for
 * itself. */
gv_status gv_tree_select(gv_context *context, gv_cuda_queue *queue, int slot, const int *values,
                         int64_t count, int least, int most, int *out, int *kept);

#ifdef __cplusplus
extern "C" {
#endif
extern const gv_search_engine gv_search_cuda_kdtree, gv_search_cuda_octree;
#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
/* After the step `apart` of a bitonic sort, which makes rows of `sorted`, in shared memory, where thread t of
 * a block takes pairs t, t + blockDim.x ...: pairs at most 32 apart lie in 64 places that are the warp's own,
 * so most steps do without waiting for the block. */
static __device__ __forceinline__ void gv_tree_bitonic_wait(int sorted, int apart) {
  int next = apart > 1 ? apart / 2 : sorted;
  if (apart > 32 || next > 32) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}
#endif

/* Blocks of `threads` for `count` items. */
static inline unsigned gv_tree_blocks(int64_t count, int threads) {
  return (unsigned)((count + threads - 1) / threads);
}

#endif
