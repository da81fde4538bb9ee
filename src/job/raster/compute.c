/* The pass over all blocks, and what is made of its results. */
#include "job/raster/budget.h"
#include "job/raster/run.h"

#include <stdlib.h>
#include <string.h>

#include "io/out/polygons.h"
#include "io/parallel.h"

/* The part of the run that is under way, and the place where long GDAL calls learn of cancelling. */
typedef struct share {
  const gv_run *r;
  double from, to;
} share;

static int CPL_STDCALL report(double fraction, const char *message, void *user) {
  (void)message;
  const share *s = user;
  const gv_job *j = s->r->j;
  if (gv_io_cancelled(s->r->io)) return FALSE;
  double part = fraction < 1.0 ? fraction : 1.0; /* GDALPolygonize goes beyond */
  return j->progress == NULL || j->progress(s->from + (s->to - s->from) * part, j->progress_user);
}

static gv_status make_workers(gv_run *r) {
  gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
  size_t cells = (size_t)r->block_w * (size_t)r->block_h;
  bool apart = r->merge != NULL || gv_run_numbers_apart(r);
  options.threads = 1; /* of a worker */
  options.device = r->j->device;
  options.progress = gv_io_go_on;
  options.progress_user = r->io;
  r->worker_count = gv_budget_workers(r->j, (int64_t)cells, apart);
  r->workers = calloc((size_t)r->worker_count, sizeof *r->workers);
  bool made = r->workers != NULL;
  for (int i = 0; i < r->worker_count && made; i++) {
    gv_run_worker *w = &r->workers[i];
    made = gv_context_create(&options, &w->context) == GV_OK;
    if (r->style) gv_adjacency_init(&w->adjacency, r->width, r->height);
    if (apart) w->numbers = malloc(cells * (size_t)r->j->k * sizeof *w->numbers);
    if (r->mask != NULL) w->mask = malloc(cells);
    bool distances = r->j->stats != NULL || gv_run_converts(r) || r->j->distance_per_value;
    if (r->cells.own) w->own = malloc(cells * sizeof *w->own);
    if (r->cells.own) w->asks = malloc(cells);
    if (distances) w->distance = malloc(cells * sizeof *w->distance);
    w->quantity = calloc(GV_JOB_MAX_SUMS, sizeof *w->quantity);
    made = made && (!apart || w->numbers != NULL) && (r->mask == NULL || w->mask != NULL) &&
           (!distances || w->distance != NULL) && w->quantity != NULL &&
           (!r->cells.own || (w->own != NULL && w->asks != NULL));
  }
  return made ? GV_OK : gv_io_fail_memory(r->io, "the worker threads");
}

void gv_run_free_computed(gv_run *r) {
  gv_statistics_destroy(r->statistics);
  gv_voronoi_destroy(r->voronoi);
  for (int i = 0; i < r->worker_count && r->workers != NULL; i++) {
    gv_run_worker *w = &r->workers[i];
    gv_context_destroy(w->context);
    gv_adjacency_free(&w->adjacency);
    free(w->numbers);
    free(w->mask);
    free(w->distance);
    free(w->own);
    free(w->asks);
    free(w->quantity);
  }
  free(r->workers);
  gv_run_free_cells(r);
  gv_context_destroy(r->context);
  gv_groups_free(&r->groups);
  free(r->labels);
}

gv_status gv_run_prepare(gv_run *r) {
  gv_status status = make_workers(r);
  return status == GV_OK ? gv_run_ask(r) : status;
}

gv_status gv_run_make_table(gv_run *r, gv_attribute_table *out) {
  gv_status status = GV_OK;
  for (int i = 1; i < r->worker_count && status == GV_OK; i++)
    status = gv_adjacency_merge(r->io, &r->workers[0].adjacency, &r->workers[i].adjacency);
  if (status != GV_OK) return status;
  if (gv_run_tells_seeds(r))
    r->empty_seeds =
        gv_adjacency_unseen(&r->workers[0].adjacency, r->numbers ? NULL : r->labels, r->regions->count);
  return gv_style_table(r->io, r->regions, r->numbers, &r->workers[0].adjacency, out);
}

static gv_status add_style(gv_run *r) {
  gv_attribute_table table = {0};
  gv_status status = gv_run_make_table(r, &table);
  if (status == GV_OK) status = gv_raster_set_table(r->io, r->raster[GV_RUN_OUT], &table);
  gv_attribute_table_free(&table);
  return status;
}

/* The blocks of a run that writes no raster, or a piece of them. */
typedef struct walk {
  gv_run *r;
  share *progress;
  int64_t across, count, first, done; /* `done`: what came before */
} walk;

static gv_status compute_blocks(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const walk *w = user;
  for (int64_t i = w->first + first; i < w->first + end; i++) {
    gv_raster_block block = {.column = i % w->across, .row = i / w->across};
    gv_status status = gv_run_compute_block(io, w->r, worker, &block);
    /* Blocks are handed out in their order, and one worker tells. */
    int64_t done = w->done + i + 1 - w->first;
    bool told = worker != 0 || report((double)done / (double)w->count, "", w->progress) != FALSE;
    if (status == GV_OK && (!told || gv_io_cancelled(io))) status = gv_io_fail_cancelled(io);
    if (status != GV_OK) return status;
  }
  return GV_OK;
}

static int64_t blocks_of(const gv_run_counted *c, int64_t strip) {
  int64_t left = c->total - strip * c->blocks;
  return left < c->blocks ? left : c->blocks;
}

/* Those that nobody has counted. */
static gv_status walk_the_rest(walk *w, const gv_run_counted *counted) {
  gv_status status = GV_OK;
  w->done = w->count;
  for (int64_t i = 0; i < counted->count; i++)
    w->done -= counted->done[i] ? 0 : blocks_of(counted, i);
  for (int64_t i = 0; i < counted->count && status == GV_OK; i++) {
    if (counted->done[i]) continue;
    int64_t count = blocks_of(counted, i);
    w->first = i * counted->blocks;
    gv_io_loop loop = {.threads = w->r->worker_count, .count = count, .grain = 1, .user = w};
    status = gv_io_parallel_for(w->r->io, &loop, compute_blocks);
    w->done += count;
  }
  return status;
}

static gv_status walk_blocks(gv_run *r, share *progress, const gv_run_counted *counted) {
  walk w = {.r = r, .progress = progress, .across = (r->width + r->block_w - 1) / r->block_w};
  w.count = w.across * ((r->height + r->block_h - 1) / r->block_h);
  if (counted->count > 0) return walk_the_rest(&w, counted);
  gv_io_loop loop = {.threads = r->worker_count, .count = w.count, .grain = 1, .user = &w};
  return gv_io_parallel_for(r->io, &loop, compute_blocks);
}

gv_status gv_run_compute(gv_run *r) {
  const gv_job *j = r->j;
  bool copies = false;
  r->style =
      j->raster.path != NULL && !j->no_style && r->regions->count <= GV_MAX_NAMED_SEEDS && !j->raster_seeds.by_cell;
  gv_status status = gv_run_create_rasters(r);
  if (status != GV_OK) return status;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    copies = copies || (r->raster[i] != NULL && gv_raster_copies(r->raster[i]));
  share progress = {r, 0.0, copies || r->polygons != NULL ? 0.7 : 1.0};
  r->distances = j->stats != NULL && !j->no_stats_distances;
  r->numbers = gv_run_numbers_apart(r) || r->distances || j->distance != NULL || j->azimuth != NULL;
  if (j->stats != NULL && (j->group || !r->numbers)) status = gv_groups_make(r->io, r->regions, &r->groups);
  /* Ids that repeat do not tell seeds apart. */
  if (j->stats != NULL && !j->group && r->groups.count < r->regions->count) r->numbers = true;
  if (status != GV_OK) return status;
  r->block_w = r->block_h = GV_RUN_BLOCK;
  if (r->written_count > 0) gv_raster_block_size(r->written, &r->block_w, &r->block_h);
  gv_raster_block_fn *compute = r->merge != NULL ? gv_run_merge_block
                                : j->parts > 0   ? gv_run_compute_part_block
                                                 : gv_run_compute_block;
  status = gv_run_check_blocks(r);
  if (status == GV_OK) status = gv_run_prepare(r);
  if (status == GV_OK && r->merge != NULL) status = gv_run_merge_sums(r);
  if (status == GV_OK && r->written_count > 0) {
    const gv_raster_work work = {compute, r, r->worker_count};
    status = gv_raster_write(r->io, r->written, r->written_count, &work, report, &progress);
  } else if (status == GV_OK && r->merge == NULL) {
    gv_run_counted counted;
    status = gv_run_count(r, report, &progress, &counted);
    if (status == GV_OK) status = walk_blocks(r, &progress, &counted);
    free(counted.done);
  }
  if (status == GV_OK && r->style) status = add_style(r);
  if (status == GV_OK && r->stats != NULL) status = gv_run_write_statistics(r);
  progress.from = progress.to;
  if (status == GV_OK && r->polygons != NULL) {
    gv_raster_out *out = r->raster[GV_RUN_OUT];
    progress.to = copies ? 0.85 : 1.0;
    status = gv_polygons_write(r->io, r->polygons, gv_raster_dataset(out), r->grid.crs,
                               r->cells.cells == NULL ? &j->seeds : NULL, r->regions, report, &progress);
    progress.from = progress.to;
  }
  for (int i = 0; i < GV_RUN_RASTERS && status == GV_OK; i++) {
    progress.to = 1.0;
    if (r->raster[i] != NULL && !(i == GV_RUN_OUT && r->passing))
      status = gv_raster_finish(r->io, r->raster[i], report, &progress);
    progress.from = 1.0;
  }
  return status;
}
