/* Areas on the ellipsoid of polygons as they are drawn: with lines straight in the coordinates of the
 * layer. */
#ifndef GV_IO_CLIPPED_AREA_H
#define GV_IO_CLIPPED_AREA_H

#include <ogr_api.h>

#include "exact/globe.h"
#include "io/crs/crs.h"

/*
 * Square meters of a polygon or multipolygon. `inverse`: from its coordinates to longitudes and latitudes;
 * its lines are then divided into pieces of at most `longest` units. NULL: they are longitudes and latitudes
 * in degrees. `geometry` is changed.
 */
gv_status gv_clipped_area(gv_io *io, const gv_ellipsoid *ellipsoid, gv_operation *inverse, double longest,
                          OGRGeometryH geometry, double *area);

#endif
