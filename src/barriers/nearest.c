/*
 * Places are divided into groups by their coordinates, down to a few. A group has a list of the sources with
 * legs that can reach it: those that no wall hides from the whole group, with ways that continue towards it.
 * The sources of a group come in batches by the least length of a way to the group, until all its places have
 * shorter ways.
 */
#include "barriers/nearest.h"

#include <stdlib.h>

#include "barriers/inside.h"
#include "barriers/tree.h"
#include "barriers/view.h"
#include "barriers/ways.h"
#include "core/buffer.h"
#include "core/parallel.h"

enum {
  STRETCH = 1 << 15, /* places that a worker takes at once */
  GROUP = 1024 /* places with one order of sources */,
  ACROSS = 8 /* groups at least along the walls' extent: legs of a wider one are long and meet many walls */,
  FEW = 8,
  FIRST_BATCH = 48,
  LOOK = 256 /* places worth a leg */
};

/* A source in a list. */
typedef struct nearest_entry {
  double least; /* length of a way to the group */
  int32_t source;
  int32_t wall; /* that closed its last leg; -1: none */
} nearest_entry;

/* A source that may have the shortest way to a place. */
typedef struct nearest_found {
  double length; /* of the way, or a bound that is not longer */
  int32_t source;
  int32_t entry; /* of the list */
  bool exact;
} nearest_found;

typedef struct nearest_best {
  double length;
  int32_t seed, source;
  uint8_t kind;
} nearest_best;

typedef struct nearest_state {
  gv_context *context;
  const gv_barriers *b;
  const double *places, *at;
  gv_leg_memory memory;
  int64_t *order;     /* of places */
  nearest_best *best; /* of places, in the order given */
  gv_buffer lists;    /* a stack of lists */
  int64_t used;
  gv_buffer found; /* of one place */
} nearest_state;

/* Entries of the stack from number `list` on. */
static inline nearest_entry *nearest_list(const nearest_state *s, int64_t list) {
  return (nearest_entry *)s->lists.memory + list;
}

static inline const double *nearest_place(const nearest_state *s, int64_t i) {
  return s->places + 3 * s->order[i];
}

static gv_barrier_box nearest_box(const nearest_state *s, int64_t first, int64_t end) {
  gv_barrier_box box;
  gv_barrier_box_begin(&box);
  for (int64_t i = first; i < end; i++)
    gv_barrier_box_add(&box, nearest_place(s, i));
  return box;
}

/* Puts places below the middle of the longer side first; returns their end. */
static int64_t nearest_divide(const nearest_state *s, int64_t first, int64_t end, const gv_barrier_box *box) {
  const int d = gv_barrier_box_widest(box);
  const double middle = 0.5 * box->low[d] + 0.5 * box->high[d];
  int64_t below = first;
  for (int64_t i = first; i < end; i++) {
    if (nearest_place(s, i)[d] >= middle) continue;
    const int64_t held = s->order[i];
    s->order[i] = s->order[below];
    s->order[below++] = held;
  }
  return below;
}

/* ---------------------------------------------------------------------------------------- kinds of places */

static bool nearest_meets(void *user, const gv_wall *wall) {
  (void)wall;
  *(bool *)user = true;
  return false;
}

/* Places are of one kind if the legs between them meet no walls. */
static void nearest_classify(nearest_state *s, int64_t first, int64_t end) {
  bool meets = false;
  const gv_barrier_box box = nearest_box(s, first, end);
  gv_barrier_box wide = box;
  gv_barrier_box_widen(&wide, s->b->geometry->bulge(s->b, box.low, box.high));
  if (end - first > 1) gv_barrier_walls_near(s->b, &wide, nearest_meets, &meets);
  const int64_t middle = meets && end - first > 2 ? nearest_divide(s, first, end, &box) : end;
  if (middle > first && middle < end) {
    nearest_classify(s, first, middle);
    nearest_classify(s, middle, end);
    return;
  }
  for (int64_t i = first; i < end; i++)
    s->best[s->order[i]].kind = meets || i == first ? (uint8_t)gv_barrier_place_of(s->b, nearest_place(s, i))
                                                    : s->best[s->order[first]].kind;
}

/* ---------------------------------------------------------------------------------------------- one place */

static inline bool nearest_improves(const nearest_best *best, double length, int32_t seed, int32_t source) {
  if (length != best->length) return length < best->length;
  return seed != best->seed ? seed < best->seed : source < best->source;
}

/* Of the entries found the one with the shortest way first, before it those of which only a bound is
 * known. */
static void nearest_take_least(const nearest_state *s, nearest_found *found, int64_t from, int64_t count) {
  int64_t least = from;
  for (int64_t i = from + 1; i < count; i++) {
    if (found[i].length > found[least].length) continue;
    const int32_t a = s->b->sources[found[i].source].seed, b = s->b->sources[found[least].source].seed;
    if (found[i].length < found[least].length || found[i].exact < found[least].exact ||
        (found[i].exact == found[least].exact &&
         (a < b || (a == b && found[i].source < found[least].source))))
      least = i;
  }
  const nearest_found held = found[from];
  found[from] = found[least];
  found[least] = held;
}

/* The entries of a list that may have a shorter way to a place. */
static int64_t nearest_find(const nearest_state *s, int64_t place, const nearest_entry *entries,
                            int64_t count, nearest_found *found) {
  const double *x = s->places + 3 * place;
  const gv_barrier_box here = gv_barrier_box_at(x);
  const nearest_best *best = &s->best[place];
  int64_t number = 0;
  for (int64_t i = 0; i < count; i++) {
    const nearest_entry *entry = &entries[i];
    const gv_way_source *source = &s->b->sources[entry->source];
    if (entry->least > best->length) continue;
    const double least = source->length + gv_barrier_least(s->b, &here, source->x);
    if (least > best->length) continue;
    found[number++] = (nearest_found){least, entry->source, (int32_t)i, false};
  }
  return number;
}

/* `list`: entries from this place of the stack on. */
static gv_status nearest_solve(nearest_state *s, int64_t place, int64_t list, int64_t count) {
  const double *x = s->places + 3 * place;
  const gv_barrier_box here = gv_barrier_box_at(x);
  nearest_best *best = &s->best[place];
  nearest_entry *entries = nearest_list(s, list);
  if (best->kind == GV_BARRIER_INSIDE) return GV_OK;
  nearest_found *found = gv_buffer_reserve(&s->found, &s->b->allocator, count, sizeof *found);
  if (found == NULL) return gv_fail_memory(s->context, "the nearest seeds");
  const int64_t number = nearest_find(s, place, entries, count, found);
  for (int64_t i = 0; i < number;) {
    nearest_take_least(s, found, i, number);
    nearest_found *f = &found[i];
    const gv_way_source *source = &s->b->sources[f->source];
    if (f->length > best->length || isinf(f->length)) break;
    if (!f->exact) {
      f->exact = true;
      f->length = (double)INFINITY;
      if (gv_view_hides(s->b, source->view, source->x, &here)) continue;
      f->length = source->length + gv_barrier_length(s->b, source, x, s->at + 3 * place);
      continue;
    }
    i++;
    if (!nearest_improves(best, f->length, source->seed, f->source)) break;
    if (!gv_way_continues(s->b, source, x)) continue;
    int32_t *wall = &entries[f->entry].wall;
    if (*wall >= 0 && gv_barrier_wall_crosses(s->b, &s->b->walls[*wall], source->x, x)) continue;
    const bool same = gv_barrier_same(source->x, x);
    if (!same && gv_way_leg(s->b, &s->memory, source, x, GV_BARRIER_BOTH, wall) == 0) {
      if (s->memory.failed) return gv_fail_memory(s->context, "the nearest seeds");
      continue;
    }
    best->length = f->length;
    best->seed = source->seed;
    best->source = f->source;
    break;
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------- groups */

static double nearest_longest(const nearest_state *s, int64_t first, int64_t end) {
  double longest = -1.0;
  for (int64_t i = first; i < end; i++) {
    const nearest_best *best = &s->best[s->order[i]];
    if (best->kind != GV_BARRIER_INSIDE) longest = fmax(longest, fmin(best->length, s->b->max_distance));
  }
  return longest;
}

/* Keeps of a list what can reach a box within a length; the result is the stack's last list. */
static gv_status nearest_filter(nearest_state *s, int64_t list, int64_t count, const gv_barrier_box *box,
                                double longest, bool look, int64_t *kept) {
  const double middle[3] = {0.5 * (box->low[0] + box->high[0]), 0.5 * (box->low[1] + box->high[1]),
                            0.5 * (box->low[2] + box->high[2])};
  if (gv_buffer_extend(&s->lists, &s->b->allocator, s->used + count, sizeof(nearest_entry)) == NULL)
    return gv_fail_memory(s->context, "the nearest seeds");
  const nearest_entry *entries = nearest_list(s, list);
  nearest_entry *keeps = nearest_list(s, s->used);
  *kept = 0;
  for (int64_t i = 0; i < count; i++) {
    nearest_entry entry = entries[i];
    const gv_way_source *source = &s->b->sources[entry.source];
    entry.least = source->length + gv_barrier_least(s->b, box, source->x);
    if (entry.least > longest || gv_view_hides(s->b, source->view, source->x, box)) continue;
    if (entry.wall >= 0 && gv_barrier_wall_hides(s->b, &s->b->walls[entry.wall], source->x, box)) continue;
    if (look && !gv_barrier_same(source->x, middle)) {
      int32_t wall = -1;
      (void)gv_barrier_leg(s->b, &s->memory, source->x, middle, GV_BARRIER_BOTH, GV_BARRIER_BOTH, &wall);
      if (wall >= 0 && gv_barrier_wall_hides(s->b, &s->b->walls[wall], source->x, box)) continue;
      if (wall >= 0) entry.wall = wall;
    }
    keeps[(*kept)++] = entry;
  }
  s->used += *kept;
  return GV_OK;
}

static gv_status nearest_fill(nearest_state *s, int64_t first, int64_t end, int64_t list, int64_t count) {
  const int64_t before = s->used;
  const double longest = nearest_longest(s, first, end);
  int64_t kept = 0;
  if (count == 0 || longest < 0.0) return GV_OK;
  const gv_barrier_box box = nearest_box(s, first, end);
  GV_TRY(nearest_filter(s, list, count, &box, longest, end - first >= LOOK, &kept));
  const int64_t middle = end - first > FEW ? nearest_divide(s, first, end, &box) : end;
  gv_status status = GV_OK;
  if (middle > first && middle < end) {
    status = nearest_fill(s, first, middle, before, kept);
    if (status == GV_OK) status = nearest_fill(s, middle, end, before, kept);
  } else {
    for (int64_t i = first; i < end && status == GV_OK; i++)
      status = nearest_solve(s, s->order[i], before, kept);
  }
  s->used = before;
  return status;
}

static int nearest_compare(const void *p, const void *q) {
  const nearest_entry *a = p, *b = q;
  if (a->least != b->least) return a->least < b->least ? -1 : 1;
  return a->source < b->source ? -1 : a->source > b->source;
}

/* Puts the first `rank` entries of a part of the stack first, in order (Hoare). */
static void nearest_select(const nearest_state *s, int64_t from, int64_t end, int64_t rank) {
  nearest_entry *entries = nearest_list(s, 0);
  int64_t low = from, high = end - 1;
  while (low < rank && rank <= high) {
    const nearest_entry pivot = entries[low + (high - low) / 2];
    int64_t i = low, k = high;
    while (i <= k) {
      while (nearest_compare(&entries[i], &pivot) < 0)
        i++;
      while (nearest_compare(&entries[k], &pivot) > 0)
        k--;
      if (i > k) break;
      const nearest_entry held = entries[i];
      entries[i++] = entries[k];
      entries[k--] = held;
    }
    if (rank <= k) {
      high = k;
    } else if (rank >= i) {
      low = i;
    } else {
      break;
    }
  }
  qsort(entries + from, (size_t)(rank - from), sizeof *entries, nearest_compare);
}

/* All sources in order, batch by batch. */
static gv_status nearest_group(nearest_state *s, int64_t first, int64_t end) {
  const gv_barriers *b = s->b;
  const gv_barrier_box box = nearest_box(s, first, end);
  int64_t count = 0;
  nearest_classify(s, first, end);
  if (nearest_longest(s, first, end) < 0.0) return GV_OK;
  nearest_entry *all = gv_buffer_reserve(&s->lists, &b->allocator, b->source_count, sizeof *all);
  if (all == NULL) return gv_fail_memory(s->context, "the nearest seeds");
  for (int64_t i = 0; i < b->source_count; i++) {
    const gv_way_source *source = &b->sources[i];
    if (!(source->length <= b->max_distance) || isinf(source->length)) continue;
    all[count++] = (nearest_entry){source->length + gv_barrier_least(b, &box, source->x), (int32_t)i, -1};
  }
  s->used = count;
  gv_status status = GV_OK;
  int64_t batch = FIRST_BATCH;
  for (int64_t i = 0; i < count && status == GV_OK; i += batch / 2) {
    if (batch > count - i) batch = count - i;
    nearest_select(s, i, count, i + batch);
    if (nearest_list(s, i)->least > nearest_longest(s, first, end)) break;
    status = nearest_fill(s, first, end, i, batch);
    batch *= 2;
  }
  s->used = 0;
  return status;
}

static bool nearest_is_wide(const gv_barriers *b, const gv_barrier_box *box) {
  for (int d = 0; d < 3; d++)
    if (box->high[d] - box->low[d] > (b->high[d] - b->low[d]) / ACROSS) return true;
  return false;
}

/* Divides places into groups. */
static gv_status nearest_groups(nearest_state *s, int64_t first, int64_t end, gv_progress *progress) {
  const gv_barrier_box box = nearest_box(s, first, end);
  const bool large = end - first > GROUP || (end - first > FEW && nearest_is_wide(s->b, &box));
  const int64_t middle = large ? nearest_divide(s, first, end, &box) : end;
  if (middle > first && middle < end) {
    GV_TRY(nearest_groups(s, first, middle, progress));
    return nearest_groups(s, middle, end, progress);
  }
  GV_TRY(nearest_group(s, first, end));
  return gv_progress_add(progress, end - first) ? GV_OK
                                                : gv_fail(s->context, GV_ERROR_CANCELLED, "cancelled");
}

/* A call, of which each worker solves stretches of places that follow each other. */
typedef struct nearest_call {
  const gv_barriers *b;
  const double *places, *at;
  int32_t *source;
  double *length;
  gv_progress progress;
} nearest_call;

static gv_status nearest_stretch(gv_worker *worker, int64_t first, int64_t end) {
  nearest_call *call = worker->user;
  const gv_barriers *b = call->b;
  const int64_t count = end - first;
  nearest_state s = {.context = &worker->context,
                     .b = b,
                     .places = call->places + 3 * first,
                     .at = call->at + 3 * first,
                     .memory = {.allocator = b->allocator}};
  s.order = gv_allocate(&b->allocator, count, sizeof *s.order);
  s.best = gv_allocate(&b->allocator, count, sizeof *s.best);
  gv_status status = GV_OK;
  if (s.order == NULL || s.best == NULL) status = gv_fail_memory(s.context, "the nearest seeds");
  int64_t finite = 0;
  for (int64_t i = 0; i < count && status == GV_OK; i++) {
    if (isfinite(s.places[3 * i]) && isfinite(s.places[3 * i + 1])) s.order[finite++] = i;
    s.best[i] = (nearest_best){(double)INFINITY, INT32_MAX, INT32_MAX, GV_BARRIER_FREE};
  }
  if (status == GV_OK && finite > 0) status = nearest_groups(&s, 0, finite, &call->progress);
  for (int64_t i = 0; i < count && status == GV_OK; i++) {
    const bool none = s.best[i].source == INT32_MAX || s.best[i].length > b->max_distance;
    call->source[first + i] = none ? -1 : s.best[i].source;
    call->length[first + i] = none ? (double)NAN : s.best[i].length;
  }
  gv_release(&b->allocator, s.order);
  gv_release(&b->allocator, s.best);
  gv_buffer_clear(&s.lists, &b->allocator);
  gv_buffer_clear(&s.found, &b->allocator);
  gv_leg_memory_clear(&s.memory);
  return status;
}

gv_status gv_barriers_nearest(gv_context *context, const gv_barriers *b, const double *places,
                              const double *at, int64_t count, int32_t *source, double *length) {
  nearest_call call = {.b = b, .places = places, .at = at, .source = source, .length = length};
  gv_progress_init(&call.progress, context, count);
  gv_loop loop = {context, context->threads, count, count, &call.progress, &call};
  if (context->threads > 1) loop.grain = count > STRETCH ? STRETCH : count;
  return count > 0 ? gv_parallel_for(&loop, nearest_stretch) : GV_OK;
}
