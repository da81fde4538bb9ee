/*
 * The part of a diagram of the ellipsoid that lies around the antipodes of its seeds.
 *
 * Where a vertex is farther from its seeds than geodesics are unique (equidistant.h), all seeds lie within
 * some 150 km of each other, and the vertex lies within a disc around the antipode of their middle. In this
 * disc geodesics from opposite sides meet. Borders bend sharply there, three seeds may have several vertices,
 * and two cells several borders, so neither Newton's method nor flips of edges lead to the diagram. Its
 * structure is simpler than elsewhere, though. A cell contains the geodesics from its seed to all of its
 * places. All seeds lie outside the disc, so each part of a cell within it reaches its boundary, no part is
 * surrounded by others, and the borders within the disc are a forest with its leaves on the boundary.
 *
 * The borders are traced inwards from the boundary, in steps. A step finds the direction in which the two
 * distances are equal on a small circle around the border's end, by bisection; this needs continuous
 * distances only. Steps are shortened until the border turns by less than a quarter of the tolerance, or to
 * an eighth of the tolerance, at sharp bends. After each step the exact index is queried. If a third seed is
 * nearer, bisection of the step finds the vertex. Within the disc only the seeds with cells at its boundary
 * are compared, in a tree of parts of the boundary. Two adjacent borders that end at one vertex are replaced
 * by the border that begins there, until three are left that meet. The facets of the triangulation within the
 * disc are then replaced by those of the vertices found.
 *
 * Proof: every point of these borders and every vertex has been compared with the exact index: it is equally
 * far from its seeds, and no seed is nearer by more than 50 nm. Every border that enters the disc is traced
 * to its end, so nothing is left out but parts of cells that are narrower than a step and lie beside a
 * border. A border that crosses the disc without a vertex (seeds on one geodesic) is traced from boundary to
 * boundary. Limits: a forest of several trees, seeds closer than a centimeter, or of which more than 100,000
 * have a border in the disc. Then all vertices within the disc become one, in its middle: polygons remain
 * valid, borders in the disc are wrong by up to its radius, and `unverified` counts the vertices.
 */
#ifndef GV_DIAGRAM_ANTIPODAL_H
#define GV_DIAGRAM_ANTIPODAL_H

#include "diagram/paths.h"
#include "diagram/vertices.h"

/* Replaces the vertices around v->open, if there are any. Lines are within `tolerance` meters of the borders.
 * `out` is to be freed in any case. */
gv_status gv_antipodal_trace(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                             double tolerance, gv_triangulation *t, gv_vertices *v, gv_paths *out);

/* The bisector of the only two places, from both sides of the boundary to a place in the middle, as two
 * paths; none if they are not close together. */
gv_status gv_antipodal_trace_two(gv_context *context, const gv_globe *globe, const gv_triangulation *t,
                                 const double *lon, const double *lat, double tolerance, gv_paths *out);

#endif
