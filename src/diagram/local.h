/*
 * Vertices that the seeds of adjacent facets prove.
 *
 * Let a facet's circle have its three seeds on it, and let the seed across each of its sides be certainly
 * outside. Suppose that a seed p is inside. The side towards p is common with a facet the circle of which
 * passes through the same two seeds. Two circles meet twice at most (below), and the other facet's third seed
 * is outside of the first circle, so beyond the side the first circle is inside of the second one, and p is
 * inside of that, too. So it goes on from facet to facet along a way to p, until a facet has p as a corner,
 * which is not inside of its circle, or until a facet with a vertex that was compared with all seeds: a
 * contradiction (Delaunay, 1934). So each facet is proved either by its neighbors or by the exact index.
 *
 * On a circle around c of radius r the distance from a place d has its extremes where the geodesics from c
 * and d have one direction, that is, on the geodesic through c and d, which is the only one as long as all of
 * these lengths are below pi b. So it rises once and falls once: circles of radii r and s that have two
 * places in common meet twice at most if 2 r + s < pi b.
 *
 * Distances are bounded by chords (geodesic.h).
 * Gain: 1.38 for the command with 50,000 seeds (5.06 s of CPU time, now 3.65 s), together with place_approach
 * of vertex_place.c.
 */
#ifndef GV_DIAGRAM_LOCAL_H
#define GV_DIAGRAM_LOCAL_H

#include "diagram/equidistant.h"
#include "diagram/triangulation.h"
#include "geodesic/geodesic.h"

typedef struct gv_local {
  gv_allocator allocator;
  gv_geodesic geodesic;
  double *x, *y, *z; /* of seeds, in units of the semi-major axis */
} gv_local;

/* `out` is to be freed in any case. */
gv_status gv_local_make(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                        int64_t count, gv_local *out);

/* Whether the seeds across the sides of a facet are farther from its vertex than its own by more than
 * `margin` meters. `distance`: of the vertices of all facets, to their seeds; negative: unknown. */
bool gv_local_proves(const gv_local *l, const gv_triangulation *t, const double *distance, int32_t facet,
                     double lon, double lat, double margin);

void gv_local_free(gv_local *l);

#endif
