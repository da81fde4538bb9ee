/* The library's grids and statistics of a run. */
#ifndef GV_JOB_RASTER_COMPUTE_GRIDS_H
#define GV_JOB_RASTER_COMPUTE_GRIDS_H

#include "job/raster/compute/work.h"

/* The options for every query cell, pixel or triangle. */
gv_voronoi_options gv_run_options(const gv_run_inputs *inputs);

/* Makes the grid again with them, for blocks of the run's size, and statistics, in a context of the caller;
 * an error message stays there. */
gv_status gv_run_make_voronoi(const gv_run_work *work, gv_context *context, gv_voronoi **out);
gv_status gv_run_make_statistics(const gv_run_work *work, gv_context *context, const gv_voronoi *of,
                                 gv_statistics **out);

/* The grids of the run itself, and statistics if needed. */
gv_status gv_run_create_grids(gv_io *io, gv_run_work *work);

/* The grid of a run without computation, to find its backend. */
gv_status gv_run_find_backend(gv_io *io, gv_run_work *work);

#endif
