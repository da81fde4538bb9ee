/*
 * The main job as an algorithm of GDAL, `gdal raster voronoi` (plugin/gdal): the options of the command by
 * name, and a run with values for them.
 */
#ifndef GV_JOB_RASTER_ALGORITHM_H
#define GV_JOB_RASTER_ALGORITHM_H

#include "io/io.h"
#include "job/option.h"

/* The options that an algorithm has, in the order of --help, and OUT as the last; NULL from their number
 * on. */
const gv_option *gv_algorithm_option(int number);

/* An option with its value; NULL for flags. */
typedef struct gv_algorithm_value {
  const gv_option *option;
  const char *value;
} gv_algorithm_value;

/* Runs the job; the outputs are those of the command with the same options. `seeds`: the source of the seeds,
 * a vector or raster source. It is the value of --seeds-raster if options of such seeds are given, or if it
 * is not a vector source for GDAL; else that of --seeds. `progress` may be NULL; the run ends if it returns
 * 0. */
gv_status gv_algorithm_run(gv_io *io, const char *seeds, const gv_algorithm_value *values, size_t count,
                           gv_progress_fn progress, void *progress_user);

#endif
