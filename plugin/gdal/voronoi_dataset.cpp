#include "voronoi_dataset.h"

#include <algorithm>
#include <cstring>
#include <limits>

extern "C" {
#include "io/strings.h"
}

namespace {

void Take(void *user, const gv_on_demand_piece *piece) {
  for (const VoronoiTarget &t : *static_cast<const std::vector<VoronoiTarget> *>(user)) {
    int kind = t.band->kind, size = GDALGetDataTypeSizeBytes(t.band->type);
    const char *from =
        static_cast<const char *>(piece->values[kind]) + t.band->number * piece->band_stride[kind] * size;
    for (int64_t row = 0; row < piece->h; row++) {
      GDALCopyWords64(from + row * piece->stride[kind] * size, t.band->type, piece->step[kind] * size,
                      t.data + (piece->y + row) * t.line + piece->x * t.pixel, t.type, static_cast<int>(t.pixel),
                      static_cast<GPtrDiff_t>(piece->w));
    }
  }
}

int GoOn(double fraction, void *user) {
  const auto *extra = static_cast<const GDALRasterIOExtraArg *>(user);
  return extra->pfnProgress(fraction, "", extra->pProgressData);
}

} // namespace

// ------------------------------------------------------------------------------------------------------------ dataset

VoronoiDataset::VoronoiDataset(gv_on_demand *opened) : on_demand(opened), owner(true), level(0) {
  const gv_on_demand_facts *facts = gv_on_demand_facts_of(on_demand);
  if (facts->crs != nullptr) crs = *OGRSpatialReference::FromHandle(facts->crs);
  Begin();
  for (int i = 1; i < facts->levels; i++)
    overviews.emplace_back(new VoronoiDataset(this, i));
}

VoronoiDataset::VoronoiDataset(VoronoiDataset *whole, int of_level)
    : on_demand(whole->on_demand), owner(false), level(of_level), crs(whole->crs) {
  Begin();
}

void VoronoiDataset::Begin() {
  const gv_on_demand_facts *facts = gv_on_demand_facts_of(on_demand);
  int64_t width, height;
  gv_on_demand_size(on_demand, level, &width, &height);
  nRasterXSize = static_cast<int>(width);
  nRasterYSize = static_cast<int>(height);
  for (int i = 0; i < facts->bands; i++)
    SetBand(i + 1, new VoronoiBand(this, i + 1, &facts->band[i]));
}

VoronoiDataset::~VoronoiDataset() {
  overviews.clear();
  if (owner) gv_on_demand_close(on_demand);
}

void VoronoiDataset::PutGeoTransform(double *transform) const {
  const gv_on_demand_facts *facts = gv_on_demand_facts_of(on_demand);
  double across = static_cast<double>(facts->width) / nRasterXSize;
  double down = static_cast<double>(facts->height) / nRasterYSize;
  const double scale[6] = {1.0, across, down, 1.0, across, down};
  for (int i = 0; i < 6; i++)
    transform[i] = facts->geotransform[i] * scale[i];
}

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 12, 0)
CPLErr VoronoiDataset::GetGeoTransform(GDALGeoTransform &transform) const {
  double values[6];
  PutGeoTransform(values);
  transform = GDALGeoTransform(values);
  return CE_None;
}
#else
CPLErr VoronoiDataset::GetGeoTransform(double *transform) {
  PutGeoTransform(transform);
  return CE_None;
}
#endif

const OGRSpatialReference *VoronoiDataset::GetSpatialRef() const {
  return crs.IsEmpty() ? nullptr : &crs;
}

VoronoiStrings VoronoiDataset::GetMetadata(const char *domain) {
  if (owner && !metadata_made && (domain == nullptr || domain[0] == '\0')) {
    char **items = nullptr;
    metadata_made = true;
    if (VoronoiCall([&](gv_io *io) { return gv_on_demand_metadata(io, on_demand, &items); })) SetMetadata(items);
    gv_strings_free(items);
  }
  return GDALDataset::GetMetadata(domain);
}

const char *VoronoiDataset::GetMetadataItem(const char *name, const char *domain) {
  if (domain == nullptr || domain[0] == '\0') return CSLFetchNameValue(GetMetadata(domain), name);
  return GDALDataset::GetMetadataItem(name, domain);
}

// The description and the files that it names, as for a VRT. The driver deletes and renames the description only.
char **VoronoiDataset::GetFileList() {
  const char *name = GetDescription();
  VSIStatBufL found;
  char **files = VSIStatL(name, &found) == 0 ? CSLAddString(nullptr, name) : nullptr;
  char **inputs = nullptr;
  VoronoiCall([&](gv_io *io) { return gv_on_demand_files(io, on_demand, &inputs); });
  for (char **input = inputs; input != nullptr && *input != nullptr; input++)
    if (CSLFindString(files, *input) < 0) files = CSLAddString(files, *input);
  gv_strings_free(inputs);
  return files;
}

int VoronoiDataset::OverviewCount() const {
  return AreOverviewsEnabled() ? static_cast<int>(overviews.size()) : 0;
}

VoronoiDataset *VoronoiDataset::Overview(int number) const {
  return number >= 0 && number < OverviewCount() ? overviews[static_cast<size_t>(number)].get() : nullptr;
}

CPLErr VoronoiDataset::Read(int x, int y, int width, int height, const std::vector<VoronoiTarget> &targets,
                            const GDALRasterIOExtraArg *extra) {
  gv_on_demand_window window;
  std::memset(&window, 0, sizeof window);
  window.level = level;
  window.x = x;
  window.y = y;
  window.w = width;
  window.h = height;
  for (const VoronoiTarget &t : targets)
    window.kinds |= 1U << t.band->kind;
  window.take = Take;
  window.user = const_cast<std::vector<VoronoiTarget> *>(&targets);
  if (extra != nullptr && extra->pfnProgress != nullptr) {
    window.progress = GoOn;
    window.progress_user = const_cast<GDALRasterIOExtraArg *>(extra);
  }
  return VoronoiCall([&](gv_io *io) { return gv_on_demand_read(io, on_demand, &window); }) ? CE_None : CE_Failure;
}

CPLErr VoronoiDataset::IRasterIO(GDALRWFlag flag, int x, int y, int width, int height, void *data, int buffer_width,
                                 int buffer_height, GDALDataType type, int count, BANDMAP_TYPE map, GSpacing pixel,
                                 GSpacing line, GSpacing band, GDALRasterIOExtraArg *extra) {
  if (flag != GF_Read || buffer_width != width || buffer_height != height) {
    return GDALDataset::IRasterIO(flag, x, y, width, height, data, buffer_width, buffer_height, type, count, map,
                                  pixel, line, band, extra);
  }
  std::vector<VoronoiTarget> targets;
  for (int i = 0; i < count; i++) {
    const auto *one = static_cast<VoronoiBand *>(GetRasterBand(map[i]));
    targets.push_back({one->What(), static_cast<char *>(data) + i * band, type, pixel, line});
  }
  return Read(x, y, width, height, targets, extra);
}

// --------------------------------------------------------------------------------------------------------------- band

VoronoiBand::VoronoiBand(VoronoiDataset *dataset, int number, const gv_on_demand_band *of) : what(of) {
  poDS = dataset;
  nBand = number;
  eDataType = of->type;
  nRasterXSize = dataset->GetRasterXSize();
  nRasterYSize = dataset->GetRasterYSize();
  nBlockXSize = std::min(nRasterXSize, static_cast<int>(GV_ON_DEMAND_BLOCK));
  nBlockYSize = std::min(nRasterYSize, static_cast<int>(GV_ON_DEMAND_BLOCK));
  SetDescription(of->name);
}

CPLErr VoronoiBand::IReadBlock(int column, int row, void *data) {
  int x = column * nBlockXSize, y = row * nBlockYSize;
  int width = std::min(nBlockXSize, nRasterXSize - x), height = std::min(nBlockYSize, nRasterYSize - y);
  GSpacing size = GDALGetDataTypeSizeBytes(eDataType);
  if (width < nBlockXSize || height < nBlockYSize) // cells outside the raster
    std::memset(data, 0,
                static_cast<size_t>(nBlockXSize) * static_cast<size_t>(nBlockYSize) * static_cast<size_t>(size));
  const VoronoiTarget target = {what, static_cast<char *>(data), eDataType, size, size * nBlockXSize};
  return Dataset()->Read(x, y, width, height, {target}, nullptr);
}

CPLErr VoronoiBand::IRasterIO(GDALRWFlag flag, int x, int y, int width, int height, void *data, int buffer_width,
                              int buffer_height, GDALDataType type, GSpacing pixel, GSpacing line,
                              GDALRasterIOExtraArg *extra) {
  if (flag != GF_Read || buffer_width != width || buffer_height != height) {
    return GDALRasterBand::IRasterIO(flag, x, y, width, height, data, buffer_width, buffer_height, type, pixel,
                                     line, extra);
  }
  const VoronoiTarget target = {what, static_cast<char *>(data), type, pixel, line};
  return Dataset()->Read(x, y, width, height, {target}, extra);
}

int64_t VoronoiBand::GetNoDataValueAsInt64(int *known) {
  int64_t value = 0;
  bool good = IsOfIntegers() &&
              VoronoiCall([&](gv_io *io) { return gv_on_demand_nodata(io, Dataset()->OnDemand(), &value); });
  if (known != nullptr) *known = good;
  return value;
}

double VoronoiBand::GetNoDataValue(int *known) {
  if (IsOfIntegers()) return static_cast<double>(GetNoDataValueAsInt64(known));
  if (known != nullptr) *known = TRUE;
  return std::numeric_limits<double>::quiet_NaN();
}

// Of the ids: the lowest (0) or highest (1) that a cell may have.
double VoronoiBand::End(int which, int *known) {
  int64_t range[2] = {0, 0};
  bool good = IsOfIntegers() &&
              VoronoiCall([&](gv_io *io) { return gv_on_demand_id_range(io, Dataset()->OnDemand(), range); });
  if (known != nullptr) *known = good;
  return static_cast<double>(range[which]);
}

double VoronoiBand::GetMinimum(int *known) {
  return End(0, known);
}

double VoronoiBand::GetMaximum(int *known) {
  return End(1, known);
}

const char *VoronoiBand::GetUnitType() {
  return what->unit != nullptr ? what->unit : "";
}

GDALColorInterp VoronoiBand::GetColorInterpretation() {
  return nBand == 1 ? GCI_GrayIndex : GCI_Undefined;
}

GDALRasterAttributeTable *VoronoiBand::GetDefaultRAT() {
  if (what->kind != 0 || what->number != 0) return nullptr;
  if (!table_made) {
    GDALRasterAttributeTableH made = nullptr;
    table_made = VoronoiCall([&](gv_io *io) { return gv_on_demand_table(io, Dataset()->OnDemand(), &made); });
    table.reset(GDALRasterAttributeTable::FromHandle(made));
  }
  return table.get();
}

int VoronoiBand::GetOverviewCount() {
  return Dataset()->OverviewCount();
}

GDALRasterBand *VoronoiBand::GetOverview(int number) {
  VoronoiDataset *overview = Dataset()->Overview(number);
  return overview != nullptr ? overview->GetRasterBand(nBand) : nullptr;
}
