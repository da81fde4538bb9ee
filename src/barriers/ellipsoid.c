/*
 * Places are those of the auxiliary sphere: unit vectors of longitudes and reduced latitudes. There a
 * geodesic is nearly a great circle (geodesic/series.h), so all that a determinant decides on the sphere is
 * decided here by one with a margin (gv_barrier_bend).
 *
 * The rule for the side of a leg on which a place lies. Of the three places let r be the one opposite to the
 * longest side, so that it is beside the geodesic of the other two, p and q. The sign of the determinant of
 * all three decides if it exceeds the margin; else that of the distance of r from the geodesic by the series,
 * if this exceeds 6 mm; else that by the azimuths of geod_inverse, if this exceeds 0.6 micrometers; else the
 * exact sign of the determinant. Every order of the three is computed in one order, so signs of permutations
 * agree. Places within a hundred meters of each other are decided by exact signs only, and so are those on
 * one geodesic: these agree with each other.
 */
#include "barriers/ellipsoid.h"

#include "core/angles.h"
#include "exact/orientation.h"
#include "geodesic/series_numbers.h"

#define SURE_BY_SERIES  1e-9 /* of the radius */
#define SURE_BY_INVERSE 1e-13

bool gv_barrier_ellipsoid_init(gv_barriers *b) {
  const double f = b->ellipsoid.flattening;
  gv_geodesic_init(&b->ellipsoid, &b->geodesic);
  b->bend = 0.25 * f;
  b->bend_limit2 = 2.0 - 2.0 * b->geodesic.series.least_cosine;
  /* A way of length s on the auxiliary sphere has one between b s and a s. */
  b->least_radius = b->geodesic.series.b;
  b->most_radius = b->geodesic.series.a;
  b->length_error = 1e-7;
  return b->geodesic.series.largest_step > 0.0;
}

/* a . (p x q) where a is not far from p, and p not from q. */
static double ellipsoid_determinant(const double *p, const double *q, const double *a, double *size) {
  const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, e[3] = {a[0] - p[0], a[1] - p[1], a[2] - p[2]};
  const double n[3] = {p[1] * d[2] - p[2] * d[1], p[2] * d[0] - p[0] * d[2], p[0] * d[1] - p[1] * d[0]};
  *size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  return n[0] * e[0] + n[1] * e[1] + n[2] * e[2];
}

/* --------------------------------------------------------------------------------- the side of a geodesic */

/* Turns q so that the great circle to it is the geodesic from p. False: the series has no solution. */
static bool ellipsoid_turn_to(const gv_series *series, const double *p, const double *q, double out[3]) {
  const double flat = 1.0 - series->f, place[3] = {p[0], p[1], p[2] * flat},
               seed[3] = {q[0], q[1], q[2] * flat};
  gv_solution solution;
  gv_solve(series, place, seed, &solution);
  out[0] = solution.x;
  out[1] = solution.y;
  out[2] = q[2];
  return gv_is_solved(series, &solution);
}

static bool ellipsoid_offset_by_series(const gv_barriers *b, const double *p, const double *q,
                                       const double *r, double *offset) {
  const gv_series *series = &b->geodesic.series;
  double to_p[3], to_q[3], size;
  if (!(gv_barrier_distance2(p, q) < b->bend_limit2)) return false;
  if (!ellipsoid_turn_to(series, r, p, to_p) || !ellipsoid_turn_to(series, r, q, to_q)) return false;
  *offset = ellipsoid_determinant(to_p, to_q, r, &size);
  if (size > 0.0) *offset /= size;
  return size > 0.0;
}

static double ellipsoid_azimuth_to(const gv_barriers *b, const double *p, const double *q) {
  const double stretch = b->geodesic.series.stretch;
  double azimuth, lat[2], lon[2];
  for (int i = 0; i < 2; i++) {
    const double *x = i == 0 ? p : q;
    lon[i] = atan2(x[1], x[0]) / GV_DEGREE;
    lat[i] = atan2(x[2] * stretch, sqrt(x[0] * x[0] + x[1] * x[1])) / GV_DEGREE;
  }
  geod_inverse(&b->geodesic.geod, lat[0], lon[0], lat[1], lon[1], NULL, &azimuth, NULL);
  return azimuth;
}

/* Near the antipodes, where a third place sees no angle between both, from the end that is nearer to it. */
static double ellipsoid_offset_by_inverse(const gv_barriers *b, const double *p, const double *q,
                                          const double *r) {
  const double pq2 = gv_barrier_distance2(p, q), pr2 = gv_barrier_distance2(p, r),
               qr2 = gv_barrier_distance2(q, r);
  if (pq2 < b->bend_limit2) {
    const double angle = ellipsoid_azimuth_to(b, r, p) - ellipsoid_azimuth_to(b, r, q);
    return sin(GV_DEGREE * angle) * sqrt(pr2 * qr2 / pq2);
  }
  if (pr2 <= qr2)
    return sin(GV_DEGREE * (ellipsoid_azimuth_to(b, p, q) - ellipsoid_azimuth_to(b, p, r))) * sqrt(pr2);
  return sin(GV_DEGREE * (ellipsoid_azimuth_to(b, q, r) - ellipsoid_azimuth_to(b, q, p))) * sqrt(qr2);
}

double gv_barrier_ellipsoid_offset(const gv_barriers *b, const double *p, const double *q, const double *r) {
  double offset;
  if (ellipsoid_offset_by_series(b, p, q, r, &offset) && fabs(offset) > SURE_BY_SERIES) return offset;
  return ellipsoid_offset_by_inverse(b, p, q, r);
}

static bool ellipsoid_before(const double *p, const double *q) {
  const int d = p[0] != q[0] ? 0 : p[1] != q[1] ? 1 : 2;
  return p[d] < q[d];
}

int gv_barrier_ellipsoid_turn(const gv_barriers *b, const double *p, const double *q, const double *r) {
  const double *place[3] = {p, q, r};
  const double opposite[3] = {gv_barrier_distance2(q, r), gv_barrier_distance2(r, p),
                              gv_barrier_distance2(p, q)};
  if (opposite[0] == 0.0 || opposite[1] == 0.0 || opposite[2] == 0.0) return 0;
  int at = 0;
  for (int i = 1; i < 3; i++)
    if (opposite[i] > opposite[at] || (opposite[i] == opposite[at] && ellipsoid_before(place[i], place[at])))
      at = i;
  /* Differences of coordinates are within 2^-53 of themselves. */
  double size;
  const double determinant = ellipsoid_determinant(p, q, r, &size),
               error = 2e-15 * sqrt(opposite[1] * opposite[2]);
  const double least = fmin(opposite[(at + 1) % 3], opposite[(at + 2) % 3]);
  if (fabs(determinant) > gv_barrier_bend_beside(b, opposite[at], least) + error)
    return gv_barrier_sign(determinant);
  const double *from = place[(at + 1) % 3], *to = place[(at + 2) % 3];
  const bool turned = ellipsoid_before(to, from);
  const double offset = gv_barrier_ellipsoid_offset(b, turned ? to : from, turned ? from : to, place[at]);
  if (fabs(offset) > SURE_BY_INVERSE) return gv_barrier_sign(turned ? -offset : offset);
  return gv_barrier_sphere.turn(b, p, q, r);
}

/* ----------------------------------------------------------------------------------- lengths and azimuths */

/* As for cells of grids (measure/measure.c): the series, and geod_inverse where it has no solution. */
static void ellipsoid_solve(const gv_barriers *b, const double *x, const double *at, const gv_way_source *to,
                            gv_solution *solution) {
  const double place[3] = {x[0], x[1], at[2]}, seed[3] = {to->x[0], to->x[1], to->at[2]};
  gv_solve(&b->geodesic.series, place, seed, solution);
}

double gv_barrier_ellipsoid_length(const gv_barriers *b, const gv_way_source *from, const double *x,
                                   const double *at) {
  gv_solution solution;
  ellipsoid_solve(b, x, at, from, &solution);
  if (!gv_is_solved(&b->geodesic.series, &solution))
    geod_inverse(&b->geodesic.geod, at[1], at[0], from->at[1], from->at[0], &solution.length, NULL, NULL);
  return solution.length;
}

double gv_barrier_ellipsoid_azimuth(const gv_barriers *b, const double *x, const double *at,
                                    const gv_way_source *to) {
  const gv_series *series = &b->geodesic.series;
  gv_solution solution;
  double azimuth;
  if (gv_barrier_same(x, to->x)) return 0.0;
  ellipsoid_solve(b, x, at, to, &solution);
  if (!gv_is_directed(series, &solution)) {
    geod_inverse(&b->geodesic.geod, at[1], at[0], to->at[1], to->at[0], NULL, &azimuth, NULL);
    return azimuth;
  }
  const double p = sqrt(x[0] * x[0] + x[1] * x[1]), cosine = p > 0.0 ? x[0] / p : 1.0,
               sine = p > 0.0 ? x[1] / p : 0.0;
  return gv_bearing_on_sphere(cosine, sine, p, at[2] * series->stretch, solution.x, solution.y,
                              to->at[2] * series->stretch);
}
