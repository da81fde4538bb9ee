/* Windows of rasters. */
#include "io/in/raster_in.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cpl_conv.h>

#include "io/format.h"
#include "io/in/input_limit.h"
#include "io/in/raster_crs.h"

enum {
  ROWS_AT_ONCE = 1 << 20, /* pixels */
  BYTES_A_COLUMN = 16,    /* of a worker's row: a value, its mask, and shares */
  BYTES_A_ROW = 64        /* sums and shares */
};

struct gv_raster_handle {
  GDALDatasetH dataset;
  pthread_mutex_t lock; /* of the reading worker */
};

/* The worker's own handle, or one shared with others; return it with give_back. */
static GDALDatasetH borrow(const gv_raster_in *raster, int worker) {
  gv_raster_handle *h = &raster->handle[worker % raster->handles];
  pthread_mutex_lock(&h->lock);
  return h->dataset;
}

static void raster_in_return_handle(const gv_raster_in *raster, int worker) {
  pthread_mutex_unlock(&raster->handle[worker % raster->handles].lock);
}

/* Number of handles: those of all rasters use at most half of the files that may be open. */
static int count_handles(gv_readers readers) {
  struct rlimit files;
  bool known = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY;
  rlim_t most = known ? files.rlim_cur / 2 / (rlim_t)readers.rasters : (rlim_t)readers.workers;
  return most < 1 ? 1 : most < (rlim_t)readers.workers ? (int)most : readers.workers;
}

int64_t gv_pixels_at_once(gv_readers readers, int64_t bytes_a_pixel, int64_t most) {
  enum { LEAST = 1 << 13 };
  int64_t pixels = readers.memory / ((int64_t)readers.workers * readers.rasters * bytes_a_pixel);
  return pixels < LEAST ? LEAST : pixels < most ? pixels : most;
}

/* The integers that a type holds; false for types of other numbers. */
static bool integer_range(GDALDataType type, double *least, double *most) {
  static const struct {
    GDALDataType type;
    double least, most;
  } ranges[] = {{GDT_Byte, 0.0, 255.0},
                {GDT_UInt16, 0.0, 65535.0},
                {GDT_Int16, -32768.0, 32767.0},
                {GDT_UInt32, 0.0, 4294967295.0},
                {GDT_Int32, -2147483648.0, 2147483647.0}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (ranges[i].type != type) continue;
    *least = ranges[i].least;
    *most = ranges[i].most;
    return true;
  }
  return false;
}

bool gv_has_signed_bytes(GDALRasterBandH band) {
  /* which warns of the item */
  if (GDALGetRasterDataType(band) != GDT_Byte || gv_gdal_is_from(3, 7)) return false;
  const char *type = GDALGetMetadataItem(band, "PIXELTYPE", "IMAGE_STRUCTURE");
  return type != NULL && EQUAL(type, "SIGNEDBYTE");
}

bool gv_signed_nodata(GDALRasterBandH band, double *nodata) {
  int has = 0;
  *nodata = GDALGetRasterNoDataValue(band, &has);
  if (has && *nodata >= 128.0) *nodata -= 256.0; /* written as the unsigned byte of the same bits */
  return has && *nodata == rint(*nodata) && *nodata >= -128.0 && *nodata <= 127.0;
}

/* Finds how invalid pixels are marked. */
static void find_validity(gv_raster_in *raster, GDALRasterBandH band) {
  int flags = GDALGetMaskFlags(band), has = 0;
  double least, most;
  raster->validity = (flags & GMF_ALL_VALID) != 0 ? GV_ALL_VALID : GV_BY_MASK;
  if (raster->signed_bytes && (flags == GMF_NODATA || raster->validity == GV_ALL_VALID)) {
    raster->validity = gv_signed_nodata(band, &raster->nodata) ? GV_BY_NODATA : GV_ALL_VALID;
  } else if (flags == GMF_NODATA && integer_range(GDALGetRasterDataType(band), &least, &most)) {
    /* GDAL would round a nodata value that the type does not hold. */
    double nodata = GDALGetRasterNoDataValue(band, &has);
    bool held = has && nodata == rint(nodata) && nodata >= least && nodata <= most;
    raster->validity = held ? GV_BY_MASK : GV_ALL_VALID;
  }
}

int64_t gv_raster_in_rows_at_once(const gv_raster_in *raster) {
  int w = 1, h = 1;
  GDALGetBlockSize(GDALGetRasterBand(raster->handle[0].dataset, raster->band), &w, &h);
  int64_t rows = ROWS_AT_ONCE / raster->width > 0 ? ROWS_AT_ONCE / raster->width : 1;
  if (rows > h) rows -= rows % h;
  if (rows < h && h * raster->width <= 4 * (int64_t)ROWS_AT_ONCE) rows = h;
  return rows < raster->height ? rows : raster->height;
}

gv_status gv_raster_band_fits(gv_io *io, const char *option, const char *path, GDALRasterBandH band,
                              int64_t rows, int64_t row_bytes) {
  int w = 1, h = 1;
  GDALGetBlockSize(band, &w, &h);
  const int64_t pixel = GDALGetDataTypeSizeBytes(GDALGetRasterDataType(band));
  GV_TRY(gv_input_fits(io, &(gv_input_data){option, path, "pixels of a block", (int64_t)w * h, pixel}));
  return gv_input_fits(io, &(gv_input_data){option, path, "rows", rows, row_bytes});
}

/* If the template declares no coordinate system, a raster without one is in the grid's, if its coordinates
 * are possible there. */
static gv_status use_crs_of_grid(gv_io *io, gv_raster_in *raster, const gv_raster_grid *grid) {
  double box[4];
  char name[256];
  bool swapped;
  if (grid == NULL || grid->crs == NULL || !grid->undeclared) return GV_OK;
  gv_box_of_raster(raster->geotransform, raster->width, raster->height, box);
  if (gv_crs_is_lonlat(grid->crs) != gv_fits_degrees(box)) return GV_OK;
  gv_crs_describe(grid->crs, name, sizeof name);
  gv_io_warn(GV_CODE_CRS_ASSUMED, 0, "%s: %s: missing coordinate system; that of the grid is assumed: %s",
             raster->option, raster->path, name);
  return gv_crs_copy(io, grid->crs, &raster->crs, &swapped);
}

static gv_status read_header(gv_io *io, gv_raster_in *raster, gv_readers readers) {
  GDALDatasetH dataset = raster->handle[0].dataset;
  GV_REQUIRE(io, GDALGetRasterCount(dataset) != 0, "%s: %s: missing bands", raster->option, raster->path);
  GV_REQUIRE(io, raster->band <= GDALGetRasterCount(dataset),
             "%s-band: %s has %d bands; band %d does not exist", raster->option, raster->path,
             GDALGetRasterCount(dataset), raster->band);
  GDALRasterBandH band = GDALGetRasterBand(dataset, raster->band);
  GV_REQUIRE(io, !GDALDataTypeIsComplex(GDALGetRasterDataType(band)),
             "%s: %s: unsupported type: complex numbers; expected integers or real numbers", raster->option,
             raster->path);
  raster->width = GDALGetRasterXSize(dataset);
  raster->height = GDALGetRasterYSize(dataset);
  GV_TRY(
      gv_raster_band_fits(io, raster->option, raster->path, band, readers.workers,
                          raster->width * BYTES_A_COLUMN + raster->height * BYTES_A_ROW / readers.workers));
  GV_REQUIRE(io, GDALGetGeoTransform(dataset, raster->geotransform) == CE_None, "%s: %s: %s", raster->option,
             raster->path, gv_reason_of_no_geotransform(dataset));
  bool finite = true;
  for (int i = 0; i < 6; i++)
    finite = finite && isfinite(raster->geotransform[i]);
  GV_REQUIRE(io, finite && GDALInvGeoTransform(raster->geotransform, raster->inverse),
             "%s: %s: invalid geotransform; the area of its cells is 0", raster->option, raster->path);
  int has = 0;
  raster->scale = GDALGetRasterScale(band, &has);
  if (!has) raster->scale = 1.0;
  raster->offset = GDALGetRasterOffset(band, &has);
  if (!has) raster->offset = 0.0;
  raster->bytes = GDALGetRasterDataType(band) == GDT_Byte && raster->scale == 1.0 && raster->offset == 0.0;
  raster->signed_bytes = gv_has_signed_bytes(band);
  find_validity(raster, band);
  gv_status status = gv_crs_of_raster(io, raster->path, dataset, &raster->crs);
  if (status == GV_OK && raster->crs == NULL) status = use_crs_of_grid(io, raster, readers.grid);
  if (status != GV_OK || raster->crs == NULL) return status;
  raster->lonlat = gv_crs_is_lonlat(raster->crs);
  if (!OSRIsGeographic(raster->crs)) return GV_OK;
  /* Longitudes of a rotated pole turn as well. */
  raster->turn = 360.0 / gv_crs_unit_degrees(raster->crs);
  char name[1024];
  snprintf(name, sizeof name, "%s: %s", raster->option, raster->path);
  return gv_check_longitudes(io, name, raster->geotransform, raster->width, raster->height, raster->turn);
}

gv_status gv_raster_in_open(gv_io *io, const char *option, gv_raster_source source, gv_readers readers,
                            gv_raster_in *out) {
  const char *path = source.path;
  memset(out, 0, sizeof *out);
  out->option = option;
  out->band = source.band > 0 ? source.band : 1;
  out->path = strdup(path);
  int handles = count_handles(readers);
  out->handle = calloc((size_t)handles, sizeof *out->handle);
  if (out->path == NULL || out->handle == NULL) return gv_io_fail_memory(io, "an input raster");
  for (; out->handles < handles; out->handles++) {
    gv_raster_handle *h = &out->handle[out->handles];
    gv_gdal_reset();
    h->dataset = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL,
                            (const char *const *)source.open_options, NULL);
    if (h->dataset == NULL) {
      return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s as a raster", option, path);
    }
    pthread_mutex_init(&h->lock, NULL);
    if (gv_gdal_lost()) {
      out->handles++;
      return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s", option, path);
    }
  }
  return read_header(io, out, readers);
}

void gv_raster_in_close(gv_raster_in *raster) {
  for (int i = 0; i < raster->handles; i++) {
    GDALClose(raster->handle[i].dataset);
    pthread_mutex_destroy(&raster->handle[i].lock);
  }
  if (raster->crs != NULL) OSRRelease(raster->crs);
  free(raster->handle);
  free(raster->path);
  memset(raster, 0, sizeof *raster);
}

gv_status gv_check_alignable(gv_io *io, const char *option, const char *path, OGRSpatialReferenceH crs,
                             const gv_raster_grid *grid) {
  if ((crs == NULL) == (grid->crs == NULL)) return GV_OK;
  char name[256];
  gv_crs_describe(crs != NULL ? crs : grid->crs, name, sizeof name);
  if (crs == NULL) {
    return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                         "%s: %s: missing coordinate system; the grid is in %s; assign one in a copy: "
                         "gdal_translate -a_srs, or ogr2ogr -a_srs for layers",
                         option, path, name);
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: %s is in %s, but the grid has no coordinate system; use --seeds-crs", option, path,
                    name);
}

bool gv_grid_in_crs(const gv_raster_grid *grid, OGRSpatialReferenceH crs) {
  return grid->crs == NULL || crs == NULL || gv_crs_same(grid->crs, crs);
}

/* The status of a call that has read pixels. */
static gv_status have_read(gv_io *io, const gv_raster_in *raster, CPLErr error) {
  if (error == CE_None) return GV_OK;
  return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s", raster->option, raster->path);
}

static gv_status read_mask(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w,
                           int64_t h, uint8_t *valid) {
  GDALRasterBandH mask = GDALGetMaskBand(GDALGetRasterBand(borrow(raster, worker), raster->band));
  CPLErr error =
      GDALRasterIO(mask, GF_Read, (int)x, (int)y, (int)w, (int)h, valid, (int)w, (int)h, GDT_Byte, 0, 0);
  raster_in_return_handle(raster, worker);
  return have_read(io, raster, error);
}

/* Stored numbers, as GDAL turns them into `type`. */
static gv_status read_band(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w,
                           int64_t h, GDALDataType type, void *out) {
  GDALRasterBandH band = GDALGetRasterBand(borrow(raster, worker), raster->band);
  CPLErr error = GDALRasterIO(band, GF_Read, (int)x, (int)y, (int)w, (int)h, out, (int)w, (int)h, type, 0, 0);
  raster_in_return_handle(raster, worker);
  return have_read(io, raster, error);
}

/* Converts stored numbers to values, except nodata. */
static void scale_values(const gv_raster_in *raster, int64_t n, double *values) {
  if (raster->scale == 1.0 && raster->offset == 0.0) return;
  for (int64_t i = 0; i < n; i++)
    values[i] = values[i] * raster->scale + raster->offset;
}

gv_status gv_raster_in_valid(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y,
                             int64_t w, int64_t h, double *values, uint8_t *valid) {
  GV_TRY(read_band(io, raster, worker, x, y, w, h, GDT_Float64, values));
  for (int64_t i = 0; i < w * h && raster->signed_bytes; i++) {
    if (values[i] >= 128.0) values[i] -= 256.0;
    if (raster->validity == GV_BY_NODATA && values[i] == raster->nodata) values[i] = (double)NAN;
  }
  scale_values(raster, w * h, values);
  if (raster->validity == GV_BY_MASK) {
    GV_TRY(read_mask(io, raster, worker, x, y, w, h, valid));
    for (int64_t i = 0; i < w * h; i++) {
      if (valid[i] == 0) values[i] = (double)NAN;
    }
  }
  return GV_OK;
}

gv_status gv_raster_in_values(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y,
                              int64_t w, int64_t h, double *values, uint8_t *valid) {
  GV_TRY(gv_raster_in_valid(io, raster, worker, x, y, w, h, values, valid));
  for (int64_t i = 0; i < w * h; i++) {
    if (isnan(values[i])) values[i] = 0.0;
  }
  return GV_OK;
}

gv_status gv_raster_in_nonzero(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y,
                               int64_t w, int64_t h, uint8_t *out, double *values, uint8_t *valid) {
  gv_status status;
  if (!raster->bytes || raster->validity != GV_ALL_VALID) {
    status = gv_raster_in_values(io, raster, worker, x, y, w, h, values, valid);
    for (int64_t i = 0; i < w * h && status == GV_OK; i++)
      out[i] = values[i] != 0.0;
    return status;
  }
  status = read_band(io, raster, worker, x, y, w, h, GDT_Byte, out);
  for (int64_t i = 0; i < w * h && status == GV_OK; i++)
    out[i] = out[i] != 0;
  return status;
}
