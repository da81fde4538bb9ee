#include "barriers/leg.h"

#include <stdlib.h>

#include "barriers/tree.h"

typedef struct leg_state {
  const gv_barriers *b;
  gv_leg_memory *memory;
  const double *p, *q;
  int axis;    /* along which the leg is longer */
  double sign; /* of its direction there */
} leg_state;

void gv_leg_memory_clear(gv_leg_memory *memory) {
  gv_buffer_clear(&memory->touches, &memory->allocator);
}

/* Of a place on the leg's line: exact. */
static inline double leg_at(const leg_state *s, const double *x) {
  return s->sign * x[s->axis];
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

bool gv_barrier_wall_crosses(const gv_wall *wall, const double *p, const double *q) {
  const int a = gv_barrier_turn(p, q, wall->a);
  if (a == 0 || gv_barrier_turn(p, q, wall->b) != -a) return false;
  return gv_barrier_turn(wall->a, wall->b, p) == -a && gv_barrier_turn(wall->a, wall->b, q) == a;
}

/* False: the wall closes the leg. */
static bool leg_meet(const leg_state *s, const gv_wall *wall) {
  const int a = gv_barrier_turn(s->p, s->q, wall->a), b = gv_barrier_turn(s->p, s->q, wall->b);
  if (a != 0 && b != 0) {
    if (a == b) return true;
    return gv_barrier_turn(wall->a, wall->b, s->p) != -a || gv_barrier_turn(wall->a, wall->b, s->q) != a;
  }
  const double begin = leg_at(s, s->p), end = leg_at(s, s->q);
  if (a == 0 && b == 0) {
    double from = leg_at(s, wall->a), to = leg_at(s, wall->b);
    if (from > to) {
      const double other = from;
      from = to;
      to = other;
    }
    if (from < begin) from = begin;
    if (to > end) to = end;
    return from >= to || leg_touch(s, from, to, 0);
  }
  const double at = leg_at(s, a == 0 ? wall->a : wall->b);
  const int other = a == 0 ? b : a;
  if (at <= begin || at >= end) return true;
  return leg_touch(s, at, at, other > 0 ? GV_BARRIER_LEFT : GV_BARRIER_RIGHT);
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

/* Whether the box of a node may meet the leg's line: the value of a place is n . (x - p), see gv_barrier_side. */
static inline bool leg_near(const double *p, const double n[2], const gv_barrier_node *node) {
  double value = 0.0, reach = 0.0;
  for (int d = 0; d < 2; d++) {
    const double center = 0.5 * ((double)node->low[d] + (double)node->high[d]);
    const double half = 0.5 * ((double)node->high[d] - (double)node->low[d]);
    value += n[d] * (center - p[d]);
    reach +=
        fabs(n[d]) * (half * (1.0 + 1e-14) + 1e-14 * fabs(center - p[d]) + 1e-15 * (fabs(center) + fabs(p[d])));
  }
  return !(fabs(value) > reach);
}

unsigned gv_barrier_leg(const gv_barriers *b, gv_leg_memory *memory, const double *p, const double *q,
                        unsigned start, unsigned end, int32_t *blocker) {
  const double d[2] = {q[0] - p[0], q[1] - p[1]}, n[2] = {-d[1], d[0]};
  leg_state s = {.b = b, .memory = memory, .p = p, .q = q, .axis = fabs(d[1]) > fabs(d[0])};
  int32_t stack[GV_BARRIER_STACK];
  int depth = 0;
  gv_barrier_box box;
  s.sign = q[s.axis] > p[s.axis] ? 1.0 : -1.0;
  memory->count = 0;
  gv_barrier_box_begin(&box);
  gv_barrier_box_add(&box, p);
  gv_barrier_box_add(&box, q);
  if (b->wall_node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    const int32_t at = stack[--depth];
    const gv_barrier_node *node = &b->wall_nodes[at];
    if (!gv_barrier_boxes_meet(&box, node) || !leg_near(p, n, node)) continue;
    if (node->count == 0) {
      stack[depth++] = node->first;
      stack[depth++] = at + 1;
      continue;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++) {
      if (leg_meet(&s, &b->walls[i])) continue;
      if (blocker != NULL) *blocker = i;
      return 0;
    }
  }
  return memory->count == 0 ? end : leg_pass(&s, start, end);
}

bool gv_barrier_wall_hides(const gv_wall *wall, const double *p, const gv_barrier_box *box) {
  const int side = gv_barrier_turn(wall->a, wall->b, p);
  if (side == 0) return false;
  const double *left = side > 0 ? wall->b : wall->a, *right = side > 0 ? wall->a : wall->b;
  const int beyond = gv_barrier_side(wall->a, wall->b, box);
  if (beyond != (side > 0 ? GV_BARRIER_RIGHT : GV_BARRIER_LEFT)) return false;
  return gv_barrier_side(p, left, box) == GV_BARRIER_RIGHT && gv_barrier_side(p, right, box) == GV_BARRIER_LEFT;
}
