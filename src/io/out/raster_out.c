/*
 * Rasters out. Three ways, by what the driver can do:
 *   tiles    Create, blocks of a useful shape: whole tiles in file order. Those of GeoTIFF are encoded by the threads
 *            that compute them and go past GDAL (io/out/tiff_tiles.h), others by GDALWriteBlock past GDAL's block cache
 *   strips   Create, blocks of whole rows: bands of rows by GDALRasterIO
 *   copies   CreateCopy only (COG, AAIGrid ...): a GeoTIFF beside the output, copied at the end
 * Whole tiles in file order are what makes writing cheap: rows cost GDAL up to ten times as much.
 */
#include "io/out/raster_out.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/out/overviews.h"
#include "io/out/tiff_tiles.h"
#include "io/path.h"

#define SOURCE_NAME ".gpuvoronoi-source.tif"

enum { TILE = 512, MAX_BUFFER_BYTES = 64 << 20, MAX_RING_BYTES = 256 << 20 };

struct gv_raster_out {
  gv_place place;
  char *work; /* the file that blocks are written to */
  bool copies;
  int threads;
  GDALDriverH driver;
  char **options;      /* creation options, defaults included */
  char **used_options; /* what the dataset being written was made with */
  GDALDatasetH dataset;
  bool sparse;   /* made without tiles, for them to be added past GDAL */
  gv_tiff *tiff; /* the file while tiles are being added; the dataset is closed meanwhile */
  GDALDataType type;
  int bands;
  int64_t nodata; /* of integers; reals have NaN */
  int64_t width, height;
  const gv_attribute_table *table; /* NULL = none */
  int64_t sample;                  /* the row of it that GDAL has, the others to follow; -1 = GDAL has all */
};

/* --------------------------------------------------------------------------------------------------- planning */

static bool has_capability(GDALDriverH driver, const char *item) {
  const char *value = GDALGetMetadataItem(driver, item, NULL);
  return value != NULL && CPLTestBool(value);
}

static bool writes_rasters(GDALDriverH driver) {
  return has_capability(driver, GDAL_DCAP_RASTER) &&
         (has_capability(driver, GDAL_DCAP_CREATE) || has_capability(driver, GDAL_DCAP_CREATECOPY));
}

static bool driver_has_extension(GDALDriverH driver, const char *extension) {
  const char *list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
  if (list == NULL) list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSION, NULL);
  char **names = CSLTokenizeString2(list != NULL ? list : "", " ", 0);
  bool found = CSLFindString(names, extension) >= 0;
  CSLDestroy(names);
  return found;
}

static gv_status choose_driver(gv_io *io, const gv_raster_options *options, GDALDriverH *out) {
  if (options->driver != NULL) {
    GDALDriverH driver = GDALGetDriverByName(options->driver);
    if (driver == NULL) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--of: unknown driver '%s'; gdalinfo --formats lists them",
                        options->driver);
    }
    if (!writes_rasters(driver)) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--of: the driver %s cannot write rasters",
                        GDALGetDriverShortName(driver));
    }
    *out = driver;
    return GV_OK;
  }
  const char *extension = CPLGetExtension(options->path);
  GDALDriverH found = NULL;
  char several[256] = "";
  int count = 0;
  if (EQUAL(extension, "tif") || EQUAL(extension, "tiff")) {
    *out = GDALGetDriverByName("GTiff");
    return GV_OK;
  }
  for (int i = 0; extension[0] != '\0' && i < GDALGetDriverCount(); i++) {
    GDALDriverH driver = GDALGetDriver(i);
    if (!writes_rasters(driver) || !driver_has_extension(driver, extension)) continue;
    size_t length = strlen(several);
    snprintf(several + length, sizeof several - length, "%s%s", count > 0 ? ", " : "",
             GDALGetDriverShortName(driver));
    if (count++ == 0) found = driver;
  }
  if (count == 1) {
    *out = found;
    return GV_OK;
  }
  if (count > 1) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: several drivers write '.%s' files: choose one with --of: %s", options->option, extension,
                      several);
  }
  return gv_io_fail(
      io, GV_ERROR_INVALID_ARGUMENT,
      "%s: no driver is known for '%s': name one with --of, or use .tif; gdalinfo --formats lists them",
      options->option, options->path);
}

static bool given(char **options, const char *key) {
  return CSLFetchNameValue(options, key) != NULL;
}

static bool offers(GDALDriverH driver, const char *key, const char *value) {
  const char *list = GDALGetMetadataItem(driver, GDAL_DMD_CREATIONOPTIONLIST, NULL);
  if (list == NULL || strstr(list, CPLSPrintf("name='%s'", key)) == NULL) {
    if (list == NULL || strstr(list, CPLSPrintf("name=\"%s\"", key)) == NULL) return false;
  }
  return value == NULL || strstr(list, CPLSPrintf("<Value>%s</Value>", value)) != NULL;
}

static void set_default(gv_raster_out *raster, char **user, const char *key, const char *value) {
  if (!given(user, key) && offers(raster->driver, key, NULL)) {
    raster->options = CSLSetNameValue(raster->options, key, value);
  }
}

/* The side of a tile: smaller ones where every cell has many values, so that a block of all bands stays in a processor's
 * second cache. */
static const char *tile_side(int64_t cell_bytes) {
  return cell_bytes <= 8 ? "512" : cell_bytes <= 256 ? "256" : "128";
}

/* The defaults of the GeoTIFF drivers, each replaced by the user's value; the rest of GDAL keeps its own. */
static void set_defaults(gv_raster_out *raster, char **user, int64_t cell_bytes) {
  bool gtiff = EQUAL(GDALGetDriverShortName(raster->driver), "GTiff");
  bool cog = EQUAL(GDALGetDriverShortName(raster->driver), "COG");
  if (!gtiff && !cog) return;
  const char *compression = CSLFetchNameValue(user, "COMPRESS");
  if (compression == NULL) {
    compression = offers(raster->driver, "COMPRESS", "ZSTD") ? "ZSTD" : "DEFLATE";
    set_default(raster, user, "COMPRESS", compression);
  }
  if (gtiff) {
    const char *tiled = CSLFetchNameValue(user, "TILED");
    if (tiled == NULL || CPLTestBool(tiled)) {
      set_default(raster, user, "TILED", "YES");
      set_default(raster, user, "BLOCKXSIZE", tile_side(cell_bytes));
      set_default(raster, user, "BLOCKYSIZE", tile_side(cell_bytes));
    }
    if (EQUAL(compression, "ZSTD")) set_default(raster, user, "ZSTD_LEVEL", "1");
    if (EQUAL(compression, "DEFLATE")) set_default(raster, user, "ZLEVEL", "1");
  } else {
    bool zstd_or_deflate = EQUAL(compression, "ZSTD") || EQUAL(compression, "DEFLATE");
    if (zstd_or_deflate) set_default(raster, user, "LEVEL", "1");
    /* An average of ids is no id. */
    if (!given(user, "RESAMPLING")) {
      set_default(raster, user, "OVERVIEW_RESAMPLING", "NEAREST");
      set_default(raster, user, "WARP_RESAMPLING", "NEAREST");
    }
  }
  if (!EQUAL(compression, "NONE")) {
    set_default(raster, user, "NUM_THREADS", CPLSPrintf("%d", raster->threads > 1 ? raster->threads : 1));
  }
  set_default(raster, user, "BIGTIFF", "IF_SAFER");
}

static gv_status check_creation_options(gv_io *io, gv_raster_out *raster, char **user) {
  for (char **option = user; option != NULL && *option != NULL; option++) {
    char *key = NULL;
    const char *value = CPLParseNameValue(*option, &key);
    bool resampling = key != NULL && strcasestr(key, "RESAMPLING") != NULL;
    bool well_formed = key != NULL && value != NULL;
    bool fine = !resampling || EQUAL(value, "NEAREST") || EQUAL(value, "MODE");
    CPLFree(key);
    if (!well_formed) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co: '%s' is not of the form NAME=VALUE", *option);
    }
    if (!fine) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co %s: ids can only be resampled by NEAREST or MODE",
                        *option);
    }
  }
  gv_io_drop_warnings();
  gv_gdal_reset();
  if (GDALValidateCreationOptions(raster->driver, (CSLConstList)user)) return GV_OK;
  char why[512] = "";
  if (!gv_io_next_warning(why, sizeof why)) snprintf(why, sizeof why, "not accepted by the driver");
  gv_io_drop_warnings();
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--co: %s", why);
}

gv_status gv_raster_plan(gv_io *io, const gv_raster_options *options, gv_raster_out **out) {
  gv_raster_out *raster = calloc(1, sizeof *raster);
  if (raster == NULL) return gv_io_fail_memory(io, "the output");
  raster->threads = options->threads;
  gv_status status = choose_driver(io, options, &raster->driver);
  if (status == GV_OK) status = check_creation_options(io, raster, options->creation_options);
  gv_place_options place = {options->option, options->path, raster->driver, NULL, options->overwrite};
  if (status == GV_OK) status = gv_place_plan(io, &raster->place, &place);
  if (status != GV_OK) {
    gv_raster_close(raster);
    return status;
  }
  raster->copies = !has_capability(raster->driver, GDAL_DCAP_CREATE);
  raster->options = CSLDuplicate(options->creation_options);
  set_defaults(raster, options->creation_options, options->cell_bytes);
  *out = raster;
  return GV_OK;
}

bool gv_raster_copies(const gv_raster_out *raster) {
  return raster->copies;
}

/* --------------------------------------------------------------------------------------------------- creating */

static gv_status check_type(gv_io *io, const gv_raster_out *raster) {
  const char *types = GDALGetMetadataItem(raster->driver, GDAL_DMD_CREATIONDATATYPES, NULL);
  const char *name = GDALGetDataTypeName(raster->type);
  bool gtiff =
      EQUAL(GDALGetDriverShortName(raster->driver), "GTiff"); /* holds Int64 since 3.5, without saying so */
  if (types == NULL || gtiff) return GV_OK;
  char **list = CSLTokenizeString2(types, " ", 0);
  bool found = CSLFindString(list, name) >= 0;
  CSLDestroy(list);
  if (found) return GV_OK;
  return gv_io_fail(io, GV_ERROR_UNSUPPORTED,
                    "the values of %s need %s, which the driver %s cannot hold (it has: %s)",
                    raster->place.output.path, name, GDALGetDriverShortName(raster->driver), types);
}

static CPLErr set_nodata(GDALRasterBandH band, const gv_raster_description *description) {
  if (description->type == GDT_Int64) return GDALSetRasterNoDataValueAsInt64(band, description->nodata);
  return GDALSetRasterNoDataValue(band, description->type == GDT_Int32 ? (double)description->nodata : NAN);
}

static gv_status set_header(gv_io *io, GDALDatasetH dataset, const gv_raster_description *description,
                            bool software_tag) {
  CPLErr error = GDALSetGeoTransform(dataset, (double *)description->geotransform);
  if (error == CE_None && description->crs != NULL) error = GDALSetSpatialRef(dataset, description->crs);
  for (int b = 0; b < description->bands && error == CE_None; b++)
    error = set_nodata(GDALGetRasterBand(dataset, b + 1), description);
  if (error != CE_None) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot describe the output");
  /* What follows is good to have; not every format has a place for it. */
  for (int b = 0; b < description->bands; b++) {
    GDALRasterBandH band = GDALGetRasterBand(dataset, b + 1);
    GDALSetDescription(band, description->names[b]);
    if (description->unit != NULL) GDALSetRasterUnitType(band, description->unit);
  }
  for (char **item = description->metadata; item != NULL && *item != NULL; item++) {
    char *key = NULL;
    const char *value = CPLParseNameValue(*item, &key);
    if (key != NULL && value != NULL) GDALSetMetadataItem(dataset, key, value, NULL);
    CPLFree(key);
  }
  if (software_tag) {
    GDALSetMetadataItem(dataset, "TIFFTAG_SOFTWARE", "gpuvoronoi " GV_VERSION_STRING, NULL);
  }
  return GV_OK;
}

gv_status gv_raster_create(gv_io *io, gv_raster_out *raster, const gv_raster_description *description) {
  raster->width = description->width;
  raster->height = description->height;
  raster->type = description->type;
  raster->bands = description->bands;
  raster->nodata = description->nodata;
  gv_status status = check_type(io, raster);
  if (status == GV_OK) status = gv_place_begin(io, &raster->place);
  if (status != GV_OK) return status;
  /* A driver that can only copy is fed from a GeoTIFF. */
  raster->work = raster->copies ? gv_path_join(raster->place.output.directory, SOURCE_NAME)
                                : strdup(raster->place.output.work);
  if (raster->work == NULL) return gv_io_fail_memory(io, "a file name");

  GDALDriverH driver = raster->driver;
  char **options = CSLDuplicate(raster->options);
  if (raster->copies) {
    driver = GDALGetDriverByName("GTiff");
    CSLDestroy(options);
    gv_raster_out source = {.driver = driver, .threads = raster->threads};
    set_defaults(&source, NULL, raster->bands * (int64_t)GDALGetDataTypeSizeBytes(raster->type));
    options = source.options;
  }
  bool gtiff = EQUAL(GDALGetDriverShortName(driver), "GTiff");
  if (gtiff && raster->bands > 1 && !given(options, "INTERLEAVE")) {
    options = CSLSetNameValue(options, "INTERLEAVE", "BAND"); /* blocks are written band by band */
  }
  bool planes = raster->bands == 1 || EQUAL(CSLFetchNameValueDef(options, "INTERLEAVE", ""), "BAND");
  raster->sparse = gtiff && planes && gv_tiff_possible(options);
  if (raster->sparse) options = CSLSetNameValue(options, "SPARSE_OK", "TRUE");
  raster->used_options = options;
  gv_gdal_reset();
  raster->dataset = GDALCreate(driver, raster->work, (int)raster->width, (int)raster->height, raster->bands,
                               raster->type, (CSLConstList)options);
  if (raster->dataset == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot create %s", raster->place.output.path);
  if (GDALGetRasterDataType(GDALGetRasterBand(raster->dataset, 1)) != raster->type) {
    return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "the driver %s does not keep %s values",
                      GDALGetDriverShortName(driver), GDALGetDataTypeName(raster->type));
  }
  return set_header(io, raster->dataset, description, gtiff);
}

/* GDALClose tells of a full disk only through the message handler. */
static gv_status close_dataset(gv_io *io, gv_raster_out *raster) {
  GDALDatasetH dataset = raster->dataset;
  raster->dataset = NULL;
  gv_gdal_reset();
  GDALClose(dataset);
  return gv_gdal_failed() ? gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", raster->place.output.path) : GV_OK;
}

static gv_status reopen_dataset(gv_io *io, gv_raster_out *raster) {
  gv_gdal_reset();
  raster->dataset = GDALOpenEx(raster->work, GDAL_OF_RASTER | GDAL_OF_UPDATE, NULL, NULL, NULL);
  if (raster->dataset != NULL) return GV_OK;
  return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", raster->place.output.path);
}

GDALDatasetH gv_raster_dataset(const gv_raster_out *raster) {
  return raster->dataset;
}

gv_place *gv_raster_place(gv_raster_out *raster) {
  return &raster->place;
}

/* --------------------------------------------------------------------------------------------------- writing */

/* How rasters of one grid are cut up for computing and writing: units are written at once, blocks computed at once. */
typedef struct layout {
  bool tiles; /* the tile way, else strips */
  int32_t block_w, block_h;
  int64_t unit_w, unit_h;
  int64_t blocks_in_unit;
  int64_t bytes;                  /* of a unit of all rasters */
  int64_t offset[GV_MAX_RASTERS]; /* of a raster's first band in a unit's buffer */
  int64_t band_bytes[GV_MAX_RASTERS];
} layout;

static int64_t value_bytes(const gv_raster_out *raster) {
  return GDALGetDataTypeSizeBytes(raster->type);
}

static void measure_units(gv_raster_out *const *rasters, int count, layout *l) {
  l->bytes = 0;
  for (int i = 0; i < count; i++) {
    l->offset[i] = l->bytes;
    l->band_bytes[i] = (l->unit_w * l->unit_h * value_bytes(rasters[i]) + 63) / 64 * 64;
    l->bytes += l->band_bytes[i] * rasters[i]->bands;
  }
}

/* Tiles if all rasters have the same, otherwise rows. */
static void choose_layout(gv_raster_out *const *rasters, int count, layout *l) {
  const gv_raster_out *first = rasters[0];
  int w = 0, h = 0, tallest = 1;
  int64_t cell_bytes = 0;
  memset(l, 0, sizeof *l);
  l->tiles = true;
  for (int i = 0; i < count; i++) {
    int own_w = 0, own_h = 0;
    GDALGetBlockSize(GDALGetRasterBand(rasters[i]->dataset, 1), &own_w, &own_h);
    if (i == 0) w = own_w, h = own_h;
    l->tiles = l->tiles && own_w >= 64 && own_h >= 64 && own_w == w && own_h == h;
    tallest = own_h > tallest ? own_h : tallest;
    cell_bytes += value_bytes(rasters[i]) * rasters[i]->bands;
  }
  l->tiles = l->tiles && (int64_t)w * h * cell_bytes <= MAX_BUFFER_BYTES;
  if (l->tiles) {
    l->block_w = w;
    l->block_h = h;
    l->unit_w = w;
    l->unit_h = h;
    l->blocks_in_unit = 1;
  } else {
    int64_t rows = (MAX_BUFFER_BYTES / 2) / (first->width * cell_bytes);
    rows = rows < 1 ? 1 : rows > TILE ? TILE : rows;
    if (tallest > 1 && tallest <= rows) rows -= rows % tallest;
    if (rows > first->height) rows = first->height;
    l->block_w = TILE;
    l->block_h = (int32_t)rows;
    l->unit_w = first->width;
    l->unit_h = rows;
    l->blocks_in_unit = (first->width + TILE - 1) / TILE;
  }
  measure_units(rasters, count, l);
}

void gv_raster_block_size(gv_raster_out *const *rasters, int count, int32_t *width, int32_t *height) {
  layout l;
  choose_layout(rasters, count, &l);
  *width = l.block_w;
  *height = l.block_h;
}

/* One unit in the ring. */
typedef struct slot {
  char *buffer;           /* its values; NULL where only encoded tiles are kept */
  gv_tiff_tile *encoded;  /* of each raster's bands */
  int64_t unit;           /* which it holds */
  int64_t blocks_to_come; /* 0 = complete, ready to be written */
} slot;

/* What a thread has of its own. */
typedef struct desk {
  char *values; /* a unit's, on its way into a slot's encoded tiles; NULL where slots keep values */
  gv_tiff_encoder *encoders[GV_MAX_RASTERS]; /* NULL for rasters whose values are written as they are */
} desk;

/* The ring: unit u lives in slot u % slots from the time it is begun until it is written. */
typedef struct ring {
  gv_raster_out *const *rasters;
  int count;
  int64_t width, height;
  layout layout;
  gv_raster_block_fn compute;
  void *user;
  GDALProgressFunc progress;
  void *progress_user;
  gv_io *io; /* the run's, for who has the lock */

  pthread_mutex_t lock;
  pthread_cond_t moved; /* a unit was written, or the run has failed */
  slot *slots;
  int64_t slot_count;
  desk *desks; /* one a worker */
  int workers;
  int planes; /* of all rasters */
  bool all_encoded;
  int64_t units_across, units;
  int64_t next_block;   /* to be computed: unit * blocks_in_unit + block */
  int64_t next_written; /* units written so far */
  bool writing;         /* somebody is writing now */
  gv_status status;     /* the first error, whose line is the run's */
} ring;

static void fail_ring(ring *r, gv_status status, const gv_io *worker) {
  if (r->status == GV_OK) r->status = gv_io_pass_on(r->io, status, worker);
  pthread_cond_broadcast(&r->moved);
}

static bool is_encoded(const gv_raster_out *raster) {
  return raster->tiff != NULL && !gv_tiff_stores_values(raster->tiff);
}

/* One band of a unit. */
static gv_status write_band(gv_io *io, ring *r, const slot *s, int i, int b, const gv_tiff_tile *tile) {
  const layout *l = &r->layout;
  gv_raster_out *raster = r->rasters[i];
  int64_t column = s->unit % r->units_across, row = s->unit / r->units_across;
  if (is_encoded(raster)) {
    return gv_tiff_append(io, raster->tiff, b, column, row, tile->bytes, tile->size);
  }
  char *values = s->buffer + l->offset[i] + b * l->band_bytes[i];
  if (raster->tiff != NULL) {
    size_t bytes = (size_t)(l->unit_w * l->unit_h * value_bytes(raster));
    return gv_tiff_append(io, raster->tiff, b, column, row, values, bytes);
  }
  GDALRasterBandH band = GDALGetRasterBand(raster->dataset, b + 1);
  int64_t y = row * l->unit_h;
  int64_t rows = r->height - y < l->unit_h ? r->height - y : l->unit_h;
  CPLErr error = l->tiles ? GDALWriteBlock(band, (int)column, (int)row, values)
                          : GDALRasterIO(band, GF_Write, 0, (int)y, (int)r->width, (int)rows, values, (int)r->width,
                                         (int)rows, raster->type, 0, 0);
  return error == CE_None ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", raster->place.output.path);
}

/* Writes one unit; without the lock, but with `writing` set. */
static gv_status write_unit(gv_io *io, ring *r, const slot *s) {
  gv_status status = GV_OK;
  for (int i = 0, plane = 0; i < r->count; i++) {
    for (int b = 0; b < r->rasters[i]->bands && status == GV_OK; b++, plane++)
      status = write_band(io, r, s, i, b, &s->encoded[plane]);
  }
  return status;
}

/* Writes whatever is complete and next in the file, unless another worker is at it. Called and left with the lock.
 */
static void write_ready(gv_io *io, ring *r) {
  while (!r->writing && r->status == GV_OK && r->next_written < r->units) {
    slot *s = &r->slots[r->next_written % r->slot_count];
    if (s->unit != r->next_written || s->blocks_to_come != 0) return;
    r->writing = true;
    pthread_mutex_unlock(&r->lock);
    gv_status status = write_unit(io, r, s);
    double fraction = (double)(r->next_written + 1) / (double)r->units;
    bool go_on = r->progress == NULL || r->progress(fraction, "", r->progress_user);
    go_on = go_on && !gv_io_cancelled(io);
    if (status == GV_OK && !go_on) status = gv_io_fail_cancelled(io);
    pthread_mutex_lock(&r->lock);
    r->writing = false;
    s->unit = -1;
    r->next_written++;
    if (status != GV_OK) fail_ring(r, status, io);
    pthread_cond_broadcast(&r->moved);
  }
}

static void fill_nodata(const gv_raster_out *raster, void *values, int64_t cells) {
  if (raster->type == GDT_Int64) {
    int64_t *out = values;
    for (int64_t i = 0; i < cells; i++)
      out[i] = raster->nodata;
  } else if (raster->type == GDT_Int32) {
    int32_t *out = values;
    for (int64_t i = 0; i < cells; i++)
      out[i] = (int32_t)raster->nodata;
  } else if (raster->type == GDT_Float64) {
    double *out = values;
    for (int64_t i = 0; i < cells; i++)
      out[i] = (double)NAN;
  } else {
    float *out = values;
    for (int64_t i = 0; i < cells; i++)
      out[i] = NAN;
  }
}

/* Blocks at the edge leave the rest of a tile as it was: nodata compresses to nothing. */
static void fill_unit(const ring *r, int64_t unit, char *values) {
  const layout *l = &r->layout;
  int64_t column = unit % r->units_across, row = unit / r->units_across;
  bool whole = (column + 1) * l->unit_w <= r->width && (row + 1) * l->unit_h <= r->height;
  for (int i = 0; i < r->count && !whole; i++) {
    for (int b = 0; b < r->rasters[i]->bands; b++)
      fill_nodata(r->rasters[i], values + l->offset[i] + b * l->band_bytes[i], l->unit_w * l->unit_h);
  }
}

/* Blocks that were left at their first cells: the rest of them, but where an encoder does without. */
static void spread_uniform(const ring *r, int worker, gv_raster_block *block) {
  const layout *l = &r->layout;
  int64_t x = block->column * l->block_w, y = block->row * l->block_h;
  int64_t w = r->width - x < l->block_w ? r->width - x : l->block_w;
  int64_t h = r->height - y < l->block_h ? r->height - y : l->block_h;
  bool whole = l->blocks_in_unit == 1 && w == l->unit_w && h == l->unit_h;
  for (int i = 0; i < r->count; i++) {
    if (!block->uniform[i] || (whole && r->desks[worker].encoders[i] != NULL)) continue;
    size_t bytes = (size_t)value_bytes(r->rasters[i]);
    block->uniform[i] = false;
    for (int b = 0; b < r->rasters[i]->bands; b++) {
      char *first = (char *)block->out[i] + (size_t)(b * block->band_stride[i]) * bytes;
      for (int64_t c = 1; c < w; c++)
        memcpy(first + (size_t)c * bytes, first, bytes);
      for (int64_t row = 1; row < h; row++)
        memcpy(first + (size_t)(row * block->stride) * bytes, first, (size_t)w * bytes);
    }
  }
}

/* A computed unit's values into the slot's encoded tiles, where the raster wants them. */
static gv_status encode_unit(gv_io *io, ring *r, int worker, char *values, const bool *uniform, slot *s) {
  const layout *l = &r->layout;
  gv_status status = GV_OK;
  for (int i = 0, plane = 0; i < r->count; i++) {
    gv_tiff_encoder *encoder = r->desks[worker].encoders[i];
    for (int b = 0; b < r->rasters[i]->bands && status == GV_OK; b++, plane++) {
      char *band = values + l->offset[i] + b * l->band_bytes[i];
      if (encoder != NULL) status = gv_tiff_encode(io, encoder, band, uniform[i], &s->encoded[plane]);
    }
  }
  return status;
}

/* Computes part of a unit into the slot. Without the lock. */
static gv_status compute_part(gv_io *io, ring *r, int worker, int64_t unit, int64_t part, slot *s) {
  const layout *l = &r->layout;
  char *values = r->all_encoded ? r->desks[worker].values : s->buffer;
  gv_raster_block block = {.column = unit % r->units_across * l->blocks_in_unit + part,
                           .row = unit / r->units_across,
                           .stride = l->unit_w};
  for (int i = 0; i < r->count; i++) {
    int64_t bytes = value_bytes(r->rasters[i]);
    block.out[i] = values + l->offset[i] + part * l->block_w * bytes;
    block.band_stride[i] = l->band_bytes[i] / bytes;
  }
  if (l->blocks_in_unit == 1) fill_unit(r, unit, values);
  gv_status status = r->compute(io, r->user, worker, &block);
  if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  if (status == GV_OK) spread_uniform(r, worker, &block);
  if (status == GV_OK) status = encode_unit(io, r, worker, values, block.uniform, s);
  return status;
}

static void work(ring *r, int worker) {
  int64_t per_unit = r->layout.blocks_in_unit;
  gv_io own, *io = &own;
  gv_io_for_worker(r->io, io);
  pthread_mutex_lock(&r->lock);
  while (r->status == GV_OK && r->next_block < r->units * per_unit) {
    int64_t number = r->next_block, unit = number / per_unit, part = number % per_unit;
    slot *s = &r->slots[unit % r->slot_count];
    if (part == 0) {
      if (s->unit != -1) { /* its last unit is not written yet */
        write_ready(io, r);
        if (s->unit != -1 && r->next_block == number && r->status == GV_OK) pthread_cond_wait(&r->moved, &r->lock);
        continue;
      }
      s->unit = unit;
      s->blocks_to_come = per_unit;
      if (per_unit > 1) fill_unit(r, unit, s->buffer); /* before any other part */
    }
    r->next_block++;
    pthread_mutex_unlock(&r->lock);

    gv_status status = compute_part(io, r, worker, unit, part, s);
    pthread_mutex_lock(&r->lock);
    s->blocks_to_come--;
    if (status != GV_OK) {
      fail_ring(r, status, io);
    } else {
      write_ready(io, r);
    }
  }
  /* Units that others complete later are written by them. */
  write_ready(io, r);
  pthread_mutex_unlock(&r->lock);
}

typedef struct thread_start {
  ring *r;
  int worker;
} thread_start;

static void *run_worker(void *start) {
  thread_start *s = start;
  work(s->r, s->worker);
  return NULL;
}

/* Ring and desks: values of some units, or encoded tiles of more. */
static gv_status make_slots(gv_io *io, ring *r) {
  int64_t bytes = r->layout.bytes, workers = r->workers;
  int64_t count = !r->layout.tiles ? 3 : r->all_encoded ? 4 * workers + 2 : 2 * workers + 2;
  if (count > MAX_RING_BYTES / bytes) count = MAX_RING_BYTES / bytes;
  if (count < 2) count = 2;
  if (count > r->units) count = r->units;
  r->slots = calloc((size_t)count, sizeof *r->slots);
  r->desks = calloc((size_t)workers, sizeof *r->desks);
  if (r->slots == NULL || r->desks == NULL) return gv_io_fail_memory(io, "the output blocks");
  r->slot_count = count;
  for (int64_t i = 0; i < count; i++) {
    r->slots[i].unit = -1;
    r->slots[i].encoded = calloc((size_t)r->planes, sizeof *r->slots[i].encoded);
    if (!r->all_encoded) r->slots[i].buffer = aligned_alloc(64, (size_t)bytes);
    if (r->slots[i].encoded == NULL || (!r->all_encoded && r->slots[i].buffer == NULL)) {
      return gv_io_fail_memory(io, "the output blocks");
    }
  }
  for (int w = 0; w < workers; w++) {
    desk *d = &r->desks[w];
    if (r->all_encoded) d->values = aligned_alloc(64, (size_t)bytes);
    if (r->all_encoded && d->values == NULL) return gv_io_fail_memory(io, "the output blocks");
    for (int i = 0; i < r->count; i++) {
      if (!is_encoded(r->rasters[i])) continue;
      d->encoders[i] = gv_tiff_encoder_create(r->rasters[i]->tiff);
      if (d->encoders[i] == NULL) return gv_io_fail_memory(io, "the output blocks");
    }
  }
  return GV_OK;
}

static void free_slots(ring *r) {
  for (int64_t i = 0; i < r->slot_count; i++) {
    for (int p = 0; p < r->planes && r->slots[i].encoded != NULL; p++)
      gv_tiff_tile_free(&r->slots[i].encoded[p]);
    free(r->slots[i].encoded);
    free(r->slots[i].buffer);
  }
  for (int w = 0; w < r->workers && r->desks != NULL; w++) {
    for (int i = 0; i < r->count; i++)
      gv_tiff_encoder_destroy(r->desks[w].encoders[i]);
    free(r->desks[w].values);
  }
  free(r->slots);
  free(r->desks);
}

/* A sparse file from GDAL's hands into libtiff's, if its tiles can be written so. */
static gv_status hand_over(gv_io *io, gv_raster_out *raster, int64_t tile_bytes) {
  gv_status status = close_dataset(io, raster);
  if (status != GV_OK) return status;
  status =
      gv_tiff_open(io, raster->work, raster->place.output.path, raster->used_options, tile_bytes, &raster->tiff);
  if (status == GV_OK && raster->tiff == NULL) status = reopen_dataset(io, raster);
  return status;
}

/* And back. */
static gv_status take_back(gv_io *io, gv_raster_out *raster) {
  gv_status status = gv_tiff_complete(io, raster->tiff);
  gv_tiff_close(raster->tiff);
  raster->tiff = NULL;
  return status == GV_OK ? reopen_dataset(io, raster) : status;
}

static gv_status run_ring(gv_io *io, ring *r) {
  pthread_t *threads = calloc((size_t)r->workers, sizeof *threads);
  thread_start *starts = calloc((size_t)r->workers, sizeof *starts);
  gv_status status = threads != NULL && starts != NULL ? GV_OK : gv_io_fail_memory(io, "the worker threads");
  if (status == GV_OK) status = make_slots(io, r);
  if (status != GV_OK) goto end;
  gv_gdal_reset();
  /* The calling thread is worker 0. Fewer threads than asked for is slower, not wrong. */
  int started = 1;
  for (; started < r->workers; started++) {
    starts[started] = (thread_start){r, started};
    if (pthread_create(&threads[started], NULL, run_worker, &starts[started]) != 0) break;
  }
  work(r, 0);
  for (int i = 1; i < started; i++)
    pthread_join(threads[i], NULL);
  status = r->status;
end:
  free_slots(r);
  free(threads);
  free(starts);
  return status;
}

gv_status gv_raster_write(gv_io *io, gv_raster_out *const *rasters, int count, gv_raster_block_fn compute,
                          void *user, int workers, GDALProgressFunc progress, void *progress_user) {
  ring r = {.rasters = rasters,
            .count = count,
            .width = rasters[0]->width,
            .height = rasters[0]->height,
            .compute = compute,
            .user = user,
            .progress = progress,
            .progress_user = progress_user,
            .io = io,
            .lock = PTHREAD_MUTEX_INITIALIZER,
            .moved = PTHREAD_COND_INITIALIZER};
  choose_layout(rasters, count, &r.layout);
  const layout *l = &r.layout;
  r.units_across = (r.width + l->unit_w - 1) / l->unit_w;
  r.units = r.units_across * ((r.height + l->unit_h - 1) / l->unit_h);
  int64_t blocks = r.units * l->blocks_in_unit;
  r.workers = workers < 1 ? 1 : workers < blocks ? workers : (int)blocks;
  gv_status status = GV_OK;
  r.all_encoded = l->tiles;
  for (int i = 0; i < count && status == GV_OK; i++) {
    int64_t tile_bytes = l->unit_w * l->unit_h * value_bytes(rasters[i]);
    if (rasters[i]->sparse && l->tiles) status = hand_over(io, rasters[i], tile_bytes);
    r.all_encoded = r.all_encoded && is_encoded(rasters[i]);
    r.planes += rasters[i]->bands;
  }
  if (status == GV_OK) status = run_ring(io, &r);
  for (int i = 0; i < count && status == GV_OK; i++)
    if (rasters[i]->tiff != NULL) status = take_back(io, rasters[i]);
  pthread_cond_destroy(&r.moved);
  pthread_mutex_destroy(&r.lock);
  return status;
}

/* --------------------------------------------------------------------------------------------------- finishing */

/* Has GDAL attach some rows; *declined if the format has no place for them. */
static gv_status attach_rows(gv_io *io, gv_raster_out *raster, int64_t first, int64_t count, bool *declined) {
  GDALRasterAttributeTableH rows = gv_attribute_table_rows(raster->table, first, count);
  if (rows == NULL) return gv_io_fail_memory(io, "the raster attribute table");
  gv_gdal_reset();
  *declined = GDALSetDefaultRAT(GDALGetRasterBand(raster->dataset, 1), rows) != CE_None;
  GDALDestroyRasterAttributeTable(rows);
  if (!*declined || !gv_gdal_failed()) return GV_OK;
  return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write the attribute table of %s", raster->place.output.path);
}

gv_status gv_raster_set_table(gv_io *io, gv_raster_out *raster, const gv_attribute_table *table) {
  bool gtiff = raster->copies || EQUAL(GDALGetDriverShortName(raster->driver), "GTiff"), declined = false;
  raster->table = table;
  raster->sample = gtiff ? gv_attribute_table_sample(table) : -1;
  gv_status status = raster->sample >= 0 ? attach_rows(io, raster, raster->sample, 1, &declined)
                                         : attach_rows(io, raster, 0, table->count, &declined);
  if (status != GV_OK || !declined) return status;
  /* Some formats decline without a word; the raster is worth having all the same. */
  gv_io_warn("the driver %s has no place for an attribute table", GDALGetDriverShortName(raster->driver));
  raster->sample = -1;
  return GV_OK;
}

/* Closes the dataset that blocks were written to, and sees to it that it has its whole table. */
static gv_status close_with_table(gv_io *io, gv_raster_out *raster) {
  bool done = raster->table == NULL || raster->sample < 0, declined;
  gv_status status = close_dataset(io, raster);
  if (status != GV_OK || done) return status;
  status = gv_attribute_table_complete(io, raster->table, raster->sample, raster->work, &done);
  if (status == GV_OK && !done) {
    status = reopen_dataset(io, raster);
    if (status == GV_OK) status = attach_rows(io, raster, 0, raster->table->count, &declined);
    if (status == GV_OK) status = close_dataset(io, raster);
  }
  return status;
}

/* True if COG would only make overviews by NEAREST, to the sizes of this layer's. */
static bool wants_overviews(const gv_raster_out *raster) {
  static const char *const others[] = {"TILING_SCHEME", "TARGET_SRS",     "RES",           "EXTENT",
                                       "OVERVIEWS",     "OVERVIEW_COUNT", "ALIGNED_LEVELS"};
  const char *resampling = CSLFetchNameValueDef(raster->options, "OVERVIEW_RESAMPLING",
                                                CSLFetchNameValue(raster->options, "RESAMPLING"));
  if (!EQUAL(GDALGetDriverShortName(raster->driver), "COG") || resampling == NULL) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (given(raster->options, others[i])) return false;
  return EQUAL(resampling, "NEAREST");
}

static gv_status copy_into_format(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress,
                                  void *progress_user) {
  gv_status status = close_with_table(io, raster);
  if (status != GV_OK) return status;
  const char *source = raster->work;
  if (wants_overviews(raster)) {
    int64_t largest = atoi(CSLFetchNameValueDef(raster->options, "BLOCKSIZE", "512"));
    status = gv_overviews_write(io, source, largest > 0 ? largest : TILE, raster->threads);
  }
  /* GDAL 3.6 cannot decode several planes in threads. */
  char **how = raster->bands == 1 ? CSLSetNameValue(NULL, "NUM_THREADS", CPLSPrintf("%d", raster->threads)) : NULL;
  GDALDatasetH from =
      status == GV_OK ? GDALOpenEx(source, GDAL_OF_RASTER, NULL, (const char *const *)how, NULL) : NULL;
  CSLDestroy(how);
  if (status != GV_OK) {
    /* said already */
  } else if (from == NULL) {
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster back");
  } else {
    gv_gdal_reset();
    raster->dataset = GDALCreateCopy(raster->driver, raster->place.output.work, from, FALSE,
                                     (CSLConstList)raster->options, progress, progress_user);
    if (gv_io_cancelled(io)) {
      status = gv_io_fail_cancelled(io);
    } else if (raster->dataset == NULL || gv_gdal_failed()) {
      status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", raster->place.output.path);
    }
    if (status == GV_OK) status = close_dataset(io, raster);
    GDALClose(from);
  }
  gv_overviews_remove(source);
  VSIUnlink(source);
  VSIUnlink(CPLSPrintf("%s.aux.xml", source));
  return status;
}

gv_status gv_raster_finish(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress, void *progress_user) {
  gv_status status =
      raster->copies ? copy_into_format(io, raster, progress, progress_user) : close_with_table(io, raster);
  if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  return status;
}

void gv_raster_close(gv_raster_out *raster) {
  if (raster == NULL) return;
  if (raster->dataset != NULL) GDALClose(raster->dataset);
  if (raster->tiff != NULL) gv_tiff_close(raster->tiff);
  gv_place_clear(&raster->place);
  free(raster->work);
  CSLDestroy(raster->options);
  CSLDestroy(raster->used_options);
  free(raster);
}
