/*
 * cuda-global, step 4: a kernel that computes and reduces at once.
 *
 * Idea: a thread has points, a block has four queries; a distance lives in a register until it is compared,
 * so each coordinate that is read serves four pairs and no distance is stored. Memory: points in the caller's
 * layout, an array of structures in global memory. Neighboring threads read `dim` floats apart. Limit: cache
 * lines. A warp's load touches up to 32 of them, of which it uses a few bytes: cheap in three dimensions,
 * expensive in many.
 */
#include "search/cuda/by_point.cuh"

static gv_layout global_layout(int32_t dim) {
  (void)dim;
  return GV_ROWS;
}

static gv_group_shape global_shape(const gv_brute_sizes *sizes) {
  (void)sizes;
  return gv_shape_by_point<gv_from_rows>(8);
}

template <int METRIC> static cudaError_t global_launch(gv_cuda_queue *queue, const gv_scan *scan) {
  return gv_launch_by_point<METRIC>(queue, scan, gv_from_rows(), false);
}

static gv_status global_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *,
                               const gv_scan *scan, const gv_brute_sizes *) {
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, global_launch, queue, scan),
                        "searching in global memory");
}

static const gv_brute_method method = {global_layout, global_shape, global_filter, NULL, NULL, NULL, NULL};

static gv_status global_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_global = {gv_cuda_probe_device, global_build, gv_brute_search,
                                                gv_brute_forget};
