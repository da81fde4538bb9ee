/*
 * Types and operations of the vector kernels: vectors of the instruction set that a file is compiled for. One
 * source is compiled once for each (cmake/GpuvoronoiKernels.cmake defines GV_SIMD, its name, and
 * GV_SIMD_BITS), chosen at run time.
 *
 * Vectors are those of GCC and Clang: + - * / of numbers and & | ^ ~ of whole ones work lane by lane, and a
 * scalar operand applies to all lanes. Products and sums are never contracted, so formulas give the same bits
 * in vectors and in scalars. Other operations are here and in *_primitives.h: intrinsics, where compilers do
 * not find the instruction. Comparisons are among them, because AVX-512 has mask registers.
 */
#ifndef GV_SIMD_VECTORS_H
#define GV_SIMD_VECTORS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef GV_COUNT_COVERAGE /* once, not in each place where it is inlined (tests/line_coverage.py) */
#define GV_INLINE static inline
#else
#define GV_INLINE static inline __attribute__((always_inline))
#endif

/* GV_VARIANT(name) is the name of this instruction set's one: name_avx2. */
#define GV_VARIANT_JOIN(name, simd) name##_##simd
#define GV_VARIANT_OF(name, simd)   GV_VARIANT_JOIN(name, simd)
#define GV_VARIANT(name)            GV_VARIANT_OF(name, GV_SIMD)

#define GV_VECTOR_OF(bits) __attribute__((vector_size((bits) / 8)))
typedef double vd GV_VECTOR_OF(GV_SIMD_BITS);
typedef float vf GV_VECTOR_OF(GV_SIMD_BITS);        /* only where a margin covers what floats lose */
typedef int32_t vi GV_VECTOR_OF(GV_SIMD_BITS);      /* whole numbers */
typedef int64_t vd_bits GV_VECTOR_OF(GV_SIMD_BITS); /* of doubles */
typedef float vd_floats GV_VECTOR_OF(GV_SIMD_BITS / 2);
typedef int32_t vd_integers GV_VECTOR_OF(GV_SIMD_BITS / 2);

enum { VD_LANES = GV_SIMD_BITS / 64, VF_LANES = GV_SIMD_BITS / 32 };

#define GV_LOAD(type, from)                                                                                  \
  type a;                                                                                                    \
  memcpy(&a, from, sizeof a);                                                                                \
  return a

GV_INLINE vd vd_load(const double *p) {
  GV_LOAD(vd, p);
}
GV_INLINE vf vf_load(const float *p) {
  GV_LOAD(vf, p);
}
GV_INLINE vi vi_load(const int32_t *p) {
  GV_LOAD(vi, p);
}
#undef GV_LOAD
GV_INLINE void vd_store(double *p, vd a) {
  memcpy(p, &a, sizeof a);
}
GV_INLINE void vf_store(float *p, vf a) {
  memcpy(p, &a, sizeof a);
}
GV_INLINE void vi_store(int32_t *p, vi a) {
  memcpy(p, &a, sizeof a);
}

/* The same in all lanes. (a - 0 is a; -0 + 0 would not be -0.) */
GV_INLINE vd vd_all(double a) {
  return a - (vd){0};
}
GV_INLINE vf vf_all(float a) {
  return a - (vf){0};
}
GV_INLINE vi vi_all(int32_t a) {
  return a - (vi){0};
}
/* 0, 1, 2 ... */
GV_INLINE vd vd_lane_numbers(void) {
  static const double number[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  return vd_load(number);
}

GV_INLINE vd vd_abs(vd a) {
  return (vd)((vd_bits)a & INT64_MAX);
}
GV_INLINE vf vf_abs(vf a) {
  return (vf)((vi)a & INT32_MAX);
}

/* Lanes must be integers in the range of int32. */
GV_INLINE void vd_store_int32(int32_t *p, vd a) {
  vd_integers whole = __builtin_convertvector(a, vd_integers);
  memcpy(p, &whole, sizeof whole);
}
/* VF_LANES numbers. */
GV_INLINE void vd_store_floats(float *p, vd low, vd high) {
  vd_floats a = __builtin_convertvector(low, vd_floats), b = __builtin_convertvector(high, vd_floats);
  memcpy(p, &a, sizeof a);
  memcpy(p + VD_LANES, &b, sizeof b);
}

#if GV_SIMD_BITS == 512
#include "core/simd/avx512_primitives.h"
#elif GV_SIMD_BITS == 256
#include "core/simd/avx2_primitives.h"
#else
#include "core/simd/baseline_primitives.h"
#endif

#endif
