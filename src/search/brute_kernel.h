/*
 * The two kernels of `openmp`, compiled once for each instruction set (brute_kernel_*.c define GV_KERNEL and
 * GV_WIDTH and include this).
 *
 * The filter is the inner loop of a matrix product in registers: a tile of GV_WIDTH queries against a panel of 32
 * points, one broadcast and two (AVX-512) or four (AVX2) multiply-adds a query and dimension, then one comparison.
 */
#include "core/simd/eight.h"
#include "search/brute.h"

/* 32 floats. */
#if defined(__AVX512F__)
enum { PARTS = 2 };
typedef __m512 part;
static inline part part_load(const float *p) {
  return _mm512_load_ps(p);
}
static inline part part_all(float a) {
  return _mm512_set1_ps(a);
}
static inline part part_multiply_add(part a, part b, part c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline part part_distance(part a, part b) {
  return _mm512_abs_ps(_mm512_sub_ps(a, b));
}
static inline part part_add(part a, part b) {
  return _mm512_add_ps(a, b);
}
static inline part part_max(part a, part b) {
  return _mm512_max_ps(a, b);
}
static inline uint32_t part_at_most(part a, part b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
#elif defined(__AVX2__)
enum { PARTS = 4 };
typedef __m256 part;
static inline part part_load(const float *p) {
  return _mm256_load_ps(p);
}
static inline part part_all(float a) {
  return _mm256_set1_ps(a);
}
static inline part part_multiply_add(part a, part b, part c) {
  return _mm256_fmadd_ps(a, b, c);
}
static inline part part_distance(part a, part b) {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(a, b));
}
static inline part part_add(part a, part b) {
  return _mm256_add_ps(a, b);
}
static inline part part_max(part a, part b) {
  return _mm256_max_ps(a, b);
}
static inline uint32_t part_at_most(part a, part b) {
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}
#else
enum { PARTS = 8 };
typedef struct part {
  float v[4];
} part;
static inline part part_load(const float *p) {
  part r;
  for (int i = 0; i < 4; i++)
    r.v[i] = p[i];
  return r;
}
static inline part part_all(float a) {
  part r;
  for (int i = 0; i < 4; i++)
    r.v[i] = a;
  return r;
}
static inline part part_multiply_add(part a, part b, part c) {
  for (int i = 0; i < 4; i++)
    c.v[i] += a.v[i] * b.v[i];
  return c;
}
static inline part part_distance(part a, part b) {
  for (int i = 0; i < 4; i++)
    a.v[i] = fabsf(a.v[i] - b.v[i]);
  return a;
}
static inline part part_add(part a, part b) {
  for (int i = 0; i < 4; i++)
    a.v[i] += b.v[i];
  return a;
}
static inline part part_max(part a, part b) {
  for (int i = 0; i < 4; i++)
    a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return a;
}
static inline uint32_t part_at_most(part a, part b) {
  uint32_t mask = 0;
  for (int i = 0; i < 4; i++)
    mask |= (uint32_t)(a.v[i] <= b.v[i]) << i;
  return mask;
}
#endif
enum { PART = GV_PANEL / PARTS };

static inline __attribute__((always_inline)) int64_t filter_panels(const gv_brute_reference *reference,
                                                                   gv_brute_tile *tile, int64_t first_panel,
                                                                   int64_t end_panel, gv_metric metric, int width) {
  int32_t dim = reference->dim;
  int stride = tile->width;
  int64_t budget = (end_panel - first_panel) * tile->count * GV_PANEL / GV_UNDECIDED_SHARE + GV_PANEL;
  int64_t p = first_panel;
  for (; p < end_panel && budget > 0; p++) {
    const float *panel = reference->panels + (size_t)p * (size_t)dim * GV_PANEL;
    part total[GV_WIDTH][PARTS];
#pragma GCC unroll 12
    for (int q = 0; q < width; q++) {
#pragma GCC unroll 8
      for (int i = 0; i < PARTS; i++) {
        total[q][i] =
            metric == GV_EUCLIDEAN ? part_load(reference->halves + p * GV_PANEL + i * PART) : part_all(0.0f);
      }
    }
    for (int32_t d = 0; d < dim; d++) {
      part points[PARTS];
#pragma GCC unroll 8
      for (int i = 0; i < PARTS; i++)
        points[i] = part_load(panel + (size_t)d * GV_PANEL + i * PART);
#pragma GCC unroll 12
      for (int q = 0; q < width; q++) {
        part at = part_all(tile->values[(size_t)d * (size_t)stride + (size_t)q]);
#pragma GCC unroll 8
        for (int i = 0; i < PARTS; i++) {
          if (metric == GV_EUCLIDEAN) {
            total[q][i] = part_multiply_add(at, points[i], total[q][i]);
          } else if (metric == GV_MANHATTAN) {
            total[q][i] = part_add(total[q][i], part_distance(at, points[i]));
          } else {
            total[q][i] = part_max(total[q][i], part_distance(at, points[i]));
          }
        }
      }
    }
#pragma GCC unroll 12
    for (int q = 0; q < width; q++) {
      part threshold = part_all(tile->threshold[q]);
      uint32_t near = 0;
#pragma GCC unroll 8
      for (int i = 0; i < PARTS; i++)
        near |= part_at_most(total[q][i], threshold) << (i * PART);
      if (__builtin_expect(near == 0, 1)) continue;
      gv_nearest_list *list = &tile->list[q];
      do {
        int64_t number = p * GV_PANEL + __builtin_ctz(near);
        near &= near - 1;
        if (number >= reference->count || number == tile->self[q]) continue;
        budget--;
        gv_list_offer(list,
                      gv_canonical_distance(tile->query[q], reference->rows + number * dim, dim, reference->metric),
                      number);
      } while (near != 0);
      tile->threshold[q] = gv_brute_threshold(tile, q);
    }
  }
  return p;
}

static int64_t filter(const gv_brute_reference *reference, gv_brute_tile *tile, int64_t first_panel,
                      int64_t end_panel) {
  bool one = tile->count == 1;
  switch (reference->metric) {
  case GV_MANHATTAN:
    if (one) return filter_panels(reference, tile, first_panel, end_panel, GV_MANHATTAN, 1);
    return filter_panels(reference, tile, first_panel, end_panel, GV_MANHATTAN, GV_WIDTH);
  case GV_CHEBYSHEV:
    if (one) return filter_panels(reference, tile, first_panel, end_panel, GV_CHEBYSHEV, 1);
    return filter_panels(reference, tile, first_panel, end_panel, GV_CHEBYSHEV, GV_WIDTH);
  default:
    if (one) return filter_panels(reference, tile, first_panel, end_panel, GV_EUCLIDEAN, 1);
    return filter_panels(reference, tile, first_panel, end_panel, GV_EUCLIDEAN, GV_WIDTH);
  }
}

static inline __attribute__((always_inline)) void exact_panels(const gv_brute_reference *reference,
                                                               gv_brute_tile *tile, const double *packed,
                                                               int64_t first, int64_t count, gv_metric metric) {
  enum { VECTORS = GV_PANEL / 8 };
  int32_t dim = reference->dim;
  for (int q = 0; q < tile->count; q++) {
    const double *query = tile->query[q];
    gv_nearest_list *list = &tile->list[q];
    gv_v8 limit = gv_v8_all(gv_list_ascending_limit(list));
    for (int64_t base = 0; base < count; base += GV_PANEL) {
      const double *panel = packed + base * dim;
      gv_v8 total[VECTORS];
#pragma GCC unroll 4
      for (int i = 0; i < VECTORS; i++)
        total[i] = gv_v8_all(0.0);
      for (int32_t d = 0; d < dim; d++) {
        gv_v8 at = gv_v8_all(query[d]);
#pragma GCC unroll 4
        for (int i = 0; i < VECTORS; i++) {
          gv_v8 gap = gv_v8_sub(at, gv_v8_load(panel + (size_t)d * GV_PANEL + i * 8));
          if (metric == GV_EUCLIDEAN) {
            total[i] = gv_v8_add(total[i], gv_v8_mul(gap, gap));
          } else if (metric == GV_MANHATTAN) {
            total[i] = gv_v8_add(total[i], gv_v8_abs(gap));
          } else {
            total[i] = gv_v8_max(gv_v8_abs(gap), total[i]);
          }
        }
      }
      for (int i = 0; i < VECTORS; i++) {
        unsigned near = gv_v8_at_most(total[i], limit);
        if (near == 0) continue;
        _Alignas(64) double distance[8];
        gv_v8_store(distance, total[i]);
        while (near != 0) {
          int lane = __builtin_ctz(near);
          near &= near - 1;
          int64_t number = first + base + i * 8 + lane;
          if (base + i * 8 + lane < count && number != tile->self[q]) gv_list_offer(list, distance[lane], number);
        }
        limit = gv_v8_all(gv_list_ascending_limit(list));
      }
    }
  }
}

static void exact(const gv_brute_reference *reference, gv_brute_tile *tile, const double *packed, int64_t first,
                  int64_t count) {
  switch (reference->metric) {
  case GV_MANHATTAN:
    exact_panels(reference, tile, packed, first, count, GV_MANHATTAN);
    break;
  case GV_CHEBYSHEV:
    exact_panels(reference, tile, packed, first, count, GV_CHEBYSHEV);
    break;
  default:
    exact_panels(reference, tile, packed, first, count, GV_EUCLIDEAN);
    break;
  }
}

const gv_brute_kernel GV_KERNEL = {.width = GV_WIDTH, .filter = filter, .exact = exact};
