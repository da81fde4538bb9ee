/* Queries of a tree in the order of the Hilbert curve. Codes of 32 bits suffice where the frame is of quantiles. */
#include "search/cuda/tree_curve.cuh"
#include "search/cuda/tree_queries.h"

template <typename CODE>
static gv_status code_queries(gv_context *context, gv_cuda_queue *queue, const gv_tree_view &tree,
                              const double *data, int count, int bits, CODE *codes, int *order) {
  gv_status status = GV_OK;
  gv_curve_codes_launch(queue, data, tree.dim, tree.edges, count, bits, codes, order);
  GV_CUDA_LAUNCHED(context, "coding the queries");

done:
  return status;
}

gv_status gv_tree_order_queries(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                                const double *data, int count, void *const codes[2], int *order[2]) {
  if (tree.even) {
    uint64_t *wide[2] = {(uint64_t *)codes[0], (uint64_t *)codes[1]};
    int bits = tree.dim == 3 ? 21 : 31;
    gv_status status = code_queries(context, queue, tree, data, count, bits, wide[0], order[0]);
    return status != GV_OK ? status : gv_tree_sort_64(context, queue, slot, wide, order, count, bits * tree.dim);
  }
  uint32_t *narrow[2] = {(uint32_t *)codes[0], (uint32_t *)codes[1]};
  int dims = tree.dim < GV_TREE_ORDER_DIM ? tree.dim : GV_TREE_ORDER_DIM;
  int wanted = count > 65536 ? 32 : 16, bits = wanted / dims > 1 ? wanted / dims : 1;
  gv_status status = code_queries(context, queue, tree, data, count, bits, narrow[0], order[0]);
  return status != GV_OK ? status : gv_tree_sort_32(context, queue, slot, narrow, order, count, bits * dims);
}
