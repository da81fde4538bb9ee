/* The longitudes and latitudes that a coordinate system is based on, and codes of systems that lack them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cpl_conv.h>
#include <proj.h>

#include "io/crs/crs.h"

/* Of a rotated pole: the system that is rotated. NULL: PROJ has failed. */
static OGRSpatialReferenceH source_of_derived(OGRSpatialReferenceH crs) {
  static const char *const format[] = {"FORMAT=WKT2_2019", NULL};
  char *wkt = NULL;
  PJ_CONTEXT *context = proj_context_create();
  if (context != NULL) proj_log_level(context, PJ_LOG_NONE);
  PJ *derived = NULL, *source = NULL;
  if (context != NULL && OSRExportToWktEx(crs, &wkt, format) == OGRERR_NONE)
    derived = proj_create(context, wkt);
  if (derived != NULL) source = proj_get_source_crs(context, derived);
  const char *text = source != NULL ? proj_as_wkt(context, source, PJ_WKT2_2019, NULL) : NULL;
  OGRSpatialReferenceH made = text != NULL ? OSRNewSpatialReference(text) : NULL;
  CPLFree(wkt);
  proj_destroy(source);
  proj_destroy(derived);
  proj_context_destroy(context);
  return made;
}

gv_status gv_crs_geographic(gv_io *io, OGRSpatialReferenceH crs, OGRSpatialReferenceH *out) {
  gv_gdal_reset();
  *out = OSRIsDerivedGeographic(crs) ? source_of_derived(crs) : OSRCloneGeogCS(crs);
  if (*out == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_PROJECTION, "the coordinate system has no longitudes and latitudes");
  OSRSetAxisMappingStrategy(*out, OAMS_TRADITIONAL_GIS_ORDER);
  return GV_OK;
}

/* "rf=298.3", "b=6356583.8" */
static double flattening_of(double a, const char *shape) {
  double number = CPLAtof(strchr(shape, '=') + 1);
  return shape[0] == 'b' ? (a - number) / a : number > 0.0 ? 1.0 / number : 0.0;
}

const char *gv_crs_ellipsoid_name(OGRSpatialReferenceH crs) {
  const double a = OSRGetSemiMajor(crs, NULL), inverse = OSRGetInvFlattening(crs, NULL);
  const double f = inverse > 1.0 ? 1.0 / inverse : 0.0;
  const char *name = "sphere";
  double nearest = f, axis = HUGE_VAL;
  for (const PJ_ELLPS *one = proj_list_ellps(); one->id != NULL; one++) {
    double own = CPLAtof(strchr(one->major, '=') + 1), apart = fabs(flattening_of(own, one->ell) - f);
    if (apart > nearest + 1e-12 || (apart >= nearest - 1e-12 && fabs(own - a) >= axis)) continue;
    name = one->id;
    nearest = apart;
    axis = fabs(own - a);
  }
  return name;
}

OGRSpatialReferenceH gv_crs_with_code(OGRSpatialReferenceH crs) {
  int count = 0;
  int *confidence = NULL;
  OGRSpatialReferenceH found = NULL;
  if (OSRGetAuthorityCode(crs, NULL) != NULL) return OSRClone(crs);
  OGRSpatialReferenceH *matches = OSRFindMatches(crs, NULL, &count, &confidence);
  for (int i = 0; i < count && found == NULL; i++) {
    const char *authority = OSRGetAuthorityName(matches[i], NULL);
    if (authority != NULL && strcmp(authority, "EPSG") == 0 && gv_crs_same(matches[i], crs))
      found = OSRClone(matches[i]);
  }
  OSRFreeSRSArray(matches);
  CPLFree(confidence);
  if (found == NULL) return OSRClone(crs);
  OSRSetAxisMappingStrategy(found, OAMS_TRADITIONAL_GIS_ORDER);
  return found;
}

/* Copies a name without what states the meridian: "MGI (Ferro)", "Militar-Geographische_Institut_Ferro". */
static void name_without(const char *name, const char *meridian, char out[256]) {
  static const char *const before[] = {" (", "_"}, *const after[] = {")", ""};
  snprintf(out, 256, "%s", name != NULL ? name : "unnamed");
  for (int i = 0; i < 2; i++) {
    char end[256];
    snprintf(end, sizeof end, "%s%s%s", before[i], meridian, after[i]);
    size_t length = strlen(out), tail = strlen(end);
    if (length > tail && strcmp(out + length - tail, end) == 0) out[length - tail] = '\0';
  }
}

gv_status gv_crs_to_greenwich(gv_io *io, OGRSpatialReferenceH *crs, double *east) {
  char *meridian = NULL, name[256], datum[256]; /* the first is owned by the system */
  OGRErr error = OGRERR_NONE;
  *east = OSRGetPrimeMeridian(*crs, &meridian);
  if (*east == 0.0) return GV_OK;
  gv_gdal_reset();
  name_without(OSRGetName(*crs), meridian, name);
  name_without(OSRGetAttrValue(*crs, "DATUM", 0), meridian, datum);
  OGRSpatialReferenceH made = OSRNewSpatialReference(NULL);
  if (made != NULL)
    error = OSRSetGeogCS(made, name, datum, OSRGetAttrValue(*crs, "SPHEROID", 0), OSRGetSemiMajor(*crs, NULL),
                         OSRGetInvFlattening(*crs, NULL), "Greenwich", 0.0, SRS_UA_DEGREE,
                         CPLAtof(SRS_UA_DEGREE_CONV));
  OGRSpatialReferenceH coded = made != NULL && error == OGRERR_NONE ? gv_crs_with_code(made) : NULL;
  if (made != NULL) OSRRelease(made);
  if (coded == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_PROJECTION, "PROJ: longitudes cannot be counted from Greenwich");
  OSRSetAxisMappingStrategy(coded, OAMS_TRADITIONAL_GIS_ORDER);
  OSRRelease(*crs);
  *crs = coded;
  return GV_OK;
}

gv_status gv_crs_degrees(gv_io *io, OGRSpatialReferenceH crs, OGRSpatialReferenceH *out) {
  GV_TRY(gv_crs_geographic(io, crs, out));
  if (gv_crs_unit_degrees(*out) != 1.0) OSRSetAngularUnits(*out, SRS_UA_DEGREE, CPLAtof(SRS_UA_DEGREE_CONV));
  return GV_OK;
}
