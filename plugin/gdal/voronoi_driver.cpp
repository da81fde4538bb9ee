// The driver VORONOI: docs/gdal.md.
#include "voronoi_dataset.h"

namespace {

int Identify(GDALOpenInfo *info) {
  return gv_on_demand_is_name(info->pszFilename);
}

GDALDataset *Open(GDALOpenInfo *info) {
  if (!Identify(info)) return nullptr;
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
CPLErr Delete(const char *name) {
  return VSIUnlink(name) == 0 ? CE_None : CE_Failure;
}

CPLErr Rename(const char *to, const char *from) {
  return VSIRename(from, to) == 0 ? CE_None : CE_Failure;
}

CPLErr CopyFiles(const char *to, const char *from) {
  return CPLCopyFile(to, from) == 0 ? CE_None : CE_Failure;
}

} // namespace

extern "C" void CPL_DLL GDALRegister_VORONOI();

void GDALRegister_VORONOI() {
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
  driver->pfnIdentify = Identify;
  driver->pfnOpen = Open;
  driver->pfnDelete = Delete;
  driver->pfnRename = Rename;
  driver->pfnCopyFiles = CopyFiles;
  CPLFree(options);
  GetGDALDriverManager()->RegisterDriver(driver);
}
