/* Polygons as edges, sorted into horizontal slabs. */
#include "io/overlay/mask_polygons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ogr_api.h>

#include "io/grow.h"
#include "io/in/raster_in.h"
#include "io/overlay/mask_layer.h"

enum {
  MAX_SLABS = 1 << 16,
  ENTRIES_AN_EDGE = 8 /* in slabs, on average, where these are many */
};

/* Not horizontal; y1 < y2. */
typedef struct edge {
  double x1, y1, x2, y2;
  int64_t polygon; /* edges of one polygon follow each other */
} edge;

struct gv_mask_polygons {
  edge *edges;
  int64_t count, capacity;
  double low[2], high[2];
  double turn;      /* x repeats after this; 0 = it does not */
  int64_t polygons; /* added so far */
  int64_t slabs;
  double slab_height;
  int64_t *start; /* slabs + 1: where a slab's edges begin in `member` */
  int64_t *member;
};

/* ------------------------------------------------------------------------------------------------ reading */

static gv_status mask_polygons_add_edge(gv_io *io, gv_mask_polygons *p, const double a[2], const double b[2],
                                        int64_t polygon) {
  for (int d = 0; d < 2; d++) {
    p->low[d] = fmin(p->low[d], a[d]);
    p->high[d] = fmax(p->high[d], a[d]);
  }
  if (a[1] == b[1]) return GV_OK;
  edge *edges = gv_grow(p->edges, &p->capacity, p->count + 1, sizeof *edges);
  if (edges == NULL) return gv_io_fail_memory(io, "the mask's polygons");
  p->edges = edges;
  bool up = a[1] < b[1];
  const double *low = up ? a : b, *high = up ? b : a;
  p->edges[p->count++] = (edge){low[0], low[1], high[0], high[1], polygon};
  return GV_OK;
}

static gv_status add_ring(gv_io *io, gv_mask_polygons *p, OGRGeometryH ring, int64_t polygon) {
  int n = OGR_G_GetPointCount(ring);
  double first[2] = {0, 0}, last[2] = {0, 0};
  gv_status status = GV_OK;
  for (int i = 0; i < n && status == GV_OK; i++) {
    double at[2] = {OGR_G_GetX(ring, i), OGR_G_GetY(ring, i)};
    if (i == 0) {
      memcpy(first, at, sizeof first);
    } else {
      status = mask_polygons_add_edge(io, p, last, at, polygon);
    }
    memcpy(last, at, sizeof last);
  }
  if (status == GV_OK && n > 0) status = mask_polygons_add_edge(io, p, last, first, polygon);
  return status;
}

/* A polygon of a layer. */
static gv_status mask_polygons_add(gv_io *io, OGRGeometryH polygon, void *user) {
  gv_mask_polygons *p = user;
  gv_status status = GV_OK;
  for (int i = 0; i < OGR_G_GetGeometryCount(polygon) && status == GV_OK; i++)
    status = add_ring(io, p, OGR_G_GetGeometryRef(polygon, i), p->polygons);
  p->polygons++;
  return status;
}

static int64_t slab_of(const gv_mask_polygons *p, double y) {
  double at = (y - p->low[1]) / p->slab_height;
  if (!(at > 0.0)) return 0;
  return at < (double)(p->slabs - 1) ? (int64_t)at : p->slabs - 1;
}

/* Divides the polygons' height; returns the number of entries of their edges in the slabs. */
static int64_t divide(gv_mask_polygons *p, int64_t slabs) {
  int64_t entries = 0;
  p->slabs = slabs;
  p->slab_height = (p->high[1] - p->low[1]) / (double)slabs;
  if (!(p->slab_height > 0.0)) p->slab_height = 1.0;
  for (int64_t i = 0; i < p->count; i++)
    entries += slab_of(p, p->edges[i].y2) - slab_of(p, p->edges[i].y1) + 1;
  return entries;
}

/* Sorts edges into slabs, keeping their order. If most edges are tall, a few slabs are enough: a row crosses
 * most edges anyway, and tests few others. */
static gv_status make_slabs(gv_io *io, gv_mask_polygons *p) {
  int64_t most = MAX_SLABS + ENTRIES_AN_EDGE * p->count;
  int64_t entries = divide(p, p->count < MAX_SLABS ? p->count + 1 : MAX_SLABS);
  while (entries > most && p->slabs > 1)
    entries = divide(p, p->slabs / 2);
  p->start = calloc((size_t)p->slabs + 2, sizeof *p->start);
  p->member = malloc((size_t)(entries + 1) * sizeof *p->member);
  if (p->start == NULL || p->member == NULL) return gv_io_fail_memory(io, "the mask's polygons");
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t i = 0; i < p->count; i++) {
      int64_t last = slab_of(p, p->edges[i].y2);
      for (int64_t s = slab_of(p, p->edges[i].y1); s <= last; s++) {
        if (pass == 0) {
          p->start[s + 2]++;
        } else {
          p->member[p->start[s + 1]++] = i;
        }
      }
    }
    for (int64_t s = 2; s < p->slabs + 2 && pass == 0; s++)
      p->start[s] += p->start[s - 1];
  }
  return GV_OK;
}

static gv_mask_polygons *mask_polygons_new(double turn) {
  gv_mask_polygons *p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  p->turn = turn;
  p->low[0] = p->low[1] = HUGE_VAL;
  p->high[0] = p->high[1] = -HUGE_VAL;
  return p;
}

gv_status gv_mask_polygons_read(gv_io *io, const gv_mask_options *options, const gv_raster_grid *grid,
                                gv_mask_polygons **out, gv_operation **operation) {
  gv_mask_layer layer;
  gv_status status = gv_mask_layer_open(io, options, grid->crs, &layer);
  *out = NULL;
  if (status == GV_OK) {
    *out = mask_polygons_new(layer.turn);
    status = *out == NULL ? gv_io_fail_memory(io, "the mask's polygons")
                          : gv_mask_layer_visit(io, &layer, mask_polygons_add, *out);
  }
  if (status == GV_OK) status = make_slabs(io, *out);
  if (status == GV_OK && !gv_grid_in_crs(grid, layer.crs))
    status = gv_io_of_option(io, gv_operation_between(io, grid->crs, layer.crs, NULL, NULL, 0, operation),
                             "--mask");
  gv_mask_layer_close(&layer);
  return status;
}

gv_status gv_mask_polygons_of(gv_io *io, OGRGeometryH polygon, gv_mask_polygons **out) {
  *out = mask_polygons_new(0.0);
  gv_status status =
      *out == NULL ? gv_io_fail_memory(io, "the mask's polygons") : mask_polygons_add(io, polygon, *out);
  return status == GV_OK ? make_slabs(io, *out) : status;
}

void gv_mask_polygons_free(gv_mask_polygons *p) {
  if (p == NULL) return;
  free(p->edges);
  free(p->start);
  free(p->member);
  free(p);
}

/* -------------------------------------------------------------------------------------------------- cells */

static inline double crossing(const edge *e, double y) {
  return e->x1 + (y - e->y1) * ((e->x2 - e->x1) / (e->y2 - e->y1));
}

static bool inside(const gv_mask_polygons *p, double x, double y) {
  if (!(y >= p->low[1] && y <= p->high[1])) return false;
  int64_t slab = slab_of(p, y), polygon = -1;
  bool odd = false;
  for (int64_t i = p->start[slab]; i < p->start[slab + 1]; i++) {
    const edge *e = &p->edges[p->member[i]];
    if (e->polygon != polygon) {
      if (odd) return true;
      polygon = e->polygon;
    }
    if (e->y1 <= y && y < e->y2 && crossing(e, y) <= x) odd = !odd;
  }
  return odd;
}

bool gv_mask_polygons_hold(const gv_mask_polygons *p, double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return false;
  if (p->turn == 0.0) return inside(p, x, y);
  double first = x + p->turn * ceil((p->low[0] - x) / p->turn);
  if (!(first >= p->low[0] - p->turn)) return false; /* x is so large that a turn is less than its rounding */
  for (double at = first; at <= p->high[0]; at += p->turn) {
    if (inside(p, at, y)) return true;
  }
  return false;
}

static int mask_polygons_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The first column, counted from the side of small x, with its center at or after `at`: 0 ... w. */
static int64_t first_beyond(const gv_cell_row *row, double at) {
  bool ascending = row->g[1] > 0.0;
  double guess = ascending ? (at - row->g[0]) / row->g[1] - 0.5 - (double)row->x
                           : (double)(row->x + row->w - 1) - ((at - row->g[0]) / row->g[1] - 0.5);
  int64_t n = guess <= 0.0 ? 0 : guess >= (double)row->w ? row->w : (int64_t)guess;
#define CENTER(i) gv_center_x(row->g, ascending ? row->x + (i) : row->x + row->w - 1 - (i), row->y)
  while (n > 0 && CENTER(n - 1) >= at)
    n--;
  while (n < row->w && CENTER(n) < at)
    n++;
#undef CENTER
  return n;
}

static void mask_polygons_mark(const gv_cell_row *row, double from, double to) {
  int64_t first = first_beyond(row, from), end = first_beyond(row, to);
  bool ascending = row->g[1] > 0.0;
  if (end > first) memset(row->out + (ascending ? first : row->w - end), 1, (size_t)(end - first));
}

static void mark_crossings(const gv_mask_polygons *p, const gv_cell_row *row, double *crossings, int64_t n) {
  qsort(crossings, (size_t)n, sizeof *crossings, mask_polygons_by_value);
  double low = gv_center_x(row->g, row->x, row->y), high = gv_center_x(row->g, row->x + row->w - 1, row->y);
  if (low > high) {
    double other = low;
    low = high;
    high = other;
  }
  double shift = p->turn > 0.0 ? p->turn * floor((low - p->high[0]) / p->turn) : 0.0;
  do {
    for (int64_t i = 0; i + 1 < n; i += 2) {
      if (crossings[i] + shift <= high && crossings[i + 1] + shift > low)
        mask_polygons_mark(row, crossings[i] + shift, crossings[i + 1] + shift);
    }
    shift += p->turn;
  } while (p->turn > 0.0 && p->low[0] + shift <= high);
}

gv_status gv_mask_polygons_mark(gv_io *io, const gv_mask_polygons *p, const gv_cell_row *row,
                                gv_crossings *crossings) {
  double y = gv_center_y(row->g, row->x, row->y);
  memset(row->out, 0, (size_t)row->w);
  if (!(y >= p->low[1] && y <= p->high[1])) return GV_OK;
  int64_t slab = slab_of(p, y), n = 0, polygon = -1;
  int64_t most = p->start[slab + 1] - p->start[slab];
  if (most == 0) return GV_OK;
  double *x = gv_grow(crossings->x, &crossings->capacity, most, sizeof *x);
  if (x == NULL) return gv_io_fail_memory(io, "the mask");
  crossings->x = x;
  for (int64_t i = p->start[slab]; i < p->start[slab + 1]; i++) {
    const edge *e = &p->edges[p->member[i]];
    if (e->polygon != polygon && n > 0) {
      mark_crossings(p, row, x, n);
      n = 0;
    }
    polygon = e->polygon;
    if (e->y1 <= y && y < e->y2) x[n++] = crossing(e, y);
  }
  if (n > 0) mark_crossings(p, row, x, n);
  return GV_OK;
}
