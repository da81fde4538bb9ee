/*
 * The triangles of a QTM level with their answers, as polygons in any OGR format (mesh_features.c), as a UGRID mesh in a
 * NetCDF file (mesh_ugrid.c), or both in one go. A few blocks of triangles are in memory at a time.
 */
#ifndef GV_IO_MESH_OUT_H
#define GV_IO_MESH_OUT_H

#include "io/in/grid.h"
#include "io/out/place.h"

enum { GV_MESH_FORMATS = 2 };

typedef struct gv_mesh_options {
  const char *cells; /* file for the polygons, or NULL */
  const char *mesh;  /* file for the UGRID mesh, or NULL */
  bool overwrite;
} gv_mesh_options;

/* What the triangles are asked, and by whom. */
typedef struct gv_mesh_question {
  const gv_voronoi_options *voronoi; /* engine, metric, k ...; labels and blocks are not looked at */
  int64_t nodata; /* written where there is no seed, where the format has no other way to say so */
  int threads;
  int device; /* as in gv_context_options */
} gv_mesh_question;

typedef struct gv_mesh_out gv_mesh_out;

/* Checks paths and level and finds the drivers. *out is to be given back with gv_mesh_close. */
gv_status gv_mesh_plan(gv_io *io, const gv_mesh_options *options, int level, gv_mesh_out **out);

/* Answers and writes all triangles. The grid must have a level. */
gv_status gv_mesh_write(gv_io *io, gv_mesh_out *mesh, const gv_raster_grid *grid, const gv_seed_list *seeds,
                        const gv_mesh_question *question);

/* Where they are, complete after gv_mesh_write, for gv_places_commit: up to GV_MESH_FORMATS; gives their number. */
int gv_mesh_places(gv_mesh_out *mesh, gv_place **places);

/* Removes what is not finished and frees; NULL is allowed. */
void gv_mesh_close(gv_mesh_out *mesh);

#endif
