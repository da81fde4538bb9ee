/*
 * Body of the tile engine's kernels. Include it once after a header of core/simd/ and with GV_KERNELS defined as
 * the name of the table to make, GV_RANK_FILTER and GV_SHORT_LIST_KERNEL as those of kernels made elsewhere.
 *
 * Leaf kernels keep a few vectors of cells in registers and walk over the candidates, whose coordinates are
 * broadcast: per vector of cells and candidate about nine instructions on the sphere, six on the plane. Distances
 * are the canonical ones, in the canonical order of operations, so there is nothing to re-decide. Only the geodesic
 * kernels are filters.
 */
#include <string.h>

#include "voronoi/cpu/arcsine_lanes.h"
#include "voronoi/cpu/keep_lanes.h"
#include "voronoi/cpu/rank_filter.h"
#include "voronoi/cpu/short_list.h"

/* -------------------------------------------------------------------------------------------------- blocks */

/* Plain loops: the compiler makes the vectors. */
static void fill(int32_t *out, int64_t stride, int64_t rows, int64_t columns, int32_t value) {
  for (int64_t r = 0; r < rows; r++) {
    int32_t *row = out + r * stride;
    for (int64_t c = 0; c < columns; c++)
      row[c] = value;
  }
}

/* Four cache lines at a time: tests of single ones would be guessed wrong wherever what differs begins and ends. */
static void clear(int32_t *out, int64_t stride, int64_t rows, int64_t columns, int32_t value) {
  enum { PIECE = 64 };
  vi all = vi_set1(value);
  for (int64_t r = 0; r < rows; r++) {
    int32_t *row = out + r * stride;
    int64_t c = 0;
    for (; c + PIECE <= columns; c += PIECE) {
      vi differing = vi_xor(vi_load(row + c), all);
      for (int i = VF_LANES; i < PIECE; i += VF_LANES)
        differing = vi_or(differing, vi_xor(vi_load(row + c + i), all));
      if (!vi_any(differing)) continue;
      for (int i = 0; i < PIECE; i += VF_LANES)
        vi_store(row + c + i, all);
    }
    for (; c < columns; c++)
      row[c] = value;
  }
}

static uint8_t summarise_box(const uint8_t *mask, int64_t stride, int64_t rows, int64_t columns) {
  uint8_t any = 0, least = 255;
  if (columns == GV_BOX_COLUMNS) {
    uint8_t all[GV_BOX_COLUMNS] = {0}, low[GV_BOX_COLUMNS];
    memset(low, 255, sizeof low);
    for (int64_t r = 0; r < rows; r++) {
      for (int c = 0; c < GV_BOX_COLUMNS; c++) {
        uint8_t m = mask[r * stride + c];
        all[c] |= m;
        low[c] = m < low[c] ? m : low[c];
      }
    }
    for (int c = 0; c < GV_BOX_COLUMNS; c++) {
      any |= all[c];
      least = low[c] < least ? low[c] : least;
    }
  } else {
    for (int64_t r = 0; r < rows; r++) {
      for (int64_t c = 0; c < columns; c++) {
        any |= mask[r * stride + c];
        least = mask[r * stride + c] < least ? mask[r * stride + c] : least;
      }
    }
  }
  return (uint8_t)((any != 0 ? GV_KEEPS_SOME : 0) | (least == 0 ? GV_LEAVES_SOME : 0));
}

static void summarise(const uint8_t *mask, int64_t stride, int64_t rows, int64_t columns, uint8_t *box,
                      int64_t box_stride) {
  for (int64_t r = 0; r < rows; r += GV_BOX_ROWS) {
    int64_t high = rows - r < GV_BOX_ROWS ? rows - r : GV_BOX_ROWS;
    for (int64_t c = 0; c < columns; c += GV_BOX_COLUMNS) {
      int64_t wide = columns - c < GV_BOX_COLUMNS ? columns - c : GV_BOX_COLUMNS;
      box[r / GV_BOX_ROWS * box_stride + c / GV_BOX_COLUMNS] =
          summarise_box(mask + r * stride + c, stride, high, wide);
    }
  }
}

/* ------------------------------------------------------------------------------------------------- culling */

GV_INLINE int32_t nearest_body(const int dim, const gv_candidates *candidates, const double *centre) {
  vd mx = vd_set1(centre[0]), my = vd_set1(centre[1]), mz = vd_set1(dim == 3 ? centre[2] : 0.0);
  vd best = vd_set1(INFINITY), best_number = vd_set1(0.0), number = vd_lane_numbers();
  vd count = vd_set1((double)candidates->count), far = vd_set1(INFINITY);
  for (int32_t i = 0; i < candidates->count; i += VD_LANES) {
    vd x = vd_sub(vd_load(candidates->x + i), mx), y = vd_sub(vd_load(candidates->y + i), my);
    vd distance = vd_fma_loose(y, y, vd_mul(x, x));
    if (dim == 3) {
      vd z = vd_sub(vd_load(candidates->z + i), mz);
      distance = vd_fma_loose(z, z, distance);
    }
    distance = vd_select(vd_less(number, count), distance, far);
    vm nearer = vd_less(distance, best);
    best = vd_select(nearer, distance, best);
    best_number = vd_select(nearer, number, best_number);
    number = vd_add(number, vd_set1((double)VD_LANES));
  }
  unsigned others = vm_bits(vd_less(vd_set1(vd_reduce_min(best)), best));
  double lanes[VD_LANES];
  vd_store(lanes, best_number);
  int lane = 0;
  while (lane < VD_LANES - 1 && (others >> lane & 1U))
    lane++;
  return (int32_t)lanes[lane];
}

static int32_t nearest_2(const gv_candidates *candidates, const double *centre) {
  return nearest_body(2, candidates, centre);
}

static int32_t nearest_3(const gv_candidates *candidates, const double *centre) {
  return nearest_body(3, candidates, centre);
}

GV_INLINE vd dot_body(const int dim, const double *g, vd x, vd y, vd z) {
  vd dot = vd_fma_loose(vd_set1(g[1]), y, vd_mul(vd_set1(g[0]), x));
  return dim == 3 ? vd_fma_loose(vd_set1(g[2]), z, dot) : dot;
}

GV_INLINE void cull_body(const int dim, const gv_candidates *in, const gv_bound *bound, const double *pivot,
                         double slack, double limit, gv_candidates *out) {
  const int generators = dim; /* the plane's third one is zero */
  vd mx = vd_set1(bound->centre[0]), my = vd_set1(bound->centre[1]), mz = vd_set1(bound->centre[2]);
  vd px = vd_set1(pivot[0]), py = vd_set1(pivot[1]), pz = vd_set1(dim == 3 ? pivot[2] : 0.0);
  vd shrink = vd_set1(1.0 - slack), least = vd_set1(limit), two = vd_set1(2.0);
  int32_t count = 0;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd x = vd_load(in->x + i), y = vd_load(in->y + i), z = dim == 3 ? vd_load(in->z + i) : mz;
    vd ux = vd_sub(x, mx), uy = vd_sub(y, my), uz = vd_sub(z, mz);
    vd square = vd_fma_loose(uy, uy, vd_mul(ux, ux));
    if (dim == 3) square = vd_fma_loose(uz, uz, square);
    vd vx = vd_sub(x, px), vy = vd_sub(y, py), vz = vd_sub(z, pz);
    vd reach = vd_abs(dot_body(dim, bound->generator[0], vx, vy, vz));
    for (int k = 1; k < generators; k++) {
      reach = vd_add(reach, vd_abs(dot_body(dim, bound->generator[k], vx, vy, vz)));
    }
    vd value = vd_sub(vd_mul(square, shrink), vd_mul(two, reach));
    count = keep_lanes(dim, in, i, ~vm_bits(vd_less(least, value)), out, count);
  }
  out->count = count;
}

static void cull_2(const gv_candidates *in, const gv_bound *bound, const double *pivot, double slack, double limit,
                   gv_candidates *out) {
  cull_body(2, in, bound, pivot, slack, limit, out);
}

static void cull_3(const gv_candidates *in, const gv_bound *bound, const double *pivot, double slack, double limit,
                   gv_candidates *out) {
  cull_body(3, in, bound, pivot, slack, limit, out);
}

/* max over x in [low, high] of |x - p| - |x - s|: monotone between p and s and constant outside, so at an end. */
GV_INLINE vd axis_gain(vd low, vd high, vd p, vd s) {
  vd at_low = vd_sub(vd_abs(vd_sub(low, p)), vd_abs(vd_sub(low, s)));
  vd at_high = vd_sub(vd_abs(vd_sub(high, p)), vd_abs(vd_sub(high, s)));
  return vd_max(at_low, at_high);
}

GV_INLINE void cull_box_body(const int metric, const gv_candidates *in, const double low[2], const double high[2],
                             const double *pivot, double limit, gv_candidates *out) {
  vd lx = vd_set1(low[0]), ly = vd_set1(low[1]), hx = vd_set1(high[0]), hy = vd_set1(high[1]);
  vd px = vd_set1(pivot[0]), py = vd_set1(pivot[1]), least = vd_set1(-limit), zero = vd_set1(0.0);
  /* Chebyshev: the farthest that any point of the box is from the pivot. */
  vd reach = vd_max(vd_max(vd_abs(vd_sub(lx, px)), vd_abs(vd_sub(hx, px))),
                    vd_max(vd_abs(vd_sub(ly, py)), vd_abs(vd_sub(hy, py))));
  int32_t count = 0;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd x = vd_load(in->x + i), y = vd_load(in->y + i);
    vd gain_x = axis_gain(lx, hx, px, x), gain_y = axis_gain(ly, hy, py, y), gain;
    if (metric == GV_MANHATTAN) {
      gain = vd_add(gain_x, gain_y);
    } else {
      /* max(a) - max(b) <= max(a - b); and the least distance of i from the box against the pivot's largest. */
      vd gap_x = vd_max(zero, vd_max(vd_sub(lx, x), vd_sub(x, hx)));
      vd gap_y = vd_max(zero, vd_max(vd_sub(ly, y), vd_sub(y, hy)));
      gain = vd_min(vd_max(gain_x, gain_y), vd_sub(reach, vd_max(gap_x, gap_y)));
    }
    count = keep_lanes(2, in, i, ~vm_bits(vd_less(gain, least)), out, count);
  }
  out->count = count;
}

static void cull_manhattan(const gv_candidates *in, const double low[2], const double high[2], const double *pivot,
                           double limit, gv_candidates *out) {
  cull_box_body(GV_MANHATTAN, in, low, high, pivot, limit, out);
}

static void cull_chebyshev(const gv_candidates *in, const double low[2], const double high[2], const double *pivot,
                           double limit, gv_candidates *out) {
  cull_box_body(GV_CHEBYSHEV, in, low, high, pivot, limit, out);
}

/* -------------------------------------------------------------------------------------------------- leaves */

enum { FORM_PLANE, FORM_LONLAT, FORM_POINTS2, FORM_POINTS3 };

GV_INLINE vd norm_of(const int metric, vd difference) {
  return metric == GV_EUCLIDEAN ? vd_mul(difference, difference) : vd_abs(difference);
}

GV_INLINE vd norm_join(const int metric, vd a, vd b) {
  return metric == GV_CHEBYSHEV ? vd_max(a, b) : vd_add(a, b);
}

/* What each row adds to the distance of each candidate: its term of the last coordinate, the same for all columns.
 * All rows at once, so that no row waits for its own terms. term[row * stride + candidate]. */
GV_INLINE void row_terms(const int metric, const gv_leaf *leaf, const double *seed, int32_t stride) {
  for (int32_t i = 0; i < leaf->candidates->count; i += VD_LANES) {
    vd s = vd_load(seed + i);
    for (int32_t row = 0; row < leaf->rows; row++) {
      vd_store(leaf->scratch + (int64_t)row * stride + i, norm_of(metric, vd_sub(vd_set1(leaf->row_z[row]), s)));
    }
  }
}

/* Writes the labels of some vectors of cells from column j; those beyond the tile's last column are dropped. */
GV_INLINE void store_labels(const int vectors, const vd *label, int32_t *out, int32_t j, int32_t columns) {
  if (j + vectors * VD_LANES <= columns) {
    for (int v = 0; v < vectors; v++)
      vd_store_int32(out + j + v * VD_LANES, label[v]);
    return;
  }
  int32_t tail[VD_GROUP * VD_LANES];
  for (int v = 0; v < vectors; v++)
    vd_store_int32(tail + v * VD_LANES, label[v]);
  memcpy(out + j, tail, (size_t)(columns - j) * sizeof *tail);
}

/* Decides `vectors` vectors of cells of one row from column j. */
GV_INLINE void decide_cells(const int form, const int metric, const int vectors, const gv_leaf *leaf, int32_t row,
                            int32_t j, const double *term, int32_t *out) {
  const gv_candidates *c = leaf->candidates;
  vd q0[VD_GROUP], q1[VD_GROUP], q2[VD_GROUP], best[VD_GROUP], label[VD_GROUP];
  for (int v = 0; v < vectors; v++) {
    int32_t at = j + v * VD_LANES;
    if (form == FORM_PLANE) {
      q0[v] = vd_load(leaf->column_x + at);
    } else if (form == FORM_LONLAT) {
      vd p = vd_set1(leaf->row_p[row]);
      q0[v] = vd_mul(p, vd_load(leaf->column_x + at));
      q1[v] = vd_mul(p, vd_load(leaf->column_y + at));
    } else {
      int64_t cell = row * leaf->point_stride + at;
      q0[v] = vd_load(leaf->x + cell);
      q1[v] = vd_load(leaf->y + cell);
      if (form == FORM_POINTS3) q2[v] = vd_load(leaf->z + cell);
    }
    best[v] = vd_set1(leaf->start);
    label[v] = vd_set1(leaf->nobody);
  }
  for (int32_t i = 0; i < c->count; i++) {
    vd sx = vd_set1(c->x[i]), candidate = vd_set1(leaf->label[i]);
    for (int v = 0; v < vectors; v++) {
      vd distance = norm_of(metric, vd_sub(q0[v], sx));
      if (form != FORM_PLANE) {
        distance = norm_join(metric, distance, norm_of(metric, vd_sub(q1[v], vd_set1(c->y[i]))));
      }
      if (form == FORM_PLANE || form == FORM_LONLAT) {
        distance = norm_join(metric, distance, vd_set1(term[i]));
      } else if (form == FORM_POINTS3) {
        distance = norm_join(metric, distance, norm_of(metric, vd_sub(q2[v], vd_set1(c->z[i]))));
      }
      vm nearer = vd_less(distance, best[v]);
      best[v] = vd_min(distance, best[v]);
      label[v] = vd_select(nearer, candidate, label[v]);
    }
  }
  store_labels(vectors, label, out, j, leaf->columns);
}

/* Walks over the cells of a row in groups of vectors; `decide` is decide_cells or filter_cells with its arguments. */
#define GV_FOR_GROUPS(columns, decide)                                                                             \
  do {                                                                                                             \
    int32_t j = 0;                                                                                                 \
    for (; j + (VD_GROUP - 1) * VD_LANES < (columns); j += VD_GROUP * VD_LANES)                                    \
      decide(VD_GROUP);                                                                                            \
    for (; j < (columns); j += VD_LANES)                                                                           \
      decide(1);                                                                                                   \
  } while (0)

GV_INLINE void leaf_body(const int form, const int metric, gv_leaf *leaf) {
  const gv_candidates *c = leaf->candidates;
  int32_t stride = c->count + GV_CANDIDATE_PADDING;
  if (form == FORM_PLANE) row_terms(metric, leaf, c->y, stride);
  if (form == FORM_LONLAT) row_terms(metric, leaf, c->z, stride);
  for (int32_t row = 0; row < leaf->rows; row++) {
    const double *term = leaf->scratch + (int64_t)row * stride;
    int32_t *out = leaf->out + row * leaf->out_stride;
#define GV_DECIDE(vectors) decide_cells(form, metric, vectors, leaf, row, j, term, out)
    GV_FOR_GROUPS(leaf->columns, GV_DECIDE);
#undef GV_DECIDE
  }
}

static void leaf_plane_euclidean(gv_leaf *leaf) {
  leaf_body(FORM_PLANE, GV_EUCLIDEAN, leaf);
}
static void leaf_plane_manhattan(gv_leaf *leaf) {
  leaf_body(FORM_PLANE, GV_MANHATTAN, leaf);
}
static void leaf_plane_chebyshev(gv_leaf *leaf) {
  leaf_body(FORM_PLANE, GV_CHEBYSHEV, leaf);
}
static void leaf_points2_euclidean(gv_leaf *leaf) {
  leaf_body(FORM_POINTS2, GV_EUCLIDEAN, leaf);
}
static void leaf_points2_manhattan(gv_leaf *leaf) {
  leaf_body(FORM_POINTS2, GV_MANHATTAN, leaf);
}
static void leaf_points2_chebyshev(gv_leaf *leaf) {
  leaf_body(FORM_POINTS2, GV_CHEBYSHEV, leaf);
}
static void leaf_points3_chord(gv_leaf *leaf) {
  leaf_body(FORM_POINTS3, GV_EUCLIDEAN, leaf);
}
static void leaf_lonlat_chord(gv_leaf *leaf) {
  leaf_body(FORM_LONLAT, GV_EUCLIDEAN, leaf);
}

/* Running maximum and runner-up of a stream of values. Returns where the value is the new maximum. */
GV_INLINE vm rank_value(vd value, vd *best, vd *second) {
  vm ahead = vd_less(*best, value);
  *second = vd_max(*second, vd_min(value, *best));
  *best = vd_max(value, *best);
  return ahead;
}

/*
 * The geodesic filter: the largest q.s - |s|^2/2 is the smallest chord; a cell is decided if no other comes within
 * the margin. On a lon/lat grid q = (p cos, p sin, z), and both sides are divided by the row's p, so that only one
 * term a candidate changes from row to row; at a pole, where p is 0, nothing is decided here.
 */
GV_INLINE void filter_cells(const int form, const int vectors, const bool mark, gv_leaf *leaf, int32_t row,
                            int32_t j, const double *constant, double least_gap, int32_t *out, vd *closest) {
  const gv_candidates *c = leaf->candidates;
  vd q0[VD_GROUP], q1[VD_GROUP], q2[VD_GROUP], best[VD_GROUP], second[VD_GROUP], label[VD_GROUP];
  for (int v = 0; v < vectors; v++) {
    int32_t at = j + v * VD_LANES;
    if (form == FORM_LONLAT) {
      q0[v] = vd_load(leaf->column_x + at);
      q1[v] = vd_load(leaf->column_y + at);
    } else {
      int64_t cell = row * leaf->point_stride + at;
      q0[v] = vd_load(leaf->x + cell);
      q1[v] = vd_load(leaf->y + cell);
      q2[v] = vd_load(leaf->z + cell);
    }
    best[v] = second[v] = vd_set1(-INFINITY);
    label[v] = vd_set1(leaf->label[0]);
  }
  for (int32_t i = 0; i < c->count; i++) {
    vd candidate = vd_set1(leaf->label[i]);
    for (int v = 0; v < vectors; v++) {
      vd value = vd_fma_loose(vd_set1(c->x[i]), q0[v], vd_fma_loose(vd_set1(c->y[i]), q1[v], vd_set1(constant[i])));
      if (form == FORM_POINTS3) value = vd_fma_loose(vd_set1(c->z[i]), q2[v], value);
      label[v] = vd_select(rank_value(value, &best[v], &second[v]), candidate, label[v]);
    }
  }
  if (!mark) {
    store_labels(vectors, label, out, j, leaf->columns);
    for (int v = 0; v < vectors; v++)
      *closest = vd_min(vd_sub(best[v], second[v]), *closest);
    return;
  }
  for (int v = 0; v < vectors; v++) {
    int32_t at = j + v * VD_LANES;
    unsigned decided = vm_bits(vd_less(vd_set1(least_gap), vd_sub(best[v], second[v])));
    for (int lane = 0; lane < VD_LANES; lane++) {
      if (!(decided >> lane & 1U) && at + lane < leaf->columns) {
        leaf->undecided[leaf->undecided_count++] = row * leaf->columns + at + lane;
      }
    }
  }
}

/* All cells of a leaf: first only labels and the smallest gap of all, which mostly tells that every cell is decided
 * (true); else a second walk marks the cells that are not. */
GV_INLINE bool filter_rows(const int form, const bool mark, gv_leaf *leaf, int32_t stride) {
  vd closest = vd_set1(INFINITY);
  double largest_gap = leaf->margin;
  for (int32_t row = 0; row < leaf->rows; row++) {
    const double *constant = form == FORM_LONLAT ? leaf->scratch + (int64_t)row * stride : leaf->scratch;
    double least_gap = form == FORM_LONLAT ? leaf->margin * leaf->row_inverse[row] : leaf->margin;
    int32_t *out = leaf->out + row * leaf->out_stride;
    largest_gap = least_gap > largest_gap ? least_gap : largest_gap;
#define GV_DECIDE(vectors) filter_cells(form, vectors, mark, leaf, row, j, constant, least_gap, out, &closest)
    GV_FOR_GROUPS(leaf->columns, GV_DECIDE);
#undef GV_DECIDE
  }
  return vd_reduce_min(closest) > largest_gap;
}

GV_INLINE void filter_body(const int form, gv_leaf *leaf) {
  const gv_candidates *c = leaf->candidates;
  int32_t stride = c->count + GV_CANDIDATE_PADDING;
  leaf->undecided_count = 0;
  for (int32_t i = 0; i < c->count; i += VD_LANES) {
    vd x = vd_load(c->x + i), y = vd_load(c->y + i), z = vd_load(c->z + i);
    vd half = vd_mul(vd_set1(-0.5), vd_fma_loose(z, z, vd_fma_loose(y, y, vd_mul(x, x))));
    if (form != FORM_LONLAT) vd_store(leaf->scratch + i, half);
    for (int32_t row = 0; form == FORM_LONLAT && row < leaf->rows; row++) {
      vd term = vd_mul(vd_fma_loose(z, vd_set1(leaf->row_z[row]), half), vd_set1(leaf->row_inverse[row]));
      vd_store(leaf->scratch + (int64_t)row * stride + i, term);
    }
  }
  if (filter_rows(form, false, leaf, stride)) return;
  filter_rows(form, true, leaf, stride);
}

static void leaf_points3_filter(gv_leaf *leaf) {
  filter_body(FORM_POINTS3, leaf);
}
static void leaf_lonlat_filter(gv_leaf *leaf) {
  filter_body(FORM_LONLAT, leaf);
}

#include "voronoi/cpu/rank_kernels_body.h"

const gv_kernels GV_KERNELS = {
    .fill = fill,
    .clear = clear,
    .summarise = summarise,
    .nearest = {NULL, NULL, nearest_2, nearest_3},
    .cull = {NULL, NULL, cull_2, cull_3},
    .cull_box = {NULL, cull_manhattan, cull_chebyshev},
    .copy = copy_candidates,
    .squares = {NULL, NULL, squares_2, squares_3},
    .cull_pivots = {NULL, NULL, cull_pivots_2, cull_pivots_3},
    .cull_above = {NULL, NULL, cull_above_2, cull_above_3},
    .span_plane = {span_euclidean, span_manhattan, span_chebyshev},
    .span_globe = span_globe,
    .rank_plane = {GV_RANK_KERNELS(plane_euclidean), GV_RANK_KERNELS(plane_manhattan),
                   GV_RANK_KERNELS(plane_chebyshev)},
    .rank_points2 = {GV_RANK_KERNELS(points2_euclidean), GV_RANK_KERNELS(points2_manhattan),
                     GV_RANK_KERNELS(points2_chebyshev)},
    .rank_points3 = GV_RANK_KERNELS(points3_chord),
    .rank_lonlat = GV_RANK_KERNELS(lonlat_chord),
    .rank_matrix = GV_RANK_KERNELS(matrix),
    .rank_filter = GV_RANK_FILTER,
    .short_list = GV_SHORT_LIST_KERNEL,
    .weigh = weigh_kernel,
    .leaf_plane = {leaf_plane_euclidean, leaf_plane_manhattan, leaf_plane_chebyshev},
    .leaf_points2 = {leaf_points2_euclidean, leaf_points2_manhattan, leaf_points2_chebyshev},
    .leaf_points3 = leaf_points3_chord,
    .leaf_lonlat = leaf_lonlat_chord,
    .leaf_points3_filter = leaf_points3_filter,
    .leaf_lonlat_filter = leaf_lonlat_filter,
};
