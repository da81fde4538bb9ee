/*
 * Body of the kernels for ranked tiles: bounds, culling and leaves where more is asked than the one nearest seed. Part of
 * kernels_body.h.
 */
#include <float.h>

/* ------------------------------------------------------------------------------------------------- culling */

/* Whole vectors, so that whole vectors can be read again at once. */
static void copy_candidates(const gv_candidates *in, gv_candidates *out) {
  const unsigned all = (1U << VD_LANES) - 1U;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd_store(out->x + i, vd_load(in->x + i));
    vd_store(out->y + i, vd_load(in->y + i));
    if (in->z != NULL) vd_store(out->z + i, vd_load(in->z + i));
    vd_compress_int32(out->id + i, all, in->id + i);
  }
  out->count = in->count;
}

GV_INLINE void squares_body(const int dim, const gv_candidates *in, const double *centre, double *out) {
  vd mx = vd_set1(centre[0]), my = vd_set1(centre[1]), mz = vd_set1(dim == 3 ? centre[2] : 0.0);
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd x = vd_sub(vd_load(in->x + i), mx), y = vd_sub(vd_load(in->y + i), my);
    vd square = vd_fma_loose(y, y, vd_mul(x, x));
    if (dim == 3) {
      vd z = vd_sub(vd_load(in->z + i), mz);
      square = vd_fma_loose(z, z, square);
    }
    vd_store(out + i, square);
  }
}

static void squares_2(const gv_candidates *in, const double *centre, double *out) {
  squares_body(2, in, centre, out);
}
static void squares_3(const gv_candidates *in, const double *centre, double *out) {
  squares_body(3, in, centre, out);
}

GV_INLINE void cull_pivots_body(const int dim, const gv_candidates *in, const gv_bound *bound, const double *low,
                                const double *high, double slack, double limit, gv_candidates *out) {
  vd mx = vd_set1(bound->centre[0]), my = vd_set1(bound->centre[1]), mz = vd_set1(bound->centre[2]);
  vd shrink = vd_set1(1.0 - slack), least = vd_set1(limit), two = vd_set1(2.0);
  int32_t count = 0;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd x = vd_sub(vd_load(in->x + i), mx), y = vd_sub(vd_load(in->y + i), my);
    vd z = dim == 3 ? vd_sub(vd_load(in->z + i), mz) : mz;
    vd square = vd_fma_loose(y, y, vd_mul(x, x)), reach = vd_set1(0.0);
    if (dim == 3) square = vd_fma_loose(z, z, square);
    for (int k = 0; k < dim; k++) {
      vd dot = dot_body(dim, bound->generator[k], x, y, z);
      reach = vd_add(reach, vd_max(vd_sub(dot, vd_set1(low[k])), vd_sub(vd_set1(high[k]), dot)));
    }
    vd value = vd_sub(vd_mul(square, shrink), vd_mul(two, reach));
    count = keep_lanes(dim, in, i, ~vm_bits(vd_less(least, value)), out, count);
  }
  out->count = count;
}

static void cull_pivots_2(const gv_candidates *in, const gv_bound *bound, const double low[3], const double high[3],
                          double slack, double limit, gv_candidates *out) {
  cull_pivots_body(2, in, bound, low, high, slack, limit, out);
}
static void cull_pivots_3(const gv_candidates *in, const gv_bound *bound, const double low[3], const double high[3],
                          double slack, double limit, gv_candidates *out) {
  cull_pivots_body(3, in, bound, low, high, slack, limit, out);
}

GV_INLINE void cull_above_body(const int dim, const gv_candidates *in, const double *value, double limit,
                               gv_candidates *out) {
  vd most = vd_set1(limit);
  int32_t count = 0;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    count = keep_lanes(dim, in, i, ~vm_bits(vd_less(most, vd_load(value + i))), out, count);
  }
  out->count = count;
}

static void cull_above_2(const gv_candidates *in, const double *value, double limit, gv_candidates *out) {
  cull_above_body(2, in, value, limit, out);
}
static void cull_above_3(const gv_candidates *in, const double *value, double limit, gv_candidates *out) {
  cull_above_body(3, in, value, limit, out);
}

/* Least and largest |x - s| over [low, high], with room for rounding: differences are good to an ulp of the largest
 * coordinate, which `error` covers, and of themselves. */
GV_INLINE void span_axis(double centre, double half, double error, vd s, vd *near, vd *far) {
  vd low = vd_set1(centre - half), high = vd_set1(centre + half), pad = vd_set1(4.0 * error);
  vd gap = vd_max(vd_sub(low, s), vd_sub(s, high));
  vd most = vd_max(vd_abs(vd_sub(low, s)), vd_abs(vd_sub(high, s)));
  *near = vd_max(vd_sub(vd_mul(gap, vd_set1(1.0 - 1e-14)), pad), vd_set1(0.0));
  *far = vd_add(vd_mul(most, vd_set1(1.0 + 1e-14)), pad);
}

GV_INLINE void span_plane_body(const int metric, const gv_candidates *in, const gv_bound *bound, double error,
                               double *near, double *far) {
  double half[2];
  for (int d = 0; d < 2; d++)
    half[d] = fabs(bound->generator[0][d]) + fabs(bound->generator[1][d]);
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd near_x, near_y, far_x, far_y;
    span_axis(bound->centre[0], half[0], error, vd_load(in->x + i), &near_x, &far_x);
    span_axis(bound->centre[1], half[1], error, vd_load(in->y + i), &near_y, &far_y);
    vd_store(near + i, norm_join(metric, norm_of(metric, near_x), norm_of(metric, near_y)));
    vd_store(far + i, norm_join(metric, norm_of(metric, far_x), norm_of(metric, far_y)));
  }
}

static void span_euclidean(const gv_candidates *in, const gv_bound *bound, double error, double *near,
                           double *far) {
  span_plane_body(GV_EUCLIDEAN, in, bound, error, near, far);
}
static void span_manhattan(const gv_candidates *in, const gv_bound *bound, double error, double *near,
                           double *far) {
  span_plane_body(GV_MANHATTAN, in, bound, error, near, far);
}
static void span_chebyshev(const gv_candidates *in, const gv_bound *bound, double error, double *near,
                           double *far) {
  span_plane_body(GV_CHEBYSHEV, in, bound, error, near, far);
}

static void span_globe(const gv_candidates *in, const gv_bound *bound, double error, double *near, double *far) {
  vd mx = vd_set1(bound->centre[0]), my = vd_set1(bound->centre[1]), mz = vd_set1(bound->centre[2]);
  vd reach = vd_set1(bound->radius + 4.0 * error), zero = vd_set1(0.0);
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd x = vd_sub(vd_load(in->x + i), mx), y = vd_sub(vd_load(in->y + i), my), z = vd_sub(vd_load(in->z + i), mz);
    vd chord = vd_sqrt(vd_fma_loose(z, z, vd_fma_loose(y, y, vd_mul(x, x))));
    vd least = vd_max(vd_sub(vd_mul(chord, vd_set1(1.0 - 1e-12)), reach), zero);
    vd most = vd_add(vd_mul(chord, vd_set1(1.0 + 1e-12)), reach);
    vd_store(near + i, vd_mul(least, least));
    vd_store(far + i, vd_mul(most, most));
  }
}

/* -------------------------------------------------------------------------------------------------- weights */

GV_INLINE void weigh_body(const int weighting, const int form, const gv_weigher *weigher, double limit, int64_t n,
                          double *value, const double *weight, bool each) {
  vd most = vd_set1(limit), none = vd_set1(INFINITY), largest = vd_set1(DBL_MAX), w = vd_set1(weight[0]);
  vd inverse = vd_set1(weigher->inverse), scale = vd_set1(weigher->scale), one = vd_set1(1.0);
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd canonical = vd_load(value + i), length = canonical, result;
    if (each) w = vd_load(weight + i);
    if (form == GV_LENGTH_SQUARED && weighting == GV_ADDITIVE) length = vd_sqrt(canonical);
    if (form == GV_LENGTH_OF_CHORD) {
      length = vd_mul(scale, arcsine_lanes(vd_min(vd_mul(inverse, vd_sqrt(canonical)), one)));
    }
    if (weighting == GV_MULTIPLICATIVE) {
      result = vd_divide(length, form == GV_LENGTH_SQUARED ? vd_mul(w, w) : w);
    } else if (weighting == GV_ADDITIVE) {
      result = vd_add(length, w);
    } else {
      result = vd_sub(form == GV_LENGTH_SQUARED ? length : vd_mul(length, length), w);
    }
    vd_store(value + i, vd_select(vd_less(most, canonical), none, vd_min(result, largest)));
  }
}

static void weigh_kernel(const gv_weigher *weigher, double limit, int64_t n, double *value, const double *weight,
                         bool each) {
#define GV_WEIGH(weighting, form) weigh_body(weighting, form, weigher, limit, n, value, weight, each)
#define GV_WEIGH_FORM(weighting)                                                                                   \
  do {                                                                                                             \
    if (weigher->form == GV_LENGTH_SQUARED) {                                                                      \
      GV_WEIGH(weighting, GV_LENGTH_SQUARED);                                                                      \
    } else if (weigher->form == GV_LENGTH_OF_CHORD) {                                                              \
      GV_WEIGH(weighting, GV_LENGTH_OF_CHORD);                                                                     \
    } else {                                                                                                       \
      GV_WEIGH(weighting, GV_LENGTH_PLAIN);                                                                        \
    }                                                                                                              \
  } while (0)
  if (weigher->weighting == GV_MULTIPLICATIVE) {
    GV_WEIGH_FORM(GV_MULTIPLICATIVE);
  } else if (weigher->weighting == GV_ADDITIVE) {
    GV_WEIGH_FORM(GV_ADDITIVE);
  } else {
    GV_WEIGH_FORM(GV_POWER);
  }
#undef GV_WEIGH_FORM
#undef GV_WEIGH
}

/* -------------------------------------------------------------------------------------------------- leaves */

enum { FORM_MATRIX = FORM_POINTS3 + 1 };

/* Some vectors of cells of one row of a ranking's part. */
typedef struct rank_cells {
  vd q[3][2];
  const double *matrix;
} rank_cells;

GV_INLINE void place_cells(const int form, const int vectors, const gv_ranking *r, int32_t row, int32_t at,
                           rank_cells *cells) {
  const gv_leaf *leaf = r->leaf;
  int32_t leaf_row = r->row + row;
  for (int v = 0; v < vectors; v++) {
    int32_t column = r->column + at + v * VD_LANES;
    if (form == FORM_MATRIX) {
      cells->matrix = r->matrix + row * r->width + at;
    } else if (form == FORM_PLANE) {
      cells->q[0][v] = vd_load(leaf->column_x + column);
      cells->q[1][v] = vd_set1(leaf->row_z[leaf_row]);
    } else if (form == FORM_LONLAT) {
      vd p = vd_set1(leaf->row_p[leaf_row]);
      cells->q[0][v] = vd_mul(p, vd_load(leaf->column_x + column));
      cells->q[1][v] = vd_mul(p, vd_load(leaf->column_y + column));
      cells->q[2][v] = vd_set1(leaf->row_z[leaf_row]);
    } else {
      int64_t cell = leaf_row * leaf->point_stride + column;
      cells->q[0][v] = vd_load(leaf->x + cell);
      cells->q[1][v] = vd_load(leaf->y + cell);
      if (form == FORM_POINTS3) cells->q[2][v] = vd_load(leaf->z + cell);
    }
  }
}

/* The canonical distance of candidate i from vector v of the cells, or its value in the matrix. */
GV_INLINE vd value_of(const int form, const int metric, const gv_ranking *r, const rank_cells *cells, int32_t i,
                      int v) {
  const gv_candidates *c = r->candidates;
  if (form == FORM_MATRIX) return vd_load(cells->matrix + (int64_t)i * r->stride + v * VD_LANES);
  vd distance = norm_of(metric, vd_sub(cells->q[0][v], vd_set1(c->x[i])));
  distance = norm_join(metric, distance, norm_of(metric, vd_sub(cells->q[1][v], vd_set1(c->y[i]))));
  if (form == FORM_PLANE || form == FORM_POINTS2) return vd_min(distance, vd_set1(DBL_MAX));
  return norm_join(metric, distance, norm_of(metric, vd_sub(cells->q[2][v], vd_set1(c->z[i]))));
}

GV_INLINE void measure_body(const int form, const int metric, const gv_ranking *r, double *matrix) {
  rank_cells cells;
  for (int32_t row = 0; row < r->rows; row++) {
    for (int32_t at = 0; at < r->width; at += VD_LANES) {
      place_cells(form, 1, r, row, at, &cells);
      for (int32_t i = 0; i < r->candidates->count; i++) {
        vd_store(matrix + (int64_t)i * r->stride + row * r->width + at, value_of(form, metric, r, &cells, i, 0));
      }
    }
  }
}

/* Marks the lanes of a vector of cells, from column `at` of the part, that rank n leaves open: see gv_ranking. Returns
 * the label, which is nobody's beyond the limit. */
GV_INLINE vd doubt_lanes(const gv_ranking *r, int32_t n, vd value, vd next, vd label, int32_t row, int32_t at) {
  unsigned there = vm_bits(vd_less(value, vd_set1(INFINITY))), open = 0;
  if (n + 1 < r->kept) open = ~vm_bits(vd_less(value, vd_sub(next, vd_set1(r->gap))));
  vm out_of_reach = vd_less(vd_set1(r->beyond), value);
  open |= vm_bits(vd_less(vd_set1(r->within), value)) & ~vm_bits(out_of_reach);
  open &= there;
  for (int lane = 0; open != 0 && lane < VD_LANES && at + lane < r->columns; lane++) {
    if (open >> lane & 1U) r->doubt[(r->row + row) * r->leaf->columns + r->column + at + lane] = 1;
  }
  return vd_select(out_of_reach, vd_set1(r->nobody), label);
}

/*
 * Few ranks, in registers: insertion into a sorted column. A value's place is where the comparisons with all of the
 * column, made at once, change; what is below moves down by one. Candidates come in ascending number, and only a smaller
 * value goes before another.
 */
typedef struct rank_column {
  vd value[GV_FEW], label[GV_FEW];
} rank_column;

/* Inserts into the first `depth` of the column; the last of them falls out. */
GV_INLINE void insert(const int depth, rank_column *column, vd d, vd own) {
  vm before[GV_FEW];
  for (int n = 0; n < depth; n++)
    before[n] = vd_less(d, column->value[n]);
  for (int n = depth - 1; n > 0; n--) {
    column->value[n] = vd_max(column->value[n - 1], vd_min(d, column->value[n]));
    column->label[n] = vd_select(before[n], vd_select(before[n - 1], column->label[n - 1], own), column->label[n]);
  }
  column->value[0] = vd_min(d, column->value[0]);
  column->label[0] = vd_select(before[0], own, column->label[0]);
}

GV_INLINE void insert_candidate(const int form, const int metric, const int depth, const int vectors,
                                const gv_ranking *r, const rank_cells *cells, int32_t i, rank_column *column) {
  vd own = vd_set1(r->label[i]);
  for (int v = 0; v < vectors; v++)
    insert(depth, &column[v], value_of(form, metric, r, cells, i, v), own);
}

GV_INLINE void rank_few_vectors(const int form, const int metric, const int kept, const int vectors,
                                const gv_ranking *r, int32_t row, int32_t at) {
  rank_column column[2];
  rank_cells cells;
  place_cells(form, vectors, r, row, at, &cells);
  for (int v = 0; v < vectors; v++) {
    for (int n = 0; n < kept; n++) {
      column[v].value[n] = vd_set1(r->start);
      column[v].label[n] = vd_set1(r->nobody);
    }
  }
  /* The first candidates have only each other to be compared with; there are at least as many as ranks kept. */
#define GV_FIRST(i)                                                                                                \
  if (kept > (i)) insert_candidate(form, metric, (i) + 1, vectors, r, &cells, i, column)
  GV_FIRST(0);
  GV_FIRST(1);
  GV_FIRST(2);
  GV_FIRST(3);
  GV_FIRST(4);
  GV_FIRST(5);
  GV_FIRST(6);
  GV_FIRST(7);
  GV_FIRST(8);
#undef GV_FIRST
  for (int32_t i = kept; i < r->candidates->count; i++)
    insert_candidate(form, metric, kept, vectors, r, &cells, i, column);
  int32_t *out = r->leaf->out + (r->row + row) * r->leaf->out_stride + r->column;
  for (int n = 0; n < kept && n < r->bands; n++) {
    for (int v = 0; r->doubt != NULL && v < vectors; v++) {
      vd next = column[v].value[n + 1 < kept ? n + 1 : n];
      column[v].label[n] = doubt_lanes(r, n, column[v].value[n], next, column[v].label[n], row, at + v * VD_LANES);
    }
    vd label[2];
    for (int v = 0; v < vectors; v++)
      label[v] = column[v].label[n];
    store_labels(vectors, label, out + (r->first + n) * r->leaf->band_stride, at, r->columns);
  }
}

GV_INLINE void rank_few(const int form, const int metric, const int kept, const gv_ranking *r) {
  const int pair = VD_GROUP > 1 && kept <= 3 ? 2 : 1;
  for (int32_t row = 0; row < r->rows; row++) {
    int32_t at = 0;
    for (; at + pair * VD_LANES <= r->columns; at += pair * VD_LANES)
      rank_few_vectors(form, metric, kept, pair, r, row, at);
    for (; at < r->columns; at += VD_LANES)
      rank_few_vectors(form, metric, kept, 1, r, row, at);
  }
}

/* Many ranks, in memory: insertion from the lower end for as long as any lane moves. Best with candidates that come
 * about in order. */
GV_INLINE void rank_many(const int form, const int metric, const gv_ranking *r) {
  int32_t kept = r->kept;
  double *value = r->scratch, *number = value + kept * VD_LANES, *label = number + kept * VD_LANES;
  for (int32_t row = 0; row < r->rows; row++) {
    for (int32_t at = 0; at < r->columns; at += VD_LANES) {
      rank_cells cells;
      place_cells(form, 1, r, row, at, &cells);
      for (int32_t n = 0; n < kept; n++) {
        vd_store(value + n * VD_LANES, vd_set1(r->start));
        vd_store(number + n * VD_LANES, vd_set1(-1.0)); /* no real value equals `start` and goes before */
        vd_store(label + n * VD_LANES, vd_set1(r->nobody));
      }
      for (int32_t i = 0; i < r->candidates->count; i++) {
        vd d = value_of(form, metric, r, &cells, i, 0), own = vd_set1(r->number[i]), name = vd_set1(r->label[i]);
        int32_t n = i < kept - 1 ? i : kept - 1;
        vd here = vd_load(value + n * VD_LANES);
        vm before =
            vm_or(vd_less(d, here), vm_and(vd_equal(d, here), vd_less(own, vd_load(number + n * VD_LANES))));
        for (unsigned moving = vm_bits(before); moving != 0; n--) {
          double *v = value + n * VD_LANES, *u = number + n * VD_LANES, *l = label + n * VD_LANES;
          if (n == 0) {
            vd_store(v, vd_select(before, d, vd_load(v)));
            vd_store(u, vd_select(before, own, vd_load(u)));
            vd_store(l, vd_select(before, name, vd_load(l)));
            break;
          }
          vd above = vd_load(v - VD_LANES), above_number = vd_load(u - VD_LANES);
          vm up = vm_or(vd_less(d, above), vm_and(vd_equal(d, above), vd_less(own, above_number)));
          vd_store(v, vd_select(before, vd_select(up, above, d), vd_load(v)));
          vd_store(u, vd_select(before, vd_select(up, above_number, own), vd_load(u)));
          vd_store(l, vd_select(before, vd_select(up, vd_load(l - VD_LANES), name), vd_load(l)));
          before = up;
          moving = vm_bits(up);
        }
      }
      int32_t *out = r->leaf->out + (r->row + row) * r->leaf->out_stride + r->column;
      for (int32_t n = 0; n < r->bands; n++) {
        vd lanes = vd_load(label + n * VD_LANES);
        if (r->doubt != NULL) {
          vd next = vd_load(value + (n + 1 < kept ? n + 1 : n) * VD_LANES);
          lanes = doubt_lanes(r, n, vd_load(value + n * VD_LANES), next, lanes, row, at);
        }
        store_labels(1, &lanes, out + (r->first + n) * r->leaf->band_stride, at, r->columns);
      }
    }
  }
}

#define GV_RANK(name, form, metric)                                                                                \
  static void rank_##name##_many(const gv_ranking *r) {                                                            \
    rank_many(form, metric, r);                                                                                    \
  }                                                                                                                \
  static void rank_##name##_1(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 1, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_2(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 2, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_3(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 3, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_4(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 4, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_5(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 5, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_6(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 6, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_7(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 7, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_8(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 8, r);                                                                                  \
  }                                                                                                                \
  static void rank_##name##_9(const gv_ranking *r) {                                                               \
    rank_few(form, metric, 9, r);                                                                                  \
  }                                                                                                                \
  static void measure_##name(const gv_ranking *r, double *matrix) {                                                \
    measure_body(form, metric, r, matrix);                                                                         \
  }
GV_RANK(plane_euclidean, FORM_PLANE, GV_EUCLIDEAN)
GV_RANK(plane_manhattan, FORM_PLANE, GV_MANHATTAN)
GV_RANK(plane_chebyshev, FORM_PLANE, GV_CHEBYSHEV)
GV_RANK(points2_euclidean, FORM_POINTS2, GV_EUCLIDEAN)
GV_RANK(points2_manhattan, FORM_POINTS2, GV_MANHATTAN)
GV_RANK(points2_chebyshev, FORM_POINTS2, GV_CHEBYSHEV)
GV_RANK(points3_chord, FORM_POINTS3, GV_EUCLIDEAN)
GV_RANK(lonlat_chord, FORM_LONLAT, GV_EUCLIDEAN)
GV_RANK(matrix, FORM_MATRIX, GV_EUCLIDEAN)
#undef GV_RANK

#define GV_RANK_KERNELS(name)                                                                                      \
  {                                                                                                                \
    {rank_##name##_many, rank_##name##_1, rank_##name##_2, rank_##name##_3, rank_##name##_4,                       \
     rank_##name##_5,    rank_##name##_6, rank_##name##_7, rank_##name##_8, rank_##name##_9},                      \
        measure_##name                                                                                             \
  }
