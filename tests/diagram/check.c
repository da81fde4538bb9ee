/* Diagrams as a whole, of two to forty seeds in rows, on meridians, lattices and circles anywhere: every
 * place once. And faults are found. */
#include "diagram/check.h"

#include "cmocka_test.h"

#include <math.h>
#include <string.h>

#include "diagram/seed_sets.h"

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

static const char *const kinds[] = {
    "two of one latitude", "two of one longitude", "lattice",        "row of one latitude",
    "meridian of 180",     "small lattice",        "on the equator", "symmetric"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A set of a kind at a place of whole or of any degrees. */
static void take_set(int kind, int number, seed_set *s) {
  double grain = number % 2 == 0 ? 1.0 : 0x1p-40;
  double x = floor(seed_uniform(-180, 181) / grain) * grain, y = floor(seed_uniform(-80, 70) / grain) * grain;
  double width = exp(seed_uniform(log(0.02), log(20.0)));
  int columns = (int)seed_uniform(2, 7), rows = (int)seed_uniform(2, 6);
  *s = (seed_set){.name = kinds[kind]};
  if (number % 5 == 0) x = 180.0;
  if (kind == 0) seed_add(s, x, y), seed_add(s, x + width, y);
  if (kind == 1) seed_add(s, x, y), seed_add(s, x, fmin(y + width, 90.0));
  for (int i = 0; i < columns * rows && (kind == 2 || kind == 5); i++)
    seed_add(s, x + (i % columns) * (kind == 2 ? 7.0 : 0.01),
             y / 2 + (i / columns) * (kind == 2 ? 9.0 : 0.01));
  for (int i = 0; i < 4 * columns && kind == 3; i++)
    seed_add(s, x + i * 0.25 * width, y);
  for (int i = 0; i < 3 * columns && kind == 4; i++)
    seed_add(s, 180.0, floor(seed_uniform(-89, 89) / grain) * grain);
  for (int i = 0; i < 2 * columns && kind == 6; i++)
    seed_add(s, x + seed_uniform(0, width), 0.0);
  for (int i = 0; i < columns && kind == 7; i++)
    seed_add(s, x + i * width, fabs(y) / 2), seed_add(s, x + i * width, -fabs(y) / 2);
}

/* The signed area of all rings on the map; fails if one is clockwise. */
static double map_area(const gv_diagram *diagram, const seed_set *s) {
  gv_diagram_polygons *polygons = NULL;
  gv_diagram_rings r;
  gv_diagram_rings_init(&r);
  assert_int_equal(gv_diagram_polygons_create(context, diagram, 1, &polygons), GV_OK);
  assert_int_equal(gv_diagram_polygons_get(context, polygons, &r), GV_OK);
  double sum = 0.0;
  for (int64_t i = 0; i < r.polygon_count; i++) {
    double area = 0.0;
    for (int64_t j = r.point[i]; j + 1 < r.point[i + 1]; j++)
      area += 0.5 * (r.x[j] * r.y[j + 1] - r.x[j + 1] * r.y[j]);
    if (!(area > -1e-9))
      fail_msg("%s, %.17g %.17g: polygon %d is clockwise", s->name, s->x[0], s->y[0], (int)i);
    sum += area;
  }
  gv_diagram_polygons_destroy(polygons);
  return sum;
}

static void check_set(const seed_set *s, gv_metric metric, double tolerance) {
  const gv_points seeds = gv_points_xy(s->x, s->y, s->count);
  gv_diagram *diagram = NULL;
  gv_diagram_options options;
  gv_diagram_options_init(&options);
  options.metric = metric;
  options.semi_major = 6378137.0;
  options.flattening = 1.0 / 298.257223563;
  options.tolerance = tolerance;
  if (gv_diagram_create(context, &seeds, &options, &diagram) != GV_OK)
    fail_msg("%s, %.17g %.17g, metric %d: %s", s->name, s->x[0], s->y[0], (int)metric,
             gv_context_message(context));
  double map = map_area(diagram, s), area[SEED_SETS_MAX], sum = 0.0;
  assert_int_equal(gv_diagram_areas(context, diagram, area), GV_OK);
  for (int i = 0; i < s->count; i++)
    sum += area[i];
  if (!(fabs(map / 64800.0 - 1.0) < 1e-9 && fabs(sum / 510065621724088.44 - 1.0) < 1e-9))
    fail_msg("%s, %.17g %.17g, metric %d: %.12g of the map, %.12g of the globe", s->name, s->x[0], s->y[0],
             (int)metric, map / 64800.0, sum / 510065621724088.44);
  gv_diagram_destroy(diagram);
}

/* Of a great circle through the equator at a longitude, anywhere along it, in degrees. */
static void add_on_circle(seed_set *s, double lon, double inclination, double along) {
  const double degree = 0.017453292519943295, t = along * degree, i = inclination * degree;
  double x = atan2(sin(t) * cos(i), cos(t)) / degree;
  seed_add(s, remainder(lon + x, 360.0), asin(sin(t) * sin(i)) / degree);
}

/* Geodesics of the ellipsoid lie up to 20 km beside great circles: nearly all vertices are around two places,
 * where flips do not lead to the diagram. */
static void seeds_along_a_great_circle_are_verified(void **unused) {
  (void)unused;
  static const double widths[] = {360.0, 90.0};
  static seed_set set;
  for (int number = 0; number < 2; number++) {
    set = (seed_set){.name = "great circle"};
    double lon = seed_uniform(-180, 180), inclination = seed_uniform(20, 70), begin = seed_uniform(0, 360);
    for (int i = 0; i < 200; i++)
      add_on_circle(&set, lon, inclination, begin + seed_uniform(0, widths[number]));
    const gv_points seeds = gv_points_xy(set.x, set.y, set.count);
    gv_diagram *diagram = NULL;
    gv_diagram_options options;
    gv_diagram_options_init(&options);
    options.metric = GV_GEODESIC;
    options.tolerance = 1000.0;
    gv_diagram_parts parts;
    gv_diagram_parts_init(&parts);
    assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_OK);
    assert_int_equal(gv_diagram_get(context, diagram, &parts), GV_OK);
    if (parts.unverified != 0) fail_msg("width %g: %d unverified", widths[number], (int)parts.unverified);
    gv_diagram_destroy(diagram);
  }
}

/* Ears cannot cut the facets opposite to these seeds, also together with all others: these stay what they
 * are. */
static void facets_around_what_ears_cannot_cut_stay(void **unused) {
  (void)unused;
  static const double circle[12][2] = {
      {-101.63094635644468, 11.858529431501234}, {-101.9961241574118, 13.240392593376342},
      {-103.02919828171763, 14.251986636976698}, {-104.45494246459209, 14.62225575525145},
      {-105.88068664746656, 14.251986636976698}, {-106.91376077177239, 13.240392593376342},
      {-107.27893857273951, 11.858529431501234}, {-106.88897736483152, 10.476666269626126},
      {-105.85587791680045, 9.4650722260257716}, {-104.45494246459209, 9.0948031077510176},
      {-103.05400701238374, 9.4650722260257698}, {-102.02090756435267, 10.476666269626124}};
  static seed_set set;
  set = (seed_set){.name = "circle"};
  for (int i = 0; i < 12; i++)
    seed_add(&set, circle[i][0], circle[i][1]);
  check_set(&set, GV_GEODESIC, 100.0);
}

static void sets_cover_the_globe_once(void **unused) {
  (void)unused;
  static seed_set set;
  for (int number = 0; number < 60; number++)
    for (int kind = 0; kind < KINDS; kind++) {
      take_set(kind, number, &set);
      check_set(&set, GV_GREAT_CIRCLE, 100.0);
      if (number < 6) check_set(&set, GV_GEODESIC, 100.0);
    }
}

/* Parts of a lattice, `columns` wide, by the bits of `rows`. */
static void add_part_of_lattice(seed_set *s, double x, double y, double step, int columns,
                                const uint32_t *rows, int count) {
  for (int row = 0; row < count; row++)
    for (int column = 0; column < columns; column++)
      if (rows[row] >> column & 1) seed_add(s, x + column * step, y + row * step);
}

/* Cells narrower than the tolerance, or than distances are exact to, over hundreds of kilometers. */
static void narrow_cells_do_not_cross(void **unused) {
  (void)unused;
  static seed_set set;
  static const uint32_t near_pole[] = {0xf, 0x3, 0x9, 0xd}, on_equator[] = {0x3, 0xb, 0xf, 0xb};
  uint32_t all[18];
  memset(all, 0xff, sizeof all);
  set = (seed_set){.name = "lattice of meters"};
  add_part_of_lattice(&set, 179.99, -60.0, 7.8712187373985402e-05, 10, all, 18);
  check_set(&set, GV_GREAT_CIRCLE, 1000.0);
  set = (seed_set){.name = "lattice of 200 meters"};
  add_part_of_lattice(&set, -88.896536782992143, -33.453657647468972, 0.0021484918906045434, 11, all, 5);
  check_set(&set, GV_GEODESIC, 1.0);
  set = (seed_set){.name = "beside a pole"};
  add_part_of_lattice(&set, 67.596688396128343, 89.9, 0.00055467465571, 4, near_pole, 4);
  check_set(&set, GV_GEODESIC, 1.0);
  set = (seed_set){.name = "on the equator"};
  add_part_of_lattice(&set, -113.95119139585044, 0.0, 0.039664529247424252, 4, on_equator, 4);
  check_set(&set, GV_GEODESIC, 0.1);
}

/* Seeds on circles: all borders lead to one place, in a neighborhood smaller than the rounding of seeds. */
static void circles_on_the_plane_are_valid(void **unused) {
  (void)unused;
  static const int counts[] = {12, 90, 200, 360};
  static seed_set set;
  for (int number = 0; number < 40; number++) {
    int count = counts[number % 4];
    double radius = pow(10.0, seed_uniform(-2.0, 4.0)), unit = number % 3 == 0 ? 1e-6 : 1e-12;
    const double x = number % 2 == 0 ? 500000.0 : -98831.9, y = 5500000.0;
    set = (seed_set){.name = "circles"};
    for (int i = 0; i < 2 * count; i++) {
      double angle = 6.283185307179586 * i / count, away = radius * (1 + i / count);
      seed_add(&set, rint((x + away * cos(angle)) / unit) * unit,
               rint((y + away * sin(angle)) / unit) * unit);
    }
    const gv_points seeds = gv_points_xy(set.x, set.y, set.count);
    gv_diagram *diagram = NULL;
    gv_diagram_parts parts;
    gv_diagram_parts_init(&parts);
    gv_check check;
    if (gv_diagram_create(context, &seeds, NULL, &diagram) != GV_OK)
      fail_msg("%s", gv_context_message(context));
    assert_int_equal(gv_diagram_get(context, diagram, &parts), GV_OK);
    const double box[4] = {x - 2.4 * radius, y - 2.4 * radius, x + 2.4 * radius, y + 2.4 * radius};
    assert_int_equal(gv_check_whole(context, &parts, box, NULL, &check), GV_OK);
    if (check.first >= 0 || parts.unverified != 0)
      fail_msg("%d seeds, radius %g: %d crossings", set.count, radius, (int)check.crossed);
    gv_diagram_destroy(diagram);
  }
}

/* What progress functions get: shares, of which one may cancel. */
typedef struct watch {
  double last, cancel_at; /* shares */
  int calls, backwards;
} watch;

static int watch_call(double share, void *user) {
  watch *w = user;
  w->backwards += share < w->last;
  w->last = share;
  w->calls++;
  return share < w->cancel_at;
}

/* Diagram, areas and polygons, with one progress each; cancelled at the first share from `cancel_at` on. */
static void run_steps(watch w[3], gv_metric metric, gv_status wanted) {
  static seed_set set;
  gv_diagram_options options;
  gv_diagram_options_init(&options);
  options.metric = metric;
  set = (seed_set){.name = "any"};
  seed_add_any(&set, 300);
  const gv_points seeds = gv_points_xy(set.x, set.y, set.count);
  double area[300];
  gv_diagram *diagram = NULL;
  gv_diagram_polygons *polygons = NULL;
  for (int step = 0; step < 3; step++) {
    gv_context *own;
    gv_context_options given;
    gv_context_options_init(&given);
    given.progress = watch_call;
    given.progress_user = &w[step];
    assert_int_equal(gv_context_create(&given, &own), GV_OK);
    gv_status status = step == 0   ? gv_diagram_create(own, &seeds, &options, &diagram)
                       : step == 1 ? gv_diagram_areas(own, diagram, area)
                                   : gv_diagram_polygons_create(own, diagram, 1, &polygons);
    assert_int_equal(status, wanted);
    gv_context_destroy(own);
    if (step == 0 && diagram == NULL)
      assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_OK);
  }
  gv_diagram_polygons_destroy(polygons);
  gv_diagram_destroy(diagram);
}

static void each_step_reports_and_can_be_cancelled(void **unused) {
  (void)unused;
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_GREAT_CIRCLE, GV_GEODESIC};
  for (int i = 0; i < 3; i++) {
    watch w[3] = {{0.0, 2.0, 0, 0}, {0.0, 2.0, 0, 0}, {0.0, 2.0, 0, 0}};
    run_steps(w, metrics[i], GV_OK);
    for (int step = 0; step < 3; step++)
      if (w[step].calls < 3 || w[step].backwards > 0 || w[step].last < 0.97)
        fail_msg("metric %d, step %d: %d calls, %d backwards, last %g", (int)metrics[i], step, w[step].calls,
                 w[step].backwards, w[step].last);
    watch stops[3] = {{0.0, 0.5, 0, 0}, {0.0, 0.5, 0, 0}, {0.0, 0.5, 0, 0}};
    run_steps(stops, metrics[i], GV_ERROR_CANCELLED);
  }
}

/* A square in two halves, and what is wrong if points of their border are moved or one turns the other
 * way. */
static void faults_are_found(void **unused) {
  (void)unused;
  static const double rectangle[4] = {0.0, 0.0, 2.0, 2.0};
  /* Edge 0: the border, upwards; 1 and 3: around the right half; 2: around the left one. */
  const int64_t side[] = {0, 1, 1, -1, 0, -1, 1, -1}, cell[] = {0, 2, 5}, owner[] = {0, 1},
                ring[] = {0, 2, -1, 1, 3};
  double line_x[] = {1, 1, 1, 1, 1, 2, 2, 1, 0, 0, 1, 2, 1},
         line_y[] = {0, 1, 1.5, 2, 0, 0, 2, 2, 2, 0, 0, 2, 2};
  const int64_t lines[] = {0, 4, 7, 11, 13};
  gv_diagram_parts p;
  gv_diagram_parts_init(&p);
  p.seed_count = p.place_count = 2;
  p.edge_count = 4;
  p.owner = owner;
  p.edge_seed = side;
  p.line = lines;
  p.line_x = line_x;
  p.line_y = line_y;
  p.cell = cell;
  p.ring = ring;
  gv_check check;
  bool wrong[2];
  assert_int_equal(gv_check_whole(context, &p, rectangle, wrong, &check), GV_OK);
  assert_true(gv_check_passed(&check) && !wrong[0] && !wrong[1]);
  line_x[1] = -0.5; /* both cells have that point: the left one crosses itself */
  assert_int_equal(gv_check_whole(context, &p, rectangle, wrong, &check), GV_OK);
  assert_true(!gv_check_passed(&check) && wrong[0] && !wrong[1] && check.first == 0 && check.crossed == 1);
  line_x[1] = 1.0;
  line_x[8] = 0.5; /* a part is missing */
  assert_int_equal(gv_check_whole(context, &p, rectangle, NULL, &check), GV_OK);
  assert_true(!gv_check_passed(&check) && check.first < 0 && check.share < 1.0);
  line_x[8] = 0.0;
  gv_buffer found = {0};
  int64_t count;
  assert_int_equal(gv_check_crossings(context, &p, 0, &found, &count), GV_OK);
  assert_int_equal(count, 0);
  const int64_t clockwise[] = {-1, -3, -1, 1, 3}; /* the left half: its 6 segments */
  p.ring = clockwise;
  assert_int_equal(gv_check_crossings(context, &p, 0, &found, &count), GV_OK);
  assert_int_equal(count, 6);
  gv_buffer_clear(&found, &context->allocator);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_found),
                                     cmocka_unit_test(circles_on_the_plane_are_valid),
                                     cmocka_unit_test(seeds_along_a_great_circle_are_verified),
                                     cmocka_unit_test(narrow_cells_do_not_cross),
                                     cmocka_unit_test(each_step_reports_and_can_be_cancelled),
                                     cmocka_unit_test(facets_around_what_ears_cannot_cut_stay),
                                     cmocka_unit_test(sets_cover_the_globe_once)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
