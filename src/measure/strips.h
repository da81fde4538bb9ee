/* Distances and azimuths on a device, within a task that has it (voronoi/pipeline/device_strips.h). */
#ifndef GV_MEASURE_STRIPS_H
#define GV_MEASURE_STRIPS_H

#include "gpuvoronoi/experimental.h"
#include "voronoi/gpu/distances.h"
#include "voronoi/pipeline/device_strips.h"

/* Computes a checked `measure`; the results are complete when this returns. Errors: INVALID_ARGUMENT (a seed
 * out of range), OUT_OF_MEMORY, DEVICE. */
gv_status gv_measure_carried(gv_device_strips *strips, const gv_voronoi *voronoi, const gv_measure *measure);

/* gv_voronoi_measure of arrays on a device; all but the device is checked. */
gv_status gv_measure_on_device(gv_context *context, const gv_voronoi *voronoi, gv_measure *measure);

/* Distance and azimuth by PROJ of a pair that a device leaves open. Errors: PROJECTION. */
gv_status gv_measure_open_pair(gv_context *context, const gv_voronoi *voronoi, const gv_open_pair *pair,
                               gv_open_result *out);

#endif
