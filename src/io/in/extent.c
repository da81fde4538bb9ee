#include "io/in/extent.h"

#include <inttypes.h>
#include <math.h>

#include <gdal.h>

#include "gpuvoronoi/crs.h"
#include "io/in/raster_crs.h"

/* The smallest box around places, xmin, ymin, xmax, ymax. */
static void begin_box(double box[4]) {
  box[0] = box[1] = HUGE_VAL;
  box[2] = box[3] = -HUGE_VAL;
}

static void widen_box(double box[4], double x, double y) {
  box[0] = fmin(box[0], x);
  box[1] = fmin(box[1], y);
  box[2] = fmax(box[2], x);
  box[3] = fmax(box[3], y);
}

/* Transforms a box by a lattice of its places; longitudes of the result are continuous, also across 180.
 * False if no place has an image. */
static gv_status transform_box(gv_io *io, const double box[4], gv_operation *operation, double turn,
                               double out[4]) {
  enum { SIDE = 65 };
  double middle = 0.5 * (box[0] + box[2]), height = 0.5 * (box[1] + box[3]);
  begin_box(out);
  if (gv_operation_apply(&middle, &height, 1, operation) != 0)
    return gv_io_fail_memory(io, "a coordinate operation");
  for (int i = 0; i < SIDE * SIDE; i++) {
    double x = box[0] + (box[2] - box[0]) * (i % SIDE) / (SIDE - 1);
    double y = box[1] + (box[3] - box[1]) * (i / SIDE) / (SIDE - 1);
    if (gv_operation_apply(&x, &y, 1, operation) != 0) return gv_io_fail_memory(io, "a coordinate operation");
    if (!isfinite(x) || !isfinite(y)) continue;
    if (turn > 0.0 && isfinite(middle)) x = middle + remainder(x - middle, turn);
    widen_box(out, x, y);
  }
  return GV_OK;
}

/* 360 degrees in the system's unit; 0 if its first axis does not go around the globe. */
static double turn_of(OGRSpatialReferenceH crs) {
  return gv_crs_is_lonlat(crs) ? 360.0 / gv_crs_unit_degrees(crs) : 0.0;
}

/* The area of use of a projected system, in its own coordinates; *known false if it declares none. */
static gv_status area_of_use(gv_io *io, OGRSpatialReferenceH crs, double box[4], bool *known) {
  double area[4];
  *known = false;
  if (crs == NULL || !OSRIsProjected(crs) ||
      !OSRGetAreaOfUse(crs, &area[0], &area[1], &area[2], &area[3], NULL) || !(fabs(area[0]) <= 360.0)) {
    return GV_OK;
  }
  OGRSpatialReferenceH globe = OSRCloneGeogCS(crs);
  if (globe == NULL) return GV_OK;
  OSRSetAxisMappingStrategy(globe, OAMS_TRADITIONAL_GIS_ORDER);
  double unit = gv_crs_unit_degrees(globe);
  if (area[2] < area[0]) area[2] += 360.0;
  for (int i = 0; i < 4; i++)
    area[i] /= unit;
  gv_operation *operation = NULL;
  gv_status status = gv_operation_between(io, globe, crs, NULL, NULL, 0, &operation);
  if (status == GV_OK) status = transform_box(io, area, operation, 0.0, box);
  *known = status == GV_OK && box[0] < box[2] && box[1] < box[3];
  gv_operation_destroy(operation);
  OSRRelease(globe);
  return status;
}

gv_status gv_extent_of_seeds(gv_io *io, const gv_seed_list *seeds, gv_operation *operation,
                             OGRSpatialReferenceH crs, double extent[4]) {
  double area[4];
  bool known;
  int64_t beyond = 0;
  gv_status status = area_of_use(io, crs, area, &known);
  if (known && gv_crs_same(seeds->crs, crs)) known = false; /* their owner has put them there */
  const double *all_x, *all_y;
  int64_t places;
  gv_seeds_places(seeds, &all_x, &all_y, &places);
  begin_box(extent);
  for (int64_t i = 0; i < places && status == GV_OK; i++) {
    double x = all_x[i], y = all_y[i];
    if (operation != NULL && gv_operation_apply(&x, &y, 1, operation) != 0) {
      status = gv_io_fail_memory(io, "a coordinate operation");
    } else if (isfinite(x) && isfinite(y)) {
      widen_box(extent, x, y);
      beyond += known && (x < area[0] || x > area[2] || y < area[1] || y > area[3]);
    } else {
      beyond += known;
    }
  }
  if (status != GV_OK) return status;
  const bool found = extent[0] <= extent[2];
  if (!found && beyond == 0)
    return gv_io_fail(io, GV_ERROR_PROJECTION,
                      "seeds: all are outside the grid's coordinate system; use --extent");
  const double box[4] = {extent[0], extent[1], extent[2], extent[3]};
  const double meters = crs != NULL && OSRIsProjected(crs) ? OSRGetLinearUnits(crs, NULL) : 0.0;
  int32_t is_cut = 0;
  GV_REQUIRE(
      io, gv_default_extent(found ? box : NULL, beyond > 0 ? area : NULL, meters, extent, &is_cut) == GV_OK,
      "seeds: their extent is not finite");
  if (beyond == 0) return GV_OK;
  char name[256];
  gv_crs_describe(crs, name, sizeof name);
  gv_io_warn(GV_CODE_SEEDS_OUTSIDE, beyond,
             "%" PRId64 " of %" PRId64
             " %s are outside the area of use of %s%s; use --extent for another grid",
             beyond, places, seeds->shapes != NULL ? "vertices" : "seeds", name,
             is_cut ? ", at which the grid ends" : "");
  return GV_OK;
}

gv_status gv_extent_check(gv_io *io, const double e[4]) {
  GV_REQUIRE(io, isfinite(e[0]) && isfinite(e[1]) && isfinite(e[2]) && isfinite(e[3]),
             "--extent: a number is not finite");
  if (e[0] < e[2] && e[1] < e[3]) return GV_OK;
  const char *hint = e[0] > e[2] && fabs(e[0]) <= 180.0 && fabs(e[2]) <= 180.0
                         ? "; across the antimeridian, add 360 to xmax"
                         : "";
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "--extent: invalid rectangle; expected xmin < xmax and ymin < ymax%s", hint);
}

/* --------------------------------------------------------------------------------------------- other data */

static gv_status extent_of_raster(gv_io *io, const char *source, GDALDatasetH dataset, double box[4]) {
  double g[6];
  GV_REQUIRE(io, GDALGetGeoTransform(dataset, g) == CE_None, "--extent-of: %s: %s", source,
             gv_reason_of_no_geotransform(dataset));
  gv_box_of_raster(g, GDALGetRasterXSize(dataset), GDALGetRasterYSize(dataset), box);
  return GV_OK;
}

/*
 * The box of places on the globe with wrapping longitudes (`turn` > 0: a turn in their unit): the shorter one
 * across +-180 degrees, if that is narrower than half a turn. All of it is within half a turn of any of its
 * places, also of the first.
 */
typedef struct round_box {
  double turn, first;
  double box[4], near[4]; /* as the coordinates are written; next to the first place */
} round_box;

static void begin_round_box(round_box *r, double turn) {
  r->turn = turn, r->first = 0.0;
  begin_box(r->box);
  begin_box(r->near);
}

/* Widens it by a box. */
static void widen_round_box(round_box *r, const double part[4]) {
  if (r->box[0] > r->box[2]) r->first = part[0];
  double shift = r->turn > 0.0 ? r->turn * rint((r->first - part[0]) / r->turn) : 0.0;
  for (int corner = 0; corner < 4; corner += 2) {
    widen_box(r->box, part[corner], part[corner + 1]);
    widen_box(r->near, part[corner] + shift, part[corner + 1]);
  }
}

static void end_round_box(const round_box *r, double out[4]) {
  bool across = r->box[2] - r->box[0] > 0.5 * r->turn && r->near[2] - r->near[0] < 0.5 * r->turn;
  double shift = across ? r->turn * floor((r->near[0] + 0.5 * r->turn) / r->turn) : 0.0;
  for (int i = 0; i < 4; i++)
    out[i] = across ? r->near[i] - (i % 2 == 0 ? shift : 0.0) : r->box[i];
}

/* By the boxes of its parts, each of which is on one side. */
static void widen_by_geometry(round_box *r, OGRGeometryH geometry, bool swapped) {
  OGRwkbGeometryType kind = wkbFlatten(OGR_G_GetGeometryType(geometry));
  bool several = OGR_GT_IsSubClassOf(kind, wkbGeometryCollection);
  for (int i = 0; several && i < OGR_G_GetGeometryCount(geometry); i++)
    widen_by_geometry(r, OGR_G_GetGeometryRef(geometry, i), swapped);
  if (several || OGR_G_IsEmpty(geometry)) return;
  OGREnvelope e;
  OGR_G_GetEnvelope(geometry, &e);
  widen_round_box(r, swapped ? (double[]){e.MinY, e.MinX, e.MaxY, e.MaxX}
                             : (double[]){e.MinX, e.MinY, e.MaxX, e.MaxY});
}

static gv_status extent_of_layer(gv_io *io, const char *source, OGRLayerH layer, bool swapped, double turn,
                                 double box[4]) {
  OGREnvelope e;
  GV_REQUIRE(io, OGR_L_GetExtent(layer, &e, TRUE) == OGRERR_NONE,
             "--extent-of: missing extent of layer '%s' of %s", OGR_L_GetName(layer), source);
  box[0] = e.MinX, box[1] = e.MinY;
  box[2] = e.MaxX, box[3] = e.MaxY;
  /* The extent of coordinates in the order y, x may itself be in another order, as for GML. */
  if (!swapped && (turn == 0.0 || box[2] - box[0] <= 0.5 * turn)) return GV_OK;
  round_box r;
  begin_round_box(&r, turn);
  OGR_L_ResetReading(layer);
  for (OGRFeatureH feature; (feature = OGR_L_GetNextFeature(layer)) != NULL; OGR_F_Destroy(feature)) {
    OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
    if (geometry != NULL) widen_by_geometry(&r, geometry, swapped);
  }
  if (gv_gdal_lost()) return gv_io_fail_gdal(io, GV_ERROR_IO, "--extent-of: cannot read %s", source);
  end_round_box(&r, box);
  return GV_OK;
}

/* A table's columns of coordinates, as seeds have them. */
static gv_status extent_of_table(gv_io *io, const char *source, const char *layer, char **open_options,
                                 OGRSpatialReferenceH given, double box[4], OGRSpatialReferenceH *crs) {
  const gv_seed_options options = {.source = source, .layer = layer, .open_options = open_options};
  gv_seed_list places = GV_SEED_LIST_INIT;
  gv_status status = gv_seeds_read(io, &options, &places);
  (void)gv_io_of_option(io, status, "--extent-of");
  round_box r;
  begin_round_box(&r, turn_of(given != NULL ? given : places.crs));
  for (int64_t i = 0; i < places.count; i++)
    widen_round_box(&r, (double[]){places.x[i], places.y[i], places.x[i], places.y[i]});
  end_round_box(&r, box);
  *crs = places.crs;
  places.crs = NULL;
  gv_seeds_free(&places);
  return status;
}

/* Reads the parts of the dataset that are needed, and its coordinate system. */
static gv_status read_source(gv_io *io, const char *source, const char *name, char **open_options,
                             GDALDatasetH dataset, OGRSpatialReferenceH given, double box[4],
                             OGRSpatialReferenceH *crs) {
  bool swapped = false;
  gv_status status;
  int layers = GDALDatasetGetLayerCount(dataset);
  if (GDALGetRasterCount(dataset) > 0 && name == NULL) {
    status = extent_of_raster(io, source, dataset, box);
    return status == GV_OK ? gv_crs_of_raster(io, source, dataset, crs) : status;
  }
  OGRLayerH layer = name != NULL  ? GDALDatasetGetLayerByName(dataset, name)
                    : layers == 1 ? GDALDatasetGetLayer(dataset, 0)
                                  : NULL;
  GV_REQUIRE(io, layer != NULL || name == NULL, "--extent-layer: %s: unknown layer (%s)", source, name);
  if (layer == NULL) {
    return gv_io_fail_as(io, GV_CODE_LAYER_NEEDED, GV_ERROR_INVALID_ARGUMENT,
                         "--extent-of: %s has %d layers; choose one with --extent-layer", source, layers);
  }
  if (OGR_L_GetGeomType(layer) == wkbNone)
    return extent_of_table(io, source, name, open_options, given, box, crs);
  status = gv_crs_of_layer(io, "--extent-of", source, dataset, layer, crs, &swapped);
  return status == GV_OK
             ? extent_of_layer(io, source, layer, swapped, turn_of(given != NULL ? given : *crs), box)
             : status;
}

gv_status gv_extent_of_source(gv_io *io, const char *source, const char *layer, char **open_options,
                              OGRSpatialReferenceH given, OGRSpatialReferenceH crs, double extent[4]) {
  OGRSpatialReferenceH own = NULL;
  gv_operation *operation = NULL;
  double box[4];
  gv_gdal_reset();
  GDALDatasetH dataset =
      GDALOpenEx(source, GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL,
                 (const char *const *)open_options, NULL);
  if (dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "--extent-of: cannot read %s", source);
  gv_status status = gv_gdal_lost() ? gv_io_fail_gdal(io, GV_ERROR_IO, "--extent-of: cannot read %s", source)
                                    : read_source(io, source, layer, open_options, dataset, given, box, &own);
  GDALClose(dataset);
  if (status == GV_OK && given != NULL) {
    bool swapped;
    if (own != NULL) OSRRelease(own);
    status = gv_crs_copy(io, given, &own, &swapped);
  }
  if (status == GV_OK && (own == NULL) != (crs == NULL)) {
    char name[256];
    gv_crs_describe(own != NULL ? own : crs, name, sizeof name);
    status =
        own == NULL
            ? gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                            "--extent-of: %s: missing coordinate system; the grid is in %s", source, name)
            : gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                         "--extent-of: %s is in %s, but the grid has no coordinate system; use --crs", source,
                         name);
  }
  if (status == GV_OK && (own == NULL || gv_crs_same(own, crs))) {
    for (int i = 0; i < 4; i++)
      extent[i] = box[i];
  } else if (status == GV_OK) {
    status = gv_operation_between(io, own, crs, NULL, NULL, 0, &operation);
    if (status == GV_OK) status = transform_box(io, box, operation, turn_of(crs), extent);
    status = gv_io_of_option(io, status, "--extent-of");
  }
  gv_operation_destroy(operation);
  if (own != NULL) OSRRelease(own);
  if (status == GV_OK && (!(extent[0] < extent[2]) || !(extent[1] < extent[3]))) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--extent-of: %s: its extent is outside the grid's coordinate system", source);
  }
  return status;
}
