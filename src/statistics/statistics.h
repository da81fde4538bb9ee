/*
 * Statistics of regions, summed in fixed point: what all their parts share.
 *
 * Every term is turned into an integer before it is added, by a rule that looks at its cell only; integers add up to the
 * same in every order. Without distances the work is done where seeds give way to others along a row, and its cost is little
 * more than that of looking for these places.
 *
 * Boundaries. All terms of a raster are products of a row's and a column's factor (of an area, the column's is 1), so a run of
 * cells of one seed amounts to the row's factor times the difference of two running sums over the columns
 * (statistics_kernels_body.h). Factors of more bits than 32 are
 * parted into a low and a high one, whose products are summed apart, as lanes of 64 bits. A quantity has two lanes, of 2^32
 * and 1, and running sums of its own, by segments of columns of one value, for a row of boxes at a time.
 *
 * Runs. What cannot be had from running sums is added run by run: distances, values cell by cell, and all of a mesh.
 *
 * Panels. A block is cut into panels so small that no seed's lane can run over. A panel is summed by itself, over the few
 * seeds that it has (a small hash table), and then added to the whole under a lock, in 128 bits.
 */
#ifndef GV_STATISTICS_H
#define GV_STATISTICS_H

#include <pthread.h>

#include "statistics/statistics_kernels.h"
#include "voronoi/engine.h"

__extension__ typedef __int128 gv_wide;

enum {
  GV_TERM_BITS = 62,                  /* single terms are up to 2^62 in size */
  GV_FACTOR_BITS = 40,                /* and factors of products up to 2^40 */
  GV_FACTOR_HALF = GV_FACTOR_BITS / 2 /* of which the low half is parted */
};

/*
 * Lanes. Parts of a factor are at most 2^31 in size, halves at most 2^20 + 1. A panel has 2^20 cells, so lanes of a part
 * stay below 2^51, those of two halves below 2^61. Running sums over a panel's 2^10 columns are below 2^31.
 */
enum {
  /* LONLAT: running sums of the halves of cosines and sines, times the low half of the row's factor; + GV_LANE_HIGH: times the high
   * half. */
  GV_LANE_COSINE_LOW = 0,
  GV_LANE_COSINE_HIGH = 1,
  GV_LANE_SINE_LOW = 2,
  GV_LANE_SINE_HIGH = 3,
  GV_LANE_HIGH = GV_COLUMN_SUMS,
  /* Other rasters: sums of 2 column + 1 from the panel's corner. */
  GV_LANE_COLUMNS = 0,
  /* Cells, and cells times the row's factors: area and moment along the axis by low and high part, 2 row + 1. */
  GV_LANE_AREA = GV_SCAN_LANES / 2,
  GV_LANE_UP = GV_LANE_AREA + 2,
  GV_LANE_CELLS = GV_LANE_UP + 2,
  GV_LANE_ROWS = GV_LANE_CELLS + 1,
  /* QTM: three moments by low and (+ GV_LANE_HIGH) high part; area as above. */
  GV_LANE_MOMENT = 0
};

typedef struct gv_totals {
  gv_wide area;
  gv_wide moment[3]; /* globe: sum of area x unit vector; plane: sums of 2 column + 1 and 2 row + 1 */
  gv_wide distance;  /* area x distance */
  int64_t cells;
  double farthest;
} gv_totals;

typedef struct gv_sum {
  gv_wide value, distance; /* value x distance */
} gv_sum;

struct gv_statistics {
  gv_allocator allocator;
  const gv_voronoi *voronoi;
  const gv_statistics_kernels *kernels;
  bool distances;
  int32_t sums;
  double *bound;     /* of each quantity */
  double area_unit;  /* what area 1 stands for */
  double longest;    /* no distance is longer */
  double *row_share; /* LONLAT: area of one cell as a fraction of the largest; NULL = 1 */
  int64_t *factor;   /* GV_SCAN_LANES a row: LONLAT: of the grid, others: of a panel; NULL: a mesh */
  int64_t *factors;  /* of GV_BOX_ROWS rows together, from each multiple of that on */
  /* Running sums over the columns of each panel across the grid (see gv_column_entry), others than LONLAT: of any panel; NULL: a
   * mesh. */
  gv_column *column;
  gv_slot *labels; /* a table of label_mask + 1 seeds by label; NULL when blocks hold seed numbers */
  uint32_t label_mask;
  pthread_mutex_t lock;
  gv_totals *of_seed;
  gv_sum *of_sum; /* seeds x sums */
};

/* x = gv_low_part(x) + gv_high_part(x) 2^32; the low one is of either sign. */
static inline int32_t gv_low_part(int64_t x) {
  return (int32_t)(((x + INT64_C(0x80000000)) & INT64_C(0xffffffff)) - INT64_C(0x80000000));
}
static inline int32_t gv_high_part(int64_t x) {
  return (int32_t)((x - gv_low_part(x)) / (INT64_C(1) << 32));
}

static inline bool gv_is_nobody(const gv_statistics *s, int32_t shown) {
  return s->labels != NULL ? shown == s->voronoi->nodata : shown < 0;
}

/* Tables of the grid (tables.c). */

/* The fixed-point tables of a lon/lat grid. */
gv_status gv_lonlat_sums(gv_context *context, gv_statistics *s);

/* The factors of the rows of any panel on the plane, and the running sums of its columns. */
gv_status gv_plane_sums(gv_context *context, gv_statistics *s);

/* Where the running sums of the panel that begins at column `first` of a lon/lat grid are: an entry more than its columns. */
int64_t gv_column_entry(const gv_statistics *s, int64_t first);

/* No distance between a cell and a seed is longer. */
double gv_longest_distance(const gv_voronoi *v);

#endif
