/* Each overview is thinned out from the previous one, by the cells that GDAL's NEAREST selects. */
#include "io/out/overviews.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/out/raster_file.h"

/* One overview while it is being made. */
typedef struct thinning {
  const char *finer; /* the raster before, opened for each block */
  gv_raster_description from, to;
  int32_t block_w, block_h;
} thinning;

/* The cell of the finer raster that cell i shows. */
static int64_t source(int64_t i, int64_t finer, int64_t coarser) {
  int64_t at = (int64_t)(0.5 + (double)i * ((double)finer / (double)coarser));
  return at < finer ? at : finer - 1;
}

static gv_status thin_block(gv_io *io, const thinning *t, GDALDatasetH finer, gv_raster_block *block) {
  int64_t x = block->column * t->block_w, y = block->row * t->block_h;
  int64_t w = t->to.width - x < t->block_w ? t->to.width - x : t->block_w;
  int64_t h = t->to.height - y < t->block_h ? t->to.height - y : t->block_h;
  int64_t from_x = source(x, t->from.width, t->to.width), from_y = source(y, t->from.height, t->to.height);
  int64_t columns = source(x + w - 1, t->from.width, t->to.width) + 1 - from_x;
  int64_t rows = source(y + h - 1, t->from.height, t->to.height) + 1 - from_y;
  size_t size = (size_t)GDALGetDataTypeSizeBytes(t->to.type);
  char *values = malloc((size_t)(columns * rows) * size);
  CPLErr error = values != NULL ? CE_None : CE_Failure;
  for (int b = 0; b < t->to.bands && error == CE_None; b++) {
    char *out = (char *)block->out[0] + (size_t)(b * block->band_stride[0]) * size;
    error = GDALRasterIO(GDALGetRasterBand(finer, b + 1), GF_Read, (int)from_x, (int)from_y, (int)columns,
                         (int)rows, values, (int)columns, (int)rows, t->to.type, 0, 0);
    for (int64_t r = 0; r < h && error == CE_None; r++) {
      const char *row =
          values + (size_t)((source(y + r, t->from.height, t->to.height) - from_y) * columns) * size;
      char *line = out + (size_t)(r * block->stride) * size;
      for (int64_t c = 0; c < w; c++)
        memcpy(line + (size_t)c * size,
               row + (size_t)(source(x + c, t->from.width, t->to.width) - from_x) * size, size);
    }
  }
  bool lacked = values == NULL;
  free(values);
  if (lacked) return gv_io_fail_memory(io, "overviews");
  return error == CE_None ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster");
}

static gv_status thin(gv_io *io, void *user, int worker, gv_raster_block *block) {
  const thinning *t = user;
  (void)worker;
  GDALDatasetH finer = GDALOpenEx(t->finer, GDAL_OF_RASTER | GDAL_OF_INTERNAL, NULL, NULL, NULL);
  if (finer == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster");
  gv_status status = thin_block(io, t, finer, block);
  GDALClose(finer);
  return status;
}

/* The overview into the file `path`. */
static gv_status write_one(gv_io *io, const char *path, thinning *t, int threads) {
  gv_raster_out *raster = NULL;
  gv_raster_options options = {.path = path,
                               .driver = gv_format_tiled()->driver,
                               .overwrite = true,
                               .threads = threads,
                               .cell_bytes = t->to.bands * (int64_t)GDALGetDataTypeSizeBytes(t->to.type)};
  gv_status status = gv_raster_plan(io, &options, &raster);
  if (status == GV_OK) status = gv_raster_create(io, &raster, 1, &t->to);
  if (status == GV_OK) {
    gv_raster_block_size(&raster, &t->block_w, &t->block_h);
    const gv_raster_work work = {.compute = thin, .user = t, .workers = threads};
    status = gv_raster_write(io, &raster, 1, &work, NULL, NULL);
  }
  if (status == GV_OK) status = gv_writer_close(io, &raster->writer, &raster->writer.dataset, GV_OK);
  if (status == GV_OK && rename(gv_place_work(gv_raster_place(raster)), path) != 0)
    status = gv_io_fail(io, GV_ERROR_IO, "cannot write a temporary raster: %s", strerror(errno));
  gv_raster_close(raster);
  return status;
}

gv_status gv_overviews_write(gv_io *io, const char *path, const gv_raster_description *of, int64_t largest,
                             int threads) {
  static const double geotransform[6] = {0.0, 1.0, 0.0, 0.0, 0.0, -1.0};
  thinning t = {.to = {.width = of->width,
                       .height = of->height,
                       .geotransform = geotransform,
                       .type = of->type,
                       .nodata = of->nodata,
                       .bands = of->bands}};
  gv_status status = GV_OK;
  char *finer = CPLStrdup(path);
  while (status == GV_OK && (t.to.width > largest || t.to.height > largest)) {
    char *coarser = CPLStrdup(CPLSPrintf("%s.ovr", finer));
    t.finer = finer;
    t.from = t.to;
    t.to.width = t.from.width > 1 ? t.from.width / 2 : 1; /* as GDAL's COG driver has it */
    t.to.height = t.from.height > 1 ? t.from.height / 2 : 1;
    status = write_one(io, coarser, &t, threads);
    CPLFree(finer);
    finer = coarser;
  }
  CPLFree(finer);
  return status;
}
