/*
 * cuda-multiblock: for few queries and many points. Enough blocks share the points of four queries to use all
 * multiprocessors; each leaves the minima of its groups, which the decision reduces. Up to three dimensions a
 * point is 16 bytes, coordinates and half the squared length; above that columns. The time is that of reading
 * the points once.
 */
#include "search/cuda/by_point.cuh"

static gv_layout multiblock_layout(int32_t dim) {
  return dim <= 3 ? GV_QUADS : GV_COLUMNS;
}

static gv_group_shape multiblock_shape(const gv_brute_sizes *sizes) {
  /* Enough warps to saturate memory if one query tile has all points; not more, because one block of the
   * decision reads all their groups. */
  int64_t query_tiles = gv_ceil_div(sizes->queries, GV_BY_POINT_QUERIES);
  int64_t blocks = gv_ceil_div(sizes->multiprocessors * 8LL, query_tiles);
  return sizes->dim <= 3 ? gv_shape_by_point<gv_from_quads>(blocks)
                         : gv_shape_by_point<gv_from_columns>(blocks);
}

template <int METRIC> static cudaError_t multiblock_launch(gv_cuda_queue *queue, const gv_scan *scan) {
  return scan->dim <= 3 ? gv_launch_by_point<METRIC>(queue, scan, gv_from_quads(), true)
                        : gv_launch_by_point<METRIC>(queue, scan, gv_from_columns(), true);
}

static gv_status multiblock_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *,
                                   const gv_scan *scan, const gv_brute_sizes *) {
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, multiblock_launch, queue, scan),
                        "searching with many blocks");
}

static const gv_brute_method method = {
    multiblock_layout, multiblock_shape, multiblock_filter, NULL, NULL, NULL, NULL};

static gv_status multiblock_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_multiblock = {gv_cuda_probe_device, multiblock_build, gv_brute_search,
                                                    gv_brute_forget};
