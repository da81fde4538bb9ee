/*
 * Coordinate systems and the operations between them.
 *
 * Positions are always x (east), y (north) in the coordinate system's own unit, as GDAL's traditional GIS order;
 * the globe's positions are longitude and latitude in degrees. One PROJ operation is chosen for a run and used for
 * every position, so that a result never depends on what else was transformed.
 */
#ifndef GV_IO_CRS_H
#define GV_IO_CRS_H

#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>

#include "io/io.h"

/* Reads "EPSG:4326", WKT, PROJJSON, a PROJ string, a file ...; `option` names the option in the message. On success
 * *out is set, in traditional GIS order, to be given back with OSRRelease. */
gv_status gv_crs_parse(gv_io *io, const char *text, const char *option, OGRSpatialReferenceH *out);

/* A copy of a source's system in traditional GIS order; *swapped says whether coordinates in the original's data order come as
 * y, x. NULL if the source has none: NULL, one without a name, or one that says it is undefined. */
gv_status gv_crs_copy(gv_io *io, OGRSpatialReferenceH crs, OGRSpatialReferenceH *out, bool *swapped);

/* That of a layer; fails where there is none and GDAL has failed since the caller's gv_gdal_reset. `what` names the source's part. */
gv_status gv_crs_of_layer(gv_io *io, const char *what, const char *source, GDALDatasetH dataset, OGRLayerH layer,
                          OGRSpatialReferenceH *out, bool *swapped);

/* What a GeoPackage's layer without a coordinate system is created with: given none, GDAL calls it a geographic one. To be given
 * back with OSRRelease; NULL = out of memory. */
OGRSpatialReferenceH gv_crs_undefined(void);

/* Whether a system stands for none: GeoPackages say "undefined" by systems of certain names, which GDAL hands on. */
bool gv_crs_is_undefined(OGRSpatialReferenceH crs);

/* Local systems by name, unit and directions: files of most formats hold no more of them, GeoTIFF no datum and no names of axes. */
bool gv_crs_same_local(OGRSpatialReferenceH a, OGRSpatialReferenceH b);

/* Whether it is the undefined Cartesian one, as layers have it; NULL is not. */
bool gv_crs_is_cartesian(OGRSpatialReferenceH crs);

/* "WGS 84 (EPSG:4326)", "unnamed"; NULL gives "no coordinate system". */
void gv_crs_describe(OGRSpatialReferenceH crs, char *text, size_t size);

/* GDAL replaces deprecated EPSG codes by their successors, which may be other systems. From here on this thread takes codes as they
 * are written, unless the configuration option OSR_USE_NON_DEPRECATED is set. True if that has to be undone. */
bool gv_crs_keep_codes(void);
void gv_crs_replace_codes(void);

/* Warns if the system of outputs has a deprecated code. */
void gv_crs_warn_of_deprecated(OGRSpatialReferenceH crs);

/* True for a geographic CRS whose coordinates are real longitudes and latitudes (a rotated pole is none). */
bool gv_crs_is_lonlat(OGRSpatialReferenceH crs);

/* Longitudes farther from 0 are refused: files hold a turn, or two, and what is looked for turn by turn is to end. */
enum { GV_MOST_TURNS = 100 };

/* Checks those of the corners of `name`, `turn` being 360 degrees. */
gv_status gv_check_longitudes(gv_io *io, const char *name, const double geotransform[6], int64_t width,
                              int64_t height, double turn);

/* False if straight lines on the map are no distances on the ground, not even nearly: for longitudes and latitudes, and for
 * cylindrical projections of the whole world (Web Mercator, plate carree ...), which stretch it ever more towards the poles. */
bool gv_crs_fits_distances(OGRSpatialReferenceH crs);

/* Degrees in one angular unit of the CRS (exactly 1 for degrees). */
double gv_crs_unit_degrees(OGRSpatialReferenceH crs);

/* True if both are the same system once axis order is put aside. */
bool gv_crs_same(OGRSpatialReferenceH a, OGRSpatialReferenceH b);

/* Semi-major axis in metres and flattening of the CRS's ellipsoid. */
gv_status gv_crs_ellipsoid(gv_io *io, OGRSpatialReferenceH crs, double *semi_major, double *flattening);

/* One coordinate operation, used by any number of threads at once. */
typedef struct gv_operation gv_operation;

/*
 * The operation from `source` to `target` that PROJ ranks first for the positions' area; x, y (count of them) are
 * sample positions in `source` and may be NULL. Errors: GV_ERROR_PROJECTION.
 */
gv_status gv_operation_between(gv_io *io, OGRSpatialReferenceH source, OGRSpatialReferenceH target, const double *x,
                               const double *y, int64_t count, gv_operation **out);

/* From any CRS to longitude, latitude in degrees on the globe of `globe`, the geographic CRS `globe` is based on.
 */
gv_status gv_operation_to_globe(gv_io *io, OGRSpatialReferenceH source, OGRSpatialReferenceH globe, const double *x,
                                const double *y, int64_t count, gv_operation **out);

/* Frees an operation; NULL is allowed. No thread may be using it. */
void gv_operation_destroy(gv_operation *operation);

/* Transforms n positions in place; what has no image becomes HUGE_VAL, HUGE_VAL. Fits gv_inverse_fn (user = the
 * operation). Returns non-zero only when a thread cannot have its copy of the operation (out of memory). */
int gv_operation_apply(double *x, double *y, int64_t n, void *operation);

/* Makes the operation give HUGE_VAL where carrying a result back does not return to the position (to `tolerance`,
 * in the source's unit): projections that wrap the globe more than once over their plane. */
void gv_operation_check_round_trip(gv_operation *operation, double tolerance);

/* True if the operation undoes a projection whose plane repeats the globe in rows and columns (Mercator and the
 * like), where positions beyond the edge of the globe are meant. */
bool gv_operation_is_cylindrical(const gv_operation *operation);

#endif
