/*
 * Travel costs over any friction: refused with a message, or all backends return the same bytes, from memory
 * and from a file. Costs are within the maximum, and the way from a cell leads to its seed at its cost.
 */
#include "gpuvoronoi/cost.h"

#include <math.h>

#include "fuzz.h"
#include "question.h"

enum { MOST_POSITIONS = 64 };

typedef struct costs {
  int32_t seed[MOST_CELLS];
  double cost[MOST_CELLS];
  float azimuth[MOST_CELLS];
  int64_t skipped;
} costs;

/* Friction that is usual, free, a barrier, or at the limits of numbers. */
static double take_friction(fuzz_input *input) {
  static const double rare[] = {0.0, -0.0, NAN, -1.0, INFINITY, -INFINITY, 1.7e308, 5e-324, 1e-300, 1e300};
  uint8_t byte = fuzz_byte(input);
  return byte < 0xc0 ? byte % 16 : byte < 0xe0 ? NAN : rare[byte % (sizeof rare / sizeof *rare)];
}

static void check_costs(const question *q, const gv_cost_options *options, const costs *c) {
  FUZZ_REQUIRE(c->skipped >= 0 && c->skipped <= q->sources);
  for (int64_t i = 0; i < q->cells; i++) {
    FUZZ_REQUIRE(c->seed[i] >= -1 && c->seed[i] < q->sources);
    FUZZ_REQUIRE((c->seed[i] < 0) == (isnan(c->cost[i]) != 0));
    FUZZ_REQUIRE(c->seed[i] < 0 || (c->cost[i] >= 0.0 && c->cost[i] <= options->max_cost));
    FUZZ_REQUIRE(isnan(c->azimuth[i]) ||
                 (c->seed[i] >= 0 && c->azimuth[i] >= 0.0f && c->azimuth[i] < 360.0f));
  }
}

/* The way from the center of a cell of the plane. */
static void check_way(gv_context *context, const question *q, gv_cost *cost, const costs *c, int64_t cell,
                      int64_t room) {
  double x[MOST_POSITIONS], y[MOST_POSITIONS], least = -1.0, length = -1.0;
  const double *g = q->grid.geotransform;
  const double column = (double)(cell % q->grid.width) + 0.5, row = (double)(cell / q->grid.width) + 0.5;
  int64_t count = -1;
  int32_t seed = -2;
  gv_cost_way way;
  gv_cost_way_init(&way);
  way.x = g[0] + column * g[1] + row * g[2];
  way.y = g[3] + column * g[4] + row * g[5];
  way.room = room;
  way.way_x = x;
  way.way_y = y;
  way.count = &count;
  way.seed = &seed;
  way.cost = &least;
  way.length = &length;
  gv_status status = gv_cost_get_way(context, cost, &way);
  FUZZ_REQUIRE(status == GV_OK || gv_context_message(context)[0] != '\0');
  if (status != GV_OK) return;
  FUZZ_REQUIRE(count >= 0 && (count == 0) == (seed < 0) && (seed < 0) == (isnan(least) != 0));
  FUZZ_REQUIRE(isnan(length) ? seed < 0 : length >= 0.0);
  for (int64_t i = 0; i < count && i < room; i++)
    FUZZ_REQUIRE(!isnan(x[i]) && !isnan(y[i]));
  bool certain = q->grid.kind == GV_GRID_PLANE && g[2] == 0.0 && g[4] == 0.0 && fabs(g[1]) > 1e-3 &&
                 fabs(g[5]) > 1e-3 && fabs(g[1]) < 1e6 && fabs(g[5]) < 1e6 && fabs(g[0]) < 1e6 &&
                 fabs(g[3]) < 1e6;
  if (certain) FUZZ_REQUIRE(seed == c->seed[cell] && (seed < 0 || least == c->cost[cell]));
}

static gv_status get_costs(gv_context *context, const question *q, gv_cost *cost, costs *out) {
  gv_cost_cells cells;
  gv_cost_cells_init(&cells);
  cells.columns = q->grid.width;
  cells.rows = q->grid.height;
  cells.seed = out->seed;
  cells.cost = out->cost;
  cells.azimuth = out->azimuth;
  return gv_cost_get(context, cost, &cells);
}

static gv_status solve(gv_context *context, const question *q, const gv_cost_options *options,
                       const gv_cost_seeds *seeds, const double *friction, costs *out) {
  gv_cost *cost = NULL;
  memset(out, 0, sizeof *out);
  gv_status status = gv_cost_create(context, &q->grid, options, &cost);
  FUZZ_REQUIRE((status == GV_OK) == (cost != NULL));
  for (int64_t row = q->grid.height; status == GV_OK && row-- > 0;)
    status = gv_cost_set_rows(context, cost, row, 1, friction + row * q->grid.width, 0);
  if (status == GV_OK) status = gv_cost_solve(context, cost, seeds, &out->skipped);
  if (status == GV_OK) status = get_costs(context, q, cost, out);
  if (status == GV_OK) check_costs(q, options, out);
  for (int64_t cell = 0; status == GV_OK && cell < q->cells; cell += 1 + q->cells / 4)
    check_way(context, q, cost, out, cell, cell % 2 == 0 ? MOST_POSITIONS : 1);
  FUZZ_REQUIRE(status == GV_OK || gv_context_message(context)[0] != '\0');
  gv_cost_destroy(cost);
  return status;
}

static void compare(const question *q, const gv_cost_seeds *seeds, const double *friction,
                    gv_cost_options options) {
  static costs expected, found;
  gv_context *context = fuzz_context(q->threads);
  options.backend = "serial";
  gv_status first = solve(context, q, &options, seeds, friction, &expected);
  for (int i = 0, asked = 0; i < 2 * gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    FUZZ_REQUIRE(gv_backend_get(i / 2, &info) == GV_OK);
    if (!info.available || !info.travel_cost || strcmp(info.name, "serial") == 0) continue;
    options.backend = info.name;
    options.folder = i % 2 == 1 ? "/tmp" : NULL;
    if (options.folder != NULL && !fuzz_asks(q->asked, asked++)) continue;
    gv_status status = solve(context, q, &options, seeds, friction, &found);
    if (status == GV_ERROR_UNSUPPORTED && options.folder != NULL) continue;
    FUZZ_REQUIRE(status == first);
    if (status != GV_OK) continue;
    const size_t cells = (size_t)q->cells;
    FUZZ_REQUIRE(memcmp(expected.seed, found.seed, cells * sizeof *found.seed) == 0);
    FUZZ_REQUIRE(memcmp(expected.cost, found.cost, cells * sizeof *found.cost) == 0);
    FUZZ_REQUIRE(memcmp(expected.azimuth, found.azimuth, cells * sizeof *found.azimuth) == 0);
    FUZZ_REQUIRE(expected.skipped == found.skipped);
  }
  gv_context_destroy(context);
}

/* Most grids are of a kind that has costs. */
static void take_kind(question *q, uint8_t choices, uint8_t rare) {
  static const double of_cells[6] = {-3.5, 1.0, 0.0, 2.0, 0.0, -1.0};
  if ((rare & 0xf0U) == 0xf0U) return;
  bool globe = (choices & 0x20U) != 0;
  q->grid.kind = globe ? GV_GRID_LONLAT : GV_GRID_PLANE;
  q->options.metric = !globe ? GV_EUCLIDEAN : (choices & 0x40U) != 0 ? GV_GEODESIC : GV_GREAT_CIRCLE;
  if (globe) q->grid.geotransform[2] = q->grid.geotransform[4] = 0.0;
  q->cells = q->grid.width * q->grid.height;
  if ((rare & 0x80U) == 0) memcpy(q->grid.geotransform, of_cells, sizeof of_cells);
  if (!(q->options.max_distance >= 0.0)) q->options.max_distance = INFINITY;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int32_t moves[] = {8, 16, 32};
  static question q;
  static double friction[MOST_CELLS];
  fuzz_input input = {data, size};
  gv_cost_options options;
  gv_cost_seeds seeds;
  gv_cost_options_init(&options);
  gv_cost_seeds_init(&seeds);
  uint8_t choices = fuzz_byte(&input), rare = fuzz_byte(&input);
  memset(&q, 0, sizeof q);
  fuzz_take_question(&input, &q);
  take_kind(&q, choices, rare);
  if ((choices & 0x10U) != 0) fuzz_take_features(&input, &q);
  if (rare < 0xf0) q.features.edges = GV_EDGES_STRAIGHT;
  fuzz_fit(&q, fuzz_more_room(fuzz_room(data, size), 4));
  options.metric = q.options.metric;
  options.max_cost = q.options.max_distance;
  options.moves = rare < 0xfc ? moves[rare % 3] : 5;
  seeds.at_cells = (choices & 8U) != 0;
  seeds.features = q.options.features;
  if (seeds.features == NULL) {
    seeds.x = q.x;
    seeds.y = q.y;
    seeds.count = q.sources;
  }
  for (int64_t i = 0; i < q.cells && i < MOST_CELLS; i++)
    friction[i] = take_friction(&input);
  compare(&q, &seeds, friction, options);
  return 0;
}
