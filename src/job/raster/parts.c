/*
 * A run that computes a part of a raster: some rows of whole blocks, in the order of the file, into one file (job/part_file.h).
 *
 * Blocks are those of the whole raster, so cells and sums are the same as in one run; only the file has fewer rows.
 * Its tiles are encoded as those of the whole GeoTIFF.
 */
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/path.h"
#include "job/raster/write.h"

char **gv_run_part_options(const gv_job *j) {
  static const char *const keys[] = {"COMPRESS", "PREDICTOR", "ZLEVEL", "ZSTD_LEVEL", "LZMA_PRESET", "ENDIANNESS"},
                           *const codecs[] = {"NONE", "LZW", "PACKBITS", "DEFLATE", "ZSTD", "LZMA"};
  char **from = j->raster.creation_options, **kept = NULL;
  const char *compression = CSLFetchNameValueDef(from, "COMPRESS", codecs[4]);
  bool known = false;
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    known = known || EQUAL(compression, codecs[i]);
  bool gtiff = j->raster.driver == NULL || EQUAL(j->raster.driver, "GTiff");
  for (size_t i = 0; i < sizeof keys / sizeof *keys && gtiff && known; i++) {
    const char *value = CSLFetchNameValue(from, keys[i]);
    if (value != NULL) kept = CSLSetNameValue(kept, keys[i], value);
  }
  int side = atoi(CSLFetchNameValueDef(from, "BLOCKYSIZE", "0"));
  bool square = side >= 64 && side <= 1024 && atoi(CSLFetchNameValueDef(from, "BLOCKXSIZE", "0")) == side;
  if (gtiff && square && CPLTestBool(CSLFetchNameValueDef(from, "TILED", "YES"))) {
    kept = CSLSetNameValue(kept, "BLOCKXSIZE", CPLSPrintf("%d", side));
    kept = CSLSetNameValue(kept, "BLOCKYSIZE", CPLSPrintf("%d", side));
  }
  return kept;
}

gv_status gv_job_check_space(gv_io *io, const char *temporary, double bytes) {
  double left = (double)VSIGetDiskFreeSpace(temporary);
  if (left < 0.0 || left >= bytes) return GV_OK; /* below 0: unknown */
  char *folder = gv_path_parent(temporary);
  gv_status status = gv_io_fail(io, GV_ERROR_IO,
                                "%s: too little disk space for the parts of all ranks and the merged raster (%.3g "
                                "of %.3g GB); free some, or use another disk",
                                folder != NULL ? folder : temporary, left * 1e-9, bytes * 1e-9);
  free(folder);
  return status;
}

/* The sizes of compressed rasters are unknown at this point: they are checked before merging (ranks.c). */
gv_status gv_run_check_space(gv_io *io, const gv_run_plan *p) {
  const gv_job *j = p->job;
  const char *compression = CSLFetchNameValueDef(j->raster.creation_options, "COMPRESS", "");
  double cell = 0.0;
  if (!j->spread || j->part != 1 || !EQUAL(compression, "NONE")) return GV_OK;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (p->slot[i] >= 0) cell += p->bands[i] * GDALGetDataTypeSizeBytes(p->type[i]);
  char *folder = gv_path_parent(j->raster.path);
  if (folder == NULL) return gv_io_fail_memory(io, "a file name");
  gv_status status = gv_job_check_space(io, folder, 2.0 * cell * (double)p->width * (double)p->height);
  free(folder);
  return status;
}

gv_status gv_run_check_blocks(gv_io *io, const gv_run_work *w) {
  const gv_run_plan *p = w->plan;
  bool whole = p->first_row % w->block_h == 0 && (p->rows % w->block_h == 0 || p->first_row + p->rows == p->height);
  if (w->job->parts == 0 || whole) return GV_OK;
  return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "--part: tiles of all bands together are too large");
}

gv_status gv_run_compute_part_block(gv_io *io, void *user, int number, gv_raster_block *block) {
  const gv_run_work *w = user;
  int64_t above = w->plan->first_row / w->block_h;
  block->row += above;
  gv_status status = gv_run_compute_block(io, user, number, block);
  block->row -= above;
  return status;
}

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
  int64_t rows = w->job->group ? w->plan->groups.count : w->in->regions->count;
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
  const gv_job *j = w->job;
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
    part.sums[i] = gv_run_sum(w, i);
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
