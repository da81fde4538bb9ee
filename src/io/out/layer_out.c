#include "io/out/layer_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ogr_api.h>

#include "io/crs/crs.h"
#include "io/in/encoding.h"

enum { FEATURES_A_TRANSACTION = 1 << 17, LONGEST_TEXT = 254 /* bytes, in fields of a fixed width */ };

GDALDriverH gv_vector_driver(const char *path) {
  const char *extension = CPLGetExtension(path);
  for (int i = 0; extension[0] != '\0' && i < GDALGetDriverCount(); i++) {
    GDALDriverH driver = GDALGetDriver(i);
    bool creates = GDALGetMetadataItem(driver, GDAL_DCAP_VECTOR, NULL) != NULL &&
                   GDALGetMetadataItem(driver, GDAL_DCAP_CREATE, NULL) != NULL;
    if (creates && gv_driver_has_extension(driver, extension)) return driver;
  }
  return NULL;
}

gv_status gv_layer_plan(gv_io *io, gv_writer *writer, const char *option, const char *path, const char *layer,
                        bool overwrite) {
  const gv_place_options options = {option, path, gv_vector_driver(path), layer, overwrite, false};
  if (options.driver != NULL) return gv_place_plan(io, &writer->place, &options);
  if (gv_format_missing(path) != NULL)
    return gv_io_fail_as(
        io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNAVAILABLE,
        "%s: missing %s driver in this GDAL (%s); use .gpkg, .fgb or .csv, or the Python package", option,
        gv_format_missing(path), path);
  return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                       "%s: unknown vector format (%s); use e.g. .gpkg, .fgb, .csv or .geojson", option,
                       path);
}

/*
 * GeoJSON names systems by codes only, and without one it is WGS 84 (RFC 7946). Finds the code; a system
 * without one is transformed by GDAL. `crs` NULL: positions on a plane.
 */
static gv_status prepare_geojson(const gv_layer_out *l, OGRSpatialReferenceH *crs, char ***options) {
  char name[256];
  if (*crs != NULL) {
    *crs = gv_crs_with_code(*crs);
    if (*crs == NULL) return gv_io_fail_memory(l->io, "a coordinate system");
    if (OSRGetAuthorityCode(*crs, NULL) != NULL) return GV_OK;
    *options = CSLSetNameValue(*options, "RFC7946", "YES");
  }
  gv_crs_describe(*crs, name, sizeof name);
  gv_io_warn(GV_CODE_CRS_NOT_STORED, 0,
             "%s: GeoJSON does not support the coordinate system (%s); %s; use e.g. .gpkg",
             l->writer->place.output.path, name,
             *crs != NULL ? "coordinates are transformed to WGS 84"
                          : "programs read the coordinates as WGS 84");
  return GV_OK;
}

/* Whether to make the spatial index here. */
static bool layer_has_own_index(const gv_layer_out *l, OGRwkbGeometryType geometry,
                                const char *const *options) {
  return l->format->slow_index && geometry != wkbNone && !gv_gdal_is_from(3, 8) &&
         CSLFetchNameValue((CSLConstList)options, "SPATIAL_INDEX") == NULL &&
         strpbrk(l->writer->place.layer, "'\"") == NULL;
}

static gv_status create_layer(gv_layer_out *l, OGRSpatialReferenceH crs, OGRwkbGeometryType geometry,
                              const char *const *options) {
  char **own = CSLDuplicate((CSLConstList)options);
  OGRSpatialReferenceH used = crs;
  bool geojson = geometry != wkbNone && l->format->wgs84, indexed = layer_has_own_index(l, geometry, options);
  if (indexed) own = CSLSetNameValue(own, "SPATIAL_INDEX", "NO");
  if (l->format->text)
    own = CSLSetNameValue(own, "STRING_QUOTING", "IF_NEEDED"); /* GDAL 3.6 quotes 64-bit integers */
  gv_status status = geojson ? prepare_geojson(l, &used, &own) : GV_OK;
  if (status == GV_OK)
    l->layer = GDALDatasetCreateLayer(l->writer->dataset, l->writer->place.layer, used, geometry, own);
  if (indexed && l->layer != NULL) status = gv_box_index_make(l->io, l->writer->dataset, l->layer, &l->index);
  if (geojson && used != NULL && used != crs) OSRRelease(used);
  CSLDestroy(own);
  return status;
}

/*
 * Writes by the driver that makes the same elements faster, but cannot append to a file. LIBKML's time to
 * close a file grows with the square of its size, and cannot be interrupted: 800 cells of a diagram or 20,000
 * points take minutes, the older driver seconds.
 */
static void layer_use_twin(gv_writer *writer) {
  gv_place *place = &writer->place;
  const char *twin = gv_format_of(place->driver)->twin;
  GDALDriverH other = twin != NULL && !gv_place_has_others(place) ? GDALGetDriverByName(twin) : NULL;
  if (other != NULL && gv_driver_has_extension(other, CPLGetExtension(place->output.path)))
    place->driver = other;
}

gv_status gv_layer_create(gv_layer_out *l, OGRSpatialReferenceH crs, OGRwkbGeometryType geometry,
                          const char *const *options) {
  static const char *const as_wkt[] = {"GEOMETRY=AS_WKT", NULL};
  if (geometry != wkbNone) layer_use_twin(l->writer);
  l->format = gv_format_of(l->writer->place.driver);
  GV_TRY(gv_writer_begin(l->io, l->writer));
  GV_TRY(gv_place_open(l->io, &l->writer->place, &l->writer->dataset));
  if (l->format->text && geometry != wkbNone) options = as_wkt;
  bool undefined = crs == NULL && geometry != wkbNone && l->format->undefined_system;
  OGRSpatialReferenceH none = undefined ? gv_crs_undefined() : NULL;
  if (undefined && none == NULL) return gv_io_fail_memory(l->io, "a coordinate system");
  gv_status status = create_layer(l, undefined ? none : crs, geometry, options);
  if (none != NULL) OSRRelease(none);
  GV_TRY(status);
  l->transactions = GDALDatasetTestCapability(l->writer->dataset, ODsCTransactions) != 0;
  if (l->layer != NULL) {
    /* systems that WKT 1 cannot express are reported as a failure, and stored all the same */
    gv_gdal_reset();
    return GV_OK;
  }
  return gv_writer_fail_create(l->io, l->writer);
}

bool gv_field_is_reserved(const char *name) {
  static const char *const reserved[] = {"fid", "ogc_fid", "geom", "geometry", "wkt"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (EQUAL(name, reserved[i])) return true;
  return false;
}

void gv_field_name_free(gv_name_taken *taken, const void *user, char name[GV_FIELD_NAME]) {
  while (taken(user, name) && strlen(name) + 2 < GV_FIELD_NAME)
    strcat(name, "_");
}

void gv_field_name(const char *own, gv_name_taken *taken, const void *user, char name[GV_FIELD_NAME]) {
  snprintf(name, GV_FIELD_NAME, "%s", own);
  if (taken(user, name)) snprintf(name, GV_FIELD_NAME, "seed_%.240s", own);
  gv_field_name_free(taken, user, name);
}

bool gv_layer_lists_type(const gv_layer_out *l, OGRFieldType type) {
  const char *types = GDALGetMetadataItem(l->writer->place.driver, GDAL_DMD_CREATIONFIELDDATATYPES, NULL);
  return types == NULL || gv_format_lists(types, OGR_GetFieldTypeName(type));
}

/* Whether fields can have the type, of numbers or texts at least approximately; other values are written as
 * texts. */
static bool layer_supports(const gv_layer_out *l, OGRFieldType type) {
  return type == OFTInteger || type == OFTInteger64 || type == OFTReal || type == OFTString ||
         gv_layer_lists_type(l, type);
}

gv_status gv_layer_add_field(const gv_layer_out *l, const char *name, OGRFieldDefnH like, OGRFieldType type,
                             int *index) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(l->layer);
  int before = OGR_FD_GetFieldCount(definition);
  if (like != NULL) type = OGR_Fld_GetType(like);
  if (!layer_supports(l, type)) {
    type = OFTString;
    like = NULL;
  }
  OGRFieldDefnH field = OGR_Fld_Create(name, type);
  if (like != NULL) {
    OGR_Fld_SetSubType(field, OGR_Fld_GetSubType(like));
    /* 19 digits or more are a real number to readers of shapefiles; GDAL widens fields of 18 where it
     * must. */
    const int digits = OGR_Fld_GetType(like) == OFTInteger64 ? 18 : OGR_Fld_GetWidth(like);
    OGR_Fld_SetWidth(field, OGR_Fld_GetWidth(like) < digits ? OGR_Fld_GetWidth(like) : digits);
    OGR_Fld_SetPrecision(field, OGR_Fld_GetPrecision(like));
  }
  if (type == OFTReal && OGR_Fld_GetWidth(field) == 0) {
    OGR_Fld_SetWidth(field, l->format->real_width);
    OGR_Fld_SetPrecision(field, l->format->real_digits);
  }
  OGRErr error = OGR_L_CreateField(l->layer, field, TRUE);
  if (error != OGRERR_NONE && OGR_Fld_GetType(field) == OFTInteger64) {
    gv_gdal_reset();
    OGR_Fld_SetType(field, OFTInteger);
    error = OGR_L_CreateField(l->layer, field, TRUE);
  }
  OGR_Fld_Destroy(field);
  if (error != OGRERR_NONE) return gv_writer_fail(l->io, l->writer);
  const bool added = OGR_FD_GetFieldCount(definition) > before;
  if (index != NULL) *index = added ? before : -1;
  if (added) return GV_OK;
  if (index == NULL)
    return gv_io_fail_as(l->io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
                         "%s: %s does not support the field %s; use .gpkg, .fgb or .csv",
                         l->writer->place.option, GDALGetDriverLongName(l->writer->place.driver), name);
  gv_io_warn(GV_CODE_VALUES_LOST, 0, "%s: %s does not support the field %s, which is left out; use .gpkg",
             l->writer->place.option, GDALGetDriverLongName(l->writer->place.driver), name);
  return GV_OK;
}

gv_status gv_layer_add_attributes(const gv_layer_out *l, OGRFeatureDefnH seeds, int first,
                                  gv_name_taken *taken, const void *user, int *map) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(l->layer);
  int count = OGR_FD_GetFieldCount(seeds);
  for (int i = 0; i < count; i++) {
    OGRFieldDefnH like = OGR_FD_GetFieldDefn(seeds, i);
    char name[GV_FIELD_NAME];
    int own = OGR_FD_GetFieldIndex(definition, OGR_Fld_GetNameRef(like));
    if (own >= 0 && own < first) {
      map[i] = own;
      continue;
    }
    char *utf8 = gv_utf8_of(OGR_Fld_GetNameRef(like), NULL);
    if (utf8 == NULL) return gv_io_fail_memory(l->io, "the seeds' attributes");
    gv_field_name(utf8, taken, user, name);
    free(utf8);
    GV_TRY(gv_layer_add_field(l, name, like, OFTString, &map[i]));
  }
  return GV_OK;
}

OGRFeatureH gv_layer_feature(const gv_layer_out *l) {
  return OGR_F_Create(OGR_L_GetLayerDefn(l->layer));
}

static gv_status end_transaction(gv_layer_out *l) {
  bool good =
      l->waiting == 0 || !l->transactions || GDALDatasetCommitTransaction(l->writer->dataset) == OGRERR_NONE;
  l->waiting = 0;
  return good ? GV_OK : gv_writer_fail(l->io, l->writer);
}

static int64_t layer_count_points(OGRGeometryH geometry) {
  if (geometry == NULL) return 0;
  int parts = OGR_G_GetGeometryCount(geometry);
  int64_t count = parts == 0 ? OGR_G_GetPointCount(geometry) : 0;
  for (int i = 0; i < parts; i++)
    count += layer_count_points(OGR_G_GetGeometryRef(geometry, i));
  return count;
}

/* The number of features; what layer_check_readable compares, if it does. */
static void layer_add_sums(const gv_layer_out *l, OGRFeatureH feature, gv_layer_sums *sums) {
  sums->features++;
  if (!l->format->write_unchecked) return;
  sums->points += layer_count_points(OGR_F_GetGeometryRef(feature));
  for (int i = 0; i < OGR_F_GetFieldCount(feature); i++) {
    OGRFieldType type = OGR_Fld_GetType(OGR_F_GetFieldDefnRef(feature, i));
    if (!OGR_F_IsFieldSetAndNotNull(feature, i)) continue;
    if (type == OFTInteger || type == OFTInteger64)
      sums->integers += (uint64_t)OGR_F_GetFieldAsInteger64(feature, i);
    if (type == OFTString) sums->long_texts += strlen(OGR_F_GetFieldAsString(feature, i)) > LONGEST_TEXT;
  }
}

/* Reads the file back, of drivers that ignore failed writes into files of their own, or into the middle of a
 * file, where gv_place_check_written sees nothing. */
static gv_status layer_check_readable(const gv_layer_out *l) {
  const char *own[] = {GDALGetDriverShortName(l->writer->place.driver), NULL};
  bool same = false;
  if (!l->format->write_unchecked) return GV_OK;
  gv_layer_sums sums = {0};
  gv_gdal_reset();
  GDALDatasetH dataset =
      GDALOpenEx(gv_place_work(&l->writer->place), GDAL_OF_VECTOR | GDAL_OF_READONLY, own, NULL, NULL);
  OGRLayerH layer =
      dataset != NULL && GDALDatasetGetLayerCount(dataset) == 1 ? GDALDatasetGetLayer(dataset, 0) : NULL;
  for (OGRFeatureH one;
       layer != NULL && (one = OGR_L_GetNextFeature(layer)) != NULL && !gv_io_cancelled(l->io);) {
    layer_add_sums(l, one, &sums);
    OGR_F_Destroy(one);
  }
  if (dataset != NULL) GDALClose(dataset);
  if (gv_io_cancelled(l->io)) return gv_io_fail_cancelled(l->io);
  same = layer != NULL && !gv_gdal_failed() && sums.features == l->sums.features &&
         sums.points == l->sums.points && sums.integers == l->sums.integers;
  const int64_t cut = l->sums.long_texts - sums.long_texts;
  if (same && cut > 0)
    gv_io_warn(GV_CODE_VALUES_LOST, cut,
               "%s: %" PRId64 " texts of more than %d bytes are cut in %s; use .gpkg",
               l->writer->place.option, cut, LONGEST_TEXT, l->writer->place.output.path);
  if (same || (l->sums.features == 0 && !gv_gdal_failed()))
    return GV_OK; /* GeoJSON without features has no layer */
  return gv_io_fail_gdal(l->io, GV_ERROR_IO, "cannot write %s: it does not read back as written",
                         l->writer->place.output.path);
}

/* Of drivers that leave out rows without a geometry. */
static gv_status layer_check_geometry(const gv_layer_out *l, OGRFeatureH feature) {
  OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
  if (!l->format->geometry_required || OGR_L_GetGeomType(l->layer) == wkbNone) return GV_OK;
  if (geometry != NULL && !OGR_G_IsEmpty(geometry)) return GV_OK;
  return gv_io_fail_as(l->io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
                       "%s: %s does not support rows without a geometry (row %" PRId64 "); use .gpkg",
                       l->writer->place.option, GDALGetDriverLongName(l->writer->place.driver),
                       l->sums.features + 1);
}

gv_status gv_layer_write(gv_layer_out *l, OGRFeatureH feature, gv_status status) {
  if (feature == NULL) return gv_io_fail_memory(l->io, "a row of a table");
  if (l->transactions && l->waiting == 0) GDALDatasetStartTransaction(l->writer->dataset, FALSE);
  if (status == GV_OK) status = layer_check_geometry(l, feature);
  if (status == GV_OK) layer_add_sums(l, feature, &l->sums);
  if (l->index != NULL) gv_box_index_begin(l->index);
  if (status == GV_OK && OGR_L_CreateFeature(l->layer, feature) != OGRERR_NONE)
    status = gv_writer_fail(l->io, l->writer);
  if (status == GV_OK && l->index != NULL) gv_box_index_add(l->index, feature);
  OGR_F_Destroy(feature);
  l->waiting++;
  if (status == GV_OK && l->waiting % 4096 == 0 && gv_io_cancelled(l->io)) return gv_io_fail_cancelled(l->io);
  return status == GV_OK && l->waiting == FEATURES_A_TRANSACTION ? end_transaction(l) : status;
}

gv_status gv_layer_finish(gv_layer_out *l, gv_status status) {
  if (l->writer->dataset == NULL) return status;
  bool indexed = true;
  if (status == GV_OK && l->index != NULL) status = gv_box_index_finish(l->io, l->index, l->layer, &indexed);
  if (status == GV_OK && !indexed) status = gv_writer_fail(l->io, l->writer);
  gv_box_index_free(l->index);
  l->index = NULL;
  if (status == GV_OK) status = end_transaction(l);
  status = gv_writer_finish(l->io, l->writer, status);
  return status == GV_OK ? layer_check_readable(l) : status;
}
