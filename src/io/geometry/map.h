/* A coordinate system as a map of the globe: where it is cut, and what it shows. Found by projecting
 * places. */
#ifndef GV_IO_MAP_H
#define GV_IO_MAP_H

#include <math.h>

#include "core/angles.h"
#include "io/crs/crs.h"

typedef struct gv_map {
  gv_operation *operation; /* from longitude and latitude in degrees to the map; NULL: they are the same */
  gv_operation *inverse;
  bool lonlat; /* the map's coordinates are longitudes and latitudes */
  bool world;  /* it shows the whole globe, and is cut along one meridian */
  bool cut;    /* it is cut along one meridian, half a turn from `center` */
  double center;
  double period; /* x of a full turn; 0: the map does not repeat */
  double origin; /* then: x at `center` */
  double most;   /* farthest latitude that it shows: 90, or less where poles are infinitely far */
  double meter;  /* meters in one of its units, about */
  double degree; /* meters in a degree of a meridian, at most, about */
} gv_map;

/* Between a place and the line from a to b, all in degrees, in meters; for short lines. `degree`: meters in a
 * degree. */
static inline double gv_degrees_apart(const double a[2], const double b[2], const double place[2],
                                      double degree) {
  double across = degree * cos(place[1] * GV_DEGREE), bx = (b[0] - a[0]) * across,
         by = (b[1] - a[1]) * degree;
  double px = (place[0] - a[0]) * across, py = (place[1] - a[1]) * degree, square = bx * bx + by * by;
  double along = square > 0.0 ? fmin(fmax((px * bx + py * by) / square, 0.0), 1.0) : 0.0;
  return hypot(px - along * bx, py - along * by);
}

/* Examines the map of `crs`; `operation` and `inverse` are borrowed. */
gv_status gv_map_examine(gv_io *io, OGRSpatialReferenceH crs, gv_operation *operation, gv_operation *inverse,
                         gv_map *out);

/* Places in degrees from `center` on the map, in place. HUGE_VAL: outside. */
gv_status gv_map_apply(gv_io *io, const gv_map *map, double *x, double *y, int64_t count);

#endif
