/*
 * Kernels in which a thread owns queries, in registers, and walks through the points; all threads of a
 * block read the same point at the same time, so it is loaded once. Up to three dimensions (GV_QUADS).
 *
 * Where the points come from is the method: a type with
 *   void stage(scan, first, count)   called by all threads: makes points first ... first + count - 1 readable
 *   float4 get(i)                    the i-th of them
 *   enum { STAGE }                   how many at once, a multiple of 1024
 */
#ifndef GV_CUDA_BY_QUERY_CUH
#define GV_CUDA_BY_QUERY_CUH

#include "search/cuda/brute.cuh"

enum { GV_BY_QUERY_THREADS = 128, GV_BY_QUERY_GROUP_MAX = 256 };

template <int METRIC>
static __device__ __forceinline__ float gv_quad_value(float x, float y, float z, const float4 &p) {
  float sum = METRIC == GV_EUCLIDEAN ? p.w : 0.0F;
  return gv_step<METRIC>(gv_step<METRIC>(gv_step<METRIC>(sum, z, p.z), y, p.y), x, p.x);
}

/* Coordinates of the queries that thread t of a block has: number first + j * threads + t for j < QUERIES. */
template <int QUERIES>
static __device__ __forceinline__ int64_t gv_load_queries(const gv_scan &scan, int64_t query_tile, float *x,
                                                          float *y, float *z) {
  int64_t first = query_tile * (QUERIES * GV_BY_QUERY_THREADS) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < QUERIES; j++) {
    int64_t q = first + j * GV_BY_QUERY_THREADS;
    float4 row = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    if (q < scan.queries) row = ((const float4 *)scan.query_rows)[q];
    x[j] = row.x, y[j] = row.y, z[j] = row.z;
  }
  return first;
}

/* Minima of groups of consecutive points. Block (x, y): query tile x against points [y * share, (y + 1) *
 * share). */
template <int METRIC, int QUERIES, class SOURCE>
static __global__ void __launch_bounds__(GV_BY_QUERY_THREADS)
    gv_minima_by_query(gv_scan scan, SOURCE source, int64_t begin, int64_t end, int64_t share) {
  float x[QUERIES], y[QUERIES], z[QUERIES];
  int64_t first = gv_load_queries<QUERIES>(scan, blockIdx.x, x, y, z);
  int size = gv_group_size(scan.groups);
  int64_t from = begin + (int64_t)blockIdx.y * share, to = from + share < end ? from + share : end;
  for (int64_t base = from; base < to; base += SOURCE::STAGE) {
    int count = (int)(to - base < SOURCE::STAGE ? to - base : SOURCE::STAGE);
    source.stage(scan, base, count);
    for (int four = 0; four < count; four += 4 * size) {
      float least[4][QUERIES];
#pragma unroll
      for (int g = 0; g < 4; g++) {
#pragma unroll
        for (int j = 0; j < QUERIES; j++)
          least[g][j] = INFINITY;
#pragma unroll 4
        for (int i = 0; i < size; i++) {
          float4 p = source.get(four + g * size + i);
#pragma unroll
          for (int j = 0; j < QUERIES; j++)
            least[g][j] = fminf(least[g][j], gv_quad_value<METRIC>(x[j], y[j], z[j], p));
        }
      }
#pragma unroll
      for (int j = 0; j < QUERIES; j++) {
        int64_t q = first + j * GV_BY_QUERY_THREADS;
        if (q < scan.queries) {
          *(float4 *)(scan.minima + q * scan.row + (base + four) / size) =
              make_float4(least[0][j], least[1][j], least[2][j], least[3][j]);
        }
      }
    }
  }
}

/* The best group of GV_PAIR_GROUP points for each query and the runner-up's value.
 *
 * The largest of many values is found three at a time as integers, which Hopper does in one instruction and
 * which orders floats above zero. Euclidean: -(filter value) = q.s - |s|^2 / 2 is above zero for every point
 * that is nearer than the center of the reference points; decide_pairs checks that the best one is. The other
 * metrics' values are never below zero, and the smallest is searched. */
template <int METRIC, int QUERIES, class SOURCE>
static __global__ void __launch_bounds__(GV_BY_QUERY_THREADS, QUERIES > 4 ? 4 : 8)
    gv_pair_by_query(gv_scan scan, SOURCE source, int64_t end, gv_pair out) {
  constexpr bool LARGEST = METRIC == GV_EUCLIDEAN;
  float x[QUERIES], y[QUERIES], z[QUERIES], best[QUERIES], second[QUERIES];
  int group[QUERIES];
  int64_t first = gv_load_queries<QUERIES>(scan, blockIdx.x, x, y, z);
#pragma unroll
  for (int j = 0; j < QUERIES; j++) {
    if (LARGEST) x[j] = -x[j], y[j] = -y[j], z[j] = -z[j];
    best[j] = second[j] = LARGEST ? -INFINITY : INFINITY;
    group[j] = 0;
  }
  int number = 0;
  for (int64_t base = 0; base < end; base += SOURCE::STAGE) {
    int count = (int)(end - base < SOURCE::STAGE ? end - base : SOURCE::STAGE);
    source.stage(scan, base, count);
    for (int g = 0; g < count; g += GV_PAIR_GROUP, number++) {
      int extreme[QUERIES];
#pragma unroll
      for (int j = 0; j < QUERIES; j++)
        extreme[j] = __float_as_int(LARGEST ? -INFINITY : INFINITY);
#pragma unroll
      for (int i = 0; i < GV_PAIR_GROUP; i += 2) {
        float4 p = source.get(g + i), r = source.get(g + i + 1);
        if (LARGEST) p.w = -p.w, r.w = -r.w;
#pragma unroll
        for (int j = 0; j < QUERIES; j++) {
          int a = __float_as_int(gv_quad_value<METRIC>(x[j], y[j], z[j], p));
          int b = __float_as_int(gv_quad_value<METRIC>(x[j], y[j], z[j], r));
          extreme[j] = LARGEST ? max(max(a, b), extreme[j]) : min(min(a, b), extreme[j]);
        }
      }
#pragma unroll
      for (int j = 0; j < QUERIES; j++) {
        float value = __int_as_float(extreme[j]);
        if (LARGEST) {
          group[j] = value > best[j] ? number : group[j];
          second[j] = fmaxf(second[j], fminf(best[j], value));
          best[j] = fmaxf(best[j], value);
        } else {
          group[j] = value < best[j] ? number : group[j];
          second[j] = fminf(second[j], fmaxf(best[j], value));
          best[j] = fminf(best[j], value);
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < QUERIES; j++) {
    int64_t q = first + j * GV_BY_QUERY_THREADS;
    if (q < scan.queries) {
      out.best[q] = LARGEST ? -best[j] : best[j];
      out.second[q] = LARGEST ? -second[j] : second[j];
      out.group[q] = group[j];
    }
  }
}

/* Points staged through shared memory by the block. */
struct gv_staged_quads {
  enum { STAGE = 1024 };
  static __device__ __forceinline__ float4 *memory() {
    __shared__ float4 points[STAGE];
    return points;
  }
  __device__ __forceinline__ void stage(const gv_scan &scan, int64_t first, int count) const {
    const float4 *from = (const float4 *)scan.values + first;
    __syncthreads();
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < count; i += GV_BY_QUERY_THREADS)
      memory()[i] = from[i];
    __syncthreads();
  }
  __device__ __forceinline__ float4 get(int i) const {
    return memory()[i];
  }
};

/* Shape of the groups, and points to scan: those of whole fours of groups. */
static inline gv_group_shape gv_shape_by_query(void) {
  return {1, 1, 8, GV_BY_QUERY_GROUP_MAX, 0};
}

static inline int64_t gv_scanned(const gv_scan *scan) {
  return scan->groups.count / scan->groups.lanes * scan->groups.lanes * gv_group_size(scan->groups);
}

template <int METRIC, int QUERIES>
static cudaError_t gv_launch_staged(gv_cuda_queue *queue, const gv_scan *scan) {
  int64_t query_tiles = gv_ceil_div(scan->queries, QUERIES * GV_BY_QUERY_THREADS), end = gv_scanned(scan);
  int64_t units = gv_ceil_div(end, gv_staged_quads::STAGE), parts = gv_split(queue, query_tiles, units, 16);
  int64_t share = gv_ceil_div(units, parts) * gv_staged_quads::STAGE;
  dim3 grid((unsigned)query_tiles, (unsigned)parts);
  gv_minima_by_query<METRIC, QUERIES>
      <<<grid, GV_BY_QUERY_THREADS, 0, queue->stream>>>(*scan, gv_staged_quads(), (int64_t)0, end, share);
  return cudaPeekAtLastError();
}

#endif
