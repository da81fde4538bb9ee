/* Built without libtiff: no file is ever opened here, GDAL writes the tiles. */
#include "io/out/tiff_tiles.h"

#include <stddef.h>

bool gv_tiff_possible(char **creation_options) {
  (void)creation_options;
  return false;
}

gv_status gv_tiff_open(gv_io *io, const char *path, const char *name, char **creation_options, int64_t tile_bytes,
                       gv_tiff **out) {
  (void)io, (void)path, (void)name, (void)creation_options, (void)tile_bytes, (void)out;
  return GV_OK;
}

bool gv_tiff_stores_values(const gv_tiff *tiff) {
  (void)tiff;
  return false;
}

void gv_tiff_tile_free(gv_tiff_tile *tile) {
  (void)tile;
}

bool gv_tiff_same_encoding(char **a, char **b) {
  (void)a, (void)b;
  return false;
}

gv_tiff_encoder *gv_tiff_encoder_create(const gv_tiff *tiff) {
  (void)tiff;
  return NULL;
}

void gv_tiff_encoder_destroy(gv_tiff_encoder *encoder) {
  (void)encoder;
}

gv_status gv_tiff_encode(gv_io *io, gv_tiff_encoder *encoder, void *values, bool uniform, gv_tiff_tile *tile) {
  (void)io, (void)encoder, (void)values, (void)uniform, (void)tile;
  return GV_ERROR_UNSUPPORTED;
}

gv_status gv_tiff_append(gv_io *io, gv_tiff *tiff, int plane, int64_t column, int64_t row, const void *bytes,
                         size_t size) {
  (void)io, (void)tiff, (void)plane, (void)column, (void)row, (void)bytes, (void)size;
  return GV_ERROR_UNSUPPORTED;
}

gv_status gv_tiff_complete(gv_io *io, gv_tiff *tiff) {
  (void)io, (void)tiff;
  return GV_ERROR_UNSUPPORTED;
}

void gv_tiff_close(gv_tiff *tiff) {
  (void)tiff;
}
