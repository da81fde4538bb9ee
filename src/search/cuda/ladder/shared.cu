/*
 * cuda-shared, step 6: tiles in shared memory.
 *
 * Idea: the threads of a block copy a tile of points into shared memory together, and all of them use it.
 * Memory: shared memory. Up to three dimensions a thread has one query and reads every staged point; above
 * that a block makes a 64 x 64 tile of the matrix, 4 x 4 pairs a thread. Limit: reads from shared memory: one
 * 16-byte point for three multiply-adds, or eight values for sixteen. cuda-register (one folder up) keeps
 * more queries in registers, so that a value read serves eight.
 */
#include "search/cuda/by_query.cuh"
#include "search/cuda/matrix_tile.cuh"

static gv_layout shared_layout(int32_t dim) {
  return dim <= 3 ? GV_QUADS : GV_COLUMNS;
}

static gv_group_shape shared_shape(const gv_brute_sizes *sizes) {
  return sizes->dim <= 3 ? gv_shape_by_query() : gv_shape_by_tile(4);
}

template <int METRIC> static cudaError_t shared_launch(gv_cuda_queue *queue, const gv_scan *scan) {
  return scan->dim <= 3 ? gv_launch_staged<METRIC, 1>(queue, scan)
                        : gv_launch_tile<METRIC, 4, 4, false>(queue, scan);
}

static gv_status shared_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *,
                               const gv_scan *scan, const gv_brute_sizes *) {
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, shared_launch, queue, scan),
                        "searching in shared memory");
}

static const gv_brute_method method = {shared_layout, shared_shape, shared_filter, NULL, NULL, NULL, NULL};

static gv_status shared_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_shared = {gv_cuda_probe_device, shared_build, gv_brute_search,
                                                gv_brute_forget};
