/*
 * Code that is compiled for processors and, by nvcc, for GPUs. A single source gives the same bits on both:
 * no product and sum is contracted (-ffp-contract=off, -fmad=false), quotients and roots are rounded
 * correctly, and sqrt, fabs, fma, rint and floor are exact everywhere. Other functions of libm differ by
 * units in the last place: they are used only where a margin covers the difference.
 */
#ifndef GV_BOTH_H
#define GV_BOTH_H

#include <math.h>

#ifdef __CUDACC__
#define GV_BOTH static inline __host__ __device__
#else
#define GV_BOTH static inline
#endif

/* Before a loop: GPUs take four steps at once. */
#ifdef __CUDA_ARCH__
#define GV_UNROLL_4 _Pragma("unroll 4")
#else
#define GV_UNROLL_4
#endif

/* fmin and fmax of numbers, which are calls on processors and look for NaN on GPUs. */
GV_BOTH double gv_smaller(double a, double b) {
  return a < b ? a : b;
}

GV_BOTH double gv_larger(double a, double b) {
  return a > b ? a : b;
}

#endif
