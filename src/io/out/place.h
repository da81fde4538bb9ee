/*
 * The destination of an output: a separate file, or a layer of a file that may hold others (GeoPackages,
 * SpatiaLite databases, spreadsheets ...). A raster's layer is a table of a GeoPackage.
 *
 * Existing layers of such a file are kept: a copy of the file, in the output's temporary directory, gets the
 * new layer and is moved into place with the other outputs (io/transaction/output.h). Several outputs of a
 * run may be layers of one file, which is copied once; their datasets must not be open at the same time. A
 * layer replaces only a layer of the same name.
 */
#ifndef GV_IO_PLACE_H
#define GV_IO_PLACE_H

#include <gdal.h>

#include "io/format.h"
#include "io/transaction/container_file.h"
#include "io/transaction/output.h"

typedef struct gv_place_options {
  const char *option; /* named in messages; not copied */
  const char *path;
  GDALDriverH driver; /* NULL = none of GDAL's vector or raster drivers: the file is the output's own */
  const char *layer;  /* NULL = the file holds nothing else */
  bool overwrite;
  bool raster; /* the layer is one */
} gv_place_options;

typedef struct gv_place {
  gv_output output;
  const char *option;
  GDALDriverH driver;
  char *layer; /* NULL = the file holds nothing else */
  bool raster; /* the layer is one */
  bool existed;
  bool kept;     /* the file's other layers stay */
  bool replaces; /* the file has a layer of that name */
  int layers;    /* in the file, if `kept` */
  /* Of the first output in a file: */
  bool made; /* the work file is there */
  gv_file_state copied;
  struct gv_place *first; /* of the outputs in this file: this one, or another */
  bool shared;            /* by outputs of which this is the first */
} gv_place;

/* Checks that the file can be written to and what it holds. `place` must stay where it is until
 * gv_place_clear. */
gv_status gv_place_plan(gv_io *io, gv_place *place, const gv_place_options *options);

/* To be called once all places of a run are planned: an error if two are the same. */
gv_status gv_places_join(gv_io *io, gv_place *const *places, int count);

/* Makes the temporary directory, and the copy if there is to be one. */
gv_status gv_place_begin(gv_io *io, gv_place *place);

/* True if the file's other layers stay. */
bool gv_place_amends(const gv_place *place);

/* True if the file will also hold other layers: existing ones, or other outputs. */
bool gv_place_has_others(const gv_place *place);

/* Name of the layer in messages. */
const char *gv_place_noun(const gv_place *place);

/* The file to be written, once begun. */
const char *gv_place_work(const gv_place *place);

/* Creates the file, or opens the existing one without a layer of that name. For layers call gv_place_begin
 * first. */
gv_status gv_place_open(gv_io *io, gv_place *place, GDALDatasetH *dataset);

/* For a raster that has others, to be begun before: without one of that name the file is what GDAL is to add
 * it to; unless *append, there is none yet, and GDAL creates it. */
gv_status gv_place_make_room(gv_io *io, gv_place *place, bool *append);

/* Fails with "cannot ACTION PATH", GDAL's first failure, and what is free on the disk if that is little: on
 * full disks GDAL names what it fails to find. */
gv_status gv_place_fail(gv_io *io, const gv_place *place, const char *action);

/* As gv_output_check_written. */
gv_status gv_place_check_written(gv_io *io, const gv_place *place);

/* As gv_outputs_commit; files that have changed since they were copied are not replaced. */
gv_status gv_places_commit(gv_io *io, gv_place *const *places, int count, gv_inputs *inputs, gv_sync sync);

/* Removes files that are not in place and frees. */
void gv_place_clear(gv_place *place);

#endif
