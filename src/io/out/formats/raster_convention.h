/* Where the cells of an array lie, in attributes after Zarr's conventions "spatial" and "proj",
 * https://github.com/zarr-conventions. */
#ifndef GV_IO_RASTER_CONVENTION_H
#define GV_IO_RASTER_CONVENTION_H

#include <stdbool.h>
#include <stdint.h>

#include <gdal.h>

/* Writes them to a Zarr array with the dimensions Y and X, by a geotransform and the array's coordinate
 * system, if it has one. False: GDAL has failed, or memory has run out. */
bool gv_raster_convention_put(GDALMDArrayH array, const double geotransform[6], int64_t width,
                              int64_t height);

#endif
