/*
 * Rounds of tiles, each round with those of the least pending costs. No two tiles of a round are
 * neighbors, so the workers' windows do not share a cell that one of them changes.
 *
 * The results do not depend on the order:
 * - Costs only fall, and a cell is tried again when its cost falls, so in the end each cost is the least
 *   fl(D(previous) + cost). The least solution of these equations is unique, as addition and rounding are
 *   monotone.
 * - gv_cost.from is the move that a cell was reached by. It changes only if the cost falls, so going back
 *   by it never comes round to the same cell: with costs >= 0 a cell before this one cannot have been
 *   improved through it. A seed that changes is passed on along these moves. So each cell in the end has a
 *   seed with a way of equal cost, whatever costs were tried on the way to it.
 * - Costs are final then, and a second pass lowers seeds along all moves with fl(D(previous) + cost) =
 *   D(cell), until none changes. The seeds that it begins with are among those that the definition allows,
 *   so it ends at the lowest one.
 */
#include "cost/tile.h"

#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "cost/cells.h"
#include "cost/window.h"

typedef struct cost_tile_state {
  gv_context *context;
  gv_cost *cost;
  gv_cost_tiling tiling;
  int64_t count;
  double *key;     /* least pending cost of each tile; INFINITY: none */
  int32_t *active; /* tiles with a key, and some that have none anymore */
  int64_t active_count;
  uint8_t *flags;  /* TILE_... */
  int32_t *chosen; /* of a round */
  int64_t chosen_count;
  /* of a raster in a file: the chosen ones by groups; the first place of each group */
  int32_t *order, *begin;
  double (*left)[9];        /* of the chosen ones: gv_cost_window.least */
  gv_cost_window **windows; /* by worker */
  int threads;
  double limit;
  bool lowers_seeds;
  atomic_llong reached, settled; /* cells with a cost; cells in which ties were looked for */
  atomic_llong visits;
  atomic_flag busy; /* a thread reports progress */
  atomic_bool cancelled;
  atomic_bool may_overflow;
} cost_tile_state;

enum { REPORT = 16 /* visits from one report of progress to the next one, which may cancel */ };

static const double FULL = 0.2 /* of a tile's cells, a visit */, GROWTH = 1.25;

enum { GROUP = 12 /* tiles across and down */ };

enum { TILE_ACTIVE = 1, TILE_BUSY = 2, TILE_FRESH = 4 /* ties are not yet looked for */ };

bool gv_cost_has_tiles(const gv_cost *c) {
  return !c->wraps || gv_cost_tiling_of(c->is.width, c->is.height).across > 1;
}

/* The tile in place i of the 3 x 3 around one; -1: none. */
static int64_t tile_neighbor(const cost_tile_state *s, int64_t tile, int i) {
  const gv_cost_tiling *t = &s->tiling;
  int64_t x = tile % t->across + i % 3 - 1, y = tile / t->across + i / 3 - 1;
  if (y < 0 || y >= t->down) return -1;
  if (s->cost->wraps) x = (x + t->across) % t->across;
  return x < 0 || x >= t->across ? -1 : y * t->across + x;
}

static void tile_activate(cost_tile_state *s, int64_t tile, double key) {
  if (key < s->key[tile]) s->key[tile] = key;
  if (isinf(s->key[tile]) || (s->flags[tile] & TILE_ACTIVE)) return;
  s->flags[tile] |= TILE_ACTIVE;
  s->active[s->active_count++] = (int32_t)tile;
}

/* ------------------------------------------------------------------------------------------------- rounds */

/* Reports progress now and then, from one thread at a time. CANCELLED: the caller's function has
 * cancelled. */
static gv_status tile_report(cost_tile_state *s, gv_context *context) {
  const gv_context *c = s->context;
  const bool due =
      c->progress != NULL && atomic_fetch_add_explicit(&s->visits, 1, memory_order_relaxed) % REPORT == 0;
  if (due && !atomic_flag_test_and_set(&s->busy)) {
    const double cells = (double)s->cost->is.width * (double)s->cost->is.height;
    const double done =
        (0.8 * (double)atomic_load(&s->reached) + 0.2 * (double)atomic_load(&s->settled)) / cells;
    if (!c->progress(done < 1.0 ? done : 1.0, c->progress_user)) atomic_store(&s->cancelled, true);
    atomic_flag_clear(&s->busy);
  }
  return atomic_load(&s->cancelled) ? gv_fail(context, GV_ERROR_CANCELLED, "cancelled") : GV_OK;
}

static gv_status tile_visit(gv_worker *worker, int64_t first, int64_t end) {
  cost_tile_state *s = worker->user;
  gv_cost_window *w = s->windows[worker->number];
  w->lowers_seeds = s->lowers_seeds;
  for (int64_t i = first; i < end; i++) {
    const int64_t tile = s->chosen[i];
    const gv_cost_tile t = gv_cost_tile_rectangle(&s->tiling, tile);
    GV_TRY(tile_report(s, &worker->context));
    gv_cost_window_load(w, s->cost, &t);
    if (s->flags[tile] & TILE_FRESH)
      atomic_fetch_add_explicit(&s->settled, (int64_t)t.width * t.height, memory_order_relaxed);
    if (s->flags[tile] & TILE_FRESH && !gv_cost_window_find_ties(w, s->cost)) continue;
    gv_cost_window_solve(w, s->cost, s->limit);
    gv_cost_window_store(w, s->cost);
    memcpy(s->left[i], w->least, sizeof w->least);
    atomic_fetch_add_explicit(&s->reached, w->reached, memory_order_relaxed);
    if (w->may_overflow) atomic_store_explicit(&s->may_overflow, true, memory_order_relaxed);
  }
  return GV_OK;
}

/* Tiles that have pending costs up to the limit and are not neighbors. */
static void tile_choose(cost_tile_state *s) {
  s->chosen_count = 0;
  for (int64_t i = 0; i < s->active_count; i++) {
    const int64_t tile = s->active[i];
    bool free = s->key[tile] <= s->limit;
    for (int k = 0; k < 9 && free; k++) {
      const int64_t next = tile_neighbor(s, tile, k);
      free = next < 0 || !(s->flags[next] & TILE_BUSY);
    }
    if (!free) continue;
    s->flags[tile] |= TILE_BUSY;
    for (int k = 0; k < 9; k++)
      s->left[s->chosen_count][k] = (double)INFINITY;
    s->chosen[s->chosen_count++] = (int32_t)tile;
  }
}

/* The number of a tile's group: of GROUP x GROUP tiles. */
static int64_t tile_group(const cost_tile_state *s, int64_t tile) {
  const gv_cost_tiling *t = &s->tiling;
  return tile / t->across / GROUP * (t->across / GROUP + 1) + tile % t->across / GROUP;
}

static int64_t tile_groups(const gv_cost_tiling *t) {
  return (t->across / GROUP + 1) * (t->down / GROUP + 1);
}

/* Those of a group one after another, as they have tiles around them in common, which are then in memory. */
static void tile_sort_chosen(cost_tile_state *s) {
  const int64_t groups = tile_groups(&s->tiling);
  memset(s->begin, 0, (size_t)(groups + 1) * sizeof *s->begin);
  for (int64_t i = 0; i < s->chosen_count; i++)
    s->begin[tile_group(s, s->chosen[i]) + 1]++;
  for (int64_t i = 0; i < groups; i++)
    s->begin[i + 1] += s->begin[i];
  for (int64_t i = 0; i < s->chosen_count; i++)
    s->order[s->begin[tile_group(s, s->chosen[i])]++] = s->chosen[i];
  memcpy(s->chosen, s->order, (size_t)s->chosen_count * sizeof *s->chosen);
}

static void tile_finish_round(cost_tile_state *s) {
  for (int64_t i = 0; i < s->chosen_count; i++) {
    s->key[s->chosen[i]] = (double)INFINITY;
    s->flags[s->chosen[i]] &= (uint8_t) ~(TILE_BUSY | TILE_FRESH);
  }
  for (int64_t i = 0; i < s->chosen_count; i++)
    for (int k = 0; k < 9; k++) {
      const int64_t next = tile_neighbor(s, s->chosen[i], k);
      if (next >= 0) tile_activate(s, next, s->left[i][k]);
    }
  int64_t kept = 0;
  for (int64_t i = 0; i < s->active_count; i++) {
    const int32_t tile = s->active[i];
    if (isinf(s->key[tile]))
      s->flags[tile] &= (uint8_t)~TILE_ACTIVE;
    else
      s->active[kept++] = tile;
  }
  s->active_count = kept;
}

static double tile_least(const cost_tile_state *s) {
  double least = (double)INFINITY;
  for (int64_t i = 0; i < s->active_count; i++)
    if (s->key[s->active[i]] < least) least = s->key[s->active[i]];
  return least;
}

/* Costs that a round goes beyond the least one: more if its visits reach few cells, as loading tiles takes
 * time; fewer if they reach many, as cells are then tried too early. */
static double tile_step(double step, double least, double reached) {
  const double enough = GV_COST_TILE * GV_COST_TILE * FULL;
  if (reached > enough) return step / GROWTH;
  return step == 0.0 ? least * 0x1p-20 : step * (reached < enough / 8.0 ? 2.0 * GROWTH : GROWTH);
}

static gv_status tile_rounds(gv_context *context, cost_tile_state *s) {
  double step = 0.0;
  while (s->active_count > 0) {
    const double least = tile_least(s);
    const int64_t before = atomic_load(&s->reached);
    s->limit = s->lowers_seeds ? (double)INFINITY : least + step;
    tile_choose(s);
    if (s->cost->mapped != NULL) tile_sort_chosen(s);
    const gv_loop loop = {
        .context = context, .threads = s->threads, .count = s->chosen_count, .grain = 1, .user = s};
    GV_TRY(gv_parallel_for(&loop, tile_visit));
    tile_finish_round(s);
    const int64_t reached = atomic_load(&s->reached);
    step = tile_step(step, least, (double)(reached - before) / (double)s->chosen_count);
  }
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------------- state */

static void tile_end(cost_tile_state *s) {
  const gv_allocator *a = &s->cost->allocator;
  for (int i = 0; i < s->threads && s->windows != NULL; i++)
    gv_release(a, s->windows[i]);
  gv_release(a, s->windows);
  gv_release(a, s->key);
  gv_release(a, s->active);
  gv_release(a, s->flags);
  gv_release(a, s->chosen);
  gv_release(a, s->order);
  gv_release(a, s->begin);
  gv_release(a, s->left);
}

/* Fewer than `most` if the windows of all would not be in memory at once. */
static int tile_threads(const gv_cost *c, int most) {
  const int64_t pages = c->mapped != NULL ? gv_cost_bytes_around(c) : 0;
  if ((double)most * (double)pages <= c->is.resident) return most;
  const int threads = (int)(c->is.resident / (double)pages);
  return threads > 1 ? threads : 1;
}

static gv_status tile_begin_state(gv_context *context, gv_cost *c, cost_tile_state *s) {
  const gv_allocator *a = &c->allocator;
  *s = (cost_tile_state){.context = context,
                         .cost = c,
                         .busy = ATOMIC_FLAG_INIT,
                         .tiling = gv_cost_tiling_of(c->is.width, c->is.height)};
  s->count = s->tiling.across * s->tiling.down;
  s->threads = tile_threads(c, context->threads < s->count ? context->threads : (int)s->count);
  s->key = gv_allocate(a, s->count, sizeof *s->key);
  s->active = gv_allocate(a, s->count, sizeof *s->active);
  s->flags = gv_allocate_zeroed(a, s->count, sizeof *s->flags);
  s->chosen = gv_allocate(a, s->count, sizeof *s->chosen);
  s->left = gv_allocate(a, s->count, sizeof *s->left);
  s->windows = gv_allocate_zeroed(a, s->threads, sizeof *s->windows);
  if (c->mapped != NULL) {
    s->order = gv_allocate(a, s->count, sizeof *s->order);
    s->begin = gv_allocate(a, tile_groups(&s->tiling) + 1, sizeof *s->begin);
  }
  bool enough = (c->mapped == NULL || (s->order != NULL && s->begin != NULL)) && s->key != NULL &&
                s->active != NULL && s->flags != NULL && s->chosen != NULL && s->left != NULL &&
                s->windows != NULL;
  for (int i = 0; i < s->threads && enough; i++)
    enough = (s->windows[i] = gv_allocate(a, 1, sizeof *s->windows[i])) != NULL;
  for (int64_t i = 0; i < s->count && enough; i++)
    s->key[i] = (double)INFINITY;
  return enough ? GV_OK : gv_fail_memory(context, "the tiles of travel cost");
}

/* The starts are sorted: the first one of a cell is the best. */
static void tile_start(cost_tile_state *s, const gv_cost_starts *starts) {
  gv_cost *c = s->cost;
  for (int64_t i = 0; i < starts->count; i++) {
    gv_cost_entry e = starts->entries[i];
    const int64_t column = e.cell % c->stride - GV_COST_MARGIN, row = e.cell / c->stride - GV_COST_MARGIN;
    uint8_t from = GV_COST_BY_START | GV_COST_PENDING;
    if (i > 0 && starts->entries[i - 1].cell == e.cell) continue;
    gv_cost_write(c, column, row, 1, &(gv_cost_arrays){.cost = &e.cost, .seed = &e.seed, .from = &from});
    tile_activate(s, gv_cost_tile_of(&s->tiling, column, row), e.cost);
  }
}

gv_status gv_cost_tile_run(gv_context *context, gv_cost *c, const gv_cost_starts *starts) {
  cost_tile_state s;
  gv_status status = tile_begin_state(context, c, &s);
  if (status == GV_OK) {
    tile_start(&s, starts);
    status = tile_rounds(context, &s);
  }
  if (status == GV_OK) {
    s.lowers_seeds = true;
    for (int64_t i = 0; i < s.count; i++) {
      s.flags[i] |= TILE_FRESH;
      tile_activate(&s, i, 0.0);
    }
    status = tile_rounds(context, &s);
  }
  if (status == GV_OK && s.may_overflow) c->may_overflow = true;
  tile_end(&s);
  return status;
}

static gv_status tile_overflows(gv_worker *worker, int64_t first, int64_t end) {
  cost_tile_state *s = worker->user;
  gv_cost_window *w = s->windows[worker->number];
  for (int64_t i = first; i < end; i++) {
    const gv_cost_tile t = gv_cost_tile_rectangle(&s->tiling, i);
    GV_TRY(tile_report(s, &worker->context));
    gv_cost_window_load(w, s->cost, &t);
    if (gv_cost_window_overflows(w, s->cost)) atomic_store(&s->may_overflow, true);
  }
  return GV_OK;
}

gv_status gv_cost_find_overflow(gv_context *context, gv_cost *c, bool *overflows) {
  cost_tile_state s;
  gv_status status = tile_begin_state(context, c, &s);
  const gv_loop loop = {.context = context, .threads = s.threads, .count = s.count, .grain = 1, .user = &s};
  atomic_store(&s.reached, INT64_MAX); /* the search itself is complete */
  if (status == GV_OK) status = gv_parallel_for(&loop, tile_overflows);
  *overflows = s.may_overflow;
  tile_end(&s);
  return status;
}
