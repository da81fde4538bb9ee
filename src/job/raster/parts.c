/*
 * A run that computes a part of a raster: some rows of whole blocks, in the order of the file, into one file (job/part_file.h).
 *
 * Blocks are those of the whole raster, so every cell is what it is in one run, and so are sums; only the file has fewer rows. Its
 * tiles are encoded as those of a GeoTIFF that all goes to.
 */
#include "job/raster/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/path.h"

/* ------------------------------------------------------------------------------------------------------ planning */

/* What of the creation options for all goes for a part: how its tiles are encoded, where nothing is lost by it. */
static char **keep_options(const gv_job *j) {
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

gv_status gv_run_settle_part(gv_io *io, gv_job *j) {
  j->raster.creation_options = keep_options(j);
  j->raster.driver = "GTiff";
  j->no_style = true; /* it is made at the end, of all */
  const char *source = j->raster_seeds.source != NULL ? j->raster_seeds.source : j->seeds.source;
  if (strncmp(source, "/vsimem/", 8) == 0) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "--part: the seeds are read once more when parts are merged: write them to a file");
  }
  return GV_OK;
}

gv_status gv_run_choose_rows(gv_run *r) {
  const gv_job *j = r->j;
  r->width = r->grid.grid.width;
  r->height = r->rows = r->grid.grid.height;
  if (j->parts == 0) return GV_OK;
  int64_t side = atoi(CSLFetchNameValueDef(gv_raster_creation_options(r->raster[GV_RUN_OUT]), "BLOCKYSIZE", "0"));
  int64_t blocks = side > 0 ? (r->height + side - 1) / side : 0;
  r->parts = j->spread && j->parts > blocks ? (int)blocks : j->parts;
  if (j->spread && j->part > r->parts) {
    r->rows = 0;
    return GV_OK;
  }
  if (r->parts > blocks) {
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--part %d/%d: the raster has %lld rows of blocks, and can have so many parts at most",
                      j->part, j->parts, (long long)blocks);
  }
  int64_t end = j->part * blocks / r->parts * side;
  r->block_h = (int32_t)side;
  r->first_row = (j->part - 1) * blocks / r->parts * side;
  r->rows = (end < r->height ? end : r->height) - r->first_row;
  return GV_OK;
}

gv_status gv_job_check_space(gv_io *io, const char *temporary, double bytes) {
  double left = (double)VSIGetDiskFreeSpace(temporary);
  if (left < 0.0 || left >= bytes) return GV_OK; /* below 0: not known */
  char *folder = gv_path_parent(temporary);
  gv_status status =
      gv_io_fail(io, GV_ERROR_IO,
                 "%s: too little space for the parts of all ranks and the merged raster (%.3g of %.3g GB); "
                 "free some, or write elsewhere",
                 folder != NULL ? folder : temporary, left * 1e-9, bytes * 1e-9);
  free(folder);
  return status;
}

/* The sizes of compressed rasters are not known yet: they are checked before merging (ranks.c). */
gv_status gv_run_check_space(const gv_run *r) {
  const gv_job *j = r->j;
  const char *compression = CSLFetchNameValueDef(j->raster.creation_options, "COMPRESS", "");
  const GDALDataType types[GV_RUN_RASTERS] = {r->type, j->distance_type, GDT_Float32};
  double cell = 0.0;
  if (j->part != 1 || !EQUAL(compression, "NONE")) return GV_OK;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->raster[i] != NULL) cell += gv_run_bands(r, i) * GDALGetDataTypeSizeBytes(types[i]);
  char *folder = gv_path_parent(j->raster.path);
  if (folder == NULL) return gv_io_fail_memory(r->io, "a file name");
  gv_status status = gv_job_check_space(r->io, folder, 2.0 * cell * (double)r->width * (double)r->height);
  free(folder);
  return status;
}

gv_status gv_run_check_blocks(const gv_run *r) {
  bool whole = r->first_row % r->block_h == 0 && (r->rows % r->block_h == 0 || r->first_row + r->rows == r->height);
  if (r->j->parts == 0 || whole) return GV_OK;
  return gv_io_fail(r->io, GV_ERROR_UNSUPPORTED, "--part: a tile of all bands together is too large");
}

/* ----------------------------------------------------------------------------------------------------- computing */

gv_status gv_run_compute_part_block(gv_io *io, void *user, int number, gv_raster_block *block) {
  const gv_run *r = user;
  gv_raster_block moved = *block;
  moved.row += r->first_row / r->block_h;
  gv_status status = gv_run_compute_block(io, user, number, &moved);
  memcpy(block->uniform, moved.uniform, sizeof moved.uniform);
  return status;
}

gv_part_sum gv_run_sum(const gv_run *r, int number) {
  const gv_overlay *o = r->overlay[number];
  if (o == NULL) return gv_merge_sum(r->merge, number);
  return (gv_part_sum){gv_overlay_total(o), gv_overlay_inside(o), gv_overlay_bound(o)};
}

/* ------------------------------------------------------------------------------------------------------- writing */

gv_status gv_run_write_part(gv_run *r) {
  const gv_job *j = r->j;
  const char *files[GV_RUN_RASTERS] = {NULL};
  gv_run_sums sums;
  gv_status status = gv_run_list_sums(r, &sums);
  gv_part part = {.number = j->part,
                  .parts = r->parts,
                  .width = r->width,
                  .height = r->height,
                  .first = r->first_row,
                  .end = r->first_row + r->rows,
                  .block_rows = r->block_h,
                  .grid = gv_run_grid_fingerprint(r),
                  .seeds = gv_run_seeds_fingerprint(r),
                  .mask_bytes = gv_run_mask_bytes(r),
                  .sum_count = j->sum_count,
                  .records = sums.count,
                  .record_bytes = gv_run_sum_bytes(r),
                  .empty = gv_run_empty(r)};
  for (int i = 0; i < j->sum_count; i++)
    part.sums[i] = gv_run_sum(r, i);
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (r->raster[i] == NULL) continue;
    files[i] = gv_place_work(gv_raster_place(r->raster[i]));
    part.creation[i] = CSLDuplicate(gv_raster_creation_options(r->raster[i]));
  }
  part.path = strdup(j->raster.path);
  part.run = strdup(j->run != NULL ? j->run : "{}");
  if (part.path == NULL || part.run == NULL) status = gv_io_fail_memory(r->io, "a part's description");
  if (status == GV_OK) status = gv_part_write(r->io, files[GV_RUN_OUT], files, &part, gv_run_put_sum, &sums);
  gv_part_free(&part);
  free(sums.rows);
  return status;
}
