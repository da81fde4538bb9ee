/*
 * Distances, directions and areas for any seed numbers, of points and features: refused, or the same in
 * blocks of any size, in both types, and within their ranges.
 */
#include "../grid_fill.h"
#include "question.h"

enum { FEW_CELLS = 300 };

typedef struct measures {
  double distance[FEW_CELLS], area[FEW_CELLS];
  float rounded[FEW_CELLS], azimuth[FEW_CELLS];
} measures;

static gv_status measure_block(gv_context *context, const question *q, const gv_voronoi *voronoi,
                               int64_t column, int64_t row, const int32_t *seed, bool within, measures *out) {
  gv_measure measure;
  gv_measure_init(&measure);
  int64_t at = fuzz_block(q, column, row).at;
  AT_BLOCK(measure, voronoi, column, row);
  measure.seed = seed + at;
  measure.stride = measure.out_stride = fuzz_stride(q);
  measure.signed_distance = within;
  measure.distance = out->rounded + at;
  measure.azimuth = out->azimuth + at;
  gv_status status = gv_voronoi_measure(context, voronoi, &measure);
  measure.type = GV_FLOAT64;
  measure.distance = out->distance + at;
  measure.azimuth = NULL;
  if (status == GV_OK) status = gv_voronoi_measure(context, voronoi, &measure);
  if (status == GV_OK) status = block_areas(context, voronoi, column, row, out->area + at, fuzz_stride(q));
  return status;
}

static gv_status measure_all(gv_context *context, const question *q, const int32_t *seed, bool within,
                             measures *out) {
  gv_voronoi *voronoi = NULL;
  gv_status status = fuzz_create(context, q, NULL, &voronoi);
  int64_t across = status == GV_OK ? blocks_across(voronoi) : 0, down = across > 0 ? blocks_down(voronoi) : 0;
  for (int64_t block = 0; status == GV_OK && block < across * down; block++)
    status = measure_block(context, q, voronoi, block % across, block / across, seed, within, out);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_voronoi_destroy(voronoi);
  return status;
}

static void check(const question *q, const int32_t *seed, bool within, const measures *m) {
  for (int64_t i = 0; i < q->cells; i++) {
    double d = m->distance[i];
    FUZZ_REQUIRE(seed[i] >= 0 || isnan(d));
    FUZZ_REQUIRE(isnan(d) || d >= 0.0 || within);
    FUZZ_REQUIRE(isnan(d) ? isnan(m->rounded[i]) : m->rounded[i] == (float)d);
    FUZZ_REQUIRE(isnan(m->azimuth[i]) || (m->azimuth[i] >= 0.0F && m->azimuth[i] < 360.0F));
    FUZZ_REQUIRE(!isnan(d) || isnan(m->azimuth[i]));
    FUZZ_REQUIRE(m->area[i] >= 0.0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static question q;
  static measures first, second;
  static int32_t seed[FEW_CELLS];
  fuzz_input input = {data, size};
  uint8_t choices = fuzz_byte(&input);
  fuzz_take_question(&input, &q);
  if (choices & 1U) fuzz_take_features(&input, &q);
  bool within = (choices & 2U) != 0;
  fuzz_fit(&q, fuzz_room(data, size));
  if (q.cells > FEW_CELLS) return 0;
  bool beyond = false;
  for (int64_t i = 0; i < q.cells; i++) {
    seed[i] = (int8_t)fuzz_byte(&input);
    if ((choices & 4U) == 0) seed[i] = seed[i] < 0 ? -1 : (int32_t)(seed[i] % q.sources);
    beyond = beyond || seed[i] >= q.sources;
  }
  gv_context *context = fuzz_context(1);
  gv_status status = measure_all(context, &q, seed, within, &first);
  if (beyond) FUZZ_REQUIRE(status != GV_OK);
  if (status == GV_OK) {
    check(&q, seed, within, &first);
    q.options.block_width = 0;
    q.options.block_height = 3;
    FUZZ_REQUIRE(measure_all(context, &q, seed, within, &second) == GV_OK);
    size_t cells = (size_t)q.cells;
    FUZZ_REQUIRE(memcmp(first.distance, second.distance, cells * sizeof *first.distance) == 0);
    FUZZ_REQUIRE(memcmp(first.rounded, second.rounded, cells * sizeof *first.rounded) == 0);
    FUZZ_REQUIRE(memcmp(first.azimuth, second.azimuth, cells * sizeof *first.azimuth) == 0);
    FUZZ_REQUIRE(memcmp(first.area, second.area, cells * sizeof *first.area) == 0);
  }
  gv_context_destroy(context);
  return 0;
}
