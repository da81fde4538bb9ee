/*
 * What files of this folder need of a diagram in addition to its parts. Entries of a cell's ring, of gv_diagram_cells and gv_diagram_parts: e is edge e
 * from its first vertex on, -1 - e is edge e backwards.
 */
#ifndef GV_DIAGRAM_DIAGRAM_H
#define GV_DIAGRAM_DIAGRAM_H

#include "core/core.h"
#include "gpuvoronoi/diagram.h"

static inline int64_t gv_ring_edge(int64_t entry) {
  return entry < 0 ? -1 - entry : entry;
}

/* Whether a diagram is of longitudes and latitudes. */
bool gv_diagram_on_globe(const gv_diagram *diagram);

#endif
