/*
 * Rasters out: blocks are TIFF tiles, encoded by the threads that compute them and appended in file order
 * (io/out/tiff_tiles.h). The GeoTIFF is the output, or a temporary file. From a temporary one GDAL fills a
 * dataset of another format or with other blocks, or copies it: for drivers that only support copies, and
 * into files with other layers, which no other program may have open.
 */
#include "io/out/raster_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <ogr_srs_api.h>

#include "io/out/raster_file.h"
#include "io/path.h"

#define SOURCE_NAME GV_SCRATCH "source.tif"

static gv_status check_mark(gv_io *io, const gv_raster_out *raster) {
  const char *path = raster->writer.place.output.path;
  if (!raster->format->fixed_nodata) return GV_OK;
  if (!GDALDataTypeIsInteger(raster->is.type)) {
    return gv_io_fail_as(
        io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
        "%s: GeoPackage does not support cells without a value (NaN); use another format, e.g. .tif", path);
  }
  if (raster->is.type != GDT_Int16 || raster->is.nodata == INT16_MIN) return GV_OK;
  return gv_io_fail_as(
      io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
      "%s: GeoPackage requires -32768 for cells without a seed in Int16; use --nodata=-32768, or --ot UInt16",
      path);
}

static gv_status check_type(gv_io *io, const gv_raster_out *raster) {
  const char *types = GDALGetMetadataItem(raster->driver, GDAL_DMD_CREATIONDATATYPES, NULL);
  const char *name = GDALGetDataTypeName(raster->is.type);
  if (types == NULL || raster->format->all_types) return GV_OK;
  if (raster->format->types != NULL) types = raster->format->types;
  char **list = CSLTokenizeString2(types, " ", 0);
  bool found = CSLFindString(list, name) >= 0;
  CSLDestroy(list);
  if (found) return GV_OK;
  return gv_io_fail_as(
      io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
      "the values of %s need %s, which driver %s does not support (it has: %s); use --ot for another "
      "type, or another format, e.g. .tif",
      raster->writer.place.output.path, name, GDALGetDriverShortName(raster->driver), types);
}

static CPLErr set_nodata(GDALRasterBandH band, const gv_raster_description *description) {
  if (description->type == GDT_Int64) return GDALSetRasterNoDataValueAsInt64(band, description->nodata);
  bool integer = GDALDataTypeIsInteger(description->type) != 0;
  double nodata = integer ? (double)description->nodata : NAN;
  CPLErr error = GDALSetRasterNoDataValue(band, nodata);
  /* GeoPackages keep it, and call that a failure. */
  return integer && GDALGetRasterNoDataValue(band, NULL) == nodata ? CE_None : error;
}

/* Lossy compression may change pictures a little, but never ids: checks the options. */
static gv_status check_lossless(gv_io *io, const gv_raster_out *raster) {
  static const char *const keys[] = {"COMPRESS", "TILE_FORMAT"}, *const lossy[] = {"JPEG", "WEBP", "PNG_JPEG",
                                                                                   "JXL"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const char *value = CSLFetchNameValueDef(raster->options, keys[k], "");
    for (size_t i = 0; i < sizeof lossy / sizeof *lossy; i++) {
      if (!EQUAL(value, lossy[i])) continue;
      return gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_INVALID_ARGUMENT,
                           "--co %s=%s: unsupported; it changes values, but ids need lossless compression",
                           keys[k], value);
    }
  }
  return GV_OK;
}

static void set_option(gv_raster_out *raster, const char *key, const char *value) {
  if (!gv_option_given(raster->options, key)) gv_raster_set_option(raster, key, value);
}

static void set_options(gv_raster_out *raster, const char *const *options) {
  for (; options != NULL && *options != NULL; options++) {
    char *key = NULL;
    const char *value = CPLParseNameValue(*options, &key);
    if (key != NULL && value != NULL) set_option(raster, key, value);
    CPLFree(key);
  }
}

/* Options that depend on the content. */
static void set_content_options(gv_raster_out *raster) {
  GDALDataType type = raster->is.type;
  const gv_format *format = raster->format;
  set_options(raster, format->options);
  if (type == GDT_Byte) set_options(raster, format->byte_options);
  if (GDALDataTypeIsInteger(type) && type != GDT_Int32 && type != GDT_Int16)
    set_options(raster, format->wide_options);
  if (format->array_option != NULL) set_option(raster, format->array_option, raster->is.variable);
}

/* `variable`: the dataset is to become a NetCDF file with this; else NULL. */
static gv_status set_header(gv_io *io, GDALDatasetH dataset, const gv_raster_description *description,
                            const gv_variable *variable) {
  CPLErr error = GDALSetGeoTransform(dataset, (double *)description->geotransform);
  if (error == CE_None && description->crs != NULL) error = GDALSetSpatialRef(dataset, description->crs);
  for (int b = 0; b < description->bands && error == CE_None; b++)
    error = set_nodata(GDALGetRasterBand(dataset, b + 1), description);
  if (error != CE_None) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot describe the output");
  /* What follows is good to have; not every format has a place for it. */
  for (int b = 0; b < description->bands; b++) {
    GDALRasterBandH band = GDALGetRasterBand(dataset, b + 1);
    if (description->names != NULL) GDALSetDescription(band, description->names[b]);
    if (description->unit != NULL) GDALSetRasterUnitType(band, description->unit);
  }
  if (variable != NULL) gv_variable_to_netcdf(variable, description->unit, dataset);
  for (char **item = description->metadata; item != NULL && *item != NULL; item++) {
    char *key = NULL;
    const char *value = CPLParseNameValue(*item, &key);
    if (key != NULL && value != NULL) GDALSetMetadataItem(dataset, key, value, NULL);
    CPLFree(key);
  }
  const gv_format *format = gv_format_of(GDALGetDatasetDriver(dataset));
  if (format->keeps_name) GDALSetDescription(dataset, CPLGetFilename(GDALGetDescription(dataset)));
  if (format->software_item != NULL && variable == NULL)
    GDALSetMetadataItem(dataset, format->software_item, "gpuvoronoi " GV_VERSION_STRING, NULL);
  return GV_OK;
}

/* Creates the output's dataset, or the GeoTIFF. */
static gv_status create_dataset(gv_io *io, const gv_raster_out *raster, GDALDriverH driver, const char *path,
                                char **options, GDALDatasetH *out) {
  gv_gdal_reset();
  *out = GDALCreate(driver, path, (int)raster->is.width, (int)raster->is.height, raster->is.bands,
                    raster->is.type, (CSLConstList)options);
  if (*out == NULL) {
    gv_status status = gv_writer_fail_create(io, &raster->writer);
    /* Only the driver defines what is too large for its format. */
    return strstr(io->message, "too large") != NULL ? gv_io_name(io, GV_CODE_GRID_TOO_LARGE, status) : status;
  }
  if (GDALGetRasterDataType(GDALGetRasterBand(*out, 1)) == raster->is.type) return GV_OK;
  return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "driver %s does not keep %s values",
                    GDALGetDriverShortName(driver), GDALGetDataTypeName(raster->is.type));
}

/* A dataset that is to be filled. */
static gv_status create_filled(gv_io *io, gv_raster_out *raster) {
  if (!gv_raster_limit_threads(&raster->options)) return gv_io_fail_memory(io, "the options of a raster");
  GV_TRY(create_dataset(io, raster, raster->driver, raster->writer.place.output.work, raster->options,
                        &raster->writer.dataset));
  return set_header(io, raster->writer.dataset, &raster->is, NULL);
}

/* GDAL writes coordinates of a plane to NetCDF as longitudes and latitudes: here they are written by
 * gv_axes_to_netcdf. */
static void choose_axes(gv_raster_out *raster) {
  const gv_raster_description *is = &raster->is;
  raster->own_axes = raster->format->arrays == GV_ARRAYS_NETCDF && is->geotransform[2] == 0.0 &&
                     is->geotransform[4] == 0.0 &&
                     (is->crs == NULL || (!OSRIsProjected(is->crs) && !OSRIsGeographic(is->crs)));
  memcpy(raster->axes, is->geotransform, sizeof raster->axes);
}

/* All but its GeoTIFF. */
static gv_status raster_out_prepare(gv_io *io, gv_raster_out *raster) {
  GV_TRY(check_type(io, raster));
  GV_TRY(check_mark(io, raster));
  if (GDALDataTypeIsInteger(raster->is.type)) GV_TRY(check_lossless(io, raster));
  set_content_options(raster);
  choose_axes(raster);
  gv_raster_choose_options(raster);
  if (raster->options_lack) return gv_io_fail_memory(io, "the options of a raster");
  if (raster->format->arrays != GV_ARRAYS_NONE)
    GV_TRY(gv_variable_make(io, raster->is.variable, raster->is.names, &raster->variable));
  GV_TRY(gv_writer_begin(io, &raster->writer));
  return raster->filled ? create_filled(io, raster) : GV_OK;
}

static void own_sides(const gv_raster_out *raster, int *width, int *height) {
  if (raster->filled) {
    GDALGetBlockSize(GDALGetRasterBand(raster->writer.dataset, 1), width, height);
  } else if (raster->copies) {
    *width = *height = gv_raster_side(raster->is.bands * (int64_t)GDALGetDataTypeSizeBytes(raster->is.type));
  } else {
    *width = atoi(CSLFetchNameValueDef(raster->options, "BLOCKXSIZE", "0"));
    *height = atoi(CSLFetchNameValueDef(raster->options, "BLOCKYSIZE", "0"));
  }
}

/* The tiles of rasters of one grid: blocks of their files if these are alike and can be computed each at
 * once, otherwise some rows. */
static void choose_tiles(gv_raster_out *const *rasters, int count, int32_t *width, int32_t *height) {
  enum { MOST = 8192, MOST_BYTES = 64 << 20, SIDE = 512 };
  const gv_raster_description *first = &rasters[0]->is;
  int64_t cell_bytes = 0;
  int w = 0, h = 0, tallest = 1;
  bool alike = true;
  for (int i = 0; i < count; i++) {
    int own_w = 0, own_h = 0;
    own_sides(rasters[i], &own_w, &own_h);
    alike = alike && (i == 0 || (own_w == w && own_h == h));
    w = own_w;
    h = own_h;
    tallest = h > tallest ? h : tallest;
    cell_bytes += rasters[i]->is.bands * (int64_t)GDALGetDataTypeSizeBytes(rasters[i]->is.type);
  }
  int least = cell_bytes > 4096 ? 16 : 64;
  alike = alike && w >= least && h >= least && w <= MOST && h <= MOST &&
          (int64_t)w * h * cell_bytes <= MOST_BYTES;
  if (!alike || w % 16 != 0 || h % 16 != 0) {
    int64_t rows = MOST_BYTES / 2 / (first->width * cell_bytes);
    rows = rows < 16 ? 16 : rows > SIDE ? SIDE : rows;
    if (tallest <= rows) rows -= rows % tallest;
    w = SIDE;
    h = (int)(rows >= first->height ? (first->height + 15) / 16 * 16 : rows < 32 ? 16 : rows / 16 * 16);
  }
  *width = w;
  *height = h;
}

/* The GeoTIFF without tiles. */
static gv_status create_tiff(gv_io *io, gv_raster_out *raster) {
  GDALDatasetH tiff = NULL;
  const gv_variable *variable = raster->format->arrays == GV_ARRAYS_NETCDF ? &raster->variable : NULL;
  raster->work = raster->copies || raster->filled
                     ? gv_path_join(raster->writer.place.output.directory, SOURCE_NAME)
                     : strdup(raster->writer.place.output.work);
  if (raster->work == NULL) return gv_io_fail_memory(io, "a file name");
  gv_status status = create_dataset(io, raster, gv_format_driver(gv_format_tiled()), raster->work,
                                    raster->work_options, &tiff);
  if (status == GV_OK && !raster->filled) status = set_header(io, tiff, &raster->is, variable);
  gv_gdal_reset(); /* what formats do not support has been reported */
  GV_TRY(gv_writer_close(io, &raster->writer, &tiff, status));
  return gv_tiff_open(io, raster->work, raster->writer.place.output.path, raster->work_options,
                      &raster->tiff);
}

gv_status gv_raster_create(gv_io *io, gv_raster_out *const *rasters, int count,
                           const gv_raster_description *descriptions) {
  int32_t width, height;
  for (int i = 0; i < count; i++) {
    rasters[i]->is = descriptions[i];
    GV_TRY(raster_out_prepare(io, rasters[i]));
  }
  choose_tiles(rasters, count, &width, &height);
  for (int i = 0; i < count; i++) {
    int w, h;
    own_sides(rasters[i], &w, &h);
    if (!rasters[i]->copies && !rasters[i]->filled && (w != width || h != height)) {
      rasters[i]->filled = true;
      GV_TRY(create_filled(io, rasters[i]));
    }
    GV_TRY(gv_raster_set_tiles(io, rasters[i], width, height));
    GV_TRY(create_tiff(io, rasters[i]));
  }
  return GV_OK;
}

static int CPL_STDCALL raster_out_go_on(double fraction, const char *message, void *io) {
  (void)fraction, (void)message;
  return !gv_io_cancelled(io);
}

static gv_status fill_dataset(gv_io *io, gv_raster_out *raster) {
  static const char *const whole_blocks[] = {"COMPRESS=YES", NULL};
  GDALDatasetH from = NULL;
  gv_status status = gv_raster_open_source(io, raster, &from);
  if (status == GV_OK && GDALDatasetCopyWholeRaster(from, raster->writer.dataset, (CSLConstList)whole_blocks,
                                                    raster_out_go_on, io) != CE_None)
    status = gv_writer_fail(io, &raster->writer);
  if (gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  if (from != NULL) GDALClose(from);
  VSIUnlink(raster->work);
  return status;
}

gv_status gv_raster_tiles_complete(gv_io *io, gv_raster_out *raster) {
  gv_status status = gv_tiff_complete(io, raster->tiff);
  gv_tiff_close(raster->tiff);
  raster->tiff = NULL;
  if (status != GV_OK) return status;
  if (raster->filled) return fill_dataset(io, raster);
  gv_gdal_reset();
  raster->writer.dataset = GDALOpenEx(raster->work, GDAL_OF_RASTER | GDAL_OF_UPDATE, NULL, NULL, NULL);
  if (raster->writer.dataset != NULL && !gv_gdal_lost()) return GV_OK;
  return gv_writer_fail(io, &raster->writer);
}
