/* Quantities in one expression, and statistics with their sums, for tests. */
#ifndef GV_TEST_STATISTICS_OF_H
#define GV_TEST_STATISTICS_OF_H

#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/gpuvoronoi.h"

static inline gv_quantity quantity_of(const double *value, const int32_t *first, int32_t count,
                                      int64_t stride, const int32_t *first_row, int32_t rows) {
  gv_quantity q;
  gv_quantity_init(&q);
  q.value = value;
  q.first = first;
  q.count = count;
  q.stride = stride;
  q.first_row = first_row;
  q.rows = rows;
  return q;
}

typedef struct sum_statistics {
  double sum, distance_mean;
} sum_statistics;

/* One seed with all its `count` sums. */
static inline gv_status get_statistics(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                       gv_seed_statistics *out, sum_statistics *sums, int32_t count) {
  gv_seed_statistics_init(out);
  gv_status status = gv_statistics_get(context, statistics, seed, out);
  for (int32_t q = 0; q < count && status == GV_OK; q++)
    status = gv_statistics_get_sum(context, statistics, seed, q, &sums[q].sum, &sums[q].distance_mean);
  return status;
}

/* Statistics of consecutive seeds at once against those of one by one: number of the first rule that does not
 * hold; 0: all hold. */
static inline int statistics_differ(gv_context *context, const gv_statistics *s, int64_t count,
                                    const gv_seed_statistics *expected) {
  const size_t bytes = (size_t)count * sizeof *expected;
  gv_seed_statistics *all = (gv_seed_statistics *)malloc(bytes);
  if (all == NULL) return 1;
  memset(all, 0x55, bytes);
  gv_seed_statistics_init(all);
  int wrong = gv_statistics_get_range(context, s, 0, count, all) != GV_OK                        ? 2
              : memcmp(all, expected, bytes) != 0                                                ? 3
              : gv_statistics_get_range(context, s, 1, count, all) != GV_ERROR_INVALID_ARGUMENT  ? 4
              : gv_statistics_get_range(context, s, -1, 1, all) != GV_ERROR_INVALID_ARGUMENT     ? 5
              : gv_statistics_get_range(context, s, 0, -1, all) != GV_ERROR_INVALID_ARGUMENT     ? 6
              : gv_statistics_get_range(context, s, 0, count, NULL) != GV_ERROR_INVALID_ARGUMENT ? 7
              : gv_statistics_get_range(context, s, count, 0, NULL) != GV_OK                     ? 8
                                                                                                 : 0;
  all->struct_size = 0;
  if (wrong == 0 && gv_statistics_get_range(context, s, 0, count, all) != GV_ERROR_INVALID_ARGUMENT)
    wrong = 9;
  free(all);
  return wrong;
}

#endif
