/*
 * Diagrams of any points: refused with a message, or closed rings of edges that border the two cells that
 * they name, fulfill Euler's formula and cover the extent or the globe once; polygons are closed and finite.
 */
#include "gpuvoronoi/diagram.h"

#include <math.h>

#include "fuzz.h"
#include "question.h"

typedef struct seed_places {
  double x[MOST_SEEDS], y[MOST_SEEDS];
  int64_t count;
} seed_places;

static bool offsets_fit(const int64_t *offset, int64_t count, int64_t end) {
  bool fit = offset[0] == 0 && offset[count] == end;
  for (int64_t i = 0; i < count; i++)
    fit = fit && offset[i] <= offset[i + 1];
  return fit;
}

/* Both ends of each edge are points of its line; each edge has one or two cells. Returns the edges of one
 * cell. */
static int64_t check_edges(const gv_diagram_parts *p) {
  int64_t outside = 0;
  FUZZ_REQUIRE(offsets_fit(p->line, p->edge_count, p->line[p->edge_count]));
  for (int64_t edge = 0; edge < p->edge_count; edge++) {
    int64_t from = p->edge_vertex[2 * edge], to = p->edge_vertex[2 * edge + 1];
    int64_t left = p->edge_seed[2 * edge], right = p->edge_seed[2 * edge + 1];
    FUZZ_REQUIRE(from >= 0 && from < p->vertex_count && to >= 0 && to < p->vertex_count);
    FUZZ_REQUIRE(left >= 0 && left < p->seed_count && right >= -1 && right < p->seed_count && left != right);
    int64_t first = p->line[edge], last = p->line[edge + 1] - 1;
    FUZZ_REQUIRE(first < last);
    FUZZ_REQUIRE(p->line_x[first] == p->vertex_x[from] && p->line_y[last] == p->vertex_y[to]);
    for (int64_t i = first; i <= last; i++)
      FUZZ_REQUIRE(isfinite(p->line_x[i]) && isfinite(p->line_y[i]));
    outside += right < 0;
  }
  return outside;
}

static void check_cells(const gv_diagram_parts *p) {
  int64_t cells = 0, entries = 0, outside = check_edges(p);
  FUZZ_REQUIRE(offsets_fit(p->cell, p->seed_count, 2 * p->edge_count - outside));
  for (int64_t seed = 0; seed < p->seed_count; seed++) {
    int64_t begin = p->cell[seed], end = p->cell[seed + 1];
    FUZZ_REQUIRE(p->owner[seed] >= 0 && p->owner[seed] <= seed && p->owner[p->owner[seed]] == p->owner[seed]);
    FUZZ_REQUIRE(p->owner[seed] == seed || begin == end);
    cells += begin < end;
    for (int64_t i = begin; i < end; i++, entries++) {
      int64_t ring = p->ring[i], next = p->ring[i + 1 < end ? i + 1 : begin];
      int64_t edge = ring < 0 ? -1 - ring : ring, after = next < 0 ? -1 - next : next;
      FUZZ_REQUIRE(edge >= 0 && edge < p->edge_count && after >= 0 && after < p->edge_count);
      int64_t to = p->edge_vertex[2 * edge + (ring >= 0)], from = p->edge_vertex[2 * after + (next < 0)];
      FUZZ_REQUIRE(to == from ||
                   (p->vertex_x[to] == p->vertex_x[from] && p->vertex_y[to] == p->vertex_y[from]));
      FUZZ_REQUIRE(p->edge_seed[2 * edge + (ring < 0)] == seed);
    }
  }
  FUZZ_REQUIRE(entries == 2 * p->edge_count - outside);
  if (p->place_count > 1 && cells > 0)
    FUZZ_REQUIRE(p->vertex_count - p->edge_count + cells == (outside > 0 ? 1 : 2));
}

/* Of WGS 84: cells of both globe metrics have the areas of polygons on the ellipsoid. */
static double area_of_globe(void) {
  double a = 6378137.0, f = 1.0 / 298.257223563, e2 = f * (2.0 - f), e = sqrt(e2), pi = 3.141592653589793;
  return 2.0 * pi * a * a * (1.0 + (1.0 - e2) / e * atanh(e));
}

static void check_areas(gv_context *context, const gv_diagram *diagram, const gv_diagram_parts *p,
                        double whole) {
  double area[MOST_SEEDS], sum = 0.0;
  FUZZ_REQUIRE(gv_diagram_areas(context, diagram, area) == GV_OK);
  for (int64_t i = 0; i < p->seed_count; i++) {
    FUZZ_REQUIRE(isfinite(area[i]) && area[i] >= -1e-9 * whole);
    sum += area[i];
  }
  FUZZ_REQUIRE(fabs(sum - whole) <= 1e-9 * whole);
}

static void check_polygons(gv_context *context, const gv_diagram *diagram, const gv_diagram_parts *p,
                           bool globe, int cut) {
  gv_diagram_polygons *polygons = NULL;
  gv_diagram_rings rings;
  gv_diagram_rings_init(&rings);
  FUZZ_REQUIRE(gv_diagram_polygons_create(context, diagram, cut, &polygons) == GV_OK);
  FUZZ_REQUIRE(gv_diagram_polygons_get(context, polygons, &rings) == GV_OK);
  FUZZ_REQUIRE(rings.cell_count == p->seed_count);
  FUZZ_REQUIRE(offsets_fit(rings.polygon, rings.cell_count, rings.polygon_count));
  FUZZ_REQUIRE(offsets_fit(rings.point, rings.polygon_count, rings.point_count));
  for (int64_t i = 0; i < rings.polygon_count; i++) {
    int64_t first = rings.point[i], last = rings.point[i + 1] - 1;
    FUZZ_REQUIRE(last - first >= 2 && rings.x[first] == rings.x[last] && rings.y[first] == rings.y[last]);
  }
  for (int64_t i = 0; i < rings.point_count; i++) {
    FUZZ_REQUIRE(isfinite(rings.x[i]) && isfinite(rings.y[i]));
    FUZZ_REQUIRE(!globe || (fabs(rings.y[i]) <= 90.0 && (cut == 0 || fabs(rings.x[i]) <= 180.0)));
  }
  gv_diagram_polygons_destroy(polygons);
}

static void take_options(fuzz_input *input, uint8_t choices, gv_diagram_options *options) {
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_GREAT_CIRCLE, GV_GEODESIC, GV_EUCLIDEAN};
  static const double ellipsoids[][2] = {{0.0, 0.0}, {6371000.0, 0.0}, {6378137.0, 0.2}, {100.0, -0.01}};
  static const double tolerances[] = {1.0, 1000.0, 0.01, 2e4};
  gv_diagram_options_init(options);
  options->metric = metrics[choices % 4];
  options->tolerance = tolerances[choices >> 2 & 3U];
  if ((choices & 0x10U) == 0) return;
  uint8_t kind = fuzz_byte(input);
  for (int i = 0; i < 4; i++)
    options->extent[i] = fuzz_take_number(input, kind);
  options->semi_major = ellipsoids[kind >> 6][0];
  options->flattening = ellipsoids[kind >> 6][1];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static seed_places seeds;
  fuzz_input input = {data, size};
  int64_t room = fuzz_room(data, size);
  gv_diagram_options options;
  uint8_t choices = fuzz_byte(&input), kind = fuzz_byte(&input);
  take_options(&input, choices, &options);
  seeds.count = 1 + fuzz_byte(&input) % MOST_SEEDS;
  if (room < FUZZ_MEDIUM && seeds.count > 12) seeds.count = 1 + seeds.count % 12;
  for (int64_t i = 0; i < seeds.count; i++) {
    seeds.x[i] = fuzz_take_number(&input, kind);
    seeds.y[i] = fuzz_take_number(&input, kind >> 2);
    if ((choices & 0x20U) != 0) seeds.x[i] *= 15.0, seeds.y[i] *= 7.0; /* further apart on the globe */
  }
  const gv_points points = gv_points_xy(seeds.x, seeds.y, seeds.count);
  gv_context *context = fuzz_context((choices & 0x40U) != 0 && room >= FUZZ_MEDIUM ? 2 : 1);
  gv_diagram *diagram = NULL;
  gv_status status = gv_diagram_create(context, &points, &options, &diagram);
  if (status != GV_OK) {
    FUZZ_REQUIRE(diagram == NULL && gv_context_message(context)[0] != '\0');
    gv_context_destroy(context);
    return 0;
  }
  gv_diagram_parts parts;
  gv_diagram_parts_init(&parts);
  FUZZ_REQUIRE(gv_diagram_get(context, diagram, &parts) == GV_OK);
  bool globe = options.metric != GV_EUCLIDEAN;
  check_cells(&parts);
  if (globe && (choices & 0x10U) == 0 && parts.unverified == 0)
    check_areas(context, diagram, &parts, area_of_globe());
  check_polygons(context, diagram, &parts, globe, (choices & 0x80U) != 0);
  gv_diagram_destroy(diagram);
  gv_context_destroy(context);
  return 0;
}
