/* Grid systems in metadata, after Zarr's convention for them: https://github.com/zarr-conventions/dggs,
 * version 1. */
#ifndef GV_IO_GRID_SYSTEM_H
#define GV_IO_GRID_SYSTEM_H

#include <ogr_srs_api.h>

#include "io/in/cells_of.h"

enum { GV_GRID_SYSTEM_SIZE = 640 };

/* The value of the attribute "zarr_conventions", as JSON. */
const char *gv_grid_system_convention(void);

/*
 * The value of the attribute "dggs" for variables along the dimension "cells" with the ids "cell_ids", as
 * JSON. The ellipsoid of `crs` is that of authalic latitudes. False: places of a file, which are of no
 * system.
 */
bool gv_grid_system_describe(const gv_cells_of *cells, OGRSpatialReferenceH crs,
                             char out[GV_GRID_SYSTEM_SIZE]);

#endif
