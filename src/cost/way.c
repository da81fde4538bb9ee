#include "cost/way.h"

#include "cost/moves.h"
#include "cost/raster.h"
#include "cost/start.h"
#include "geodesic/series_numbers.h"

enum { CELLS = 64 * 4 /* bytes around a cell that those around the one before do not have */ };

static const double RADIAN = 0.017453292519943295;

/* The cell was reached from its seed directly. The starts are sorted. */
static bool way_starts(const gv_cost *c, int64_t cell) {
  const gv_cost_entry *entries = c->starts.entries;
  int64_t first = 0, end = c->starts.count;
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    if (entries[middle].cell < cell)
      first = middle + 1;
    else
      end = middle;
  }
  for (; first < c->starts.count && entries[first].cell == cell; first++)
    if (entries[first].cost == c->cost[cell] && entries[first].seed == c->seed[cell]) return true;
  return false;
}

bool gv_cost_towards(const gv_cost *c, int64_t column, int64_t row, double position[2]) {
  const int64_t at = gv_cost_at(c, column, row);
  const int32_t seed = c->seed[at];
  double costs[GV_COST_MOST_MOVES];
  int found = -1;
  if (seed < 0) return false;
  if (way_starts(c, at)) {
    if (c->sources.features != NULL || c->sources.at_cells) return false;
    position[0] = c->sources.x[seed];
    position[1] = c->sources.y[seed];
    return true;
  }
  gv_cost_of_moves(c->friction + at, c->stride, gv_cost_lengths_of(&c->lengths, row), c->is.moves, costs);
  for (int i = 0; i < c->is.moves; i++) {
    if (isnan(costs[i])) continue;
    const int columns = gv_cost_moves[i][0], rows = gv_cost_moves[i][1];
    const int64_t to = gv_cost_wrapped(c, column + columns, at + rows * c->stride + columns);
    if (c->seed[to] != seed || c->cost[to] + costs[i] != c->cost[at]) continue;
    if (found < 0 || c->cost[to] < c->cost[at]) found = i;
    if (c->cost[to] < c->cost[at]) break;
  }
  if (found < 0) return false;
  gv_cost_center(&c->is, column + gv_cost_moves[found][0], row + gv_cost_moves[found][1], position);
  return true;
}

/* Degrees clockwise from north, or on the plane from +y. */
static double way_azimuth(const gv_cost *c, const double from[2], const double to[2]) {
  double azimuth;
  if (c->is.metric == GV_EUCLIDEAN) return atan2(to[0] - from[0], to[1] - from[1]) / RADIAN;
  if (c->is.metric == GV_GEODESIC) {
    geod_inverse(&c->lengths.geodesic.geod, from[1], from[0], to[1], to[0], NULL, &azimuth, NULL);
    return azimuth;
  }
  const double turn = (to[0] - from[0]) * RADIAN, a = from[1] * RADIAN, b = to[1] * RADIAN;
  return atan2(sin(turn) * cos(b), cos(a) * sin(b) - sin(a) * cos(b) * cos(turn)) / RADIAN;
}

float gv_cost_azimuth(gv_cost *c, int64_t column, int64_t row) {
  double from[2], to[2];
  gv_cost_touched(c, CELLS);
  if (!gv_cost_towards(c, column, row, to)) return (float)NAN;
  gv_cost_center(&c->is, column, row, from);
  const double azimuth = way_azimuth(c, from, to);
  return gv_reported_azimuth(azimuth < 0.0 ? azimuth + 360.0 : azimuth);
}
