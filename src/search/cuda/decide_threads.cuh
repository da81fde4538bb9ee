/* Operations of the threads (a warp or a block) that decide a query together. */
#ifndef GV_CUDA_DECIDE_THREADS_CUH
#define GV_CUDA_DECIDE_THREADS_CUH

#include "search/cuda/decide.cuh"

enum {
  GV_THREADS_WARP = 32,
  GV_THREADS_BLOCK = 256,
  GV_THREADS_EACH = 4 /* minima a thread reads at once */
};

static __device__ inline bool gv_before(double a, int64_t a_index, double b, int64_t b_index) {
  return a < b || (a == b && a_index < b_index);
}

template <int THREADS> static __device__ inline void gv_threads_sync() {
  if (THREADS == GV_THREADS_WARP) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

template <int THREADS> static __device__ inline bool gv_threads_any(bool mine) {
  return THREADS == GV_THREADS_WARP ? __any_sync(0xffffffffU, mine) != 0 : __syncthreads_or(mine) != 0;
}

template <int THREADS> static __device__ inline float gv_threads_minimum(float x) {
  for (int shift = 16; shift > 0; shift /= 2)
    x = fminf(x, __shfl_xor_sync(0xffffffffU, x, shift));
  if (THREADS > GV_THREADS_WARP) {
    __shared__ float parts[THREADS / GV_THREADS_WARP];
    if (threadIdx.x % GV_THREADS_WARP == 0) parts[threadIdx.x / GV_THREADS_WARP] = x;
    __syncthreads();
    x = parts[0];
    for (int i = 1; i < THREADS / GV_THREADS_WARP; i++)
      x = fminf(x, parts[i]);
    __syncthreads();
  }
  return x;
}

/* A bitonic sort, ascending; `size` is a power of two. */
template <int THREADS> static __device__ void gv_sort_values(float *value, int size, int thread) {
  for (int length = 2; length <= size; length *= 2) {
    for (int gap = length / 2; gap > 0; gap /= 2) {
      for (int i = thread; i < size / 2; i += THREADS) {
        int low = 2 * i - (i & (gap - 1)), high = low + gap;
        bool up = (low & length) == 0;
        float a = value[low], b = value[high];
        if ((a > b) == up) {
          value[low] = b;
          value[high] = a;
        }
      }
      gv_threads_sync<THREADS>();
    }
  }
}

/* Powers of two of a scan's groups. */
typedef struct gv_group_shifts {
  int piece, lanes, steps, size;
} gv_group_shifts;

static __device__ inline int gv_power_of(int32_t x) {
  return 31 - __clz(x);
}

static __device__ inline gv_group_shifts gv_shifts_of(const gv_groups &groups) {
  int piece = gv_power_of(groups.piece), steps = gv_power_of(groups.steps);
  return {piece, gv_power_of(groups.lanes), steps, piece + steps};
}

static __device__ inline int64_t gv_member_of(const gv_group_shifts &s, int64_t group, int32_t member) {
  int64_t block = group >> s.lanes;
  int32_t lane = (int32_t)(group & ((1 << s.lanes) - 1)), step = member >> s.piece;
  return (((((block << s.steps) + step) << s.lanes) + lane) << s.piece) + (member & ((1 << s.piece) - 1));
}

#endif
