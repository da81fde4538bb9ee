/*
 * Sines and cosines of degrees, and points of a meridian, for positions on the globe.
 *
 * No fused multiply-adds and no library functions: the same bits on every processor. The polynomials are
 * Chebyshev fits on [0, (pi/4)^2] (errors below 3e-17 and 2e-18); cos is summed as in Cody and Waite's
 * scheme, with the rounding of 1 - u/2 put back.
 */
#include "core/angles.h"

/* To the nearest whole number: adding 1.5 * 2^52 rounds. |a| < 2^51. */
GV_FORMULA GV_REAL GV_NAME(rounded)(GV_REAL a) {
  const double magic = 6755399441055744.0;
  return (a + magic) - magic;
}

/* -180 ... 180 degrees; exact at multiples of 90, elsewhere within 1.5 ulp. */
GV_FORMULA void GV_NAME(sines)(GV_REAL degrees, GV_REAL *sine, GV_REAL *cosine) {
  /* The difference from the nearest multiple of 90 is exact (Sterbenz). */
  GV_REAL quadrant = GV_NAME(rounded)(degrees * (1.0 / 90.0));
  GV_REAL r = (degrees - quadrant * 90.0) * GV_DEGREE, u = r * r;

  GV_REAL p = GV_ALL(0x1.5e0b05bff20f2p-33);
  p = p * u + -0x1.ae600aca92c64p-26;
  p = p * u + 0x1.71de379654304p-19;
  p = p * u + -0x1.a01a019e83816p-13;
  p = p * u + 0x1.1111111110bb2p-7;
  p = p * u + -0x1.5555555555555p-3;
  GV_REAL s = r + (r * u) * p;

  GV_REAL q = GV_ALL(-0x1.907d8f29fe831p-37);
  q = q * u + 0x1.1eeb68cd22f56p-29;
  q = q * u + -0x1.27e4fa17bf139p-22;
  q = q * u + 0x1.a01a019f4e9b4p-16;
  q = q * u + -0x1.6c16c16c16967p-10;
  q = q * u + 0x1.5555555555555p-5;
  GV_REAL half = u * 0.5, w = 1.0 - half, c = w + (((1.0 - w) - half) + (u * u) * q);

  /* Quadrants -2 ... 2: odd ones swap sine and cosine; signs follow. Adding 0 leaves one zero, the positive
   * one. */
  GV_REAL minus = GV_ALL(-1.0), size = GV_ABS(quadrant);
  GV_REAL backward = GV_SELECT(GV_LESS(GV_ALL(1.5), size), minus, GV_ALL(1.0));
  GV_MASK odd = GV_LESS(GV_ABS(size - 1.0), GV_ALL(0.5));
  *sine = GV_SELECT(odd, c, s) * GV_SELECT(GV_LESS(quadrant, GV_ALL(-0.5)), minus, backward) + 0.0;
  *cosine = GV_SELECT(odd, s, c) * GV_SELECT(GV_LESS(GV_ALL(0.5), quadrant), minus, backward) + 0.0;
}

/* Distance from the axis and height of the place with this latitude; eccentricity2 < 0 means the unit
 * sphere. */
GV_FORMULA void GV_NAME(meridian_point)(double eccentricity2, GV_REAL sine, GV_REAL cosine, GV_REAL *p,
                                        GV_REAL *z) {
  if (eccentricity2 < 0.0) {
    *p = cosine;
    *z = sine;
    return;
  }
  GV_REAL n = 1.0 / GV_SQRT(1.0 - (eccentricity2 * sine) * sine);
  *p = n * cosine;
  *z = (n * (1.0 - eccentricity2)) * sine;
}
