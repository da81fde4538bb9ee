/*
 * Shared by all brute-force kernels: layout of points, queries and groups in device memory, and one step of
 * each metric in float.
 *
 * A filter kernel computes the filter value of every pair (see brute.cu) and writes the smallest value of
 * each group of reference points to a row for each query. The decision (brute.cu) then reads the few groups
 * that can hold a neighbor again. So backends differ only in where coordinates are read from and in the work
 * of a thread.
 */
#ifndef GV_CUDA_SCAN_CUH
#define GV_CUDA_SCAN_CUH

#include "exact/canonical.h"
#include "search/backend.h"
#include "search/cuda/runtime.h"

enum {
  GV_SCAN_PAD = 1024, /* the arrays of reference points are filled up to a multiple of this many */
  GV_QUERY_PAD = 128  /* and those of queries */
};

/*
 * Groups of reference points. Threads that walk through the points side by side have interleaved groups:
 * group g is lane g % lanes of block g / lanes; a block takes `steps` steps, in each of which a lane has
 * `piece` points side by side.
 */
typedef struct gv_groups {
  int64_t count;
  int32_t piece, lanes, steps;
} gv_groups;

static __host__ __device__ __forceinline__ int32_t gv_group_size(const gv_groups &g) {
  return g.piece * g.steps;
}

/* The metric of the filter values. Those of products of vectors are euclidean ones with 0 for half the
 * squared length: -q.s (search/float_filter.h). */
static constexpr __host__ __device__ gv_metric gv_filter_metric(gv_metric metric) {
  return metric == GV_COSINE || metric == GV_INNER_PRODUCT ? GV_EUCLIDEAN : metric;
}

/* Arguments of a filter kernel; passed by value. */
typedef struct gv_scan {
  gv_metric metric; /* gv_filter_metric */
  int32_t dim;
  int64_t count, padded; /* reference points, without and with those that only fill up */
  const float *values;   /* coordinate d of point i: values[i * point_stride + d * dim_stride] */
  int64_t point_stride, dim_stride;
  const float *halves; /* euclidean: half the squared length (products: 0), infinite for filling; of point i
                          at [i * half_stride] */
  int64_t half_stride;
  int64_t queries, query_stride;
  const float *query; /* coordinate d of query q: query[d * query_stride + q]; euclidean: negated */
  /* the same by rows, a multiple of 4 floats a query, zeros after the last dimension */
  const float *query_rows;
  float *minima; /* of query q: minima[q * row ...], one for each group; 16-byte aligned */
  int64_t row;   /* a multiple of 4 */
  gv_groups groups;
} gv_scan;

/* Adds one dimension to a filter value. For euclidean `q` is the negated coordinate, and the sum starts with
 * half the squared length of the point. */
template <int METRIC> static __device__ __forceinline__ float gv_step(float sum, float q, float s) {
  if (METRIC == GV_EUCLIDEAN) return __fmaf_rn(q, s, sum);
  float gap = fabsf(__fsub_rn(q, s));
  return METRIC == GV_MANHATTAN ? __fadd_rn(sum, gap) : fmaxf(sum, gap);
}

/* The filter value of one pair, for any layout of the point's coordinates; `query` holds the query's own dim
 * values. */
template <int METRIC>
static __device__ __forceinline__ float gv_filter_value(const gv_scan &scan, const float *query,
                                                        int64_t point) {
  const float *at = scan.values + point * scan.point_stride;
  float sum = METRIC == GV_EUCLIDEAN ? scan.halves[point * scan.half_stride] : 0.0F;
#pragma unroll 4
  for (int32_t d = 0; d < scan.dim; d++)
    sum = gv_step<METRIC>(sum, query[d], at[d * scan.dim_stride]);
  return sum;
}

/* Calls `function<METRIC>` for the metric of a scan. */
#define GV_FOR_METRIC(metric, function, ...)                                                                 \
  ((metric) == GV_EUCLIDEAN   ? function<GV_EUCLIDEAN>(__VA_ARGS__)                                          \
   : (metric) == GV_MANHATTAN ? function<GV_MANHATTAN>(__VA_ARGS__)                                          \
                              : function<GV_CHEBYSHEV>(__VA_ARGS__))

static inline int64_t gv_ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/* Parts to cut `units` of work into so that, with `query_tiles` blocks for each part, the device is full. */
static inline int64_t gv_split(const gv_cuda_queue *queue, int64_t query_tiles, int64_t units,
                               int blocks_a_processor) {
  int64_t wanted = gv_ceil_div((int64_t)queue->multiprocessors * blocks_a_processor, query_tiles);
  int64_t parts = wanted < units ? wanted : units;
  if (parts > 65535) parts = 65535;
  int64_t size = gv_ceil_div(units, parts < 1 ? 1 : parts);
  return gv_ceil_div(units, size);
}

#endif
