/*
 * Grids and seed sets too large for every question: the tree of tiles, tiles filled as a whole, many blocks
 * of huge rasters.
 */
#include "core/parallel.h"
#include "grid_cases.h"
#include "grid_fill.h"
#include "left_out.h"

/* More seeds than cells. */
static void check_many(const grid_case *g, gv_metric metric, seed_kind kind, int64_t n, int32_t k,
                       gv_weighting weighting) {
  double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  double *weights = malloc((size_t)n * sizeof *weights);
  assert_true(x != NULL && y != NULL && weights != NULL);
  for (int64_t i = 0; i < n; i++)
    make_seed(g, kind, i, n, x, y);
  gv_points seeds = gv_points_xy(x, y, n);
  question q = plain;
  q.k = k;
  q.weighting = weighting;
  if (weighting != GV_UNWEIGHTED) {
    make_weights(g, metric, weighting, n, weights);
    q.weights = weights;
  }
  check_question(g, seed_names[kind], &seeds, metric, &q, k > 1 || weighting != GV_UNWEIGHTED);
  free(x);
  free(y);
  free(weights);
}

static void many_seeds(void **state) {
  (void)state;
  static const grid_case globe = {"globe, coarse", GV_GRID_LONLAT, 36, 18, {-180, 10, 0, 90, 0, -10}, NULL};
  static const grid_case plane = {"plane, coarse", GV_GRID_PLANE, 40, 20, {0, 1, 0, 20, 0, -1}, NULL};
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 200000, 1, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 1000000, 1, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 200000, 5, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, UNIFORM, 100000, 40, GV_ADDITIVE);
  check_many(&globe, GV_GREAT_CIRCLE, CORNER, 200000, 1, GV_UNWEIGHTED);
  check_many(&globe, GV_GREAT_CIRCLE, CORNER, 100000, 33, GV_UNWEIGHTED);
  check_many(&plane, GV_EUCLIDEAN, DUPLICATES, 200000, 1, GV_UNWEIGHTED);
  check_many(&plane, GV_EUCLIDEAN, DUPLICATES, 200000, 12, GV_UNWEIGHTED);
  check_many(&plane, GV_EUCLIDEAN, DUPLICATES, 100000, 3, GV_POWER);
  check_many(&plane, GV_MANHATTAN, LATTICE, 200000, 1, GV_UNWEIGHTED);
  check_many(&plane, GV_MANHATTAN, LATTICE, 100000, 7, GV_UNWEIGHTED);
}

/* A grid large enough for the tree of tiles and for tiles filled as a whole, against the plainest loop there
 * is. */
static void large_grid_against_a_plain_loop(void **state) {
  (void)state;
  enum { WIDTH = 1500, HEIGHT = 1100, SEEDS = 300 };
  gv_grid grid;
  gv_grid_init(&grid);
  const double geotransform[6] = {100, 0.5, 0, -40, 0, -0.5};
  double x[SEEDS], y[SEEDS];
  int32_t *out = malloc(sizeof *out * WIDTH * HEIGHT);
  assert_non_null(out);
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  for (int i = 0; i < SEEDS; i++) {
    x[i] = 100 + floor(uniform() * WIDTH) * 0.5;
    y[i] = -40 - floor(uniform() * HEIGHT) * 0.5;
  }
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  run_options o = {"tile", "avx512", 2, 128, 128};
  run(&grid, &seeds, GV_EUCLIDEAN, &o, &plain, NULL, out);
  for (int row = 0; row < HEIGHT; row++) {
    for (int column = 0; column < WIDTH; column++) {
      double cx = 100 + (column + 0.5) * 0.5, cy = -40 - (row + 0.5) * 0.5, best = INFINITY;
      int nearest = -1;
      for (int i = 0; i < SEEDS; i++) {
        double d = (cx - x[i]) * (cx - x[i]) + (cy - y[i]) * (cy - y[i]);
        if (d < best) {
          best = d;
          nearest = i;
        }
      }
      assert_int_equal(out[row * WIDTH + column], nearest);
    }
  }
  free(out);
}

/* Several neighbors on grids large enough for the largest leaves, where few candidates come in different
 * orders and floats sort them: with ties along rows, columns and diagonals, seeds at one place or nearly, and
 * limits that exclude some leaves. */
static void k_nearest_on_larger_grids(void **state) {
  (void)state;
  static const grid_case grids[] = {
      {"plane", GV_GRID_PLANE, 330, 250, {5e5, 0.5, 0, 6e6, 0, -0.5}, NULL},
      {"globe", GV_GRID_LONLAT, 360, 180, {-180, 1, 0, 90, 0, -1}, NULL},
      {"antimeridian", GV_GRID_LONLAT, 300, 210, {179, 0.01, 0, 61, 0, -0.01}, NULL},
  };
  static const seed_kind kinds[] = {UNIFORM, LATTICE, ON_CELLS, DUPLICATES, COINCIDENT};
  static const run_options variants[] = {
      {"tile", "avx512", 2, 0, 0}, {"tile", "avx2", 2, 128, 96}, {"tile", "baseline", 2, 0, 0}};
  int turn = 0;
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
    gv_grid grid = grid_of(&grids[g]);
    size_t cells = (size_t)(grid.width * grid.height);
    int32_t *expected = malloc(9 * cells * sizeof *expected), *got = malloc(9 * cells * sizeof *got);
    assert_true(expected != NULL && got != NULL);
    for (int32_t k = 2; k <= 9; k++, turn++) {
      enum { MOST = 60 };
      double x[MOST], y[MOST];
      seed_kind kind = kinds[turn % 5];
      bool geodesic = on_globe(&grids[g]) && turn % 3 == 0;
      int64_t n = geodesic ? 7 : turn % 2 == 0 ? 12 : MOST;
      gv_metric metric = geodesic ? GV_GEODESIC : on_globe(&grids[g]) ? GV_GREAT_CIRCLE : GV_EUCLIDEAN;
      gv_points seeds = gv_points_xy(x, y, n);
      question q = plain;
      for (int64_t i = 0; i < n; i++)
        make_seed(&grids[g], kind, i, n, x, y);
      q.k = k;
      if (turn % 4 == 3) q.max_distance = boundary_distance(&grids[g], &seeds, metric, false);
      run_options reference = {"serial", "avx512", 2, 0, 0};
      run(&grid, &seeds, metric, &reference, &q, NULL, expected);
      for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        run(&grid, &seeds, metric, &variants[v], &q, NULL, got);
        compare(&grids[g], seed_names[kind], n, metric, &variants[v], &q, expected, got);
      }
    }
    free(expected);
    free(got);
  }
}

/* Seeds of a large grid: spread evenly, or in clusters of very different width around every 50th. */
static void large_seeds(const grid_case *g, bool clusters, int64_t n, double *x, double *y) {
  for (int64_t i = 0; i < n; i++) {
    double wide = pow(0.5, (double)(i % 16));
    place(g, uniform(), uniform(), &x[i], &y[i]);
    if (!clusters || i < 50) continue;
    x[i] = x[i % 50] + (x[i] - x[i % 50]) * wide;
    y[i] = y[i % 50] + (y[i] - y[i % 50]) * wide;
  }
}

/* Options for large grids in turn: several neighbors, more of them than seeds, and limits that leave some or
 * most cells without seeds; a limit of 1 is about the distance between seeds. */
static const struct {
  int32_t k;
  double limit;
} large_questions[] = {{1, INFINITY}, {4, INFINITY}, {1, 0.5}, {8, 1.2}, {2, 0.3}, {1, 2.0}, {12, INFINITY}};

enum { LARGE_QUESTIONS = sizeof large_questions / sizeof *large_questions };

/* Grids of many tiles and bands of blocks, seeds few and many, even and in clusters: engines that only make
 * grids against `tile`, which the tests above compare with `serial`. */
static void large_grids_against_tile(void **state) {
  (void)state;
  static const grid_case cases[] = {
      {"globe, large", GV_GRID_LONLAT, 2100, 1050, {-180, 360.0 / 2100, 0, 90, 0, -180.0 / 1050}, NULL},
      {"piece of the globe, large", GV_GRID_LONLAT, 1500, 1100, {5, 0.001, 0, 48, 0, -0.001}, NULL},
      {"plane, large", GV_GRID_PLANE, 1700, 1300, {3e5, 30, 0, 5.6e6, 0, -30}, NULL},
      {"plane, rotated, large", GV_GRID_PLANE, 900, 700, {0, 3, 1, 0, 1, -2.5}, NULL},
  };
  static const int64_t counts[] = {3, 60, 5000, 200000};
  static const run_options others[] = {{"cuda-tile", "avx512", 2, 0, 0}, {"cuda-tile", "avx512", 2, 200, 90}};
  int turn = 0;
  if (!have_cuda_tile()) skip();
  for (size_t g = 0; g < sizeof cases / sizeof *cases; g++) {
    gv_grid grid = grid_of(&cases[g]);
    size_t cells = (size_t)(grid.width * grid.height);
    int32_t *expected = malloc(12 * cells * sizeof *expected), *got = malloc(12 * cells * sizeof *got);
    assert_non_null(expected);
    assert_non_null(got);
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
      int64_t n = counts[c / 2];
      bool clusters = c % 2 != 0, globe = on_globe(&cases[g]);
      double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
      assert_non_null(x);
      assert_non_null(y);
      large_seeds(&cases[g], clusters, n, x, y);
      gv_points seeds = gv_points_xy(x, y, n);
      const double *t = cases[g].geotransform;
      double apart = sqrt((double)cells / (double)n) * fabs(t[1]) * (globe ? 111e3 : 1.0);
      for (int m = 0; m < (globe ? 2 : 3); m++) {
        gv_metric metric = (gv_metric)((globe ? GV_GREAT_CIRCLE : GV_EUCLIDEAN) + m);
        for (int ask = 0; ask < 2; ask++) {
          question q = plain;
          run_options tile = {"tile", "avx512", 2, 0, 0};
          if (ask == 1) {
            q.k = large_questions[turn % LARGE_QUESTIONS].k;
            q.max_distance = apart * large_questions[turn % LARGE_QUESTIONS].limit;
            turn++;
          }
          run(&grid, &seeds, metric, &tile, &q, NULL, expected);
          for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
            if (ask == 1 && (turn + (int)o) % 2 != 0) continue;
            run(&grid, &seeds, metric, &others[o], &q, NULL, got);
            compare(&cases[g], clusters ? "clusters" : "uniform", n, metric, &others[o], &q, expected, got);
          }
        }
      }
      free(x);
      free(y);
    }
    free(expected);
    free(got);
  }
}

enum { CHOSEN = 160, CHOSEN_SIDE = 512 };

/* Blocks of a grid that are requested from two engines. */
typedef struct chosen_blocks {
  gv_voronoi *voronoi[2];
  int64_t number[CHOSEN];
  atomic_int wrong;
} chosen_blocks;

static gv_status compare_chosen(gv_worker *worker, int64_t first, int64_t end) {
  chosen_blocks *chosen = worker->user;
  int64_t across = blocks_across(chosen->voronoi[0]);
  const size_t bytes = sizeof(int32_t) * CHOSEN_SIDE * CHOSEN_SIDE;
  int32_t *out[2] = {malloc(bytes), malloc(bytes)};
  gv_status status = out[0] != NULL && out[1] != NULL ? GV_OK : GV_ERROR_OUT_OF_MEMORY;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    for (int m = 0; m < 2 && status == GV_OK; m++) {
      memset(out[m], 0x55, bytes);
      status = fill_block(&worker->context, chosen->voronoi[m], chosen->number[i] % across,
                          chosen->number[i] / across, out[m], CHOSEN_SIDE);
    }
    if (status == GV_OK && memcmp(out[0], out[1], bytes) != 0) atomic_fetch_add(&chosen->wrong, 1);
  }
  free(out[0]);
  free(out[1]);
  return status;
}

/* A raster of several bands and hundreds of slices, of which some blocks are requested: in any order, by
 * several threads. */
static void blocks_of_a_huge_grid_in_any_order(void **state) {
  (void)state;
  enum { SEEDS = 20000, THREADS = 4 };
  static const char *const names[] = {"cuda-tile", "tile"};
  static double lon[SEEDS], lat[SEEDS];
  if (!have_cuda_tile()) skip();
  gv_grid grid;
  gv_grid_init(&grid);
  const double geotransform[6] = {-180, 360.0 / 90000, 0, 90, 0, -180.0 / 45000};
  gv_context *context = NULL;
  chosen_blocks chosen = {.voronoi = {NULL, NULL}};
  grid.kind = GV_GRID_LONLAT;
  grid.width = 90000;
  grid.height = 45000;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  for (int i = 0; i < SEEDS; i++) {
    lon[i] = 360.0 * uniform() - 180.0;
    lat[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
  }
  gv_points seeds = gv_points_xy(lon, lat, SEEDS);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int m = 0; m < 2; m++) {
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    o.backend = names[m];
    o.metric = GV_GREAT_CIRCLE;
    o.block_width = o.block_height = CHOSEN_SIDE;
    if (gv_voronoi_create(context, &grid, &seeds, &o, &chosen.voronoi[m]) != GV_OK) {
      fail_msg("%s: %s", names[m], gv_context_message(context));
    }
  }
  int64_t blocks = blocks_across(chosen.voronoi[0]) * blocks_down(chosen.voronoi[0]);
  for (int i = 0; i < CHOSEN; i++) /* some of them runs in file order */
    chosen.number[i] =
        i % 4 != 0 ? (chosen.number[i - 1] + 1) % blocks : (int64_t)(uniform() * (double)blocks);
  gv_loop loop = {.context = context, .threads = THREADS, .count = CHOSEN, .grain = 1, .user = &chosen};
  assert_int_equal(gv_parallel_for(&loop, compare_chosen), GV_OK);
  assert_int_equal(atomic_load(&chosen.wrong), 0);
  gv_voronoi_destroy(chosen.voronoi[0]);
  gv_voronoi_destroy(chosen.voronoi[1]);
  gv_context_destroy(context);
}

/* Blocks of rasters with rows of pages are made elsewhere and copied: to their place, and nowhere else. */
static void blocks_keep_to_themselves(void **state) {
  (void)state;
  enum { WIDTH = 1300, HEIGHT = 40, BW = 512, BH = 16, K = 2 };
  static int32_t out[K * WIDTH * HEIGHT];
  const double x[] = {700.3, 650.1, 900.0}, y[] = {20.0, 5.5, 30.0};
  gv_grid grid;
  gv_grid_init(&grid);
  gv_points seeds = gv_points_xy(x, y, 3);
  gv_context *context = NULL;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  grid.width = WIDTH;
  grid.height = HEIGHT;
  o.backend = "tile";
  o.k = K;
  o.block_width = BW;
  o.block_height = BH;
  for (int i = 0; i < K * WIDTH * HEIGHT; i++)
    out[i] = INT32_MIN;
  gv_labels block;
  gv_labels_init(&block);
  block.column = block.columns = BW;
  block.row = block.rows = BH;
  block.out = out + BH * WIDTH + BW;
  block.stride = WIDTH;
  block.band_stride = WIDTH * HEIGHT;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
  assert_int_equal(gv_voronoi_fill(context, voronoi, &block, NULL), GV_OK);
  for (int i = 0; i < K * WIDTH * HEIGHT; i++) {
    int column = i % WIDTH, row = i / WIDTH % HEIGHT;
    bool within = column >= BW && column < 2 * BW && row >= BH && row < 2 * BH;
    assert_int_equal(out[i] != INT32_MIN, within);
  }
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_keep_to_themselves),
      cmocka_unit_test(every_backend_can_run),
      cmocka_unit_test(many_seeds),
      cmocka_unit_test(large_grid_against_a_plain_loop),
      cmocka_unit_test(k_nearest_on_larger_grids),
      cmocka_unit_test(large_grids_against_tile),
      cmocka_unit_test(blocks_of_a_huge_grid_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
