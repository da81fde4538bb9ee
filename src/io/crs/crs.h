/*
 * Coordinate systems and the operations between them.
 *
 * Positions are always x (east), y (north) in the coordinate system's own unit, as GDAL's traditional GIS
 * order; the globe's positions are longitude and latitude in degrees. One PROJ operation is chosen for a run
 * and used for every position, so that a result never depends on what else was transformed.
 */
#ifndef GV_IO_CRS_H
#define GV_IO_CRS_H

#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>

#include "io/io.h"

/* Reads "EPSG:4326", WKT, PROJJSON, a PROJ string, a file ...; `option` names the option in the message. On
 * success *out is set, in traditional GIS order; release it with OSRRelease. */
gv_status gv_crs_parse(gv_io *io, const char *text, const char *option, OGRSpatialReferenceH *out);

/* A copy of a source's system in traditional GIS order; *swapped: whether coordinates in the original's data
 * order are y, x. NULL if the source has no system: NULL, one without a name, or an undefined one. */
gv_status gv_crs_copy(gv_io *io, OGRSpatialReferenceH crs, OGRSpatialReferenceH *out, bool *swapped);

/* That of a layer; fails where there is none and GDAL has failed since the caller's gv_gdal_reset. `what`
 * names the source's part. */
gv_status gv_crs_of_layer(gv_io *io, const char *what, const char *source, GDALDatasetH dataset,
                          OGRLayerH layer, OGRSpatialReferenceH *out, bool *swapped);

/* The system for GeoPackage layers without a coordinate system; without one GDAL declares a geographic one.
 * Release it with OSRRelease; NULL = out of memory. */
OGRSpatialReferenceH gv_crs_undefined(void);

/* Whether a system means "none": GeoPackages have undefined systems with certain names, which GDAL
 * returns. */
bool gv_crs_is_undefined(OGRSpatialReferenceH crs);

/* Local systems by name, unit and directions: files of most formats store nothing else of them; GeoTIFF
 * stores neither datum nor names of axes. */
bool gv_crs_same_local(OGRSpatialReferenceH a, OGRSpatialReferenceH b);

/* Whether it is the undefined Cartesian one, as layers have it; NULL is not. */
bool gv_crs_is_cartesian(OGRSpatialReferenceH crs);

/* "WGS 84 (EPSG:4326)", "unnamed"; "no coordinate system" for NULL. */
void gv_crs_describe(OGRSpatialReferenceH crs, char *text, size_t size);

/* Warns if the system of outputs has a deprecated code. */
void gv_crs_warn_of_deprecated(OGRSpatialReferenceH crs);

/* True for a geographic CRS with real longitudes and latitudes as coordinates (not for a rotated pole). */
bool gv_crs_is_lonlat(OGRSpatialReferenceH crs);

/* Longitudes farther from 0 are errors: files hold a turn or two, and loops over turns must end. */
enum { GV_MOST_TURNS = 100 };

/* Checks those of the corners of `name`, `turn` being 360 degrees. */
gv_status gv_check_longitudes(gv_io *io, const char *name, const double geotransform[6], int64_t width,
                              int64_t height, double turn);

/* gv_default_metric of the facts of a system; NULL = none. */
gv_metric gv_crs_default_metric(OGRSpatialReferenceH crs, const char **reason);

/* Degrees in one angular unit of the CRS (exactly 1 for degrees). */
double gv_crs_unit_degrees(OGRSpatialReferenceH crs);

/* The longitudes and latitudes in degrees that a system is based on, to be released with OSRRelease. */
gv_status gv_crs_degrees(gv_io *io, OGRSpatialReferenceH crs, OGRSpatialReferenceH *out);

/* True if both are the same system once axis order is put aside. */
bool gv_crs_same(OGRSpatialReferenceH a, OGRSpatialReferenceH b);

/* The longitudes and latitudes that a system is based on, in its own unit and with its code, in traditional
 * GIS order; of a rotated pole those that are rotated: the globe of gv_operation_to_globe. Release *out with
 * OSRRelease. */
gv_status gv_crs_geographic(gv_io *io, OGRSpatialReferenceH crs, OGRSpatialReferenceH *out);

/* Replaces a geographic system with another prime meridian by that with Greenwich, in degrees: cells of grid
 * systems are defined so. *east: that meridian's longitude from Greenwich, in degrees; 0 = unchanged. */
gv_status gv_crs_to_greenwich(gv_io *io, OGRSpatialReferenceH *crs, double *east);

/* The same system, with its EPSG code if it has one, for formats that store only codes. Release it; NULL =
 * out of memory. */
OGRSpatialReferenceH gv_crs_with_code(OGRSpatialReferenceH crs);

/* An error for geocentric systems; `what` needs the coordinates of a map. NULL is allowed. */
gv_status gv_crs_require_map(gv_io *io, OGRSpatialReferenceH crs, const char *what);

/* Semi-major axis in meters and flattening of the CRS's ellipsoid; 0 for a sphere. Prolate ellipsoids are
 * refused. */
gv_status gv_crs_ellipsoid(gv_io *io, OGRSpatialReferenceH crs, double *semi_major, double *flattening);

/* PROJ's name ("WGS84", "bessel") of the ellipsoid with the nearest flattening, of several that with the
 * nearest axis. */
const char *gv_crs_ellipsoid_name(OGRSpatialReferenceH crs);

/* One coordinate operation, used by any number of threads at once. */
typedef struct gv_operation gv_operation;

/*
 * PROJ's first operation from `source` to `target` for the positions' area; x, y (count of them) are sample
 * positions in `source` and may be NULL. Errors: GV_ERROR_PROJECTION.
 */
gv_status gv_operation_between(gv_io *io, OGRSpatialReferenceH source, OGRSpatialReferenceH target,
                               const double *x, const double *y, int64_t count, gv_operation **out);

/* From any CRS to longitude, latitude in degrees on the globe of `globe`, the geographic CRS `globe` is based
 *
 * on. */
gv_status gv_operation_to_globe(gv_io *io, OGRSpatialReferenceH source, OGRSpatialReferenceH globe,
                                const double *x, const double *y, int64_t count, gv_operation **out);

/* Frees an operation; NULL is allowed. No thread may be using it. */
void gv_operation_destroy(gv_operation *operation);

/* Transforms n positions in place; positions without an image become HUGE_VAL, HUGE_VAL. Can be used as
 * gv_inverse_fn (user = the operation). Returns non-zero only if a thread's copy of the operation cannot be
 * made (out of memory). */
int gv_operation_apply(double *x, double *y, int64_t n, void *operation);

/* Makes the operation return HUGE_VAL if transforming a result back does not return to the position (to
 * `tolerance`, in the source's unit): projections that wrap the globe more than once over their plane. */
void gv_operation_check_round_trip(gv_operation *operation, double tolerance);

/* Adds to the longitudes that the operation returns. */
void gv_operation_turn(gv_operation *operation, double degrees);

/* True if the operation is the inverse of a projection with a plane that repeats the globe periodically
 * (Mercator and similar), where positions outside the edge of the globe are valid. */
bool gv_operation_is_cylindrical(const gv_operation *operation);

/* Proportional to the area between the equator and a latitude in radians (Snyder 1987, equation 3-12,
 * halved). */
double gv_ellipsoid_zone(double e2, double latitude);

#endif
