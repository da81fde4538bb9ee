/* Primitives of vectors.h in AVX2 and FMA; avx512_primitives.h documents them. */
#include <immintrin.h>

enum { VD_GROUP = 2 }; /* 16 registers hold two */

GV_INLINE vd vd_fma_loose(vd a, vd b, vd c) {
  return _mm256_fmadd_pd(a, b, c);
}
GV_INLINE vf vf_fma_loose(vf a, vf b, vf c) {
  return _mm256_fmadd_ps(a, b, c);
}
GV_INLINE vd vd_sqrt(vd a) {
  return _mm256_sqrt_pd(a);
}
GV_INLINE vd vd_min(vd a, vd b) {
  return _mm256_min_pd(a, b);
}
GV_INLINE vd vd_max(vd a, vd b) {
  return _mm256_max_pd(a, b);
}
GV_INLINE vf vf_min(vf a, vf b) {
  return _mm256_min_ps(a, b);
}
GV_INLINE vf vf_max(vf a, vf b) {
  return _mm256_max_ps(a, b);
}
GV_INLINE double vd_reduce_min(vd a) {
  __m128d low = _mm_min_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_min_sd(low, _mm_unpackhi_pd(low, low)));
}

/* All bits of a lane are one or zero. (For the operator < GCC generates a late comparison, with copies.) */
typedef vd_bits vm;

GV_INLINE vm vd_less(vd a, vd b) {
  return (vm)_mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
GV_INLINE vm vd_at_most(vd a, vd b) {
  return (vm)_mm256_cmp_pd(a, b, _CMP_LE_OQ);
}
GV_INLINE vm vd_equal(vd a, vd b) {
  return (vm)_mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
GV_INLINE vd vd_select(vm m, vd yes, vd no) {
  return _mm256_blendv_pd(no, yes, (vd)m);
}
GV_INLINE vf vf_select_bits(vi m, vf yes, vf no) {
  return (vf)((m & (vi)yes) | (~m & (vi)no));
}

GV_INLINE unsigned vm_bits(vm m) {
  return (unsigned)_mm256_movemask_pd((vd)m);
}
GV_INLINE unsigned vf_less_bits(vf a, vf b) {
  return (unsigned)_mm256_movemask_ps((vf)(a < b));
}
GV_INLINE unsigned vf_at_most_bits(vf a, vf b) {
  return (unsigned)_mm256_movemask_ps((vf)(a <= b));
}
GV_INLINE unsigned vi_differ_bits(vi a, vi b) {
  return (unsigned)_mm256_movemask_ps((vf)(a != b));
}
GV_INLINE bool vi_any(vi a) {
  return !_mm256_testz_si256((__m256i)a, (__m256i)a);
}

GV_INLINE void vd_compress(double *to, unsigned keep, vd a) {
  double lanes[VD_LANES];
  vd_store(lanes, a);
  for (int i = 0, n = 0; i < VD_LANES; i++) {
    to[n] = lanes[i];
    n += (int)(keep >> i & 1U);
  }
}
GV_INLINE void vd_compress_int32(int32_t *to, unsigned keep, const int32_t *from) {
  for (int i = 0, n = 0; i < VD_LANES; i++) {
    to[n] = from[i];
    n += (int)(keep >> i & 1U);
  }
}
GV_INLINE void vi_store_first(int32_t *p, int n, vi a) {
  __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  _mm256_maskstore_epi32(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane), (__m256i)a);
}

typedef struct vf_table {
  vf low, high;
} vf_table;

GV_INLINE vf_table vf_table_load(const int32_t *entry) {
  return (vf_table){(vf)vi_load(entry), (vf)vi_load(entry + VF_LANES)};
}
GV_INLINE void vf_look_up(int32_t *p, vf_table table, vf a) {
  vf low = _mm256_permutevar8x32_ps(table.low, (__m256i)a),
     high = _mm256_permutevar8x32_ps(table.high, (__m256i)a);
  vf fourth = (vf)_mm256_slli_epi32((__m256i)a, 28); /* bit 3 becomes the sign */
  vi_store(p, (vi)_mm256_blendv_ps(low, high, fourth));
}
