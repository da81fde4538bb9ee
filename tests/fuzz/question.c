#include "question.h"
#include "../grid_fill.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/geometries.h"

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

double fuzz_take_number(fuzz_input *input, uint8_t kind) {
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

static void take_grid(fuzz_input *input, question *q, uint8_t kind, uint8_t numbers) {
  static const double ellipsoids[][2] = {{0.0, 0.0}, {6371000.0, 0.0}, {6378137.0, 0.2}, {1.0, 1.0 / 300.0}};
  gv_grid *grid = &q->grid;
  gv_grid_init(grid);
  grid->kind = (gv_grid_kind)(kind % 4);
  uint8_t wide = fuzz_byte(input), high = fuzz_byte(input);
  /* Mostly small ones, as then there are more of them. */
  bool small = wide % 16 != 0;
  grid->width = 1 + (small ? wide % 6 : wide % 50);
  grid->height = 1 + (small ? high % 4 : high % 30);
  grid->semi_major = ellipsoids[high >> 6][0];
  grid->flattening = ellipsoids[high >> 6][1];
  q->cells = grid->width * grid->height;
  if (grid->kind == GV_GRID_QTM) {
    grid->level = fuzz_byte(input) % (small ? 2 : 4);
    q->cells = gv_qtm_count(grid->level);
  } else if (kind & 0x40U) {
    grid->level = fuzz_byte(input) % 12;
  }
  if (grid->kind == GV_GRID_PROJECTED) grid->inverse = inverse;
  for (int i = 0; i < 6; i++)
    if ((i != 2 && i != 4) || grid->kind == GV_GRID_PLANE)
      grid->geotransform[i] = fuzz_take_number(input, numbers);
}

void fuzz_take_question(fuzz_input *input, question *q) {
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV, GV_GREAT_CIRCLE, GV_GEODESIC};
  uint8_t kind = fuzz_byte(input), choices = fuzz_byte(input), numbers = fuzz_byte(input);
  gv_voronoi_options *options = &q->options;
  gv_voronoi_options_init(options);
  take_grid(input, q, kind, numbers);
  bool globe = q->grid.kind != GV_GRID_PLANE;
  options->metric =
      (kind & 0x20U) != 0 ? metrics[choices % 5] : metrics[globe ? 3 + choices % 2 : choices % 3];
  options->k = 1 + fuzz_byte(input) % MOST_RANKS;
  options->block_width = fuzz_byte(input);
  options->block_height = fuzz_byte(input);
  if (choices & 0x10U) options->max_distance = fuzz_take_number(input, numbers) * (globe ? 1e5 : 1.0);
  uint8_t count = fuzz_byte(input);
  q->sources = 1 + count % MOST_SEEDS;
  q->seeds = gv_points_xy(q->x, q->y, q->sources);
  q->threads = (choices & 0x80U) != 0 && (count & 0xe0U) == 0 ? 2 : 1;
  q->asked = kind >> 2 & 7U;
  options->weighting = (choices & 0x20U) != 0 ? (gv_weighting)(1 + choices % 3) : GV_UNWEIGHTED;
  options->weights = options->weighting != GV_UNWEIGHTED ? q->weights : NULL;
  for (int64_t i = 0; i < q->sources; i++) {
    q->x[i] = fuzz_take_number(input, (uint8_t)(numbers >> 2));
    q->y[i] = fuzz_take_number(input, (uint8_t)(numbers >> 2));
    if (options->weights != NULL) q->weights[i] = fuzz_take_number(input, (uint8_t)(numbers >> 4));
  }
  q->masked = (choices & 0x40U) != 0;
  for (int64_t i = 0; q->masked && i < q->cells && i < MOST_CELLS; i++)
    q->mask[i] = fuzz_byte(input) & 1U;
}

/* A ring, or a line, or points; rings are closed but for one in sixteen. */
static void take_ring(fuzz_input *input, question *q, uint8_t kind, int64_t *vertices) {
  uint8_t shape = fuzz_byte(input);
  int64_t first = *vertices, count = kind == GV_PART_POINTS ? 1 + shape % 2 : (int64_t)(shape & 7U);
  for (int64_t i = 0; i < count && *vertices + 1 < MOST_VERTICES; i++) {
    q->vertex_x[*vertices] = fuzz_take_number(input, shape >> 6);
    q->vertex_y[(*vertices)++] = fuzz_take_number(input, shape >> 6);
  }
  if (kind == GV_PART_POLYGON && (shape & 0x30U) != 0x30U && *vertices > first) {
    q->vertex_x[*vertices] = q->vertex_x[first];
    q->vertex_y[(*vertices)++] = q->vertex_y[first];
  }
}

void fuzz_take_features(fuzz_input *input, question *q) {
  int64_t parts = 0, rings = 0, vertices = 0;
  uint8_t choices = fuzz_byte(input);
  gv_features_init(&q->features);
  q->part[0] = q->ring[0] = q->vertex[0] = 0;
  for (int64_t f = 0; f < q->sources; f++) {
    for (uint8_t left = fuzz_byte(input) % 4; left > 0 && parts < MOST_PARTS; left--) {
      uint8_t part = fuzz_byte(input), kind = (part & 0xf0U) == 0xf0U ? 3 : part % 3;
      int wanted = kind == GV_PART_POLYGON ? 1 + (part >> 2) % 3 : 1;
      for (int r = 0; r < wanted && rings < MOST_RINGS; r++) {
        take_ring(input, q, kind, &vertices);
        q->vertex[++rings] = vertices;
      }
      q->kind[parts] = kind;
      q->ring[++parts] = rings;
    }
    q->part[f + 1] = parts;
  }
  q->features.count = q->sources;
  q->features.part = q->part;
  q->features.kind = q->kind;
  q->features.ring = q->ring;
  q->features.vertex = q->vertex;
  q->features.x = q->vertex_x;
  q->features.y = q->vertex_y;
  q->features.edges = (gv_edges)(choices & 1U);
  q->features.boundary = (choices & 2U) != 0;
  q->options.features = &q->features;
}

/* The mesh has 8, 32, 128 ... cells. */
static void fit_mesh(question *q, int64_t cells) {
  while (q->grid.level > 0 && q->cells > cells) {
    q->grid.level--;
    q->cells /= 4;
  }
}

void fuzz_fit(question *q, int64_t room) {
  int64_t cells = q->cells;
  if (room < FUZZ_MEDIUM) q->threads = 1;
  fuzz_shrink(q->options.metric == GV_GEODESIC ? room / GEODESICS_TAKE : room, &cells, &q->sources);
  q->seeds.count = q->sources;
  if (q->options.features != NULL) q->features.count = q->sources;
  if (q->grid.kind == GV_GRID_QTM) {
    fit_mesh(q, cells);
  } else {
    fuzz_shrink(cells, &q->grid.width, &q->grid.height);
    q->cells = q->grid.width * q->grid.height;
  }
}

block_place fuzz_block(const question *q, int64_t column, int64_t row) {
  int64_t wide = q->options.block_width > 0 ? q->options.block_width : 512;
  int64_t high = q->options.block_height > 0 ? q->options.block_height : 512;
  if (q->grid.kind == GV_GRID_QTM) {
    int64_t power = 1, wanted = q->options.block_width > 0 ? q->options.block_width : 65536;
    while (4 * power <= wanted)
      power *= 4;
    int64_t left = q->cells - column * power;
    return (block_place){left < power ? left : power, 1, column * power};
  }
  int64_t width = q->grid.width - column * wide, height = q->grid.height - row * high;
  return (block_place){width < wide ? width : wide, height < high ? height : high,
                       row * high * q->grid.width + column * wide};
}

int64_t fuzz_stride(const question *q) {
  return q->grid.kind == GV_GRID_QTM ? q->cells : q->grid.width;
}

gv_status fuzz_create(gv_context *context, const question *q, const char *backend, gv_voronoi **out) {
  gv_voronoi_options options = q->options;
  options.backend = backend;
  gv_status status =
      gv_voronoi_create(context, &q->grid, options.features != NULL ? NULL : &q->seeds, &options, out);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  return status;
}

static gv_status answer_block(gv_context *context, const question *q, const gv_voronoi *voronoi,
                              int64_t column, int64_t row, int32_t *out, double *distance) {
  gv_labels block;
  gv_labels_init(&block);
  gv_measure measure;
  gv_measure_init(&measure);
  int64_t at = fuzz_block(q, column, row).at;
  AT_BLOCK(block, voronoi, column, row);
  AT_BLOCK(measure, voronoi, column, row);
  block.mask = q->masked ? q->mask + at : NULL;
  block.mask_stride = block.stride = measure.stride = measure.out_stride = fuzz_stride(q);
  block.band_stride = measure.band_stride = measure.out_band_stride = q->cells;
  block.out = out + at;
  measure.bands = q->options.k;
  measure.seed = out + at;
  measure.type = GV_FLOAT64;
  gv_status status = gv_voronoi_fill(context, voronoi, &block, NULL);
  if (status != GV_OK || distance == NULL) return status;
  measure.distance = distance + at;
  return gv_voronoi_measure(context, voronoi, &measure);
}

gv_status fuzz_answer(gv_context *context, const question *q, const char *backend, int32_t *out,
                      double *distance) {
  gv_voronoi *voronoi = NULL;
  gv_status status = fuzz_create(context, q, backend, &voronoi);
  int64_t across = status == GV_OK ? blocks_across(voronoi) : 0,
          down = status == GV_OK ? blocks_down(voronoi) : 0;
  for (int64_t block = 0; status == GV_OK && block < across * down; block++)
    status = answer_block(context, q, voronoi, block % across, block / across, out, distance);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_voronoi_destroy(voronoi);
  return status;
}

/* Seeds are some or none, none comes before another, and masked cells have none. */
static void check_answer(const question *q, const int32_t *out, const double *distance) {
  for (int64_t i = 0; i < q->cells; i++) {
    for (int32_t b = 0; b < q->options.k; b++) {
      int32_t seed = out[b * q->cells + i];
      double d = distance[b * q->cells + i];
      FUZZ_REQUIRE(seed >= -1 && seed < q->sources);
      FUZZ_REQUIRE(seed >= 0 || isnan(d));
      if (seed >= 0) FUZZ_REQUIRE(d >= 0.0 && (!q->masked || q->mask[i] != 0));
      if (b > 0) FUZZ_REQUIRE(seed < 0 || out[(b - 1) * q->cells + i] >= 0);
    }
  }
}

void fuzz_compare_backends(const question *q) {
  static int32_t expected[MOST_CELLS * MOST_RANKS], found[MOST_CELLS * MOST_RANKS];
  static double distance[MOST_CELLS * MOST_RANKS];
  size_t count = (size_t)(q->cells * q->options.k);
  memset(expected, 0x55, count * sizeof *expected);
  memset(found, 0x55, count * sizeof *found);
  gv_context *context = fuzz_context(q->threads);
  gv_status first = fuzz_answer(context, q, "serial", expected, distance);
  if (first == GV_OK) check_answer(q, expected, distance);
  for (int i = 0, asked = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    FUZZ_REQUIRE(gv_backend_get(i, &info) == GV_OK);
    if (!info.available || strcmp(info.name, "serial") == 0) continue;
    if (!fuzz_asks(q->asked, asked++)) continue;
    gv_status status = fuzz_answer(context, q, info.name, found, NULL);
    if (status == GV_ERROR_UNSUPPORTED) continue;
    FUZZ_REQUIRE(status == first);
    if (status != GV_OK) continue;
    FUZZ_REQUIRE(memcmp(expected, found, count * sizeof *found) == 0);
  }
  gv_context_destroy(context);
}
