/*
 * The tile engine's kernels for blocks of cells and for leaves that need only the nearest seed.
 *
 * Leaf kernels keep a few vectors of cells in registers and loop over the candidates; coordinates are
 * broadcast: per vector of cells and candidate about nine instructions on the sphere, six on the plane.
 * Distances are exact, in the fixed order of operations, so the result is final. Only the geodesic kernels
 * are filters.
 */
#include "voronoi/cpu/k_nearest_filter.h"
#include "voronoi/cpu/kernel_lanes.h"
#include "voronoi/cpu/short_list.h"

/* ------------------------------------------------------------------------------------------------- blocks */

/* Plain loops: the compiler makes the vectors. */
static void cull_kernels_fill(int32_t *out, int64_t stride, int64_t rows, int64_t columns, int32_t value) {
  for (int64_t r = 0; r < rows; r++) {
    int32_t *row = out + r * stride;
    for (int64_t c = 0; c < columns; c++)
      row[c] = value;
  }
}

/* Four cache lines at a time: branches for single lines would be mispredicted at the ends of differing
 * stretches. */
static void cull_kernels_clear(int32_t *out, int64_t stride, int64_t rows, int64_t columns, int32_t value) {
  enum { PIECE = 64 };
  vi all = vi_all(value);
  for (int64_t r = 0; r < rows; r++) {
    int32_t *row = out + r * stride;
    int64_t c = 0;
    for (; c + PIECE <= columns; c += PIECE) {
      vi differing = vi_load(row + c) ^ all;
      for (int i = VF_LANES; i < PIECE; i += VF_LANES)
        differing = differing | (vi_load(row + c + i) ^ all);
      if (!vi_any(differing)) continue;
      for (int i = 0; i < PIECE; i += VF_LANES)
        vi_store(row + c + i, all);
    }
    for (; c < columns; c++)
      row[c] = value;
  }
}

static uint8_t summarize_box(const uint8_t *mask, int64_t stride, int64_t rows, int64_t columns) {
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

static void summarize(const uint8_t *mask, int64_t stride, int64_t rows, int64_t columns, uint8_t *box,
                      int64_t box_stride) {
  for (int64_t r = 0; r < rows; r += GV_BOX_ROWS) {
    int64_t high = rows - r < GV_BOX_ROWS ? rows - r : GV_BOX_ROWS;
    for (int64_t c = 0; c < columns; c += GV_BOX_COLUMNS) {
      int64_t wide = columns - c < GV_BOX_COLUMNS ? columns - c : GV_BOX_COLUMNS;
      box[r / GV_BOX_ROWS * box_stride + c / GV_BOX_COLUMNS] =
          summarize_box(mask + r * stride + c, stride, high, wide);
    }
  }
}

/* Gain: 1.1x on HEALPix level 10 with 10,000 seeds. */
static void box_around(double *const at[3], int64_t first, int64_t count, double box[6]) {
  for (int d = 0; d < 3; d++) {
    const double *from = at[d] + first;
    double low = from[0], high = from[0], lows[VD_LANES], highs[VD_LANES];
    int64_t i = 0;
    if (count >= VD_LANES) {
      vd least = vd_load(from), most = least;
      for (i = VD_LANES; i + VD_LANES <= count; i += VD_LANES) {
        vd value = vd_load(from + i);
        least = vd_min(value, least);
        most = vd_max(value, most);
      }
      vd_store(lows, least);
      vd_store(highs, most);
      for (int lane = 0; lane < VD_LANES; lane++) {
        low = lows[lane] < low ? lows[lane] : low;
        high = highs[lane] > high ? highs[lane] : high;
      }
    }
    for (; i < count; i++) {
      low = from[i] < low ? from[i] : low;
      high = from[i] > high ? from[i] : high;
    }
    box[d] = low;
    box[3 + d] = high;
  }
}

/* ------------------------------------------------------------------------------------------------- leaves */

/* Each row's term of the distance of each candidate: of the last coordinate, the same for all columns. All
 * rows at once, so that no row waits for its own terms. term[row * stride + candidate]. */
GV_INLINE void row_terms(const int metric, const gv_leaf *leaf, const double *seed, int32_t stride) {
  for (int32_t i = 0; i < leaf->candidates->count; i += VD_LANES) {
    vd s = vd_load(seed + i);
    for (int32_t row = 0; row < leaf->rows; row++) {
      vd_store(leaf->scratch + (int64_t)row * stride + i, vd_norm_of(metric, leaf->row_z[row] - s));
    }
  }
}

/* Decides `vectors` vectors of cells of one row from column j. */
GV_INLINE void decide_cells(const int form, const int metric, const int vectors, const gv_leaf *leaf,
                            int32_t row, int32_t j, const double *term, int32_t *out) {
  const gv_candidates *c = leaf->candidates;
  vd_place q[VD_GROUP];
  vd best[VD_GROUP], label[VD_GROUP];
  for (int v = 0; v < vectors; v++) {
    q[v] = place_cells(form, leaf, row, j + v * VD_LANES);
    best[v] = vd_all(leaf->start);
    label[v] = vd_all(leaf->empty_label);
  }
  for (int32_t i = 0; i < c->count; i++) {
    vd sx = vd_all(c->x[i]), candidate = vd_all(leaf->label[i]);
    for (int v = 0; v < vectors; v++) {
      vd distance = vd_norm_of(metric, q[v].x - sx);
      if (form != FORM_PLANE) {
        distance = vd_norm_join(metric, distance, vd_norm_of(metric, q[v].y - c->y[i]));
      }
      if (form == FORM_PLANE || form == FORM_LONLAT) {
        distance = vd_norm_join(metric, distance, vd_all(term[i]));
      } else if (form == FORM_POINTS3) {
        distance = vd_norm_join(metric, distance, vd_norm_of(metric, q[v].z - c->z[i]));
      }
      vm nearer = vd_less(distance, best[v]);
      best[v] = vd_min(distance, best[v]);
      label[v] = vd_select(nearer, candidate, label[v]);
    }
  }
  store_labels(vectors, label, out, j, leaf->columns);
}

/* Walks over the cells of a row in groups of vectors; `decide` is decide_cells or filter_cells with its
 * arguments. */
#define GV_FOR_GROUPS(columns, decide)                                                                       \
  do {                                                                                                       \
    int32_t j = 0;                                                                                           \
    for (; j + (VD_GROUP - 1) * VD_LANES < (columns); j += VD_GROUP * VD_LANES)                              \
      decide(VD_GROUP);                                                                                      \
    for (; j < (columns); j += VD_LANES)                                                                     \
      decide(1);                                                                                             \
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
GV_INLINE vm k_nearest_value(vd value, vd *best, vd *second) {
  vm ahead = vd_less(*best, value);
  *second = vd_max(*second, vd_min(value, *best));
  *best = vd_max(value, *best);
  return ahead;
}

/*
 * The geodesic filter: the largest q.s - |s|^2/2 is the smallest chord; a cell is decided if no other comes
 * within the margin. On a lon/lat grid q = (p cos, p sin, z), and both sides are divided by the row's p, so
 * that only one term a candidate changes from row to row; at a pole, where p is 0, cells are left undecided.
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
    best[v] = second[v] = vd_all(-INFINITY);
    label[v] = vd_all(leaf->label[0]);
  }
  for (int32_t i = 0; i < c->count; i++) {
    vd candidate = vd_all(leaf->label[i]);
    for (int v = 0; v < vectors; v++) {
      vd value =
          vd_fma_loose(vd_all(c->x[i]), q0[v], vd_fma_loose(vd_all(c->y[i]), q1[v], vd_all(constant[i])));
      if (form == FORM_POINTS3) value = vd_fma_loose(vd_all(c->z[i]), q2[v], value);
      label[v] = vd_select(k_nearest_value(value, &best[v], &second[v]), candidate, label[v]);
    }
  }
  if (!mark) {
    store_labels(vectors, label, out, j, leaf->columns);
    for (int v = 0; v < vectors; v++)
      *closest = vd_min(best[v] - second[v], *closest);
    return;
  }
  for (int v = 0; v < vectors; v++) {
    int32_t at = j + v * VD_LANES;
    unsigned decided = vm_bits(vd_less(vd_all(least_gap), best[v] - second[v]));
    for (int lane = 0; lane < VD_LANES; lane++) {
      if (!(decided >> lane & 1U) && at + lane < leaf->columns) {
        leaf->undecided[leaf->undecided_count++] = row * leaf->columns + at + lane;
      }
    }
  }
}

/* All cells of a leaf: first only labels and the smallest gap, which mostly shows that every cell is decided
 * (true); else a second pass marks the undecided cells. */
GV_INLINE bool filter_rows(const int form, const bool mark, gv_leaf *leaf, int32_t stride) {
  vd closest = vd_all(INFINITY);
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
    vd half = -0.5 * vd_square(3, x, y, z);
    if (form != FORM_LONLAT) vd_store(leaf->scratch + i, half);
    for (int32_t row = 0; form == FORM_LONLAT && row < leaf->rows; row++) {
      vd term = vd_fma_loose(z, vd_all(leaf->row_z[row]), half) * leaf->row_inverse[row];
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

const gv_kernels GV_VARIANT(gv_kernels) = {
    .fill = cull_kernels_fill,
    .clear = cull_kernels_clear,
    .summarize = summarize,
    .box = box_around,
    .culling = &GV_VARIANT(gv_cull_kernels),
    .k_nearest = {.plane = GV_VARIANT(gv_k_nearest_plane),
                  .points2 = GV_VARIANT(gv_k_nearest_points2),
                  .points3 = &GV_VARIANT(gv_k_nearest_points3),
                  .lonlat = &GV_VARIANT(gv_k_nearest_lonlat),
                  .matrix = &GV_VARIANT(gv_k_nearest_matrix)},
    .k_nearest_filter = GV_VARIANT(gv_k_nearest_filter),
    .short_list = GV_VARIANT(gv_short_list),
    .leaf_plane = {leaf_plane_euclidean, leaf_plane_manhattan, leaf_plane_chebyshev},
    .leaf_points2 = {leaf_points2_euclidean, leaf_points2_manhattan, leaf_points2_chebyshev},
    .leaf_points3 = leaf_points3_chord,
    .leaf_lonlat = leaf_lonlat_chord,
    .leaf_points3_filter = leaf_points3_filter,
    .leaf_lonlat_filter = leaf_lonlat_filter,
};
