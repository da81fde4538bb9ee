/*
 * The diagram's parts, made of a triangulation and its vertices: edges between vertices, and the ring of
 * edges of each cell.
 *
 * Vertices of more than three seeds are one vertex: edges shorter than the rounding error are contracted,
 * because their directions would be random.
 *
 * In the plane cells are cut by a rectangle: edges by Liang and Barsky's method, once each, so that both
 * cells have the same ends; gaps of rings are closed along the rectangle.
 */
#ifndef GV_DIAGRAM_CELLS_H
#define GV_DIAGRAM_CELLS_H

#include "diagram/antipodal.h"
#include "diagram/ring.h"

typedef struct gv_diagram_cells {
  gv_allocator allocator;
  int64_t seeds, vertices, edges, places;
  double *x, *y;     /* of vertices */
  int64_t *owner;    /* of seeds */
  int64_t *end;      /* two vertices an edge */
  int64_t *side;     /* two seeds an edge, the left one first; -1: outside the rectangle */
  int32_t *path;     /* of each edge: p: path p - 1, -p: the same backwards, 0: none; NULL: no edge has one */
  int64_t *first;    /* of seeds, and one more: the ring's begin in `ring` */
  int64_t *ring;     /* edges, counterclockwise; e: from its first vertex on, -1 - e: backwards */
  int64_t ring_room; /* its capacity */
} gv_diagram_cells;

/*
 * Of the globe, or of the plane without a rectangle. `round` of seeds (NULL: 0): from 1 on, edges of that
 * seed that are shorter than `most` and than a share of the distance to the seed, which grows with the round,
 * are contracted too. `out` is to be freed in any case.
 */
gv_status gv_cells_make(gv_context *context, const gv_triangulation *t, const gv_vertices *v,
                        const gv_paths *paths, const gv_globe *globe, const uint8_t *round, double most,
                        gv_diagram_cells *out);

/* Cuts all cells by the rectangle west, south, east, north. `position`: of the seeds, three numbers each. */
gv_status gv_cells_clip(gv_context *context, const double rectangle[4], const double *position,
                        gv_diagram_cells *cells);

void gv_cells_free(gv_diagram_cells *cells);

#endif
