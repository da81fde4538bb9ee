/* Masks that are polygons. */
#ifndef GV_IO_MASK_POLYGONS_H
#define GV_IO_MASK_POLYGONS_H

#include "io/overlay/mask.h"

/* Center of a cell in the grid's coordinates, as the library has it; `g` is the grid's geotransform. */
static inline double gv_center_x(const double *g, int64_t column, int64_t row) {
  return (g[0] + ((double)column + 0.5) * g[1]) + ((double)row + 0.5) * g[2];
}

static inline double gv_center_y(const double *g, int64_t column, int64_t row) {
  return (g[3] + ((double)column + 0.5) * g[4]) + ((double)row + 0.5) * g[5];
}

typedef struct gv_mask_polygons gv_mask_polygons;

/* Reads them all, and makes the operation from the grid's coordinates to theirs, NULL if they are the same.
 * *out is to be freed in any case. */
gv_status gv_mask_polygons_read(gv_io *io, const gv_mask_options *options, const gv_raster_grid *grid,
                                gv_mask_polygons **out, gv_operation **operation);
/* One polygon, valid or not. *out is to be freed in any case. */
gv_status gv_mask_polygons_of(gv_io *io, OGRGeometryH polygon, gv_mask_polygons **out);
void gv_mask_polygons_free(gv_mask_polygons *polygons);

/* Whether a position, or one a few turns away, lies inside. */
bool gv_mask_polygons_hold(const gv_mask_polygons *polygons, double x, double y);

/* A row of cells, which all have one y. */
typedef struct gv_cell_row {
  const double *g; /* geotransform */
  int64_t x, y, w;
  uint8_t *out;
} gv_cell_row;

/* A worker's memory: where edges cross a row. */
typedef struct gv_crossings {
  double *x;
  int64_t capacity;
} gv_crossings;

/* Marks the cells of a row inside: those between each pair of crossings. The polygons are in the grid's
 * coordinates, which have no rotation. */
gv_status gv_mask_polygons_mark(gv_io *io, const gv_mask_polygons *polygons, const gv_cell_row *row,
                                gv_crossings *crossings);

#endif
