/*
 * Shared by the kernels of cuda-tensor: the loop over matrix tiles, and minima from registers.
 *
 * A block walks through matrix tiles of queries x points. Sixty-four dimensions at a time of both
 * (halves.cuh) are copied to shared memory, asynchronously, several such stages ahead, across their ends. All
 * blocks work on the same points at about the same time, which are then read once from memory.
 */
#ifndef GV_CUDA_TENSOR_CUH
#define GV_CUDA_TENSOR_CUH

#include "search/cuda/brute.cuh"
#include "search/cuda/halves.cuh"

enum {
  GV_TENSOR_STEP = 16, /* dimensions of a product */
  GV_TENSOR_PIECE = 2, /* points side by side that a thread has of a product's eight, */
  GV_TENSOR_LANES = 4, /* and threads that share them */
  GV_TENSOR_STEPS_LEAST = 2,
  GV_TENSOR_STEPS_MOST = 8
};

/* Operands of a search's products. */
typedef struct gv_halves {
  const __half *points, *queries; /* slabs; whole ones */
  const float *scale;             /* of each query: what its products are multiplied by */
  int32_t depth;
} gv_halves;

/* The same for one kernel: number of matrix tiles, and distance from a block's tile to its next. */
typedef struct gv_tensor_plan {
  int64_t query_tiles, point_tiles;
  int64_t query_step, point_step;
} gv_tensor_plan;

/* Number of blocks for a search with matrix tiles of this many queries and points. */
static inline unsigned gv_tensor_blocks(const gv_cuda_queue *queue, const gv_scan *scan, int queries,
                                        int points, gv_tensor_plan *plan) {
  plan->query_tiles = gv_ceil_div(scan->queries, queries);
  plan->point_tiles = gv_ceil_div(scan->count, points);
  int64_t matrix_tiles = plan->query_tiles * plan->point_tiles;
  int64_t blocks = matrix_tiles < queue->multiprocessors ? matrix_tiles : queue->multiprocessors;
  plan->query_step = blocks % plan->query_tiles;
  plan->point_step = blocks / plan->query_tiles;
  return (unsigned)blocks;
}

/* Fills scan->minima on a device of compute capability 9.0; its products read shared memory directly. */
cudaError_t gv_tensor_hopper(gv_cuda_queue *queue, const gv_scan *scan, const gv_halves *halves);

#ifdef __CUDACC__

/* Position of a block: a point tile, in it a query tile, and in that a chunk of dimensions. */
typedef struct gv_tensor_walk {
  int64_t query, point;
  int chunk;
} gv_tensor_walk;

static __device__ __forceinline__ gv_tensor_walk gv_walk_begin(const gv_tensor_plan &plan) {
  int64_t point = blockIdx.x / plan.query_tiles;
  return {blockIdx.x - point * plan.query_tiles, point, 0};
}

static __device__ __forceinline__ void gv_walk_on(const gv_tensor_plan &plan, gv_tensor_walk &at) {
  at.chunk = 0;
  at.point += plan.point_step;
  at.query += plan.query_step;
  if (at.query >= plan.query_tiles) {
    at.query -= plan.query_tiles;
    at.point++;
  }
}

/* Of four lanes side by side each has a row of four; then each has a column. */
static __device__ __forceinline__ void gv_turn_four(float (&v)[4], int lane) {
  const unsigned ALL = 0xffffffffU;
  const bool odd = (lane & 1) != 0, high = (lane & 2) != 0;
  float a = __shfl_xor_sync(ALL, odd ? v[0] : v[1], 1), b = __shfl_xor_sync(ALL, odd ? v[2] : v[3], 1);
  v[0] = odd ? a : v[0], v[1] = odd ? v[1] : a;
  v[2] = odd ? b : v[2], v[3] = odd ? v[3] : b;
  a = __shfl_xor_sync(ALL, high ? v[0] : v[2], 2), b = __shfl_xor_sync(ALL, high ? v[1] : v[3], 2);
  v[0] = high ? a : v[0], v[1] = high ? b : v[1];
  v[2] = high ? v[2] : a, v[3] = high ? v[3] : b;
}

/*
 * Minima of a warp's M x 16 queries and N x 8 points; `halves`: half the points' squared lengths. In a
 * product's sixteen queries a thread has two, lane / 4 and that plus 8, and of the eight points two side by
 * side; of STEPS products it makes one group. If there are enough of them, four lanes exchange their values
 * of four blocks of groups, so that each writes a block: writes to the second-level cache are at least 32
 * bytes.
 */
template <int M, int N, int STEPS>
static __device__ __forceinline__ void gv_put_minima(const gv_scan &scan, const gv_halves &h,
                                                     int64_t first_query, int64_t first_point,
                                                     const float *halves, const float (&sum)[M][N][4]) {
  constexpr int BLOCKS = N / STEPS < GV_TENSOR_LANES ? N / STEPS : GV_TENSOR_LANES;
  int lane = (int)threadIdx.x % 32, four = lane % GV_TENSOR_LANES;
  int64_t query = first_query + lane / GV_TENSOR_LANES;
  float *to = scan.minima + query * scan.row + first_point / (8 * STEPS) * GV_TENSOR_LANES, scale[M][2];
#pragma unroll
  for (int m = 0; m < M; m++) {
    scale[m][0] = h.scale[query + 16 * m];
    scale[m][1] = h.scale[query + 16 * m + 8];
  }
#pragma unroll
  for (int first = 0; first < N; first += BLOCKS * STEPS) {
    float2 half[BLOCKS * STEPS];
#pragma unroll
    for (int s = 0; s < BLOCKS * STEPS; s++)
      half[s] = *(const float2 *)(halves + 8 * (first + s) + GV_TENSOR_PIECE * four);
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
      for (int low = 0; low < 2; low++) {
        float least[BLOCKS];
#pragma unroll
        for (int s = 0; s < BLOCKS * STEPS; s++) {
          float x = fminf(__fmaf_rn(sum[m][first + s][2 * low], scale[m][low], half[s].x),
                          __fmaf_rn(sum[m][first + s][2 * low + 1], scale[m][low], half[s].y));
          least[s / STEPS] = s % STEPS == 0 ? x : fminf(least[s / STEPS], x);
        }
        float *row = to + (16 * m + 8 * low) * scan.row + first / STEPS * GV_TENSOR_LANES;
        bool wanted = query + 16 * m + 8 * low < scan.queries;
        if constexpr (BLOCKS == GV_TENSOR_LANES) {
          gv_turn_four(least, lane);
          if (wanted && first_point + 8 * (first + STEPS * four) < scan.count)
            *(float4 *)(row + four * GV_TENSOR_LANES) = make_float4(least[0], least[1], least[2], least[3]);
        } else {
#pragma unroll
          for (int i = 0; i < BLOCKS; i++) {
            if (wanted && first_point + 8 * (first + STEPS * i) < scan.count)
              row[i * GV_TENSOR_LANES + four] = least[i];
          }
        }
      }
    }
  }
}

/* Calls a launch for as many queries at a time as fit into the second-level cache together with the
 * points. */
template <typename LAUNCH>
static inline cudaError_t gv_tensor_bands(const gv_cuda_queue *queue, const gv_scan *scan,
                                          const gv_halves *halves, LAUNCH launch) {
  int64_t band = (int64_t)(queue->l2_bytes / 4) / (halves->depth * (int64_t)sizeof(__half)) / GV_QUERY_PAD *
                 GV_QUERY_PAD;
  if (band < GV_QUERY_PAD) band = GV_QUERY_PAD;
  cudaError_t error = cudaSuccess;
  for (int64_t first = 0; first < scan->queries && error == cudaSuccess; first += band) {
    gv_scan some = *scan;
    gv_halves of = *halves;
    some.queries = scan->queries - first < band ? scan->queries - first : band;
    some.minima += first * scan->row;
    of.queries += first * halves->depth;
    of.scale += first;
    error = launch(some, of);
  }
  return error;
}

#endif

#endif
