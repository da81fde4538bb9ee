/* Each overview is thinned out from the one before it: cells that GDAL's NEAREST takes from there. */
#include "io/out/overviews.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

/* One overview while it is being made. */
typedef struct thinning {
  GDALDatasetH *finer; /* the raster before, opened by each worker for itself */
  char **buffers;      /* a block's part of it, of each worker */
  int workers, bands;
  GDALDataType type;
  int64_t finer_width, finer_height, width, height;
  int32_t block_w, block_h;
} thinning;

/* The cell of the finer raster that cell i shows. */
static int64_t source(int64_t i, int64_t finer, int64_t coarser) {
  int64_t at = (int64_t)(0.5 + (double)i * ((double)finer / (double)coarser));
  return at < finer ? at : finer - 1;
}

static gv_status thin(gv_io *io, void *user, int worker, gv_raster_block *block) {
  thinning *t = user;
  int64_t x = block->column * t->block_w, y = block->row * t->block_h;
  int64_t w = t->width - x < t->block_w ? t->width - x : t->block_w;
  int64_t h = t->height - y < t->block_h ? t->height - y : t->block_h;
  int64_t from_x = source(x, t->finer_width, t->width), from_y = source(y, t->finer_height, t->height);
  int64_t columns = source(x + w - 1, t->finer_width, t->width) + 1 - from_x;
  int64_t rows = source(y + h - 1, t->finer_height, t->height) + 1 - from_y;
  size_t size = (size_t)GDALGetDataTypeSizeBytes(t->type);
  for (int b = 0; b < t->bands; b++) {
    GDALRasterBandH band = GDALGetRasterBand(t->finer[worker], b + 1);
    char *values = t->buffers[worker], *out = (char *)block->out[0] + (size_t)(b * block->band_stride[0]) * size;
    if (GDALRasterIO(band, GF_Read, (int)from_x, (int)from_y, (int)columns, (int)rows, values, (int)columns,
                     (int)rows, t->type, 0, 0) != CE_None) {
      return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster back");
    }
    for (int64_t r = 0; r < h; r++) {
      const char *row = values + (size_t)((source(y + r, t->finer_height, t->height) - from_y) * columns) * size;
      char *line = out + (size_t)(r * block->stride) * size;
      for (int64_t c = 0; c < w; c++) {
        size_t at = (size_t)(source(x + c, t->finer_width, t->width) - from_x) * size;
        memcpy(line + (size_t)c * size, row + at, size);
      }
    }
  }
  return GV_OK;
}

static gv_status open_finer(gv_io *io, thinning *t, const char *path) {
  double x_ratio = (double)t->finer_width / (double)t->width, y_ratio = (double)t->finer_height / (double)t->height;
  size_t cells = ((size_t)(t->block_w * x_ratio) + 2) * ((size_t)(t->block_h * y_ratio) + 2);
  t->finer = calloc((size_t)t->workers, sizeof *t->finer);
  t->buffers = calloc((size_t)t->workers, sizeof *t->buffers);
  if (t->finer == NULL || t->buffers == NULL) return gv_io_fail_memory(io, "overviews");
  for (int i = 0; i < t->workers; i++) {
    t->buffers[i] = malloc(cells * (size_t)GDALGetDataTypeSizeBytes(t->type));
    if (t->buffers[i] == NULL) return gv_io_fail_memory(io, "overviews");
    t->finer[i] = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_INTERNAL, NULL, NULL, NULL);
    if (t->finer[i] == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster back");
  }
  return GV_OK;
}

static void close_finer(thinning *t) {
  for (int i = 0; i < t->workers; i++) {
    if (t->finer != NULL) GDALClose(t->finer[i]);
    if (t->buffers != NULL) free(t->buffers[i]);
  }
  free(t->finer);
  free(t->buffers);
}

/* The overview of `finer` into the file `path`. */
static gv_status write_one(gv_io *io, const char *finer, const char *path, thinning *t, int64_t nodata) {
  static const double geotransform[6] = {0.0, 1.0, 0.0, 0.0, 0.0, -1.0};
  gv_raster_out *raster = NULL;
  gv_raster_options options = {.path = path,
                               .driver = "GTiff",
                               .overwrite = true,
                               .threads = t->workers,
                               .cell_bytes = t->bands * (int64_t)GDALGetDataTypeSizeBytes(t->type)};
  gv_raster_description description = {.width = t->width,
                                       .height = t->height,
                                       .geotransform = geotransform,
                                       .type = t->type,
                                       .nodata = nodata,
                                       .bands = t->bands};
  gv_status status = gv_raster_plan(io, &options, &raster);
  if (status == GV_OK) status = gv_raster_create(io, raster, &description);
  if (status == GV_OK) {
    gv_raster_block_size(&raster, &t->block_w, &t->block_h);
    const gv_raster_work work = {.compute = thin, .user = t, .workers = t->workers};
    status = open_finer(io, t, finer);
    if (status == GV_OK) status = gv_raster_write(io, &raster, 1, &work, NULL, NULL);
    close_finer(t);
  }
  if (status == GV_OK) status = gv_raster_finish(io, raster, NULL, NULL);
  if (status == GV_OK && rename(gv_place_work(gv_raster_place(raster)), path) != 0)
    status = gv_io_fail(io, GV_ERROR_IO, "cannot write a temporary raster: %s", strerror(errno));
  gv_raster_close(raster);
  return status;
}

gv_status gv_overviews_write(gv_io *io, const char *path, int64_t largest, int threads) {
  GDALDatasetH dataset = GDALOpenEx(path, GDAL_OF_RASTER, NULL, NULL, NULL);
  if (dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster back");
  GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
  int64_t width = GDALGetRasterXSize(dataset), height = GDALGetRasterYSize(dataset);
  int bands = GDALGetRasterCount(dataset);
  GDALDataType type = GDALGetRasterDataType(band);
  bool integer = GDALDataTypeIsInteger(type) != 0;
  int64_t nodata = !integer            ? 0
                   : type == GDT_Int64 ? GDALGetRasterNoDataValueAsInt64(band, NULL)
                                       : (int64_t)GDALGetRasterNoDataValue(band, NULL);
  GDALClose(dataset);
  gv_status status = GV_OK;
  char *finer = CPLStrdup(path);
  while (status == GV_OK && (width > largest || height > largest)) {
    thinning t = {.workers = threads > 1 ? threads : 1,
                  .bands = bands,
                  .type = type,
                  .finer_width = width,
                  .finer_height = height,
                  .width = width > 1 ? width / 2 : 1, /* as GDAL's COG driver has it */
                  .height = height > 1 ? height / 2 : 1};
    char *coarser = CPLStrdup(CPLSPrintf("%s.ovr", finer));
    status = write_one(io, finer, coarser, &t, nodata);
    CPLFree(finer);
    finer = coarser;
    width = t.width;
    height = t.height;
  }
  CPLFree(finer);
  return status;
}
