/*
 * Body of the kernels for ranked tiles: bounds, culling and leaves where more is asked than the one nearest seed. Part of
 * kernels_body.h.
 */
#include <float.h>

/* ------------------------------------------------------------------------------------------------- culling */

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

/* -------------------------------------------------------------------------------------------------- leaves */

GV_INLINE void measure_body(const int form, const int metric, const gv_leaf *leaf, const gv_candidates *c,
                            int32_t first, int32_t count, const gv_strip *strip) {
  vd largest = vd_set1(DBL_MAX);
  for (int32_t row = 0; row < strip->rows; row++) {
    int32_t r = strip->row + row;
    vd p = vd_set1(form == FORM_LONLAT ? leaf->row_p[r] : 0.0);
    double last = form == FORM_PLANE || form == FORM_LONLAT ? leaf->row_z[r] : 0.0;
    for (int32_t at = 0; at < strip->width; at += VD_LANES) {
      vd q0, q1 = p, q2 = vd_set1(last);
      if (form == FORM_PLANE) {
        q0 = vd_load(leaf->column_x + strip->column + at);
      } else if (form == FORM_LONLAT) {
        q0 = vd_mul(p, vd_load(leaf->column_x + strip->column + at));
        q1 = vd_mul(p, vd_load(leaf->column_y + strip->column + at));
      } else {
        int64_t cell = r * leaf->point_stride + strip->column + at;
        q0 = vd_load(leaf->x + cell);
        q1 = vd_load(leaf->y + cell);
        if (form == FORM_POINTS3) q2 = vd_load(leaf->z + cell);
      }
      double *out = strip->matrix + row * strip->width + at;
      for (int32_t i = first; i < first + count; i++, out += strip->stride) {
        vd distance = norm_of(metric, vd_sub(q0, vd_set1(c->x[i])));
        if (form == FORM_PLANE) {
          distance = norm_join(metric, distance, norm_of(metric, vd_sub(q2, vd_set1(c->y[i]))));
        } else {
          distance = norm_join(metric, distance, norm_of(metric, vd_sub(q1, vd_set1(c->y[i]))));
        }
        if (form == FORM_LONLAT || form == FORM_POINTS3) {
          distance = norm_join(metric, distance, norm_of(metric, vd_sub(q2, vd_set1(c->z[i]))));
        } else {
          distance = vd_min(distance, largest);
        }
        vd_store(out, distance);
      }
    }
  }
}

#define GV_MEASURE(name, form, metric)                                                                             \
  static void measure_##name(const gv_leaf *leaf, const gv_candidates *candidates, int32_t first, int32_t count,   \
                             const gv_strip *strip) {                                                              \
    measure_body(form, metric, leaf, candidates, first, count, strip);                                             \
  }
GV_MEASURE(plane_euclidean, FORM_PLANE, GV_EUCLIDEAN)
GV_MEASURE(plane_manhattan, FORM_PLANE, GV_MANHATTAN)
GV_MEASURE(plane_chebyshev, FORM_PLANE, GV_CHEBYSHEV)
GV_MEASURE(points2_euclidean, FORM_POINTS2, GV_EUCLIDEAN)
GV_MEASURE(points2_manhattan, FORM_POINTS2, GV_MANHATTAN)
GV_MEASURE(points2_chebyshev, FORM_POINTS2, GV_CHEBYSHEV)
GV_MEASURE(points3_chord, FORM_POINTS3, GV_EUCLIDEAN)
GV_MEASURE(lonlat_chord, FORM_LONLAT, GV_EUCLIDEAN)
#undef GV_MEASURE

/* gv_arcsine in lanes. */
GV_INLINE vd arcsine_lanes(vd x) {
  vd half = vd_set1(0.5), one = vd_set1(1.0);
  vm steep = vd_less(half, x);
  vd z = vd_select(steep, vd_mul(half, vd_sub(one, x)), vd_mul(x, x));
  vd r = vd_select(steep, vd_sqrt(z), x), p = vd_set1(gv_arcsine_series[11]);
  for (int i = 10; i >= 0; i--)
    p = vd_add(vd_mul(p, z), vd_set1(gv_arcsine_series[i]));
  vd s = vd_add(r, vd_mul(vd_mul(r, z), p));
  return vd_select(steep, vd_sub(vd_set1(1.5707963267948966), vd_mul(vd_set1(2.0), s)), s);
}

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

/* Insertion into a sorted column of registers: a new value's place is where comparisons with all of them, made at once,
 * change; what is below moves down by one. */
GV_INLINE void keep_vectors(const int kept, const int vectors, const gv_strip *strip, int32_t at, int32_t count,
                            const double *candidate_label, bool fresh, double start, double nobody) {
  vd value[GV_MOST_KEPT][2], label[GV_MOST_KEPT][2];
  for (int n = 0; n < kept; n++) {
    for (int v = 0; v < vectors; v++) {
      int32_t from = n * strip->stride + at + v * VD_LANES;
      value[n][v] = fresh ? vd_set1(start) : vd_load(strip->value + from);
      label[n][v] = fresh ? vd_set1(nobody) : vd_load(strip->label + from);
    }
  }
  const double *row = strip->matrix + at;
  for (int32_t i = 0; i < count; i++, row += strip->stride) {
    vd own = vd_set1(candidate_label[i]);
    for (int v = 0; v < vectors; v++) {
      vd d = vd_load(row + v * VD_LANES);
      vm before[GV_MOST_KEPT];
      for (int n = 0; n < kept; n++)
        before[n] = vd_less(d, value[n][v]);
      for (int n = kept - 1; n > 0; n--) {
        value[n][v] = vd_max(value[n - 1][v], vd_min(d, value[n][v]));
        label[n][v] = vd_select(before[n], vd_select(before[n - 1], label[n - 1][v], own), label[n][v]);
      }
      value[0][v] = vd_min(d, value[0][v]);
      label[0][v] = vd_select(before[0], own, label[0][v]);
    }
  }
  for (int n = 0; n < kept; n++) {
    for (int v = 0; v < vectors; v++) {
      int32_t to = n * strip->stride + at + v * VD_LANES;
      vd_store(strip->value + to, value[n][v]);
      vd_store(strip->label + to, label[n][v]);
    }
  }
}

GV_INLINE void keep_body(const int kept, const gv_strip *strip, int32_t count, const double *label, bool fresh,
                         double start, double nobody) {
  int32_t cells = strip->rows * strip->width, at = 0;
  if (kept <= 2 && VD_GROUP > 1) {
    for (; at + 2 * VD_LANES <= cells; at += 2 * VD_LANES)
      keep_vectors(kept, 2, strip, at, count, label, fresh, start, nobody);
  }
  for (; at < cells; at += VD_LANES)
    keep_vectors(kept, 1, strip, at, count, label, fresh, start, nobody);
}

#define GV_KEEP(kept)                                                                                              \
  static void keep_##kept(const gv_strip *strip, int32_t count, const double *label, bool fresh, double start,     \
                          double nobody) {                                                                         \
    keep_body(kept, strip, count, label, fresh, start, nobody);                                                    \
  }
GV_KEEP(1)
GV_KEEP(2)
GV_KEEP(3)
GV_KEEP(4)
GV_KEEP(5)
GV_KEEP(6)
GV_KEEP(7)
GV_KEEP(8)
GV_KEEP(9)
#undef GV_KEEP

static void store_kernel(const gv_strip *strip, int32_t n, int32_t *out, int64_t out_stride) {
  for (int32_t row = 0; row < strip->rows; row++) {
    const double *label = strip->label + (int64_t)n * strip->stride + row * strip->width;
    int32_t *to = out + (strip->row + row) * out_stride + strip->column;
    for (int32_t at = 0; at < strip->columns; at += VD_LANES) {
      vd lanes = vd_load(label + at);
      store_labels(1, &lanes, to, at, strip->columns);
    }
  }
}

static void doubt_kernel(const gv_strip *strip, int32_t ranks, int32_t kept, double gap, double within,
                         double beyond, double nobody, uint8_t *mark, int32_t mark_stride) {
  vd slack = vd_set1(gap), sure = vd_set1(within), most = vd_set1(beyond), far = vd_set1(INFINITY);
  bool limited = isfinite(within) || isfinite(beyond);
  for (int32_t row = 0; row < strip->rows; row++) {
    for (int32_t at = 0; at < strip->columns; at += VD_LANES) {
      unsigned open = 0;
      for (int32_t n = 0; n < ranks; n++) {
        int64_t place = (int64_t)n * strip->stride + row * strip->width + at;
        vd value = vd_load(strip->value + place);
        unsigned there = vm_bits(vd_less(value, far));
        if (n + 1 < kept) {
          vd next = vd_sub(vd_load(strip->value + place + strip->stride), slack);
          open |= there & ~vm_bits(vd_less(value, next));
        }
        if (limited) {
          vm out_of_reach = vd_less(most, value);
          open |= there & vm_bits(vd_less(sure, value)) & ~vm_bits(out_of_reach);
          vd label = vd_load(strip->label + place);
          vd_store(strip->label + place, vd_select(out_of_reach, vd_set1(nobody), label));
        }
      }
      for (int lane = 0; open != 0 && lane < VD_LANES; lane++) {
        if ((open >> lane & 1U) && at + lane < strip->columns) {
          mark[(strip->row + row) * mark_stride + strip->column + at + lane] = 1;
        }
      }
    }
  }
}
