/*
 * Arcsines, for arcs of chords: polynomials in one order of operations, Chebyshev series cut off.
 */

/* c[0] + c[1] x + ... : four terms at a time (Estrin), which wait less for each other than Horner's. */
GV_FORMULA GV_REAL GV_NAME(polynomial)(GV_REAL x, const double *c, int terms) {
  GV_REAL x2 = x * x, x4 = x2 * x2, sum = x;
  for (int first = (terms - 1) / 4 * 4; first >= 0; first -= 4) {
    int left = terms - first;
    GV_REAL part = GV_ALL(c[first]);
    if (left > 1) part = part + x * c[first + 1];
    if (left == 3) part = part + x2 * c[first + 2];
    if (left > 3) part = part + x2 * (c[first + 2] + x * c[first + 3]);
    sum = left <= 4 ? part : part + x4 * sum;
  }
  return sum;
}

/* asin(x) for 0 <= x <= 1 within 2 ulp. */
GV_FORMULA GV_REAL GV_NAME(arcsine)(GV_REAL x) {
  /* (asin(x) / x - 1) / x^2 by powers of x^2 in [0, 1/4]: 2e-16. */
  static const double c[12] = {
      0x1.555555555554ep-3, 0x1.3333333337110p-4, 0x1.6db6db68067fep-5,  0x1.f1c71fb700f11p-6,
      0x1.6e8b26f89d407p-6, 0x1.1c598c739143cp-6, 0x1.c86b17413a7b6p-7,  0x1.8559b6cfd3c89p-7,
      0x1.fd4f1fa1ac91cp-8, 0x1.084522a849f25p-6, -0x1.65717d3785d18p-7, 0x1.cf6d7d2572a46p-6,
  };
  GV_MASK steep = GV_LESS(GV_ALL(0.5), x);
  GV_REAL z = GV_SELECT(steep, 0.5 * (1.0 - x), x * x), r = GV_SELECT(steep, GV_SQRT(z), x),
          p = GV_ALL(c[11]);
  for (int i = 10; i >= 0; i--)
    p = p * z + c[i];
  GV_REAL s = r + (r * z) * p;
  return GV_SELECT(steep, 1.5707963267948966 - 2.0 * s, s);
}

/* asin(sqrt(h)) for h >= 0; values above 1 count as 1. */
GV_FORMULA GV_REAL GV_NAME(arcsine_of_root)(GV_REAL h) {
  /* asin(sqrt(h)) / sqrt(h) by powers of h in [0, 1/2]: 4e-18. */
  enum { TERMS = 20 };
  static const double c[TERMS] = {
      0x1.0000000000000p+0,  0x1.55555555555c0p-3, 0x1.3333333325688p-4,  0x1.6db6db7907f67p-5,
      0x1.f1c7178b92a47p-6,  0x1.6e8c485a593c7p-6, 0x1.1c40481da6b30p-6,  0x1.cb6156b6eca4cp-7,
      0x1.66220666726b7p-7,  0x1.ee87270af83f9p-7, -0x1.af2aaa5367e8bp-6, 0x1.7299d36d300cfp-3,
      -0x1.54080330e43bcp-1, 0x1.00349041fd6c9p+1, -0x1.224a69b3a5b9fp+2, 0x1.f1299f1a6888dp+2,
      -0x1.356dd98c077c9p+3, 0x1.0a6643dbd6d20p+3, -0x1.1c15929b57733p+2, 0x1.205d03b3080c1p+0,
  };
  GV_MASK low = GV_LESS(h, GV_ALL(0.5));
  GV_REAL t = GV_SELECT(low, h, GV_MAX(1.0 - h, GV_ALL(0.0)));
  GV_REAL angle = GV_SQRT(t) * GV_NAME(polynomial)(t, c, TERMS);
  return GV_SELECT(low, angle, 1.57079632679489661923 - angle);
}

/* The arc of a squared chord on the unit sphere, times the radius: the reported distance of great circles. */
GV_FORMULA GV_REAL GV_NAME(arc_of_chord2)(double radius, GV_REAL chord2) {
  return (2.0 * radius) * GV_NAME(arcsine_of_root)(0.25 * chord2);
}
