/*
 * The two kernels of `openmp`.
 *
 * The filter is the inner loop of a matrix product in registers: a query tile of WIDTH against a panel of 32
 * points, one broadcast and two (AVX-512) or four (AVX2) multiply-adds a query and dimension, then one
 * comparison.
 */
#include "exact/lanes.h"
#include "search/brute.h"

enum {
  WIDTH = VF_LANES == 16  ? 12
          : VF_LANES == 8 ? 3
                          : 4,
  PARTS = GV_PANEL / VF_LANES,
  EXACT_PARTS = GV_PANEL / VD_LANES,
};

GV_INLINE int64_t filter_panels(const gv_brute_reference *reference, gv_query_tile *tile, int64_t first_panel,
                                int64_t end_panel, gv_metric metric, int width) {
  int32_t dim = reference->dim;
  int stride = tile->width;
  int64_t budget = (end_panel - first_panel) * tile->count * GV_PANEL / GV_UNDECIDED_SHARE + GV_PANEL;
  int64_t p = first_panel;
  for (; p < end_panel && budget > 0; p++) {
    const float *panel = reference->panels + (size_t)p * (size_t)dim * GV_PANEL;
    vf total[WIDTH][PARTS];
#pragma GCC unroll 12
    for (int q = 0; q < width; q++) {
#pragma GCC unroll 8
      for (int i = 0; i < PARTS; i++) {
        total[q][i] =
            metric == GV_EUCLIDEAN ? vf_load(reference->halves + p * GV_PANEL + i * VF_LANES) : vf_all(0.0f);
      }
    }
    for (int32_t d = 0; d < dim; d++) {
      vf points[PARTS];
#pragma GCC unroll 8
      for (int i = 0; i < PARTS; i++)
        points[i] = vf_load(panel + (size_t)d * GV_PANEL + i * VF_LANES);
#pragma GCC unroll 12
      for (int q = 0; q < width; q++) {
        vf at = vf_all(tile->values[(size_t)d * (size_t)stride + (size_t)q]);
#pragma GCC unroll 8
        for (int i = 0; i < PARTS; i++) {
          if (metric == GV_EUCLIDEAN || metric == GV_INNER_PRODUCT) {
            total[q][i] = vf_fma_loose(at, points[i], total[q][i]);
          } else if (metric == GV_MANHATTAN) {
            total[q][i] = total[q][i] + vf_abs(at - points[i]);
          } else {
            total[q][i] = vf_max(total[q][i], vf_abs(at - points[i]));
          }
        }
      }
    }
#pragma GCC unroll 12
    for (int q = 0; q < width; q++) {
      vf threshold = vf_all(tile->threshold[q]);
      uint32_t near = 0;
#pragma GCC unroll 8
      for (int i = 0; i < PARTS; i++)
        near |= vf_at_most_bits(total[q][i], threshold) << (i * VF_LANES);
      if (__builtin_expect(near == 0, 1)) continue;
      float value[GV_PANEL];
#pragma GCC unroll 8
      for (int i = 0; i < PARTS; i++)
        vf_store(value + i * VF_LANES, total[q][i]);
      do {
        int lane = __builtin_ctz(near);
        int64_t number = p * GV_PANEL + lane;
        near &= near - 1;
        if (number >= reference->count || number == tile->self[q]) continue;
        tile->kept[q][tile->kept_count[q]] = number;
        tile->kept_value[q][tile->kept_count[q]] = value[lane];
        if (++tile->kept_count[q] == tile->kept_capacity) budget -= gv_brute_thin(reference, tile, q);
      } while (near != 0);
    }
  }
  return p;
}

static int64_t brute_filter(const gv_brute_reference *reference, gv_query_tile *tile, int64_t first_panel,
                            int64_t end_panel) {
  bool one = tile->count == 1;
  switch (reference->metric) {
  case GV_MANHATTAN:
    if (one) return filter_panels(reference, tile, first_panel, end_panel, GV_MANHATTAN, 1);
    return filter_panels(reference, tile, first_panel, end_panel, GV_MANHATTAN, WIDTH);
  case GV_CHEBYSHEV:
    if (one) return filter_panels(reference, tile, first_panel, end_panel, GV_CHEBYSHEV, 1);
    return filter_panels(reference, tile, first_panel, end_panel, GV_CHEBYSHEV, WIDTH);
  case GV_COSINE:
  case GV_INNER_PRODUCT:
    if (one) return filter_panels(reference, tile, first_panel, end_panel, GV_INNER_PRODUCT, 1);
    return filter_panels(reference, tile, first_panel, end_panel, GV_INNER_PRODUCT, WIDTH);
  default:
    if (one) return filter_panels(reference, tile, first_panel, end_panel, GV_EUCLIDEAN, 1);
    return filter_panels(reference, tile, first_panel, end_panel, GV_EUCLIDEAN, WIDTH);
  }
}

/* Offers the points of a panel by their exact distances; returns the new limit. */
GV_INLINE vd offer_panel(gv_query_tile *tile, int q, const vd total[EXACT_PARTS], vd limit, int64_t base,
                         int64_t first, int64_t count) {
  gv_nearest_list *list = &tile->list[q];
  for (int i = 0; i < EXACT_PARTS; i++) {
    unsigned near = vm_bits(vd_at_most(total[i], limit));
    if (near == 0) continue;
    double distance[VD_LANES];
    vd_store(distance, total[i]);
    while (near != 0) {
      int lane = __builtin_ctz(near);
      near &= near - 1;
      int64_t place = base + i * VD_LANES + lane, number = first + place;
      if (place < count && number != tile->self[q]) gv_list_offer(list, distance[lane], number);
    }
    limit = vd_all(gv_list_ascending_limit(list));
  }
  return limit;
}

GV_INLINE void exact_panels(const gv_brute_reference *reference, gv_query_tile *tile, const double *packed,
                            int64_t first, int64_t count, gv_metric metric, bool periodic) {
  int32_t dim = reference->dim;
  for (int q = 0; q < tile->count; q++) {
    const double *query = tile->query[q];
    vd limit = vd_all(gv_list_ascending_limit(&tile->list[q]));
    for (int64_t base = 0; base < count; base += GV_PANEL) {
      const double *panel = packed + base * dim;
      vd total[EXACT_PARTS] = {0};
      for (int32_t d = 0; d < dim; d++) {
#pragma GCC unroll 16
        for (int i = 0; i < EXACT_PARTS; i++) {
          vd gap = query[d] - vd_load(panel + (size_t)d * GV_PANEL + i * VD_LANES);
          if (periodic) gap = vd_periodic_difference(gap, vd_all(reference->periods[d]));
          vd norm =
              metric == GV_MINKOWSKI ? vd_power(vd_abs(gap), reference->power) : vd_norm_of(metric, gap);
          total[i] = vd_norm_join(metric, norm, total[i]);
        }
      }
      limit = offer_panel(tile, q, total, limit, base, first, count);
    }
  }
}

GV_INLINE void exact_boxed(const gv_brute_reference *reference, gv_query_tile *tile, const double *packed,
                           int64_t first, int64_t count, bool periodic) {
  switch (reference->metric) {
  case GV_MANHATTAN:
    exact_panels(reference, tile, packed, first, count, GV_MANHATTAN, periodic);
    break;
  case GV_CHEBYSHEV:
    exact_panels(reference, tile, packed, first, count, GV_CHEBYSHEV, periodic);
    break;
  case GV_MINKOWSKI:
    exact_panels(reference, tile, packed, first, count, GV_MINKOWSKI, periodic);
    break;
  default:
    exact_panels(reference, tile, packed, first, count, GV_EUCLIDEAN, periodic);
    break;
  }
}

/* The same of products. */
GV_INLINE void exact_products(const gv_brute_reference *reference, gv_query_tile *tile, const double *packed,
                              int64_t first, int64_t count, bool cosine) {
  int32_t dim = reference->dim;
  for (int q = 0; q < tile->count; q++) {
    const double *query = tile->query[q];
    vd limit = vd_all(gv_list_ascending_limit(&tile->list[q]));
    double squares = 0.0;
    for (int32_t d = 0; d < dim; d++)
      squares += query[d] * query[d];
    vd length = vd_all(gv_cosine_length(squares));
    for (int64_t base = 0; base < count; base += GV_PANEL) {
      const double *panel = packed + base * dim;
      vd total[EXACT_PARTS] = {0}, own[EXACT_PARTS] = {0};
      for (int32_t d = 0; d < dim; d++) {
#pragma GCC unroll 16
        for (int i = 0; i < EXACT_PARTS; i++) {
          vd value = vd_load(panel + (size_t)d * GV_PANEL + i * VD_LANES);
          total[i] = total[i] + value * query[d];
          if (cosine) own[i] = own[i] + value * value;
        }
      }
      for (int i = 0; i < EXACT_PARTS; i++)
        total[i] = cosine ? vd_cosine_distance(total[i], length, vd_cosine_length(own[i])) : 0.0 - total[i];
      limit = offer_panel(tile, q, total, limit, base, first, count);
    }
  }
}

static void exact(const gv_brute_reference *reference, gv_query_tile *tile, const double *packed,
                  int64_t first, int64_t count) {
  if (reference->metric == GV_COSINE) {
    exact_products(reference, tile, packed, first, count, true);
  } else if (reference->metric == GV_INNER_PRODUCT) {
    exact_products(reference, tile, packed, first, count, false);
  } else if (reference->periods != NULL) {
    exact_boxed(reference, tile, packed, first, count, true);
  } else {
    exact_boxed(reference, tile, packed, first, count, false);
  }
}

const gv_brute_kernel GV_VARIANT(gv_brute_kernel) = {.width = WIDTH, .filter = brute_filter, .exact = exact};
