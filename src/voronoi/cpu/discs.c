/* Discs. See discs.h. */
#include "voronoi/cpu/discs.h"

#include <string.h>

#include "cells/kind.h"
#include "core/angles.h"
#include "core/parallel.h"
#include "voronoi/k_nearest.h"

enum {
  /* number of seeds from which computing their places is worth starting other threads */
  SEEDS_PARALLEL = 1 << 16,
  /* of lists, for each seed and block: with more, blocks are better narrowed down to */
  ENTRIES_EACH = 8,
  MOST_BLOCKS = 1 << 22, /* that have lists */
  RECTANGLE_COST = 512,  /* cells that a tile may have for the cost of a rectangle */
  CROWD = 4              /* number of discs that one may meet so that its parts are processed one by one */
};

/* ------------------------------------------------------------------------------------------------- places */

/* Maximum distance of a cell of a disc from its seed, in rows, and the data that limit it in columns. */
typedef struct extent {
  double rows, columns; /* columns: on the plane */
  double sine;          /* on the globe: of the angle at the center; 1 = all of the globe */
} extent;

/* The angle at the globe's center between places a chord c apart, each at least b from it: c >= 2 b sin(angle
 * / 2). Geodetic latitudes part by at most 1 / (1 - f)^2 times as much as geocentric ones. */
static extent extent_on_globe(const gv_voronoi *v, double beyond) {
  const gv_cells *cells = &v->cells;
  double step = fabs(cells->grid.geotransform[5]) * GV_DEGREE, least = 1.0, stretch = 1.0;
  if (cells->metric == GV_GEODESIC) {
    double ratio = 1.0 - cells->ellipsoid.flattening;
    least = fmin(ratio, 1.0);
    stretch = fmax(1.0 / (ratio * ratio), ratio * ratio);
  }
  double half = (sqrt(beyond) + 4.0 * cells->position_error) * (1.0 + 1e-9) / (2.0 * least);
  if (!(half < 0.7)) return (extent){INFINITY, INFINITY, 1.0};
  double angle = 2.0 * asin(half);
  return (extent){angle * stretch / step + 1.0, INFINITY, sin(angle) * (1.0 + 1e-9)};
}

static extent extent_on_plane(const gv_voronoi *v, double beyond) {
  const double *g = v->cells.grid.geotransform;
  double reach = (v->cells.metric == GV_EUCLIDEAN ? sqrt(beyond) : beyond) * (1.0 + 1e-9);
  double rows = reach / fabs(g[5]) + 1.0, columns = reach / fabs(g[1]) + 1.0;
  return (extent){rows < 1e15 ? rows : INFINITY, columns < 1e15 ? columns : INFINITY, 0.0};
}

/* A whole number of 0 ... most: `value` rounded down. */
static int64_t whole(double value, int64_t most) {
  if (!(value > 0.0)) return 0;
  return value < (double)most ? (int64_t)value : most;
}

static gv_disc_place discs_place_of(const gv_voronoi *v, const gv_discs *d, const extent *e, int32_t seed) {
  const gv_cells *cells = &v->cells;
  const double *g = cells->grid.geotransform;
  double x = v->seeds.x[seed], y = v->seeds.y[seed], half = e->columns;
  if (gv_cells_turn_by_column(cells)) {
    double z = v->seeds.z[seed], square = x * x + y * y, axis = sqrt(square);
    /* By how much longitudes may differ: its sine is that of the angle over the cosine of the (geocentric)
     * latitude, unless a pole is within the disc. asin(s) <= s + (pi / 2 - 1) s^3. */
    double sine = cells->metric == GV_GEODESIC ? e->sine * sqrt(square + z * z) / axis : e->sine / axis;
    half = sine < 1.0 ? (sine + 0.571 * sine * sine * sine) * d->limit.scale + 1.0 : INFINITY;
    if (cells->metric == GV_GEODESIC) {
      x = v->seeds.lon[seed];
      y = v->seeds.lat[seed];
    } else {
      x = atan2(y, x) / GV_DEGREE;
      y = atan2(z, axis) / GV_DEGREE;
    }
  }
  double row = (y - g[3]) / g[5] - 0.5;
  int64_t r0 = isinf(e->rows) ? 0 : whole(row - e->rows, cells->grid.height);
  int64_t r1 = isinf(e->rows) ? cells->grid.height : whole(row + e->rows + 1.0, cells->grid.height);
  return (gv_disc_place){(x - g[0]) / g[1] - 0.5, half, r0, r1};
}

/* -------------------------------------------------------------------------------------------------- lists */

/*
 * Visits the blocks in which discs may have cells. Without `seed`: counts them, at[block] for each. With it:
 * lists them, at[block] is the position of the block's next entry. Returns the number of entries, -1 if more
 * than `most`. last[block]: the last seed of the block, initially -1.
 */
static int64_t deal(const gv_voronoi *v, const gv_discs *d, int64_t most, int32_t *last, int64_t *at,
                    int32_t *seed) {
  int64_t across = gv_blocks_across(v), width = v->block_width, height = v->block_height, entries = 0;
  int64_t columns = v->cells.grid.width;
  for (int32_t i = 0; i < v->seeds.count; i++) {
    const gv_disc_place *place = &d->place[i];
    if (place->r0 >= place->r1) continue;
    int64_t b0 = place->r0 / height, b1 = (place->r1 - 1) / height;
    /* Turn by turn, from the first turn with cells right of the grid's left edge. */
    bool around = 2.0 * place->half >= d->turn, once = around || isinf(d->turn);
    double middle = place->middle;
    if (!once) middle -= d->turn * floor((middle + place->half) / d->turn);
    do {
      int64_t c0 = around ? 0 : whole(middle - place->half, columns);
      int64_t c1 = around ? columns : whole(middle + place->half + 1.0, columns);
      int64_t a0 = c0 / width, a1 = (c1 - 1) / width;
      middle += d->turn;
      if (c0 >= c1) continue;
      if ((b1 - b0 + 1) * (a1 - a0 + 1) > most - entries) return -1;
      for (int64_t b = b0; b <= b1; b++) {
        for (int64_t block = b * across + a0; block <= b * across + a1; block++) {
          if (last[block] == i) continue;
          last[block] = i;
          if (seed != NULL) seed[at[block]] = i;
          at[block]++;
          entries++;
        }
      }
    } while (!once && middle - place->half < (double)columns);
  }
  return entries;
}

static gv_status make_lists(gv_context *context, const gv_voronoi *v, gv_discs *d) {
  int64_t blocks = gv_blocks_across(v) * gv_blocks_down(v);
  int64_t most = ENTRIES_EACH * (v->seeds.count + blocks);
  if (blocks > MOST_BLOCKS) return GV_OK;
  int32_t *last = gv_allocate(&v->allocator, blocks, sizeof *last);
  /* One more at the front: what starts as the place of a block's first entry ends as that of the next
   * block's. */
  int64_t *first = gv_allocate_zeroed(&v->allocator, blocks + 2, sizeof *first);
  bool good = last != NULL && first != NULL;
  int64_t entries = -1;
  if (good) {
    memset(last, 0xff, (size_t)blocks * sizeof *last);
    entries = deal(v, d, most, last, first + 2, NULL);
  }
  if (entries >= 0) {
    for (int64_t b = 0; b < blocks; b++)
      first[b + 2] += first[b + 1];
    d->seed = gv_allocate(&v->allocator, entries, sizeof *d->seed);
    good = d->seed != NULL;
  }
  if (good && entries >= 0) {
    memset(last, 0xff, (size_t)blocks * sizeof *last);
    deal(v, d, most, last, first + 1, d->seed);
    d->first = first;
    first = NULL;
  }
  gv_release(&v->allocator, last);
  gv_release(&v->allocator, first);
  return good ? GV_OK : gv_fail_memory(context, "discs");
}

typedef struct placing {
  const gv_voronoi *v;
  const gv_discs *discs;
  extent how_far;
} placing;

static gv_status place_seeds(gv_worker *worker, int64_t first, int64_t end) {
  const placing *p = worker->user;
  for (int64_t i = first; i < end; i++)
    p->discs->place[i] = discs_place_of(p->v, p->discs, &p->how_far, (int32_t)i);
  return GV_OK;
}

gv_status gv_discs_create(gv_context *context, const gv_voronoi *v, gv_discs **out) {
  const gv_cells *cells = &v->cells;
  const double *g = cells->grid.geotransform;
  double e = cells->position_error, within = v->within, beyond = v->beyond;
  bool globe = gv_cells_turn_by_column(cells);
  double unit = globe ? GV_DEGREE : 1.0;
  *out = NULL;
  if (!gv_cells_have_tables(cells) || !(within >= 0.0) || !isfinite(beyond)) return GV_OK;
  if (!(fabs(g[1]) * unit > 1000.0 * e && fabs(g[5]) * unit > 1000.0 * e)) return GV_OK;
  gv_discs *d = gv_allocate_zeroed(&v->allocator, 1, sizeof *d);
  if (d == NULL) return gv_fail_memory(context, "discs");
  d->turn = globe ? 360.0 / fabs(g[1]) : INFINITY;
  if (globe) {
    within -= 8.0 * e * sqrt(within) + 16.0 * e * e + 4e-15 * within;
    beyond += 8.0 * e * sqrt(beyond) + 16.0 * e * e + 4e-15 * beyond;
  }
  double scale = 1.0 / (fabs(g[1]) * unit);
  d->limit =
      (gv_disc_limit){within, beyond, (beyond - within) + 1e-14 * beyond, scale, 5e-4 + 8.0 * e * scale};
  d->place = gv_allocate(&v->allocator, v->seeds.count, sizeof *d->place);
  gv_status status = d->place != NULL ? GV_OK : gv_fail_memory(context, "discs");
  if (status == GV_OK) {
    placing p = {v, d, globe ? extent_on_globe(v, beyond) : extent_on_plane(v, beyond)};
    gv_loop loop = {.threads = v->seeds.count > SEEDS_PARALLEL ? context->threads : 1,
                    .count = v->seeds.count,
                    .user = &p};
    gv_parallel_for(&loop, place_seeds);
  }
  if (status == GV_OK) status = make_lists(context, v, d);
  if (status == GV_OK) {
    *out = d;
  } else {
    gv_discs_destroy(v, d);
  }
  return status;
}

void gv_discs_destroy(const gv_voronoi *v, gv_discs *discs) {
  if (discs == NULL) return;
  gv_release(&v->allocator, discs->place);
  gv_release(&v->allocator, discs->first);
  gv_release(&v->allocator, discs->seed);
  gv_release(&v->allocator, discs);
}

/* --------------------------------------------------------------------------------------------------- plan */

/* Where the seed is among the columns, in the turn that brings it nearest to a tile. */
static double middle_near(const gv_discs *d, const gv_disc_place *place, const gv_tile *tile) {
  double away = 0.5 * (double)(tile->c0 + tile->c1 - 1) - place->middle;
  return fabs(away) > 0.5 * d->turn ? place->middle + d->turn * rint(away / d->turn) : place->middle;
}

/* The cells of a tile that a candidate's disc is within. */
static void box_in(const gv_discs *d, const gv_tile *tile, const gv_disc_place *place, gv_disc_plan *plan,
                   int32_t i) {
  double middle = middle_near(d, place, tile) - (double)tile->c0;
  int64_t columns = tile->c1 - tile->c0, rows = tile->r1 - tile->r0;
  int64_t r0 = place->r0 - tile->r0, r1 = place->r1 - tile->r0;
  plan->painted[i] = middle < 0.5 * d->turn - 1.0 && (double)columns - middle < 0.5 * d->turn - 1.0;
  plan->c0[i] = (int16_t)(plan->painted[i] ? whole(middle - place->half, columns) : 0);
  plan->c1[i] = (int16_t)(plan->painted[i] ? whole(middle + place->half + 1.0, columns) : columns);
  plan->r0[i] = (int16_t)(r0 < 0 ? 0 : r0 < rows ? r0 : rows);
  plan->r1[i] = (int16_t)(r1 < 0 ? 0 : r1 < rows ? r1 : rows);
}

/* True if no cell can be within the limit of both: by the triangle inequality, of chords too. */
static bool discs_part(const gv_voronoi *v, const gv_candidates *c, int32_t i, int32_t j) {
  gv_metric metric = v->cells.metric;
  double x = gv_norm_of(metric, c->x[i] - c->x[j]), y = gv_norm_of(metric, c->y[i] - c->y[j]);
  double z = c->z != NULL ? gv_norm_of(metric, c->z[i] - c->z[j]) : 0.0;
  double reach = v->beyond * (1.0 + 1e-12) + 1e-290;
  double twice = metric == GV_MANHATTAN || metric == GV_CHEBYSHEV ? 2.0 * reach : 4.0 * reach;
  return gv_norm_join(metric, gv_norm_join(metric, x, y), z) > twice;
}

static int64_t cost_of(const gv_tile *r) {
  return (r->c1 - r->c0) * (r->r1 - r->r0) + RECTANGLE_COST;
}

/* Adds a rectangle, merged with those that do not cost less separately. False: too many rectangles. */
static bool add_rectangle(gv_disc_plan *plan, gv_tile r, int64_t *cost) {
  for (int32_t i = 0; i < plan->rectangles;) {
    const gv_tile *other = &plan->rectangle[i];
    gv_tile both = {r.c0 < other->c0 ? r.c0 : other->c0, r.c1 > other->c1 ? r.c1 : other->c1,
                    r.r0 < other->r0 ? r.r0 : other->r0, r.r1 > other->r1 ? r.r1 : other->r1};
    if (cost_of(&both) > cost_of(&r) + cost_of(other)) {
      i++;
      continue;
    }
    *cost -= cost_of(other);
    plan->rectangle[i] = plan->rectangle[--plan->rectangles];
    r = both;
    i = 0;
  }
  if (plan->rectangles == GV_DISC_RECTANGLES) return false;
  plan->rectangle[plan->rectangles++] = r;
  *cost += cost_of(&r);
  return true;
}

/* Which of the boxes of candidates before i its box meets, and how many. */
static int32_t boxes_met(const gv_disc_plan *plan, int32_t i, int16_t *met) {
  int16_t c0 = plan->c0[i], c1 = plan->c1[i], r0 = plan->r0[i], r1 = plan->r1[i], count = 0;
  for (int32_t j = 0; j < i; j++) {
    met[j] = (int16_t)((plan->c0[j] < c1) & (c0 < plan->c1[j]) & (plan->r0[j] < r1) & (r0 < plan->r1[j]));
    count += met[j];
  }
  return count;
}

bool gv_discs_plan(const gv_voronoi *v, const gv_discs *discs, const gv_tile *tile,
                   const gv_candidates *candidates, gv_disc_plan *plan) {
  const gv_candidates *c = candidates;
  int64_t area = (tile->c1 - tile->c0) * (tile->r1 - tile->r0), boxes = 0, cost = 0;
  bool several = !gv_nearest_only(v) || v->cells.metric == GV_GEODESIC; /* the alternative is slow */
  int16_t met[GV_DISCS_MOST];
  plan->rectangles = 0;
  if (c->count > GV_DISCS_MOST) return false;
  for (int32_t i = 0; i < c->count; i++) {
    box_in(discs, tile, &discs->place[c->id[i]], plan, i);
    boxes += (int64_t)(plan->c1[i] - plan->c0[i]) * (plan->r1[i] - plan->r0[i]);
  }
  if (3 * boxes > (several ? 3 : 2) * area) return false; /* much will meet */
  for (int32_t i = 0; i < c->count; i++) {
    int64_t c0 = plan->c0[i], c1 = plan->c1[i], r0 = plan->r0[i], r1 = plan->r1[i];
    if (c0 >= c1 || r0 >= r1) continue;
    int32_t left = boxes_met(plan, i, met);
    if (left > CROWD) plan->painted[i] = false;
    if (!plan->painted[i]) {
      gv_tile box = {tile->c0 + c0, tile->c0 + c1, tile->r0 + r0, tile->r0 + r1};
      if (!add_rectangle(plan, box, &cost) || cost > area / 2) return false;
      continue;
    }
    for (int32_t j = 0; left > 0; j++) {
      if (met[j] == 0) continue;
      left--;
      if (discs_part(v, c, i, j)) continue;
      gv_tile both = {
          tile->c0 + (plan->c0[j] > c0 ? plan->c0[j] : c0), tile->c0 + (plan->c1[j] < c1 ? plan->c1[j] : c1),
          tile->r0 + (plan->r0[j] > r0 ? plan->r0[j] : r0), tile->r0 + (plan->r1[j] < r1 ? plan->r1[j] : r1)};
      if (!add_rectangle(plan, both, &cost) || cost > area / 2) return false;
    }
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------- a row */

/* A row with ends that the kernels leave open. */
typedef struct disc_row {
  const gv_voronoi *v;
  const gv_discs *discs;
  int32_t seed;
  int64_t row;
  double p, rest; /* of the row: distance from the axis; its term of every cell's value */
  int32_t *out;   /* of column 0 */
} disc_row;

/* The exact distance, or squared chord, of a cell of the row. */
static double value_of(const disc_row *r, int64_t column) {
  const gv_cells *cells = &r->v->cells;
  double sx = r->v->seeds.x[r->seed], x = cells->column_x[column];
  if (!gv_cells_turn_by_column(cells)) {
    return gv_norm_join(cells->metric, gv_norm_of(cells->metric, x - sx), r->rest);
  }
  double y = r->p * cells->column_y[column] - r->v->seeds.y[r->seed];
  x = r->p * x - sx;
  return (x * x + y * y) + r->rest;
}

/* Whether a cell that the margin leaves open is within the limit. */
static bool is_within(const disc_row *r, int64_t column, double value) {
  const gv_voronoi *v = r->v;
  if (value <= v->within) return true;
  if (value > v->beyond) return false;
  gv_cell_place place;
  int32_t found[GV_VORONOI_MAX_K];
  gv_cells_lonlat(&v->cells, column, r->row, &place.lon, &place.lat);
  place.vector[0] = r->p * v->cells.column_x[column];
  place.vector[1] = r->p * v->cells.column_y[column];
  place.vector[2] = v->cells.row_z[r->row];
  gv_k_nearest_geodesic(v, &place, &r->seed, 1, found);
  return found[0] >= 0;
}

/*
 * One side of the seed: n cells first, first + step ... outwards, of which about `guess` are within the
 * limit. Walks to where cells surely are and where they surely are not.
 */
static void paint_side(const disc_row *r, int64_t first, int64_t step, int64_t n, double guess) {
  double within = r->discs->limit.within, beyond = r->discs->limit.beyond;
  int32_t label = r->v->label[r->seed];
  int64_t inside = 0, outside = n, at = guess < 1.0 ? 0 : guess < (double)n ? (int64_t)guess - 1 : n - 1;
  for (int64_t i = at; i < n && outside == n; i++) {
    double value = value_of(r, first + i * step);
    if (value <= within) inside = i + 1;
    if (value > beyond) outside = i;
  }
  for (int64_t i = at - 1; i >= 0 && inside == 0; i--) {
    double value = value_of(r, first + i * step);
    if (value <= within) inside = i + 1;
    if (value > beyond) outside = i;
  }
  for (int64_t i = 0; i < inside; i++)
    r->out[first + i * step] = label;
  for (int64_t i = inside; i < outside; i++) {
    int64_t column = first + i * step;
    if (is_within(r, column, value_of(r, column))) r->out[column] = label;
  }
}

/* About how many columns a disc reaches in a row; `axis`: of the seed. */
static double reach_in(const disc_row *r, double axis) {
  const gv_disc_limit *limit = &r->discs->limit;
  gv_metric metric = r->v->cells.metric;
  if (gv_cells_turn_by_column(&r->v->cells)) {
    double share = (limit->beyond - r->rest - (r->p - axis) * (r->p - axis)) / (4.0 * r->p * axis);
    return share > 0.0 ? 2.0 * limit->scale * gv_arcsine(share < 1.0 ? sqrt(share) : 1.0) : 0.0;
  }
  if (metric == GV_CHEBYSHEV) return limit->scale * limit->beyond;
  double left = fmax(limit->beyond - r->rest, 0.0);
  return limit->scale * (metric == GV_EUCLIDEAN ? sqrt(left) : left);
}

/* `middle`: of the seed, among the grid's columns. */
static void paint_row(const gv_voronoi *v, const gv_discs *discs, const gv_tile *tile, int32_t seed,
                      const gv_disc *disc, double middle, int64_t row, int32_t *out) {
  const gv_cells *cells = &v->cells;
  bool globe = gv_cells_turn_by_column(cells);
  double across = cells->row_z[row] - disc->across;
  disc_row r = {.v = v, .discs = discs, .seed = seed, .row = row, .out = out - tile->c0};
  r.p = globe ? cells->row_p[row] : 0.0;
  r.rest = gv_norm_of(cells->metric, across);
  double reach = reach_in(&r, disc->along);
  /* Columns up to `split` are on the seed's left. */
  int64_t split = middle < (double)tile->c0 ? tile->c0 - 1 : tile->c1 - 1;
  if (middle >= (double)tile->c0 && middle < (double)split) split = (int64_t)middle;
  paint_side(&r, split, -1, split - tile->c0 + 1, (double)split - (middle - reach) + 1.0);
  paint_side(&r, split + 1, 1, tile->c1 - 1 - split, middle + reach - (double)split);
}

/* -------------------------------------------------------------------------------------------------- discs */

/* How good the ends of a strip's rows are. `inverse`: the largest of its rows. */
static void set_tolerance(const gv_discs *d, const gv_cells *cells, const gv_disc *disc, double inverse,
                          gv_disc_strip *strip) {
  const gv_disc_limit *l = &d->limit;
  strip->tight = strip->loose = l->exact;
  strip->grazing = 0.0;
  if (cells->metric == GV_CHEBYSHEV) return;
  if (cells->metric == GV_MANHATTAN) {
    strip->tight = strip->loose = l->exact + l->scale * l->gap;
    return;
  }
  /* The part of a share that lies within the error bounds, and a share from which on that part is small. */
  double share = gv_cells_turn_by_column(cells) ? 0.25 * inverse / disc->along : 1.0;
  double g = l->gap * share, large = l->beyond * share / 16.0;
  strip->grazing = large > g ? large : g;
  bool small = !gv_cells_turn_by_column(cells) || g < 0.1;
  strip->tight += small ? 4.0 * l->scale * g / sqrt(strip->grazing) : INFINITY;
  strip->loose += small ? 4.0 * l->scale * sqrt(g) : INFINITY;
}

static void paint_disc(const gv_voronoi *v, const gv_discs *discs, gv_disc_kernel kernel, const gv_tile *tile,
                       int32_t seed, int64_t r0, int64_t r1, int32_t *out, int64_t stride) {
  const gv_cells *cells = &v->cells;
  bool globe = gv_cells_turn_by_column(cells);
  double x = v->seeds.x[seed], y = v->seeds.y[seed], middle = middle_near(discs, &discs->place[seed], tile);
  gv_disc disc = {globe ? sqrt(x * x + y * y) : x, globe ? v->seeds.z[seed] : y, middle - (double)tile->c0,
                  v->label[seed]};
  gv_disc_strip strip = {.columns = (int32_t)(tile->c1 - tile->c0), .out_stride = stride};
  for (int64_t row = r0; row < r1; row += GV_DISC_ROWS) {
    strip.rows = (int32_t)(r1 - row < GV_DISC_ROWS ? r1 - row : GV_DISC_ROWS);
    strip.row_z = cells->row_z + row;
    strip.out = out + (row - tile->r0) * stride;
    double inverse = 0.0;
    if (globe) {
      strip.row_p = cells->row_p + row;
      strip.row_inverse = cells->row_inverse + row;
      /* The axis is nearest at one of the ends. */
      inverse = fmax(strip.row_inverse[0], strip.row_inverse[strip.rows - 1]);
    }
    set_tolerance(discs, cells, &disc, inverse, &strip);
    kernel(&discs->limit, &disc, &strip);
    for (int32_t i = 0; i < strip.open_count; i++)
      paint_row(v, discs, tile, seed, &disc, middle, row + strip.open[i], strip.out + strip.open[i] * stride);
  }
}

void gv_discs_paint(const gv_voronoi *v, const gv_discs *discs, const gv_tile *tile,
                    const gv_candidates *candidates, const gv_disc_plan *plan, int32_t *out, int64_t stride) {
  const gv_disc_kernels *kernels = gv_disc_kernels_get();
  gv_disc_kernel kernel =
      gv_cells_turn_by_column(&v->cells) ? kernels->globe : kernels->plane[v->cells.metric];
  for (int32_t i = 0; i < candidates->count; i++) {
    if (!plan->painted[i] || plan->c0[i] >= plan->c1[i]) continue;
    paint_disc(v, discs, kernel, tile, candidates->id[i], tile->r0 + plan->r0[i], tile->r0 + plan->r1[i], out,
               stride);
  }
}
