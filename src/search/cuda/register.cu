/*
 * cuda-register: as cuda-shared, with several queries a thread in registers, so that a value is read from
 * shared memory once for all of them: eight queries up to three dimensions, 8 x 8 pairs above. Arithmetic
 * then is the limit.
 *
 * For k = 1 up to three dimensions only the best group of 32 points and the runner-up's value are kept:
 * without points' numbers in the inner loop and without a row of minima.
 */
#include "search/cuda/by_query.cuh"
#include "search/cuda/matrix_tile.cuh"

static gv_layout register_layout(int32_t dim) {
  return dim <= 3 ? GV_QUADS : GV_COLUMNS;
}

static gv_group_shape register_shape(const gv_brute_sizes *sizes) {
  return sizes->dim <= 3 ? gv_shape_by_query() : gv_shape_by_tile(8);
}

template <int METRIC> static cudaError_t register_launch(gv_cuda_queue *queue, const gv_scan *scan) {
  return scan->dim <= 3 ? gv_launch_staged<METRIC, 8>(queue, scan)
                        : gv_launch_tile<METRIC, 8, 8, false>(queue, scan);
}

static gv_status register_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *,
                                 const gv_scan *scan, const gv_brute_sizes *) {
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, register_launch, queue, scan),
                        "searching in registers");
}

enum { PAIR_QUERIES = 8, PAIR_QUERIES_FEW = 4 };

/* Used if the queries fill the device: a block then scans all points. */
static bool pairs(const gv_brute_sizes *sizes) {
  return sizes->dim <= 3 && sizes->count < INT32_MAX &&
         sizes->queries >= (int64_t)sizes->multiprocessors * GV_BY_QUERY_THREADS * PAIR_QUERIES_FEW;
}

template <int METRIC, int QUERIES>
static void launch_pair_of(gv_cuda_queue *queue, const gv_scan *scan, gv_pair out) {
  unsigned blocks = (unsigned)gv_ceil_div(scan->queries, QUERIES * GV_BY_QUERY_THREADS);
  int64_t end = gv_ceil_div(scan->count, GV_PAIR_GROUP) * GV_PAIR_GROUP;
  gv_pair_by_query<METRIC, QUERIES>
      <<<blocks, GV_BY_QUERY_THREADS, 0, queue->stream>>>(*scan, gv_staged_quads(), end, out);
}

template <int METRIC> static cudaError_t launch_pair(gv_cuda_queue *queue, const gv_scan *scan, gv_pair out) {
  /* Eight queries a thread read fewer points, four make more blocks: five of eight fit on a
   * multiprocessor. */
  if (scan->queries >= 5LL * queue->multiprocessors * GV_BY_QUERY_THREADS * PAIR_QUERIES) {
    launch_pair_of<METRIC, PAIR_QUERIES>(queue, scan, out);
  } else {
    launch_pair_of<METRIC, PAIR_QUERIES_FEW>(queue, scan, out);
  }
  return cudaPeekAtLastError();
}

static gv_status pair(gv_context *context, gv_cuda_queue *queue, const gv_brute *, const gv_scan *scan,
                      gv_pair out) {
  return gv_cuda_result(context, GV_FOR_METRIC(scan->metric, launch_pair, queue, scan, out),
                        "searching in registers");
}

const gv_brute_method gv_register_method = {
    register_layout, register_shape, register_filter, pairs, pair, NULL, NULL};

static gv_status register_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &gv_register_method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_register = {gv_cuda_probe_device, register_build, gv_brute_search,
                                                  gv_brute_forget};
