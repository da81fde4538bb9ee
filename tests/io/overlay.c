/* Sums of rasters: cells have the same values for any blocks, and add up to the sum inside. */
#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gdal.h>

#include "io/crs/crs.h"
#include "io/overlay/quantity.h"

enum { WIDTH = 20, HEIGHT = 14, SIDE = 260 /* pixels: several tiles */ };

static const char path[] = "/vsimem/overlay.tif";

typedef struct sum_case {
  const char *system;
  double geotransform[6];
} sum_case;

/* In the grid's system, in others, and rotated. */
static const sum_case cases[] = {
    {"EPSG:4326", {-20.0, 0.2, 0.0, 70.0, 0.0, -0.2}}, {"EPSG:3035", {2.0e6, 2e4, 0.0, 6.0e6, 0.0, -2e4}},
    {"EPSG:3857", {-3e6, 2e4, 0.0, 9e6, 0.0, -3e4}},   {"EPSG:3413", {-3e6, 2e4, 0.0, 3e6, 0.0, -2e4}},
    {"EPSG:4326", {-40.0, 0.2, 0.1, 60.0, 0.1, -0.2}},
};

/* Every third pixel has nothing, some have less than nothing. */
static void make_raster(gv_io *io, const sum_case *c) {
  OGRSpatialReferenceH crs = NULL;
  double values[SIDE];
  GDALDatasetH made = GDALCreate(GDALGetDriverByName("GTiff"), path, SIDE, SIDE, 1, GDT_Float64, NULL);
  assert_non_null(made);
  assert_int_equal(gv_crs_parse(io, c->system, "test", &crs), GV_OK);
  assert_int_equal(GDALSetSpatialRef(made, crs), CE_None);
  assert_int_equal(GDALSetGeoTransform(made, (double *)(uintptr_t)c->geotransform), CE_None);
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++)
      values[x] = (x + y) % 3 == 0 ? 0.0 : (double)((x * 7919 + y * 104729) % 1000 - 100) / 7.0;
    assert_int_equal(
        GDALRasterIO(GDALGetRasterBand(made, 1), GF_Write, 0, y, SIDE, 1, values, SIDE, 1, GDT_Float64, 0, 0),
        CE_None);
  }
  GDALClose(made);
  OSRRelease(crs);
}

/* The values of all cells, in blocks of w x h. */
static void read_cells(gv_io *io, gv_overlay *overlay, int64_t w, int64_t h, double *out) {
  for (int64_t y = 0; y < HEIGHT; y += h) {
    for (int64_t x = 0; x < WIDTH; x += w) {
      gv_quantity q;
      int64_t across = WIDTH - x < w ? WIDTH - x : w, down = HEIGHT - y < h ? HEIGHT - y : h;
      assert_int_equal(gv_overlay_cells(io, overlay, 0, x, y, across, down, &q), GV_OK);
      assert_true(q.first == NULL && q.first_row == NULL && q.stride >= across);
      for (int64_t r = 0; r < down; r++)
        memcpy(out + (y + r) * WIDTH + x, (const double *)q.value + r * q.stride,
               (size_t)across * sizeof *out);
    }
  }
}

static void any_blocks(void **state) {
  (void)state;
  static double whole[WIDTH * HEIGHT], parts[WIDTH * HEIGHT];
  static const int64_t blocks[][2] = {{7, 5}, {WIDTH, 1}, {1, HEIGHT}};
  gv_io io = {.message = ""};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gv_raster_grid grid = {.geotransform = {-15.0, 2.0, 0.0, 75.0, 0.0, -2.0}};
    gv_overlay *overlay = NULL;
    grid.grid.width = WIDTH;
    grid.grid.height = HEIGHT;
    assert_int_equal(gv_crs_parse(&io, "EPSG:4326", "test", &grid.crs), GV_OK);
    make_raster(&io, &cases[i]);
    gv_raster_source source = {.path = path};
    assert_int_equal(gv_overlay_open(&io, source, &grid, (gv_readers){1, 1, 1 << 20, NULL}, &overlay), GV_OK);
    read_cells(&io, overlay, WIDTH, HEIGHT, whole);
    double sum = 0.0, size = 0.0, largest = 0.0, inside = gv_overlay_inside(overlay);
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
      sum += whole[k];
      size += fabs(whole[k]);
      largest = fmax(largest, fabs(whole[k]));
    }
    int exponent;
    assert_true(largest > 0.0 && largest <= gv_overlay_bound(overlay));
    if (i == 0) assert_true(gv_overlay_bound(overlay) < 4.0 * largest);
    assert_true(frexp(gv_overlay_bound(overlay), &exponent) == 0.5);
    if (i == 0) assert_true(fabs(sum - inside) <= 1e-12 * size);
    if (i > 0) assert_true(sum == inside); /* integers */
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
      read_cells(&io, overlay, blocks[b][0], blocks[b][1], parts);
      assert_memory_equal(whole, parts, sizeof whole);
    }
    gv_overlay_close(overlay);
    OSRRelease(grid.crs);
  }
}

/* Sums of all cells of a mesh, kept from the first visit of the points, and block by block without the memory
 * for that. */
static void kept_sums(void **state) {
  (void)state;
  enum { LEVEL = 7, CELLS = 12 << 2 * LEVEL, BLOCK = 16384 };
  static double kept[CELLS];
  gv_io io = {.message = ""};
  const int64_t memory[] = {INT64_C(64) << 20, 1 << 17, 0};
  for (int ring = 0; ring < 2; ring++) {
    gv_raster_grid grid = {.cells_of = {.kind = GV_CELLS_OF_HEALPIX, .level = LEVEL, .ring = ring != 0}};
    grid.grid.width = CELLS;
    grid.grid.height = 1;
    assert_int_equal(gv_crs_parse(&io, "EPSG:4326", "test", &grid.crs), GV_OK);
    make_raster(&io, &cases[1]);
    for (int m = 0; m < 3; m++) {
      gv_overlay *overlay = NULL;
      gv_raster_source source = {.path = path};
      double sum = 0.0;
      assert_int_equal(gv_overlay_open(&io, source, &grid, (gv_readers){2, 1, memory[m], NULL}, &overlay),
                       GV_OK);
      for (int64_t x = 0; x < CELLS; x += BLOCK) {
        gv_quantity q;
        assert_int_equal(gv_overlay_cells(&io, overlay, 0, x, 0, BLOCK, 1, &q), GV_OK);
        for (int64_t i = 0; i < BLOCK; i++)
          sum += ((const double *)q.value)[i];
        if (m == 0) memcpy(kept + x, q.value, BLOCK * sizeof *kept);
        if (m > 0) assert_memory_equal(kept + x, q.value, BLOCK * sizeof *kept);
      }
      assert_true(sum == gv_overlay_inside(overlay) && sum != 0.0);
      gv_overlay_close(overlay);
    }
    OSRRelease(grid.crs);
  }
}

int main(void) {
  GDALAllRegister();
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_blocks), cmocka_unit_test(kept_sums)};
  return cmocka_run_group_tests_name("overlay", tests, NULL, NULL);
}
