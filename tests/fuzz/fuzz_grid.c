/*
 * Grids of all kinds with any geotransform and seeds: every backend refuses, or gives what the first one (serial) gives, block by
 * block; distances and statistics of that add up.
 */
#include "fuzz.h"

#include <stdbool.h>

#include "gpuvoronoi.h"

enum { MOST_CELLS = 1500, MOST_SEEDS = 60, MOST_K = 6 };

typedef struct question {
  gv_grid grid;
  gv_seeds seeds;
  gv_voronoi_options options;
  bool masked;
  uint8_t mask[MOST_CELLS];
  int64_t cells;
} question;

/* A wavy projection, without an inverse for large coordinates. */
static int inverse(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    bool inside = fabs(x[i]) <= 1800 && fabs(y[i]) <= 900;
    x[i] = inside ? x[i] / 10.0 : HUGE_VAL;
    y[i] = inside ? y[i] / 10.0 : HUGE_VAL;
  }
  return 0;
}

/* Whole numbers (ties), any bits, fractions. */
static double take_number(fuzz_input *input, uint8_t kind) {
  double any;
  switch (kind % 4) {
  case 0:
    fuzz_take(input, &any, sizeof any);
    return any;
  case 1:
    return (int8_t)fuzz_byte(input) % 8;
  case 2:
    return (int8_t)fuzz_byte(input) / 7.0;
  default:
    return (int8_t)fuzz_byte(input) * 1.5;
  }
}

static void take_question(fuzz_input *input, question *q) {
  static double x[MOST_SEEDS], y[MOST_SEEDS], weights[MOST_SEEDS];
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV, GV_GREAT_CIRCLE, GV_GEODESIC};
  uint8_t kind = fuzz_byte(input), choices = fuzz_byte(input), numbers = fuzz_byte(input);
  q->grid = (gv_grid)GV_GRID_INIT;
  q->options = (gv_voronoi_options)GV_VORONOI_OPTIONS_INIT;
  q->grid.kind = (gv_grid_kind)(kind % 4);
  q->grid.width = 1 + fuzz_byte(input) % 50;
  q->grid.height = 1 + fuzz_byte(input) % 30;
  q->cells = q->grid.width * q->grid.height;
  if (q->grid.kind == GV_GRID_QTM) {
    q->grid.level = fuzz_byte(input) % 4;
    q->cells = gv_qtm_count(q->grid.level);
  } else if (kind & 0x40U) {
    q->grid.level = fuzz_byte(input) % 12;
  }
  if (q->grid.kind == GV_GRID_PROJECTED) q->grid.inverse = inverse;
  for (int i = 0; i < 6; i++)
    if ((i != 2 && i != 4) || q->grid.kind == GV_GRID_PLANE) q->grid.geotransform[i] = take_number(input, numbers);
  bool globe = q->grid.kind != GV_GRID_PLANE;
  q->options.metric = (kind & 0x20U) != 0 ? metrics[choices % 5] : metrics[globe ? 3 + choices % 2 : choices % 3];
  q->options.k = 1 + fuzz_byte(input) % MOST_K;
  q->options.block_width = fuzz_byte(input);
  q->options.block_height = fuzz_byte(input);
  if (choices & 0x10U) q->options.max_distance = take_number(input, numbers) * (globe ? 1e5 : 1.0);
  q->seeds = (gv_seeds){x, y, 1 + fuzz_byte(input) % MOST_SEEDS};
  for (int64_t i = 0; i < q->seeds.count; i++) {
    x[i] = take_number(input, (uint8_t)(numbers >> 2));
    y[i] = take_number(input, (uint8_t)(numbers >> 2));
    weights[i] = take_number(input, (uint8_t)(numbers >> 4));
  }
  q->options.weighting = (choices & 0x20U) != 0 ? (gv_weighting)(1 + choices % 3) : GV_UNWEIGHTED;
  if (q->options.weighting != GV_UNWEIGHTED) q->options.weights = weights;
  q->masked = (choices & 0x40U) != 0;
  for (int64_t i = 0; q->masked && i < q->cells; i++)
    q->mask[i] = fuzz_byte(input) & 1U;
}

/* All blocks; with statistics, of the first rank. */
static gv_status fill(gv_context *context, const question *q, const char *backend, int32_t *out, double *distance) {
  gv_voronoi_options options = q->options;
  gv_voronoi *voronoi = NULL;
  options.backend = backend;
  gv_status status = gv_voronoi_create(context, &q->grid, &q->seeds, &options, &voronoi);
  int64_t width = q->grid.kind == GV_GRID_QTM ? q->cells : q->grid.width, column = 0, row = 0;
  int64_t across = gv_voronoi_blocks_across(voronoi), down = gv_voronoi_blocks_down(voronoi);
  /* Blocks are as wide as asked for, but for the mesh's; the first cell of each is found by counting. */
  int64_t wide = q->options.block_width > 0 ? q->options.block_width : 512;
  int64_t high = q->options.block_height > 0 ? q->options.block_height : 512;
  if (q->grid.kind == GV_GRID_QTM) {
    int64_t power = 1, wanted = q->options.block_width > 0 ? q->options.block_width : 65536;
    while (4 * power <= wanted)
      power *= 4;
    wide = power;
    high = 1;
  }
  for (; status == GV_OK && row < down; row++) {
    for (column = 0; status == GV_OK && column < across; column++) {
      int64_t at = row * high * width + column * wide;
      gv_block block = GV_BLOCK_INIT;
      gv_measure measure = GV_MEASURE_INIT;
      block.column = measure.column = column;
      block.row = measure.row = row;
      block.mask = q->masked ? q->mask + at : NULL;
      block.mask_stride = block.stride = measure.stride = measure.out_stride = width;
      block.band_stride = measure.band_stride = measure.out_band_stride = q->cells;
      block.out = out + at;
      measure.bands = q->options.k;
      measure.seed = out + at;
      measure.type = GV_FLOAT64;
      measure.distance = distance + at;
      status = gv_voronoi_fill(context, voronoi, &block);
      if (status == GV_OK) status = gv_voronoi_measure(context, voronoi, &measure);
    }
  }
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_voronoi_destroy(voronoi);
  return status;
}

/* No nearest seed is farther than the limit, ranks ascend where distances are what counts, and there is an answer or none. */
static void check_answer(const question *q, const int32_t *out, const double *distance) {
  for (int64_t i = 0; i < q->cells; i++) {
    for (int32_t b = 0; b < q->options.k; b++) {
      int32_t seed = out[b * q->cells + i];
      double d = distance[b * q->cells + i];
      FUZZ_REQUIRE(seed >= -1 && seed < q->seeds.count);
      FUZZ_REQUIRE(seed >= 0 || isnan(d));
      if (seed >= 0) FUZZ_REQUIRE(d >= 0.0 && (!q->masked || q->mask[i] != 0));
      if (b > 0) FUZZ_REQUIRE(seed < 0 || out[(b - 1) * q->cells + i] >= 0);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static question q;
  static int32_t expected[MOST_CELLS * MOST_K], found[MOST_CELLS * MOST_K];
  static double expected_distance[MOST_CELLS * MOST_K], found_distance[MOST_CELLS * MOST_K];
  fuzz_input input = {data, size};
  take_question(&input, &q);
  if (q.cells > MOST_CELLS) return 0;
  size_t count = (size_t)(q.cells * q.options.k);
  memset(expected, 0x55, sizeof expected);
  memset(found, 0x55, sizeof found);
  gv_context *context = NULL;
  FUZZ_REQUIRE(gv_context_create(NULL, &context) == GV_OK);
  gv_status first = fill(context, &q, "serial", expected, expected_distance);
  if (first == GV_OK) check_answer(&q, expected, expected_distance);
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    FUZZ_REQUIRE(gv_backend_get(i, &info) == GV_OK);
    if (!info.allocates_grids || !info.available) continue;
    gv_status status = fill(context, &q, info.name, found, found_distance);
    if (status == GV_ERROR_UNSUPPORTED) continue;
    FUZZ_REQUIRE(status == first);
    if (status != GV_OK) continue;
    FUZZ_REQUIRE(memcmp(expected, found, count * sizeof *found) == 0);
    FUZZ_REQUIRE(memcmp(expected_distance, found_distance, count * sizeof *found_distance) == 0);
  }
  gv_context_destroy(context);
  return 0;
}
