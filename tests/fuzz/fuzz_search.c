/* Point search on arbitrary points: every backend refuses, or returns what the first one (serial) returns. */
#include "fuzz.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "question.h"

enum { MOST_POINTS = 200, MOST_QUERIES = 40, MOST_DIM = 5, MOST_K = 8 };

static gv_status search(gv_context *context, const char *backend, gv_metric metric,
                        const gv_points *reference, const gv_points *queries,
                        const gv_search_options *options, int64_t *indices, double *distances) {
  gv_index_options build;
  gv_index_options_init(&build);
  gv_index *index = NULL;
  build.backend = backend;
  build.metric = metric;
  gv_status status = gv_index_build(context, reference, &build, &index);
  if (status == GV_OK) status = gv_index_search(context, index, queries, options, indices, distances);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_index_destroy(index);
  return status;
}

/* Coordinates of a few kinds: small whole numbers (ties), any bits (NaN, infinities, denormals),
 * fractions. */
static void take_coordinates(fuzz_input *input, uint8_t kind, double *out, int count) {
  for (int i = 0; i < count; i++) {
    if (kind % 4 == 0) {
      fuzz_take(input, &out[i], sizeof out[i]);
    } else {
      int8_t value = (int8_t)fuzz_byte(input);
      out[i] = kind % 4 == 1 ? value % 4 : kind % 4 == 2 ? value / 7.0 : 1e7 + value / 1024.0;
    }
  }
}

/* In memory of its own, as large as it must be. */
static void *copy(const double *values, size_t count, bool narrow) {
  size_t size = narrow ? sizeof(float) : sizeof(double);
  void *memory = malloc(count > 0 ? count * size : 1);
  FUZZ_REQUIRE(memory != NULL);
  for (size_t i = 0; i < count; i++) {
    if (narrow)
      ((float *)memory)[i] = (float)values[i];
    else
      ((double *)memory)[i] = values[i];
  }
  return memory;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static double points[MOST_POINTS * MOST_DIM], places[MOST_QUERIES * MOST_DIM];
  static int64_t expected[MOST_POINTS * MOST_K], found[MOST_POINTS * MOST_K];
  static double expected_distance[MOST_POINTS * MOST_K], found_distance[MOST_POINTS * MOST_K];
  fuzz_input input = {data, size};
  uint8_t kind = fuzz_byte(&input), choices = fuzz_byte(&input);
  int32_t dim = 1 + fuzz_byte(&input) % MOST_DIM;
  gv_metric metric = (gv_metric)(choices % 3);
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = 1 + fuzz_byte(&input) % MOST_K;
  bool self = (choices & 0x40U) != 0;
  options.exclude_self = self && (choices & 0x80U) != 0;
  if (choices & 0x20U) options.max_distance = fuzz_byte(&input) / 8.0;
  uint8_t many = fuzz_byte(&input);
  int64_t room = fuzz_more_room(fuzz_room(data, size), 8);
  /* small ones, as then there are more */
  int64_t count = 1 + (many % 8 != 0 ? many % 30 : many % MOST_POINTS);
  int64_t query_count = fuzz_byte(&input) % MOST_QUERIES;
  take_coordinates(&input, kind, places, (int)query_count * dim);
  take_coordinates(&input, kind, points, (int)count * dim);
  int64_t same = count; /* a set against itself */
  fuzz_shrink(room, &count, self ? &same : &query_count);
  bool narrow = (kind & 4U) != 0;
  void *reference_data = copy(points, (size_t)count * (size_t)dim, narrow);
  void *query_data = copy(places, (size_t)query_count * (size_t)dim, narrow);
  gv_dtype type = narrow ? GV_FLOAT32 : GV_FLOAT64;
  gv_points reference = gv_points_rows(reference_data, count, dim, type),
            queries = gv_points_rows(query_data, query_count, dim, type);
  if (self) query_count = count;
  size_t cells = (size_t)query_count * (size_t)options.k;

  gv_context *context =
      fuzz_context((choices & 0x10U) != 0 && room >= 8 * FUZZ_MEDIUM && many % 16 == 0 ? 2 : 1);
  gv_status first = search(context, "serial", metric, &reference, self ? NULL : &queries, &options, expected,
                           expected_distance);
  FUZZ_REQUIRE(first == GV_OK || first == GV_ERROR_INVALID_ARGUMENT);
  for (int i = 0, asked = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    FUZZ_REQUIRE(gv_backend_get(i, &info) == GV_OK);
    if (!info.searches_points || !info.available || strcmp(info.name, "serial") == 0) continue;
    if (!fuzz_asks(kind >> 3 & 7U, asked++)) continue;
    gv_status status = search(context, info.name, metric, &reference, self ? NULL : &queries, &options, found,
                              found_distance);
    if (status == GV_ERROR_UNSUPPORTED) continue;
    FUZZ_REQUIRE(status == first);
    if (status != GV_OK) continue;
    FUZZ_REQUIRE(memcmp(expected, found, cells * sizeof *found) == 0);
    FUZZ_REQUIRE(memcmp(expected_distance, found_distance, cells * sizeof *found_distance) == 0);
  }
  gv_context_destroy(context);
  free(reference_data);
  free(query_data);
  return 0;
}
