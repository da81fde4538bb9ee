/* The k nearest seeds: cells of the globe by squared chords, and cells with values that are computed
 * before. */
#include "voronoi/cpu/k_nearest_kernels.h"

GV_K_NEAREST_KERNELS_OF(points3_chord, FORM_POINTS3, GV_EUCLIDEAN)
GV_K_NEAREST_KERNELS_OF(lonlat_chord, FORM_LONLAT, GV_EUCLIDEAN)
GV_K_NEAREST_KERNELS_OF(matrix, FORM_MATRIX, GV_EUCLIDEAN)

const gv_k_nearest_kernels GV_VARIANT(gv_k_nearest_points3) = GV_K_NEAREST_KERNELS(points3_chord);
const gv_k_nearest_kernels GV_VARIANT(gv_k_nearest_lonlat) = GV_K_NEAREST_KERNELS(lonlat_chord);
const gv_k_nearest_kernels GV_VARIANT(gv_k_nearest_matrix) = GV_K_NEAREST_KERNELS(matrix);
