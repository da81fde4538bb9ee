/*
 * gpuvoronoi - what is made of answers that lie on a CUDA device, without leaving it.
 *
 * SPDX-License-Identifier: MIT
 *
 * The conventions of gpuvoronoi.h hold here too, and those of gv_memory: all arrays lie on one device.
 */
#ifndef GPUVORONOI_DEVICE_H
#define GPUVORONOI_DEVICE_H

#include "gpuvoronoi_strips.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------- measuring on a device */

/*
 * Example:
 *     gv_strip_measure measure = GV_STRIP_MEASURE_INIT; // of the labels that gv_voronoi_strip has left on the device
 *     if (gv_voronoi_measure_strip(context, NULL, &measure) != GV_ERROR_INVALID_ARGUMENT) return 1; // without a grid
 */

/* Cells of a strip, their seeds, and where their distances and azimuths go. */
typedef struct gv_strip_measure {
  size_t struct_size;
  int64_t column, row;   /* the first cell */
  int64_t columns, rows; /* 0: up to the grid's edge */
  int32_t bands;         /* >= 1 */
  const int32_t
      *seed; /* seed[b * band_stride + r * stride + c]: numbers from 0, as they are without labels; < 0: none */
  int64_t stride, band_stride; /* in values */
  gv_dtype type;               /* of distance */
  void *distance;              /* likewise with the out_ strides; may be NULL if there are azimuths */
  int64_t out_stride, out_band_stride;
  void *stream;   /* see gv_memory */
  float *azimuth; /* likewise with the out_ strides; may be NULL */
} gv_strip_measure;

#define GV_STRIP_MEASURE_INIT                                                                                      \
  { sizeof(gv_strip_measure), 0, 0, 0, 0, 1, NULL, 0, 0, GV_FLOAT32, NULL, 0, 0, NULL, NULL }

/*
 * The distances and azimuths of gv_voronoi_measure, to the bit, of seeds in a device's memory into memory of the same device; for arrays of
 * the host there is that function. The grid is one that gv_voronoi_strip answers there. The host is asked about the few pairs that the
 * series of geodesics does not answer, near the antipodes, directions also within a metre, and about all where the ellipsoid is prolate or
 * flatter than 1/50.
 *
 * Errors: as gv_voronoi_strip; INVALID_ARGUMENT also for a seed number beyond the last.
 */
GV_API gv_status gv_voronoi_measure_strip(gv_context *context, const gv_voronoi *voronoi,
                                          const gv_strip_measure *measure);

/* ------------------------------------------------------------------------------------------ statistics on a device */

/*
 * Example:
 *     gv_strip_statistics strip = GV_STRIP_STATISTICS_INIT; // labels that gv_voronoi_strip has left on the device
 *     if (gv_statistics_add_strip(context, NULL, &strip) != GV_ERROR_INVALID_ARGUMENT) return 1; // without statistics
 */

/* A quantity of the cells of a strip: a value each. */
typedef struct gv_strip_quantity {
  gv_dtype type;     /* GV_FLOAT32, GV_FLOAT64 */
  const void *value; /* value[r * stride + c], on the device */
  int64_t stride;    /* in values */
} gv_strip_quantity;

/* Cells of a strip, their seeds and quantities. */
typedef struct gv_strip_statistics {
  size_t struct_size;
  int64_t column, row;               /* the first cell */
  int64_t columns, rows;             /* 0: up to the grid's edge */
  const int32_t *seed;               /* seed[r * stride + c]: numbers from 0, the first band; < 0: none */
                                     /* NULL: the nearest seeds, which are found on the device */
  int64_t stride;                    /* in values */
  const gv_strip_quantity *quantity; /* an array of the host's, one for each of the statistics' `sums` */
  void *stream;                      /* see gv_memory */
} gv_strip_statistics;

#define GV_STRIP_STATISTICS_INIT                                                                                   \
  { sizeof(gv_strip_statistics), 0, 0, 0, 0, NULL, 0, NULL, NULL }

/*
 * What gv_statistics_add does, for a strip whose seeds and quantities lie on a device, or whose seeds are still to be found there (on
 * the context's device if there are no quantities): the same sums, to the bit, in any mixture of blocks and strips. Where the
 * statistics have distances, the device measures them as gv_voronoi_measure_strip does. The grid is one that gv_voronoi_strip answers
 * there, without labels. Memory of the device: about 100 bytes a seed (or group) and 32 a quantity of each, 1 GiB at most for seeds
 * that are found, 512 MiB at most for distances. Only these sums come to the host.
 *
 * Errors: as gv_voronoi_strip, and gv_statistics_add. Nothing of a strip that ends in one has been added.
 */
GV_API gv_status gv_statistics_add_strip(gv_context *context, gv_statistics *statistics,
                                         const gv_strip_statistics *strip);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_DEVICE_H */
