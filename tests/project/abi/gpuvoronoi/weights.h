/**
 * @file weights.h
 * gpuvoronoi: weights of the nearest seeds, and areas of cells of axes, for regridding.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_WEIGHTS_H
#define GPUVORONOI_WEIGHTS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------- inverse distances */

/**
 * @par Example
 * @code
 * double value[4] = {1, 0, 2,
 *                    3}; // two cells: the distances to their nearest seeds, then those to the next ones
 * if (gv_inverse_distance_weights(context, value, 2, 2, 2.0, value) != GV_OK) return 1;
 * if (value[0] != 0.8 || value[2] != 0.2 || value[1] != 1 || value[3] != 0) return 1;
 * @endcode
 */

/**
 * Weights in proportion to distance ** -power, which add up to 1. Seeds at distance 0 share the weight.
 * Distances are compared with the nearest one first, so that no power is out of range. Runs on the calling
 * thread. Thread safe.
 * @param context of the calling thread; message. NULL is an error.
 * @param distances    distances[j * count + i] of the j-th nearest seed of cell i, nearest first; NaN = there
 * is none.
 * @param count        number of cells, 0 or more.
 * @param k            seeds of each cell, 1 ... 1024 (GV_LIMIT_K).
 * @param power        0 ... 1048576.
 * @param[out] weights as distances, 0 for NaN; may be the same array.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_inverse_distance_weights(gv_context *context, const double *distances, int64_t count,
                                             int32_t k, double power, double *weights);

/* ----------------------------------------------------------------------------------------- areas of cells */

/**
 * @par Example
 * @code
 * const double lon[4] = {45, 135, -135, -45}, lat[2] = {45, -45}; // eight cells that cover the sphere
 * double width[4], height[2];
 * if (gv_axis_cell_areas(context, lon, 4, lat, 2, width, height) != GV_OK) return 1;
 * const double area = width[0] * height[0], sphere = 12.566370614359172;
 * if (area < sphere / 8 - 1e-12 || area > sphere / 8 + 1e-12) return 1;
 * @endcode
 */

/**
 * Areas in square radians of the cells of axes of longitude and latitude, of which only the centers are
 * known: sides are halfway between neighbors, the outermost as far outside, and latitudes within 90 degrees.
 * The area of the cell in column c and row r is widths[c] * heights[r]. All are 0 unless both axes have two
 * values or more and ascend or descend; longitudes count modulo 360 degrees. Runs on the calling thread.
 * Thread safe.
 * @param context of the calling thread; message. NULL is an error.
 * @param longitude    `columns` values, degrees.
 * @param columns      at least 1.
 * @param latitude     `rows` values, degrees.
 * @param rows         at least 1.
 * @param[out] widths  `columns` values, radians.
 * @param[out] heights `rows` values, differences of sines.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_axis_cell_areas(gv_context *context, const double *longitude, int64_t columns,
                                    const double *latitude, int64_t rows, double *widths, double *heights);

/**
 * @par Example
 * @code
 * const double ring_lon[4] = {0.0, 90.0, 90.0, 0.0}, ring_lat[4] = {0.0, 0.0, 90.0, 90.0};
 * const int64_t rings[2] = {0, 4};
 * double eighth; // of the globe: 63758202715511.6 square meters
 * if (gv_ring_areas(context, 0.0, 0.0, ring_lon, ring_lat, rings, 1, &eighth) != GV_OK) return 1;
 * @endcode
 */

/**
 * Areas of rings on an ellipsoid, of lines straight in longitude and latitude, as the command measures cut
 * cells. Errors are below 1e-14 of the zone that a line crosses. Runs on the calling thread. Thread safe.
 * @param context    of the calling thread; message. NULL is an error.
 * @param semi_major of the ellipsoid, meters; 0 = WGS 84.
 * @param flattening of the ellipsoid, below 1; 0 = a sphere, but for a semi_major of 0.
 * @param longitude  of all vertices in order, degrees, finite; not wrapped: across 180 degrees they go on.
 * @param latitude   likewise, [-90, 90].
 * @param ring       `count` + 1 numbers: ring i has the vertices ring[i] ... ring[i + 1] - 1. The last may
 * repeat the first.
 * @param count      number of rings, 0 or more.
 * @param[out] area  of each ring, square meters, 0 or more, whatever its direction.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_ring_areas(gv_context *context, double semi_major, double flattening,
                               const double *longitude, const double *latitude, const int64_t *ring,
                               int64_t count, double *area);

#ifdef __cplusplus
}
#endif

#endif
