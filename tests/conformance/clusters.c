/*
 * Seeds close together as seen from far away, where chords tell none apart: geodesics that differ by metres after
 * thousands of kilometres, decided as a plain loop over geod_inverse decides them.
 */
#include "cmocka_test.h"

#include <geodesic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi.h"

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
    {"metres apart", 140.0, -35.0, 1e-4, 0.0, 0.0},
    {"millimetres apart", 140.0, 0.0, 1e-8, 0.0, 0.0},
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

static void check(gv_context *context, const cluster *c, const gv_grid *grid, const char *simd) {
  double x[SEEDS], y[SEEDS];
  gv_seeds seeds = {x, y, SEEDS};
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  gv_voronoi *voronoi = NULL;
  struct geod_geodesic geod;
  make_seeds(c, x, y);
  options.metric = GV_GEODESIC;
  geod_init(&geod, c->a > 0.0 ? c->a : 6378137.0, c->a > 0.0 ? c->f : 1.0 / 298.257223563);
  int64_t cells = grid->kind == GV_GRID_QTM ? gv_qtm_count(grid->level) : grid->width * grid->height;
  int64_t stride = grid->kind == GV_GRID_QTM ? cells : grid->width;
  int32_t *out = malloc((size_t)cells * sizeof *out);
  assert_non_null(out);
  assert_int_equal(setenv("GPUVORONOI_SIMD", simd, 1), 0);
  if (gv_voronoi_create(context, grid, &seeds, &options, &voronoi) != GV_OK ||
      gv_voronoi_compute(context, voronoi, out, stride) != GV_OK) {
    fail_msg("%s: %s", c->name, gv_context_message(context));
  }
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
  for (int64_t i = 0; i < cells; i++) {
    const double *g = grid->geotransform;
    double lon = g[0] + ((double)(i % stride) + 0.5) * g[1], lat = g[3] + ((double)(i / stride) + 0.5) * g[5];
    double best = INFINITY;
    int32_t nearest = -1;
    if (grid->kind == GV_GRID_QTM) {
      gv_qtm_id id = 0;
      assert_int_equal(gv_qtm_from_number(grid->level, i, &id), GV_OK);
      assert_int_equal(gv_qtm_center(id, &lon, &lat), GV_OK);
    }
    for (int32_t s = 0; s < SEEDS; s++) {
      double distance;
      geod_inverse(&geod, lat, lon, y[s], x[s], &distance, NULL, NULL);
      if (distance < best) {
        best = distance;
        nearest = s;
      }
    }
    if (out[i] != nearest) {
      fail_msg("%s, %s: %d at %.17g %.17g, not %d", c->name, simd, (int)out[i], lon, lat, (int)nearest);
    }
  }
  gv_voronoi_destroy(voronoi);
  free(out);
}

static void clusters_from_afar(void **state) {
  (void)state;
  static const double transforms[][6] = {
      {-180, 360.0 / 44, 0, 90, 0, -180.0 / 30}, /* the whole globe */
      {60, 0.5, 0, 30, 0, -0.5},
      {-30, 1e-3, 0, -20, 0, -1e-3},
  };
  static const char *const levels[] = {"baseline", "avx2", "avx512"};
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
    gv_grid grid = GV_GRID_INIT;
    grid.semi_major = clusters[i].a;
    grid.flattening = clusters[i].f;
    grid.kind = GV_GRID_LONLAT;
    grid.width = 44;
    grid.height = 30;
    for (size_t t = 0; t < 3; t++) {
      memcpy(grid.geotransform, transforms[t], sizeof transforms[t]);
      check(context, &clusters[i], &grid, levels[(i + t) % 3]);
    }
    grid.kind = GV_GRID_QTM;
    grid.level = 3;
    check(context, &clusters[i], &grid, levels[i % 3]);
  }
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(clusters_from_afar)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
