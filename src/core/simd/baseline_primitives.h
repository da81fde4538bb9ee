/* Primitives of vectors.h in 128 bits: SSE2 on x86-64, NEON on 64-bit ARM, compiler vectors on others;
 * avx512_primitives.h documents them. */
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { VD_GROUP = 2 }; /* 16 registers hold two */

/* Lanes that are all ones or zero. */
typedef vd_bits vm;

GV_INLINE vm vd_less(vd a, vd b) {
  return a < b;
}
GV_INLINE vm vd_at_most(vd a, vd b) {
  return a <= b;
}
GV_INLINE vm vd_equal(vd a, vd b) {
  return a == b;
}
GV_INLINE vd vd_select(vm m, vd yes, vd no) {
  return (vd)((m & (vm)yes) | (~m & (vm)no));
}
GV_INLINE vf vf_select_bits(vi m, vf yes, vf no) {
  return (vf)((m & (vi)yes) | (~m & (vi)no));
}
GV_INLINE vd vd_sqrt(vd a) {
  return (vd){sqrt(a[0]), sqrt(a[1])};
}

#if defined(__aarch64__)
GV_INLINE vd vd_fma_loose(vd a, vd b, vd c) {
  return (vd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
GV_INLINE vf vf_fma_loose(vf a, vf b, vf c) {
  return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
#else
GV_INLINE vd vd_fma_loose(vd a, vd b, vd c) {
  return a * b + c;
}
GV_INLINE vf vf_fma_loose(vf a, vf b, vf c) {
  return a * b + c;
}
#endif

#if defined(__SSE2__)
GV_INLINE vd vd_min(vd a, vd b) {
  return _mm_min_pd(a, b);
}
GV_INLINE vd vd_max(vd a, vd b) {
  return _mm_max_pd(a, b);
}
GV_INLINE vf vf_min(vf a, vf b) {
  return _mm_min_ps(a, b);
}
GV_INLINE vf vf_max(vf a, vf b) {
  return _mm_max_ps(a, b);
}
GV_INLINE unsigned vm_bits(vm m) {
  return (unsigned)_mm_movemask_pd((vd)m);
}
GV_INLINE unsigned vi_bits(vi m) {
  return (unsigned)_mm_movemask_ps((vf)m);
}
#else
GV_INLINE vd vd_min(vd a, vd b) {
  return vd_select(a < b, a, b);
}
GV_INLINE vd vd_max(vd a, vd b) {
  return vd_select(a > b, a, b);
}
GV_INLINE vf vf_min(vf a, vf b) {
  return vf_select_bits(a < b, a, b);
}
GV_INLINE vf vf_max(vf a, vf b) {
  return vf_select_bits(a > b, a, b);
}
GV_INLINE unsigned vm_bits(vm m) {
  return (unsigned)((m[0] & 1) | (m[1] & 2));
}
GV_INLINE unsigned vi_bits(vi m) {
  return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}
#endif
GV_INLINE unsigned vf_less_bits(vf a, vf b) {
  return vi_bits(a < b);
}
GV_INLINE unsigned vf_at_most_bits(vf a, vf b) {
  return vi_bits(a <= b);
}
GV_INLINE unsigned vi_differ_bits(vi a, vi b) {
  return vi_bits(a != b);
}
GV_INLINE bool vi_any(vi a) {
  return (a[0] | a[1] | a[2] | a[3]) != 0;
}
GV_INLINE double vd_reduce_min(vd a) {
  return a[0] < a[1] ? a[0] : a[1];
}

GV_INLINE void vd_compress(double *to, unsigned keep, vd a) {
  to[0] = a[0];
  to[keep & 1U] = a[1];
}
GV_INLINE void vd_compress_int32(int32_t *to, unsigned keep, const int32_t *from) {
  int32_t second = from[1];
  to[0] = from[0];
  to[keep & 1U] = second;
}
GV_INLINE void vi_store_first(int32_t *p, int n, vi a) {
  for (int i = 0; i < n; i++)
    p[i] = a[i];
}

typedef struct vf_table {
  const int32_t *entry;
} vf_table;

GV_INLINE vf_table vf_table_load(const int32_t *entry) {
  return (vf_table){entry};
}
GV_INLINE void vf_look_up(int32_t *p, vf_table table, vf a) {
  vi at = (vi)a & 15;
  for (int i = 0; i < VF_LANES; i++)
    p[i] = table.entry[at[i]];
}
