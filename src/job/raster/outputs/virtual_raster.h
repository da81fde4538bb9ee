/* Merges parts without reading them: a virtual raster (VRT) that references their rows. */
#ifndef GV_JOB_RASTER_OUTPUTS_VIRTUAL_RASTER_H
#define GV_JOB_RASTER_OUTPUTS_VIRTUAL_RASTER_H

#include "io/out/writer.h"
#include "job/raster/compute/work.h"

/* Writes a virtual raster; the source of the run's blocks are part files. */
gv_status gv_merge_write_virtual(gv_io *io, const gv_run_work *work, int raster, gv_writer *out);

#endif
