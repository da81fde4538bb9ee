/* Leaves with several neighbors. See leaf.h. */
#include "voronoi/cpu/leaf.h"

#include <string.h>

#include "cells/kind.h"
#include "voronoi/cpu/k_nearest_filter.h"
#include "voronoi/cpu/short_list.h"

enum { MOST_WORK = 120000 /* above it, two halves of a leaf with fewer candidates take less work */ };
enum { MATRIX_VALUES = 8192 /* doubles of a matrix of values, at least one vector of cells */ };

/* ------------------------------------------------------------------------------------------------- groups */

typedef struct comparison {
  bool linear;
  double u[GV_ORDER_MOST][3], square[GV_ORDER_MOST]; /* linear: from the middle of the tile */
  double low[GV_ORDER_MOST], high[GV_ORDER_MOST];
  double limit; /* linear: sum of the margins, see margin.h */
  const gv_bound *bound;
} comparison;

/* True if candidate i is nearer than candidate j in every cell. */
static bool before(const comparison *c, int32_t i, int32_t j) {
  if (!c->linear) return c->high[i] < c->low[j];
  double reach = 0.0;
  for (int g = 0; g < 3; g++) {
    const double *along = c->bound->generator[g];
    reach += fabs(gv_dot(3, along[0], along[1], along[2], c->u[j][0] - c->u[i][0], c->u[j][1] - c->u[i][1],
                         c->u[j][2] - c->u[i][2]));
  }
  return gv_lead(gv_cull_slack, c->square[j], reach) > c->square[i] * (1.0 + gv_cull_slack) + c->limit;
}

/* True if everything up to the n-th of the order is nearer than everything after it. */
static bool parts(const comparison *c, const int32_t *place, int32_t n, int32_t count) {
  for (int32_t i = n; i >= 0; i--) {
    for (int32_t j = n + 1; j < count; j++) {
      if (!before(c, place[i], place[j])) return false;
    }
  }
  return true;
}

/* A list that is no longer than GV_SHORT_LIST: see short_list.h. */
static void order_short(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound, double *slack,
                        gv_candidates *candidates, gv_order *out) {
  double e = v->cells.position_error;
  gv_short_list list = {.candidates = candidates,
                        .dim = v->cells.dim,
                        .k = v->k,
                        .bound = bound,
                        .limit = gv_cull_limit(bound->radius, e),
                        .geodesic = v->cells.metric == GV_GEODESIC ? &v->geodesic : NULL,
                        .place = out->place,
                        .end = out->end};
  kernels->short_list(&list);
  *slack = list.slack;
  out->count = candidates->count;
  out->groups = list.groups;
}

/* By bounds of f or of values, pair by pair. */
static gv_status order_long(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                            const gv_bound *bound, double slack, const gv_candidates *candidates,
                            gv_order *out) {
  int32_t n = candidates->count;
  comparison c = {.linear = gv_culls_linearly(v), .bound = bound};
  double key[GV_ORDER_MOST];
  if (c.linear) {
    c.limit = gv_cull_limit(bound->radius, v->cells.position_error) + slack;
    for (int32_t i = 0; i < n; i++) {
      c.u[i][0] = candidates->x[i] - bound->center[0];
      c.u[i][1] = candidates->y[i] - bound->center[1];
      c.u[i][2] = candidates->z != NULL ? candidates->z[i] - bound->center[2] : 0.0;
      key[i] = c.square[i] = gv_square(3, c.u[i][0], c.u[i][1], c.u[i][2]);
    }
  } else {
    double *low, *high;
    GV_TRY(gv_value_bounds(v, kernels, space, bound, candidates, &low, &high));
    for (int32_t i = 0; i < n; i++) {
      c.low[i] = key[i] = low[i];
      c.high[i] = high[i];
    }
  }
  for (int32_t i = 0; i < n; i++) {
    int32_t at = i;
    for (; at > 0 && key[out->place[at - 1]] > key[i]; at--)
      out->place[at] = out->place[at - 1];
    out->place[at] = i;
  }
  for (int32_t begin = 0, at = 0; at < n && begin < v->k; at++) {
    if (at + 1 < n && !parts(&c, out->place, at, n)) continue;
    out->end[out->groups++] = begin = at + 1;
    out->count = begin;
  }
  return GV_OK;
}

gv_status gv_order_make(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                        const gv_bound *bound, double *slack, gv_candidates *candidates, gv_order *out) {
  out->count = out->groups = 0;
  out->within = !isfinite(v->max_distance);
  if (candidates->count > GV_ORDER_MOST || candidates->count == 0) return GV_OK;
  if (gv_culls_linearly(v) && candidates->count <= GV_SHORT_LIST) {
    order_short(v, kernels, bound, slack, candidates, out);
  } else {
    GV_TRY(order_long(v, kernels, space, bound, *slack, candidates, out));
  }
  double near[GV_ORDER_MOST + GV_CANDIDATE_PADDING], far[GV_ORDER_MOST + GV_CANDIDATE_PADDING];
  if (!out->within) {
    gv_distance_bounds(v, kernels, bound, candidates, near, far);
    out->within = true;
    for (int32_t i = 0; i < candidates->count; i++)
      out->within = out->within && far[i] <= v->within;
  }
  for (int32_t g = 0, begin = 0; g < out->groups; begin = out->end[g++])
    out->sure[g] = out->end[g] == begin + 1 && (out->within || far[out->place[begin]] <= v->within);
  return GV_OK;
}

bool gv_order_decides(const gv_voronoi *v, const gv_order *order, const gv_candidates *candidates,
                      int32_t *label) {
  if (candidates->count > 0 && order->count == 0) return false;
  for (int32_t g = 0; g < order->groups; g++) {
    if (order->end[g] != g + 1 || !order->sure[g]) return false;
  }
  for (int32_t band = 0; band < v->k; band++)
    label[band] = band < order->groups ? v->label[candidates->id[order->place[band]]] : v->nodata;
  return true;
}

/* ------------------------------------------------------------------------------------------------- leaves */

static bool suits_floats(const gv_voronoi *v, const gv_candidates *candidates, const gv_order *order) {
  return order->groups > 0 && order->within && candidates->count <= GV_FILTER_MOST && gv_culls_linearly(v) &&
         gv_cells_have_tables(&v->cells);
}

bool gv_leaf_is_due(const gv_voronoi *v, const gv_candidates *candidates, const gv_order *order, int64_t rows,
                    int64_t columns) {
  if (rows <= GV_LEAF_ROWS && columns <= GV_LEAF_COLUMNS) return true;
  if (rows > GV_K_LEAF_ROWS || columns > GV_K_LEAF_COLUMNS || !suits_floats(v, candidates, order))
    return false;
  /* Steps of a vector of cells: candidates times the neighbors that each is compared with. */
  int64_t work = 0;
  for (int32_t g = 0, begin = 0; g < order->groups; begin = order->end[g++]) {
    int64_t count = order->end[g] - begin, bands = v->k - begin;
    if (bands > GV_FILTER_BANDS && count > 1) return false;
    if (count > 1) work += count * (3 + (bands < count ? bands + 1 : count));
  }
  return rows * columns * work <= MOST_WORK;
}

static const gv_k_nearest_kernels *k_nearest_kernels(const gv_cells *cells, const gv_kernels *kernels) {
  if (gv_cells_turn_by_column(cells)) return kernels->k_nearest.lonlat;
  if (gv_cells_have_tables(cells)) return &kernels->k_nearest.plane[cells->metric];
  return cells->dim == 2 ? &kernels->k_nearest.points2[cells->metric] : kernels->k_nearest.points3;
}

static void run_k_nearest(const gv_k_nearest_kernels *kernels, const gv_k_nearest *r) {
  kernels->kept[r->kept <= GV_FEW ? r->kept : 0](r);
}

/* Weighted: what distances are turned into, part by part of the leaf. */
typedef struct gv_weights {
  const gv_kernels *kernels;
  gv_weigher weigher;
  double limit;         /* of the distances */
  double within;        /* geodesic: those above are in doubt */
  const double *weight; /* of the candidates */
} gv_weights;

static void k_nearest_weighted(const gv_k_nearest_kernels *measuring, const gv_weights *w, gv_k_nearest *r,
                               double *matrix) {
  const gv_leaf *leaf = r->leaf;
  int32_t n = r->candidates->count, most = MATRIX_VALUES / n, rows = leaf->rows;
  int32_t width = (leaf->columns + GV_STRIP_LANES - 1) / GV_STRIP_LANES * GV_STRIP_LANES;
  if (most < width) {
    rows = 1;
    width = most < GV_STRIP_LANES ? GV_STRIP_LANES : most / GV_STRIP_LANES * GV_STRIP_LANES;
  } else if (most / width < rows) {
    rows = most / width;
  }
  r->matrix = matrix;
  /* not a power of two: rows of the matrix share the cache better */
  r->stride = rows * width + GV_STRIP_LANES;
  for (r->row = 0; r->row < leaf->rows; r->row += rows) {
    for (r->column = 0; r->column < leaf->columns; r->column += width) {
      r->rows = leaf->rows - r->row < rows ? leaf->rows - r->row : rows;
      r->columns = leaf->columns - r->column < width ? leaf->columns - r->column : width;
      r->width = (r->columns + GV_STRIP_LANES - 1) / GV_STRIP_LANES * GV_STRIP_LANES;
      measuring->measure(r, matrix);
      for (int32_t i = 0; i < n; i++) {
        double *value = matrix + (int64_t)i * r->stride;
        for (int32_t cell = 0; r->doubt != NULL && isfinite(w->limit) && cell < r->rows * r->width; cell++) {
          int32_t column = cell % r->width, row = cell / r->width;
          bool open = value[cell] > w->within && value[cell] <= w->limit && column < r->columns;
          if (open) r->doubt[(r->row + row) * leaf->columns + r->column + column] = 1;
        }
        w->kernels->culling->weigh(&w->weigher, w->limit, r->rows * r->width, value, w->weight + i, false);
      }
      run_k_nearest(w->kernels->k_nearest.matrix, r);
    }
  }
}

/* Geodesic and weighted: chords give upper bounds of the values; returns how far they may be above the true
 * ones. */
static double weighted_gap(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                           const gv_candidates *candidates) {
  double gap = 0.0;
  for (int32_t i = 0; i < candidates->count; i++) {
    gv_candidates one = {candidates->x + i, candidates->y + i, candidates->z + i, candidates->id + i, 1};
    double near[GV_CANDIDATE_PADDING], far[GV_CANDIDATE_PADDING], shortest, longest;
    gv_distance_bounds(v, kernels, bound, &one, near, far);
    if (!(far[0] < v->geodesic.chords.limit2)) return INFINITY;
    /* The distance between the bounds grows with the chord. */
    gv_geodesic_lengths(&v->geodesic, far[0], far[0], &shortest, &longest);
    double w = v->seeds.weight[candidates->id[i]];
    double apart = longest - shortest + 1e-14 * longest;
    gap = fmax(gap, v->weigher.weighting == GV_MULTIPLICATIVE ? apart / w + 1e-14 * (longest / w)
                                                              : apart + 1e-14 * fabs(w));
  }
  return gap * (1.0 + 1e-12);
}

static gv_weights make_weights(const gv_voronoi *v, const gv_kernels *kernels) {
  gv_weights w = {.kernels = kernels, .weigher = v->weigher, .limit = v->limit, .within = v->within};
  if (v->cells.metric == GV_GEODESIC) {
    double r1 = v->geodesic.chords.r_small;
    w.weigher.form = GV_LENGTH_OF_CHORD;
    w.weigher.inverse = 0.5 / r1;
    w.weigher.scale = 2.0 * r1 * v->geodesic.geod.a;
    w.limit = v->beyond;
  }
  return w;
}

/* The candidates in separate arrays: coordinates, numbers, labels, weights. */
typedef struct leaf_gathered {
  gv_candidates candidates;
  double *number, *label, *weight;
} leaf_gathered;

static void leaf_gather(const gv_voronoi *v, const gv_candidates *from, const int32_t *place, int32_t count,
                        leaf_gathered *to) {
  gv_candidates *c = &to->candidates;
  c->count = count;
  for (int32_t i = 0; i < count; i++) {
    int32_t at = place != NULL ? place[i] : i, id = from->id[at];
    c->x[i] = from->x[at];
    c->y[i] = from->y[at];
    if (c->z != NULL) c->z[i] = from->z[at];
    to->number[i] = (double)id;
    to->label[i] = (double)v->label[id];
    if (v->seeds.weight != NULL) to->weight[i] = v->seeds.weight[id];
  }
}

static void sort_places(int32_t *place, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    int32_t value = place[i], at = i;
    for (; at > 0 && place[at - 1] > value; at--)
      place[at] = place[at - 1];
    place[at] = value;
  }
}

/* State of a leaf. Data for exact decisions are prepared at the first of them. */
typedef struct k_leaf {
  const gv_voronoi *v;
  const gv_kernels *kernels;
  gv_workspace *space;
  const gv_bound *bound;
  double slack;
  const gv_candidates *candidates;
  gv_leaf *leaf;
  bool prepared;
  leaf_gathered list;
  gv_weights weights;
  gv_k_nearest k_nearest;
  double *matrix; /* weighted only */
} k_leaf;

static gv_status leaf_prepare(k_leaf *l) {
  const gv_voronoi *v = l->v;
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED, filter = v->cells.metric == GV_GEODESIC;
  int64_t n = l->candidates->count, part = n + GV_CANDIDATE_PADDING,
          bands = 3 * (int64_t)(v->k + 1) * GV_STRIP_LANES;
  if (l->prepared) return GV_OK;
  double *memory = gv_buffer_reserve(
      &l->space->k_nearest, &l->space->allocator,
      6 * part + bands + (weighted ? MATRIX_VALUES + 2 * n * GV_STRIP_LANES : 0), sizeof *memory);
  if (memory == NULL) return gv_fail_memory(l->space->context, "a tile's ranks");
  l->list =
      (leaf_gathered){{memory, memory + part, l->candidates->z != NULL ? memory + 2 * part : NULL, NULL, 0},
                      memory + 3 * part,
                      memory + 4 * part,
                      memory + 5 * part};
  l->matrix = weighted ? memory + 6 * part + bands : NULL;
  l->weights = make_weights(v, l->kernels);
  l->weights.weight = l->list.weight;
  l->k_nearest = (gv_k_nearest){.leaf = l->leaf,
                                .columns = l->leaf->columns,
                                .candidates = &l->list.candidates,
                                .label = l->list.label,
                                .number = l->list.number,
                                .start = INFINITY,
                                .empty_label = (double)v->nodata,
                                .scratch = memory + 6 * part,
                                .gap = l->slack,
                                .within = INFINITY,
                                .beyond = INFINITY};
  if (!weighted && !filter && isfinite(v->limit)) l->k_nearest.start = nextafter(v->limit, INFINITY);
  if (filter) {
    memset(l->space->doubt, 0, (size_t)(l->leaf->rows * l->leaf->columns));
    l->k_nearest.doubt = l->space->doubt;
    if (weighted) {
      l->k_nearest.gap = weighted_gap(v, l->kernels, l->bound, l->candidates);
    } else {
      l->k_nearest.within = v->within;
      l->k_nearest.beyond = v->beyond;
    }
  }
  l->prepared = true;
  return GV_OK;
}

/* Candidates of one group (place NULL: all) by exact values, in the rows set in the bits. */
static gv_status k_nearest_canonically(k_leaf *l, const int32_t *place, int32_t count, int32_t first,
                                       int32_t bands, uint64_t rows) {
  int32_t sorted[GV_ORDER_MOST];
  GV_TRY(leaf_prepare(l));
  gv_k_nearest *r = &l->k_nearest;
  const gv_k_nearest_kernels *forms = k_nearest_kernels(&l->v->cells, l->kernels);
  r->first = first;
  r->bands = bands;
  r->kept = bands + (r->doubt != NULL && bands < count ? 1 : 0);
  if (place != NULL) {
    memcpy(sorted, place, (size_t)count * sizeof *place);
    if (r->kept <= GV_FEW) sort_places(sorted, count);
  }
  leaf_gather(l->v, l->candidates, place != NULL ? sorted : NULL, count, &l->list);
  r->row = 0;
  r->rows = l->leaf->rows;
  if (l->matrix != NULL) {
    k_nearest_weighted(forms, &l->weights, r, l->matrix);
  } else if (rows == GV_FILTER_NONE) {
    run_k_nearest(forms, r);
  } else {
    r->rows = 1;
    for (; r->row < l->leaf->rows; r->row++) {
      if (rows >> r->row & 1U) run_k_nearest(forms, r);
    }
  }
  return GV_OK;
}

/* The same in floats: returns the rows that they leave undecided. */
static uint64_t k_nearest_in_floats(const k_leaf *l, const int32_t *place, int32_t count, int32_t first,
                                    int32_t bands) {
  const gv_candidates *c = l->candidates;
  gv_k_nearest_filter f;
  f.leaf = l->leaf;
  f.globe = gv_cells_turn_by_column(&l->v->cells);
  f.first = first;
  f.bands = bands;
  f.bound = l->bound;
  f.slack = l->slack;
  f.candidates = c;
  f.place = place;
  f.count = count;
  for (int32_t i = 0; i < count; i++)
    f.label[i] = l->v->label[c->id[place[i]]];
  return l->kernels->k_nearest_filter(&f);
}

static void list_undecided(k_leaf *l) {
  gv_leaf *leaf = l->leaf;
  leaf->undecided = l->space->undecided;
  leaf->undecided_count = 0;
  if (!l->prepared || l->k_nearest.doubt == NULL) return;
  for (int32_t i = 0; i < leaf->rows * leaf->columns; i++) {
    if (l->space->doubt[i]) leaf->undecided[leaf->undecided_count++] = i;
  }
}

static void fill_band(const gv_kernels *kernels, const gv_leaf *leaf, int32_t band, int32_t label) {
  kernels->fill(leaf->out + band * leaf->band_stride, leaf->out_stride, leaf->rows, leaf->columns, label);
}

gv_status gv_leaf_k_nearest(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space,
                            const gv_bound *bound, double slack, const gv_candidates *candidates,
                            const gv_order *order, gv_leaf *leaf) {
  k_leaf l;
  l.v = v;
  l.kernels = kernels;
  l.space = space;
  l.bound = bound;
  l.slack = slack;
  l.candidates = candidates;
  l.leaf = leaf;
  l.prepared = false;
  int32_t n = candidates->count, band = 0;
  gv_status status = GV_OK;
  if (n > 0 && order->groups == 0) {
    band = v->k < n ? v->k : n;
    status = k_nearest_canonically(&l, NULL, n, 0, band, GV_FILTER_NONE);
  }
  bool floats = suits_floats(v, candidates, order);
  for (int32_t g = 0; g < order->groups && band < v->k && status == GV_OK; g++) {
    int32_t begin = g > 0 ? order->end[g - 1] : 0, count = order->end[g] - begin;
    int32_t bands = v->k - band < count ? v->k - band : count;
    const int32_t *place = order->place + begin;
    uint64_t open = GV_FILTER_NONE;
    if (order->sure[g]) {
      fill_band(kernels, leaf, band, v->label[candidates->id[place[0]]]);
      open = 0;
    } else if (floats && bands <= GV_FILTER_BANDS) {
      open = k_nearest_in_floats(&l, place, count, band, bands);
    }
    if (open != 0) status = k_nearest_canonically(&l, place, count, band, bands, open);
    band += bands;
  }
  if (status != GV_OK) return status;
  for (; band < v->k; band++)
    fill_band(kernels, leaf, band, v->nodata);
  list_undecided(&l);
  return GV_OK;
}
