/*
 * When a device measures blocks for the host (measure/by_device.c): where cuda-tile was asked for, and for "auto" where
 * core/device_rule.h says so by the grid's size. That is decided, and the device opened, when the first block is measured. It is one
 * device: the blocks' way over the bus, not the device, bounds that.
 */
#ifndef GV_DEVICE_MEASURING_H
#define GV_DEVICE_MEASURING_H

#include <pthread.h>

#include "voronoi/gpu/distances.h"

typedef enum gv_measuring_state {
  GV_MEASURING_UNDECIDED, /* nothing has been measured yet */
  GV_MEASURING_BY_DEVICE,
  GV_MEASURING_BY_PROCESSORS /* for good */
} gv_measuring_state;

typedef struct gv_device_measuring {
  pthread_mutex_t lock; /* guards the state, and what is opened */
  const gv_voronoi *v;
  gv_context context; /* of who has made the grid, and its threads */
  gv_measuring_state state;
  const gv_measure_device *device;
  gv_cuda_raster *raster;
  int number; /* of its device */
} gv_device_measuring;

void gv_device_measuring_init(gv_device_measuring *measuring, const gv_context *context, const gv_voronoi *voronoi);
void gv_device_measuring_clear(gv_device_measuring *measuring);

/* Those of a grid; NULL if processors measure it in any case. */
gv_device_measuring *gv_cuda_tile_measuring(const gv_voronoi *voronoi);

/*
 * What a block is measured with, *out; NULL: by the processors. Errors: UNAVAILABLE, OUT_OF_MEMORY, DEVICE: of a device that was asked
 * for and cannot be opened.
 */
gv_status gv_device_measuring_ask(gv_context *context, gv_device_measuring *measuring, const gv_cuda_raster **out);

/* The device has failed. True if it was not asked for: the processors go on. */
bool gv_device_measuring_give_up(gv_device_measuring *measuring);

#endif
