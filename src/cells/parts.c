/* The meshes behind one interface. */
#include "cells/parts.h"

int gv_parts_level(const gv_cells *cells) {
  const gv_kind *kind = cells->kind;
  return kind->level != NULL ? kind->level(&cells->grid) : GV_QTM_NONE;
}

int gv_parts_roots(const gv_cells *cells) {
  return cells->kind->roots;
}

/* Parts of QTM are sub-triangles, others spans of numbers. */
static bool parts_are_triangles(const gv_cells *cells) {
  return cells->grid.level != GV_QTM_NONE;
}

void gv_part_at(const gv_cells *cells, int bits, int64_t index, gv_part *out) {
  if (parts_are_triangles(cells)) {
    gv_mesh_part_at(cells->grid.level, bits, index, out);
  } else {
    *out = (gv_part){.level = cells->grid.order, .bits = bits, .first = index << 2 * bits};
  }
}

void gv_part_child(const gv_cells *cells, const gv_part *part, int child, gv_part *out) {
  if (parts_are_triangles(cells)) {
    gv_mesh_part_child(part, child, out);
  } else {
    int bits = part->bits - 1;
    *out = (gv_part){.level = part->level, .bits = bits, .first = part->first + ((int64_t)child << 2 * bits)};
  }
}

void gv_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out) {
  cells->kind->part_bound(cells, part, out);
}

const uint8_t *gv_part_positions(const gv_cells *cells, const gv_part *leaf, double *x, double *y,
                                 double *z) {
  if (parts_are_triangles(cells)) {
    gv_mesh_positions(cells->tables, leaf, gv_cells_ellipsoid(cells), x, y, z);
    return gv_mesh_order_of(cells->tables, leaf)->number;
  }
  gv_cell_positions(cells, gv_cells_ellipsoid(cells), leaf->first, gv_mesh_part_count(leaf), x, y, z);
  return NULL;
}

void gv_cell_positions(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                       double *x, double *y, double *z) {
  cells->kind->span(cells, ellipsoid, first, count, x, y, z);
}

void gv_cell_vectors(const gv_cells *cells, int64_t first, int64_t count, double *x, double *y, double *z) {
  const gv_kind *kind = cells->kind;
  if (kind->span != NULL) {
    kind->span(cells, NULL, first, count, x, y, z);
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    double lon, lat;
    kind->center(cells, first + i, &lon, &lat);
    gv_lonlat_to_vectors(&cells->ellipsoid, false, 1, &lon, &lat, &x[i], &y[i], &z[i]);
  }
}

void gv_cell_lonlat(const gv_cells *cells, int64_t number, double *lon, double *lat) {
  cells->kind->center(cells, number, lon, lat);
}

void gv_cell_position(const gv_cells *cells, int64_t number, double position[5]) {
  cells->kind->position(cells, number, position);
}

/* ----------------------------------------------------------------------------------- meshes on the sphere */

gv_status gv_sphere_mesh_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                                   double *y, double *z, double *lon, double *lat, double *scratch) {
  (void)context, (void)scratch;
  const gv_kind *kind = cells->kind;
  int64_t n = (tile->c1 - tile->c0) * (tile->r1 - tile->r0);
  kind->span(cells, gv_cells_ellipsoid(cells), tile->c0, n, x, y, z);
  for (int64_t i = 0; lon != NULL && i < n; i++)
    kind->center(cells, tile->c0 + i, &lon[i], &lat[i]);
  return GV_OK;
}

void gv_sphere_mesh_position(const gv_cells *cells, int64_t number, double p[5]) {
  const gv_kind *kind = cells->kind;
  kind->span(cells, gv_cells_ellipsoid(cells), number, 1, &p[0], &p[1], &p[2]);
  kind->center(cells, number, &p[3], &p[4]);
}

int gv_sphere_mesh_level(const gv_grid *grid) {
  return grid->order;
}
