/* The default metric of a coordinate system. */
#include "gpuvoronoi/crs.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The value of "+NAME=" in a PROJ string, NULL without it. */
static const char *proj_value_of(const char *proj, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strchr(proj, '+'); at != NULL; at = strchr(at + 1, '+')) {
    bool begins = at == proj || at[-1] == ' ';
    if (begins && strncmp(at + 1, name, length) == 0 && at[length + 1] == '=') return at + length + 2;
  }
  return NULL;
}

/* Whether the number is the digit `whole` (0 or 1): "0", "-0.0", "1", "1.000". Does not depend on the
 * locale. */
static bool proj_number_is(const char *text, char whole) {
  size_t end = strcspn(text, " ");
  size_t at = *text == '-' || *text == '+' ? 1 : 0;
  if (at == end || text[at] != whole || (whole != '0' && text[0] == '-')) return false;
  at++;
  return at == end || (text[at] == '.' && at + 1 + strspn(text + at + 1, "0") == end);
}

static bool proj_is_cylinder(const char *proj) {
  static const char *const names[] = {"merc", "webmerc", "eqc", "cea",       "mill",
                                      "gall", "comill",  "cc",  "patterson", "tobmerc"};
  const char *name = proj_value_of(proj, "proj");
  if (name == NULL) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcspn(name, " ") == strlen(names[i]) && strncmp(name, names[i], strlen(names[i])) == 0) return true;
  return false;
}

/* A region is stated, or the true scale is elsewhere than on the equator. */
static bool crs_is_regional(const gv_crs_facts *crs) {
  bool known = (crs->west != 0.0 || crs->east != 0.0) && fabs(crs->west) <= 360.0 && fabs(crs->east) <= 360.0;
  if (known) {
    double width = crs->east - crs->west;
    return (width < 0.0 ? width + 360.0 : width) <= 180.0;
  }
  const char *latitude = proj_value_of(crs->proj, "lat_ts"), *scale = proj_value_of(crs->proj, "k");
  const char *scale_0 = proj_value_of(crs->proj, "k_0");
  return (latitude != NULL && !proj_number_is(latitude, '0')) ||
         (scale != NULL && !proj_number_is(scale, '1')) || (scale_0 != NULL && !proj_number_is(scale_0, '1'));
}

gv_metric gv_default_metric(const gv_crs_facts *crs, const char **reason) {
  gv_metric metric = GV_EUCLIDEAN;
  const char *text = "default for projected CRSs";
  if (crs == NULL || crs->struct_size < sizeof *crs || crs->kind == GV_CRS_NONE) {
    text = "default without a coordinate system";
  } else if (crs->kind == GV_CRS_GEOGRAPHIC) {
    metric = GV_GEODESIC;
    text = "default for longitudes and latitudes";
  } else if (crs->kind == GV_CRS_PROJECTED && crs->proj != NULL && proj_is_cylinder(crs->proj) &&
             !crs_is_regional(crs)) {
    metric = GV_GEODESIC;
    text = "default for projected CRSs of the whole world";
  }
  if (reason != NULL) *reason = text;
  return metric;
}
