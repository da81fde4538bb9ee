/* The columns of tables of statistics, in their order: of the command, and of Python (python/make_binding.py
 * reads the names). */
#ifndef GV_STATISTICS_COLUMNS_H
#define GV_STATISTICS_COLUMNS_H

/* GV_COLUMN_SEEDS: of an id. GV_COLUMN_AREA is called "area" where areas have no unit. */
enum {
  GV_COLUMN_SEEDS,
  GV_COLUMN_CELLS,
  GV_COLUMN_AREA,
  GV_COLUMN_DISTANCE_MEAN,
  GV_COLUMN_DISTANCE_MAX,
  GV_COLUMN_CENTROID_X,
  GV_COLUMN_CENTROID_Y,
  GV_STATISTICS_COLUMNS
};

#define GV_STATISTICS_COLUMN_NAMES                                                                           \
  { "seeds", "cells", "area_km2", "distance_mean", "distance_max", "centroid_x", "centroid_y" }

#endif
