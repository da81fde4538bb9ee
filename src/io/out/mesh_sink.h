/* Interface between mesh_out.c and the writers of its formats. */
#ifndef GV_IO_MESH_SINK_H
#define GV_IO_MESH_SINK_H

#include "io/in/grid.h"
#include "io/out/layer_out.h"
#include "io/out/mesh_out.h"
#include "io/out/writer.h"

/* Cells in the order of their numbers; with a mask those that count. Band b (0 = the nearest seed) of cell i
 * is at b * stride + i. */
typedef struct gv_mesh_block {
  int64_t first; /* how many cells were written before */
  int64_t count, stride;
  int64_t *id;       /* of a triangle, or in the cells' own system (gv_cells_of_id) */
  double *lon, *lat; /* centers, degrees */
  double *area;      /* square meters; NaN of places */
  int32_t *seed;     /* number of the seed; -1 = none */
  double *distance;  /* meters; NaN = no seed */
  float *azimuth;    /* of lists; degrees; NaN = no seed */
} gv_mesh_block;

/* Properties of all cells. */
typedef struct gv_mesh_facts {
  const gv_cells_of *of; /* which cells */
  const gv_grid *grid;   /* the library's */
  const gv_mesh_request *request;
  int64_t cells, written; /* all of them, and those that count: the same without a mask */
  int bands;
  int64_t nodata;           /* in place of a seed's id */
  OGRSpatialReferenceH crs; /* geographic */
  const char *metric;
  const gv_seed_list *seeds;
  char attribute[GV_FIELD_NAME]; /* the name of the attribute in all formats; "" without one */
} gv_mesh_facts;

/* True for paths of NetCDF and Zarr files (gv_mesh_variables). */
bool gv_mesh_variables_may_be(const char *path);

/* One format, of a writer that has begun. Blocks are written in order, by one thread at a time. If `begin`
 * has set *out, `finish` is called also if it fails: it completes the file if `status`, that of the run, is
 * GV_OK, and frees *out; the first error counts. */
typedef struct gv_mesh_format {
  const char *option; /* as in "--cells" */
  const char *layer;  /* the triangles' name; NULL = a file holds nothing else */
  bool counts;        /* `written` must be known when the file is made */
  /* OK, or why a file of that name or a mesh of that level cannot be written; may be NULL. */
  gv_status (*check)(gv_io *io, const char *path, int level);
  gv_status (*begin)(gv_io *io, gv_writer *writer, const gv_mesh_facts *facts, void **out);
  gv_status (*block)(gv_io *io, void *sink, const gv_mesh_block *block);
  gv_status (*finish)(gv_io *io, void *sink, gv_status status);
} gv_mesh_format;

extern const gv_mesh_format gv_mesh_features, gv_mesh_ugrid, gv_mesh_table, gv_mesh_variables;

#endif
