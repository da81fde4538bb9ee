/* Bounds between chords and geodesics, and the canonical decision. */
#include "voronoi/geodesic.h"

/* Room for the 5 nm of the bounds, the 15 nm of geod_inverse and the rounding of chords (about 2 nm on the Earth),
 * with a factor to spare: 0.1 micrometres on the Earth, in units of the semi-major axis. */
static const double tolerance = 1.6e-14;

static double slack_exactly(const gv_geodesic *geodesic, double chord2) {
  double chord = sqrt(chord2);
  double longest = 2.0 * geodesic->r_small * asin(chord / (2.0 * geodesic->r_small)) + tolerance;
  double angle = longest / (2.0 * geodesic->r_large);
  if (!(angle < 1.5707)) return INFINITY;
  double reach = 2.0 * geodesic->r_large * sin(angle);
  /* The last factor covers the roundings of this function. */
  return (reach - chord) * (reach + chord) + 8e-16 * chord2;
}

void gv_geodesic_init(const gv_ellipsoid *ellipsoid, gv_geodesic *out) {
  double f = ellipsoid->flattening;
  geod_init(&out->geod, ellipsoid->semi_major, f);
  out->r_large = 1.0 / (1.0 - f);
  out->r_small = (1.0 - f) * (1.0 - f);
  out->near_chord2 = 0.01;
  out->near_coefficient = 0.0;
  double limit = 0.999 * 2.0 * out->r_small;
  /* On a prolate ellipsoid the radii change places and nobody has checked: ask geod_inverse about everything. */
  out->chord2_limit = f >= 0.0 ? limit * limit : -1.0;
  if (f >= 0.0) {
    /* slack(c^2) = (1/12) (1/R1^2 - 1/R2^2) c^4 + higher terms of the same sign + the tolerance's share; the
     * quotient by c^4 grows with c, so its value at the end of the range serves all of it. */
    double c = sqrt(out->near_chord2);
    double pure = slack_exactly(out, out->near_chord2) - 2.0 * c * tolerance;
    out->near_coefficient = 1.000001 * fmax(pure, 0.0) / (out->near_chord2 * out->near_chord2) + 1e-13;
  }
}

double gv_geodesic_slack(const gv_geodesic *geodesic, double chord2) {
  if (!(chord2 < geodesic->chord2_limit)) return INFINITY;
  if (chord2 <= geodesic->near_chord2) {
    return geodesic->near_coefficient * chord2 * chord2 + 2.1 * sqrt(chord2) * tolerance + tolerance * tolerance +
           1e-15 * chord2;
  }
  /* The factor keeps the step between the formulas upward. */
  return 1.00001 * slack_exactly(geodesic, chord2);
}

static double chord2_between(const double vector[3], const gv_candidates *candidates, int32_t i) {
  double x = vector[0] - candidates->x[i], y = vector[1] - candidates->y[i], z = vector[2] - candidates->z[i];
  return x * x + y * y + z * z;
}

int32_t gv_geodesic_decide(const gv_geodesic *geodesic, const gv_seed_set *seeds, double lon, double lat,
                           const double vector[3], const gv_candidates *candidates) {
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
  /* Positions are good to a few 1e-16, chords to twice that: tolerance covers it. */
  double reach = least + gv_geodesic_slack(geodesic, least);
  if (second > reach) return nearest;

  double best = INFINITY;
  for (int32_t i = 0; i < candidates->count; i++) {
    if (chord2_between(vector, candidates, i) > reach) continue;
    int32_t seed = candidates->id[i];
    double distance = INFINITY;
    geod_inverse(&geodesic->geod, lat, lon, seeds->lat[seed], seeds->lon[seed], &distance, NULL, NULL);
    if (distance < best) {
      best = distance;
      nearest = i;
    }
  }
  return nearest;
}
