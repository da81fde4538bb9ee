/* Two whole numbers of 64 bits at once: the same instructions wherever there are AVX2 or AVX-512. */
#ifndef GV_SIMD_PAIR_H
#define GV_SIMD_PAIR_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

typedef __m128i vq;

static inline vq vq_of(int64_t a, int64_t b) {
  return _mm_set_epi64x(b, a);
}
static inline vq vq_load(const int64_t *p) {
  return _mm_loadu_si128((const __m128i *)p);
}
static inline void vq_store(int64_t *p, vq a) {
  _mm_storeu_si128((__m128i *)p, a);
}
static inline vq vq_add(vq a, vq b) {
  return _mm_add_epi64(a, b);
}
static inline vq vq_sub(vq a, vq b) {
  return _mm_sub_epi64(a, b);
}
/* Both times x: all three in the range of int32. */
static inline vq vq_times(vq a, int32_t x) {
  return _mm_mul_epi32(a, _mm_set1_epi32(x));
}

#endif
