/* Cells that the host decides for a device: geodesic cells that chords leave open, with their possible
 * seeds. */
#ifndef GV_CUDA_OPEN_CELLS_H
#define GV_CUDA_OPEN_CELLS_H

#include "voronoi/gpu/raster.h"

/* Exact results, by all of the context's threads: value[k * open->count + i] is the value of band k of cell
 * i. Errors: OUT_OF_MEMORY. */
gv_status gv_open_cells_decide(gv_context *context, const gv_voronoi *v, const gv_open_cells *open,
                               int32_t *value);

/* Decides a strip's open cells and writes them into it. Errors: OUT_OF_MEMORY, DEVICE. */
gv_status gv_open_cells_deliver(gv_context *context, const gv_voronoi *v, const gv_raster_device *device,
                                gv_cuda_raster *raster, int strip, const gv_open_cells *open);

#endif
