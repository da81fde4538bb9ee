/**
 * @file cells.h
 * gpuvoronoi: cells of QTM, HEALPix and S2: grids of them, their numbers, centers and neighbors. The
 * conventions of gpuvoronoi.h hold here too. The functions are pure: no context, no message, no memory, safe
 * in any thread. After an error (GV_ERROR_INVALID_ARGUMENT) their outputs are unchanged. For an order or
 * level out of range a count is 0, as is an S2 id; numbers are -1.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_CELLS_H
#define GPUVORONOI_CELLS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------- QTM cells */

/**
 * @par Example
 * @code
 * gv_qtm_id cell, neighbors[3];
 * char digits[GV_QTM_STRING_SIZE];
 * double longitude, latitude;
 * if (gv_qtm_from_lonlat(9, 13.4, 52.5, &cell) != GV_OK) return 1;
 * if (gv_qtm_to_string(cell, digits, sizeof digits) != GV_OK || strlen(digits) != 10) return 1;
 * if (gv_qtm_neighbors(cell, neighbors) != GV_OK || gv_qtm_center(cell, &longitude, &latitude) != GV_OK)
 *   return 1;
 * if (fabs(longitude - 13.4) > 0.2 || fabs(latitude - 52.5) > 0.2) return 1;
 * @endcode
 */

/**
 * A cell of Dutton's quaternary triangular mesh (QTM): the octahedron's eight faces, each split repeatedly
 * into four at the edge midpoints of the ZOT projection (colatitude and longitude are linear along an
 * octant's rows). Level L has 8 x 4^L triangles; docs/qtm.md has the definitions.
 *
 * Bits 62-59 hold the octant (1 ... 8), then two bits a digit, a 1 bit that ends the digits, and zeros: an id
 * contains its level, is positive, and the descendants of a cell are the ids around it. 0 is not a cell.
 */
typedef int64_t gv_qtm_id;

#define GV_QTM_MAX_LEVEL   29
#define GV_QTM_STRING_SIZE 31 /**< bytes of the longest digit string: octant, 29 digits, NUL */

/**
 * Returns the cell that contains a point, decided exactly for the given doubles. +-180 is in octant 3 (7),
 * the equator in the north, meridians in the octant to their east, the poles in octants 1 and 5. A point on
 * an edge belongs to the corner cell of the two at the level where the edge appears; the midpoint of an edge
 * to the lower basis number.
 * @param      level     0 ... GV_QTM_MAX_LEVEL.
 * @param      longitude finite, degrees; wraps.
 * @param      latitude  degrees, [-90, 90].
 * @param[out] id        the cell.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_from_lonlat(int level, double longitude, double latitude, gv_qtm_id *id);

/**
 * Returns the cells of many points: gv_qtm_from_lonlat for each.
 * @param      level     0 ... GV_QTM_MAX_LEVEL.
 * @param      longitude `count` longitudes, degrees; they wrap.
 * @param      latitude  `count` latitudes, degrees.
 * @param      count     number of points, 0 or more.
 * @param[out] id        array of the caller of `count` cells; 0 for a point that is not finite or not in
 * [-90, 90].
 * @return GV_OK, INVALID_ARGUMENT (NULL, count, level).
 */
GV_API gv_status gv_qtm_from_lonlat_array(int level, const double *longitude, const double *latitude,
                                          int64_t count, gv_qtm_id *id);

/**
 * Returns the centers of consecutive cells of a level: gv_qtm_center for each.
 * @param      level     0 ... GV_QTM_MAX_LEVEL.
 * @param      first     number of the first cell (gv_qtm_number).
 * @param      count     number of cells, 0 or more.
 * @param[out] longitude array of the caller of `count` values, degrees, (-180, 180].
 * @param[out] latitude  likewise, [-90, 90].
 * @return GV_OK, INVALID_ARGUMENT (also cells beyond the last).
 */
GV_API gv_status gv_qtm_centers(int level, int64_t first, int64_t count, double *longitude, double *latitude);

/**
 * Returns the centers of any cells: gv_qtm_center for each.
 * @param      id        `count` cells, of any levels.
 * @param      count     number of cells, 0 or more.
 * @param[out] longitude array of the caller of `count` values, degrees, (-180, 180]; NaN for invalid ids.
 * @param[out] latitude  likewise, [-90, 90].
 * @return GV_OK, INVALID_ARGUMENT (NULL, count).
 */
GV_API gv_status gv_qtm_center_array(const gv_qtm_id *id, int64_t count, double *longitude, double *latitude);

/**
 * Returns the corners of any cells: gv_qtm_corners for each.
 * @param      id        `count` cells, of any levels.
 * @param      count     number of cells, 0 or more.
 * @param[out] longitude array of the caller of 3 x `count` values, degrees, [-180, 180], cell by cell; NaN
 * for invalid ids.
 * @param[out] latitude  likewise, [-90, 90].
 * @return GV_OK, INVALID_ARGUMENT (NULL, count).
 */
GV_API gv_status gv_qtm_corner_array(const gv_qtm_id *id, int64_t count, double *longitude, double *latitude);

/**
 * Returns the neighbors of any cells: gv_qtm_neighbors for each.
 * @param      id        `count` cells, of any levels.
 * @param      count     number of cells, 0 or more.
 * @param[out] neighbors array of the caller of 3 x `count` cells, cell by cell; 0 for invalid ids.
 * @return GV_OK, INVALID_ARGUMENT (NULL, count).
 */
GV_API gv_status gv_qtm_neighbor_array(const gv_qtm_id *id, int64_t count, gv_qtm_id *neighbors);

/**
 * Returns the areas of any cells: gv_qtm_area for each.
 * @param      id        `count` cells, of any levels.
 * @param      count     number of cells, 0 or more.
 * @param[out] area      array of the caller of `count` values, steradians; NaN for invalid ids.
 * @return GV_OK, INVALID_ARGUMENT (NULL, count).
 */
GV_API gv_status gv_qtm_area_array(const gv_qtm_id *id, int64_t count, double *area);

/**
 * @param id any number.
 * @return non-zero if the id is that of a cell.
 */
GV_API int gv_qtm_is_valid(gv_qtm_id id);

/**
 * @param id a cell of QTM.
 * @return the level (0 ... 29); -1 for an invalid id.
 */
GV_API int gv_qtm_level(gv_qtm_id id);

/**
 * @param id a cell of QTM.
 * @return the octant (1 ... 4 north, from 0 degrees eastward, 5 ... 8 south); -1 for an invalid id.
 */
GV_API int gv_qtm_octant(gv_qtm_id id);

/**
 * Writes Dutton's notation: the octant's digit and one digit 0 ... 3 for each level, e.g.
 * "1133013130312011310", with a NUL.
 * @param id a cell of QTM.
 * @param[out] text array of the caller of `size` characters.
 * @param size of `text`: at least level + 2; GV_QTM_STRING_SIZE is always enough.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_to_string(gv_qtm_id id, char *text, size_t size);

/**
 * Reads a cell in Dutton's notation; no other characters are allowed.
 * @param text digits, ended by NUL; not NULL.
 * @param[out] id the cell.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_from_string(const char *text, gv_qtm_id *id);

/**
 * @param level 0 ... GV_QTM_MAX_LEVEL.
 * @return the number of cells of a level, 8 x 4^level; 0 for a level that is not 0 ... GV_QTM_MAX_LEVEL.
 */
GV_API int64_t gv_qtm_count(int level);

/**
 * The cell with a number, 0 ... gv_qtm_count(level) - 1, in the order of digit strings.
 * @param level 0 ... GV_QTM_MAX_LEVEL.
 * @param number 0 ... gv_qtm_count(level) - 1.
 * @param[out] id the cell.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_from_number(int level, int64_t number, gv_qtm_id *id);

/**
 * @param id a cell of QTM.
 * @return the number of a cell in its level (its children have 4 x number + child); -1 for an invalid id.
 */
GV_API int64_t gv_qtm_number(gv_qtm_id id);

/**
 * The cell of a coarser or the same level that contains this one.
 * @param id a cell of QTM.
 * @param level 0 ... the level of the cell.
 * @param[out] ancestor the cell that contains it.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_ancestor(gv_qtm_id id, int level, gv_qtm_id *ancestor);

/**
 * The cell one level up.
 * @param id a cell of QTM.
 * @param[out] parent the cell one level up.
 * @return GV_OK, INVALID_ARGUMENT (also at level 0).
 */
GV_API gv_status gv_qtm_parent(gv_qtm_id id, gv_qtm_id *parent);

/**
 * The four cells one level down: 0 the center, 1 ... 3 at the corner of that basis number.
 * @param id a cell of QTM.
 * @param[out] children the four cells.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_children(gv_qtm_id id, gv_qtm_id children[4]);

/**
 * Corners in degrees, counter-clockwise seen from outside, starting with basis number 1. Outputs may be NULL.
 * Corners that cells share have the same numbers, except for longitudes at +-180 (180 in octants 2 and 6,
 * -180 in 3 and 7) and at the poles (the middle of the octant), so that no cell spans 360 degrees.
 * @param id a cell of QTM.
 * @param[out] longitude degrees, [-180, 180]; may be NULL.
 * @param[out] latitude degrees, [-90, 90]; may be NULL.
 * @param[out] basis basis numbers of the corners, 1 ... 3; may be NULL.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_corners(gv_qtm_id id, double longitude[3], double latitude[3], int basis[3]);

/**
 * The three cells of the same level across the edges; number i is opposite corner i.
 * @param id a cell of QTM.
 * @param[out] neighbors the three cells.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_neighbors(gv_qtm_id id, gv_qtm_id neighbors[3]);

/**
 * The center as a unit vector, the normalized sum of the corners': distances are measured from it.
 * @param id a cell of QTM.
 * @param[out] vector a unit vector: x towards (0, 0), z towards the north pole.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_center_vector(gv_qtm_id id, double vector[3]);

/**
 * The center in degrees.
 * @param id a cell of QTM.
 * @param[out] longitude degrees, (-180, 180].
 * @param[out] latitude degrees, [-90, 90].
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_center(gv_qtm_id id, double *longitude, double *latitude);

/**
 * @param id a cell of QTM.
 * @return the area on the unit sphere, in steradians, of the cell with edges that are straight in the ZOT
 * plane (such cells tile the sphere); relative error below 1e-13. Multiply by the radius squared. NaN for an
 * invalid id.
 */
GV_API double gv_qtm_area(gv_qtm_id id);

/**
 * The triangles of a level of the quaternary triangular mesh (cells.h): one row of gv_qtm_count(level) cells
 * in the order of their numbers. Distances are measured from their centers (gv_qtm_center_vector).
 * @param level 0 ... GV_QTM_MAX_GRID_LEVEL.
 * @return the grid. Objects made from it set width and height.
 */
static inline gv_grid gv_grid_qtm(int level) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_QTM;
  grid.level = level;
  return grid;
}

/**
 * Gives each cell of a grid of gv_grid_lonlat or gv_grid_projected the result of the QTM triangle that its
 * center lies in (gv_qtm_from_lonlat).
 * @param[in,out] grid  the grid.
 * @param         level 0 ... GV_QTM_MAX_GRID_LEVEL; GV_QTM_NONE = the grid's own cells.
 */
static inline void gv_grid_set_qtm_level(gv_grid *grid, int level) {
  grid->level = level;
}

/* ------------------------------------------------------------------------------------------------ HEALPix */

/**
 * @par Example
 * @code
 * double lon, lat;
 * int64_t ring = gv_healpix_to_ring(1, 3);
 * if (gv_healpix_count(1) != 48 || ring != 0 || gv_healpix_from_ring(1, ring) != 3) return 1;
 * if (gv_healpix_center(1, 3, &lon, &lat) != GV_OK || lon != 45.0 || lat < 66.4 || lat > 66.5) return 1;
 * int64_t number = -1;
 * if (gv_healpix_from_lonlat(1, 44.0, 66.0, &number) != GV_OK || number != 3) return 1;
 * @endcode
 */

/**
 * @param order 0 ... GV_HEALPIX_MAX_ORDER.
 * @return the number of pixels, 12 * 4^order; 0 for an order that is not 0 ... GV_HEALPIX_MAX_ORDER.
 */
GV_API int64_t gv_healpix_count(int order);

/**
 * The center of a pixel of the NESTED scheme, by the published formulas.
 * @param order 0 ... GV_HEALPIX_MAX_ORDER.
 * @param number of a pixel in the NESTED scheme, 0 ... gv_healpix_count(order) - 1.
 * @param[out] longitude degrees, (-180, 180].
 * @param[out] latitude  degrees, on the unit sphere.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_healpix_center(int order, int64_t number, double *longitude, double *latitude);

/**
 * The pixel of the NESTED scheme that contains a point. A point on an edge belongs to one of the pixels at
 * it.
 * @param order 0 ... GV_HEALPIX_MAX_ORDER.
 * @param      longitude degrees, finite.
 * @param      latitude  degrees, on the unit sphere, [-90, 90].
 * @param[out] number    from 0.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_healpix_from_lonlat(int order, double longitude, double latitude, int64_t *number);

/**
 * Returns the centers of consecutive pixels of the NESTED scheme: gv_healpix_center for each.
 * @param      order     0 ... GV_HEALPIX_MAX_ORDER.
 * @param      first     number of the first pixel, from 0.
 * @param      count     number of pixels, 0 or more.
 * @param[out] longitude array of the caller of `count` values, degrees, (-180, 180].
 * @param[out] latitude  likewise, on the unit sphere.
 * @return GV_OK, INVALID_ARGUMENT (also pixels beyond the last).
 */
GV_API gv_status gv_healpix_centers(int order, int64_t first, int64_t count, double *longitude,
                                    double *latitude);

/**
 * Returns the pixels of many points: gv_healpix_from_lonlat for each.
 * @param      order     0 ... GV_HEALPIX_MAX_ORDER.
 * @param      longitude `count` longitudes, degrees.
 * @param      latitude  `count` latitudes, degrees, on the unit sphere.
 * @param      count     number of points, 0 or more.
 * @param[out] number    array of the caller of `count` pixels; -1 for a point that is not finite or not in
 * [-90, 90].
 * @return GV_OK, INVALID_ARGUMENT (NULL, count, order).
 */
GV_API gv_status gv_healpix_from_lonlat_array(int order, const double *longitude, const double *latitude,
                                              int64_t count, int64_t *number);

/**
 * @param order 0 ... GV_HEALPIX_MAX_ORDER.
 * @param number of a pixel in the NESTED scheme, 0 ... gv_healpix_count(order) - 1.
 * @return the number of a pixel in the RING scheme; -1 for a number or an order out of range.
 */
GV_API int64_t gv_healpix_to_ring(int order, int64_t number);

/**
 * @param order 0 ... GV_HEALPIX_MAX_ORDER.
 * @param ring_number of a pixel in the RING scheme, 0 ... gv_healpix_count(order) - 1.
 * @return the number of a pixel in the NESTED scheme; -1 for a number or an order out of range.
 */
GV_API int64_t gv_healpix_from_ring(int order, int64_t ring_number);

/**
 * The pixels of HEALPix: one row of gv_healpix_count(order) cells. Distances are measured from their centers
 * (gv_healpix_center). `cuda-tile` supports neither these nor the cells of S2 and of lists; "auto" uses the
 * CPU.
 * @param order    0 ... GV_HEALPIX_MAX_ORDER.
 * @param ring     non-zero = in the order of the RING scheme, else of NESTED, which is faster.
 * @param authalic non-zero = latitudes of centers are authalic: all pixels have the same area on the
 * ellipsoid
 *                 (|flattening| up to 1/50); else they are geodetic.
 * @return the grid.
 */
static inline gv_grid gv_grid_healpix(int order, int ring, int authalic) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_HEALPIX;
  grid.order = order;
  grid.ring = ring;
  grid.authalic = authalic;
  return grid;
}

/* ----------------------------------------------------------------------------------------------------- S2 */

/**
 * @par Example
 * @code
 * double lon, lat;
 * if (gv_s2_count(1) != 24 || gv_s2_id(0, 0) != UINT64_C(0x1000000000000000)) return 1;
 * if (gv_s2_center(0, 1, &lon, &lat) != GV_OK || lon != 90.0 || lat != 0.0) return 1;
 * int64_t number = -1;
 * if (gv_s2_from_lonlat(0, 80.0, 10.0, &number) != GV_OK || number != 1) return 1;
 * @endcode
 */

/**
 * @param level 0 ... GV_S2_MAX_LEVEL.
 * @return the number of cells, 6 * 4^level; 0 for a level that is not 0 ... GV_S2_MAX_LEVEL.
 */
GV_API int64_t gv_s2_count(int level);

/**
 * @param level 0 ... GV_S2_MAX_LEVEL.
 * @param number of a cell, 0 ... gv_s2_count(level) - 1.
 * @return the 64-bit id of cell `number` (from 0) of a level, in the order of ids; 0 for a number or a level
 * out of range.
 */
GV_API uint64_t gv_s2_id(int level, int64_t number);

/**
 * The center of a cell by S2's formulas (quadratic projection).
 * @param level 0 ... GV_S2_MAX_LEVEL.
 * @param number of a cell, 0 ... gv_s2_count(level) - 1.
 * @param[out] longitude degrees, (-180, 180].
 * @param[out] latitude  degrees, on the unit sphere.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_s2_center(int level, int64_t number, double *longitude, double *latitude);

/**
 * The cell that contains a point, by S2's formulas.
 * @param level 0 ... GV_S2_MAX_LEVEL.
 * @param      longitude degrees, finite.
 * @param      latitude  degrees, on the unit sphere, [-90, 90].
 * @param[out] number    from 0, in the order of ids (gv_s2_id).
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_s2_from_lonlat(int level, double longitude, double latitude, int64_t *number);

/**
 * Returns the centers of consecutive cells of a level: gv_s2_center for each.
 * @param      level     0 ... GV_S2_MAX_LEVEL.
 * @param      first     number of the first cell, from 0.
 * @param      count     number of cells, 0 or more.
 * @param[out] longitude array of the caller of `count` values, degrees, (-180, 180].
 * @param[out] latitude  likewise, on the unit sphere.
 * @return GV_OK, INVALID_ARGUMENT (also cells beyond the last).
 */
GV_API gv_status gv_s2_centers(int level, int64_t first, int64_t count, double *longitude, double *latitude);

/**
 * Returns the cells of many points: gv_s2_from_lonlat for each.
 * @param      level     0 ... GV_S2_MAX_LEVEL.
 * @param      longitude `count` longitudes, degrees.
 * @param      latitude  `count` latitudes, degrees, on the unit sphere.
 * @param      count     number of points, 0 or more.
 * @param[out] number    array of the caller of `count` cells; -1 for a point that is not finite or not in
 * [-90, 90].
 * @return GV_OK, INVALID_ARGUMENT (NULL, count, level).
 */
GV_API gv_status gv_s2_from_lonlat_array(int level, const double *longitude, const double *latitude,
                                         int64_t count, int64_t *number);

/**
 * The cells of a level of S2: one row of gv_s2_count(level) cells in the order of their ids (gv_s2_id).
 * Distances are measured from their centers (gv_s2_center).
 * @param level    0 ... GV_S2_MAX_LEVEL.
 * @param authalic as for gv_grid_healpix.
 * @return the grid.
 */
static inline gv_grid gv_grid_s2(int level, int authalic) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_S2;
  grid.order = level;
  grid.authalic = authalic;
  return grid;
}

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_CELLS_H */
