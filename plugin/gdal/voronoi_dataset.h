// GDAL dataset of an on-demand raster (src/job/on_demand/on_demand.h).
#ifndef VORONOI_DATASET_H
#define VORONOI_DATASET_H

#include <memory>
#include <string>
#include <vector>

#include <gdal_priv.h>
#include <gdal_rat.h>

extern "C" {
#include "job/on_demand/blocks.h"
#include "job/on_demand/call.h"
#include "job/on_demand/name.h"
#include "job/on_demand/table.h"
}

#ifndef BANDMAP_TYPE // GDAL 3.10's
#define BANDMAP_TYPE int *
#endif

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 13, 0)
using VoronoiStrings = CSLConstList;
#else
using VoronoiStrings = char **;
#endif

// Calls the library; GDAL reports its errors and warnings; true on success.
template <class Work> bool VoronoiCall(Work work) {
  gv_on_demand_call call;
  gv_status status = gv_on_demand_begin(&call);
  if (status == GV_OK) status = work(&call.io);
  return gv_on_demand_end(&call, status);
}

// Destination of the values of a band of a window.
struct VoronoiTarget {
  const gv_on_demand_band *band;
  char *data;
  GDALDataType type;
  GSpacing pixel, line;
};

class VoronoiDataset final : public GDALDataset {
public:
  // Takes ownership of an opened raster.
  explicit VoronoiDataset(gv_on_demand *opened);
  ~VoronoiDataset() override;
  VoronoiDataset(const VoronoiDataset &) = delete;
  VoronoiDataset &operator=(const VoronoiDataset &) = delete;

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
  CPLErr GetGeoTransform(GDALGeoTransform &transform) const override;
#else
  CPLErr GetGeoTransform(double *transform) override;
#endif
  const OGRSpatialReference *GetSpatialRef() const override;
  VoronoiStrings GetMetadata(const char *domain = "") override;
  const char *GetMetadataItem(const char *name, const char *domain = "") override;
  char **GetFileList() override;

  // The values of a window for some bands, each cell once.
  CPLErr Read(int x, int y, int width, int height, const std::vector<VoronoiTarget> &targets,
              const GDALRasterIOExtraArg *extra);

  gv_on_demand *OnDemand() const {
    return on_demand;
  }
  VoronoiDataset *Overview(int number) const;
  int OverviewCount() const;

protected:
  CPLErr IRasterIO(GDALRWFlag flag, int x, int y, int width, int height, void *data, int buffer_width,
                   int buffer_height, GDALDataType type, int count, BANDMAP_TYPE map, GSpacing pixel, GSpacing line,
                   GSpacing band, GDALRasterIOExtraArg *extra) override;

private:
  VoronoiDataset(VoronoiDataset *whole, int of_level);
  void Begin();
  void PutGeoTransform(double *transform) const;

  gv_on_demand *on_demand;
  bool owner; // of `on_demand`; overviews use that of their raster
  int level;
  OGRSpatialReference crs;
  std::vector<std::unique_ptr<VoronoiDataset>> overviews;
  bool metadata_made = false;
};

class VoronoiBand final : public GDALRasterBand {
public:
  VoronoiBand(VoronoiDataset *dataset, int number, const gv_on_demand_band *what);

  double GetNoDataValue(int *known) override;
  int64_t GetNoDataValueAsInt64(int *known) override;
  double GetMinimum(int *known) override;
  double GetMaximum(int *known) override;
  const char *GetUnitType() override;
  GDALColorInterp GetColorInterpretation() override;
  GDALRasterAttributeTable *GetDefaultRAT() override;
  int GetOverviewCount() override;
  GDALRasterBand *GetOverview(int number) override;

  const gv_on_demand_band *What() const { return what; }

protected:
  CPLErr IReadBlock(int column, int row, void *data) override;
  CPLErr IRasterIO(GDALRWFlag flag, int x, int y, int width, int height, void *data, int buffer_width,
                   int buffer_height, GDALDataType type, GSpacing pixel, GSpacing line,
                   GDALRasterIOExtraArg *extra) override;

private:
  VoronoiDataset *Dataset() const { return static_cast<VoronoiDataset *>(poDS); }
  double End(int which, int *known);
  bool IsOfIntegers() const { return what->kind == 0 && GDALDataTypeIsInteger(eDataType) != 0; }

  const gv_on_demand_band *what;
  bool table_made = false;
  std::unique_ptr<GDALRasterAttributeTable> table;
};

#endif
