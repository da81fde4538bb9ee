/*
 * Distances of cells from their seeds on a device, from and into memory there: what measuring (measure/strips.c) asks of CUDA.
 */
#ifndef GV_CUDA_DISTANCES_H
#define GV_CUDA_DISTANCES_H

#include "gpuvoronoi_device.h"
#include "voronoi/gpu/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cell and its seed that the series of geodesics does not answer. */
typedef struct gv_open_pair {
  int64_t column, row;
  int64_t at; /* where its distance goes: from `distance`, in values */
  int32_t seed, unused;
} gv_open_pair;

typedef struct gv_open_pairs {
  const gv_open_pair *pair; /* the first `capacity` at most; valid until the raster is asked again */
  int64_t count;
} gv_open_pairs;

enum { GV_CUDA_OPEN_PAIRS = 1 << 20 /* that are listed */ };

/* Those of gv_strip_measure, which is checked, but for what is open. `radius`: of the sphere that great circles are reported on. Errors: INVALID_ARGUMENT (a seed beyond the last), OUT_OF_MEMORY,
 * DEVICE. */
gv_status gv_cuda_raster_distances(gv_context *context, gv_cuda_raster *raster, const gv_strip_measure *measure,
                                   double radius, gv_open_pairs *open);

/* Writes the host's answers to what was open last, in its order. */
gv_status gv_cuda_raster_answer(gv_context *context, gv_cuda_raster *raster, const gv_strip_measure *measure,
                                const double *value, int64_t count);

/* As the library reaches them (search/cuda_module.h). */
typedef struct gv_distance_device {
  gv_status (*distances)(gv_context *context, gv_cuda_raster *raster, const gv_strip_measure *measure,
                         double radius, gv_open_pairs *open);
  gv_status (*answer)(gv_context *context, gv_cuda_raster *raster, const gv_strip_measure *measure,
                      const double *value, int64_t count);
} gv_distance_device;

#ifdef __cplusplus
}
#endif

#endif
