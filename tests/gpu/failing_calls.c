/*
 * Strips, distances, azimuths and statistics on a device, blocks of the host's measured there, searches and
 * travel costs, while one CUDA call fails, the first, the second ... up to the last: the call reports it, no
 * error remains, and the same object returns the right results afterwards; if the library selected the
 * device, processors continue with the same results. With a separate module (GPUVORONOI_FAILING_CUDA_CALLS).
 * Skipped without a GPU.
 */
#include "cmocka_test.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/geometries.h"
#include "search/cuda_module.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

enum {
  WIDTH = 300,
  HEIGHT = 150,
  CELLS = WIDTH * HEIGHT,
  SEEDS = 200,
  MOST_CALLS = 2000,
  MOST_BYTES = 256, /* of a seed's sums */
  QUIET = 20        /* consecutive numbers without a failure: there are no more calls */
};

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static double lon[SEEDS], lat[SEEDS];
static int32_t *label;
static float *distance, *azimuth;
static int32_t label_here[CELLS];
static float distance_here[CELLS], azimuth_here[CELLS];
static uint8_t *mask;

static void fail_at(int call) {
  char text[16];
  snprintf(text, sizeof text, "%d", call);
  assert_int_equal(setenv("GPUVORONOI_FAILING_CUDA_CALL", text, 1), 0);
}

/* A grid, and its statistics. */
typedef struct question {
  gv_voronoi *voronoi;
  gv_statistics *statistics;
} question;

static gv_status create_statistics(gv_context *context, question *q) {
  gv_statistics_options how;
  gv_statistics_options_init(&how);
  return gv_statistics_create(context, q->voronoi, &how, &q->statistics);
}

static gv_status create(gv_context *context, question *out) {
  const double geotransform[] = {-180, 360.0 / WIDTH, 0, 90, 0, -180.0 / HEIGHT};
  gv_grid grid;
  gv_grid_init(&grid);
  gv_points seeds = gv_points_xy(lon, lat, SEEDS);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  grid.kind = GV_GRID_LONLAT;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.backend = "cuda-tile";
  o.metric = GV_GEODESIC;
  gv_status status = gv_voronoi_create(context, &grid, &seeds, &o, &out->voronoi);
  return status == GV_OK ? create_statistics(context, out) : status;
}

/* The only block, from and into the host's memory. */
static gv_status measure_here(gv_context *context, const question *q) {
  gv_measure m;
  gv_measure_init(&m);
  m.seed = label_here;
  m.stride = m.out_stride = WIDTH;
  m.distance = distance_here;
  m.azimuth = azimuth_here;
  return gv_voronoi_measure(context, q->voronoi, &m);
}

static gv_status ask(gv_context *context, const question *q) {
  gv_labels s;
  gv_labels_init(&s);
  gv_measure m;
  gv_measure_init(&m);
  gv_statistics_cells found;
  gv_statistics_cells_init(&found);
  m.array_options = found.array_options = &on_device;
  s.out = label;
  s.stride = s.mask_stride = WIDTH;
  s.mask = mask;
  s.array_options = &on_device;
  m.seed = label;
  m.distance = distance;
  m.azimuth = azimuth;
  m.stride = m.out_stride = WIDTH;
  gv_status status = gv_voronoi_fill(context, q->voronoi, &s, NULL);
  if (status == GV_OK) status = gv_voronoi_measure(context, q->voronoi, &m);
  if (status == GV_OK) status = measure_here(context, q);
  return status == GV_OK ? gv_statistics_add(context, q->statistics, &found) : status;
}

typedef struct answers {
  int32_t label[CELLS];
  float distance[CELLS], azimuth[CELLS], distance_here[CELLS], azimuth_here[CELLS];
  unsigned char sums[SEEDS][MOST_BYTES];
} answers;

static void take_answers(gv_context *context, const question *q, answers *out) {
  memset(out, 0, sizeof *out);
  CUDA(cudaMemcpy(out->label, label, sizeof out->label, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(out->distance, distance, sizeof out->distance, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(out->azimuth, azimuth, sizeof out->azimuth, cudaMemcpyDeviceToHost));
  memcpy(out->distance_here, distance_here, sizeof distance_here);
  memcpy(out->azimuth_here, azimuth_here, sizeof azimuth_here);
  assert_true(gv_statistics_sums_size(q->statistics) <= MOST_BYTES);
  for (int i = 0; i < SEEDS; i++)
    assert_int_equal(gv_statistics_get_sums(context, q->statistics, i, out->sums[i]), GV_OK);
}

static void each_call_fails_once(void **state) {
  (void)state;
  static answers expected, got;
  int failures = 0, quiet = 0, call = 0;
  for (; quiet < QUIET && call < MOST_CALLS; call++) { /* 0: none does */
    gv_context *context = NULL;
    question q = {NULL, NULL};
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    fail_at(call);
    gv_status status = create(context, &q);
    if (status == GV_OK) status = ask(context, &q);
    if (status == GV_OK && call > 0) quiet++;
    if (status != GV_OK) {
      if (quiet > 0) fail_msg("nobody says that call %d has failed", call - quiet);
      failures++;
      assert_true(call > 0 && gv_context_message(context)[0] != '\0');
    }
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    fail_at(0);
    memset(distance_here, 0x55, sizeof distance_here);
    memset(azimuth_here, 0x55, sizeof azimuth_here);
    CUDA(cudaMemset(label, 0x55, CELLS * sizeof *label));
    CUDA(cudaDeviceSynchronize());
    if (q.voronoi == NULL) {
      assert_int_equal(create(context, &q), GV_OK);
    } else if (status == GV_OK) { /* else nothing has been added */
      gv_statistics_destroy(q.statistics);
      assert_int_equal(create_statistics(context, &q), GV_OK);
    }
    if (ask(context, &q) != GV_OK) fail_msg("after call %d: %s", call, gv_context_message(context));
    take_answers(context, &q, call == 0 ? &expected : &got);
    if (call > 0 && memcmp(&got, &expected, sizeof got) != 0)
      fail_msg("other answers after call %d has failed", call);
    gv_statistics_destroy(q.statistics);
    gv_voronoi_destroy(q.voronoi);
    gv_context_destroy(context);
  }
  print_message("%d calls\n", failures);
  assert_true(failures > 20 && call < MOST_CALLS);
}

/* ----------------------------------------------------------------------------------------------- searches */

enum { POINTS = 3000, ASKED = 200, MOST_DIM = 64, K = 5 };

static float place[POINTS * MOST_DIM];

typedef struct neighbors {
  int64_t asked[ASKED * K], own[POINTS * K];
} neighbors;

static gv_status read_places(void *user, int64_t first, int64_t count, void *out) {
  int32_t dim = *(const int32_t *)user;
  memcpy(out, place + first * dim, (size_t)(count * dim) * sizeof *place);
  return GV_OK;
}

static gv_status build_index(gv_context *context, const char *backend, int32_t dim, gv_index **out) {
  const gv_point_source source = {sizeof(gv_point_source), POINTS, dim, GV_FLOAT32, read_places, &dim};
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.expected_queries = 1000000;
  return gv_index_build_from(context, &source, &options, out);
}

static gv_status find_neighbors(gv_context *context, const gv_index *index, int32_t dim, neighbors *out) {
  const gv_points queries = gv_points_rows(place + POINTS, ASKED, dim, GV_FLOAT32);
  gv_search_options o;
  gv_search_options_init(&o);
  o.k = K;
  gv_status status = gv_index_search(context, index, &queries, &o, out->asked, NULL);
  o.exclude_self = 1;
  return status == GV_OK ? gv_index_search(context, index, NULL, &o, out->own, NULL) : status;
}

/* How many calls have failed without an answer. */
static int search_with_failures(const char *backend, int32_t dim, const neighbors *expected) {
  static neighbors got;
  int failures = 0, quiet = 0, call = 1;
  for (; quiet < (backend != NULL ? QUIET : 8 * QUIET) && call < MOST_CALLS; call++) {
    gv_context *context = NULL;
    gv_index *index = NULL;
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    memset(&got, 0x55, sizeof got);
    fail_at(call);
    gv_status status = build_index(context, backend, dim, &index);
    if (status == GV_OK) status = find_neighbors(context, index, dim, &got);
    fail_at(0);
    quiet++;
    if (status != GV_OK) {
      assert_true(backend != NULL && gv_context_message(context)[0] != '\0');
      failures++;
      quiet = 0;
      if (index == NULL) assert_int_equal(build_index(context, backend, dim, &index), GV_OK);
      if (find_neighbors(context, index, dim, &got) != GV_OK)
        fail_msg("after call %d: %s", call, gv_context_message(context));
    }
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    if (memcmp(&got, expected, sizeof got) != 0) fail_msg("%s: other answers, call %d", backend, call);
    gv_index_destroy(index);
    gv_context_destroy(context);
  }
  assert_true(call < MOST_CALLS);
  return failures;
}

static void each_call_of_a_search_fails_once(void **state) {
  (void)state;
  static const struct {
    const char *backend;
    int32_t dim;
  } cases[] = {{"cuda-tensor", MOST_DIM}, {"cuda-register", 3}, {"cuda-kdtree", 3}, {NULL, MOST_DIM}};
  static neighbors expected;
  fail_at(0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gv_context *context = NULL;
    gv_index *index = NULL;
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    assert_int_equal(build_index(context, "serial", cases[i].dim, &index), GV_OK);
    assert_int_equal(find_neighbors(context, index, cases[i].dim, &expected), GV_OK);
    gv_index_destroy(index);
    assert_int_equal(build_index(context, cases[i].backend, cases[i].dim, &index), GV_OK);
    assert_memory_equal(gv_index_backend(index), "cuda-", 5);
    gv_index_destroy(index);
    gv_context_destroy(context);
    int failures = search_with_failures(cases[i].backend, cases[i].dim, &expected);
    print_message("%s: %d calls\n", cases[i].backend != NULL ? cases[i].backend : "auto", failures);
    assert_true(cases[i].backend == NULL ? failures == 0 : failures > 10);
  }
}

/* -------------------------------------------------------------------------------------------- travel cost */

enum { COST_WIDTH = 100, COST_HEIGHT = 70, COST_SEEDS = 3 };

static gv_status solve_costs(gv_context *context, gv_cost_engine engine, gv_cost **out) {
  static const double x[COST_SEEDS] = {3.5, 50.2, 98.0}, y[COST_SEEDS] = {2.5, 40.5, 69.0};
  const gv_cost_settings o = {.metric = GV_EUCLIDEAN,
                              .width = COST_WIDTH,
                              .height = COST_HEIGHT,
                              .geotransform = {0, 1, 0, 0, 0, 1},
                              .moves = 16,
                              .engine = engine,
                              .most = (double)INFINITY};
  int64_t left_out;
  assert_int_equal(gv_cost_make(context, &o, out), GV_OK);
  for (int r = 0; r < COST_HEIGHT; r++) {
    double friction[COST_WIDTH];
    for (int c = 0; c < COST_WIDTH; c++)
      friction[c] = 1.0 + place[r * COST_WIDTH + c] / 16777216.0;
    gv_cost_set_row(*out, r, friction);
  }
  return gv_cost_find(context, *out, &(gv_cost_sources){.x = x, .y = y, .count = COST_SEEDS}, &left_out);
}

static void each_call_of_a_travel_cost_fails_once(void **state) {
  (void)state;
  gv_context *context = NULL;
  gv_cost *expected = NULL, *got = NULL;
  int failures = 0, quiet = 0, call = 1;
  fail_at(0);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(solve_costs(context, GV_COST_SERIAL, &expected), GV_OK);
  for (; quiet < QUIET && call < MOST_CALLS; call++) {
    fail_at(call);
    gv_status status = solve_costs(context, GV_COST_CUDA, &got);
    fail_at(0);
    quiet = status == GV_OK ? quiet + 1 : 0;
    if (status != GV_OK) {
      failures++;
      assert_true(gv_context_message(context)[0] != '\0');
      gv_cost_destroy(got);
      assert_int_equal(solve_costs(context, GV_COST_CUDA, &got), GV_OK);
    }
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    for (int r = 0; r < COST_HEIGHT; r++) {
      assert_memory_equal(gv_cost_row_costs(got, r), gv_cost_row_costs(expected, r),
                          COST_WIDTH * sizeof(double));
      assert_memory_equal(gv_cost_row_seeds(got, r), gv_cost_row_seeds(expected, r),
                          COST_WIDTH * sizeof(int32_t));
    }
    gv_cost_destroy(got);
  }
  print_message("travel cost: %d calls\n", failures);
  assert_true(failures > 20 && call < MOST_CALLS);
  gv_cost_destroy(expected);
  gv_context_destroy(context);
}

/* ------------------------------------------------------------------------------------- lines and polygons */

enum { LINES = 100, LINE_QUERIES = 3000 };

enum { LINE_WIDTH = 40, LINE_HEIGHT = 30, LINE_CELLS = LINE_WIDTH * LINE_HEIGHT };

typedef struct line_results {
  int64_t found[LINE_QUERIES];
  double far[LINE_QUERIES];
  int32_t label[LINE_CELLS];
  float distance[LINE_CELLS];
} line_results;

/* The nearest lines of the cells of a raster, and their distances. */
static gv_status rasterize_lines(gv_context *context, const gv_features *lines, const char *backend,
                                 line_results *out) {
  const double geotransform[6] = {0.0, 6.0, 0, 256.0, 0, -8.0};
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_PLANE;
  grid.width = LINE_WIDTH;
  grid.height = LINE_HEIGHT;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  o.metric = GV_EUCLIDEAN;
  o.backend = backend;
  o.features = lines;
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = out->label;
  gv_measure m;
  gv_measure_init(&m);
  m.seed = out->label;
  m.distance = out->distance;
  m.type = GV_FLOAT32;
  gv_voronoi *v = NULL;
  gv_status status = gv_voronoi_create(context, &grid, NULL, &o, &v);
  if (status == GV_OK) status = gv_voronoi_fill(context, v, &labels, NULL);
  if (status == GV_OK) status = gv_voronoi_measure(context, v, &m);
  gv_voronoi_destroy(v);
  return status;
}

/* Lines between the points of a list, and the nearest of other points and of cells. */
static gv_status find_lines(gv_context *context, const char *backend, line_results *out) {
  static int64_t part[LINES + 1], vertex[LINES + 1];
  static double x[2 * LINES], y[2 * LINES];
  uint8_t kind[LINES];
  for (int i = 0; i <= LINES; i++) {
    part[i] = i;
    vertex[i] = 2 * i;
  }
  for (int i = 0; i < 2 * LINES; i++) {
    x[i] = place[2 * i] / 65536.0;
    y[i] = place[2 * i + 1] / 65536.0;
  }
  memset(kind, GV_PART_LINE, sizeof kind);
  gv_features lines;
  gv_features_init(&lines);
  lines.count = LINES;
  lines.part = lines.ring = part;
  lines.vertex = vertex;
  lines.kind = kind;
  lines.x = x;
  lines.y = y;
  gv_index_options o;
  gv_index_options_init(&o);
  o.metric = GV_EUCLIDEAN;
  o.backend = backend;
  const gv_points queries = gv_points_rows(place + 4 * LINES, LINE_QUERIES, 2, GV_FLOAT32);
  gv_index *index = NULL;
  gv_status status = gv_index_build_features(context, &lines, &o, &index);
  if (status == GV_OK) status = gv_index_search(context, index, &queries, NULL, out->found, out->far);
  gv_index_destroy(index);
  return status == GV_OK ? rasterize_lines(context, &lines, backend, out) : status;
}

static void each_call_of_a_search_of_lines_fails_once(void **state) {
  (void)state;
  static line_results expected, got;
  int failures = 0, quiet = 0, call = 1;
  gv_context *context = NULL;
  fail_at(0);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(find_lines(context, "tile", &expected), GV_OK);
  gv_context_destroy(context);
  for (; quiet < QUIET && call < MOST_CALLS; call++) {
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    fail_at(call);
    gv_status status = find_lines(context, "cuda-tile", &got);
    fail_at(0);
    quiet = status == GV_OK ? quiet + 1 : 0;
    if (status != GV_OK) {
      failures++;
      assert_true(gv_context_message(context)[0] != '\0');
      assert_int_equal(find_lines(context, "cuda-tile", &got), GV_OK);
    }
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_memory_equal(&got, &expected, sizeof got);
    gv_context_destroy(context);
  }
  print_message("lines: %d calls\n", failures);
  assert_true(failures > 10 && call < MOST_CALLS);
}

int main(void) {
  const char *reason = "";
  uint64_t random_state = 1;
  if (gv_cuda_probe(&reason) != GV_OK) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  for (int i = 0; i < 2 * SEEDS; i++) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double u = (double)(random_state >> 11) * 0x1p-53;
    if (i % 2 == 0) lon[i / 2] = 360.0 * u - 180.0;
    if (i % 2 != 0) lat[i / 2] = 179.0 * u - 89.5;
  }
  if (cudaMalloc((void **)&label, CELLS * sizeof *label) != cudaSuccess ||
      cudaMalloc((void **)&distance, CELLS * sizeof *distance) != cudaSuccess ||
      cudaMalloc((void **)&azimuth, CELLS * sizeof *azimuth) != cudaSuccess ||
      cudaMalloc((void **)&mask, CELLS) != cudaSuccess || cudaMemset(mask, 1, CELLS) != cudaSuccess) {
    return 1;
  }
  for (int i = 0; i < CELLS; i++)
    label_here[i] = (i * 7) % SEEDS;
  for (int i = 0; i < POINTS * MOST_DIM; i++) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    place[i] = (float)(random_state >> 40);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_fails_once),
                                     cmocka_unit_test(each_call_of_a_search_fails_once),
                                     cmocka_unit_test(each_call_of_a_travel_cost_fails_once),
                                     cmocka_unit_test(each_call_of_a_search_of_lines_fails_once)};
  int result = cmocka_run_group_tests_name("failing calls", tests, NULL, NULL);
  return cudaFree(label) == cudaSuccess && cudaFree(distance) == cudaSuccess &&
                 cudaFree(azimuth) == cudaSuccess && cudaFree(mask) == cudaSuccess
             ? result
             : 1;
}
