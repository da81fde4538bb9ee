/* The k nearest seeds: cells with positions of their own in two dimensions. */
#include "voronoi/cpu/k_nearest_kernels.h"

GV_K_NEAREST_KERNELS_OF(points2_euclidean, FORM_POINTS2, GV_EUCLIDEAN)
GV_K_NEAREST_KERNELS_OF(points2_manhattan, FORM_POINTS2, GV_MANHATTAN)
GV_K_NEAREST_KERNELS_OF(points2_chebyshev, FORM_POINTS2, GV_CHEBYSHEV)

const gv_k_nearest_kernels GV_VARIANT(gv_k_nearest_points2)[3] = {GV_K_NEAREST_KERNELS(points2_euclidean),
                                                                  GV_K_NEAREST_KERNELS(points2_manhattan),
                                                                  GV_K_NEAREST_KERNELS(points2_chebyshev)};
