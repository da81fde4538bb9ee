/* Eight doubles in an AVX-512 register. Same names as the other headers of this folder. */
#ifndef GV_SIMD_AVX512_H
#define GV_SIMD_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/simd/pair.h"

enum {
  VD_LANES = 8,
  VF_LANES = 16,
  VD_GROUP = 4 /* vectors of cells a kernel keeps in registers at once: 32 registers hold four */
};

typedef __m512d vd;
typedef __mmask8 vm;

static inline vd vd_load(const double *p) {
  return _mm512_loadu_pd(p);
}
static inline void vd_store(double *p, vd a) {
  _mm512_storeu_pd(p, a);
}
static inline vd vd_set1(double a) {
  return _mm512_set1_pd(a);
}
static inline vd vd_lane_numbers(void) {
  return _mm512_set_pd(7, 6, 5, 4, 3, 2, 1, 0);
}
static inline vd vd_add(vd a, vd b) {
  return _mm512_add_pd(a, b);
}
static inline vd vd_sub(vd a, vd b) {
  return _mm512_sub_pd(a, b);
}
static inline vd vd_mul(vd a, vd b) {
  return _mm512_mul_pd(a, b);
}
/* a * b + c with one rounding or two: only where a margin covers the difference. */
static inline vd vd_fma_loose(vd a, vd b, vd c) {
  return _mm512_fmadd_pd(a, b, c);
}
static inline vd vd_divide(vd a, vd b) {
  return _mm512_div_pd(a, b);
}
static inline vd vd_sqrt(vd a) {
  return _mm512_sqrt_pd(a);
}
static inline vd vd_abs(vd a) {
  return _mm512_abs_pd(a);
}
static inline vd vd_min(vd a, vd b) {
  return _mm512_min_pd(a, b);
}
static inline vd vd_max(vd a, vd b) {
  return _mm512_max_pd(a, b);
}
static inline vm vd_less(vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline vm vd_equal(vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
static inline vm vm_and(vm a, vm b) {
  return (vm)(a & b);
}
static inline vm vm_or(vm a, vm b) {
  return (vm)(a | b);
}
static inline vd vd_select(vm m, vd yes, vd no) {
  return _mm512_mask_blend_pd(m, no, yes);
}
static inline unsigned vm_bits(vm m) {
  return m;
}
static inline double vd_reduce_min(vd a) {
  return _mm512_reduce_min_pd(a);
}

/* Lanes are whole numbers in the range of int32. */
static inline void vd_store_int32(int32_t *p, vd a) {
  _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(a));
}

/* Writes the lanes whose bit is set in `keep` side by side; may write rubbish up to VD_LANES entries. */
static inline void vd_compress(double *to, unsigned keep, vd a) {
  _mm512_storeu_pd(to, _mm512_maskz_compress_pd((__mmask8)keep, a));
}
static inline void vd_compress_int32(int32_t *to, unsigned keep, const int32_t *from) {
  __m256i a = _mm256_loadu_si256((const __m256i *)from);
  _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32((__mmask8)keep, a));
}

/* The first n lanes, 0 in the others; n < VD_LANES. */
static inline vd vd_load_first(const double *p, int n) {
  return _mm512_maskz_loadu_pd((__mmask8)((1U << n) - 1U), p);
}
static inline double vd_reduce_max(vd a) {
  return _mm512_reduce_max_pd(a);
}
/* The sum of all lanes, in any order: where it is exact. */
static inline double vd_reduce_add_exact(vd a) {
  return _mm512_reduce_add_pd(a);
}

/* Bit i is set where cell[i] is not its predecessor, for 32 whole numbers; the first one has none. */
static inline uint32_t differing_box(const int32_t *cell) {
  __m512i low = _mm512_loadu_si512(cell), high = _mm512_loadu_si512(cell + 16);
  __m512i before_high = _mm512_alignr_epi32(high, low, 15),
          before_low = _mm512_maskz_alignr_epi32(0xfffe, low, low, 15);
  return (uint32_t)_mm512_mask_cmpneq_epi32_mask(0xfffe, low, before_low) |
         (uint32_t)_mm512_cmpneq_epi32_mask(high, before_high) << 16;
}

/* Sixteen whole numbers. */
typedef __m512i vi;

static inline vi vi_set1(int32_t a) {
  return _mm512_set1_epi32(a);
}
static inline vi vi_load(const int32_t *p) {
  return _mm512_loadu_si512(p);
}
/* Bit i is set where cell[i] is not a, for 32 whole numbers and a vector of equal ones. */
static inline uint32_t differing_from(const int32_t *cell, vi a) {
  return _mm512_kunpackw(_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(cell + 16), a),
                         _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(cell), a));
}
/* The same for `rows` rows of them; straight to memory, as registers of masks are slow to read. */
static inline void differing_rows(const int32_t *cell, int64_t stride, int32_t rows, vi a, int32_t *bits) {
  for (int32_t r = 0; r < rows; r++, cell += stride) {
    __mmask16 *to = (__mmask16 *)(bits + r);
    _store_mask16(to, _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(cell), a));
    _store_mask16(to + 1, _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(cell + 16), a));
  }
}
static inline void vi_store(int32_t *p, vi a) {
  _mm512_storeu_si512(p, a);
}
/* The first n lanes; n < VF_LANES. */
static inline void vi_store_first(int32_t *p, int n, vi a) {
  _mm512_mask_storeu_epi32(p, (__mmask16)((1U << n) - 1U), a);
}
static inline vi vi_xor(vi a, vi b) {
  return _mm512_xor_si512(a, b);
}
static inline vi vi_or(vi a, vi b) {
  return _mm512_or_si512(a, b);
}
static inline vi vi_and(vi a, vi b) {
  return _mm512_and_si512(a, b);
}
static inline vi vi_add(vi a, vi b) {
  return _mm512_add_epi32(a, b);
}
static inline vi vi_sub(vi a, vi b) {
  return _mm512_sub_epi32(a, b);
}
/* How many bits of each are set: of each four by a table, which are then added. */
static inline vi vi_count_bits(vi a) {
  __m512i four = _mm512_set1_epi8(15);
  __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m512i low = _mm512_shuffle_epi8(table, _mm512_and_si512(a, four));
  __m512i high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi32(a, 4), four));
  __m512i eight = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), _mm512_set1_epi8(1));
  return _mm512_madd_epi16(eight, _mm512_set1_epi16(1));
}
/* Whether any lane is not 0. */
static inline bool vi_any(vi a) {
  return _mm512_test_epi32_mask(a, a) != 0;
}
/* a within low ... high. */
static inline vi vi_clamp(vi a, vi low, vi high) {
  return _mm512_min_epi32(_mm512_max_epi32(a, low), high);
}
static inline int32_t vi_reduce_add(vi a) {
  return _mm512_reduce_add_epi32(a);
}

/* Sixteen floats: only where a margin covers what they lose. */
typedef __m512 vf;

static inline vf vf_load(const float *p) {
  return _mm512_loadu_ps(p);
}
static inline vf vf_set1(float a) {
  return _mm512_set1_ps(a);
}
static inline vf vf_sub(vf a, vf b) {
  return _mm512_sub_ps(a, b);
}
/* c - a * b with one rounding or two. */
static inline vf vf_fnma_loose(vf a, vf b, vf c) {
  return _mm512_fnmadd_ps(a, b, c);
}
static inline vf vf_min(vf a, vf b) {
  return _mm512_min_ps(a, b);
}
static inline vf vf_max(vf a, vf b) {
  return _mm512_max_ps(a, b);
}
/* Bit i is set where a[i] < b[i]. */
static inline unsigned vf_less_bits(vf a, vf b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
/* The bits of `mask` replaced by those of `tag`. */
static inline vf vf_tag(vf a, vf tag, vf mask) {
  return _mm512_castsi512_ps(
      _mm512_ternarylogic_epi32(_mm512_castps_si512(mask), _mm512_castps_si512(tag), _mm512_castps_si512(a), 0xca));
}
static inline vf vf_set1_bits(uint32_t bits) {
  return _mm512_castsi512_ps(_mm512_set1_epi32((int32_t)bits));
}
static inline void vf_store_narrow(float *p, vd low, vd high) {
  _mm256_storeu_ps(p, _mm512_cvtpd_ps(low));
  _mm256_storeu_ps(p + 8, _mm512_cvtpd_ps(high));
}

/* A table of sixteen whole numbers, looked up by the lowest four bits. */
typedef __m512i vf_table;

static inline vf_table vf_table_load(const int32_t *entry) {
  return _mm512_loadu_si512(entry);
}
static inline void vf_look_up(int32_t *p, vf_table table, vf a) {
  _mm512_storeu_si512(p, _mm512_permutexvar_epi32(_mm512_castps_si512(a), table));
}

static inline vd vd_truncate(vd a) {
  return _mm512_roundscale_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* Of whole numbers below 2^63 in size, lane by lane: the lowest 32 bits with their sign, and the 2^32s that are left. */
static inline void vd_store_parts(int64_t *p, vd a) {
  __m512i whole = _mm512_cvttpd_epi64(a);
  __m512i low = _mm512_srai_epi64(_mm512_slli_epi64(whole, 32), 32);
  __m512i high = _mm512_srai_epi64(_mm512_sub_epi64(whole, low), 32);
  _mm512_storeu_si512(p, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high));
  _mm512_storeu_si512(p + 8, _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), high));
}

/* Sixteen whole numbers of 64 bits, modulo 2^64. */
typedef struct vl {
  __m512i low, high;
} vl;

static inline vl vl_load(const int64_t *p) {
  return (vl){_mm512_load_si512(p), _mm512_load_si512(p + 8)};
}
static inline void vl_store(int64_t *p, vl a) {
  _mm512_store_si512(p, a.low);
  _mm512_store_si512(p + 8, a.high);
}
static inline vl vl_add(vl a, vl b) {
  return (vl){_mm512_add_epi64(a.low, b.low), _mm512_add_epi64(a.high, b.high)};
}
static inline vl vl_sub(vl a, vl b) {
  return (vl){_mm512_sub_epi64(a.low, b.low), _mm512_sub_epi64(a.high, b.high)};
}
static inline __m512i four_twice(const int32_t *value) {
  return _mm512_cvtepi32_epi64(_mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)value)));
}
/* factor[i] x value[i % 4] for i < 8, factor[i] x c from there to 15; factors in the range of int32. */
static inline vl vl_products(const int32_t *value, const int32_t *c, const int64_t *factor) {
  __m512i low = four_twice(value), high = _mm512_set1_epi32(*c);
  return (vl){_mm512_mul_epi32(low, _mm512_load_si512(factor)),
              _mm512_mul_epi32(high, _mm512_load_si512(factor + 8))};
}
/* The same for factors of which the last eight are of any size; 0 <= c < 2^31. */
static inline vl vl_all_products(const int32_t *value, int64_t c, vl factor) {
  __m512i low = four_twice(value), times = _mm512_set1_epi64(c);
  __m512i upper = _mm512_mul_epu32(_mm512_srli_epi64(factor.high, 32), times);
  return (vl){_mm512_mul_epi32(low, factor.low),
              _mm512_add_epi64(_mm512_mul_epu32(factor.high, times), _mm512_slli_epi64(upper, 32))};
}

#endif
