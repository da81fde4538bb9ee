#include "io/in/cells/cell_places.h"

#include <stdio.h>

#include "io/in/cells/h3_cells.h"
#include "io/in/cells/place_arrays.h"

gv_status gv_cell_places_read(gv_io *io, const gv_cells_of *cells, const char *option, bool skip_invalid,
                              gv_seed_list *out) {
  if (!gv_cells_of_are_read(cells)) return GV_OK;
  char layer_option[64];
  snprintf(layer_option, sizeof layer_option, "%s FILE:LAYER", option);
  gv_seed_options options = {.source = cells->source,
                             .layer = cells->name,
                             .crs_option = "", /* none */
                             .layer_option = layer_option,
                             .columns_remedy = "rename the columns to lon and lat",
                             .skip_invalid = skip_invalid,
                             .queries = true};
  bool found = false;
  gv_status status = GV_OK;
  if (gv_place_arrays_may_be(cells->source))
    status = gv_place_arrays_read(io, cells->source, cells->name, out, &found);
  out->skip_invalid = options.skip_invalid;
  if (status == GV_OK && !found) status = gv_seeds_read(io, &options, out);
  if (status == GV_OK && out->crs == NULL) {
    status = gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                           "%s: missing coordinate system; columns lon and lat have one", cells->source);
  }
  return gv_io_of_option(io, status, option);
}

gv_status gv_cell_places_put(gv_io *io, const gv_cells_of *cells, const char *option, int threads,
                             gv_raster_grid *grid, gv_seed_list *places) {
  if (gv_cells_of_are_read(cells)) {
    GV_TRY(gv_io_of_option(io, gv_raster_grid_transform(io, grid, places), option));
  } else if (gv_cells_of_have_places(cells)) {
    GV_TRY(gv_io_of_option(io, gv_h3_cells_read(io, cells->level, grid, threads, places), option));
  }
  gv_cells_of_grid(cells, places, &grid->grid);
  return GV_OK;
}
