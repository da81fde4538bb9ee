/*
 * Overlaying. Two ways:
 *
 * Parallel grids: overlaps are products of an overlap along x and one along y. Those of every column and every row of
 * pixels are found once. Runs of columns that lie in one pixel have one value a row, however many they are. A row of pixels
 * is shared among the runs first, and then among the rows of cells.
 *
 * All others: pixels are parted once to note for every bucket (a square of cells) and row of pixels from which to which
 * pixel parts fall into it, and to add up what is inside. A block of cells then parts the pixels of its buckets again, the
 * same way, and keeps what is its own. Memory is bounded by the notes, whatever the sizes.
 *
 * Before either all pixels are walked through, for their sums and for what is wrong with them; values are kept from there.
 *
 * A pixel that is several cells wide is parted by interpolation between transformed corners where its middles show that
 * this is good to a twentieth of a cell, otherwise in four first.
 */
#include "io/overlay/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/in/raster_in.h"

enum {
  STRIP = 1 << 20,        /* values read at once */
  LANES = GV_WINDOW_STEP, /* sums over a row of pixels side by side, for the compiler's vectors */
  MAX_RANGES = 8,         /* runs of source columns read for one block */
  BUCKET = 512,           /* cells a side */
  PARTS_A_CELL = 4,       /* parts are at most this fraction of a cell wide */
  NOTED = 1 << 17,        /* pixels noted at once */
  CORNERS = 32,           /* of pixels, found at once */
  SAMPLES = 256,          /* places across and down by which an overlap is looked for */
  MAX_PARTS = 128,        /* a side of a patch */
  MAX_DEPTH = 8           /* of patches that cannot be interpolated: at the edge of a map, say */
};

/* Overlaps along one axis, both ways: entries of cell i are start[i] ... start[i + 1]. */
typedef struct axis {
  int64_t cells, pixels;
  int64_t *start; /* by cell */
  int64_t *pixel;
  double *share;  /* of the pixel */
  double *inside; /* by pixel: sum of its shares */
  int64_t entries;
} axis;

/* Pixels [first, end) of a row of which parts may fall into a bucket. */
typedef struct note {
  int64_t row, first, end;
} note;

typedef struct bucket {
  note *notes; /* rows ascend */
  int64_t count, capacity;
} bucket;

/* A share of a pixel of a row that goes to a run of columns. */
typedef struct pixel_part {
  double share;
  int32_t place; /* among the pixels read */
  int32_t run;
} pixel_part;

/* Corners of pixels among the cells, by column, between the rows edge - 1 and edge. */
typedef struct corner_line {
  int64_t edge;
  double *x, *y;
  uint8_t *known; /* those that have been found */
} corner_line;

typedef struct bench {
  double *values; /* of cells */
  int32_t *first; /* of runs of columns, and then of runs of rows */
  double *pixels;
  uint8_t *valid;
  double *collapsed; /* two rows of pixels, shared among the runs */
  pixel_part *parts; /* of a row of pixels in the runs */
  int64_t value_capacity, pixel_capacity, collapsed_capacity, part_capacity;
  corner_line line[2]; /* of even and odd edges: rows share one with the next */
} bench;

struct gv_overlay {
  const char *name;
  const gv_raster_grid *grid;
  gv_raster_in raster;
  double total, size, inside; /* size: sum of absolute values */
  bool parallel;
  axis x, y;
  bool *same;              /* column c has the overlap of column c - 1 */
  bool *same_row;          /* row r has the overlap of row r - 1 */
  gv_operation *operation; /* from the raster's coordinates to the grid's; NULL = the same */
  double inverse[6];       /* from the grid's coordinates to columns and rows */
  double period;           /* columns of a full turn; 0 = none */
  double e2;               /* of the ellipsoid, for true areas of the raster's rows; < 0: rows are planar */
  double degrees;          /* in one unit of the raster's y */
  int64_t buckets_across, buckets_down;
  bucket *buckets;
  int workers;
  bench *benches;
};

static const double degree = 3.14159265358979323846 / 180.0;

/* --------------------------------------------------------------------------------------------------- true areas */

/* Proportional to the area between the equator and a latitude in radians (Snyder 1987, equation 3-12, halved). */
static double zone(double e2, double latitude) {
  double s = sin(latitude), e = sqrt(fabs(e2));
  if (e < 1e-9) return s;
  double bend = e2 > 0.0 ? atanh(e * s) / e : atan(e * s) / e;
  return 0.5 * (s / (1.0 - e2 * s * s) + bend);
}

/* The share of a row of pixels, from y = top to y = bottom, that lies between the fractions t0 and t1 of its height. */
static double row_share(const gv_overlay *o, double top, double bottom, double t0, double t1) {
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
static void overlaps(const gv_overlay *o, const axis_plan *p, axis *a, int64_t i, int64_t *next) {
  double from = pixel_edge(p, i), to = pixel_edge(p, i + 1);
  double low = fmin(from, to), high = fmax(from, to), width = high - low;
  if (!(width > 0.0)) return;
  double shift = p->period > 0.0 ? p->period * ceil(-high / p->period) : 0.0;
  do {
    double left = snap(low + shift), right = left + width;
    int64_t c = left > 0.0 ? (int64_t)left : 0;
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
        share = from < to ? row_share(o, top, bottom, t0, t1) : row_share(o, bottom, top, t0, t1);
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

static gv_status make_axis(gv_io *io, const gv_overlay *o, const axis_plan *p, axis *a) {
  gv_status status = GV_OK;
  int64_t *next = malloc((size_t)p->cells * sizeof *next);
  a->cells = p->cells;
  a->pixels = p->pixels;
  a->start = calloc((size_t)p->cells + 1, sizeof *a->start);
  a->inside = calloc((size_t)p->pixels, sizeof *a->inside);
  if (next == NULL || a->start == NULL || a->inside == NULL) goto no_memory;
  for (int64_t i = 0; i < p->pixels; i++)
    overlaps(o, p, a, i, NULL);
  for (int64_t c = 0; c < p->cells; c++)
    a->start[c + 1] += a->start[c];
  memcpy(next, a->start, (size_t)p->cells * sizeof *next);
  a->entries = a->start[p->cells];
  a->pixel = malloc((size_t)(a->entries + 1) * sizeof *a->pixel);
  a->share = malloc((size_t)(a->entries + 1) * sizeof *a->share);
  if (a->pixel == NULL || a->share == NULL) goto no_memory;
  for (int64_t i = 0; i < p->pixels; i++)
    overlaps(o, p, a, i, next);
  goto end;
no_memory:
  status = gv_io_fail_memory(io, "the overlay of a raster");
end:
  free(next);
  return status;
}

static void free_axis(axis *a) {
  free(a->start);
  free(a->pixel);
  free(a->share);
  free(a->inside);
}

/* Which cells have the overlap of the cell before them: all in one pixel, or nothing; NULL when out of memory. */
static bool *find_same(const axis *a) {
  bool *same = calloc((size_t)a->cells, sizeof *same);
  for (int64_t c = 1; c < a->cells && same != NULL; c++) {
    int64_t n = a->start[c + 1] - a->start[c], i = a->start[c], before = a->start[c - 1];
    bool as_many = n == a->start[c] - before;
    same[c] = as_many && (n == 0 || (n == 1 && a->pixel[i] == a->pixel[before] && a->share[i] == a->share[before]));
  }
  return same;
}

/* The first pixel of cells [from, to), and the one after the last; none: equal. */
static void find_pixels(const axis *a, int64_t from, int64_t to, int64_t out[2]) {
  out[0] = INT64_MAX;
  out[1] = 0;
  for (int64_t e = a->start[from]; e < a->start[to]; e++) {
    out[0] = a->pixel[e] < out[0] ? a->pixel[e] : out[0];
    out[1] = a->pixel[e] >= out[1] ? a->pixel[e] + 1 : out[1];
  }
  if (out[1] == 0) out[0] = 0;
}

static gv_status lay_parallel(gv_io *io, gv_overlay *o) {
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
  return o->same != NULL && o->same_row != NULL ? GV_OK : gv_io_fail_memory(io, "the overlay of a raster");
}

/* -------------------------------------------------------------------------------------------------- parting pixels */

/* What becomes of parts: a part of the size `amount` in a cell; column -1: outside the grid. */
typedef struct sink {
  void (*take)(struct sink *sink, int64_t column, int64_t row, double amount);
  int64_t pixel_row, pixel;
  bool failed;
  /* notes: */
  const gv_overlay *overlay;
  bucket *buckets;
  double inside;
  /* blocks: */
  double *values;
  int64_t x, y, w, h;
} sink;

/* A rectangle of a pixel, in fractions of it, with its corners among the cells: (s0, t0), (s1, t0), (s0, t1), (s1, t1). */
typedef struct patch {
  double s0, s1, t0, t1;
  double u[4], v[4];
} patch;

typedef struct source_pixel {
  double x, y; /* its corner in the raster's coordinates */
  double column, row;
  double value;
} source_pixel;

/* A place of the raster (in pixels) among the cells; NaN if it has none. */
static void to_cells(const gv_overlay *o, int64_t n, double *x, double *y, bool *failed) {
  const double *s = o->raster.geotransform, *t = o->inverse;
  for (int64_t i = 0; i < n; i++) {
    double column = x[i], row = y[i];
    x[i] = s[0] + column * s[1] + row * s[2];
    y[i] = s[3] + column * s[4] + row * s[5];
  }
  if (o->operation != NULL && gv_operation_apply(x, y, n, o->operation) != 0) *failed = true;
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

static void drop(const gv_overlay *o, sink *to, double u, double v, double amount) {
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
  return row_share(o, top, top + s[5], t0, t1);
}

/* Parts a patch whose corners are good enough to interpolate between. */
static void part_evenly(const gv_overlay *o, const source_pixel *p, const patch *a, int across, int down,
                        sink *to) {
  for (int j = 0; j < down; j++) {
    double f0 = (double)j / down, f1 = (double)(j + 1) / down, f = ((double)j + 0.5) / down;
    double t0 = a->t0 + f0 * (a->t1 - a->t0), t1 = a->t0 + f1 * (a->t1 - a->t0);
    double amount = p->value * amount_of(o, p, t0, t1) * (a->s1 - a->s0) / across;
    double u0 = a->u[0] + f * (a->u[2] - a->u[0]), u1 = a->u[1] + f * (a->u[3] - a->u[1]);
    double v0 = a->v[0] + f * (a->v[2] - a->v[0]), v1 = a->v[1] + f * (a->v[3] - a->v[1]);
    for (int i = 0; i < across; i++) {
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

static void part(const gv_overlay *o, const source_pixel *p, const patch *a, int depth, sink *to) {
  double across = fmax(reach(a, 0, 1), reach(a, 2, 3)), down = fmax(reach(a, 0, 2), reach(a, 1, 3));
  bool known = isfinite(across) && isfinite(down); /* false if any corner is NaN */
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
  to_cells(o, 5, x, y, &to->failed);
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
  if (even && across * PARTS_A_CELL <= MAX_PARTS && down * PARTS_A_CELL <= MAX_PARTS) {
    part_evenly(o, p, a, parts(across), parts(down), to);
    return;
  }
  if (nowhere || (!even && depth >= MAX_DEPTH)) {
    drop(o, to, x[4], y[4], p->value * amount_of(o, p, a->t0, a->t1) * (a->s1 - a->s0));
    return;
  }
  const double us[9] = {a->u[0], u[1], a->u[1], u[2], u[5], u[3], a->u[2], u[4], a->u[3]};
  const double vs[9] = {a->v[0], y[0], a->v[1], y[1], y[4], y[2], a->v[2], y[3], a->v[3]};
  for (int quarter = 0; quarter < 4; quarter++) {
    int i = quarter % 2, j = quarter / 2, at = 3 * j + i;
    patch child = {
        .s0 = i == 0 ? a->s0 : s, .s1 = i == 0 ? s : a->s1, .t0 = j == 0 ? a->t0 : t, .t1 = j == 0 ? t : a->t1};
    const int corner[4] = {at, at + 1, at + 3, at + 4};
    for (int k = 0; k < 4; k++) {
      child.u[k] = us[corner[k]];
      child.v[k] = vs[corner[k]];
    }
    unwrap(o, child.u, 4);
    part(o, p, &child, depth + 1, to);
  }
}

static bool grow(double **array, int64_t *capacity, int64_t count) {
  if (count <= *capacity) return true;
  free(*array);
  *array = malloc((size_t)count * sizeof **array);
  *capacity = *array != NULL ? count : 0;
  return *array != NULL;
}

/* The line of an edge; NULL when out of memory. */
static corner_line *line_of(const gv_overlay *o, bench *b, int64_t edge) {
  corner_line *line = &b->line[edge % 2];
  size_t corners = (size_t)o->raster.width + 1;
  bool made = line->x != NULL;
  if (!made) {
    line->x = malloc(2 * corners * sizeof *line->x);
    line->known = malloc(corners);
    if (line->x == NULL || line->known == NULL) {
      free(line->x);
      free(line->known);
      *line = (corner_line){0};
      return NULL;
    }
    line->y = line->x + corners;
  }
  if (!made || line->edge != edge) memset(line->known, 0, corners);
  line->edge = edge;
  return line;
}

/* Finds the corners [from, end). */
static void find_corners(const gv_overlay *o, corner_line *line, int64_t from, int64_t end, bool *failed) {
  for (int64_t c = from; c < end; c++) {
    int64_t first = c;
    for (; c < end && !line->known[c]; c++) {
      line->x[c] = (double)c;
      line->y[c] = (double)line->edge;
      line->known[c] = 1;
    }
    if (c > first) to_cells(o, c - first, line->x + first, line->y + first, failed);
  }
}

/* Parts the pixels [first, first + count) of a row. False when out of memory. */
static bool part_row(const gv_overlay *o, bench *b, int64_t row, int64_t first, int64_t count, const double *values,
                     sink *to) {
  corner_line *above = line_of(o, b, row), *below = line_of(o, b, row + 1);
  if (above == NULL || below == NULL) return false;
  int64_t found = 0; /* corners up to here */
  for (int64_t i = 0; i < count; i++) {
    if (values[i] == 0.0) continue;
    if (i >= found) {
      found = count - i < CORNERS ? count : i + CORNERS;
      find_corners(o, above, first + i, first + found + 1, &to->failed);
      find_corners(o, below, first + i, first + found + 1, &to->failed);
    }
    int64_t c = first + i;
    source_pixel p = {.column = (double)c, .row = (double)row, .value = values[i]};
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
  }
  return !to->failed;
}

static void add_note(bucket *b, const note *n, bool *failed) {
  if (b->count == b->capacity) {
    int64_t capacity = b->capacity > 0 ? 2 * b->capacity : 16;
    note *notes = realloc(b->notes, (size_t)capacity * sizeof *notes);
    if (notes == NULL) {
      *failed = true;
      return;
    }
    b->notes = notes;
    b->capacity = capacity;
  }
  b->notes[b->count++] = *n;
}

/* Noting where parts fall, and adding them up. */
static void take_note(sink *to, int64_t column, int64_t row, double amount) {
  const gv_overlay *o = to->overlay;
  if (column < 0) return;
  to->inside += amount;
  bucket *b = &to->buckets[row / BUCKET * o->buckets_across + column / BUCKET];
  if (b->count > 0 && b->notes[b->count - 1].row == to->pixel_row) {
    b->notes[b->count - 1].end = to->pixel + 1; /* pixels ascend */
  } else {
    add_note(b, &(note){to->pixel_row, to->pixel, to->pixel + 1}, &to->failed);
  }
}

static void take_value(sink *to, int64_t column, int64_t row, double amount) {
  int64_t c = column - to->x, r = row - to->y;
  if (column < 0 || c < 0 || r < 0 || c >= to->w || r >= to->h) return;
  to->values[r * to->w + c] += amount;
}

/* ------------------------------------------------------------------------------------------------------- opening */

/* A sum with the rounding error of its last addition (Kahan). */
typedef struct exact_sum {
  double value, lost;
} exact_sum;

static void sum_add(exact_sum *sum, double value) {
  double add = value - sum->lost, next = sum->value + add;
  sum->lost = (next - sum->value) - add;
  sum->value = next;
}

/* What the first walk finds in a row of pixels. */
typedef struct tally {
  double total, size, inside; /* size: of absolute values */
} tally;

/* The same while the row comes in pieces: pixel c is added in lane c % LANES. */
typedef struct lanes {
  double total[LANES], size[LANES], inside[LANES];
} lanes;

/* Adds the pixels [x, x + n) of a row, x a multiple of LANES; `share`: how much of each column counts as inside. */
static void add_pixels(lanes *to, const double *row, const double *share, int64_t x, int64_t n) {
  lanes l = *to;
  int64_t c = 0;
  for (; c + LANES <= n; c += LANES) {
    for (int i = 0; i < LANES; i++) {
      l.total[i] += row[c + i];
      l.size[i] += fabs(row[c + i]);
      l.inside[i] += share != NULL ? row[c + i] * share[x + c + i] : 0.0;
    }
  }
  for (int i = 0; c < n; c++, i++) {
    l.total[i] += row[c];
    l.size[i] += fabs(row[c]);
    l.inside[i] += share != NULL ? row[c] * share[x + c] : 0.0;
  }
  *to = l;
}

static tally add_up(const lanes *l) {
  tally t = {l->total[0], l->size[0], l->inside[0]};
  for (int i = 1; i < LANES; i++) {
    t.total += l->total[i];
    t.size += l->size[i];
    t.inside += l->inside[i];
  }
  return t;
}

/* One thread's part of the first walk. */
typedef struct walker {
  gv_raster_window window;
  double *row;  /* of a window */
  lanes *lanes; /* one a row of a window */
} walker;

static bool walker_make(const gv_raster_in *raster, walker *w) {
  bool made = gv_raster_window_make(raster, &w->window);
  w->row = malloc((size_t)raster->window_w * sizeof *w->row);
  w->lanes = malloc((size_t)raster->window_h * sizeof *w->lanes);
  return made && w->row != NULL && w->lanes != NULL;
}

static void walker_free(walker *w) {
  gv_raster_window_free(&w->window);
  free(w->row);
  free(w->lanes);
}

static gv_status no_memory(char *message, size_t size) {
  snprintf(message, size, "out of memory for the overlay of a raster");
  return GV_ERROR_OUT_OF_MEMORY;
}

static gv_status unreadable(const gv_overlay *o, char *message, size_t size) {
  char why[200];
  gv_gdal_failure(why, sizeof why);
  snprintf(message, size, "--sum: cannot read %.200s: %s", o->raster.path, why);
  return GV_ERROR_IO;
}

/* Walks through the windows whose first row is y, and stores and adds up their rows. */
static gv_status walk_windows(const gv_overlay *o, int worker, walker *w, int64_t y, tally *tallies, char *message,
                              size_t size) {
  const gv_raster_in *raster = &o->raster;
  gv_raster_window *window = &w->window;
  memset(w->lanes, 0, (size_t)raster->window_h * sizeof *w->lanes);
  for (int64_t x = 0; x < raster->width; x += raster->window_w) {
    if (!gv_raster_window_read(raster, worker, x, y, window)) return unreadable(o, message, size);
    for (int64_t r = 0; r < window->h; r++) {
      const double *row = gv_raster_window_row(raster, worker, window, r, w->row);
      if (row == NULL) return unreadable(o, message, size);
      add_pixels(&w->lanes[r], row, o->x.inside, x, window->w);
      gv_raster_in_store(raster, x, y + r, window->w, row);
      bool finite = true;
      for (int i = 0; i < LANES; i++)
        finite = finite && isfinite(w->lanes[r].size[i]);
      for (int64_t c = 0; c < window->w && !finite; c++) {
        if (isfinite(row[c])) continue;
        snprintf(message, size, "--sum: %.200s: pixel (%" PRId64 ", %" PRId64 ") is infinite", raster->path, x + c,
                 y + r);
        return GV_ERROR_INVALID_ARGUMENT;
      }
    }
  }
  for (int64_t r = 0; r < window->h; r++)
    tallies[y + r] = add_up(&w->lanes[r]);
  return GV_OK;
}

/* Sums of the rows, in the order of the rows, of STRIP pixels or so first: the same bits whoever has walked. */
static void add_tallies(gv_overlay *o, const tally *tallies) {
  exact_sum total = {0.0, 0.0}, size = {0.0, 0.0}, inside = {0.0, 0.0};
  int64_t height = o->raster.height, rows = gv_raster_in_rows_at_once(&o->raster);
  for (int64_t first = 0; first < height; first += rows) {
    exact_sum strip_total = {0.0, 0.0}, strip_size = {0.0, 0.0}, strip_inside = {0.0, 0.0};
    for (int64_t y = first; y < first + rows && y < height; y++) {
      sum_add(&strip_total, tallies[y].total);
      sum_add(&strip_size, tallies[y].size);
      sum_add(&strip_inside, tallies[y].inside * (o->parallel ? o->y.inside[y] : 0.0));
    }
    sum_add(&total, strip_total.value);
    sum_add(&size, strip_size.value);
    sum_add(&inside, strip_inside.value);
  }
  o->total = total.value;
  o->size = size.value;
  o->inside = inside.value;
}

/* Reads all of the raster once, all workers together; what has room is kept. */
static gv_status walk(gv_io *io, gv_overlay *o) {
  const gv_raster_in *raster = &o->raster;
  int64_t windows = (raster->height + raster->window_h - 1) / raster->window_h;
  int workers = o->workers < windows ? o->workers : (int)windows;
  gv_status status = GV_OK; /* of the first that failed */
  atomic_bool stop = false;
  char failure[512] = "";
  tally *tallies = malloc((size_t)raster->height * sizeof *tallies);
  walker *walkers = calloc((size_t)workers, sizeof *walkers);
  bool ready = tallies != NULL && walkers != NULL;
  for (int i = 0; i < workers && ready; i++)
    ready = walker_make(raster, &walkers[i]);
  int64_t windows_at_once = STRIP / 8 / (raster->window_h * raster->width);
  if (windows_at_once < 1) windows_at_once = 1;
  gv_gdal_reset();
#pragma omp parallel for num_threads(workers) schedule(dynamic, windows_at_once)
  for (int64_t i = 0; i < (ready ? windows : 0); i++) {
    char message[512];
    if (atomic_load_explicit(&stop, memory_order_relaxed)) continue;
    int worker = omp_get_thread_num();
    gv_status one =
        walk_windows(o, worker, &walkers[worker], i * raster->window_h, tallies, message, sizeof message);
    if (one == GV_OK && gv_io_cancelled(io)) {
      snprintf(message, sizeof message, "cancelled");
      one = GV_ERROR_CANCELLED;
    }
    if (one == GV_OK) continue;
#pragma omp critical(gv_overlay_walk)
    if (status == GV_OK) {
      status = one;
      memcpy(failure, message, sizeof failure);
    }
    atomic_store_explicit(&stop, true, memory_order_relaxed);
  }
  if (ready && status == GV_OK) add_tallies(o, tallies);
  o->raster.kept.complete = ready && status == GV_OK;
  for (int i = 0; i < workers && walkers != NULL; i++)
    walker_free(&walkers[i]);
  free(walkers);
  free(tallies);
  if (!ready) return gv_io_fail_memory(io, "an input raster");
  return status == GV_OK ? GV_OK : gv_io_fail(io, status, "%s", failure);
}

/* One thread's part of noting: rows of pixels, and what they come to. */
typedef struct noter {
  double *values;
  uint8_t *valid;
  bucket *buckets;
} noter;

static void noter_free(const gv_overlay *o, noter *n) {
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down && n->buckets != NULL; i++)
    free(n->buckets[i].notes);
  free(n->buckets);
  free(n->values);
  free(n->valid);
}

/* Notes some rows. */
static gv_status note_rows(const gv_overlay *o, int worker, noter *n, int64_t y, int64_t rows, sink *to,
                           char *message, size_t size) {
  int64_t width = o->raster.width;
  if (!gv_raster_in_values(&o->raster, worker, 0, y, width, rows, n->values, n->valid))
    return unreadable(o, message, size);
  *to = (sink){.take = take_note, .overlay = o, .buckets = n->buckets};
  for (int64_t r = 0; r < rows; r++) {
    if (!part_row(o, &o->benches[worker], y + r, 0, width, n->values + r * width, to))
      return no_memory(message, size);
  }
  return GV_OK;
}

/* Moves a thread's notes to the overlay's. */
static bool move_notes(gv_overlay *o, noter *n) {
  bool failed = false;
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down; i++) {
    bucket *from = &n->buckets[i];
    for (int64_t k = 0; k < from->count; k++)
      add_note(&o->buckets[i], &from->notes[k], &failed);
    from->count = 0;
  }
  return !failed;
}

/* Parts all pixels of a raster that is not parallel, to note where they fall: some rows a thread, put together in their order. */
static gv_status make_notes(gv_io *io, gv_overlay *o) {
  int64_t width = o->raster.width, height = o->raster.height;
  /* What is not in memory is decoded, by whole blocks if possible. */
  int64_t rows = NOTED / width > 0 ? NOTED / width : 1;
  if (o->raster.kept.h < height) rows = gv_raster_in_rows_at_once(&o->raster);
  int64_t pieces = (height + rows - 1) / rows;
  int workers = o->workers < pieces ? o->workers : (int)pieces;
  noter *noters = calloc((size_t)workers, sizeof *noters);
  bool ready = noters != NULL;
  for (int i = 0; i < workers && ready; i++) {
    noter *n = &noters[i];
    n->values = malloc((size_t)(rows * width) * sizeof *n->values);
    n->valid = malloc((size_t)(rows * width));
    n->buckets = calloc((size_t)(o->buckets_across * o->buckets_down), sizeof *n->buckets);
    ready = n->values != NULL && n->valid != NULL && n->buckets != NULL;
  }
  gv_status status = GV_OK; /* of the first rows that failed */
  char failure[512] = "";
  atomic_bool stop = false;
  gv_gdal_reset();
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1) ordered
  for (int64_t i = 0; i < (ready ? pieces : 0); i++) {
    char message[512] = "";
    sink to = {.inside = 0.0};
    noter *n = &noters[omp_get_thread_num()];
    int64_t y = i * rows, h = height - y < rows ? height - y : rows;
    gv_status one = GV_OK;
    if (!atomic_load_explicit(&stop, memory_order_relaxed))
      one = note_rows(o, omp_get_thread_num(), n, y, h, &to, message, sizeof message);
    if (one == GV_OK && gv_io_cancelled(io)) {
      snprintf(message, sizeof message, "cancelled");
      one = GV_ERROR_CANCELLED;
    }
#pragma omp ordered
    if (status == GV_OK) {
      o->inside += to.inside;
      if (one == GV_OK && !move_notes(o, n)) one = no_memory(message, sizeof message);
      status = one;
      memcpy(failure, message, sizeof failure);
      atomic_store_explicit(&stop, one != GV_OK, memory_order_relaxed);
    }
  }
  for (int i = 0; i < workers && noters != NULL; i++)
    noter_free(o, &noters[i]);
  free(noters);
  if (!ready) return gv_io_fail_memory(io, "the overlay of a raster");
  return status == GV_OK ? GV_OK : gv_io_fail(io, status, "%s", failure);
}

/* The pixels that have something to do with cells, as far as they are known, are worth keeping. */
static void keep(gv_overlay *o, int64_t *memory) {
  int64_t x[2] = {0, o->raster.width}, y[2] = {0, o->raster.height};
  if (o->parallel) {
    find_pixels(&o->x, 0, o->x.cells, x);
    find_pixels(&o->y, 0, o->y.cells, y);
  }
  gv_raster_in_keep(&o->raster, x[0], y[0], x[1] - x[0], y[1] - y[0], memory);
}

/* A lattice of cells or pixels on its map. */
typedef struct lattice {
  const double *geotransform;
  int64_t width, height;
  double period; /* columns of a full turn; 0 = none */
} lattice;

static bool is_within(const lattice *l, const double inverse[6], double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return false;
  double u = inverse[0] + x * inverse[1] + y * inverse[2], v = inverse[3] + x * inverse[4] + y * inverse[5];
  if (l->period > 0.0) u -= l->period * floor(u / l->period);
  return u >= 0.0 && v >= 0.0 && u <= (double)l->width && v <= (double)l->height;
}

/* Sets *out if one of SAMPLES x SAMPLES places of a lattice (or the middles of all it has) lies on another one; `operation`
 * leads there and may be NULL. */
static gv_status find_common(gv_io *io, const lattice *from, gv_operation *operation, const lattice *to,
                             bool *out) {
  const double *g = from->geotransform;
  double geotransform[6], inverse[6], x[SAMPLES], y[SAMPLES];
  memcpy(geotransform, to->geotransform, sizeof geotransform);
  if (!GDALInvGeoTransform(geotransform, inverse)) return GV_OK;
  int64_t across = from->width < SAMPLES ? from->width : SAMPLES;
  int64_t down = from->height < SAMPLES ? from->height : SAMPLES;
  for (int64_t j = 0; j < down && !*out; j++) {
    double v = ((double)j + 0.5) / (double)down * (double)from->height;
    for (int64_t i = 0; i < across; i++) {
      double u = ((double)i + 0.5) / (double)across * (double)from->width;
      x[i] = g[0] + u * g[1] + v * g[2];
      y[i] = g[3] + u * g[4] + v * g[5];
    }
    if (operation != NULL && gv_operation_apply(x, y, across, operation) != 0)
      return gv_io_fail_memory(io, "the overlay of a raster");
    for (int64_t i = 0; i < across && !*out; i++)
      *out = is_within(to, inverse, x[i], y[i]);
  }
  return GV_OK;
}

/* Sets *out if any pixel has something to do with any cell. Only pixels with something in them have been noted, so where none
 * has been, places are looked for, both ways because either may be much smaller. */
static gv_status find_overlap(gv_io *io, const gv_overlay *o, bool *out) {
  *out = o->parallel && o->x.entries > 0 && o->y.entries > 0;
  if (o->parallel) return GV_OK;
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down && !*out; i++)
    *out = o->buckets[i].count > 0;
  if (*out) return GV_OK;
  const gv_raster_in *raster = &o->raster;
  const lattice cells = {o->grid->geotransform, o->grid->grid.width, o->grid->grid.height, o->period};
  lattice pixels = {raster->geotransform, raster->width, raster->height, 0.0};
  if (raster->lonlat && gv_is_upright(raster->geotransform)) {
    pixels.period = fabs(360.0 / o->degrees / raster->geotransform[1]);
  }
  gv_operation *back = NULL;
  gv_status status = find_common(io, &pixels, o->operation, &cells, out);
  if (status == GV_OK && !*out && o->operation != NULL) {
    status = gv_operation_between(io, o->grid->crs, raster->crs, NULL, NULL, 0, &back);
  }
  if (status == GV_OK && !*out) status = find_common(io, &cells, back, &pixels, out);
  gv_operation_destroy(back);
  return status;
}

static gv_status lay(gv_io *io, gv_overlay *o) {
  const gv_raster_grid *grid = o->grid;
  const gv_raster_in *raster = &o->raster;
  double a, f;
  o->e2 = -2.0;
  if (raster->lonlat) {
    gv_status status = gv_crs_ellipsoid(io, raster->crs, &a, &f);
    if (status != GV_OK) return status;
    o->e2 = f * (2.0 - f);
    o->degrees = gv_crs_unit_degrees(raster->crs);
  }
  double geotransform[6];
  memcpy(geotransform, grid->geotransform, sizeof geotransform);
  if (!GDALInvGeoTransform(geotransform, o->inverse)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "the grid's geotransform is degenerate");
  }
  bool same = gv_grid_in_crs(grid, raster->crs), upright = gv_is_upright(grid->geotransform);
  if (upright && gv_crs_is_lonlat(grid->crs)) {
    o->period = fabs(360.0 / gv_crs_unit_degrees(grid->crs) / grid->geotransform[1]);
    if (fabs(o->period - rint(o->period)) < 1e-7) o->period = rint(o->period);
  }
  o->parallel = same && upright && gv_is_upright(raster->geotransform);
  if (o->parallel) return lay_parallel(io, o);
  if (!same) {
    gv_status status = gv_operation_between(io, raster->crs, grid->crs, NULL, NULL, 0, &o->operation);
    if (status != GV_OK) return status;
  }
  o->buckets_across = (grid->grid.width + BUCKET - 1) / BUCKET;
  o->buckets_down = (grid->grid.height + BUCKET - 1) / BUCKET;
  o->buckets = calloc((size_t)(o->buckets_across * o->buckets_down), sizeof *o->buckets);
  return o->buckets != NULL ? GV_OK : gv_io_fail_memory(io, "the overlay of a raster");
}

gv_status gv_overlay_open(gv_io *io, const char *name, const char *path, const gv_raster_grid *grid, int workers,
                          int64_t *memory, gv_overlay **out) {
  gv_overlay *o = calloc(1, sizeof *o);
  if (o == NULL) return gv_io_fail_memory(io, "the overlay of a raster");
  o->name = name;
  o->grid = grid;
  o->workers = workers;
  o->benches = calloc((size_t)workers, sizeof *o->benches);
  gv_status status = o->benches != NULL ? GV_OK : gv_io_fail_memory(io, "the overlay of a raster");
  if (status == GV_OK) status = gv_raster_in_open(io, "--sum", path, workers, &o->raster);
  if (status == GV_OK) status = gv_check_alignable(io, "--sum", path, o->raster.crs, grid);
  if (status == GV_OK) status = lay(io, o);
  if (status == GV_OK) keep(o, memory);
  if (status == GV_OK) status = walk(io, o);
  if (status == GV_OK && !o->parallel) status = make_notes(io, o);
  bool overlap = true; /* what is 0 everywhere may lie anywhere */
  if (status == GV_OK && o->size > 0.0) status = find_overlap(io, o, &overlap);
  if (status == GV_OK && !overlap) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--sum: %s does not overlap the grid", path);
  }
  if (status != GV_OK) {
    gv_overlay_close(o);
    return status;
  }
  *out = o;
  return GV_OK;
}

double gv_overlay_total(const gv_overlay *o) {
  return o->total;
}

double gv_overlay_inside(const gv_overlay *o) {
  return o->inside;
}

double gv_overlay_bound(const gv_overlay *o) {
  /* Shares add up to 1 but for rounding. */
  return o->size > 0.0 ? o->size * (1.0 + 1e-9) : 1.0;
}

void gv_overlay_close(gv_overlay *o) {
  if (o == NULL) return;
  for (int i = 0; i < o->workers && o->benches != NULL; i++) {
    bench *b = &o->benches[i];
    void *const pieces[] = {b->values, b->first,     b->pixels,        b->valid,     b->collapsed,
                            b->parts,  b->line[0].x, b->line[0].known, b->line[1].x, b->line[1].known};
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
      free(pieces[k]);
  }
  for (int64_t i = 0; i < o->buckets_across * o->buckets_down && o->buckets != NULL; i++)
    free(o->buckets[i].notes);
  free(o->buckets);
  free(o->benches);
  free(o->same);
  free(o->same_row);
  free_axis(&o->x);
  free_axis(&o->y);
  gv_raster_in_close(&o->raster);
  gv_operation_destroy(o->operation);
  free(o);
}

/* -------------------------------------------------------------------------------------------------------- blocks */

/* Source columns read for a block: runs, and where each run's values begin. */
typedef struct ranges {
  int64_t first[MAX_RANGES], end[MAX_RANGES], at[MAX_RANGES];
  int count;
  int64_t width; /* of all together */
} ranges;

static void find_ranges(const axis *a, int64_t from, int64_t to, ranges *out) {
  out->count = 0;
  for (int64_t i = from; i < to; i++) {
    int64_t p = a->pixel[i];
    int k = out->count - 1;
    if (k >= 0 && p >= out->first[k] - 1 && p <= out->end[k]) {
      if (p < out->first[k]) out->first[k] = p;
      if (p >= out->end[k]) out->end[k] = p + 1;
    } else if (out->count < MAX_RANGES) {
      out->first[out->count] = p;
      out->end[out->count++] = p + 1;
    } else {
      if (p < out->first[k]) out->first[k] = p;
      if (p >= out->end[k]) out->end[k] = p + 1;
    }
  }
  out->width = 0;
  for (int k = 0; k < out->count; k++) {
    out->at[k] = out->width;
    out->width += out->end[k] - out->first[k];
  }
}

static int64_t place(const ranges *r, int64_t pixel) {
  int k = 0;
  while (k + 1 < r->count && (pixel < r->first[k] || pixel >= r->end[k]))
    k++;
  return r->at[k] + (pixel - r->first[k]);
}

static bool grow_bench(bench *b, int64_t values, int64_t columns, int64_t pixels) {
  if (columns > b->collapsed_capacity) {
    free(b->first);
    b->first = malloc((size_t)columns * sizeof *b->first);
    if (b->first == NULL || !grow(&b->collapsed, &b->collapsed_capacity, columns)) {
      b->collapsed_capacity = 0;
      return false;
    }
  }
  if (pixels > b->pixel_capacity) {
    free(b->valid);
    b->valid = malloc((size_t)pixels);
    if (b->valid == NULL || !grow(&b->pixels, &b->pixel_capacity, pixels)) {
      b->pixel_capacity = 0;
      return false;
    }
  }
  return grow(&b->values, &b->value_capacity, values);
}

/* Rows [row, row + count) of the ranges' pixels, each row `width` values. */
static bool read_ranges(const gv_overlay *o, int worker, bench *b, const ranges *r, int64_t row, int64_t count) {
  if (r->count == 1) {
    return gv_raster_in_values(&o->raster, worker, r->first[0], row, r->width, count, b->pixels, b->valid);
  }
  for (int64_t i = 0; i < count; i++) {
    for (int k = 0; k < r->count; k++) {
      if (!gv_raster_in_values(&o->raster, worker, r->first[k], row + i, r->end[k] - r->first[k], 1,
                               b->pixels + i * r->width + r->at[k], b->valid)) {
        return false;
      }
    }
  }
  return true;
}

/* The cells of a block being made of rows of pixels. */
typedef struct spread {
  const gv_overlay *o;
  bench *b;
  const ranges *ranges;
  int worker;
  int32_t runs;
  int64_t parts;        /* of pixels, in them */
  int64_t rows;         /* of pixels, read at once */
  int64_t first, end;   /* those in b->pixels */
  bool up;              /* rows of pixels descend as rows of cells ascend */
  int64_t collapsed[2]; /* whose row is in each half of b->collapsed; -1: none */
} spread;

/* The pixels of the runs, level by level: the first of all runs in their order, then the second of those that have one, and so
 * on. False when out of memory. */
static bool find_places(spread *s, int64_t x) {
  const axis *a = &s->o->x;
  bench *b = s->b;
  int64_t count = 0, more = s->runs;
  for (int32_t i = 0; i < s->runs; i++) {
    int64_t c = x + b->first[i], n = a->start[c + 1] - a->start[c];
    count += n > 1 ? n : 1;
  }
  if (count > b->part_capacity) {
    free(b->parts);
    b->parts = malloc((size_t)count * sizeof *b->parts);
    b->part_capacity = b->parts != NULL ? count : 0;
    if (b->parts == NULL) return false;
  }
  s->parts = 0;
  for (int64_t level = 0; more > 0; level++) {
    more = 0;
    for (int32_t i = 0; i < s->runs; i++) {
      int64_t c = x + b->first[i], n = a->start[c + 1] - a->start[c], e = a->start[c] + level;
      if (level < n) {
        b->parts[s->parts++] = (pixel_part){a->share[e], (int32_t)place(s->ranges, a->pixel[e]), i};
      } else if (level == 0) {
        b->parts[s->parts++] = (pixel_part){0.0, 0, i};
      }
      more += level + 1 < n;
    }
  }
  return true;
}

/* A row of pixels, shared among the runs; NULL if it cannot be read. */
static const double *collapse(spread *s, int64_t pixel_row) {
  bench *b = s->b;
  double *to = b->collapsed + (pixel_row % 2 == 0 ? 0 : s->runs);
  if (s->collapsed[pixel_row % 2] == pixel_row) return to;
  if (pixel_row < s->first || pixel_row >= s->end) {
    int64_t height = s->o->raster.height;
    s->first = !s->up ? pixel_row : pixel_row + 1 > s->rows ? pixel_row + 1 - s->rows : 0;
    s->end = s->first + s->rows < height ? s->first + s->rows : height;
    if (!read_ranges(s->o, s->worker, b, s->ranges, s->first, s->end - s->first)) return NULL;
  }
  const double *row = b->pixels + (pixel_row - s->first) * s->ranges->width;
  int64_t i = 0;
  for (; i < s->runs; i++)
    to[i] = row[b->parts[i].place] * b->parts[i].share;
  for (; i < s->parts; i++)
    to[b->parts[i].run] += row[b->parts[i].place] * b->parts[i].share;
  s->collapsed[pixel_row % 2] = pixel_row;
  return to;
}

/* The values of a row of cells: each row of pixels gives its share. False if one cannot be read. */
static bool spread_rows(spread *s, int64_t cell, double *to) {
  const axis *d = &s->o->y;
  for (int64_t e = d->start[cell]; e < d->start[cell + 1]; e++) {
    const double *row = collapse(s, d->pixel[e]);
    double share = d->share[e];
    if (row == NULL) return false;
    if (e == d->start[cell]) {
      for (int32_t i = 0; i < s->runs; i++)
        to[i] = share * row[i];
    } else {
      for (int32_t i = 0; i < s->runs; i++)
        to[i] += share * row[i];
    }
  }
  if (d->start[cell] == d->start[cell + 1]) memset(to, 0, (size_t)s->runs * sizeof *to);
  return true;
}

/* True if there is nothing in the pixels, or in all that are known to be 0. */
static bool is_empty(const gv_overlay *o, const ranges *r, const int64_t rows[2]) {
  bool empty = true;
  for (int k = 0; k < r->count && empty && rows[0] < rows[1]; k++)
    empty = gv_raster_in_is_empty(&o->raster, r->first[k], rows[0], r->end[k] - r->first[k], rows[1] - rows[0]);
  return empty;
}

/* True if cell `cell` of an axis is a whole pixel, `pixel`. */
static bool is_pixel(const axis *a, int64_t cell, int64_t pixel) {
  int64_t e = a->start[cell];
  return a->start[cell + 1] == e + 1 && a->pixel[e] == pixel && a->share[e] == 1.0;
}

/* True if cells [from, to) of an axis are whole pixels, one after the other. */
static bool are_pixels(const axis *a, int64_t from, int64_t to) {
  int64_t first = a->pixel[a->start[from]];
  bool good = true;
  for (int64_t i = from; i < to && good; i++)
    good = is_pixel(a, i, first + i - from);
  return good;
}

static gv_status cells_parallel(const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                                gv_quantity *out, char *message, size_t size) {
  bench *b = &o->benches[worker];
  const axis *a = &o->x, *d = &o->y;
  ranges r;
  find_ranges(a, a->start[x], a->start[x + w], &r);
  int64_t down[2];
  find_pixels(d, y, y + h, down);
  int64_t rows = r.width > 0 ? STRIP / r.width : 1;
  rows = rows < 1 ? 1 : rows > down[1] - down[0] ? down[1] - down[0] : rows;
  if (!grow_bench(b, w * h, 2 * w + h, rows * r.width)) return no_memory(message, size);
  int32_t runs = 0, different = 0, *first_row = b->first + w;
  if (is_empty(o, &r, down)) {
    b->values[0] = 0.0;
    b->first[0] = first_row[0] = 0;
    *out = (gv_quantity){b->values, b->first, 1, 1, first_row, 1};
    return GV_OK;
  }
  for (int64_t c = 0; c < w; c++) {
    if (c == 0 || !o->same[x + c]) b->first[runs++] = (int32_t)c;
  }
  for (int64_t i = 0; i < h; i++) {
    if (i == 0 || !o->same_row[y + i]) first_row[different++] = (int32_t)i;
  }
  spread s = {.o = o, .b = b, .ranges = &r, .worker = worker, .runs = runs, .rows = rows, .collapsed = {-1, -1}};
  s.up = d->pixel[d->start[y]] > d->pixel[d->start[y + h] - 1];
  if (rows == h && are_pixels(a, x, x + w) && are_pixels(d, y, y + h)) {
    if (!read_ranges(o, worker, b, &r, down[0], h)) return unreadable(o, message, size);
    *out = (gv_quantity){b->pixels, NULL, (int32_t)w, w, NULL, 0};
    return GV_OK;
  }
  if (!find_places(&s, x)) return no_memory(message, size);
  for (int32_t k = 0; k < different; k++) {
    if (!spread_rows(&s, y + first_row[k], b->values + (int64_t)k * runs)) return unreadable(o, message, size);
  }
  *out = (gv_quantity){b->values, runs < w ? b->first : NULL, runs, runs, first_row, different};
  return GV_OK;
}

/* The pixels of row `row` that any of the buckets has noted; `at` is where each bucket's notes have got to. */
static void union_of_notes(const gv_overlay *o, const int64_t *numbers, const int64_t *at, int count, int64_t row,
                           int64_t *first, int64_t *end) {
  *first = INT64_MAX;
  *end = -1;
  for (int i = 0; i < count; i++) {
    const bucket *b = &o->buckets[numbers[i]];
    if (at[i] >= b->count || b->notes[at[i]].row != row) continue;
    if (b->notes[at[i]].first < *first) *first = b->notes[at[i]].first;
    if (b->notes[at[i]].end > *end) *end = b->notes[at[i]].end;
  }
}

static gv_status cells_parted(const gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w, int64_t h,
                              gv_quantity *out, char *message, size_t size) {
  bench *b = &o->benches[worker];
  int64_t b0 = x / BUCKET, b1 = (x + w - 1) / BUCKET + 1, c0 = y / BUCKET, c1 = (y + h - 1) / BUCKET + 1;
  int count = (int)((b1 - b0) * (c1 - c0));
  int64_t *numbers = malloc(2 * (size_t)count * sizeof *numbers);
  gv_status status = numbers != NULL && grow_bench(b, w * h, w, 1) ? GV_OK : no_memory(message, size);
  if (status != GV_OK) {
    free(numbers);
    return status;
  }
  int64_t *at = numbers + count;
  for (int i = 0; i < count; i++) {
    numbers[i] = (c0 + i / (b1 - b0)) * o->buckets_across + (b0 + i % (b1 - b0));
    at[i] = 0;
  }
  memset(b->values, 0, (size_t)(w * h) * sizeof *b->values);
  sink to = {.take = take_value, .values = b->values, .x = x, .y = y, .w = w, .h = h};
  while (status == GV_OK) {
    int64_t row = INT64_MAX, first, end;
    for (int i = 0; i < count; i++) {
      const bucket *one = &o->buckets[numbers[i]];
      if (at[i] < one->count && one->notes[at[i]].row < row) row = one->notes[at[i]].row;
    }
    if (row == INT64_MAX) break;
    union_of_notes(o, numbers, at, count, row, &first, &end);
    for (int i = 0; i < count; i++) {
      const bucket *one = &o->buckets[numbers[i]];
      if (at[i] < one->count && one->notes[at[i]].row == row) at[i]++;
    }
    if (!grow_bench(b, w * h, w, end - first)) {
      status = no_memory(message, size);
    } else if (!gv_raster_in_values(&o->raster, worker, first, row, end - first, 1, b->pixels, b->valid)) {
      status = unreadable(o, message, size);
    } else if (!part_row(o, b, row, first, end - first, b->pixels, &to)) {
      status = no_memory(message, size);
    }
  }
  free(numbers);
  *out = (gv_quantity){b->values, NULL, (int32_t)w, w, NULL, 0};
  return status;
}

gv_status gv_overlay_cells(gv_overlay *o, int worker, int64_t x, int64_t y, int64_t w, int64_t h, gv_quantity *out,
                           char *message, size_t message_size) {
  if (o->parallel) return cells_parallel(o, worker, x, y, w, h, out, message, message_size);
  return cells_parted(o, worker, x, y, w, h, out, message, message_size);
}
