/*
 * The main job: what the options ask for (voronoi_command.c), and carrying it out (voronoi_run.c).
 */
#ifndef GV_CLI_VORONOI_JOB_H
#define GV_CLI_VORONOI_JOB_H

#include "io/in/grid.h"
#include "io/out/raster_out.h"
#include "io/out/sync.h"
#include "io/overlay/mask.h"

enum { MAX_SUMS = 64 };

/* --sum NAME=FILE, or FILE whose stem is the name. */
typedef struct voronoi_sum {
  char name[64];
  const char *path;
} voronoi_sum;

typedef struct voronoi_job {
  gv_seed_options seeds;
  gv_grid_options grid;
  gv_raster_options raster;
  gv_mask_options mask; /* source NULL = none */
  const char *backend;
  const char *cells;    /* file for the triangles as polygons, or NULL */
  const char *mesh;     /* file for them as a UGRID mesh, or NULL */
  const char *distance; /* raster of distances, or NULL */
  const char *azimuth;
  const char *stats; /* table, or NULL */
  const char *polygons;
  const char *stats_layer, *polygons_layer; /* their names in files of several layers; NULL = the default */
  voronoi_sum sums[MAX_SUMS];
  int sum_count;
  GDALDataType distance_type; /* GDT_Float32 or GDT_Float64 */
  gv_weighting weighting;
  double max_distance; /* INFINITY = no limit */
  int k, threads, device;
  bool has_nodata, no_style, no_stats_distances;
  int64_t nodata;
  gv_sync sync;
  gv_progress_fn progress; /* told of the whole run's; may be NULL */
  void *progress_user;
} voronoi_job;

/* Makes all outputs. */
gv_status voronoi_run(gv_io *io, voronoi_job *job);

#endif
