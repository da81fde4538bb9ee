#include "io/format.h"

#include <stdlib.h>

#include <cpl_conv.h>
#include <cpl_string.h>

static const char *const photometric[] = {"PHOTOMETRIC=MINISBLACK", /* three bands are not colors, ... */
                                          "ALPHA=NO",               /* ... a fourth is not transparency */
                                          NULL},
                         *const png[] = {"TILE_FORMAT=PNG", NULL},
                         *const netcdf4[] = {"FORMAT=NC4", NULL}, /* older ones lack these integers */
                             *const lossless_jpeg2000[] = {"QUALITY=100", "REVERSIBLE=YES", "YCC=NO", NULL};

/*
 * Capabilities of drivers are not declared reliably: these were tested with their files. Copied are, beside
 * those that need it: NetCDF's variables have names only so; ILWIS and HF2 change some ids, which is seen
 * there, and GeoPackages may; the COG driver of GDAL 3.13 creates bytes whatever the type.
 */
static const gv_format formats[] = {
    {.driver = "GTiff",
     .extensions = "tif tiff",
     .tiled = true,
     .all_types = true,
     .byte_options = photometric,
     .software_item = "TIFFTAG_SOFTWARE"},
    {.driver = "COG", .makes_overviews = true, .copied = true, .keeps_integers = true},
    {.driver = "VRT", .extensions = "vrt", .indirect = true, .without_pixels = true},
    {.driver = "netCDF",
     .extensions = "nc",
     .arrays = GV_ARRAYS_NETCDF,
     .copied = true,
     .drops_history = true,
     .keeps_integers = true,
     .wide_options = netcdf4},
    {.driver = "Zarr", .extensions = "zarr", .arrays = GV_ARRAYS_ZARR, .array_option = "ARRAY_NAME"},
    {.driver = "AAIGrid", .keeps_integers = true},
    {.driver = "ENVI", .keeps_name = true},
    {.driver = "HF2", .copied = true},
    {.driver = "HFA", .without_palette = true}, /* keeps palettes in the table's columns */
    {.driver = "ILWIS", .copied = true},
    {.driver = "JP2OpenJPEG",
     .types = "Byte Int16 UInt16", /* it names 32 bits and refuses the last */
     .options = lossless_jpeg2000},
    {.driver = "Rasterlite", .keeps_source_name = true},
    {.driver = "GPKG",
     .copied = true,
     .fixed_nodata = true,
     .byte_options = png,
     .without_palette =
         true, /* it stores the colors instead of the values in tiles that the raster does not fill */
     .own_styles = true,
     .raster_tables = true,
     .layers = GV_LAYERS_ANY_TIME,
     .exact_reals = true,
     .undefined_system = true,
     .slow_index = true,
     .sqlite = true},
    {.driver = "SQLite",
     .layers = GV_LAYERS_ANY_TIME,
     .lower_names = true,
     .exact_reals = true,
     .sqlite = true},
    {.driver = "MBTiles", .layers = GV_LAYERS_AT_ONCE, .replaced_whole = true},
    {.driver = "OpenFileGDB", .layers = GV_LAYERS_ANY_TIME, .integers_as_reals = true},
    {.driver = "XLSX", .layers = GV_LAYERS_ANY_TIME, .first_day = 19000301, .local_times = true},
    {.driver = "ODS", .layers = GV_LAYERS_ANY_TIME, .decimals = 16, .local_times = true},
    {.driver = "LIBKML", .layers = GV_LAYERS_ANY_TIME, .twin = "KML"},
    {.driver = "KML", .layers = GV_LAYERS_AT_ONCE},
    {.driver = "GML", .layers = GV_LAYERS_AT_ONCE},
    {.driver = "Interlis 1", .layers = GV_LAYERS_AT_ONCE},
    {.driver = "PCIDSK", .layers = GV_LAYERS_ANY_TIME, .longitudes_first = true},
    {.driver = "PDS4", .layers = GV_LAYERS_ANY_TIME, .longitudes_first = true},
    {.driver = "VDV", .layers = GV_LAYERS_ANY_TIME},
    {.driver = "CSV", .text = true, .numbers_features = true},
    {.driver = "GeoJSON", .wgs84 = true, .write_unchecked = true},
    {.driver = "GeoJSONSeq", .write_unchecked = true},
    {.driver = "FlatGeobuf",
     .exact_reals = true,
     .geometry_required = true,
     .index_in_memory = true,
     .write_unchecked = true,
     .numbers_features = true},
    {.driver = "ESRI Shapefile",
     .numbers_features = true,
     .real_width = 32, /* GDAL's 24 hold no more than 8 digits before 15 after the point */
     .real_digits = 15,
     .decimals = 15,
     .header_unchecked = true,
     .write_unchecked = true},
    {.driver = "MapInfo File", .local_times = true, .write_unchecked = true},
    {.driver = "Parquet", .tables = "parquet geoparquet", .exact_reals = true},
    {.driver = "Arrow", .tables = "arrow arrows feather ipc", .exact_reals = true},
    {.driver = "GDALG", .indirect = true},
    {.driver = "GTI", .indirect = true},
    {.driver = "OGR_VRT", .indirect = true},
    {.driver = "PLMOSAIC", .indirect = true},
    {.driver = "STACIT", .indirect = true},
    {.driver = "STACTA", .indirect = true},
    {.driver = "VORONOI", .on_demand = true, .indirect = true},
    {.driver = "WCS", .indirect = true},
    {.driver = "WMS", .indirect = true},
    {.driver = "WMTS", .indirect = true},
};

enum { FORMATS = sizeof formats / sizeof *formats };

static const gv_format other = {.driver = ""};

const gv_format *gv_format_of(GDALDriverH driver) {
  const char *name = driver != NULL ? GDALGetDriverShortName(driver) : "";
  for (int i = 0; i < FORMATS; i++)
    if (EQUAL(formats[i].driver, name)) return &formats[i];
  return &other;
}

const gv_format *gv_format_of_dataset(GDALDatasetH dataset) {
  return gv_format_of(GDALGetDatasetDriver(dataset));
}

const gv_format *gv_format_tiled(void) {
  const gv_format *format = formats;
  while (!format->tiled)
    format++;
  return format;
}

const gv_format *gv_format_virtual(void) {
  const gv_format *format = formats;
  while (!format->without_pixels)
    format++;
  return format;
}

const gv_format *gv_format_with_arrays(gv_format_arrays arrays) {
  const gv_format *format = formats;
  while (format->arrays != arrays)
    format++;
  return format;
}

bool gv_format_lists(const char *list, const char *word) {
  char **names = CSLTokenizeString2(list != NULL ? list : "", " ", 0);
  bool found = CSLFindString(names, word) >= 0;
  CSLDestroy(names);
  return found;
}

const gv_format *gv_format_of_path(const char *path) {
  const char *extension = CPLGetExtension(path);
  for (int i = 0; i < FORMATS; i++)
    if (gv_format_lists(formats[i].extensions, extension)) return &formats[i];
  return NULL;
}

const char *gv_format_missing(const char *path) {
  const char *extension = CPLGetExtension(path);
  for (int i = 0; i < FORMATS; i++)
    if (gv_format_lists(formats[i].tables, extension) && gv_format_driver(&formats[i]) == NULL)
      return formats[i].driver;
  return NULL;
}

bool gv_gdal_is_from(int major, int minor) {
  return atoi(GDALVersionInfo("VERSION_NUM")) >= GDAL_COMPUTE_VERSION(major, minor, 0);
}

int gv_format_zarr_version(char *const *options) {
  const int known = gv_gdal_is_from(3, 13) ? 3 : 2;
  const char *given = CSLFetchNameValue((CSLConstList)options, "FORMAT");
  if (given == NULL) return known;
  return EQUAL(given, "ZARR_V2") ? 2 : EQUAL(given, "ZARR_V3") && known == 3 ? 3 : 0;
}

bool gv_format_is(const gv_format *format, const char *driver) {
  return driver != NULL && EQUAL(driver, format->driver);
}

const char *const *gv_format_naming(bool on_demand) {
  static const char *const drivers[] = {"VORONOI", "VRT", "OGR_VRT", NULL};
  return on_demand ? drivers : drivers + 1;
}

const char *const *gv_format_on_demand(void) {
  static const char *const drivers[] = {"VORONOI", NULL};
  return drivers;
}

GDALDriverH gv_format_driver(const gv_format *format) {
  return GDALGetDriverByName(format->driver);
}

/* MEM has layers since GDAL 3.11, which warns of the older driver. */
GDALDriverH gv_format_memory_driver(void) {
  GDALDriverH driver = GDALGetDriverByName("MEM");
  bool has_layers = driver != NULL && GDALGetMetadataItem(driver, GDAL_DCAP_VECTOR, NULL) != NULL;
  return has_layers ? driver : GDALGetDriverByName("Memory");
}

bool gv_driver_has_extension(GDALDriverH driver, const char *extension) {
  return gv_format_lists(GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL), extension);
}
