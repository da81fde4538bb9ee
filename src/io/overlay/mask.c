/* Masks. Rasters are looked up window by window, polygons are in mask_polygons.c. */
#include "io/overlay/mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells/facts.h"
#include "io/in/raster_in.h"
#include "io/overlay/mask_polygons.h"

enum { MOST_PIXELS = 1 << 22 /* read at once */ };

/* State of a worker. */
typedef struct mask_worker {
  double *x, *y;                      /* positions of cells */
  const double *longitude, *latitude; /* of gv_mask_places, degrees; else NULL */
  int64_t *column, *row;
  uint8_t *counts; /* of a window of pixels */
  double *values;
  uint8_t *valid;
  gv_crossings crossings;
  int64_t capacity; /* of the arrays a cell */
  int64_t window;   /* of values and valid */
} mask_worker;

struct gv_mask {
  const char *source;
  const gv_raster_grid *grid;
  bool is_raster;
  int64_t window; /* pixels read at once */
  bool upright;   /* columns of the grid are columns of the raster, and rows rows */
  gv_raster_in raster;
  gv_mask_polygons *polygons;
  gv_operation *operation; /* from the grid's coordinates to the mask's; NULL = the same */
  double turn;             /* x repeats after this; 0 = it does not */
  bool places;             /* the grid's cells are a mesh or a list: no rows and columns */
  double degrees;          /* then: in a unit of the grid's system, found before workers start */
  int workers;
  mask_worker *of_worker;
};

/* ------------------------------------------------------------------------------------------------- memory */

static gv_status grow_cells(gv_io *io, mask_worker *b, int64_t cells) {
  if (cells <= b->capacity) return GV_OK;
  size_t n = (size_t)cells;
  free(b->x);
  free(b->y);
  free(b->column);
  free(b->row);
  b->x = malloc(n * sizeof *b->x);
  b->y = malloc(n * sizeof *b->y);
  b->column = malloc(n * sizeof *b->column);
  b->row = malloc(n * sizeof *b->row);
  bool made = b->x != NULL && b->y != NULL && b->column != NULL && b->row != NULL;
  b->capacity = made ? cells : 0;
  return made ? GV_OK : gv_io_fail_memory(io, "the mask");
}

static gv_status grow_window(gv_io *io, mask_worker *b, int64_t pixels) {
  if (pixels <= b->window) return GV_OK;
  free(b->counts);
  free(b->values);
  free(b->valid);
  b->counts = malloc((size_t)pixels);
  b->values = malloc((size_t)pixels * sizeof *b->values);
  b->valid = malloc((size_t)pixels);
  bool made = b->counts != NULL && b->values != NULL && b->valid != NULL;
  b->window = made ? pixels : 0;
  return made ? GV_OK : gv_io_fail_memory(io, "the mask");
}

/* ------------------------------------------------------------------------------------------------ opening */

static bool is_raster(const gv_mask_options *options) {
  GDALDatasetH dataset = GDALOpenEx(options->source, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL,
                                    (const char *const *)options->open_options, NULL);
  bool has_bands = dataset != NULL && GDALGetRasterCount(dataset) > 0;
  if (dataset != NULL) GDALClose(dataset);
  return has_bands;
}

static gv_status open_raster(gv_io *io, const gv_mask_options *options, gv_readers readers, gv_mask *mask) {
  gv_raster_in *raster = &mask->raster;
  gv_raster_source source = {options->source, options->open_options, 1};
  gv_status status = gv_raster_in_open(io, "--mask", source, readers, raster);
  if (status == GV_OK) status = gv_check_alignable(io, "--mask", mask->source, raster->crs, mask->grid);
  if (status == GV_OK && !gv_grid_in_crs(mask->grid, raster->crs)) {
    status = gv_operation_between(io, mask->grid->crs, raster->crs, NULL, NULL, 0, &mask->operation);
    status = gv_io_of_option(io, status, "--mask");
  }
  bool upright = status == GV_OK && gv_is_upright(raster->geotransform);
  if (upright && raster->lonlat) mask->turn = raster->turn;
  mask->upright =
      upright && !mask->places && mask->operation == NULL && gv_is_upright(mask->grid->geotransform);
  return status;
}

gv_status gv_mask_open(gv_io *io, const gv_mask_options *options, const gv_raster_grid *grid,
                       gv_readers readers, gv_mask **out) {
  gv_mask *mask = calloc(1, sizeof *mask);
  if (mask == NULL) return gv_io_fail_memory(io, "the mask");
  mask->source = options->source;
  mask->grid = grid;
  mask->places = gv_grid_is_list(&grid->grid);
  if (mask->places) mask->degrees = gv_crs_unit_degrees(grid->crs);
  mask->workers = readers.workers;
  mask->window = gv_pixels_at_once(readers, sizeof(double) + 2, MOST_PIXELS);
  mask->of_worker = calloc((size_t)readers.workers, sizeof *mask->of_worker);
  gv_status status = mask->of_worker != NULL ? GV_OK : gv_io_fail_memory(io, "the mask");
  if (status == GV_OK) {
    mask->is_raster = options->layer == NULL && is_raster(options);
    status = mask->is_raster ? open_raster(io, options, readers, mask)
                             : gv_mask_polygons_read(io, options, grid, &mask->polygons, &mask->operation);
  }
  if (status != GV_OK) {
    gv_mask_close(mask);
    return status;
  }
  *out = mask;
  return GV_OK;
}

void gv_mask_close(gv_mask *mask) {
  if (mask == NULL) return;
  for (int i = 0; i < mask->workers && mask->of_worker != NULL; i++) {
    mask_worker *b = &mask->of_worker[i];
    void *const parts[] = {b->x, b->y, b->column, b->row, b->counts, b->values, b->valid, b->crossings.x};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
      free(parts[k]);
  }
  free(mask->of_worker);
  gv_mask_polygons_free(mask->polygons);
  gv_raster_in_close(&mask->raster);
  gv_operation_destroy(mask->operation);
  free(mask);
}

/* ------------------------------------------------------------------------------------------------ rasters */

/* Centers of a rectangle of cells in the mask's coordinates. */
static gv_status find_positions(gv_io *io, const gv_mask *mask, mask_worker *b, int64_t x, int64_t y,
                                int64_t w, int64_t h) {
  const double *g = mask->grid->geotransform;
  gv_status status = grow_cells(io, b, w * h);
  if (status != GV_OK) return status;
  if (mask->places) {
    const double unit = mask->degrees;
    for (int64_t c = 0; c < w; c++) {
      b->x[c] = b->longitude[x + c] / unit;
      b->y[c] = b->latitude[x + c] / unit;
    }
  }
  for (int64_t r = 0, i = 0; r < h && !mask->places; r++) {
    for (int64_t c = 0; c < w; c++, i++) {
      b->x[i] = gv_center_x(g, x + c, y + r);
      b->y[i] = gv_center_y(g, x + c, y + r);
    }
  }
  if (mask->operation != NULL && gv_operation_apply(b->x, b->y, w * h, mask->operation) != 0) {
    return gv_io_fail_memory(io, "the mask");
  }
  return GV_OK;
}

/* Column and row that a position lies in; -1 outside. */
static inline int64_t column_of(const gv_mask *mask, double x, double y) {
  const double *t = mask->raster.inverse;
  double u = t[0] + x * t[1] + y * t[2];
  bool inside = u >= 0.0 && u < (double)mask->raster.width; /* a raster may be wider than a turn */
  if (!inside && mask->turn != 0.0) {
    double period = fabs(mask->turn * t[1]);
    u -= floor(u / period) * period;
    if (u >= period) u = 0.0;                            /* it was a rounding below 0 */
    inside = u >= 0.0 && u < (double)mask->raster.width; /* far away turns are less than rounding */
  }
  return inside ? (int64_t)u : -1;
}

static inline int64_t mask_row_of(const gv_mask *mask, double x, double y) {
  const double *t = mask->raster.inverse;
  double v = t[3] + x * t[4] + y * t[5];
  return v >= 0.0 && v < (double)mask->raster.height ? (int64_t)v : -1;
}

/* The pixels of a rectangle of cells: of each cell, or where the grids are parallel of each column and each
 * row. */
static gv_status find_pixels(gv_io *io, const gv_mask *mask, mask_worker *b, int64_t x, int64_t y, int64_t w,
                             int64_t h) {
  const double *g = mask->grid->geotransform;
  gv_status status;
  if (mask->upright) {
    status = grow_cells(io, b, w > h ? w : h);
    if (status != GV_OK) return status;
    for (int64_t c = 0; c < w; c++)
      b->column[c] = column_of(mask, gv_center_x(g, x + c, y), 0.0);
    for (int64_t r = 0; r < h; r++)
      b->row[r] = mask_row_of(mask, 0.0, gv_center_y(g, x, y + r));
    return GV_OK;
  }
  /* In a rotated raster of longitudes and latitudes a turn is not a number of columns: each is tried. */
  static const double turns[] = {0.0, 1.0, -1.0, 2.0, -2.0};
  int tries = mask->raster.lonlat && mask->turn == 0.0 ? 5 : 1;
  status = find_positions(io, mask, b, x, y, w, h);
  for (int64_t i = 0; status == GV_OK && i < w * h; i++) {
    b->column[i] = b->row[i] = -1;
    for (int k = 0; k < tries && isfinite(b->x[i]) && isfinite(b->y[i]) && b->row[i] < 0; k++) {
      double there = b->x[i] + turns[k] * mask->raster.turn;
      b->column[i] = column_of(mask, there, b->y[i]);
      if (b->column[i] >= 0) b->row[i] = mask_row_of(mask, there, b->y[i]);
    }
    if (b->row[i] < 0) b->column[i] = -1;
  }
  return status;
}

/* Smallest and largest of those that are not -1; *high is -1 if all are. */
static void range(const int64_t *values, int64_t n, int64_t *low, int64_t *high) {
  *low = INT64_MAX;
  *high = -1;
  for (int64_t i = 0; i < n; i++) {
    if (values[i] < 0) continue;
    if (values[i] < *low) *low = values[i];
    if (values[i] > *high) *high = values[i];
  }
}

static int64_t count_kept(const uint8_t *cells, int64_t n) {
  uint32_t kept = 0; /* compilers make vectors of this */
  for (int64_t i = 0; i < n; i++)
    kept += cells[i];
  return kept;
}

static void set_cells(uint8_t *out, int64_t stride, int64_t w, int64_t h, uint8_t value) {
  for (int64_t r = 0; r < h; r++)
    memset(out + r * stride, value, (size_t)w);
}

static bool any_outside(const int64_t *values, int64_t n) {
  bool any = false;
  for (int64_t i = 0; i < n; i++)
    any = any || values[i] < 0;
  return any;
}

/* Rows of cells with pixels in the window; returns how many cells are kept. Rows of cells that lie in one row
 * of pixels are alike, and where pixels are large all cells often are. */
static int64_t spread_rows(const mask_worker *b, int64_t w, int64_t h, const int64_t low[2], int64_t window_w,
                           int64_t window_h, uint8_t *out, int64_t stride) {
  int64_t pixels = count_kept(b->counts, window_w * window_h), kept = 0, in_row = 0;
  bool all = pixels == window_w * window_h && !any_outside(b->column, w) && !any_outside(b->row, h);
  if (all || pixels == 0) {
    set_cells(out, stride, w, h, all);
    return all ? w * h : 0;
  }
  for (int64_t r = 0; r < h; r++) {
    uint8_t *to = out + r * stride;
    if (b->row[r] < 0) {
      memset(to, 0, (size_t)w);
      in_row = 0;
    } else if (r > 0 && b->row[r] == b->row[r - 1]) {
      memcpy(to, to - stride, (size_t)w);
    } else {
      const uint8_t *from = b->counts + (b->row[r] - low[1]) * window_w - low[0];
      for (int64_t c = 0; c < w; c++)
        to[c] = b->column[c] >= 0 ? from[b->column[c]] : 0;
      in_row = count_kept(to, w);
    }
    kept += in_row;
  }
  return kept;
}

/* Looks up a rectangle of cells; splits it while the pixels it touches are too many to be read at once. Adds
 * how many count to *kept. */
static gv_status look_up(gv_io *io, const gv_mask *mask, int worker, int64_t x, int64_t y, int64_t w,
                         int64_t h, uint8_t *out, int64_t stride, int64_t *kept) {
  mask_worker *b = &mask->of_worker[worker];
  int64_t low[2], high[2];
  gv_status status = find_pixels(io, mask, b, x, y, w, h);
  if (status != GV_OK) return status;
  range(b->column, mask->upright ? w : w * h, &low[0], &high[0]);
  range(b->row, mask->upright ? h : w * h, &low[1], &high[1]);
  if (high[0] < 0 || high[1] < 0) {
    set_cells(out, stride, w, h, 0);
    return GV_OK;
  }
  int64_t window_w = high[0] - low[0] + 1, window_h = high[1] - low[1] + 1;
  if (window_w * window_h > mask->window && w * h > 1) {
    bool across = w >= h;
    int64_t half = (across ? w : h) / 2;
    status = look_up(io, mask, worker, x, y, across ? half : w, across ? h : half, out, stride, kept);
    if (status != GV_OK) return status;
    if (across) return look_up(io, mask, worker, x + half, y, w - half, h, out + half, stride, kept);
    return look_up(io, mask, worker, x, y + half, w, h - half, out + half * stride, stride, kept);
  }
  status = grow_window(io, b, window_w * window_h);
  if (status == GV_OK)
    status = gv_raster_in_nonzero(io, &mask->raster, worker, low[0], low[1], window_w, window_h, b->counts,
                                  b->values, b->valid);
  if (status != GV_OK) return status;
  if (mask->upright) {
    *kept += spread_rows(b, w, h, low, window_w, window_h, out, stride);
  } else {
    for (int64_t r = 0, i = 0; r < h; r++) {
      for (int64_t c = 0; c < w; c++, i++) {
        bool found = b->column[i] >= 0;
        out[r * stride + c] =
            found ? b->counts[(b->row[i] - low[1]) * window_w + (b->column[i] - low[0])] : 0;
      }
      *kept += count_kept(out + r * stride, w);
    }
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- polygons */

static gv_status fill_rows(gv_io *io, const gv_mask *mask, int worker, int64_t x, int64_t y, int64_t w,
                           int64_t h, uint8_t *out, int64_t stride, int64_t *kept) {
  mask_worker *b = &mask->of_worker[worker];
  bool rows = !mask->places && mask->operation == NULL && gv_is_upright(mask->grid->geotransform);
  gv_status status = GV_OK;
  for (int64_t r = 0; r < h && status == GV_OK; r++) {
    uint8_t *to = out + r * stride;
    if (rows) {
      gv_cell_row row = {mask->grid->geotransform, x, y + r, w, to};
      status = gv_mask_polygons_mark(io, mask->polygons, &row, &b->crossings);
    } else {
      status = find_positions(io, mask, b, x, y + r, w, 1);
      for (int64_t c = 0; c < w && status == GV_OK; c++)
        to[c] = gv_mask_polygons_hold(mask->polygons, b->x[c], b->y[c]);
    }
    if (status == GV_OK) *kept += count_kept(to, w);
  }
  return status;
}

gv_status gv_mask_cells(gv_io *io, gv_mask *mask, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                        uint8_t *out, int64_t stride, int64_t *kept) {
  *kept = 0;
  return mask->is_raster ? look_up(io, mask, worker, x, y, w, h, out, stride, kept)
                         : fill_rows(io, mask, worker, x, y, w, h, out, stride, kept);
}

gv_status gv_mask_places(gv_io *io, gv_mask *mask, int worker, const double *longitude,
                         const double *latitude, int64_t count, uint8_t *out, int64_t *kept) {
  mask->of_worker[worker].longitude = longitude;
  mask->of_worker[worker].latitude = latitude;
  return gv_mask_cells(io, mask, worker, 0, 0, count, 1, out, count, kept);
}
