/*
 * cuda-constant, a side step: broadcast from constant memory.
 *
 * Idea: where all threads of a warp read the same address, constant memory costs no more than a register. The
 * smaller of the two sets goes there: points when queries are many, each thread with queries of its own;
 * queries when they are few, each thread with points of its own. Memory: 64 KB of constant memory, filled in
 * passes where the set is larger. There is one such memory a device and process, so searches take turns.
 * Limit: filling 64 KB at a time, and waiting for indexed constant loads. Good for few queries.
 */
#include "search/cuda/by_point.cuh"
#include "search/cuda/by_query.cuh"

#include <pthread.h>

enum {
  CONSTANT_FLOATS = 16384,
  CONSTANT_QUADS = CONSTANT_FLOATS / 4,
  SIDE = 8,
  SIDE_HIGH = 2,
  THREADS = 128
};

static __constant__ float4 constant[CONSTANT_QUADS];

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* Points: up to three dimensions as they lie. */
struct constant_quads {
  enum { STAGE = CONSTANT_QUADS };
  __device__ __forceinline__ void stage(const gv_scan &, int64_t, int) const {}
  __device__ __forceinline__ float4 get(int i) const { return constant[i]; }
};

/* Queries: four side by side, query tile by query tile of `depth` dimensions. */
struct constant_queries {
  int depth;
  __device__ __forceinline__ void stage(const gv_scan &, int64_t) const {}
  __device__ __forceinline__ float4 get(int d) const { return constant[(int)blockIdx.x * depth + d]; }
};

/* How many points lie side by side when dimensions are more than three: coordinate d of eight of them, then d
 * + 1 ..., at last half their squared lengths. Two where eight would not fit. */
static int constant_side_of(int32_t dim) {
  return (dim + 1) * SIDE <= CONSTANT_FLOATS ? SIDE : SIDE_HIGH;
}

static bool points_in_constant(const gv_brute_sizes *sizes) {
  return sizes->queries >= sizes->count;
}

static gv_layout constant_layout(int32_t dim) {
  return dim <= 3 ? GV_QUADS : GV_COLUMNS;
}

static gv_group_shape constant_shape(const gv_brute_sizes *sizes) {
  if (points_in_constant(sizes)) {
    if (sizes->dim <= 3) return gv_shape_by_query();
    int side = constant_side_of(sizes->dim);
    return {1, 1, side, side, 0};
  }
  int64_t blocks = sizes->multiprocessors * 16LL;
  return sizes->dim <= 3 ? gv_shape_by_point<gv_from_quads>(blocks)
                         : gv_shape_by_point<gv_from_columns>(blocks);
}

/* -------------------------------------------------------------------------------- points, many dimensions */

static __global__ void lay_side_by_side(gv_scan scan, int side, float *out) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= scan.padded) return;
  float *block = out + i / side * (scan.dim + 1) * side + i % side;
  for (int32_t d = 0; d < scan.dim; d++)
    block[d * side] = scan.values[d * scan.dim_stride + i];
  block[scan.dim * side] = scan.halves != NULL ? scan.halves[i] : 0.0F;
}

/* One query a thread against the blocks in constant memory. */
template <int METRIC, int WIDTH>
static __global__ void __launch_bounds__(THREADS)
    minima_side_by_side(gv_scan scan, int64_t first_block, int blocks) {
  int64_t query = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (query >= scan.queries) return;
  const float *values = (const float *)constant;
  for (int b = 0; b < blocks; b++, values += (scan.dim + 1) * WIDTH) {
    float sum[WIDTH], least = INFINITY;
#pragma unroll
    for (int i = 0; i < WIDTH; i++)
      sum[i] = METRIC == GV_EUCLIDEAN ? values[scan.dim * WIDTH + i] : 0.0F;
#pragma unroll 4
    for (int32_t d = 0; d < scan.dim; d++) {
      float q = scan.query[d * scan.query_stride + query];
#pragma unroll
      for (int i = 0; i < WIDTH; i++)
        sum[i] = gv_step<METRIC>(sum[i], q, values[d * WIDTH + i]);
    }
#pragma unroll
    for (int i = 0; i < WIDTH; i++)
      least = fminf(least, sum[i]);
    scan.minima[query * scan.row + first_block + b] = least;
  }
}

template <int METRIC>
static cudaError_t pass_side_by_side(gv_cuda_queue *queue, const gv_scan *scan, int64_t first_block,
                                     int blocks) {
  unsigned grid = (unsigned)gv_ceil_div(scan->queries, THREADS);
  if (constant_side_of(scan->dim) == SIDE) {
    minima_side_by_side<METRIC, SIDE><<<grid, THREADS, 0, queue->stream>>>(*scan, first_block, blocks);
  } else {
    minima_side_by_side<METRIC, SIDE_HIGH><<<grid, THREADS, 0, queue->stream>>>(*scan, first_block, blocks);
  }
  return cudaPeekAtLastError();
}

static cudaError_t constant_fill(gv_cuda_queue *queue, const void *from, size_t bytes) {
  return cudaMemcpyToSymbolAsync(constant, from, bytes, 0, cudaMemcpyDeviceToDevice, queue->stream);
}

static gv_status search_side_by_side(gv_context *context, gv_cuda_queue *queue, const gv_scan *scan) {
  gv_status status = GV_OK;
  int side = constant_side_of(scan->dim), block_floats = (scan->dim + 1) * side,
      at_once = CONSTANT_FLOATS / block_floats;
  float *blocks = NULL;
  status =
      gv_cuda_reserve(context, queue, GV_SLOT_OWN,
                      (size_t)(scan->padded / side) * (size_t)block_floats * sizeof(float), (void **)&blocks);
  if (status != GV_OK) return status;
  lay_side_by_side<<<(unsigned)(scan->padded / 256), 256, 0, queue->stream>>>(*scan, side, blocks);
  GV_CUDA_LAUNCHED(context, "laying out points");
  for (int64_t first = 0; first < scan->groups.count; first += at_once) {
    int count = (int)(scan->groups.count - first < at_once ? scan->groups.count - first : at_once);
    GV_CUDA_TRY(context,
                constant_fill(queue, blocks + first * block_floats,
                              (size_t)count * (size_t)block_floats * sizeof(float)),
                "filling constant memory");
    GV_CUDA_TRY(context, GV_FOR_METRIC(scan->metric, pass_side_by_side, queue, scan, first, count),
                "searching in constant memory");
  }

done:
  return status;
}

/* ------------------------------------------------------------------------------- points, three dimensions */

enum { QUERIES = 4 };

template <int METRIC>
static cudaError_t pass_quads(gv_cuda_queue *queue, const gv_scan *scan, int64_t begin, int64_t end) {
  unsigned grid = (unsigned)gv_ceil_div(scan->queries, QUERIES * GV_BY_QUERY_THREADS);
  gv_minima_by_query<METRIC, QUERIES>
      <<<grid, GV_BY_QUERY_THREADS, 0, queue->stream>>>(*scan, constant_quads(), begin, end, CONSTANT_QUADS);
  return cudaPeekAtLastError();
}

static gv_status search_quads(gv_context *context, gv_cuda_queue *queue, const gv_scan *scan) {
  gv_status status = GV_OK;
  int64_t end = gv_scanned(scan);
  for (int64_t first = 0; first < end; first += CONSTANT_QUADS) {
    int64_t last = first + CONSTANT_QUADS < end ? first + CONSTANT_QUADS : end;
    GV_CUDA_TRY(
        context,
        constant_fill(queue, (const float4 *)scan->values + first, (size_t)(last - first) * sizeof(float4)),
        "filling constant memory");
    GV_CUDA_TRY(context, GV_FOR_METRIC(scan->metric, pass_quads, queue, scan, first, last),
                "searching in constant memory");
  }

done:
  return status;
}

/* ------------------------------------------------------------------------------------------------ queries */

static __global__ void lay_queries(gv_scan scan, int depth, float4 *out) {
  int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, query_tile = at / depth;
  int32_t d = (int32_t)(at - query_tile * depth);
  if (4 * query_tile >= scan.queries) return;
  out[at] = d < scan.dim ? *(const float4 *)(scan.query + d * scan.query_stride + 4 * query_tile)
                         : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
}

template <int METRIC> static cudaError_t pass_queries(gv_cuda_queue *queue, const gv_scan *scan, int depth) {
  int64_t query_tiles = gv_ceil_div(scan->queries, GV_BY_POINT_QUERIES),
          units = gv_ceil_div(scan->groups.count / 32, 8);
  int64_t parts = gv_split(queue, query_tiles, units, 8), share = gv_ceil_div(units, parts) * 8;
  dim3 grid((unsigned)query_tiles, (unsigned)parts);
  constant_queries queries = {depth};
  if (scan->dim <= 3) {
    gv_minima_by_point<METRIC, true>
        <<<grid, GV_BY_POINT_THREADS, 0, queue->stream>>>(*scan, gv_from_quads(), queries, share);
  } else {
    gv_minima_by_point<METRIC, false>
        <<<grid, GV_BY_POINT_THREADS, 0, queue->stream>>>(*scan, gv_from_columns(), queries, share);
  }
  return cudaPeekAtLastError();
}

static gv_status search_queries(gv_context *context, gv_cuda_queue *queue, const gv_scan *scan) {
  gv_status status = GV_OK;
  int depth = (int)gv_ceil_div(scan->dim, 4) * 4, query_tiles_at_once = CONSTANT_QUADS / depth;
  int64_t query_tiles = gv_ceil_div(scan->queries, GV_BY_POINT_QUERIES);
  float4 *laid = NULL;
  status = gv_cuda_reserve(context, queue, GV_SLOT_OWN, (size_t)(query_tiles * depth) * sizeof *laid,
                           (void **)&laid);
  if (status != GV_OK) return status;
  lay_queries<<<(unsigned)gv_ceil_div(query_tiles * depth, 256), 256, 0, queue->stream>>>(*scan, depth, laid);
  GV_CUDA_LAUNCHED(context, "laying out queries");
  for (int64_t first = 0; first < query_tiles; first += query_tiles_at_once) {
    gv_scan part = *scan;
    int64_t count = query_tiles - first < query_tiles_at_once ? query_tiles - first : query_tiles_at_once;
    part.queries = scan->queries - first * GV_BY_POINT_QUERIES;
    if (part.queries > count * GV_BY_POINT_QUERIES) part.queries = count * GV_BY_POINT_QUERIES;
    part.minima = scan->minima + first * GV_BY_POINT_QUERIES * scan->row;
    GV_CUDA_TRY(context, constant_fill(queue, laid + first * depth, (size_t)(count * depth) * sizeof *laid),
                "filling constant memory");
    GV_CUDA_TRY(context, GV_FOR_METRIC(scan->metric, pass_queries, queue, &part, depth),
                "searching in constant memory");
  }

done:
  return status;
}

static gv_status constant_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *,
                                 const gv_scan *scan, const gv_brute_sizes *sizes) {
  (void)pthread_mutex_lock(&turn);
  gv_status status = !points_in_constant(sizes) ? search_queries(context, queue, scan)
                     : scan->dim <= 3           ? search_quads(context, queue, scan)
                                                : search_side_by_side(context, queue, scan);
  cudaError_t error = cudaStreamSynchronize(queue->stream);
  (void)pthread_mutex_unlock(&turn);
  return status != GV_OK ? status : gv_cuda_result(context, error, "searching in constant memory");
}

static const gv_brute_method method = {
    constant_layout, constant_shape, constant_filter, NULL, NULL, NULL, NULL};

static gv_status constant_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_constant = {gv_cuda_probe_device, constant_build, gv_brute_search,
                                                  gv_brute_forget};
