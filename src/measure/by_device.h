/* Blocks of the host's measured by a device. */
#ifndef GV_MEASURE_BY_DEVICE_H
#define GV_MEASURE_BY_DEVICE_H

#include "voronoi/pipeline/device_measuring.h"

/* Measures a checked block. *done: false if the CPUs are to measure it. Errors: INVALID_ARGUMENT (a seed out
 * of range), PROJECTION; if the device was requested also UNAVAILABLE, OUT_OF_MEMORY, DEVICE. */
gv_status gv_measure_by_device(gv_context *context, gv_device_measuring *measuring, const gv_measure *measure,
                               const gv_tile *tile, bool *done);

#endif
