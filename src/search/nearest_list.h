/*
 * The k best of a stream of (exact distance, index) pairs, ordered by distance and then index. Small k keep a
 * sorted array (insertion), large k a binary max-heap that is sorted at the end: O(k) and O(log k) an
 * accepted pair.
 *
 * The list starts full of sentinels (limit, GV_NO_INDEX), which lose against every real pair within the
 * limit, even against one at infinite distance (squares may overflow): so there is one code path for all
 * limits.
 */
#ifndef GV_NEAREST_LIST_H
#define GV_NEAREST_LIST_H

#include "core/core.h"

#define GV_NO_INDEX INT64_MAX

enum { GV_LIST_SORTED_MAX = 64 };

typedef struct gv_nearest_list {
  double *value;
  int64_t *index;
  int32_t k;
  double worst; /* a pair is accepted when it is before (worst, worst_index) */
  int64_t worst_index;
} gv_nearest_list;

static inline bool gv_pair_before(double a, int64_t a_index, double b, int64_t b_index) {
  return a < b || (a == b && a_index < b_index);
}

/* Starts a list on k places of the caller. */
static inline void gv_list_start(gv_nearest_list *list, double *value, int64_t *index, int32_t k,
                                 double limit) {
  list->value = value;
  list->index = index;
  list->k = k;
  list->worst = limit;
  list->worst_index = GV_NO_INDEX;
  for (int32_t i = 0; i < k; i++) {
    value[i] = limit;
    index[i] = GV_NO_INDEX;
  }
}

static inline void gv_heap_sift_down(double *value, int64_t *index, int32_t count, double v, int64_t id) {
  int32_t hole = 0;
  for (;;) {
    int32_t child = 2 * hole + 1;
    if (child >= count) break;
    if (child + 1 < count && gv_pair_before(value[child], index[child], value[child + 1], index[child + 1]))
      child++;
    if (!gv_pair_before(v, id, value[child], index[child])) break;
    value[hole] = value[child];
    index[hole] = index[child];
    hole = child;
  }
  value[hole] = v;
  index[hole] = id;
}

/* Adds a pair that is before the worst. */
static inline void gv_list_accept(gv_nearest_list *list, double v, int64_t id) {
  double *value = list->value;
  int64_t *index = list->index;
  int32_t k = list->k;
  if (k <= GV_LIST_SORTED_MAX) {
    int32_t place = k - 1;
    while (place > 0 && gv_pair_before(v, id, value[place - 1], index[place - 1])) {
      value[place] = value[place - 1];
      index[place] = index[place - 1];
      place--;
    }
    value[place] = v;
    index[place] = id;
    list->worst = value[k - 1];
    list->worst_index = index[k - 1];
  } else {
    gv_heap_sift_down(value, index, k, v, id);
    list->worst = value[0];
    list->worst_index = index[0];
  }
}

static inline void gv_list_offer(gv_nearest_list *list, double v, int64_t id) {
  if (gv_pair_before(v, id, list->worst, list->worst_index)) gv_list_accept(list, v, id);
}

/* The largest value that can still enter when pairs come in ascending order of index: equal values then rank
 * after every real pair. */
static inline double gv_list_ascending_limit(const gv_nearest_list *list) {
  return list->worst_index == GV_NO_INDEX ? list->worst : nextafter(list->worst, -INFINITY);
}

/* Sorts the list and turns sentinels that are left into (inf, -1). */
static inline void gv_list_finish(gv_nearest_list *list) {
  if (list->k > GV_LIST_SORTED_MAX) {
    for (int32_t last = list->k - 1; last > 0; last--) {
      double v = list->value[last];
      int64_t id = list->index[last];
      list->value[last] = list->value[0];
      list->index[last] = list->index[0];
      gv_heap_sift_down(list->value, list->index, last, v, id);
    }
  }
  for (int32_t i = list->k - 1; i >= 0 && list->index[i] == GV_NO_INDEX; i--) {
    list->value[i] = INFINITY;
    list->index[i] = -1;
  }
}

#endif
