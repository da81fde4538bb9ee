/* Kernels that cull lists of candidates, and compute squares, bounds of distances and weighted values. */
#include "voronoi/cpu/kernel_lanes.h"
#include "voronoi/margin.h"

#include <float.h>

GV_INLINE int32_t nearest_body(const int dim, const gv_candidates *candidates, const double *center) {
  vd_place m = place_all(dim, center);
  vd best = vd_all(INFINITY), best_number = vd_all(0.0), number = vd_lane_numbers();
  vd count = vd_all((double)candidates->count), far = vd_all(INFINITY);
  for (int32_t i = 0; i < candidates->count; i += VD_LANES) {
    vd distance = square_of(dim, place_from(dim, candidates, i, m));
    distance = vd_select(vd_less(number, count), distance, far);
    vm nearer = vd_less(distance, best);
    best = vd_select(nearer, distance, best);
    best_number = vd_select(nearer, number, best_number);
    number = number + (double)VD_LANES;
  }
  unsigned others = vm_bits(vd_less(vd_all(vd_reduce_min(best)), best));
  double lanes[VD_LANES];
  vd_store(lanes, best_number);
  int lane = 0;
  while (lane < VD_LANES - 1 && (others >> lane & 1U))
    lane++;
  return (int32_t)lanes[lane];
}

static int32_t nearest_2(const gv_candidates *candidates, const double *center) {
  return nearest_body(2, candidates, center);
}

static int32_t nearest_3(const gv_candidates *candidates, const double *center) {
  return nearest_body(3, candidates, center);
}

GV_INLINE void cull_body(const int dim, const gv_candidates *in, const gv_bound *bound, const double *pivot,
                         double limit, gv_candidates *out) {
  const int generators = dim; /* the plane's third one is zero */
  vd_place m = place_all(dim, bound->center), p = place_all(dim, pivot);
  vd least = vd_all(limit);
  int32_t count = 0;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd square = square_of(dim, place_from(dim, in, i, m));
    vd_place v = place_from(dim, in, i, p);
    vd reach = vd_abs(dot_of(dim, bound->generator[0], v));
    for (int k = 1; k < generators; k++)
      reach = reach + vd_abs(dot_of(dim, bound->generator[k], v));
    vd value = vd_lead(gv_cull_slack, square, reach);
    count = keep_lanes(dim, in, i, ~vm_bits(vd_less(least, value)), out, count);
  }
  out->count = count;
}

static void cull_2(const gv_candidates *in, const gv_bound *bound, const double *pivot, double limit,
                   gv_candidates *out) {
  cull_body(2, in, bound, pivot, limit, out);
}

static void cull_3(const gv_candidates *in, const gv_bound *bound, const double *pivot, double limit,
                   gv_candidates *out) {
  cull_body(3, in, bound, pivot, limit, out);
}

GV_INLINE void cull_box_body(const int metric, const gv_candidates *in, const double low[2],
                             const double high[2], const double *pivot, double limit, gv_candidates *out) {
  vd lx = vd_all(low[0]), ly = vd_all(low[1]), hx = vd_all(high[0]), hy = vd_all(high[1]);
  vd px = vd_all(pivot[0]), py = vd_all(pivot[1]), least = vd_all(-limit);
  int32_t count = 0;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd gain = vd_box_gain(metric, lx, hx, ly, hy, px, py, vd_load(in->x + i), vd_load(in->y + i));
    count = keep_lanes(2, in, i, ~vm_bits(vd_less(gain, least)), out, count);
  }
  out->count = count;
}

static void cull_manhattan(const gv_candidates *in, const double low[2], const double high[2],
                           const double *pivot, double limit, gv_candidates *out) {
  cull_box_body(GV_MANHATTAN, in, low, high, pivot, limit, out);
}

static void cull_chebyshev(const gv_candidates *in, const double low[2], const double high[2],
                           const double *pivot, double limit, gv_candidates *out) {
  cull_box_body(GV_CHEBYSHEV, in, low, high, pivot, limit, out);
}

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

GV_INLINE void squares_body(const int dim, const gv_candidates *in, const double *center, double *out) {
  vd_place m = place_all(dim, center);
  for (int32_t i = 0; i < in->count; i += VD_LANES)
    vd_store(out + i, square_of(dim, place_from(dim, in, i, m)));
}

static void squares_2(const gv_candidates *in, const double *center, double *out) {
  squares_body(2, in, center, out);
}
static void squares_3(const gv_candidates *in, const double *center, double *out) {
  squares_body(3, in, center, out);
}

GV_INLINE void cull_pivots_body(const int dim, const gv_candidates *in, const gv_bound *bound,
                                const double *low, const double *high, double limit, gv_candidates *out) {
  vd_place m = place_all(dim, bound->center);
  vd least = vd_all(limit);
  int32_t count = 0;
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd_place u = place_from(dim, in, i, m);
    vd reach = vd_all(0.0);
    for (int k = 0; k < dim; k++) {
      vd dot = dot_of(dim, bound->generator[k], u);
      reach = reach + vd_max(dot - low[k], high[k] - dot);
    }
    vd value = vd_lead(gv_cull_slack, square_of(dim, u), reach);
    count = keep_lanes(dim, in, i, ~vm_bits(vd_less(least, value)), out, count);
  }
  out->count = count;
}

static void cull_pivots_2(const gv_candidates *in, const gv_bound *bound, const double low[3],
                          const double high[3], double limit, gv_candidates *out) {
  cull_pivots_body(2, in, bound, low, high, limit, out);
}
static void cull_pivots_3(const gv_candidates *in, const gv_bound *bound, const double low[3],
                          const double high[3], double limit, gv_candidates *out) {
  cull_pivots_body(3, in, bound, low, high, limit, out);
}

GV_INLINE void cull_above_body(const int dim, const gv_candidates *in, const double *value, double limit,
                               gv_candidates *out) {
  vd most = vd_all(limit);
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

/* Least and largest |x - s| over [low, high], with room for rounding: differences are good to an ulp of the
 * largest coordinate, which `error` covers, and of themselves. */
GV_INLINE void bounds_axis(double center, double half, double error, vd s, vd *near, vd *far) {
  vd low = vd_all(center - half), high = vd_all(center + half), pad = vd_all(4.0 * error);
  vd gap = vd_max(low - s, s - high);
  vd most = vd_max(vd_abs(low - s), vd_abs(high - s));
  *near = vd_max(gap * (1.0 - 1e-14) - pad, vd_all(0.0));
  *far = most * (1.0 + 1e-14) + pad;
}

GV_INLINE void bounds_plane_body(const int metric, const gv_candidates *in, const gv_bound *bound,
                                 double error, double *near, double *far) {
  double half[2];
  for (int d = 0; d < 2; d++)
    half[d] = fabs(bound->generator[0][d]) + fabs(bound->generator[1][d]);
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd near_x, near_y, far_x, far_y;
    bounds_axis(bound->center[0], half[0], error, vd_load(in->x + i), &near_x, &far_x);
    bounds_axis(bound->center[1], half[1], error, vd_load(in->y + i), &near_y, &far_y);
    vd_store(near + i, vd_norm_join(metric, vd_norm_of(metric, near_x), vd_norm_of(metric, near_y)));
    vd_store(far + i, vd_norm_join(metric, vd_norm_of(metric, far_x), vd_norm_of(metric, far_y)));
  }
}

static void bounds_euclidean(const gv_candidates *in, const gv_bound *bound, double error, double *near,
                             double *far) {
  bounds_plane_body(GV_EUCLIDEAN, in, bound, error, near, far);
}
static void bounds_manhattan(const gv_candidates *in, const gv_bound *bound, double error, double *near,
                             double *far) {
  bounds_plane_body(GV_MANHATTAN, in, bound, error, near, far);
}
static void bounds_chebyshev(const gv_candidates *in, const gv_bound *bound, double error, double *near,
                             double *far) {
  bounds_plane_body(GV_CHEBYSHEV, in, bound, error, near, far);
}

static void bounds_globe(const gv_candidates *in, const gv_bound *bound, double error, double *near,
                         double *far) {
  vd_place m = place_all(3, bound->center);
  vd reach = vd_all(bound->radius + 4.0 * error), zero = vd_all(0.0);
  for (int32_t i = 0; i < in->count; i += VD_LANES) {
    vd chord = vd_sqrt(square_of(3, place_from(3, in, i, m)));
    vd least = vd_max(chord * (1.0 - 1e-12) - reach, zero);
    vd most = chord * (1.0 + 1e-12) + reach;
    vd_store(near + i, least * least);
    vd_store(far + i, most * most);
  }
}

/* ------------------------------------------------------------------------------------------------ weights */

GV_INLINE void weigh_body(const int weighting, const int form, const gv_weigher *weigher, double limit,
                          int64_t n, double *value, const double *weight, bool each) {
  vd most = vd_all(limit), none = vd_all(INFINITY), largest = vd_all(DBL_MAX), w = vd_all(weight[0]);
  double inverse = weigher->inverse, scale = weigher->scale;
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd canonical = vd_load(value + i);
    if (each) w = vd_load(weight + i);
    /* As in k_nearest.c: overflowing squares count as the largest double; the candidate may still win by its
     * weight. */
    vd result = vd_weigh_as(weighting, form, inverse, scale, vd_min(canonical, largest), w);
    vd_store(value + i, vd_select(vd_less(most, canonical), none, vd_min(result, largest)));
  }
}

static void weigh_kernel(const gv_weigher *weigher, double limit, int64_t n, double *value,
                         const double *weight, bool each) {
#define GV_WEIGH(weighting, form) weigh_body(weighting, form, weigher, limit, n, value, weight, each)
#define GV_WEIGH_FORM(weighting)                                                                             \
  do {                                                                                                       \
    if (weigher->form == GV_LENGTH_SQUARED) {                                                                \
      GV_WEIGH(weighting, GV_LENGTH_SQUARED);                                                                \
    } else if (weigher->form == GV_LENGTH_OF_CHORD) {                                                        \
      GV_WEIGH(weighting, GV_LENGTH_OF_CHORD);                                                               \
    } else {                                                                                                 \
      GV_WEIGH(weighting, GV_LENGTH_PLAIN);                                                                  \
    }                                                                                                        \
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

const gv_cull_kernels GV_VARIANT(gv_cull_kernels) = {
    .nearest = {NULL, NULL, nearest_2, nearest_3},
    .cull = {NULL, NULL, cull_2, cull_3},
    .cull_box = {NULL, cull_manhattan, cull_chebyshev},
    .copy = copy_candidates,
    .squares = {NULL, NULL, squares_2, squares_3},
    .cull_pivots = {NULL, NULL, cull_pivots_2, cull_pivots_3},
    .cull_above = {NULL, NULL, cull_above_2, cull_above_3},
    .bounds_plane = {bounds_euclidean, bounds_manhattan, bounds_chebyshev},
    .bounds_globe = bounds_globe,
    .weigh = weigh_kernel,
};
