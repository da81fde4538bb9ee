#include "io/in/cells/h3_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cells/borders.h"
#include "io/in/input_limit.h"
#include "io/parallel.h"

#if defined GV_WITH_H3
#include <h3/h3api.h>

enum { BASE_CELLS = 122, BYTES_A_CELL = 4 * 8, GRAIN = 1 << 14 };

/* The cells of a base cell are one span. */
typedef struct h3_cells {
  H3Index base[BASE_CELLS];
  int64_t first[BASE_CELLS + 1];
  int resolution;
  double a, e2;
  gv_seed_list *out;
} h3_cells;

static gv_status h3_fail(gv_io *io, H3Error error) {
  return gv_io_fail(io, GV_ERROR_INTERNAL, "h3: libh3 failed (error %d)", (int)error);
}

static H3Error h3_cell_put(const h3_cells *h, int64_t cell, int base) {
  H3Index index = 0;
  LatLng center = {0.0, 0.0};
  double solid = 0.0;
  H3Error error = childPosToCell(cell - h->first[base], h->base[base], h->resolution, &index);
  if (error == E_SUCCESS) error = cellToLatLng(index, &center);
  if (error == E_SUCCESS) error = cellAreaRads2(index, &solid);
  if (error != E_SUCCESS) return error;
  double sine = sin(center.lat), root = h->a / (1.0 - h->e2 * sine * sine);
  h->out->x[cell] = radsToDegs(center.lng);
  h->out->y[cell] = radsToDegs(center.lat);
  h->out->fids[cell] = (int64_t)index;
  h->out->areas[cell] = root * root * (1.0 - h->e2) * solid;
  return E_SUCCESS;
}

static gv_status h3_cells_put(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const h3_cells *h = user;
  int base = 0;
  (void)worker;
  for (int64_t cell = first; cell < end; cell++) {
    while (cell >= h->first[base + 1])
      base++;
    H3Error error = h3_cell_put(h, cell, base);
    if (error != E_SUCCESS) return h3_fail(io, error);
  }
  return gv_io_cancelled(io) ? gv_io_fail_cancelled(io) : GV_OK;
}

gv_status gv_h3_cells_read(gv_io *io, int resolution, const gv_raster_grid *grid, int threads,
                           gv_seed_list *out) {
  const double f = grid->grid.flattening;
  h3_cells h = {.resolution = resolution, .a = grid->grid.semi_major, .e2 = f * (2.0 - f), .out = out};
  H3Error error = getRes0Cells(h.base);
  for (int i = 0; i < BASE_CELLS && error == E_SUCCESS; i++) {
    int64_t children = 0;
    error = cellToChildrenSize(h.base[i], resolution, &children);
    h.first[i + 1] = h.first[i] + children;
  }
  if (error != E_SUCCESS) return h3_fail(io, error);
  const int64_t count = h.first[BASE_CELLS];
  char name[16];
  snprintf(name, sizeof name, "h3:%d", resolution);
  GV_TRY(gv_input_fits(io, &(gv_input_data){NULL, name, "cells", count, BYTES_A_CELL}));
  const size_t n = (size_t)count;
  out->x = malloc(n * sizeof *out->x);
  out->y = malloc(n * sizeof *out->y);
  out->fids = malloc(n * sizeof *out->fids);
  out->areas = malloc(n * sizeof *out->areas);
  if (out->x == NULL || out->y == NULL || out->fids == NULL || out->areas == NULL)
    return gv_io_fail_memory(io, "the cells");
  out->count = count;
  gv_io_loop loop = {.threads = threads, .count = count, .grain = GRAIN, .user = &h};
  return gv_io_parallel_for(io, &loop, h3_cells_put);
}

gv_status gv_h3_cell_find(gv_io *io, int resolution, double lon, double lat, int64_t *number) {
  const LatLng place = {degsToRads(lat), degsToRads(lon)};
  H3Index index = 0, base[BASE_CELLS];
  int64_t in_base = 0, before = 0;
  H3Error error = latLngToCell(&place, resolution, &index);
  if (error == E_SUCCESS) error = cellToChildPos(index, 0, &in_base);
  if (error == E_SUCCESS) error = getRes0Cells(base);
  for (int i = 0; i < getBaseCellNumber(index) && error == E_SUCCESS; i++) {
    int64_t children = 0;
    error = cellToChildrenSize(base[i], resolution, &children);
    before += children;
  }
  *number = before + in_base;
  return error == E_SUCCESS ? GV_OK : h3_fail(io, error);
}

/* The points of a great circle from one corner of a cell to the next, without the last. */
static int h3_side_put(const LatLng *from, const LatLng *to, int pieces, double *lon, double *lat) {
  const double a[3] = {cos(from->lat) * cos(from->lng), cos(from->lat) * sin(from->lng), sin(from->lat)},
               b[3] = {cos(to->lat) * cos(to->lng), cos(to->lat) * sin(to->lng), sin(to->lat)};
  lon[0] = radsToDegs(from->lng);
  lat[0] = radsToDegs(from->lat);
  for (int i = 1; i < pieces; i++) {
    double at[3];
    for (int d = 0; d < 3; d++)
      at[d] = a[d] + (b[d] - a[d]) * i / pieces;
    lon[i] = radsToDegs(atan2(at[1], at[0]));
    lat[i] = radsToDegs(atan2(at[2], hypot(at[0], at[1])));
  }
  return pieces;
}

gv_status gv_h3_cell_border(gv_io *io, int resolution, int64_t id, double *lon, double *lat, int *count) {
  const int pieces = gv_border_pieces(resolution + 1);
  CellBoundary border;
  H3Error error = cellToBoundary((H3Index)id, &border);
  int points = 0;
  if (error != E_SUCCESS) return h3_fail(io, error);
  for (int i = 0; i < border.numVerts; i++)
    points += h3_side_put(&border.verts[i], &border.verts[(i + 1) % border.numVerts], pieces, &lon[points],
                          &lat[points]);
  lon[points] = lon[0];
  lat[points] = lat[0];
  *count = points + 1;
  return GV_OK;
}

#else

gv_status gv_h3_cells_read(gv_io *io, int resolution, const gv_raster_grid *grid, int threads,
                           gv_seed_list *out) {
  (void)grid, (void)threads, (void)out;
  return gv_io_fail(
      io, GV_ERROR_UNSUPPORTED,
      "h3:%d is not supported by this build; build gpuvoronoi where libh3-dev is installed, or write the "
      "centers of the cells to a file, e.g. by the Python package h3, and give that",
      resolution);
}

gv_status gv_h3_cell_find(gv_io *io, int resolution, double lon, double lat, int64_t *number) {
  (void)lon, (void)lat, (void)number;
  return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "--cells-of: h3:%d is not supported by this build", resolution);
}

gv_status gv_h3_cell_border(gv_io *io, int resolution, int64_t id, double *lon, double *lat, int *count) {
  (void)id, (void)lon, (void)lat, (void)count;
  return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "--cells-of: h3:%d is not supported by this build", resolution);
}

#endif
