/*
 * CSV files of the plainest kind, read by all threads.
 *
 * OGR needs about a microsecond a row, most of it for memory. Where a file has no quotation marks and every line has the
 * header's number of values, lines can be told apart anywhere in it and nothing is left to interpret, so that this comes to
 * what OGR's CSV driver sees. Whatever is not that plain is OGR's.
 */
#ifndef GV_IO_PLAIN_CSV_H
#define GV_IO_PLAIN_CSV_H

#include <ogr_api.h>

#include "io/io.h"

typedef struct gv_plain_csv gv_plain_csv;

/* A value: not terminated, but a comma, the end of the line or a 0 follows. */
typedef struct gv_plain_value {
  const char *text;
  size_t length;
} gv_plain_value;

/* Called for row `row` (from 0) with a value for each field of the layer; any thread, any order. False ends the walk. */
typedef bool (*gv_plain_csv_row)(void *user, int64_t row, const gv_plain_value *values);

/* Reads the file `path`, which OGR has opened as `layer`, into memory. NULL if it is no local file, not plain (fields that are
 * not of text, too, are none of this), or does not fit into memory: OGR has to read it then. */
gv_plain_csv *gv_plain_csv_open(const char *path, OGRLayerH layer, int threads);

/* OGR's definition of the layer, the file's own. */
OGRFeatureDefnH gv_plain_csv_definition(const gv_plain_csv *csv);

/* Number of rows, at least 1; row i is OGR's feature i + 1. */
int64_t gv_plain_csv_rows(const gv_plain_csv *csv);

/* Walks through all rows. False if a line has another number of values than the header, or `row` has returned false. */
bool gv_plain_csv_walk(const gv_plain_csv *csv, gv_plain_csv_row row, void *user);

/* The same for one of the parts that threads read, of some thousand rows that follow those of the part before. */
int gv_plain_csv_parts(const gv_plain_csv *csv);
bool gv_plain_csv_walk_part(const gv_plain_csv *csv, int index, gv_plain_csv_row row, void *user);

/* Number of the rows before the end of a part. */
int64_t gv_plain_csv_part_end(const gv_plain_csv *csv, int index);

/* NULL is allowed. */
void gv_plain_csv_close(gv_plain_csv *csv);

#endif
