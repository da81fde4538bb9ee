/*
 * Bounds of the exact distances from positions to edges, for geodesics: by the series (geodesic/series.h),
 * where chords leave them open.
 *
 * Let f(u), 0 <= u <= 1, be the distance to the place P(u) of an edge, v = |P'|, W <= v <= V, and k bound
 * its acceleration within the surface, as in exact/edge_search.c. A place P0 is known that is within
 * `room` of some P(u0), the direction of the edge there within `tilt`. The series gives f there, and s =
 * f' / v. With e the error of s: 1e-7 (it has 7e-9 from a meter on), tilt, and what a step of `room` turns
 * the direction to the position by, the distance to the edge is at most f + room and at least f - room -
 * gain, where
 *   1. gain = V in any case. All else needs the edge to lie within pi / 2r of the position, r^2 the
 *      largest curvature, where f'' >= -k;
 *   2. at an end from which f rises by v (|s| - e) >= k / 2 the gain is 0: f >= f(u0) + f'(u0) |u - u0| -
 *      k |u - u0|^2 / 2;
 *   3. elsewhere, with c = |s| + e, it is at most V c + k / 2 by the same;
 *   4. a geodesic's f is convex, and between u0 and the nearest place |f'| / v is at most c, so that f''
 *      >= v^2 m, m = (1 - c^2) r cot(r f): the gain is at most c^2 / 2 m;
 *   5. on a straight line f'' >= m = 0.51 W^2 r cot(r far) - k for as long as |f'| / v <= 0.7. If m > 0
 *      and V c < 0.7 W, f is convex all around u0 until |f'| = 0.7 v, where it rises, and goes on rising
 *      if 0.7 W >= k: the gain is at most (V c)^2 / 2 m.
 *
 * The canonical value is that of an end or less, and at most GV_EDGE_ERROR above the distance. Beyond 2
 * meters, where k <= 0.4 W^2 r cot(r far) and V <= 1.1 W, it is at most GV_EDGE_FAR_ERROR above it. For
 * f'' > 0 as far as there is a closest point with |s| < 0.7, so that the search's second rule finds the
 * minimum in the whole edge, by steps that end at a slope f' with the square of c = f' / v below 2e-6 / f,
 * and f'' there at least 0.4 of its value on the sphere: less than 3e-6 is left. Where its first rule
 * comes before, the ends' values are apart by V but for 1.2e-4 meters: the closest point is as near to an
 * end, which is farther by less than 1e-8.
 *
 * P0 is a place of the edge itself (gv_edge_course, gv_straight_courses), for which `room` is rounding,
 * or, for a geodesic of a length l up to a twentieth of the semi-major axis a, one of two:
 *   - the point of its chord, lifted along the line to the ellipsoid's middle: on the great ellipse, a
 *     plane curve. The surface's normal is inclined by at most t, tan t <= 0.53 e^2, to that plane (f <=
 *     0.02), so its geodesic curvature is at most 0.53 e^2 / (1 - f)^2 a. A curve of geodesic curvature g
 *     leaves the geodesic between its ends by g l^2 / 8 and turns from it by g l, but for terms of (l /
 *     a)^2: room = 0.1 e^2 l^2 / a, and with the chord, which is inclined to the surface by l / 2 at most,
 *     of the curve's plane: tilt = e^2 l / a;
 *   - the polynomial of degree 5 through its ends and its middle with the directions there, which leaves
 *     it by at most a sixth derivative over 720 times max (u (u - 1/2) (u - 1))^2 = 0.0024. That
 *     derivative is (l / a)^6 a on the sphere of radius a, and less than thrice as much for f <= 0.02:
 *     room = 1e-5 (l / a)^6 a, and a direction that is well within e.
 * tests/features/edge_points.c samples all of it.
 */
#ifndef GV_FEATURES_EDGE_POINTS_H
#define GV_FEATURES_EDGE_POINTS_H

#include "features/edge_bounds.h"
#include "features/shortlist.h"

/* Data of an edge of a list. */
typedef struct gv_prepared_edge {
  bool paced, made, curved; /* which of these there is */
  gv_edge_motion motion;
  gv_edge edge;
  double curve[6][3]; /* the place by powers of 2 u - 1, in units of the semi-major axis */
} gv_prepared_edge;

/* The edge that begins at a vertex; its motion too. */
void gv_prepare_edge(const gv_feature_tree *tree, int64_t vertex, gv_prepared_edge *known);

/* Only the motion; its speed may be too large for a geodesic. Cheaper. */
void gv_prepare_motion(const gv_feature_tree *tree, const gv_shortlist *list, int32_t i,
                       gv_prepared_edge *known);

enum { GV_MOST_EDGE_POINTS = 64 };

/* Places on edges, each for a position. */
typedef struct gv_edge_points {
  int32_t count;
  int32_t cell[GV_MOST_EDGE_POINTS],
      item[GV_MOST_EDGE_POINTS]; /* owner: the caller's number, and that in the list */
  bool point[GV_MOST_EDGE_POINTS], known[GV_MOST_EDGE_POINTS];
  int end[GV_MOST_EDGE_POINTS]; /* 1: P(0), -1: P(1), 0: neither */
  double part[GV_MOST_EDGE_POINTS],
      /* from vertex to vertex, 0 ... 1; -1: the edge has the opposite direction */
      sense[GV_MOST_EDGE_POINTS];
  double from[3][GV_MOST_EDGE_POINTS]; /* positions, in the tree's coordinates */
  double place[3][GV_MOST_EDGE_POINTS],
      along[3][GV_MOST_EDGE_POINTS]; /* in units of the semi-major axis; of any length */
  double lon[GV_MOST_EDGE_POINTS], lat[GV_MOST_EDGE_POINTS], rate_lon[GV_MOST_EDGE_POINTS],
      rate_lat[GV_MOST_EDGE_POINTS]; /* straight edges */
  gv_edge_motion motion[GV_MOST_EDGE_POINTS];
  double room[GV_MOST_EDGE_POINTS], tilt[GV_MOST_EDGE_POINTS];      /* meters; radians */
  double distance[GV_MOST_EDGE_POINTS], slope[GV_MOST_EDGE_POINTS]; /* by the series; -1: unknown */
  double last_part[GV_MOST_EDGE_POINTS],
      /* of the same edge, before; NaN: there is none */
      last_slope[GV_MOST_EDGE_POINTS];
  double low[GV_MOST_EDGE_POINTS], high[GV_MOST_EDGE_POINTS]; /* bounds of exact distances */
} gv_edge_points;

/* Whether there are such bounds. */
bool gv_edge_points_supported(const gv_feature_tree *tree);

/* Adds the place at a part of an entry of a list, for a position. `known`: the prepared edge, or NULL, which
 * is sufficient for geodesics that the great ellipse can replace, and slower for straight lines. */
void gv_edge_points_add(const gv_feature_tree *tree, const gv_shortlist *list, int32_t i, double part,
                        const gv_prepared_edge *known, const double position[3], gv_edge_points *points);

/* Computes low and high; 0 and INFINITY if unknown. */
void gv_edge_points_bound(const gv_feature_tree *tree, gv_edge_points *points);

/* The part at which the next place is to be, nearer to the nearest. After gv_edge_points_bound. */
double gv_edge_points_next(const gv_feature_tree *tree, const gv_edge_points *points, int32_t n);

#endif
