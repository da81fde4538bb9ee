#include "gdal_input.h"

#include <cpl_conv.h>
#include <cpl_string.h>

/* Other drivers would only probe the files, each time. */
static const char *const drivers[] = {"CSV", "GeoJSON", "MEM", "Memory", "VRT"};

static void CPL_STDCALL quiet(CPLErr level, CPLErrorNum number, const char *text) {
  gv_io_take_message(level, number, text);
}

static int is_wanted(GDALDriverH driver) {
  for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
    if (strcmp(GDALGetDriverShortName(driver), drivers[i]) == 0) return 1;
  return 0;
}

/* libFuzzer's: data that lie beside the program (oss-fuzz/build.sh) are used instead of the machine's. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  VSIStatBufL found;
  char *beside = CPLStrdup(CPLFormFilename(CPLGetPath(*argc > 0 ? (*argv)[0] : ""), "share", NULL));
  const char *proj[] = {CPLSPrintf("%s/proj", beside), NULL};
  if (VSIStatL(proj[0], &found) == 0) {
    OSRSetPROJSearchPaths(proj);
    CPLSetConfigOption("GDAL_DATA", CPLSPrintf("%s/gdal", beside));
  }
  CPLFree(beside);
  return 0;
}

void fuzz_begin_gdal(void) {
  static int begun;
  if (begun++ > 0) return;
  GDALAllRegister();
  for (int i = GDALGetDriverCount() - 1; i >= 0; i--) {
    GDALDriverH driver = GDALGetDriver(i);
    if (is_wanted(driver)) continue;
    GDALDeregisterDriver(driver);
    GDALDestroyDriver(driver);
  }
  CPLSetConfigOption("GDAL_MEM_ENABLE_OPEN", "YES");
  CPLSetErrorHandler(quiet);
}

static const char *files[4];
static int file_count;

void fuzz_put_file(const char *name, const void *data, size_t size) {
  /* GDAL does not write to it. */
  VSILFILE *file = VSIFileFromMemBuffer(name, (GByte *)(uintptr_t)data, size, FALSE);
  FUZZ_REQUIRE(file != NULL && VSIFCloseL(file) == 0);
  files[file_count++] = name;
}

void fuzz_end_gdal(void) {
  gv_warning warning;
  while (file_count > 0)
    VSIUnlink(files[--file_count]);
  while (gv_io_next_warning(&warning))
    FUZZ_REQUIRE(warning.text[0] != '\0');
}

void fuzz_check_failure(gv_status status, const gv_io *io) {
  if (status == GV_OK) return;
  FUZZ_REQUIRE(io->message[0] != '\0' && strchr(io->message, '\n') == NULL);
}

OGRSpatialReferenceH fuzz_degrees(void) {
  static OGRSpatialReferenceH degrees;
  if (degrees != NULL) return degrees;
  degrees = OSRNewSpatialReference(NULL);
  FUZZ_REQUIRE(degrees != NULL && OSRImportFromEPSG(degrees, 4326) == OGRERR_NONE);
  OSRSetAxisMappingStrategy(degrees, OAMS_TRADITIONAL_GIS_ORDER);
  return degrees;
}

gv_raster_grid fuzz_world(void) {
  gv_raster_grid grid = {
      .geotransform = {-180, 9, 0, 90, 0, -9}, .crs = fuzz_degrees(), .metric = GV_GEODESIC};
  gv_grid_init(&grid.grid);
  grid.grid.kind = GV_GRID_LONLAT;
  grid.grid.width = 40;
  grid.grid.height = 20;
  memcpy(grid.grid.geotransform, grid.geotransform, sizeof grid.geotransform);
  return grid;
}
