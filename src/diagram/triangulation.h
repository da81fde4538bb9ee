/*
 * Delaunay triangulations of the plane and of the sphere.
 *
 * Points are inserted one after the other (Bowyer, Watson): facets with a circle that contains the new point
 * are replaced by a fan around it. Rounds of doubling size, along a space-filling curve each (Amenta, Choi,
 * Rote, Incremental constructions con BRIO, 2003); the search for the nearest vertex goes from neighbor to
 * neighbor. All decisions are those of predicates.h.
 *
 * Written here rather than taken from Qhull: a hull of rounded unit vectors loses seeds (predicates.h), and
 * Qhull needs five times as long for a million.
 *
 * On the sphere the facets are those of the convex hull of the seeds' directions, seen from outside, for any
 * position of the seeds. Seeds that all lie on one circle form a flat hull of two sides; one or two seeds
 * have no facet. In the plane all seeds lie within a triangle of three far corners (numbers count ... count +
 * 2), which is the back of a flat hull of two sides: the caller chooses them so far away that they are not
 * nearest to any place of interest. So in both cases the facets form a closed surface: F = 2 V - 4.
 *
 * Seeds at one place are one vertex, with their lowest number. Directions closer than about 1e-15 are one
 * place.
 */
#ifndef GV_DIAGRAM_TRIANGULATION_H
#define GV_DIAGRAM_TRIANGULATION_H

#include "core/core.h"

/* Of an ellipsoid: mapped to the sphere; seeds on one great circle, as far as vectors are exact, are taken
 * for that: flat hulls are easier to mend. */
typedef enum gv_surface { GV_SURFACE_PLANE, GV_SURFACE_SPHERE, GV_SURFACE_ELLIPSOID } gv_surface;

typedef struct gv_triangulation {
  gv_allocator allocator;
  bool sphere;
  int64_t count;          /* of seeds */
  const double *position; /* of seeds and far corners, three coordinates each (plane: the third is 0) */
  int64_t facets;
  int32_t *corner;   /* three a facet, counterclockwise */
  int32_t *neighbor; /* of each corner: the facet on the other side */
  int32_t *owner;    /* of each seed: the vertex at its place, the lowest number there */
  int64_t distinct;  /* places */
  bool flat; /* sphere: the seeds are on one circle; the two sides of the hull are half of the facets each */
} gv_triangulation;

/* Borrows `position`, which has three more places in the plane. `out` is to be destroyed in any case. */
gv_status gv_triangulate(gv_context *context, gv_surface surface, const double *position, int64_t count,
                         gv_triangulation *out);

void gv_triangulation_destroy(gv_triangulation *t);

/* Replaces the edge opposite corner `side` of a facet by the other diagonal of the two facets' quadrilateral,
 * which has four different corners. */
void gv_triangulation_flip(gv_triangulation *t, int32_t facet, int side);

/* The side (0 ... 2, the number of the corner opposite it) of a facet that runs from one of its corners to
 * another. */
int gv_triangulation_side(const gv_triangulation *t, int32_t facet, int32_t from, int32_t to);

/* The next facet around a vertex, counterclockwise. */
static inline int32_t gv_triangulation_after(const gv_triangulation *t, int32_t facet, int32_t vertex) {
  const int32_t *v = t->corner + 3 * (int64_t)facet;
  int at = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
  return t->neighbor[3 * (int64_t)facet + (at + 1) % 3];
}

#endif
