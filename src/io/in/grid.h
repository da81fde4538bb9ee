/*
 * The raster grid of a run: its coordinate system, geotransform and size, the metric, and the operation from
 * the seeds' system. With a QTM level the raster's pixels have the results of the mesh's triangles; by
 * default it is 2^(level + 3) pixels around the globe, one or more for every triangle.
 */
#ifndef GV_IO_GRID_H
#define GV_IO_GRID_H

#include "io/crs/units.h"
#include "io/in/cells_of.h"
#include "io/in/seeds.h"

typedef struct gv_grid_options {
  const char *like;    /* raster to copy the grid of */
  bool like_is_cost;   /* it is that of --cost */
  char **like_options; /* "NAME=VALUE" for GDAL to open it, may be NULL */
  const char *crs;     /* NULL = the template's, else the seeds' */
  bool has_resolution, has_size, has_extent;
  double resolution[2];
  gv_unit resolution_unit[2]; /* without one the grid's */
  int64_t size[2];
  double extent[4];         /* xmin, ymin, xmax, ymax */
  const char *extent_of;    /* raster or vector source of the extent; NULL = none */
  const char *extent_layer; /* of it; NULL = the only one */
  char **extent_options;    /* as like_options */
  const char *seeds_source; /* source of seeds with a declared coordinate system; an extent of this source has
                             * it too; NULL = none */
  bool has_metric;          /* else as gv_metric_choose */
  gv_metric metric;
  bool has_level; /* the query cells are the triangles of this QTM level */
  int level;
  bool snap_seeds;      /* with a level: seeds move to the center of their own triangle */
  gv_cells_of cells_of; /* HEALPix or a file of places: the query cells, instead of the grid's */
} gv_grid_options;

typedef struct gv_raster_grid {
  gv_grid grid;             /* for the library; in degrees on the globe */
  double geotransform[6];   /* for the output; in the CRS's unit */
  OGRSpatialReferenceH crs; /* NULL = unknown */
  OGRSpatialReferenceH
      globe;       /* of cells from Greenwich, with another meridian: where seeds are carried to; else NULL */
  double east;     /* added to their longitudes then, in degrees */
  bool undeclared; /* of a template without a system; the seeds or --crs define it */
  gv_metric metric;
  const char *metric_reason; /* why it is that one, for people */
  bool snap_seeds;           /* as the options have it */
  gv_cells_of cells_of;      /* the cells of `grid` if they are a mesh or a list; of no kind: a raster's */
  gv_operation *inverse;     /* user data of grid.inverse, or NULL */
  /* sides of the extent that was divided into cells; 0 = the cells' size came first */
  double divided[2];
} gv_raster_grid;

/*
 * Decides grid and metric and transforms the seeds to it. `out` need not be initialized; always free it with
 * gv_raster_grid_free. Errors name the invalid option.
 *
 * Of seeds that are not read yet (count 0) only the coordinate system is used: grid.width stays 0 if the grid
 * depends on more.
 */
gv_status gv_raster_grid_make(gv_io *io, const gv_grid_options *options, gv_seed_list *seeds,
                              gv_raster_grid *out);

/* Carries other seeds over to a grid that was made. */
gv_status gv_raster_grid_transform(gv_io *io, const gv_raster_grid *grid, gv_seed_list *seeds);

/* The same extent with another number of cells. `out` is to be freed with gv_raster_grid_free. */
gv_status gv_raster_grid_resize(gv_io *io, const gv_raster_grid *grid, int64_t width, int64_t height,
                                gv_raster_grid *out);

/* The triangles of a raster with a level as a grid of their own, in longitudes and latitudes of its system.
 * `out` is to be freed with gv_raster_grid_free. */
gv_status gv_raster_grid_of_triangles(gv_io *io, const gv_raster_grid *grid, gv_raster_grid *out);

/* The system that seeds are carried to. */
static inline OGRSpatialReferenceH gv_raster_grid_globe(const gv_raster_grid *grid) {
  return grid->globe != NULL ? grid->globe : grid->crs;
}

void gv_raster_grid_free(gv_raster_grid *grid);

#endif
