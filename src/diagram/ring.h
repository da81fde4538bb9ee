/*
 * Entries of a cell's ring, of gv_diagram_cells and gv_diagram_parts: e is edge e from its first vertex on,
 * -1 - e is edge e backwards.
 */
#ifndef GV_DIAGRAM_RING_H
#define GV_DIAGRAM_RING_H

#include <stdint.h>

static inline int64_t gv_ring_edge(int64_t entry) {
  return entry < 0 ? -1 - entry : entry;
}

#endif
