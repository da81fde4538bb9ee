/* Deprecated codes of coordinate systems. */
#include <stdbool.h>

#include <proj.h>

#include "io/crs/crs.h"

void gv_crs_warn_of_deprecated(OGRSpatialReferenceH crs) {
  const char *authority = crs != NULL ? OSRGetAuthorityName(crs, NULL) : NULL;
  const char *code = crs != NULL ? OSRGetAuthorityCode(crs, NULL) : NULL;
  PJ_CONTEXT *context = authority != NULL && code != NULL ? proj_context_create() : NULL;
  if (context == NULL) return;
  proj_log_level(context, PJ_LOG_NONE);
  PJ *found = proj_create_from_database(context, authority, code, PJ_CATEGORY_CRS, false, NULL);
  char name[256];
  gv_crs_describe(crs, name, sizeof name);
  if (found != NULL && proj_is_deprecated(found)) {
    gv_io_warn(
        GV_CODE_CRS_DEPRECATED, 0,
        "coordinate system %s: deprecated; GDAL programs that read the outputs may replace it; to keep it, "
        "set OSR_USE_NON_DEPRECATED=NO",
        name);
  }
  proj_destroy(found);
  proj_context_destroy(context);
}
