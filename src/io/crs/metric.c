#include "io/crs/metric.h"

#include <stdio.h>

bool gv_metric_on_globe(gv_metric metric) {
  return metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
}

const char *gv_metric_reason(const gv_metric_request *request) {
  if (request->requested) return "as requested";
  const char *reason;
  gv_crs_default_metric(request->crs, &reason);
  return reason;
}

gv_status gv_metric_choose(gv_io *io, const gv_metric_request *request, gv_metric *out) {
  OGRSpatialReferenceH crs = request->crs;
  char name[256];
  bool geographic = crs != NULL && OSRIsGeographic(crs);
  gv_metric usual = gv_crs_default_metric(crs, NULL);
  gv_metric metric = request->requested ? request->metric : usual;
  *out = metric;
  gv_crs_describe(crs, name, sizeof name);
  if (gv_metric_on_globe(metric)) {
    if (crs == NULL) {
      return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                           "--metric %s: missing coordinate system; %s none; use %s", gv_metric_name(metric),
                           request->places, request->remedy);
    }
    if (geographic || OSRIsProjected(crs)) return GV_OK;
    return gv_io_fail_as(io, GV_CODE_METRIC_REFUSED, GV_ERROR_INVALID_ARGUMENT,
                         "--metric %s: unsupported for %s, which has no ellipsoid", gv_metric_name(metric),
                         name);
  }
  if (geographic) {
    return gv_io_fail_as(io, GV_CODE_METRIC_REFUSED, GV_ERROR_INVALID_ARGUMENT,
                         "--metric %s: unsupported for %s, where degrees are not lengths; use geodesic or "
                         "great-circle, or a projected coordinate system",
                         gv_metric_name(metric), name);
  }
  if (usual == GV_GEODESIC) {
    gv_io_warn(
        GV_CODE_METRIC_ON_MAP, 0,
        "--metric %s: distances on the map of %s differ from those on the ground; the default is geodesic",
        gv_metric_name(metric), name);
  }
  return GV_OK;
}
