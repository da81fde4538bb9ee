/* Primitives of vectors.h in AVX-512 (F, DQ, VL, BW). */
#include <immintrin.h>

enum { VD_GROUP = 4 }; /* vectors of cells a kernel keeps in registers at once: 32 registers hold four */

/* a * b + c with one rounding or two: only where a margin covers the difference. */
GV_INLINE vd vd_fma_loose(vd a, vd b, vd c) {
  return _mm512_fmadd_pd(a, b, c);
}
GV_INLINE vf vf_fma_loose(vf a, vf b, vf c) {
  return _mm512_fmadd_ps(a, b, c);
}
GV_INLINE vd vd_sqrt(vd a) {
  return _mm512_sqrt_pd(a);
}
/* The second one where either is not a number, and of zeros. */
GV_INLINE vd vd_min(vd a, vd b) {
  return _mm512_min_pd(a, b);
}
GV_INLINE vd vd_max(vd a, vd b) {
  return _mm512_max_pd(a, b);
}
GV_INLINE vf vf_min(vf a, vf b) {
  return _mm512_min_ps(a, b);
}
GV_INLINE vf vf_max(vf a, vf b) {
  return _mm512_max_ps(a, b);
}
GV_INLINE double vd_reduce_min(vd a) {
  return _mm512_reduce_min_pd(a);
}

/* Result of comparing doubles; masks are combined by & and |. */
typedef __mmask8 vm;

GV_INLINE vm vd_less(vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
GV_INLINE vm vd_at_most(vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
GV_INLINE vm vd_equal(vd a, vd b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
/* Bit i is set where lane i is. */
GV_INLINE unsigned vm_bits(vm m) {
  return m;
}
GV_INLINE vd vd_select(vm m, vd yes, vd no) {
  return _mm512_mask_blend_pd(m, no, yes);
}
GV_INLINE unsigned vf_less_bits(vf a, vf b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
GV_INLINE unsigned vf_at_most_bits(vf a, vf b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
/* Bit by bit. */
GV_INLINE vf vf_select_bits(vi m, vf yes, vf no) {
  return (vf)_mm512_ternarylogic_epi32((__m512i)m, (__m512i)yes, (__m512i)no, 0xca);
}

/* Bit i is set where lanes i differ. */
GV_INLINE unsigned vi_differ_bits(vi a, vi b) {
  return _mm512_cmpneq_epi32_mask((__m512i)a, (__m512i)b);
}
/* Whether any lane is not 0. */
GV_INLINE bool vi_any(vi a) {
  return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
}

/* Writes the lanes with their bit set in `keep` side by side; may write arbitrary values up to VD_LANES
 * entries. */
GV_INLINE void vd_compress(double *to, unsigned keep, vd a) {
  _mm512_storeu_pd(to, _mm512_maskz_compress_pd((__mmask8)keep, a));
}
GV_INLINE void vd_compress_int32(int32_t *to, unsigned keep, const int32_t *from) {
  __m256i a = _mm256_loadu_si256((const __m256i *)from);
  _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32((__mmask8)keep, a));
}
/* The first n lanes; n < VF_LANES. */
GV_INLINE void vi_store_first(int32_t *p, int n, vi a) {
  _mm512_mask_storeu_epi32(p, (__mmask16)((1U << n) - 1U), (__m512i)a);
}

/* A table of sixteen whole numbers, looked up by the lowest four bits. */
typedef __m512i vf_table;

GV_INLINE vf_table vf_table_load(const int32_t *entry) {
  return _mm512_loadu_si512(entry);
}
GV_INLINE void vf_look_up(int32_t *p, vf_table table, vf a) {
  _mm512_storeu_si512(p, _mm512_permutexvar_epi32((__m512i)a, table));
}
