#include "job/weights/side.h"

#include <math.h>
#include <stdlib.h>

#include "cells/facts.h"
#include "gpuvoronoi/weights.h"
#include "io/crs/crs.h"
#include "io/in/cells/cell_places.h"
#include "io/in/cells/place_arrays.h"
#include "io/in/raster_crs.h"

/* --------------------------------------------------------------------------------------------- what it is */

/* Whether GDAL opens a source as a raster, and not as a layer; then its coordinate system. */
static gv_status side_find_raster(gv_io *io, gv_weights_side *s, OGRSpatialReferenceH *crs) {
  const gv_cells_of *cells = &s->cells;
  if (!gv_cells_of_are_read(cells) || cells->name != NULL || gv_place_arrays_may_be(cells->source))
    return GV_OK;
  gv_gdal_reset();
  GDALDatasetH layer = GDALOpenEx(cells->source, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
  GDALDatasetH raster =
      layer == NULL ? GDALOpenEx(cells->source, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL) : NULL;
  gv_gdal_reset();
  s->is_raster = raster != NULL;
  const gv_status status = s->is_raster ? gv_crs_of_raster(io, s->path, raster, crs) : GV_OK;
  if (layer != NULL) GDALClose(layer);
  if (raster != NULL) GDALClose(raster);
  if (status != GV_OK || !s->is_raster || *crs != NULL) return status;
  return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                       "%s: %s: missing coordinate system", s->option, s->path);
}

static gv_grid_options side_options(gv_metric metric) {
  return (gv_grid_options){.has_metric = true, .metric = metric};
}

gv_status gv_weights_side_open(gv_io *io, gv_weights_side *s, gv_metric metric, int threads) {
  GV_TRY(gv_cells_of_read(io, s->option, s->path, &s->cells));
  GV_REQUIRE(io, !gv_cells_of_are_triangles(&s->cells),
             "%s: unsupported cells (%s); use healpix:LEVEL or s2:LEVEL", s->option, s->path);
  gv_seed_list of_raster = GV_SEED_LIST_INIT; /* without seeds */
  gv_status status = side_find_raster(io, s, &of_raster.crs);
  if (status == GV_OK && !s->is_raster)
    status = gv_cell_places_read(io, &s->cells, s->option, false, &s->places);
  if (status == GV_OK && s->is_raster) {
    gv_grid_options options = side_options(metric);
    options.like = s->path;
    s->cells = (gv_cells_of){.kind = GV_CELLS_OF_NONE};
    status = gv_io_of_option(io, gv_raster_grid_make(io, &options, &of_raster, &s->grid), s->option);
  }
  gv_seeds_free(&of_raster);
  GV_TRY(status);
  if (!s->is_raster || !s->masked) return GV_OK;
  const gv_readers readers = {threads, 2, io->memory / 8, &s->grid};
  return gv_raster_in_open(io, s->option, (gv_raster_source){s->path, NULL, 1}, readers, &s->band);
}

OGRSpatialReferenceH gv_weights_side_crs(const gv_weights_side *s) {
  return s->is_raster ? s->grid.crs : s->places.crs;
}

/* ---------------------------------------------------------------------------------------------- the globe */

/* The library's object of a grid, for positions and areas of its cells. */
static gv_status side_describe(gv_io *io, gv_context *context, const gv_weights_side *s, const gv_grid *grid,
                               gv_voronoi **out) {
  static const double nowhere = 0.0;
  const gv_points seed = gv_points_xy(&nowhere, &nowhere, 1);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.backend = "serial";
  options.metric = s->grid.metric;
  return gv_io_pass_on_library(io, context, gv_voronoi_create(context, grid, &seed, &options, out));
}

/* Lists in rows are axes if all rows and all columns are alike. */
static bool side_has_axes(const gv_weights_side *s) {
  const gv_seed_list *p = &s->places;
  const int64_t w = s->columns;
  if (s->is_raster) return gv_facts_of(&s->grid.grid)->rows_are_parallels;
  if (p->columns == 0) return false;
  for (int64_t i = 0; i < s->count; i++)
    if (!(p->x[i] == p->x[i % w]) || !(p->y[i] == p->y[i - i % w])) return false;
  return true;
}

/* The axes of a raster or a list in rows. */
static gv_status side_measure_axes(gv_io *io, gv_context *context, gv_weights_side *s) {
  const int64_t w = s->columns, h = s->rows;
  double *lon = malloc((size_t)(2 * (w + h)) * sizeof *lon), *lat = lon + w, *more = lat + h;
  s->widths = malloc((size_t)(w + h) * sizeof *s->widths);
  gv_status status = lon != NULL && s->widths != NULL ? GV_OK : gv_io_fail_memory(io, "the axes");
  if (status == GV_OK) {
    s->heights = s->widths + w;
    if (s->is_raster) {
      status = gv_voronoi_cell_centers(context, s->of, 0, 0, w, 1, lon, more, 0);
      if (status == GV_OK) status = gv_voronoi_cell_centers(context, s->of, 0, 0, 1, h, more, lat, 0);
    } else {
      for (int64_t i = 0; i < w; i++)
        lon[i] = s->places.x[i];
      for (int64_t i = 0; i < h; i++)
        lat[i] = s->places.y[i * w];
    }
    if (status == GV_OK) status = gv_axis_cell_areas(context, lon, w, lat, h, s->widths, s->heights);
    status = gv_io_pass_on_library(io, context, status);
  }
  free(lon);
  return status;
}

/* Grid systems on a sphere of radius 1, of which areas are solid angles. */
static gv_status side_put_on_sphere(gv_io *io, gv_context *context, gv_weights_side *s, int threads) {
  gv_raster_grid unit = s->grid;
  unit.grid.semi_major = 1.0;
  unit.grid.flattening = 0.0;
  if (gv_cells_of_have_places(&s->cells))
    GV_TRY(gv_cell_places_put(io, &s->cells, s->option, threads, &unit, &s->on_sphere));
  return side_describe(io, context, s, &unit.grid, &s->sphere);
}

gv_status gv_weights_side_place(gv_io *io, gv_context *context, gv_weights_side *s, OGRSpatialReferenceH crs,
                                gv_metric metric, int threads) {
  if (!s->is_raster) {
    gv_grid_options options = side_options(metric);
    gv_seed_list like = GV_SEED_LIST_INIT;
    options.cells_of = s->cells;
    like.crs = crs; /* borrowed */
    GV_TRY(gv_io_of_option(io, gv_raster_grid_make(io, &options, &like, &s->grid), s->option));
    GV_TRY(gv_cell_places_put(io, &s->cells, s->option, threads, &s->grid, &s->places));
  }
  s->count = s->grid.grid.width * s->grid.grid.height;
  s->columns = s->places.columns > 0 ? s->places.columns : s->grid.grid.width;
  s->rows = s->count / s->columns;
  s->block = GV_WEIGHTS_BLOCK;
  GV_TRY(side_describe(io, context, s, &s->grid.grid, &s->of));
  if (side_has_axes(s)) return side_measure_axes(io, context, s);
  const bool known = !s->is_raster && !gv_cells_of_are_read(&s->cells);
  return known ? side_put_on_sphere(io, context, s, threads) : GV_OK;
}

/* ------------------------------------------------------------------------------------------------- blocks */

/* Of rasters with long rows parts of a row, else some rows; of lists stretches. */
static int64_t side_blocks_across(const gv_weights_side *s) {
  return (s->grid.grid.width + s->block - 1) / s->block;
}

static int64_t side_block_rows(const gv_weights_side *s) {
  return s->grid.grid.width < s->block ? s->block / s->grid.grid.width : 1;
}

int64_t gv_weights_side_blocks(const gv_weights_side *s) {
  const int64_t rows = side_block_rows(s);
  return side_blocks_across(s) * ((s->grid.grid.height + rows - 1) / rows);
}

static void side_put_areas(const gv_weights_side *s, gv_weights_block *b) {
  for (int64_t i = 0; i < b->count; i++) {
    const int64_t cell = b->first + i;
    b->area[i] = s->widths != NULL ? s->widths[cell % s->columns] * s->heights[cell / s->columns] : 0.0;
  }
}

gv_status gv_weights_side_block(gv_io *io, const gv_weights_side *s, int worker, int64_t number,
                                gv_weights_block *b) {
  const int64_t across = side_blocks_across(s), rows = side_block_rows(s);
  const int64_t width = s->grid.grid.width, height = s->grid.grid.height;
  b->x = number % across * s->block;
  b->y = number / across * rows;
  b->w = width - b->x < s->block ? width - b->x : s->block;
  b->h = height - b->y < rows ? height - b->y : rows;
  b->first = b->y * width + b->x;
  b->count = b->w * b->h;
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  gv_status status = gv_voronoi_cell_centers(b->context, s->of, b->x, b->y, b->w, b->h, b->lon, b->lat, 0);
  if (status == GV_OK && s->sphere != NULL)
    status = gv_voronoi_cell_areas(b->context, s->sphere, b->x, b->y, b->w, b->h, b->area, 0);
  GV_TRY(gv_io_pass_on_library(io, b->context, status));
  if (s->sphere == NULL) side_put_areas(s, b);
  if (!s->is_raster || !s->masked) return GV_OK;
  GV_TRY(gv_raster_in_valid(io, &s->band, worker, b->x, b->y, b->w, b->h, b->values, b->valid));
  for (int64_t i = 0; i < b->count; i++)
    if (isnan(b->values[i])) b->lon[i] = b->lat[i] = (double)NAN;
  return GV_OK;
}

void gv_weights_side_close(gv_weights_side *s) {
  gv_voronoi_destroy(s->of);
  gv_voronoi_destroy(s->sphere);
  if (s->is_raster && s->masked) gv_raster_in_close(&s->band);
  gv_raster_grid_free(&s->grid);
  gv_seeds_free(&s->places);
  gv_seeds_free(&s->on_sphere);
  free(s->widths);
}
