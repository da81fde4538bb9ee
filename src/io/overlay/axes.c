/* Overlaps of pixels and cells along the axes, and true areas of parts of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/overlay/overlay.h"

static const double degree = 3.14159265358979323846 / 180.0;

/* Proportional to the area between the equator and a latitude in radians (Snyder 1987, equation 3-12, halved). */
static double zone(double e2, double latitude) {
  double s = sin(latitude), e = sqrt(fabs(e2));
  if (e < 1e-9) return s;
  double bend = e2 > 0.0 ? atanh(e * s) / e : atan(e * s) / e;
  return 0.5 * (s / (1.0 - e2 * s * s) + bend);
}

double gv_row_share(const gv_overlay *o, double top, double bottom, double t0, double t1) {
  if (o->e2 < -1.0 || (t0 <= 0.0 && t1 >= 1.0)) return t1 - t0;
  double unit = o->degrees * degree, pole = 90.0 * degree;
  double y0 = fmax(-pole, fmin(pole, top * unit)), y1 = fmax(-pole, fmin(pole, bottom * unit));
  double a = fmax(-pole, fmin(pole, (top + t0 * (bottom - top)) * unit));
  double b = fmax(-pole, fmin(pole, (top + t1 * (bottom - top)) * unit));
  double whole = zone(o->e2, y1) - zone(o->e2, y0);
  if (whole == 0.0) return t1 - t0;
  return (zone(o->e2, b) - zone(o->e2, a)) / whole;
}

/* ------------------------------------------------------------------------------------------------------- overlaps */

/* Edges that differ from a cell's by rounding are the cell's. */
static double snap(double u) {
  double whole = rint(u);
  return fabs(u - whole) < 1e-7 ? whole : u;
}

/*
 * One axis. Pixel i reaches from origin + i * step to origin + (i + 1) * step, in cells. `period` > 0: it also lies that
 * many cells farther, and only `limit` cells take part, so that no place counts twice. `vertical`: shares are areas.
 */
typedef struct axis_plan {
  double origin, step, period;
  int64_t cells, limit, pixels;
  bool vertical;
} axis_plan;

static double pixel_edge(const axis_plan *p, int64_t i) {
  return snap(p->origin + (double)i * p->step);
}

/* Calls for every overlap of pixel i: counts (share NULL) or fills. */
static void overlaps(const gv_overlay *o, const axis_plan *p, gv_axis *a, int64_t i, int64_t *next) {
  double from = pixel_edge(p, i), to = pixel_edge(p, i + 1);
  double low = fmin(from, to), high = fmax(from, to), width = high - low;
  if (!(width > 0.0)) return;
  double shift = p->period > 0.0 ? p->period * ceil(-high / p->period) : 0.0;
  do {
    double left = snap(low + shift), right = left + width;
    /* What is beyond the last cell may be beyond all integers. */
    int64_t c = left >= (double)p->limit ? p->limit : left > 0.0 ? (int64_t)left : 0;
    for (; c < p->limit && (double)c < right; c++) {
      double begin = fmax(left, (double)c), end = fmin(right, (double)(c + 1));
      if (!(end > begin)) continue;
      if (next == NULL) {
        a->start[c + 1]++;
        continue;
      }
      double share;
      if (p->vertical) {
        double t0 = (begin - left) / width, t1 = (end - left) / width;
        double g = o->raster.geotransform[3], s = o->raster.geotransform[5];
        double top = g + (double)i * s, bottom = g + (double)(i + 1) * s;
        /* Fractions count from the edge with the smaller place among the cells. */
        share = from < to ? gv_row_share(o, top, bottom, t0, t1) : gv_row_share(o, bottom, top, t0, t1);
      } else {
        share = (end - begin) / width;
      }
      a->pixel[next[c]] = i;
      a->share[next[c]++] = share;
      a->inside[i] += share;
    }
    shift += p->period;
  } while (p->period > 0.0 && low + shift < (double)p->limit);
}

static gv_status make_axis(gv_io *io, const gv_overlay *o, const axis_plan *p, gv_axis *a) {
  gv_status status = GV_OK;
  int64_t *next = malloc((size_t)p->cells * sizeof *next);
  a->cells = p->cells;
  a->pixels = p->pixels;
  a->start = calloc((size_t)p->cells + 1, sizeof *a->start);
  a->inside = calloc((size_t)p->pixels, sizeof *a->inside);
  if (next == NULL || a->start == NULL || a->inside == NULL) goto out_of_memory;
  for (int64_t i = 0; i < p->pixels; i++)
    overlaps(o, p, a, i, NULL);
  for (int64_t c = 0; c < p->cells; c++)
    a->start[c + 1] += a->start[c];
  memcpy(next, a->start, (size_t)p->cells * sizeof *next);
  a->entries = a->start[p->cells];
  a->pixel = malloc((size_t)(a->entries + 1) * sizeof *a->pixel);
  a->share = malloc((size_t)(a->entries + 1) * sizeof *a->share);
  if (a->pixel == NULL || a->share == NULL) goto out_of_memory;
  for (int64_t i = 0; i < p->pixels; i++)
    overlaps(o, p, a, i, next);
  goto end;
out_of_memory:
  status = gv_overlay_no_memory(io);
end:
  free(next);
  return status;
}

void gv_axis_free(gv_axis *a) {
  free(a->start);
  free(a->pixel);
  free(a->share);
  free(a->inside);
}

/* Which cells have the overlap of the cell before them: all in one pixel, or nothing; NULL when out of memory. */
static bool *find_same(const gv_axis *a) {
  bool *same = calloc((size_t)a->cells, sizeof *same);
  for (int64_t c = 1; c < a->cells && same != NULL; c++) {
    int64_t n = a->start[c + 1] - a->start[c], i = a->start[c], before = a->start[c - 1];
    bool as_many = n == a->start[c] - before;
    same[c] = as_many && (n == 0 || (n == 1 && a->pixel[i] == a->pixel[before] && a->share[i] == a->share[before]));
  }
  return same;
}

void gv_axis_pixels(const gv_axis *a, int64_t from, int64_t to, int64_t out[2]) {
  out[0] = INT64_MAX;
  out[1] = 0;
  for (int64_t e = a->start[from]; e < a->start[to]; e++) {
    out[0] = a->pixel[e] < out[0] ? a->pixel[e] : out[0];
    out[1] = a->pixel[e] >= out[1] ? a->pixel[e] + 1 : out[1];
  }
  if (out[1] == 0) out[0] = 0;
}

gv_status gv_axes_lay(gv_io *io, gv_overlay *o) {
  const double *g = o->grid->geotransform, *s = o->raster.geotransform;
  int64_t w = o->grid->grid.width, h = o->grid->grid.height;
  axis_plan across = {(s[0] - g[0]) / g[1], s[1] / g[1], o->period, w, w, o->raster.width, false};
  axis_plan down = {(s[3] - g[3]) / g[5], s[5] / g[5], 0.0, h, h, o->raster.height, o->e2 >= -1.0};
  if (o->period > 0.0 && (double)w > o->period + 1e-6) across.limit = (int64_t)ceil(o->period - 1e-6);
  gv_status status = make_axis(io, o, &across, &o->x);
  if (status == GV_OK) status = make_axis(io, o, &down, &o->y);
  if (status != GV_OK) return status;
  o->same = find_same(&o->x);
  o->same_row = find_same(&o->y);
  return o->same != NULL && o->same_row != NULL ? GV_OK : gv_overlay_no_memory(io);
}
