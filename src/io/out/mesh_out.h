/*
 * The triangles of a QTM level with their results, as polygons in any OGR format (mesh_features.c), as a
 * UGRID mesh in a NetCDF file (mesh_ugrid.c), or both in one go; HEALPix pixels and lists of places as a
 * table (cells/table.c) or as variables of a NetCDF file (cells/variables.c). A few blocks of cells are in
 * memory at a time.
 */
#ifndef GV_IO_MESH_OUT_H
#define GV_IO_MESH_OUT_H

#include <cpl_progress.h>

#include "io/in/grid.h"
#include "io/out/place.h"
#include "io/overlay/mask.h"

enum { GV_MESH_FORMATS = 2 };

typedef struct gv_mesh_options {
  const char *cells;       /* file for the polygons or the table, or NULL */
  const char *mesh;        /* file for the UGRID mesh, or NULL */
  bool overwrite, borders; /* of `cells`: geometries are the borders of cells */
} gv_mesh_options;

/* What is computed for the triangles, and for which cells. */
typedef struct gv_mesh_request {
  const gv_voronoi_options *voronoi; /* engine, metric, k ...; labels and blocks are not used */
  const gv_seed_list *centers;       /* gv_cells_of_have_places: those, in degrees */
  const int64_t *integers;           /* with `attribute`: its value for each seed, or in `reals` */
  const double *reals;
  bool borders;              /* the table has polygons of the borders, not the centers */
  const char *attribute;     /* a field of the seeds that lists of cells get too, or NULL */
  double distance_size;      /* one unit of the distances of lists, in meters */
  const char *distance_unit; /* its name */
  int zarr_version;          /* of Zarr files: gv_format_zarr_version */
  int64_t nodata;            /* value of cells without a seed, in formats that have no missing value */
  gv_mask *mask;             /* of the cells: masked ones are not written; NULL = no mask */
  int threads;
  int device;                /* as in gv_context_options */
  GDALProgressFunc progress; /* after every round of blocks: the share that is written; FALSE cancels */
  void *progress_user;
} gv_mesh_request;

typedef struct gv_mesh_out gv_mesh_out;

/* Checks paths and level and finds the drivers. Release *out with gv_mesh_close. */
gv_status gv_mesh_plan(gv_io *io, const gv_mesh_options *options, int level, const gv_cells_of *cells,
                       gv_mesh_out **out);

/* Answers and writes all cells of a mesh or list: grid->cells_of. */
gv_status gv_mesh_write(gv_io *io, gv_mesh_out *mesh, const gv_raster_grid *grid, const gv_seed_list *seeds,
                        const gv_mesh_request *request);

/* The places of the outputs, complete after gv_mesh_write, for gv_places_commit: up to GV_MESH_FORMATS;
 * returns their number. */
int gv_mesh_places(gv_mesh_out *mesh, gv_place **places);

/* Removes unfinished files and frees; NULL is allowed. */
void gv_mesh_close(gv_mesh_out *mesh);

#endif
