/*
 * Regions as polygons, traced by GDAL around the cells of an allocation raster (edges of cells, 4-connected):
 * one multipolygon an id, with the attributes of the first seed of that id. Seeds without cells have none.
 */
#ifndef GV_IO_POLYGONS_H
#define GV_IO_POLYGONS_H

#include "io/out/table_out.h"

/* Traces the first band of `raster`, which must be complete, and writes the table. `crs` is the raster's, may
 * be NULL. */
gv_status gv_polygons_write(gv_io *io, gv_table_out *table, GDALDatasetH raster, OGRSpatialReferenceH crs,
                            const gv_seed_options *source, const gv_seed_list *seeds,
                            GDALProgressFunc progress, void *progress_user);

#endif
