/* On which side of a line or a great circle a point lies, decided exactly. */
#ifndef GV_ORIENTATION_H
#define GV_ORIENTATION_H

/*
 * The sign (-1, 0, 1) of (a - c) x (b - c): 1 if a, b, c turn left. Exact for coordinates with products that
 * neither overflow nor underflow (Shewchuk, Adaptive precision floating-point arithmetic and fast robust
 * geometric predicates, 1997).
 */
int gv_orientation(const double a[2], const double b[2], const double c[2]);

/* The sign of a . (b x c), of three directions in space: 1 if c lies to the left of the great circle from a
 * to b. As exact. */
int gv_orientation_sphere(const double a[3], const double b[3], const double c[3]);

#endif
