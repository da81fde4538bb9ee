/*
 * Edges as lines: points on the bisector, straight between them.
 *
 * Plane: the two ends. Globe: points so close that a line straight in longitude and latitude between two of
 * them is nowhere farther from the bisector than the tolerance. The bisector on the sphere is a great circle.
 * On the ellipsoid it is a curve beside the great circle of the conformal sphere: parts of an edge are halved
 * until Newton's method (equidistant.h) finds it, in the quarters of each part, within a fiftieth of the
 * tolerance of a parabola through begin, middle and end. Six tenths of the tolerance are for the lines. If
 * the two curves are closer than a tenth of the tolerance, the great circle is used: the mapping's scale
 * changes by at most e^2 / 2 a radian, which bends a geodesic of length L (in radii) by up to e^2 L^2 / 16,
 * and a bisector at a distance D from its seeds by some e^2 L D^2 more. Measured on 600,000 edges: less than
 * half of e^2 L (L / 8 + D^2), the bound used. Edges around the antipodes of their seeds are lines already
 * (antipodal.h).
 *
 * Short edges, which most are, need no search: the middle of the parabola is that of a geodesic along the
 * border. Measured on 60,000 edges of WGS 84 with L < 0.2 and D < 0.3, up to 87 degrees of latitude: its
 * middle is less than e^2 L^2 (0.052 D^2 + 0.016 L^2) off, the quarters e^2 L^3 / 230 more; half as much
 * again is allowed for. Their points are in even parts, as many as the largest bend requires (track_parts,
 * compared with 370,000 great circles). Gain: 2.2 for the command with 50,000 seeds (12 s of CPU time,
 * now 5.3 s), together with below.h.
 */
#ifndef GV_DIAGRAM_TRACE_H
#define GV_DIAGRAM_TRACE_H

#include "diagram/cells.h"

typedef struct gv_lines {
  gv_allocator allocator;
  int64_t *first; /* of edges, and one more: the begin in x and y */
  double *x, *y;
} gv_lines;

/* `tolerance` in meters, above 0. globe NULL: the plane. `out` is to be freed in any case. */
gv_status gv_lines_trace(gv_context *context, const gv_diagram_cells *cells, const gv_paths *paths,
                         const gv_globe *globe, const double *lon, const double *lat, const double *position,
                         double tolerance, gv_lines *out);

/* The place on the border of two seeds halfway between two places of it, longitude and latitude, in the
 * direction of the border. False if they are so close that rounding decides on which side of a neighbor's
 * border it is: those meet at angles as small as the one between seeds. */
bool gv_lines_middle(const gv_globe *globe, const double *lon, const double *lat, const double *position,
                     const int64_t side[2], const double from[2], const double to[2], double middle[2]);

/* Moves a place beside the border of two seeds of an ellipsoid onto it, as far as distances are exact; it
 * stays where that is not possible. *noise (optional): how far rounding may move it, meters. */
void gv_lines_refine(const gv_globe *globe, const double *lon, const double *lat, const int64_t side[2],
                     double place[2], double *noise);

void gv_lines_free(gv_lines *lines);

#endif
