/*
 * The even-odd rule for each polygon, by walls that a ray from the place crosses: on the plane to the left,
 * on the sphere to a place of which the polygons are known that contain it. A leg stands for the place p + e
 * (q - p) with an infinitesimal e, and along a wall for that moved sideways by e^2: every comparison has the
 * sign of its first term that is not 0.
 */
#include "barriers/inside.h"

#include "barriers/tree.h"

typedef struct inside_state {
  const gv_barriers *b;
  gv_leg_start start;
  uint64_t odd; /* hashes of the polygons that have been crossed an odd number of times, joined by XOR: 0 if
                   there are none */
} inside_state;

static bool inside_visit(void *user, const gv_wall *wall) {
  inside_state *s = user;
  if (wall->polygon >= 0 && s->b->geometry->ray_crosses(s->b, &s->start, wall))
    s->odd ^= gv_barrier_hash(wall->polygon);
  return true;
}

bool gv_barrier_begins_inside(const gv_barriers *b, const double *p, const double *q, bool back, int side) {
  inside_state s = {b, {p, q, back ? -1.0 : 1.0, side == GV_BARRIER_RIGHT ? -1.0 : 1.0}, b->odd};
  gv_leg_line ray;
  if (!b->polygons) return false;
  b->geometry->ray(b, p, &ray);
  gv_barrier_walls_along(b, &ray, inside_visit, &s);
  return s.odd != 0;
}

/* ---------------------------------------------------------------------------------------- places on walls */

typedef struct inside_touch {
  const gv_barriers *b;
  const double *p;
  bool on_wall, free;
} inside_touch;

static bool inside_touch_visit(void *user, const gv_wall *wall) {
  inside_touch *t = user;
  const bool at_a = gv_barrier_same(wall->a, t->p), at_b = gv_barrier_same(wall->b, t->p);
  if (!at_a && !at_b) {
    if (gv_barrier_turn(t->b, wall->a, wall->b, t->p) != 0) return true;
    if (!gv_barrier_same_direction(t->b, wall->a, wall->b, t->p) ||
        !gv_barrier_same_direction(t->b, wall->b, wall->a, t->p))
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
