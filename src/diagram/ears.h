/*
 * Triangles of a polygon by global decisions.
 *
 * Flips of edges compare a vertex with the seeds of its neighbors. Where seeds lie along a geodesic, vertices
 * lie close together 90 degrees from it, and adjacent seeds differ there by less than distances are exact,
 * while distant ones differ clearly: flips stop before the diagram is reached, or take a number of steps that
 * grows with the square of the seeds. Here a polygon of facets gets new ones instead: a corner is cut off as
 * soon as the vertex of it and its two neighbors is nearest to these three among all seeds, which makes it a
 * vertex of the diagram. If rounding leaves no such corner, the one with the smallest excess is cut off. In
 * any case the facets cover the polygon.
 */
#ifndef GV_DIAGRAM_EARS_H
#define GV_DIAGRAM_EARS_H

#include "diagram/triangulation.h"

typedef struct gv_ears {
  gv_context *context;
  gv_triangulation *t;
  /* Computes the vertex of a facet. *excess: by how much another seed is nearer to it; 0: none; INFINITY:
   * there is no vertex. If one of the `beside` seeds is nearer, others need not be looked at. */
  gv_status (*look)(void *user, int32_t facet, const int32_t beside[2], double *excess);
  void *user;
  double *excess; /* of each facet: set for those that are made */
} gv_ears;

/* *done: whether the facets form a polygon without corners inside, and have been replaced; otherwise nothing
 * has changed. */
gv_status gv_ears_cut(const gv_ears *e, const int32_t *facets, int32_t count, bool *done);

#endif
