/*
 * Distances and directions to lines and polygons: canonical values, tile by tile, as cells near each other
 * have the same edges near them.
 *
 * A device finds distances (features/device_edges.h): on the plane and by arcs, geodesic ones as floats.
 * Those that it leaves open, and where the seed is not the feature that is nearest by edges, are the CPU's.
 */
#include "measure/features.h"

#include <string.h>

#include "cells/kind.h"
#include "core/angles.h"
#include "features/device_edges.h"
#include "features/finder.h"
#include "features/index.h"
#include "geodesic/series_numbers.h"
#include "measure/seed_numbers.h"
#include "voronoi/feature_tiles.h"

static const double degree = 180.0 / GV_PI;

/* One cell and its feature. */
typedef struct measured_cell {
  gv_edge_place q;
  double column_lon; /* the longitude that azimuths at a pole are of */
  int32_t feature;
  bool inside;
  gv_edge_closest closest;
} measured_cell;

static double distance_of(const gv_voronoi *v, const measured_cell *s) {
  double c = s->closest.canonical;
  if (c == INFINITY) return (double)NAN; /* a polygon without a boundary */
  if (v->cells.metric == GV_EUCLIDEAN) c = sqrt(c);
  if (v->cells.metric == GV_GREAT_CIRCLE) c = gv_arc_of_chord2(gv_globe_radius(&v->cells.ellipsoid), c);
  return s->inside ? 0.0 - c : c;
}

/* Degrees, any turn of them. */
static double azimuth_of(const gv_voronoi *v, const measured_cell *s) {
  const double *at = s->closest.vector, *q = s->q.vector;
  if (v->cells.dim == 2) return atan2(at[0] - q[0], at[1] - q[1]) * degree;
  double azimuth = s->closest.azimuth;
  if (v->cells.metric == GV_GREAT_CIRCLE) {
    const double angles[2] = {s->q.lon, s->q.lat};
    double sine[2], cosine[2];
    gv_sincos_degrees(2, angles, sine, cosine);
    double d[3] = {at[0] - q[0], at[1] - q[1], at[2] - q[2]};
    double east = cosine[0] * d[1] - sine[0] * d[0];
    double north = cosine[1] * d[2] - sine[1] * (cosine[0] * d[0] + sine[0] * d[1]);
    azimuth = atan2(east, north) * degree;
  }
  return azimuth + (s->q.lat == 90.0 ? s->column_lon : s->q.lat == -90.0 ? -s->column_lon : 0.0);
}

static float rounded_azimuth(const gv_voronoi *v, const measured_cell *s) {
  if (s->inside || s->closest.canonical == INFINITY) return NAN;
  if (s->closest.canonical == 0.0) return 0.0F;
  return gv_reported_azimuth(remainder(azimuth_of(v, s), 360.0));
}

static void put_distance(const gv_measure *m, double distance, int64_t at) {
  if (m->distance != NULL && m->type == GV_FLOAT64) ((double *)m->distance)[at] = distance;
  if (m->distance != NULL && m->type == GV_FLOAT32) ((float *)m->distance)[at] = (float)distance;
}

static void measure_features_put(const gv_voronoi *v, const gv_measure *m, const measured_cell *s, bool there,
                                 int64_t at) {
  put_distance(m, there ? distance_of(v, s) : (double)NAN, at);
  if (m->azimuth != NULL) m->azimuth[at] = there ? rounded_azimuth(v, s) : NAN;
}

/* -------------------------------------------------------------------------------------------------- tiles */

enum {
  SIDE = 8,
  MOST = SIDE * SIDE,
  WIDE = 4, /* tiles along a side that are processed together */
  SPARSE = 8 /* cells that are too few to be */,
  SQUARE = WIDE * SIDE
};

static int64_t squares_in(int64_t cells) {
  return (cells + SQUARE - 1) / SQUARE;
}

/* A block at work, some rows of tiles at a time. */
typedef struct features_work {
  const gv_voronoi *v;
  const gv_measure *m;
  gv_finder finder;
  bool rest;         /* only cells that have a seed and no distance yet */
  bool exact;        /* bounds hardly decide: they did not on a device */
  int64_t top;       /* row of the grid that the caller's first row is */
  gv_tile rows;      /* of the current tiles */
  double *x, *y, *z; /* NULL for a device: the grid's tables are sufficient */
  double *lon, *lat; /* NULL if columns and rows define the positions */
  uint8_t *open;     /* for a device: whether it left cells of a square of tiles, squares row by row */
} features_work;

/* Some cells of a tile that have the same seed, by their numbers in the current rows. */
typedef struct group {
  int32_t feature, count;
  int32_t cell[MOST];
  int64_t at[MOST]; /* where their values go */
  bool inside[MOST];
} group;

/* Whether a cell, counted in the current rows, is to be measured. */
static bool measure_features_wanted(const features_work *w, int64_t row, int64_t column) {
  const gv_measure *m = w->m;
  const int64_t line = w->rows.r0 - w->top + row, at = line * m->out_stride + column;
  if (w->x != NULL && isnan(w->x[row * (w->rows.c1 - w->rows.c0) + column])) return false;
  if (!w->rest) return true;
  return m->seed[line * m->stride + column] >= 0 &&
         isnan(m->type == GV_FLOAT64 ? ((const double *)m->distance)[at]
                                     : (double)((const float *)m->distance)[at]);
}

static void position_of(const features_work *w, int32_t i, double q[3]) {
  const gv_cells *cells = &w->v->cells;
  const int64_t columns = w->rows.c1 - w->rows.c0;
  if (w->x == NULL) {
    gv_cells_place_by_tables(cells, w->rows.c0 + i % columns, w->rows.r0 + i / columns, q);
    return;
  }
  q[0] = w->x[i];
  q[1] = w->y[i];
  q[2] = cells->dim == 3 ? w->z[i] : 0.0;
}

/* A ball around some cells of a tile, columns and rows counted in the current rows. */
static gv_ball measure_features_ball_of(const features_work *w, const gv_tile *tile, const int32_t *cell,
                                        int32_t count) {
  const gv_cells *cells = &w->v->cells;
  const double *const position[3] = {w->x, w->y, cells->dim == 3 ? w->z : NULL};
  if (!gv_cells_have_tables(cells) || (!w->rest && count < (tile->c1 - tile->c0) * (tile->r1 - tile->r0)))
    return gv_ball_around(position, cell, count);
  gv_tile all = {w->rows.c0 + tile->c0, w->rows.c0 + tile->c1, w->rows.r0 + tile->r0, w->rows.r0 + tile->r1};
  return gv_ball_of_tile(cells, &all);
}

static void place(const features_work *w, int32_t cell, measured_cell *s) {
  const gv_voronoi *v = w->v;
  int64_t columns = w->rows.c1 - w->rows.c0;
  int64_t column = w->rows.c0 + cell % columns, row = w->rows.r0 + cell / columns;
  position_of(w, cell, s->q.vector);
  if (w->lon != NULL) s->q.lon = w->lon[cell], s->q.lat = w->lat[cell];
  if (gv_cells_turn_by_column(&v->cells)) {
    const double *transform = v->cells.grid.geotransform;
    gv_cells_lonlat(&v->cells, column, row, &s->q.lon, &s->q.lat);
    s->column_lon = transform[0] + ((double)column + 0.5) * transform[1];
  }
}

/* Cells of a group that are inside the polygon, or outside, for float distances: the series decides most of
 * them. */
static void measure_floats(features_work *w, const group *g, bool inside) {
  double at[3][MOST], q[3];
  float bounds[MOST];
  int32_t which[MOST], count = 0;
  measured_cell s = {.feature = g->feature, .inside = inside};
  for (int32_t i = 0; i < g->count; i++) {
    if (g->inside[i] != inside) continue;
    position_of(w, g->cell[i], q);
    for (int axis = 0; axis < 3; axis++)
      at[axis][count] = q[axis];
    which[count++] = i;
  }
  const double *const position[3] = {at[0], at[1], at[2]};
  if (count > 0) gv_finder_floats(&w->finder, count, position, inside, bounds);
  for (int32_t n = 0; n < count; n++) {
    s.closest.canonical = (double)bounds[n];
    if (isnan(bounds[n])) {
      place(w, g->cell[which[n]], &s);
      s.closest.canonical = gv_finder_distance(&w->finder, &s.q, inside);
    }
    measure_features_put(w->v, w->m, &s, true, g->at[which[n]]);
  }
}

static void measure_group(features_work *w, const gv_tile *tile, group *g) {
  const gv_measure *m = w->m;
  const gv_feature_lookup *index = w->v->state;
  gv_ball ball = measure_features_ball_of(w, tile, g->cell, g->count);
  measured_cell s = {.feature = g->feature};
  bool floats = m->type == GV_FLOAT32 && m->azimuth == NULL && w->v->cells.metric == GV_GEODESIC && !w->exact;
  bool boundary = m->signed_distance != 0;
  gv_finder_aim(&w->finder, g->feature, &ball);
  for (int32_t i = 0; i < g->count; i++) {
    bool located = i == 0 || !w->finder.clear;
    if (located || !floats) place(w, g->cell[i], &s);
    if (located) s.inside = gv_locate_in(&index->locator, g->feature, &s.q);
    g->inside[i] = s.inside;
    if (floats && (!s.inside || boundary)) continue;
    s.closest = (gv_edge_closest){.canonical = s.inside ? 0.0 : INFINITY};
    bool wanted = !s.inside || boundary;
    if (wanted && m->azimuth == NULL) s.closest.canonical = gv_finder_distance(&w->finder, &s.q, s.inside);
    if (wanted && m->azimuth != NULL) gv_finder_nearest(&w->finder, &s.q, s.inside, &s.closest);
    measure_features_put(w->v, m, &s, true, g->at[i]);
  }
  if (floats) measure_floats(w, g, false);
  if (floats && boundary) measure_floats(w, g, true);
}

/* The cells of a tile, columns and rows counted in the current rows, seed by seed. */
static void measure_tile(features_work *w, int64_t band, const gv_tile *tile) {
  const gv_measure *m = w->m;
  int64_t columns = w->rows.c1 - w->rows.c0, line = w->rows.r0 - w->top, at[MOST];
  int32_t seed[MOST], cell[MOST], cells = 0;
  static const measured_cell nothing = {.feature = -1};
  for (int64_t r = tile->r0; r < tile->r1; r++) {
    const int32_t *from = m->seed + band * m->band_stride + (line + r) * m->stride;
    for (int64_t c = tile->c0; c < tile->c1; c++) {
      bool wanted = measure_features_wanted(w, r, c);
      if (w->rest && !wanted) continue;
      at[cells] = band * m->out_band_stride + (line + r) * m->out_stride + c;
      cell[cells] = (int32_t)(r * columns + c);
      seed[cells] = wanted ? from[c] : -1;
      if (seed[cells] >= 0) {
        cells++;
      } else {
        measure_features_put(w->v, m, &nothing, false, at[cells]);
      }
    }
  }
  while (cells > 0) {
    int32_t left = 0;
    group g;
    g.feature = seed[0];
    g.count = 0;
    for (int32_t i = 0; i < cells; i++) {
      bool of = seed[i] == g.feature;
      int32_t *to = of ? &g.cell[g.count] : &cell[left];
      int64_t *where = of ? &g.at[g.count++] : &at[left];
      *to = cell[i];
      *where = at[i];
      if (!of) seed[left++] = seed[i];
    }
    cells = left;
    measure_group(w, tile, &g);
  }
}

/* A few cells that a device left, each by itself. */
static void measure_some(features_work *w, int64_t band, const int32_t *cell, int32_t count) {
  static const gv_ball unknown = {.radius = 0.0};
  int64_t columns = w->rows.c1 - w->rows.c0;
  gv_finder_surround(&w->finder, &unknown);
  w->exact = true;
  for (int32_t i = 0; i < count; i++) {
    int64_t r = cell[i] / columns, c = cell[i] % columns;
    gv_tile one = {c, c + 1, r, r + 1};
    measure_tile(w, band, &one);
  }
  w->exact = false;
}

/* The current rows in tiles of `side` rows, some of them together. */
static void measure_features_measure_rows(features_work *w, int64_t band, int64_t side) {
  int32_t cell[WIDE * WIDE * MOST];
  int64_t columns = w->rows.c1 - w->rows.c0, rows = w->rows.r1 - w->rows.r0, width = MOST / side,
          wide = WIDE * width;
  for (int64_t first = 0; first < columns; first += wide) {
    int64_t end = first + wide < columns ? first + wide : columns;
    int32_t count = 0;
    if (w->rest && w->open[first / SQUARE] == 0) continue;
    for (int64_t r = 0; r < rows; r++) {
      for (int64_t c = first; c < end; c++)
        if (measure_features_wanted(w, r, c)) cell[count++] = (int32_t)(r * columns + c);
    }
    if (w->rest && count <= SPARSE) {
      measure_some(w, band, cell, count);
      continue;
    }
    gv_tile all = {first, end, 0, rows};
    gv_ball around = measure_features_ball_of(w, &all, cell, count);
    gv_finder_surround(&w->finder, &around);
    for (int64_t r = 0; r < rows; r += side) {
      for (int64_t c = first; c < end; c += width) {
        gv_tile tile = {c, c + width < end ? c + width : end, r, r + side < rows ? r + side : rows};
        measure_tile(w, band, &tile);
      }
    }
  }
}

/* -------------------------------------------------------------------------------------------- by a device */

static gv_edge_place measure_device_place(const features_work *w, int32_t cell) {
  measured_cell s = {.feature = -1};
  place(w, cell, &s);
  return s.q;
}

/* The distance to the seed's edges as a device found it, NAN if the CPU must find it. */
static double measure_device_value(const gv_edge_results *d, int64_t cell, int32_t seed) {
  if (d->value != NULL) return (double)d->value[cell];
  return d->found[cell] == seed ? d->distance[cell] : (double)NAN;
}

/* A cell in a polygon. */
static double measure_device_inside(const features_work *w, const gv_edge_results *d, int64_t cell,
                                    int32_t seed, int32_t around) {
  const double distance = measure_device_value(d, cell, seed);
  if (around != seed) {
    const gv_edge_place q = measure_device_place(w, (int32_t)cell);
    if (!gv_locate_in(&((const gv_feature_lookup *)w->v->state)->locator, seed, &q)) return distance;
  }
  if (w->m->signed_distance == 0) return 0.0;
  return w->v->features->cut != NULL ? (double)NAN : 0.0 - distance;
}

/* Cells of a row that are around the same edges: `around` is the first polygon that they lie in, or -1. */
static void measure_device_run(const features_work *w, const gv_edge_results *d, int64_t row, int64_t first,
                               int64_t end, int32_t around) {
  const gv_measure *m = w->m;
  const int64_t cells = row * (w->rows.c1 - w->rows.c0), to = row * m->out_stride;
  const int32_t *seed = m->seed + row * m->stride;
  if (around < 0 && d->value != NULL) { /* NAN where there is no seed */
    memcpy((float *)m->distance + to + first, d->value + cells + first,
           (size_t)(end - first) * sizeof *d->value);
    return;
  }
  for (int64_t c = first; c < end; c++) {
    double distance = (double)NAN;
    if (seed[c] >= 0 && around < 0) distance = measure_device_value(d, cells + c, seed[c]);
    if (seed[c] >= 0 && around >= 0) distance = measure_device_inside(w, d, cells + c, seed[c], around);
    put_distance(m, distance, to + c);
  }
}

/* The same of a row where there are polygons. */
static void measure_device_located(const features_work *w, const gv_edge_results *d, int64_t row) {
  const gv_measure *m = w->m;
  const int64_t columns = w->rows.c1 - w->rows.c0;
  const float *low = d->low + row * columns;
  gv_located_row located = {.last = {.low = 0.0}};
  gv_located_row_begin(&located, &w->v->cells, w->rows.r0 + row);
  for (int64_t c = 0, end; c < columns; c = end) {
    const int64_t cell = row * columns + c;
    end = c + 1;
    if (m->seed[row * m->stride + c] < 0 || (w->x != NULL && isnan(w->x[cell]))) {
      put_distance(m, (double)NAN, row * m->out_stride + c);
      continue;
    }
    if (c >= located.end) {
      const gv_edge_place q = measure_device_place(w, (int32_t)cell);
      (void)gv_feature_lookup_locate(w->v->state, &q, (double)low[c], &located.last);
    }
    end = gv_located_row_run(&located, c, columns, low);
    measure_device_run(w, d, row, c, end, located.last.feature);
  }
}

/* Notes which squares have cells with a seed and without a distance in a row. */
static void measure_note_open(features_work *w, int64_t row) {
  const gv_measure *m = w->m;
  const int32_t *seed = m->seed + row * m->stride;
  const int64_t columns = w->rows.c1 - w->rows.c0, at = row * m->out_stride;
  uint8_t *open = w->open + row / SQUARE * squares_in(columns);
  for (int64_t first = 0; first < columns; first += SQUARE) {
    const int64_t end = first + SQUARE < columns ? first + SQUARE : columns;
    int some = 0;
    if (m->type == GV_FLOAT64) {
      const double *distance = (const double *)m->distance + at;
      for (int64_t c = first; c < end; c++)
        some |= (seed[c] >= 0) & (distance[c] != distance[c]);
    } else {
      const float *distance = (const float *)m->distance + at;
      for (int64_t c = first; c < end; c++)
        some |= (seed[c] >= 0) & (distance[c] != distance[c]);
    }
    open[first / SQUARE] |= (uint8_t)some;
  }
}

static void measure_take(void *user, const gv_edge_results *d) {
  features_work *w = user;
  const int64_t columns = w->rows.c1 - w->rows.c0, rows = w->rows.r1 - w->rows.r0;
  memset(w->open, 0, (size_t)(squares_in(rows) * squares_in(columns)));
  for (int64_t r = 0; r < rows; r++) {
    if (d->low != NULL) {
      measure_device_located(w, d, r);
    } else {
      measure_device_run(w, d, r, 0, columns, -1);
    }
    measure_note_open(w, r);
  }
}

/* The cells that are left after measure_take, in tiles as without a device. */
static void measure_rest(const features_work *w) {
  int64_t columns = w->rows.c1 - w->rows.c0;
  features_work some = *w;
  some.rest = true;
  for (int64_t r = w->rows.r0; r < w->rows.r1; r += SQUARE) {
    int64_t skipped = (r - w->rows.r0) * columns;
    some.rows.r0 = r;
    some.rows.r1 = r + SQUARE < w->rows.r1 ? r + SQUARE : w->rows.r1;
    some.open = w->open + (r - w->rows.r0) / SQUARE * squares_in(columns);
    if (w->x != NULL) some.x = w->x + skipped, some.y = w->y + skipped, some.z = w->z + skipped;
    if (w->lon != NULL) some.lon = w->lon + skipped, some.lat = w->lat + skipped;
    measure_features_measure_rows(&some, 0, SIDE);
  }
}

/* Whether a device finds what is requested. */
static bool measure_device_supports(const gv_context *context, const gv_voronoi *v, const gv_measure *m) {
  const gv_feature_lookup *index = v->state;
  return gv_feature_device_pays(context, v, index, true) && m->azimuth == NULL && m->distance != NULL &&
         m->bands == 1 && gv_device_edges_measure(&index->tree, m->type == GV_FLOAT32);
}

/* The cells of `rows`, with positions. *done is false if the CPU must measure them. Gain:
 * docs/benchmarks.md. */
static gv_status measure_features_by_device(gv_context *context, features_work *w, bool *done) {
  const gv_feature_lookup *index = w->v->state;
  const gv_edges_device *device;
  const void *edges;
  *done = false;
  GV_TRY(gv_feature_lookup_device(context, index, &device, &edges));
  if (edges == NULL) return GV_OK;
  gv_edge_search of = gv_feature_block_search(w->v, &w->rows);
  of.user = w;
  of.x = w->x;
  of.y = w->y;
  of.z = w->z;
  of.seed = w->m->type == GV_FLOAT32 ? w->m->seed : NULL;
  of.seed_stride = w->m->stride;
  of.limit = of.reach = of.sure = INFINITY;
  of.value = w->m->type == GV_FLOAT32;
  of.distance = w->m->type == GV_FLOAT64;
  of.take = measure_take;
  gv_status status = device->search(context, edges, &of);
  *done = status == GV_OK;
  if (status == GV_OK) measure_rest(w);
  return gv_device_edges_give_up(index->device, status) ? GV_OK : status;
}

/* A block, some rows of tiles at a time, or by a device all at once: *done is false if the CPU must measure
 * it. */
static gv_status measure_features_block(gv_context *context, const gv_voronoi *v, const gv_measure *m,
                                        const gv_tile *tile, bool on_device, bool *done) {
  const gv_feature_lookup *index = v->state;
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0, side = rows == 1 ? 1 : SIDE,
          height = on_device || rows < WIDE * side ? rows : WIDE * side;
  bool angles = v->cells.dim == 3 && !gv_cells_turn_by_column(&v->cells);
  bool tables = on_device && gv_cells_have_tables(&v->cells);
  features_work w = {.v = v, .m = m, .top = tile->r0};
  GV_TRY(gv_finder_init(context, &index->tree, &w.finder));
  gv_status status = gv_finder_widen(context, &w.finder);
  if (!tables) w.x = gv_allocate(&context->allocator, 5 * columns * height, sizeof *w.x);
  if (on_device) w.open = gv_allocate(&context->allocator, squares_in(rows), (size_t)squares_in(columns));
  if ((w.x == NULL && !tables) || (w.open == NULL && on_device)) {
    status = gv_fail_memory(context, "a block's distances");
  } else if (!tables) {
    w.y = w.x + columns * height;
    w.z = w.y + columns * height;
    w.lon = angles ? w.z + columns * height : NULL;
    w.lat = angles ? w.lon + columns * height : NULL;
  }
  *done = !on_device;
  for (int64_t r = tile->r0; r < tile->r1 && status == GV_OK; r += height) {
    w.rows = (gv_tile){tile->c0, tile->c1, r, r + height < tile->r1 ? r + height : tile->r1};
    if (!tables) status = gv_cells_positions(context, &v->cells, &w.rows, w.x, w.y, w.z, w.lon, w.lat, NULL);
    if (status == GV_OK && on_device) status = measure_features_by_device(context, &w, done);
    for (int64_t band = 0; band < m->bands && status == GV_OK && !on_device; band++)
      measure_features_measure_rows(&w, band, side);
  }
  gv_release(&context->allocator, w.x);
  gv_release(&context->allocator, w.open);
  gv_finder_clear(&w.finder);
  return status;
}

gv_status gv_measure_features(gv_context *context, const gv_voronoi *v, const gv_measure *m,
                              const gv_tile *tile) {
  const gv_seed_numbers numbers = {m->seed,  tile->c1 - tile->c0, tile->r1 - tile->r0,
                                   m->bands, m->stride,           m->band_stride};
  bool done = false;
  GV_TRY(gv_seed_numbers_check(context, v, &numbers));
  if (measure_device_supports(context, v, m))
    GV_TRY(measure_features_block(context, v, m, tile, true, &done));
  return done ? GV_OK : measure_features_block(context, v, m, tile, false, &done);
}
