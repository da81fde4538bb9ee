/* Strips with results on the device: pieces that a device computes into the caller's memory. */
#ifndef GV_DEVICE_STRIPS_H
#define GV_DEVICE_STRIPS_H

#include <pthread.h>

#include "voronoi/gpu/raster.h"
#include "voronoi/strip.h"

typedef struct gv_device_strips {
  pthread_mutex_t lock; /* guards all */
  gv_context context;   /* of the grid's creator: a raster's memory belongs to it */
  const gv_raster_device *device;
  gv_cuda_raster *raster; /* NULL before the first request */
  int number;             /* of its device */
  int64_t most;           /* cells of a piece */
  gv_strip_source cpu;    /* computes pieces that devices leave open */
} gv_device_strips;

void gv_device_strips_init(gv_device_strips *strips, const gv_context *context, gv_strip_source cpu);
void gv_device_strips_clear(gv_device_strips *strips);

/* Work with a raster on its current device: `context` and `raster` are those of `strips`, which the caller
 * holds exclusively. */
typedef gv_status gv_device_task(gv_device_strips *strips, const gv_voronoi *voronoi, void *user);

/* Carries a task out on the device that arrays of the caller's lie on (NULL: no array), after `stream`. The
 * message is the caller's context's then. Errors: INVALID_ARGUMENT, UNAVAILABLE, OUT_OF_MEMORY, DEVICE; the
 * task's. */
gv_status gv_device_strips_run(gv_context *context, gv_device_strips *strips, const gv_voronoi *voronoi,
                               void *stream, const void *const *array, int count, gv_device_task *task,
                               void *user);

/* Those of a grid; NULL if devices do not support the grid, or for another engine. */
gv_device_strips *gv_cuda_tile_strips(const gv_voronoi *voronoi);

/* For tasks: fills a strip in the device's memory. */
gv_status gv_device_strips_fill_locked(gv_device_strips *strips, const gv_voronoi *voronoi,
                                       const gv_labels *strip);

/* A strip in a device's memory, checked, of a grid that devices can do. Errors:
 * INVALID_ARGUMENT, UNAVAILABLE, OUT_OF_MEMORY, DEVICE, CANCELLED. */
gv_status gv_device_strips_fill(gv_context *context, gv_device_strips *strips, const gv_voronoi *voronoi,
                                const gv_labels *strip);

#endif
