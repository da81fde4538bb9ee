/* Seeds that are too close to each other: which are joined, against all pairs; and diagrams of near copies
 * are diagrams. */
#include "diagram/near_seeds.h"

#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>

#include "diagram/seed_sets.h"
#include "gpuvoronoi/diagram.h"

enum { MOST = 600 };

static gv_context *context;

static int setup(void **unused) {
  (void)unused;
  return gv_context_create(NULL, &context);
}

static int teardown(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

static void first_within_the_distance(void **unused) {
  (void)unused;
  static double position[3 * MOST];
  static int32_t first[MOST];
  for (int round = 0; round < 40; round++) {
    double distance = exp(seed_uniform(-30.0, -1.0));
    int joined = 0;
    for (int i = 0; i < 3 * MOST; i++) /* one to three cells wide, on both sides of 0 */
      position[i] = round % 4 == 3 && i % 3 == 2 ? 0.0 : distance * seed_uniform(-2.0 - 0.2 * round, 2.0);
    assert_int_equal(gv_near_seeds(context, position, MOST, distance, first), GV_OK);
    for (int i = 0; i < MOST; i++) {
      bool own = true;
      for (int j = 0; j < i; j++) {
        const double *p = position + 3 * i, *q = position + 3 * j;
        double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
        bool near = x * x + y * y + z * z <= distance * distance;
        if (first[i] == j) assert_true(near && first[j] == j);
        if (near && first[j] == j) own = false;
      }
      assert_true((first[i] == i) == own && first[i] <= i);
      joined += first[i] != i;
    }
    assert_true(joined > 0 && joined < MOST);
  }
}

/* Cells cover `whole`, and fulfill Euler's formula. */
static void check_cover(const gv_points *seeds, const gv_diagram_options *options, double whole) {
  double area[MOST], sum = 0.0;
  int64_t cells = 0, outside = 0;
  gv_diagram *diagram = NULL;
  gv_diagram_parts p;
  gv_diagram_parts_init(&p);
  assert_int_equal(gv_diagram_create(context, seeds, options, &diagram), GV_OK);
  assert_int_equal(gv_diagram_get(context, diagram, &p), GV_OK);
  assert_int_equal(gv_diagram_areas(context, diagram, area), GV_OK);
  for (int64_t i = 0; i < seeds->count; i++) {
    assert_true(area[i] >= -1e-9 * whole);
    sum += area[i];
    cells += p.cell[i] < p.cell[i + 1];
  }
  for (int64_t i = 0; i < p.edge_count; i++)
    outside += p.edge_seed[2 * i + 1] < 0;
  assert_int_equal(p.vertex_count - p.edge_count + cells, outside > 0 ? 1 : 2);
  if (fabs(sum / whole - 1.0) > 1e-9) fail_msg("areas add up to %.12g of the whole", sum / whole);
  gv_diagram_destroy(diagram);
}

/* Each seed twice, the second time a little off: from one unit in the last place to a millionth. */
static void near_copies(void **unused) {
  (void)unused;
  static double x[MOST], y[MOST];
  for (int round = 0; round < 60; round++) {
    bool globe = round % 3 == 2;
    int count = 2 * (2 + round % 40);
    double off = exp(seed_uniform(log(1e-17), log(1e-6)));
    for (int i = 0; i < count; i += 2) {
      x[i] = globe ? seed_uniform(-179.0, 179.0) : seed_uniform(0.0, 1e6);
      y[i] = globe ? seed_uniform(-89.0, 89.0) : seed_uniform(0.0, 1e6);
      x[i + 1] = x[i] + off * (globe ? 60.0 : 1e6) * seed_uniform(-1.0, 1.0);
      y[i + 1] = y[i] + off * (globe ? 60.0 : 1e6) * seed_uniform(-1.0, 1.0);
    }
    gv_diagram_options options;
    gv_diagram_options_init(&options);
    if (globe) {
      options.metric = round % 2 == 0 ? GV_GEODESIC : GV_GREAT_CIRCLE;
      options.tolerance = 1000.0;
    } else {
      const double extent[4] = {-10.0, -20.0, 1e6 + 10.0, 1e6 + 20.0};
      for (int i = 0; i < 4; i++)
        options.extent[i] = extent[i];
    }
    const gv_points seeds = gv_points_xy(x, y, count);
    check_cover(&seeds, &options, globe ? 510065621724088.4 : (1e6 + 20.0) * (1e6 + 40.0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(first_within_the_distance),
                                     cmocka_unit_test(near_copies)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
