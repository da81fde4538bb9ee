/*
 * The kernel for many dimensions: the inner loop of a matrix product. A block has a matrix tile: 16 Q queries
 * and walks through 16 S points at a time; eight dimensions at a time of both pass through shared memory, the
 * next eight being read while these are used; a thread has Q x S pairs in registers, so that Q + S values
 * read from shared memory serve Q S multiply-adds. Needs GV_COLUMNS.
 */
#ifndef GV_MATRIX_TILE_CUH
#define GV_MATRIX_TILE_CUH

#include "search/cuda/brute.cuh"

enum { GV_MATRIX_TILE_THREADS = 256, GV_TILE_DEPTH = 8, GV_TILE_LANES = 16, GV_TILE_PIECE = 4 };

/* Four components by a compile-time number. */
static __device__ __forceinline__ float gv_part(const float4 &v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/* One dimension of all of a thread's pairs. */
template <int METRIC, int Q, int S>
static __device__ __forceinline__ void gv_tile_multiply(const float4 (&queries)[4 * Q],
                                                        const float4 (&points)[4 * S], int tx, int ty,
                                                        float (&sum)[Q][S]) {
  float4 q[Q / 4], s[S / 4];
#pragma unroll
  for (int i = 0; i < Q / 4; i++)
    q[i] = queries[i * 16 + ty];
#pragma unroll
  for (int j = 0; j < S / 4; j++)
    s[j] = points[j * 16 + tx];
#pragma unroll
  for (int i = 0; i < Q; i++) {
#pragma unroll
    for (int j = 0; j < S; j++)
      sum[i][j] = gv_step<METRIC>(sum[i][j], gv_part(q[i / 4], i % 4), gv_part(s[j / 4], j % 4));
  }
}

/* Half the squared lengths of a matrix tile's points, from `base` on. */
template <int Q, int S>
static __device__ __forceinline__ void gv_tile_add_halves(const gv_scan &scan, int64_t base, int tx,
                                                          float (&sum)[Q][S]) {
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

/* Writes the values of one query and a matrix tile's points to its row. */
template <int S>
static __device__ __forceinline__ void gv_tile_write(const gv_scan &scan, int64_t query, int64_t base, int tx,
                                                     const float (&sum)[S]) {
#pragma unroll
  for (int j = 0; j < S / 4; j++) {
    const int64_t at = base + 64 * j + 4 * tx;
    if (query < scan.queries && at < scan.row) {
      *(float4 *)(scan.minima + query * scan.row + at) =
          make_float4(sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]);
    }
  }
}

/* WHOLE: every filter value goes to the row (groups of one point). Otherwise a group is the part of one
 * thread of `steps` pieces of four points, 64 points apart. */
template <int METRIC, int Q, int S, bool WHOLE>
static __global__ void __launch_bounds__(GV_MATRIX_TILE_THREADS, 2)
    gv_minima_by_matrix_tile(gv_scan scan, int64_t end, int64_t share) {
  constexpr int QUADS_Q = 4 * Q, QUADS_S = 4 * S, WIDTH = 16 * S, DEPTH = GV_TILE_DEPTH;
  constexpr bool ALL_LOAD_Q = DEPTH * QUADS_Q == GV_MATRIX_TILE_THREADS,
                 ALL_LOAD_S = DEPTH * QUADS_S == GV_MATRIX_TILE_THREADS;
  static_assert(DEPTH * QUADS_Q <= GV_MATRIX_TILE_THREADS && DEPTH * QUADS_S <= GV_MATRIX_TILE_THREADS,
                "one load a thread");
  __shared__ float4 queries[2][DEPTH][QUADS_Q], points[2][DEPTH][QUADS_S];
  __shared__ float least[WHOLE ? 1 : Q][GV_MATRIX_TILE_THREADS]; /* each thread's own; registers are short */
  const int me = (int)threadIdx.x, tx = me % 16, ty = me / 16;
  const int64_t query_tile = (int64_t)blockIdx.x * 16 * Q, from = (int64_t)blockIdx.y * share;
  const int64_t to = from + share < end ? from + share : end;
  if (from >= to) return;
  const int chunks = (scan.dim + DEPTH - 1) / DEPTH;

  /* Data that this thread loads into shared memory: four queries and four points in one of the eight
   * dimensions. */
  const int load_q = me / QUADS_Q, load_s = me / QUADS_S;
  const float *query_at = scan.query + load_q * scan.query_stride + query_tile + 4 * (me % QUADS_Q);
  const float *point_at = scan.values + load_s * scan.dim_stride + from + 4 * (me % QUADS_S);
  const int64_t query_step = DEPTH * scan.query_stride, point_step = DEPTH * scan.dim_stride;
  const float4 zero = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
  float4 next_q = zero, next_s = zero;

  float sum[Q][S];
#pragma unroll
  for (int i = 0; i < Q; i++) {
    if (!WHOLE) least[i][me] = INFINITY;
#pragma unroll
    for (int j = 0; j < S; j++)
      sum[i][j] = 0.0F;
  }
  if (load_q < scan.dim && (ALL_LOAD_Q || load_q < DEPTH)) next_q = *(const float4 *)query_at;
  if (load_s < scan.dim && (ALL_LOAD_S || load_s < DEPTH)) next_s = *(const float4 *)point_at;
  if (ALL_LOAD_Q || load_q < DEPTH) queries[0][load_q][me % QUADS_Q] = next_q;
  if (ALL_LOAD_S || load_s < DEPTH) points[0][load_s][me % QUADS_S] = next_s;
  __syncthreads();

  int half = 0, pieces = 0;
  int64_t group = WHOLE ? 0 : from / (64 * scan.groups.steps) * 16 + tx;
  for (int64_t base = from; base < to; base += WIDTH) {
    for (int chunk = 0; chunk < chunks; chunk++) {
      const bool last_chunk = chunk + 1 == chunks, more = !last_chunk || base + WIDTH < to;
      if (last_chunk) {
        query_at -= chunk * query_step;
        point_at += WIDTH - chunk * point_step;
      } else {
        query_at += query_step;
        point_at += point_step;
      }
      if (more) {
        const int d = last_chunk ? 0 : (chunk + 1) * DEPTH;
        next_q = next_s = zero;
        if (d + load_q < scan.dim && (ALL_LOAD_Q || load_q < DEPTH)) next_q = *(const float4 *)query_at;
        if (d + load_s < scan.dim && (ALL_LOAD_S || load_s < DEPTH)) next_s = *(const float4 *)point_at;
      }
      /* Dimensions beyond the last one are zeros; four zeros are skipped. */
#pragma unroll
      for (int d = 0; d < DEPTH / 2; d++)
        gv_tile_multiply<METRIC>(queries[half][d], points[half][d], tx, ty, sum);
      if (scan.dim - chunk * DEPTH > DEPTH / 2) {
#pragma unroll
        for (int d = DEPTH / 2; d < DEPTH; d++)
          gv_tile_multiply<METRIC>(queries[half][d], points[half][d], tx, ty, sum);
      }
      if (last_chunk) {
        if (METRIC == GV_EUCLIDEAN) gv_tile_add_halves(scan, base, tx, sum);
        pieces += S / 4;
        const bool full = !WHOLE && (pieces == scan.groups.steps || base + WIDTH >= to);
#pragma unroll
        for (int i = 0; i < Q; i++) {
          const int64_t query = query_tile + 64 * (i / 4) + 4 * ty + i % 4;
          if (WHOLE) {
            gv_tile_write(scan, query, base, tx, sum[i]);
          } else {
            float x = least[i][me];
#pragma unroll
            for (int j = 0; j < S; j++)
              x = fminf(x, sum[i][j]);
            if (full && query < scan.queries) scan.minima[query * scan.row + group] = x;
            least[i][me] = full ? INFINITY : x;
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
      half ^= 1;
      if (more) {
        if (ALL_LOAD_Q || load_q < DEPTH) queries[half][load_q][me % QUADS_Q] = next_q;
        if (ALL_LOAD_S || load_s < DEPTH) points[half][load_s][me % QUADS_S] = next_s;
      }
      __syncthreads();
    }
  }
}

template <int METRIC, int Q, int S, bool WHOLE>
static cudaError_t gv_launch_tile(gv_cuda_queue *queue, const gv_scan *scan) {
  int64_t query_tiles = gv_ceil_div(scan->queries, 16 * Q), unit = 16 * S;
  if (!WHOLE && 64LL * scan->groups.steps > unit) unit = 64LL * scan->groups.steps;
  int64_t units = gv_ceil_div(scan->count, unit), parts = gv_split(queue, query_tiles, units, 6);
  int64_t share = gv_ceil_div(units, parts) * unit, end = gv_ceil_div(scan->count, 16 * S) * (16 * S);
  dim3 grid((unsigned)query_tiles, (unsigned)parts);
  gv_minima_by_matrix_tile<METRIC, Q, S, WHOLE>
      <<<grid, GV_MATRIX_TILE_THREADS, 0, queue->stream>>>(*scan, end, share);
  return cudaPeekAtLastError();
}

/* Groups of at least 4 S points, so that a matrix tile's worth belongs to one group. */
static inline gv_group_shape gv_shape_by_tile(int s) {
  return {GV_TILE_PIECE, GV_TILE_LANES, s / 4, 256, 0};
}

#endif
