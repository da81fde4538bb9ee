/* Geodesic distances of edges as floats, by bounds (features/edge_points.h), and the chords that they begin
 * with. */
#ifndef GV_EDGE_VALUES_CUH
#define GV_EDGE_VALUES_CUH

#include <math_constants.h>

#include "exact/edge_course.h"
#include "exact/sines.h"
#include "features/device_edges.h"
#include "geodesic/series_numbers.h"

#include "exact/shared/as_numbers.h"

#include "geodesic/shared/slopes.h"

#include "exact/shared/end.h"

namespace gv {

enum {
  MOST_LEFT = 16, /* edges that bounds decide between */
  PASSES = 6
};

/* The tree as kernels use it; pointers are the device's. */
struct edge_view {
  int dim, root;
  const gv_box_node *node;
  const gv_edge_row *row;
  const int32_t *entry;
  const double *place;
  gv_edge_reach reach;
  double flattest, eccentricity2;
  const gv_edge_line *line;
  const gv_edge_curve *curve;
  gv_series series;
  gv_ellipsoid ellipsoid;
  double root_most, rho;
};

/* The square of the chord from the straight line between the ends, and where on it. */
__device__ __forceinline__ double edge_chord2(const gv_edge_row *row, const double q[3], float *sag,
                                              int *feature, double *at = NULL) {
  const double2 *from = (const double2 *)row;
  const double2 a = __ldg(from), b = __ldg(from + 1), c = __ldg(from + 2), e = __ldg(from + 3);
  const double start[3] = {a.x, a.y, b.x}, d[3] = {b.y, c.x, c.y};
  double w[3], along = 0.0, square = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    w[axis] = q[axis] - start[axis];
    along += w[axis] * d[axis];
  }
  double part = along * e.x;
  part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
  for (int axis = 0; axis < 3; axis++)
    square += (w[axis] - part * d[axis]) * (w[axis] - part * d[axis]);
  if (at != NULL) *at = part;
  *sag = __int_as_float(__double2loint(e.y));
  *feature = __double2hiint(e.y);
  return square;
}

/* The part in the order of gv_edge_make. */
__device__ static inline double edge_orient(double reversed, gv_edge_stand *s) {
  if (reversed == 0.0) return s->part;
  s->end = -s->end;
  s->sense = -1.0;
  return 1.0 - s->part;
}

/* A place of a straight line. */
__device__ static inline void edge_stand_straight(const edge_view &t, const gv_edge_line *line,
                                                  gv_edge_stand *s) {
  double lon = line->lon[0], lat = line->lat[0], sin_lon, cos_lon, sin_lat, cos_lat, p, m, n;
  s->room = s->tilt = 0.0;
  s->motion = line->motion;
  s->known = true;
  if (!s->point) {
    const double u = edge_orient(line->reversed, s);
    lon = u == 1.0 ? line->lon[1] : lon + u * (line->lon[1] - lon);
    lat = u == 1.0 ? line->lat[1] : lat + u * (line->lat[1] - lat);
    s->known = fabs(lat) < 90.0;
  }
  gv_normalize_lonlat(&lon, &lat);
  gv_sines(lon, &sin_lon, &cos_lon);
  gv_sines(lat, &sin_lat, &cos_lat);
  gv_meridian_point(t.eccentricity2, sin_lat, cos_lat, &p, &s->place[2]);
  s->place[0] = p * cos_lon;
  s->place[1] = p * sin_lon;
  gv_edge_radii(&t.ellipsoid, sin_lat, &m, &n);
  gv_edge_turn_to(sin_lon, cos_lon, sin_lat, cos_lat, n * cos_lat * line->rate_lon, m * line->rate_lat,
                  s->along);
}

/* A place of a geodesic. */
__device__ static inline void edge_stand_curve(const gv_edge_curve *curve, gv_edge_stand *s) {
  s->tilt = 0.0;
  s->room = curve->room;
  s->motion = curve->motion;
  s->known = curve->room >= 0.0;
  gv_edge_curve_at(curve->power, 2.0 * edge_orient(curve->reversed, s) - 1.0, s->place, s->along);
}

/* The last place that was seen: edges that meet in a vertex have it in common. */
struct edge_seen {
  double place[3];
  gv_seen_place view;
};

/* The bounds of the exact distance from a place of an edge. */
__device__ static inline void edge_bounds(const edge_view &t, int i, const double q[3], double part,
                                          edge_seen *seen, gv_edge_stand *s, double *low, double *high) {
  s->point = t.entry[i] < 0;
  s->end = part == 0.0 ? 1 : part == 1.0 ? -1 : 0;
  s->part = part;
  s->sense = 1.0;
  if (t.line != NULL) {
    edge_stand_straight(t, t.line + i, s);
  } else if (!s->point && t.curve != NULL) {
    edge_stand_curve(t.curve + i, s);
  } else {
    const gv_edge_row row = t.row[i];
    gv_edge_stand_lifted(&t.series, t.ellipsoid.eccentricity2, row.a, row.d, row.inverse, s);
  }
  if (s->place[0] != seen->place[0] || s->place[1] != seen->place[1] || s->place[2] != seen->place[2]) {
    for (int axis = 0; axis < 3; axis++)
      seen->place[axis] = s->place[axis];
    seen->view = gv_see_place(&t.series, q, s->place);
  }
  s->distance = !s->known ? -1.0 : s->point ? seen->view.length : seen->view.distance;
  s->slope = gv_slope_along(&seen->view, s->along);
  gv_edge_bounds_of(t.root_most, 2.0 * gv_chord_tolerance * t.series.a, s, low, high);
}

/* Edges that may be nearest to a position, `stride` apart. */
struct edge_list {
  const int *row;
  int64_t stride;
  int count;
};

/* The bits of C's NAN, which results have. */
__device__ static inline float edge_nothing() {
  return __int_as_float(0x7fc00000);
}

__device__ static inline float edge_decided(double least, double most) {
  return most < CUDART_INF && (float)least == (float)most ? (float)least : edge_nothing();
}

/*
 * The distance of a feature as a float by the edges that may be nearest, or NaN: the bounds do not decide. It
 * is not below the least bound of all edges, and not above those of its own. Here by the places that chords
 * find: of most positions vertices.
 */
__device__ static float edge_value_at_once(const edge_view &t, const double q[3], int feature,
                                           const edge_list &list) {
  edge_seen seen = {{CUDART_NAN, 0.0, 0.0}, {}};
  double least = CUDART_INF, most = CUDART_INF;
  for (int n = 0; n < list.count; n++) {
    const int i = list.row[n * list.stride];
    gv_edge_stand s;
    float sag;
    int of;
    double part, low, high;
    (void)edge_chord2(t.row + i, q, &sag, &of, &part);
    edge_bounds(t, i, q, part, &seen, &s, &low, &high);
    least = fmin(least, low);
    if (of == feature) most = fmin(most, high);
  }
  return edge_decided(least, most);
}

/* The same in some passes, each from better places. */
__device__ static float edge_value(const edge_view &t, const double q[3], int feature,
                                   const edge_list &list) {
  double part[MOST_LEFT], last_part[MOST_LEFT], last_slope[MOST_LEFT], low[MOST_LEFT], slope[MOST_LEFT],
      distance[MOST_LEFT], speed[MOST_LEFT];
  int left[MOST_LEFT], count = list.count;
  bool own[MOST_LEFT], point[MOST_LEFT];
  for (int n = 0; n < count; n++) {
    float sag;
    int of;
    left[n] = list.row[n * list.stride];
    (void)edge_chord2(t.row + left[n], q, &sag, &of, &part[n]);
    own[n] = of == feature;
    last_part[n] = last_slope[n] = CUDART_NAN;
  }
  for (int pass = 0; pass < PASSES; pass++) {
    edge_seen seen = {{CUDART_NAN, 0.0, 0.0}, {}};
    double least = CUDART_INF, most = CUDART_INF;
    for (int n = 0; n < count; n++) {
      gv_edge_stand s;
      double high;
      edge_bounds(t, left[n], q, part[n], &seen, &s, &low[n], &high);
      least = fmin(least, low[n]);
      if (own[n]) most = fmin(most, high);
      slope[n] = s.sense * s.slope;
      distance[n] = s.distance;
      speed[n] = s.motion.fastest;
      point[n] = s.point;
    }
    const float value = edge_decided(least, most);
    if (!isnan(value)) return value;
    int kept = 0;
    for (int n = 0; n < count; n++) {
      if (low[n] > most) continue;
      gv_edge_stand s;
      s.point = point[n];
      s.part = part[n];
      s.sense = 1.0;
      s.slope = slope[n];
      s.distance = distance[n];
      s.motion.fastest = speed[n];
      const double next = gv_edge_next_part(t.rho, &s, last_part[n], last_slope[n]);
      left[kept] = left[n];
      own[kept] = own[n];
      last_part[kept] = part[n];
      last_slope[kept] = slope[n];
      part[kept++] = next;
    }
    count = kept;
  }
  return edge_nothing();
}

} // namespace gv

#endif
