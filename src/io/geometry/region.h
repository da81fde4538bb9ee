/* Polygons of any coordinate system as regions of longitudes and latitudes: around poles, across 180 degrees
 * and beyond. */
#ifndef GV_IO_REGION_H
#define GV_IO_REGION_H

#include <ogr_api.h>

#include "io/crs/crs.h"

/* From the polygons' system to degrees. */
typedef struct gv_region_way {
  gv_operation *operation; /* NULL: their coordinates are longitudes and latitudes of the globe */
  double unit;   /* of longitudes and latitudes: degrees in one unit; edges are straight in them; 0: of a map,
                    edges are straight on it */
  double degree; /* meters in a degree of a meridian */
  double tolerance; /* meters: largest distance of lines from the true edges */
} gv_region_way;

/*
 * Valid polygons as a valid multipolygon of degrees from the meridian `center`, within [-180, 180] and [-90,
 * 90]; NULL: they have no area. *complete (may be NULL: then that is an error) is false if an edge is outside
 * the system; *out is NULL then.
 */
gv_status gv_region_make(gv_io *io, OGRGeometryH polygons, const gv_region_way *way, double center,
                         bool *complete, OGRGeometryH *out);

#endif
