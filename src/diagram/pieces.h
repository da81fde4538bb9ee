/*
 * Cells and edges of a diagram as rings and lines of map coordinates.
 *
 * On the globe a map ends at 180 degrees: lines and rings are cut there, and cells that reach a pole are
 * closed along its latitude, as RFC 7946 requires. A line crosses where it is drawn straight between two
 * points; both cells of an edge compute the crossing from the same numbers, so it has the same bytes in both.
 */
#ifndef GV_DIAGRAM_PIECES_H
#define GV_DIAGRAM_PIECES_H

#include "core/buffer.h"
#include "core/shared.h"
#include "diagram/ring.h"
#include "gpuvoronoi/diagram.h"

/* A point of a ring: its longitude in (-180, 180], and how many turns it has gone round. */
typedef struct gv_turned_point {
  double x, y;
  int turns;
} gv_turned_point;

typedef struct gv_turned_ring {
  gv_turned_point *points;
  int64_t count;
  gv_buffer buffer;
} gv_turned_ring;

/* Pieces one after the other. Begins as {0}, and is used again. */
typedef struct gv_pieces {
  double *x, *y;
  int64_t points;
  int64_t *first; /* of each piece, and one more */
  int64_t count;
  gv_buffer x_buffer, y_buffer, first_buffer;
  gv_turned_ring ring, strip, half; /* buffers of the current ring */
} gv_pieces;

/* Adds the polygons of a cell, rings counterclockwise and closed; none if it is empty. `globe`: of longitudes
 * and latitudes; `cut`: there, at 180 degrees. */
GV_SHARED gv_status gv_pieces_of_cell(gv_context *context, const gv_diagram_parts *parts, int64_t seed,
                                      bool globe, bool cut, gv_pieces *out);

/* Adds the polygons of a ring of longitudes in [-180, 180] and latitudes, cut at 180 degrees:
 * counterclockwise, and the last of its `count` points is the first. */
GV_SHARED gv_status gv_pieces_of_ring(gv_context *context, const double *lon, const double *lat,
                                      int64_t count, gv_pieces *out);

/* Adds the lines of an edge. */
GV_SHARED gv_status gv_pieces_of_edge(gv_context *context, const gv_diagram_parts *parts, int64_t edge,
                                      bool globe, bool cut, gv_pieces *out);

/* Adds a point to the last piece. */
GV_SHARED gv_status gv_pieces_add(gv_context *context, gv_pieces *pieces, double x, double y);

/* Begins a piece. */
GV_SHARED gv_status gv_pieces_begin(gv_context *context, gv_pieces *pieces);

static inline void gv_pieces_empty(gv_pieces *pieces) {
  pieces->points = pieces->count = 0;
}

/* Frees what pieces own: with the allocator of the context that they were made with. */
void gv_pieces_clear(const gv_allocator *allocator, gv_pieces *pieces);
GV_SHARED void gv_pieces_free(gv_context *context, gv_pieces *pieces);

#endif
