/* Queries of a tree in the order of the Hilbert curve. */
#include "search/cuda/tree_curve.cuh"
#include "search/cuda/tree_queries.h"

gv_status gv_tree_order_queries(gv_context *context, gv_cuda_queue *queue, int slot, const gv_tree_view &tree,
                                const double *data, int count, uint32_t *codes[2], int *order[2]) {
  gv_status status;
  int dims = tree.dim < GV_TREE_ORDER_DIM ? tree.dim : GV_TREE_ORDER_DIM;
  int wanted = count > 65536 ? 32 : 16, bits = wanted / dims > 1 ? wanted / dims : 1;
  gv_curve_codes_launch(queue, data, tree.dim, tree.edges, count, bits, codes[0], order[0]);
  GV_CUDA_LAUNCHED(context, "coding the queries");
  status = gv_tree_sort_32(context, queue, slot, codes, order, count, bits * dims);

done:
  return status;
}
