/*
 * The globe's kernels.
 *
 * No fused multiply-adds and no library functions: the same bits on every processor. The polynomials are Chebyshev
 * fits on [0, (pi/4)^2] (errors below 3e-17 and 2e-18); cos is summed as in Cody and Waite's scheme, with the rounding
 * of 1 - u/2 put back.
 */
#include "exact/globe_kernels.h"
#include "core/simd/vectors.h"

GV_INLINE void sincos_lanes(vd degrees, vd *sine, vd *cosine) {
  /* Nearest multiple of 90: adding 1.5 * 2^52 rounds to a whole number. The difference is exact (Sterbenz). */
  vd magic = vd_all(6755399441055744.0);
  vd quadrant = degrees * (1.0 / 90.0) + magic - magic;
  vd r = (degrees - quadrant * 90.0) * (3.14159265358979323846 / 180.0);
  vd u = r * r;

  vd p = vd_all(0x1.5e0b05bff20f2p-33);
  p = p * u - 0x1.ae600aca92c64p-26;
  p = p * u + 0x1.71de379654304p-19;
  p = p * u - 0x1.a01a019e83816p-13;
  p = p * u + 0x1.1111111110bb2p-7;
  p = p * u - 0x1.5555555555555p-3;
  vd s = r + r * u * p;

  vd q = vd_all(-0x1.907d8f29fe831p-37);
  q = q * u + 0x1.1eeb68cd22f56p-29;
  q = q * u - 0x1.27e4fa17bf139p-22;
  q = q * u + 0x1.a01a019f4e9b4p-16;
  q = q * u - 0x1.6c16c16c16967p-10;
  q = q * u + 0x1.5555555555555p-5;
  vd one = vd_all(1.0), half = u * 0.5, w = one - half;
  vd c = w + (one - w - half + u * u * q);

  /* Quadrants -2 ... 2: odd ones swap sine and cosine; signs follow. Adding 0 leaves one zero, the positive one. */
  vd minus = vd_all(-1.0), zero = vd_all(0.0), size = vd_abs(quadrant);
  vm odd = vd_less(vd_abs(size - one), vd_all(0.5));
  vd sine_size = vd_select(odd, c, s), cosine_size = vd_select(odd, s, c);
  vd backward = vd_select(vd_less(vd_all(1.5), size), minus, one);
  vd sine_sign = vd_select(vd_less(quadrant, vd_all(-0.5)), minus, backward);
  vd cosine_sign = vd_select(vd_less(vd_all(0.5), quadrant), minus, backward);
  *sine = sine_size * sine_sign + zero;
  *cosine = cosine_size * cosine_sign + zero;
}

GV_INLINE void meridian_lanes(double eccentricity2, vd sine, vd cosine, vd *p, vd *z) {
  if (eccentricity2 < 0.0) {
    *p = cosine;
    *z = sine;
    return;
  }
  vd one = vd_all(1.0), e2 = vd_all(eccentricity2);
  vd n = one / vd_sqrt(one - e2 * sine * sine);
  *p = n * cosine;
  *z = n * (one - e2) * sine;
}

/* Loads the last, partial vector of an array; the missing lanes are 0. */
GV_INLINE vd load_some(const double *from, int64_t left) {
  double lanes[VD_LANES] = {0.0};
  if (left >= VD_LANES) return vd_load(from);
  memcpy(lanes, from, (size_t)left * sizeof *lanes);
  return vd_load(lanes);
}

GV_INLINE void store_some(double *to, vd a, int64_t left) {
  double lanes[VD_LANES];
  if (left >= VD_LANES) {
    vd_store(to, a);
    return;
  }
  vd_store(lanes, a);
  memcpy(to, lanes, (size_t)left * sizeof *lanes);
}

static void sincos_kernel(int64_t n, const double *degrees, double *sine, double *cosine) {
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd s, c;
    sincos_lanes(load_some(degrees + i, n - i), &s, &c);
    store_some(sine + i, s, n - i);
    store_some(cosine + i, c, n - i);
  }
}

static void meridian_kernel(double eccentricity2, int64_t n, const double *sine, const double *cosine, double *p,
                            double *z) {
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd a, b;
    meridian_lanes(eccentricity2, load_some(sine + i, n - i), load_some(cosine + i, n - i), &a, &b);
    store_some(p + i, a, n - i);
    store_some(z + i, b, n - i);
  }
}

static void vectors_kernel(double eccentricity2, int64_t n, const double *lon, const double *lat, double *x,
                           double *y, double *z) {
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd sin_lon, cos_lon, sin_lat, cos_lat, p, height;
    sincos_lanes(load_some(lon + i, n - i), &sin_lon, &cos_lon);
    sincos_lanes(load_some(lat + i, n - i), &sin_lat, &cos_lat);
    meridian_lanes(eccentricity2, sin_lat, cos_lat, &p, &height);
    store_some(x + i, p * cos_lon, n - i);
    store_some(y + i, p * sin_lon, n - i);
    store_some(z + i, height, n - i);
  }
}

/* Sums over `cells` triangles in a row: corners k and k + 1 of one parallel and corner k of the other. */
GV_INLINE void sum_corners(int32_t cells, double p, double z, const double *sine, const double *cosine,
                           double other_p, double other_z, const double *other_sine, const double *other_cosine,
                           double *x, double *y, double *height) {
  vd one_p = vd_all(p), two_p = vd_all(other_p), sum_z = vd_all((z + z) + other_z);
  for (int32_t k = 0; k < cells; k += VD_LANES) {
    vd sum_x = one_p * vd_load(cosine + k) + one_p * vd_load(cosine + k + 1);
    vd sum_y = one_p * vd_load(sine + k) + one_p * vd_load(sine + k + 1);
    vd_store(x + k, sum_x + two_p * vd_load(other_cosine + k));
    vd_store(y + k, sum_y + two_p * vd_load(other_sine + k));
    vd_store(height + k, sum_z);
  }
}

/* Rows are packed without gaps: what a row's last vector writes too much, the next row overwrites. */
static void centres_kernel(bool down, int32_t side, const double *sine, const double *cosine, double *x, double *y,
                           double *z) {
  int32_t cell = 0, cells = side * side;
  for (int inverted = 0; inverted < 2; inverted++) {
    int32_t upper = side + 1; /* first vertex of the row's upper parallel */
    for (int32_t i = 0; i < side; i++) {
      int32_t lower = upper + (down ? side - i + 1 : i + 1);
      int32_t count = (down ? side - i : i + 1) - inverted;
      if (down == (inverted == 1)) { /* up cells: two corners below, the apex above */
        int32_t apex = upper + (down ? 1 : 0);
        sum_corners(count, cosine[i + 1], sine[i + 1], sine + lower, cosine + lower, cosine[i], sine[i],
                    sine + apex, cosine + apex, x + cell, y + cell, z + cell);
      } else {
        int32_t apex = lower + (down ? 0 : 1);
        sum_corners(count, cosine[i], sine[i], sine + upper, cosine + upper, cosine[i + 1], sine[i + 1],
                    sine + apex, cosine + apex, x + cell, y + cell, z + cell);
      }
      cell += count;
      upper = lower;
    }
  }
  for (int32_t i = 0; i < cells; i += VD_LANES) {
    vd sx = vd_load(x + i), sy = vd_load(y + i), sz = vd_load(z + i);
    vd length = vd_sqrt(sx * sx + sy * sy + sz * sz);
    vd_store(x + i, sx / length);
    vd_store(y + i, sy / length);
    vd_store(z + i, sz / length);
  }
}

const gv_globe_kernels GV_VARIANT(gv_globe_kernels) = {sincos_kernel, meridian_kernel, vectors_kernel,
                                                       centres_kernel};
