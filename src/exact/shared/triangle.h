/*
 * The canonical position of a triangle of the QTM mesh in octant 1: the mean of its three corners, lengthened
 * to 1. Two corners, a and b, lie on one parallel and are added first; the third on another.
 */

/* Radius and height of the parallels, sines and cosines of the corners' longitudes. */
GV_FORMULA void GV_NAME(sum_of_corners)(double p, double z, GV_REAL sin_a, GV_REAL cos_a, GV_REAL sin_b,
                                        GV_REAL cos_b, double other_p, double other_z, GV_REAL other_sin,
                                        GV_REAL other_cos, GV_REAL *x, GV_REAL *y, GV_REAL *height) {
  *x = (p * cos_a + p * cos_b) + other_p * other_cos;
  *y = (p * sin_a + p * sin_b) + other_p * other_sin;
  *height = GV_ALL((z + z) + other_z);
}

GV_FORMULA void GV_NAME(lengthen)(GV_REAL *x, GV_REAL *y, GV_REAL *z) {
  GV_REAL length = GV_SQRT((*x * *x + *y * *y) + *z * *z);
  *x = *x / length;
  *y = *y / length;
  *z = *z / length;
}
