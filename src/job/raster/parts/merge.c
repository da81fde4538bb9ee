/*
 * Merges parts: the run is carried out like any other, but blocks and sums come from part files. So all
 * outputs (tiles, tables, colors, polygons, side files) are the same bytes as those of one run.
 *
 * For colors, cells' ids identify their seeds: seeds of one id are one region.
 */
#include "job/raster/parts/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/grow.h"
#include "io/parallel.h"
#include "io/retry.h"
#include "io/text.h"
#include "job/description/description.h"
#include "job/raster/parts/fingerprints.h"

static void close_reader(gv_merge_reader *one) {
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (one->datasets[i] != NULL) GDALClose(one->datasets[i]);
    one->datasets[i] = NULL;
  }
  if (one->file >= 0) close(one->file);
  one->file = one->part = -1;
}

static void merge_close(void *state) {
  gv_merge *m = state;
  if (m == NULL) return;
  for (int i = 0; i < m->workers && m->readers != NULL; i++)
    close_reader(&m->readers[i]);
  for (int i = 0; i < m->count && m->parts != NULL; i++)
    gv_part_free(&m->parts[i]);
  free(m->parts);
  free(m->readers);
  gv_groups_free(&m->groups);
  free(m);
}

/* --------------------------------------------------------------------------------------- parts of one run */

/* Options that parts may differ in; of files the contents are compared instead. */
static bool may_differ(const gv_option *o) {
  if (o->names_file || o->place == GV_IN_NOTHING || o->kind == GV_OPTION_HEADING) return true;
  return (o->place == GV_IN_OUTPUTS) != o->parts_otherwise;
}

/* All values of an option; free the result. */
static char *given(const gv_description *d, const gv_option *option) {
  gv_text all = {0};
  for (int64_t i = 0; i < d->count; i++) {
    if (d->list[i].option != option) continue;
    gv_text_put_string(&all, all.length > 0 ? " " : "");
    gv_text_put_string(&all, d->list[i].value != NULL ? d->list[i].value : "given");
  }
  if (all.length == 0) gv_text_put_string(&all, "not given");
  return gv_text_take(&all);
}

static gv_status compare_options(gv_io *io, const gv_part *part, const gv_description *a,
                                 const gv_part *first, const gv_description *b) {
  gv_status status = GV_OK;
  for (int i = 0; i < GV_JOB_OPTIONS && status == GV_OK; i++) {
    const gv_option *o = &gv_job_options[i];
    if (may_differ(o)) continue;
    char *here = given(a, o), *there = given(b, o);
    if (here == NULL || there == NULL) {
      status = gv_io_fail_memory(io, "a description");
    } else if (strcmp(here, there) != 0) {
      status =
          gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: belongs to another run than %s: %s%s is %s, not %s",
                     part->path, first->path, gv_option_dashes(o), o->name, here, there);
    }
    free(here);
    free(there);
  }
  return status;
}

/* Parts must come from the same question and seeds; `expected` is that of the first. */
static gv_status compare_parts(gv_io *io, const gv_part *part, const gv_part *first,
                               const gv_description *expected) {
  gv_description own = {0};
  gv_status status = gv_part_run(io, part, &own);
  if (status == GV_OK) status = compare_options(io, part, &own, first, expected);
  gv_description_free(&own);
  if (status != GV_OK) return status;
  const char *other =
      part->parts != first->parts ? "different numbers of parts"
      : part->grid != first->grid || part->width != first->width || part->height != first->height
          ? "different grids"
      : part->seeds != first->seeds           ? "different seeds"
      : part->mask_bytes != first->mask_bytes ? "different masks"
      : part->sum_count != first->sum_count || memcmp(part->sums, first->sums, sizeof part->sums) != 0
          ? "different rasters of --sum"
      : part->record_bytes != first->record_bytes ? "statistics are missing in one of them"
                                                  : NULL;
  for (int i = 0; i < GV_RUN_RASTERS && other == NULL; i++)
    if ((part->bytes[i] > 0) != (first->bytes[i] > 0)) other = "a raster is missing in one of them";
  if (other == NULL) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: belongs to another run than %s: %s", part->path,
                    first->path, other);
}

static int by_number(const void *a, const void *b) {
  const gv_part *p = a, *q = b;
  return p->number < q->number ? -1 : p->number > q->number;
}

/* All parts, each once, and their rows one after the other. */
static gv_status check_complete(gv_io *io, const gv_merge *m) {
  const gv_part *parts = m->parts;
  int64_t row = 0;
  for (int i = 0; i < m->count; i++) {
    const gv_part *p = &parts[i];
    GV_REQUIRE(io, i == 0 || p->number != parts[i - 1].number,
               "part %" PRId64 " of %" PRId64 ": given twice: %s and %s", p->number, p->parts,
               parts[i - 1].path, p->path);
    GV_REQUIRE(io, p->number == i + 1, "part %d of %" PRId64 ": missing; %d parts are given", i + 1, p->parts,
               m->count);
    GV_REQUIRE(io, p->first == row,
               "%s: begins with row %" PRId64 " of the raster, but the previous part ends with row %" PRId64,
               p->path, p->first, row);
    row = p->end;
  }
  GV_REQUIRE(io, m->count >= parts[0].parts, "part %d of %" PRId64 ": missing; %d parts are given",
             m->count + 1, parts[0].parts, m->count);
  GV_REQUIRE(io, row == parts[0].height, "parts: end with row %" PRId64 " of %" PRId64, row, parts[0].height);
  return GV_OK;
}

/* They are parts of what this run would compute. */
static gv_status check_run(gv_io *io, const gv_run_plan *plan, const gv_part *p) {
  static const char *const rasters[GV_RUN_RASTERS] = {"ids", "distances; compute the parts with --distance",
                                                      "azimuths; compute the parts with --azimuth"};
  const gv_job *j = plan->job;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    GV_REQUIRE(io, gv_job_path(j, i) == NULL || p->bytes[i] > 0, "parts: missing %s", rasters[i]);
  GV_REQUIRE(io, j->stats == NULL || p->record_bytes > 0,
             "parts: missing statistics; compute them with --stats");
  GV_REQUIRE(io, p->seeds == gv_run_seeds_fingerprint(plan->in),
             "%s: computed with other seeds than %s has now", p->path, gv_job_seeds(j));
  bool same =
      p->grid == gv_run_grid_fingerprint(plan) && p->width == plan->width && p->height == plan->height;
  GV_REQUIRE(io, same, "%s: computed for another grid than that of %s now", p->path,
             j->grid.like != NULL ? j->grid.like : "its run");
  return GV_OK;
}

typedef struct checking {
  const gv_merge *merge;
  bool rasters; /* are read, too */
} checking;

static gv_status check_bytes(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const checking *c = user;
  (void)worker;
  for (int64_t i = first; i < end; i++)
    GV_TRY(gv_part_check(io, &c->merge->parts[i], c->rasters));
  return GV_OK;
}

/* Opens the parts of a job, and checks that they agree. */
static gv_status open_parts(gv_io *io, const gv_job *j, gv_merge *m) {
  gv_description expected = {0};
  gv_status status = GV_OK;
  for (int i = 0; i < j->merged_count && status == GV_OK; i++) {
    gv_part *next = &m->parts[m->count++];
    status = gv_part_open(io, j->merged[i], next);
    if (status != GV_OK) break;
    status = i == 0 ? gv_part_run(io, next, &expected) : compare_parts(io, next, m->parts, &expected);
  }
  gv_description_free(&expected);
  return status;
}

/* --------------------------------------------------------------------------------------------------- sums */

typedef struct merge_adding {
  const gv_run_work *work;
  const gv_part *part;
} merge_adding;

static gv_status add_record(gv_io *io, void *user, const unsigned char *record) {
  const merge_adding *a = user;
  gv_context *context = a->work->in->context;
  int64_t row = (int64_t)gv_part_number(record);
  gv_status status = gv_statistics_add_sums(context, a->work->statistics, row, record + 8);
  if (status == GV_OK) return GV_OK;
  return gv_io_fail(io, status, "%s: damaged: %s", a->part->path, gv_context_message(context));
}

static gv_status merge_begin(gv_io *io, gv_run_work *w) {
  gv_merge *m = w->source.state;
  const gv_run_plan *plan = w->plan;
  if (plan->style && plan->numbers) GV_TRY(gv_groups_make(io, w->in->regions, &m->groups));
  m->readers = calloc((size_t)w->worker_count, sizeof *m->readers);
  if (m->readers == NULL) return gv_io_fail_memory(io, "the parts");
  m->workers = w->worker_count;
  for (int i = 0; i < m->workers; i++)
    m->readers[i].part = m->readers[i].file = -1;
  for (int k = 0; k < GV_RUN_RASTERS; k++) {
    m->copied[k] = plan->slot[k] >= 0;
    for (int i = 0; i < m->count && m->copied[k]; i++) {
      m->copied[k] = m->parts[i].first % w->block_h == 0 &&
                     gv_tiff_same_encoding(m->parts[i].creation[k],
                                           gv_raster_creation_options(w->rasters[plan->slot[k]]));
    }
  }
  for (int i = 0; i < m->count; i++) {
    const gv_part *part = &m->parts[i];
    merge_adding a = {w, part};
    w->workers[0].empty += part->empty;
    if (w->statistics == NULL) continue;
    GV_REQUIRE(io, part->record_bytes == gv_run_sum_bytes(w),
               "%s: the statistics differ from the requested ones", part->path);
    GV_TRY(gv_part_records(io, part, add_record, &a));
  }
  return GV_OK;
}

static bool merge_identifies_seeds(const gv_run_work *w) {
  const gv_merge *m = w->source.state;
  return m->groups.count == 0 || m->groups.count == w->in->regions->count;
}

/* ------------------------------------------------------------------------------------------------- blocks */

gv_status gv_merge_open_raster(gv_io *io, const gv_run_work *w, int part, int raster, GDALDatasetH *out) {
  const gv_merge *m = w->source.state;
  const gv_part *from = &m->parts[part];
  const char *const drivers[] = {gv_format_tiled()->driver, NULL};
  char *name = gv_part_raster(from, raster, from->path);
  if (name == NULL) return gv_io_fail_memory(io, "a file name");
  gv_gdal_reset();
  GDALDatasetH dataset = *out = GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_INTERNAL, drivers, NULL, NULL);
  free(name);
  if (dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", from->path);
  int columns = 0, rows = 0;
  bool good = GDALGetRasterXSize(dataset) == from->width &&
              GDALGetRasterYSize(dataset) == from->end - from->first &&
              GDALGetRasterCount(dataset) == w->plan->bands[raster];
  if (good) GDALGetBlockSize(GDALGetRasterBand(dataset, 1), &columns, &rows);
  /* Tiles that are copied must be the output's. */
  if (good && (!m->copied[raster] || (columns == w->block_w && rows == w->block_h))) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "%s: damaged: the rasters differ from the description", from->path);
}

static gv_status open_part(gv_io *io, const gv_run_work *w, gv_merge_reader *one, int number) {
  close_reader(one);
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (w->plan->slot[i] >= 0) GV_TRY(gv_merge_open_raster(io, w, number, i, &one->datasets[i]));
  one->part = number;
  return GV_OK;
}

/* The part that has a row. */
static int merge_part_of(const gv_merge *m, int64_t row) {
  int low = 0, high = m->count - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (m->parts[middle].first <= row) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* Copies an encoded tile of a part from the position that GDAL reports. */
static gv_status copy_tile(gv_io *io, const gv_part *part, gv_merge_reader *one, int raster, int band,
                           int64_t column, int64_t row, gv_tiff_tile *tile) {
  GDALRasterBandH from = GDALGetRasterBand(one->datasets[raster], band);
  char name[64];
  if (one->file < 0) one->file = gv_retry_open(part->path, O_RDONLY | O_CLOEXEC, 0);
  snprintf(name, sizeof name, "BLOCK_OFFSET_%" PRId64 "_%" PRId64, column, row);
  const char *text = GDALGetMetadataItem(from, name, "TIFF");
  int64_t at = text != NULL ? strtoll(text, NULL, 10) : -1;
  snprintf(name, sizeof name, "BLOCK_SIZE_%" PRId64 "_%" PRId64, column, row);
  text = GDALGetMetadataItem(from, name, "TIFF");
  int64_t size = text != NULL ? strtoll(text, NULL, 10) : -1;
  if (one->file < 0 || at < 0 || size <= 0 || at > part->bytes[raster] - size) {
    return gv_io_fail(io, GV_ERROR_IO, "%s: damaged: a tile is missing", part->path);
  }
  unsigned char *more = gv_grow(tile->bytes, &tile->room, size, 1);
  if (more == NULL) return gv_io_fail_memory(io, "the output blocks");
  tile->bytes = more;
  tile->size = (size_t)size;
  if (gv_retry_read_at(one->file, more, tile->size, (off_t)(part->at[raster] + at)) == (ssize_t)size)
    return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "%s: truncated", part->path);
}

static gv_status copy_tiles(gv_io *io, const gv_run_work *w, gv_merge_reader *one, int raster, int64_t y,
                            gv_raster_block *block) {
  const gv_merge *m = w->source.state;
  const gv_part *part = &m->parts[one->part];
  int s = w->plan->slot[raster];
  int64_t row = (y - part->first) / w->block_h;
  for (int b = 0; b < w->plan->bands[raster]; b++)
    GV_TRY(copy_tile(io, part, one, raster, b + 1, block->column, row, &block->tiles[s][b]));
  block->encoded[s] = true;
  return GV_OK;
}

/* Rows of one part into the block. */
static gv_status read_rows(gv_io *io, const gv_run_work *w, gv_merge_reader *one, const gv_rectangle *p,
                           int64_t into, gv_raster_block *block) {
  const gv_merge *m = w->source.state;
  const gv_part *part = &m->parts[one->part];
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    int s = w->plan->slot[i], bands = w->plan->bands[i];
    GDALDataType type = w->plan->type[i];
    if (s < 0) continue;
    if (m->copied[i]) {
      GV_TRY(copy_tiles(io, w, one, i, p->y, block));
      bands = i == GV_RUN_OUT && w->plan->style ? 1 : 0; /* for colors */
    }
    int64_t bytes = GDALGetDataTypeSizeBytes(type);
    for (int b = 0; b < bands; b++) {
      char *to = (char *)block->out[s] + (b * block->band_stride[s] + into * block->stride) * bytes;
      if (GDALRasterIO(GDALGetRasterBand(one->datasets[i], b + 1), GF_Read, (int)p->x,
                       (int)(p->y - part->first), (int)p->w, (int)p->h, to, (int)p->w, (int)p->h, type,
                       (int)bytes, (int)(block->stride * bytes)) != CE_None) {
        return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", part->path);
      }
    }
  }
  return GV_OK;
}

/* Which seeds the cells show; -1 = none. */
static void number_cells(const gv_run_work *w, const gv_rectangle *p, const gv_raster_block *block,
                         int32_t *numbers) {
  enum { STRETCH = 256 };
  const gv_merge *m = w->source.state;
  const GDALDataType type = w->plan->type[GV_RUN_OUT];
  const int size = GDALGetDataTypeSizeBytes(type);
  const char *values = block->out[w->plan->slot[GV_RUN_OUT]];
  int64_t before = w->plan->nodata, ids[STRETCH];
  int32_t number = -1;
  for (int64_t i = 0; i < p->w * p->h; i++) {
    int64_t x = i % p->w, y = i / p->w, at = x % STRETCH, left = p->w - x;
    if (at == 0)
      GDALCopyWords(values + (y * block->stride + x) * size, type, size, ids, GDT_Int64, sizeof *ids,
                    left < STRETCH ? (int)left : STRETCH);
    if (ids[at] != before) {
      int32_t group = gv_groups_find(&m->groups, w->in->regions, ids[at]);
      number = group >= 0 ? m->groups.first[group] : -1;
      before = ids[at];
    }
    numbers[y * w->block_w + x] = number;
  }
}

static gv_status merge_block(gv_io *io, void *user, int number, gv_raster_block *block) {
  const gv_run_work *w = user;
  const gv_merge *m = w->source.state;
  gv_run_worker *worker = &w->workers[number];
  gv_merge_reader *one = &m->readers[number];
  gv_rectangle p = gv_run_block_cells(w, block->column, block->row);
  for (int64_t done = 0; done < p.h;) {
    int at = merge_part_of(m, p.y + done);
    int64_t left = m->parts[at].end - (p.y + done), rows = left < p.h - done ? left : p.h - done;
    gv_rectangle some = {.x = p.x, .y = p.y + done, .w = p.w, .h = rows};
    if (one->part != at) GV_TRY(open_part(io, w, one, at));
    GV_TRY(read_rows(io, w, one, &some, done, block));
    done += rows;
  }
  if (!worker->scans) return GV_OK;
  if (m->groups.count == 0) {
    const int32_t *ids = block->out[w->plan->slot[GV_RUN_OUT]];
    return gv_adjacency_scan(io, &worker->adjacency, ids, p.w, p.h, block->stride, p.y);
  }
  number_cells(w, &p, block, worker->numbers);
  return gv_adjacency_scan(io, &worker->adjacency, worker->numbers, p.w, p.h, w->block_w, p.y);
}

/* ------------------------------------------------------------------------------------------------ opening */

static gv_sum_totals merge_sum(const gv_run_work *w, int number) {
  const gv_merge *m = w->source.state;
  return m->parts[0].sums[number];
}

gv_status gv_merge_open(gv_io *io, const gv_run_plan *plan, gv_block_source *out) {
  const gv_job *j = plan->job;
  gv_merge *m = calloc(1, sizeof *m);
  *out = (gv_block_source){.name = "merge",
                           .has_sums = true,
                           .block = merge_block,
                           .begin = merge_begin,
                           .sum = merge_sum,
                           .identifies_seeds = merge_identifies_seeds,
                           .close = merge_close,
                           .state = m};
  if (m != NULL) m->parts = calloc((size_t)j->merged_count, sizeof *m->parts);
  if (m == NULL || m->parts == NULL) return gv_io_fail_memory(io, "the parts");
  GV_TRY(open_parts(io, j, m));
  GV_TRY(check_run(io, plan, m->parts));
  qsort(m->parts, (size_t)m->count, sizeof *m->parts, by_number);
  GV_TRY(check_complete(io, m));
  checking c = {m, plan->written > 0};
  gv_io_loop loop = {.threads = plan->in->threads, .count = m->count, .grain = 1, .user = &c};
  return gv_io_parallel_for(io, &loop, check_bytes);
}
