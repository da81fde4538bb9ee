/* Ranked tiles. See leaf.h. */
#include "voronoi/leaf.h"

#include <string.h>

enum { MATRIX_VALUES = 8192 /* doubles of a matrix of values, at least one vector of cells */ };

/* ------------------------------------------------------------------------------------------------- groups */

typedef struct comparison {
  bool linear;
  double u[GV_ORDER_MOST][3], square[GV_ORDER_MOST]; /* linear: from the middle of the tile */
  double low[GV_ORDER_MOST], high[GV_ORDER_MOST];
  double limit; /* linear: what the margins add, see cull.h */
  const gv_bound *bound;
} comparison;

static const double cull_slack = 4e-12; /* as in cull.c */

/* True if candidate i is nearer than candidate j in every cell. */
static bool before(const comparison *c, int32_t i, int32_t j) {
  if (!c->linear) return c->high[i] < c->low[j];
  double reach = 0.0;
  for (int g = 0; g < 3; g++) {
    const double *along = c->bound->generator[g];
    reach += fabs(along[0] * (c->u[j][0] - c->u[i][0]) + along[1] * (c->u[j][1] - c->u[i][1]) +
                  along[2] * (c->u[j][2] - c->u[i][2]));
  }
  return c->square[j] * (1.0 - cull_slack) - 2.0 * reach > c->square[i] * (1.0 + cull_slack) + c->limit;
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

bool gv_order_make(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space, const gv_bound *bound,
                   double slack, const gv_candidates *candidates, gv_order *out) {
  int32_t n = candidates->count;
  out->count = out->groups = 0;
  if (n > GV_ORDER_MOST) return true;
  comparison c = {.linear = gv_culls_linearly(v), .bound = bound};
  double key[GV_ORDER_MOST], near[GV_ORDER_MOST + GV_CANDIDATE_PADDING], far[GV_ORDER_MOST + GV_CANDIDATE_PADDING];
  if (c.linear) {
    double e = v->cells.position_error;
    c.limit = cull_slack * bound->radius * bound->radius + 1.2e13 * e * e + 1e-290 + slack;
    for (int32_t i = 0; i < n; i++) {
      c.u[i][0] = candidates->x[i] - bound->centre[0];
      c.u[i][1] = candidates->y[i] - bound->centre[1];
      c.u[i][2] = candidates->z != NULL ? candidates->z[i] - bound->centre[2] : 0.0;
      key[i] = c.square[i] = c.u[i][0] * c.u[i][0] + c.u[i][1] * c.u[i][1] + c.u[i][2] * c.u[i][2];
    }
  } else {
    double *low, *high;
    if (!gv_value_bounds(v, kernels, space, bound, candidates, &low, &high)) return false;
    for (int32_t i = 0; i < n; i++) {
      c.low[i] = key[i] = low[i];
      c.high[i] = high[i];
    }
  }
  bool limited = isfinite(v->max_distance);
  if (limited) gv_spans(v, kernels, bound, candidates, near, far);
  for (int32_t i = 0; i < n; i++) {
    int32_t at = i;
    for (; at > 0 && key[out->place[at - 1]] > key[i]; at--)
      out->place[at] = out->place[at - 1];
    out->place[at] = i;
  }
  for (int32_t begin = 0, at = 0; at < n && begin < v->k; at++) {
    if (at + 1 < n && !parts(&c, out->place, at, n)) continue;
    out->sure[out->groups] = at == begin && (!limited || far[out->place[at]] <= v->within);
    out->end[out->groups++] = begin = at + 1;
    out->count = begin;
  }
  return true;
}

bool gv_order_settles(const gv_voronoi *v, const gv_order *order, const gv_candidates *candidates, int32_t *label) {
  if (candidates->count > 0 && order->count == 0) return false;
  for (int32_t g = 0; g < order->groups; g++) {
    if (order->end[g] != g + 1 || !order->sure[g]) return false;
  }
  for (int32_t band = 0; band < v->k; band++)
    label[band] = band < order->groups ? v->label[candidates->id[order->place[band]]] : v->nodata;
  return true;
}

/* ------------------------------------------------------------------------------------------------- leaves */

static bool reserve_strip(gv_workspace *space, int64_t doubles) {
  if (space->strip_capacity >= doubles) return true;
  gv_release(&space->allocator, space->strip);
  space->strip = gv_allocate_zeroed(&space->allocator, doubles + doubles / 4, sizeof(double));
  space->strip_capacity = space->strip != NULL ? doubles + doubles / 4 : 0;
  return space->strip != NULL;
}

static const gv_rank_kernels *rank_kernels(const gv_cells *cells, const gv_kernels *kernels) {
  if (cells->shape == GV_CELLS_PLANE) return &kernels->rank_plane[cells->metric];
  if (cells->shape == GV_CELLS_LONLAT) return &kernels->rank_lonlat;
  return cells->dim == 2 ? &kernels->rank_points2[cells->metric] : &kernels->rank_points3;
}

static void run_ranking(const gv_rank_kernels *kernels, const gv_ranking *r) {
  kernels->kept[r->kept <= GV_FEW ? r->kept : 0](r);
}

/* Weighted: what distances are turned into, part by part of the leaf. */
typedef struct gv_weights {
  const gv_kernels *kernels;
  gv_weigher weigher;
  double limit;         /* of the distances */
  double within;        /* geodesic: those above are in doubt */
  const double *weight; /* of the ranking's candidates */
} gv_weights;

static void rank_weighted(const gv_rank_kernels *measuring, const gv_weights *w, gv_ranking *r, double *matrix) {
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
  r->stride = rows * width + GV_STRIP_LANES; /* not a power of two: rows of the matrix share the cache better */
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
        w->kernels->weigh(&w->weigher, w->limit, r->rows * r->width, value, w->weight + i, false);
      }
      run_ranking(&w->kernels->rank_matrix, r);
    }
  }
}

static void fill_band(const gv_leaf *leaf, int32_t band, int32_t label) {
  int32_t *out = leaf->out + band * leaf->band_stride;
  for (int32_t r = 0; r < leaf->rows; r++) {
    for (int32_t c = 0; c < leaf->columns; c++)
      out[r * leaf->out_stride + c] = label;
  }
}

/* Geodesic and weighted: chords give upper bounds of the values; how far they may be above the true ones. */
static double weighted_gap(const gv_voronoi *v, const gv_kernels *kernels, const gv_bound *bound,
                           const gv_candidates *candidates) {
  double gap = 0.0;
  for (int32_t i = 0; i < candidates->count; i++) {
    gv_candidates one = {candidates->x + i, candidates->y + i, candidates->z + i, candidates->id + i, 1};
    double near[GV_CANDIDATE_PADDING], far[GV_CANDIDATE_PADDING], shortest, longest;
    gv_spans(v, kernels, bound, &one, near, far);
    if (!(far[0] < v->geodesic.chord2_limit)) return INFINITY;
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
    double r1 = v->geodesic.r_small;
    w.weigher.form = GV_LENGTH_OF_CHORD;
    w.weigher.inverse = 0.5 / r1;
    w.weigher.scale = 2.0 * r1 * v->geodesic.geod.a;
    w.limit = v->beyond;
  }
  return w;
}

/* A ranking's candidates in arrays of their own: coordinates, numbers, labels, weights. */
typedef struct gathered {
  gv_candidates candidates;
  double *number, *label, *weight;
} gathered;

static void gather(const gv_voronoi *v, const gv_candidates *from, const int32_t *place, int32_t count,
                   gathered *to) {
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

bool gv_leaf_rank(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space, const gv_bound *bound,
                  double slack, const gv_candidates *candidates, const gv_order *order, gv_leaf *leaf) {
  int32_t n = candidates->count, groups = order->groups, band = 0, place[GV_ORDER_MOST];
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED, filter = v->cells.metric == GV_GEODESIC;
  int64_t part = (int64_t)n + GV_CANDIDATE_PADDING, ranks = 3 * (int64_t)(v->k + 1) * GV_STRIP_LANES;
  int64_t matrix = weighted ? MATRIX_VALUES + 2 * (int64_t)n * GV_STRIP_LANES : 0;
  if (!reserve_strip(space, 6 * part + ranks + matrix)) return false;
  double *memory = space->strip;
  gathered list = {{memory, memory + part, candidates->z != NULL ? memory + 2 * part : NULL, NULL, 0},
                   memory + 3 * part,
                   memory + 4 * part,
                   memory + 5 * part};
  const gv_rank_kernels *forms = rank_kernels(&v->cells, kernels);
  gv_weights weights = make_weights(v, kernels);
  gv_ranking r = {.leaf = leaf,
                  .rows = leaf->rows,
                  .columns = leaf->columns,
                  .candidates = &list.candidates,
                  .label = list.label,
                  .number = list.number,
                  .start = INFINITY,
                  .nobody = (double)v->nodata,
                  .scratch = memory + 6 * part,
                  .gap = slack,
                  .within = INFINITY,
                  .beyond = INFINITY};
  weights.weight = list.weight;
  if (!weighted && !filter && isfinite(v->limit)) r.start = nextafter(v->limit, INFINITY);
  if (filter) {
    memset(space->doubt, 0, (size_t)(leaf->rows * leaf->columns));
    r.doubt = space->doubt;
    if (weighted) {
      r.gap = weighted_gap(v, kernels, bound, candidates);
    } else {
      r.within = v->within;
      r.beyond = v->beyond;
    }
  }
  for (int32_t g = 0; g < (groups > 0 ? groups : 1) && band < v->k && n > 0; g++) {
    int32_t begin = g > 0 ? order->end[g - 1] : 0, count = (groups > 0 ? order->end[g] : n) - begin;
    if (groups > 0 && order->sure[g]) {
      fill_band(leaf, band++, v->label[candidates->id[order->place[begin]]]);
      continue;
    }
    r.first = band;
    r.bands = v->k - band < count ? v->k - band : count;
    r.kept = r.bands + (filter && r.bands < count ? 1 : 0);
    if (groups > 0) {
      memcpy(place, order->place + begin, (size_t)count * sizeof *place);
      if (r.kept <= GV_FEW) sort_places(place, count);
    }
    gather(v, candidates, groups > 0 ? place : NULL, count, &list);
    if (weighted) {
      rank_weighted(forms, &weights, &r, memory + 6 * part + ranks);
    } else {
      run_ranking(forms, &r);
    }
    band += r.bands;
  }
  for (; band < v->k; band++)
    fill_band(leaf, band, v->nodata);
  leaf->undecided = space->undecided;
  leaf->undecided_count = 0;
  for (int32_t i = 0; filter && i < leaf->rows * leaf->columns; i++) {
    if (space->doubt[i]) leaf->undecided[leaf->undecided_count++] = i;
  }
  return true;
}
