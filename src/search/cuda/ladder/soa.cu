/*
 * cuda-soa, step 5: coalesced loads.
 *
 * Idea: the kernel of cuda-global over a structure of arrays. Nothing else changes, so the difference is the
 * memory layout. Memory: one array a dimension in global memory. Neighboring threads read neighboring floats,
 * four at a time: a warp's load is 512 bytes in one piece. Limit: each block reads all points for its four
 * queries only, so the caches' bandwidth.
 */
#include "search/cuda/by_point.cuh"

static gv_layout soa_layout(int32_t dim) {
  (void)dim;
  return GV_COLUMNS;
}

static gv_group_shape soa_shape(const gv_brute_sizes *sizes) {
  (void)sizes;
  return gv_shape_by_point<gv_from_columns>(8);
}

template <int METRIC> static cudaError_t soa_launch(gv_cuda_queue *queue, const gv_scan *scan) {
  return gv_launch_by_point<METRIC>(queue, scan, gv_from_columns(), false);
}

static gv_status soa_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *, const gv_scan *scan,
                            const gv_brute_sizes *) {
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, soa_launch, queue, scan),
                        "searching in columns");
}

static const gv_brute_method method = {soa_layout, soa_shape, soa_filter, NULL, NULL, NULL, NULL};

static gv_status soa_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_soa = {gv_cuda_probe_device, soa_build, gv_brute_search,
                                             gv_brute_forget};
