/* On which side of a line a point lies, decided exactly. */
#ifndef GV_ORIENTATION_H
#define GV_ORIENTATION_H

/*
 * The sign (-1, 0, 1) of (a - c) x (b - c): 1 if a, b, c turn left. Exact for coordinates with products that
 * neither overflow nor underflow (Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric
 * predicates, 1997).
 */
int gv_orientation(const double a[2], const double b[2], const double c[2]);

#endif
