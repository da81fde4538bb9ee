/*
 * Whether a position lies within a polygon.
 *
 * Straight edges: the even-odd rule with exact orientations, in the coordinates as written; a place on an
 * edge is inside. On the globe the position is tested with every whole number of turns that brings it into
 * the ring's extent.
 *
 * Geodesic edges: the meridian from the position to the north pole crosses an edge if the edge's ends lie on
 * its two sides (a geodesic's longitude is monotone) and the edge passes the longitude north of the position.
 * An even number of crossings means the north pole's side of the ring. The sign of the ring's area decides
 * which side is the smaller one, and the direction of the topmost edge over any meridian on which side the
 * pole is: the ring's left side is north of an eastward edge. A pole among the vertices is a stretch of its
 * parallel between its neighbors' longitudes. Edges are tested in a fixed direction, so polygons that share
 * one are on different sides of it.
 */
#include "core/angles.h"
#include "features/set.h"

#include "exact/orientation.h"
#include "geodesic/turn.h"

/* ----------------------------------------------------------------------------------------- straight edges */

typedef enum inside_side { SIDE_SAME, SIDE_OTHER, SIDE_ON } inside_side;

/* Relation of a position to an edge: on it, left of it (which changes sides), or neither. */
static inline inside_side beside(const gv_feature_set *set, int64_t v, const double q[2]) {
  double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
  if (a[1] == q[1] && b[1] == q[1]) {
    return (a[0] <= q[0] && q[0] <= b[0]) || (b[0] <= q[0] && q[0] <= a[0]) ? SIDE_ON : SIDE_SAME;
  }
  if (a[0] == q[0] && a[1] == q[1]) return SIDE_ON;
  if ((a[1] > q[1]) == (b[1] > q[1])) return SIDE_SAME;
  int turn = a[1] < b[1] ? gv_orientation(a, b, q) : gv_orientation(b, a, q);
  return turn == 0 ? SIDE_ON : turn > 0 ? SIDE_OTHER : SIDE_SAME;
}

bool gv_straight_edges_contain(const gv_feature_set *set, const int32_t *edge, int64_t count,
                               const double q[2]) {
  bool inside = false;
  for (int64_t i = 0; i < count; i++) {
    inside_side s = beside(set, edge[i], q);
    if (s == SIDE_ON) return true;
    inside ^= s == SIDE_OTHER;
  }
  return inside;
}

static bool in_straight(const gv_feature_set *set, int64_t part, const double q[2]) {
  bool inside = false;
  for (int64_t r = set->ring[part]; r < set->ring[part + 1]; r++) {
    for (int64_t v = set->vertex[r]; v + 1 < set->vertex[r + 1]; v++) {
      inside_side s = beside(set, v, q);
      if (s == SIDE_ON) return true;
      inside ^= s == SIDE_OTHER;
    }
  }
  return inside;
}

void gv_part_longitudes(const gv_feature_set *set, int64_t part, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int64_t r = set->ring[part]; r < set->ring[part + 1]; r++) {
    *low = fmin(*low, set->facts[r].low[0]);
    *high = fmax(*high, set->facts[r].high[0]);
  }
}

static bool in_straight_turns(const gv_feature_set *set, int64_t part, const gv_edge_place *q) {
  double low, high;
  gv_part_longitudes(set, part, &low, &high);
  for (double turn = ceil((low - q->lon) / 360.0); turn <= floor((high - q->lon) / 360.0); turn += 1.0) {
    double at[2] = {q->lon + 360.0 * turn, q->lat};
    if (in_straight(set, part, at)) return true;
  }
  return false;
}

/* ----------------------------------------------------------------------------------------- geodesic edges */

/* True if `lon` is at or up to half a turn west of the other longitude. Exact: differences keep their
 * sign. */
static bool at_or_west(double lon, double other) {
  return gv_turn(other - lon) >= 0.0;
}

/* An edge over a meridian. */
typedef struct crossing {
  bool crosses, eastward; /* in the direction of the ring */
  double lat;             /* where */
} crossing;

/* The latitude at which an edge passes a longitude, by regula falsi (Illinois) along its length. */
static double latitude_at(const gv_edge *edge, double lon, bool eastward) {
  double low = 0.0, high = 1.0, lon_at, lat_at = 0.0, sign = eastward ? 1.0 : -1.0;
  double f_low = -fabs(remainder(lon - edge->lon[0], 360.0)),
         f_high = fabs(remainder(lon - edge->lon[1], 360.0));
  int last = 0;
  if (f_low == 0.0) return edge->lat[0];
  for (int i = 0; i < 100; i++) {
    double u = low - f_low * (high - low) / (f_high - f_low);
    if (!(u > low) || !(u < high) || i % 8 == 7) u = 0.5 * (low + high);
    if (!(u > low) || !(u < high)) break;
    gv_edge_at(edge, u, &lon_at, &lat_at);
    double f = sign * remainder(lon_at - lon, 360.0);
    if (fabs(f) < 1e-15 * 180.0) break;
    if (f < 0.0) {
      low = u, f_low = f;
      if (last < 0) f_high *= 0.5;
      last = -1;
    } else {
      high = u, f_high = f;
      if (last > 0) f_low *= 0.5;
      last = 1;
    }
  }
  return lat_at;
}

/*
 * Bounds of an edge's latitude without computing it. With b the reduced latitude, T = tan b = (1 - f)
 * tan(latitude) and o the longitude on the auxiliary sphere (Bessel), a geodesic has T_oo = -T, and
 * longitude grows by d lon = w do, w^2 = 1 - e^2 cos^2 b, so that
 *   T'' + T = -T r,   r = e^2 cos^2 b / w^2 + e^2 cos^4 b T_o^2 / w^4   (by longitude).
 * The great circle C over the edge's ends has C'' + C = 0. Over a width s < pi their difference D is
 * therefore at most max |T r| (sec(s / 2) - 1), with the bracket below 0.13 s^2 for s <= 1/2. |T| cos^2 b
 * <= 1/2, |T| cos^4 b <= 0.325, w >= 1 - f; o goes over at most s / (1 - f) and at least s, so |T| <= t =
 * 1.04 max(|Ta|, |Tb|) and |T_o| s <= p = |Ta - Tb| + 1.1 t s^2. For f <= 0.02, as tangents of latitudes:
 *   |D| <= e^2 (0.07 s^2 + 0.048 p^2).
 * latitude_at finds a place of the edge at the given longitude within some 1e-13 degrees and
 * geod_position's 15 nm: an error of 1e-12 in latitude, and more for steep edges.
 */
#define FLATTEST 0.02

/* Whether an edge between longitudes s < 1/2 apart (radians) passes `lon` north of `lat`. -1: undecided. */
static int passes_north(const gv_feature_set *set, const double west[2], const double east[2], double lon,
                        double lat) {
  const double radian = GV_DEGREE, e2 = set->surface.ellipsoid.eccentricity2;
  double s = gv_turn(east[0] - west[0]) * radian, part = gv_turn(lon - west[0]) * radian;
  if (!(s > 0.0) || s > 0.5 || fabs(west[1]) > 89.0 || fabs(east[1]) > 89.0) return -1;
  double a = tan(west[1] * radian), b = tan(east[1] * radian), t = 1.04 * fmax(fabs(a), fabs(b));
  double p = fabs(a - b) + 1.1 * t * s * s, at = (a * sin(s - part) + b * sin(part)) / sin(s);
  double room = e2 * (0.07 * s * s + 0.048 * p * p) + 1e-12 * (1.0 + t * t) * (1.0 + p / s);
  double away = at - tan(lat * radian);
  return away > room ? 1 : away < -room ? 0 : -1;
}

/* The same from latitudes alone. T = A sin(o - o0), o spanning less than half a turn: between ends on one
 * side of the equator an edge is never nearer to it. For ends less than a degree apart below 80 degrees, by
 * the bounds above, the edge leaves their latitudes by less than 0.06 degrees. */
static int lies_north(const double a[2], const double b[2], double lat) {
  double low = a[1] < b[1] ? a[1] : b[1], high = a[1] < b[1] ? b[1] : a[1];
  if (low > 1e-9 && low > lat + 1e-9) return 1;
  if (high < -1e-9 && high < lat - 1e-9) return 0;
  if (!(fabs(a[0] - b[0]) <= 1.0) || !(high - low <= 1.0) || low < -80.0 || high > 80.0) return -1;
  return low > lat + 0.1 ? 1 : high < lat - 0.1 ? 0 : -1;
}

/* Whether the edge from vertex v passes `lon` north of `lat`. Its latitude there is computed only if
 * `exactly`, or if bounds do not decide. */
static crossing test_north(const gv_feature_set *set, int64_t v, double lon, double lat, bool exactly) {
  double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
  crossing none = {false, false, 0.0};
  double f = set->surface.ellipsoid.flattening;
  bool flat_enough = !exactly && f >= 0.0 && f <= FLATTEST;
  int north = flat_enough ? lies_north(a, b, lat) : -1;
  if (north == 0) return none;
  /* In sorted order, so that the reverse has the same direction half round the globe. */
  bool swapped = b[1] < a[1] || (b[1] == a[1] && b[0] < a[0]);
  const double *first = swapped ? b : a, *second = swapped ? a : b;
  double d = gv_turn(second[0] - first[0]);
  bool eastward = d > 0.0 || d == -180.0;
  const double *west = eastward ? first : second, *east = eastward ? second : first;
  if (d == 0.0 || !at_or_west(west[0], lon) || at_or_west(east[0], lon)) return none;
  crossing found = {true, eastward != swapped, 0.0};
  if (flat_enough && north < 0) north = passes_north(set, west, east, lon, lat);
  if (north >= 0) {
    found.crosses = north == 1;
    return found;
  }
  gv_edge edge;
  gv_edge_make(&set->surface, false, first, second, &edge);
  found.lat = latitude_at(&edge, lon, eastward);
  found.crosses = found.lat > lat;
  return found;
}

bool gv_geodesic_edges_contain(const gv_feature_set *set, const int32_t *edge, int64_t count, bool north,
                               const gv_edge_place *q) {
  bool inside = north;
  for (int64_t i = 0; i < count; i++)
    inside ^= test_north(set, edge[i], q->lon, q->lat, false).crosses;
  return inside;
}

static bool in_geodesic_ring(const gv_feature_set *set, int64_t ring, const gv_edge_place *q) {
  bool inside = set->facts[ring].north;
  for (int64_t v = set->vertex[ring]; v + 1 < set->vertex[ring + 1]; v++)
    inside ^= test_north(set, v, q->lon, q->lat, true).crosses;
  return inside;
}

/* Whether the topmost edge over a meridian goes east; false if no edge lies over it. */
static bool topmost(const gv_feature_set *set, int64_t ring, double lon, bool *eastward) {
  double top = -91.0;
  for (int64_t v = set->vertex[ring]; v + 1 < set->vertex[ring + 1]; v++) {
    crossing c = test_north(set, v, lon, top, true);
    if (!c.crosses) continue;
    top = c.lat;
    *eastward = c.eastward;
  }
  return top > -91.0;
}

/* The side of a ring shorter than a quarter of the globe's circumference is the one without the pole across
 * the equator: the sign of its area may be lost in rounding. */
static bool north_of_short(const gv_feature_set *set, int64_t ring) {
  bool inside = false;
  if (set->y[set->vertex[ring]] <= 0.0) return false;
  for (int64_t v = set->vertex[ring]; v + 1 < set->vertex[ring + 1]; v++)
    inside ^= test_north(set, v, 0.0, -90.0, false).crosses;
  return inside;
}

static bool north_of_long(const gv_feature_set *set, int64_t ring, double area) {
  for (int64_t v = set->vertex[ring]; v + 1 < set->vertex[ring + 1]; v++) {
    double d = remainder(set->x[v + 1] - set->x[v], 360.0), lon = set->x[v] + 0.5 * d, lat = 0.0;
    bool eastward = false;
    gv_normalize_lonlat(&lon, &lat);
    if (d != 0.0 && topmost(set, ring, lon, &eastward)) return eastward == (area > 0.0);
  }
  return false;
}

void gv_feature_set_find_sides(gv_feature_set *set) {
  const struct geod_geodesic *geod = &set->surface.geod;
  for (int64_t p = 0; p < set->parts; p++) {
    if (set->kind[p] != GV_PART_POLYGON) continue;
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++) {
      struct geod_polygon polygon;
      double area, perimeter;
      geod_polygon_init(&polygon, 0);
      for (int64_t v = set->vertex[r]; v + 1 < set->vertex[r + 1]; v++)
        geod_polygon_addpoint(geod, &polygon, set->y[v], set->x[v]);
      geod_polygon_compute(geod, &polygon, 0, 1, &area, &perimeter);
      bool short_ring = perimeter < 1.5 * fmin(geod->a, geod->b);
      set->facts[r].north = short_ring ? north_of_short(set, r) : north_of_long(set, r, area);
    }
  }
}

/* --------------------------------------------------------------------------------------------------- both */

bool gv_part_contains(const gv_feature_set *set, int64_t part, const gv_edge_place *q) {
  if (set->kind[part] != GV_PART_POLYGON) return false;
  if (!set->globe) return in_straight(set, part, q->vector);
  if (set->straight) return in_straight_turns(set, part, q);
  bool inside = false;
  for (int64_t r = set->ring[part]; r < set->ring[part + 1]; r++)
    inside ^= in_geodesic_ring(set, r, q);
  return inside;
}

bool gv_feature_contains(const gv_feature_set *set, int32_t feature, const gv_edge_place *q) {
  if (set->boundary) return false;
  for (int64_t p = set->part[feature]; p < set->part[feature + 1]; p++)
    if (gv_part_contains(set, p, q)) return true;
  return false;
}
