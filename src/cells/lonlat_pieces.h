/*
 * Pieces of the globe between parallels and meridians, as tiles of which all places are to be bounded, not
 * only centers.
 *
 * A piece lies between consecutive columns and rows of nodes, which are the cells of a longitude/latitude
 * raster. The bound of a tile of such a raster holds all of the globe between its outer centers
 * (cells/bound.h), so that of pieces is that of their nodes.
 */
#ifndef GV_LONLAT_PIECES_H
#define GV_LONLAT_PIECES_H

#include "cells/grid.h"

/* A rectangle of longitudes and latitudes in equal pieces, row by row from the northwest. */
typedef struct gv_lonlat_pieces {
  double west, north, width, height; /* degrees; within 180 degrees west and east, and the poles */
  int64_t columns, rows;
} gv_lonlat_pieces;

/* Cells of which only bounds of tiles may be used; metric and ellipsoid are those of `like`. To be
 * cleared. */
gv_status gv_cells_init_lonlat_pieces(gv_context *context, const gv_cells *like,
                                      const gv_lonlat_pieces *pieces, gv_cells *out);

#endif
