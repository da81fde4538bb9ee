/*
 * The files that a run reads, so that no output takes the place of one.
 */
#ifndef GV_IO_INPUTS_H
#define GV_IO_INPUTS_H

#include <stdbool.h>

/* A source as it was given; `kind` (GDAL_OF_RASTER, GDAL_OF_VECTOR) is what GDAL opens it as, 0 if it is a plain file. */
typedef struct gv_input {
  const char *source;
  unsigned kind;
  const char *layer;   /* that is read of it; NULL = the only one */
  char **open_options; /* "NAME=VALUE" for GDAL, may be NULL */
  char **files;        /* that it is made of, once that is known */
} gv_input;

/* The inputs of a run. The list is the caller's; the rest, files included, begins as zeros. */
typedef struct gv_inputs {
  gv_input *list;
  int count;
  bool opened; /* the files are known */
} gv_inputs;

/* The file of an input that `path` leads to, or NULL. If there is something at `path`, all inputs are opened to learn which
 * files they are made of (t.shp: t.dbf and t.shx too; a VRT: its sources), once for all calls. */
const char *gv_inputs_find(gv_inputs *inputs, const char *path);

/* True if a layer of the file at `path`, which has so many, is read, or may be: by a source that is made of this file. */
bool gv_inputs_read_layer(gv_inputs *inputs, const char *path, const char *layer, int layers);

/* The same of a raster, a table of a GeoPackage. */
bool gv_inputs_read_raster(gv_inputs *inputs, const char *path, const char *table);

void gv_inputs_free(gv_inputs *inputs);

/* True if there is anything at `path`, be it a link that leads nowhere. */
bool gv_is_there(const char *path);

/* True if both names lead to one file, which need not exist. NULL leads nowhere. */
bool gv_same_file(const char *a, const char *b);

#endif
