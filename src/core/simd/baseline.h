/* Four doubles in plain C, for processors without a header of their own: fixed-length loops that a compiler turns
 * into whatever the target offers. Same names as the other headers of this folder. */
#ifndef GV_SIMD_BASELINE_H
#define GV_SIMD_BASELINE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
  VD_LANES = 4,
  VF_LANES = 8,
  VD_GROUP = 1 /* vectors of cells a kernel keeps in registers at once: one is as good as more */
};

typedef struct vd {
  double v[4];
} vd;
typedef struct vm {
  uint64_t v[4]; /* all ones or zero */
} vm;

#define GV_LANES(expression)                                                                                       \
  vd r;                                                                                                            \
  for (int i = 0; i < 4; i++)                                                                                      \
    r.v[i] = (expression);                                                                                         \
  return r

static inline vd vd_load(const double *p) {
  GV_LANES(p[i]);
}
static inline void vd_store(double *p, vd a) {
  for (int i = 0; i < 4; i++)
    p[i] = a.v[i];
}
static inline vd vd_set1(double a) {
  GV_LANES(a);
}
static inline vd vd_lane_numbers(void) {
  GV_LANES((double)i);
}
static inline vd vd_add(vd a, vd b) {
  GV_LANES(a.v[i] + b.v[i]);
}
static inline vd vd_sub(vd a, vd b) {
  GV_LANES(a.v[i] - b.v[i]);
}
static inline vd vd_mul(vd a, vd b) {
  GV_LANES(a.v[i] * b.v[i]);
}
static inline vd vd_fma_loose(vd a, vd b, vd c) {
  GV_LANES(a.v[i] * b.v[i] + c.v[i]);
}
static inline vd vd_divide(vd a, vd b) {
  GV_LANES(a.v[i] / b.v[i]);
}
static inline vd vd_sqrt(vd a) {
  GV_LANES(sqrt(a.v[i]));
}
static inline vd vd_abs(vd a) {
  GV_LANES(fabs(a.v[i]));
}
static inline vd vd_min(vd a, vd b) {
  GV_LANES(a.v[i] < b.v[i] ? a.v[i] : b.v[i]);
}
static inline vd vd_max(vd a, vd b) {
  GV_LANES(a.v[i] > b.v[i] ? a.v[i] : b.v[i]);
}
static inline vm vd_less(vd a, vd b) {
  vm m;
  for (int i = 0; i < 4; i++)
    m.v[i] = a.v[i] < b.v[i] ? UINT64_MAX : 0;
  return m;
}
static inline vm vd_equal(vd a, vd b) {
  vm m;
  for (int i = 0; i < 4; i++)
    m.v[i] = a.v[i] == b.v[i] ? UINT64_MAX : 0;
  return m;
}
static inline vm vm_and(vm a, vm b) {
  for (int i = 0; i < 4; i++)
    a.v[i] &= b.v[i];
  return a;
}
static inline vm vm_or(vm a, vm b) {
  for (int i = 0; i < 4; i++)
    a.v[i] |= b.v[i];
  return a;
}
static inline vd vd_select(vm m, vd yes, vd no) {
  GV_LANES(m.v[i] ? yes.v[i] : no.v[i]);
}
static inline unsigned vm_bits(vm m) {
  return (unsigned)((m.v[0] & 1) | (m.v[1] & 2) | (m.v[2] & 4) | (m.v[3] & 8));
}
static inline double vd_reduce_min(vd a) {
  double low = a.v[0] < a.v[1] ? a.v[0] : a.v[1], high = a.v[2] < a.v[3] ? a.v[2] : a.v[3];
  return low < high ? low : high;
}
static inline void vd_store_int32(int32_t *p, vd a) {
  for (int i = 0; i < 4; i++)
    p[i] = (int32_t)a.v[i];
}

static inline void vd_compress(double *to, unsigned keep, vd a) {
  for (int i = 0, n = 0; i < 4; i++) {
    to[n] = a.v[i];
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
  GV_LANES(i < n ? p[i] : 0.0);
}
static inline double vd_reduce_max(vd a) {
  double low = a.v[0] > a.v[1] ? a.v[0] : a.v[1], high = a.v[2] > a.v[3] ? a.v[2] : a.v[3];
  return low > high ? low : high;
}
static inline double vd_reduce_add_exact(vd a) {
  return (a.v[0] + a.v[1]) + (a.v[2] + a.v[3]);
}

/* Bit i is set where cell[i] is not its predecessor, for 32 whole numbers; the first one has none. */
static inline uint32_t differing_box(const int32_t *cell) {
  uint32_t bits = 0;
  for (int i = 1; i < 32; i++)
    bits |= (uint32_t)(cell[i] != cell[i - 1]) << i;
  return bits;
}

#undef GV_LANES

typedef struct vi {
  int32_t v[8];
} vi;

#define GV_LANES(expression)                                                                                       \
  vi r;                                                                                                            \
  for (int i = 0; i < 8; i++)                                                                                      \
    r.v[i] = (expression);                                                                                         \
  return r

static inline vi vi_set1(int32_t a) {
  GV_LANES(a);
}
static inline vi vi_load(const int32_t *p) {
  GV_LANES(p[i]);
}
/* Bit i is set where cell[i] is not a, for 32 whole numbers and a vector of equal ones. */
static inline uint32_t differing_from(const int32_t *cell, vi a) {
  uint32_t bits = 0;
  for (int i = 0; i < 32; i++)
    bits |= (uint32_t)(cell[i] != a.v[0]) << i;
  return bits;
}
/* The same for `rows` rows of them. */
static inline void differing_rows(const int32_t *cell, int64_t stride, int32_t rows, vi a, int32_t *bits) {
  for (int32_t r = 0; r < rows; r++, cell += stride)
    bits[r] = (int32_t)differing_from(cell, a);
}
static inline void vi_store(int32_t *p, vi a) {
  for (int i = 0; i < 8; i++)
    p[i] = a.v[i];
}
static inline void vi_store_first(int32_t *p, int n, vi a) {
  for (int i = 0; i < n; i++)
    p[i] = a.v[i];
}
static inline vi vi_xor(vi a, vi b) {
  GV_LANES(a.v[i] ^ b.v[i]);
}
static inline vi vi_or(vi a, vi b) {
  GV_LANES(a.v[i] | b.v[i]);
}
static inline vi vi_and(vi a, vi b) {
  GV_LANES(a.v[i] & b.v[i]);
}
static inline vi vi_add(vi a, vi b) {
  GV_LANES((int32_t)((uint32_t)a.v[i] + (uint32_t)b.v[i]));
}
static inline vi vi_sub(vi a, vi b) {
  GV_LANES((int32_t)((uint32_t)a.v[i] - (uint32_t)b.v[i]));
}
static inline vi vi_count_bits(vi a) {
  GV_LANES(__builtin_popcount((uint32_t)a.v[i]));
}
static inline bool vi_any(vi a) {
  int32_t any = 0;
  for (int i = 0; i < 8; i++)
    any |= a.v[i];
  return any != 0;
}
/* a within low ... high. */
static inline vi vi_clamp(vi a, vi low, vi high) {
  GV_LANES(a.v[i] < low.v[i] ? low.v[i] : a.v[i] > high.v[i] ? high.v[i] : a.v[i]);
}
static inline int32_t vi_reduce_add(vi a) {
  int32_t sum = 0;
  for (int i = 0; i < 8; i++)
    sum += a.v[i];
  return sum;
}

#undef GV_LANES

typedef struct vf {
  float v[8];
} vf;

#define GV_LANES(expression)                                                                                       \
  vf r;                                                                                                            \
  for (int i = 0; i < 8; i++)                                                                                      \
    r.v[i] = (expression);                                                                                         \
  return r

static inline vf vf_load(const float *p) {
  GV_LANES(p[i]);
}
static inline vf vf_set1(float a) {
  GV_LANES(a);
}
static inline vf vf_sub(vf a, vf b) {
  GV_LANES(a.v[i] - b.v[i]);
}
static inline vf vf_fnma_loose(vf a, vf b, vf c) {
  GV_LANES(c.v[i] - a.v[i] * b.v[i]);
}
static inline vf vf_min(vf a, vf b) {
  GV_LANES(a.v[i] < b.v[i] ? a.v[i] : b.v[i]);
}
static inline vf vf_max(vf a, vf b) {
  GV_LANES(a.v[i] > b.v[i] ? a.v[i] : b.v[i]);
}
static inline unsigned vf_less_bits(vf a, vf b) {
  unsigned bits = 0;
  for (int i = 0; i < 8; i++)
    bits |= (unsigned)(a.v[i] < b.v[i]) << i;
  return bits;
}

typedef struct vf_bits {
  uint32_t v[8];
} vf_bits;

static inline vf_bits vf_bits_of(vf a) {
  vf_bits bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}
static inline vf vf_tag(vf a, vf tag, vf mask) {
  vf_bits x = vf_bits_of(a), t = vf_bits_of(tag), m = vf_bits_of(mask);
  for (int i = 0; i < 8; i++)
    x.v[i] = (x.v[i] & ~m.v[i]) | (t.v[i] & m.v[i]);
  vf r;
  memcpy(&r, &x, sizeof r);
  return r;
}
static inline vf vf_set1_bits(uint32_t bits) {
  float a;
  memcpy(&a, &bits, sizeof a);
  return vf_set1(a);
}
static inline void vf_store_narrow(float *p, vd low, vd high) {
  for (int i = 0; i < 4; i++) {
    p[i] = (float)low.v[i];
    p[4 + i] = (float)high.v[i];
  }
}

typedef struct vf_table {
  const int32_t *entry;
} vf_table;

static inline vf_table vf_table_load(const int32_t *entry) {
  return (vf_table){entry};
}
static inline void vf_look_up(int32_t *p, vf_table table, vf a) {
  vf_bits bits = vf_bits_of(a);
  for (int i = 0; i < 8; i++)
    p[i] = table.entry[bits.v[i] & 15];
}

#undef GV_LANES

static inline vd vd_truncate(vd a) {
  vd r;
  for (int i = 0; i < 4; i++)
    r.v[i] = trunc(a.v[i]);
  return r;
}

/* Of whole numbers below 2^63 in size, lane by lane: the lowest 32 bits with their sign, and the 2^32s that are left. */
static inline void vd_store_parts(int64_t *p, vd a) {
  for (int i = 0; i < VD_LANES; i++) {
    int64_t whole = (int64_t)a.v[i], low = (int32_t)(uint32_t)whole;
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
