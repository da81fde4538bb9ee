/*
 * The vertex of a facet. Plane: the center of the circle. Sphere: the normal of the facet. Ellipsoid: the
 * place equally far from three seeds (equidistant.h).
 */
#ifndef GV_DIAGRAM_VERTEX_PLACE_H
#define GV_DIAGRAM_VERTEX_PLACE_H

#include "diagram/equidistant.h"
#include "diagram/triangulation.h"

typedef struct gv_vertex_places {
  const gv_triangulation *t;
  const gv_globe *globe;   /* NULL: the plane */
  const double *lon, *lat; /* of seeds */
  double *x, *y, *noise;   /* of each facet, as in gv_vertices */
  double *distance;        /* of each facet: meters to its seeds; negative: not found. Ellipsoid */
} gv_vertex_places;

void gv_vertex_place(const gv_vertex_places *p, int32_t facet);

#endif
