/* Bounds of distances to edges by the series. */
#include "features/edge_points.h"

#include <math.h>

bool gv_edge_points_supported(const gv_feature_tree *t) {
  return t->geodesic != NULL && t->geodesic->series.largest_step >= 0.0;
}

/* -------------------------------------------------------------------------------------------- known edges */

/* The polynomial by x = 2 u - 1 through three places with their derivatives by u, at x = -1, 0, 1: even and
 * odd powers apart. */
static void fit(double place[3][3], double along[3][3], double curve[6][3]) {
  for (int axis = 0; axis < 3; axis++) {
    double middle = place[1][axis], turn = 0.5 * along[1][axis];
    double even = 0.5 * (place[2][axis] + place[0][axis]) - middle;
    double odd = 0.5 * (place[2][axis] - place[0][axis]) - turn;
    double even_rate = 0.25 * (along[2][axis] - along[0][axis]),
           odd_rate = 0.25 * (along[2][axis] + along[0][axis]) - turn;
    double fourth = 0.5 * even_rate - even, fifth = 0.5 * (odd_rate - 3.0 * odd);
    const double power[6] = {middle, turn, even - fourth, odd - fifth, fourth, fifth};
    for (int i = 0; i < 6; i++)
      curve[i][axis] = power[i];
  }
}

static bool bend_curve(gv_prepared_edge *k) {
  double place[3][3], along[3][3], a = k->edge.surface->ellipsoid.semi_major, rate = k->edge.length / a;
  if (!(rate < GV_EDGE_LONGEST) || !(rate > 0.0)) return false;
  for (int i = 0; i < 3; i++) {
    if (!gv_edge_course(&k->edge, 0.5 * i, place[i], along[i])) return false;
    for (int axis = 0; axis < 3; axis++)
      along[i][axis] *= rate;
  }
  fit(place, along, k->curve);
  return true;
}

void gv_prepare_edge(const gv_feature_tree *t, int64_t v, gv_prepared_edge *k) {
  const gv_feature_set *set = t->set;
  if (k->made) return;
  const double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
  gv_edge_make(&set->surface, set->straight, a, b, &k->edge);
  k->motion = gv_edge_motion_of(&k->edge);
  k->curved = !set->straight && bend_curve(k);
  k->paced = k->made = true;
}

static double length_of(const gv_shortlist *l, int32_t i) {
  const double d[3] = {l->d[0][i], l->d[1][i], l->d[2][i]};
  return gv_edge_length_of(d);
}

void gv_prepare_motion(const gv_feature_tree *t, const gv_shortlist *l, int32_t i, gv_prepared_edge *k) {
  double length = length_of(l, i);
  if (k->paced) return;
  if (t->set->straight || !(length <= GV_EDGE_LONGEST)) {
    gv_prepare_edge(t, t->entry[l->entry[i]], k);
    return;
  }
  double speed = length * t->set->surface.ellipsoid.semi_major;
  k->motion = (gv_edge_motion){speed, 0.0, 0.0};
  k->paced = true;
}

/* ----------------------------------------------------------------------------------------- closest points */

static void edge_points_project(const gv_feature_tree *t, const gv_shortlist *l, int32_t i, gv_edge_points *f,
                                int32_t n) {
  const double a[3] = {l->a[0][i], l->a[1][i], l->a[2][i]}, d[3] = {l->d[0][i], l->d[1][i], l->d[2][i]};
  gv_edge_stand s = {.point = f->point[n], .end = f->end[n], .part = f->part[n]};
  gv_edge_stand_lifted(&t->geodesic->series, t->set->surface.ellipsoid.eccentricity2, a, d, l->inverse[i],
                       &s);
  for (int axis = 0; axis < 3; axis++) {
    f->place[axis][n] = s.place[axis];
    f->along[axis][n] = s.along[axis];
  }
  f->known[n] = s.known;
  f->motion[n] = s.motion;
  f->room[n] = s.room;
  f->tilt[n] = s.tilt;
}

/* Position of a closest point on an edge from vertex to vertex or, `reversed`, the other way: 0 ... 1 along
 * the edge. */
static double edge_points_orient(gv_edge_points *f, int32_t n, bool reversed) {
  if (!reversed) return f->part[n];
  f->end[n] = -f->end[n];
  f->sense[n] = -1.0;
  return 1.0 - f->part[n];
}

/* A place of a geodesic. */
static void stand(const gv_prepared_edge *k, gv_edge_points *f, int32_t n) {
  double place[3] = {1.0, 0.0, 0.0}, along[3] = {0.0, 0.0, 0.0};
  double u = edge_points_orient(f, n, k->edge.reversed), x = 2.0 * u - 1.0;
  f->room[n] = f->tilt[n] = 0.0;
  f->known[n] = k->curved || gv_edge_course(&k->edge, u, place, along);
  if (k->curved) {
    gv_edge_curve_at(k->curve, x, place, along);
    f->room[n] = gv_edge_curve_room(k->edge.length, k->edge.surface->ellipsoid.semi_major);
  }
  for (int axis = 0; axis < 3; axis++) {
    f->place[axis][n] = place[axis];
    f->along[axis][n] = along[axis];
  }
  f->motion[n] = k->motion;
}

/* A place of a straight line; where it is on the ellipsoid is found for all closest points at once. */
static void stand_straight(const gv_prepared_edge *k, gv_edge_points *f, int32_t n) {
  const gv_edge *edge = &k->edge;
  double u = edge_points_orient(f, n, edge->reversed);
  double lon = u == 1.0 ? edge->lon[1] : edge->lon[0] + u * (edge->lon[1] - edge->lon[0]);
  double lat = u == 1.0 ? edge->lat[1] : edge->lat[0] + u * (edge->lat[1] - edge->lat[0]);
  f->known[n] = fabs(lat) < 90.0;
  gv_normalize_lonlat(&lon, &lat);
  f->lon[n] = lon;
  f->lat[n] = lat;
  f->rate_lon[n] = edge->rate_lon;
  f->rate_lat[n] = edge->rate_lat;
  f->motion[n] = k->motion;
  f->room[n] = f->tilt[n] = 0.0;
}

/* A point of a layer with straight lines. */
static void edge_points_set_point(const gv_feature_set *set, int64_t v, gv_edge_points *f, int32_t n) {
  double lon = set->x[v], lat = set->y[v];
  gv_normalize_lonlat(&lon, &lat);
  f->known[n] = true;
  f->lon[n] = lon;
  f->lat[n] = lat;
  f->rate_lon[n] = f->rate_lat[n] = f->room[n] = f->tilt[n] = 0.0;
  f->motion[n] = (gv_edge_motion){0.0, 0.0, 0.0};
}

void gv_edge_points_add(const gv_feature_tree *t, const gv_shortlist *l, int32_t i, double part,
                        const gv_prepared_edge *known, const double position[3], gv_edge_points *f) {
  const gv_feature_set *set = t->set;
  int32_t n = f->count++, v = t->entry[l->entry[i]];
  f->item[n] = i;
  f->part[n] = part;
  f->sense[n] = 1.0;
  f->point[n] = v < 0;
  f->end[n] = part == 0.0 ? 1 : part == 1.0 ? -1 : 0;
  f->last_part[n] = f->last_slope[n] = (double)NAN;
  for (int axis = 0; axis < 3; axis++)
    f->from[axis][n] = position[axis];
  if (!set->straight) {
    if (v < 0 || known == NULL) {
      edge_points_project(t, l, i, f, n);
    } else {
      stand(known, f, n);
    }
  } else if (v < 0) {
    edge_points_set_point(set, ~(int64_t)v, f, n);
  } else if (known != NULL) {
    stand_straight(known, f, n);
  } else {
    gv_prepared_edge made = {.made = false};
    gv_prepare_edge(t, v, &made);
    stand_straight(&made, f, n);
  }
}

/* ------------------------------------------------------------------------------------------------- bounds */

/* What its bounds depend on. */
static gv_edge_stand edge_points_stand(const gv_edge_points *f, int32_t n) {
  return (gv_edge_stand){.known = f->known[n],
                         .point = f->point[n],
                         .end = f->end[n],
                         .part = f->part[n],
                         .sense = f->sense[n],
                         .motion = f->motion[n],
                         .room = f->room[n],
                         .tilt = f->tilt[n],
                         .distance = f->distance[n],
                         .slope = f->slope[n]};
}

void gv_edge_points_bound(const gv_feature_tree *t, gv_edge_points *f) {
  const gv_geodesic *g = t->geodesic;
  double error = 2.0 * gv_chord_tolerance * g->geod.a;
  double *const place[3] = {f->place[0], f->place[1], f->place[2]}, *const along[3] = {f->along[0],
                                                                                       f->along[1],
                                                                                       f->along[2]};
  if (t->set->straight)
    gv_straight_courses(&t->set->surface, f->count, f->lon, f->lat, f->rate_lon, f->rate_lat, place, along);
  for (int32_t n = f->count; n % GV_PAIR_PADDING != 0; n++) {
    for (int axis = 0; axis < 3; axis++)
      f->from[axis][n] = f->place[axis][n] = f->along[axis][n] = 0.0;
  }
  gv_pairs pairs = {f->count, f->from[0], f->from[1], f->from[2], place[0], place[1], place[2]};
  const double *const course[3] = {along[0], along[1], along[2]};
  g->kernels->slopes(&pairs, &g->series, course, f->distance, f->slope);
  for (int32_t n = 0; n < f->count; n++) {
    if (!f->known[n]) f->distance[n] = -1.0;
    gv_edge_stand at = edge_points_stand(f, n);
    gv_edge_bounds_of(t->set->surface.root_most, error, &at, &f->low[n], &f->high[n]);
  }
}

double gv_edge_points_next(const gv_feature_tree *t, const gv_edge_points *f, int32_t n) {
  gv_edge_stand at = edge_points_stand(f, n);
  return gv_edge_next_part(t->set->surface.radius, &at, f->last_part[n], f->last_slope[n]);
}
