/*
 * The vector kernels of statistics: sums over boxes and runs of cells. One source (statistics_kernels_body.h), compiled once for
 * each instruction set, chosen at run time. All sums are exact: neither the number of lanes nor the order shows.
 */
#ifndef GV_STATISTICS_KERNELS_H
#define GV_STATISTICS_KERNELS_H

#include <string.h>

#include "core/core.h"

/*
 * A sum of products of distances, each rounded to a whole number below 2^62: high 2^26 + low. Adding and taking away a
 * large number rounds a double to a multiple of a power of two, without leaving doubles: once to multiples of 2^26, then
 * the rest to whole numbers. Sums of up to GV_EXACT_TERMS of either are exact in double, so they may be made in any order.
 */
typedef struct gv_exact_sum {
  int64_t high, low;
} gv_exact_sum;

enum { GV_EXACT_TERMS = 1 << 13 };

/*
 * Rows of cells, up to GV_BOX_ROWS of them, as statistics look through them (statistics/statistics.c): boxes of these rows, from
 * left to right, without gaps. Those that are not alike have up to GV_BOX_COLUMNS columns.
 */
typedef struct gv_scan_box {
  int32_t begin, end; /* columns */
  int32_t kind;       /* GV_BOX_MIXED ... */
} gv_scan_box;

typedef struct gv_scan {
  const int32_t *cells; /* cells[row * stride + column] */
  int64_t stride;
  int32_t rows;
  const gv_scan_box *box;
  int32_t boxes;
} gv_scan;

/* Panels of rasters have up to this many columns and rows. */
enum { GV_PANEL = 1024, GV_PANEL_BOXES = GV_PANEL / GV_BOX_COLUMNS };

/*
 * Sums of a scan's cells, seed by seed. Let S(r, c) be the sum of something over the cells before column c of row r, counted
 * from the panel's first column. Then a run of cells of row r amounts to S(r, end) - S(r, begin). In most boxes two seeds
 * meet, and each row changes from one to the other once at most: then one of them has the sum over the rows of S where they
 * change, less that at the box's begin, and the other one has the rest of the box.
 *
 * S has 16 lanes of 64 bits and two more for each quantity, all modulo 2^64 (differences come out right whatever happened in
 * between). Lane i < 8 is the column's running sum i % 4 times the row's factor i (a factor has two parts), lane i >= 8 is c times the
 * factor.
 */
enum { GV_SCAN_LANES = 16, GV_COLUMN_SUMS = GV_SCAN_LANES / 4 };

/* Running sums up to a column. */
typedef struct gv_column {
  int32_t sum[GV_COLUMN_SUMS];
} gv_column;

/* A quantity of each cell of a segment of columns: part[0] + part[1] 2^32, both in the range of int32. */
typedef struct gv_term {
  int64_t part[2];
} gv_term;

/* Of a segment in all rows of a scan: the sum over the columns before column c is base + term c, by parts. */
typedef struct gv_segment_sum {
  int64_t base[2], term[2];
} gv_segment_sum;

typedef struct gv_scan_quantity {
  const int32_t *segment; /* of each column, and of the end of the row */
  const int32_t *first;   /* column of each segment, counted from `from` columns before the panel on */
  int32_t from;
  const gv_term *row[GV_BOX_ROWS]; /* the segments of each row; as groups of `size` rows that have the same ones: */
  const gv_term *group[GV_BOX_ROWS];
  int32_t size[GV_BOX_ROWS], groups;
  gv_segment_sum *all; /* the segments of all rows together */
  int32_t lane;        /* the first of its two */
} gv_scan_quantity;

typedef struct gv_scan_terms {
  const gv_column *column; /* one more than there are columns */
  const int64_t *factor;   /* GV_SCAN_LANES a row: those below 8 of up to 2^27 in size, others of up to 2^31 */
  const int64_t *factors;  /* of all rows of the scan together; NULL: not known */
  const gv_scan_quantity *quantity;
  int32_t quantities;
} gv_scan_terms;

/* What a panel shows, seeds and nodata alike, and their sums: an open hash table into arrays. */
typedef struct gv_slot {
  int32_t shown, index; /* index < 0: free */
} gv_slot;

typedef struct gv_region_sums {
  gv_slot *slot; /* mask + 1, a power of two and at least twice the capacity */
  uint32_t mask;
  int32_t *shown; /* by index */
  int64_t *sum;   /* `stride` lanes an index, at multiples of 64 bytes */
  int64_t stride;
  int32_t count, capacity;
  bool (*reserve)(struct gv_region_sums *sums,
                  int32_t more); /* makes room for more of them; false when out of memory */
} gv_region_sums;

/* Makes room if there is not enough. */
static inline bool gv_regions_reserve(gv_region_sums *to, int32_t more) {
  return to->capacity - to->count >= more || to->reserve(to, more);
}

/* Where a table of mask + 1 slots is looked at first, ... */
static inline uint32_t gv_first_slot(uint32_t mask, int32_t shown) {
  uint32_t at = (uint32_t)shown * UINT32_C(2654435769);
  return (at ^ at >> 16) & mask;
}

/* ... and the place of something in it, or the one that it would have. */
static inline gv_slot *gv_slot_of(gv_slot *slots, uint32_t mask, int32_t shown) {
  uint32_t at = gv_first_slot(mask, shown);
  while (slots[at].index >= 0 && slots[at].shown != shown)
    at = (at + 1) & mask;
  return &slots[at];
}

/* The index of what is shown, which is added if it is new; there is room for it. */
static inline int32_t gv_region_index(gv_region_sums *to, int32_t shown) {
  gv_slot *at = gv_slot_of(to->slot, to->mask, shown);
  if (at->index >= 0) return at->index;
  *at = (gv_slot){shown, to->count};
  to->shown[to->count] = shown;
  memset(to->sum + to->count * to->stride, 0, (size_t)to->stride * sizeof *to->sum);
  return to->count++;
}

/* Runs of cells of one seed, row by row, each row from its first column to its last. */
enum {
  GV_RUN_SHIFT = 16, /* rows have up to 2^16 columns */
  GV_RUN_SLACK = 128 /* entries behind the last one that find_runs may write to */
};

typedef struct gv_runs {
  int32_t *start;  /* row 2^16 + column; one more than `count`, which is that of the row after the last */
  int32_t *index;  /* of the seed's sums */
  int32_t count;   /* of runs */
  int32_t columns; /* of a row */
} gv_runs;

/* The columns of a run: from its start up to that of the next run, if it is in the same row. */
static inline int32_t gv_run_begin(const gv_runs *runs, int32_t i) {
  return runs->start[i] & ((1 << GV_RUN_SHIFT) - 1);
}
static inline int32_t gv_run_end(const gv_runs *runs, int32_t i) {
  int32_t end = runs->start[i + 1] - (runs->start[i] - gv_run_begin(runs, i));
  return end < runs->columns ? end : runs->columns;
}

typedef struct gv_statistics_kernels {
  /* Terms value[i] * factor without their fractions, at most 2^62 in size; false if a value is not in
   * -limit ... limit. */
  bool (*make_terms)(const double *value, int32_t n, double factor, double limit, gv_term *term);
  /* Makes `all` of the rest, for `width` columns of the panel. */
  void (*sum_terms)(const gv_scan_quantity *quantity, int32_t width);
  /* Adds the sums of the scan's boxes, up to GV_PANEL_BOXES of them; false when out of memory. */
  bool (*add_boxes)(const gv_scan *scan, const gv_scan_terms *terms, gv_region_sums *to);
  /* The scan's runs. There is room for GV_RUN_SLACK starts more than there are cells. */
  void (*find_runs)(const gv_scan *scan, gv_runs *runs);
  /* Adds value[i] * factor without its fraction, width[i] times (width NULL: once), for up to GV_EXACT_TERMS values and up to
   * 2^20 times altogether, to sum[0] + sum[1] 2^32; value[i] * factor is at most 2^62 in size. False, with nothing added, if a
   * value is not in -limit ... limit. */
  bool (*sum_whole)(const double *value, const double *width, int32_t n, double factor, double limit,
                    int64_t sum[2]);
  /* Adds distance[i] * factor[i] for up to GV_EXACT_TERMS distances. */
  void (*sum_products)(const double *distance, const double *factor, int32_t n, gv_exact_sum *sum);
  /* The same with one factor; returns the longest distance, or -1, with nothing added, if one is not in 0 ... limit. */
  double (*sum_distances)(const double *distance, int32_t n, double factor, double limit, gv_exact_sum *sum);
} gv_statistics_kernels;

extern const gv_statistics_kernels gv_statistics_kernels_baseline;
#if defined(GV_HAVE_X86_KERNELS)
extern const gv_statistics_kernels gv_statistics_kernels_avx2;
extern const gv_statistics_kernels gv_statistics_kernels_avx512;
#endif

/* Those of this processor (gv_simd_level). */
const gv_statistics_kernels *gv_statistics_kernels_get(void);

#endif
