/* Choosing the driver of a raster and its creation options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/out/raster_file.h"
#include "io/out/table_out.h"

static bool has_capability(GDALDriverH driver, const char *item) {
  const char *value = GDALGetMetadataItem(driver, item, NULL);
  return value != NULL && CPLTestBool(value);
}

static bool writes_rasters(GDALDriverH driver) {
  return has_capability(driver, GDAL_DCAP_RASTER) &&
         (has_capability(driver, GDAL_DCAP_CREATE) || has_capability(driver, GDAL_DCAP_CREATECOPY));
}

static bool driver_has_extension(GDALDriverH driver, const char *extension) {
  const char *list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
  if (list == NULL) list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSION, NULL);
  char **names = CSLTokenizeString2(list != NULL ? list : "", " ", 0);
  bool found = CSLFindString(names, extension) >= 0;
  CSLDestroy(names);
  return found;
}

/* GDAL's driver of what others have written can be asked to create rasters, but takes no pixels. */
static gv_status check_pixels(gv_io *io, const gv_raster_options *options, GDALDriverH driver) {
  if (!EQUAL(GDALGetDriverShortName(driver), "VRT")) return GV_OK;
  return gv_io_fail_as(
      io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
      "%s: a virtual raster (VRT) holds no pixels: write '%s' as .tif, of which gdalbuildvrt makes one",
      options->option, options->path);
}

static gv_status choose_driver(gv_io *io, const gv_raster_options *options, GDALDriverH *out) {
  if (options->driver != NULL) {
    GDALDriverH driver = GDALGetDriverByName(options->driver);
    if (driver == NULL) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                           "--of: unknown driver '%s'; gdalinfo --formats lists them", options->driver);
    }
    if (!writes_rasters(driver)) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                           "--of: the driver %s cannot write rasters", GDALGetDriverShortName(driver));
    }
    *out = driver;
    return GV_OK;
  }
  const char *extension = CPLGetExtension(options->path);
  GDALDriverH found = NULL;
  char several[256] = "";
  int count = 0;
  if (EQUAL(extension, "tif") || EQUAL(extension, "tiff")) {
    *out = GDALGetDriverByName("GTiff");
    return GV_OK;
  }
  for (int i = 0; extension[0] != '\0' && i < GDALGetDriverCount(); i++) {
    GDALDriverH driver = GDALGetDriver(i);
    if (!writes_rasters(driver) || !driver_has_extension(driver, extension)) continue;
    size_t length = strlen(several);
    snprintf(several + length, sizeof several - length, "%s%s", count > 0 ? ", " : "",
             GDALGetDriverShortName(driver));
    if (count++ == 0) found = driver;
  }
  if (count == 1) {
    *out = found;
    return GV_OK;
  }
  if (count > 1) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                         "%s: several drivers write '.%s' files: choose one with --of: %s", options->option,
                         extension, several);
  }
  if (gv_vector_driver(options->path) != NULL) {
    return gv_io_fail_as(
        io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
        "%s: '%s' names no raster but a vector file (%s): --stats and --polygons write such files; a raster is "
        ".tif, say",
        options->option, options->path, GDALGetDriverLongName(gv_vector_driver(options->path)));
  }
  return gv_io_fail_as(
      io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
      "%s: no driver is known for '%s': name one with --of, or use .tif; gdalinfo --formats lists them",
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

static void set_default(gv_raster_out *raster, char **user, const char *key, const char *value) {
  if (!gv_option_given(user, key) && offers(raster->driver, key, NULL)) {
    raster->options = CSLSetNameValue(raster->options, key, value);
  }
}

/* The side of a TIFF tile: smaller ones where every cell has many values, so that a block of all bands stays in a processor's
 * second cache, and those of thousands in memory: what is written in parts of tiles is encoded, and written, over and over. */
static const char *tile_side(int64_t cell_bytes) {
  static const char *const sides[] = {"512", "256", "128", "64", "32", "16"};
  static const int64_t most[] = {8, 256, 4096, 16384, 65536};
  size_t i = 0;
  while (i < sizeof most / sizeof *most && cell_bytes > most[i])
    i++;
  return sides[i];
}

void gv_raster_set_sides(gv_raster_out *raster, int64_t cell_bytes) {
  if (!raster->own_sides) return;
  raster->options = CSLSetNameValue(raster->options, "BLOCKXSIZE", tile_side(cell_bytes));
  raster->options = CSLSetNameValue(raster->options, "BLOCKYSIZE", tile_side(cell_bytes));
}

void gv_raster_set_defaults(gv_raster_out *raster, char **user, int64_t cell_bytes) {
  bool gtiff = EQUAL(GDALGetDriverShortName(raster->driver), "GTiff");
  bool cog = EQUAL(GDALGetDriverShortName(raster->driver), "COG");
  set_default(raster, user, "WRITE_GDAL_HISTORY", "NO"); /* NetCDF's; it would name the temporary file */
  if (!gtiff && !cog) return;
  const char *compression = CSLFetchNameValue(user, "COMPRESS");
  if (compression == NULL) {
    compression = offers(raster->driver, "COMPRESS", "ZSTD") ? "ZSTD" : "DEFLATE";
    set_default(raster, user, "COMPRESS", compression);
  }
  if (gtiff) {
    const char *tiled = CSLFetchNameValue(user, "TILED");
    if (tiled == NULL || CPLTestBool(tiled)) {
      set_default(raster, user, "TILED", "YES");
      set_default(raster, user, "BLOCKXSIZE", tile_side(cell_bytes));
      set_default(raster, user, "BLOCKYSIZE", tile_side(cell_bytes));
      raster->own_sides = !gv_option_given(user, "BLOCKXSIZE") && !gv_option_given(user, "BLOCKYSIZE");
    }
    if (EQUAL(compression, "ZSTD")) set_default(raster, user, "ZSTD_LEVEL", "1");
    if (EQUAL(compression, "DEFLATE")) set_default(raster, user, "ZLEVEL", "1");
  } else {
    bool zstd_or_deflate = EQUAL(compression, "ZSTD") || EQUAL(compression, "DEFLATE");
    if (zstd_or_deflate) set_default(raster, user, "LEVEL", "1");
    /* An average of ids is no id. */
    if (!gv_option_given(user, "RESAMPLING")) {
      set_default(raster, user, "OVERVIEW_RESAMPLING", "NEAREST");
      set_default(raster, user, "WARP_RESAMPLING", "NEAREST");
    }
  }
  if (!EQUAL(compression, "NONE")) {
    set_default(raster, user, "NUM_THREADS", CPLSPrintf("%d", raster->threads > 1 ? raster->threads : 1));
  }
  set_default(raster, user, "BIGTIFF", "IF_SAFER");
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
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co: '%s' is not of the form NAME=VALUE", *option);
    }
    if (!fine) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co %s: ids can only be resampled by NEAREST or MODE",
                        *option);
    }
  }
  int before = gv_io_count_warnings();
  gv_gdal_reset();
  if (GDALValidateCreationOptions(raster->driver, (CSLConstList)user)) return GV_OK;
  gv_warning why = {.text = "not accepted by the driver"};
  gv_io_drop_warnings(before, &why);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co: %s", why.text);
}

/* NetCDF's variables have names only where they are copied; ILWIS and HF2 change some ids, which is seen there. */
static bool is_better_copied(GDALDriverH driver) {
  static const char *const names[] = {"netCDF", "ILWIS", "HF2"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (EQUAL(GDALGetDriverShortName(driver), names[i])) return true;
  return false;
}

/* What GDAL calls the table of a raster in a GeoPackage; NULL where files hold one raster. */
static const char *name_table(const gv_raster_options *options, GDALDriverH driver) {
  if (driver == NULL || !EQUAL(GDALGetDriverShortName(driver), "GPKG")) return NULL;
  const char *given = CSLFetchNameValueDef(options->creation_options, "RASTER_TABLE", "");
  return given[0] != '\0' ? given : CPLGetBasename(options->path);
}

gv_status gv_raster_plan(gv_io *io, const gv_raster_options *options, gv_raster_out **out) {
  gv_raster_out *raster = calloc(1, sizeof *raster);
  if (raster == NULL) return gv_io_fail_memory(io, "the output");
  raster->threads = options->threads;
  raster->memory = options->memory;
  gv_status status = choose_driver(io, options, &raster->driver);
  if (status == GV_OK) status = check_pixels(io, options, raster->driver);
  if (status == GV_OK) status = check_creation_options(io, raster, options->creation_options);
  const char *table = name_table(options, raster->driver);
  gv_place_options place = {options->option, options->path, raster->driver, table, options->overwrite, true};
  if (status == GV_OK) status = gv_place_plan(io, &raster->place, &place);
  if (status != GV_OK) {
    gv_raster_close(raster);
    return status;
  }
  raster->copies = !has_capability(raster->driver, GDAL_DCAP_CREATE) || is_better_copied(raster->driver);
  raster->options = CSLDuplicate(options->creation_options);
  gv_raster_set_defaults(raster, options->creation_options, options->cell_bytes);
  *out = raster;
  return GV_OK;
}
