/*
 * Dijkstra's search over corners. A source looks for corners in rings around it, each twice as wide as the
 * one before, when the search has come as far as the ring's near side: most corners are reached on a shorter
 * way by then, and need no leg.
 */
#include "barriers/ways.h"

#include <string.h>

#include "barriers/inside.h"
#include "barriers/tree.h"
#include "barriers/view.h"
#include "core/buffer.h"

enum { REPORT = 16 /* rings */ };

/* The next ring of a source. */
typedef struct ways_entry {
  double key,
      /* no way to a place of the ring is shorter; the distance of its near side from the source in space */
      ring;
  int32_t source;
} ways_entry;

typedef struct ways_state {
  gv_context *context;
  gv_barriers *b;
  gv_leg_memory memory;
  gv_buffer heap;
  int64_t count;
  int32_t *above;     /* of a node of the corners: its parent; -1: none */
  double *longest;    /* of the ways to corners below a node that are not settled; -1: there are none */
  double least, most; /* width of the first ring; beyond any distance in space */
} ways_state;

/* -------------------------------------------------------------------------------------------------- turns */

bool gv_way_continues(const gv_barriers *b, const gv_way_source *s, const double *x) {
  if (s->corner < 0) return true;
  const int turn = gv_barrier_turn(b, s->before, s->x, x);
  if (turn == 0 || (s->turns & (turn > 0 ? GV_BARRIER_LEFT : GV_BARRIER_RIGHT)) == 0) return false;
  const gv_corner *corner = &b->corners[s->corner];
  const double *wall = turn > 0 ? corner->last : corner->first;
  const int beside = gv_barrier_turn(b, s->x, wall, x);
  return beside == 0 ? gv_barrier_same_direction(b, s->x, wall, x) : beside == -turn;
}

unsigned gv_way_leg(const gv_barriers *b, gv_leg_memory *memory, const gv_way_source *s, const double *x,
                    unsigned end, int32_t *blocker) {
  unsigned start = GV_BARRIER_BOTH;
  if (s->corner >= 0) {
    start = gv_barrier_turn(b, s->before, s->x, x) > 0 ? GV_BARRIER_RIGHT : GV_BARRIER_LEFT;
  } else if (s->on_wall) {
    if (gv_barrier_begins_inside(b, s->x, x, false, GV_BARRIER_LEFT)) start &= ~(unsigned)GV_BARRIER_LEFT;
    if (gv_barrier_begins_inside(b, s->x, x, false, GV_BARRIER_RIGHT)) start &= ~(unsigned)GV_BARRIER_RIGHT;
    if (start == 0) return 0;
  }
  return gv_barrier_leg(b, memory, s->x, x, start, end, blocker);
}

/* Sides to which a way from p can turn at a corner. *ends: those on which it must arrive there, if it does so
 * along a wall. */
static unsigned ways_turns(const gv_barriers *b, const gv_corner *c, const double *p, unsigned *ends) {
  unsigned turns = 0;
  const int first = gv_barrier_turn(b, c->x, c->first, p), last = gv_barrier_turn(b, c->x, c->last, p);
  const bool along_first = first == 0 && gv_barrier_same_direction(b, c->x, c->first, p);
  const bool along_last = last == 0 && gv_barrier_same_direction(b, c->x, c->last, p);
  /* Beyond the corner lies within the sector. */
  if ((first > 0 || along_first) && (last > 0 || along_last)) turns |= GV_BARRIER_LEFT;
  if ((last < 0 || along_last) && (first < 0 || along_first)) turns |= GV_BARRIER_RIGHT;
  *ends = GV_BARRIER_BOTH;
  if (along_first || along_last)
    *ends = ((turns & GV_BARRIER_LEFT) != 0 ? (unsigned)GV_BARRIER_RIGHT : 0U) |
            ((turns & GV_BARRIER_RIGHT) != 0 ? (unsigned)GV_BARRIER_LEFT : 0U);
  return turns;
}

/* ----------------------------------------------------------------------------------------------- the heap */

static inline bool ways_before(const ways_entry *a, const ways_entry *b) {
  if (a->key != b->key) return a->key < b->key;
  return a->source < b->source || (a->source == b->source && a->ring < b->ring);
}

static inline ways_entry *ways_heap(const ways_state *s) {
  return s->heap.memory;
}

#define GV_HEAP_NAME(name)       ways_##name
#define GV_HEAP_STATE            ways_state
#define GV_HEAP_ENTRY            ways_entry
#define GV_HEAP_AT(s, i)         ways_heap(s)[i]
#define GV_HEAP_PUT(s, i, entry) (ways_heap(s)[i] = (entry))
#define GV_HEAP_BEFORE(a, b)     ways_before(a, b)
#include "core/heap.h"

static gv_status ways_push(ways_state *s, ways_entry entry) {
  if (gv_buffer_extend(&s->heap, &s->b->allocator, s->count + 1, sizeof entry) == NULL)
    return gv_fail_memory(s->context, "the ways round barriers");
  ways_rise(s, s->count++, entry);
  return GV_OK;
}

static ways_entry ways_pop(ways_state *s) {
  const ways_entry top = ways_heap(s)[0];
  if (--s->count > 0) ways_sink(s, s->count, ways_heap(s)[s->count]);
  return top;
}

/* -------------------------------------------------------------------------------------------------- rings */

static inline bool ways_improves(const gv_way_source *to, double length, int32_t seed, int32_t previous) {
  if (length != to->length) return length < to->length;
  if (seed != to->seed) return seed < to->seed;
  return previous < to->previous;
}

/* Of all corners of a leaf that are not settled, and then of the nodes above it. */
static void ways_update(ways_state *s, int32_t leaf) {
  const gv_barriers *b = s->b;
  const gv_way_source *sources = b->sources + b->seed_count;
  for (int32_t at = leaf; at >= 0; at = s->above[at]) {
    const gv_barrier_node *node = &b->corner_nodes[at];
    double longest = -1.0;
    if (node->count == 0) longest = fmax(s->longest[at + 1], s->longest[node->first]);
    for (int32_t i = node->first; i < node->first + node->count; i++)
      if (!sources[i].settled) longest = fmax(longest, sources[i].length);
    if (longest == s->longest[at]) break;
    s->longest[at] = longest;
  }
}

/* A leg from a source to a corner that it can continue to. */
static gv_status ways_try(ways_state *s, int32_t from, int32_t corner) {
  gv_barriers *b = s->b;
  const gv_way_source *source = &b->sources[from];
  gv_way_source *to = &b->sources[b->seed_count + corner];
  unsigned ends;
  int32_t wall = -1;
  if (!gv_way_continues(b, source, to->x)) return GV_OK;
  unsigned turns = ways_turns(b, &b->corners[corner], source->x, &ends);
  if (turns == 0) return GV_OK;
  const double distance = gv_barrier_length(b, source, to->x, to->at), length = source->length + distance;
  if (!ways_improves(to, length, source->seed, from) || distance == 0.0) return GV_OK;
  const unsigned arrives = gv_way_leg(b, &s->memory, source, to->x, ends, &wall);
  if (arrives == 0) {
    if (wall >= 0) gv_view_add(b, source->view, source->x, wall);
    return s->memory.failed ? gv_fail_memory(s->context, "the ways round barriers") : GV_OK;
  }
  if (ends != GV_BARRIER_BOTH || turns == GV_BARRIER_BOTH) {
    const unsigned kept = ((arrives & GV_BARRIER_RIGHT) != 0 ? (unsigned)GV_BARRIER_LEFT : 0U) |
                          ((arrives & GV_BARRIER_LEFT) != 0 ? (unsigned)GV_BARRIER_RIGHT : 0U);
    turns &= kept;
  }
  const bool sooner = length < to->length;
  to->length = length;
  to->seed = source->seed;
  to->previous = from;
  to->turns = (uint8_t)turns;
  memcpy(to->before, source->x, sizeof to->before);
  if (!sooner) return GV_OK;
  ways_update(s, b->corners[corner].leaf);
  return ways_push(s, (ways_entry){length, 0.0, (int32_t)(b->seed_count + corner)});
}

/* Corners from one distance in space to another, which is outside. */
static gv_status ways_search_ring(ways_state *s, int32_t from, double near, double far) {
  gv_barriers *b = s->b;
  const gv_way_source *source = &b->sources[from];
  const double near2 = near * near, far2 = far * far;
  int32_t stack[GV_BARRIER_STACK];
  int depth = 0;
  if (b->corner_node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    const int32_t at = stack[--depth];
    const gv_barrier_node *node = &b->corner_nodes[at];
    const gv_barrier_box box = gv_barrier_box_of(node);
    const double least2 = gv_barrier_box_least2(3, &box, source->x);
    if (s->longest[at] < 0.0 || least2 >= far2 || gv_barrier_box_most2(3, &box, source->x) < near2) continue;
    if (source->length + b->geometry->least(b, fmax(least2, near2)) > s->longest[at]) continue;
    if (gv_view_hides(b, source->view, source->x, &box)) continue;
    if (node->count == 0) {
      stack[depth++] = node->first;
      stack[depth++] = at + 1;
      continue;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++) {
      const gv_way_source *to = &b->sources[b->seed_count + i];
      const double distance2 = gv_barrier_distance2(source->x, to->x);
      if (to->settled || distance2 < near2 || distance2 >= far2) continue;
      const gv_barrier_box place = gv_barrier_box_at(to->x);
      if (source->length + b->geometry->least(b, distance2) > to->length) continue;
      if (!gv_view_hides(b, source->view, source->x, &place)) GV_TRY(ways_try(s, from, i));
    }
  }
  return GV_OK;
}

static gv_status ways_run(ways_state *s) {
  gv_barriers *b = s->b;
  gv_context *context = s->context;
  int64_t rings = 0, settled = 0;
  for (int64_t i = 0; i < b->seed_count; i++)
    if (b->sources[i].length == 0.0) GV_TRY(ways_push(s, (ways_entry){0.0, 0.0, (int32_t)i}));
  while (s->count > 0) {
    const ways_entry entry = ways_pop(s);
    gv_way_source *source = &b->sources[entry.source];
    if (entry.key > b->max_distance) break;
    if (entry.ring == 0.0 && source->corner >= 0) {
      if (source->settled) continue; /* a longer way's entry */
      source->settled = true;
      ways_update(s, b->corners[source->corner].leaf);
      settled++;
    }
    if (entry.ring == 0.0) {
      source->view = gv_view_make(b, &s->memory, source, s->most);
      if (source->view == NULL || s->memory.failed) return gv_fail_memory(context, "the ways round barriers");
    }
    if (s->longest[0] < 0.0) continue;
    const double far = entry.ring == 0.0 ? s->least : 2.0 * entry.ring;
    GV_TRY(ways_search_ring(s, entry.source, entry.ring, far));
    const double key = source->length + b->geometry->least(b, far * far);
    if (far < s->most && far * far < GV_VIEW_FARTHER * source->view->reach2)
      GV_TRY(ways_push(s, (ways_entry){key, far, entry.source}));
    if (context->progress != NULL && rings++ % REPORT == 0 &&
        !context->progress((double)settled / (double)(b->corner_count + 1), context->progress_user))
      return gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
  return GV_OK;
}

/* ---------------------------------------------------------------------------------------------------- all */

static gv_status ways_begin(ways_state *s) {
  gv_barriers *b = s->b;
  s->above = gv_allocate(&b->allocator, b->corner_node_count, sizeof *s->above);
  s->longest = gv_allocate(&b->allocator, b->corner_node_count + 1, sizeof *s->longest);
  if (s->above == NULL || s->longest == NULL) return gv_fail_memory(s->context, "the ways round barriers");
  s->longest[0] = -1.0;
  if (b->corner_node_count > 0) s->above[0] = -1;
  for (int64_t n = 0; n < b->corner_node_count; n++) {
    s->longest[n] = (double)INFINITY;
    if (b->corner_nodes[n].count != 0) continue;
    s->above[n + 1] = (int32_t)n;
    s->above[b->corner_nodes[n].first] = (int32_t)n;
  }
  gv_barrier_box box;
  gv_barrier_box_begin(&box);
  for (int64_t i = 0; i < b->source_count; i++)
    gv_barrier_box_add(&box, b->sources[i].x);
  s->most = 0.0;
  if (b->source_count > 0) s->most = sqrt(gv_barrier_box_most2(3, &box, box.low)) * (1.0 + 1e-12);
  s->least = s->most > 0.0 ? s->most / sqrt((double)(b->corner_count + 1)) : 1.0;
  return GV_OK;
}

void gv_ways_clear(gv_barriers *b) {
  for (int64_t i = 0; i < b->source_count && b->sources != NULL; i++)
    gv_release(&b->allocator, b->sources[i].view);
  gv_release(&b->allocator, b->sources);
  b->sources = NULL;
  b->source_count = 0;
}

gv_status gv_ways_find(gv_context *context, gv_barriers *b, const double *places, const double *at,
                       const uint8_t *kind, int64_t count) {
  ways_state s = {.context = context, .b = b, .memory = {.allocator = b->allocator}};
  gv_ways_clear(b);
  b->seed_count = count;
  b->source_count = count + b->corner_count;
  b->sources = gv_allocate_zeroed(&b->allocator, b->source_count, sizeof *b->sources);
  if (b->sources == NULL) return gv_fail_memory(context, "the ways round barriers");
  for (int64_t i = 0; i < b->source_count; i++) {
    gv_way_source *source = &b->sources[i];
    const bool seed = i < count, starts = seed && kind[i] != GV_BARRIER_INSIDE;
    const gv_corner *corner = seed ? NULL : &b->corners[i - count];
    memcpy(source->x, seed ? places + 3 * i : corner->x, sizeof source->x);
    memcpy(source->at, seed ? at + 3 * i : b->at + (ptrdiff_t)3 * corner->vertex, sizeof source->at);
    source->length = starts ? 0.0 : (double)INFINITY;
    source->seed = starts ? (int32_t)i : INT32_MAX;
    source->previous = seed ? -1 : INT32_MAX;
    source->corner = seed ? -1 : (int32_t)(i - count);
    source->on_wall = seed && kind[i] == GV_BARRIER_ON_WALL;
  }
  gv_status status = ways_begin(&s);
  if (status == GV_OK) status = ways_run(&s);
  gv_buffer_clear(&s.heap, &b->allocator);
  gv_release(&b->allocator, s.above);
  gv_release(&b->allocator, s.longest);
  gv_leg_memory_clear(&s.memory);
  return status;
}
