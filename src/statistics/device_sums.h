/*
 * Statistics of cells on a device, from device memory: the CUDA interface of adding strips
 * (statistics/strips.c).
 */
#ifndef GV_STATISTICS_DEVICE_SUMS_H
#define GV_STATISTICS_DEVICE_SUMS_H

#include "gpuvoronoi/experimental.h"
#include "statistics/parts.h"
#include "voronoi/gpu/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

/* LONLAT: sums of gv_row_factors over the rows of a strip before one, the last two modulo 2^64. */
typedef struct gv_row_sums {
  gv_wide area;
  uint64_t across, up;
} gv_row_sums;

/* Factors of a strip, computed by the host. Those that the grid's kind does not need are NULL. */
typedef struct gv_strip_factors {
  const gv_row_sums *row; /* of its rows, and one more */
  const double *share;    /* of its rows */
  const double *triangle; /* mesh: areas by row of an octant and by orientation */
} gv_strip_factors;

/* Errors of cells. */
typedef struct gv_device_faults {
  int32_t beyond;   /* the largest number that belongs to no seed; 0: none */
  int32_t distance; /* 1: there is none, or one that is too long */
  int32_t quantity; /* 1 + its number; 0: none */
  int32_t unused;
} gv_device_faults;

/* The sums of a strip on the device, in memory of the raster's queue. */
typedef struct gv_device_sums {
  const gv_statistics *s;
  int64_t column, row; /* of the strip */
  const gv_row_sums *rows;
  const double *share, *triangle;
  const gv_column_sums *columns;
  const int32_t *group;
  gv_totals *of_row;
  gv_sum *of_sum;
  gv_device_faults *faults;
  int32_t *seed;    /* room for labels */
  double *distance; /* room for distances */
} gv_device_sums;

/* Functions in the CUDA module (search/cuda_module.h). */
typedef struct gv_statistics_device {
  /* Begins with sums of 0; `labels`, `distances`: number of values to reserve memory for. Errors:
   * OUT_OF_MEMORY, DEVICE. */
  gv_status (*begin)(gv_context *context, gv_cuda_raster *raster, const gv_statistics *s,
                     const gv_statistics_cells *strip, const gv_strip_factors *factors, int64_t labels,
                     int64_t distances, gv_device_sums *out);
  /* Starts to add a part of the strip. Its distances are in `distance`, row after row without gaps. Errors:
   * DEVICE. */
  gv_status (*add)(gv_context *context, gv_cuda_raster *raster, const gv_device_sums *sums,
                   const gv_statistics_cells *part);
  /* Waits, and returns the sums: s->rows, and s->sums of each. Errors: OUT_OF_MEMORY, DEVICE. */
  gv_status (*take)(gv_context *context, gv_cuda_raster *raster, const gv_device_sums *sums,
                    gv_totals *of_row, gv_sum *of_sum, gv_device_faults *faults);
} gv_statistics_device;

#ifdef __cplusplus
}
#endif

#endif
