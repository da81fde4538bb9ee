/*
 * Rasters out. Three ways, by what the driver can do:
 *   tiles    Create, blocks of a useful shape: GDALWriteBlock of whole tiles in file order, past GDAL's block
 * cache; strips   Create, blocks of whole rows: bands of rows by GDALRasterIO; copies   CreateCopy only (COG,
 * AAIGrid ...): a GeoTIFF beside the output, copied at the end. Whole tiles in file order are what makes writing
 * cheap: rows cost GDAL up to ten times as much.
 */
#include "io/raster_out.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

enum { TILE = 512, MAX_BUFFER_BYTES = 64 << 20, MAX_RING_BYTES = 256 << 20, CACHE_BYTES = 128 << 20 };

struct gv_raster_out {
  char *path;      /* the output */
  char *directory; /* temporary, beside it; NULL until created */
  char *work;      /* the dataset being written, in `directory` */
  bool overwrite, copies, finished;
  int threads;
  GDALDriverH driver;
  char **options; /* creation options, defaults included */
  GDALDatasetH dataset;
  GDALDataType type;
  int64_t nodata;
  int64_t width, height;
  bool tiles;               /* the tile way, else strips */
  int32_t block_w, block_h; /* what is asked of the computing side */
  int64_t unit_w, unit_h;   /* what is written at once */
  int64_t blocks_in_unit;
};

/* --------------------------------------------------------------------------------------- temporary directory */

/* The directory gv_raster_abandon removes: one raster is written at a time. */
static pthread_mutex_t abandon_lock = PTHREAD_MUTEX_INITIALIZER;
static char *abandon_directory;

static void set_abandon(const char *directory) {
  pthread_mutex_lock(&abandon_lock);
  free(abandon_directory);
  abandon_directory = directory != NULL ? strdup(directory) : NULL;
  pthread_mutex_unlock(&abandon_lock);
}

void gv_raster_abandon(void) {
  pthread_mutex_lock(&abandon_lock);
  /* A thread still at work may add a file while this one looks; hence a few attempts. */
  for (int attempt = 0; abandon_directory != NULL && attempt < 5; attempt++) {
    if (VSIRmdirRecursive(abandon_directory) == 0) break;
  }
  pthread_mutex_unlock(&abandon_lock);
}

static gv_status make_directory(gv_io *io, gv_raster_out *raster) {
  const char *parent = CPLGetPath(raster->path);
  for (int attempt = 0; attempt < 100; attempt++) {
    const char *name = CPLSPrintf(".%s.tmp-%ld-%d", CPLGetFilename(raster->path), (long)getpid(), attempt);
    char *directory = strdup(CPLFormFilename(parent[0] != '\0' ? parent : ".", name, NULL));
    if (directory == NULL) return gv_io_fail_memory(io, "a file name");
    VSIStatBufL found;
    if (VSIStatL(directory, &found) == 0) {
      free(directory);
      continue;
    }
    errno = 0;
    if (VSIMkdir(directory, 0777) != 0) {
      int error = errno;
      free(directory);
      return gv_io_fail(io, GV_ERROR_IO, "cannot write into the directory of %s: %s", raster->path,
                        error != 0 ? strerror(error) : "no such directory");
    }
    raster->directory = directory;
    set_abandon(directory);
    return GV_OK;
  }
  return gv_io_fail(io, GV_ERROR_IO, "cannot find a temporary name beside %s", raster->path);
}

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
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "several drivers write '.%s' files: choose one with --of: %s",
                      extension, several);
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "no driver is known for '%s': name one with --of, or use .tif; gdalinfo --formats lists them",
                    options->path);
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

/* The defaults of the GeoTIFF drivers, each replaced by the user's value; the rest of GDAL keeps its own. */
static void set_defaults(gv_raster_out *raster, char **user) {
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
      set_default(raster, user, "BLOCKXSIZE", "512");
      set_default(raster, user, "BLOCKYSIZE", "512");
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

static gv_status check_path(gv_io *io, const gv_raster_out *raster) {
  VSIStatBufL found;
  if (VSIStatL(raster->path, &found) == 0) {
    if (VSI_ISDIR(found.st_mode)) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s is a directory", raster->path);
    }
    if (!raster->overwrite) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s exists; --overwrite replaces it", raster->path);
    }
    if (!VSI_ISREG(found.st_mode)) {
      return gv_io_fail(io, GV_ERROR_IO, "the output %s is not a regular file", raster->path);
    }
  }
  const char *parent = CPLGetPath(raster->path);
  if (parent[0] != '\0' && (VSIStatL(parent, &found) != 0 || !VSI_ISDIR(found.st_mode))) {
    return gv_io_fail(io, GV_ERROR_IO, "the output directory %s does not exist", parent);
  }
  return GV_OK;
}

gv_status gv_raster_plan(gv_io *io, const gv_raster_options *options, gv_raster_out **out) {
  gv_raster_out *raster = calloc(1, sizeof *raster);
  if (raster == NULL) return gv_io_fail_memory(io, "the output");
  raster->overwrite = options->overwrite;
  raster->threads = options->threads;
  raster->path = strdup(options->path);
  gv_status status = raster->path != NULL ? GV_OK : gv_io_fail_memory(io, "the output");
  if (status == GV_OK) status = choose_driver(io, options, &raster->driver);
  if (status == GV_OK) status = check_creation_options(io, raster, options->creation_options);
  if (status == GV_OK) status = check_path(io, raster);
  if (status != GV_OK) {
    gv_raster_close(raster);
    return status;
  }
  raster->copies = !has_capability(raster->driver, GDAL_DCAP_CREATE);
  raster->options = CSLDuplicate(options->creation_options);
  set_defaults(raster, options->creation_options);
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
  return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "the ids need %s, which the driver %s cannot hold (it has: %s)", name,
                    GDALGetDriverShortName(raster->driver), types);
}

static gv_status set_header(gv_io *io, GDALDatasetH dataset, const gv_raster_description *description,
                            bool software_tag) {
  GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
  CPLErr error = GDALSetGeoTransform(dataset, (double *)description->geotransform);
  if (error == CE_None && description->crs != NULL) error = GDALSetSpatialRef(dataset, description->crs);
  if (error == CE_None) {
    error = description->type == GDT_Int64 ? GDALSetRasterNoDataValueAsInt64(band, description->nodata)
                                           : GDALSetRasterNoDataValue(band, (double)description->nodata);
  }
  if (error != CE_None) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot describe the output");
  /* What follows is good to have; not every format has a place for it. */
  GDALSetDescription(band, description->band);
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

/* How the output is cut up for computing and writing. */
static void choose_units(gv_raster_out *raster) {
  int w = 0, h = 0;
  int64_t size = GDALGetDataTypeSizeBytes(raster->type);
  GDALGetBlockSize(GDALGetRasterBand(raster->dataset, 1), &w, &h);
  raster->tiles = w >= 64 && h >= 64 && (int64_t)w * h * size <= MAX_BUFFER_BYTES;
  if (raster->tiles) {
    raster->block_w = w;
    raster->block_h = h;
    raster->unit_w = w;
    raster->unit_h = h;
    raster->blocks_in_unit = 1;
    return;
  }
  int64_t rows = (MAX_BUFFER_BYTES / 2) / (raster->width * size);
  rows = rows < 1 ? 1 : rows > TILE ? TILE : rows;
  if (h > 1 && h <= rows) rows -= rows % h;
  if (rows > raster->height) rows = raster->height;
  raster->block_w = TILE;
  raster->block_h = (int32_t)rows;
  raster->unit_w = raster->width;
  raster->unit_h = rows;
  raster->blocks_in_unit = (raster->width + TILE - 1) / TILE;
}

gv_status gv_raster_create(gv_io *io, gv_raster_out *raster, const gv_raster_description *description) {
  raster->width = description->width;
  raster->height = description->height;
  raster->type = description->type;
  raster->nodata = description->nodata;
  /* The block cache serves strips and copies only; GDAL's default is a twentieth of all memory. */
  if (CPLGetConfigOption("GDAL_CACHEMAX", NULL) == NULL) GDALSetCacheMax64(CACHE_BYTES);
  gv_status status = check_type(io, raster);
  if (status == GV_OK) status = make_directory(io, raster);
  if (status != GV_OK) return status;

  GDALDriverH driver = raster->driver;
  char **options = CSLDuplicate(raster->options);
  const char *name = CPLGetFilename(raster->path);
  if (raster->copies) {
    driver = GDALGetDriverByName("GTiff");
    CSLDestroy(options);
    gv_raster_out source = {.driver = driver, .threads = raster->threads};
    set_defaults(&source, NULL);
    options = source.options;
    name = ".gpuvoronoi-source.tif";
  }
  raster->work = strdup(CPLFormFilename(raster->directory, name, NULL));
  if (raster->work == NULL) {
    CSLDestroy(options);
    return gv_io_fail_memory(io, "a file name");
  }
  gv_gdal_reset();
  raster->dataset = GDALCreate(driver, raster->work, (int)raster->width, (int)raster->height, 1, raster->type,
                               (CSLConstList)options);
  CSLDestroy(options);
  if (raster->dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot create %s", raster->path);
  if (GDALGetRasterDataType(GDALGetRasterBand(raster->dataset, 1)) != raster->type) {
    return gv_io_fail(io, GV_ERROR_UNSUPPORTED, "the driver %s does not keep %s values",
                      GDALGetDriverShortName(driver), GDALGetDataTypeName(raster->type));
  }
  bool gtiff = EQUAL(GDALGetDriverShortName(driver), "GTiff");
  status = set_header(io, raster->dataset, description, gtiff);
  if (status == GV_OK) choose_units(raster);
  return status;
}

void gv_raster_block_size(const gv_raster_out *raster, int32_t *width, int32_t *height) {
  *width = raster->block_w;
  *height = raster->block_h;
}

/* --------------------------------------------------------------------------------------------------- writing */

/* One unit's buffer in the ring. */
typedef struct slot {
  char *buffer;
  int64_t unit;           /* which it holds */
  int64_t blocks_to_come; /* 0 = complete, ready to be written */
} slot;

/* The ring: unit u lives in slot u % slots from the time it is begun until it is written. */
typedef struct ring {
  gv_raster_out *raster;
  gv_raster_block_fn compute;
  void *user;
  GDALProgressFunc progress;
  void *progress_user;
  const gv_io *io;

  pthread_mutex_t lock;
  pthread_cond_t moved; /* a unit was written, or the run has failed */
  slot *slots;
  int64_t slot_count;
  int64_t units_across, units;
  int64_t next_block;   /* to be computed: unit * blocks_in_unit + block */
  int64_t next_written; /* units written so far */
  bool writing;         /* somebody is writing now */
  gv_status status;
  char message[512];
  int workers_started;
} ring;

static void fail_ring(ring *r, gv_status status, const char *message) {
  if (r->status == GV_OK) {
    r->status = status;
    snprintf(r->message, sizeof r->message, "%s", message);
  }
  pthread_cond_broadcast(&r->moved);
}

/* Writes one unit; without the lock, but with `writing` set. */
static bool write_unit(ring *r, const slot *s) {
  gv_raster_out *raster = r->raster;
  GDALRasterBandH band = GDALGetRasterBand(raster->dataset, 1);
  int64_t column = s->unit % r->units_across, row = s->unit / r->units_across;
  if (raster->tiles) return GDALWriteBlock(band, (int)column, (int)row, s->buffer) == CE_None;
  int64_t y = row * raster->unit_h;
  int64_t rows = raster->height - y < raster->unit_h ? raster->height - y : raster->unit_h;
  return GDALRasterIO(band, GF_Write, 0, (int)y, (int)raster->width, (int)rows, s->buffer, (int)raster->width,
                      (int)rows, raster->type, 0, 0) == CE_None;
}

/* Writes whatever is complete and next in the file, unless another worker is at it. Called and left with the lock.
 */
static void write_ready(ring *r) {
  while (!r->writing && r->status == GV_OK && r->next_written < r->units) {
    slot *s = &r->slots[r->next_written % r->slot_count];
    if (s->unit != r->next_written || s->blocks_to_come != 0) return;
    r->writing = true;
    pthread_mutex_unlock(&r->lock);
    bool written = write_unit(r, s);
    double fraction = (double)(r->next_written + 1) / (double)r->units;
    bool go_on = r->progress == NULL || r->progress(fraction, "", r->progress_user);
    go_on = go_on && !gv_io_cancelled(r->io);
    pthread_mutex_lock(&r->lock);
    r->writing = false;
    s->unit = -1;
    r->next_written++;
    if (!written) {
      char why[400];
      gv_gdal_failure(why, sizeof why);
      fail_ring(r, GV_ERROR_IO, why[0] != '\0' ? why : "writing failed");
    } else if (!go_on) {
      fail_ring(r, GV_ERROR_CANCELLED, "cancelled");
    }
    pthread_cond_broadcast(&r->moved);
  }
}

/* Blocks at the edge leave the rest of a tile as it was: nodata compresses to nothing. */
static void fill_unit(const ring *r, slot *s) {
  const gv_raster_out *raster = r->raster;
  int64_t column = s->unit % r->units_across, row = s->unit / r->units_across;
  bool whole = (column + 1) * raster->unit_w <= raster->width && (row + 1) * raster->unit_h <= raster->height;
  if (whole) return;
  int64_t cells = raster->unit_w * raster->unit_h;
  if (raster->type == GDT_Int64) {
    int64_t *out = (int64_t *)(void *)s->buffer;
    for (int64_t i = 0; i < cells; i++)
      out[i] = raster->nodata;
  } else {
    int32_t *out = (int32_t *)(void *)s->buffer;
    for (int64_t i = 0; i < cells; i++)
      out[i] = (int32_t)raster->nodata;
  }
}

static void work(ring *r, int worker) {
  const gv_raster_out *raster = r->raster;
  int64_t per_unit = raster->blocks_in_unit;
  size_t cell = (size_t)GDALGetDataTypeSizeBytes(raster->type);
  pthread_mutex_lock(&r->lock);
  while (r->status == GV_OK && r->next_block < r->units * per_unit) {
    int64_t number = r->next_block, unit = number / per_unit, part = number % per_unit;
    slot *s = &r->slots[unit % r->slot_count];
    if (part == 0) {
      if (s->unit != -1) { /* its last unit is not written yet */
        write_ready(r);
        if (s->unit != -1 && r->next_block == number && r->status == GV_OK) pthread_cond_wait(&r->moved, &r->lock);
        continue;
      }
      s->unit = unit;
      s->blocks_to_come = per_unit;
      fill_unit(r, s);
    }
    r->next_block++;
    pthread_mutex_unlock(&r->lock);

    char message[512] = "";
    int64_t unit_column = unit % r->units_across, unit_row = unit / r->units_across;
    char *out = s->buffer + (size_t)(part * raster->block_w) * cell;
    gv_status status = r->compute(r->user, worker, unit_column * per_unit + part, unit_row, out, raster->unit_w,
                                  message, sizeof message);
    if (status == GV_OK && gv_io_cancelled(r->io)) {
      status = GV_ERROR_CANCELLED;
      snprintf(message, sizeof message, "cancelled");
    }
    pthread_mutex_lock(&r->lock);
    s->blocks_to_come--;
    if (status != GV_OK) {
      fail_ring(r, status, message);
    } else {
      write_ready(r);
    }
  }
  /* Units that others complete later are written by them. */
  write_ready(r);
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

static gv_status make_slots(gv_io *io, ring *r, int workers) {
  const gv_raster_out *raster = r->raster;
  int64_t bytes = raster->unit_w * raster->unit_h * GDALGetDataTypeSizeBytes(raster->type);
  int64_t count = raster->tiles ? 2 * (int64_t)workers + 2 : 3;
  if (count > MAX_RING_BYTES / bytes) count = MAX_RING_BYTES / bytes;
  if (count < 2) count = 2;
  if (count > r->units) count = r->units;
  r->slots = calloc((size_t)count, sizeof *r->slots);
  if (r->slots == NULL) return gv_io_fail_memory(io, "the output blocks");
  r->slot_count = count;
  for (int64_t i = 0; i < count; i++) {
    r->slots[i].unit = -1;
    r->slots[i].buffer = aligned_alloc(64, ((size_t)bytes + 63) / 64 * 64);
    if (r->slots[i].buffer == NULL) return gv_io_fail_memory(io, "the output blocks");
  }
  return GV_OK;
}

gv_status gv_raster_write(gv_io *io, gv_raster_out *raster, gv_raster_block_fn compute, void *user, int workers,
                          GDALProgressFunc progress, void *progress_user) {
  ring r = {.raster = raster,
            .compute = compute,
            .user = user,
            .progress = progress,
            .progress_user = progress_user,
            .io = io,
            .lock = PTHREAD_MUTEX_INITIALIZER,
            .moved = PTHREAD_COND_INITIALIZER};
  r.units_across = (raster->width + raster->unit_w - 1) / raster->unit_w;
  r.units = r.units_across * ((raster->height + raster->unit_h - 1) / raster->unit_h);
  if ((int64_t)workers > r.units * raster->blocks_in_unit) workers = (int)(r.units * raster->blocks_in_unit);
  if (workers < 1) workers = 1;
  pthread_t *threads = calloc((size_t)workers, sizeof *threads);
  thread_start *starts = calloc((size_t)workers, sizeof *starts);
  gv_status status = threads != NULL && starts != NULL ? GV_OK : gv_io_fail_memory(io, "the worker threads");
  if (status == GV_OK) status = make_slots(io, &r, workers);
  if (status != GV_OK) goto end;
  gv_gdal_reset();
  /* The calling thread is worker 0. Fewer threads than asked for is slower, not wrong. */
  int started = 1;
  for (; started < workers; started++) {
    starts[started] = (thread_start){&r, started};
    if (pthread_create(&threads[started], NULL, run_worker, &starts[started]) != 0) break;
  }
  work(&r, 0);
  for (int i = 1; i < started; i++)
    pthread_join(threads[i], NULL);
  status = r.status;
  if (status == GV_ERROR_IO) {
    gv_io_fail(io, status, "cannot write %s: %s", raster->path, r.message);
  } else if (status != GV_OK) {
    gv_io_fail(io, status, "%s", r.message);
  }
end:
  for (int64_t i = 0; i < r.slot_count; i++)
    free(r.slots[i].buffer);
  free(r.slots);
  free(threads);
  free(starts);
  pthread_cond_destroy(&r.moved);
  pthread_mutex_destroy(&r.lock);
  return status;
}

/* --------------------------------------------------------------------------------------------------- finishing */

gv_status gv_raster_set_table(gv_io *io, gv_raster_out *raster, GDALRasterAttributeTableH table) {
  gv_gdal_reset();
  if (GDALSetDefaultRAT(GDALGetRasterBand(raster->dataset, 1), table) == CE_None) return GV_OK;
  if (gv_gdal_failed())
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write the attribute table of %s", raster->path);
  /* Some formats decline without a word; the raster is worth having all the same. */
  gv_io_warn("the driver %s has no place for an attribute table", GDALGetDriverShortName(raster->driver));
  return GV_OK;
}

/* GDALClose tells of a full disk only through the message handler. */
static gv_status close_dataset(gv_io *io, gv_raster_out *raster) {
  GDALDatasetH dataset = raster->dataset;
  raster->dataset = NULL;
  gv_gdal_reset();
  GDALClose(dataset);
  return gv_gdal_failed() ? gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", raster->path) : GV_OK;
}

static gv_status copy_into_format(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress,
                                  void *progress_user) {
  gv_status status = close_dataset(io, raster);
  if (status != GV_OK) return status;
  char *source = raster->work;
  raster->work = strdup(CPLFormFilename(raster->directory, CPLGetFilename(raster->path), NULL));
  GDALDatasetH from = raster->work != NULL ? GDALOpen(source, GA_ReadOnly) : NULL;
  if (from == NULL) {
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster back");
  } else {
    gv_gdal_reset();
    raster->dataset = GDALCreateCopy(raster->driver, raster->work, from, FALSE, (CSLConstList)raster->options,
                                     progress, progress_user);
    if (gv_io_cancelled(io)) {
      status = gv_io_fail_cancelled(io);
    } else if (raster->dataset == NULL || gv_gdal_failed()) {
      status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", raster->path);
    }
    if (status == GV_OK) status = close_dataset(io, raster);
    GDALClose(from);
  }
  VSIUnlink(source);
  VSIUnlink(CPLSPrintf("%s.aux.xml", source));
  free(source);
  return status;
}

/* Side files of an output that was there before would speak of other regions. */
static void remove_stale(const gv_raster_out *raster, char **fresh) {
  static const char *const suffixes[] = {".aux.xml", ".ovr", ".msk", ".msk.ovr"};
  const char *name = CPLGetFilename(raster->path);
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    char *side = CPLStrdup(CPLSPrintf("%s%s", name, suffixes[i]));
    char *path = CPLStrdup(CPLSPrintf("%s%s", raster->path, suffixes[i]));
    VSIStatBufL found;
    if (CSLFindString(fresh, side) < 0 && VSIStatL(path, &found) == 0) VSIUnlink(path);
    CPLFree(side);
    CPLFree(path);
  }
}

static gv_status move_file(gv_io *io, const gv_raster_out *raster, const char *name) {
  const char *parent = CPLGetPath(raster->path);
  char *from = CPLStrdup(CPLFormFilename(raster->directory, name, NULL));
  char *to = CPLStrdup(parent[0] != '\0' ? CPLFormFilename(parent, name, NULL) : name);
  errno = 0;
  int failed = VSIRename(from, to);
  gv_status status = GV_OK;
  if (failed != 0) status = gv_io_fail(io, GV_ERROR_IO, "cannot move the output to %s: %s", to, strerror(errno));
  CPLFree(from);
  CPLFree(to);
  return status;
}

/* The raster itself first: it is complete without its side files, an old one with new side files is not. */
static gv_status move_into_place(gv_io *io, gv_raster_out *raster) {
  const char *main_name = CPLGetFilename(raster->path);
  char **files = VSIReadDir(raster->directory);
  gv_status status = CSLFindString(files, main_name) >= 0
                         ? GV_OK
                         : gv_io_fail(io, GV_ERROR_IO, "the driver %s has not written %s",
                                      GDALGetDriverShortName(raster->driver), main_name);
  if (status == GV_OK && !raster->overwrite) status = check_path(io, raster); /* made by somebody meanwhile? */
  if (status == GV_OK) status = move_file(io, raster, main_name);
  if (status == GV_OK) remove_stale(raster, files);
  for (char **file = files; status == GV_OK && file != NULL && *file != NULL; file++) {
    if (EQUAL(*file, ".") || EQUAL(*file, "..") || strcmp(*file, main_name) == 0) continue;
    status = move_file(io, raster, *file);
  }
  CSLDestroy(files);
  return status;
}

gv_status gv_raster_finish(gv_io *io, gv_raster_out *raster, GDALProgressFunc progress, void *progress_user) {
  gv_status status =
      raster->copies ? copy_into_format(io, raster, progress, progress_user) : close_dataset(io, raster);
  if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  if (status == GV_OK) status = move_into_place(io, raster);
  raster->finished = status == GV_OK;
  return status;
}

void gv_raster_close(gv_raster_out *raster) {
  if (raster == NULL) return;
  if (raster->dataset != NULL) GDALClose(raster->dataset);
  if (raster->directory != NULL) {
    VSIRmdirRecursive(raster->directory);
    set_abandon(NULL);
  }
  CSLDestroy(raster->options);
  free(raster->path);
  free(raster->directory);
  free(raster->work);
  free(raster);
}
