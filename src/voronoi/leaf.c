/* Ranked tiles. See leaf.h. */
#include "voronoi/leaf.h"

#include <string.h>

enum {
  CHUNK = 8, /* candidates measured at once where few are kept: their matrix stays in the first-level cache */
  MANY_CELLS = 128,   /* cells at once where many are kept */
  MANY_VALUES = 16384 /* and doubles of their matrix, at least one vector of cells */
};

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
    for (int32_t i = begin + 1; i <= at; i++) {
      int32_t place = out->place[i], to = i;
      for (; to > begin && out->place[to - 1] > place; to--)
        out->place[to] = out->place[to - 1];
      out->place[to] = place;
    }
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

/* A group of candidates to rank, and where its ranks go. */
typedef struct gathered {
  gv_candidates candidates;
  const double *label, *weight;
  int32_t first, bands; /* ranks it decides */
  int32_t kept;         /* with the runner-up where gaps matter */
} gathered;

typedef struct leaf_job {
  const gv_voronoi *v;
  const gv_kernels *kernels;
  gv_workspace *space;
  gv_leaf *leaf;
  gv_weigher weigher;
  double limit;      /* of the distances that are weighed */
  double start, gap; /* see gv_keep_kernel; geodesic: values within the gap are undecided */
  bool filter;
} leaf_job;

static bool reserve_strip(gv_workspace *space, int64_t doubles, int64_t stamps) {
  if (space->strip_capacity < doubles) {
    gv_release(&space->allocator, space->strip);
    space->strip = gv_allocate_zeroed(&space->allocator, doubles + doubles / 4, sizeof(double));
    space->strip_capacity = space->strip != NULL ? doubles + doubles / 4 : 0;
  }
  if (space->stamp_capacity < stamps) {
    gv_release(&space->allocator, space->stamp);
    space->stamp = gv_allocate(&space->allocator, stamps + stamps / 4, sizeof *space->stamp);
    space->stamp_capacity = space->stamp != NULL ? stamps + stamps / 4 : 0;
  }
  return space->strip != NULL && (stamps == 0 || space->stamp != NULL);
}

static gv_measure_kernel measure_kernel(const gv_cells *cells, const gv_kernels *kernels) {
  if (cells->shape == GV_CELLS_PLANE) return kernels->measure_plane[cells->metric];
  if (cells->shape == GV_CELLS_LONLAT) return kernels->measure_lonlat;
  return cells->dim == 2 ? kernels->measure_points2[cells->metric] : kernels->measure_points3;
}

/* Values of some candidates in all cells of a strip. */
static void evaluate(const leaf_job *j, const gathered *g, int32_t first, int32_t count, const gv_strip *strip) {
  const gv_voronoi *v = j->v;
  measure_kernel(&v->cells, j->kernels)(j->leaf, &g->candidates, first, count, strip);
  if (g->weight == NULL) return;
  for (int32_t i = 0; i < count; i++) {
    double *row = strip->matrix + (int64_t)i * strip->stride;
    for (int32_t cell = 0; j->filter && isfinite(v->max_distance) && cell < strip->rows * strip->width; cell++) {
      int32_t column = cell % strip->width;
      if (row[cell] > v->within && row[cell] <= v->beyond && column < strip->columns) {
        j->space->doubt[(strip->row + cell / strip->width) * j->leaf->columns + strip->column + column] = 1;
      }
    }
    j->kernels->weigh(&j->weigher, j->limit, strip->rows * strip->width, row, g->weight + first + i, false);
  }
}

/* As gv_keep_kernel with all candidates at once, for any number kept. Neighbouring cells have nearly the same order: the
 * ranks of the last cell are tried first. */
static void keep_many(const gv_strip *strip, const gathered *g, double start, double nobody, int32_t *stamp) {
  int32_t place[GV_VORONOI_MAX_K + 1], last[GV_VORONOI_MAX_K + 1], held = 0, n = g->candidates.count;
  double value[GV_VORONOI_MAX_K + 1];
  memset(stamp, 0, (size_t)n * sizeof *stamp);
  for (int32_t cell = 0; cell < strip->rows * strip->width; cell++) {
    const double *column = strip->matrix + cell;
    int32_t known = held;
    memcpy(last, place, (size_t)held * sizeof *last);
    held = 0;
    for (int32_t i = -known; i < n; i++) {
      int32_t candidate = i < 0 ? last[known + i] : i;
      double d = column[(int64_t)candidate * strip->stride];
      if (!(d < start) || (held == g->kept && d > value[held - 1]) || (i >= 0 && stamp[candidate] == cell + 1))
        continue;
      if (i < 0) stamp[candidate] = cell + 1;
      if (held == g->kept && d == value[held - 1] && candidate > place[held - 1]) continue;
      int32_t at = held < g->kept ? held++ : held - 1;
      for (; at > 0 && (d < value[at - 1] || (d == value[at - 1] && candidate < place[at - 1])); at--) {
        value[at] = value[at - 1];
        place[at] = place[at - 1];
      }
      value[at] = d;
      place[at] = candidate;
    }
    for (int32_t rank = 0; rank < g->kept; rank++) {
      strip->value[(int64_t)rank * strip->stride + cell] = rank < held ? value[rank] : start;
      strip->label[(int64_t)rank * strip->stride + cell] = rank < held ? g->label[place[rank]] : nobody;
    }
  }
}

/* Ranks a group in a strip and writes its bands. */
static void rank_strip(const leaf_job *j, const gathered *g, gv_strip *strip) {
  double nobody = (double)j->v->nodata;
  int32_t n = g->candidates.count;
  if (g->kept <= GV_MOST_KEPT) {
    for (int32_t first = 0; first < n; first += CHUNK) {
      int32_t count = n - first < CHUNK ? n - first : CHUNK;
      evaluate(j, g, first, count, strip);
      j->kernels->keep[g->kept](strip, count, g->label + first, first == 0, j->start, nobody);
    }
  } else {
    evaluate(j, g, 0, n, strip);
    keep_many(strip, g, j->start, nobody, j->space->stamp);
  }
  if (j->filter) {
    bool weighted = g->weight != NULL; /* then the limit is taken care of */
    j->kernels->doubt(strip, g->bands, g->kept, j->gap, weighted ? INFINITY : j->v->within,
                      weighted ? INFINITY : j->v->beyond, nobody, j->space->doubt, j->leaf->columns);
  }
  for (int32_t band = 0; band < g->bands; band++) {
    j->kernels->store(strip, band, j->leaf->out + (g->first + band) * j->leaf->band_stride, j->leaf->out_stride);
  }
}

/* Strip by strip over the leaf. `memory` follows the labels and weights in space->strip. */
static void rank_group(const leaf_job *j, const gathered *g, double *memory) {
  const gv_leaf *leaf = j->leaf;
  int32_t n = g->candidates.count;
  bool many = g->kept > GV_MOST_KEPT;
  int32_t width = (leaf->columns + GV_STRIP_LANES - 1) / GV_STRIP_LANES * GV_STRIP_LANES, rows = leaf->rows;
  if (many) {
    int32_t cells = MANY_VALUES / n < MANY_CELLS ? MANY_VALUES / n : MANY_CELLS;
    if (cells < width) {
      rows = 1;
      width = cells < GV_STRIP_LANES ? GV_STRIP_LANES : cells / GV_STRIP_LANES * GV_STRIP_LANES;
    } else if (cells / width < rows) {
      rows = cells / width;
    }
  }
  /* The extra lanes keep rows of the matrix out of each other's way in the cache. */
  gv_strip strip = {.stride = rows * width + GV_STRIP_LANES};
  strip.matrix = memory;
  strip.value = strip.matrix + (int64_t)(many ? n : CHUNK) * strip.stride;
  strip.label = strip.value + (int64_t)g->kept * strip.stride;
  for (strip.row = 0; strip.row < leaf->rows; strip.row += rows) {
    for (strip.column = 0; strip.column < leaf->columns; strip.column += width) {
      strip.rows = leaf->rows - strip.row < rows ? leaf->rows - strip.row : rows;
      strip.columns = leaf->columns - strip.column < width ? leaf->columns - strip.column : width;
      strip.width = (strip.columns + GV_STRIP_LANES - 1) / GV_STRIP_LANES * GV_STRIP_LANES;
      rank_strip(j, g, &strip);
    }
  }
}

/* Doubles that rank_group needs at most, for n candidates of which `kept` are kept. */
static int64_t strip_doubles(const gv_leaf *leaf, int32_t n, int32_t kept) {
  int64_t width = (leaf->columns + GV_STRIP_LANES - 1) / GV_STRIP_LANES * GV_STRIP_LANES;
  int64_t few = (CHUNK + 2 * GV_MOST_KEPT) * (leaf->rows * width + GV_STRIP_LANES);
  if (kept <= GV_MOST_KEPT) return few;
  int64_t matrix = MANY_VALUES + (int64_t)2 * GV_STRIP_LANES * n;
  int64_t many = matrix + 2 * (int64_t)kept * (MANY_CELLS + GV_STRIP_LANES);
  return many > few ? many : few;
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

static leaf_job make_job(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space, const gv_bound *bound,
                         double slack, const gv_candidates *candidates, gv_leaf *leaf) {
  leaf_job j = {.v = v, .kernels = kernels, .space = space, .leaf = leaf, .start = INFINITY, .gap = slack};
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED;
  j.filter = v->cells.metric == GV_GEODESIC;
  j.weigher = v->weigher;
  j.limit = v->limit;
  if (!weighted && !j.filter && isfinite(v->limit)) j.start = nextafter(v->limit, INFINITY);
  if (weighted && j.filter) {
    double r1 = v->geodesic.r_small;
    j.weigher.form = GV_LENGTH_OF_CHORD;
    j.weigher.inverse = 0.5 / r1;
    j.weigher.scale = 2.0 * r1 * v->geodesic.geod.a;
    j.limit = v->beyond;
    j.gap = weighted_gap(v, kernels, bound, candidates);
  }
  return j;
}

bool gv_leaf_rank(const gv_voronoi *v, const gv_kernels *kernels, gv_workspace *space, const gv_bound *bound,
                  double slack, const gv_candidates *candidates, const gv_order *order, gv_leaf *leaf) {
  int32_t n = candidates->count, groups = order->groups, band = 0;
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED;
  leaf_job j = make_job(v, kernels, space, bound, slack, candidates, leaf);
  /* Labels, weights, and the coordinates of a group. */
  int64_t part = (int64_t)n + GV_CANDIDATE_PADDING, lists = 5 * part;
  int32_t kept = v->k + (j.filter ? 1 : 0);
  if (!reserve_strip(space, lists + strip_doubles(leaf, n, kept), part + n)) return false;
  double *label = space->strip, *weight = label + part, *x = weight + part;
  memset(space->doubt, 0, (size_t)(leaf->rows * leaf->columns));
  for (int32_t g = 0; g < (groups > 0 ? groups : 1) && band < v->k && n > 0; g++) {
    int32_t begin = g > 0 ? order->end[g - 1] : 0, end = groups > 0 ? order->end[g] : n;
    if (groups > 0 && order->sure[g]) {
      fill_band(leaf, band++, v->label[candidates->id[order->place[begin]]]);
      continue;
    }
    gathered group = {.label = label, .weight = weighted ? weight : NULL, .first = band};
    gv_candidates *c = &group.candidates;
    *c = (gv_candidates){x, x + part, candidates->z != NULL ? x + 2 * part : NULL, space->stamp + n, end - begin};
    for (int32_t i = 0; i < c->count; i++) {
      int32_t from = groups > 0 ? order->place[begin + i] : i;
      c->x[i] = candidates->x[from];
      c->y[i] = candidates->y[from];
      if (c->z != NULL) c->z[i] = candidates->z[from];
      c->id[i] = candidates->id[from];
      label[i] = v->label[c->id[i]];
      if (weighted) weight[i] = v->seeds.weight[c->id[i]];
    }
    group.bands = v->k - band < c->count ? v->k - band : c->count;
    group.kept = group.bands + (j.filter && group.bands < c->count ? 1 : 0);
    rank_group(&j, &group, space->strip + lists);
    band += group.bands;
  }
  for (; band < v->k; band++)
    fill_band(leaf, band, v->nodata);
  leaf->undecided = space->undecided;
  leaf->undecided_count = 0;
  for (int32_t i = 0; j.filter && i < leaf->rows * leaf->columns; i++) {
    if (space->doubt[i]) leaf->undecided[leaf->undecided_count++] = i;
  }
  return true;
}
