/* Rasters written block by block and read back by GDAL, for tests of what writes them. */
#ifndef GV_TESTS_RASTERS_H
#define GV_TESTS_RASTERS_H

#include "cmocka_test.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/out/raster_out.h"
#include "split_mix.h"

enum { TILE_WIDTH = 64, TILE_HEIGHT = 80 };

static char folder[] = "/tmp/gpuvoronoi-test-XXXXXX";

/* The raster to write: kind, size and bands. */
typedef struct subject {
  GDALDataType type;
  int64_t width, height;
  int bands, workers;
  int64_t uniform;   /* blocks with a number that is a multiple of it have one value; 0: none */
  int64_t fails;     /* the block that fails; -1: none */
  int counted[1024]; /* how often each block is computed */
} subject;

/* Numbers of which neighbors are mostly alike, and of which none is another band's. */
static double value_of(const subject *s, int raster, int band, int64_t row, int64_t column) {
  int64_t across = (s->width + TILE_WIDTH - 1) / TILE_WIDTH,
          block = row / TILE_HEIGHT * across + column / TILE_WIDTH;
  if (s->uniform > 0 && block % s->uniform == 0) return (double)((block + band + raster) % 100);
  uint64_t state = (uint64_t)(row * s->width + column + band * 7919 + raster * 104729);
  return (double)((row / 9 + column / 11 + band + split_mix(&state) % 3) % 120) +
         (GDALDataTypeIsFloating(s->type) ? 0.25 : 0.0);
}

static void put_value(void *out, int64_t at, GDALDataType type, double value) {
  int bytes = GDALGetDataTypeSizeBytes(type);
  GDALCopyWords(&value, GDT_Float64, 0, (char *)out + at * bytes, type, 0, 1);
}

static gv_status compute(gv_io *io, void *user, int worker, gv_raster_block *block) {
  subject *s = user;
  int64_t across = (s->width + TILE_WIDTH - 1) / TILE_WIDTH, number = block->row * across + block->column;
  int64_t first_row = block->row * TILE_HEIGHT, first_column = block->column * TILE_WIDTH;
  assert_in_range(worker, 0, s->workers - 1);
  if (number == s->fails) return gv_io_fail(io, GV_ERROR_INTERNAL, "block %d fails", (int)number);
  __atomic_fetch_add(&s->counted[number], 1, __ATOMIC_RELAXED);
  for (int raster = 0; raster < GV_MAX_RASTERS; raster++) {
    if (block->out[raster] == NULL) continue;
    block->uniform[raster] = s->uniform > 0 && number % s->uniform == 0;
    /* Of a uniform block the first cell is enough. */
    int64_t rows = block->uniform[raster] ? 1 : TILE_HEIGHT,
            columns = block->uniform[raster] ? 1 : TILE_WIDTH;
    for (int band = 0; band < s->bands; band++) {
      for (int64_t r = first_row; r < first_row + rows && r < s->height; r++) {
        for (int64_t c = first_column; c < first_column + columns && c < s->width; c++) {
          int64_t at = band * block->band_stride[raster] + (r - first_row) * block->stride + c - first_column;
          put_value(block->out[raster], at, s->type, value_of(s, raster, band, r, c));
        }
      }
    }
  }
  return GV_OK;
}

/* `options` as "A=B C=D". */
static gv_raster_out *create(gv_io *io, const subject *s, int number, const char *options) {
  char path[sizeof folder + 32], size[64];
  snprintf(path, sizeof path, "%s/%d.tif", folder, number);
  snprintf(size, sizeof size, "TILED=YES BLOCKXSIZE=%d BLOCKYSIZE=%d", TILE_WIDTH, TILE_HEIGHT);
  char **creation = CSLTokenizeString2(size, " ", 0), **more = CSLTokenizeString2(options, " ", 0);
  creation = CSLInsertStrings(creation, -1, more);
  const double geotransform[6] = {0, 1, 0, 0, 0, -1};
  char names[4][8] = {"a", "b", "c", "d"}, *listed[5] = {names[0], names[1], names[2], names[3], NULL};
  listed[s->bands] = NULL;
  gv_raster_options o = {.option = "OUT",
                         .path = path,
                         .driver = "GTiff",
                         .creation_options = creation,
                         .threads = 1,
                         .memory = 1 << 22,
                         .cell_bytes = 16};
  gv_raster_description d = {.width = s->width,
                             .height = s->height,
                             .geotransform = geotransform,
                             .type = s->type,
                             .nodata = 127,
                             .bands = s->bands,
                             .names = listed};
  gv_raster_out *raster = NULL;
  if (gv_raster_plan(io, &o, &raster) != GV_OK || gv_raster_create(io, &raster, 1, &d) != GV_OK)
    fail_msg("%s: %s", options, io->message);
  CSLDestroy(creation);
  CSLDestroy(more);
  return raster;
}

/* Every value, by GDAL. */
static void check_values(const subject *s, gv_raster_out *raster, int number, const char *options) {
  GDALDatasetH dataset = GDALOpen(gv_place_work(gv_raster_place(raster)), GA_ReadOnly);
  double *row = malloc((size_t)s->width * sizeof *row);
  assert_true(dataset != NULL && row != NULL);
  assert_int_equal(GDALGetRasterXSize(dataset), s->width);
  assert_int_equal(GDALGetRasterYSize(dataset), s->height);
  for (int band = 0; band < s->bands; band++) {
    GDALRasterBandH of = GDALGetRasterBand(dataset, band + 1);
    assert_int_equal(GDALGetRasterDataType(of), s->type);
    for (int64_t r = 0; r < s->height; r++) {
      assert_int_equal(
          GDALRasterIO(of, GF_Read, 0, (int)r, (int)s->width, 1, row, (int)s->width, 1, GDT_Float64, 0, 0),
          CE_None);
      for (int64_t c = 0; c < s->width; c++) {
        double expected = value_of(s, number, band, r, c);
        if (row[c] != expected)
          fail_msg("%s, %s: band %d, row %d, column %d: %g, not %g", GDALGetDataTypeName(s->type), options,
                   band, (int)r, (int)c, row[c], expected);
      }
    }
  }
  free(row);
  GDALClose(dataset);
}

static int make_folder(void **state) {
  (void)state;
  CPLSetErrorHandler(gv_io_take_message);
  GDALAllRegister();
  return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder); /* nothing is left in it */
}

#endif
