/**
 * @file cells.h
 * gpuvoronoi: numbers and centers of HEALPix and S2 cells. The conventions of gpuvoronoi.h hold here too. The functions are pure: no
 * context, no message, no memory, safe in any thread. After an error their outputs are unchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_CELLS_H
#define GPUVORONOI_CELLS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

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
