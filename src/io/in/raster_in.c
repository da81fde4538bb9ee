/* Windows of rasters. */
#include "io/in/raster_in.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cpl_conv.h>

#include "io/in/raster_crs.h"

enum {
  ROWS_AT_ONCE = 1 << 20,  /* pixels of a window of whole rows */
  LARGEST_BLOCK = 1 << 23, /* pixels; larger ones are not for keeping in the processor's cache */
  KEPT_PANEL = 256         /* columns whose kept values lie together */
};

struct gv_raster_handle {
  GDALDatasetH dataset;
  pthread_mutex_t lock; /* of whoever reads */
};

/* The worker's own, or shared with others; to be given back. */
static GDALDatasetH borrow(const gv_raster_in *raster, int worker) {
  gv_raster_handle *h = &raster->handle[worker % raster->handles];
  pthread_mutex_lock(&h->lock);
  return h->dataset;
}

static void give_back(const gv_raster_in *raster, int worker) {
  pthread_mutex_unlock(&raster->handle[worker % raster->handles].lock);
}

/* Handles for all rasters take half of the files that may be open, at most. */
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
  if (GDALGetRasterDataType(band) != GDT_Byte) return false;
  const char *type = GDALGetMetadataItem(band, "PIXELTYPE", "IMAGE_STRUCTURE");
  return type != NULL && EQUAL(type, "SIGNEDBYTE");
}

bool gv_signed_nodata(GDALRasterBandH band, double *nodata) {
  int has = 0;
  *nodata = GDALGetRasterNoDataValue(band, &has);
  if (has && *nodata >= 128.0) *nodata -= 256.0; /* written as the unsigned byte of the same bits */
  return has && *nodata == rint(*nodata) && *nodata >= -128.0 && *nodata <= 127.0;
}

/* How invalid pixels are told. Of integers nodata is one of them, or GDAL decides what it means. */
static void find_validity(gv_raster_in *raster, GDALRasterBandH band, GDALDataType type) {
  int flags = GDALGetMaskFlags(band), has = 0;
  double least, most;
  raster->validity = (flags & GMF_ALL_VALID) != 0 ? GV_ALL_VALID : GV_BY_MASK;
  if (raster->signed_bytes && (flags == GMF_NODATA || raster->validity == GV_ALL_VALID)) {
    raster->validity = gv_signed_nodata(band, &raster->nodata) ? GV_BY_NODATA : GV_ALL_VALID;
    return;
  }
  if (flags != GMF_NODATA) return;
  bool integer = integer_range(type, &least, &most);
  if (!integer && type != GDT_Float32 && type != GDT_Float64) return;
  raster->nodata = GDALGetRasterNoDataValue(band, &has);
  if (type == GDT_Float32) raster->nodata = (double)(float)raster->nodata;
  if (integer) { /* GDAL would round a nodata value that the type does not hold */
    bool held = raster->nodata == rint(raster->nodata) && raster->nodata >= least && raster->nodata <= most;
    raster->validity = has && held ? GV_BY_NODATA : GV_ALL_VALID;
  } else if (has && isnan(raster->nodata)) {
    raster->validity = GV_ALL_VALID; /* NaN is no value in any case */
  } else if (has && !isinf(raster->nodata)) {
    raster->validity = GV_BY_NODATA;
  }
}

int64_t gv_raster_in_rows_at_once(const gv_raster_in *raster) {
  int w = 1, h = 1;
  GDALGetBlockSize(GDALGetRasterBand(raster->handle[0].dataset, 1), &w, &h);
  int64_t rows = ROWS_AT_ONCE / raster->width > 0 ? ROWS_AT_ONCE / raster->width : 1;
  if (rows > h) rows -= rows % h;
  if (rows < h && h * raster->width <= 4 * (int64_t)ROWS_AT_ONCE) rows = h;
  return rows < raster->height ? rows : raster->height;
}

/* Windows of the walk. */
static void find_windows(gv_raster_in *raster, GDALRasterBandH band, GDALDataType type) {
  int w = 1, h = 1;
  GDALGetBlockSize(band, &w, &h);
  bool known = type == GDT_Byte || type == GDT_UInt16 || type == GDT_Int16 || type == GDT_UInt32 ||
               type == GDT_Int32 || type == GDT_Float32 || type == GDT_Float64;
  bool local = strncmp(raster->path, "/vsi", 4) != 0;
  bool tiff = EQUAL(GDALGetDriverShortName(GDALGetDatasetDriver(raster->handle[0].dataset)), "GTiff");
  raster->blocks = known && !raster->signed_bytes && local && tiff && raster->validity != GV_BY_MASK &&
                   (int64_t)w * h <= LARGEST_BLOCK && (w == raster->width || w % GV_WINDOW_STEP == 0);
  raster->type = raster->blocks ? type : GDT_Float64;
  raster->window_w = raster->blocks ? w : raster->width;
  raster->window_h = raster->blocks ? h : gv_raster_in_rows_at_once(raster);
}

/* Where the template declares no coordinate system, a raster without one is in the grid's as well, if its coordinates can be. */
static gv_status take_crs_of_grid(gv_io *io, gv_raster_in *raster, const gv_raster_grid *grid) {
  double box[4];
  char name[256];
  bool swapped;
  if (grid == NULL || grid->crs == NULL || !grid->undeclared) return GV_OK;
  gv_box_of_raster(raster->geotransform, raster->width, raster->height, box);
  if (gv_crs_is_lonlat(grid->crs) != gv_fits_degrees(box)) return GV_OK;
  gv_crs_describe(grid->crs, name, sizeof name);
  gv_io_warn(GV_CODE_CRS_ASSUMED, 0, "%s: %s: no coordinate system is declared; it counts as the grid's, %s",
             raster->option, raster->path, name);
  return gv_crs_copy(io, grid->crs, &raster->crs, &swapped);
}

static gv_status read_header(gv_io *io, gv_raster_in *raster, const gv_raster_grid *grid) {
  GDALDatasetH dataset = raster->handle[0].dataset;
  if (GDALGetRasterCount(dataset) == 0) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s has no bands", raster->option, raster->path);
  }
  GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
  raster->width = GDALGetRasterXSize(dataset);
  raster->height = GDALGetRasterYSize(dataset);
  if (GDALGetGeoTransform(dataset, raster->geotransform) != CE_None) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s %s", raster->option, raster->path,
                      gv_lack_of_geotransform(dataset));
  }
  bool finite = true;
  for (int i = 0; i < 6; i++)
    finite = finite && isfinite(raster->geotransform[i]);
  if (!finite || !GDALInvGeoTransform(raster->geotransform, raster->inverse)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: the geotransform of %s is degenerate", raster->option,
                      raster->path);
  }
  int has = 0;
  raster->scale = GDALGetRasterScale(band, &has);
  if (!has) raster->scale = 1.0;
  raster->offset = GDALGetRasterOffset(band, &has);
  if (!has) raster->offset = 0.0;
  raster->bytes = GDALGetRasterDataType(band) == GDT_Byte && raster->scale == 1.0 && raster->offset == 0.0;
  raster->signed_bytes = gv_has_signed_bytes(band);
  find_validity(raster, band, GDALGetRasterDataType(band));
  find_windows(raster, band, GDALGetRasterDataType(band));
  gv_status status = gv_crs_of_raster(io, raster->path, dataset, &raster->crs);
  if (status == GV_OK && raster->crs == NULL) status = take_crs_of_grid(io, raster, grid);
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
  return read_header(io, out, readers.grid);
}

void gv_raster_in_close(gv_raster_in *raster) {
  for (int i = 0; i < raster->handles; i++) {
    GDALClose(raster->handle[i].dataset);
    pthread_mutex_destroy(&raster->handle[i].lock);
  }
  if (raster->crs != NULL) OSRRelease(raster->crs);
  free(raster->handle);
  free(raster->path);
  free(raster->kept.floats);
  free(raster->kept.doubles);
  free(raster->kept.some);
  memset(raster, 0, sizeof *raster);
}

gv_status gv_check_alignable(gv_io *io, const char *option, const char *path, OGRSpatialReferenceH crs,
                             const gv_raster_grid *grid) {
  if ((crs == NULL) == (grid->crs == NULL)) return GV_OK;
  char name[256];
  gv_crs_describe(crs != NULL ? crs : grid->crs, name, sizeof name);
  if (crs == NULL) {
    return gv_io_fail_as(
        io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
        "%s: %s has no coordinate system, the grid is in %s; assign it in a copy: gdal_translate -a_srs, of layers "
        "ogr2ogr -a_srs",
        option, path, name);
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: %s is in %s, the grid has no coordinate system; give --seeds-crs", option, path, name);
}

bool gv_grid_in_crs(const gv_raster_grid *grid, OGRSpatialReferenceH crs) {
  return grid->crs == NULL || crs == NULL || gv_crs_same(grid->crs, crs);
}

/* What a call that has read pixels comes to. */
static gv_status have_read(gv_io *io, const gv_raster_in *raster, CPLErr error) {
  if (error == CE_None) return GV_OK;
  return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s", raster->option, raster->path);
}

static gv_status read_mask(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w,
                           int64_t h, uint8_t *valid) {
  GDALRasterBandH mask = GDALGetMaskBand(GDALGetRasterBand(borrow(raster, worker), 1));
  CPLErr error = GDALRasterIO(mask, GF_Read, (int)x, (int)y, (int)w, (int)h, valid, (int)w, (int)h, GDT_Byte, 0, 0);
  give_back(raster, worker);
  return have_read(io, raster, error);
}

/* Stored numbers, as GDAL turns them into `type`. */
static gv_status read_band(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w,
                           int64_t h, GDALDataType type, void *out) {
  GDALRasterBandH band = GDALGetRasterBand(borrow(raster, worker), 1);
  CPLErr error = GDALRasterIO(band, GF_Read, (int)x, (int)y, (int)w, (int)h, out, (int)w, (int)h, type, 0, 0);
  give_back(raster, worker);
  return have_read(io, raster, error);
}

/* Stored numbers to values, but for nodata. */
static void scale_values(const gv_raster_in *raster, int64_t n, double *values) {
  if (raster->scale == 1.0 && raster->offset == 0.0) return;
  for (int64_t i = 0; i < n; i++)
    values[i] = values[i] * raster->scale + raster->offset;
}

static gv_status read_values(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w,
                             int64_t h, double *values, uint8_t *valid) {
  GV_TRY(read_band(io, raster, worker, x, y, w, h, GDT_Float64, values));
  bool by_mask = raster->validity == GV_BY_MASK || (raster->validity == GV_BY_NODATA && !raster->signed_bytes);
  for (int64_t i = 0; i < w * h && raster->signed_bytes; i++) {
    if (values[i] >= 128.0) values[i] -= 256.0;
    if (raster->validity == GV_BY_NODATA && values[i] == raster->nodata) values[i] = (double)NAN;
  }
  scale_values(raster, w * h, values);
  if (by_mask) {
    GV_TRY(read_mask(io, raster, worker, x, y, w, h, valid));
    for (int64_t i = 0; i < w * h; i++) {
      if (valid[i] == 0) values[i] = 0.0;
    }
  }
  for (int64_t i = 0; i < w * h; i++) {
    if (isnan(values[i])) values[i] = 0.0;
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------- kept values */

void gv_raster_in_keep(gv_raster_in *raster, int64_t x, int64_t y, int64_t w, int64_t h, int64_t *bytes) {
  gv_kept_values *kept = &raster->kept;
  GDALDataType type = GDALGetRasterDataType(GDALGetRasterBand(raster->handle[0].dataset, 1));
  bool narrow = (type == GDT_Byte || type == GDT_UInt16 || type == GDT_Int16 || type == GDT_Float32) &&
                raster->scale == 1.0 && raster->offset == 0.0;
  if (w <= 0 || h <= 0) return;
  int64_t panels = (w + KEPT_PANEL - 1) / KEPT_PANEL;
  int64_t row = panels * KEPT_PANEL * (int64_t)(narrow ? sizeof(float) : sizeof(double));
  if (h > *bytes / row) h = *bytes / row;
  if (h == 0) return;
  void *values = calloc((size_t)h, (size_t)row);
  kept->some = calloc((size_t)h, (size_t)panels);
  if (values == NULL || kept->some == NULL) {
    free(values);
    return;
  }
  if (narrow) {
    kept->floats = values;
  } else {
    kept->doubles = values;
  }
  *bytes -= h * row;
  kept->x = x;
  kept->y = y;
  kept->w = w;
  kept->h = h;
}

/* Where the kept values of row y begin in the panel that has the column c of the window; counted in panels' rows. */
static int64_t kept_row(const gv_kept_values *kept, int64_t c, int64_t y) {
  return c / KEPT_PANEL * kept->h + (y - kept->y);
}

/* How many columns from column c on are in one panel, up to column `end`. */
static int64_t in_panel(int64_t c, int64_t end) {
  int64_t n = KEPT_PANEL - c % KEPT_PANEL;
  return n < end - c ? n : end - c;
}

void gv_raster_in_store(const gv_raster_in *raster, int64_t x, int64_t y, int64_t w, const double *values) {
  const gv_kept_values *kept = &raster->kept;
  if (y < kept->y || y >= kept->y + kept->h) return;
  int64_t begin = x > kept->x ? x - kept->x : 0, end = x + w - kept->x < kept->w ? x + w - kept->x : kept->w, n;
  for (int64_t c = begin; c < end; c += n) {
    n = in_panel(c, end);
    const double *from = values + (kept->x + c - x);
    int64_t row = kept_row(kept, c, y), at = row * KEPT_PANEL + c % KEPT_PANEL;
    int64_t empty = 0;
    while (empty < n && from[empty] == 0.0)
      empty++;
    if (empty == n) continue;
    kept->some[row] = 1;
    if (kept->doubles != NULL) memcpy(kept->doubles + at, from, (size_t)n * sizeof *from);
    for (int64_t i = 0; i < n && kept->floats != NULL; i++)
      kept->floats[at + i] = (float)from[i];
  }
}

static void copy_row(const gv_kept_values *kept, int64_t row, int64_t column, int64_t n, double *to) {
  int64_t at = row * KEPT_PANEL + column;
  if (!kept->some[row]) {
    memset(to, 0, (size_t)n * sizeof *to);
  } else if (kept->doubles != NULL) {
    memcpy(to, kept->doubles + at, (size_t)n * sizeof *to);
  } else {
    for (int64_t i = 0; i < n; i++)
      to[i] = (double)kept->floats[at + i];
  }
}

/* How many of the first rows of a window are kept. */
static int64_t kept_rows(const gv_kept_values *kept, int64_t x, int64_t y, int64_t w, int64_t h) {
  int64_t rows = kept->y + kept->h - y < h ? kept->y + kept->h - y : h;
  bool inside = kept->complete && x >= kept->x && x + w <= kept->x + kept->w && y >= kept->y;
  return inside && rows > 0 ? rows : 0;
}

bool gv_raster_in_is_empty(const gv_raster_in *raster, int64_t x, int64_t y, int64_t w, int64_t h) {
  const gv_kept_values *kept = &raster->kept;
  bool empty = kept_rows(kept, x, y, w, h) == h;
  int64_t begin = x - kept->x;
  for (int64_t c = begin; c < begin + w && empty; c += in_panel(c, begin + w)) {
    const uint8_t *some = kept->some + kept_row(kept, c, y);
    empty = memchr(some, 1, (size_t)h) == NULL;
  }
  return empty;
}

/* Copies the first rows of a window as far as they are kept; returns how many. */
static int64_t copy_kept(const gv_raster_in *raster, int64_t x, int64_t y, int64_t w, int64_t h, double *values) {
  const gv_kept_values *kept = &raster->kept;
  int64_t rows = kept_rows(kept, x, y, w, h), begin = x - kept->x, n;
  for (int64_t c = begin; c < begin + w && rows > 0; c += n) {
    n = in_panel(c, begin + w);
    for (int64_t r = 0; r < rows; r++)
      copy_row(kept, kept_row(kept, c, y + r), c % KEPT_PANEL, n, values + r * w + (c - begin));
  }
  return rows;
}

gv_status gv_raster_in_values(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w,
                              int64_t h, double *values, uint8_t *valid) {
  int64_t kept = copy_kept(raster, x, y, w, h, values);
  if (kept == h) return GV_OK;
  return read_values(io, raster, worker, x, y + kept, w, h - kept, values + kept * w, valid);
}

/* ----------------------------------------------------------------------------------------------------- windows */

gv_status gv_raster_window_make(gv_io *io, const gv_raster_in *raster, gv_raster_window *window) {
  size_t pixels = (size_t)(raster->window_w * raster->window_h);
  *window = (gv_raster_window){.x = 0};
  window->pixels = malloc(pixels * (size_t)GDALGetDataTypeSizeBytes(raster->type));
  window->valid = malloc(pixels);
  return window->pixels != NULL && window->valid != NULL ? GV_OK : gv_io_fail_memory(io, "an input raster");
}

void gv_raster_window_free(gv_raster_window *window) {
  free(window->pixels);
  free(window->valid);
}

gv_status gv_raster_window_read(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y,
                                gv_raster_window *window) {
  window->x = x;
  window->y = y;
  window->w = raster->width - x < raster->window_w ? raster->width - x : raster->window_w;
  window->h = raster->height - y < raster->window_h ? raster->height - y : raster->window_h;
  window->masked = false;
  if (!raster->blocks)
    return read_values(io, raster, worker, x, y, window->w, window->h, window->pixels, window->valid);
  int column = (int)(x / raster->window_w), row = (int)(y / raster->window_h);
  GDALRasterBandH band = GDALGetRasterBand(borrow(raster, worker), 1);
  CPLErr error = GDALReadBlock(band, column, row, window->pixels);
  give_back(raster, worker);
  return have_read(io, raster, error);
}

/* Numbers as they are stored. */
static void unpack(const gv_raster_in *raster, const gv_raster_window *window, int64_t row, double *values) {
  int size = GDALGetDataTypeSizeBytes(raster->type);
  if (raster->type != GDT_Float32) {
    GDALCopyWords64((const char *)window->pixels + row * raster->window_w * size, raster->type, size, values,
                    GDT_Float64, sizeof *values, (GPtrDiff_t)window->w);
    return;
  }
  const float *from = (const float *)window->pixels + row * raster->window_w;
  for (int64_t i = 0; i < window->w; i++)
    values[i] = (double)from[i];
}

/* Makes NaN of what equals nodata. True if there are values that GDAL may take for nodata too, as it allows for rounding: all
 * others of nodata's sign are looked at as such. */
static bool drop_nodata(double nodata, int64_t n, double *values) {
  bool doubt = false;
  for (int64_t i = 0; i < n; i++) {
    double v = values[i];
    doubt |= (v * nodata > 0.0) & (v != nodata);
    values[i] = v == nodata ? (double)NAN : v;
  }
  return doubt;
}

gv_status gv_raster_window_row(gv_io *io, const gv_raster_in *raster, int worker, gv_raster_window *window,
                               int64_t row, double *room, const double **out) {
  int64_t w = window->w;
  gv_status status = GV_OK;
  *out = raster->blocks ? room : (const double *)window->pixels + row * w;
  if (!raster->blocks) return GV_OK;
  unpack(raster, window, row, room);
  if (raster->validity == GV_BY_NODATA && drop_nodata(raster->nodata, w, room) &&
      (raster->type == GDT_Float32 || raster->type == GDT_Float64)) {
    if (!window->masked) status = read_mask(io, raster, worker, window->x, window->y, w, window->h, window->valid);
    if (status != GV_OK) return status;
    window->masked = true;
    for (int64_t i = 0; i < w; i++) {
      if (window->valid[row * w + i] == 0) room[i] = (double)NAN;
    }
  }
  scale_values(raster, w, room);
  for (int64_t i = 0; i < w; i++)
    room[i] = isnan(room[i]) ? 0.0 : room[i];
  return GV_OK;
}

gv_status gv_raster_in_nonzero(gv_io *io, const gv_raster_in *raster, int worker, int64_t x, int64_t y, int64_t w,
                               int64_t h, uint8_t *out, double *values, uint8_t *valid) {
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
