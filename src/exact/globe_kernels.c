/* The globe's kernels. */
#include "exact/globe_kernels.h"
#include "exact/lanes.h"

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
    vd_sines(load_some(degrees + i, n - i), &s, &c);
    store_some(sine + i, s, n - i);
    store_some(cosine + i, c, n - i);
  }
}

static void meridian_kernel(double eccentricity2, int64_t n, const double *sine, const double *cosine,
                            double *p, double *z) {
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd a, b;
    vd_meridian_point(eccentricity2, load_some(sine + i, n - i), load_some(cosine + i, n - i), &a, &b);
    store_some(p + i, a, n - i);
    store_some(z + i, b, n - i);
  }
}

static void vectors_kernel(double eccentricity2, int64_t n, const double *lon, const double *lat, double *x,
                           double *y, double *z) {
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd sin_lon, cos_lon, sin_lat, cos_lat, p, height;
    vd_sines(load_some(lon + i, n - i), &sin_lon, &cos_lon);
    vd_sines(load_some(lat + i, n - i), &sin_lat, &cos_lat);
    vd_meridian_point(eccentricity2, sin_lat, cos_lat, &p, &height);
    store_some(x + i, p * cos_lon, n - i);
    store_some(y + i, p * sin_lon, n - i);
    store_some(z + i, height, n - i);
  }
}

/* Sums over `cells` triangles in a row: corners k and k + 1 of one parallel and corner k of the other. */
GV_INLINE void sum_corners(int32_t cells, double p, double z, const double *sine, const double *cosine,
                           double other_p, double other_z, const double *other_sine,
                           const double *other_cosine, double *x, double *y, double *height) {
  for (int32_t k = 0; k < cells; k += VD_LANES) {
    vd sum_x, sum_y, sum_z;
    vd_sum_of_corners(p, z, vd_load(sine + k), vd_load(cosine + k), vd_load(sine + k + 1),
                      vd_load(cosine + k + 1), other_p, other_z, vd_load(other_sine + k),
                      vd_load(other_cosine + k), &sum_x, &sum_y, &sum_z);
    vd_store(x + k, sum_x);
    vd_store(y + k, sum_y);
    vd_store(height + k, sum_z);
  }
}

/* Rows are packed without gaps: values that a row's last vector writes past its end are overwritten by the
 * next row. */
static void centers_kernel(bool down, int32_t side, const double *sine, const double *cosine, double *x,
                           double *y, double *z) {
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
    vd_lengthen(&sx, &sy, &sz);
    vd_store(x + i, sx);
    vd_store(y + i, sy);
    vd_store(z + i, sz);
  }
}

static void healpix_kernel(double nside, double top, double side, double turn, int pixels, const double *sums,
                           const double *differences, double *sine, double *cosine, double *lon) {
  const vd n = vd_all(nside), zero = vd_all(0.0);
  for (int i = 0; i < pixels; i += VD_LANES) {
    vd ring = top - vd_load(sums + i), nr = vd_min(vd_min(ring, 4.0 * nside - ring), n);
    vd eighth = turn * nr + (side + vd_load(differences + i));
    eighth = vd_select(vd_less(eighth, zero), eighth + 8.0 * nr, eighth);
    vd cap = nr * nr / (3.0 * nside * nside), belt = 2.0 * (2.0 * nside - ring) / (3.0 * nside);
    vm in_belt = vd_equal(nr, n);
    vd z = vd_select(in_belt, belt, vd_select(vd_less(ring, n), 1.0 - cap, cap - 1.0));
    vd_store(sine + i, z);
    vd_store(cosine + i, vd_sqrt(vd_select(in_belt, (1.0 - belt) * (1.0 + belt), cap * (2.0 - cap))));
    vd_store(lon + i, 45.0 * vd_select(vd_less(4.0 * nr, eighth), eighth - 8.0 * nr, eighth) / nr);
  }
}

const gv_globe_kernels GV_VARIANT(gv_globe_kernels) = {sincos_kernel, meridian_kernel, vectors_kernel,
                                                       centers_kernel, healpix_kernel};
