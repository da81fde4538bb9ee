/*
 * The vector kernels of measuring: distances and directions of many pairs of a cell and a seed, other than
 * geodesics (geodesic/series.h). One source (measure_kernels.c), compiled once for each instruction set,
 * chosen at run time. Additions, multiplications, divisions and roots in one order, never fused: the same
 * bits on every CPU.
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

GV_KERNEL_TABLE(gv_measure_kernels);

#endif
