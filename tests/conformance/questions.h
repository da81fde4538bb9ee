/* Shared by the conformance tests of grids and meshes: options of a grid and running them. */
#ifndef GV_TEST_QUESTIONS_H
#define GV_TEST_QUESTIONS_H

#include "cmocka_test.h"
#include "grid_fill.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"

static const double pi = 3.14159265358979323846;

static uint64_t random_state = 1;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

/* Inverse polar azimuthal equidistant, with no inverse outside the globe: the pole lies inside grids around
 * 0, 0. */
static inline int inverse_polar(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    double lon = atan2(x[i], -y[i]) * 180.0 / pi, lat = 90.0 - hypot(x[i], y[i]) / 1e5;
    x[i] = lat < -90.0 ? HUGE_VAL : lon;
    y[i] = lat < -90.0 ? HUGE_VAL : lat;
  }
  return 0;
}

typedef struct run_options {
  const char *backend, *simd;
  int threads;
  int32_t block_width, block_height;
} run_options;

/* Options for each cell. */
typedef struct question {
  int32_t k;
  double max_distance;
  gv_weighting weighting;
  const double *weights;
  const uint8_t *mask; /* of the whole grid; NULL = none */
} question;

static const question plain = {1, INFINITY, GV_UNWEIGHTED, NULL, NULL};

/* Cells of a row; a mesh is one row. */
static int64_t row_of(const gv_grid *grid) {
  return grid->kind == GV_GRID_QTM ? gv_qtm_count(grid->level) : grid->width;
}

static int64_t cells_of(const gv_grid *grid) {
  return grid->kind == GV_GRID_QTM ? gv_qtm_count(grid->level) : grid->width * grid->height;
}

/* A block that was reported to have one result: cells that were not written must be unchanged; they are then
 * filled with that result. */
static void spread(int64_t columns, int64_t rows, int32_t k, const gv_labels *block) {
  for (int32_t b = 0; b < k; b++) {
    int32_t *first = block->out + b * block->band_stride;
    for (int64_t i = 1; i < columns * rows; i++) {
      int32_t *cell = first + i / columns * block->stride + i % columns;
      assert_int_equal(*cell, INT32_MIN);
      *cell = *first;
    }
  }
}

/* Block by block; two in three may report one result. The block size of a mesh is read from the object, which
 * may have reduced it. */
static gv_status fill_blocks(gv_context *context, const gv_grid *grid, const gv_voronoi *voronoi,
                             const question *q, int32_t *out) {
  gv_status status = GV_OK;
  const int64_t across = blocks_across(voronoi), down = blocks_down(voronoi);
  const int64_t width = row_of(grid), height = cells_of(grid) / width;
  for (int64_t b = 0; b < across * down && status == GV_OK; b++) {
    gv_labels block;
    gv_labels_init(&block);
    int uniform = 7, asks = (b % across + b / across) % 3 != 2;
    AT_BLOCK(block, voronoi, b % across, b / across);
    int64_t first = block.row * width + block.column;
    if (q->mask != NULL) block.mask = q->mask + first;
    block.mask_stride = block.stride = width;
    block.out = out + first;
    block.band_stride = width * height;
    status = gv_voronoi_fill(context, voronoi, &block, asks ? &uniform : NULL);
    if (status == GV_OK && asks) assert_in_range(uniform, 0, 1);
    if (status == GV_OK && uniform == 1) spread(block.columns, block.rows, q->k, &block);
  }
  return status;
}

/* What a question is about, for an object of a grid. Labels: NULL = numbers. */
static gv_voronoi_options options_of(const question *q, gv_metric metric, const int32_t *labels) {
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.metric = metric;
  o.labels = labels;
  o.nodata = -7;
  o.k = q->k;
  o.max_distance = q->max_distance;
  o.weighting = q->weighting;
  o.weights = q->weights;
  return o;
}

/* Labels: NULL = numbers. `out` has k bands. */
static gv_status try_run(const gv_grid *grid, const gv_points *seeds, gv_metric metric,
                         const run_options *options, const question *q, const int32_t *labels, int32_t *out,
                         char *message, size_t size) {
  gv_context_options context_options;
  gv_context_options_init(&context_options);
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options o = options_of(q, metric, labels);
  context_options.threads = options->threads;
  o.backend = options->backend;
  o.block_width = options->block_width;
  o.block_height = options->block_height;
  assert_int_equal(setenv("GPUVORONOI_SIMD", options->simd, 1), 0);
  assert_int_equal(gv_context_create(&context_options, &context), GV_OK);
  for (int64_t i = 0; i < q->k * cells_of(grid); i++)
    out[i] = INT32_MIN;
  gv_status status = gv_voronoi_create(context, grid, seeds, &o, &voronoi);
  if (status == GV_OK) {
    status = q->mask != NULL || isfinite(q->max_distance) ? fill_blocks(context, grid, voronoi, q, out)
                                                          : fill_grid(context, voronoi, out, row_of(grid));
  }
  snprintf(message, size, "%s", gv_context_message(context));
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  return status;
}

static void run(const gv_grid *grid, const gv_points *seeds, gv_metric metric, const run_options *options,
                const question *q, const int32_t *labels, int32_t *out) {
  char message[512];
  gv_status status = try_run(grid, seeds, metric, options, q, labels, out, message, sizeof message);
  if (status != GV_OK) fail_msg("%s: %s", options->backend, message);
}

/* The environment variable GPUVORONOI_TEST_BACKEND names the only engine to be compared, where time is
 * short. */
static inline bool to_be_compared(const gv_backend_info *info) {
  const char *only = getenv("GPUVORONOI_TEST_BACKEND");
  return info->available && (only == NULL || strcmp(info->name, only) == 0);
}

/* False, with a message, if there is no GPU. */
static inline bool have_cuda_tile(void) {
  gv_backend_info info;
  gv_backend_info_init(&info);
  bool found = false;
  for (int b = 0; b < gv_backend_count() && !found; b++) {
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    found = strcmp(info.name, "cuda-tile") == 0;
  }
  assert_true(found);
  if (!info.available) print_message("left out: cuda-tile: %s\n", info.reason);
  return info.available != 0;
}

#endif
