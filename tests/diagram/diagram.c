/*
 * Diagrams against the exact index: places farther than the tolerance from a border lie in the cell of their
 * nearest seed. And the parts fit together: each edge borders two cells, rings are closed, vertices, edges
 * and cells fulfill Euler's formula, areas add up to that of the globe.
 *
 * GPUVORONOI_LONG=1: a million places for each metric instead of twelve thousand.
 */
#include "gpuvoronoi/diagram.h"

#include "cmocka_test.h"

#include <geodesic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagram/seed_sets.h"
#include "failing_memory.h"

static gv_context *context;
/* degrees of a meter, more than it has */
static const double degree = 0.017453292519943295, meter = 1.0 / 111e3;

static int setup(void **unused) {
  (void)unused;
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 2;
  return gv_context_create(&options, &context);
}

static int teardown(void **unused) {
  (void)unused;
  gv_context_destroy(context);
  return 0;
}

typedef struct cell_place {
  bool inside;
  double to_border; /* meters on the globe, else the coordinates' unit; only if not inside */
} cell_place;

/* From a place to the line between two points, all in a plane that is true at the place. */
static double to_line(double ax, double ay, double bx, double by) {
  double dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
  double along = square > 0.0 ? -(ax * dx + ay * dy) / square : 0.0;
  along = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
  return hypot(ax + along * dx, ay + along * dy);
}

/* A ring's points, with longitudes continuous beyond 180. */
typedef struct outline {
  double *x, *y;
  int64_t count, room;
} outline;

static void outline_add(outline *o, double x, double y) {
  if (o->count == o->room) {
    o->room = 2 * o->room + 100;
    o->x = realloc(o->x, (size_t)o->room * sizeof *o->x);
    o->y = realloc(o->y, (size_t)o->room * sizeof *o->y);
    assert_true(o->x != NULL && o->y != NULL);
  }
  o->x[o->count] = x;
  o->y[o->count++] = y;
}

/* The longitude `to`, or what it is some turns from there: on the globe the shorter way from `from`; along a
 * pole the way with the cell on the left. */
static double onwards(double from, double to, double pole) {
  double way = remainder(to - from, 360.0);
  if (pole > 0.0 && way > 0.0) way -= 360.0;
  if (pole < 0.0 && way < 0.0) way += 360.0;
  return from + way;
}

static void outline_take(outline *o, const gv_diagram_parts *p, int64_t seed, bool globe) {
  outline raw = {0};
  for (int64_t i = p->cell[seed]; i < p->cell[seed + 1]; i++) {
    int64_t ring = p->ring[i], edge = ring < 0 ? -1 - ring : ring, count = p->line[edge + 1] - p->line[edge];
    for (int64_t j = 0; j + 1 < count; j++) {
      int64_t at = ring < 0 ? p->line[edge + 1] - 1 - j : p->line[edge] + j;
      outline_add(&raw, p->line_x[at], p->line_y[at]);
    }
  }
  o->count = 0;
  int64_t start = 0;
  while (globe && start < raw.count && fabs(raw.y[start]) == 90.0)
    start++;
  for (int64_t i = 0; i <= raw.count && raw.count > 0; i++) {
    int64_t at = (start + i) % raw.count;
    double x = raw.x[at], y = raw.y[at], last = o->count > 0 ? o->x[o->count - 1] : x;
    if (globe && fabs(y) == 90.0) {
      outline_add(o, last, y);
      outline_add(o, onwards(last, raw.x[(at + 1) % raw.count], y), y);
    } else if (globe && fabs(fabs(x - last) - 180.0) < 1e-9) { /* through a pole */
      double pole = copysign(90.0, y);
      outline_add(o, last, pole);
      outline_add(o, onwards(last, x, pole), pole);
      outline_add(o, o->x[o->count - 1], y);
    } else {
      outline_add(o, globe ? onwards(last, x, 0.0) : x, y);
    }
  }
  free(raw.x), free(raw.y);
}

/* Where a place lies: lines that pass to the north of it westwards (eastwards) lead out of the cell (into
 * it), and on the globe the cell may hold the pole. */
static cell_place look(const outline *o, double x, double y, bool globe) {
  int inside = globe && o->count > 0 && o->x[o->count - 1] - o->x[0] > 180.0;
  double least = INFINITY, scale = globe ? cos(y * degree) : 1.0;
  for (int64_t i = 0; i + 1 < o->count; i++) {
    double ax = o->x[i] - x, bx = o->x[i + 1] - x, ay = o->y[i] - y, by = o->y[i + 1] - y;
    double low = fmin(ax, bx), high = fmax(ax, bx);
    for (double shift = globe ? 360.0 * ceil(-high / 360.0) : 0.0; low + shift <= 360.0; shift += 360.0) {
      double a = ax + shift, b = bx + shift;
      if ((a < 0.0) != (b < 0.0) && ay + (by - ay) * (-a / (b - a)) > 0.0) inside += b < a ? 1 : -1;
      least = fmin(least, to_line(a * scale, ay, b * scale, by));
      if (!globe) break;
    }
    double shift = globe ? -360.0 * round(0.5 * (ax + bx) / 360.0) : 0.0;
    least = fmin(least, to_line((ax + shift) * scale, ay, (bx + shift) * scale, by));
  }
  return (cell_place){inside > 0, globe ? least / meter : least};
}

/* Rings are closed chains of edges, each of which borders the two cells that it names. */
static void check_rings(const gv_diagram_parts *p, int64_t expected_places) {
  int64_t cells = 0, outside = 0;
  char *seen = calloc((size_t)p->edge_count + 1, 1);
  assert_int_equal(p->place_count, expected_places);
  for (int64_t seed = 0; seed < p->seed_count; seed++) {
    int64_t begin = p->cell[seed], end = p->cell[seed + 1];
    assert_true(p->owner[seed] <= seed && p->owner[p->owner[seed]] == p->owner[seed]);
    if (p->owner[seed] != seed) assert_true(begin == end);
    if (begin < end) cells++;
    for (int64_t i = begin; i < end; i++) {
      int64_t ring = p->ring[i], next = p->ring[i + 1 < end ? i + 1 : begin];
      int64_t edge = ring < 0 ? -1 - ring : ring, after = next < 0 ? -1 - next : next;
      int64_t to = p->edge_vertex[2 * edge + (ring >= 0)], from = p->edge_vertex[2 * after + (next < 0)];
      assert_true(to == from ||
                  (p->vertex_x[to] == p->vertex_x[from] && p->vertex_y[to] == p->vertex_y[from]));
      assert_int_equal(p->edge_seed[2 * edge + (ring < 0)], seed);
      assert_int_equal(seen[edge] & (ring < 0 ? 2 : 1), 0);
      seen[edge] = (char)(seen[edge] | (ring < 0 ? 2 : 1));
    }
  }
  for (int64_t edge = 0; edge < p->edge_count; edge++) {
    int64_t first = p->line[edge], last = p->line[edge + 1] - 1, from = p->edge_vertex[2 * edge],
            to = p->edge_vertex[2 * edge + 1];
    if (seen[edge] != (p->edge_seed[2 * edge + 1] < 0 ? 1 : 3))
      fail_msg("edge %d of seeds %d and %d is in rings %d", (int)edge, (int)p->edge_seed[2 * edge],
               (int)p->edge_seed[2 * edge + 1], seen[edge]);
    if (p->edge_seed[2 * edge + 1] < 0) outside++;
    assert_true(first < last && p->line_x[first] == p->vertex_x[from] && p->line_y[last] == p->vertex_y[to]);
  }
  free(seen);
  if (p->place_count > 1) assert_int_equal(p->vertex_count - p->edge_count + cells, outside > 0 ? 1 : 2);
}

typedef struct question {
  const seed_set *set;
  gv_metric metric;
  double flattening;
  int count;        /* of places */
  double tolerance; /* globe: meters */
} question;

/* Half of the places anywhere, half of them around vertices. */
static void choose_places(const gv_diagram_parts *p, const question *q, double *x, double *y) {
  bool globe = q->metric != GV_EUCLIDEAN;
  for (int i = 0; i < q->count; i++) {
    x[i] = seed_uniform(-180.0, 180.0);
    y[i] = globe ? asin(seed_uniform(-1.0, 1.0)) / degree : seed_uniform(-90.0, 90.0);
    if (i % 2 == 0 || p->vertex_count == 0) continue;
    int64_t vertex = (int64_t)(split_mix(&seed_state) % (uint64_t)p->vertex_count);
    double far = exp(seed_uniform(log(5.0), log(1e6))) * meter, azimuth = seed_uniform(0.0, 6.3);
    double lat = p->vertex_y[vertex] + far * cos(azimuth);
    if (fabs(lat) > 90.0) lat = p->vertex_y[vertex];
    y[i] = lat;
    x[i] = p->vertex_x[vertex] + far * sin(azimuth) / (globe ? fmax(cos(lat * degree), 1e-3) : 1.0);
    if (!globe && fabs(x[i]) > 180.0) x[i] = 0.0;
  }
}

/* No seed is nearer to a vertex than those of its edges. */
static void check_vertices(const gv_diagram_parts *p, const question *q, const gv_index *index) {
  const gv_points places = gv_points_xy(p->vertex_x, p->vertex_y, p->vertex_count);
  double *least = malloc((size_t)p->vertex_count * sizeof *least + 1);
  int64_t *nearest = malloc((size_t)p->vertex_count * sizeof *nearest + 1);
  struct geod_geodesic geod;
  assert_true(least != NULL && nearest != NULL);
  bool sphere = q->metric == GV_GREAT_CIRCLE;
  geod_init(&geod, sphere ? 6378137.0 * (3.0 - q->flattening) / 3.0 : 6378137.0,
            sphere ? 0.0 : q->flattening);
  assert_int_equal(gv_index_search(context, index, &places, NULL, nearest, least), GV_OK);
  for (int64_t i = 0; i < 4 * p->edge_count; i++) {
    int64_t vertex = p->edge_vertex[i / 4 * 2 + i % 2], seed = p->edge_seed[i / 4 * 2 + i / 2 % 2];
    double x = p->vertex_x[vertex], y = p->vertex_y[vertex], distance;
    if (seed < 0) continue;
    geod_inverse(&geod, y, x, q->set->y[seed], q->set->x[seed], &distance, NULL, NULL);
    if (q->metric == GV_EUCLIDEAN) distance = hypot(x - q->set->x[seed], y - q->set->y[seed]);
    if (fabs(distance - least[vertex]) > (sphere ? 1e-2 : 1e-3))
      fail_msg("%s, metric %d: the vertex at %.9f %.9f is %.6f from seed %d, %.6f from %d", q->set->name,
               (int)q->metric, x, y, distance, (int)seed, least[vertex], (int)nearest[vertex]);
  }
  free(least), free(nearest);
}

/* Both seeds of an edge are the nearest to the points of its line, as far as the tolerance allows: a line is
 * that far from the border. */
static void check_edges(const gv_diagram_parts *p, const question *q, const gv_index *index) {
  enum { MOST = 4000 };
  int64_t count = p->line[p->edge_count], step = 1 + count / MOST, number = count / step, edge = 0;
  double x[MOST], y[MOST], least[MOST];
  int64_t nearest[MOST];
  bool sphere = q->metric == GV_GREAT_CIRCLE;
  struct geod_geodesic geod;
  geod_init(&geod, sphere ? 6378137.0 * (3.0 - q->flattening) / 3.0 : 6378137.0,
            sphere ? 0.0 : q->flattening);
  for (int64_t i = 0; i < number; i++) {
    x[i] = p->line_x[step * i];
    y[i] = p->line_y[step * i];
  }
  const gv_points places = gv_points_xy(x, y, number);
  if (number > 0) assert_int_equal(gv_index_search(context, index, &places, NULL, nearest, least), GV_OK);
  for (int64_t i = 0; i < number; i++) {
    while (p->line[edge + 1] <= step * i)
      edge++;
    for (int side = 0; side < 2; side++) {
      int64_t seed = p->edge_seed[2 * edge + side];
      double distance;
      geod_inverse(&geod, y[i], x[i], q->set->y[seed], q->set->x[seed], &distance, NULL, NULL);
      if (distance > least[i] + 2.0 * q->tolerance)
        fail_msg("%s, metric %d: the edge at %.9f %.9f is %.3f from its seed %d, %.3f from %d", q->set->name,
                 (int)q->metric, x[i], y[i], distance, (int)seed, least[i], (int)nearest[i]);
    }
  }
}

static void check_places(const gv_diagram_parts *p, const question *q) {
  const seed_set *s = q->set;
  bool globe = q->metric != GV_EUCLIDEAN;
  double *x = malloc((size_t)q->count * sizeof *x), *y = malloc((size_t)q->count * sizeof *y),
         *distance = malloc((size_t)q->count * sizeof *distance), tolerance = globe ? q->tolerance : 1e-9;
  int64_t *nearest = malloc((size_t)q->count * sizeof *nearest);
  assert_true(x != NULL && y != NULL && distance != NULL && nearest != NULL);
  choose_places(p, q, x, y);
  gv_points reference = gv_points_xy(s->x, s->y, s->count), places = gv_points_xy(x, y, q->count);
  gv_index *index = NULL;
  gv_index_options options;
  gv_index_options_init(&options);
  options.metric = q->metric;
  options.semi_major = globe ? 6378137.0 : 0.0;
  options.flattening = q->flattening;
  assert_int_equal(gv_index_build(context, &reference, &options, &index), GV_OK);
  assert_int_equal(gv_index_search(context, index, &places, NULL, nearest, distance), GV_OK);
  check_vertices(p, q, index);
  if (globe) check_edges(p, q, index);
  gv_index_destroy(index);
  int right = 0;
  outline o = {0};
  for (int seed = 0; seed < s->count; seed++) {
    bool taken = false;
    for (int i = 0; i < q->count; i++) {
      if (nearest[i] != seed) continue;
      if (!taken) outline_take(&o, p, seed, globe);
      taken = true;
      cell_place at = look(&o, x[i], y[i], globe);
      if (p->place_count == 1 && globe) at.inside = nearest[i] == 0;
      right += at.inside;
      if (!at.inside && !(at.to_border <= tolerance))
        fail_msg("%s, metric %d: the nearest seed of %.9f %.9f is %d, whose cell is %.3f away", s->name,
                 (int)q->metric, x[i], y[i], (int)nearest[i], at.to_border);
    }
  }
  free(o.x), free(o.y);
  assert_true(right > 0);
  free(x), free(y), free(distance), free(nearest);
}

static int64_t count_places(const seed_set *s, bool globe) {
  int64_t count = 0;
  for (int i = 0; i < s->count; i++) {
    bool again = false;
    for (int j = 0; j < i && !again; j++) {
      bool both = s->y[i] == s->y[j];
      again = both &&
              (s->x[i] == s->x[j] || (globe && (fabs(s->y[i]) == 90.0 || fabs(s->x[i] - s->x[j]) == 360.0)));
    }
    count += !again;
  }
  return count;
}

static void check(const question *q) {
  const seed_set *s = q->set;
  bool globe = q->metric != GV_EUCLIDEAN;
  const gv_points seeds = gv_points_xy(s->x, s->y, s->count);
  gv_diagram *diagram = NULL;
  gv_diagram_options options;
  gv_diagram_parts parts;
  gv_diagram_options_init(&options);
  gv_diagram_parts_init(&parts);
  options.metric = q->metric;
  options.semi_major = globe ? 6378137.0 : 0.0;
  options.flattening = q->flattening;
  options.tolerance = q->tolerance;
  const double extent[4] = {-180.0, -90.0, 180.0, 90.0};
  memcpy(options.extent, extent, sizeof extent);
  if (gv_diagram_create(context, &seeds, &options, &diagram) != GV_OK)
    fail_msg("%s: %s", s->name, gv_context_message(context));
  assert_int_equal(gv_diagram_get(context, diagram, &parts), GV_OK);
  check_rings(&parts, count_places(s, globe));
  /* Near the antipodes of these, borders run within centimeters of each other (docs/diagram.md). */
  const bool narrow = q->metric == GV_GEODESIC &&
                      (strcmp(s->name, "row and one beside") == 0 || strcmp(s->name, "square lattice") == 0);
  if (parts.unverified > (narrow ? 4 : 0))
    fail_msg("%s: %d parts are not verified", s->name, (int)parts.unverified);
  check_places(&parts, q);
  double *area = malloc((size_t)s->count * sizeof *area), sum = 0.0;
  assert_int_equal(gv_diagram_areas(context, diagram, area), GV_OK);
  for (int i = 0; i < s->count; i++) {
    assert_true(area[i] >= 0.0 || area[i] > -1e-3);
    sum += area[i];
  }
  double e2 = q->flattening * (2.0 - q->flattening), e = sqrt(e2), a = 6378137.0;
  double whole = !globe     ? 360.0 * 180.0
                 : e == 0.0 ? 4.0 * 3.141592653589793 * a * a
                            : 2.0 * 3.141592653589793 * a * a * (1.0 + (1.0 - e2) / e * atanh(e));
  if (fabs(sum / whole - 1.0) > 1e-9)
    fail_msg("%s, metric %d: areas add up to %.12g of all", s->name, (int)q->metric, sum / whole);
  free(area);
  gv_diagram_destroy(diagram);
}

static void check_all(gv_metric metric, double flattening) {
  const char *many = getenv("GPUVORONOI_LONG");
  seed_set *set = malloc(sizeof *set);
  for (int number = 0; seed_set_get(number, set); number++) {
    question q = {set, metric, flattening, many != NULL && strcmp(many, "1") == 0 ? 50000 : 600, 1.0};
    check(&q);
  }
  free(set);
}

static void plane_is_exact(void **unused) {
  (void)unused;
  check_all(GV_EUCLIDEAN, 0.0);
}

static void sphere_is_exact(void **unused) {
  (void)unused;
  check_all(GV_GREAT_CIRCLE, 1.0 / 298.257223563);
}

static void ellipsoid_is_exact(void **unused) {
  (void)unused;
  check_all(GV_GEODESIC, 1.0 / 298.257223563);
  /* Large cells, with some vertices that belong to other seeds than on the sphere. */
  seed_set *set = malloc(sizeof *set);
  assert_non_null(set);
  *set = (seed_set){.name = "a dozen"};
  for (int i = 0; i < 100; i++) {
    question q = {set, GV_GEODESIC, i % 2 == 0 ? 1.0 / 298.257223563 : 0.02, 20, 1000.0};
    set->count = 0;
    seed_add_any(set, 14);
    check(&q);
  }
  /* The middle of a border is on the circle of the sphere, its quarters are meters away. */
  static const double x[] = {-65.348998, 99.473499,  3.840828,   72.689592,  -135.461161,
                             -36.579253, -22.635636, 7.554199,   155.283952, 57.544620,
                             86.556374,  12.758857,  -39.183505, 5.898545},
                      y[] = {31.861066, 48.616321, 13.763425,  -48.601862, -14.088547, 30.996684,  -31.169479,
                             3.330580,  -8.323281, -18.807545, 36.428654,  -85.666078, -19.754458, 10.625288};
  *set = (seed_set){.name = "bent", .count = 14};
  memcpy(set->x, x, sizeof x);
  memcpy(set->y, y, sizeof y);
  const question bent = {set, GV_GEODESIC, 1.0 / 298.257223563, 20, 5.0};
  check(&bent);
  /* A border passes a pole nearer than the tolerance. */
  static const double lon[] = {-114.396856, 15.630178,   123.893309, 85.836382, -141.661848,
                               -53.648015,  128.881406,  151.793963, 41.150675, 95.247372,
                               61.696791,   -145.034871, -44.295455, 100.720750},
                      lat[] = {30.936103,  -3.368224,  -36.399770, 53.948712, -75.299272,
                               62.919330,  12.289159,  11.636875,  4.416424,  -27.893449,
                               -39.834189, -48.037032, 11.742862,  -75.313454};
  for (int i = 0; i < 2; i++) {
    *set = (seed_set){.name = i == 0 ? "past the south pole" : "past the north pole", .count = 14};
    memcpy(set->x, lon, sizeof lon);
    for (int s = 0; s < set->count; s++)
      set->y[s] = i == 0 ? lat[s] : -lat[s];
    const question past = {set, GV_GEODESIC, 0.02, 20, 1000.0};
    check(&past);
  }
  free(set);
}

/* The bytes do not depend on the number of threads. */
static void threads_change_nothing(void **unused) {
  (void)unused;
  seed_set *set = malloc(sizeof *set);
  assert_true(set != NULL && seed_set_get(0, set));
  const gv_points seeds = gv_points_xy(set->x, set->y, set->count);
  gv_diagram *diagram[2];
  gv_diagram_parts p[2];
  gv_diagram_options options;
  gv_diagram_options_init(&options);
  options.metric = GV_GEODESIC;
  for (int i = 0; i < 2; i++) {
    gv_context_options threads;
    gv_context *own;
    gv_context_options_init(&threads);
    threads.threads = i == 0 ? 1 : 3;
    assert_int_equal(gv_context_create(&threads, &own), GV_OK);
    assert_int_equal(gv_diagram_create(own, &seeds, &options, &diagram[i]), GV_OK);
    gv_diagram_parts_init(&p[i]);
    assert_int_equal(gv_diagram_get(own, diagram[i], &p[i]), GV_OK);
    gv_context_destroy(own);
  }
  assert_int_equal(p[0].edge_count, p[1].edge_count);
  int64_t points = p[0].line[p[0].edge_count];
  assert_int_equal(points, p[1].line[p[1].edge_count]);
  assert_memory_equal(p[0].line_x, p[1].line_x, (size_t)points * sizeof(double));
  assert_memory_equal(p[0].line_y, p[1].line_y, (size_t)points * sizeof(double));
  assert_memory_equal(p[0].ring, p[1].ring, (size_t)p[0].cell[set->count] * sizeof(int64_t));
  gv_diagram_destroy(diagram[0]);
  gv_diagram_destroy(diagram[1]);
  free(set);
}

/* Errors and their messages. */
static void errors_name_the_cause(void **unused) {
  (void)unused;
  double x[2] = {0.0, 1.0}, y[2] = {0.0, 91.0};
  gv_points seeds = gv_points_xy(x, y, 2);
  gv_diagram_options options;
  gv_diagram *diagram = NULL;
  gv_diagram_options_init(&options);
  assert_int_equal(gv_diagram_create(NULL, &seeds, NULL, &diagram), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_diagram_create(context, NULL, NULL, &diagram), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_diagram_create(context, &seeds, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  options.metric = GV_GEODESIC;
  assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "seed 1 (from 0)"));
  options.metric = GV_MANHATTAN;
  assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_ERROR_UNSUPPORTED);
  assert_non_null(strstr(gv_context_message(context), "manhattan"));
  options.metric = GV_EUCLIDEAN;
  static const double no_tolerance[] = {0.0, -1.0, NAN, -INFINITY};
  for (int i = 0; i < 4; i++) {
    options.tolerance = no_tolerance[i];
    assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(context), "tolerance"));
  }
  options.tolerance = 1.0;
  options.extent[0] = 5.0;
  assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "extent"));
  x[1] = NAN;
  options.extent[0] = 0.0;
  assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_ERROR_INVALID_ARGUMENT);
  assert_null(diagram);
}

/* One ring a cell where nothing is cut; on a map one or two, which are closed. */
static void polygons_are_closed_rings(void **unused) {
  (void)unused;
  const double x[3] = {175.0, -150.0, 0.0}, y[3] = {0.0, 0.0, 0.0};
  const gv_points seeds = gv_points_xy(x, y, 3);
  gv_diagram_options options;
  gv_diagram *diagram;
  gv_diagram_options_init(&options);
  options.metric = GV_GREAT_CIRCLE;
  assert_int_equal(gv_diagram_create(context, &seeds, &options, &diagram), GV_OK);
  for (int cut = 0; cut < 2; cut++) {
    gv_diagram_polygons *polygons = NULL;
    gv_diagram_rings rings;
    double area = 0.0;
    gv_diagram_rings_init(&rings);
    assert_int_equal(gv_diagram_polygons_create(context, diagram, cut, &polygons), GV_OK);
    assert_int_equal(gv_diagram_polygons_get(context, polygons, &rings), GV_OK);
    assert_int_equal(rings.cell_count, 3);
    assert_int_equal(rings.polygon[3], rings.polygon_count);
    assert_int_equal(rings.point[rings.polygon_count], rings.point_count);
    for (int64_t i = 0; i < rings.polygon_count; i++) {
      int64_t first = rings.point[i], last = rings.point[i + 1] - 1;
      assert_true(last - first >= 3 && rings.x[first] == rings.x[last] && rings.y[first] == rings.y[last]);
      for (int64_t j = first; j < last; j++)
        area += 0.5 * (rings.x[j] * rings.y[j + 1] - rings.x[j + 1] * rings.y[j]);
    }
    if (cut == 0) assert_int_equal(rings.polygon_count, 3);
    if (cut == 1) assert_true(rings.polygon_count == 4 && fabs(area - 360.0 * 180.0) < 1e-6);
    gv_diagram_polygons_destroy(polygons);
  }
  gv_diagram_destroy(diagram);
  assert_int_equal(gv_diagram_polygons_create(context, NULL, 1, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_diagram_polygons_get(context, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_diagram_areas(context, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  gv_diagram_polygons_destroy(NULL);
  gv_diagram_destroy(NULL);
}

/* Every allocation fails once: an error, and nothing is left. */
static void memory_may_fail(void **unused) {
  (void)unused;
  static failing_memory memory;
  seed_set *set = malloc(sizeof *set);
  assert_true(set != NULL && seed_set_get(3, set));
  const gv_points seeds = gv_points_xy(set->x, set->y, 40);
  const gv_metric metrics[] = {GV_EUCLIDEAN, GV_GEODESIC};
  for (int m = 0; m < 2; m++) {
    gv_status status = GV_ERROR_OUT_OF_MEMORY;
    gv_diagram_options options;
    gv_diagram_options_init(&options);
    options.metric = metrics[m];
    options.tolerance = 1e5;
    for (long call = 1; status != GV_OK; call++) {
      gv_diagram *diagram = NULL;
      gv_context *own;
      failing_memory_begin(&memory, -1);
      gv_context_options with = failing_options(&memory, 2);
      assert_int_equal(gv_context_create(&with, &own), GV_OK);
      atomic_store(&memory.fail_at, call);
      gv_diagram_polygons *polygons = NULL;
      double area[40];
      status = gv_diagram_create(own, &seeds, &options, &diagram);
      assert_true(status == GV_OK || (status == GV_ERROR_OUT_OF_MEMORY && diagram == NULL));
      if (status == GV_OK) status = gv_diagram_areas(own, diagram, area);
      if (status == GV_OK) status = gv_diagram_polygons_create(own, diagram, 1, &polygons);
      assert_true(status == GV_OK || (status == GV_ERROR_OUT_OF_MEMORY && polygons == NULL));
      gv_diagram_polygons_destroy(polygons);
      gv_diagram_destroy(diagram);
      gv_context_destroy(own);
      assert_int_equal(atomic_load(&memory.live), 0);
    }
    assert_true(atomic_load(&memory.calls) > 20);
  }
  free(set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plane_is_exact),           cmocka_unit_test(sphere_is_exact),
      cmocka_unit_test(ellipsoid_is_exact),       cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(errors_name_the_cause),    cmocka_unit_test(memory_may_fail),
      cmocka_unit_test(polygons_are_closed_rings)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
