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
} gv_input;

/* The inputs of a run. The list is the caller's; the rest begins as zeros. */
typedef struct gv_inputs {
  const gv_input *list;
  int count;
  char **files; /* that they are made of */
  bool opened;  /* ... once these are known */
} gv_inputs;

/* The file of an input that `path` leads to, or NULL. If there is something at `path`, all inputs are opened to learn which
 * files they are made of (t.shp: t.dbf and t.shx too; a VRT: its sources), once for all calls. */
const char *gv_inputs_find(gv_inputs *inputs, const char *path);

void gv_inputs_free(gv_inputs *inputs);

/* True if there is anything at `path`, be it a link that leads nowhere. */
bool gv_is_there(const char *path);

/* True if both names lead to one file, which need not exist. NULL leads nowhere. */
bool gv_same_file(const char *a, const char *b);

#endif
