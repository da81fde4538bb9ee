/* Data of a raster of seeds that an index needs. */
#ifndef GV_VORONOI_RASTER_SEEDS_H
#define GV_VORONOI_RASTER_SEEDS_H

#include <stdbool.h>

#include "gpuvoronoi/raster_seeds.h"

/* The raster, and the metric that its seeds were kept for. */
const gv_grid *gv_raster_seeds_grid(const gv_raster_seeds *seeds, gv_metric *metric);

bool gv_raster_seeds_finished(const gv_raster_seeds *seeds);

#endif
