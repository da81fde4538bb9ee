/* A block being added: its quantities, and the runs of cells at hand. */
#ifndef GV_STATISTICS_BLOCK_H
#define GV_STATISTICS_BLOCK_H

#include "statistics/panel_sums.h"

/*
 * A quantity of a block. Where values serve a segment of columns each, there are running sums over the columns of a panel, made
 * for a row of boxes at a time; what goes into them is kept for as many rows of values as that can have.
 */
typedef struct gv_block_quantity {
  double scale;               /* of terms */
  int32_t *segment;           /* of each column, and of the end; NULL: a value a cell */
  double *width;              /* of each segment */
  gv_term *term[GV_BOX_ROWS]; /* of each segment; table i is one of row of values made[i], i modulo GV_BOX_ROWS */
  int32_t made[GV_BOX_ROWS];  /* -1: of none */
  bool good[GV_BOX_ROWS];     /* these values are within the bound */
  gv_segment_sum *all;        /* running sums of the rows at hand; NULL: there are never any */
  bool summed;                /* the rows at hand are added by them */
  double *factor;             /* what each column's distance is multiplied by; NULL without distances */
  const double *row;          /* the values that this was made of; NULL: nothing yet */
  int32_t at;                 /* the row of values that was looked at last */
} gv_block_quantity;

/* A block being added. */
typedef struct gv_statistics_work {
  gv_context *context;
  const gv_statistics *s;
  const gv_statistics_block *block;
  gv_tile tile;                    /* the block's */
  gv_block_quantity *quantity;     /* one a sum */
  gv_scan_quantity *scan_quantity; /* those that are summed */
  gv_scan_box *box;                /* of a row of boxes of a panel */
  gv_runs runs;                    /* of some rows, counted from the panel's corner */
  double *mesh[5]; /* areas of triangles, three moments, shares of the largest area; NULL for a raster */
} gv_statistics_work;

/* A run of cells of one seed: columns [c0, c1) of row r, from the block's corner. */
typedef struct gv_run {
  int64_t c0, c1, r;
} gv_run;

static inline gv_run gv_run_of(const gv_runs *runs, int32_t i, int64_t column, int64_t row) {
  return (gv_run){column + gv_run_begin(runs, i), column + gv_run_end(runs, i),
                  row + (runs->start[i] >> GV_RUN_SHIFT)};
}

static inline int32_t gv_terms_of(int64_t n) {
  return n < GV_EXACT_TERMS ? (int32_t)n : GV_EXACT_TERMS;
}

/* Quantities (quantities.c). */

bool gv_is_quantity(const gv_quantity *q, const gv_tile *tile);

/* Segments, widths and room for terms. To be freed even if it fails. */
bool gv_quantities_make(gv_statistics_work *j);

/*
 * Makes the factors of distances for row r of the block. Returns how many rows from there on, up to `most`, they are good
 * for.
 */
int32_t gv_prepare_factors(const gv_statistics_work *j, int64_t r, int32_t most);

/* Running sums for some rows of a panel, from row r of the block on, where there can be any. Returns of how many. */
int32_t gv_sum_quantities(gv_statistics_work *j, int64_t from, int64_t width, int64_t r, int32_t rows);

/* A quantity over a run, without running sums. */
gv_status gv_add_values(const gv_statistics_work *j, int32_t number, const gv_run *at, int64_t *lanes);

/* Sum of the whole parts of value x factor, `width` times each if that is not NULL; false if a value is beyond the limit. */
bool gv_sum_whole(const gv_statistics *s, const double *value, const double *width, int64_t n, double factor,
                  double limit, int64_t sum_of[2]);

/* What is added run by run (runs.c). */

/* Cells, areas and moments of runs of triangles, from column `from` of the block on. */
void gv_add_triangles(const gv_statistics_work *j, int64_t from, gv_panel_sums *l);

/* What is done run by run: distances, and quantities without running sums; from column `from` and row `row` of the block on. */
gv_status gv_add_each(const gv_statistics_work *j, int64_t from, int64_t row, gv_panel_sums *l);

#endif
