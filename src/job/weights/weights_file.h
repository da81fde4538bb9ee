/*
 * A NetCDF file of weights, in the form that ESMF and SCRIP share: row (target) and col (source) from 1 and
 * S; of both sides (a: source, b: target) grid_dims, xc, yc, mask, area and frac. Everything is written in
 * the order of cells.
 */
#ifndef GV_JOB_WEIGHTS_WEIGHTS_FILE_H
#define GV_JOB_WEIGHTS_WEIGHTS_FILE_H

#include "io/out/cells/array_file.h"
#include "job/weights/side.h"

enum { GV_WEIGHTS_A, GV_WEIGHTS_B, GV_WEIGHTS_SIDES };

typedef struct gv_weights_facts {
  const gv_weights_side *side[GV_WEIGHTS_SIDES];
  int64_t weights;
  int k;
  double power;
  gv_metric metric;
} gv_weights_facts;

/* Begins as {.file.writer}; the arrays of a side are those of `names` in weights_file.c. */
typedef struct gv_weights_file {
  gv_array_file file;
  GDALMDArrayH row, col, weight, cells[GV_WEIGHTS_SIDES][5];
  double *numbers; /* of a block */
} gv_weights_file;

/* Checks the path and the driver, and plans the place. */
gv_status gv_weights_file_plan(gv_io *io, const char *path, bool overwrite, gv_writer *writer);

gv_status gv_weights_file_begin(gv_io *io, gv_weights_file *file, const gv_weights_facts *facts);

/* A block of a side. `reached`: of the target, which cells have weights. */
gv_status gv_weights_file_put_cells(gv_io *io, gv_weights_file *file, int side, const gv_weights_block *block,
                                    const bool *reached);

/* The next weights. */
gv_status gv_weights_file_put(gv_io *io, gv_weights_file *file, int64_t first, int64_t count,
                              const int64_t *row, const int64_t *col, const double *weight);

/* Completes the file if `status` is GV_OK, and releases all. */
gv_status gv_weights_file_finish(gv_io *io, gv_weights_file *file, gv_status status);

#endif
