/* Positions on the globe. Geocentric coordinates: any textbook, e.g. Hofmann-Wellenhof, GNSS, section 8.2. */
#include "cells/globe.h"

static const double pi = 3.14159265358979323846;

void gv_sincos_degrees(double degrees, double *sine, double *cosine) {
  int quadrant;
  double r = remquo(degrees, 90.0, &quadrant) * (pi / 180.0);
  double s = sin(r), c = cos(r);
  switch ((unsigned)quadrant & 3U) {
  case 0U:
    *sine = s;
    *cosine = c;
    break;
  case 1U:
    *sine = c;
    *cosine = -s;
    break;
  case 2U:
    *sine = -s;
    *cosine = -c;
    break;
  default:
    *sine = -c;
    *cosine = s;
    break;
  }
  /* One zero: results that compare equal then have equal bytes too. */
  *sine += 0.0;
  *cosine += 0.0;
}

void gv_normalise_lonlat(double *longitude, double *latitude) {
  double lon = remainder(*longitude, 360.0);
  if (lon == -180.0 || fabs(*latitude) == 90.0) lon = lon == -180.0 && fabs(*latitude) != 90.0 ? 180.0 : 0.0;
  *longitude = lon + 0.0;
  *latitude += 0.0;
}

gv_status gv_ellipsoid_init(gv_context *context, double semi_major, double flattening, gv_ellipsoid *out) {
  if (semi_major == 0.0) {
    semi_major = 6378137.0;
    flattening = 1.0 / 298.257223563;
  }
  if (!(semi_major > 0.0) || !isfinite(semi_major) || !(flattening < 1.0) || !(flattening > -1.0)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no ellipsoid has semi-major axis %g and flattening %g",
                   semi_major, flattening);
  }
  out->semi_major = semi_major;
  out->flattening = flattening;
  out->eccentricity2 = flattening * (2.0 - flattening);
  return GV_OK;
}

void gv_meridian_point(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, double sine, double cosine,
                       double *p, double *z) {
  if (!geocentric_cartesian) {
    *p = cosine;
    *z = sine;
    return;
  }
  double n = 1.0 / sqrt(1.0 - ellipsoid->eccentricity2 * sine * sine);
  *p = n * cosine;
  *z = n * (1.0 - ellipsoid->eccentricity2) * sine;
}

void gv_lonlat_to_vector(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, double longitude,
                         double latitude, double vector[3]) {
  double sin_lon, cos_lon, sin_lat, cos_lat, p, z;
  gv_sincos_degrees(longitude, &sin_lon, &cos_lon);
  gv_sincos_degrees(latitude, &sin_lat, &cos_lat);
  gv_meridian_point(ellipsoid, geocentric_cartesian, sin_lat, cos_lat, &p, &z);
  vector[0] = p * cos_lon;
  vector[1] = p * sin_lon;
  vector[2] = z;
}
