/*
 * A prepared raster grid: positions of its cells, and bounds of rectangles of cells (tiles).
 *
 * Three shapes of position, named after what a cell's coordinates depend on:
 *   GV_CELLS_PLANE    x by column, y by row (north-up or south-up plane grid)
 *   GV_CELLS_LONLAT   (p_row cos_column, p_row sin_column, z_row): W + H table entries serve W x H cells
 *   GV_CELLS_POINTS   nothing simpler than one position a cell (rotated plane; projected grid on the
 *                     globe; meshes; lists)
 */
#ifndef GV_GRID_H
#define GV_GRID_H

#include "cells/bound.h"
#include "exact/globe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gv_cells_shape { GV_CELLS_PLANE, GV_CELLS_LONLAT, GV_CELLS_POINTS } gv_cells_shape;

struct gv_kind;        /* kind.h */
struct gv_mesh_tables; /* mesh.h */
struct gv_healpix;     /* healpix.h */

typedef struct gv_cells {
  const struct gv_kind *kind; /* of the grid; NULL: cells without a grid */
  gv_cells_shape shape;
  gv_grid grid;
  gv_metric metric;
  gv_ellipsoid ellipsoid;
  int dim; /* 2 on the plane, 3 on the globe */
  gv_allocator allocator;

  /* Canonical tables. PLANE: column_x, row_z (= y). LONLAT: column_x = cos, column_y = sin, row_p, row_z. */
  double *column_x, *column_y;
  double *row_p, *row_z;
  double *row_inverse; /* 1 / row_p, infinite at a pole; LONLAT only */

  /* Positions at half steps (entry h is row or column h / 2), for bounds only: cos, sin of longitude; p, z
   * and sin, cos of latitude. LONLAT only. */
  double *half_cos, *half_sin;
  double *half_p, *half_z, *half_sin_lat, *half_cos_lat;

  struct gv_mesh_tables *tables; /* of the cells of mesh leaves; GV_GRID_QTM and rasters of triangles */

  struct gv_healpix *healpix; /* GV_GRID_HEALPIX */
  struct gv_s2 *s2;           /* GV_GRID_S2 */

  double curvature; /* >= the second derivative of a meridian's point by latitude; LONLAT, QTM */
  /* canonical positions differ from the ideal grid's by at most this, per coordinate */
  double position_error;
} gv_cells;

/* A rectangle of cells: columns [c0, c1), rows [r0, r1). */
typedef struct gv_tile {
  int64_t c0, c1, r0, r1;
} gv_tile;

/* Checks the grid against the metric, makes the tables. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. */
gv_status gv_cells_init(gv_context *context, const gv_grid *grid, gv_metric metric, gv_cells *out);
void gv_cells_clear(gv_cells *cells);

/* True when distances are measured with positions on the ellipsoid (geodesic) rather than on the unit
 * sphere. */
static inline bool gv_cells_geocentric(const gv_cells *cells) {
  return cells->metric == GV_GEODESIC;
}

/* Bound of a tile of a PLANE, LONLAT or rotated plane grid. Not for projected grids on the globe: their
 * bounds are computed from the positions. */
void gv_cells_bound(const gv_cells *cells, const gv_tile *tile, gv_bound *out);

/*
 * Canonical positions of a tile, row-major: x[i], y[i], z[i] (z untouched on the plane), longitude and
 * latitude too where lon and lat are not NULL (globe only; normalized). Cells without a position get NaN
 * everywhere. scratch: 2 x cells of the tile, used by projected grids and rasters of triangles; may be NULL
 * otherwise.
 */
gv_status gv_cells_positions(gv_context *context, const gv_cells *cells, const gv_tile *tile, double *x,
                             double *y, double *z, double *lon, double *lat, double *scratch);

/* Longitude and latitude (normalized) of one cell of a LONLAT grid. */
void gv_cells_lonlat(const gv_cells *cells, int64_t column, int64_t row, double *lon, double *lat);

#ifdef __cplusplus
}
#endif

#endif
