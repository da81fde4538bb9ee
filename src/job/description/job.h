/* A run described as data. */
#ifndef GV_JOB_DESCRIPTION_JOB_H
#define GV_JOB_DESCRIPTION_JOB_H

#include "io/in/raster_seeds.h"
#include "io/inputs.h"
#include "io/out/raster_out.h"
#include "io/overlay/mask.h"
#include "io/transaction/sync.h"
#include "job/barrier_layer.h"

enum { GV_JOB_MAX_SUMS = 64, GV_JOB_MOST_PARTS = 1000000 };

/* The rasters of a run. */
enum { GV_RUN_OUT, GV_RUN_DISTANCE, GV_RUN_AZIMUTH, GV_RUN_RASTERS };

/* --sum NAME=FILE, or FILE; then NAME is its stem. */
typedef struct gv_job_sum {
  char name[64];
  const char *path;
} gv_job_sum;

/* An output as it would be. */
typedef struct gv_planned_output {
  const char *option, *path;
  int64_t count;    /* of values in a raster; of rows in a table, at most */
  int64_t bytes;    /* of a raster without compression; -1 = unknown */
  const char *type; /* of a raster's values; NULL = it is a table */
} gv_planned_output;

enum { GV_MOST_PLANNED = 8 };

/* Report of a run, for people and programs. Texts are printed unchanged; numbers below 0 are unknown. */
typedef struct gv_job_report {
  gv_metric metric;
  const char *metric_reason;
  char crs[256];
  int64_t width, height;
  double cell_width, cell_height;
  char unit[64];       /* of these; "" = none */
  int level;           /* of the mesh; -1 = none */
  char cells_of[64];   /* kind of the query cells if they are not a raster's; their number is `width`; "" = a
                        * raster's */
  int64_t empty_cells; /* without a seed */
  int64_t seeds, seeds_skipped, seeds_without_cells;
  const char *backend; /* NULL = unknown */
  const char *requested_backend;
  int threads;
  int64_t memory;                             /* see gv_job */
  gv_planned_output planned[GV_MOST_PLANNED]; /* of a dry run */
  int planned_count;
} gv_job_report;

/* The raster of friction of --cost; path NULL: distances, not costs. */
typedef struct gv_job_cost {
  const char *path;
  char **open_options;
  int band, moves; /* 8, 16 or 32 */
} gv_job_cost;

/* The points of --from, where the lines of --ways begin; path NULL: none. */
typedef struct gv_job_from {
  const char *path;
  const char *layer; /* NULL = the only one */
  const char *crs;   /* NULL = the source's own */
  char **open_options;
} gv_job_from;

typedef struct gv_job {
  gv_seed_options seeds;
  gv_raster_seed_options raster_seeds; /* in place of them, if there is a source */
  gv_grid_options grid;
  gv_job_cost cost;
  gv_job_barriers barriers;
  gv_job_from from;
  gv_raster_options raster; /* of it: path, driver, creation options, overwrite */
  gv_mask_options mask;     /* source NULL = none */
  const char *backend;
  const char *cells;    /* file for the triangles as polygons, or NULL */
  const char *mesh;     /* file for them as a UGRID mesh, or NULL */
  const char *distance; /* raster of distances, or NULL */
  const char *azimuth;
  const char *stats; /* table, or NULL */
  const char *polygons;
  const char *ways; /* lines from the points of `from`, or NULL */
  const char *stats_layer, *polygons_layer,
      *ways_layer; /* their names in files of several layers; NULL = the default */
  gv_job_sum sums[GV_JOB_MAX_SUMS];
  int sum_count;
  char **sum_options;         /* "NAME=VALUE" for GDAL to open them, may be NULL */
  GDALDataType distance_type; /* GDT_Float32 or GDT_Float64 */
  GDALDataType id_type;       /* an integer's; GDT_Unknown = the ids decide: Int32 or Int64 */
  gv_weighting weighting;
  gv_length max_distance; /* INFINITY = no limit */
  gv_unit distance_unit;  /* of the distances in rasters and tables */
  int k, device;
  int threads;        /* 0 = one a CPU */
  const int *devices; /* that count statistics without a raster, for grids of any size; for tests: a number
                         may occur twice */
  int device_count;   /* 0 = those that there are */
  int64_t memory;     /* bytes over all threads, see plan/budget.h; 0 = gv_budget_default */
  bool distance_per_value; /* of seeds that are cells: the raster of distances has a band for each value */
  bool signed_distance;    /* of the raster of distances: minus those to the boundary within polygons */
  bool has_nodata, no_style, no_stats_distances;
  /* of `cells`, of other cells than triangles: polygons of their borders, not their centers */
  bool cell_borders;
  bool group;   /* the table has a row an id, not a row a seed */
  bool dry_run; /* inputs are read and reported, nothing is written */
  int64_t nodata;
  gv_sync sync;
  /* part `part` of `parts`, from 1, is written to raster.path (parts/part_file.h); 0 = all */
  int part, parts;
  bool spread;               /* of fewer rows of blocks than parts the last ones are nothing: no file */
  bool plan_only;            /* outputs are checked, nothing else is done */
  const char *config;        /* the description that the job is read from, or NULL */
  const char *run;           /* the run's description as JSON, for part files */
  const char *const *merged; /* part files to merge */
  int merged_count;          /* 0 = all is computed */
  gv_job_report *report;     /* filled by a successful run; may be NULL */
  gv_progress_fn progress;   /* receives the progress of the whole run; may be NULL */
  void *progress_user;
} gv_job;

/* The file of a raster, or NULL. */
static inline const char *gv_job_path(const gv_job *job, int raster) {
  return raster == GV_RUN_OUT ? job->raster.path : raster == GV_RUN_DISTANCE ? job->distance : job->azimuth;
}

/* Its option. */
static inline const char *gv_job_raster_option(int raster) {
  return raster == GV_RUN_OUT ? "OUT" : raster == GV_RUN_DISTANCE ? "--distance" : "--azimuth";
}

/* The source of the seeds. */
static inline const char *gv_job_seeds(const gv_job *job) {
  return job->raster_seeds.source != NULL ? job->raster_seeds.source : job->seeds.source;
}

#endif
