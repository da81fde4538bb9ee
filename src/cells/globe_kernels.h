/* Positions on the globe, many at a time. One source (globe_kernels_body.h), compiled for each instruction set. */
#ifndef GV_GLOBE_KERNELS_H
#define GV_GLOBE_KERNELS_H

#include "cells/globe.h"

/* eccentricity2 < 0 stands for the unit sphere. */
typedef struct gv_globe_kernels {
  void (*sincos)(int64_t n, const double *degrees, double *sine, double *cosine);
  void (*meridian)(double eccentricity2, int64_t n, const double *sine, const double *cosine, double *p, double *z);
  void (*vectors)(double eccentricity2, int64_t n, const double *lon, const double *lat, double *x, double *y,
                  double *z);
} gv_globe_kernels;

extern const gv_globe_kernels gv_globe_kernels_baseline;
#if defined(GV_HAVE_X86_KERNELS)
extern const gv_globe_kernels gv_globe_kernels_avx2;
extern const gv_globe_kernels gv_globe_kernels_avx512;
#endif

#endif
