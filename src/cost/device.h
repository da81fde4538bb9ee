/* Travel cost on a GPU. */
#ifndef GV_COST_DEVICE_H
#define GV_COST_DEVICE_H

#include "cost/raster.h"
#include "cost/start.h"

/* What the CUDA module has (cost/cuda/tile.cu). */
typedef struct gv_cost_device {
  /* Finds all costs and seeds from these starts on the context's device. Errors: UNAVAILABLE, OUT_OF_MEMORY
   * (the device's too), DEVICE, CANCELLED. */
  gv_status (*run)(gv_context *context, gv_cost *cost, const gv_cost_starts *starts);
} gv_cost_device;

/* True for rasters that a GPU solves sooner (core/device_rule.h), if there is one. */
bool gv_cost_device_pays(const gv_context *context, const gv_cost *cost);

/* The same as gv_cost_device.run. Without the module, and why: UNAVAILABLE. */
gv_status gv_cost_device_run(gv_context *context, gv_cost *cost, const gv_cost_starts *starts);

#endif
