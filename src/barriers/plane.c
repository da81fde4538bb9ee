/* Legs that are straight lines. */
#include "barriers/tree.h"
#include "exact/canonical.h"
#include "exact/orientation.h"
#include "geodesic/series_numbers.h"

static int plane_turn(const gv_barriers *b, const double *p, const double *q, const double *r) {
  (void)b;
  return gv_orientation(p, q, r);
}

static bool plane_same_direction(const double *p, const double *q, const double *r) {
  return (q[0] - p[0]) * (r[0] - p[0]) + (q[1] - p[1]) * (r[1] - p[1]) > 0.0;
}

static double plane_length(const gv_barriers *b, const gv_way_source *from, const double *x,
                           const double *at) {
  (void)b;
  (void)at;
  return sqrt(gv_canonical_distance(x, from->x, 2, GV_EUCLIDEAN));
}

static double plane_least(const gv_barriers *b, double distance2) {
  (void)b;
  return sqrt(distance2) * (1.0 - 1e-14);
}

static double plane_most(const gv_barriers *b, double distance2) {
  (void)b;
  return sqrt(distance2) * (1.0 + 1e-14);
}

/*
 * Adds a dimension to the value n . (x - p) of a box's center x, to how much less or more it is elsewhere in
 * the box, and to the error of both: differences are within 2^-53 of themselves, products and sums have five
 * roundings: 1e-14 is ample, with 1e-15 for the rounding of the center.
 */
static inline void plane_add_value(double p, double n, double low, double high, double *value, double *reach,
                                   double *error) {
  const double center = 0.5 * (low + high), half = 0.5 * (high - low);
  *value += n * (center - p);
  *reach += fabs(n) * half;
  *error += fabs(n) * (1e-14 * (fabs(center - p) + half) + 1e-15 * (fabs(center) + fabs(p)));
}

static int plane_side(const gv_barriers *b, const double *p, const double *q, const gv_barrier_box *box) {
  const double n[2] = {p[1] - q[1], q[0] - p[0]};
  (void)b;
  double value = 0.0, reach = 0.0, error = 0.0;
  for (int d = 0; d < 2; d++)
    plane_add_value(p[d], n[d], box->low[d], box->high[d], &value, &reach, &error);
  if (value - reach > error) return GV_BARRIER_LEFT;
  return value + reach < -error ? GV_BARRIER_RIGHT : 0;
}

static double plane_bulge(const gv_barriers *b, const double *low, const double *high) {
  (void)b;
  (void)low;
  (void)high;
  return 0.0;
}

static bool plane_passes(const gv_barriers *b, const double *p, const double *q, const double *x,
                         double *part) {
  const double d[2] = {q[0] - p[0], q[1] - p[1]}, e[2] = {x[0] - p[0], x[1] - p[1]};
  const double length2 = d[0] * d[0] + d[1] * d[1];
  *part = (d[0] * e[0] + d[1] * e[1]) / length2;
  if (!(*part > 0.0 && *part < 1.0)) return false;
  return fabs(d[0] * e[1] - d[1] * e[0]) <= b->tolerance * sqrt(length2);
}

/* -------------------------------------------------------------------------------------------------- lines */

static void plane_line(const gv_barriers *b, const double *p, const double *q, gv_leg_line *out) {
  const double d[2] = {q[0] - p[0], q[1] - p[1]};
  (void)b;
  out->p = p;
  out->q = q;
  out->normal[0] = -d[1];
  out->normal[1] = d[0];
  out->axis = fabs(d[1]) > fabs(d[0]);
  out->sign = q[out->axis] > p[out->axis] ? 1.0 : -1.0;
  gv_barrier_box_begin(&out->box);
  gv_barrier_box_add(&out->box, p);
  gv_barrier_box_add(&out->box, q);
}

/* Whether the box of a node that meets the leg's box may meet the leg. */
static inline bool plane_near(const gv_leg_line *line, const gv_barrier_node *node) {
  double value = 0.0, reach = 0.0, error = 0.0;
  for (int d = 0; d < 2; d++)
    plane_add_value(line->p[d], line->normal[d], (double)node->low[d], (double)node->high[d], &value, &reach,
                    &error);
  return !(fabs(value) > reach + error);
}

static void plane_walls_along(const gv_barriers *b, const gv_leg_line *line, gv_visit_wall *visit,
                              void *user) {
  gv_barrier_visit_walls(b, 2, &line->box, line, plane_near, visit, user);
}

/* Exact. */
static double plane_at(const gv_leg_line *line, const double *x) {
  return line->sign * x[line->axis];
}

/* --------------------------------------------------------------------------------------------------- rays */

/* To the left. */
static void plane_ray(const gv_barriers *b, const double *p, gv_leg_line *out) {
  (void)b;
  *out = (gv_leg_line){.p = p, .box = {{-(double)INFINITY, p[1], p[2]}, {p[0], p[1], p[2]}}};
}

/* The sign of the place's y above a vertex's. */
static int plane_above(const gv_leg_start *s, double y) {
  int sign = gv_barrier_sign(s->p[1] - y);
  if (sign != 0 || s->q == NULL) return sign;
  sign = gv_barrier_sign(s->sign * (s->q[1] - s->p[1]));
  /* To the left of a leg along x is up. */
  if (sign == 0) sign = gv_barrier_sign(s->sign * s->side * (s->q[0] - s->p[0]));
  return sign;
}

/* 1: the place lies to the left of the wall, from its lower end to its upper one. */
static int plane_start_turn(const gv_leg_start *s, const double *low, const double *high) {
  int turn = gv_orientation(low, high, s->p);
  if (turn != 0 || s->q == NULL) return turn;
  turn = gv_orientation(low, high, s->q) * (s->sign < 0.0 ? -1 : 1);
  if (turn != 0) return turn;
  return gv_barrier_sign(
      s->sign * s->side *
      ((s->q[0] - s->p[0]) * (high[0] - low[0]) + (s->q[1] - s->p[1]) * (high[1] - low[1])));
}

static bool plane_ray_crosses(const gv_barriers *b, const gv_leg_start *s, const gv_wall *wall) {
  (void)b;
  if (wall->a[1] == wall->b[1]) return false;
  const bool up = wall->a[1] < wall->b[1];
  const double *low = up ? wall->a : wall->b, *high = up ? wall->b : wall->a;
  if (plane_above(s, low[1]) < 0 || plane_above(s, high[1]) >= 0) return false;
  return plane_start_turn(s, low, high) < 0; /* else the wall lies to the right */
}

static double plane_azimuth(const gv_barriers *b, const double *x, const double *at,
                            const gv_way_source *to) {
  (void)b;
  (void)at;
  return gv_bearing(to->x[0] - x[0], to->x[1] - x[1]);
}

const gv_barrier_geometry gv_barrier_plane = {.turn = plane_turn,
                                              .same_direction = plane_same_direction,
                                              .length = plane_length,
                                              .least = plane_least,
                                              .most = plane_most,
                                              .side = plane_side,
                                              .bulge = plane_bulge,
                                              .passes = plane_passes,
                                              .line = plane_line,
                                              .walls_along = plane_walls_along,
                                              .at = plane_at,
                                              .turns = (double)INFINITY,
                                              .ray = plane_ray,
                                              .ray_crosses = plane_ray_crosses,
                                              .azimuth = plane_azimuth};
