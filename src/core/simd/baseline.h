/* Four doubles in plain C, for processors without a header of their own: fixed-length loops that a compiler turns
 * into whatever the target offers. Same names as the other headers of this folder. */
#ifndef GV_SIMD_BASELINE_H
#define GV_SIMD_BASELINE_H

#include <math.h>
#include <stdint.h>

enum {
  VD_LANES = 4,
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
static inline vd vd_gather(const double *table, vd at) {
  GV_LANES(table[(int32_t)at.v[i]]);
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

#undef GV_LANES

#endif
