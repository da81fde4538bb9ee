/*
 * Kinds of cells: a table of functions each, in a file each. gv_kind_of maps the public grid to one;
 * gv_cells_init keeps it as gv_cells.kind. facts.h has what is true of a kind.
 *
 * Functions are called for a tile, a row, a part or a block of cells, not for each cell in a loop over many:
 * such loops read the tables of gv_cells.
 *
 * To add a kind: its number in gv_grid_kind, its row in facts.h, a file with its gv_kind, and a line in
 * gv_kind_of.
 */
#ifndef GV_KIND_H
#define GV_KIND_H

#include "cells/facts.h"
#include "cells/grid.h"
#include "cells/mesh.h"

/* Cells of a mesh from `first` on, 4^bits of them. `level`, `bits` and `first` are used, the rest for QTM
 * only. */
typedef gv_mesh_part gv_part;

typedef struct gv_kind {
  const char *name;
  gv_cells_shape shape;

  /* Number of the cells of a row; NULL: the grid's width. */
  int64_t (*count)(const gv_grid *grid);

  /* Makes the tables of *cells, all other members of which are set. gv_cells_clear frees them, also after an
   * error. */
  gv_status (*prepare)(gv_context *context, gv_cells *cells);

  /* As gv_cells_positions. */
  gv_status (*positions)(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                         double *y, double *z, double *lon, double *lat, double *scratch);

  /* As gv_cells_areas. */
  void (*areas)(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride);

  /* As gv_cells_bound; NULL: bounds are computed from positions, or are those of parts. */
  void (*bound)(const gv_cells *cells, const gv_tile *tile, gv_bound *out);

  /* Kinds with one row of cells: position, longitude and latitude of a cell by its number. */
  void (*position)(const gv_cells *cells, int64_t number, double position[5]);

  /* Also rasters of triangles, by a triangle's number: as gv_cell_lonlat. */
  void (*center)(const gv_cells *cells, int64_t number, double *lon, double *lat);

  /* Meshes: as gv_mesh_largest_area. */
  double (*largest_area)(const gv_cells *cells);

  /* Meshes and rasters of triangles: as gv_cell_positions and gv_part_bound, level, and number of parts with
   * as many bits. */
  void (*span)(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count, double *x,
               double *y, double *z);
  int (*level)(const gv_grid *grid);
  int roots;
  void (*part_bound)(const gv_cells *cells, const gv_part *part, gv_bound *out);
} gv_kind;

extern const gv_kind gv_kind_plane, gv_kind_rotated_plane, gv_kind_lonlat, gv_kind_projected,
    gv_kind_lonlat_triangles, gv_kind_projected_triangles, gv_kind_qtm, gv_kind_healpix, gv_kind_s2,
    gv_kind_list;

/* The kind of a grid; NULL: unknown, which gv_cells_init rejects. */
const gv_kind *gv_kind_of(const gv_grid *grid);

/* --------------------------------------------------------------------------------- what several kinds use */

static inline const gv_ellipsoid *gv_cells_ellipsoid(const gv_cells *cells) {
  return gv_cells_geocentric(cells) ? &cells->ellipsoid : NULL;
}

/* Zeroed memory for `count` values and the padding that kernels read. */
double *gv_cells_table(gv_context *context, int64_t count);

/* Bounds every intermediate of a center's coordinate. */
double gv_grid_reach(const gv_grid *grid);

/* The tables of QTM's triangles. */
gv_status gv_cells_make_triangles(gv_context *context, gv_cells *cells);
void gv_triangles_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out);
int gv_triangles_level(const gv_grid *grid);
void gv_triangles_center(const gv_cells *cells, int64_t number, double *lon, double *lat);
void gv_triangles_span(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                       double *x, double *y, double *z);

/* Longitudes and latitudes of the centers of a tile's cells by gv_grid.inverse. Errors: PROJECTION. */
gv_status gv_projected_places(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *lon,
                              double *lat);

/* Latitudes of the centers of a tile's cells, and longitudes as the geotransform has them. */
void gv_lonlat_places(const gv_cells *cells, const gv_tile *tile, double *lon, double *lat);
void gv_lonlat_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride);

/* The area of the geotransform for all cells. */
void gv_flat_areas(const gv_cells *cells, const gv_tile *tile, double *area, int64_t stride);

/* Positions of places, and if lon is not NULL their normalized longitudes and latitudes; lon and lat may be
 * the given arrays. NaN where there is no place. */
void gv_places_to_vectors(const gv_cells *cells, int64_t n, const double *from_lon, const double *from_lat,
                          double *lon, double *lat, double *x, double *y, double *z);

/* Of meshes that are defined on the unit sphere (HEALPix, S2): all but the level and what the file of a kind
 * has. */
gv_status gv_sphere_mesh_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                                   double *y, double *z, double *lon, double *lat, double *scratch);
void gv_sphere_mesh_position(const gv_cells *cells, int64_t number, double position[5]);
int gv_sphere_mesh_level(const gv_grid *grid);

/* ------------------------------------------------------------------------------------ forms of the tables */

/* Positions are in a table by column and one by row. */
static inline bool gv_cells_have_tables(const gv_cells *cells) {
  return cells->shape != GV_CELLS_POINTS;
}

/* Such cells on the globe: (p_row cos_column, p_row sin_column, z_row). */
static inline bool gv_cells_turn_by_column(const gv_cells *cells) {
  return cells->shape == GV_CELLS_LONLAT;
}

/* The position of such a cell. */
static inline void gv_cells_place_by_tables(const gv_cells *cells, int64_t column, int64_t row,
                                            double position[3]) {
  const bool globe = gv_cells_turn_by_column(cells);
  position[0] = globe ? cells->row_p[row] * cells->column_x[column] : cells->column_x[column];
  position[1] = globe ? cells->row_p[row] * cells->column_y[column] : cells->row_z[row];
  position[2] = globe ? cells->row_z[row] : 0.0;
}

/* *out for queries at positions of the caller: it has a metric and an ellipsoid, and no grid. */
gv_status gv_cells_init_queries(gv_context *context, gv_metric metric, double semi_major, double flattening,
                                gv_cells *out);

#endif
