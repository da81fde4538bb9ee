/* Four doubles in an AVX register (AVX2 and FMA). Same names as the other headers of this folder. */
#ifndef GV_SIMD_AVX2_H
#define GV_SIMD_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/simd/pair.h"

enum {
  VD_LANES = 4,
  VF_LANES = 8,
  VD_GROUP = 2 /* vectors of cells a kernel keeps in registers at once: 16 registers hold two */
};

typedef __m256d vd;
typedef __m256d vm;

static inline vd vd_load(const double *p) {
  return _mm256_loadu_pd(p);
}
static inline void vd_store(double *p, vd a) {
  _mm256_storeu_pd(p, a);
}
static inline vd vd_set1(double a) {
  return _mm256_set1_pd(a);
}
static inline vd vd_lane_numbers(void) {
  return _mm256_set_pd(3, 2, 1, 0);
}
static inline vd vd_add(vd a, vd b) {
  return _mm256_add_pd(a, b);
}
static inline vd vd_sub(vd a, vd b) {
  return _mm256_sub_pd(a, b);
}
static inline vd vd_mul(vd a, vd b) {
  return _mm256_mul_pd(a, b);
}
static inline vd vd_fma_loose(vd a, vd b, vd c) {
  return _mm256_fmadd_pd(a, b, c);
}
static inline vd vd_divide(vd a, vd b) {
  return _mm256_div_pd(a, b);
}
static inline vd vd_sqrt(vd a) {
  return _mm256_sqrt_pd(a);
}
static inline vd vd_abs(vd a) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}
static inline vd vd_min(vd a, vd b) {
  return _mm256_min_pd(a, b);
}
static inline vd vd_max(vd a, vd b) {
  return _mm256_max_pd(a, b);
}
static inline vm vd_less(vd a, vd b) {
  return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline vm vd_equal(vd a, vd b) {
  return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
static inline vm vm_and(vm a, vm b) {
  return _mm256_and_pd(a, b);
}
static inline vm vm_or(vm a, vm b) {
  return _mm256_or_pd(a, b);
}
static inline vd vd_select(vm m, vd yes, vd no) {
  return _mm256_blendv_pd(no, yes, m);
}
static inline unsigned vm_bits(vm m) {
  return (unsigned)_mm256_movemask_pd(m);
}
static inline double vd_reduce_min(vd a) {
  __m128d low = _mm_min_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_min_sd(low, _mm_unpackhi_pd(low, low)));
}
static inline void vd_store_int32(int32_t *p, vd a) {
  _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(a));
}

static inline void vd_compress(double *to, unsigned keep, vd a) {
  double lanes[4];
  _mm256_storeu_pd(lanes, a);
  for (int i = 0, n = 0; i < 4; i++) {
    to[n] = lanes[i];
    n += (int)(keep >> i & 1U);
  }
}
static inline void vd_compress_int32(int32_t *to, unsigned keep, const int32_t *from) {
  for (int i = 0, n = 0; i < 4; i++) {
    to[n] = from[i];
    n += (int)(keep >> i & 1U);
  }
}

static inline vd vd_load_first(const double *p, int n) {
  __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
  return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), lane));
}
static inline double vd_reduce_max(vd a) {
  __m128d high = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_max_sd(high, _mm_unpackhi_pd(high, high)));
}
static inline double vd_reduce_add_exact(vd a) {
  __m128d two = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* Bit i is set where cell[i] is not its predecessor, for 32 whole numbers; the first one has none. */
static inline uint32_t differing_box(const int32_t *cell) {
  uint32_t bits = 1;
  for (int i = 1; i < 8; i++)
    bits |= (uint32_t)(cell[i] == cell[i - 1]) << i;
  for (int i = 8; i < 32; i += 8) {
    __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(cell + i)),
                                      _mm256_loadu_si256((const __m256i *)(cell + i - 1)));
    bits |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << i;
  }
  return ~bits;
}

typedef __m256i vi;

static inline vi vi_set1(int32_t a) {
  return _mm256_set1_epi32(a);
}
static inline vi vi_load(const int32_t *p) {
  return _mm256_loadu_si256((const __m256i *)p);
}
/* Bit i is set where cell[i] is not a, for 32 whole numbers and a vector of equal ones. */
static inline uint32_t differing_from(const int32_t *cell, vi a) {
  uint32_t bits = 0;
  for (int i = 0; i < 32; i += 8)
    bits |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(vi_load(cell + i), a))) << i;
  return ~bits;
}
/* The same for `rows` rows of them. */
static inline void differing_rows(const int32_t *cell, int64_t stride, int32_t rows, vi a, int32_t *bits) {
  for (int32_t r = 0; r < rows; r++, cell += stride)
    bits[r] = (int32_t)differing_from(cell, a);
}
static inline void vi_store(int32_t *p, vi a) {
  _mm256_storeu_si256((__m256i *)p, a);
}
static inline void vi_store_first(int32_t *p, int n, vi a) {
  __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  _mm256_maskstore_epi32(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane), a);
}
static inline vi vi_xor(vi a, vi b) {
  return _mm256_xor_si256(a, b);
}
static inline vi vi_or(vi a, vi b) {
  return _mm256_or_si256(a, b);
}
static inline vi vi_and(vi a, vi b) {
  return _mm256_and_si256(a, b);
}
static inline vi vi_add(vi a, vi b) {
  return _mm256_add_epi32(a, b);
}
static inline vi vi_sub(vi a, vi b) {
  return _mm256_sub_epi32(a, b);
}
/* How many bits of each are set: of each four by a table, which are then added. */
static inline vi vi_count_bits(vi a) {
  __m256i four = _mm256_set1_epi8(15);
  __m256i table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(a, four));
  __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(a, 4), four));
  __m256i eight = _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
  return _mm256_madd_epi16(eight, _mm256_set1_epi16(1));
}
static inline bool vi_any(vi a) {
  return !_mm256_testz_si256(a, a);
}
/* a within low ... high. */
static inline vi vi_clamp(vi a, vi low, vi high) {
  return _mm256_min_epi32(_mm256_max_epi32(a, low), high);
}
static inline int32_t vi_reduce_add(vi a) {
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(two) + _mm_extract_epi32(two, 1);
}

typedef __m256 vf;

static inline vf vf_load(const float *p) {
  return _mm256_loadu_ps(p);
}
static inline vf vf_set1(float a) {
  return _mm256_set1_ps(a);
}
static inline vf vf_sub(vf a, vf b) {
  return _mm256_sub_ps(a, b);
}
static inline vf vf_fnma_loose(vf a, vf b, vf c) {
  return _mm256_fnmadd_ps(a, b, c);
}
static inline vf vf_min(vf a, vf b) {
  return _mm256_min_ps(a, b);
}
static inline vf vf_max(vf a, vf b) {
  return _mm256_max_ps(a, b);
}
static inline unsigned vf_less_bits(vf a, vf b) {
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
static inline vf vf_tag(vf a, vf tag, vf mask) {
  return _mm256_or_ps(_mm256_andnot_ps(mask, a), _mm256_and_ps(mask, tag));
}
static inline vf vf_set1_bits(uint32_t bits) {
  return _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)bits));
}
static inline void vf_store_narrow(float *p, vd low, vd high) {
  _mm_storeu_ps(p, _mm256_cvtpd_ps(low));
  _mm_storeu_ps(p + 4, _mm256_cvtpd_ps(high));
}

typedef struct vf_table {
  __m256 low, high;
} vf_table;

static inline vf_table vf_table_load(const int32_t *entry) {
  return (vf_table){_mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)entry)),
                    _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(entry + 8)))};
}
static inline void vf_look_up(int32_t *p, vf_table table, vf a) {
  __m256i at = _mm256_castps_si256(a);
  __m256 low = _mm256_permutevar8x32_ps(table.low, at), high = _mm256_permutevar8x32_ps(table.high, at);
  __m256 fourth = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)); /* bit 3 becomes the sign */
  _mm256_storeu_ps((float *)p, _mm256_blendv_ps(low, high, fourth));
}

static inline vd vd_truncate(vd a) {
  return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* Of whole numbers below 2^63 in size, lane by lane: the lowest 32 bits with their sign, and the 2^32s that are left. */
static inline void vd_store_parts(int64_t *p, vd a) {
  double lane[VD_LANES];
  vd_store(lane, a);
  for (int i = 0; i < VD_LANES; i++) {
    int64_t whole = (int64_t)lane[i], low = (int32_t)(uint32_t)whole;
    p[2 * i] = low;
    p[2 * i + 1] = (whole - low) / (INT64_C(1) << 32);
  }
}

/* Sixteen whole numbers of 64 bits, modulo 2^64. */
typedef struct vl {
  __m256i part[4];
} vl;

static inline vl vl_load(const int64_t *p) {
  vl r;
  for (int i = 0; i < 4; i++)
    r.part[i] = _mm256_load_si256((const __m256i *)(p + 4 * i));
  return r;
}
static inline void vl_store(int64_t *p, vl a) {
  for (int i = 0; i < 4; i++)
    _mm256_store_si256((__m256i *)(p + 4 * i), a.part[i]);
}
static inline vl vl_add(vl a, vl b) {
  for (int i = 0; i < 4; i++)
    a.part[i] = _mm256_add_epi64(a.part[i], b.part[i]);
  return a;
}
static inline vl vl_sub(vl a, vl b) {
  for (int i = 0; i < 4; i++)
    a.part[i] = _mm256_sub_epi64(a.part[i], b.part[i]);
  return a;
}
/* factor[i] x value[i % 4] for i < 8, factor[i] x c from there to 15; factors in the range of int32. */
static inline vl vl_products(const int32_t *value, const int32_t *c, const int64_t *factor) {
  vl r = vl_load(factor);
  for (int i = 0; i < 2; i++)
    r.part[i] = _mm256_mul_epi32(_mm256_cvtepi32_epi64(_mm_load_si128((const __m128i *)value)), r.part[i]);
  for (int i = 2; i < 4; i++)
    r.part[i] = _mm256_mul_epi32(_mm256_set1_epi32(*c), r.part[i]);
  return r;
}
/* The same for factors of which the last eight are of any size; 0 <= c < 2^31. */
static inline vl vl_all_products(const int32_t *value, int64_t c, vl factor) {
  __m256i times = _mm256_set1_epi64x(c);
  for (int i = 0; i < 2; i++) {
    __m256i v = _mm256_cvtepi32_epi64(_mm_load_si128((const __m128i *)value));
    factor.part[i] = _mm256_mul_epi32(v, factor.part[i]);
  }
  for (int i = 2; i < 4; i++) {
    __m256i upper = _mm256_mul_epu32(_mm256_srli_epi64(factor.part[i], 32), times);
    factor.part[i] = _mm256_add_epi64(_mm256_mul_epu32(factor.part[i], times), _mm256_slli_epi64(upper, 32));
  }
  return factor;
}

#endif
