/* Lines of borders, between their points too, against the borders of the seeds on both sides: within the
 * tolerance. */
#include "diagram/trace.h"

#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>

#include "core/angles.h"
#include "diagram/seed_sets.h"
#include "gpuvoronoi/diagram.h"

static gv_context *context;

static int setup(void **unused) {
  (void)unused;
  return (int)gv_context_create(NULL, &context);
}

static int teardown(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

/* Meters from a place to the border of two seeds. *noise: what that is exact to. */
static double off_border(const gv_globe *globe, const seed_set *s, const int64_t side[2],
                         const double place[2], double *noise) {
  double on[2] = {place[0], place[1]}, distance, v[9], height = 0.0, square = 0.0;
  *noise = 1e-6;
  if (globe->ellipsoid) {
    const double lon[2] = {s->x[side[0]], s->x[side[1]]}, lat[2] = {s->y[side[0]], s->y[side[1]]};
    gv_equidistant at = {.lon = place[0], .lat = place[1]};
    if (!gv_equidistant_find(globe, 2, lon, lat, &at)) return 0.0;
    *noise = at.noise;
    on[0] = at.lon;
    on[1] = at.lat;
    geod_inverse(&globe->geod, place[1], place[0], on[1], on[0], &distance, NULL, NULL);
    return distance;
  }
  const double lon[3] = {s->x[side[0]], s->x[side[1]], place[0]},
               lat[3] = {s->y[side[0]], s->y[side[1]], place[1]};
  gv_globe_vectors(globe, 3, lon, lat, v);
  for (int i = 0; i < 3; i++) {
    square += (v[i] - v[3 + i]) * (v[i] - v[3 + i]);
    height += (v[i] - v[3 + i]) * v[6 + i];
  }
  return fabs(height) / sqrt(square) * globe->radius;
}

/* Returns the largest share of the tolerance. */
static double check_lines(const seed_set *s, gv_metric metric, double flattening, double tolerance) {
  const gv_points seeds = gv_points_xy(s->x, s->y, s->count);
  gv_diagram *diagram = NULL;
  gv_diagram_options options;
  gv_diagram_parts p;
  gv_ellipsoid shape;
  gv_globe globe;
  double most = 0.0;
  gv_diagram_options_init(&options);
  options.metric = metric;
  options.semi_major = 6378137.0;
  options.flattening = flattening;
  options.tolerance = tolerance;
  gv_diagram_parts_init(&p);
  assert_int_equal(gv_ellipsoid_init(context, 6378137.0, flattening, &shape), GV_OK);
  gv_globe_init(metric, &shape, &globe);
  assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_OK);
  assert_int_equal(gv_diagram_get(context, diagram, &p), GV_OK);
  for (int64_t edge = 0; edge < p.edge_count; edge++)
    for (int64_t i = p.line[edge]; i + 1 < p.line[edge + 1]; i++) {
      double turn = remainder(p.line_x[i + 1] - p.line_x[i], 360.0);
      if (fabs(turn) > 90.0 || fmax(fabs(p.line_y[i]), fabs(p.line_y[i + 1])) > 89.99) continue;
      double noise, at = i % 2 == 0 ? 0.5 : seed_uniform(0, 1);
      const double place[2] = {p.line_x[i] + at * turn, p.line_y[i] + at * (p.line_y[i + 1] - p.line_y[i])};
      double off = off_border(&globe, s, p.edge_seed + 2 * edge, place, &noise);
      if (!(off <= tolerance + 4.0 * noise))
        fail_msg("%s, metric %d, flattening %g, tolerance %g: %.9g %.9g is %g m off", s->name, (int)metric,
                 flattening, tolerance, place[0], place[1], off);
      most = fmax(most, (off - 4.0 * noise) / tolerance);
    }
  gv_diagram_destroy(diagram);
  return most;
}

static void lines_are_within_the_tolerance(void **unused) {
  (void)unused;
  static const gv_metric metrics[] = {GV_GREAT_CIRCLE, GV_GEODESIC, GV_GEODESIC};
  static const double flattening[] = {0.0, 1.0 / 298.257223563, -0.002}, tolerances[] = {1.0, 30.0, 1e4};
  static seed_set set;
  for (int number = 0; number < 4; number++) {
    set = (seed_set){.name = number == 0 ? "any" : number == 1 ? "cluster" : number == 2 ? "north" : "few"};
    if (number == 0) seed_add_any(&set, 150);
    if (number == 1) seed_add_any(&set, 40), seed_add_cluster(&set, 200, 20.0, 52.0, 2.0);
    if (number == 2) seed_add_cluster(&set, 200, 20.0, 75.0, 14.0), seed_add_any(&set, 20);
    if (number == 3) seed_add_any(&set, 40);
    for (int metric = 0; metric < 3; metric++)
      for (int t = 0; t < 3; t++) {
        double most = check_lines(&set, metrics[metric], flattening[metric], tolerances[t]);
        /* They use the tolerance, where lines are not straight anyway. */
        if (t == 0) assert_true(most > 0.5 && most < 0.9);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_within_the_tolerance)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
