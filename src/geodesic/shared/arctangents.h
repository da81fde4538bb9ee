/*
 * Arctangents, for angles and directions: a polynomial, a Chebyshev fit.
 */

/* atan(t) for 0 <= t <= tan(pi/8) (1 + a few ulps); error of the polynomial 2e-18. */
GV_FORMULA GV_REAL GV_NAME(arctangent)(GV_REAL t) {
  static const double c[12] = {0x1.0000000000000p+0,  -0x1.555555555552fp-2, 0x1.999999999464bp-3,
                               -0x1.2492492258f80p-3, 0x1.c71c70cb2e539p-4,  -0x1.745cf6458cd1ep-4,
                               0x1.3b10f0618d2bap-4,  -0x1.10ea166e4946dp-4, 0x1.def98ad7a0823p-5,
                               -0x1.9c78017ec5211p-5, 0x1.36fe6ceac2341p-5,  -0x1.23af4c132d343p-6};
  return t * GV_NAME(polynomial)(t * t, c, 12);
}
