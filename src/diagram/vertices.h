/*
 * Positions of the vertices of the diagram, one for each facet of the triangulation.
 *
 * Plane: the center of the circle. Sphere: the normal of the facet. Ellipsoid: the place equally far from
 * three seeds (equidistant.h).
 *
 * Ellipsoid: the triangulation begins as that of the mapped seeds. Each vertex is then checked with the exact
 * index: if a seed is nearer to it than its own three by more than `vertices_margin`, the edge behind which a
 * nearer one lies is flipped, and the two new vertices are checked again. When none is left, every vertex has
 * its three seeds nearest. Facets that flips do not settle are made again (ears.h); there a vertex may lie in
 * another cell, by a tenth of the tolerance at most.
 *
 * Why that is the diagram: between two vertices an edge is a part of the bisector of its two seeds a and b.
 * Suppose a seed d is nearer than these to a place in the middle of the edge, but not to its ends. Then d's
 * cell cuts the edge in two places that are equally far from a, b and d, and the circle around each of these
 * through a, b and d is empty or holds further seeds; along the edge the circles through a and b would
 * exclude d, and then include it again. On plane and sphere circles through a and b that hold d form one
 * interval of the path, with an end of the edge at its far end, so this cannot happen: local decisions are
 * enough (Delaunay, 1934). On the ellipsoid the same holds as long as circles around places of the edge meet
 * in at most two points; that is so for circles within the convexity radius. Larger edges are compared with
 * the index (verify.h). Where geodesics to seeds are near their cut loci, which needs all seeds within some
 * 300 km of each other, Newton's method may fail, flips may not lead to the diagram, and borders bend: those
 * vertices and the ones near them are listed in `open`, and antipodal.h replaces them.
 *
 * Flips may make two edges between the same seeds (two cells with two borders), which is right for seeds
 * along a great circle: the two sides of their flat hull may have the same diagonals.
 */
#ifndef GV_DIAGRAM_VERTICES_H
#define GV_DIAGRAM_VERTICES_H

#include "diagram/equidistant.h"
#include "diagram/triangulation.h"

typedef struct gv_vertices {
  gv_allocator allocator;
  double *x, *y;      /* of each facet: coordinates, or longitude and latitude */
  double *noise;      /* how far the vertex may be off by rounding: the coordinates' unit, or meters */
  int64_t unverified; /* vertices that flips have not settled */
  /* ellipsoid: facets that flips have not settled, and those near the antipodes of their seeds */
  int32_t *open;
  int64_t open_count;
} gv_vertices;

/* `globe` NULL: the plane. lon and lat: of seeds, on the globe. `tolerance` in meters. `out` is to be freed
 * in any case. May replace facets. */
gv_status gv_vertices_find(gv_context *context, gv_triangulation *t, const gv_globe *globe, const double *lon,
                           const double *lat, double tolerance, gv_vertices *out);

/* The exact index over the seeds, for a number of queries. */
gv_status gv_globe_index(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                         int64_t count, int64_t queries, gv_index **out);

void gv_vertices_free(gv_vertices *vertices);

#endif
