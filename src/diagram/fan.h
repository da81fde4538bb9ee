/*
 * Lines at vertices where borders meet at tiny angles: those of seeds in a row, 90 degrees from it.
 *
 * Near such a vertex rounding decides on which side of its neighbors a border is, and lines cross that do not
 * touch. There all lines of a vertex become straight as far as one distance from it: fans of straight lines
 * do not cross. The distance is eight times that at which rounding decides, for each round of repair four
 * times longer; borders move by less than they are apart there.
 */
#ifndef GV_DIAGRAM_FAN_H
#define GV_DIAGRAM_FAN_H

#include "diagram/trace.h"

/* Of an ellipsoid. *length: room for all vertices; of those of seeds with a `round` how long the segments at
 * them are, meters; 0: as they were. */
gv_status gv_lines_fan(gv_context *context, const gv_diagram_cells *cells, const gv_globe *globe,
                       const double *lon, const double *lat, const double *position, const uint8_t *round,
                       double *length, gv_lines *lines);

#endif
