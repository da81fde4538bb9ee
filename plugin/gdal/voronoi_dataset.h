// A raster without a file, as GDAL sees it: a face of src/job/raster/live.h.
#ifndef VORONOI_DATASET_H
#define VORONOI_DATASET_H

#include <memory>
#include <string>
#include <vector>

#include <gdal_priv.h>
#include <gdal_rat.h>

extern "C" {
#include "job/raster/live.h"
}

#ifndef BANDMAP_TYPE // GDAL 3.10's
#define BANDMAP_TYPE int *
#endif

// A call into the library, whose errors and warnings GDAL reports; true if it succeeds.
template <class Work> bool VoronoiCall(Work work) {
  gv_live_call call;
  gv_status status = gv_live_begin(&call);
  if (status == GV_OK) status = work(&call.io);
  return gv_live_end(&call, status);
}

// Where the values of a band of a window go.
struct VoronoiTarget {
  const gv_live_band *band;
  char *data;
  GDALDataType type;
  GSpacing pixel, line;
};

class VoronoiDataset final : public GDALDataset {
public:
  // Takes over what was opened.
  explicit VoronoiDataset(gv_live *opened);
  ~VoronoiDataset() override;
  VoronoiDataset(const VoronoiDataset &) = delete;
  VoronoiDataset &operator=(const VoronoiDataset &) = delete;

  CPLErr GetGeoTransform(double *transform) override;
  const OGRSpatialReference *GetSpatialRef() const override;
  char **GetMetadata(const char *domain = "") override;
  const char *GetMetadataItem(const char *name, const char *domain = "") override;
  char **GetFileList() override;

  // The values of a window for some bands, each cell once.
  CPLErr Read(int x, int y, int width, int height, const std::vector<VoronoiTarget> &targets,
              const GDALRasterIOExtraArg *extra);

  gv_live *Live() const { return live; }
  VoronoiDataset *Overview(int number) const;
  int OverviewCount() const;

protected:
  CPLErr IRasterIO(GDALRWFlag flag, int x, int y, int width, int height, void *data, int buffer_width,
                   int buffer_height, GDALDataType type, int count, BANDMAP_TYPE map, GSpacing pixel, GSpacing line,
                   GSpacing band, GDALRasterIOExtraArg *extra) override;

private:
  VoronoiDataset(VoronoiDataset *whole, int of_level);
  void Begin();

  gv_live *live;
  bool owner; // of `live`: overviews are their raster's
  int level;
  OGRSpatialReference crs;
  std::vector<std::unique_ptr<VoronoiDataset>> overviews;
  bool metadata_made = false;
};

class VoronoiBand final : public GDALRasterBand {
public:
  VoronoiBand(VoronoiDataset *dataset, int number, const gv_live_band *what);

  double GetNoDataValue(int *known) override;
  int64_t GetNoDataValueAsInt64(int *known) override;
  double GetMinimum(int *known) override;
  double GetMaximum(int *known) override;
  const char *GetUnitType() override;
  GDALColorInterp GetColorInterpretation() override;
  GDALRasterAttributeTable *GetDefaultRAT() override;
  int GetOverviewCount() override;
  GDALRasterBand *GetOverview(int number) override;

  const gv_live_band *What() const { return what; }

protected:
  CPLErr IReadBlock(int column, int row, void *data) override;
  CPLErr IRasterIO(GDALRWFlag flag, int x, int y, int width, int height, void *data, int buffer_width,
                   int buffer_height, GDALDataType type, GSpacing pixel, GSpacing line,
                   GDALRasterIOExtraArg *extra) override;

private:
  VoronoiDataset *Dataset() const { return static_cast<VoronoiDataset *>(poDS); }
  double End(int which, int *known);
  bool IsOfIntegers() const { return what->kind == 0 && GDALDataTypeIsInteger(eDataType) != 0; }

  const gv_live_band *what;
  bool table_made = false;
  std::unique_ptr<GDALRasterAttributeTable> table;
};

#endif
