/*
 * Rasters that are parallel to the grid: pixels are shared among cells by area. An overlap is the product of
 * one along x and one along y; those of all columns and rows of cells are found once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/angles.h"
#include "io/crs/crs.h"
#include "io/overlay/overlay.h"

/* As gv_row_share, of the part between the fractions t0 and t1. */
static double row_share(const gv_overlay *o, double top, double bottom, double t0, double t1) {
  if (o->e2 < -1.0 || (t0 <= 0.0 && t1 >= 1.0)) return t1 - t0;
  double unit = o->degrees * GV_DEGREE, pole = 90.0 * GV_DEGREE;
  double y0 = fmax(-pole, fmin(pole, top * unit)), y1 = fmax(-pole, fmin(pole, bottom * unit));
  double a = fmax(-pole, fmin(pole, (top + t0 * (bottom - top)) * unit));
  double b = fmax(-pole, fmin(pole, (top + t1 * (bottom - top)) * unit));
  double whole = gv_ellipsoid_zone(o->e2, y1) - gv_ellipsoid_zone(o->e2, y0);
  if (whole == 0.0) return t1 - t0;
  return (gv_ellipsoid_zone(o->e2, b) - gv_ellipsoid_zone(o->e2, a)) / whole;
}

double gv_row_share(const gv_overlay *o, double top, double bottom, double t) {
  return row_share(o, top, bottom, 0.0, t);
}

/*
 * One axis. Pixel i reaches from origin + i * step to origin + (i + 1) * step, in cells. `period` > 0: it
 * also lies that many cells farther, and only `limit` cells take part, so that no place counts twice.
 * `vertical`: shares are areas.
 */
typedef struct axis_plan {
  double origin, step, period;
  int64_t cells, limit, pixels;
  bool vertical;
} axis_plan;

/* Edges that differ from a cell's by rounding are the cell's. */
static double snap(double u) {
  double whole = rint(u);
  return fabs(u - whole) < 1e-7 ? whole : u;
}

/* Counts the overlaps of pixel i in start[c + 2], or fills them in from start[c + 1] on. */
static void add_overlaps(const gv_overlay *o, const axis_plan *p, gv_axis *a, int64_t i, bool fill) {
  double from = snap(p->origin + (double)i * p->step), to = snap(p->origin + (double)(i + 1) * p->step);
  double low = fmin(from, to), high = fmax(from, to), width = high - low;
  if (!(width > 0.0)) return;
  double shift = p->period > 0.0 ? p->period * ceil(-high / p->period) : 0.0;
  do {
    double left = snap(low + shift), right = left + width;
    /* Coordinates outside the last cell may be outside the range of integers. */
    int64_t c = left >= (double)p->limit ? p->limit : left > 0.0 ? (int64_t)left : 0;
    for (; c < p->limit && (double)c < right; c++) {
      double begin = fmax(left, (double)c), end = fmin(right, (double)(c + 1)), share = (end - begin) / width;
      if (!(end > begin)) continue;
      if (!fill) {
        a->start[c + 2]++;
        continue;
      }
      if (p->vertical) {
        /* Fractions count from the edge with the smaller place among the cells. */
        const double *g = o->raster.geotransform;
        double edge[2] = {g[3] + (double)i * g[5], g[3] + (double)(i + 1) * g[5]};
        share = row_share(o, edge[from >= to], edge[from < to], (begin - left) / width, (end - left) / width);
      }
      a->pixel[a->start[c + 1]] = i;
      a->share[a->start[c + 1]++] = share;
      a->inside[i] += share;
    }
    shift += p->period;
  } while (p->period > 0.0 && low + shift < (double)p->limit);
}

static gv_status make_axis(gv_io *io, const gv_overlay *o, const axis_plan *p, gv_axis *a) {
  a->start = calloc((size_t)p->cells + 2, sizeof *a->start);
  a->inside = calloc((size_t)p->pixels, sizeof *a->inside);
  if (a->start == NULL || a->inside == NULL) return gv_overlay_no_memory(io);
  for (int64_t i = 0; i < p->pixels; i++)
    add_overlaps(o, p, a, i, false);
  for (int64_t c = 0; c < p->cells; c++)
    a->start[c + 2] += a->start[c + 1];
  size_t entries = (size_t)a->start[p->cells + 1];
  a->pixel = malloc((entries + 1) * sizeof *a->pixel);
  a->share = malloc((entries + 1) * sizeof *a->share);
  if (a->pixel == NULL || a->share == NULL) return gv_overlay_no_memory(io);
  for (int64_t i = 0; i < p->pixels; i++)
    add_overlaps(o, p, a, i, true);
  return GV_OK;
}

gv_status gv_areas_make(gv_io *io, gv_overlay *o) {
  const double *g = o->grid->geotransform, *s = o->raster.geotransform;
  int64_t w = o->grid->grid.width, h = o->grid->grid.height;
  axis_plan across = {(s[0] - g[0]) / g[1], s[1] / g[1], o->period, w, w, o->raster.width, false};
  axis_plan down = {(s[3] - g[3]) / g[5], s[5] / g[5], 0.0, h, h, o->raster.height, o->e2 >= -1.0};
  if (o->period > 0.0 && (double)w > o->period + 1e-6) across.limit = (int64_t)ceil(o->period - 1e-6);
  gv_status status = make_axis(io, o, &across, &o->x);
  return status == GV_OK ? make_axis(io, o, &down, &o->y) : status;
}

bool gv_areas_overlap(const gv_overlay *o) {
  return o->x.start[o->grid->grid.width] > 0 && o->y.start[o->grid->grid.height] > 0;
}

/* How many times the largest pixel's value may be in a cell, along one axis. Sums of shares are rounded. */
static double axis_reach(const gv_axis *a, int64_t cells) {
  double most = 0.0;
  bool single = true;
  for (int64_t c = 0; c < cells; c++) {
    double sum = 0.0;
    for (int64_t e = a->start[c]; e < a->start[c + 1]; e++)
      sum += a->share[e];
    most = fmax(most, sum);
    single = single && a->start[c + 1] - a->start[c] <= 1 && sum <= 1.0;
  }
  return single ? 1.0 : most * (1.0 + 1e-9);
}

double gv_areas_largest(const gv_overlay *o) {
  return o->largest * axis_reach(&o->x, o->grid->grid.width) * axis_reach(&o->y, o->grid->grid.height);
}

void gv_areas_free(gv_overlay *o) {
  void *const pieces[] = {o->x.start, o->x.pixel, o->x.share, o->x.inside,
                          o->y.start, o->y.pixel, o->y.share, o->y.inside};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
    free(pieces[i]);
}

/* Shares a row of pixels among the columns [x, x + w) of cells. */
static gv_status share_row(gv_io *io, const gv_overlay *o, int worker, int64_t row, int64_t x, int64_t w,
                           double *to) {
  const gv_overlay_worker *b = &o->of_worker[worker];
  const gv_axis *a = &o->x;
  int64_t first = INT64_MAX, end = 0;
  memset(to, 0, (size_t)w * sizeof *to);
  for (int64_t e = a->start[x]; e < a->start[x + w]; e++) {
    first = a->pixel[e] < first ? a->pixel[e] : first;
    end = a->pixel[e] >= end ? a->pixel[e] + 1 : end;
  }
  if (end == 0) return GV_OK;
  gv_status status =
      gv_raster_in_values(io, &o->raster, worker, first, row, end - first, 1, b->pixels, b->valid);
  for (int64_t c = 0; c < w && status == GV_OK; c++) {
    for (int64_t e = a->start[x + c]; e < a->start[x + c + 1]; e++)
      to[c] += b->pixels[a->pixel[e] - first] * a->share[e];
  }
  return status;
}

gv_status gv_areas_cells(gv_io *io, const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w,
                         int64_t h) {
  double *values = o->of_worker[worker].values;
  /* rows of even and odd numbers that are there: cells side by side may share one */
  int64_t shared[2] = {-1, -1};
  const gv_axis *a = &o->y;
  gv_status status = GV_OK;
  memset(values, 0, (size_t)(w * h) * sizeof *values);
  for (int64_t r = 0; r < h; r++) {
    for (int64_t e = a->start[y + r]; e < a->start[y + r + 1]; e++) {
      int64_t row = a->pixel[e];
      double *to = values + r * w, *from = values + (h + row % 2) * w, share = a->share[e];
      if (shared[row % 2] != row) status = share_row(io, o, worker, row, x, w, from);
      if (status != GV_OK) return status;
      shared[row % 2] = row;
      for (int64_t c = 0; c < w; c++)
        to[c] += share * from[c];
    }
  }
  return status;
}
