/*
 * What the kernels of cuda-tensor share: stages of 16-bit floats in shared memory, the walk through matrix tiles, and minima from registers.
 *
 * A block walks through matrix tiles of queries x points. Sixty-four dimensions at a time of both are copied to shared memory, asynchronously,
 * several such stages ahead, across their ends; rows of 128 bytes whose 16-byte pieces are exchanged by the row's number, so that
 * no two of a column's pieces meet in a bank. All blocks work on the same points at about the same time, which are then read once
 * from memory.
 */
#ifndef GV_CUDA_TENSOR_CUH
#define GV_CUDA_TENSOR_CUH

#include "search/cuda/brute.cuh"

#include <cuda_fp16.h>

enum {
  GV_TENSOR_THREADS = 256,
  GV_TENSOR_CHUNK = 64,                   /* dimensions of a stage */
  GV_TENSOR_PIECES = GV_TENSOR_CHUNK / 8, /* of 16 bytes, of a row in a stage */
  GV_TENSOR_STEP = 16,                    /* dimensions of a product */
  GV_TENSOR_PIECE = 2,                    /* points side by side that a thread has of a product's eight, */
  GV_TENSOR_LANES = 4,                    /* and threads that share them */
  GV_TENSOR_STEPS_LEAST = 2,
  GV_TENSOR_STEPS_MOST = 8
};

/* What a search's products are made of. */
typedef struct gv_halves {
  const __half *points, *queries; /* rows of `depth`; queries as many as a multiple of GV_QUERY_PAD */
  const float *scale;             /* of each query: what its products are multiplied by */
  int32_t depth;                  /* 16, 32, 48 or a multiple of 64 */
} gv_halves;

/* The same for one kernel: how many matrix tiles there are, and how far a block goes from one to its next. */
typedef struct gv_tensor_plan {
  int64_t query_tiles, point_tiles;
  int64_t query_step, point_step;
} gv_tensor_plan;

/* Blocks for a search whose matrix tiles have so many queries and points. */
static inline unsigned gv_tensor_blocks(const gv_cuda_lane *lane, const gv_scan *scan, int queries, int points,
                                        gv_tensor_plan *plan) {
  plan->query_tiles = gv_ceil_div(scan->queries, queries);
  plan->point_tiles = gv_ceil_div(scan->count, points);
  int64_t matrix_tiles = plan->query_tiles * plan->point_tiles;
  int64_t blocks = matrix_tiles < lane->multiprocessors ? matrix_tiles : lane->multiprocessors;
  plan->query_step = blocks % plan->query_tiles;
  plan->point_step = blocks / plan->query_tiles;
  return (unsigned)blocks;
}

/* Fills scan->minima on a device of compute capability 9.0, whose products read shared memory themselves. */
cudaError_t gv_tensor_hopper(gv_cuda_lane *lane, const gv_scan *scan, const gv_halves *halves);

#ifdef __CUDACC__

static __device__ __forceinline__ void gv_copy_ahead(void *to, const void *from) {
#if __CUDA_ARCH__ >= 800
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
#else
  *(uint4 *)to = *(const uint4 *)from;
#endif
}

static __device__ __forceinline__ void gv_end_of_stage() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all but the last `STILL` stages are there. */
template <int STILL> static __device__ __forceinline__ void gv_wait_for_stage() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(STILL) : "memory");
#endif
}

/* Where a 16-byte piece of a row is in a stage. */
static __device__ __forceinline__ int gv_tensor_place(int row, int piece) {
  return (row * GV_TENSOR_PIECES + (piece ^ (row % GV_TENSOR_PIECES))) * 8;
}

/* Where a block is: a point tile, in it a query tile, and in that a chunk of dimensions. */
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

/* A stage: a chunk of QUERIES rows and of POINTS rows and, with the last chunk, half the squared lengths of the points. */
template <int QUERIES_, int POINTS_> struct gv_tensor_stage {
  enum {
    QUERIES = QUERIES_,
    POINTS = POINTS_,
    HALVES = (QUERIES + POINTS) * GV_TENSOR_CHUNK * (int)sizeof(__half), /* where they begin, in bytes */
    BYTES = HALVES + POINTS * (int)sizeof(float)
  };
};

/* Copies a stage. */
template <typename STAGE>
static __device__ __forceinline__ void gv_tensor_fetch(const gv_scan &scan, const gv_halves &h,
                                                       const gv_tensor_walk &at, bool last, unsigned char *stage) {
  const int rows = GV_TENSOR_THREADS / GV_TENSOR_PIECES;
  int first = at.chunk * GV_TENSOR_CHUNK, pieces = min(h.depth - first, (int)GV_TENSOR_CHUNK) / 8;
  int piece = (int)threadIdx.x % GV_TENSOR_PIECES, row = (int)threadIdx.x / GV_TENSOR_PIECES;
  if (last && threadIdx.x < STAGE::POINTS / 4) {
    gv_copy_ahead(stage + STAGE::HALVES + threadIdx.x * 16,
                  scan.halves + at.point * STAGE::POINTS + threadIdx.x * 4);
  }
  if (piece >= pieces) return;
  const __half *query = h.queries + (at.query * STAGE::QUERIES + row) * h.depth + first + piece * 8;
  const __half *point = h.points + (at.point * STAGE::POINTS + row) * h.depth + first + piece * 8;
  __half *to = (__half *)stage + gv_tensor_place(row, piece); /* `rows` is a multiple of the pattern's 8 */
#pragma unroll
  for (int r = 0; r < STAGE::QUERIES; r += rows, query += rows * h.depth)
    gv_copy_ahead(to + r * GV_TENSOR_CHUNK, query);
#pragma unroll
  for (int r = STAGE::QUERIES; r < STAGE::QUERIES + STAGE::POINTS; r += rows, point += rows * h.depth)
    gv_copy_ahead(to + r * GV_TENSOR_CHUNK, point);
}

/*
 * Minima of a warp's M x 16 queries and N x 8 points, whose halves are at `halves`. In a product's sixteen queries a thread has two,
 * lane / 4 and that plus 8, and of the eight points two side by side; of STEPS products it makes one group.
 */
template <int M, int N, int STEPS>
static __device__ __forceinline__ void gv_put_minima(const gv_scan &scan, const gv_halves &h, int64_t first_query,
                                                     int64_t first_point, const float *halves,
                                                     const float (&sum)[M][N][4]) {
  int lane = (int)threadIdx.x % 32, four = lane % GV_TENSOR_LANES;
  int64_t query = first_query + lane / GV_TENSOR_LANES;
  float *to = scan.minima + query * scan.row + first_point / (8 * STEPS) * GV_TENSOR_LANES + four, scale[M][2];
#pragma unroll
  for (int m = 0; m < M; m++) {
    scale[m][0] = h.scale[query + 16 * m];
    scale[m][1] = h.scale[query + 16 * m + 8];
  }
#pragma unroll
  for (int n = 0; n < N; n += STEPS) {
    float2 half[STEPS];
#pragma unroll
    for (int s = 0; s < STEPS; s++)
      half[s] = *(const float2 *)(halves + 8 * (n + s) + GV_TENSOR_PIECE * four);
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
      for (int low = 0; low < 2; low++) {
        float least = INFINITY;
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
          least = fminf(least, fminf(__fmaf_rn(sum[m][n + s][2 * low], scale[m][low], half[s].x),
                                     __fmaf_rn(sum[m][n + s][2 * low + 1], scale[m][low], half[s].y)));
        }
        if (query + 16 * m + 8 * low < scan.queries && first_point + 8 * n < scan.count)
          to[(16 * m + 8 * low) * scan.row + n / STEPS * GV_TENSOR_LANES] = least;
      }
    }
  }
}

/* Calls a launch for as many queries at a time as stay in the second-level cache with what is read beside them. */
template <typename LAUNCH>
static inline cudaError_t gv_tensor_bands(const gv_cuda_lane *lane, const gv_scan *scan, const gv_halves *halves,
                                          LAUNCH launch) {
  int64_t band =
      (int64_t)(lane->l2_bytes / 4) / (halves->depth * (int64_t)sizeof(__half)) / GV_QUERY_PAD * GV_QUERY_PAD;
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
