/*
 * The reference of travel cost. Costs are not negative and rounding is monotone, so a cell that is taken from the heap
 * has its least cost. Its seed is final, too: a previous cell at equal cost with a lower seed precedes it in the order of
 * (cost, seed).
 */
#include "cost/search.h"

#include <string.h>

#include "cost/raster.h"

enum { WAYS = 4 /* children of a node */, FIRST_ROOM = 1024, REPORT = 1 << 16 };

gv_status gv_cost_search_begin(gv_context *context, gv_cost_search *s) {
  const gv_allocator *a = &s->raster->allocator;
  s->room = FIRST_ROOM;
  s->heap = gv_allocate(a, s->room, sizeof *s->heap);
  s->place = gv_allocate(a, s->raster->cells, sizeof *s->place);
  if (s->heap == NULL || s->place == NULL) return gv_fail_memory(context, "the search of travel cost");
  memset(s->place, 0xff, (size_t)s->raster->cells * sizeof *s->place);
  return GV_OK;
}

void gv_cost_search_end(gv_cost_search *s) {
  gv_release(&s->raster->allocator, s->heap);
  gv_release(&s->raster->allocator, s->place);
}

/* ------------------------------------------------------------------------------------------------------ the heap */

static inline bool search_before(const gv_cost_entry *a, const gv_cost_entry *b) {
  return a->cost < b->cost || (a->cost == b->cost && a->seed < b->seed);
}

static inline void search_put(gv_cost_search *s, int64_t at, gv_cost_entry entry) {
  s->heap[at] = entry;
  s->place[entry.cell] = (int32_t)at;
}

static void search_rise(gv_cost_search *s, int64_t at, gv_cost_entry entry) {
  while (at > 0) {
    int64_t above = (at - 1) / WAYS;
    if (!search_before(&entry, &s->heap[above])) break;
    search_put(s, at, s->heap[above]);
    at = above;
  }
  search_put(s, at, entry);
}

static void search_sink(gv_cost_search *s, gv_cost_entry entry) {
  int64_t at = 0;
  for (;;) {
    int64_t first = at * WAYS + 1, end = first + WAYS < s->count ? first + WAYS : s->count, least = first;
    if (first >= s->count) break;
    for (int64_t i = first + 1; i < end; i++)
      if (search_before(&s->heap[i], &s->heap[least])) least = i;
    if (!search_before(&s->heap[least], &entry)) break;
    search_put(s, at, s->heap[least]);
    at = least;
  }
  search_put(s, at, entry);
}

static gv_cost_entry search_take(gv_cost_search *s) {
  gv_cost_entry first = s->heap[0];
  s->place[first.cell] = -1;
  if (--s->count > 0) search_sink(s, s->heap[s->count]);
  return first;
}

static bool search_grow(gv_cost_search *s) {
  gv_cost_entry *more = gv_allocate(&s->raster->allocator, 2 * s->room, sizeof *more);
  if (more == NULL) return false;
  memcpy(more, s->heap, (size_t)s->count * sizeof *more);
  gv_release(&s->raster->allocator, s->heap);
  s->heap = more;
  s->room *= 2;
  return true;
}

void gv_cost_reach(gv_cost_search *s, int64_t cell, double cost, int32_t seed) {
  gv_cost *c = s->raster;
  if (!(cost < c->cost[cell] || (cost == c->cost[cell] && seed < c->seed[cell])) || cost > c->is.most) return;
  int64_t at = s->place[cell];
  if (at < 0 && s->count == s->room && !search_grow(s)) {
    s->failed = true;
    return;
  }
  c->cost[cell] = cost;
  c->seed[cell] = seed;
  search_rise(s, at >= 0 ? at : s->count++, (gv_cost_entry){cost, seed, (int32_t)cell});
}

/* --------------------------------------------------------------------------------------------------------- moves */

/* A settled cell. */
typedef struct search_cell {
  int64_t column, row, at;
  double cost;
  int32_t seed;
} search_cell;

/* Through the move's `sum` of frictions, which is NaN if one of them is a barrier. */
static inline void search_move(gv_cost_search *s, const search_cell *from, int columns, int rows, double parts,
                               double sum) {
  gv_cost *c = s->raster;
  if (isnan(sum)) return;
  int64_t row = rows < 0 ? from->row + rows : from->row;
  double length = gv_cost_length_at(&c->lengths, row, rows < 0 ? -rows : rows, columns < 0 ? -columns : columns);
  double cost = from->cost + length / parts * sum;
  if (isinf(cost)) c->overflows = true;
  gv_cost_reach(s, gv_cost_wrapped(c, from->column + columns, from->at + rows * c->stride + columns), cost,
                from->seed);
}

/* All moves along a column (dc, 0) or row (0, dr), and its diagonal, (dc, dr). */
static void search_short(gv_cost_search *s, const search_cell *from) {
  const gv_cost *c = s->raster;
  const double *f = c->friction + from->at;
  for (int i = -1; i <= 1; i += 2) {
    search_move(s, from, i, 0, 2.0, f[0] + f[i]);
    search_move(s, from, 0, i, 2.0, f[0] + f[i * c->stride]);
    for (int j = -1; j <= 1; j += 2)
      if (!gv_cost_closed(f[i], f[j * c->stride])) search_move(s, from, i, j, 2.0, f[0] + f[j * c->stride + i]);
  }
}

/* The longer moves of one direction: u is the step along the longer side, v that along the shorter one, as differences
 * of cells; `turned`: u is a step of rows. */
static void search_long(gv_cost_search *s, const search_cell *from, int along, int across, bool turned) {
  const gv_cost *c = s->raster;
  const int64_t u = along * (turned ? c->stride : 1), v = across * (turned ? 1 : c->stride);
  const double *f = c->friction + from->at;
#define MOVE(a, b, parts, sum)                                                                                     \
  search_move(s, from, turned ? (b)*across : (a)*along, turned ? (a)*along : (b)*across, parts, sum)
  MOVE(2, 1, 4.0, (f[0] + f[2 * u + v]) + (f[u] + f[u + v]));
  if (c->is.moves < 32) return;
  if (!gv_cost_closed(f[2 * u], f[u + v])) MOVE(3, 1, 6.0, (f[0] + f[3 * u + v]) + 2.0 * (f[u] + f[2 * u + v]));
  MOVE(3, 2, 12.0, (2.0 * (f[0] + f[3 * u + 2 * v]) + (f[u] + f[2 * u + 2 * v])) + 3.0 * (f[u + v] + f[2 * u + v]));
#undef MOVE
}

gv_status gv_cost_search_run(gv_context *context, gv_cost_search *s) {
  const gv_cost *c = s->raster;
  gv_progress progress;
  gv_progress_init(&progress, context, c->is.width * c->is.height);
  for (int64_t settled = 1; s->count > 0 && !s->failed; settled++) {
    gv_cost_entry next = search_take(s);
    search_cell from = {next.cell % c->stride - GV_COST_MARGIN, next.cell / c->stride - GV_COST_MARGIN, next.cell,
                        next.cost, next.seed};
    search_short(s, &from);
    for (int i = 0; i < 8 && c->is.moves > 8; i++)
      search_long(s, &from, (i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0);
    if (settled % REPORT == 0 && !gv_progress_add(&progress, REPORT))
      return gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
  return s->failed ? gv_fail_memory(context, "the search of travel cost") : GV_OK;
}
