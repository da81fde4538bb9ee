/*
 * Parts put together: the run is carried out as any other, but blocks and sums come from part files. So whatever is made of them
 * (tiles, tables, colours, polygons, side files) is what one run makes, to the byte.
 *
 * Cells' ids tell which seed they show, as far as colours are concerned: seeds of one id are one region.
 */
#include "job/raster/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/grow.h"
#include "io/parallel.h"
#include "io/retry.h"
#include "io/text.h"
#include "job/raster/description.h"

static void close_reader(gv_merge_reader *one) {
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (one->datasets[i] != NULL) GDALClose(one->datasets[i]);
    one->datasets[i] = NULL;
  }
  if (one->file >= 0) close(one->file);
  one->file = one->part = -1;
}

void gv_run_close_parts(gv_run *r) {
  gv_merge *m = r->merge;
  if (m == NULL) return;
  for (int i = 0; i < m->workers && m->readers != NULL; i++)
    close_reader(&m->readers[i]);
  for (int i = 0; i < m->count && m->parts != NULL; i++)
    gv_part_free(&m->parts[i]);
  free(m->parts);
  free(m->readers);
  gv_groups_free(&m->groups);
  free(m);
  r->merge = NULL;
}

gv_part_sum gv_merge_sum(const gv_merge *merge, int number) {
  return merge->parts[0].sums[number];
}

/* --------------------------------------------------------------------------------------------- parts of one run */

/* Options that parts may differ in; of files the contents are compared instead. */
static bool may_differ(const gv_option *o) {
  if (o->names_file || o->place == GV_IN_NOTHING || o->kind == GV_OPTION_HEADING) return true;
  return (o->place == GV_IN_OUTPUTS) != o->parts_otherwise;
}

/* What is given of an option, however often; to be freed. */
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

static gv_status compare_options(gv_io *io, const gv_part *part, const gv_description *a, const gv_part *first,
                                 const gv_description *b) {
  gv_status status = GV_OK;
  for (int i = 0; i < GV_JOB_OPTIONS && status == GV_OK; i++) {
    const gv_option *o = &gv_job_options[i];
    if (may_differ(o)) continue;
    char *here = given(a, o), *there = given(b, o);
    if (here == NULL || there == NULL) {
      status = gv_io_fail_memory(io, "a description");
    } else if (strcmp(here, there) != 0) {
      status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s is of another run than %s: --%s is %s, not %s",
                          part->path, first->path, o->name, here, there);
    }
    free(here);
    free(there);
  }
  return status;
}

/* They were computed by one question of the same seeds; `asked` is that of the first. */
static gv_status compare_parts(gv_io *io, const gv_part *part, const gv_part *first, const gv_description *asked) {
  gv_description own = {0};
  gv_status status = gv_part_run(io, part, &own);
  if (status == GV_OK) status = compare_options(io, part, &own, first, asked);
  gv_description_free(&own);
  if (status != GV_OK) return status;
  const char *other =
      part->parts != first->parts ? "they are not of as many parts"
      : part->grid != first->grid || part->width != first->width || part->height != first->height
          ? "they have not one grid"
      : part->seeds != first->seeds           ? "their seeds differ"
      : part->mask_bytes != first->mask_bytes ? "their masks differ"
      : part->sum_count != first->sum_count || memcmp(part->sums, first->sums, sizeof part->sums) != 0
          ? "their rasters of --sum differ"
      : part->record_bytes != first->record_bytes ? "one has statistics that the other has not"
                                                  : NULL;
  for (int i = 0; i < GV_RUN_RASTERS && other == NULL; i++)
    if ((part->bytes[i] > 0) != (first->bytes[i] > 0)) other = "one has a raster that the other has not";
  if (other == NULL) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s is of another run than %s: %s", part->path, first->path,
                    other);
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
    if (i > 0 && p->number == parts[i - 1].number) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "part %" PRId64 " of %" PRId64 " is given twice: %s and %s",
                        p->number, p->parts, parts[i - 1].path, p->path);
    }
    if (p->number != i + 1) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "part %d of %" PRId64 " is missing, %d are given", i + 1,
                        p->parts, m->count);
    }
    if (p->first != row) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "%s begins with row %" PRId64 " of the raster, the part before it ends with row %" PRId64,
                        p->path, p->first, row);
    }
    row = p->end;
  }
  if (m->count < parts[0].parts) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "part %d of %" PRId64 " is missing, %d are given",
                      m->count + 1, parts[0].parts, m->count);
  }
  if (row != parts[0].height) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "the parts end with row %" PRId64 " of %" PRId64, row,
                      parts[0].height);
  }
  return GV_OK;
}

/* They are parts of what this run would compute. */
static gv_status check_run(const gv_run *r, const gv_part *p) {
  static const char *const rasters[GV_RUN_RASTERS] = {"ids", "distances: their run had no --distance",
                                                      "azimuths: their run had no --azimuth"};
  const gv_job *j = r->j;
  const char *source = j->raster_seeds.source != NULL ? j->raster_seeds.source : j->seeds.source;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if ((r->raster[i] != NULL || r->virtuals[i] != NULL) && p->bytes[i] == 0)
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "the parts have no %s", rasters[i]);
  if (j->stats != NULL && p->record_bytes == 0)
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "the parts have no statistics: their run had no --stats");
  if (p->seeds != gv_run_seeds_fingerprint(r))
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "%s was computed with other seeds than %s has now", p->path,
                      source);
  if (p->grid != gv_run_grid_fingerprint(r) || p->width != r->width || p->height != r->height)
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "%s was computed for another grid than %s asks for now",
                      p->path, j->grid.like != NULL ? j->grid.like : "its run");
  return GV_OK;
}

/* All that is read. */
static gv_status check_bytes(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const gv_run *r = user;
  (void)worker;
  gv_status status = GV_OK;
  bool rasters = false;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    rasters = rasters || r->raster[i] != NULL;
  for (int64_t i = first; i < end && status == GV_OK; i++)
    status = gv_part_check(io, &r->merge->parts[i], rasters);
  return status;
}

gv_status gv_run_open_parts(gv_run *r) {
  const gv_job *j = r->j;
  gv_merge *m = r->merge = calloc(1, sizeof *m);
  if (m == NULL) return gv_io_fail_memory(r->io, "the parts");
  m->parts = calloc((size_t)j->merged_count, sizeof *m->parts);
  if (m->parts == NULL) return gv_io_fail_memory(r->io, "the parts");
  gv_description asked = {0};
  gv_status status = GV_OK;
  for (m->count = 0; m->count < j->merged_count && status == GV_OK;) {
    gv_part *next = &m->parts[m->count++];
    status = gv_part_open(r->io, j->merged[m->count - 1], next);
    if (status != GV_OK) break;
    status = m->count == 1 ? gv_part_run(r->io, next, &asked) : compare_parts(r->io, next, m->parts, &asked);
  }
  gv_description_free(&asked);
  if (status == GV_OK) status = check_run(r, m->parts);
  qsort(m->parts, (size_t)m->count, sizeof *m->parts, by_number);
  if (status == GV_OK) status = check_complete(r->io, m);
  gv_io_loop loop = {.threads = j->threads, .count = m->count, .grain = 1, .user = r};
  return status == GV_OK ? gv_io_parallel_for(r->io, &loop, check_bytes) : status;
}

/* ---------------------------------------------------------------------------------------------------------- sums */

typedef struct adding {
  gv_run *r;
  const gv_part *part;
} adding;

static gv_status add_record(gv_io *io, void *user, const unsigned char *record) {
  const adding *a = user;
  gv_status status = gv_run_add_sum(io, a->r, record);
  if (status == GV_OK) return GV_OK;
  return gv_io_fail(io, status, "%s is damaged: %s", a->part->path, gv_context_message(a->r->context));
}

gv_status gv_run_merge_sums(gv_run *r) {
  gv_merge *m = r->merge;
  gv_status status = r->style && r->numbers ? gv_groups_make(r->io, r->regions, &m->groups) : GV_OK;
  m->readers = calloc((size_t)r->worker_count, sizeof *m->readers);
  if (m->readers == NULL) return gv_io_fail_memory(r->io, "the parts");
  m->workers = r->worker_count;
  for (int i = 0; i < m->workers; i++)
    m->readers[i].part = m->readers[i].file = -1;
  for (int k = 0; k < GV_RUN_RASTERS; k++) {
    m->copied[k] = r->raster[k] != NULL;
    for (int i = 0; i < m->count && m->copied[k]; i++) {
      m->copied[k] = m->parts[i].first % r->block_h == 0 &&
                     gv_tiff_same_encoding(m->parts[i].creation[k], gv_raster_creation_options(r->raster[k]));
    }
  }
  for (int i = 0; i < m->count && status == GV_OK; i++) {
    const gv_part *part = &m->parts[i];
    adding a = {r, part};
    r->workers[0].empty += part->empty;
    if (r->statistics == NULL) continue;
    if (part->record_bytes != gv_run_sum_bytes(r)) {
      status =
          gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "%s has other statistics than are asked for", part->path);
    }
    if (status == GV_OK) status = gv_part_records(r->io, part, add_record, &a);
  }
  return status;
}

bool gv_run_tells_seeds(const gv_run *r) {
  return r->merge == NULL || r->merge->groups.count == 0 || r->merge->groups.count == r->regions->count;
}

/* -------------------------------------------------------------------------------------------------------- blocks */

gv_status gv_merge_open(gv_io *io, const gv_run *r, int part, int raster, GDALDatasetH *out) {
  const gv_part *from = &r->merge->parts[part];
  static const char *const drivers[] = {"GTiff", NULL};
  char *name = gv_part_raster(from, raster, from->path);
  if (name == NULL) return gv_io_fail_memory(io, "a file name");
  gv_gdal_reset();
  GDALDatasetH dataset = *out = GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_INTERNAL, drivers, NULL, NULL);
  free(name);
  if (dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", from->path);
  int w = 0, h = 0;
  bool good = GDALGetRasterXSize(dataset) == from->width &&
              GDALGetRasterYSize(dataset) == from->end - from->first &&
              GDALGetRasterCount(dataset) == gv_run_bands(r, raster);
  if (good) GDALGetBlockSize(GDALGetRasterBand(dataset, 1), &w, &h);
  /* Tiles that are copied must be the output's. */
  if (good && (!r->merge->copied[raster] || (w == r->block_w && h == r->block_h))) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "%s is damaged: its rasters are not those that it is about", from->path);
}

static gv_status open_part(gv_io *io, const gv_run *r, gv_merge_reader *one, int number) {
  gv_status status = GV_OK;
  close_reader(one);
  for (int i = 0; i < GV_RUN_RASTERS && status == GV_OK; i++)
    if (r->raster[i] != NULL) status = gv_merge_open(io, r, number, i, &one->datasets[i]);
  one->part = number;
  return status;
}

/* The part that has a row. */
static int part_of(const gv_merge *m, int64_t row) {
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

/* A tile of a part as it is there, where GDAL says. */
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
    return gv_io_fail(io, GV_ERROR_IO, "%s is damaged: a tile is missing", part->path);
  }
  unsigned char *more = gv_grow(tile->bytes, &tile->room, size, 1);
  if (more == NULL) return gv_io_fail_memory(io, "the output blocks");
  tile->bytes = more;
  tile->size = (size_t)size;
  if (gv_retry_read_at(one->file, more, tile->size, (off_t)(part->at[raster] + at)) == (ssize_t)size) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "cannot read %s: it is cut short", part->path);
}

static gv_status copy_tiles(gv_io *io, const gv_run *r, gv_merge_reader *one, int raster, int64_t y,
                            gv_raster_block *block) {
  const gv_part *part = &r->merge->parts[one->part];
  int s = r->slot[raster];
  gv_status status = GV_OK;
  for (int b = 0; b < gv_run_bands(r, raster) && status == GV_OK; b++)
    status =
        copy_tile(io, part, one, raster, b + 1, block->column, (y - part->first) / r->block_h, &block->tiles[s][b]);
  block->encoded[s] = true;
  return status;
}

/* Rows of one part into the block. */
static gv_status read_rows(gv_io *io, const gv_run *r, gv_merge_reader *one, const gv_run_part *p, int64_t into,
                           gv_raster_block *block) {
  const gv_part *part = &r->merge->parts[one->part];
  const GDALDataType types[GV_RUN_RASTERS] = {r->type, r->j->distance_type, GDT_Float32};
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    int s = r->slot[i], bands = s >= 0 ? gv_run_bands(r, i) : 0;
    if (s < 0) continue;
    if (r->merge->copied[i]) {
      gv_status status = copy_tiles(io, r, one, i, p->y, block);
      if (status != GV_OK) return status;
      bands = i == GV_RUN_OUT && r->style ? 1 : 0; /* for colours */
    }
    int64_t bytes = GDALGetDataTypeSizeBytes(types[i]);
    for (int b = 0; b < bands; b++) {
      char *to = (char *)block->out[s] + (b * block->band_stride[s] + into * block->stride) * bytes;
      if (GDALRasterIO(GDALGetRasterBand(one->datasets[i], b + 1), GF_Read, (int)p->x, (int)(p->y - part->first),
                       (int)p->w, (int)p->h, to, (int)p->w, (int)p->h, types[i], (int)bytes,
                       (int)(block->stride * bytes)) != CE_None) {
        return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", part->path);
      }
    }
  }
  return GV_OK;
}

static int64_t id_at(const void *values, GDALDataType type, int64_t at) {
  switch (type) {
  case GDT_Byte:
    return ((const uint8_t *)values)[at];
  case GDT_Int16:
    return ((const int16_t *)values)[at];
  case GDT_UInt16:
    return ((const uint16_t *)values)[at];
  case GDT_Int32:
    return ((const int32_t *)values)[at];
  case GDT_UInt32:
    return ((const uint32_t *)values)[at];
  default:
    return ((const int64_t *)values)[at];
  }
}

/* Which seeds the cells show; -1 = none. */
static void number_cells(const gv_run *r, const gv_run_part *p, const gv_raster_block *block, int32_t *numbers) {
  const gv_merge *m = r->merge;
  int64_t before = r->nodata;
  int32_t number = -1;
  for (int64_t y = 0; y < p->h; y++) {
    for (int64_t x = 0; x < p->w; x++) {
      int64_t id = id_at(block->out[r->slot[GV_RUN_OUT]], r->type, y * block->stride + x);
      if (id != before) {
        int32_t group = gv_groups_find(&m->groups, r->regions, id);
        number = group >= 0 ? m->groups.first[group] : -1;
        before = id;
      }
      numbers[y * r->block_w + x] = number;
    }
  }
}

gv_status gv_run_merge_block(gv_io *io, void *user, int number, gv_raster_block *block) {
  gv_run *r = user;
  const gv_merge *m = r->merge;
  gv_run_worker *worker = &r->workers[number];
  gv_merge_reader *one = &m->readers[number];
  gv_run_part p = gv_run_block_part(r, block->column, block->row);
  gv_status status = GV_OK;
  for (int64_t done = 0; done < p.h && status == GV_OK;) {
    int at = part_of(m, p.y + done);
    int64_t left = m->parts[at].end - (p.y + done), rows = left < p.h - done ? left : p.h - done;
    gv_run_part some = {.x = p.x, .y = p.y + done, .w = p.w, .h = rows};
    if (one->part != at) status = open_part(io, r, one, at);
    if (status == GV_OK) status = read_rows(io, r, one, &some, done, block);
    done += rows;
  }
  if (status != GV_OK || !r->style) return status;
  if (m->groups.count == 0) {
    status =
        gv_adjacency_scan(io, &worker->adjacency, block->out[r->slot[GV_RUN_OUT]], p.w, p.h, block->stride, p.y);
  } else {
    number_cells(r, &p, block, worker->numbers);
    status = gv_adjacency_scan(io, &worker->adjacency, worker->numbers, p.w, p.h, r->block_w, p.y);
  }
  return status;
}
