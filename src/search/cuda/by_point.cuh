/*
 * Kernels in which a thread owns points: the lanes of a warp read 128 points side by side and compare each
 * with the same four queries. The points of a lane in `steps` such steps are a group. Any dimension.
 *
 * Where coordinates come from is the method, for points a type with
 *   enum { PIECE, IN_QUADS }         1: a lane's four points are 32 apart, 4: they are consecutive;
 *                                    whether GV_QUADS
 *   void load(scan, first, d, v)     v[j][c]: dimension d + c (0 beyond the last) of point first + lane's
 *                                    j-th place
 *   void half(scan, first, h)        half the squared length of the lane's four points
 * and for queries a type with
 *   void stage(scan, query_tile)           called by all threads of the block
 *   float4 get(d)                    dimension d of the four queries
 */
#ifndef GV_CUDA_BY_POINT_CUH
#define GV_CUDA_BY_POINT_CUH

#include "search/cuda/brute.cuh"

enum { GV_BY_POINT_THREADS = 256, GV_BY_POINT_QUERIES = 4, GV_BY_POINT_STEP = 128 };

/* Number, in a step, of a lane's j-th point. */
template <int PIECE> static __device__ __forceinline__ int gv_place(int j) {
  int lane = (int)threadIdx.x % 32;
  return PIECE == 4 ? 4 * lane + j : 32 * j + lane;
}

/* Array of structures: neighboring lanes read `dim` floats apart. */
struct gv_from_rows {
  enum { PIECE = 1, IN_QUADS = 0 };
  __device__ __forceinline__ void load(const gv_scan &scan, int64_t first, int d, float v[4][4]) const {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const float *at = scan.values + (first + gv_place<PIECE>(j)) * scan.point_stride + d;
#pragma unroll
      for (int c = 0; c < 4; c++)
        v[j][c] = d + c < scan.dim ? at[c] : 0.0F;
    }
  }
  __device__ __forceinline__ void half(const gv_scan &scan, int64_t first, float h[4]) const {
#pragma unroll
    for (int j = 0; j < 4; j++)
      h[j] = scan.halves[(first + gv_place<PIECE>(j)) * scan.half_stride];
  }
};

/* Structure of arrays: a lane reads four neighbors at once, a warp 512 bytes. */
struct gv_from_columns {
  enum { PIECE = 4, IN_QUADS = 0 };
  __device__ __forceinline__ void load(const gv_scan &scan, int64_t first, int d, float v[4][4]) const {
#pragma unroll
    for (int c = 0; c < 4; c++) {
      float4 four = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
      if (d + c < scan.dim) {
        four = *(const float4 *)(scan.values + (d + c) * scan.dim_stride + first + gv_place<PIECE>(0));
      }
      v[0][c] = four.x, v[1][c] = four.y, v[2][c] = four.z, v[3][c] = four.w;
    }
  }
  __device__ __forceinline__ void half(const gv_scan &scan, int64_t first, float h[4]) const {
    float4 four = *(const float4 *)(scan.halves + first + gv_place<PIECE>(0));
    h[0] = four.x, h[1] = four.y, h[2] = four.z, h[3] = four.w;
  }
};

/* Sixteen bytes a point, at most three dimensions: v[j][3] is half the squared length. */
struct gv_from_quads {
  enum { PIECE = 1, IN_QUADS = 1 };
  __device__ __forceinline__ void load(const gv_scan &scan, int64_t first, int d, float v[4][4]) const {
    (void)d;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float4 four = ((const float4 *)scan.values)[first + gv_place<PIECE>(j)];
      v[j][0] = four.x, v[j][1] = four.y, v[j][2] = four.z, v[j][3] = four.w;
    }
  }
  __device__ __forceinline__ void half(const gv_scan &, int64_t, float[4]) const {}
};

/* Four queries in shared memory. */
struct gv_shared_queries {
  static __device__ __forceinline__ float4 *memory() {
    extern __shared__ float4 gv_by_point_memory[];
    return gv_by_point_memory;
  }
  __device__ __forceinline__ void stage(const gv_scan &scan, int64_t query_tile) const {
    int64_t first = query_tile * GV_BY_POINT_QUERIES;
    for (int d = (int)threadIdx.x; d < (scan.dim + 3) / 4 * 4; d += GV_BY_POINT_THREADS) {
      memory()[d] = d < scan.dim ? *(const float4 *)(scan.query + d * scan.query_stride + first)
                                 : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    }
    __syncthreads();
  }
  __device__ __forceinline__ float4 get(int d) const { return memory()[d]; }
};

/* LOW: at most three dimensions, queries in registers. Block (x, y): query tile x, four of them, against the
 * blocks of groups [y * share, (y + 1) * share), dealt out to its warps. */
template <int METRIC, bool LOW, class POINTS, class QUERIES>
static __global__ void __launch_bounds__(GV_BY_POINT_THREADS, LOW ? 3 : 2)
    gv_minima_by_point(gv_scan scan, POINTS points, QUERIES queries, int64_t share) {
  constexpr bool QUADS = LOW && POINTS::IN_QUADS;
  queries.stage(scan, blockIdx.x);
  float4 low[3];
  if (LOW) {
#pragma unroll
    for (int d = 0; d < 3; d++)
      low[d] = d < scan.dim ? queries.get(d) : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  }
  int64_t blocks = scan.groups.count / 32, end = (int64_t)(blockIdx.y + 1) * share;
  if (end > blocks) end = blocks;
  int lane = (int)threadIdx.x % 32;
  int64_t query = (int64_t)blockIdx.x * GV_BY_POINT_QUERIES;
  int steps = scan.groups.piece * scan.groups.steps / 4; /* of 128 points */
  for (int64_t block = blockIdx.y * share + threadIdx.x / 32; block < end;
       block += GV_BY_POINT_THREADS / 32) {
    float4 least = make_float4(INFINITY, INFINITY, INFINITY, INFINITY);
    int64_t first = block * steps * GV_BY_POINT_STEP;
    int64_t last = first + (int64_t)steps * GV_BY_POINT_STEP;
    if (last > scan.padded) last = scan.padded;
#pragma unroll(LOW ? 2 : 1)
    for (; first < last; first += GV_BY_POINT_STEP) {
      float4 sum[4];
      float h[4] = {0.0F, 0.0F, 0.0F, 0.0F};
      if (LOW) {
        float v[4][4];
        points.load(scan, first, 0, v);
        if (METRIC == GV_EUCLIDEAN && !QUADS) points.half(scan, first, h);
#pragma unroll
        for (int j = 0; j < 4; j++) {
          float start = METRIC != GV_EUCLIDEAN ? 0.0F : QUADS ? v[j][3] : h[j];
          sum[j] = make_float4(start, start, start, start);
#pragma unroll
          for (int d = 0; d < 3; d++) {
            sum[j].x = gv_step<METRIC>(sum[j].x, low[d].x, v[j][d]);
            sum[j].y = gv_step<METRIC>(sum[j].y, low[d].y, v[j][d]);
            sum[j].z = gv_step<METRIC>(sum[j].z, low[d].z, v[j][d]);
            sum[j].w = gv_step<METRIC>(sum[j].w, low[d].w, v[j][d]);
          }
        }
      } else {
        if (METRIC == GV_EUCLIDEAN) points.half(scan, first, h);
#pragma unroll
        for (int j = 0; j < 4; j++)
          sum[j] = make_float4(h[j], h[j], h[j], h[j]);
#pragma unroll 2
        for (int d = 0; d < scan.dim; d += 4) {
          float v[4][4];
          points.load(scan, first, d, v);
#pragma unroll
          for (int c = 0; c < 4; c++) {
            float4 q = queries.get(d + c);
#pragma unroll
            for (int j = 0; j < 4; j++) {
              sum[j].x = gv_step<METRIC>(sum[j].x, q.x, v[j][c]);
              sum[j].y = gv_step<METRIC>(sum[j].y, q.y, v[j][c]);
              sum[j].z = gv_step<METRIC>(sum[j].z, q.z, v[j][c]);
              sum[j].w = gv_step<METRIC>(sum[j].w, q.w, v[j][c]);
            }
          }
        }
      }
#pragma unroll
      for (int j = 0; j < 4; j++) {
        least.x = fminf(least.x, sum[j].x);
        least.y = fminf(least.y, sum[j].y);
        least.z = fminf(least.z, sum[j].z);
        least.w = fminf(least.w, sum[j].w);
      }
    }
    float *out = scan.minima + query * scan.row + block * 32 + lane;
    if (query < scan.queries) out[0] = least.x;
    if (query + 1 < scan.queries) out[scan.row] = least.y;
    if (query + 2 < scan.queries) out[2 * scan.row] = least.z;
    if (query + 3 < scan.queries) out[3 * scan.row] = least.w;
  }
}

/* `blocks_min`: blocks of groups that the device needs to be busy. */
template <class POINTS> static inline gv_group_shape gv_shape_by_point(int64_t blocks_min) {
  return {POINTS::PIECE, 32, 4 / POINTS::PIECE, 1024 / POINTS::PIECE, blocks_min};
}

/* `split`: whether several blocks share the points of a query tile. */
template <int METRIC, class POINTS>
static cudaError_t gv_launch_by_point(gv_cuda_queue *queue, const gv_scan *scan, POINTS points, bool split) {
  int64_t query_tiles = gv_ceil_div(scan->queries, GV_BY_POINT_QUERIES),
          units = gv_ceil_div(scan->groups.count / 32, 8);
  int64_t parts = split ? gv_split(queue, query_tiles, units, 8) : 1, share = gv_ceil_div(units, parts) * 8;
  size_t bytes = (size_t)gv_ceil_div(scan->dim, 4) * 4 * sizeof(float4);
  dim3 grid((unsigned)query_tiles, (unsigned)parts);
  if (scan->dim <= 3) {
    gv_minima_by_point<METRIC, true>
        <<<grid, GV_BY_POINT_THREADS, bytes, queue->stream>>>(*scan, points, gv_shared_queries(), share);
  } else {
    auto kernel = gv_minima_by_point<METRIC, false, POINTS, gv_shared_queries>;
    if (bytes > 48 << 10) {
      cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
      if (error != cudaSuccess) return error;
    }
    kernel<<<grid, GV_BY_POINT_THREADS, bytes, queue->stream>>>(*scan, points, gv_shared_queries(), share);
  }
  return cudaPeekAtLastError();
}

#endif
