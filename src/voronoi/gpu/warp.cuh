/* Operations of the lanes of a warp together. */
#ifndef GV_WARP_CUH
#define GV_WARP_CUH

#include <cuda_runtime.h>
#include <stdint.h>

namespace gv {

enum { WARP = 32 };

static const uint32_t everyone = 0xffffffffU;

__device__ static inline unsigned long long warp_least(unsigned long long key) {
  for (int step = WARP / 2; step > 0; step /= 2) {
    unsigned long long other = __shfl_xor_sync(everyone, key, step);
    key = other < key ? other : key;
  }
  return key;
}

__device__ static inline uint32_t warp_smallest(uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(everyone, value);
#else
  for (int step = WARP / 2; step > 0; step /= 2) {
    uint32_t other = __shfl_xor_sync(everyone, value, step);
    value = other < value ? other : value;
  }
  return value;
#endif
}

/* Largest of values >= 0 over the warp. */
__device__ static inline float warp_largest(float value) {
#if __CUDA_ARCH__ >= 800
  return __uint_as_float(__reduce_max_sync(everyone, __float_as_uint(value)));
#else
  for (int step = WARP / 2; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(everyone, value, step));
  return value;
#endif
}

__device__ static inline double warp_low(double value) {
  for (int step = WARP / 2; step > 0; step /= 2)
    value = fmin(value, __shfl_xor_sync(everyone, value, step));
  return value;
}

__device__ static inline double warp_high(double value) {
  return -warp_low(-value);
}

} // namespace gv

#endif
