/* Coordinate systems that are not tied to the globe: local ones, and those that mean "none". */
#include <math.h>
#include <string.h>

#include "io/crs/crs.h"

static const char undefined_cartesian[] = "Undefined Cartesian SRS";

/* Esri's names have no blanks. */
static bool is_same_name(const char *a, const char *b) {
  while (*a != '\0' && (*a == *b || (*a == '_' && *b == ' ') || (*a == ' ' && *b == '_')))
    a++, b++;
  return *a == '\0' && *b == '\0';
}

bool gv_crs_is_undefined(OGRSpatialReferenceH crs) {
  static const char *const names[] = {undefined_cartesian, "Undefined geographic SRS", "Undefined SRS"};
  const char *name = OSRGetName(crs);
  if (name == NULL) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_same_name(name, names[i])) return true;
  return false;
}

OGRSpatialReferenceH gv_crs_undefined(void) {
  OGRSpatialReferenceH crs = OSRNewSpatialReference(NULL);
  if (crs != NULL && OSRSetLocalCS(crs, undefined_cartesian) == OGRERR_NONE) return crs;
  if (crs != NULL) OSRRelease(crs);
  return NULL;
}

bool gv_crs_is_cartesian(OGRSpatialReferenceH crs) {
  return crs != NULL && OSRGetName(crs) != NULL && strcmp(OSRGetName(crs), undefined_cartesian) == 0;
}

bool gv_crs_same_local(OGRSpatialReferenceH a, OGRSpatialReferenceH b) {
  const char *name_a = OSRGetName(a), *name_b = OSRGetName(b);
  if (!OSRIsLocal(a) || !OSRIsLocal(b) || name_a == NULL || name_b == NULL || !is_same_name(name_a, name_b))
    return false;
  double unit_a = OSRGetLinearUnits(a, NULL), unit_b = OSRGetLinearUnits(b, NULL);
  if (!(fabs(unit_a - unit_b) <= 1e-9 * unit_b)) return false;
  for (int axis = 0; axis < 2; axis++) {
    OGRAxisOrientation of_a = OAO_Other, of_b = OAO_Other;
    OSRGetAxis(a, NULL, axis, &of_a);
    OSRGetAxis(b, NULL, axis, &of_b);
    if (of_a != of_b && of_a != OAO_Other && of_b != OAO_Other) return false;
  }
  return true;
}
