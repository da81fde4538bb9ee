/* The meshes behind one interface. */
#include "cells/parts.h"

#include "cells/healpix.h"
#include "cells/s2.h"

static const gv_ellipsoid *parts_ellipsoid(const gv_cells *cells) {
  return gv_cells_geocentric(cells) ? &cells->ellipsoid : NULL;
}

int gv_parts_level(const gv_cells *cells) {
  return gv_grid_has_wide_bounds(&cells->grid) ? cells->grid.order : cells->grid.level;
}

int gv_parts_roots(const gv_cells *cells) {
  return cells->grid.kind == GV_GRID_HEALPIX ? GV_HEALPIX_FACES : cells->grid.kind == GV_GRID_S2 ? GV_S2_FACES : 8;
}

void gv_part_at(const gv_cells *cells, int bits, int64_t index, gv_part *out) {
  if (gv_grid_has_wide_bounds(&cells->grid)) {
    *out = (gv_part){.level = cells->grid.order, .bits = bits, .first = index << 2 * bits};
  } else {
    gv_mesh_part_at(cells->grid.level, bits, index, out);
  }
}

void gv_part_child(const gv_cells *cells, const gv_part *part, int child, gv_part *out) {
  if (cells->grid.kind != GV_GRID_QTM && cells->grid.level == GV_QTM_NONE) {
    int bits = part->bits - 1;
    *out = (gv_part){.level = part->level, .bits = bits, .first = part->first + ((int64_t)child << 2 * bits)};
  } else {
    gv_mesh_part_child(part, child, out);
  }
}

void gv_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out) {
  const gv_ellipsoid *ellipsoid = parts_ellipsoid(cells);
  if (cells->grid.kind == GV_GRID_HEALPIX) {
    gv_healpix_bound(cells->healpix, ellipsoid, cells->curvature, part->bits, part->first, out);
  } else if (cells->grid.kind == GV_GRID_S2) {
    gv_s2_bound(cells->s2, ellipsoid, cells->curvature, part->bits, part->first, out);
  } else {
    gv_mesh_bound(cells->tables, part, ellipsoid, cells->curvature, out);
  }
}

const uint8_t *gv_part_positions(const gv_cells *cells, const gv_part *leaf, double *x, double *y, double *z) {
  if (gv_grid_has_wide_bounds(&cells->grid)) {
    gv_cell_positions(cells, parts_ellipsoid(cells), leaf->first, gv_mesh_part_count(leaf), x, y, z);
    return NULL;
  }
  gv_mesh_positions(cells->tables, leaf, parts_ellipsoid(cells), x, y, z);
  return gv_mesh_order_of(cells->tables, leaf)->number;
}

void gv_cell_positions(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                       double *x, double *y, double *z) {
  if (cells->grid.kind == GV_GRID_HEALPIX) {
    gv_healpix_span_positions(cells->healpix, ellipsoid, first, count, x, y, z);
  } else if (cells->grid.kind == GV_GRID_S2) {
    gv_s2_positions(cells->s2, ellipsoid, first, count, x, y, z);
  } else {
    gv_mesh_number_positions(cells->tables, cells->grid.level, ellipsoid, first, count, x, y, z, NULL, NULL);
  }
}

void gv_cell_vectors(const gv_cells *cells, int64_t first, int64_t count, double *x, double *y, double *z) {
  if (cells->grid.kind != GV_GRID_POINTS) {
    gv_cell_positions(cells, NULL, first, count, x, y, z);
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    double lon, lat;
    gv_cell_lonlat(cells, first + i, &lon, &lat);
    gv_lonlat_to_vectors(&cells->ellipsoid, false, 1, &lon, &lat, &x[i], &y[i], &z[i]);
  }
}

void gv_cell_lonlat(const gv_cells *cells, int64_t number, double *lon, double *lat) {
  if (cells->grid.kind == GV_GRID_HEALPIX) {
    gv_healpix_lonlat(cells->healpix, number, lon, lat);
  } else if (cells->grid.kind == GV_GRID_S2) {
    gv_s2_lonlat(cells->s2, number, lon, lat);
  } else if (cells->grid.kind == GV_GRID_POINTS) {
    *lon = cells->grid.longitude[number];
    *lat = cells->grid.latitude[number];
    if (isfinite(*lon) && fabs(*lat) <= 90.0) {
      gv_normalise_lonlat(lon, lat);
    } else {
      *lon = *lat = NAN;
    }
  } else {
    gv_qtm_id id = 0;
    gv_qtm_from_number(cells->grid.level, number, &id);
    gv_qtm_center(id, lon, lat);
  }
}
