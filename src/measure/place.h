/* The position that geod_inverse is called with. */
#ifndef GV_MEASURE_PLACE_H
#define GV_MEASURE_PLACE_H

#include "cells/parts.h"

/* Longitude and latitude of a cell; at a pole of a LONLAT grid the longitude of its column. False, and
 * nothing, for cells that have to be placed by gv_cells_positions. */
static inline bool gv_place_of_cell(const gv_cells *cells, int64_t column, int64_t row, double *lon,
                                    double *lat) {
  if (gv_cells_turn_by_column(cells)) {
    double equator = 0.0;
    gv_cells_lonlat(cells, column, row, lon, lat);
    *lon = cells->grid.geotransform[0] + ((double)column + 0.5) * cells->grid.geotransform[1];
    gv_normalize_lonlat(lon, &equator);
    return true;
  }
  if (!gv_grid_is_list(&cells->grid)) return false;
  gv_cell_lonlat(cells, column, lon, lat);
  return true;
}

#endif
