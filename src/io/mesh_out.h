/*
 * The triangles of a QTM level as polygons in any OGR format: id (Dutton's digits), id64, lon, lat (the centre, degrees),
 * seed (the id of the nearest), distance (metres, from the centre) and area_km2.
 *
 * One block of triangles is in memory at a time.
 */
#ifndef GV_IO_MESH_OUT_H
#define GV_IO_MESH_OUT_H

#include "io/grid.h"
#include "io/output.h"

typedef struct gv_mesh_options {
  const char *path;
  bool overwrite;
} gv_mesh_options;

typedef struct gv_mesh_out gv_mesh_out;

/* Checks the path and finds the driver by its extension. *out is to be given back with gv_mesh_close. */
gv_status gv_mesh_plan(gv_io *io, const gv_mesh_options *options, gv_mesh_out **out);

/* Answers and writes all triangles. The grid must have a level; `context` is used for the computing. */
gv_status gv_mesh_write(gv_io *io, gv_mesh_out *mesh, const gv_raster_grid *grid, const gv_seed_list *seeds,
                        const char *backend, gv_context *context);

/* The file, complete after gv_mesh_write, for gv_outputs_commit. */
gv_output *gv_mesh_output(gv_mesh_out *mesh);

/* Removes what is not finished and frees; NULL is allowed. */
void gv_mesh_close(gv_mesh_out *mesh);

#endif
