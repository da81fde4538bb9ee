/*
 * Parting pixels among cells of another coordinate system, or of a rotated grid. A pixel that is several cells wide is parted by
 * interpolation between transformed corners where its middles show that this is good to a twentieth of a cell, otherwise in
 * four first, or in two if it is good but too long in one direction.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/overlay/overlay.h"

enum {
  PARTS_A_CELL = 4, /* parts are at most this fraction of a cell wide */
  CORNERS = 32,     /* of pixels, found at once */
  MAX_PARTS = 128,  /* a side of a patch */
  MAX_DEPTH = 8,    /* of patches that cannot be interpolated: at the edge of a map, say */
  /* What parting a pixel may take, in patches or as many parts: some, and a share of the grid's cells, as a pixel may cover them all. */
  WORK = 1 << 17,
  PARTS_A_WORK = 1024,
  CELLS_A_WORK = 16
};

/* A rectangle of a pixel, in fractions of it, with its corners among the cells: (s0, t0), (s1, t0), (s0, t1), (s1, t1). */
typedef struct patch {
  double s0, s1, t0, t1;
  double u[4], v[4];
} patch;

typedef struct source_pixel {
  double column, row;
  double value;
  int64_t work; /* that it may still take */
} source_pixel;

/* A place of the raster (in pixels) among the cells; NaN if it has none. */
static void to_cells(const gv_overlay *o, int64_t n, double *x, double *y, gv_sink *to) {
  const double *s = o->raster.geotransform, *t = o->inverse;
  for (int64_t i = 0; i < n; i++) {
    double column = x[i], row = y[i];
    x[i] = s[0] + column * s[1] + row * s[2];
    y[i] = s[3] + column * s[4] + row * s[5];
  }
  if (o->operation != NULL && gv_operation_apply(x, y, n, o->operation) != 0)
    to->status = gv_overlay_no_memory(to->io);
  for (int64_t i = 0; i < n; i++) {
    double a = x[i], b = y[i];
    bool found = isfinite(a) && isfinite(b);
    x[i] = found ? t[0] + a * t[1] + b * t[2] : (double)NAN;
    y[i] = found ? t[3] + a * t[4] + b * t[5] : (double)NAN;
  }
}

/* Corners a turn away from the first one come back to it. */
static void unwrap(const gv_overlay *o, double *u, int n) {
  for (int i = 1; i < n && o->period > 0.0; i++)
    u[i] -= o->period * rint((u[i] - u[0]) / o->period);
}

static void drop(const gv_overlay *o, gv_sink *to, double u, double v, double amount) {
  if (o->period > 0.0) {
    u -= o->period * floor(u / o->period);
    if (u >= o->period) u = 0.0; /* it was a rounding below 0 */
  }
  bool inside = u >= 0.0 && v >= 0.0 && u < (double)o->grid->grid.width && v < (double)o->grid->grid.height;
  to->take(to, inside ? (int64_t)u : -1, inside ? (int64_t)v : -1, amount);
}

static double amount_of(const gv_overlay *o, const source_pixel *p, double t0, double t1) {
  const double *s = o->raster.geotransform;
  if (o->e2 < -1.0 || !gv_is_upright(s)) return t1 - t0;
  double top = s[3] + p->row * s[5];
  return gv_row_share(o, top, top + s[5], t0, t1);
}

/* Which of `count` parts from v0 to v1 may be within [0, limit]: pixels may be far larger than the grid. */
static void clip(double v0, double v1, double limit, int count, int *first, int *end) {
  double a = -v0 / (v1 - v0) * count, b = (limit - v0) / (v1 - v0) * count;
  double low = fmin(a, b) - 1.0, high = fmax(a, b) + 1.0; /* a part more for rounding */
  if (!isfinite(a) || !isfinite(b)) return;
  *first = low <= 0.0 ? 0 : low < count ? (int)low : count;
  *end = high >= count ? count : high > 0.0 ? (int)high + 1 : 0;
  if (*end > count) *end = count;
}

/* Parts a patch whose corners are good enough to interpolate between. */
static void part_evenly(const gv_overlay *o, source_pixel *p, const patch *a, int across, int down, gv_sink *to) {
  p->work -= (int64_t)across * down / PARTS_A_WORK;
  for (int j = 0; j < down; j++) {
    double f0 = (double)j / down, f1 = (double)(j + 1) / down, f = ((double)j + 0.5) / down;
    double t0 = a->t0 + f0 * (a->t1 - a->t0), t1 = a->t0 + f1 * (a->t1 - a->t0);
    double amount = p->value * amount_of(o, p, t0, t1) * (a->s1 - a->s0) / across;
    double u0 = a->u[0] + f * (a->u[2] - a->u[0]), u1 = a->u[1] + f * (a->u[3] - a->u[1]);
    double v0 = a->v[0] + f * (a->v[2] - a->v[0]), v1 = a->v[1] + f * (a->v[3] - a->v[1]);
    int first = 0, end = across;
    clip(v0, v1, (double)o->grid->grid.height, across, &first, &end);
    for (int i = first; i < end; i++) {
      double e = ((double)i + 0.5) / across;
      drop(o, to, u0 + e * (u1 - u0), v0 + e * (v1 - v0), amount);
    }
  }
}

/* Cells between two corners, in the larger direction. */
static double reach(const patch *a, int i, int k) {
  return fmax(fabs(a->u[i] - a->u[k]), fabs(a->v[i] - a->v[k]));
}

static int parts(double cells) {
  double n = ceil(PARTS_A_CELL * cells);
  return n < 1.0 ? 1 : n > MAX_PARTS ? MAX_PARTS : (int)n;
}

/* True if the nine places of a patch lie on one side of the grid, farther from it than they are from each other: none of
 * it comes to lie inside. (Maps stretch without end towards some places.) */
static bool aside(const gv_overlay *o, const patch *a, const double x[5], const double y[5]) {
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  const double limit[2] = {(double)o->grid->grid.width, (double)o->grid->grid.height};
  for (int i = 0; i < 9; i++) {
    const double at[2] = {i < 4 ? a->u[i] : x[i - 4], i < 4 ? a->v[i] : y[i - 4]};
    for (int d = 0; d < 2; d++) {
      if (!isfinite(at[d])) return false;
      low[d] = fmin(low[d], at[d]);
      high[d] = fmax(high[d], at[d]);
    }
  }
  for (int d = o->period > 0.0 ? 1 : 0; d < 2; d++) {
    double spread = high[d] - low[d];
    if (low[d] > limit[d] + spread || high[d] < -spread) return true;
  }
  return false;
}

/* Pixels of millions of cells may be so slanted that most of their patches touch the grid. */
static bool can_work(const gv_overlay *o, source_pixel *p, gv_sink *to) {
  if (to->status != GV_OK) return false;
  if (p->work-- > 0) return true;
  to->status = gv_io_fail(to->io, GV_ERROR_INVALID_ARGUMENT,
                          "--sum: %s: pixel (%.0f, %.0f) is too long and slanted for the grid", o->raster.path,
                          p->column, p->row);
  return false;
}

/* Corners more than half a turn apart do not tell which way around the globe their patch goes. */
static bool may_go_around(const gv_overlay *o, const patch *a) {
  const double *g = o->raster.geotransform;
  double s = a->s1 - a->s0, t = a->t1 - a->t0;
  if (s * fabs(g[1]) + t * fabs(g[2]) > o->eighth) return true;
  return o->raster.turn == 0.0 && s * fabs(g[4]) + t * fabs(g[5]) > o->eighth; /* latitudes do not */
}

static void part(const gv_overlay *o, source_pixel *p, const patch *a, int depth, gv_sink *to) {
  if (!can_work(o, p, to)) return;
  bool around = may_go_around(o, a);
  double across = fmax(reach(a, 0, 1), reach(a, 2, 3)), down = fmax(reach(a, 0, 2), reach(a, 1, 3));
  bool known = !around && isfinite(across) && isfinite(down); /* false if any corner is NaN */
  for (int i = 0; i < 4; i++)
    known = known && isfinite(a->u[i]) && isfinite(a->v[i]);
  if (known && across <= 2.0 && down <= 2.0) {
    part_evenly(o, p, a, parts(across), parts(down), to);
    return;
  }
  /* The middles: of the edges 0-1, 0-2, 1-3, 2-3, and the centre. */
  double s = 0.5 * (a->s0 + a->s1), t = 0.5 * (a->t0 + a->t1);
  double x[5] = {p->column + s, p->column + a->s0, p->column + a->s1, p->column + s, p->column + s};
  double y[5] = {p->row + a->t0, p->row + t, p->row + t, p->row + a->t1, p->row + t};
  to_cells(o, 5, x, y, to);
  double u[6] = {a->u[0], x[0], x[1], x[2], x[3], x[4]};
  unwrap(o, u, 6);
  bool nowhere = !isfinite(a->u[0]) && !isfinite(a->u[1]) && !isfinite(a->u[2]) && !isfinite(a->u[3]);
  for (int i = 0; i < 5; i++)
    nowhere = nowhere && !isfinite(x[i]);
  static const int ends[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  if (aside(o, a, x, y)) {
    drop(o, to, (double)NAN, (double)NAN, p->value * amount_of(o, p, a->t0, a->t1) * (a->s1 - a->s0));
    return;
  }
  bool even = known;
  for (int i = 0; i < 5; i++) {
    double mean_u =
        i < 4 ? 0.5 * (a->u[ends[i][0]] + a->u[ends[i][1]]) : 0.25 * (a->u[0] + a->u[1] + a->u[2] + a->u[3]);
    double mean_v =
        i < 4 ? 0.5 * (a->v[ends[i][0]] + a->v[ends[i][1]]) : 0.25 * (a->v[0] + a->v[1] + a->v[2] + a->v[3]);
    double error = fmax(fabs(u[i + 1] - mean_u), fabs(y[i] - mean_v));
    even = even && error <= 0.05;
  }
  bool wide = !even || across * PARTS_A_CELL > MAX_PARTS, tall = !even || down * PARTS_A_CELL > MAX_PARTS;
  if (!wide && !tall) {
    part_evenly(o, p, a, parts(across), parts(down), to);
    return;
  }
  if (nowhere || (!even && !around && depth >= MAX_DEPTH)) {
    drop(o, to, x[4], y[4], p->value * amount_of(o, p, a->t0, a->t1) * (a->s1 - a->s0));
    return;
  }
  const double us[9] = {a->u[0], u[1], a->u[1], u[2], u[5], u[3], a->u[2], u[4], a->u[3]};
  const double vs[9] = {a->v[0], y[0], a->v[1], y[1], y[4], y[2], a->v[2], y[3], a->v[3]};
  for (int quarter = 0; quarter < 4; quarter++) {
    int left = quarter % 2, top = quarter / 2, right = wide ? left + 1 : 2, bottom = tall ? top + 1 : 2;
    if ((left == 1 && !wide) || (top == 1 && !tall)) continue;
    patch child = {.s0 = left == 0 ? a->s0 : s,
                   .s1 = right == 1 ? s : a->s1,
                   .t0 = top == 0 ? a->t0 : t,
                   .t1 = bottom == 1 ? t : a->t1};
    const int corner[4] = {3 * top + left, 3 * top + right, 3 * bottom + left, 3 * bottom + right};
    for (int k = 0; k < 4; k++) {
      child.u[k] = us[corner[k]];
      child.v[k] = vs[corner[k]];
    }
    unwrap(o, child.u, 4);
    part(o, p, &child, depth + 1, to);
  }
}

/* The line of an edge. */
static gv_status find_line(gv_io *io, const gv_overlay *o, gv_overlay_worker *b, int64_t edge,
                           gv_corner_line **out) {
  gv_corner_line *line = &b->line[edge % 2];
  size_t corners = (size_t)o->raster.width + 1;
  bool made = line->x != NULL;
  if (!made) {
    line->x = malloc(2 * corners * sizeof *line->x);
    line->known = malloc(corners);
    if (line->x == NULL || line->known == NULL) {
      free(line->x);
      free(line->known);
      *line = (gv_corner_line){0};
      return gv_overlay_no_memory(io);
    }
    line->y = line->x + corners;
  }
  if (!made || line->edge != edge) memset(line->known, 0, corners);
  line->edge = edge;
  *out = line;
  return GV_OK;
}

/* Finds the corners [from, end). */
static void find_corners(const gv_overlay *o, gv_corner_line *line, int64_t from, int64_t end, gv_sink *to) {
  for (int64_t c = from; c < end; c++) {
    int64_t first = c;
    for (; c < end && !line->known[c]; c++) {
      line->x[c] = (double)c;
      line->y[c] = (double)line->edge;
      line->known[c] = 1;
    }
    if (c > first) to_cells(o, c - first, line->x + first, line->y + first, to);
  }
}

gv_status gv_part_row(gv_io *io, const gv_overlay *o, gv_overlay_worker *b, int64_t row, int64_t first,
                      int64_t count, const double *values, gv_sink *to) {
  gv_corner_line *above = NULL, *below = NULL;
  gv_status status = find_line(io, o, b, row, &above);
  if (status == GV_OK) status = find_line(io, o, b, row + 1, &below);
  if (status != GV_OK) return status;
  int64_t found = 0; /* corners up to here */
  for (int64_t i = 0; i < count; i++) {
    if (values[i] == 0.0) continue;
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    if (i >= found) {
      found = count - i < CORNERS ? count : i + CORNERS;
      find_corners(o, above, first + i, first + found + 1, to);
      find_corners(o, below, first + i, first + found + 1, to);
    }
    int64_t c = first + i;
    source_pixel p = {.column = (double)c, .row = (double)row, .value = values[i]};
    p.work = WORK + o->grid->grid.width * o->grid->grid.height / CELLS_A_WORK;
    patch a = {0.0,
               1.0,
               0.0,
               1.0,
               {above->x[c], above->x[c + 1], below->x[c], below->x[c + 1]},
               {above->y[c], above->y[c + 1], below->y[c], below->y[c + 1]}};
    unwrap(o, a.u, 4);
    to->pixel_row = row;
    to->pixel = c;
    part(o, &p, &a, 0, to);
    if (to->status != GV_OK) break;
  }
  return to->status;
}
