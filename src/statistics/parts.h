/*
 * Statistics of regions, summed in fixed point: declarations shared by all their files.
 *
 * Every term is converted to an integer before it is added, by a rule that depends on its cell only; the sum
 * of integers does not depend on their order. Single terms have 62 bits, sums 128.
 *
 * Blocks are added span by span, a span being the cells of a row from where one seed begins to where the next
 * one does. Most terms of a raster are products of a row's and a column's factor, so a span amounts to the
 * row's factor times the difference of two running sums over the columns; quantities have running sums of
 * their own. Distances and a mesh's areas are added cell by cell. Each block is summed by itself, over the
 * few seeds that it has, and then added to the whole under a lock.
 */
#ifndef GV_STATISTICS_PARTS_H
#define GV_STATISTICS_PARTS_H

#include <pthread.h>

#include "statistics/span_kernels.h"
#include "voronoi/engine.h"

__extension__ typedef __int128 gv_wide;

enum {
  GV_TERM_BITS = 62,  /* single terms are up to 2^62 in size */
  GV_FACTOR_BITS = 40 /* and factors of products up to 2^40 */
};

typedef struct gv_totals {
  gv_wide area;
  /* LONLAT: sums of area x unit vector by GV_FACTOR_BITS, x and y twice (row and column); QTM: by
   * GV_TERM_BITS; others: sums of 2 column + 1 and 2 row + 1. */
  gv_wide moment[3];
  gv_wide distance; /* area x distance */
  int64_t cells;
  double farthest;
} gv_totals;

/* False if a sum overflows: the result is then invalid. Sums of a grid's own cells are far from that; sums of
 * other processes may have any value. */
static inline bool gv_totals_add(const gv_totals *from, gv_totals *to) {
  bool overflows = __builtin_add_overflow(to->area, from->area, &to->area);
  for (int d = 0; d < 3; d++)
    overflows |= __builtin_add_overflow(to->moment[d], from->moment[d], &to->moment[d]);
  overflows |= __builtin_add_overflow(to->distance, from->distance, &to->distance);
  overflows |= __builtin_add_overflow(to->cells, from->cells, &to->cells);
  to->farthest = from->farthest > to->farthest ? from->farthest : to->farthest;
  return !overflows;
}

typedef struct gv_sum {
  gv_wide value, distance; /* value x distance */
} gv_sum;

/* As gv_totals_add. */
static inline bool gv_sum_add(const gv_sum *from, gv_sum *to) {
  bool overflows = __builtin_add_overflow(to->value, from->value, &to->value);
  return !(overflows | __builtin_add_overflow(to->distance, from->distance, &to->distance));
}

/* LONLAT: the area of a row's cells as a fraction of the largest, and as fixed point: itself, times cosine
 * and sine of the latitude. */
typedef struct gv_row_factors {
  double share;
  int64_t area, across, up;
} gv_row_factors;

/* LONLAT: running sums over the columns before one, modulo 2^64: those of spans are smaller. */
typedef struct gv_column_sums {
  uint64_t cosine, sine;
} gv_column_sums;

enum { GV_MOST_COLUMNS = 1 << 12 }; /* of a span */

/* An open hash table from what blocks show into arrays. */
typedef struct gv_slot {
  int32_t shown, index; /* index < 0: free */
} gv_slot;

struct gv_statistics {
  gv_allocator allocator;
  const gv_voronoi *voronoi;
  const gv_span_kernels *kernels;
  bool distances;
  int32_t sums;
  double *bound;    /* of each quantity */
  double area_unit; /* the unit of area */
  double longest;   /* no distance is longer */
  gv_row_factors *row;
  gv_column_sums *column; /* one more than there are columns */
  gv_slot *labels;        /* a table of label_mask + 1 seeds by label; NULL when blocks hold seed numbers */
  uint32_t label_mask;
  pthread_mutex_t lock;
  int32_t *group; /* of each seed; NULL: each by itself */
  int64_t rows;   /* seeds, or groups */
  gv_totals *of_row;
  gv_sum *of_sum; /* rows x sums */
};

/* The size of a table for `count` >= 0 entries: a power of two, at least twice as many; -1 if that is out of
 * range. Tables of seeds, fewer than 2^31, have a mask of 32 bits. */
int64_t gv_slots_for(int64_t count);

/* The place of something in a table of mask + 1 slots, or the one that it would have. */
static inline gv_slot *gv_slot_of(gv_slot *slots, uint32_t mask, int32_t shown) {
  uint32_t at = (uint32_t)shown * UINT32_C(2654435769);
  at = (at ^ at >> 16) & mask;
  while (slots[at].index >= 0 && slots[at].shown != shown)
    at = (at + 1) & mask;
  return &slots[at];
}

static inline bool gv_is_no_region(const gv_statistics *s, int32_t shown) {
  return s->labels != NULL ? shown == s->voronoi->nodata : shown < 0;
}

/* Factors of a lon/lat grid (tables.c). */
gv_status gv_lonlat_sums(gv_context *context, gv_statistics *s);

/* No distance between a cell and a seed is longer (tables.c). */
double gv_longest_distance(const gv_voronoi *v);

/* What fixed point is a fraction of: for less a double has no inverse. */
static inline double gv_fixed_unit(double size) {
  return size > 1e-280 ? size : 1e-280;
}

/* ----------------------------------------------------------------------------------- one block: regions.c */

/* The regions of a block, and their sums. */
typedef struct gv_regions {
  const gv_statistics *s;
  gv_allocator allocator;
  gv_slot *slot; /* mask + 1, a power of two and at least twice the capacity */
  uint32_t mask;
  int32_t *shown; /* by index */
  gv_totals *of;
  gv_sum *sum; /* s->sums each */
  int32_t count, capacity;
} gv_regions;

/* Makes room for more; false when out of memory. */
gv_status gv_regions_grow(gv_context *context, gv_regions *regions);

/* The index of `shown`, which is added if it is new; the table must have room for it. */
static inline int32_t gv_region_index(gv_regions *regions, int32_t shown) {
  gv_slot *at = gv_slot_of(regions->slot, regions->mask, shown);
  if (at->index < 0) {
    *at = (gv_slot){shown, regions->count};
    regions->shown[regions->count++] = shown;
  }
  return at->index;
}

/* Adds a block to the whole. */
gv_status gv_regions_merge(gv_context *context, gv_statistics *s, const gv_regions *regions);

void gv_regions_clear(gv_regions *regions);

/* -------------------------------------------------------------------------------- one block: quantities.c */

/* Columns of one value. */
typedef struct gv_segment {
  gv_wide before; /* the sum over the columns before it */
  int64_t term, begin;
} gv_segment;

/* A quantity of a block. */
typedef struct gv_block_quantity {
  const gv_quantity *of;
  int64_t columns;
  double bound, scale;  /* of terms */
  int32_t *number;      /* of each column's segment, and of the end's */
  gv_segment *segment;  /* one more than there are */
  double *factor;       /* factor of each column's distance; NULL without distances */
  const double *values; /* the row of values that segments and factors were computed from; NULL: none yet */
  int32_t row;          /* its number */
  bool good;            /* all values are within the bound */
  gv_wide so_far;       /* the sum over the row's columns before the current span */
} gv_block_quantity;

/* gv_statistics_add of arrays on a device; quantities have their full size. */
gv_status gv_statistics_add_on_device(gv_context *context, gv_statistics *s,
                                      const gv_statistics_cells *cells);

/* Copies the caller's array, which may have structs of another size; release it with gv_release, also after
 * an error. NULL without sums. */
gv_status gv_quantities_given(gv_context *context, const gv_quantity *given, int32_t sums, gv_quantity **out);

bool gv_is_quantity(const gv_quantity *q, const gv_tile *tile);

/* To be cleared even if it fails: out of memory. */
gv_status gv_quantity_make(gv_context *context, const gv_statistics *s, const gv_quantity *of, int32_t number,
                           int64_t columns, gv_block_quantity *out);
void gv_quantity_clear(const gv_allocator *allocator, gv_block_quantity *quantity);

/* Begins a row of the block. */
void gv_quantity_begin_row(const gv_statistics *s, gv_block_quantity *quantity, int64_t r);

/* False if one of the values of columns [c0, c1) is above the bound. */
bool gv_quantity_is_good(const gv_block_quantity *quantity, int64_t c0, int64_t c1);

/* The sum over the row's columns before column c. */
static inline gv_wide gv_quantity_before(const gv_block_quantity *quantity, int64_t c) {
  const gv_segment *at = &quantity->segment[quantity->number[c]];
  return at->before + (gv_wide)at->term * (c - at->begin);
}

#endif
