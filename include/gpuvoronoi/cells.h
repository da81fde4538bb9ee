/**
 * @file cells.h
 * gpuvoronoi: cells of QTM, HEALPix and S2: their numbers, centers and neighbors. The conventions of gpuvoronoi.h hold
 * here too. The functions are pure: no context, no message, no memory, safe in any thread. After an error
 * (GV_ERROR_INVALID_ARGUMENT) their outputs are unchanged. For an order or level out of range a count is 0, as is an
 * S2 id; numbers are -1.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_CELLS_H
#define GPUVORONOI_CELLS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------ QTM cells */

/**
 * @par Example
 * @code
 * gv_qtm_id cell, neighbors[3];
 * char digits[GV_QTM_STRING_SIZE];
 * double longitude, latitude;
 * if (gv_qtm_from_lonlat(13.4, 52.5, 9, &cell) != GV_OK) return 1;
 * if (gv_qtm_to_string(cell, digits, sizeof digits) != GV_OK || strlen(digits) != 10) return 1;
 * if (gv_qtm_neighbors(cell, neighbors) != GV_OK || gv_qtm_center(cell, &longitude, &latitude) != GV_OK) return 1;
 * if (fabs(longitude - 13.4) > 0.2 || fabs(latitude - 52.5) > 0.2) return 1;
 * @endcode
 */

/**
 * A cell of Dutton's quaternary triangular mesh (QTM): the octahedron's eight faces, each split repeatedly into
 * four at the edge midpoints of the ZOT projection (colatitude and longitude are linear along an octant's rows).
 * Level L has 8 x 4^L triangles; docs/qtm.md has the definitions.
 *
 * Bits 62-59 hold the octant (1 ... 8), then two bits a digit, a 1 bit that ends the digits, and zeros: an id
 * contains its level, is positive, and the descendants of a cell are the ids around it. 0 is not a cell.
 */
typedef int64_t gv_qtm_id;

#define GV_QTM_MAX_LEVEL   29
#define GV_QTM_STRING_SIZE 31 /**< bytes of the longest digit string: octant, 29 digits, NUL */

/**
 * Returns the cell of a place, decided exactly for the given doubles. +-180 is in octant 3 (7), the equator in the
 * north, meridians in the octant to their east, the poles in octants 1 and 5. A place on an edge belongs to the
 * corner cell of the two at the level where the edge appears; the midpoint of an edge to the lower basis number.
 * @param longitude finite, degrees; wraps.
 * @param latitude  in [-90, 90].
 * @param level     0 ... GV_QTM_MAX_LEVEL.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_from_lonlat(double longitude, double latitude, int level, gv_qtm_id *id);

/** @return non-zero if the id is that of a cell. */
GV_API int gv_qtm_is_valid(gv_qtm_id id);

/** @return the level (0 ... 29); -1 for an invalid id. */
GV_API int gv_qtm_level(gv_qtm_id id);

/** @return the octant (1 ... 4 north, from 0 degrees eastward, 5 ... 8 south); -1 for an invalid id. */
GV_API int gv_qtm_octant(gv_qtm_id id);

/**
 * Writes Dutton's notation: the octant's digit and one digit 0 ... 3 for each level, e.g. "1133013130312011310",
 * with a NUL.
 * @param size of `text`: at least level + 2; GV_QTM_STRING_SIZE is always enough.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_to_string(gv_qtm_id id, char *text, size_t size);

/** Reads a cell in Dutton's notation; no other characters are allowed. @return GV_OK, INVALID_ARGUMENT. */
GV_API gv_status gv_qtm_from_string(const char *text, gv_qtm_id *id);

/** @return the number of cells of a level, 8 x 4^level; 0 for a level that is not 0 ... GV_QTM_MAX_LEVEL. */
GV_API int64_t gv_qtm_count(int level);

/** The cell with a number, 0 ... gv_qtm_count(level) - 1, in the order of digit strings. @return GV_OK, INVALID_ARGUMENT. */
GV_API gv_status gv_qtm_from_number(int level, int64_t number, gv_qtm_id *id);

/** @return the number of a cell in its level (its children have 4 x number + child); -1 for an invalid id. */
GV_API int64_t gv_qtm_number(gv_qtm_id id);

/** The cell of a coarser or the same level that contains this one. @return GV_OK, INVALID_ARGUMENT. */
GV_API gv_status gv_qtm_ancestor(gv_qtm_id id, int level, gv_qtm_id *ancestor);

/** The cell one level up. @return GV_OK, INVALID_ARGUMENT (also at level 0). */
GV_API gv_status gv_qtm_parent(gv_qtm_id id, gv_qtm_id *parent);

/** The four cells one level down: 0 the center, 1 ... 3 at the corner of that basis number. @return GV_OK, INVALID_ARGUMENT. */
GV_API gv_status gv_qtm_children(gv_qtm_id id, gv_qtm_id children[4]);

/**
 * Corners in degrees, counter-clockwise seen from outside, starting with basis number 1. Outputs may be NULL.
 * Corners that cells share have the same numbers, except for longitudes at +-180 (180 in octants 2 and 6, -180 in 3
 * and 7) and at the poles (the middle of the octant), so that no cell spans the map.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_qtm_corners(gv_qtm_id id, double longitude[3], double latitude[3], int basis[3]);

/** The three cells of the same level across the edges; number i is opposite corner i. @return GV_OK, INVALID_ARGUMENT. */
GV_API gv_status gv_qtm_neighbors(gv_qtm_id id, gv_qtm_id neighbors[3]);

/** The center as a unit vector, the normalized sum of the corners': distances are measured from it. @return GV_OK, INVALID_ARGUMENT. */
GV_API gv_status gv_qtm_center_vector(gv_qtm_id id, double vector[3]);

/** The center in degrees. @return GV_OK, INVALID_ARGUMENT. */
GV_API gv_status gv_qtm_center(gv_qtm_id id, double *longitude, double *latitude);

/**
 * @return the area on the unit sphere, in steradians, of the cell with edges that are straight in the ZOT plane (such cells tile the
 *         sphere); relative error below 1e-13. Multiply by the radius squared. NaN for an invalid id.
 */
GV_API double gv_qtm_area(gv_qtm_id id);

/* --------------------------------------------------------------------------------------------------------- HEALPix */

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

/** @return the number of pixels, 12 * 4^order; 0 for an order that is not 0 ... GV_HEALPIX_MAX_ORDER. */
GV_API int64_t gv_healpix_count(int order);

/**
 * The center of a pixel of the NESTED scheme, by the published formulas.
 * @param[out] longitude degrees, (-180, 180].
 * @param[out] latitude  degrees, on the unit sphere.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_healpix_center(int order, int64_t number, double *longitude, double *latitude);

/**
 * The pixel of the NESTED scheme that contains a place. A place on an edge belongs to one of the pixels at it.
 * @param      longitude degrees, finite.
 * @param      latitude  degrees, on the unit sphere, [-90, 90].
 * @param[out] number    from 0.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_healpix_from_lonlat(int order, double longitude, double latitude, int64_t *number);

/** The number of a pixel in the RING scheme, and back in the NESTED one. @return -1 for a number or an order out of range. */
GV_API int64_t gv_healpix_to_ring(int order, int64_t number);
GV_API int64_t gv_healpix_from_ring(int order, int64_t ring_number);

/* -------------------------------------------------------------------------------------------------------------- S2 */

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

/** @return the number of cells, 6 * 4^level; 0 for a level that is not 0 ... GV_S2_MAX_LEVEL. */
GV_API int64_t gv_s2_count(int level);

/** @return the 64-bit id of cell `number` (from 0) of a level, in the order of ids; 0 for a number or a level out of range. */
GV_API uint64_t gv_s2_id(int level, int64_t number);

/**
 * The center of a cell by S2's formulas (quadratic projection).
 * @param[out] longitude degrees, (-180, 180].
 * @param[out] latitude  degrees, on the unit sphere.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_s2_center(int level, int64_t number, double *longitude, double *latitude);

/**
 * The cell that contains a place, by S2's formulas.
 * @param      longitude degrees, finite.
 * @param      latitude  degrees, on the unit sphere, [-90, 90].
 * @param[out] number    from 0, in the order of ids (gv_s2_id).
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_s2_from_lonlat(int level, double longitude, double latitude, int64_t *number);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_CELLS_H */
