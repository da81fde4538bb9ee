/* Choosing the driver of a raster and its creation options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/out/layer_out.h"
#include "io/out/raster_file.h"
#include "io/out/style.h"
#include "io/strings.h"

static bool has_capability(GDALDriverH driver, const char *item) {
  const char *value = GDALGetMetadataItem(driver, item, NULL);
  return value != NULL && CPLTestBool(value);
}

static bool writes_rasters(GDALDriverH driver) {
  return has_capability(driver, GDAL_DCAP_RASTER) &&
         (has_capability(driver, GDAL_DCAP_CREATE) || has_capability(driver, GDAL_DCAP_CREATECOPY));
}

/* GDAL's VRT driver creates rasters but stores no pixels. */
static gv_status check_pixels(gv_io *io, const gv_raster_options *options, GDALDriverH driver) {
  if (!gv_format_of(driver)->without_pixels) return GV_OK;
  return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                       "%s: unsupported virtual raster (%s); write .tif, and use gdalbuildvrt on it",
                       options->option, options->path);
}

static gv_status choose_named(gv_io *io, const char *name, GDALDriverH *out) {
  *out = GDALGetDriverByName(name);
  if (*out == NULL) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                         "--of: unknown driver (%s); gdalinfo --formats lists them", name);
  }
  if (writes_rasters(*out)) return GV_OK;
  return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                       "--of: driver %s cannot write rasters", GDALGetDriverShortName(*out));
}

static gv_status choose_driver(gv_io *io, const gv_raster_options *options, GDALDriverH *out) {
  const char *extension = CPLGetExtension(options->path);
  char several[256] = "";
  int count = 0;
  if (options->driver != NULL) return choose_named(io, options->driver, out);
  const gv_format *known = gv_format_of_path(options->path);
  if (known != NULL && known->tiled) return choose_named(io, known->driver, out);
  for (int i = 0; extension[0] != '\0' && i < GDALGetDriverCount(); i++) {
    GDALDriverH driver = GDALGetDriver(i);
    if (!writes_rasters(driver) || !gv_driver_has_extension(driver, extension)) continue;
    size_t length = strlen(several);
    snprintf(several + length, sizeof several - length, "%s%s", count > 0 ? ", " : "",
             GDALGetDriverShortName(driver));
    if (count++ == 0) *out = driver;
  }
  if (count == 1) return GV_OK;
  if (count > 1) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                         "%s: ambiguous extension (.%s); choose a driver with --of: %s", options->option,
                         extension, several);
  }
  GDALDriverH vector = gv_vector_driver(options->path);
  if (vector != NULL) {
    return gv_io_fail_as(
        io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
        "%s: not a raster format (%s, %s); use e.g. .tif, or --stats and --polygons for vector files",
        options->option, options->path, GDALGetDriverLongName(vector));
  }
  return gv_io_fail_as(
      io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
      "%s: unknown raster format (%s); use --of or .tif; gdalinfo --formats lists the drivers",
      options->option, options->path);
}

bool gv_option_given(char **options, const char *key) {
  return CSLFetchNameValue(options, key) != NULL;
}

static bool offers(GDALDriverH driver, const char *key, const char *value) {
  const char *list = GDALGetMetadataItem(driver, GDAL_DMD_CREATIONOPTIONLIST, NULL);
  if (list == NULL || strstr(list, CPLSPrintf("name='%s'", key)) == NULL) {
    if (list == NULL || strstr(list, CPLSPrintf("name=\"%s\"", key)) == NULL) return false;
  }
  return value == NULL || strstr(list, CPLSPrintf("<Value>%s</Value>", value)) != NULL;
}

/* Options of a driver. */
typedef struct option_list {
  GDALDriverH driver;
  char **list;
  bool lacks; /* memory ran out: some are missing */
} option_list;

static void set_default(option_list *o, const char *key, const char *value) {
  if (!gv_option_given(o->list, key) && offers(o->driver, key, NULL))
    o->lacks = !gv_strings_set(&o->list, key, value) || o->lacks;
}

void gv_raster_set_option(gv_raster_out *raster, const char *key, const char *value) {
  raster->options_lack = !gv_strings_set(&raster->options, key, value) || raster->options_lack;
}

int32_t gv_raster_side(int64_t cell_bytes) {
  static const int64_t most[] = {8, 256, 4096, 16384, 65536};
  int32_t side = 512;
  for (size_t i = 0; i < sizeof most / sizeof *most && cell_bytes > most[i]; i++)
    side /= 2;
  return side;
}

/* The user's options and the defaults of the GeoTIFF drivers; the rest of GDAL keeps its own. */
static option_list add_defaults(char **user, GDALDriverH driver, int threads, int64_t cell_bytes) {
  option_list o = {.driver = driver};
  o.lacks = !gv_strings_copy((const char *const *)user, &o.list);
  const gv_format *format = gv_format_of(driver);
  set_default(&o, "WRITE_GDAL_HISTORY", "NO"); /* NetCDF's; it would name the temporary file */
  if (format->arrays == GV_ARRAYS_ZARR) {
    if (gv_format_zarr_version(user) == 3) set_default(&o, "FORMAT", "ZARR_V3");
    set_default(&o, "SINGLE_ARRAY", "NO"); /* one for each band, as before GDAL 3.13 */
  }
  if (!format->tiled && !format->makes_overviews) return o;
  set_default(&o, "COMPRESS", offers(driver, "COMPRESS", "ZSTD") ? "ZSTD" : "DEFLATE");
  const char *compression = CSLFetchNameValueDef(o.list, "COMPRESS", "NONE");
  bool zstd = EQUAL(compression, "ZSTD"), deflate = EQUAL(compression, "DEFLATE");
  if (format->tiled) {
    set_default(&o, "TILED", "YES");
    if (CPLTestBool(CSLFetchNameValueDef(o.list, "TILED", "NO"))) {
      set_default(&o, "BLOCKXSIZE", CPLSPrintf("%d", gv_raster_side(cell_bytes)));
      set_default(&o, "BLOCKYSIZE", CPLSPrintf("%d", gv_raster_side(cell_bytes)));
    }
    if (zstd) set_default(&o, "ZSTD_LEVEL", "1");
    if (deflate) set_default(&o, "ZLEVEL", "1");
  } else {
    if (zstd || deflate) set_default(&o, "LEVEL", "1");
    /* An average of ids is not an id. */
    if (!gv_option_given(o.list, "RESAMPLING")) {
      set_default(&o, "OVERVIEW_RESAMPLING", "NEAREST");
      set_default(&o, "WARP_RESAMPLING", "NEAREST");
    }
  }
  if (!EQUAL(CSLFetchNameValueDef(o.list, "COMPRESS", "NONE"), "NONE"))
    set_default(&o, "NUM_THREADS", CPLSPrintf("%d", threads > 1 ? threads : 1));
  set_default(&o, "BIGTIFF", "IF_SAFER");
  return o;
}

void gv_raster_choose_options(gv_raster_out *raster) {
  bool own = raster->format->tiled;
  if (raster->own_sides && raster->is.cell_bytes > 0) {
    const char *side = CPLSPrintf("%d", gv_raster_side(raster->is.cell_bytes));
    gv_raster_set_option(raster, "BLOCKXSIZE", side);
    gv_raster_set_option(raster, "BLOCKYSIZE", side);
  }
  if (own && raster->is.bands > 1) {
    if (!gv_option_given(raster->options, "INTERLEAVE")) gv_raster_set_option(raster, "INTERLEAVE", "BAND");
    /* GDAL 3.6 cannot decode several planes in threads, but tries to in a file that it has encoded so. */
    if (gv_option_given(raster->options, "NUM_THREADS")) gv_raster_set_option(raster, "NUM_THREADS", "1");
  }
  bool planes =
      raster->is.bands == 1 || EQUAL(CSLFetchNameValueDef(raster->options, "INTERLEAVE", ""), "BAND");
  raster->copies = raster->copies || gv_place_has_others(&raster->writer.place);
  raster->filled = !raster->copies && !(own && planes && gv_tiff_possible(raster->options));
}

gv_status gv_raster_set_tiles(gv_io *io, gv_raster_out *raster, int32_t width, int32_t height) {
  bool direct = !raster->copies && !raster->filled;
  option_list o = {.driver = gv_format_driver(gv_format_tiled())};
  if (direct) {
    o.lacks = !gv_strings_copy((const char *const *)raster->options, &o.list);
  } else {
    o = add_defaults(NULL, o.driver, raster->threads, 0);
  }
  const char *const items[][2] = {{"COMPRESS", gv_tiff_possible(o.list) ? NULL : "NONE"},
                                  {"INTERLEAVE", raster->is.bands > 1 ? "BAND" : NULL},
                                  {"BLOCKXSIZE", CPLSPrintf("%d", width)},
                                  {"BLOCKYSIZE", CPLSPrintf("%d", height)},
                                  {"SPARSE_OK", "TRUE"}};
  for (size_t i = 0; i < sizeof items / sizeof *items; i++)
    if (items[i][1] != NULL) o.lacks = !gv_strings_set(&o.list, items[i][0], items[i][1]) || o.lacks;
  raster->work_options = o.list;
  raster->tile_w = width;
  raster->tile_h = height;
  return o.lacks ? gv_io_fail_memory(io, "the options of a raster") : GV_OK;
}

static gv_status check_creation_options(gv_io *io, gv_raster_out *raster, char **user) {
  for (char **option = user; option != NULL && *option != NULL; option++) {
    char *key = NULL;
    const char *value = CPLParseNameValue(*option, &key);
    bool well_formed = key != NULL && value != NULL;
    bool resampling = well_formed && strcasestr(key, "RESAMPLING") != NULL;
    bool fine = !resampling || EQUAL(value, "NEAREST") || EQUAL(value, "MODE");
    CPLFree(key);
    if (!well_formed) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co: invalid value (%s); expected NAME=VALUE",
                        *option);
    }
    if (!fine) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--co %s: unsupported resampling of ids; use NEAREST or MODE", *option);
    }
  }
  GV_REQUIRE(io, raster->format->arrays != GV_ARRAYS_ZARR || gv_format_zarr_version(user) != 0,
             "--co: FORMAT is ZARR_V2 or, with GDAL 3.13 or later, ZARR_V3");
  int before = gv_io_count_warnings();
  gv_gdal_reset();
  if (GDALValidateCreationOptions(raster->driver, (CSLConstList)user)) return GV_OK;
  gv_warning why = {.text = "not supported by the driver"};
  gv_io_drop_warnings(before, &why);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co: %s", why.text);
}

/* What GDAL calls the table of a raster in a GeoPackage; NULL where files hold one raster. */
static const char *name_table(const gv_raster_options *options, GDALDriverH driver) {
  if (!gv_format_of(driver)->raster_tables) return NULL;
  const char *given = CSLFetchNameValueDef(options->creation_options, "RASTER_TABLE", "");
  return given[0] != '\0' ? given : CPLGetBasename(options->path);
}

gv_status gv_raster_plan(gv_io *io, const gv_raster_options *options, gv_raster_out **out) {
  gv_raster_out *raster = calloc(1, sizeof *raster);
  if (raster == NULL) return gv_io_fail_memory(io, "the output");
  raster->threads = options->threads;
  raster->memory = options->memory;
  gv_status status = choose_driver(io, options, &raster->driver);
  raster->format = gv_format_of(raster->driver);
  if (status == GV_OK) status = check_pixels(io, options, raster->driver);
  if (status == GV_OK) status = check_creation_options(io, raster, options->creation_options);
  const char *table = name_table(options, raster->driver);
  gv_place_options place = {options->option, options->path, raster->driver, table, options->overwrite, true};
  if (status == GV_OK) status = gv_place_plan(io, &raster->writer.place, &place);
  raster->writer.place.output.owns = gv_qgis_style_is_ours;
  if (status != GV_OK) {
    gv_raster_close(raster);
    return status;
  }
  raster->copies = !has_capability(raster->driver, GDAL_DCAP_CREATE) || raster->format->copied;
  char **user = options->creation_options;
  option_list o = add_defaults(user, raster->driver, options->threads, options->cell_bytes);
  raster->options = o.list;
  if (o.lacks) {
    gv_raster_close(raster);
    return gv_io_fail_memory(io, "the options of a raster");
  }
  raster->own_sides = !gv_option_given(user, "BLOCKXSIZE") && !gv_option_given(user, "BLOCKYSIZE") &&
                      raster->format->tiled && gv_option_given(raster->options, "BLOCKXSIZE");
  *out = raster;
  return GV_OK;
}
