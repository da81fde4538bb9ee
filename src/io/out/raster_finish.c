/* The end of a raster: its attribute table, and the copy into formats that are not written tile by tile. */
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/crs/crs.h"
#include "io/guarded_copy.h"
#include "io/out/overviews.h"
#include "io/out/raster_file.h"
#include "io/out/style.h"
#include "io/path.h"

/* Formats with palettes get one. */
static void set_palette(gv_raster_out *raster, GDALRasterAttributeTableH table) {
  bool takes = raster->is.type == GDT_Byte && raster->is.bands == 1 && !raster->format->without_palette;
  GDALColorTableH colors = takes ? GDALRATTranslateToColorTable(table, 256) : NULL;
  if (colors == NULL) return;
  GDALSetRasterColorTable(GDALGetRasterBand(raster->writer.dataset, 1), colors);
  GDALDestroyColorTable(colors);
}

gv_status gv_raster_set_table(gv_io *io, gv_raster_out *raster, const gv_attribute_table *table) {
  if (table->count <= GV_MAX_STYLED && !raster->format->own_styles) {
    GV_TRY(gv_qgis_style_write(io, raster->writer.place.output.directory, raster->writer.place.output.path,
                               table));
  }
  if (raster->variable.name != NULL) {
    GV_TRY(gv_variable_set_flags(io, &raster->variable, table));
    if (raster->format->arrays == GV_ARRAYS_NETCDF)
      gv_flags_to_netcdf(&raster->variable, raster->writer.dataset);
  }
  GDALRasterAttributeTableH rows = gv_attribute_table_make(table);
  if (rows == NULL) return gv_io_fail_memory(io, "the raster attribute table");
  set_palette(raster, rows);
  gv_gdal_reset();
  raster->has_table = GDALSetDefaultRAT(GDALGetRasterBand(raster->writer.dataset, 1), rows) == CE_None;
  GDALDestroyRasterAttributeTable(rows);
  if (raster->has_table) return GV_OK;
  if (gv_gdal_failed())
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write the attribute table of %s",
                           raster->writer.place.output.path);
  /* Some formats decline without a word; the raster is worth having all the same. */
  gv_io_warn(GV_CODE_TABLE_MISSING, 0, "driver %s does not support attribute tables",
             GDALGetDriverShortName(raster->driver));
  return GV_OK;
}

/* True if COG would only make overviews by NEAREST, to the sizes of this layer's. */
static bool needs_overviews(const gv_raster_out *raster) {
  static const char *const others[] = {"TILING_SCHEME", "TARGET_SRS",     "RES",           "EXTENT",
                                       "OVERVIEWS",     "OVERVIEW_COUNT", "ALIGNED_LEVELS"};
  const char *resampling = CSLFetchNameValueDef(raster->options, "OVERVIEW_RESAMPLING",
                                                CSLFetchNameValue(raster->options, "RESAMPLING"));
  if (!raster->format->makes_overviews || resampling == NULL) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (gv_option_given(raster->options, others[i])) return false;
  return EQUAL(resampling, "NEAREST");
}

/* Checks the integers in other formats: all are kept, or an error. */
static gv_status check_copy(gv_io *io, const gv_raster_out *raster, GDALDatasetH from) {
  gv_status status = GV_OK;
  size_t bytes = (size_t)raster->is.width * (size_t)GDALGetDataTypeSizeBytes(raster->is.type);
  char **table = CSLSetNameValue(NULL, "TABLE", raster->writer.place.layer);
  GDALDatasetH made = GDALOpenEx(gv_place_work(&raster->writer.place), GDAL_OF_RASTER, NULL,
                                 (const char *const *)table, NULL);
  CSLDestroy(table);
  if (made == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", raster->writer.place.output.path);
  char *rows[2] = {malloc(bytes), malloc(bytes)};
  if (rows[0] == NULL || rows[1] == NULL) status = gv_io_fail_memory(io, "a raster's rows");
  for (int64_t i = 0; i < raster->is.bands * raster->is.height && status == GV_OK; i++) {
    const GDALDatasetH both[2] = {from, made};
    CPLErr error = CE_None;
    for (int d = 0; d < 2 && error == CE_None; d++) {
      error = GDALRasterIO(GDALGetRasterBand(both[d], (int)(i / raster->is.height) + 1), GF_Read, 0,
                           (int)(i % raster->is.height), (int)raster->is.width, 1, rows[d],
                           (int)raster->is.width, 1, raster->is.type, 0, 0);
    }
    if (error != CE_None) {
      status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", raster->writer.place.output.path);
    } else if (memcmp(rows[0], rows[1], bytes) != 0) {
      status = gv_io_fail_as(io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
                             "%s: driver %s changes values with these options; use a lossless format",
                             raster->writer.place.output.path, GDALGetDriverShortName(raster->driver));
    }
    if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  free(rows[0]);
  free(rows[1]);
  GDALClose(made);
  return status;
}

/* Options for a raster that becomes a layer of a file that holds others, or is to. */
static gv_status set_layer_options(gv_io *io, gv_raster_out *raster) {
  bool append = false;
  if (!gv_place_has_others(&raster->writer.place)) return GV_OK;
  gv_status status = gv_place_make_room(io, &raster->writer.place, &append);
  gv_raster_set_option(raster, "RASTER_TABLE", raster->writer.place.layer);
  gv_raster_set_option(raster, "APPEND_SUBDATASET", append ? "YES" : "NO");
  return status;
}

/* The copy has failed: by its coordinate system, as far as GDAL's message shows, or otherwise. */
static gv_status copy_fail(gv_io *io, const gv_raster_out *raster, GDALDatasetH from) {
  const char *path = raster->writer.place.output.path;
  gv_status status = gv_writer_fail(io, &raster->writer);
  if (raster->format->arrays == GV_ARRAYS_NETCDF && (strstr(io->message, "AddProjectionVars") != NULL ||
                                                     strstr(io->message, "unexpected exception") != NULL)) {
    char name[256];
    gv_crs_describe(GDALGetSpatialRef(from), name, sizeof name);
    return gv_io_fail_as(
        io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
        "cannot write %s: NetCDF does not support the coordinate system (%s); use another --crs, or "
        "another format, e.g. .tif",
        path, name);
  }
  bool warps =
      gv_option_given(raster->options, "TILING_SCHEME") || gv_option_given(raster->options, "TARGET_SRS");
  if (warps && strstr(io->message, ": PROJ: ") != NULL) {
    return gv_io_fail_as(
        io, GV_CODE_OUTPUT_FORMAT, GV_ERROR_UNSUPPORTED,
        "cannot write %s: the grid reaches beyond the coordinate system of TILING_SCHEME or TARGET_SRS; use "
        "a smaller --extent, for Web Mercator from -85 to 85 degrees north",
        path);
  }
  return status;
}

static gv_status copy_from(gv_io *io, gv_raster_out *raster, GDALDatasetH from, GDALProgressFunc progress,
                           void *progress_user) {
  /* GDAL is silent about side files. */
  if (raster->has_table && GDALGetDefaultRAT(GDALGetRasterBand(from, 1)) == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster");
  if (raster->format->keeps_source_name)
    GDALSetDescription(from, gv_path_name(raster->writer.place.output.path));
  if (raster->options_lack || !gv_raster_limit_threads(&raster->options))
    return gv_io_fail_memory(io, "the options of a raster");
  gv_gdal_reset();
  raster->writer.dataset = gv_guarded_copy(raster->driver, gv_place_work(&raster->writer.place), from,
                                           (CSLConstList)raster->options, progress, progress_user);
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  if (raster->writer.dataset == NULL || gv_gdal_failed()) return copy_fail(io, raster, from);
  GV_TRY(gv_writer_close(io, &raster->writer, &raster->writer.dataset, GV_OK));
  bool doubtful = GDALDataTypeIsInteger(raster->is.type) && !raster->format->keeps_integers;
  return doubtful ? check_copy(io, raster, from) : GV_OK;
}

/* Replaces the temporary raster by one of its cells without its geotransform. */
static gv_status drop_geotransform(gv_io *io, GDALDatasetH *from) {
  gv_gdal_reset();
  GDALDatasetH copy =
      GDALCreateCopy(gv_format_driver(gv_format_virtual()), "", *from, FALSE, NULL, NULL, NULL);
  char **description = copy != NULL ? GDALGetMetadata(copy, "xml:VRT") : NULL;
  char *xml = description != NULL ? CPLStrdup(description[0]) : NULL;
  char *begin = xml != NULL ? strstr(xml, "<GeoTransform>") : NULL,
       *end = begin != NULL ? strchr(begin, '/') : NULL;
  end = end != NULL ? strchr(end, '>') : NULL;
  if (end != NULL) memmove(begin, end + 1, strlen(end + 1) + 1);
  GDALDatasetH without = end != NULL ? GDALOpenEx(xml, GDAL_OF_RASTER, NULL, NULL, NULL) : NULL;
  CPLFree(xml);
  GDALClose(copy);
  if (without == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster");
  GDALClose(*from);
  *from = without;
  return GV_OK;
}

static gv_status copy_into_format(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress,
                                  void *progress_user) {
  GDALDatasetH from = NULL;
  GV_TRY(set_layer_options(io, raster));
  if (needs_overviews(raster)) {
    int64_t largest = atoi(CSLFetchNameValueDef(raster->options, "BLOCKSIZE", "512"));
    GV_TRY(gv_overviews_write(io, raster->work, &raster->is, largest > 0 ? largest : 512, raster->threads));
  }
  gv_status status = gv_raster_open_source(io, raster, &from);
  if (status == GV_OK && raster->own_axes) status = drop_geotransform(io, &from);
  if (status == GV_OK) status = copy_from(io, raster, from, progress, progress_user);
  if (from != NULL) GDALClose(from);
  if (status == GV_OK && raster->own_axes)
    status = gv_axes_to_netcdf(io, gv_place_work(&raster->writer.place), raster->axes, raster->is.height,
                               CPLTestBool(CSLFetchNameValueDef(raster->options, "WRITE_BOTTOMUP", "YES")));
  VSIUnlink(raster->work);
  return status;
}

gv_status gv_raster_finish(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress, void *progress_user) {
  gv_gdal_reset(); /* what formats do not support has been reported */
  gv_status status = gv_writer_close(io, &raster->writer, &raster->writer.dataset, GV_OK);
  if (status == GV_OK && raster->copies) status = copy_into_format(io, raster, progress, progress_user);
  if (status == GV_OK && raster->format->arrays == GV_ARRAYS_ZARR) {
    const gv_variable_grid grid = {raster->axes, raster->is.width, raster->is.height,
                                   GDALDataTypeIsInteger(raster->is.type) &&
                                       gv_format_zarr_version(raster->options) == 3};
    status = gv_variable_to_zarr(io, &raster->variable, &grid, raster->writer.place.output.work);
  }
  /* netCDF ignores a full disk when it closes a file. */
  if (status == GV_OK && (raster->copies || raster->filled))
    status = gv_place_check_written(io, &raster->writer.place);
  /* The style of a replaced raster would refer to its ids. */
  if (status == GV_OK && raster->writer.place.existed && GDALDataTypeIsInteger(raster->is.type))
    status = gv_qgis_style_drop(io, &raster->writer.place.output);
  if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  return status;
}
