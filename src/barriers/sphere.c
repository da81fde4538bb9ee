/*
 * Legs that are arcs of great circles, shorter than half of one. Places are directions: vectors of length 1
 * but for rounding. Which side of a great circle a place lies on is the sign of a determinant, and exact.
 *
 * Of two antipodes the one with the lower coordinates counts as moved towards (1, 0, 0), and if they are on
 * that axis, towards (0, 1, 0), by less than any distance: one great circle runs through both.
 *
 * Geodesics of an ellipsoid have most of these functions too, with margins that are 0 on the sphere
 * (ellipsoid.h).
 */
#include "barriers/ellipsoid.h"
#include "barriers/tree.h"
#include "core/angles.h"
#include "exact/canonical.h"
#include "exact/distance.h"
#include "exact/orientation.h"
#include "geodesic/series_numbers.h"

static double sphere_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void sphere_cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static bool sphere_opposite(const double *p, const double *q) {
  return p[0] == -q[0] && p[1] == -q[1] && p[2] == -q[2];
}

/* The axis that a place without another direction is moved to: one that it does not lie on. */
static const double *sphere_axis(const double *p) {
  static const double axis[2][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  return p[1] == 0.0 && p[2] == 0.0 ? axis[1] : axis[0];
}

/* Where one of two antipodes is moved to; *first: it is p. */
static const double *sphere_moved(const double *p, const double *q, bool *first) {
  const int d = p[0] != q[0] ? 0 : p[1] != q[1] ? 1 : 2;
  *first = p[d] < q[d];
  return sphere_axis(p);
}

static int sphere_turn(const gv_barriers *b, const double *p, const double *q, const double *r) {
  const int turn = gv_orientation_sphere(p, q, r);
  bool first;
  (void)b;
  if (turn != 0) return turn;
  if (sphere_opposite(p, q)) {
    const double *to = sphere_moved(p, q, &first);
    return first ? gv_orientation_sphere(to, q, r) : gv_orientation_sphere(p, to, r);
  }
  if (sphere_opposite(p, r)) {
    const double *to = sphere_moved(p, r, &first);
    return first ? gv_orientation_sphere(to, q, r) : gv_orientation_sphere(p, q, to);
  }
  if (sphere_opposite(q, r)) {
    const double *to = sphere_moved(q, r, &first);
    return first ? gv_orientation_sphere(p, to, r) : gv_orientation_sphere(p, q, to);
  }
  return 0;
}

/* The vector p x q, from q - p, which is short where they are close, and the errors of its coordinates. */
static void sphere_normal(const double *p, const double *q, double *normal, double *error) {
  const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  sphere_cross(p, d, normal);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    error[i] = 1e-15 * (fabs(p[j] * d[k]) + fabs(p[k] * d[j]));
  }
}

static bool sphere_same_direction(const double *p, const double *q, const double *r) {
  double to_q[3], to_r[3], error[3];
  sphere_normal(p, q, to_q, error);
  sphere_normal(p, r, to_r, error);
  return sphere_dot(to_q, to_r) > 0.0;
}

static double sphere_length(const gv_barriers *b, const gv_way_source *from, const double *x,
                            const double *at) {
  (void)at;
  return gv_arc_of_chord2(b->radius, gv_canonical_distance(x, from->x, 3, GV_EUCLIDEAN));
}

/* Squared chords are within 1e-14 of themselves, also the exact distance's; the arc of one within 1e-15. */
static double sphere_least(const gv_barriers *b, double chord2) {
  return gv_arc_of_chord2(b->least_radius, chord2 * (1.0 - 1e-14)) * (1.0 - 1e-14) - b->length_error;
}

static double sphere_most(const gv_barriers *b, double chord2) {
  return gv_arc_of_chord2(b->most_radius, chord2 * (1.0 + 1e-14)) * (1.0 + 1e-14) + b->length_error;
}

/* The value of a normal and a box's center, how much less or more it is elsewhere in the box, and the errors
 * of both. */
static void sphere_values(const double *normal, const double *error, const gv_barrier_box *box, double *value,
                          double *reach, double *unsure) {
  *value = *reach = *unsure = 0.0;
  for (int d = 0; d < 3; d++) {
    const double center = 0.5 * (box->low[d] + box->high[d]), half = 0.5 * (box->high[d] - box->low[d]);
    *value += normal[d] * center;
    *reach += fabs(normal[d]) * half;
    *unsure += (error[d] + 1e-15 * fabs(normal[d])) * (fabs(center) + half);
  }
}

static int sphere_side(const gv_barriers *b, const double *p, const double *q, const gv_barrier_box *box) {
  double normal[3], error[3], value, reach, unsure;
  sphere_normal(p, q, normal, error);
  sphere_values(normal, error, box, &value, &reach, &unsure);
  if (b->bend != 0.0) {
    const double chord2[3] = {gv_barrier_distance2(p, q), gv_barrier_box_most2(3, box, p),
                              gv_barrier_box_most2(3, box, q)};
    unsure += gv_barrier_bend_beside(b, fmax(chord2[0], fmax(chord2[1], chord2[2])),
                                     fmin(chord2[0], fmin(chord2[1], chord2[2])));
  }
  if (value - reach > unsure) return GV_BARRIER_LEFT;
  return value + reach < -unsure ? GV_BARRIER_RIGHT : 0;
}

/* An arc's middle is 1 - cos(half its angle) beyond that of its chord, and its other places less. */
static double sphere_bulge(const gv_barriers *b, const double *low, const double *high) {
  const double chord2 = gv_barrier_distance2(low, high), square = 0.25 * chord2;
  if (!(square < 1.0)) return 2.0;
  return square / (1.0 + sqrt(1.0 - square)) + 1e-15 + gv_barrier_bend_distance(b, chord2);
}

static bool sphere_passes(const gv_barriers *b, const double *p, const double *q, const double *x,
                          double *part) {
  const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, e[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
  double normal[3], error[3];
  *part = sphere_dot(d, e) / sphere_dot(d, d);
  if (!(*part > 0.0 && *part < 1.0)) return false;
  sphere_normal(p, q, normal, error);
  const double size = sqrt(sphere_dot(normal, normal)), value = fabs(sphere_dot(normal, e));
  if (value > b->tolerance * size + gv_barrier_bend(b, sphere_dot(d, d))) return false;
  return b->bend == 0.0 || fabs(gv_barrier_ellipsoid_offset(b, p, q, x)) <= b->tolerance;
}

/* -------------------------------------------------------------------------------------------------- lines */

static void sphere_line(const gv_barriers *b, const double *p, const double *q, gv_leg_line *out) {
  out->p = p;
  out->q = q;
  sphere_normal(p, q, out->normal, out->error);
  gv_barrier_box_begin(&out->box);
  gv_barrier_box_add(&out->box, p);
  gv_barrier_box_add(&out->box, q);
  gv_barrier_box_widen(&out->box, sphere_bulge(b, out->box.low, out->box.high));
  const double chord2 = gv_barrier_distance2(p, q);
  out->bend = gv_barrier_bend(b, chord2);
  for (int d = 0; d < 3; d++) {
    out->middle[d] = p[d] + q[d];
    out->along[d] = q[d] - p[d];
  }
  if (sphere_opposite(p, q)) {
    bool first;
    memcpy(out->middle, sphere_moved(p, q, &first), sizeof out->middle);
    sphere_cross(p, out->middle, out->normal);
    out->least = -1.0;
  } else {
    out->least = fmin(sphere_dot(out->middle, p), sphere_dot(out->middle, q)) - 1e-14 -
                 2.0 * gv_barrier_bend_distance(b, chord2);
  }
}

/* Whether the box of a node that meets the leg's box may meet the leg. */
static inline bool sphere_near(const gv_leg_line *line, const gv_barrier_node *node) {
  static const double exact[3];
  const gv_barrier_box box = gv_barrier_box_of(node);
  double value, reach, unsure;
  sphere_values(line->middle, exact, &box, &value, &reach, &unsure);
  if (value + reach < line->least) return false;
  sphere_values(line->normal, line->error, &box, &value, &reach, &unsure);
  return !(fabs(value) > reach + unsure + line->bend);
}

static void sphere_walls_along(const gv_barriers *b, const gv_leg_line *line, gv_visit_wall *visit,
                               void *user) {
  gv_barrier_visit_walls(b, 3, &line->box, line, sphere_near, visit, user);
}

/* An angle round the globe as a number from -2 to 2, -1 to 1 on the leg's side. */
static double sphere_at(const gv_leg_line *line, const double *x) {
  const double forward = sphere_dot(line->along, x), near = sphere_dot(line->middle, x);
  const double part = forward / (fabs(forward) + fabs(near));
  if (near >= 0.0) return part;
  return (forward < 0.0 ? -2.0 : 2.0) - part;
}

/* --------------------------------------------------------------------------------------------------- rays */

static void sphere_ray(const gv_barriers *b, const double *p, gv_leg_line *out) {
  sphere_line(b, p, b->reference, out);
}

/* A place of a start that is not on any wall is moved in any direction. */
static const double *sphere_start_towards(const gv_leg_start *s) {
  return s->q != NULL && !sphere_opposite(s->p, s->q) ? s->q : sphere_axis(s->p);
}

typedef int sphere_turn_of(const gv_barriers *b, const double *p, const double *q, const double *r);

static int sphere_turn_exactly(const gv_barriers *b, const double *p, const double *q, const double *r) {
  (void)b;
  return gv_orientation_sphere(p, q, r);
}

/* On which side of the line from p to r the moved place s lies. */
static int sphere_start_turn(const gv_barriers *b, sphere_turn_of *turn_of, const gv_leg_start *s,
                             const double *p, const double *r) {
  const double *q = sphere_start_towards(s);
  int turn = turn_of(b, p, r, s->p);
  if (turn != 0) return turn;
  turn = turn_of(b, p, r, q) * (s->sign < 0.0 ? -1 : 1);
  if (turn != 0) return turn;
  /* s x q is parallel to p x r. */
  return gv_barrier_sign(s->sign * s->side *
                         (sphere_dot(p, s->p) * sphere_dot(r, q) - sphere_dot(p, q) * sphere_dot(r, s->p)));
}

static bool sphere_ray_crosses(const gv_barriers *b, const gv_leg_start *s, const gv_wall *wall) {
  /* reference, a and s turn as s, reference and a do. */
  const int a = sphere_start_turn(b, sphere_turn_exactly, s, b->reference, wall->a);
  if (sphere_start_turn(b, sphere_turn_exactly, s, b->reference, wall->b) != -a) return false;
  return sphere_start_turn(b, sphere_turn_exactly, s, wall->a, wall->b) == -a &&
         gv_orientation_sphere(wall->a, wall->b, b->reference) == a;
}

/* Whether the moved place lies between a wall and the great circle between its ends. */
static bool ellipsoid_start_between(const gv_barriers *b, const gv_leg_start *s, const gv_wall *wall) {
  const double chord2 = gv_barrier_distance2(wall->a, wall->b);
  if (gv_barrier_distance2(wall->a, s->p) > chord2 || gv_barrier_distance2(wall->b, s->p) > chord2)
    return false;
  if (gv_barrier_same(wall->a, s->p) || gv_barrier_same(wall->b, s->p)) {
    const double *other = gv_barrier_same(wall->a, s->p) ? wall->b : wall->a;
    if (sphere_same_direction(s->p, other, sphere_start_towards(s)) != (s->sign > 0.0)) return false;
  }
  return sphere_start_turn(b, sphere_turn_exactly, s, wall->a, wall->b) !=
         sphere_start_turn(b, gv_barrier_ellipsoid_turn, s, wall->a, wall->b);
}

/* Rays are arcs of great circles, with exact signs. A place that only the bend of a wall separates from that
 * arc is on its other side. */
static bool ellipsoid_ray_crosses(const gv_barriers *b, const gv_leg_start *s, const gv_wall *wall) {
  return sphere_ray_crosses(b, s, wall) != ellipsoid_start_between(b, s, wall);
}

/* As for cells of meshes (measure/measure.c). */
static double sphere_azimuth(const gv_barriers *b, const double *x, const double *at,
                             const gv_way_source *to) {
  const double p = sqrt(x[0] * x[0] + x[1] * x[1]), cosine = p > 0.0 ? x[0] / p : 1.0,
               sine = p > 0.0 ? x[1] / p : 0.0;
  (void)b;
  (void)at;
  return gv_bearing_on_sphere(cosine, sine, p, x[2], to->x[0], to->x[1], to->x[2]);
}

const gv_barrier_geometry gv_barrier_sphere = {.turn = sphere_turn,
                                               .same_direction = sphere_same_direction,
                                               .length = sphere_length,
                                               .least = sphere_least,
                                               .most = sphere_most,
                                               .side = sphere_side,
                                               .bulge = sphere_bulge,
                                               .passes = sphere_passes,
                                               .line = sphere_line,
                                               .walls_along = sphere_walls_along,
                                               .at = sphere_at,
                                               .turns = 4.0,
                                               .ray = sphere_ray,
                                               .ray_crosses = sphere_ray_crosses,
                                               .azimuth = sphere_azimuth};

const gv_barrier_geometry gv_barrier_ellipsoid = {.turn = gv_barrier_ellipsoid_turn,
                                                  .same_direction = sphere_same_direction,
                                                  .length = gv_barrier_ellipsoid_length,
                                                  .least = sphere_least,
                                                  .most = sphere_most,
                                                  .side = sphere_side,
                                                  .bulge = sphere_bulge,
                                                  .passes = sphere_passes,
                                                  .line = sphere_line,
                                                  .walls_along = sphere_walls_along,
                                                  .at = sphere_at,
                                                  .turns = 4.0,
                                                  .ray = sphere_ray,
                                                  .ray_crosses = ellipsoid_ray_crosses,
                                                  .azimuth = gv_barrier_ellipsoid_azimuth};
