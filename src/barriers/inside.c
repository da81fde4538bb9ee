/*
 * The even-odd rule for each polygon, by walls that a ray from the place to the left crosses. A leg stands for the place p + e (q - p) with
 * an infinitesimal e, and along a wall for that moved sideways by e^2: every comparison has the sign of its first term that is not 0.
 */
#include "barriers/inside.h"

#include <math.h>

#include "barriers/tree.h"
#include "core/hash.h"

typedef struct inside_state {
  const double *p, *q; /* q NULL: the place itself */
  double sign;         /* -1: the leg leads the other way */
  int side;
  bool on_wall;
  uint64_t
      odd; /* hashes of the polygons that have been crossed an odd number of times, joined by XOR: 0 if there are none */
} inside_state;

static int inside_sign(double x) {
  return x > 0.0 ? 1 : x < 0.0 ? -1 : 0;
}

/* The sign of the place's y above a vertex's. */
static int inside_above(const inside_state *s, double y) {
  int sign = inside_sign(s->p[1] - y);
  if (sign != 0 || s->q == NULL) return sign;
  sign = inside_sign(s->sign * (s->q[1] - s->p[1]));
  /* To the left of a leg along x is up. */
  if (sign == 0) sign = inside_sign(s->sign * (s->q[0] - s->p[0])) * (s->side == GV_BARRIER_RIGHT ? -1 : 1);
  return sign;
}

/* 1: the place lies to the left of the wall, from its lower end to its upper one. */
static int inside_turn(inside_state *s, const double *low, const double *high) {
  int turn = gv_barrier_turn(low, high, s->p);
  if (turn != 0) return turn;
  if (s->q == NULL) return 0;
  turn = gv_barrier_turn(low, high, s->q) * (s->sign < 0.0 ? -1 : 1);
  if (turn != 0) return turn;
  const double along =
      s->sign * ((s->q[0] - s->p[0]) * (high[0] - low[0]) + (s->q[1] - s->p[1]) * (high[1] - low[1]));
  return inside_sign(along) * (s->side == GV_BARRIER_RIGHT ? -1 : 1);
}

static bool inside_visit(void *user, const gv_wall *wall) {
  inside_state *s = user;
  if (wall->polygon < 0 || wall->a[1] == wall->b[1]) return true;
  const bool up = wall->a[1] < wall->b[1];
  const double *low = up ? wall->a : wall->b, *high = up ? wall->b : wall->a;
  if (inside_above(s, low[1]) < 0 || inside_above(s, high[1]) >= 0) return true;
  if (inside_turn(s, low, high) >= 0) return true; /* the wall lies to the right */
  s->odd ^= gv_hash_mix((uint64_t)wall->polygon + 1);
  return true;
}

static gv_barrier_box inside_ray(const double *p) {
  gv_barrier_box box = {{-(double)INFINITY, p[1], p[2]}, {p[0], p[1], p[2]}};
  return box;
}

bool gv_barrier_begins_inside(const gv_barriers *b, const double *p, const double *q, bool back, int side) {
  inside_state s = {.p = p, .q = q, .sign = back ? -1.0 : 1.0, .side = side};
  const gv_barrier_box box = inside_ray(p);
  gv_barrier_walls_near(b, &box, inside_visit, &s);
  return s.odd != 0;
}

/* -------------------------------------------------------------------------------------------------- places on walls */

typedef struct inside_touch {
  const gv_barriers *b;
  const double *p;
  bool on_wall, free;
} inside_touch;

static bool inside_touch_visit(void *user, const gv_wall *wall) {
  inside_touch *t = user;
  const bool at_a = gv_barrier_same(wall->a, t->p), at_b = gv_barrier_same(wall->b, t->p);
  if (!at_a && !at_b) {
    if (gv_barrier_turn(wall->a, wall->b, t->p) != 0) return true;
    if (!gv_barrier_same_direction(wall->a, wall->b, t->p) || !gv_barrier_same_direction(wall->b, wall->a, t->p))
      return true;
  }
  t->on_wall = true;
  for (int end = 0; end < 2 && !t->free; end++) {
    const double *towards = end == 0 ? wall->a : wall->b;
    if (end == 0 ? at_a : at_b) continue;
    t->free = !gv_barrier_begins_inside(t->b, t->p, towards, false, GV_BARRIER_LEFT) ||
              !gv_barrier_begins_inside(t->b, t->p, towards, false, GV_BARRIER_RIGHT);
  }
  return !t->free;
}

gv_barrier_place gv_barrier_place_of(const gv_barriers *b, const double *x) {
  inside_touch touch = {.b = b, .p = x};
  const gv_barrier_box box = {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
  gv_barrier_walls_near(b, &box, inside_touch_visit, &touch);
  if (touch.on_wall) return touch.free ? GV_BARRIER_ON_WALL : GV_BARRIER_INSIDE;
  return gv_barrier_begins_inside(b, x, NULL, false, 0) ? GV_BARRIER_INSIDE : GV_BARRIER_FREE;
}
