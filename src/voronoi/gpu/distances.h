/*
 * Distances and azimuths of cells from their seeds on a device: the CUDA interface of measuring. From and
 * into device memory (measure/strips.c), or between arrays of the host (measure/by_device.c).
 */
#ifndef GV_CUDA_DISTANCES_H
#define GV_CUDA_DISTANCES_H

#include "gpuvoronoi/experimental.h"
#include "voronoi/gpu/raster.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GV_OPEN_DISTANCE = 1, GV_OPEN_AZIMUTH = 2 };

/* A cell and its seed that the series of geodesics does not solve. */
typedef struct gv_open_pair {
  int64_t column, row;
  int64_t at; /* where its result is written: offset in `distance` or `azimuth`, in values */
  int32_t seed, what;
} gv_open_pair;

/* The host's result. */
typedef struct gv_open_result {
  double distance;
  float azimuth;
} gv_open_result;

typedef struct gv_open_pairs {
  /* at most the first GV_CUDA_OPEN_PAIRS, unsorted; valid until the raster's next call */
  const gv_open_pair *pair;
  int64_t count;
} gv_open_pairs;

enum { GV_CUDA_OPEN_PAIRS = 1 << 20 /* that are listed */ };

/* Computes a checked gv_measure except for open pairs. `radius`: of the sphere that great circles are
 * reported on. Errors: INVALID_ARGUMENT (a seed beyond the last), OUT_OF_MEMORY, DEVICE. */
gv_status gv_cuda_raster_measure(gv_context *context, gv_cuda_raster *raster, const gv_measure *measure,
                                 double radius, gv_open_pairs *open);

/* Writes the host's results of the last open pairs, in their order. */
gv_status gv_cuda_raster_put_results(gv_context *context, gv_cuda_raster *raster, const gv_measure *measure,
                                     const gv_open_result *result, int64_t count);

/* Cells of the host at once: 2 MB of page-locked memory a queue, the same on the device, and 4 MB more. */
enum { GV_CUDA_HOST_CELLS = 1 << 17 };

/*
 * Functions in the CUDA module (search/cuda_module.h), and the same for arrays of the host, by many threads
 * at once, each with its own queue between `begin` and `end`: on the raster's device (-1: the context's;
 * *number: its number). The raster may be one for measuring only, and `prepare` has been called. One band of
 * GV_CUDA_HOST_CELLS at most; `at` of open pairs counts cells row after row without gaps; they are valid
 * until the queue ends.
 */
typedef struct gv_measure_device {
  gv_status (*measure)(gv_context *context, gv_cuda_raster *raster, const gv_measure *measure, double radius,
                       gv_open_pairs *open);
  gv_status (*put_results)(gv_context *context, gv_cuda_raster *raster, const gv_measure *measure,
                           const gv_open_result *result, int64_t count);
  gv_status (*begin)(gv_context *context, int device, void **queue, int *number);
  void (*end)(gv_context *context, void *queue);
  gv_status (*prepare)(gv_context *context, gv_cuda_raster *raster);
  gv_status (*measure_host)(gv_context *context, const gv_cuda_raster *raster, void *queue,
                            const gv_measure *measure, double radius, gv_open_pairs *open);
} gv_measure_device;

#ifdef __cplusplus
}
#endif

#endif
