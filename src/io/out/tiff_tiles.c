/*
 * Each thread encodes with its own TIFF, which is written to a buffer only, so libtiff's codecs work as for
 * the file. The encoded tiles are then written to the file by TIFFWriteRawTile, which keeps the table of
 * tiles.
 */
#include "io/out/tiff_tiles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <tiffio.h>

#include "io/grow.h"
#include "io/retry.h"

enum {
  MESSAGE = 256,
  TILES_A_SCRATCH = 4096, /* tiles encoded until the scratch TIFF is made anew */
  CONSTANTS = 64          /* encoded tiles of one value that are kept, a power of 2 */
};

/* How tiles are encoded; all of it but the levels is in the file. */
typedef struct encoding {
  uint32_t width, height;
  uint16_t bits, sample_format, photometric, compression, predictor;
  bool big_endian;
  uint32_t level_tag; /* 0 = none */
  int level;
  size_t bytes; /* of a tile's values */
} encoding;

struct gv_tiff {
  TIFF *file;
  int descriptor;
  const char *name;
  encoding encoding;
  char complaint[MESSAGE]; /* what libtiff complained about first */
};

/* ----------------------------------------------------------------------------------------------- messages */

static int receive_error(TIFF *file, void *user, const char *module, const char *format, va_list arguments) {
  char *complaint = user;
  (void)file, (void)module;
  if (complaint[0] == '\0') vsnprintf(complaint, MESSAGE, format, arguments);
  return 1; /* handled */
}

static int receive_warning(TIFF *file, void *user, const char *module, const char *format,
                           va_list arguments) {
  (void)file, (void)user, (void)module, (void)format, (void)arguments;
  return 1; /* GDAL's own tags are ignored */
}

static TIFFOpenOptions *open_options(char *complaint) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (options == NULL) return NULL;
  TIFFOpenOptionsSetErrorHandlerExtR(options, receive_error, complaint);
  TIFFOpenOptionsSetWarningHandlerExtR(options, receive_warning, NULL);
  return options;
}

static gv_status failed(gv_io *io, const char *name, const char *complaint, int error) {
  const char *why = error != 0             ? strerror(error)
                    : complaint[0] != '\0' ? complaint
                                           : "unknown error of libtiff";
  return gv_io_fail(io, GV_ERROR_IO, "cannot write %s: %s", name, why);
}

/* --------------------------------------------------------------------------------------------------- file */

/* libtiff's own file functions, except that calls interrupted by a signal are repeated. */
static tmsize_t file_read(thandle_t handle, void *bytes, tmsize_t size) {
  return gv_retry_read(((const gv_tiff *)handle)->descriptor, bytes, (size_t)size);
}

static toff_t file_seek(thandle_t handle, toff_t offset, int whence) {
  return (toff_t)lseek(((const gv_tiff *)handle)->descriptor, (off_t)offset, whence);
}

static tmsize_t file_write(thandle_t handle, void *bytes, tmsize_t size) {
  return gv_retry_write_all(((const gv_tiff *)handle)->descriptor, bytes, (size_t)size) ? size : -1;
}

static int no_close(thandle_t handle) {
  (void)handle; /* by gv_tiff_close */
  return 0;
}

static toff_t file_size(thandle_t handle) {
  struct stat found;
  return fstat(((const gv_tiff *)handle)->descriptor, &found) == 0 ? (toff_t)found.st_size : 0;
}

/* Supported codecs, with GDAL's names, options and levels. */
static const struct codec {
  const char *name;
  uint16_t number;
  bool predicts;
  uint32_t level_tag; /* 0 = none */
  const char *level_option;
  int level;
} codecs[] = {{"NONE", COMPRESSION_NONE, false, 0, "", 0},
              {"LZW", COMPRESSION_LZW, true, 0, "", 0},
              {"PACKBITS", COMPRESSION_PACKBITS, false, 0, "", 0},
              {"DEFLATE", COMPRESSION_ADOBE_DEFLATE, true, TIFFTAG_ZIPQUALITY, "ZLEVEL", 6},
              {"ZSTD", COMPRESSION_ZSTD, true, TIFFTAG_ZSTD_LEVEL, "ZSTD_LEVEL", 9},
              {"LZMA", COMPRESSION_LZMA, true, TIFFTAG_LZMAPRESET, "LZMA_PRESET", 6}};

static const struct codec *find_codec(char **options) {
  const char *name = CSLFetchNameValueDef(options, "COMPRESS", "NONE");
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    if (EQUAL(name, codecs[i].name)) return TIFFIsCODECConfigured(codecs[i].number) ? &codecs[i] : NULL;
  return NULL;
}

static void tiff_pass_on(const char *module, const char *format, va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  CPLError(CE_Failure, CPLE_FileIO, "%s: %s", module != NULL ? module : "libtiff", text);
}

void gv_tiff_pass_on_messages(void) {
  TIFFSetErrorHandler(tiff_pass_on);
}

bool gv_tiff_possible(char **creation_options) {
  /* Options that change values, leave tiles out or change the layout of the file. */
  static const char *const gdals[] = {"SPARSE_OK", "STREAMABLE_OUTPUT", "COPY_SRC_OVERVIEWS", "NBITS",
                                      "DISCARD_LSB"};
  for (size_t i = 0; i < sizeof gdals / sizeof *gdals; i++)
    if (CSLFetchNameValue(creation_options, gdals[i]) != NULL) return false;
  return find_codec(creation_options) != NULL &&
         CPLTestBool(CSLFetchNameValueDef(creation_options, "TILED", "NO"));
}

bool gv_tiff_same_encoding(char **a, char **b) {
  static const char *const keys[] = {"COMPRESS",   "PREDICTOR",  "ZLEVEL",     "ZSTD_LEVEL", "LZMA_PRESET",
                                     "ENDIANNESS", "BLOCKXSIZE", "BLOCKYSIZE", "TILED"};
  bool same = true;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    same = same && EQUAL(CSLFetchNameValueDef(a, keys[i], ""), CSLFetchNameValueDef(b, keys[i], ""));
  return same;
}

static bool read_encoding(TIFF *file, char **options, encoding *e) {
  const struct codec *codec = find_codec(options);
  TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &e->bits);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &e->sample_format);
  TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &e->compression);
  if (codec == NULL || codec->number != e->compression || !TIFFGetField(file, TIFFTAG_TILEWIDTH, &e->width) ||
      !TIFFGetField(file, TIFFTAG_TILELENGTH, &e->height) ||
      !TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &e->photometric)) {
    return false;
  }
  e->predictor = PREDICTOR_NONE;
  if (codec->predicts) TIFFGetField(file, TIFFTAG_PREDICTOR, &e->predictor);
  e->level_tag = codec->level_tag;
  e->level = atoi(CSLFetchNameValueDef(options, codec->level_option, CPLSPrintf("%d", codec->level)));
  e->big_endian = TIFFIsBigEndian(file) != 0;
  e->bytes = (size_t)TIFFTileSize(file);
  return true;
}

gv_status gv_tiff_open(gv_io *io, const char *path, const char *name, char **creation_options,
                       gv_tiff **out) {
  gv_tiff *tiff = calloc(1, sizeof *tiff);
  TIFFOpenOptions *options = tiff != NULL ? open_options(tiff->complaint) : NULL;
  if (options == NULL) {
    free(tiff);
    return gv_io_fail_memory(io, "the output");
  }
  tiff->descriptor = gv_retry_open(path, O_RDWR | O_CLOEXEC, 0);
  if (tiff->descriptor >= 0) {
    tiff->file = TIFFClientOpenExt(name, "r+", tiff, file_read, file_write, file_seek, no_close, file_size,
                                   NULL, NULL, options);
  }
  TIFFOpenOptionsFree(options);
  tiff->name = name;
  if (tiff->file != NULL && read_encoding(tiff->file, creation_options, &tiff->encoding)) {
    *out = tiff;
    return GV_OK;
  }
  gv_status status = failed(io, name, tiff->complaint, tiff->descriptor < 0 ? errno : 0);
  gv_tiff_close(tiff);
  return status;
}

gv_status gv_tiff_append(gv_io *io, gv_tiff *tiff, int plane, int64_t column, int64_t row,
                         const gv_tiff_tile *tile) {
  const encoding *e = &tiff->encoding;
  uint32_t number =
      TIFFComputeTile(tiff->file, (uint32_t)column * e->width, (uint32_t)row * e->height, 0, (uint16_t)plane);
  tmsize_t size = (tmsize_t)tile->size;
  errno = 0;
  if (TIFFWriteRawTile(tiff->file, number, tile->bytes, size) == size) return GV_OK;
  return failed(io, tiff->name, tiff->complaint, errno);
}

gv_status gv_tiff_complete(gv_io *io, gv_tiff *tiff) {
  errno = 0;
  bool good = TIFFFlush(tiff->file) != 0 && tiff->complaint[0] == '\0';
  int second =
      good ? dup(tiff->descriptor) : -1; /* network file systems report failed writes when a file is closed */
  good = second >= 0 && close(second) == 0;
  return good ? GV_OK : failed(io, tiff->name, tiff->complaint, errno);
}

void gv_tiff_close(gv_tiff *tiff) {
  if (tiff->file != NULL) TIFFClose(tiff->file);
  if (tiff->descriptor >= 0) close(tiff->descriptor);
  free(tiff);
}

/* ----------------------------------------------------------------------------------------------- encoders */

/* A tile of one value, encoded. */
typedef struct constant {
  uint64_t value;
  gv_tiff_tile tile; /* no bytes = none yet */
} constant;

struct gv_tiff_encoder {
  const gv_tiff *tiff;
  TIFF *scratch;
  uint32_t next;                 /* tile of the scratch TIFF */
  char complaint[MESSAGE];       /* what libtiff complained about first */
  gv_tiff_tile *capture;         /* where its bytes go; NULL = nowhere */
  toff_t at, end;                /* of the file that does not exist */
  constant constants[CONSTANTS]; /* Gain: 1.3 times the CPU time without, 60 seeds, 21600x10800 */
};

static tmsize_t no_read(thandle_t handle, void *bytes, tmsize_t size) {
  (void)handle, (void)bytes, (void)size;
  return -1;
}

/* Adds bytes to a tile; false when out of memory. */
static bool add_bytes(gv_tiff_tile *tile, const void *bytes, size_t size) {
  unsigned char *more = gv_grow(tile->bytes, &tile->room, (int64_t)(tile->size + size), 1);
  if (more == NULL) return false;
  tile->bytes = more;
  memcpy(tile->bytes + tile->size, bytes, size);
  tile->size += size;
  return true;
}

static tmsize_t capture_write(thandle_t handle, void *bytes, tmsize_t size) {
  gv_tiff_encoder *encoder = handle;
  if (encoder->capture != NULL && !add_bytes(encoder->capture, bytes, (size_t)size)) return -1;
  encoder->at += (toff_t)size;
  if (encoder->at > encoder->end) encoder->end = encoder->at;
  return size;
}

static toff_t pretend_seek(thandle_t handle, toff_t offset, int whence) {
  gv_tiff_encoder *encoder = handle;
  encoder->at = whence == SEEK_SET ? offset : (whence == SEEK_CUR ? encoder->at : encoder->end) + offset;
  return encoder->at;
}

static toff_t pretend_size(thandle_t handle) {
  return ((gv_tiff_encoder *)handle)->end;
}

static void drop_scratch(gv_tiff_encoder *encoder) {
  encoder->capture = NULL;
  if (encoder->scratch != NULL) TIFFClose(encoder->scratch);
  encoder->scratch = NULL;
}

/* A tall TIFF of one column of tiles, BigTIFF so that it never gets too large. */
static gv_status make_scratch(gv_io *io, gv_tiff_encoder *encoder) {
  const encoding *e = &encoder->tiff->encoding;
  drop_scratch(encoder);
  encoder->at = encoder->end = 0;
  encoder->next = 0;
  encoder->complaint[0] = '\0';
  TIFFOpenOptions *options = open_options(encoder->complaint);
  if (options == NULL) return gv_io_fail_memory(io, "the output");
  encoder->scratch = TIFFClientOpenExt("tile", e->big_endian ? "wb8" : "wl8", encoder, no_read, capture_write,
                                       pretend_seek, no_close, pretend_size, NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  TIFF *t = encoder->scratch;
  bool made =
      t != NULL && TIFFSetField(t, TIFFTAG_IMAGEWIDTH, e->width) &&
      TIFFSetField(t, TIFFTAG_IMAGELENGTH, e->height * TILES_A_SCRATCH) &&
      TIFFSetField(t, TIFFTAG_TILEWIDTH, e->width) && TIFFSetField(t, TIFFTAG_TILELENGTH, e->height) &&
      TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, e->bits) && TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 1) &&
      TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, e->sample_format) &&
      TIFFSetField(t, TIFFTAG_PHOTOMETRIC, e->photometric) &&
      TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
      TIFFSetField(t, TIFFTAG_COMPRESSION, e->compression) &&
      (e->predictor == PREDICTOR_NONE || TIFFSetField(t, TIFFTAG_PREDICTOR, e->predictor)) &&
      (e->level_tag == 0 || TIFFSetField(t, e->level_tag, e->level));
  return made ? GV_OK : failed(io, encoder->tiff->name, encoder->complaint, 0);
}

gv_tiff_encoder *gv_tiff_encoder_create(const gv_tiff *tiff) {
  gv_tiff_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  encoder->tiff = tiff;
  return encoder;
}

void gv_tiff_encoder_destroy(gv_tiff_encoder *encoder) {
  if (encoder == NULL) return;
  drop_scratch(encoder);
  for (int i = 0; i < CONSTANTS; i++)
    gv_tiff_tile_free(&encoder->constants[i].tile);
  free(encoder);
}

void gv_tiff_tile_free(gv_tiff_tile *tile) {
  free(tile->bytes);
  memset(tile, 0, sizeof *tile);
}

/* Where the encoded tile of this one value is kept, or is to be; NULL if the tile has several values. */
static constant *constant_of(gv_tiff_encoder *encoder, const void *values, bool uniform) {
  size_t size = encoder->tiff->encoding.bits / 8;
  const unsigned char *bytes = values;
  if (!uniform && memcmp(bytes, bytes + size, encoder->tiff->encoding.bytes - size) != 0) return NULL;
  uint64_t value = 0;
  memcpy(&value, bytes, size);
  constant *c = &encoder->constants[value % CONSTANTS];
  if (c->tile.size > 0 && c->value != value) c->tile.size = 0;
  c->value = value;
  return c;
}

/* False when out of memory: copying only saves time. */
static bool copy_tile(const gv_tiff_tile *from, gv_tiff_tile *to) {
  to->size = 0;
  return add_bytes(to, from->bytes, from->size);
}

/* Copies the first half of the filled values to the second. */
static void repeat_first(const encoding *e, void *values) {
  unsigned char *bytes = values;
  for (size_t filled = e->bits / 8; filled < e->bytes;) {
    size_t more = filled < e->bytes - filled ? filled : e->bytes - filled;
    memcpy(bytes + filled, bytes, more);
    filled += more;
  }
}

gv_status gv_tiff_encode(gv_io *io, gv_tiff_encoder *encoder, void *values, bool uniform,
                         gv_tiff_tile *tile) {
  constant *same = constant_of(encoder, values, uniform);
  if (same != NULL && same->tile.size > 0 && copy_tile(&same->tile, tile)) return GV_OK;
  if (uniform) repeat_first(&encoder->tiff->encoding, values);
  bool full = encoder->scratch == NULL || encoder->next == TILES_A_SCRATCH;
  gv_status status = full ? make_scratch(io, encoder) : GV_OK;
  if (status != GV_OK) return status;
  encoder->capture = tile;
  tile->size = 0;
  tmsize_t size = (tmsize_t)encoder->tiff->encoding.bytes;
  bool good = TIFFWriteEncodedTile(encoder->scratch, encoder->next++, values, size) == size;
  encoder->capture = NULL;
  if (!good) return failed(io, encoder->tiff->name, encoder->complaint, 0);
  if (same != NULL) copy_tile(tile, &same->tile);
  return GV_OK;
}
