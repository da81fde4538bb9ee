/* Blocks of points: positions of cells, and bounds computed from them. */
#include <string.h>

#include "voronoi/cpu/tile_work.h"

enum { MICROTILE = 8 }; /* side in cells of the squares with stored bounds */

/* Smallest and largest of the values of a square of cells; comparisons pass over NaN, cells without a
 * position. */
static void range_of_square(const double *value, int64_t stride, const gv_tile *square, double *low,
                            double *high) {
  double least = INFINITY, most = -INFINITY;
  for (int64_t r = square->r0; r < square->r1; r++) {
    const double *row = value + r * stride;
    for (int64_t c = square->c0; c < square->c1; c++) {
      least = row[c] < least ? row[c] : least;
      most = row[c] > most ? row[c] : most;
    }
  }
  *low = least;
  *high = most;
}

gv_status gv_points_prepare(gv_context *context, gv_tile_work *j) {
  const gv_cells *cells = &j->v->cells;
  gv_workspace *space = j->space;
  int64_t columns = j->block.c1 - j->block.c0, rows = j->block.r1 - j->block.r0, n = columns * rows;
  int64_t stride = n + GV_TABLE_PADDING;
  bool globe = cells->dim == 3;
  int arrays = globe ? 5 : 2;
  double *x = gv_buffer_reserve(&space->points, &space->allocator, stride * arrays, sizeof *x);
  if (x == NULL) return gv_fail_memory(context, "the positions of a block");
  double *y = x + stride, *z = globe ? y + stride : NULL;
  double *lon = globe ? z + stride : NULL, *lat = globe ? lon + stride : NULL;
  GV_TRY(gv_cells_positions(context, cells, &j->block, x, y, z, lon, lat, NULL));
  j->x = x;
  j->y = y;
  j->z = z;
  j->lon = lon;
  j->lat = lat;
  if (!globe) return GV_OK;

  j->box_columns = (columns + MICROTILE - 1) / MICROTILE;
  int64_t box_rows = (rows + MICROTILE - 1) / MICROTILE, boxes = 6 * j->box_columns * box_rows;
  double *all = gv_buffer_reserve(&space->boxes, &space->allocator, boxes, sizeof *all);
  if (all == NULL) return gv_fail_memory(context, "the bounds of a block");
  for (int64_t r = 0; r < rows; r += MICROTILE) {
    for (int64_t c = 0; c < columns; c += MICROTILE) {
      gv_tile square = {c, c + MICROTILE < columns ? c + MICROTILE : columns, r,
                        r + MICROTILE < rows ? r + MICROTILE : rows};
      double *box = all + 6 * (r / MICROTILE * j->box_columns + c / MICROTILE);
      range_of_square(x, columns, &square, &box[0], &box[3]);
      range_of_square(y, columns, &square, &box[1], &box[4]);
      range_of_square(z, columns, &square, &box[2], &box[5]);
    }
  }
  return GV_OK;
}

/* Tiles start at multiples of MICROTILE within the block. */
bool gv_points_bound(const gv_tile_work *j, const gv_tile *tile, gv_bound *out) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  int64_t c0 = (tile->c0 - j->block.c0) / MICROTILE,
          c1 = (tile->c1 - j->block.c0 + MICROTILE - 1) / MICROTILE;
  int64_t r0 = (tile->r0 - j->block.r0) / MICROTILE,
          r1 = (tile->r1 - j->block.r0 + MICROTILE - 1) / MICROTILE;
  const double *boxes = j->space->boxes.memory;
  for (int64_t r = r0; r < r1; r++) {
    for (int64_t c = c0; c < c1; c++) {
      const double *box = boxes + 6 * (r * j->box_columns + c);
      for (int d = 0; d < 3; d++) {
        low[d] = fmin(low[d], box[d]);
        high[d] = fmax(high[d], box[3 + d]);
      }
    }
  }
  if (!(low[0] <= high[0])) return false;
  memset(out, 0, sizeof *out);
  double square = 0.0;
  for (int d = 0; d < 3; d++) {
    out->center[d] = 0.5 * (low[d] + high[d]);
    /* The middle and the half are rounded; position_error, a few ulps, is part of every limit. */
    out->generator[d][d] = 0.5 * (high[d] - low[d]);
    square += out->generator[d][d] * out->generator[d][d];
  }
  out->radius = sqrt(square) * (1.0 + 1e-12);
  out->extent_across = out->extent_down = out->radius;
  return true;
}

void gv_drop_placeless(const gv_tile_work *j) {
  int64_t columns = j->block.c1 - j->block.c0, cells = columns * (j->block.r1 - j->block.r0);
  for (int32_t band = 0; band < j->v->k; band++) {
    int32_t *out = j->target->out + band * j->target->band_stride;
    for (int64_t i = 0; i < cells; i++) {
      if (isnan(j->lon[i])) out[i / columns * j->target->stride + i % columns] = j->v->nodata;
    }
  }
}
