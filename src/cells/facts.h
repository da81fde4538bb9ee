/*
 * What is true of the cells of a grid, by its kind. Code outside src/cells tests one of these facts, never a
 * kind. No functions of the library are needed, so that the command can use them too.
 */
#ifndef GV_FACTS_H
#define GV_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuvoronoi/gpuvoronoi.h"

typedef struct gv_cell_facts {
  bool raster;      /* columns and rows, by gv_grid.geotransform */
  bool globe;       /* positions are on the globe */
  bool one_row;     /* one row of cells with numbers: a mesh or a list */
  bool mesh;        /* they are all cells of a level of a mesh: parts of them have bounds without positions */
  bool wide_bounds; /* bounds of parts are far larger than the cells of a part need */
  bool rows_are_parallels; /* rows are parallels, columns meridians */
  bool flat_areas;         /* all cells have the area of the geotransform, in its units */
  bool inverse;            /* places are computed by gv_grid.inverse */
  bool given_places;       /* places are the caller's, in any order, and their areas too, if they are known */
  bool may_lack_places;    /* cells may be without a position */
  bool on_devices;         /* all backends of grids accept them, others by gv_backend.lists */
  /* memory for each column and row of a raster, at most, while its tables are made */
  int table_bytes;
} gv_cell_facts;

#ifdef __cplusplus /* which warns of facts that are left out */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
static inline const gv_cell_facts *gv_facts_of(const gv_grid *grid) {
  /* In the order of gv_grid_kind: CUDA 12.4 refuses designated elements of arrays. */
  static const gv_cell_facts facts[] = {
      /* GV_GRID_PLANE */ {.raster = true, .flat_areas = true, .on_devices = true, .table_bytes = 8},
      /* GV_GRID_LONLAT */
      {.raster = true, .globe = true, .rows_are_parallels = true, .on_devices = true, .table_bytes = 13 * 8},
      /* GV_GRID_PROJECTED */
      {.raster = true,
       .globe = true,
       .flat_areas = true,
       .inverse = true,
       .may_lack_places = true,
       .on_devices = true},
      /* GV_GRID_QTM */ {.globe = true, .one_row = true, .mesh = true, .on_devices = true},
      /* GV_GRID_HEALPIX */ {.globe = true, .one_row = true, .mesh = true, .wide_bounds = true},
      /* GV_GRID_POINTS */ {.globe = true, .one_row = true, .given_places = true, .may_lack_places = true},
      /* GV_GRID_S2 */ {.globe = true, .one_row = true, .mesh = true, .wide_bounds = true},
      /* an unknown kind, which gv_cells_init rejects */ {.globe = true}};
  const size_t unknown = sizeof facts / sizeof *facts - 1, kind = (size_t)grid->kind;
  return &facts[kind < unknown ? kind : unknown];
}
#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

/* Cells in one row, in the order of their numbers: a mesh or a list of places. */
static inline bool gv_grid_is_list(const gv_grid *grid) {
  return gv_facts_of(grid)->one_row;
}

static inline bool gv_grid_is_mesh(const gv_grid *grid) {
  return gv_facts_of(grid)->mesh;
}

static inline bool gv_grid_has_wide_bounds(const gv_grid *grid) {
  return gv_facts_of(grid)->wide_bounds;
}

/* Cells of a mesh that are numbered ring by ring, not in the order of its tree. */
static inline bool gv_grid_is_in_rings(const gv_grid *grid) {
  return grid->kind == GV_GRID_HEALPIX && grid->ring != 0;
}

/* Lists in an order that is unrelated to positions: a caller's, or the RING scheme of HEALPix. */
static inline bool gv_grid_is_unordered(const gv_grid *grid) {
  return gv_facts_of(grid)->given_places || gv_grid_is_in_rings(grid);
}

/* Places of cells without areas. */
static inline bool gv_grid_lacks_areas(const gv_grid *grid) {
  return gv_facts_of(grid)->given_places && grid->area == NULL;
}

/* All triangles of the level of a raster of them. */
static inline gv_grid gv_grid_of_triangles(const gv_grid *raster) {
  gv_grid mesh;
  gv_grid_init(&mesh);
  mesh.kind = GV_GRID_QTM;
  mesh.level = raster->level;
  mesh.semi_major = raster->semi_major;
  mesh.flattening = raster->flattening;
  return mesh;
}

#endif
