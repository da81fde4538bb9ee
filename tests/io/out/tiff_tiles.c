/* Tiles that are encoded past GDAL, read back by GDAL: every codec, predictor, byte order and type. */
#include "rasters.h"

static const char *const encodings[] = {"COMPRESS=NONE",
                                        "COMPRESS=LZW",
                                        "COMPRESS=PACKBITS",
                                        "COMPRESS=DEFLATE ZLEVEL=9",
                                        "COMPRESS=ZSTD ZSTD_LEVEL=1",
                                        "COMPRESS=LZMA",
                                        "COMPRESS=DEFLATE PREDICTOR=2",
                                        "COMPRESS=LZW PREDICTOR=2",
                                        "COMPRESS=ZSTD PREDICTOR=3",
                                        "COMPRESS=NONE ENDIANNESS=BIG",
                                        "COMPRESS=ZSTD PREDICTOR=2 ENDIANNESS=BIG",
                                        "COMPRESS=DEFLATE BIGTIFF=YES",
                                        "COMPRESS=DEFLATE NUM_THREADS=2"};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };
static const GDALDataType types[] = {GDT_Byte,   GDT_Int16, GDT_UInt16,  GDT_Int32,
                                     GDT_UInt32, GDT_Int64, GDT_Float32, GDT_Float64};
enum { TYPES = sizeof types / sizeof *types };

static void tiles_are_what_gdal_reads(void **state) {
  (void)state;
  for (int e = 0; e < ENCODINGS; e++) {
    for (int t = 0; t < TYPES; t++) {
      gv_io io = {.cancelled = NULL};
      subject s = {.type = types[t],
                   .width = 150,
                   .height = 170,
                   .bands = 1 + t % 3,
                   .workers = 2,
                   .uniform = 4,
                   .fails = -1};
      bool floats = GDALDataTypeIsFloating(s.type) != 0;
      if (strstr(encodings[e], "PREDICTOR=3") != NULL && !floats) continue;
      if (strstr(encodings[e], "PREDICTOR=2") != NULL && (floats || s.type == GDT_Int64)) continue;
      gv_raster_out *raster = create(&io, &s, 0, encodings[e]);
      gv_raster_work work = {compute, &s, s.workers};
      if (gv_raster_write(&io, &raster, 1, &work, NULL, NULL) != GV_OK ||
          gv_raster_finish(&io, raster, NULL, NULL) != GV_OK)
        fail_msg("%s: %s", encodings[e], io.message);
      check_values(&s, raster, 0, encodings[e]);
      gv_raster_close(raster);
    }
  }
}

/* Which creation options leave the tiles to this writer, and which of two files may share them. */
static void options_that_are_possible(void **state) {
  (void)state;
  static const struct {
    const char *options;
    bool possible;
  } cases[] = {{"TILED=YES", true},
               {"TILED=YES COMPRESS=ZSTD", true},
               {"COMPRESS=ZSTD", false},
               {"TILED=YES COMPRESS=JPEG", false},
               {"TILED=YES SPARSE_OK=YES", false},
               {"TILED=YES NBITS=7", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char **options = CSLTokenizeString2(cases[i].options, " ", 0);
    assert_int_equal(gv_tiff_possible(options), cases[i].possible);
    CSLDestroy(options);
  }
  char **a = CSLTokenizeString2("TILED=YES COMPRESS=DEFLATE ZLEVEL=6", " ", 0),
       **b = CSLTokenizeString2("COMPRESS=deflate ZLEVEL=6 TILED=YES", " ", 0);
  char **c = CSLTokenizeString2("TILED=YES COMPRESS=DEFLATE ZLEVEL=7", " ", 0);
  assert_true(gv_tiff_same_encoding(a, b) && !gv_tiff_same_encoding(a, c));
  CSLDestroy(a);
  CSLDestroy(b);
  CSLDestroy(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_are_what_gdal_reads),
                                     cmocka_unit_test(options_that_are_possible)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
