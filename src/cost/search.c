/*
 * The reference of travel cost. Costs are not negative and rounding is monotone, so a cell that is taken from
 * the heap has its least cost. Its seed is final, too: a previous cell at equal cost with a lower seed
 * precedes it in the order of (cost, seed).
 */
#include "cost/search.h"

#include <string.h>

#include "cost/moves.h"
#include "cost/raster.h"

typedef struct search_state {
  gv_cost *raster;
  gv_cost_entry *heap;
  int64_t count, room;
  int32_t *place; /* of a cell in the heap; -1: not in it */
  bool failed;    /* out of memory */
} search_state;

enum { FIRST_ROOM = 1024, REPORT = 1 << 16 };

static gv_status search_begin(gv_context *context, search_state *s) {
  const gv_allocator *a = &s->raster->allocator;
  s->room = FIRST_ROOM;
  s->heap = gv_allocate(a, s->room, sizeof *s->heap);
  s->place = gv_allocate(a, s->raster->cells, sizeof *s->place);
  if (s->heap == NULL || s->place == NULL) return gv_fail_memory(context, "the search of travel cost");
  memset(s->place, 0xff, (size_t)s->raster->cells * sizeof *s->place);
  return GV_OK;
}

static void search_end(search_state *s) {
  gv_release(&s->raster->allocator, s->heap);
  gv_release(&s->raster->allocator, s->place);
}

/* ----------------------------------------------------------------------------------------------- the heap */

static inline bool search_before(const gv_cost_entry *a, const gv_cost_entry *b) {
  return a->cost < b->cost || (a->cost == b->cost && a->seed < b->seed);
}

static inline void search_put(search_state *s, int64_t at, gv_cost_entry entry) {
  s->heap[at] = entry;
  s->place[entry.cell] = (int32_t)at;
}

#define GV_HEAP_NAME(name)       search_##name
#define GV_HEAP_STATE            search_state
#define GV_HEAP_ENTRY            gv_cost_entry
#define GV_HEAP_AT(s, i)         (s)->heap[i]
#define GV_HEAP_PUT(s, i, entry) search_put(s, i, entry)
#define GV_HEAP_BEFORE(a, b)     search_before(a, b)
#include "core/heap.h"

static gv_cost_entry search_take(search_state *s) {
  gv_cost_entry first = s->heap[0];
  s->place[first.cell] = -1;
  if (--s->count > 0) search_sink(s, s->count, s->heap[s->count]);
  return first;
}

static bool search_grow(search_state *s) {
  gv_cost_entry *more = gv_allocate(&s->raster->allocator, 2 * s->room, sizeof *more);
  if (more == NULL) return false;
  memcpy(more, s->heap, (size_t)s->count * sizeof *more);
  gv_release(&s->raster->allocator, s->heap);
  s->heap = more;
  s->room *= 2;
  return true;
}

/* A way to a cell with this cost: kept if it is the best one so far. */
static void search_reach(search_state *s, int64_t cell, double cost, int32_t seed) {
  gv_cost *c = s->raster;
  if (!gv_cost_better(c, cell, cost, seed)) return;
  int64_t at = s->place[cell];
  if (at < 0 && s->count == s->room && !search_grow(s)) {
    s->failed = true;
    return;
  }
  c->cost[cell] = cost;
  c->seed[cell] = seed;
  search_rise(s, at >= 0 ? at : s->count++, (gv_cost_entry){cost, seed, (int32_t)cell});
}

/* -------------------------------------------------------------------------------------------------- moves */

/* All moves from a settled cell. */
static void search_leave(search_state *s, gv_cost_entry from) {
  gv_cost *c = s->raster;
  const int64_t column = from.cell % c->stride - GV_COST_MARGIN, row = from.cell / c->stride - GV_COST_MARGIN;
  double costs[GV_COST_MOST_MOVES];
  gv_cost_of_moves(c->friction + from.cell, c->stride, gv_cost_lengths_of(&c->lengths, row), c->is.moves,
                   costs);
  for (int i = 0; i < c->is.moves; i++) {
    if (isnan(costs[i])) continue;
    const int columns = gv_cost_moves[i][0], rows = gv_cost_moves[i][1];
    const int64_t to = gv_cost_wrapped(c, column + columns, from.cell + rows * c->stride + columns);
    const double cost = from.cost + costs[i];
    if (isinf(cost) && isinf(c->cost[to])) c->may_overflow = true;
    search_reach(s, to, cost, from.seed);
  }
}

static gv_status search_all(gv_context *context, search_state *s) {
  const gv_cost *c = s->raster;
  gv_progress progress;
  gv_progress_init(&progress, context, c->is.width * c->is.height);
  for (int64_t settled = 1; s->count > 0 && !s->failed; settled++) {
    search_leave(s, search_take(s));
    if (settled % REPORT == 0 && !gv_progress_add(&progress, REPORT))
      return gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
  return s->failed ? gv_fail_memory(context, "the search of travel cost") : GV_OK;
}

gv_status gv_cost_search_run(gv_context *context, gv_cost *cost, const gv_cost_starts *starts) {
  search_state search = {.raster = cost};
  gv_status status = search_begin(context, &search);
  for (int64_t i = 0; i < starts->count && status == GV_OK; i++)
    search_reach(&search, starts->entries[i].cell, starts->entries[i].cost, starts->entries[i].seed);
  if (status == GV_OK) status = search_all(context, &search);
  search_end(&search);
  return status;
}
