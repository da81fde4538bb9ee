/*
 * The exact result of one cell: its k nearest seeds in the order of (value, number), for all metrics, weights
 * and limits. Engines use it for cells that their own bounds cannot decide.
 */
#ifndef GV_K_NEAREST_H
#define GV_K_NEAREST_H

#include "voronoi/engine.h"

/* A cell: x, y on the plane, a unit vector, or a place on the ellipsoid with its longitude and latitude. */
typedef struct gv_cell_place {
  double vector[3];
  double lon, lat; /* geodesic only */
} gv_cell_place;

/* Among all seeds, computing each distance. found: v->k numbers of the set, nearest first, -1 after the
 * last. */
void gv_k_nearest_all(const gv_voronoi *v, const gv_cell_place *place, int32_t *found);

/* Geodesics: among `count` seeds of the set, which must hold the k nearest. Chords spare it seeds that are
 * clearly too far (unweighted). found: as of gv_k_nearest_all. */
void gv_k_nearest_geodesic(const gv_voronoi *v, const gv_cell_place *place, const int32_t *seed,
                           int32_t count, int32_t *found);

#endif
