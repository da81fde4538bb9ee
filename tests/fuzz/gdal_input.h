/* What fuzzers of GDAL's inputs share: files in memory, messages, and a GDAL with few drivers. */
#ifndef FUZZ_GDAL_INPUT_H
#define FUZZ_GDAL_INPUT_H

#include <gdal.h>

#include "fuzz.h"
#include "io/in/grid.h"

/* To be called by each execution; GDAL is set up once. */
void fuzz_begin_gdal(void);

/* The bytes as a file of /vsimem, until fuzz_end_gdal. */
void fuzz_put_file(const char *name, const void *data, size_t size);

/* Forgets the files and queued warnings. */
void fuzz_end_gdal(void);

/* A failure has one line of text. */
void fuzz_check_failure(gv_status status, const gv_io *io);

/* Longitude and latitude on WGS 84; never released. */
OGRSpatialReferenceH fuzz_degrees(void);

/* The whole globe in cells of 9 degrees. */
gv_raster_grid fuzz_world(void);

#endif
