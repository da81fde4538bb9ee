#include "cost/way.h"

#include <stdlib.h>
#include <string.h>

#include "core/buffer.h"
#include "core/machine.h"
#include "cost/cells.h"
#include "cost/moves.h"
#include "cost/start.h"
#include "exact/globe.h"
#include "geodesic/series_numbers.h"

typedef struct way_result {
  double cost;
  int32_t seed;
} way_result;

static way_result way_result_of(gv_cost *c, int64_t cell) {
  way_result out;
  gv_cost_read(c, cell % c->stride - GV_COST_MARGIN, cell / c->stride - GV_COST_MARGIN, 1,
               &(gv_cost_arrays){.cost = &out.cost, .seed = &out.seed});
  return out;
}

/* The cell was reached from its seed directly. The starts are sorted. */
static bool way_starts(const gv_cost *c, int64_t cell, const way_result *has) {
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
    if (entries[first].cost == has->cost && entries[first].seed == has->seed) return true;
  return false;
}

/* Costs of the moves from a cell. */
static void way_costs(gv_cost *c, int64_t column, int64_t row, double *out) {
  gv_cost_near near;
  gv_cost_look(c, column, row, &near);
  gv_cost_of_moves(near.friction, near.stride, gv_cost_lengths_of(&c->lengths, row), c->is.moves, out);
}

/* The number of the move to the previous cell: the first to one of lower cost, else to one of equal cost; -1:
 * none. *lower: which. */
static int way_move(gv_cost *c, int64_t column, int64_t row, const way_result *has, bool *lower) {
  const int64_t at = gv_cost_at(c, column, row);
  double costs[GV_COST_MOST_MOVES];
  int found = -1;
  *lower = false;
  way_costs(c, column, row, costs);
  for (int i = 0; i < c->is.moves && !*lower; i++) {
    if (isnan(costs[i])) continue;
    const int columns = gv_cost_moves[i][0], rows = gv_cost_moves[i][1];
    const int64_t to = gv_cost_wrapped(c, column + columns, at + rows * c->stride + columns);
    const way_result there = way_result_of(c, to);
    if (there.seed != has->seed || there.cost + costs[i] != has->cost) continue;
    *lower = there.cost < has->cost;
    if (found < 0 || *lower) found = i;
  }
  return found;
}

bool gv_cost_towards(gv_cost *c, int64_t column, int64_t row, double position[2]) {
  const int64_t at = gv_cost_at(c, column, row);
  const way_result has = way_result_of(c, at);
  bool lower;
  if (has.seed < 0) return false;
  if (way_starts(c, at, &has)) {
    if (c->sources.features != NULL || c->sources.at_cells) return false;
    position[0] = c->sources.x[has.seed];
    position[1] = c->sources.y[has.seed];
    return true;
  }
  const int found = way_move(c, column, row, &has, &lower);
  if (found < 0) return false;
  gv_cost_center(&c->is, column + gv_cost_moves[found][0], row + gv_cost_moves[found][1], position);
  return true;
}

/* Degrees clockwise from north, or on the plane from +y. */
static double way_azimuth(const gv_cost *c, const double from[2], const double to[2]) {
  double azimuth;
  if (from[0] == to[0] && from[1] == to[1]) return 0.0;
  if (c->is.metric == GV_EUCLIDEAN) return gv_bearing(to[0] - from[0], to[1] - from[1]);
  if (c->is.metric == GV_GEODESIC) {
    geod_inverse(&c->lengths.geodesic.geod, from[1], from[0], to[1], to[0], NULL, &azimuth, NULL);
    return azimuth;
  }
  const double angles[2] = {remainder(from[0], 360.0), from[1]};
  double lon = to[0], lat = to[1], x, y, z, sine[2], cosine[2];
  gv_sincos_degrees(2, angles, sine, cosine);
  gv_normalize_lonlat(&lon, &lat);
  gv_lonlat_to_vectors(NULL, false, 1, &lon, &lat, &x, &y, &z);
  return gv_bearing_on_sphere(cosine[0], sine[0], cosine[1], sine[1], x, y, z);
}

float gv_cost_azimuth(gv_cost *c, int64_t column, int64_t row) {
  double from[2], to[2];
  if (!gv_cost_towards(c, column, row, to)) return (float)NAN;
  gv_cost_center(&c->is, column, row, from);
  return gv_reported_azimuth(way_azimuth(c, from, to));
}

/* --------------------------------------------------------------------------------------------- whole ways */

/* A way that is followed; columns continue beyond the seam. */
typedef struct way_walk {
  gv_cost *cost;
  const gv_cost_way *to;
  int64_t column, row, count;
  double last[2];   /* position */
  gv_buffer length; /* of each leg */
  /* cells of equal cost that were reached without cost, in their order; NULL: none so far */
  int32_t *level;
  uint8_t *by;    /* by cell, in the same memory: 1 + the move that reached it */
  double touched; /* bytes of it since its pages were removed, if it is in a file, about */
} way_walk;

static int64_t way_column(const gv_cost *c, int64_t column) {
  if (!c->wraps) return column;
  const int64_t in = column % c->is.width;
  return in < 0 ? in + c->is.width : in;
}

/* Adds a position, and the length of the leg to it. */
static gv_status way_add(gv_context *context, way_walk *w, const double position[2], double length) {
  if (w->count > 0) {
    double *lengths = gv_buffer_extend(&w->length, &w->cost->allocator, w->count, sizeof *lengths);
    if (lengths == NULL) return gv_fail_memory(context, "a way of travel cost");
    lengths[w->count - 1] = length;
  }
  if (w->count < w->to->room && w->to->way_x != NULL) w->to->way_x[w->count] = position[0];
  if (w->count < w->to->room && w->to->way_y != NULL) w->to->way_y[w->count] = position[1];
  memcpy(w->last, position, sizeof w->last);
  w->count++;
  return GV_OK;
}

/* The length is that of the definition: from the first column on. */
static gv_status way_go(gv_context *context, way_walk *w, int move) {
  const int columns = gv_cost_moves[move][0], rows = gv_cost_moves[move][1];
  const int64_t top = rows < 0 ? w->row + rows : w->row;
  double from[2], to[2];
  gv_cost_center(&w->cost->is, 0, top, from);
  gv_cost_center(&w->cost->is, abs(columns), top + abs(rows), to);
  const double length = gv_cost_length(&w->cost->lengths, from, to);
  w->column += columns;
  w->row += rows;
  gv_cost_center(&w->cost->is, w->column, w->row, to);
  return way_add(context, w, to, length);
}

/* The last leg, from the first center to the seed's position, unless that is the center. */
static gv_status way_arrive(gv_context *context, way_walk *w) {
  gv_cost *c = w->cost;
  if (c->sources.features != NULL || c->sources.at_cells) return GV_OK;
  const int32_t seed = way_result_of(c, gv_cost_at(c, way_column(c, w->column), w->row)).seed;
  double position[2] = {c->sources.x[seed], c->sources.y[seed]};
  if (c->is.metric != GV_EUCLIDEAN) position[0] += 360.0 * rint((w->last[0] - position[0]) / 360.0);
  if (position[0] == w->last[0] && position[1] == w->last[1]) return GV_OK;
  return way_add(context, w, position, gv_cost_length(&c->lengths, position, w->last));
}

enum {
  LEVEL_BYTES = sizeof(int32_t) + sizeof(uint8_t) /* of a cell */,
  LEVEL_AROUND = 128 /* bytes around a cell that those around the one before do not have */
};

/* Room for all cells; in a file where the raster is. */
static gv_status way_make_level(gv_context *context, way_walk *w) {
  gv_cost *c = w->cost;
  if (w->level != NULL) return GV_OK;
  if (c->mapped != NULL)
    GV_TRY(gv_cost_map(context, c, (size_t)c->cells * LEVEL_BYTES, (void **)&w->level));
  else
    w->level = gv_allocate_zeroed(&c->allocator, c->cells, LEVEL_BYTES);
  if (w->level == NULL) return gv_fail_memory(context, "a way of travel cost");
  w->by = (uint8_t *)(void *)(w->level + c->cells);
  return GV_OK;
}

static void way_free_level(way_walk *w) {
  if (w->cost->mapped != NULL)
    gv_machine_unmap(w->level, (size_t)w->cost->cells * LEVEL_BYTES);
  else
    gv_release(&w->cost->allocator, w->level);
}

/* Before the cells around one are accessed. */
static void way_touch_level(way_walk *w) {
  gv_cost *c = w->cost;
  w->touched += LEVEL_AROUND;
  if (c->mapped == NULL || w->touched < c->is.resident) return;
  gv_machine_page_out(w->level, (size_t)c->cells * LEVEL_BYTES);
  w->touched = 0.0;
}

/* Adds the cells that a move without cost reaches from `at`, of its cost and seed, to the level; returns its
 * new count. */
static int64_t way_widen_level(const way_walk *w, int64_t at, int64_t count, int64_t begin) {
  gv_cost *c = w->cost;
  const int64_t column = at % c->stride - GV_COST_MARGIN, row = at / c->stride - GV_COST_MARGIN;
  double costs[GV_COST_MOST_MOVES];
  const way_result has = way_result_of(c, at);
  way_costs(c, column, row, costs);
  for (int i = 0; i < c->is.moves; i++) {
    const int columns = gv_cost_moves[i][0], rows = gv_cost_moves[i][1];
    const int64_t to = gv_cost_wrapped(c, column + columns, at + rows * c->stride + columns);
    if (isnan(costs[i]) || to == begin || w->by[to] != 0) continue;
    const way_result there = way_result_of(c, to);
    if (there.seed != has.seed || there.cost != has.cost || there.cost + costs[i] != has.cost) continue;
    w->by[to] = (uint8_t)(1 + i);
    w->level[count++] = (int32_t)to;
  }
  return count;
}

/* Goes from cell `begin` to `end` by the moves that reached it. */
static gv_status way_go_level(gv_context *context, way_walk *w, int64_t begin, int64_t end) {
  const gv_cost *c = w->cost;
  gv_buffer back = {NULL, 0};
  gv_status status = GV_OK;
  int64_t count = 0;
  uint8_t *moves = NULL;
  for (int64_t at = end; at != begin && status == GV_OK; count++) {
    moves = gv_buffer_extend(&back, &c->allocator, count + 1, 1);
    if (moves == NULL) {
      status = gv_fail_memory(context, "a way of travel cost");
      break;
    }
    const int move = moves[count] = (uint8_t)(w->by[at] - 1), columns = gv_cost_moves[move][0];
    const int64_t before = at - gv_cost_moves[move][1] * c->stride - columns;
    at = gv_cost_wrapped(c, at % c->stride - GV_COST_MARGIN - columns, before);
  }
  while (count > 0 && status == GV_OK)
    status = way_go(context, w, moves[--count]);
  gv_buffer_clear(&back, &c->allocator);
  return status;
}

/* Moves without cost among cells of one cost and seed, breadth first, until one has a previous cell of lower
 * cost or a start: the moves back from there are the way. */
static gv_status way_cross_level(gv_context *context, way_walk *w) {
  gv_cost *c = w->cost;
  const int64_t begin = gv_cost_at(c, way_column(c, w->column), w->row);
  int64_t count = 1, end = -1;
  bool lower;
  GV_TRY(way_make_level(context, w));
  w->level[0] = (int32_t)begin;
  for (int64_t i = 0; i < count && end < 0; i++) {
    way_touch_level(w);
    const int64_t at = w->level[i], column = at % c->stride - GV_COST_MARGIN,
                  row = at / c->stride - GV_COST_MARGIN;
    const way_result has = way_result_of(c, at);
    if (way_starts(c, at, &has) || (way_move(c, column, row, &has, &lower) >= 0 && lower)) end = at;
    count = end < 0 ? way_widen_level(w, at, count, begin) : count;
  }
  gv_status status =
      end >= 0 ? way_go_level(context, w, begin, end)
               : gv_fail(context, GV_ERROR_INTERNAL, "travel cost: a way does not lead to its seed");
  for (int64_t i = 0; i < count; i++) {
    way_touch_level(w);
    w->by[w->level[i]] = 0;
  }
  return status;
}

static gv_status way_walk_on(gv_context *context, way_walk *w) {
  gv_cost *c = w->cost;
  double center[2];
  bool lower;
  gv_cost_center(&c->is, w->column, w->row, center);
  GV_TRY(way_add(context, w, center, 0.0));
  for (;;) {
    const int64_t column = way_column(c, w->column);
    const int64_t at = gv_cost_at(c, column, w->row);
    const way_result has = way_result_of(c, at);
    if (way_starts(c, at, &has)) return way_arrive(context, w);
    const int move = way_move(c, column, w->row, &has, &lower);
    GV_TRY(lower ? way_go(context, w, move) : way_cross_level(context, w));
  }
}

gv_status gv_cost_follow(gv_context *context, gv_cost *c, int64_t column, int64_t row,
                         const gv_cost_way *to) {
  way_walk w = {.cost = c, .to = to, .column = column, .row = row};
  const gv_status status = way_walk_on(context, &w);
  const double *lengths = w.length.memory;
  double length = 0.0;
  for (int64_t i = w.count - 1; i > 0; i--)
    length += lengths[i - 1];
  if (to->count != NULL) *to->count = w.count;
  if (to->length != NULL) *to->length = length;
  gv_buffer_clear(&w.length, &c->allocator);
  way_free_level(&w);
  return status;
}
