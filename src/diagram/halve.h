/*
 * Lines that cross where borders do not.
 *
 * Lines are within the tolerance of borders, which may be closer together, and then cross. Segments of
 * crossing lines are halved: the new points are on the borders, within what distances are exact to, some
 * micrometers. Borders themselves do not cross, so this ends where lines are closer to them than borders to
 * each other, or where segments are so short that rounding decides.
 */
#ifndef GV_DIAGRAM_HALVE_H
#define GV_DIAGRAM_HALVE_H

#include "diagram/trace.h"
#include "gpuvoronoi/diagram.h"

/* Halves the segments of the `wrong` cells that meet others. *marks: number of such segments; *added: number
 * of new points. `fan`: of vertices, the segments at which stay as they are (fan.h); NULL: none. */
gv_status gv_lines_halve(gv_context *context, const gv_diagram_parts *parts, const gv_diagram_cells *cells,
                         const gv_globe *globe, const double *lon, const double *lat, const double *position,
                         const bool *wrong, const double *fan, gv_lines *lines, int64_t *marks,
                         int64_t *added);

#endif
