/* Sub-triangles of the mesh: the walk down the tree, positions of cells, bounds. */
#include "cells/mesh.h"

#include <pthread.h>
#include <string.h>

#include "cells/area.h"
#include "cells/kind.h"
#include "cells/lattice.h"
#include "exact/globe_kernels.h"

void gv_mesh_part_child(const gv_mesh_part *part, int child, gv_mesh_part *out) {
  int32_t half = INT32_C(1) << (part->bits - 1);
  gv_mesh_part made = *part;
  made.bits = part->bits - 1;
  made.first = part->first + ((int64_t)child << 2 * made.bits);
  if (child == 0) {
    /* The center: its corners are the midpoints, each with the number of the corner opposite. */
    made.down = !part->down;
    if (part->down) {
      for (int axis = 0; axis < 3; axis++)
        made.least[axis] += half;
    }
  } else {
    int role = part->basis[0] == child ? 0 : part->basis[1] == child ? 1 : 2;
    int a = (role + 1) % 3, b = (role + 2) % 3;
    for (int axis = 0; axis < 3; axis++) {
      if ((axis == role) != part->down) made.least[axis] += half;
    }
    made.basis[a] = part->basis[b];
    made.basis[b] = part->basis[a];
  }
  *out = made;
}

void gv_mesh_part_at(int level, int bits, int64_t index, gv_mesh_part *out) {
  int depth = level - bits;
  gv_mesh_part part = {.level = level, .bits = level, .octant = 1 + (int)(index >> 2 * depth)};
  for (int role = 0; role < 3; role++)
    part.basis[role] = (int8_t)gv_qtm_basis_of_role(part.octant, role);
  part.first = (int64_t)(part.octant - 1) << 2 * level;
  for (int d = depth - 1; d >= 0; d--)
    gv_mesh_part_child(&part, (int)(index >> 2 * d & 3), &part);
  *out = part;
}

/* ---------------------------------------------------------------------------------------------- positions */

void gv_mesh_positions(const gv_mesh_tables *tables, const gv_mesh_part *leaf, const gv_ellipsoid *ellipsoid,
                       double *x, double *y, double *z) {
  enum {
    SIDE = 1 << GV_MESH_LEAF_BITS,
    VERTICES = (SIDE + 1) * (SIDE + 2) / 2,
    ANGLES = SIDE + 1 + VERTICES
  };
  double angle[ANGLES], sine[ANGLES + GV_TABLE_PADDING], cosine[ANGLES + GV_TABLE_PADDING];
  int32_t side = INT32_C(1) << leaf->bits;
  double n = (double)(INT32_C(1) << leaf->level);
  int64_t top = gv_mesh_part_row(leaf);
  int count = 0;
  for (int32_t i = 0; i <= side; i++)
    angle[count++] = 90.0 * (n - (double)(top + i)) / n;
  for (int32_t i = 0; i <= side; i++) {
    double row = (double)(top + i), first = (double)leaf->least[GV_QTM_EAST] + (leaf->down ? i : 0);
    int32_t vertices = leaf->down ? side - i + 1 : i + 1;
    for (int32_t j = 0; j < vertices; j++)
      angle[count++] = 90.0 * (first + j) / row;
  }
  if (top == 0) angle[side + 1] = 0.0; /* the pole */
  const gv_globe_kernels *kernels = tables->kernels;
  kernels->sincos(count, angle, sine, cosine);
  for (int i = 0; i < 8; i++) /* read, not used */
    sine[count + i] = cosine[count + i] = 1.0;
  kernels->centers(leaf->down, side, sine, cosine, x, y, z);

  int64_t cells = gv_mesh_part_count(leaf);
  if (ellipsoid != NULL) {
    double unit_x[GV_MESH_LEAF_CELLS], unit_y[GV_MESH_LEAF_CELLS], unit_z[GV_MESH_LEAF_CELLS];
    memcpy(unit_x, x, (size_t)cells * sizeof *x);
    memcpy(unit_y, y, (size_t)cells * sizeof *y);
    memcpy(unit_z, z, (size_t)cells * sizeof *z);
    kernels->meridian(ellipsoid->eccentricity2, cells, unit_z, unit_x, x, z);
    kernels->meridian(ellipsoid->eccentricity2, cells, unit_z, unit_y, y, z);
  }
  for (int64_t i = 0; i < cells; i++)
    gv_lattice_turn(leaf->octant, &x[i], &y[i], &z[i]);
}

void gv_mesh_center(gv_qtm_id id, const gv_ellipsoid *ellipsoid, double center[5]) {
  gv_qtm_cell cell;
  gv_qtm_cell_from_id(id, &cell);
  gv_qtm_cell_center(&cell, center);
  gv_qtm_vector_to_lonlat(center, &center[3], &center[4]);
  if (ellipsoid != NULL) gv_lattice_place(ellipsoid->eccentricity2, &center[0], &center[1], &center[2]);
}

/* ------------------------------------------------------------------------------------------------- bounds */

void gv_mesh_bound(const gv_mesh_tables *tables, const gv_mesh_part *part, const gv_ellipsoid *ellipsoid,
                   double curvature, gv_bound *out) {
  double n = (double)(INT32_C(1) << part->level), side = (double)(INT32_C(1) << part->bits);
  double top = (double)gv_mesh_part_row(part), first = (double)part->least[GV_QTM_EAST];
  double low = part->down ? first / top : first / (top + side);
  double high = part->down ? (first + side) / top : (first + side) / (top + side);
  /* Latitudes of the first and the last parallel and of the middle; the middle meridian. */
  double angle[4] = {90.0 * (n - top) / n, 90.0 * (n - top - side) / n, 90.0 * (n - top - 0.5 * side) / n,
                     45.0 * (low + high)};
  double sine[4], cosine[4], p[3], z[3], eccentricity2 = ellipsoid != NULL ? ellipsoid->eccentricity2 : -1.0;
  tables->kernels->sincos(4, angle, sine, cosine);
  tables->kernels->meridian(eccentricity2, 3, sine, cosine, p, z);
  gv_globe_piece piece = {.p = {p[0], p[1]},
                          .z = {z[0], z[1]},
                          .sin_lat = sine[2],
                          .cos_lat = cosine[2],
                          .sin_lon = sine[3],
                          .cos_lon = cosine[3]};
  gv_lattice_piece(n, side, low, high, curvature, eccentricity2, &piece);
  gv_globe_bound(&piece, out);
  gv_lattice_turn(part->octant, &out->center[0], &out->center[1], &out->center[2]);
  for (int i = 0; i < 3; i++)
    gv_lattice_turn(part->octant, &out->generator[i][0], &out->generator[i][1], &out->generator[i][2]);
}

/* ------------------------------------------------------------------------------------------------- tables */

/* The six orders of three basis numbers. */
static int permutation(const int8_t basis[3]) {
  return 2 * (basis[0] - 1) + (basis[1] > basis[2] ? 1 : 0);
}

static void make_order(int bits, bool down, const int8_t basis[3], gv_mesh_order *order) {
  int32_t side = INT32_C(1) << bits;
  int at = 0;
  for (int inverted = 0; inverted < 2; inverted++) {
    for (int32_t i = 0; i < side; i++) {
      int32_t cells = (down ? side - i : i + 1) - inverted;
      for (int32_t j = 0; j < cells; j++, at++) {
        bool cell_down = down != (inverted == 1);
        int32_t east = down ? i + j + inverted : j;
        int32_t place = 2 * east + (cell_down ? 1 : 0);
        order->row[at] = (uint8_t)i;
        order->place[at] = (int8_t)place;
        /* Smallest coordinates from the part's least; they add up to side - 1 or - 2 in an up part, and to
         * side more in a down part, where barycentric coordinates run the other way. */
        int32_t least[3];
        least[GV_QTM_POLE] = side - 1 - i;
        least[GV_QTM_WEST] = (down ? side : 0) + i - east - (cell_down ? 1 : 0);
        least[GV_QTM_EAST] = east;
        int64_t weight[4] = {0, 0, 0, 0};
        for (int role = 0; role < 3; role++) {
          int64_t thirds = 3 * (int64_t)least[role] + (cell_down ? 2 : 1);
          weight[basis[role]] = down ? 3 * (int64_t)side - thirds : thirds;
        }
        order->number[at] = (uint8_t)gv_qtm_descend(weight, INT64_C(3) << bits, bits);
      }
    }
  }
}

static gv_mesh_orders orders;

static void make_orders(void) {
  static const int8_t all[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
  for (int bits = 0; bits <= GV_MESH_LEAF_BITS; bits++) {
    for (int down = 0; down < 2; down++) {
      for (int i = 0; i < 6; i++)
        make_order(bits, down != 0, all[i], &orders.of[bits][down][permutation(all[i])]);
    }
  }
}

void gv_mesh_tables_init(gv_mesh_tables *tables) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, make_orders);
  tables->kernels = gv_globe_kernels_get();
  tables->orders = &orders;
}

const gv_mesh_order *gv_mesh_order_of(const gv_mesh_tables *tables, const gv_mesh_part *leaf) {
  return &tables->orders->of[leaf->bits][leaf->down][permutation(leaf->basis)];
}

void gv_mesh_number_positions(const gv_mesh_tables *tables, int level, const gv_ellipsoid *ellipsoid,
                              int64_t first, int64_t count, double *x, double *y, double *z, double *lon,
                              double *lat) {
  enum { SIZE = GV_MESH_LEAF_CELLS + GV_TABLE_PADDING };
  double leaf_x[SIZE], leaf_y[SIZE], leaf_z[SIZE];
  int bits = level < GV_MESH_LEAF_BITS ? level : GV_MESH_LEAF_BITS;
  int64_t end = first + count;
  for (int64_t index = first >> 2 * bits; index << 2 * bits < end; index++) {
    gv_mesh_part leaf;
    gv_mesh_part_at(level, bits, index, &leaf);
    gv_mesh_positions(tables, &leaf, ellipsoid, leaf_x, leaf_y, leaf_z);
    const gv_mesh_order *order = gv_mesh_order_of(tables, &leaf);
    for (int64_t i = 0; i < gv_mesh_part_count(&leaf); i++) {
      int64_t number = leaf.first + order->number[i], at = number - first;
      if (number < first || number >= end) continue;
      x[at] = leaf_x[i];
      y[at] = leaf_y[i];
      z[at] = leaf_z[i];
      if (lon != NULL) {
        gv_qtm_id id = 0;
        gv_qtm_from_number(level, number, &id);
        gv_qtm_center(id, &lon[at], &lat[at]);
      }
    }
  }
}

/* -------------------------------------------------------------------------------------- the kind of cells */

gv_status gv_cells_make_triangles(gv_context *context, gv_cells *cells) {
  cells->tables = gv_allocate(&cells->allocator, 1, sizeof *cells->tables);
  if (cells->tables == NULL) return gv_fail_memory(context, "the mesh's tables");
  gv_mesh_tables_init(cells->tables);
  return GV_OK;
}

void gv_triangles_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out) {
  gv_mesh_bound(cells->tables, part, gv_cells_ellipsoid(cells), cells->curvature, out);
}

int gv_triangles_level(const gv_grid *grid) {
  return grid->level;
}

static int64_t mesh_count(const gv_grid *grid) {
  return gv_qtm_count(grid->level);
}

static gv_status mesh_prepare(gv_context *context, gv_cells *cells) {
  /* Angles have a few roundings, and the mean and its length a few more. */
  cells->position_error = 40.0 * 0x1p-52;
  return gv_cells_make_triangles(context, cells);
}

static gv_status mesh_cell_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile,
                                     double *x, double *y, double *z, double *lon, double *lat,
                                     double *scratch) {
  (void)context, (void)scratch;
  gv_mesh_number_positions(cells->tables, cells->grid.level, gv_cells_ellipsoid(cells), tile->c0,
                           (tile->c1 - tile->c0) * (tile->r1 - tile->r0), x, y, z, lon, lat);
  return GV_OK;
}

void gv_triangles_span(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                       double *x, double *y, double *z) {
  gv_mesh_number_positions(cells->tables, cells->grid.level, ellipsoid, first, count, x, y, z, NULL, NULL);
}

static gv_qtm_id mesh_id_of(const gv_cells *cells, int64_t number) {
  gv_qtm_id id = 0;
  gv_qtm_from_number(cells->grid.level, number, &id);
  return id;
}

static void mesh_position(const gv_cells *cells, int64_t number, double position[5]) {
  gv_mesh_center(mesh_id_of(cells, number), gv_cells_ellipsoid(cells), position);
}

void gv_triangles_center(const gv_cells *cells, int64_t number, double *lon, double *lat) {
  gv_qtm_center(mesh_id_of(cells, number), lon, lat);
}

/* Areas in square meters of cells `first` ... `first + count` - 1 of a QTM level, in the order of their
 * numbers. */
static void mesh_number_areas(const gv_mesh_tables *tables, int level, const gv_ellipsoid *ellipsoid,
                              int64_t first, int64_t count, double *area) {
  int bits = level < GV_MESH_LEAF_BITS ? level : GV_MESH_LEAF_BITS;
  int64_t end = first + count;
  for (int64_t index = first >> 2 * bits; index << 2 * bits < end; index++) {
    gv_mesh_part leaf;
    double rows[1 << GV_MESH_LEAF_BITS][2];
    gv_mesh_part_at(level, bits, index, &leaf);
    for (int row = 0; row < 1 << bits; row++)
      gv_mesh_row_areas(ellipsoid, level, gv_mesh_part_row(&leaf) + row, rows[row]);
    const gv_mesh_order *order = gv_mesh_order_of(tables, &leaf);
    for (int64_t i = 0; i < gv_mesh_part_count(&leaf); i++) {
      int64_t at = leaf.first + order->number[i] - first;
      if (at >= 0 && at < count) area[at] = rows[order->row[i]][order->place[i] & 1];
    }
  }
}

static void mesh_cell_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride) {
  (void)stride;
  mesh_number_areas(cells->tables, cells->grid.level, &cells->ellipsoid, tile->c0, tile->c1 - tile->c0, area);
}

const gv_kind gv_kind_qtm = {.name = "QTM",
                             .shape = GV_CELLS_POINTS,
                             .count = mesh_count,
                             .prepare = mesh_prepare,
                             .positions = mesh_cell_positions,
                             .areas = mesh_cell_areas,
                             .position = mesh_position,
                             .center = gv_triangles_center,
                             .span = gv_triangles_span,
                             .largest_area = gv_twice_mean_area,
                             .level = gv_triangles_level,
                             .roots = GV_QTM_OCTANTS,
                             .part_bound = gv_triangles_part_bound};
