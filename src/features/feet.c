/* Bounds of distances to edges by the series. */
#include "features/feet.h"

#include <math.h>

#define LONGEST 0.05 /* chord of a geodesic whose great ellipse is taken for it */

bool gv_feet_serve(const gv_feature_tree *t) {
  return t->geodesic != NULL && t->geodesic->series.largest_step >= 0.0;
}

/* The point of the chord, lifted to the ellipsoid. */
static void lift(const gv_feature_tree *t, const gv_shortlist *l, int32_t i, gv_feet *f, int32_t n) {
  const gv_series *series = &t->geodesic->series;
  double part = l->part[i], square = 0.0, d2 = 0.0, at[3];
  for (int axis = 0; axis < 3; axis++) {
    at[axis] = l->a[axis][i] + part * l->d[axis][i];
    double stretched = axis == 2 ? at[axis] * series->stretch : at[axis];
    square += stretched * stretched;
    d2 += l->d[axis][i] * l->d[axis][i];
    f->along[axis][n] = l->d[axis][i];
  }
  double size = sqrt(square), chord = sqrt(d2), e2 = t->set->surface.ellipsoid.eccentricity2;
  f->known[n] = size > 0.5 && chord <= LONGEST;
  for (int axis = 0; axis < 3; axis++)
    f->place[axis][n] = at[axis] / size;
  /* Arcs of that chord are longer by less than a hundredth. */
  double length = 1.01 * chord;
  f->speed[n] = f->slow[n] = length * series->a;
  f->turn[n] = 0.0;
  f->room[n] = f->end[n] != 0 ? 0.0 : 0.1 * e2 * length * length * series->a;
  f->tilt[n] = e2 * length;
}

/* A place of the edge. */
static void stand(const gv_known_edge *k, double part, gv_feet *f, int32_t n) {
  double place[3] = {1.0, 0.0, 0.0}, along[3] = {0.0, 0.0, 0.0};
  bool reversed = k->edge.reversed;
  double rate = 0.0;
  f->known[n] = gv_edge_course(&k->edge, reversed ? 1.0 - part : part, place, along);
  if (reversed) f->end[n] = -f->end[n];
  for (int axis = 0; axis < 3; axis++) {
    f->place[axis][n] = place[axis];
    f->along[axis][n] = along[axis];
    rate += along[axis] * along[axis];
  }
  f->speed[n] = k->speed;
  f->turn[n] = k->turn;
  f->slow[n] = k->edge.straight ? fmax(0.0, sqrt(rate) * (1.0 - 1e-9) - k->turn) : k->speed;
  f->room[n] = f->tilt[n] = 0.0;
}

void gv_feet_add(const gv_feature_tree *t, const gv_shortlist *l, int32_t i, const gv_known_edge *known,
                 gv_feet *f) {
  const gv_feature_set *set = t->set;
  int32_t n = f->count++, v = t->entry[l->entry[i]];
  double part = l->part[i];
  f->point[n] = v < 0;
  f->end[n] = part == 0.0 ? 1 : part == 1.0 ? -1 : 0;
  if (v < 0 || (known == NULL && !set->straight)) {
    lift(t, l, i, f, n);
    f->known[n] &= v < 0 || l->inverse[i] > 0.0;
    return;
  }
  if (known != NULL) {
    stand(known, part, f, n);
    return;
  }
  const double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
  gv_known_edge made;
  gv_edge_make(&set->surface, true, a, b, &made.edge);
  gv_edge_motion(&made.edge, &made.speed, &made.turn);
  stand(&made, part, f, n);
}

/* r cot(r x) of the largest curvature. */
static double bend(const gv_feature_tree *t, double x) {
  double root = t->set->surface.root_most;
  return root / tan(root * x);
}

/* What the edge may be nearer by than its foot, at distance f and with slope s there. */
static double gain_of(const gv_feature_tree *t, const gv_feet *feet, int32_t n, double f, double s) {
  double speed = feet->speed[n], turn = feet->turn[n], slow = feet->slow[n], room = feet->room[n];
  double far = f + room + 1.5 * speed + 1.0, least = f - room;
  if (!(least > 2.0) || !(t->set->surface.root_most * far < 1.57)) return speed;
  double error = 1e-7 + feet->tilt[n] + 1.2 * room / least;
  if (feet->end[n] != 0 && (feet->end[n] * s - error) * slow >= 0.5 * turn) return 0.0;
  double c = fabs(s) + error, gain = speed * c + 0.5 * turn;
  if (turn == 0.0) {
    double m = (1.0 - c * c) * bend(t, f + room);
    if (c < 0.99 && m > 0.0) gain = fmin(gain, 0.5000001 * c * c / m);
  } else {
    double near = least - speed, change = (speed * speed / near + 2.0 * turn) / slow;
    double m = 0.51 * slow * slow * bend(t, far) - turn;
    if (near > 0.0 && slow > 0.0 && c + change < 0.7 && m > 0.0)
      gain = fmin(gain, 0.5000001 * speed * speed * c * c / m);
  }
  return fmin(gain, speed);
}

void gv_feet_bound(const gv_feature_tree *t, const double position[3], gv_feet *f) {
  const gv_geodesic *g = t->geodesic;
  double distance[GV_MOST_FEET], slope[GV_MOST_FEET], error = 2.0 * gv_chord_tolerance * g->geod.a;
  const double *const place[3] = {f->place[0], f->place[1], f->place[2]};
  const double *const along[3] = {f->along[0], f->along[1], f->along[2]};
  for (int32_t n = f->count; n % GV_PAIR_PADDING != 0; n++) {
    for (int axis = 0; axis < 3; axis++)
      f->place[axis][n] = f->along[axis][n] = 0.0;
  }
  g->kernels->slopes_from(position, &g->series, f->count, place, along, distance, slope);
  for (int32_t n = 0; n < f->count; n++) {
    f->low[n] = 0.0;
    f->high[n] = INFINITY;
    if (!f->known[n] || !(distance[n] >= 0.0)) continue;
    double gain = f->point[n] ? 0.0 : gain_of(t, f, n, distance[n], slope[n]);
    f->low[n] = fmax(0.0, distance[n] - f->room[n] - gain - error);
    f->high[n] = distance[n] + f->room[n] + error + (f->point[n] ? 0.0 : GV_EDGE_ERROR);
  }
}
