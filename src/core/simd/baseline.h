/* Two doubles, four floats or whole numbers in 128 bits, by the vector extensions of GCC and Clang: SSE2 on x86-64, NEON on
 * 64-bit ARM, whatever there is on others. Same names as the other headers of this folder. */
#ifndef GV_SIMD_BASELINE_H
#define GV_SIMD_BASELINE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

enum {
  VD_LANES = 2,
  VF_LANES = 4,
  VD_GROUP = 2 /* vectors of cells a kernel keeps in registers at once: 16 registers hold two */
};

typedef double vd __attribute__((vector_size(16)));
typedef int64_t vm __attribute__((vector_size(16))); /* all ones or zero */

static inline vd vd_load(const double *p) {
  return (vd){p[0], p[1]};
}
static inline void vd_store(double *p, vd a) {
  memcpy(p, &a, sizeof a);
}
static inline vd vd_set1(double a) {
  return (vd){a, a};
}
static inline vd vd_lane_numbers(void) {
  return (vd){0.0, 1.0};
}
static inline vd vd_add(vd a, vd b) {
  return a + b;
}
static inline vd vd_sub(vd a, vd b) {
  return a - b;
}
static inline vd vd_mul(vd a, vd b) {
  return a * b;
}
static inline vd vd_fma_loose(vd a, vd b, vd c) {
  return a * b + c;
}
static inline vd vd_divide(vd a, vd b) {
  return a / b;
}
static inline vd vd_sqrt(vd a) {
  return (vd){sqrt(a[0]), sqrt(a[1])};
}
static inline vd vd_abs(vd a) {
  return (vd)((vm)a & INT64_MAX);
}
static inline vm vd_less(vd a, vd b) {
  return a < b;
}
static inline vm vd_equal(vd a, vd b) {
  return a == b;
}
static inline vm vm_and(vm a, vm b) {
  return a & b;
}
static inline vm vm_or(vm a, vm b) {
  return a | b;
}
static inline vd vd_select(vm m, vd yes, vd no) {
  return (vd)((m & (vm)yes) | (~m & (vm)no));
}
/* The second one where either is not a number, as x86 has it. */
static inline vd vd_min(vd a, vd b) {
#if defined(__SSE2__)
  return _mm_min_pd(a, b);
#else
  return vd_select(a < b, a, b);
#endif
}
static inline vd vd_max(vd a, vd b) {
#if defined(__SSE2__)
  return _mm_max_pd(a, b);
#else
  return vd_select(a > b, a, b);
#endif
}
static inline unsigned vm_bits(vm m) {
#if defined(__SSE2__)
  return (unsigned)_mm_movemask_pd((vd)m);
#else
  return (unsigned)((m[0] & 1) | (m[1] & 2));
#endif
}
static inline double vd_reduce_min(vd a) {
  return a[0] < a[1] ? a[0] : a[1];
}
static inline void vd_store_int32(int32_t *p, vd a) {
#if defined(__SSE2__)
  _mm_storel_epi64((__m128i *)p, _mm_cvttpd_epi32(a));
#else
  p[0] = (int32_t)a[0];
  p[1] = (int32_t)a[1];
#endif
}

static inline void vd_compress(double *to, unsigned keep, vd a) {
  to[0] = a[0];
  to[keep & 1U] = a[1];
}
static inline void vd_compress_int32(int32_t *to, unsigned keep, const int32_t *from) {
  int32_t second = from[1];
  to[0] = from[0];
  to[keep & 1U] = second;
}

static inline vd vd_load_first(const double *p, int n) {
  return (vd){n > 0 ? p[0] : 0.0, 0.0};
}
static inline double vd_reduce_max(vd a) {
  return a[0] > a[1] ? a[0] : a[1];
}
static inline double vd_reduce_add_exact(vd a) {
  return a[0] + a[1];
}

/* Bit i is set where cell[i] is not its predecessor, for 32 whole numbers; the first one has none. */
static inline uint32_t differing_box(const int32_t *cell) {
  uint32_t bits = 0;
  for (int i = 1; i < 32; i++)
    bits |= (uint32_t)(cell[i] != cell[i - 1]) << i;
  return bits;
}

typedef int32_t vi __attribute__((vector_size(16)));

static inline vi vi_set1(int32_t a) {
  return (vi){a, a, a, a};
}
static inline vi vi_load(const int32_t *p) {
  vi a;
  memcpy(&a, p, sizeof a);
  return a;
}
static inline void vi_store(int32_t *p, vi a) {
  memcpy(p, &a, sizeof a);
}
static inline void vi_store_first(int32_t *p, int n, vi a) {
  for (int i = 0; i < n; i++)
    p[i] = a[i];
}
static inline unsigned vi_bits(vi m) {
#if defined(__SSE2__)
  return (unsigned)_mm_movemask_ps((__m128)m);
#else
  return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}
/* Bit i is set where cell[i] is not a, for 32 whole numbers and a vector of equal ones. */
static inline uint32_t differing_from(const int32_t *cell, vi a) {
  uint32_t bits = 0;
  for (int i = 0; i < 32; i += VF_LANES)
    bits |= (uint32_t)vi_bits(vi_load(cell + i) != a) << i;
  return bits;
}
/* The same for `rows` rows of them. */
static inline void differing_rows(const int32_t *cell, int64_t stride, int32_t rows, vi a, int32_t *bits) {
  for (int32_t r = 0; r < rows; r++, cell += stride)
    bits[r] = (int32_t)differing_from(cell, a);
}
static inline vi vi_xor(vi a, vi b) {
  return a ^ b;
}
static inline vi vi_or(vi a, vi b) {
  return a | b;
}
static inline vi vi_and(vi a, vi b) {
  return a & b;
}
static inline vi vi_add(vi a, vi b) {
  return a + b;
}
static inline vi vi_sub(vi a, vi b) {
  return a - b;
}
static inline vi vi_count_bits(vi a) {
  for (int i = 0; i < VF_LANES; i++)
    a[i] = __builtin_popcount((uint32_t)a[i]);
  return a;
}
static inline bool vi_any(vi a) {
  return (a[0] | a[1] | a[2] | a[3]) != 0;
}
static inline vi vi_select(vi m, vi yes, vi no) {
  return (m & yes) | (~m & no);
}
/* a within low ... high. */
static inline vi vi_clamp(vi a, vi low, vi high) {
  a = vi_select(a < low, low, a);
  return vi_select(a > high, high, a);
}
static inline int32_t vi_reduce_add(vi a) {
  return a[0] + a[1] + a[2] + a[3];
}

typedef float vf __attribute__((vector_size(16)));

static inline vf vf_load(const float *p) {
  vf a;
  memcpy(&a, p, sizeof a);
  return a;
}
static inline vf vf_set1(float a) {
  return (vf){a, a, a, a};
}
static inline vf vf_sub(vf a, vf b) {
  return a - b;
}
static inline vf vf_fnma_loose(vf a, vf b, vf c) {
  return c - a * b;
}
static inline vf vf_min(vf a, vf b) {
#if defined(__SSE2__)
  return _mm_min_ps(a, b);
#else
  return (vf)vi_select(a < b, (vi)a, (vi)b);
#endif
}
static inline vf vf_max(vf a, vf b) {
#if defined(__SSE2__)
  return _mm_max_ps(a, b);
#else
  return (vf)vi_select(a > b, (vi)a, (vi)b);
#endif
}
static inline unsigned vf_less_bits(vf a, vf b) {
  return vi_bits(a < b);
}
static inline vf vf_tag(vf a, vf tag, vf mask) {
  return (vf)vi_select((vi)mask, (vi)tag, (vi)a);
}
static inline vf vf_set1_bits(uint32_t bits) {
  return (vf)vi_set1((int32_t)bits);
}
static inline void vf_store_narrow(float *p, vd low, vd high) {
  vf a = {(float)low[0], (float)low[1], (float)high[0], (float)high[1]};
  memcpy(p, &a, sizeof a);
}

typedef struct vf_table {
  const int32_t *entry;
} vf_table;

static inline vf_table vf_table_load(const int32_t *entry) {
  return (vf_table){entry};
}
static inline void vf_look_up(int32_t *p, vf_table table, vf a) {
  vi at = (vi)a & 15;
  for (int i = 0; i < VF_LANES; i++)
    p[i] = table.entry[at[i]];
}

static inline vd vd_truncate(vd a) {
  return (vd){trunc(a[0]), trunc(a[1])};
}

/* Of whole numbers below 2^63 in size, lane by lane: the lowest 32 bits with their sign, and the 2^32s that are left. */
static inline void vd_store_parts(int64_t *p, vd a) {
  for (int i = 0; i < VD_LANES; i++) {
    int64_t whole = (int64_t)a[i], low = (int32_t)(uint32_t)whole;
    p[2 * i] = low;
    p[2 * i + 1] = (whole - low) / (INT64_C(1) << 32);
  }
}

/* Sixteen whole numbers of 64 bits, modulo 2^64. */
typedef struct vl {
  uint64_t v[16];
} vl;

static inline vl vl_load(const int64_t *p) {
  vl r;
  memcpy(&r, p, sizeof r);
  return r;
}
static inline void vl_store(int64_t *p, vl a) {
  memcpy(p, &a, sizeof a);
}
static inline vl vl_add(vl a, vl b) {
  for (int i = 0; i < 16; i++)
    a.v[i] += b.v[i];
  return a;
}
static inline vl vl_sub(vl a, vl b) {
  for (int i = 0; i < 16; i++)
    a.v[i] -= b.v[i];
  return a;
}
/* factor[i] x value[i % 4] for i < 8, factor[i] x c from there to 15. */
static inline vl vl_all_products(const int32_t *value, int64_t c, vl factor) {
  for (int i = 0; i < 16; i++)
    factor.v[i] *= (uint64_t)(i < 8 ? value[i % 4] : c);
  return factor;
}
static inline vl vl_products(const int32_t *value, const int32_t *c, const int64_t *factor) {
  return vl_all_products(value, *c, vl_load(factor));
}

/* Two whole numbers of 64 bits. */
typedef struct vq {
  int64_t v[2];
} vq;

static inline vq vq_of(int64_t a, int64_t b) {
  return (vq){{a, b}};
}
static inline vq vq_load(const int64_t *p) {
  return (vq){{p[0], p[1]}};
}
static inline void vq_store(int64_t *p, vq a) {
  p[0] = a.v[0];
  p[1] = a.v[1];
}
static inline vq vq_add(vq a, vq b) {
  return (vq){{(int64_t)((uint64_t)a.v[0] + (uint64_t)b.v[0]), (int64_t)((uint64_t)a.v[1] + (uint64_t)b.v[1])}};
}
static inline vq vq_sub(vq a, vq b) {
  return (vq){{a.v[0] - b.v[0], a.v[1] - b.v[1]}};
}
/* Both times x: all three in the range of int32. */
static inline vq vq_times(vq a, int32_t x) {
  return (vq){{a.v[0] * x, a.v[1] * x}};
}

#endif
