/*
 * Legs that are arcs of great circles, shorter than half of one. Places are directions: vectors of length 1 but for rounding. Which side of
 * a great circle a place lies on is the sign of a determinant, and exact.
 *
 * Of two antipodes the one with the lower coordinates counts as moved towards (1, 0, 0), and if they are on that axis, towards (0, 1, 0), by
 * less than any distance: one great circle runs through both.
 */
#include "barriers/tree.h"
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

static int sphere_turn(const double *p, const double *q, const double *r) {
  const int turn = gv_orientation_sphere(p, q, r);
  bool first;
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

static double sphere_length(double radius, const double *p, const double *q) {
  return gv_arc_of_chord2(radius, gv_canonical_distance(q, p, 3, GV_EUCLIDEAN));
}

/* Squared chords are within 1e-14 of themselves, also the exact distance's; the arc of one within 1e-15. */
static double sphere_least(double radius, const gv_barrier_box *box, const double *x) {
  return gv_arc_of_chord2(radius, gv_barrier_box_least2(3, box, x) * (1.0 - 1e-14)) * (1.0 - 1e-14);
}

static double sphere_most(double radius, const gv_barrier_box *box, const double *x) {
  return gv_arc_of_chord2(radius, gv_barrier_box_most2(3, box, x) * (1.0 + 1e-14)) * (1.0 + 1e-14);
}

/* The value of a normal and a box's center, how much less or more it is elsewhere in the box, and the errors of both. */
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

static int sphere_side(const double *p, const double *q, const gv_barrier_box *box) {
  double normal[3], error[3], value, reach, unsure;
  sphere_normal(p, q, normal, error);
  sphere_values(normal, error, box, &value, &reach, &unsure);
  if (value - reach > unsure) return GV_BARRIER_LEFT;
  return value + reach < -unsure ? GV_BARRIER_RIGHT : 0;
}

/* An arc's middle is 1 - cos(half its angle) beyond that of its chord, and its other places less. */
static double sphere_bulge(const double *low, const double *high) {
  const double d[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]}, square = 0.25 * sphere_dot(d, d);
  return square < 1.0 ? square / (1.0 + sqrt(1.0 - square)) + 1e-15 : 2.0;
}

static bool sphere_passes(const double *a, const double *b, const double *x, double tolerance, double *part) {
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, e[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
  double normal[3], error[3];
  *part = sphere_dot(d, e) / sphere_dot(d, d);
  if (!(*part > 0.0 && *part < 1.0)) return false;
  sphere_normal(a, b, normal, error);
  return fabs(sphere_dot(normal, e)) <= tolerance * sqrt(sphere_dot(normal, normal));
}

/* ---------------------------------------------------------------------------------------------------------- lines */

static void sphere_line(const double *p, const double *q, gv_leg_line *out) {
  out->p = p;
  out->q = q;
  sphere_normal(p, q, out->normal, out->error);
  gv_barrier_box_begin(&out->box);
  gv_barrier_box_add(&out->box, p);
  gv_barrier_box_add(&out->box, q);
  gv_barrier_box_widen(&out->box, sphere_bulge(out->box.low, out->box.high));
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
    out->least = fmin(sphere_dot(out->middle, p), sphere_dot(out->middle, q)) - 1e-14;
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
  return !(fabs(value) > reach + unsure);
}

static void sphere_walls_along(const gv_barriers *b, const gv_leg_line *line, gv_visit_wall *visit, void *user) {
  gv_barrier_visit_walls(b, 3, &line->box, line, sphere_near, visit, user);
}

/* An angle round the globe as a number from -2 to 2, -1 to 1 on the leg's side. */
static double sphere_at(const gv_leg_line *line, const double *x) {
  const double forward = sphere_dot(line->along, x), near = sphere_dot(line->middle, x);
  const double part = forward / (fabs(forward) + fabs(near));
  if (near >= 0.0) return part;
  return (forward < 0.0 ? -2.0 : 2.0) - part;
}

/* ----------------------------------------------------------------------------------------------------------- rays */

static void sphere_ray(const double *reference, const double *p, gv_leg_line *out) {
  sphere_line(p, reference, out);
}

/* A place of a start that is not on any wall is moved in any direction. */
static const double *sphere_start_towards(const gv_leg_start *s) {
  return s->q != NULL && !sphere_opposite(s->p, s->q) ? s->q : sphere_axis(s->p);
}

/* The sign of a . (b x s) for the moved place s. */
static int sphere_start_turn(const gv_leg_start *s, const double *a, const double *b) {
  const double *q = sphere_start_towards(s);
  int turn = gv_orientation_sphere(a, b, s->p);
  if (turn != 0) return turn;
  turn = gv_orientation_sphere(a, b, q) * (s->sign < 0.0 ? -1 : 1);
  if (turn != 0) return turn;
  /* p x q is parallel to a x b. */
  return gv_barrier_sign(s->sign * s->side *
                         (sphere_dot(a, s->p) * sphere_dot(b, q) - sphere_dot(a, q) * sphere_dot(b, s->p)));
}

static bool sphere_ray_crosses(const double *reference, const gv_leg_start *s, const gv_wall *wall) {
  /* reference, a and s turn as s, reference and a do. */
  const int a = sphere_start_turn(s, reference, wall->a);
  if (sphere_start_turn(s, reference, wall->b) != -a) return false;
  return sphere_start_turn(s, wall->a, wall->b) == -a && gv_orientation_sphere(wall->a, wall->b, reference) == a;
}

/* As for cells of meshes (measure/measure.c). */
static double sphere_azimuth(const double *x, const double *to) {
  const double p = sqrt(x[0] * x[0] + x[1] * x[1]), cosine = p > 0.0 ? x[0] / p : 1.0,
               sine = p > 0.0 ? x[1] / p : 0.0;
  return gv_bearing_on_sphere(cosine, sine, p, x[2], to[0], to[1], to[2]);
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
