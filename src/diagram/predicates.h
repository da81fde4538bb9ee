/*
 * In-circle tests, the decisions of a triangulation.
 *
 * A filter in double, with an error bound, decides nearly always; otherwise the determinant is computed again
 * from pairs of doubles (about 31 digits). A result smaller than its own error counts as 0, for any order of
 * the points, so that all tests of the same points agree.
 *
 * Points of the sphere are directions: unit vectors are rounded, and lie within or outside the sphere by
 * 1e-16. Seeds a meter apart (1.6e-7) rise above the plane of their neighbors by 1e-14 only, so that a convex
 * hull of the rounded vectors loses seeds from there on (Qhull: 10 % of seeds a meter apart, 98 % of seeds 3
 * cm apart, measured with scipy). The determinant here has the vectors' true lengths, to 1e-32: all
 * directions that differ by more than 1e-15 are corners of the hull.
 */
#ifndef GV_DIAGRAM_PREDICATES_H
#define GV_DIAGRAM_PREDICATES_H

/* Positive if p is within the circle through a, b, c, which turn left; 0 on it. */
int gv_circle_side_plane(const double a[2], const double b[2], const double c[2], const double p[2]);

/* Positive if p is within the circle through a, b, c on the sphere, on the side of (b - a) x (c - a); 0 on
 * it. */
int gv_circle_side_sphere(const double a[3], const double b[3], const double c[3], const double p[3]);

/* The cross product (b - a) x (c - a) in the plane; relative error 1e-15, also with cancellation, down to
 * 1e-30 of the products. */
double gv_cross_plane(const double a[2], const double b[2], const double c[2]);

/*
 * The center of the circle through three points of the plane, within the returned error: the rounding of its
 * coordinates, as a rule. Centers of circles through many points, where sums cancel, are computed from pairs
 * of doubles: their order along a border would be random otherwise.
 */
double gv_circle_center_plane(const double a[2], const double b[2], const double c[2], double center[2]);

/* |s| - 1 of a rounded unit vector, within 1e-31. */
double gv_sphere_excess(const double s[3]);

#endif
