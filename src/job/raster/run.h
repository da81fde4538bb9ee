/*
 * What the files of a run share: everything that it has open and knows, passed from step to step.
 */
#ifndef GV_JOB_RASTER_RUN_H
#define GV_JOB_RASTER_RUN_H

#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/features.h"
#include "io/in/groups.h"
#include "io/out/mesh_out.h"
#include "io/out/style.h"
#include "io/out/table_out.h"
#include "io/overlay/quantity.h"
#include "job/raster/job.h"
#include "job/raster/part_file.h"

/* The rasters. */
enum { GV_RUN_OUT, GV_RUN_DISTANCE, GV_RUN_AZIMUTH, GV_RUN_RASTERS };

enum { GV_RUN_BLOCK = 512 /* cells a side, where no raster is written */ };

/* Part files that are put together (merge.c). */
typedef struct gv_merge gv_merge;

/* Memory of one worker. */
typedef struct gv_run_worker {
  gv_context *context;
  gv_adjacency adjacency;
  int32_t *numbers;      /* k bands of a block, if ids are wider than numbers */
  uint8_t *mask;         /* a block */
  double *distance;      /* of the nearest seed, a block */
  int32_t *own;          /* regions of a block's cells that are seeds themselves; -1: they are none */
  uint8_t *asks;         /* the block's other cells */
  bool owns;             /* some are; else neither of both is of any use */
  gv_quantity *quantity; /* one a sum */
  int64_t empty;         /* cells without a seed so far */
} gv_run_worker;

/* A block's rectangle of cells. */
typedef struct gv_run_part {
  int64_t x, y, w, h;
} gv_run_part;

/* The run, and what the threads that compute blocks share. */
typedef struct gv_run {
  gv_io *io;
  const gv_job *j;
  gv_raster_seed_content cells; /* seeds that are cells of a raster; then `seeds` is of this */
  gv_voronoi *counted;          /* with its regions as seeds: what statistics are about */
  gv_voronoi **each;            /* with the seeds of one region, for each */
  gv_seed_list seeds;
  const gv_seed_list *regions; /* what is written about: the seeds, or the values of their cells */
  gv_features features;        /* what the library has of them, if they are lines and polygons */
  gv_raster_grid grid;
  gv_mesh_out *mesh;
  gv_raster_out *raster[GV_RUN_RASTERS]; /* NULL = not asked for */
  gv_raster_out *written[GV_RUN_RASTERS];
  gv_place *virtuals[GV_RUN_RASTERS]; /* virtual rasters of part files */
  bool passing;                       /* OUT is there for polygons to be traced in it, and no output */
  int slot[GV_RUN_RASTERS];           /* place of a raster among those written; -1 = not asked for */
  int written_count;
  gv_table_out *stats, *polygons;
  gv_mask *mask;
  gv_overlay *overlay[GV_JOB_MAX_SUMS];
  gv_voronoi *voronoi;
  gv_statistics *statistics;
  gv_groups groups;    /* of seeds of one id, if statistics need them */
  gv_context *context; /* of all threads */
  gv_run_worker *workers;
  int worker_count;
  GDALDataType type; /* of ids */
  int64_t nodata, width, height;
  int64_t first_row, rows; /* of these, that rasters are made of */
  int parts;               /* of the raster, if it has parts */
  gv_merge *merge;         /* part files that all is taken from; NULL = all is computed */
  int64_t empty_seeds;     /* without cells; -1 = not known */
  double distance_size;    /* one unit of the distances that are written, in the library's */
  int32_t block_w, block_h;
  int32_t *labels; /* Int32 ids by seed */
  bool numbers;    /* blocks hold seed numbers first */
  bool by_region;  /* or regions at once, as nothing is said of the seeds themselves */
  bool on_device;  /* statistics were made there, or begun */
  bool style, distances;
} gv_run;

/* rasters.c: value type and nodata from the ids; */
gv_status gv_run_choose_values(gv_run *r);
/* the number of seeds; of cells that of their values, or by cell of them all, kept or not; */
int64_t gv_run_seed_count(const gv_run *r);
/* what the bands of a raster are called, to be freed with CSLDestroy, and the unit of their values (NULL: none); what is said of the
 * whole, likewise, whatever the status; */
char **gv_run_band_names(const gv_run *r, int raster);
const char *gv_run_unit(const gv_run *r, int raster);
gv_status gv_run_metadata(const gv_run *r, char ***out);
/* creating the rasters that were asked for. */
gv_status gv_run_create_rasters(gv_run *r);

/* A block's cells. */
static inline gv_run_part gv_run_block_part(const gv_run *r, int64_t column, int64_t row) {
  gv_run_part p = {.x = column * r->block_w, .y = row * r->block_h};
  p.w = r->width - p.x < r->block_w ? r->width - p.x : r->block_w;
  p.h = r->height - p.y < r->block_h ? r->height - p.y : r->block_h;
  return p;
}

/* True if something is asked of the grid's cells. */
static inline bool gv_run_has_cells(const gv_run *r) {
  return r->raster[GV_RUN_OUT] != NULL || r->raster[GV_RUN_DISTANCE] != NULL || r->raster[GV_RUN_AZIMUTH] != NULL ||
         r->j->stats != NULL;
}

/* True if distances go into a raster in another unit than the library's. */
static inline bool gv_run_converts(const gv_run *r) {
  return r->slot[GV_RUN_DISTANCE] >= 0 && r->distance_size != 1.0 && !r->j->distance_per_value;
}

/* True if blocks of seed numbers need memory of their own: OUT is not there, or holds something else. */
static inline bool gv_run_numbers_apart(const gv_run *r) {
  return r->type != GDT_Int32 || r->cells.cells != NULL || r->slot[GV_RUN_OUT] < 0;
}

/* Cells without a seed, of all that this process has computed. */
static inline int64_t gv_run_empty(const gv_run *r) {
  int64_t count = 0;
  for (int i = 0; i < r->worker_count; i++)
    count += r->workers[i].empty;
  return count;
}

/* Bands of a raster. */
static inline int gv_run_bands(const gv_run *r, int raster) {
  return raster == GV_RUN_DISTANCE && r->j->distance_per_value ? (int)r->regions->count : r->j->k;
}

/* read.c: what readers and writers have to know that follows from the rest; */
void gv_run_settle(gv_job *j);
/* seeds, grid, mask and sums; */
gv_status gv_run_read(gv_run *r, gv_job *j);
/* the grid alone, and whether ids are known to have 32 bits, without reading seeds: its width stays 0 where they must be read; */
gv_status gv_run_look(gv_run *r, gv_job *j, bool *narrow);
/* the mask for r->grid. */
gv_status gv_run_open_mask(gv_run *r);

/* cells.c: seeds that are cells of a raster, and the grid unless it is there already; */
gv_status gv_run_read_cells(gv_run *r, gv_job *j);
/* the grid alone, as gv_run_look; */
gv_status gv_run_look_at_cells(gv_run *r, gv_job *j, bool *narrow);
/* what statistics and distances by value are computed with; */
gv_status gv_run_make_regions(gv_run *r, const gv_voronoi_options *options);
void gv_run_free_cells(gv_run *r);
/* of a block the cells that are seeds themselves: they need not ask for the nearest, but are it; `mask`: which count, or NULL; */
gv_status gv_run_find_own(gv_io *io, const gv_run *r, gv_run_worker *worker, const gv_run_part *part,
                          const uint8_t *mask);
/* true if all of the block are of one region and nobody need ask, *own[0] being that; */
bool gv_run_is_own(const gv_run *r, gv_run_worker *worker, const gv_run_part *part, const uint8_t *mask);
/* their own region first, of several; */
void gv_run_put_own_first(const gv_run *r, const gv_run_worker *worker, const gv_run_part *part, gv_labels *block);
/* their distances and azimuths, which are 0; */
void gv_run_measure_own(const gv_run *r, const gv_run_worker *worker, const gv_raster_block *block,
                        const gv_run_part *part);
/* distances by value, which take the worker's numbers and distances; */
gv_status gv_run_measure_each(gv_io *io, const gv_run *r, gv_run_worker *worker, const gv_raster_block *block,
                              const gv_run_part *part, const uint8_t *mask);
/* from numbers of seeds to those of regions. */
void gv_run_name_regions(const gv_run *r, const gv_run_worker *worker, const gv_run_part *part,
                         const gv_labels *block);

/* distances.c: those of `count` cells, in the library's unit, into their raster from place `at` on: in its unit, rounded to its type; */
void gv_run_put_distances(const gv_run *r, const gv_raster_block *block, int64_t at, const double *from,
                          int64_t count);
/* those to the seeds of a block, and azimuths, band by band: into the rasters, and the first band's distances for the statistics. Errors
 * are the library's. */
gv_status gv_run_measure(const gv_run *r, gv_run_worker *worker, const gv_raster_block *block,
                         const gv_run_part *part, const gv_labels *numbers);

/* block.c: the way of one block, a gv_raster_block_fn. */
gv_status gv_run_compute_block(gv_io *io, void *user, int number, gv_raster_block *block);

/* question.c: what every cell asks, pixel or triangle; */
gv_voronoi_options gv_run_question(const gv_run *r);
/* the grid with it once more, for blocks of the run's size, and statistics, in a context of the caller's, whose message is left to it; */
gv_status gv_run_make_voronoi(const gv_run *r, gv_context *context, gv_voronoi **out);
gv_status gv_run_make_statistics(const gv_run *r, gv_context *context, const gv_voronoi *of, gv_statistics **out);
/* the grid, and statistics where they are wanted, of the run itself; */
gv_status gv_run_ask(gv_run *r);
/* compute.c: what blocks are computed with, for the size of blocks, the slots and the values that are set; */
gv_status gv_run_prepare(gv_run *r);
/* rasters, tables and polygons, all but putting them in their places; */
gv_status gv_run_compute(gv_run *r);
/* the attribute table of all blocks that were computed with `style`; */
gv_status gv_run_make_table(gv_run *r, gv_attribute_table *out);
/* The backend that would compute, for a run that does not; NULL if that is not known. */
gv_status gv_run_backend(gv_run *r, const char **out);
/* and what that has made. */
void gv_run_free_computed(gv_run *r);

/* count.c: statistics alone, by devices, if they can and it pays: the blocks that have been counted, in strips of whole rows of them (of a
 * mesh, of blocks), none otherwise; *done is to be freed, whatever the status. */
typedef struct gv_run_counted {
  int64_t total, blocks, count; /* blocks of the grid, of a strip, and strips */
  bool *done;                   /* by strip */
} gv_run_counted;
gv_status gv_run_count(gv_run *r, GDALProgressFunc report, void *progress, gv_run_counted *out);

/* parts.c: of a run for one part: its way of writing rasters, into *own, whose creation options are to be freed; */
gv_status gv_run_settle_part(gv_io *io, gv_job *own);
/* the rows, once rasters are planned and the grid is known; */
gv_status gv_run_choose_rows(gv_run *r);
/* by rank 0 of several: an error if the file system has no room for the parts and the merged raster; */
gv_status gv_run_check_space(const gv_run *r);
/* an error if blocks are no tiles, which parts are made of; */
gv_status gv_run_check_blocks(const gv_run *r);
/* gv_run_compute_block for these; */
gv_status gv_run_compute_part_block(gv_io *io, void *user, int number, gv_raster_block *block);
/* all that was computed into one file. */
gv_status gv_run_write_part(gv_run *r);
/* What is known of the raster of --sum number `number`, from itself or the parts. */
gv_part_sum gv_run_sum(const gv_run *r, int number);

/* sums.c: records of exact sums. Bytes of one, 0 without statistics; */
int64_t gv_run_sum_bytes(const gv_run *r);
/* of the seeds, or groups, those that have cells, to be freed; a gv_part_record_fn for them; and a gv_part_take_fn for what it gives. */
typedef struct gv_run_sums {
  gv_run *r;
  int64_t *rows, count;
} gv_run_sums;
gv_status gv_run_list_sums(gv_run *r, gv_run_sums *out);
gv_status gv_run_put_sum(gv_io *io, void *sums, int64_t record, unsigned char *to);
gv_status gv_run_add_sum(gv_io *io, void *run, const unsigned char *record);

/* fingerprints.c: what the run is about: its seeds, and its cells. */
uint64_t gv_run_seeds_fingerprint(const gv_run *r);
uint64_t gv_run_grid_fingerprint(const gv_run *r);
int64_t gv_run_mask_bytes(const gv_run *r);

/* merge.c: opens the part files, which must be parts of this very run; */
gv_status gv_run_open_parts(gv_run *r);
/* merge_virtual.c: true if the raster is to be a virtual one of part files; */
bool gv_merge_is_virtual(const gv_job *j, const char *path);
/* writes those; */
gv_status gv_run_write_virtuals(gv_run *r);
/* merge.c: adds the parts' sums, once statistics are there; */
gv_status gv_run_merge_sums(gv_run *r);
/* a gv_raster_block_fn that takes blocks from them. */
gv_status gv_run_merge_block(gv_io *io, void *user, int number, gv_raster_block *block);
void gv_run_close_parts(gv_run *r);
/* False if cells tell only which of the ids they show, and those repeat. */
bool gv_run_tells_seeds(const gv_run *r);
gv_part_sum gv_merge_sum(const gv_merge *merge, int number);

/* table.c: the table of statistics. */
gv_status gv_run_write_statistics(gv_run *r);

/* warnings.c: what people should know of outputs that are complete; */
void gv_run_warn(const gv_run *r);
/* and of seeds that were read; */
void gv_run_warn_of_skipped(const gv_run *r);
/* and what the run came to. */
void gv_run_report(const gv_run *r, gv_job_report *out);

#endif
