#include "barriers/leg.h"

#include <stdlib.h>

#include "barriers/tree.h"

typedef struct leg_state {
  const gv_barriers *b;
  gv_leg_memory *memory;
  gv_leg_line line;
  const double *p, *q;
  int32_t blocker; /* -1: none */
} leg_state;

void gv_leg_memory_clear(gv_leg_memory *memory) {
  gv_buffer_clear(&memory->touches, &memory->allocator);
}

static inline double leg_at(const leg_state *s, const double *x) {
  return s->b->geometry->at(&s->line, x);
}

static bool leg_touch(const leg_state *s, double from, double to, unsigned closed) {
  gv_leg_memory *m = s->memory;
  gv_leg_touch *touches = gv_buffer_extend(&m->touches, &m->allocator, m->count + 1, sizeof *touches);
  if (touches == NULL) {
    m->failed = true;
    return false;
  }
  touches[m->count++] = (gv_leg_touch){from, to, closed};
  return true;
}

/* Whether p and q lie on both sides of a wall that has its ends on both sides of the leg, `a` on this one. */
static bool leg_ends_apart(const gv_barriers *b, const gv_wall *wall, const double *p, const double *q,
                           int a) {
  return gv_barrier_turn(b, wall->a, wall->b, p) == -a && gv_barrier_turn(b, wall->a, wall->b, q) == a;
}

bool gv_barrier_wall_crosses(const gv_barriers *b, const gv_wall *wall, const double *p, const double *q) {
  const int a = gv_barrier_turn(b, p, q, wall->a);
  return a != 0 && gv_barrier_turn(b, p, q, wall->b) == -a && leg_ends_apart(b, wall, p, q, a);
}

/* The wall follows the leg's line. On the globe it can lie behind the leg, or come round to both of its
 * ends. */
static bool leg_follow(const leg_state *s, const gv_wall *wall) {
  const double begin = leg_at(s, s->p), end = leg_at(s, s->q), a = leg_at(s, wall->a), b = leg_at(s, wall->b);
  double from = a < b ? a : b, to = a < b ? b : a;
  if (to - from > 0.5 * s->b->geometry->turns)
    return (to >= end || leg_touch(s, to, end, 0)) && (from <= begin || leg_touch(s, begin, from, 0));
  if (from < begin) from = begin;
  if (to > end) to = end;
  return from >= to || leg_touch(s, from, to, 0);
}

/* False: the wall closes the leg. */
static bool leg_meet(const leg_state *s, const gv_wall *wall) {
  const int a = gv_barrier_turn(s->b, s->p, s->q, wall->a), b = gv_barrier_turn(s->b, s->p, s->q, wall->b);
  if (a != 0 && b != 0) return a == b || !leg_ends_apart(s->b, wall, s->p, s->q, a);
  if (a == 0 && b == 0) return leg_follow(s, wall);
  const double at = leg_at(s, a == 0 ? wall->a : wall->b);
  const int other = a == 0 ? b : a;
  if (at <= leg_at(s, s->p) || at >= leg_at(s, s->q)) return true;
  return leg_touch(s, at, at, other > 0 ? GV_BARRIER_LEFT : GV_BARRIER_RIGHT);
}

static bool leg_visit(void *user, const gv_wall *wall) {
  leg_state *s = user;
  if (leg_meet(s, wall)) return true;
  s->blocker = (int32_t)(wall - s->b->walls);
  return false;
}

static int leg_compare(const void *p, const void *q) {
  const gv_leg_touch *a = p, *b = q;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return a->to < b->to ? -1 : a->to > b->to;
}

/* Touches that are connected must be passed on one side; those at the ends, on one of theirs. */
static unsigned leg_pass(const leg_state *s, unsigned start, unsigned end) {
  const int64_t count = s->memory->count;
  gv_leg_touch *touches = s->memory->touches.memory;
  const double first = leg_at(s, s->p), last = leg_at(s, s->q);
  qsort(touches, (size_t)count, sizeof *touches, leg_compare);
  for (int64_t i = 0; i < count;) {
    gv_leg_touch chain = touches[i];
    for (i++; i < count && touches[i].from <= chain.to; i++) {
      if (touches[i].to > chain.to) chain.to = touches[i].to;
      chain.closed |= touches[i].closed;
    }
    unsigned open = GV_BARRIER_BOTH & ~chain.closed;
    if (chain.from == first) open &= start;
    if (chain.to == last) {
      open &= end;
      end = open;
    }
    if (open == 0) return 0;
  }
  return end;
}

unsigned gv_barrier_leg(const gv_barriers *b, gv_leg_memory *memory, const double *p, const double *q,
                        unsigned start, unsigned end, int32_t *blocker) {
  leg_state s = {.b = b, .memory = memory, .p = p, .q = q, .blocker = -1};
  memory->count = 0;
  b->geometry->line(b, p, q, &s.line);
  gv_barrier_walls_along(b, &s.line, leg_visit, &s);
  if (s.blocker >= 0) {
    if (blocker != NULL) *blocker = s.blocker;
    return 0;
  }
  return memory->count == 0 ? end : leg_pass(&s, start, end);
}

bool gv_barrier_wall_hides(const gv_barriers *b, const gv_wall *wall, const double *p,
                           const gv_barrier_box *box) {
  const int side = gv_barrier_turn(b, wall->a, wall->b, p);
  if (side == 0) return false;
  const double *left = side > 0 ? wall->b : wall->a, *right = side > 0 ? wall->a : wall->b;
  const int beyond = gv_barrier_side(b, wall->a, wall->b, box);
  if (beyond != (side > 0 ? GV_BARRIER_RIGHT : GV_BARRIER_LEFT)) return false;
  return gv_barrier_side(b, p, left, box) == GV_BARRIER_RIGHT &&
         gv_barrier_side(b, p, right, box) == GV_BARRIER_LEFT;
}
