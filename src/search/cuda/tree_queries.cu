/* The order of a tree's queries: that of the Hilbert curve, or the tree's own. */
#include "search/cuda/tree_curve.cuh"
#include "search/cuda/tree_queries.h"

enum { OWN_THREADS = 256, OWN_SAMPLE = 16 * OWN_THREADS };

/* Whether a sample of the tree's points from number `first` on are the queries; by one block. */
static __global__ void __launch_bounds__(OWN_THREADS)
    compare_own(const __grid_constant__ gv_tree_view tree, const double *data, int first, int count,
                int *same) {
  const int64_t places = (int64_t)tree.children[0] * GV_TREE_LEAF;
  bool equal = true;
  for (int i = (int)threadIdx.x; i < OWN_SAMPLE; i += OWN_THREADS) {
    const int64_t place = i * places / OWN_SAMPLE, leaf = place / GV_TREE_LEAF;
    const int query = tree.numbers[place] - first;
    if (query < 0 || query >= count) continue;
    for (int d = 0; d < tree.dim; d++)
      equal = equal && data[(int64_t)query * tree.dim + d] ==
                           tree.points[(leaf * tree.dim + d) * GV_TREE_LEAF + place % GV_TREE_LEAF];
  }
  equal = __syncthreads_and(equal) != 0;
  if (threadIdx.x == 0) *same = equal;
}

static __global__ void __launch_bounds__(OWN_THREADS) number_from(int first, int *numbers, int count) {
  int i = (int)(blockIdx.x * OWN_THREADS + threadIdx.x);
  if (i < count) numbers[i] -= first;
}

/* Nothing is sorted, and groups are leaves of the tree; codes of queries are too short for clusters.
 * Gain: 2.5 ms of 7.4 for k = 1 of 10^7 points in 3-D (one H200); in clusters of 10^-6 to 1 of the
 * extent 1.7x for k = 8, 35x for k = 32. */
static gv_status order_own(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                           int first, int count, int *kept, int *order) {
  gv_status status =
      gv_tree_select(context, queue, slot, tree.numbers, (int64_t)tree.children[0] * GV_TREE_LEAF, first,
                     first + (count - 1), order, kept);
  if (status != GV_OK || first == 0) return status;
  number_from<<<gv_tree_blocks(count, OWN_THREADS), OWN_THREADS, 0, queue->stream>>>(first, order, count);
  GV_CUDA_LAUNCHED(context, "ordering the queries");

done:
  return status;
}

/* A thread a place of a leaf. */
static __global__ void __launch_bounds__(OWN_THREADS)
    fetch_own(const __grid_constant__ gv_tree_view tree, int first, int count, double *data) {
  const int64_t place = (int64_t)blockIdx.x * OWN_THREADS + threadIdx.x, leaf = place / GV_TREE_LEAF;
  if (leaf >= tree.children[0]) return;
  const int query = tree.numbers[place] - first;
  for (int d = 0; d < tree.dim && query >= 0 && query < count; d++)
    data[(int64_t)query * tree.dim + d] =
        tree.points[(leaf * tree.dim + d) * GV_TREE_LEAF + place % GV_TREE_LEAF];
}

gv_status gv_tree_own_queries(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                              int first, int count, int *kept, int *order, double *data) {
  gv_status status;
  fetch_own<<<gv_tree_blocks((int64_t)tree.children[0] * GV_TREE_LEAF, OWN_THREADS), OWN_THREADS, 0,
              queue->stream>>>(tree, first, count, data);
  GV_CUDA_LAUNCHED(context, "looking at the queries");
  status = order_own(context, queue, slot, tree, first, count, kept, order);

done:
  return status;
}

gv_status gv_tree_order_queries(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                                int64_t own, const double *data, int count, uint32_t *codes[2],
                                int *order[2]) {
  const int dims = tree.dim < GV_TREE_ORDER_DIM ? tree.dim : GV_TREE_ORDER_DIM,
            wanted = count > 65536 ? 32 : 16, bits = wanted / dims > 1 ? wanted / dims : 1;
  int same = 0, *on_device = (int *)codes[0];
  gv_status status;
  if (own >= 0) {
    compare_own<<<1, OWN_THREADS, 0, queue->stream>>>(tree, data, (int)own, count, on_device);
    GV_CUDA_LAUNCHED(context, "ordering the queries");
    GV_CUDA_TRY(context,
                cudaMemcpyAsync(&same, on_device, sizeof same, cudaMemcpyDeviceToHost, queue->stream),
                "ordering the queries");
    GV_CUDA_TRY(context, cudaStreamSynchronize(queue->stream), "ordering the queries");
    if (same) return order_own(context, queue, slot, tree, (int)own, count, on_device, order[0]);
  }
  gv_curve_codes_launch(queue, data, tree.dim, tree.edges, count, bits, codes[0], order[0]);
  GV_CUDA_LAUNCHED(context, "coding the queries");
  status = gv_tree_sort_32(context, queue, slot, codes, order, count, bits * dims);

done:
  return status;
}
