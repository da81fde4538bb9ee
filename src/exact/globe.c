/* Positions on the globe. Geocentric coordinates: any textbook, e.g. Hofmann-Wellenhof, GNSS, section 8.2. */
#include "exact/globe_kernels.h"

void gv_sincos_degrees(int64_t n, const double *degrees, double *sine, double *cosine) {
  gv_globe_kernels_get()->sincos(n, degrees, sine, cosine);
}

gv_status gv_ellipsoid_init(gv_context *context, double semi_major, double flattening, gv_ellipsoid *out) {
  if (semi_major == 0.0) {
    semi_major = 6378137.0;
    flattening = 1.0 / 298.257223563;
  }
  if (!(semi_major > 0.0) || !isfinite(semi_major) || !(flattening < 1.0) || !(flattening > -1.0)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "ellipsoid: invalid semi-major axis (%g) or flattening (%g)", semi_major, flattening);
  }
  out->semi_major = semi_major;
  out->flattening = flattening;
  out->eccentricity2 = flattening * (2.0 - flattening);
  return GV_OK;
}

void gv_meridian_points(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, int64_t n,
                        const double *sine, const double *cosine, double *p, double *z) {
  gv_globe_kernels_get()->meridian(geocentric_cartesian ? ellipsoid->eccentricity2 : -1.0, n, sine, cosine, p,
                                   z);
}

void gv_lonlat_to_vectors(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, int64_t n,
                          const double *longitude, const double *latitude, double *x, double *y, double *z) {
  gv_globe_kernels_get()->vectors(geocentric_cartesian ? ellipsoid->eccentricity2 : -1.0, n, longitude,
                                  latitude, x, y, z);
}
