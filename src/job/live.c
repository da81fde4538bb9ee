/*
 * Opening, and making levels ready. Level 0 is read as the command reads a run's inputs; overviews take its seeds, on a grid of the same
 * extent.
 */
#include "job/live.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "io/parallel.h"
#include "job/live_parts.h"

enum { MOST_AROUND = 16 /* rasters within rasters */, MOST_LEVELS = 32, MOST_IN_TABLE = 1 << 22 /* cells */ };

const gv_live_facts *gv_live_facts_of(const gv_live *live) {
  return &live->facts;
}

/* ---------------------------------------------------------------------------------------------------- freeing */

static void free_level(gv_live *live, gv_live_level *level) {
  gv_run *r = &level->run;
  for (int i = 0; i < r->worker_count && level->workers != NULL; i++)
    for (int k = 0; k < GV_LIVE_KINDS; k++)
      free(level->workers[i].scratch[k]);
  free(level->workers);
  level->workers = NULL;
  atomic_store(&level->ready, false);
  if (!level->begun) return;
  bool borrows = level != live->level;
  if (borrows && r->cells.cells == NULL) r->seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  if (borrows) r->context = NULL;
  gv_run_free_computed(r);
  gv_mask_close(r->mask);
  gv_raster_grid_free(&r->grid);
  gv_seeds_free(&r->seeds);
  *r = (gv_run){.io = NULL};
  level->begun = false;
}

static void free_facts(gv_live_facts *facts) {
  for (int i = 0; i < facts->bands && facts->band != NULL; i++) {
    free(facts->band[i].name);
    free(facts->band[i].unit);
  }
  free(facts->band);
  if (facts->crs != NULL) OSRRelease(facts->crs);
}

void gv_live_free(gv_live *live) {
  /* Overviews borrow from level 0. */
  for (int i = live->facts.levels - 1; i >= 0; i--)
    free_level(live, &live->level[i]);
  free(live->level);
  gv_attribute_table_free(&live->table);
  gv_live_cache_free(&live->cache);
  free_facts(&live->facts);
  gv_job_settings_clear(&live->settings);
  gv_description_free(&live->description);
  free(live->key);
  free(live->stamps);
  pthread_mutex_destroy(&live->lock);
  pthread_mutex_destroy(&live->free_lock);
  pthread_cond_destroy(&live->freed);
  free(live);
}

/* --------------------------------------------------------------------------------------------------- settings */

/* The bands stand for the files of a run; what belongs to files that there are none of is left out. */
static gv_status apply(gv_io *io, gv_live *live) {
  gv_job_settings *s = &live->settings;
  gv_job *j = &s->job;
  gv_job_settings_begin(s);
  gv_status status = gv_description_apply(io, &live->description, s);
  if (status != GV_OK) return status;
  if (s->band_count == 0) s->bands[s->band_count++] = GV_RUN_OUT;
  j->distance = "distance";
  status = gv_job_settings_check(io, s);
  j->raster.path = gv_job_settings_has_band(s, GV_RUN_OUT) ? "id" : NULL;
  j->azimuth = gv_job_settings_has_band(s, GV_RUN_AZIMUTH) ? "azimuth" : NULL;
  if (gv_job_settings_has_band(s, GV_RUN_DISTANCE)) return status;
  j->distance = NULL;
  j->distance_unit = (gv_unit){.kind = GV_UNIT_NONE};
  j->signed_distance = j->distance_per_value = false;
  return status;
}

static gv_status count_threads(gv_io *io, gv_job *j) {
  gv_context *context = NULL;
  if (j->threads == 0) {
    if (gv_context_create(NULL, &context) != GV_OK) return gv_io_fail_memory(io, "the threads");
    j->threads = gv_context_threads(context);
    gv_context_destroy(context);
  }
  j->raster.threads = j->threads;
  gv_run_settle(j);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------------ facts */

static gv_status add_bands(gv_io *io, gv_live *live, const gv_run *r, int kind) {
  gv_live_facts *f = &live->facts;
  const GDALDataType types[GV_LIVE_KINDS] = {live->id_type, r->j->distance_type, GDT_Float32};
  char **names = gv_run_band_names(r, kind);
  const char *unit = gv_run_unit(r, kind);
  int count = gv_run_bands(r, kind);
  gv_live_band *more = realloc(f->band, (size_t)(f->bands + count) * sizeof *more);
  bool made = more != NULL;
  if (made) f->band = more;
  for (int i = 0; i < count && made; i++) {
    gv_live_band *b = &f->band[f->bands++];
    *b = (gv_live_band){kind, i, types[kind], strdup(names[i]), unit != NULL ? strdup(unit) : NULL};
    made = b->name != NULL && (unit == NULL || b->unit != NULL);
  }
  CSLDestroy(names);
  return made ? GV_OK : gv_io_fail_memory(io, "the bands");
}

/* Half of each side, and half of that ... */
static void add_levels(gv_live *live) {
  int64_t w = live->facts.width, h = live->facts.height;
  for (live->facts.levels = 0;;) {
    gv_live_level *level = &live->level[live->facts.levels++];
    level->width = w;
    level->height = h;
    if (w <= GV_LIVE_SMALLEST && h <= GV_LIVE_SMALLEST) return;
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
}

/* What a run with a grid and a type tells. */
static gv_status take_facts(gv_io *io, gv_live *live, const gv_run *r) {
  enum { A_SIDE = 80 /* bytes that the library and GDAL have for each column and row of a level, about */ };
  gv_live_facts *f = &live->facts;
  f->width = r->grid.grid.width;
  f->height = r->grid.grid.height;
  if (f->width + f->height > r->j->memory / A_SIDE || f->width > INT64_MAX / 64 / f->height) {
    return gv_io_fail_as(io, GV_CODE_GRID_TOO_LARGE, GV_ERROR_INVALID_ARGUMENT,
                         "a grid of %" PRId64 " x %" PRId64 " cells is too large for --memory", f->width,
                         f->height);
  }
  memcpy(f->geotransform, r->grid.geotransform, sizeof f->geotransform);
  if (r->grid.crs != NULL) f->crs = OSRClone(r->grid.crs);
  if (r->grid.crs != NULL && f->crs == NULL) return gv_io_fail_memory(io, "a coordinate system");
  gv_status status = GV_OK;
  for (int i = 0; i < live->settings.band_count && status == GV_OK; i++)
    status = add_bands(io, live, r, live->settings.bands[i]);
  add_levels(live);
  return status;
}

/* What the headers of the sources tell; *known: that is all. */
static gv_status look(gv_io *io, gv_live *live, bool *known) {
  gv_job job = live->settings.job;
  gv_run r = {.io = io, .j = &job};
  bool narrow = false;
  gv_status status = gv_run_look(&r, &job, &narrow);
  bool by_cell = job.raster_seeds.by_cell;
  *known = status == GV_OK && r.grid.grid.width > 0 && (narrow || by_cell) && !job.distance_per_value;
  live->id_type = by_cell ? GDT_Int64 : GDT_Int32;
  if (*known) status = take_facts(io, live, &r);
  gv_raster_grid_free(&r.grid);
  gv_seeds_free(&r.seeds);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- levels */

static gv_status read_first(gv_live *live) {
  gv_live_level *level = &live->level[0];
  level->job = live->settings.job;
  level->run = (gv_run){.io = &live->io, .j = &level->job, .seeds = GV_SEED_LIST_INIT, .empty_seeds = -1};
  level->begun = true;
  gv_status status = gv_run_read(&level->run, &level->job);
  return status == GV_OK ? gv_run_choose_values(&level->run) : status;
}

static gv_status read_overview(gv_live *live, gv_live_level *level) {
  const gv_run *first = &live->level[0].run;
  gv_run *r = &level->run;
  level->job = live->level[0].job;
  *r = (gv_run){.io = &live->io,
                .j = &level->job,
                .seeds = first->seeds,
                .features = first->features,
                .context = first->context,
                .distance_size = first->distance_size,
                .type = first->type,
                .nodata = first->nodata,
                .empty_seeds = -1};
  r->regions = &r->seeds;
  if (first->cells.cells != NULL) r->seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  level->begun = true;
  gv_status status = gv_raster_grid_resize(&live->io, &first->grid, level->width, level->height, &r->grid);
  if (status == GV_OK && first->cells.cells != NULL) {
    status = gv_run_read_cells(r, &level->job);
    if (status == GV_OK && r->seeds.shapes != NULL) r->features = gv_seeds_features(&r->seeds);
  }
  return status == GV_OK ? gv_run_open_mask(r) : status;
}

/* What blocks are computed with. */
static gv_status make_workers(gv_live *live, gv_live_level *level) {
  gv_run *r = &level->run;
  bool ids = level->job.raster.path != NULL;
  r->width = r->grid.grid.width;
  r->height = r->grid.grid.height;
  r->block_w = r->width < GV_LIVE_BLOCK ? (int32_t)r->width : GV_LIVE_BLOCK;
  r->block_h = r->height < GV_LIVE_BLOCK ? (int32_t)r->height : GV_LIVE_BLOCK;
  r->written_count = GV_RUN_RASTERS;
  r->slot[GV_RUN_OUT] = ids ? GV_RUN_OUT : -1;
  r->slot[GV_RUN_DISTANCE] = level->job.distance != NULL ? GV_RUN_DISTANCE : -1;
  r->slot[GV_RUN_AZIMUTH] = level->job.azimuth != NULL ? GV_RUN_AZIMUTH : -1;
  r->numbers = gv_run_numbers_apart(r) || level->job.distance != NULL || level->job.azimuth != NULL;
  int64_t blocks = ((r->width + r->block_w - 1) / r->block_w) * ((r->height + r->block_h - 1) / r->block_h);
  if (level->job.threads > blocks) level->job.threads = (int)blocks;
  r->style = true; /* the table's pairs of neighbours have their place, and are looked for when it is made */
  gv_status status = gv_run_prepare(r);
  r->style = false;
  if (status == GV_OK) {
    level->workers = calloc((size_t)r->worker_count, sizeof *level->workers);
    if (level->workers == NULL) status = gv_io_fail_memory(&live->io, "the workers");
  }
  return status;
}

static gv_status check_unchanged(gv_live *live) {
  const gv_run *r = &live->level[0].run;
  const gv_live_facts *f = &live->facts;
  bool same = r->grid.grid.width == f->width && r->grid.grid.height == f->height && r->type == live->id_type &&
              memcmp(r->grid.geotransform, f->geotransform, sizeof f->geotransform) == 0;
  return same ? GV_OK
              : gv_io_fail(&live->io, GV_ERROR_IO,
                           "the seeds are others than when this raster was opened: open it again");
}

/* With the lock. */
static gv_status prepare(gv_live *live, int number) {
  gv_live_level *level = &live->level[number];
  if (atomic_load(&level->ready)) return GV_OK;
  if (live->failed != GV_OK) return gv_io_pass_on(&live->io, live->failed, &live->failure);
  gv_status status = number > 0 ? prepare(live, 0) : GV_OK;
  if (status != GV_OK) return status;
  if (number > 0) {
    status = read_overview(live, level);
  } else if (!level->begun) {
    status = read_first(live);
    if (status == GV_OK) status = check_unchanged(live);
  }
  if (status == GV_OK) status = make_workers(live, level);
  if (status == GV_OK && number == 0) gv_run_warn_of_skipped(&level->run);
  if (status != GV_OK) {
    free_level(live, level);
    /* Nothing is read again to fail again. */
    live->failed = number == 0 ? status : GV_OK;
    live->failure = live->io;
    return status;
  }
  atomic_store(&level->ready, true);
  return GV_OK;
}

/* Work for a raster under its lock. */
static gv_status with_lock(gv_io *io, gv_live *live, gv_status (*work)(gv_live *live, void *user), void *user) {
  gv_live_frame frame;
  const gv_live_frame *before = gv_live_enter(&frame, live->key);
  pthread_mutex_lock(&live->lock);
  gv_status status = work(live, user);
  if (status != GV_OK) (void)gv_io_pass_on(io, status, &live->io);
  pthread_mutex_unlock(&live->lock);
  gv_live_leave(before);
  return status;
}

static gv_status prepare_one(gv_live *live, void *user) {
  return prepare(live, *(int *)user);
}

gv_status gv_live_prepare(gv_io *io, gv_live *live, int level) {
  return atomic_load(&live->level[level].ready) ? GV_OK : with_lock(io, live, prepare_one, &level);
}

int gv_live_take_worker(gv_live *live, gv_live_level *level) {
  int number = -1;
  pthread_mutex_lock(&live->free_lock);
  while (number < 0) {
    for (int i = 0; i < level->run.worker_count && number < 0; i++)
      if (!level->workers[i].taken) number = i;
    if (number < 0) pthread_cond_wait(&live->freed, &live->free_lock);
  }
  level->workers[number].taken = true;
  pthread_mutex_unlock(&live->free_lock);
  return number;
}

void gv_live_give_worker(gv_live *live, gv_live_level *level, int number) {
  pthread_mutex_lock(&live->free_lock);
  level->workers[number].taken = false;
  pthread_cond_broadcast(&live->freed);
  pthread_mutex_unlock(&live->free_lock);
}

/* ---------------------------------------------------------------------------------------------------- opening */

/* Reads the seeds where the headers do not tell all. */
static gv_status find_facts(gv_io *io, gv_live *live) {
  bool known = false;
  gv_status status = look(io, live, &known);
  if (status != GV_OK || known) return status;
  status = read_first(live);
  if (status != GV_OK) return gv_io_pass_on(io, status, &live->io);
  live->id_type = live->level[0].run.type;
  return take_facts(io, live, &live->level[0].run);
}

static gv_status fill(gv_io *io, gv_live *live) {
  gv_status status = apply(io, live);
  if (status == GV_OK) status = count_threads(io, &live->settings.job);
  if (status == GV_OK) status = gv_live_cache_make(io, &live->cache);
  return status == GV_OK ? find_facts(io, live) : status;
}

/* A raster that is worked for by this thread, or too many of them around this one. */
static gv_status check_around(gv_io *io, const char *key) {
  const gv_live_frame *frame = gv_live_inside();
  if (frame != NULL && frame->depth >= MOST_AROUND)
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "more than %d rasters are made of one another",
                      (int)MOST_AROUND);
  for (; frame != NULL; frame = frame->around) {
    if (strcmp(frame->key, key) == 0)
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "a raster cannot be made of itself");
  }
  return GV_OK;
}

static gv_status make(gv_io *io, gv_description *description, char *key, char *stamps, gv_live **out) {
  gv_live *live = calloc(1, sizeof *live);
  gv_live_level *level = calloc(MOST_LEVELS, sizeof *level);
  if (live == NULL || level == NULL) {
    free(live);
    free(level);
    free(key);
    free(stamps);
    return gv_io_fail_memory(io, "a raster");
  }
  live->level = level;
  live->facts.levels = 1;
  pthread_mutex_init(&live->lock, NULL);
  pthread_mutex_init(&live->free_lock, NULL);
  pthread_cond_init(&live->freed, NULL);
  live->users = 1;
  live->description = *description;
  *description = (gv_description){0};
  live->key = key;
  live->stamps = stamps;
  gv_live_frame frame;
  const gv_live_frame *before = gv_live_enter(&frame, live->key);
  gv_status status = fill(io, live);
  gv_live_leave(before);
  if (status != GV_OK) {
    gv_live_free(live);
    return status;
  }
  *out = live;
  return GV_OK;
}

gv_status gv_live_open(gv_io *io, const char *name, char **options, gv_live **out) {
  gv_description description = {0};
  gv_status status = gv_live_describe(io, name, options, &description);
  char *key = status == GV_OK ? gv_live_key(&description) : NULL;
  if (status == GV_OK && key == NULL) status = gv_io_fail_memory(io, "a description");
  if (status == GV_OK) status = check_around(io, key);
  if (status != GV_OK) {
    free(key);
    gv_description_free(&description);
    return status;
  }
  /* What is opened for another raster is its own, so that no two rasters wait for each other. */
  char *stamps = gv_live_inside() == NULL ? gv_live_stamps(&description) : NULL;
  gv_live *found = stamps != NULL ? gv_live_find(key, stamps) : NULL;
  if (found != NULL) {
    free(key);
    free(stamps);
    gv_description_free(&description);
    *out = found;
    return GV_OK;
  }
  status = make(io, &description, key, stamps, out);
  gv_description_free(&description);
  if (status == GV_OK && (*out)->stamps != NULL) gv_live_share(*out);
  return status;
}

void gv_live_size(const gv_live *live, int level, int64_t *width, int64_t *height) {
  *width = live->level[level].width;
  *height = live->level[level].height;
}

/* -------------------------------------------------------------------------------------------- what seeds tell */

gv_status gv_live_nodata(gv_io *io, gv_live *live, int64_t *out) {
  if (live->settings.job.has_nodata) {
    *out = live->settings.job.nodata;
    return GV_OK;
  }
  gv_status status = gv_live_prepare(io, live, 0);
  if (status == GV_OK) *out = live->level[0].run.nodata;
  return status;
}

static gv_status find_id_range(gv_live *live, void *user) {
  int64_t *range = user;
  gv_status status = prepare(live, 0);
  if (status != GV_OK) return status;
  const gv_run *r = &live->level[0].run;
  gv_seeds_id_range(r->regions, &range[0], &range[1]);
  if (!r->j->raster_seeds.by_cell) return GV_OK;
  range[0] = 0;
  range[1] = gv_run_seed_count(r) - 1;
  return GV_OK;
}

gv_status gv_live_id_range(gv_io *io, gv_live *live, int64_t range[2]) {
  return with_lock(io, live, find_id_range, range);
}

static gv_status make_metadata(gv_live *live, void *user) {
  char ***out = user;
  gv_status status = prepare(live, 0);
  if (status != GV_OK) return status;
  return gv_run_metadata(&live->level[0].run, out);
}

gv_status gv_live_metadata(gv_io *io, gv_live *live, char ***out) {
  return with_lock(io, live, make_metadata, out);
}

/* -------------------------------------------------------------------------------------------------- the table */

typedef struct table_walk {
  gv_live *live;
  gv_live_level *level;
  gv_run run; /* that looks for neighbours, and computes ids alone */
  int64_t across;
  gv_live_duty duty;
} table_walk;

static gv_status look_for_neighbours(gv_io *io, void *user, int unused, int64_t first, int64_t end) {
  table_walk *walk = user;
  (void)unused;
  gv_live_duty before = gv_live_take_on(walk->duty);
  int number = gv_live_take_worker(walk->live, walk->level);
  size_t cells = (size_t)walk->run.block_w * (size_t)walk->run.block_h;
  void *values = malloc(cells * (size_t)walk->run.j->k * sizeof(int64_t));
  gv_status status = values != NULL ? GV_OK : gv_io_fail_memory(io, "a block");
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    gv_raster_block block = {.column = i % walk->across, .row = i / walk->across, .stride = walk->run.block_w};
    block.out[GV_RUN_OUT] = values;
    block.band_stride[GV_RUN_OUT] = (int64_t)cells;
    status = gv_run_compute_block(io, &walk->run, number, &block);
  }
  free(values);
  gv_live_give_worker(walk->live, walk->level, number);
  gv_live_end_duty(before);
  return status;
}

static gv_status find_table(gv_live *live, void *user) {
  int number = 0;
  (void)user;
  if (live->has_table) return GV_OK;
  while (number + 1 < live->facts.levels && live->level[number].width * live->level[number].height > MOST_IN_TABLE)
    number++;
  gv_status status = prepare(live, number);
  if (status != GV_OK) return status;
  gv_live_level *level = &live->level[number];
  table_walk walk = {.live = live, .level = level, .run = level->run, .duty = gv_live_duty_here()};
  gv_run *r = &walk.run;
  if (r->regions->count > GV_MAX_NAMED_SEEDS || r->slot[GV_RUN_OUT] < 0 || r->j->raster_seeds.by_cell) return GV_OK;
  r->style = true;
  r->slot[GV_RUN_DISTANCE] = r->slot[GV_RUN_AZIMUTH] = -1;
  r->each = NULL;
  walk.across = (r->width + r->block_w - 1) / r->block_w;
  gv_io_loop loop = {.threads = r->worker_count,
                     .count = walk.across * ((r->height + r->block_h - 1) / r->block_h),
                     .grain = 1,
                     .user = &walk};
  status = gv_io_parallel_for(&live->io, &loop, look_for_neighbours);
  if (status == GV_OK) status = gv_run_make_table(r, &live->table);
  live->has_table = status == GV_OK;
  return status;
}

gv_status gv_live_table(gv_io *io, gv_live *live, GDALRasterAttributeTableH *out) {
  *out = NULL;
  gv_status status = with_lock(io, live, find_table, NULL);
  if (status != GV_OK || !live->has_table) return status;
  *out = gv_attribute_table_make(&live->table);
  return *out != NULL ? GV_OK : gv_io_fail_memory(io, "the raster attribute table");
}
