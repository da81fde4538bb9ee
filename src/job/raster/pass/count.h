/* Statistics without a raster on devices. */
#ifndef GV_JOB_RASTER_PASS_COUNT_H
#define GV_JOB_RASTER_PASS_COUNT_H

#include "job/raster/compute/work.h"
#include "job/raster/pass/progress.h"

/* Statistics without a raster on devices, if that is supported and faster: returns the blocks that were
 * counted, in strips of whole rows of blocks (for a mesh, of blocks), else none; always free `done`. */
typedef struct gv_run_counted {
  int64_t blocks, count; /* blocks of a strip, and strips */
  bool *done;            /* by strip; NULL = none */
  int64_t done_blocks;
} gv_run_counted;
gv_status gv_run_count(gv_io *io, gv_run_work *work, gv_run_progress *progress, gv_run_counted *out);

#endif
