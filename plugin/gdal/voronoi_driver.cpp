// The driver VORONOI: docs/gdal.md.
#include "voronoi_algorithm.h"
#include "voronoi_dataset.h"

#include <cstdlib>

#include <dlfcn.h>

namespace {

// A program may have several GDALs: Python wheels have their own. If one of them loads a driver that is linked with
// another one, the driver would register there, and the program would not have it. Reports that, and returns false.
bool IsOfTheCallingGDAL(const void *caller) {
  Dl_info calling, ours;
  const void *own = reinterpret_cast<const void *>(&GDALAllRegister);
  if (dladdr(caller, &calling) == 0 || dladdr(own, &ours) == 0) return true;
  void *object = dlopen(calling.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const void *other = object != nullptr ? dlsym(object, "GDALAllRegister") : nullptr;
  if (object != nullptr) dlclose(object);
  if (other == nullptr || other == own) return true;
  static bool reported = false;
  if (!reported)
    CPLError(CE_Failure, CPLE_AppDefined,
             "gdal_VORONOI: built for GDAL %s (%s), loaded by another GDAL (%s); use a program with the first one, "
             "or build "
             "the driver for the second one",
             GDALVersionInfo("RELEASE_NAME"), ours.dli_fname, calling.dli_fname);
  reported = true;
  return false;
}

int DriverIdentify(GDALOpenInfo *info) {
  return gv_on_demand_is_name(info->pszFilename);
}

GDALDataset *DriverOpen(GDALOpenInfo *info) {
  if (!DriverIdentify(info)) return nullptr;
  if (info->eAccess == GA_Update) {
    CPLError(CE_Failure, CPLE_NotSupported, "VORONOI: writing is unsupported; use the gpuvoronoi command");
    return nullptr;
  }
  gv_on_demand *on_demand = nullptr;
  if (!VoronoiCall(
          [&](gv_io *io) { return gv_on_demand_open(io, info->pszFilename, info->papszOpenOptions, &on_demand); }))
    return nullptr;
  auto *dataset = new VoronoiDataset(on_demand);
  dataset->SetDescription(info->pszFilename);
  return dataset;
}

// GDAL would delete, rename and copy all files that a dataset lists: inputs must not be touched.
CPLErr DriverDelete(const char *name) {
  return VSIUnlink(name) == 0 ? CE_None : CE_Failure;
}

CPLErr DriverRename(const char *to, const char *from) {
  return VSIRename(from, to) == 0 ? CE_None : CE_Failure;
}

CPLErr DriverCopyFiles(const char *to, const char *from) {
  return CPLCopyFile(to, from) == 0 ? CE_None : CE_Failure;
}

} // namespace

extern "C" void CPL_DLL GDALRegister_VORONOI();

void GDALRegister_VORONOI() {
  if (!IsOfTheCallingGDAL(__builtin_return_address(0))) return;
  if (!GDAL_CHECK_VERSION("VORONOI") || GDALGetDriverByName("VORONOI") != nullptr) return;
  auto *driver = new GDALDriver();
  char *options = gv_on_demand_option_list();
  driver->SetDescription("VORONOI");
  driver->SetMetadataItem(GDAL_DCAP_RASTER, "YES");
  driver->SetMetadataItem(GDAL_DCAP_VIRTUALIO, "YES");
  driver->SetMetadataItem(GDAL_DMD_LONGNAME, "Nearest-seed raster, computed on demand");
  driver->SetMetadataItem(GDAL_DMD_EXTENSION, "voronoi.json");
  driver->SetMetadataItem(GDAL_DMD_EXTENSIONS, "voronoi.json");
  driver->SetMetadataItem(GDAL_DMD_CONNECTION_PREFIX, "VORONOI:");
  driver->SetMetadataItem(GDAL_DMD_OPENOPTIONLIST, options);
  driver->pfnIdentify = DriverIdentify;
  driver->pfnOpen = DriverOpen;
  driver->pfnDelete = DriverDelete;
  driver->pfnRename = DriverRename;
  driver->pfnCopyFiles = DriverCopyFiles;
  std::free(options);
  GetGDALDriverManager()->RegisterDriver(driver);
  VoronoiDeclareAlgorithm();
}
