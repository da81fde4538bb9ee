/*
 * gpuvoronoi - rectangles of a grid at once, in the host's memory or where they are worked on: on a CUDA device.
 *
 * SPDX-License-Identifier: MIT
 *
 * The conventions of gpuvoronoi.h hold here too, and those of gv_memory.
 */
#ifndef GPUVORONOI_STRIPS_H
#define GPUVORONOI_STRIPS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------- strips */

/*
 * Example:
 *     const double x[] = {2, 7}, y[] = {5, 5}; // two seeds, a plane of 10 x 10 cells of size 1
 *     int32_t seed[3][4]; // of columns 3 ... 6 of rows 5 ... 7
 *     gv_grid grid = GV_GRID_INIT;
 *     gv_seeds seeds = {x, y, 2};
 *     gv_voronoi *voronoi = NULL;
 *     gv_strip strip = GV_STRIP_INIT;
 *     grid.width = grid.height = 10;
 *     strip.column = 3;
 *     strip.row = 5;
 *     strip.columns = strip.stride = 4;
 *     strip.rows = 3;
 *     strip.out = &seed[0][0]; // or memory of a device, with strip.memory = GV_MEMORY_CUDA and the backend "cuda-tile"
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi);
 *     if (status == GV_OK) status = gv_voronoi_strip(context, voronoi, &strip);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || seed[0][0] != 0 || seed[0][1] != 0 || seed[0][2] != 1 || seed[2][3] != 1) return 1;
 */

/* A rectangle of cells, wherever blocks begin. Of GV_GRID_QTM: cells of the one row that a mesh is. */
typedef struct gv_strip {
  size_t struct_size;
  int64_t column, row;   /* its first cell */
  int64_t columns, rows; /* 0: up to the grid's edge */
  const uint8_t *mask;   /* mask[r * mask_stride + c]: 0 = leave out (nodata); NULL = all cells */
  int64_t mask_stride;
  int32_t
      *out; /* band b, row r, column c of the strip: out[b * band_stride + r * stride + c], as gv_block has it */
  int64_t stride, band_stride; /* in cells; band_stride is not looked at when k is 1 */
  void *stream;                /* of `memory` */
  gv_memory memory;            /* of mask and out */
} gv_strip;

#define GV_STRIP_INIT                                                                                              \
  { sizeof(gv_strip), 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, GV_MEMORY_HOST }

/*
 * What gv_voronoi_fill answers, for the cells of a strip, with the context's threads and progress: the same values whatever the
 * rectangle and the memory.
 *
 * GV_MEMORY_CUDA: the backend is `cuda-tile`, without weights and of no projected grid, else GV_ERROR_UNSUPPORTED. Answers are made
 * where they are to stay; only what geodesics leave open is decided by the host, as are pieces of a grid that a device has no room
 * for. The first call prepares the device that `out` lies on, whatever the context's; further ones find it prepared, as long as they
 * ask for the same device. Calls of several threads wait for each other: several devices have an object each. No other device, and
 * no processor, answers where the device fails.
 *
 * Errors: INVALID_ARGUMENT, UNSUPPORTED, UNAVAILABLE, OUT_OF_MEMORY, PROJECTION, DEVICE, CANCELLED; after one `out` holds unspecified
 * values.
 */
GV_API gv_status gv_voronoi_strip(gv_context *context, const gv_voronoi *voronoi, const gv_strip *strip);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_STRIPS_H */
