/* The k nearest seeds: cells of a plane, by tables of positions. */
#include "voronoi/cpu/k_nearest_kernels.h"

GV_K_NEAREST_KERNELS_OF(plane_euclidean, FORM_PLANE, GV_EUCLIDEAN)
GV_K_NEAREST_KERNELS_OF(plane_manhattan, FORM_PLANE, GV_MANHATTAN)
GV_K_NEAREST_KERNELS_OF(plane_chebyshev, FORM_PLANE, GV_CHEBYSHEV)

const gv_k_nearest_kernels GV_VARIANT(gv_k_nearest_plane)[3] = {GV_K_NEAREST_KERNELS(plane_euclidean),
                                                                GV_K_NEAREST_KERNELS(plane_manhattan),
                                                                GV_K_NEAREST_KERNELS(plane_chebyshev)};
