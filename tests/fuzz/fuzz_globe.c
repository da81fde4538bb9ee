/* Searching on the globe from any positions: every backend refuses, or returns what `serial` returns. */
#include "fuzz.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "question.h"

enum { MOST_QUERIES = 30, MOST_K = 8 };

typedef struct places {
  double x[MOST_SEEDS], y[MOST_SEEDS];
} places;

static void take_places(fuzz_input *input, uint8_t kind, int64_t count, places *out) {
  for (int64_t i = 0; i < count; i++) {
    out->x[i] = fuzz_take_number(input, kind);
    out->y[i] = fuzz_take_number(input, kind);
  }
}

static gv_status search(gv_context *context, const gv_index_options *build, const gv_points *seeds,
                        const gv_points *queries, const gv_search_options *options, int64_t *indices,
                        double *distances) {
  gv_index *index = NULL;
  gv_status status = gv_index_build(context, seeds, build, &index);
  if (status == GV_OK) status = gv_index_search(context, index, queries, options, indices, distances);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_index_destroy(index);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static places seeds, queries;
  static int64_t expected[MOST_SEEDS * MOST_K], found[MOST_SEEDS * MOST_K];
  static double expected_distance[MOST_SEEDS * MOST_K], found_distance[MOST_SEEDS * MOST_K];
  fuzz_input input = {data, size};
  int64_t room = fuzz_room(data, size);
  gv_index_options build;
  gv_index_options_init(&build);
  build.metric = GV_GEODESIC;
  gv_search_options options;
  gv_search_options_init(&options);
  uint8_t choices = fuzz_byte(&input), kind = fuzz_byte(&input);
  int64_t count = 1 + fuzz_byte(&input) % MOST_SEEDS, query_count = fuzz_byte(&input) % MOST_QUERIES;
  bool self = (choices & 2U) != 0;
  build.metric = (choices & 1U) != 0 ? GV_GREAT_CIRCLE : GV_GEODESIC;
  options.k = 1 + fuzz_byte(&input) % MOST_K;
  options.exclude_self = self && (choices & 4U) != 0;
  if (choices & 8U) options.max_distance = fuzz_byte(&input) * 1e5;
  if (choices & 0x10U) {
    build.semi_major = fuzz_take_number(&input, kind >> 4);
    build.flattening = fuzz_take_number(&input, kind >> 4) / 100.0;
  }
  take_places(&input, kind, count, &seeds);
  take_places(&input, kind >> 2, query_count, &queries);
  if (self) query_count = count;
  fuzz_shrink(build.metric == GV_GEODESIC ? room / GEODESICS_TAKE : room, &count, &query_count);
  if (self) query_count = count;
  gv_points reference = gv_points_xy(seeds.x, seeds.y, count),
            asking = gv_points_xy(queries.x, queries.y, query_count);
  size_t cells = (size_t)query_count * (size_t)options.k;

  gv_context *context =
      fuzz_context((choices & 0x20U) != 0 && room >= FUZZ_MEDIUM && query_count % 16 == 0 ? 2 : 1);
  build.backend = "serial";
  gv_status first =
      search(context, &build, &reference, self ? NULL : &asking, &options, expected, expected_distance);
  for (int i = 0, asked = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    FUZZ_REQUIRE(gv_backend_get(i, &info) == GV_OK);
    if (!info.searches_points || !info.available || strcmp(info.name, "serial") == 0) continue;
    if (!fuzz_asks(kind >> 4 & 7U, asked++)) continue;
    build.backend = info.name;
    gv_status status =
        search(context, &build, &reference, self ? NULL : &asking, &options, found, found_distance);
    if (status == GV_ERROR_UNSUPPORTED) continue;
    FUZZ_REQUIRE(status == first);
    if (status != GV_OK) continue;
    FUZZ_REQUIRE(memcmp(expected, found, cells * sizeof *found) == 0);
    FUZZ_REQUIRE(memcmp(expected_distance, found_distance, cells * sizeof *found_distance) == 0);
  }
  gv_context_destroy(context);
  return 0;
}
