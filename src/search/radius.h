/* Searches by radius: lists of what one query finds, and all queries of a search in canonical values. */
#ifndef GV_RADIUS_H
#define GV_RADIUS_H

#include "search/backend.h"
#include "search/code_sort.h"

#include <string.h>

/* Result of a search by radius for one query: the count, and the neighbors unless they are only counted.
 * Codes are the bits of exact distances; they have the same order because distances are not negative. */
struct gv_found_list {
  const gv_allocator *allocator;
  gv_sort_code *entry; /* room for `room`, and as many for sorting them; NULL: only counted */
  int64_t count, room;
  bool failed; /* out of memory: entries are missing */
};

/* Grows the list by another entry; false when out of memory. */
bool gv_found_list_grow(gv_found_list *list);

/* Zeroed, with room for some entries unless they are only counted. False: out of memory. */
bool gv_found_list_init(gv_found_list *list, const gv_allocator *allocator, bool counted);
void gv_found_list_clear(gv_found_list *list);

static inline uint64_t gv_code_of_canonical(double value) {
  uint64_t bits;
  value += 0.0; /* -0 */
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double gv_canonical_of_code(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline void gv_found_list_add(gv_found_list *list, double canonical, int64_t index) {
  if (list->entry != NULL) {
    if (list->count == list->room && !gv_found_list_grow(list)) return;
    list->entry[list->count] = (gv_sort_code){gv_code_of_canonical(canonical), index};
  }
  list->count++;
}

/* Exchanges numbers and codes, so that a sort is by number. */
void gv_found_list_swap(gv_found_list *list);

/* gv_within_fn of brute force. */
gv_within_fn gv_radius_compare_all;

/* Writes the entries of a list in order, of their numbers if `by_number`, from `first` on: INVALID_ARGUMENT,
 * naming query number `query`, if there is not enough space. Arrays may be NULL. */
gv_status gv_found_list_put(gv_context *context, gv_found_list *list, bool by_number, int64_t query,
                            int64_t first, int64_t room, int64_t *indices, double *canonical);

/* Queries as doubles. */
typedef struct gv_radius_query {
  const double *data; /* of `own` queries only for CPUs */
  int64_t count;
  double limit;         /* canonical, inclusive */
  const double *limits; /* of each query; NULL: `limit` of all */
  int64_t self_offset;  /* as gv_query's */
  bool by_number;
  int64_t first; /* the number of the first query, in messages */
  bool own;      /* they are the index's points from number `first` on */
  bool later;    /* `refine` keeps the neighbors with a number above first + query, and does nothing else */
  /* not NULL: set if a device has written what the index reports in place of exact distances */
  bool *reported;
  /* NULL, or a callback for each list before it is counted or written: it may remove entries and change
   * values. `counted`: values do not matter afterwards. Called by several threads. */
  void (*refine)(const void *user, int64_t query, bool counted, gv_found_list *list);
  const void *user;
} gv_radius_query;

/* Counts where `indices` and `canonical` are NULL: offsets[i + 1] is how many query i has. Else fills both as
 * gv_index_search_radius does. */
gv_status gv_radius_search_canonical(gv_context *context, const gv_point_index *index,
                                     const gv_radius_query *query, int64_t *offsets, int64_t *indices,
                                     double *canonical);

/* gv_index_type.search_radius of points. */
gv_status gv_radius_search_points(gv_context *context, const gv_index *index, const gv_points *queries,
                                  const gv_radius_options *options, int64_t *offsets, int64_t *indices,
                                  double *distances);

/* gv_index_type.search_pairs of points. */
gv_status gv_radius_search_pairs(gv_context *context, const gv_index *index, const gv_radius_options *options,
                                 int64_t *offsets, int64_t *pairs);

/* Candidates of a leaf's pairs: sorted by number (entry.code; entry.index: 8 block + lane), and their
 * coordinates as blocks of 8. */
struct gv_pair_scratch {
  gv_found_list list;
  double *block;
  int64_t blocks; /* room */
};

/* Makes room for the blocks of the list; false: out of memory. */
bool gv_pair_scratch_fit(struct gv_pair_scratch *scratch, int32_t dim);

#endif
