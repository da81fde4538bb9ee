/* Distances and directions to lines and polygons. */
#ifndef GV_MEASURE_FEATURES_H
#define GV_MEASURE_FEATURES_H

#include "voronoi/engine.h"

/* gv_voronoi_measure of a grid of features, checked. */
gv_status gv_measure_features(gv_context *context, const gv_voronoi *voronoi, const gv_measure *measure,
                              const gv_tile *tile);

#endif
