/* Geometries of OGR: what operations of GEOS return, reduced to polygons or lines. */
#ifndef GV_IO_PARTS_H
#define GV_IO_PARTS_H

#include <ogr_api.h>

#include "io/io.h"

/* The polygons, or else lines, of a geometry, as a multipolygon with counterclockwise rings or a multiline;
 * frees `geometry`. NULL: there are none. */
OGRGeometryH gv_parts_of(OGRGeometryH geometry, bool polygons);

/* Makes an invalid geometry valid. False: it cannot be, and is as it was. */
bool gv_parts_repair(OGRGeometryH *geometry);

/* The intersection of two geometries, also where one is invalid; *out NULL: empty. */
gv_status gv_parts_intersect(gv_io *io, OGRGeometryH a, OGRGeometryH b, bool polygons, OGRGeometryH *out);

/* A rectangle: west, south, east, north. NULL = out of memory. */
OGRGeometryH gv_parts_rectangle(const double extent[4]);

/* Adds to all x. */
void gv_parts_shift(OGRGeometryH geometry, double x);

#endif
