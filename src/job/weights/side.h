/* The cells of a source or a target: of a raster, of a grid system, or the places of a file. */
#ifndef GV_JOB_WEIGHTS_SIDE_H
#define GV_JOB_WEIGHTS_SIDE_H

#include "io/in/raster_in.h"

enum { GV_WEIGHTS_BLOCK = 1 << 16 /* cells, at most */ };

/* Begins with what they are. */
typedef struct gv_weights_side {
  const char *option, *path;
  gv_cells_of cells;
  bool is_raster, masked; /* masked: cells of the raster that are nodata or NaN are left out */
  gv_raster_grid grid;
  gv_seed_list places; /* of a list */
  gv_raster_in band;   /* if `masked` */
  gv_voronoi *of;      /* for positions: with a seed that is not used */
  gv_voronoi *sphere;  /* for areas: on a sphere of radius 1; NULL: they are of axes, or unknown */
  gv_seed_list on_sphere;
  double *widths, *heights; /* of cells of axes; NULL: they are not */
  int64_t count, columns, rows;
  int64_t block; /* cells, at most */
} gv_weights_side;

/* Some of its cells: a rectangle, in the order of their numbers. */
typedef struct gv_weights_block {
  gv_context *context;
  int64_t x, y, w, h;
  int64_t first, count; /* numbers of the cells */
  double *lon, *lat;    /* NaN: left out */
  double *area;         /* square radians; 0 = unknown */
  double *values;       /* memory for those of a raster */
  uint8_t *valid;
} gv_weights_block;

/* Finds out what the cells are, and reads places of files. */
gv_status gv_weights_side_open(gv_io *io, gv_weights_side *side, gv_metric metric, int threads);

/* Its coordinate system; NULL: a grid system's, which has that of the other side. */
OGRSpatialReferenceH gv_weights_side_crs(const gv_weights_side *side);

/* Places the cells on the globe: a list in `crs`. */
gv_status gv_weights_side_place(gv_io *io, gv_context *context, gv_weights_side *side,
                                OGRSpatialReferenceH crs, gv_metric metric, int threads);

/* How many blocks there are, and block number `number`. `worker`: of the calling thread. */
int64_t gv_weights_side_blocks(const gv_weights_side *side);
gv_status gv_weights_side_block(gv_io *io, const gv_weights_side *side, int worker, int64_t number,
                                gv_weights_block *block);

void gv_weights_side_close(gv_weights_side *side);

#endif
