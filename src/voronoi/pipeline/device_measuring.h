/*
 * When a device measures blocks for the host (measure/by_device.c). It is one device: the blocks' way over the bus, not the device, bounds
 * that.
 */
#ifndef GV_DEVICE_MEASURING_H
#define GV_DEVICE_MEASURING_H

#include <pthread.h>

#include "voronoi/gpu/distances.h"

typedef enum gv_measuring_state {
  GV_MEASURING_AT_HAND, /* the processors measure */
  GV_MEASURING_OPENING, /* they still do */
  GV_MEASURING_OPEN,
  GV_MEASURING_FAILED /* they do for good */
} gv_measuring_state;

typedef struct gv_device_measuring {
  pthread_mutex_t lock; /* guards all that changes */
  const gv_voronoi *v;
  gv_context
      context; /* of who has made the grid, and its threads; while the device is opened, the opening thread's */
  pthread_t starter;
  bool has_starter, stop;
  gv_measuring_state state;
  double cells, seconds; /* measured by processors, and the seconds of their threads */
  const gv_measure_device *device;
  gv_cuda_raster *raster;
  int number; /* of its device */
} gv_device_measuring;

void gv_device_measuring_init(gv_device_measuring *measuring, const gv_context *context, const gv_voronoi *voronoi);
void gv_device_measuring_clear(gv_device_measuring *measuring);

/* Those of a grid; NULL if processors measure it in any case. */
gv_device_measuring *gv_cuda_tile_measuring(const gv_voronoi *voronoi);

/*
 * What a block is measured with, *out; NULL: by the processors. A device that was asked for is opened here as soon as CUDA runs. Errors:
 * UNAVAILABLE, OUT_OF_MEMORY, DEVICE: of that.
 */
gv_status gv_device_measuring_ask(gv_context *context, gv_device_measuring *measuring, const gv_cuda_raster **out);

/* Processors have measured so many cells. Where nobody has asked for a device, what they take decides whether one is opened. */
void gv_device_measuring_note(gv_device_measuring *measuring, double cells, double seconds);

/* Whether a device has been, or is being opened for it. */
bool gv_device_measuring_is_wanted(gv_device_measuring *measuring);

/* The device has failed. True if nobody has asked for it: the processors go on. */
bool gv_device_measuring_give_up(gv_device_measuring *measuring);

#endif
