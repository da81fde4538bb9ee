/*
 * Eight doubles at a time, in the instructions that the including file is compiled for: AVX-512, AVX2 or plain C.
 * No function here contracts a product and a sum, so a kernel written with them computes canonical distances bit
 * for bit. Included by kernel files only; the file's own flags decide the level.
 */
#ifndef GV_SIMD_EIGHT_H
#define GV_SIMD_EIGHT_H

#include <math.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)

typedef __m512d gv_v8;

static inline gv_v8 gv_v8_load(const double *p) {
  return _mm512_load_pd(p);
}
static inline void gv_v8_store(double *p, gv_v8 a) {
  _mm512_store_pd(p, a);
}
static inline gv_v8 gv_v8_all(double a) {
  return _mm512_set1_pd(a);
}
static inline gv_v8 gv_v8_add(gv_v8 a, gv_v8 b) {
  return _mm512_add_pd(a, b);
}
static inline gv_v8 gv_v8_sub(gv_v8 a, gv_v8 b) {
  return _mm512_sub_pd(a, b);
}
static inline gv_v8 gv_v8_mul(gv_v8 a, gv_v8 b) {
  return _mm512_mul_pd(a, b);
}
static inline gv_v8 gv_v8_max(gv_v8 a, gv_v8 b) {
  return _mm512_max_pd(a, b);
}
static inline gv_v8 gv_v8_abs(gv_v8 a) {
  return _mm512_abs_pd(a);
}
/* Bit i is set where a[i] <= b[i]. */
static inline unsigned gv_v8_at_most(gv_v8 a, gv_v8 b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}

#elif defined(__AVX2__)

typedef struct gv_v8 {
  __m256d a, b;
} gv_v8;

static inline gv_v8 gv_v8_load(const double *p) {
  return (gv_v8){_mm256_load_pd(p), _mm256_load_pd(p + 4)};
}
static inline void gv_v8_store(double *p, gv_v8 x) {
  _mm256_store_pd(p, x.a);
  _mm256_store_pd(p + 4, x.b);
}
static inline gv_v8 gv_v8_all(double x) {
  return (gv_v8){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
static inline gv_v8 gv_v8_add(gv_v8 x, gv_v8 y) {
  return (gv_v8){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
static inline gv_v8 gv_v8_sub(gv_v8 x, gv_v8 y) {
  return (gv_v8){_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}
static inline gv_v8 gv_v8_mul(gv_v8 x, gv_v8 y) {
  return (gv_v8){_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
static inline gv_v8 gv_v8_max(gv_v8 x, gv_v8 y) {
  return (gv_v8){_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}
static inline gv_v8 gv_v8_abs(gv_v8 x) {
  __m256d sign = _mm256_set1_pd(-0.0);
  return (gv_v8){_mm256_andnot_pd(sign, x.a), _mm256_andnot_pd(sign, x.b)};
}
static inline unsigned gv_v8_at_most(gv_v8 x, gv_v8 y) {
  return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, _CMP_LE_OQ)) |
         (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, _CMP_LE_OQ)) << 4;
}

#else

typedef struct gv_v8 {
  double v[8];
} gv_v8;

static inline gv_v8 gv_v8_load(const double *p) {
  gv_v8 r;
  for (int i = 0; i < 8; i++)
    r.v[i] = p[i];
  return r;
}
static inline void gv_v8_store(double *p, gv_v8 a) {
  for (int i = 0; i < 8; i++)
    p[i] = a.v[i];
}
static inline gv_v8 gv_v8_all(double a) {
  gv_v8 r;
  for (int i = 0; i < 8; i++)
    r.v[i] = a;
  return r;
}
static inline gv_v8 gv_v8_add(gv_v8 a, gv_v8 b) {
  for (int i = 0; i < 8; i++)
    a.v[i] += b.v[i];
  return a;
}
static inline gv_v8 gv_v8_sub(gv_v8 a, gv_v8 b) {
  for (int i = 0; i < 8; i++)
    a.v[i] -= b.v[i];
  return a;
}
static inline gv_v8 gv_v8_mul(gv_v8 a, gv_v8 b) {
  for (int i = 0; i < 8; i++)
    a.v[i] *= b.v[i];
  return a;
}
static inline gv_v8 gv_v8_max(gv_v8 a, gv_v8 b) {
  for (int i = 0; i < 8; i++)
    a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return a;
}
static inline gv_v8 gv_v8_abs(gv_v8 a) {
  for (int i = 0; i < 8; i++)
    a.v[i] = fabs(a.v[i]);
  return a;
}
static inline unsigned gv_v8_at_most(gv_v8 a, gv_v8 b) {
  unsigned mask = 0;
  for (int i = 0; i < 8; i++)
    mask |= (unsigned)(a.v[i] <= b.v[i]) << i;
  return mask;
}

#endif

#endif
