/*
 * Lengths and angles as people write them: 100km, 30", 1nmi.
 */
#ifndef GV_IO_UNITS_H
#define GV_IO_UNITS_H

#include "io/crs/crs.h"

typedef enum gv_unit_kind { GV_UNIT_NONE, GV_UNIT_LENGTH, GV_UNIT_ANGLE } gv_unit_kind;

/* Begins as {0}: a number without a unit means what it always does. */
typedef struct gv_unit {
  gv_unit_kind kind;
  double size; /* in meters; of an angle in seconds */
  const char *name;
} gv_unit;

/* A length as it is given, in its unit; without a unit in that of distances. */
typedef struct gv_length {
  double value;
  gv_unit unit;
} gv_length;

/* The names of all units, for messages. */
extern const char gv_unit_names[], gv_length_names[];

/* The unit of that name, surrounding blanks allowed; "" is not a unit. False: unknown unit. */
bool gv_unit_find(const char *name, gv_unit *out);

/*
 * A value with its unit in that of a coordinate system's axes (NULL: none), for `option`. Degrees of a length
 * are those of the equator, as nothing else is the same everywhere.
 */
gv_status gv_unit_on_axes(gv_io *io, const char *option, const gv_unit *unit, OGRSpatialReferenceH crs,
                          double *value);

/* A length in the unit of distances: meters on the globe, else the coordinate system's. */
gv_status gv_length_as_distance(gv_io *io, const char *option, const gv_length *length, bool globe,
                                OGRSpatialReferenceH crs, double *out);

#endif
