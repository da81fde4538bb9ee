/*
 * The least distance from a position to an edge on the globe.
 *
 * Let f(u) be the distance from the position q to the place P(u) of the edge, 0 <= u <= 1, v = |P'| and k
 * = |D_u P'| the size of the edge's acceleration within the surface (none for a geodesic). geod_inverse
 * gives f and, by the direction in which the shortest geodesic arrives at P, its slope f'. Where f is
 * smooth
 *     f'' = Hess f(P', P') + <grad f, D_u P'>.
 * By the Hessian comparison theorem (Petersen, Riemannian Geometry, ch. 6), with K between the least and
 * the largest Gaussian curvature, a motion across the shortest geodesic bends f by at least r cot(r f),
 * r^2 = largest K, while f < pi / r, and by at most r cot(r f), r^2 = least K, wherever it is (in the
 * sense of barriers where shortest geodesics meet: f has edges there, which point upward). An ellipsoid's
 * injectivity radius is at least pi / r for the largest K (Klingenberg; its closed geodesics are longer).
 * So, in a piece of length h of u in which f is known to stay within [near, far] because its slope is at
 * most v:
 *   1. f >= near: the piece is left if near is not below the least value found so far.
 *   2. Where v^2 r cot(r far) > k, every place with f' = 0 is a strict minimum, since there the motion is
 *      across: there is at most one, and only if f falls at the beginning and rises at the end. Then it is
 *      bracketed and found by secants.
 *   3. Where v^2 r cot(r near) < -k for the least K, every such place is a maximum: the ends, which are
 *      known, are the least.
 *   4. f'' <= M = k + v^2 max(0, r cot(r near)) for the least K: the piece is left if the lesser end less
 *      M h^2 / 8 is not below the least value found so far. And f'' >= -m, m = k + v^2 max(0, -r cot(r
 *      far)) for the largest K (where that cot is positive it takes off from k, by the motion across,
 *      which is the speed but for the slope, which is known to within M h / 2): the piece is left if f
 *      rises by more than m h at its beginning or falls by more at its end, or if the higher of the
 *      tangents at the ends, less m h^2 / 2, stays above the least value found;
 *   5. otherwise it is halved.
 * Rules 1 and 4 leave at most GV_EDGE_TOLERANCE unfound, rule 2 stops where another step would gain less
 * than GV_EDGE_GAIN. All values are distances to places of the edge, so the result is never below the
 * least one (but for geod_inverse's 15 nm). Two local minima inside an edge need f beyond pi / 2r, 9985 km
 * on the Earth: rules 1 and 4 see to these.
 *
 * A line straight in longitude and latitude, of rates l' and p' by u: v^2 = (N cos p l')^2 + (M p')^2, and
 * the acceleration's components are -2 M sin p l' p' to the east and M_p p'^2 + N sin p cos p l'^2 to the
 * north, M and N the radii of curvature, M_p = 3 M e^2 sin p cos p / (1 - e^2 sin^2 p).
 */
#include "core/angles.h"
#include "exact/edge.h"
#include "exact/edge_course.h"

#include <math.h>

#include "exact/distance.h"
#include "exact/sines.h"

static const double pi = GV_PI, radian = GV_DEGREE;

#define GV_EDGE_TOLERANCE 6e-5 /* meters */
#define GV_EDGE_GAIN      1e-6

void gv_edge_surface_init(const gv_ellipsoid *ellipsoid, bool sphere, gv_edge_surface *out) {
  *out = (gv_edge_surface){.sphere = sphere, .ellipsoid = *ellipsoid};
  if (sphere) out->ellipsoid = (gv_ellipsoid){gv_globe_radius(ellipsoid), 0.0, 0.0};
  double a = out->ellipsoid.semi_major, b = a * (1.0 - out->ellipsoid.flattening);
  geod_init(&out->geod, a, out->ellipsoid.flattening);
  out->radius = gv_globe_radius(&out->ellipsoid);
  double equator = 1.0 / b, pole = b / (a * a); /* roots of the curvature */
  out->root_least = fmin(equator, pole);
  out->root_most = fmax(equator, pole);
  out->smallest = fmin(a * a / b, b * b / a); /* the meridian's, at a pole or at the equator */
}

/* ------------------------------------------------------------------------------------------------ looking */

static void sample_on_sphere(const gv_edge_surface *surface, const gv_edge_place *q, double lon, double lat,
                             gv_edge_view *out) {
  double p[3], s[4]; /* sines, then cosines */
  gv_sines(lon, &s[0], &s[2]);
  gv_sines(lat, &s[1], &s[3]);
  gv_lonlat_to_vectors(NULL, false, 1, &lon, &lat, p, p + 1, p + 2);
  out->canonical = gv_canonical_distance(q->vector, p, 3, GV_EUCLIDEAN);
  out->distance = gv_arc_of_chord2(surface->radius, out->canonical);
  /* The direction from which the position is seen, turned round. */
  double east = -s[0] * q->vector[0] + s[2] * q->vector[1];
  double north = -s[1] * (s[2] * q->vector[0] + s[0] * q->vector[1]) + s[3] * q->vector[2];
  out->arrival = atan2(-east, -north) / radian;
  out->azimuth = 0.0;
}

void gv_edge_view_of(const gv_edge_surface *surface, const gv_edge_place *q, double lon, double lat,
                     gv_edge_view *out) {
  gv_normalize_lonlat(&lon, &lat);
  if (surface->sphere) {
    sample_on_sphere(surface, q, lon, lat, out);
  } else {
    geod_inverse(&surface->geod, q->lat, q->lon, lat, lon, &out->distance, &out->azimuth, &out->arrival);
    out->canonical = out->distance;
  }
}

/* -------------------------------------------------------------------------------------------------- edges */

void gv_edge_make(const gv_edge_surface *surface, bool straight, const double first[2],
                  const double second[2], gv_edge *out) {
  double a[2] = {first[0] + 0.0, first[1] + 0.0}, b[2] = {second[0] + 0.0, second[1] + 0.0};
  if (!straight) {
    gv_normalize_lonlat(&a[0], &a[1]);
    gv_normalize_lonlat(&b[0], &b[1]);
  }
  bool reversed = b[1] < a[1] || (b[1] == a[1] && b[0] < a[0]);
  const double *from = reversed ? b : a, *to = reversed ? a : b;
  *out = (gv_edge){.surface = surface,
                   .straight = straight,
                   .reversed = reversed,
                   .lon = {from[0], to[0]},
                   .lat = {from[1], to[1]}};
  if (straight) {
    out->rate_lon = (to[0] - from[0]) * radian;
    out->rate_lat = (to[1] - from[1]) * radian;
    return;
  }
  geod_inverse(&surface->geod, from[1], from[0], to[1], to[0], &out->length, &out->start, &out->finish);
  geod_lineinit(&out->line, &surface->geod, from[1], from[0], out->start,
                GEOD_LATITUDE | GEOD_LONGITUDE | GEOD_AZIMUTH | GEOD_DISTANCE_IN);
}

/* As written if straight. `azimuth`: of a geodesic. */
static void place_at(const gv_edge *edge, double u, double *lon, double *lat, double *azimuth) {
  int end = u == 1.0 ? 1 : 0;
  if (u == 0.0 || u == 1.0) {
    *lon = edge->lon[end];
    *lat = edge->lat[end];
    *azimuth = end == 0 ? edge->start : edge->finish;
  } else if (edge->straight) {
    *lon = edge->lon[0] + u * (edge->lon[1] - edge->lon[0]);
    *lat = edge->lat[0] + u * (edge->lat[1] - edge->lat[0]);
  } else {
    geod_position(&edge->line, u * edge->length, lat, lon, azimuth);
  }
}

void gv_edge_at(const gv_edge *edge, double u, double *lon, double *lat) {
  double azimuth;
  place_at(edge, u, lon, lat, &azimuth);
  gv_normalize_lonlat(lon, lat);
}

bool gv_edge_course(const gv_edge *edge, double u, double place[3], double along[3]) {
  double lon, lat, azimuth = 0.0, sine[3], cosine[3];
  place_at(edge, u, &lon, &lat, &azimuth);
  if (fabs(lat) == 90.0) return false;
  gv_normalize_lonlat(&lon, &lat);
  if (edge->straight) {
    double *to[2][3] = {{place, place + 1, place + 2}, {along, along + 1, along + 2}};
    gv_straight_courses(edge->surface, 1, &lon, &lat, &edge->rate_lon, &edge->rate_lat, to[0], to[1]);
    return true;
  }
  gv_lonlat_to_vectors(&edge->surface->ellipsoid, true, 1, &lon, &lat, place, place + 1, place + 2);
  const double angle[3] = {lon, lat, remainder(azimuth, 360.0)};
  gv_sincos_degrees(3, angle, sine, cosine);
  gv_edge_turn_to(sine[0], cosine[0], sine[1], cosine[1], sine[2], cosine[2], along);
  return true;
}

void gv_straight_courses(const gv_edge_surface *surface, int32_t count, const double *lon, const double *lat,
                         const double *rate_lon, const double *rate_lat, double *const place[3],
                         double *const along[3]) {
  enum { PIECE = 32 };
  double sine[2][PIECE], cosine[2][PIECE], m, n, to[3];
  gv_lonlat_to_vectors(&surface->ellipsoid, true, count, lon, lat, place[0], place[1], place[2]);
  for (int32_t first = 0; first < count; first += PIECE) {
    int32_t piece = count - first < PIECE ? count - first : PIECE;
    gv_sincos_degrees(piece, lon + first, sine[0], cosine[0]);
    gv_sincos_degrees(piece, lat + first, sine[1], cosine[1]);
    for (int32_t i = 0; i < piece; i++) {
      gv_edge_radii(&surface->ellipsoid, sine[1][i], &m, &n);
      double east = n * cosine[1][i] * rate_lon[first + i], north = m * rate_lat[first + i];
      gv_edge_turn_to(sine[0][i], cosine[0][i], sine[1][i], cosine[1][i], east, north, to);
      for (int axis = 0; axis < 3; axis++)
        along[axis][first + i] = to[axis];
    }
  }
}

/* --------------------------------------------------------------------------------------------- the search */

/* f and its slope at a place; speed is |P'|. */
typedef struct sample {
  double u, f, slope, speed;
} sample;

typedef struct edge_search {
  const gv_edge *edge;
  const gv_edge_place *q;
  double best; /* least f */
  double best_u;
  gv_edge_closest *closest;
} edge_search;

static sample edge_search_evaluate(edge_search *s, double u, double lon, double lat, double azimuth,
                                   const gv_edge_view *view) {
  const gv_edge *edge = s->edge;
  sample out = {.u = u, .f = view->distance};
  /* Azimuths at a pole are those of longitude 0, turned here to those of the edge's own. */
  double arrival = view->arrival + (lat == 90.0 ? lon : lat == -90.0 ? -lon : 0.0);
  if (edge->straight) {
    double sine[2], cosine[2], m, n;
    gv_sines(fabs(arrival) > 180.0 ? remainder(arrival, 360.0) : arrival, &sine[0], &cosine[0]);
    gv_sines(lat, &sine[1], &cosine[1]);
    gv_edge_radii(&edge->surface->ellipsoid, sine[1], &m, &n);
    double east = n * cosine[1] * edge->rate_lon, north = m * edge->rate_lat;
    out.slope = sine[0] * east + cosine[0] * north;
    out.speed = sqrt(east * east + north * north);
  } else {
    out.slope = edge->length * cos((arrival - azimuth) * radian);
    out.speed = edge->length;
  }
  if (view->canonical < s->closest->canonical) {
    gv_normalize_lonlat(&lon, &lat);
    s->best = view->distance;
    s->best_u = u;
    s->closest->canonical = view->canonical;
    s->closest->lon = lon;
    s->closest->lat = lat;
    s->closest->azimuth = view->azimuth;
  }
  return out;
}

static sample edge_search_sample(edge_search *s, double u) {
  gv_edge_view view;
  double lon, lat, azimuth = 0.0;
  place_at(s->edge, u, &lon, &lat, &azimuth);
  gv_edge_view_of(s->edge->surface, s->q, lon, lat, &view);
  return edge_search_evaluate(s, u, lon, lat, azimuth, &view);
}

/* How far in u the closest point is from a sample, as on a sphere with a great circle for the edge. */
static double step_from(const edge_search *s, const sample *at) {
  double rho = s->edge->surface->radius, angle = at->f / rho, cosine = at->slope / at->speed;
  return -rho * atan2(sin(angle) * cosine, cos(angle)) / at->speed;
}

/* Between a sample where f falls and one where it rises, with one minimum. */
static void find_minimum(edge_search *s, sample low, sample high) {
  sample last = low.f <= high.f ? low : high;
  double u = last.speed > 0.0 ? last.u + step_from(s, &last) : NAN;
  for (int i = 0; i < 64; i++) {
    if (!(u > low.u) || !(u < high.u)) u = low.u - low.slope * (high.u - low.u) / (high.slope - low.slope);
    if (!(u > low.u) || !(u < high.u) || i % 4 == 3) u = 0.5 * (low.u + high.u);
    if (!(u > low.u) || !(u < high.u)) return;
    sample before = last;
    last = edge_search_sample(s, u);
    if (last.slope == 0.0) return;
    if (last.slope < 0.0) {
      low = last;
    } else {
      high = last;
    }
    double bend = (last.slope - before.slope) / (last.u - before.u);
    double step = bend > 0.0 ? -last.slope / bend : step_from(s, &last);
    double sphere = last.speed > 0.0 ? step_from(s, &last) : step;
    /* The possible gain is half the slope times the step, by both estimates of the step. */
    if (fmax(fabs(step), fabs(sphere)) * fabs(last.slope) * 0.5 < GV_EDGE_GAIN) return;
    u = last.u + (i == 0 ? sphere : step);
  }
}

static gv_edge_motion motion_within(const gv_edge *edge, double u0, double u1) {
  if (!edge->straight) return (gv_edge_motion){edge->length, edge->length, 0.0};
  const gv_ellipsoid *e = &edge->surface->ellipsoid;
  double lat0 = edge->lat[0] + u0 * (edge->lat[1] - edge->lat[0]);
  double lat1 = edge->lat[0] + u1 * (edge->lat[1] - edge->lat[0]);
  double high = fmin(fmax(fabs(lat0), fabs(lat1)), 90.0);
  double low = (lat0 < 0.0) == (lat1 < 0.0) ? fmin(fabs(lat0), fabs(lat1)) : 0.0;
  double sine[2], cosine[2], m[2], n[2];
  gv_sines(high, &sine[0], &cosine[0]);
  gv_sines(fmin(low, 90.0), &sine[1], &cosine[1]);
  /* Both radii change in one direction from the equator to the pole. */
  gv_edge_radii(e, sine[0], &m[0], &n[0]);
  gv_edge_radii(e, sine[1], &m[1], &n[1]);
  double m_most = fmax(m[0], m[1]), m_least = fmin(m[0], m[1]);
  double n_most = fmax(n[0], n[1]), n_least = fmin(n[0], n[1]);
  double l = fabs(edge->rate_lon), p = fabs(edge->rate_lat), s = sine[0], c = cosine[1];
  double e2 = fabs(e->eccentricity2) * fmax(1.0, 1.0 / (1.0 - e->eccentricity2));
  double east = 2.0 * m_most * s * l * p, north = s * c * (n_most * l * l + 3.0 * e2 * m_most * p * p);
  double across = n_most * c * l, along = m_most * p;
  double slow_across = n_least * cosine[0] * l, slow_along = m_least * p;
  return (gv_edge_motion){.fastest = (1.0 + 1e-9) * sqrt(across * across + along * along),
                          .slowest = (1.0 - 1e-9) * sqrt(slow_across * slow_across + slow_along * slow_along),
                          .turn = (1.0 + 1e-9) * sqrt(east * east + north * north)};
}

gv_edge_motion gv_edge_motion_of(const gv_edge *edge) {
  return motion_within(edge, 0.0, 1.0);
}

/* r cot(r f) for 0 < r f < pi. */
static double bend(double root, double f) {
  double angle = root * f;
  if (angle <= 0.0) return INFINITY;
  return angle < pi ? root * cos(angle) / sin(angle) : -INFINITY;
}

typedef struct edge_piece {
  sample from, to;
} edge_piece;

/* The least square of the speed across the shortest geodesic within a piece: the slope, which is the speed
 * along it, hardly leaves that at the ends. */
static double least_across2(const edge_piece *p, const gv_edge_motion *m, double rise) {
  double most = fmax(fabs(p->from.slope), fabs(p->to.slope)) + 0.5 * rise * (p->to.u - p->from.u);
  return fmax(0.0, m->slowest * m->slowest - most * most);
}

/* The least height of the higher one of the tangents at the ends. */
static double below_tangents(const edge_piece *p) {
  double h = p->to.u - p->from.u, at_to = p->from.f + p->from.slope * h, at_from = p->to.f - p->to.slope * h;
  if (p->from.slope >= 0.0) return fmax(p->from.f, p->to.slope >= 0.0 ? at_from : p->to.f);
  if (p->to.slope <= 0.0) return fmax(p->to.f, at_to);
  double x = (at_from - p->from.f) / (p->from.slope - p->to.slope);
  return x <= 0.0 ? at_from : x >= h ? at_to : p->from.f + p->from.slope * x;
}

/* True if the piece has been dealt with, false if it is to be halved. */
static bool edge_search_finish(edge_search *s, const edge_piece *p) {
  const gv_edge_surface *surface = s->edge->surface;
  double h = p->to.u - p->from.u, middle = 0.5 * (p->from.f + p->to.f);
  gv_edge_motion m = motion_within(s->edge, p->from.u, p->to.u);
  double reach = 0.5 * m.fastest * h * 1.000001 + 1e-6, near = middle - reach, far = middle + reach;
  if (near >= s->best - GV_EDGE_TOLERANCE) return true;
  double slow2 = m.slowest * m.slowest, fast2 = m.fastest * m.fastest;
  double upward = bend(surface->root_most, far);
  if (upward > 0.0 && slow2 * upward > m.turn) {
    if (p->from.slope < 0.0 && p->to.slope > 0.0) find_minimum(s, p->from, p->to);
    return true;
  }
  if (near > 0.0 && slow2 * bend(surface->root_least, near) < -m.turn) return true;
  double wanted = s->best - GV_EDGE_TOLERANCE;
  double rise = m.turn + fast2 * fmax(0.0, bend(surface->root_least, near));
  if (fmin(p->from.f, p->to.f) - rise * h * h / 8.0 >= wanted) return true;
  if (!isfinite(upward)) return h < 0x1p-40;
  double fall = m.turn + fast2 * fmax(0.0, -upward);
  if (upward > 0.0 && near > 0.0) fall = fmax(0.0, m.turn - upward * least_across2(p, &m, rise));
  if (p->from.slope >= fall * h || p->to.slope <= -fall * h) return true;
  if (below_tangents(p) - 0.5 * fall * h * h >= wanted) return true;
  return h < 0x1p-40;
}

void gv_edge_nearest(const gv_edge *edge, const gv_edge_place *q, const gv_edge_view ends[2],
                     gv_edge_closest *closest) {
  enum { DEPTH = 64 };
  edge_piece stack[DEPTH];
  int open = 0;
  edge_search s = {.edge = edge, .q = q, .best = INFINITY, .closest = closest};
  *closest = (gv_edge_closest){.canonical = INFINITY};
  const gv_edge_view *from = &ends[edge->reversed ? 1 : 0], *to = &ends[edge->reversed ? 0 : 1];
  stack[0].from = edge_search_evaluate(&s, 0.0, edge->lon[0], edge->lat[0], edge->start, from);
  stack[0].to = edge_search_evaluate(&s, 1.0, edge->lon[1], edge->lat[1], edge->finish, to);
  bool point = edge->straight ? edge->rate_lon == 0.0 && edge->rate_lat == 0.0 : !(edge->length > 0.0);
  /* From a pole it is the latitude that counts (a parallel is all as far): a line's is greatest at an end,
   * and so is a geodesic's unless it rises at one end and falls at the other, with one greatest latitude in
   * between. */
  bool pole = fabs(q->lat) == 90.0;
  if (!point && !pole) open = 1;
  if (!point && pole && !edge->straight && stack[0].from.slope < 0.0 && stack[0].to.slope > 0.0)
    find_minimum(&s, stack[0].from, stack[0].to);
  while (open > 0 && s.best > 0.0) {
    edge_piece p = stack[--open];
    if (edge_search_finish(&s, &p) || open + 2 > DEPTH) continue;
    sample middle = edge_search_sample(&s, 0.5 * (p.from.u + p.to.u));
    /* The half with the nearer end is searched first. */
    edge_piece halves[2] = {{p.from, middle}, {middle, p.to}};
    int first = p.from.f <= p.to.f ? 0 : 1;
    stack[open++] = halves[1 - first];
    stack[open++] = halves[first];
  }
  if (edge->surface->sphere)
    gv_lonlat_to_vectors(NULL, false, 1, &closest->lon, &closest->lat, closest->vector, closest->vector + 1,
                         closest->vector + 2);
}

/*
 * With f the distance from the end and s > 0 its slope away from it: as long as f stays below pi / 2r, r^2
 * the largest K, f'' >= -turn. Where s >= 2 turn the far end is therefore farther by s / 2 at least, which is
 * more than geod_inverse's error, and rule 4 leaves the whole edge at once, without testing another place.
 * (The slope's own error is that of the azimuth, 1e-7 of the speed from a meter on.)
 */
bool gv_edge_nearest_is_end(const gv_edge *edge, const gv_edge_place *q, int end, const gv_edge_view *view,
                            double speed, double turn, gv_edge_closest *closest) {
  int at = (end == 1) != edge->reversed ? 1 : 0;
  double far = view->distance + 1.5 * speed + 1.0;
  if (!(view->distance >= 1.0) || !(edge->surface->root_most * far < 1.57)) return false;
  edge_search s = {.edge = edge, .q = q, .best = INFINITY, .closest = closest};
  *closest = (gv_edge_closest){.canonical = INFINITY};
  sample here = edge_search_evaluate(&s, (double)at, edge->lon[at], edge->lat[at],
                                     at == 0 ? edge->start : edge->finish, view);
  double away = at == 0 ? here.slope : -here.slope;
  if (!(away >= 2.0 * turn + 1e-6 * speed + 1e-5)) return false;
  if (edge->surface->sphere)
    gv_lonlat_to_vectors(NULL, false, 1, &closest->lon, &closest->lat, closest->vector, closest->vector + 1,
                         closest->vector + 2);
  return true;
}
