/* Quantities in one expression, and statistics with their sums, for tests. */
#ifndef GV_TEST_STATISTICS_OF_H
#define GV_TEST_STATISTICS_OF_H

#include "gpuvoronoi/gpuvoronoi.h"

static inline gv_quantity quantity_of(const double *value, const int32_t *first, int32_t count, int64_t stride,
                                      const int32_t *first_row, int32_t rows) {
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

#endif
