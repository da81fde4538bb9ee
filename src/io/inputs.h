/* The files that a run reads; no output may replace one of them. */
#ifndef GV_IO_INPUTS_H
#define GV_IO_INPUTS_H

#include <stdbool.h>

#include "io/io.h"

/* A source as the caller named it; `kind` (GDAL_OF_RASTER, GDAL_OF_VECTOR) is how GDAL opens it, 0 for a
 * plain file. */
typedef struct gv_input {
  const char *source;
  unsigned kind;
  const char *layer;   /* that is read of it; NULL = the only one */
  char **open_options; /* "NAME=VALUE" for GDAL, may be NULL */
  char **files;        /* its files, once they are found */
} gv_input;

/* The inputs of a run. Begins as {0}; texts and options are borrowed. */
typedef struct gv_inputs {
  gv_input *list;
  int64_t room;
  int count;
  bool opened; /* the files are found */
  bool lacks;  /* memory ran out: some are missing */
} gv_inputs;

/* Adds an input, unless its source is NULL. */
gv_status gv_inputs_add(gv_io *io, gv_inputs *inputs, gv_input input);

/* The file of an input at `path`, or NULL. If a file exists at `path`, all inputs are opened to find their
 * files, once for all calls: t.shp has t.dbf and t.shx, a VRT its sources and theirs, an on-demand raster its
 * description and what that names, a file in an archive the archive. */
const char *gv_inputs_find(gv_inputs *inputs, const char *path);

/* All files of all inputs of an on-demand raster: a list of io/strings.h. *out is to be freed in any case. */
gv_status gv_inputs_files(gv_io *io, gv_inputs *inputs, char ***out);

/* The name of an on-demand raster that is read, directly or through GDAL's virtual rasters; NULL if there is
 * none. Opens virtual rasters only. */
const char *gv_inputs_find_on_demand(gv_inputs *inputs);

/* True if a layer of the file at `path`, which has `layers` layers, is or may be read by a source in this
 * file. */
bool gv_inputs_read_layer(gv_inputs *inputs, const char *path, const char *layer, int layers);

/* The same of a raster, a table of a GeoPackage. */
bool gv_inputs_read_raster(gv_inputs *inputs, const char *path, const char *table);

void gv_inputs_free(gv_inputs *inputs);

/* True if `path` exists, also as a broken link. */
bool gv_path_exists(const char *path);

/* True if both names lead to one file, which need not exist. NULL leads nowhere. */
bool gv_same_file(const char *a, const char *b);

#endif
