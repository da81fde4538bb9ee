/* Neighbors by chord, more and more of them, until they hold the k nearest by geodesic. */
#include "voronoi/widen.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"

enum { MOST_REQUESTED = 1 << 20 /* neighbors requested at once */ };

/* The largest squared chord of a neighbor that may be among the k by geodesic. */
static double widen_reach(const gv_widening *w, const double *chord2) {
  return chord2[w->k - 1] + gv_geodesic_slack(w->geodesic, sqrt(chord2[w->k - 1]));
}

/* How many of the neighbors may be among the k by geodesic; -1: more than were requested. */
static int32_t undecided(const gv_widening *w, const int64_t *found, const double *chord2,
                         int32_t requested) {
  int32_t have = 0;
  while (have < requested && found[have] >= 0)
    have++;
  if (have < w->k) return have;
  const double reach = widen_reach(w, chord2);
  int32_t within = w->k;
  while (within < have && !(chord2[within] > reach))
    within++;
  return within < have || have < requested ? within : -1;
}

bool gv_chords_decide(const gv_geodesic *geodesic, const double *chord2, int32_t count) {
  for (int32_t i = 0; i + 1 < count; i++) {
    if (!(chord2[i + 1] > chord2[i] + gv_geodesic_slack(geodesic, sqrt(chord2[i])))) return false;
  }
  return true;
}

/* A batch of queries with their neighbors: query i of these is number[i], or i. */
typedef struct widening_round {
  const gv_widening *widening;
  const int64_t *number;
  int32_t row, requested; /* neighbors of a query in memory, and how many of them are certainly the nearest */
  const int64_t *found;
  const double *chord2;
  bool last;     /* no more will be requested */
  uint8_t *open; /* by query of all */
} widening_round;

static int64_t widen_number_of(const widening_round *r, int64_t i) {
  return r->number != NULL ? r->number[i] : i;
}

static gv_status widen_check_some(gv_worker *worker, int64_t first, int64_t end) {
  const widening_round *r = worker->user;
  const gv_widening *w = r->widening;
  gv_status status = GV_OK;
  for (int64_t i = first; i < end && status == GV_OK; i++) {
    int64_t number = widen_number_of(r, i);
    gv_neighbors near = {r->found + i * r->row, r->chord2 + i * r->row, 0};
    near.count = undecided(w, near.found, near.chord2, r->requested);
    r->open[number] = near.count < 0 && !r->last;
    if (!r->open[number]) status = w->put(&worker->context, w->user, number, &near);
  }
  return status;
}

static gv_status check_all(gv_context *context, widening_round *r, int64_t count) {
  gv_loop loop = {context, context->threads, count, 64, NULL, r};
  return gv_parallel_for(&loop, widen_check_some);
}

/* Open queries, side by side, and their results. */
typedef struct widen_gathered {
  int64_t *number, *found;
  double *data, *limit, *chord2;
} widen_gathered;

/* Removes a query's own seed from its neighbors. */
static void leave_out(int64_t self, int32_t requested, int64_t *found, double *chord2) {
  for (int32_t i = 0; i < requested; i++) {
    if (found[i] != self) continue;
    memmove(found + i, found + i + 1, (size_t)(requested - i - 1) * sizeof *found);
    memmove(chord2 + i, chord2 + i + 1, (size_t)(requested - i - 1) * sizeof *chord2);
    return;
  }
}

/* Searches `requested` neighbors of the open queries, within their reach; `first` has the squared chords of
 * the first search. Gain of the reach: 1.2x on a million cells in and round a grid of as many seeds. */
static gv_status widen_search(gv_context *context, widening_round *r, const gv_query *query,
                              const double *first, int32_t requested, widen_gathered *g) {
  int64_t at_once = MOST_REQUESTED / requested, open = 0;
  bool self = query->self_offset >= 0;
  gv_status status = GV_OK;
  r->number = g->number;
  r->found = g->found;
  r->chord2 = g->chord2;
  r->row = requested;
  r->requested = self ? requested - 1 : requested;
  for (int64_t i = 0; i < query->count && status == GV_OK; i++) {
    if (r->open[i]) {
      memcpy(g->data + 3 * open, query->data + 3 * i, 3 * sizeof *g->data);
      g->limit[open] = fmin(widen_reach(r->widening, first + i * query->k), query->max_canonical);
      g->number[open++] = i;
    }
    if (open == 0 || (open < at_once && i < query->count - 1)) continue;
    gv_query more = {g->data, open, requested, query->max_canonical, -1, NULL, g->limit};
    status = gv_index_search_canonical(context, r->widening->chords, &more, g->found, g->chord2);
    for (int64_t n = 0; n < open && self && status == GV_OK; n++)
      leave_out(g->number[n] + query->self_offset, requested, g->found + n * requested,
                g->chord2 + n * requested);
    if (status == GV_OK) status = check_all(context, r, open);
    open = 0;
  }
  return status;
}

static int64_t count_open(const widening_round *r, int64_t count) {
  int64_t open = 0;
  for (int64_t i = 0; i < count; i++)
    open += r->open[i];
  return open;
}

gv_status gv_widen(gv_context *context, const gv_widening *w, const gv_query *query, const int64_t *found,
                   const double *chord2) {
  const gv_allocator *allocator = &context->allocator;
  widen_gathered g = {NULL, NULL, NULL, NULL, NULL};
  widening_round r = {w, NULL, query->k, query->k, found, chord2, 4 * query->k > w->most, NULL};
  r.open = gv_allocate(allocator, query->count, sizeof *r.open);
  gv_status status =
      r.open != NULL ? check_all(context, &r, query->count) : gv_fail_memory(context, "queries");
  int64_t open = 0;
  for (int32_t requested = 4 * query->k; status == GV_OK && (open = count_open(&r, query->count)) > 0;
       requested *= 4) {
    int64_t at_once = open < MOST_REQUESTED / requested ? open : MOST_REQUESTED / requested;
    g.number = gv_allocate(allocator, at_once, sizeof *g.number);
    g.data = gv_allocate(allocator, at_once * 3, sizeof *g.data);
    g.limit = gv_allocate(allocator, at_once, sizeof *g.limit);
    g.found = gv_allocate(allocator, at_once * requested, sizeof *g.found);
    g.chord2 = gv_allocate(allocator, at_once * requested, sizeof *g.chord2);
    r.last = 4 * requested > w->most;
    status = g.number != NULL && g.data != NULL && g.limit != NULL && g.found != NULL && g.chord2 != NULL
                 ? widen_search(context, &r, query, chord2, requested, &g)
                 : gv_fail_memory(context, "queries' neighbors");
    gv_release(allocator, g.number);
    gv_release(allocator, g.data);
    gv_release(allocator, g.limit);
    gv_release(allocator, g.found);
    gv_release(allocator, g.chord2);
  }
  gv_release(allocator, r.open);
  return status;
}
