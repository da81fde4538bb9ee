#include "io/in/cells/grid_system.h"

#include <stdio.h>

#include "io/crs/crs.h"

const char *gv_grid_system_convention(void) {
  return "[{\"uuid\": \"7b255807-140c-42ca-97f6-7a1cfecdbc38\", \"name\": \"dggs\", "
         "\"schema_url\": "
         "\"https://raw.githubusercontent.com/zarr-conventions/dggs/refs/tags/v1/schema.json\", "
         "\"spec_url\": \"https://github.com/zarr-conventions/dggs/blob/v1/README.md\", "
         "\"description\": \"Discrete Global Grid Systems convention for zarr\"}]";
}

bool gv_grid_system_describe(const gv_cells_of *cells, OGRSpatialReferenceH crs,
                             char out[GV_GRID_SYSTEM_SIZE]) {
  char ellipsoid[256] = "", scheme[64] = "";
  OGRErr error = OGRERR_NONE;
  if (gv_cells_of_system(cells) == NULL) return false;
  if (gv_cells_of_have_schemes(cells))
    snprintf(scheme, sizeof scheme, "\"indexing_scheme\": \"%s\", ", cells->ring ? "ring" : "nested");
  if (cells->authalic)
    snprintf(ellipsoid, sizeof ellipsoid,
             ", \"ellipsoid\": {\"name\": \"%s\", \"semimajor_axis\": %.17g, \"inverse_flattening\": %.17g}",
             gv_crs_ellipsoid_name(crs), OSRGetSemiMajor(crs, &error), OSRGetInvFlattening(crs, &error));
  snprintf(out, GV_GRID_SYSTEM_SIZE,
           "{\"name\": \"%s\", \"refinement_level\": %d, %s\"spatial_dimension\": \"cells\", \"coordinate\": "
           "\"cell_ids\", \"compression\": \"none\"%s}",
           gv_cells_of_system(cells), cells->level, scheme, ellipsoid);
  return true;
}
