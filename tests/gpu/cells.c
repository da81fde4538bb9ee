/*
 * HEALPix, S2 and lists of places on a GPU: the cells of the engine of processors, in host memory and in a
 * device's, whole and in parts; with several neighbors, a largest distance, a mask, and places that are
 * missing, equal or far from all others. Skipped without a GPU.
 */
#include "../conformance/questions.h"

#include <cuda_runtime_api.h>

#include "gpuvoronoi/experimental.h"
#include "search/cuda_module.h"
#include "voronoi/gpu/raster.h"

#define CUDA(call) assert_int_equal((call), cudaSuccess)

enum { SEEDS = 5000, PLACES = 150001, MOST_K = 5 };

static double seed_lon[SEEDS], seed_lat[SEEDS], place_lon[PLACES], place_lat[PLACES];

static void somewhere(double *lon, double *lat) {
  *lon = 360.0 * uniform() - 180.0;
  *lat = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
}

/* 0: all over; 1: most in a small region, some twice. */
static void make_seeds(int kind) {
  for (int i = 0; i < SEEDS; i++) {
    somewhere(&seed_lon[i], &seed_lat[i]);
    if (kind == 1 && i > 20) seed_lon[i] = 8.0 + uniform(), seed_lat[i] = 47.0 + uniform();
    if (kind == 1 && i % 9 == 8) seed_lon[i] = seed_lon[i - 1], seed_lat[i] = seed_lat[i - 1];
  }
}

/* 0: in no order; 1: rows; 2: many are missing, 3: many are equal, and clusters. */
static void make_list(int kind) {
  for (int i = 0; i < PLACES; i++) {
    somewhere(&place_lon[i], &place_lat[i]);
    if (kind == 1) place_lon[i] = i % 500 * 0.72 - 180.0, place_lat[i] = 89.0 - i / 500 * 0.59;
    if (kind == 2 && (i % 3 == 1 || i > PLACES / 2))
      (i % 2 == 0 ? place_lon : place_lat)[i] = i % 5 ? (double)NAN : 1e3;
    if (kind == 3)
      place_lon[i] = i % 3 ? 180.0 : -180.0, place_lat[i] = i % 4 ? 90.0 - i % 7 : -45.0 + 1e-9 * i;
  }
}

static gv_grid grid_of(gv_grid_kind kind, int order, bool ring, bool authalic) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = kind;
  grid.order = order;
  grid.ring = ring;
  grid.authalic = authalic;
  grid.height = 1;
  grid.width = kind == GV_GRID_HEALPIX ? gv_healpix_count(order)
               : kind == GV_GRID_S2    ? gv_s2_count(order)
                                       : PLACES;
  if (kind == GV_GRID_POINTS) grid.longitude = place_lon, grid.latitude = place_lat;
  return grid;
}

static gv_voronoi *voronoi_of(gv_context *context, const gv_grid *grid, gv_metric metric, const question *q,
                              const char *backend) {
  gv_points seeds = gv_points_xy(seed_lon, seed_lat, SEEDS);
  gv_voronoi_options o = options_of(q, metric, NULL);
  gv_voronoi *made = NULL;
  o.backend = backend;
  if (gv_voronoi_create(context, grid, &seeds, &o, &made) != GV_OK)
    fail_msg("%s: %s", backend, gv_context_message(context));
  return made;
}

static void compare(const int32_t *got, const int32_t *expected, int64_t from, int64_t count, int64_t stride,
                    int k, const char *what) {
  for (int band = 0; band < k; band++) {
    for (int64_t i = 0; i < count; i++) {
      if (got[band * count + i] != expected[band * stride + from + i])
        fail_msg("%s: %d, not %d, at cell %lld, band %d", what, (int)got[band * count + i],
                 (int)expected[band * stride + from + i], (long long)(from + i), band);
    }
  }
}

/* A part of the cells into a device's memory, with or without a mask. */
static void compare_part(gv_context *context, const gv_voronoi *voronoi, const question *q,
                         const int32_t *expected, int64_t cells, int64_t from, int64_t count) {
  static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};
  const size_t bytes = sizeof(int32_t) * (size_t)(q->k * count);
  int32_t *there = NULL, *got = malloc(bytes);
  assert_non_null(got);
  CUDA(cudaMalloc((void **)&there, bytes + sizeof(int32_t)));
  for (int shift = 0; shift < 2; shift++) {
    gv_labels s;
    gv_labels_init(&s);
    s.out = there + shift;
    s.column = from;
    s.columns = count;
    s.rows = 1;
    s.array_options = &on_device;
    CUDA(cudaMemset(there, 0x55, bytes + sizeof(int32_t)));
    CUDA(cudaDeviceSynchronize());
    if (gv_voronoi_fill(context, voronoi, &s, NULL) != GV_OK) fail_msg("%s", gv_context_message(context));
    CUDA(cudaMemcpy(got, there + shift, bytes, cudaMemcpyDeviceToHost));
    compare(got, expected, from, count, cells, q->k, "device memory");
  }
  free(got);
  CUDA(cudaFree(there));
}

static void check_grid(const gv_grid *grid, gv_metric metric, const question *q) {
  const int64_t cells = grid->width;
  int32_t *expected = malloc(sizeof *expected * (size_t)(MOST_K * cells)),
          *got = malloc(sizeof *got * (size_t)(MOST_K * cells));
  gv_context *context = NULL;
  assert_true(expected != NULL && got != NULL);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_voronoi *tile = voronoi_of(context, grid, metric, q, "tile");
  assert_int_equal(fill_blocks(context, grid, tile, q, expected), GV_OK);
  gv_voronoi_destroy(tile);
  gv_voronoi *voronoi = voronoi_of(context, grid, metric, q, "cuda-tile");
  if (fill_blocks(context, grid, voronoi, q, got) != GV_OK) fail_msg("%s", gv_context_message(context));
  compare(got, expected, 0, cells, cells, 1, "host memory");
  assert_memory_equal(got, expected, sizeof *got * (size_t)(q->k * cells));
  if (q->mask == NULL) {
    compare_part(context, voronoi, q, expected, cells, 0, cells);
    compare_part(context, voronoi, q, expected, cells, 1000, 77777);
    compare_part(context, voronoi, q, expected, cells, 1024, 65536); /* whole leaves */
  }
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  free(expected);
  free(got);
}

static uint8_t mask[12 << 14];

/* One question after the other. */
static question question_of(int turn) {
  question q = plain;
  q.k = turn % 3 == 1 ? MOST_K : turn % 3 == 2 ? 2 : 1;
  if (turn % 4 >= 2) q.max_distance = turn % 4 == 2 ? 3e5 : 2e4;
  if (turn % 5 == 4) q.mask = mask;
  return q;
}

static void cells_of_devices(void **state) {
  (void)state;
  int turn = 0;
  random_state = 5;
  for (size_t i = 0; i < sizeof mask; i++)
    mask[i] = i / 100 % 3 != 1;
  for (int kind = 0; kind < 2; kind++) {
    make_seeds(kind);
    for (int m = 0; m < 2; m++) {
      const gv_metric metric = m == 0 ? GV_GREAT_CIRCLE : GV_GEODESIC;
      for (int c = 0; c < 9; c++) {
        const gv_grid_kind cells = c < 3 ? GV_GRID_HEALPIX : c < 5 ? GV_GRID_S2 : GV_GRID_POINTS;
        if (cells == GV_GRID_POINTS) make_list(c - 5);
        const gv_grid grid = grid_of(cells, 7, c == 1, c == 2 || c == 4);
        const question q = question_of(turn++), k1 = plain;
        check_grid(&grid, metric, &k1);
        check_grid(&grid, metric, &q);
      }
    }
  }
}

/* Few cells, fewer than the leaves have. */
static void few_cells(void **state) {
  (void)state;
  random_state = 6;
  make_seeds(0);
  for (int order = 0; order < 4; order++) {
    for (int c = 0; c < 3; c++) {
      gv_grid grid = grid_of(c < 2 ? GV_GRID_HEALPIX : GV_GRID_S2, order, c == 1, false);
      const question q = question_of(order + c);
      const run_options serial = {"serial", "avx512", 2, 0, 0}, device = {"cuda-tile", "avx512", 2, 0, 0};
      static int32_t expected[MOST_K * (12 << 6)], got[MOST_K * (12 << 6)];
      gv_points seeds = gv_points_xy(seed_lon, seed_lat, 50);
      question whole = q;
      whole.mask = NULL;
      run(&grid, &seeds, GV_GEODESIC, &serial, &whole, NULL, expected);
      run(&grid, &seeds, GV_GEODESIC, &device, &whole, NULL, got);
      assert_memory_equal(got, expected, sizeof *got * (size_t)(whole.k * grid.width));
    }
  }
}

/* Places on poles and on both sides of the antimeridian, more than once and with seeds on them, for as many
 * neighbors as grids have, of many seeds and of one; lists of one place and without any position. */
static void places_on_seams(void **state) {
  (void)state;
  enum { COUNT = 600, NEAR = 1100, WANTED = GV_CUDA_MOST_K };
  static const double latitude[] = {90.0, -90.0, 0.0, -0.0, 45.0, 89.9999999999};
  static const int32_t ks[] = {1, WANTED, 2, WANTED / 2 + 1};
  static int32_t expected[WANTED * COUNT], got[WANTED * COUNT];
  const run_options serial = {"serial", "avx512", 2, 0, 0}, device = {"cuda-tile", "avx512", 2, 0, 0};
  for (int i = 0; i < NEAR; i++) {
    seed_lon[i] = i % 4 * 90.0 - 180.0 + (i % 7 == 6 ? 1e-9 * i : 0.0) + (i % 5 == 4 ? 360.0 : 0.0);
    seed_lat[i] = latitude[i / 4 % 6];
  }
  for (int i = 0; i < COUNT; i++) {
    place_lon[i] = i % 5 * 90.0 - 180.0;
    place_lat[i] = i % 11 == 10 ? (double)NAN : latitude[i / 5 % 6];
  }
  const gv_points seeds = gv_points_xy(seed_lon, seed_lat, NEAR), one = gv_points_xy(seed_lon, seed_lat, 1);
  gv_grid grid = grid_of(GV_GRID_POINTS, 0, false, false);
  for (int turn = 0; turn < 10; turn++) {
    const gv_metric metric = turn % 2 == 0 ? GV_GEODESIC : GV_GREAT_CIRCLE;
    question q = plain;
    q.k = ks[turn / 2 % 4];
    grid.width = turn < 8 ? COUNT : turn - 7;
    if (turn == 9) place_lon[0] = place_lon[1] = INFINITY;
    run(&grid, turn % 4 == 3 ? &one : &seeds, metric, &serial, &q, NULL, expected);
    run(&grid, turn % 4 == 3 ? &one : &seeds, metric, &device, &q, NULL, got);
    for (int64_t i = 0; i < q.k * grid.width; i++)
      if (got[i] != expected[i])
        fail_msg("turn %d, k %d: %d, not %d, at %d", turn, (int)q.k, (int)got[i], (int)expected[i], (int)i);
  }
}

/* "auto" decides by sizes and threads; where CUDA runs, a large list in no order is a device's. */
static void automatic(void **state) {
  (void)state;
  gv_context *context = NULL;
  gv_context_options options;
  random_state = 7;
  make_seeds(0);
  gv_context_options_init(&options);
  options.threads = 8;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  for (int order = 4; order <= 11; order += 7) {
    gv_grid grid = grid_of(GV_GRID_HEALPIX, order, true, false);
    gv_voronoi *voronoi = voronoi_of(context, &grid, GV_GREAT_CIRCLE, &plain, "auto");
    assert_string_equal(gv_voronoi_backend(voronoi), order == 4 ? "tile" : "cuda-tile");
    gv_voronoi_destroy(voronoi);
  }
  gv_context_destroy(context);
}

int main(void) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    printf("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(cells_of_devices), cmocka_unit_test(few_cells),
                                     cmocka_unit_test(places_on_seams), cmocka_unit_test(automatic)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
