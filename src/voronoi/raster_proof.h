/*
 * Which rows of a raster have cells that can be left out of the seeds, and which of them are asked for all the same.
 */
#ifndef GV_RASTER_PROOF_H
#define GV_RASTER_PROOF_H

#include "core/core.h"

typedef struct gv_raster_proof {
  bool own;        /* the raster's own cells ask */
  bool corners;    /* a cell is within its group only if its neighbours across the corners are, too */
  bool wraps;      /* the last column lies beside the first */
  uint8_t *holds;  /* by row: cells within their groups can be left out */
  uint8_t *whole;  /* by row: it can be left out if it and the rows beside it are of one group from end to end */
  uint8_t *row;    /* by row: cells ask there; NULL if the own cells do */
  int32_t *column; /* columns where cells ask, ascending */
  int64_t columns;
  uint8_t *asked; /* a bit a cell of the raster: somebody asks there; NULL: rows and columns tell */
  gv_allocator allocator;
} gv_raster_proof;

/* `asking` NULL: nothing can be left out. Errors: OUT_OF_MEMORY. */
gv_status gv_raster_proof_init(gv_context *context, const gv_grid *raster, const gv_grid *asking, gv_metric metric,
                               gv_raster_proof *out);
/* From here on nothing can be left out of a raster of so many rows. */
void gv_raster_proof_forget(gv_raster_proof *proof, int64_t rows);
void gv_raster_proof_clear(gv_raster_proof *proof);

#endif
