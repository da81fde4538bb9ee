/* Lines and polygons that ways go round, of rasters and searches. */
#ifndef GV_JOB_BARRIER_LAYER_H
#define GV_JOB_BARRIER_LAYER_H

#include "gpuvoronoi/barriers.h"
#include "io/in/seeds.h"

/* The layer of --barriers; path NULL: none. */
typedef struct gv_job_barriers {
  const char *path, *layer;
  char **open_options;
} gv_job_barriers;

/* Reads the layer, in its own coordinates. It may be empty, also without shapes then. */
gv_status gv_job_barriers_read(gv_io *io, const gv_job_barriers *barriers, gv_edges edges, bool skip_invalid,
                               gv_seed_list *out);

/* Prepares those that have been read and transformed; an empty list: no barriers. */
gv_status gv_job_barriers_make(gv_io *io, gv_context *context, const gv_job_barriers *barriers,
                               const gv_seed_list *layer, const gv_barriers_options *options,
                               gv_barriers **out);

#endif
