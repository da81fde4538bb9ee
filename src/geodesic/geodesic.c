/* Bounds between chords and geodesics, and the canonical decision. */
#include "geodesic/geodesic.h"

#include "core/angles.h"

void gv_geodesic_init(const gv_ellipsoid *ellipsoid, gv_geodesic *out) {
  double f = ellipsoid->flattening;
  geod_init(&out->geod, ellipsoid->semi_major, f);
  gv_series_init(ellipsoid, &out->series);
  out->kernels = gv_series_kernels_get();
  gv_chords *chords = &out->chords;
  *chords = (gv_chords){.r_small = (1.0 - f) * (1.0 - f), .r_large = 1.0 / (1.0 - f), .near2 = 0.01};
  double limit = 0.999 * 2.0 * chords->r_small;
  /* On a prolate ellipsoid the radii are exchanged, which was never verified: use geod_inverse for
   * everything. */
  chords->limit2 = f >= 0.0 ? limit * limit : -1.0;
  if (f >= 0.0) {
    /* slack(c^2) = (1/12) (1/R1^2 - 1/R2^2) c^4 + higher terms of the same sign + the tolerance's share; the
     * quotient by c^4 grows with c, so its value at the end of the range is valid for all of it. */
    double c = sqrt(chords->near2),
           pure = gv_slack_of_arcs(chords, c, chords->near2) - 2.0 * c * gv_chord_tolerance;
    chords->near_coefficient = 1.000001 * fmax(pure, 0.0) / (chords->near2 * chords->near2) + 1e-13;
  }
}

double gv_geodesic_slack(const gv_geodesic *geodesic, double chord) {
  return gv_chord_slack(&geodesic->chords, chord);
}

/* Places on a prolate ellipsoid are replaced by those on the unit sphere with the same latitudes
 * (globe_kernels.h), where they are up to 1 / r_large times as far apart, the least radius of curvature being
 * a^2 / b. */
static double chord_unit(const gv_geodesic *geodesic) {
  return geodesic->chords.r_large < 1.0 ? geodesic->chords.r_large : 1.0;
}

void gv_geodesic_chords(const gv_geodesic *geodesic, double length, double *within, double *beyond) {
  double arc = length / geodesic->geod.a, limit = geodesic->chords.limit2;
  *within = -1.0;
  *beyond = INFINITY;
  if (isinf(length)) {
    *within = INFINITY;
    return;
  }
  /* No chord is longer than its geodesic; if the arcs bound it, they are tighter. */
  double longest = (arc + gv_chord_tolerance) * (1.0 + 1e-14) / chord_unit(geodesic);
  *beyond = fmax(longest * longest, limit);
  if (limit < 0.0) return;
  double angle = (arc - gv_chord_tolerance) / (2.0 * geodesic->chords.r_small);
  if (angle > 0.0) {
    double chord = angle < 1.57 ? 2.0 * geodesic->chords.r_small * sin(angle) : INFINITY;
    *within = fmin(chord * chord, limit) * (1.0 - 1e-14);
  }
  angle = (arc + gv_chord_tolerance) / (2.0 * geodesic->chords.r_large);
  if (angle < 1.57) {
    double chord = 2.0 * geodesic->chords.r_large * sin(angle) * (1.0 + 1e-14);
    if (chord * chord < limit) *beyond = chord * chord;
  }
}

void gv_geodesic_lengths(const gv_geodesic *geodesic, double near, double far, double *shortest,
                         double *longest) {
  const gv_chords *chords = &geodesic->chords;
  double a = geodesic->geod.a, limit = chords->limit2, size = fmax(a, geodesic->geod.b);
  /* A geodesic is at least as long as its part up to where the chord is that long. */
  double chord = sqrt(limit > 0.0 && near > limit ? limit : near);
  double bound = limit > 0.0 ? gv_circle_arc(chords->r_large, chord) : chord * chord_unit(geodesic);
  *shortest = a * fmax(bound - gv_chord_tolerance, 0.0) * (1.0 - 1e-14);
  /* Nothing is farther than half around the longest meridian or equator. */
  *longest = 3.1416 * size;
  if (far < limit)
    *longest = a * (gv_circle_arc(chords->r_small, sqrt(far)) + gv_chord_tolerance) * (1.0 + 1e-14);
}

static double chord2_between(const double vector[3], const gv_candidates *candidates, int32_t i) {
  double x = vector[0] - candidates->x[i], y = vector[1] - candidates->y[i], z = vector[2] - candidates->z[i];
  return x * x + y * y + z * z;
}

/* An upper bound of the arc of a chord on a circle of `radius`: asin(x) <= x + (pi/2 - 1) x^3. */
static double longest_arc(double chord, double radius) {
  double x = chord / (2.0 * radius);
  return chord * (1.0 + 0.5708 * x * x);
}

/* The least sine of the angles between low and high. */
static double least_sine(double low, double high) {
  return low > 0.0 && high < 3.1 ? fmin(sin(low), sin(high)) : 0.0;
}

/* True if a quarter of the candidates are near enough to the nearest one for their distances from it to part
 * by less than the chords' slack: slack / 2s against reach D / s. */
static bool thinning_pays(const double center[3], double reach, double slack,
                          const gv_candidates *candidates) {
  double near = slack / (2.0 * reach), least = INFINITY;
  int32_t nearest = 0, close = 0;
  for (int32_t i = 0; i < candidates->count; i++) {
    double chord2 = chord2_between(center, candidates, i);
    if (chord2 < least) {
      least = chord2;
      nearest = i;
    }
  }
  double p[3] = {candidates->x[nearest], candidates->y[nearest], candidates->z[nearest]};
  for (int32_t i = 0; i < candidates->count; i++)
    close += chord2_between(p, candidates, i) < near * near;
  return close > 1 && close >= candidates->count / 4;
}

enum { BATCH = 64 /* pairs at a time; a multiple of GV_PAIR_PADDING */ };

void gv_geodesic_thin(const gv_geodesic *geodesic, const gv_bound *bound, double slack,
                      gv_candidates *candidates) {
  if (!(slack > 2e-4 * bound->radius * bound->radius) || geodesic->series.largest_step < 0.0) return;
  /* A place on the ellipsoid near the bound's middle, and how far from it cells may be. */
  const double *m = bound->center;
  double stretched = m[2] * geodesic->series.stretch;
  double size = sqrt(m[0] * m[0] + m[1] * m[1] + stretched * stretched);
  if (!(size > 0.5) || candidates->count < 2) return;
  double center[3] = {m[0] / size, m[1] / size, m[2] / size};
  double reach = (bound->radius + fabs(1.0 - size) * 1.1) * (1.0 + 1e-9) + 1e-12;
  double b = 1.0 - geodesic->geod.f, unit = geodesic->geod.a * b; /* of angles on the sphere of radius b */
  double length = longest_arc(reach, geodesic->chords.r_small) / b * (1.0 + 1e-9),
         error = 4.0 * gv_chord_tolerance / b;
  double distance[BATCH], nearest = INFINITY;
  int32_t pivot = 0, kept = 0;
  if (!(length < 1.0)) return;
  if (!thinning_pays(center, reach, slack, candidates)) return;
  for (int32_t i = 0; i < candidates->count; i += BATCH) {
    int32_t n = candidates->count - i < BATCH ? candidates->count - i : BATCH;
    geodesic->kernels->geodesics_from(center, &geodesic->series, n, candidates->x + i, candidates->y + i,
                                      candidates->z + i, distance);
    for (int32_t k = 0; k < n; k++) {
      if (distance[k] < 0.0 || distance[k] >= nearest) continue;
      nearest = distance[k];
      pivot = i + k;
    }
  }
  double s = nearest / unit, sine = least_sine(s - length, s + length);
  if (!(sine > 0.0)) return;
  double p[3] = {candidates->x[pivot], candidates->y[pivot], candidates->z[pivot]};
  for (int32_t i = 0; i < candidates->count; i += BATCH) {
    int32_t n = candidates->count - i < BATCH ? candidates->count - i : BATCH;
    geodesic->kernels->geodesics_from(center, &geodesic->series, n, candidates->x + i, candidates->y + i,
                                      candidates->z + i, distance);
    for (int32_t k = i; k < i + n; k++) {
      double t = distance[k - i] / unit, more = t - s - error;
      if (distance[k - i] >= 0.0 && more > 0.0) {
        double apart = longest_arc(sqrt(chord2_between(p, candidates, k)), geodesic->chords.r_small) / b;
        bool small = s + t + 2.0 * length + apart < 6.0;
        /* Mostly decided without a sine of its own. */
        double other = small && more * sine > length * apart * 0.5 ? least_sine(t - length, t + length) : 0.0;
        if (more * sqrt(sine * other) > length * apart * (1.0 + 1e-9)) continue;
      }
      candidates->x[kept] = candidates->x[k];
      candidates->y[kept] = candidates->y[k];
      candidates->z[kept] = candidates->z[k];
      candidates->id[kept++] = candidates->id[k];
    }
  }
  candidates->count = kept;
}

/* Largest second derivative of the distance from a seed, in any direction, where that distance is s:
 * meters. */
static double bend_at(const gv_geodesic *geodesic, double s) {
  double a = geodesic->geod.a, b = geodesic->geod.b;
  double strong = 1.0 / b, weak = b / (a * a); /* square roots of the curvatures */
  return fmax(fabs(strong / tan(strong * s)), fabs(weak / tan(weak * s)));
}

bool gv_expansion_make(const gv_geodesic *geodesic, gv_lonlats seeds, double lon, double lat,
                       const double vector[3], double reach, const gv_candidates *candidates,
                       gv_expansion *out) {
  double a = geodesic->geod.a, half_around = GV_PI * geodesic->geod.b;
  if (candidates->count > GV_EXPANSION_LARGEST || geodesic->chords.limit2 < 0.0 || !(reach < 0.1) ||
      isnan(lon)) {
    return false;
  }
  double sin_lon, cos_lon, sin_lat, cos_lat;
  gv_sincos_degrees(1, &lon, &sin_lon, &cos_lon);
  gv_sincos_degrees(1, &lat, &sin_lat, &cos_lat);
  *out = (gv_expansion){.count = candidates->count,
                        .center = {vector[0], vector[1], vector[2]},
                        .east = {-sin_lon, cos_lon, 0.0},
                        .north = {-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat},
                        .reach = reach};
  /* of geodesics to cells within reach: chords are shorter by less than 1 % */
  double length = 1.01 * reach * a;
  for (int32_t i = 0; i < candidates->count; i++) {
    int32_t seed = candidates->id[i];
    double azimuth = 0.0, sine, cosine;
    geod_inverse(&geodesic->geod, lat, lon, seeds.lat[seed], seeds.lon[seed], &out->distance[i], &azimuth,
                 NULL);
    double nearest = out->distance[i] - length, farthest = out->distance[i] + length;
    if (!(nearest > length) || !(farthest < 0.95 * half_around)) return false;
    out->bend[i] = 1.0001 * fmax(bend_at(geodesic, nearest), bend_at(geodesic, farthest));
    gv_sincos_degrees(1, &azimuth, &sine, &cosine);
    out->rate_east[i] = -sine;
    out->rate_north[i] = -cosine;
  }
  return true;
}

/* Error of the tangent plane for a geodesic of `length` meters, plus the errors of geod_inverse and of this
 * arithmetic (micrometers). */
static double plane_error(const gv_geodesic *geodesic, double length) {
  double r1 = geodesic->chords.r_small * geodesic->geod.a;
  return length * length * length / (4.0 * r1 * r1) + 1e-6;
}

void gv_expansion_cull(const gv_geodesic *geodesic, gv_expansion *e, gv_candidates *candidates) {
  int32_t nearest = 0, kept = 0;
  for (int32_t i = 1; i < e->count; i++) {
    if (e->distance[i] < e->distance[nearest]) nearest = i;
  }
  double length = 1.01 * e->reach * geodesic->geod.a, error = 2.0 * plane_error(geodesic, length);
  double distance = e->distance[nearest], bend = e->bend[nearest];
  double east = e->rate_east[nearest], north = e->rate_north[nearest];
  for (int32_t i = 0; i < e->count; i++) {
    double apart = hypot(e->rate_east[i] - east, e->rate_north[i] - north);
    double least =
        e->distance[i] - distance - apart * length - 0.5 * (e->bend[i] + bend) * length * length - error;
    if (least > 0.0) continue;
    e->distance[kept] = e->distance[i];
    e->rate_east[kept] = e->rate_east[i];
    e->rate_north[kept] = e->rate_north[i];
    e->bend[kept] = e->bend[i];
    candidates->x[kept] = candidates->x[i];
    candidates->y[kept] = candidates->y[i];
    candidates->z[kept] = candidates->z[i];
    candidates->id[kept] = candidates->id[i];
    kept++;
  }
  e->count = candidates->count = kept;
}

/* Bounds of the distances of all candidates at a cell; false if it is out of reach. */
static bool expansion_bounds(const gv_geodesic *geodesic, const gv_expansion *e, const double vector[3],
                             double *low, double *high) {
  double a = geodesic->geod.a;
  double d[3] = {vector[0] - e->center[0], vector[1] - e->center[1], vector[2] - e->center[2]};
  double chord = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  if (!(chord <= e->reach)) return false;
  double east = a * (d[0] * e->east[0] + d[1] * e->east[1]);
  double north = a * (d[0] * e->north[0] + d[1] * e->north[1] + d[2] * e->north[2]);
  double length = 1.01 * chord * a, error = plane_error(geodesic, length);
  for (int32_t i = 0; i < e->count; i++) {
    double distance = e->distance[i] + e->rate_east[i] * east + e->rate_north[i] * north;
    double rest = 0.5 * e->bend[i] * length * length + error;
    low[i] = distance - rest;
    high[i] = distance + rest;
  }
  return true;
}

void gv_geodesic_bounds(const gv_geodesic *geodesic, const double vector[3], int32_t n, const double *x,
                        const double *y, const double *z, double *low, double *high) {
  double error = gv_chord_tolerance * geodesic->geod.a, distance[BATCH];
  for (int32_t i = 0; i < n; i += BATCH) {
    int32_t count = n - i < BATCH ? n - i : BATCH;
    geodesic->kernels->geodesics_from(vector, &geodesic->series, count, x + i, y + i, z + i, distance);
    for (int32_t k = 0; k < count; k++) {
      bool known = distance[k] >= 0.0;
      low[i + k] = known ? fmax(distance[k] - error, 0.0) : 0.0;
      high[i + k] = known ? distance[k] + error : INFINITY;
    }
  }
}

/* Candidates that may still be the nearest, and bounds of the least distance. */
typedef struct decision {
  const gv_geodesic *geodesic;
  gv_lonlats seeds;
  double lon, lat;
  const double *vector;
  const gv_candidates *candidates;
  /* Waiting for their series. */
  int32_t waiting;
  double x[BATCH], y[BATCH], z[BATCH];
  int32_t waiting_place[BATCH];
  /* Open: how near they may be. */
  int32_t open;
  double low[2 * BATCH];
  int32_t place[2 * BATCH];
  double high; /* the nearest is not farther than this */
  /* Of those computed by geod_inverse. */
  double best;
  int32_t nearest;
} decision;

static void decision_shorten(decision *c) {
  int32_t kept = 0;
  for (int32_t i = 0; i < c->open; i++) {
    if (c->low[i] > c->high) continue;
    c->low[kept] = c->low[i];
    c->place[kept++] = c->place[i];
  }
  c->open = kept;
}

static void decision_measure(decision *c) {
  for (int32_t i = 0; i < c->open; i++) {
    if (c->low[i] > c->high) continue;
    int32_t seed = c->candidates->id[c->place[i]];
    double distance = INFINITY;
    geod_inverse(&c->geodesic->geod, c->lat, c->lon, c->seeds.lat[seed], c->seeds.lon[seed], &distance, NULL,
                 NULL);
    if (distance < c->best || (distance == c->best && c->place[i] < c->nearest)) {
      c->best = distance;
      c->nearest = c->place[i];
    }
    c->high = distance < c->high ? distance : c->high;
  }
  c->open = 0;
}

static void decision_evaluate(decision *c) {
  double low[BATCH], high[BATCH];
  for (int32_t i = c->waiting; i % GV_PAIR_PADDING != 0; i++)
    c->x[i] = c->y[i] = c->z[i] = 0.0;
  gv_geodesic_bounds(c->geodesic, c->vector, c->waiting, c->x, c->y, c->z, low, high);
  for (int32_t i = 0; i < c->waiting; i++) {
    c->high = high[i] < c->high ? high[i] : c->high;
    c->low[c->open] = low[i];
    c->place[c->open++] = c->waiting_place[i];
  }
  c->waiting = 0;
  decision_shorten(c);
  if (c->open > BATCH) decision_measure(c);
}

int32_t gv_geodesic_decide(const gv_geodesic *geodesic, gv_lonlats seeds, double lon, double lat,
                           const double vector[3], const gv_candidates *candidates,
                           const gv_expansion *expansion) {
  double least = INFINITY, second = INFINITY;
  int32_t nearest = 0;
  for (int32_t i = 0; i < candidates->count; i++) {
    double chord2 = chord2_between(vector, candidates, i);
    if (chord2 < least) {
      second = least;
      least = chord2;
      nearest = i;
    } else if (chord2 < second) {
      second = chord2;
    }
  }
  /* Positions are good to a few 1e-16, chords to twice that: gv_chord_tolerance covers it. */
  double reach = least + gv_geodesic_slack(geodesic, sqrt(least));
  if (second > reach) return nearest;

  double low[GV_EXPANSION_LARGEST], high[GV_EXPANSION_LARGEST], best_high = INFINITY;
  bool expanded = expansion != NULL && expansion_bounds(geodesic, expansion, vector, low, high);
  int32_t open = 0;
  for (int32_t i = 0; expanded && i < candidates->count; i++)
    best_high = high[i] < best_high ? high[i] : best_high;
  for (int32_t i = 0; expanded && i < candidates->count; i++) {
    if (low[i] <= best_high) {
      nearest = i;
      open++;
    }
  }
  if (expanded && open == 1) return nearest;

  decision c; /* field by field: its lists are long and mostly stay empty */
  c.geodesic = geodesic;
  c.seeds = seeds;
  c.lon = lon;
  c.lat = lat;
  c.vector = vector;
  c.candidates = candidates;
  c.waiting = c.open = 0;
  c.high = c.best = INFINITY;
  c.nearest = nearest;
  for (int32_t i = 0; i < candidates->count; i++) {
    if (chord2_between(vector, candidates, i) > reach || (expanded && low[i] > best_high)) continue;
    c.x[c.waiting] = candidates->x[i];
    c.y[c.waiting] = candidates->y[i];
    c.z[c.waiting] = candidates->z[i];
    c.waiting_place[c.waiting++] = i;
    if (c.waiting == BATCH) decision_evaluate(&c);
  }
  decision_evaluate(&c);
  if (c.open == 1 && c.best == INFINITY) return c.place[0];
  decision_measure(&c);
  return c.nearest;
}
