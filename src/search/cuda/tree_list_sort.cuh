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

/* Sorts up to 2^30 entries by (value, number), or by number: bitonic, in the form where all exchanges ascend, so that any length will
 * do. BLOCK: by all threads of the block, else by the warp. */
template <bool BLOCK, bool BY_NUMBER>
static __device__ __forceinline__ void list_sort(double *value, int *number, int count) {
  const int thread = (int)(BLOCK ? threadIdx.x : threadIdx.x % WARP), threads = (int)(BLOCK ? blockDim.x : WARP);
  for (int bits = 1; 1 << (bits - 1) < count; bits++) {
    const int half = 1 << (bits - 1), pairs = (count + 2 * half - 1) >> bits << (bits - 1);
    for (int p = thread; p < pairs; p += threads) {
      int base = p >> (bits - 1) << bits, a = base + (p & (half - 1)), b = base + 2 * half - 1 - (p & (half - 1));
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

#endif
