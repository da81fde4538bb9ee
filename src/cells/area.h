/*
 * Areas of cells.
 *
 * On an ellipsoid of revolution the zone between two parallels has, for each radian of longitude, the area
 *   b^2/2 [s / (1 - e^2 s^2) + artanh(e s) / e]   taken between the two values of s = sin(latitude)
 * (e.g. Snyder, Map Projections, USGS 1395, equation 3-12). It is evaluated as a difference formula, so
 * that thin rows lose no digits, and for every flattening: artanh becomes an arc tangent on prolate
 * ellipsoids.
 */
#ifndef GV_AREA_H
#define GV_AREA_H

#include "cells/grid.h"
#include "cells/mesh.h"
#include "core/shared.h"

/* Square meters for each radian of longitude of n zones between n + 1 latitudes in degrees, -90 ... 90, in
 * any order. */
GV_SHARED void gv_zone_areas(const gv_ellipsoid *ellipsoid, int64_t n, const double *latitude, double *area);

/* Square meters between a line straight in longitude and latitude, of latitudes y[0] to y[1], and a parallel;
 * positive for lines that lead east (`way`, degrees) and north of it. By Gauss's formula of three points for
 * each degree or less: errors are below 1e-14 of the zone. */
GV_SHARED double gv_area_below_line(const gv_ellipsoid *ellipsoid, double parallel, const double y[2],
                                    double way);

/* Areas in square meters of the cells of a row of an octant of a QTM level, counted from its pole: of those
 * that point to the pole, and of those that point away from it. */
void gv_mesh_row_areas(const gv_ellipsoid *ellipsoid, int level, int64_t row, double area[2]);

/* Areas of cells of a mesh on the sphere: their solid angles times the element of area at the center, or with
 * authalic latitudes the mean one; and one that none exceeds, by the largest solid angle. */
typedef void (*gv_solid_angles_fn)(const gv_cells *cells, int64_t first, int64_t count, double *solid);
void gv_sphere_areas(const gv_cells *cells, const gv_tile *tile, gv_solid_angles_fn solid_angles,
                     double *area);
double gv_sphere_largest_area(const gv_cells *cells, double solid);

/* Twice the mean area of a mesh's cells. */
double gv_twice_mean_area(const gv_cells *cells);

/* No cell of a mesh is larger. */
double gv_mesh_largest_area(const gv_cells *cells);

/* |g1 g5 - g2 g4|, never NaN: overflow is infinite. */
double gv_plane_area(const double g[6]);

/* Areas of the cells of a tile, row-major with `stride`; see gv_voronoi_cell_areas. */
void gv_cells_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride);

#endif
