/*
 * A run that computes a part of a raster: some rows of whole blocks, in the order of the file, into one file
 * (parts/part_file.h).
 *
 * Blocks are those of the whole raster, so cells and sums are the same as in one run; only the file has fewer
 * rows. Its tiles are encoded as those of the whole GeoTIFF.
 */
#include "job/raster/outputs/part_sink.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/path.h"
#include "io/strings.h"
#include "job/raster/outputs/rasters_sink.h"
#include "job/raster/parts/fingerprints.h"
#include "job/raster/parts/part_file.h"

/* Sums as records: the number of a row, and what it has, to the bit. Of the seeds, or groups, those that have
 * cells. */
typedef struct part_sums {
  const gv_run_work *work;
  int64_t *rows, count;
} part_sums;

static gv_status list_sums(gv_io *io, part_sums *out) {
  const gv_run_work *w = out->work;
  gv_context *context = w->in->context;
  gv_seed_statistics s;
  gv_seed_statistics_init(&s);
  if (w->statistics == NULL) return GV_OK;
  int64_t rows = w->plan->job->group ? w->plan->groups.count : w->in->regions->count;
  out->rows = malloc((size_t)rows * sizeof *out->rows);
  if (out->rows == NULL) return gv_io_fail_memory(io, "the statistics");
  for (int64_t i = 0; i < rows; i++) {
    GV_TRY(gv_io_pass_on_library(io, context, gv_statistics_get(context, w->statistics, i, &s)));
    if (s.cells > 0) out->rows[out->count++] = i;
  }
  return GV_OK;
}

static gv_status put_sum(gv_io *io, void *user, int64_t record, unsigned char *to) {
  const part_sums *s = user;
  gv_context *context = s->work->in->context;
  gv_part_put_number(to, (uint64_t)s->rows[record]);
  gv_status status = gv_statistics_get_sums(context, s->work->statistics, s->rows[record], to + 8);
  return gv_io_pass_on_library(io, context, status);
}

gv_status gv_job_check_space(gv_io *io, const char *temporary, double bytes) {
  double left = (double)VSIGetDiskFreeSpace(temporary);
  if (left < 0.0 || left >= bytes) return GV_OK; /* below 0: unknown */
  char *folder = gv_path_parent(temporary);
  gv_status status =
      gv_io_fail(io, GV_ERROR_IO,
                 "%s: too little disk space for the parts of all ranks and the merged raster (%.3g "
                 "of %.3g GB); free some, or use another disk",
                 folder != NULL ? folder : temporary, left * 1e-9, bytes * 1e-9);
  free(folder);
  return status;
}

/* Of rank 0 of several: an error if the file system has no space for the parts and the merged raster. The
 * sizes of compressed rasters are unknown at this point: they are checked before merging (ranks.c). */
static gv_status part_begin(gv_io *io, gv_sink *sink, gv_run_work *w) {
  const gv_run_plan *p = w->plan;
  const gv_job *j = p->job;
  const char *compression = CSLFetchNameValueDef(j->raster.creation_options, "COMPRESS", "");
  double cell = 0.0;
  (void)sink;
  if (!j->spread || j->part != 1 || !EQUAL(compression, "NONE")) return GV_OK;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (p->slot[i] >= 0) cell += p->bands[i] * GDALGetDataTypeSizeBytes(p->type[i]);
  char *folder = gv_path_parent(j->raster.path);
  if (folder == NULL) return gv_io_fail_memory(io, "a file name");
  gv_status status = gv_job_check_space(io, folder, 2.0 * cell * (double)p->width * (double)p->height);
  free(folder);
  return status;
}

/* All computed data into one file, once the rasters are complete. */
static gv_status part_complete(gv_io *io, gv_sink *sink, gv_run_work *w) {
  const gv_run_rasters *rasters = sink->rasters;
  const gv_job *j = w->plan->job;
  const gv_run_plan *p = w->plan;
  const char *files[GV_RUN_RASTERS] = {NULL};
  part_sums sums = {.work = w};
  gv_status status = list_sums(io, &sums);
  gv_part part = {.number = j->part,
                  .parts = p->parts,
                  .width = p->width,
                  .height = p->height,
                  .first = p->first_row,
                  .end = p->first_row + p->rows,
                  .block_rows = w->block_h,
                  .grid = gv_run_grid_fingerprint(p),
                  .seeds = gv_run_seeds_fingerprint(w->in),
                  .mask_bytes = gv_run_mask_bytes(j),
                  .sum_count = j->sum_count,
                  .records = sums.count,
                  .record_bytes = gv_run_sum_bytes(w),
                  .empty = gv_run_empty(w),
                  .path = strdup(j->raster.path),
                  .run = strdup(j->run != NULL ? j->run : "{}")};
  for (int i = 0; i < j->sum_count; i++)
    part.sums[i] = w->source.sum(w, i);
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (rasters->raster[i] == NULL) continue;
    files[i] = gv_place_work(gv_raster_place(rasters->raster[i]));
    if (!gv_strings_copy((const char *const *)gv_raster_creation_options(rasters->raster[i]),
                         &part.creation[i]))
      status = gv_io_fail_memory(io, "a part's description");
  }
  if (part.path == NULL || part.run == NULL) status = gv_io_fail_memory(io, "a part's description");
  if (status == GV_OK) status = gv_part_write(io, files[GV_RUN_OUT], files, &part, put_sum, &sums);
  gv_part_free(&part);
  free(sums.rows);
  return status;
}

gv_status gv_part_sink_plan(gv_io *io, const gv_job *j, gv_sink *out) {
  static const gv_sink_kind kind = {{part_begin, NULL, part_complete}, NULL};
  (void)io;
  if (j->parts > 0) out->kind = &kind;
  return GV_OK;
}
