#include "io/crs/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/angles.h"

static const gv_unit units[] = {{GV_UNIT_LENGTH, 1.0, "m"},
                                {GV_UNIT_LENGTH, 1000.0, "km"},
                                {GV_UNIT_LENGTH, 0.01, "cm"},
                                {GV_UNIT_LENGTH, 0.3048, "ft"},
                                {GV_UNIT_LENGTH, 1200.0 / 3937.0, "us-ft"},
                                {GV_UNIT_LENGTH, 0.9144, "yd"},
                                {GV_UNIT_LENGTH, 1609.344, "mi"},
                                {GV_UNIT_LENGTH, 1852.0, "nmi"},
                                {GV_UNIT_ANGLE, 3600.0, "deg"},
                                {GV_UNIT_ANGLE, 3600.0, "\u00b0"},
                                {GV_UNIT_ANGLE, 60.0, "'"},
                                {GV_UNIT_ANGLE, 60.0, "\u2032"},
                                {GV_UNIT_ANGLE, 60.0, "arcmin"},
                                {GV_UNIT_ANGLE, 1.0, "\""},
                                {GV_UNIT_ANGLE, 1.0, "\u2033"},
                                {GV_UNIT_ANGLE, 1.0, "arcsec"}};

#define LENGTHS "m, km, cm, ft, us-ft, yd, mi, nmi"
const char gv_length_names[] = LENGTHS;
const char gv_unit_names[] = LENGTHS ", deg, ' or arcmin, \" or arcsec";

bool gv_unit_find(const char *name, gv_unit *out) {
  while (*name == ' ')
    name++;
  size_t length = strlen(name);
  while (length > 0 && name[length - 1] == ' ')
    length--;
  *out = (gv_unit){0};
  if (length == 0) return true;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) != length || strncmp(name, units[i].name, length) != 0) continue;
    *out = units[i];
    return true;
  }
  return false;
}

static gv_status mismatch(gv_io *io, const char *option, const gv_unit *unit, OGRSpatialReferenceH crs) {
  char name[256];
  gv_crs_describe(crs, name, sizeof name);
  const char *what = unit->kind == GV_UNIT_LENGTH ? "length" : "angle";
  GV_REQUIRE(io, crs != NULL, "%s: unsupported unit (%s is a unit of %s) without a coordinate system", option,
             unit->name, what);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: unsupported unit (%s is a unit of %s) for %s", option,
                    unit->name, what, name);
}

gv_status gv_unit_on_axes(gv_io *io, const char *option, const gv_unit *unit, OGRSpatialReferenceH crs,
                          double *value) {
  if (unit->kind == GV_UNIT_NONE) return GV_OK;
  bool geographic = crs != NULL && OSRIsGeographic(crs);
  if (crs == NULL || (unit->kind == GV_UNIT_ANGLE && !geographic)) return mismatch(io, option, unit, crs);
  double per_axis = 3600.0 * (geographic ? gv_crs_unit_degrees(crs) : 1.0);
  if (unit->kind == GV_UNIT_LENGTH && geographic) {
    double semi_major, flattening;
    GV_TRY(gv_crs_ellipsoid(io, crs, &semi_major, &flattening));
    per_axis *= semi_major * GV_PI / 648000.0;
  } else if (unit->kind == GV_UNIT_LENGTH) {
    per_axis = OSRGetLinearUnits(crs, NULL);
  }
  *value = *value * unit->size / per_axis;
  return GV_OK;
}

gv_status gv_length_as_distance(gv_io *io, const char *option, const gv_length *length, bool globe,
                                OGRSpatialReferenceH crs, double *out) {
  const gv_unit *unit = &length->unit;
  *out = length->value;
  if (unit->kind == GV_UNIT_ANGLE) return mismatch(io, option, unit, crs);
  if (!globe) return gv_unit_on_axes(io, option, unit, crs, out);
  if (unit->kind == GV_UNIT_LENGTH) *out *= unit->size;
  return GV_OK;
}
