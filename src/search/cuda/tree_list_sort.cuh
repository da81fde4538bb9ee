/* Sorting a list of distances and numbers, by a warp or by a block, in shared or device memory. */
#ifndef GV_CUDA_TREE_LIST_SORT_CUH
#define GV_CUDA_TREE_LIST_SORT_CUH

#include "search/cuda/tree_visit.cuh"

template <bool BY_NUMBER>
static __device__ __forceinline__ void list_exchange(double *value, int *number, int a, int b) {
  double x = value[a], y = value[b];
  int m = number[a], n = number[b];
  if (BY_NUMBER ? n < m : before(y, n, x, m)) {
    value[a] = y;
    value[b] = x;
    number[a] = n;
    number[b] = m;
  }
}

/* Sorts up to 2^30 entries by (value, number), or by number: bitonic, in the form where all exchanges ascend,
 * so that any length will do. BLOCK: by all threads of the block, else by the warp. */
template <bool BLOCK, bool BY_NUMBER>
static __device__ __forceinline__ void list_sort(double *value, int *number, int count) {
  const int thread = (int)(BLOCK ? threadIdx.x : threadIdx.x % WARP),
            threads = (int)(BLOCK ? blockDim.x : WARP);
  for (int bits = 1; 1 << (bits - 1) < count; bits++) {
    const int half = 1 << (bits - 1), pairs = (count + 2 * half - 1) >> bits << (bits - 1);
    for (int p = thread; p < pairs; p += threads) {
      int base = p >> (bits - 1) << bits, a = base + (p & (half - 1)),
          b = base + 2 * half - 1 - (p & (half - 1));
      if (b < count) list_exchange<BY_NUMBER>(value, number, a, b);
    }
    if (BLOCK) __syncthreads();
    __syncwarp();
    for (int apart = half / 2; apart > 0; apart /= 2) {
      for (int p = thread; p < pairs; p += threads) {
        int a = 2 * p - (p & (apart - 1)), b = a + apart;
        if (b < count) list_exchange<BY_NUMBER>(value, number, a, b);
      }
      if (BLOCK) __syncthreads();
      __syncwarp();
    }
  }
}

/* Sorts a warp's list that is nearly in order: exchanges neighbors; lists that need more than a few rounds
 * are sorted. */
static __device__ __forceinline__ void list_adjust(double *value, int *number, int count) {
  enum { ROUNDS = 8 };
  const int lane = (int)(threadIdx.x % WARP);
  int quiet = 0;
  for (int round = 0; quiet < 2; round++) {
    bool moved = false;
    for (int a = 2 * lane + round % 2; a + 1 < count; a += 2 * WARP) {
      if (!before(value[a + 1], number[a + 1], value[a], number[a])) continue;
      list_exchange<false>(value, number, a, a + 1);
      moved = true;
    }
    __syncwarp();
    quiet = __any_sync(0xffffffffu, moved) ? 0 : quiet + 1;
    if (round == ROUNDS && quiet == 0) return list_sort<false, false>(value, number, count);
  }
}

/* Sorts 32 EACH words of a warp, of which number i is at place i / 32 of lane i % 32; the same network as
 * list_sort. */
template <int EACH> static __device__ __forceinline__ void list_sort_words(unsigned (&x)[EACH]) {
  constexpr int WHOLE = EACH <= 2 ? 2 : EACH <= 4 ? 4 : EACH <= 8 ? 8 : 16;
  const int lane = (int)(threadIdx.x % WARP);
#pragma unroll
  for (int half = 1; half < WARP; half *= 2) {
#pragma unroll
    for (int apart = half; apart > 0; apart /= 2) {
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        unsigned other = __shfl_xor_sync(0xffffffffu, x[e], apart == half ? 2 * half - 1 : apart);
        x[e] = (lane & apart) != 0 ? max(x[e], other) : min(x[e], other);
      }
    }
  }
#pragma unroll
  for (int half = 1; half < WHOLE; half *= 2) {
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      const int f = e ^ (2 * half - 1);
      if ((e & half) != 0 || f >= EACH) continue;
      unsigned later = __shfl_xor_sync(0xffffffffu, x[f], WARP - 1),
               earlier = __shfl_xor_sync(0xffffffffu, x[e], WARP - 1);
      x[e] = min(x[e], later);
      x[f] = max(x[f], earlier);
    }
#pragma unroll
    for (int apart = half / 2; apart > 0; apart /= 2) {
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        const int f = e ^ apart;
        if ((e & apart) != 0 || f >= EACH) continue;
        unsigned low = min(x[e], x[f]);
        x[f] = max(x[e], x[f]);
        x[e] = low;
      }
    }
#pragma unroll
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        unsigned other = __shfl_xor_sync(0xffffffffu, x[e], apart);
        x[e] = (lane & apart) != 0 ? max(x[e], other) : min(x[e], other);
      }
    }
  }
}

#endif
