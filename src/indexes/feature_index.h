/* An index over lines and polygons: what its searches by points and by other features share. */
#ifndef GV_FEATURE_INDEX_H
#define GV_FEATURE_INDEX_H

#include "exact/distance.h"
#include "features/index.h"
#include "voronoi/feature_tiles.h"

typedef struct gv_feature_index {
  gv_index base;
  gv_feature_set set;
  gv_feature_lookup lookup;
  gv_voronoi voronoi; /* the parameters of gv_feature_cell: no grid */
} gv_feature_index;

/* The reported distance of an exact one. */
static inline double gv_feature_distance_of(const gv_voronoi *v, double canonical) {
  if (v->cells.metric == GV_EUCLIDEAN) return sqrt(canonical);
  if (v->cells.metric != GV_GREAT_CIRCLE) return canonical;
  return gv_arc_of_chord2(gv_globe_radius(&v->cells.ellipsoid), canonical);
}

#endif
