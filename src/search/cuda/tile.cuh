/*
 * The kernel for many dimensions: the inner loop of a matrix product. A block has a tile of 16 Q queries and walks
 * through tiles of 16 S points; eight dimensions at a time of both pass through shared memory, the next eight being read
 * while these are used; a thread has Q x S pairs in registers, so that Q + S values read from shared memory serve Q S
 * multiply-adds. Needs GV_COLUMNS.
 */
#ifndef GV_CUDA_TILE_CUH
#define GV_CUDA_TILE_CUH

#include "search/cuda/brute.cuh"

enum { GV_TILE_THREADS = 256, GV_TILE_DEPTH = 8, GV_TILE_LANES = 16, GV_TILE_PIECE = 4 };

/* Four components by a compile-time number. */
static __device__ __forceinline__ float gv_part(const float4 &v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/* WHOLE: every filter value goes to the row (groups of one point). Otherwise a group is what one thread sees of `steps`
 * pieces of four points, 64 points apart. */
template <int METRIC, int Q, int S, bool WHOLE>
static __global__ void __launch_bounds__(GV_TILE_THREADS, 2)
    gv_minima_by_tile(gv_scan scan, int64_t end, int64_t span) {
  constexpr int QUADS_Q = 4 * Q, QUADS_S = 4 * S, WIDTH = 16 * S;
  constexpr int LOADS_Q = (GV_TILE_DEPTH * QUADS_Q + GV_TILE_THREADS - 1) / GV_TILE_THREADS;
  constexpr int LOADS_S = (GV_TILE_DEPTH * QUADS_S + GV_TILE_THREADS - 1) / GV_TILE_THREADS;
  __shared__ float4 queries[2][GV_TILE_DEPTH][QUADS_Q], points[2][GV_TILE_DEPTH][QUADS_S];
  int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
  int64_t tile = (int64_t)blockIdx.x * 16 * Q, from = (int64_t)blockIdx.y * span;
  int64_t to = from + span < end ? from + span : end;
  int chunks = (scan.dim + GV_TILE_DEPTH - 1) / GV_TILE_DEPTH, pieces = 0;
  int64_t group = WHOLE ? 0 : from / (64 * scan.groups.steps) * 16 + tx;
  if (from >= to) return;

  float4 next_q[LOADS_Q], next_s[LOADS_S];
  auto fetch = [&](int64_t base, int chunk) {
#pragma unroll
    for (int l = 0; l < LOADS_Q; l++) {
      int at = (int)threadIdx.x + l * GV_TILE_THREADS, d = chunk * GV_TILE_DEPTH + at / QUADS_Q;
      next_q[l] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
      if (at < GV_TILE_DEPTH * QUADS_Q && d < scan.dim) {
        next_q[l] = *(const float4 *)(scan.query + d * scan.query_stride + tile + 4 * (at % QUADS_Q));
      }
    }
#pragma unroll
    for (int l = 0; l < LOADS_S; l++) {
      int at = (int)threadIdx.x + l * GV_TILE_THREADS, d = chunk * GV_TILE_DEPTH + at / QUADS_S;
      next_s[l] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
      if (at < GV_TILE_DEPTH * QUADS_S && d < scan.dim) {
        next_s[l] = *(const float4 *)(scan.values + d * scan.dim_stride + base + 4 * (at % QUADS_S));
      }
    }
  };
  auto put = [&](int half) {
#pragma unroll
    for (int l = 0; l < LOADS_Q; l++) {
      int at = (int)threadIdx.x + l * GV_TILE_THREADS;
      if (at < GV_TILE_DEPTH * QUADS_Q) queries[half][at / QUADS_Q][at % QUADS_Q] = next_q[l];
    }
#pragma unroll
    for (int l = 0; l < LOADS_S; l++) {
      int at = (int)threadIdx.x + l * GV_TILE_THREADS;
      if (at < GV_TILE_DEPTH * QUADS_S) points[half][at / QUADS_S][at % QUADS_S] = next_s[l];
    }
  };

  float sum[Q][S], least[Q];
#pragma unroll
  for (int i = 0; i < Q; i++) {
    least[i] = INFINITY;
#pragma unroll
    for (int j = 0; j < S; j++)
      sum[i][j] = 0.0F;
  }
  fetch(from, 0);
  put(0);
  __syncthreads();
  int half = 0;
  for (int64_t base = from; base < to; base += WIDTH) {
    for (int chunk = 0; chunk < chunks; chunk++) {
      bool last_chunk = chunk + 1 == chunks, more = !last_chunk || base + WIDTH < to;
      if (more) fetch(last_chunk ? base + WIDTH : base, last_chunk ? 0 : chunk + 1);
      int depth = scan.dim - chunk * GV_TILE_DEPTH;
      for (int four = 0; four < GV_TILE_DEPTH && four < depth; four += 4) {
#pragma unroll
        for (int d = 0; d < 4; d++) {
          float4 q[Q / 4], s[S / 4];
#pragma unroll
          for (int i = 0; i < Q / 4; i++)
            q[i] = queries[half][four + d][i * 16 + ty];
#pragma unroll
          for (int j = 0; j < S / 4; j++)
            s[j] = points[half][four + d][j * 16 + tx];
#pragma unroll
          for (int i = 0; i < Q; i++) {
#pragma unroll
            for (int j = 0; j < S; j++)
              sum[i][j] = gv_step<METRIC>(sum[i][j], gv_part(q[i / 4], i % 4), gv_part(s[j / 4], j % 4));
          }
        }
      }
      if (last_chunk) {
        if (METRIC == GV_EUCLIDEAN) {
#pragma unroll
          for (int j = 0; j < S / 4; j++) {
            float4 h = *(const float4 *)(scan.halves + base + 64 * j + 4 * tx);
#pragma unroll
            for (int i = 0; i < Q; i++) {
#pragma unroll
              for (int c = 0; c < 4; c++)
                sum[i][4 * j + c] = __fadd_rn(sum[i][4 * j + c], gv_part(h, c));
            }
          }
        }
        pieces += S / 4;
        bool full = !WHOLE && (pieces == scan.groups.steps || base + WIDTH >= to);
#pragma unroll
        for (int i = 0; i < Q; i++) {
          int64_t query = tile + 64 * (i / 4) + 4 * ty + i % 4;
          bool there = query < scan.queries;
#pragma unroll
          for (int j = 0; j < S; j++)
            least[i] = fminf(least[i], sum[i][j]);
          if (full && there) scan.minima[query * scan.row + group] = least[i];
          if (full) least[i] = INFINITY;
          if (WHOLE && there) {
#pragma unroll
            for (int j = 0; j < S / 4; j++) {
              int64_t at = base + 64 * j + 4 * tx;
              if (at < scan.row) {
                *(float4 *)(scan.minima + query * scan.row + at) =
                    make_float4(sum[i][4 * j], sum[i][4 * j + 1], sum[i][4 * j + 2], sum[i][4 * j + 3]);
              }
            }
          }
#pragma unroll
          for (int j = 0; j < S; j++)
            sum[i][j] = 0.0F;
        }
        if (full) {
          group += 16;
          pieces = 0;
        }
      }
      if (more) put(half ^ 1);
      __syncthreads();
      half ^= 1;
    }
  }
}

template <int METRIC, int Q, int S, bool WHOLE>
static cudaError_t gv_launch_tile(gv_cuda_lane *lane, const gv_scan *scan) {
  int64_t tiles = gv_ceil_div(scan->queries, 16 * Q), unit = 16 * S;
  if (!WHOLE && 64LL * scan->groups.steps > unit) unit = 64LL * scan->groups.steps;
  int64_t units = gv_ceil_div(scan->count, unit), parts = gv_split(lane, tiles, units, 6);
  int64_t span = gv_ceil_div(units, parts) * unit, end = gv_ceil_div(scan->count, 16 * S) * (16 * S);
  dim3 grid((unsigned)tiles, (unsigned)parts);
  gv_minima_by_tile<METRIC, Q, S, WHOLE><<<grid, GV_TILE_THREADS, 0, lane->stream>>>(*scan, end, span);
  return cudaPeekAtLastError();
}

/* Groups of at least 4 S points, so that a tile's worth belongs to one group. */
static inline gv_group_shape gv_shape_by_tile(int s) {
  return {GV_TILE_PIECE, GV_TILE_LANES, s / 4, 256, 0};
}

#endif
