/*
 * The vector kernels of measuring: distances and directions of many pairs of a cell and a seed, other than geodesics
 * (geodesic/series.h). One source (measure_kernels_body.h), compiled once for each instruction set, chosen at run time.
 * Additions, multiplications, divisions and roots in one order, never fused: the same bits on every processor.
 */
#ifndef GV_MEASURE_KERNELS_H
#define GV_MEASURE_KERNELS_H

#include "core/core.h"
#include "geodesic/pairs.h"

typedef struct gv_measure_kernels {
  void (*plane[3])(const gv_pairs *pairs, double *distance); /* by metric */
  void (*great_circle)(const gv_pairs *pairs, double radius, double *distance);
  /* Degrees clockwise from north, 0 ... 360 with both ends. */
  void (*plane_azimuth)(const gv_pairs *pairs, double *azimuth);
  void (*great_circle_azimuth)(const gv_pairs *pairs, const gv_norths *norths, double *azimuth);
} gv_measure_kernels;

extern const gv_measure_kernels gv_measure_kernels_baseline;
#if defined(GV_HAVE_X86_KERNELS)
extern const gv_measure_kernels gv_measure_kernels_avx2;
extern const gv_measure_kernels gv_measure_kernels_avx512;
#endif

/* Those of this processor (gv_simd_level). */
const gv_measure_kernels *gv_measure_kernels_get(void);

#endif
