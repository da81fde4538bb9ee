/* The coordinate system of a raster. */
#ifndef GV_IO_RASTER_CRS_H
#define GV_IO_RASTER_CRS_H

#include <gdal.h>

#include "io/crs/crs.h"

/*
 * The system that a raster declares, in traditional GIS order; NULL if it declares none. Without a grid
 * mapping, coordinates in the units degrees_east and degrees_north (CF conventions) are WGS 84, with a
 * warning. Release *out with OSRRelease.
 */
gv_status gv_crs_of_raster(gv_io *io, const char *source, GDALDatasetH dataset, OGRSpatialReferenceH *out);

/* The reason why a raster has no geotransform, and the remedy. */
const char *gv_reason_of_no_geotransform(GDALDatasetH dataset);

/* Whether a box (xmin, ymin, xmax, ymax) can be one of longitudes and latitudes in degrees. */
bool gv_fits_degrees(const double box[4]);

/* The box around a raster. */
void gv_box_of_raster(const double geotransform[6], int64_t width, int64_t height, double box[4]);

#endif
