/* Reading. */
#ifndef GV_JOB_ON_DEMAND_BLOCKS_H
#define GV_JOB_ON_DEMAND_BLOCKS_H

#include "job/on_demand/on_demand.h"

/* Values of a rectangle of a window: of band (kind, number) at row r, column c of it:
 * values[kind] + number * band_stride[kind] + r * stride[kind] + c * step[kind], counted in values. */
typedef struct gv_on_demand_piece {
  int64_t x, y, w, h; /* in the window */
  const void *values[GV_ON_DEMAND_KINDS];
  int64_t band_stride[GV_ON_DEMAND_KINDS], stride[GV_ON_DEMAND_KINDS];
  int step[GV_ON_DEMAND_KINDS]; /* 0 where all are alike */
} gv_on_demand_piece;

typedef struct gv_on_demand_window {
  int level;
  int64_t x, y, w, h; /* within the level */
  unsigned kinds;     /* requested bits: 1 << GV_RUN_OUT ... */
  void (*take)(void *user,
               const gv_on_demand_piece *piece); /* pieces share no cell; called by several threads at once */
  void *user;
  gv_progress_fn progress; /* called by the calling thread; may be NULL */
  void *progress_user;
} gv_on_demand_window;

gv_status gv_on_demand_read(gv_io *io, gv_on_demand *on_demand, const gv_on_demand_window *window);

#endif
