/*
 * cuda-octree: a linear octree (quadtree, binary trie in two dimensions and one). Points are sorted by the place of their
 * cell on the Hilbert curve, 21 levels of octants (31 in fewer dimensions), in coordinates that adapt to the points
 * (tree_curve.cuh); every eight in a row make a leaf. One radix sort: O(n), bound by the memory's bandwidth.
 */
#include "search/cuda/devices.h"
#include "search/cuda/tree.h"
#include "search/cuda/tree_curve.cuh"

static gv_status order_points(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                              const double *data, const double *edges, int *order) {
  enum { SLOT_CODES = GV_TREE_SLOT_FREE, SLOT_CODES_OTHER, SLOT_ORDER_OTHER, SLOT_SORT };
  int count = (int)reference->count, dim = reference->dim, bits = dim == 3 ? 21 : 31;
  uint64_t *codes[2] = {NULL, NULL};
  int *numbers[2] = {order, NULL};
  gv_status status =
      gv_cuda_reserve(context, queue, SLOT_CODES, (size_t)count * sizeof **codes, (void **)&codes[0]);
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, queue, SLOT_CODES_OTHER, (size_t)count * sizeof **codes, (void **)&codes[1]);
  }
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, queue, SLOT_ORDER_OTHER, (size_t)count * sizeof(int), (void **)&numbers[1]);
  }
  if (status != GV_OK) return status;
  gv_curve_codes_launch(queue, data, dim, edges, count, bits, codes[0], numbers[0]);
  GV_CUDA_LAUNCHED(context, "coding the reference points");
  status = gv_tree_sort_64(context, queue, SLOT_SORT, codes, numbers, count, bits * dim);
  if (status == GV_OK && numbers[0] != order) {
    GV_CUDA_TRY(
        context,
        cudaMemcpyAsync(order, numbers[0], (size_t)count * sizeof(int), cudaMemcpyDeviceToDevice, queue->stream),
        "sorting");
  }

done:
  return status;
}

static gv_status octree_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_cuda_tree_build(context, reference, order_points, true, state);
}

extern "C" {
const gv_search_engine gv_search_cuda_octree = {gv_cuda_probe_device, octree_build, gv_cuda_tree_search,
                                                gv_cuda_tree_destroy};
}
