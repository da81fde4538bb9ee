/*
 * A device measures blocks for the host (measure/by_device.c) if cuda-tile was requested, and for "auto" if
 * core/device_rule.h selects it by the grid's size. This is decided, and the device opened, when the first
 * block is measured. Only one device is used, because the transfer of the blocks is the bottleneck.
 */
#ifndef GV_DEVICE_MEASURING_H
#define GV_DEVICE_MEASURING_H

#include <pthread.h>

#include "voronoi/gpu/distances.h"

typedef enum gv_measuring_state {
  GV_MEASURING_UNDECIDED, /* nothing has been measured yet */
  GV_MEASURING_BY_DEVICE,
  GV_MEASURING_ON_CPUS /* permanently */
} gv_measuring_state;

typedef struct gv_device_measuring {
  pthread_mutex_t lock; /* guards the state and the opened raster */
  const gv_voronoi *v;
  gv_context context; /* of the grid's creator, and its threads */
  gv_measuring_state state;
  const gv_measure_device *device;
  gv_cuda_raster *raster;
  int number; /* of its device */
} gv_device_measuring;

void gv_device_measuring_init(gv_device_measuring *measuring, const gv_context *context,
                              const gv_voronoi *voronoi);
void gv_device_measuring_clear(gv_device_measuring *measuring);

/* Those of a grid; NULL if CPUs measure it in any case. */
gv_device_measuring *gv_cuda_tile_measuring(const gv_voronoi *voronoi);

/*
 * Returns the raster to measure a block with in *out; NULL: use the CPUs. Errors, if a requested device
 * cannot be opened: UNAVAILABLE, OUT_OF_MEMORY, DEVICE.
 */
gv_status gv_device_measuring_find(gv_context *context, gv_device_measuring *measuring,
                                   const gv_cuda_raster **out);

/* Called after the device has failed. True if it was not requested: use the CPUs. */
bool gv_device_measuring_give_up(gv_device_measuring *measuring);

#endif
