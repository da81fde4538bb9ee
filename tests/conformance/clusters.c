/*
 * Clusters of seeds seen from far away, which chords cannot separate: geodesics that differ by meters after
 * thousands of kilometers must be decided as by a plain loop over geod_inverse.
 */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <geodesic.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"

static uint64_t random_state = 11;

static double uniform(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t x = random_state ^ (random_state >> 29);
  return (double)(x >> 11) * 0x1p-53;
}

enum { SEEDS = 150 };

typedef struct cluster {
  const char *name;
  double lon, lat, size; /* degrees */
  double a, f;
} cluster;

static const cluster clusters[] = {
    {"town", 11.0, 48.0, 0.1, 0.0, 0.0},
    {"country", -100.0, 40.0, 8.0, 0.0, 0.0},
    {"meters apart", 140.0, -35.0, 1e-4, 0.0, 0.0},
    {"millimeters apart", 140.0, 0.0, 1e-8, 0.0, 0.0},
    {"at a pole", 0.0, 89.9, 0.2, 0.0, 0.0},
    {"across the antimeridian", 179.95, 20.0, 0.1, 0.0, 0.0},
    {"continent", 10.0, 20.0, 40.0, 0.0, 0.0},
    {"Mars", 30.0, 5.0, 1.0, 3396190.0, 1.0 / 169.89444722},
    {"as flat as the series serves", 30.0, 5.0, 1.0, 6378137.0, 0.02},
    {"flatter", 30.0, 5.0, 1.0, 6378137.0, 0.1},
    {"sphere", 30.0, 5.0, 1.0, 6371000.0, 0.0},
    {"prolate", 30.0, 5.0, 1.0, 6378137.0, -0.01},
};

static void make_seeds(const cluster *c, double *x, double *y) {
  for (int i = 0; i < SEEDS; i++) {
    x[i] = c->lon + c->size * (uniform() - 0.5) / fmax(cos(c->lat * 0.017453292519943295), 0.01);
    y[i] = fmin(c->lat + c->size * (uniform() - 0.5), 90.0);
    if (i > 0 && i % 10 == 0) { /* a lattice, for ties */
      x[i] = c->lon + c->size * floor(4.0 * uniform()) / 8.0;
      y[i] = fmin(c->lat + c->size * floor(4.0 * uniform()) / 8.0, 90.0);
    }
  }
}

/* The options of a search; weights are 1 ... 2 (multiplicative) or up to the cluster's size (additive). */
typedef struct question {
  int32_t k;
  gv_weighting weighting;
  bool limited;
} question;

static const question questions[] = {
    {1, GV_UNWEIGHTED, false}, {4, GV_UNWEIGHTED, false}, {1, GV_UNWEIGHTED, true},
    {3, GV_UNWEIGHTED, true},  {2, GV_ADDITIVE, false},   {1, GV_MULTIPLICATIVE, true},
};
enum { QUESTIONS = sizeof questions / sizeof *questions, MOST = 4 };

/* The k best by (value, number) of those within the limit. */
static void expect(const question *q, const double *distance, const double *weight, double limit,
                   int32_t *best) {
  double value[MOST];
  int32_t held = 0;
  for (int32_t s = 0; s < SEEDS; s++) {
    if (distance[s] > limit) continue;
    double d = q->weighting == GV_ADDITIVE         ? distance[s] + weight[s]
               : q->weighting == GV_MULTIPLICATIVE ? distance[s] / weight[s]
                                                   : distance[s];
    if (held == q->k && !(d < value[held - 1])) continue;
    int32_t at = held < q->k ? held++ : held - 1;
    for (; at > 0 && value[at - 1] > d; at--) {
      value[at] = value[at - 1];
      best[at] = best[at - 1];
    }
    value[at] = d;
    best[at] = s;
  }
  while (held < q->k)
    best[held++] = -1;
}

/* Of the culling engine, in vectors of `simd` or on a GPU. */
static void check(gv_context *context, const cluster *c, const gv_grid *grid, const char *backend,
                  const char *simd) {
  double x[SEEDS], y[SEEDS], weight[SEEDS], distance[SEEDS];
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  struct geod_geodesic geod;
  make_seeds(c, x, y);
  geod_init(&geod, c->a > 0.0 ? c->a : 6378137.0, c->a > 0.0 ? c->f : 1.0 / 298.257223563);
  int64_t cells = grid->kind == GV_GRID_QTM ? gv_qtm_count(grid->level) : grid->width * grid->height;
  int64_t stride = grid->kind == GV_GRID_QTM ? cells : grid->width;
  int32_t *out[QUESTIONS];
  double limit = geod.a; /* about a seventh of the circumference */
  for (int i = 0; i < SEEDS; i++)
    weight[i] = 1.0 + (double)(i % 7) / 7.0;
  assert_int_equal(setenv("GPUVORONOI_SIMD", simd, 1), 0);
  for (int i = 0; i < QUESTIONS; i++) {
    gv_voronoi_options options;
    gv_voronoi_options_init(&options);
    gv_voronoi *voronoi = NULL;
    options.backend = backend;
    options.metric = GV_GEODESIC;
    options.k = questions[i].k;
    options.weighting = questions[i].weighting;
    options.weights = questions[i].weighting != GV_UNWEIGHTED ? weight : NULL;
    options.max_distance = questions[i].limited ? limit : INFINITY;
    out[i] = malloc((size_t)cells * (size_t)questions[i].k * sizeof **out);
    assert_non_null(out[i]);
    if (gv_voronoi_create(context, grid, &seeds, &options, &voronoi) != GV_OK ||
        fill_grid(context, voronoi, out[i], stride) != GV_OK) {
      fail_msg("%s: %s", c->name, gv_context_message(context));
    }
    gv_voronoi_destroy(voronoi);
  }
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
  for (int64_t cell = 0; cell < cells; cell++) {
    const double *g = grid->geotransform;
    double lon = g[0] + ((double)(cell % stride) + 0.5) * g[1],
           lat = g[3] + ((double)(cell / stride) + 0.5) * g[5];
    if (grid->kind == GV_GRID_QTM) {
      gv_qtm_id id = 0;
      assert_int_equal(gv_qtm_from_number(grid->level, cell, &id), GV_OK);
      assert_int_equal(gv_qtm_center(id, &lon, &lat), GV_OK);
    }
    for (int32_t s = 0; s < SEEDS; s++)
      geod_inverse(&geod, lat, lon, y[s], x[s], &distance[s], NULL, NULL);
    for (int i = 0; i < QUESTIONS; i++) {
      int32_t best[MOST];
      expect(&questions[i], distance, weight, questions[i].limited ? limit : INFINITY, best);
      for (int32_t k = 0; k < questions[i].k; k++) {
        int32_t got = out[i][k * cells + cell];
        if (got != best[k]) {
          fail_msg("%s, %s, %s, question %d: rank %d at %.17g %.17g is %d, not %d", c->name, backend, simd, i,
                   (int)k, lon, lat, (int)got, (int)best[k]);
        }
      }
    }
  }
  for (int i = 0; i < QUESTIONS; i++)
    free(out[i]);
}

static void clusters_from_afar(const char *backend) {
  static const double transforms[][6] = {
      {-180, 360.0 / 44, 0, 90, 0, -180.0 / 30}, /* the whole globe */
      {60, 0.5, 0, 30, 0, -0.5},
      {-30, 1e-3, 0, -20, 0, -1e-3},
  };
  static const char *const levels[] = {"baseline", "avx2", "avx512"};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
    gv_grid grid;
    gv_grid_init(&grid);
    grid.semi_major = clusters[i].a;
    grid.flattening = clusters[i].f;
    grid.kind = GV_GRID_LONLAT;
    grid.width = 44;
    grid.height = 30;
    for (size_t t = 0; t < 3; t++) {
      memcpy(grid.geotransform, transforms[t], sizeof transforms[t]);
      check(context, &clusters[i], &grid, backend, levels[(i + t) % 3]);
    }
    grid.kind = GV_GRID_QTM;
    grid.level = 3;
    check(context, &clusters[i], &grid, backend, levels[i % 3]);
  }
  gv_context_destroy(context);
}

static void on_the_processor(void **state) {
  (void)state;
  clusters_from_afar("tile");
}

static void on_a_gpu(void **state) {
  (void)state;
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    assert_int_equal(gv_backend_get(b, &info), GV_OK);
    if (strcmp(info.name, "cuda-tile") != 0) continue;
    if (!info.available) {
      print_message("left out: cuda-tile: %s\n", info.reason);
      skip();
    }
  }
  clusters_from_afar("cuda-tile");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_the_processor), cmocka_unit_test(on_a_gpu)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
