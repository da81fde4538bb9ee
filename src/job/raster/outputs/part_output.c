/*
 * A run that computes a part of a raster: some rows of whole blocks, in the order of the file, into one file (parts/part_file.h).
 *
 * Blocks are those of the whole raster, so cells and sums are the same as in one run; only the file has fewer rows.
 * Its tiles are encoded as those of the whole GeoTIFF.
 */
#include "job/raster/outputs/part_output.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "job/raster/parts/fingerprints.h"
#include "job/raster/parts/part_file.h"

/* Sums as records: the number of a row, and what it has, to the bit. Of the seeds, or groups, those that have cells. */
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

gv_status gv_run_write_part(gv_io *io, const gv_run_work *w, const gv_run_outputs *out) {
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
    if (out->raster[i] == NULL) continue;
    files[i] = gv_place_work(gv_raster_place(out->raster[i]));
    part.creation[i] = CSLDuplicate(gv_raster_creation_options(out->raster[i]));
  }
  if (part.path == NULL || part.run == NULL) status = gv_io_fail_memory(io, "a part's description");
  if (status == GV_OK) status = gv_part_write(io, files[GV_RUN_OUT], files, &part, put_sum, &sums);
  gv_part_free(&part);
  free(sums.rows);
  return status;
}
