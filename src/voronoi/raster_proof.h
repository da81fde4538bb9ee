/*
 * Which rows of a raster have cells that can be left out of the seeds, and which of these cells are kept
 * because of queries.
 */
#ifndef GV_RASTER_PROOF_H
#define GV_RASTER_PROOF_H

#include "core/core.h"

typedef struct gv_raster_proof {
  bool own;       /* the queries are the raster's own cells */
  bool corners;   /* a cell is within its group only if its neighbors across the corners are, too */
  bool wraps;     /* the last column is adjacent to the first */
  uint8_t *holds; /* by row: cells within their groups can be left out */
  /* by row: cells can be left out if it and the adjacent rows are of one group from end to end */
  uint8_t *whole;
  uint8_t *row;    /* by row: queries are there; NULL if they are the own cells */
  int32_t *column; /* columns with queries, ascending */
  int64_t columns;
  uint8_t *has_query; /* a bit for each cell of the raster: a query is there; NULL: rows and columns decide */
  gv_allocator allocator;
} gv_raster_proof;

/* `query_grid` NULL: no cell can be left out. Errors: OUT_OF_MEMORY. */
gv_status gv_raster_proof_init(gv_context *context, const gv_grid *raster, const gv_grid *query_grid,
                               gv_metric metric, gv_raster_proof *out);
/* From here on no cell can be left out of a raster of this number of rows. */
void gv_raster_proof_forget(gv_raster_proof *proof, int64_t rows);
void gv_raster_proof_clear(gv_raster_proof *proof);

#endif
