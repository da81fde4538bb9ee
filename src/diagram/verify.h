/*
 * Edges of the ellipsoid against the exact index.
 *
 * Edges with both vertices within pi b / 2 of their seeds need no check (vertices.h): that is the radius of
 * convexity, for the curvature is 1 / b^2 at most, at the equator, and geodesics are unique to pi b. Of the
 * other edges' lines up to 65 points are looked up, evenly spread; of their parts within that radius both
 * ends. Lines are within the tolerance of the border, and distances change by no more than a place moves:
 * both seeds must be nearest but for twice the tolerance. Edges that long exist only if half of the globe has
 * few seeds.
 */
#ifndef GV_DIAGRAM_VERIFY_H
#define GV_DIAGRAM_VERIFY_H

#include "diagram/trace.h"

/* `position`: of the seeds, three numbers each. *wrong: number of edges with a point to which another seed is
 * nearer. */
gv_status gv_lines_verify(gv_context *context, const gv_diagram_cells *cells, const gv_lines *lines,
                          const gv_globe *globe, const double *lon, const double *lat, const double *position,
                          double tolerance, int64_t *wrong);

#endif
