#include "cost/window.h"

#include <string.h>

#include "cost/cells.h"

enum { SIDE = GV_COST_SIDE, MARGIN = GV_COST_MARGIN };

static inline int window_at(int column, int row) {
  return (row + MARGIN) * SIDE + column + MARGIN;
}

/* ----------------------------------------------------------------------------------------- load and store */

/* Columns of a window's row: `count` from `column` of the raster on, at `at` of the row. */
typedef struct window_part {
  int64_t column;
  int at, count;
} window_part;

/* A window at the seam continues on its other side. */
static int window_parts(const gv_cost *c, const gv_cost_tile *t, window_part parts[3]) {
  int count = 0;
  const bool first = t->column == 0, last = t->column + t->width == c->is.width;
  const int from = first ? 0 : -MARGIN, to = last ? t->width : t->width + MARGIN;
  if (first && c->wraps) parts[count++] = (window_part){c->is.width - MARGIN, 0, MARGIN};
  parts[count++] = (window_part){t->column + from, from + MARGIN, to - from};
  if (last && c->wraps) parts[count++] = (window_part){0, t->width + MARGIN, MARGIN};
  return count;
}

/* A row of barriers. */
static void window_empty(gv_cost_window *w, int row) {
  const int begin = window_at(-MARGIN, row);
  for (int i = begin; i < begin + SIDE; i++) {
    w->friction[i] = (double)NAN;
    w->cost[i] = (double)INFINITY;
    w->seed[i] = -1;
    w->from[i] = GV_COST_AROUND | GV_COST_BY_START;
  }
}

void gv_cost_window_load(gv_cost_window *w, gv_cost *c, const gv_cost_tile *t) {
  window_part parts[3];
  const int count = window_parts(c, t, parts);
  w->tile = *t;
  w->reached = 0;
  w->may_overflow = false;
  for (int r = -MARGIN; r < t->height + MARGIN; r++) {
    const bool outside = t->row + r < 0 || t->row + r >= c->is.height;
    if (outside || parts[0].at > 0 || parts[count - 1].at + parts[count - 1].count < t->width + 2 * MARGIN)
      window_empty(w, r);
    if (outside) continue;
    for (int i = 0; i < count; i++) {
      const window_part *p = &parts[i];
      const int to = (r + MARGIN) * SIDE + p->at;
      const gv_cost_arrays arrays = {w->friction + to, w->cost + to, w->seed + to, w->from + to};
      gv_cost_read(c, p->column, t->row + r, p->count, &arrays);
    }
    const bool around = r < 0 || r >= t->height;
    for (int i = -MARGIN; i < (around ? t->width + MARGIN : 0); i++)
      w->from[window_at(i, r)] |= GV_COST_AROUND;
    for (int i = t->width; i < t->width + MARGIN; i++)
      w->from[window_at(i, r)] |= GV_COST_AROUND;
  }
}

/* Of the 3 x 3 tiles around a cell of the window. */
static int window_neighbor(const gv_cost_tile *t, int column, int row) {
  return (row < 0 ? 0 : row < t->height ? 3 : 6) + (column < 0 ? 0 : column < t->width ? 1 : 2);
}

void gv_cost_window_store(gv_cost_window *w, gv_cost *c) {
  const gv_cost_tile *t = &w->tile;
  window_part parts[3];
  const int count = window_parts(c, t, parts);
  for (int i = 0; i < 9; i++)
    w->least[i] = (double)INFINITY;
  for (int r = -MARGIN; r < t->height + MARGIN; r++)
    for (int i = -MARGIN; i < t->width + MARGIN; i++) {
      const int at = window_at(i, r);
      if (w->from[at] & GV_COST_PENDING) {
        double *least = &w->least[window_neighbor(t, i, r)];
        if (w->cost[at] < *least) *least = w->cost[at];
      }
      w->from[at] &= (uint8_t)~GV_COST_AROUND;
    }
  for (int r = -MARGIN; r < t->height + MARGIN; r++) {
    if (t->row + r < 0 || t->row + r >= c->is.height) continue;
    for (int i = 0; i < count; i++) {
      const window_part *p = &parts[i];
      const int from = (r + MARGIN) * SIDE + p->at;
      const gv_cost_arrays arrays = {NULL, w->cost + from, w->seed + from, w->from + from};
      gv_cost_write(c, p->column, t->row + r, p->count, &arrays);
    }
  }
}

/* -------------------------------------------------------------------------------------------- the buckets */

/* Pending cells up to the limit, by about their cost; those above it stay pending. Entries that are out of
 * date are skipped when they are taken. False: no room. */
static inline bool window_put(gv_cost_window *w, int32_t cell) {
  const double cost = w->cost[cell];
  if (cost > w->limit) return true;
  if (w->unused == 0 && w->used == GV_COST_ENTRIES) return false;
  const uint16_t entry = w->unused != 0 ? w->unused : ++w->used;
  const double place = (cost - w->base) * w->scale;
  const int bucket = place < (double)(GV_COST_BUCKETS - 1) ? (int)place : GV_COST_BUCKETS - 1;
  if (w->unused != 0) w->unused = w->entries[entry].next;
  w->entries[entry] = (gv_cost_pending){(uint16_t)cell, 0};
  if (w->head[bucket] == 0)
    w->head[bucket] = entry;
  else
    w->entries[w->tail[bucket]].next = entry;
  w->tail[bucket] = entry;
  return true;
}

/* -1: none is left. */
static inline int32_t window_take(gv_cost_window *w) {
  while (w->head[w->bucket] == 0)
    if (++w->bucket == GV_COST_BUCKETS) return -1;
  const uint16_t entry = w->head[w->bucket];
  w->head[w->bucket] = w->entries[entry].next;
  w->entries[entry].next = w->unused;
  w->unused = entry;
  return w->entries[entry].cell;
}

/* The pending cells of the tile, once each. */
static void window_gather(gv_cost_window *w) {
  double least = (double)INFINITY;
  for (int r = 0; r < w->tile.height; r++)
    for (int i = 0; i < w->tile.width; i++) {
      const int at = window_at(i, r);
      if (w->from[at] & GV_COST_PENDING && w->cost[at] < least) least = w->cost[at];
    }
  w->base = least;
  w->scale = w->limit > least && !isinf(w->limit) ? GV_COST_BUCKETS / (w->limit - least) : 0.0;
  if (isinf(w->scale)) w->scale = 0.0;
  w->bucket = 0;
  w->unused = w->used = 0;
  memset(w->head, 0, sizeof w->head);
  for (int r = 0; r < w->tile.height; r++)
    for (int i = 0; i < w->tile.width; i++)
      if (w->from[window_at(i, r)] & GV_COST_PENDING) (void)window_put(w, window_at(i, r));
}

/* -------------------------------------------------------------------------------------------------- moves */

/* A cell got a cost or a seed: it must be left again. */
static inline void window_mark(gv_cost_window *w, int32_t cell, int by, int32_t seed) {
  const uint8_t was = w->from[cell];
  w->seed[cell] = seed;
  w->from[cell] = (uint8_t)((was & GV_COST_AROUND) | by | GV_COST_PENDING);
  if (was & GV_COST_AROUND) return;
  if (!window_put(w, cell)) window_gather(w);
}

/* A move that costs no less than the cell's cost so far: it may pass on a seed. */
static void window_tie(gv_cost_window *w, int32_t from, int32_t to, int by, double cost) {
  if (isinf(cost)) {
    w->may_overflow = true;
    return;
  }
  /* The cell was reached from here, and the seed here has changed since. */
  const bool stale = (w->from[to] & GV_COST_BY) == by && w->seed[to] != w->seed[from];
  if (stale || (w->lowers_seeds && w->seed[from] < w->seed[to])) window_mark(w, to, by, w->seed[from]);
}

void gv_cost_window_solve(gv_cost_window *w, const gv_cost *c, double limit) {
  const int moves = c->is.moves;
  int32_t offsets[GV_COST_MOST_MOVES];
  double costs[GV_COST_MOST_MOVES];
  for (int i = 0; i < moves; i++)
    offsets[i] = gv_cost_moves[i][1] * SIDE + gv_cost_moves[i][0];
  w->limit = limit;
  window_gather(w);
  for (int32_t cell = window_take(w); cell >= 0; cell = window_take(w)) {
    if (!(w->from[cell] & GV_COST_PENDING)) continue;
    w->from[cell] &= (uint8_t)~GV_COST_PENDING;
    const double *lengths = gv_cost_lengths_of(&c->lengths, w->tile.row + cell / SIDE - MARGIN);
    gv_cost_of_moves(w->friction + cell, SIDE, lengths, moves, costs);
    const double from = w->cost[cell];
    for (int i = 0; i < moves; i++) {
      const int32_t to = cell + offsets[i];
      const double cost = from + costs[i], old = w->cost[to];
      if (!(cost <= old)) continue;
      if (cost == old) {
        window_tie(w, cell, to, i, cost);
      } else if (cost <= c->is.most) {
        w->reached += isinf(old);
        w->cost[to] = cost;
        window_mark(w, to, i, w->seed[cell]);
      }
    }
  }
}

bool gv_cost_window_find_ties(gv_cost_window *w, const gv_cost *c) {
  bool found = false;
  int32_t first = -1;
  for (int r = -MARGIN; r < w->tile.height + MARGIN && !found; r++)
    for (int i = -MARGIN; i < w->tile.width + MARGIN; i++) {
      const int32_t seed = w->seed[window_at(i, r)];
      if (seed < 0) continue;
      found |= first >= 0 && seed != first;
      first = seed;
    }
  if (!found) return false;
  for (int r = 0; r < w->tile.height; r++)
    for (int i = 0; i < w->tile.width; i++) {
      const int at = window_at(i, r);
      for (int k = 0; k < c->is.moves && w->seed[at] >= 0; k++)
        if (w->seed[at + gv_cost_moves[k][1] * SIDE + gv_cost_moves[k][0]] > w->seed[at]) {
          w->from[at] |= GV_COST_PENDING;
          break;
        }
    }
  return true;
}

bool gv_cost_window_overflows(const gv_cost_window *w, const gv_cost *c) {
  double costs[GV_COST_MOST_MOVES];
  for (int r = 0; r < w->tile.height; r++)
    for (int i = 0; i < w->tile.width; i++) {
      const int at = window_at(i, r);
      if (isinf(w->cost[at])) continue;
      gv_cost_of_moves(w->friction + at, SIDE, gv_cost_lengths_of(&c->lengths, w->tile.row + r), c->is.moves,
                       costs);
      for (int k = 0; k < c->is.moves; k++) {
        const int to = at + gv_cost_moves[k][1] * SIDE + gv_cost_moves[k][0];
        if (isinf(w->cost[at] + costs[k]) && isinf(w->cost[to])) return true;
      }
    }
  return false;
}
