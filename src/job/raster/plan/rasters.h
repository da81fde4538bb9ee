/* Descriptions in rasters: names of bands, units, metadata. */
#ifndef GV_JOB_RASTER_PLAN_RASTERS_H
#define GV_JOB_RASTER_PLAN_RASTERS_H

#include "job/raster/plan/read.h"

/* The number of seeds; of cells that of their values, or by cell of them all, kept or not. */
int64_t gv_run_seed_count(const gv_run_inputs *inputs);

/* The number of query cells of a mesh or list; 0: none. */
int64_t gv_run_cells(const gv_run_inputs *inputs);

/* True if a raster is to be a virtual one of part files; if it is written block by block, also for tracing
 * polygons. */
bool gv_run_is_virtual(const gv_job *job, int raster);
bool gv_run_writes(const gv_job *job, int raster);

/* Bands of a raster, what they are called (a list of io/strings.h; NULL: out of memory), and the unit of
 * their values (NULL: none). */
int gv_run_bands(const gv_run_inputs *inputs, int raster);
char **gv_run_band_names(const gv_run_inputs *inputs, int raster);
const char *gv_run_unit(const gv_run_inputs *inputs, int raster);

/* Metadata of the whole raster: a list of io/strings.h, to be freed in any case. */
gv_status gv_run_metadata(gv_io *io, const gv_run_inputs *inputs, char ***out);

#endif
