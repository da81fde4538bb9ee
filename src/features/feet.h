/*
 * Bounds of the canonical distances from a position to edges, for geodesics: by the series (geodesic/series.h), where chords leave them open.
 *
 * Let f(u), 0 <= u <= 1, be the distance to the place P(u) of an edge, v = |P'| <= V, and k bound its acceleration within the surface, as in
 * exact/edge_search.c. A place P0 is known that is within `room` of some P(u0), the direction of the edge there within `tilt`. The series gives
 * f there, and s = f' / v. With e the error of s: 1e-7 (it has 7e-9 from a metre on), tilt, and what a step of `room` turns the direction
 * to the position by, the distance to the edge is at most f + room and at least f - room - gain, where
 *   1. gain = V in any case. All else needs the edge to lie within pi / 2r of the position, r^2 the largest curvature, where f'' >= -k;
 *   2. at an end from which f rises by v (|s| - e) >= k / 2 the gain is 0: f >= f(u0) + f'(u0) |u - u0| - k |u - u0|^2 / 2;
 *   3. elsewhere, with c = |s| + e, it is at most V c + k / 2 by the same;
 *   4. a geodesic's f is convex, and between u0 and the nearest place |f'| / v is at most c, so that f'' >= v^2 m, m = (1 - c^2) r cot(r f):
 *      the gain is at most c^2 / 2 m;
 *   5. a straight line of which v is at least w = v(u0) - k, and |f'| / v stays below 0.7 all over, as it changes by at most
 *      (V^2 / near + 2 k) / w (r cot(r x) <= 1 / x), has f'' >= m = 0.51 w^2 r cot(r far) - k: if that is positive, (V c)^2 / 2 m.
 * The canonical value is at most GV_EDGE_ERROR above the distance.
 *
 * P0 is a place of the edge itself (gv_edge_course), for which `room` is rounding, or, for a geodesic of a length l up to a twentieth of the semi-major axis a,
 * the point of its chord, lifted along the line to the ellipsoid's middle: on the great ellipse, a plane curve. The surface's normal is inclined by
 * at most t, tan t <= 0.53 e^2, to that plane (f <= 0.02), so its geodesic curvature is at most 0.53 e^2 / (1 - f)^2 a. A curve of geodesic curvature g
 * leaves the geodesic between its ends by g l^2 / 8 and turns from it by g l, but for terms of (l / a)^2: room = 0.1 e^2 l^2 / a, and with the chord, which
 * is inclined to the surface by l / 2 at most, of the curve's plane: tilt = e^2 l / a. tests/features/feet.c samples all of it.
 */
#ifndef GV_FEATURES_FEET_H
#define GV_FEATURES_FEET_H

#include "features/shortlist.h"

/* What is known of an edge of a list. */
typedef struct gv_known_edge {
  bool made;
  gv_edge edge;
  double speed, turn;
} gv_known_edge;

enum { GV_MOST_FEET = 64 };

/* Places on edges. */
typedef struct gv_feet {
  int32_t count;
  bool point[GV_MOST_FEET], known[GV_MOST_FEET];
  int end[GV_MOST_FEET];                                 /* 1: P(0), -1: P(1), 0: neither */
  double place[3][GV_MOST_FEET], along[3][GV_MOST_FEET]; /* in units of the semi-major axis; of any length */
  double speed[GV_MOST_FEET], slow[GV_MOST_FEET], turn[GV_MOST_FEET];
  double room[GV_MOST_FEET], tilt[GV_MOST_FEET]; /* metres; radians */
  double low[GV_MOST_FEET], high[GV_MOST_FEET];  /* what canonical values are within */
} gv_feet;

/* Whether there are such bounds. */
bool gv_feet_serve(const gv_feature_tree *tree);

/* Adds the foot on the chord of an entry of a list whose parts are known. `known`: the edge, made, or NULL. */
void gv_feet_add(const gv_feature_tree *tree, const gv_shortlist *list, int32_t i, const gv_known_edge *known,
                 gv_feet *feet);

/* Fills in low and high for a position, in the tree's coordinates; 0 and INFINITY where nothing is known. */
void gv_feet_bound(const gv_feature_tree *tree, const double position[3], gv_feet *feet);

#endif
