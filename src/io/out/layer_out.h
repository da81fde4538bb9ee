/* Layers of vector files while they are written: what tables, neighbors and triangles share. */
#ifndef GV_IO_LAYER_OUT_H
#define GV_IO_LAYER_OUT_H

#include <gdal.h>

#include "io/geometry/box_index.h"
#include "io/out/writer.h"

/* The first driver that creates vector files with the extension of `path`; NULL if there is none. */
GDALDriverH gv_vector_driver(const char *path);

/* gv_place_plan, with the driver by the path's extension. */
gv_status gv_layer_plan(gv_io *io, gv_writer *writer, const char *option, const char *path, const char *layer,
                        bool overwrite);

/* What is the same in the file that is read back. */
typedef struct gv_layer_sums {
  int64_t features, points, long_texts;
  uint64_t integers; /* the sum of all values of integer fields */
} gv_layer_sums;

/* Begins as {.io, .writer}. */
typedef struct gv_layer_out {
  gv_io *io;
  gv_writer *writer;
  const gv_format *format; /* of its driver; from gv_layer_create on */
  OGRLayerH layer;
  bool transactions;
  int64_t waiting;     /* features of the transaction */
  gv_box_index *index; /* NULL: GDAL makes one, or none */
  gv_layer_sums sums;
} gv_layer_out;

/* Begins the writer, unless it has begun, and creates the layer, without fields. `options` may be NULL. */
gv_status gv_layer_create(gv_layer_out *l, OGRSpatialReferenceH crs, OGRwkbGeometryType geometry,
                          const char *const *options);

/* Whether the driver lists the type of fields among those that it creates, or lists none. */
bool gv_layer_lists_type(const gv_layer_out *l, OGRFieldType type);

/* A field like another, or, if that is NULL, of a type. Formats without 64-bit integers get one of 32 bits,
 * as long as values fit. *index = -1: the format leaves it out; an error if `index` is NULL. */
gv_status gv_layer_add_field(const gv_layer_out *l, const char *name, OGRFieldDefnH like, OGRFieldType type,
                             int *index);

enum { GV_FIELD_NAME = 256 };

/* The name of a column for a field of the seeds: its own, or, if that is taken, seed_NAME, with underscores
 * appended while that is taken. */
typedef bool gv_name_taken(const void *user, const char *name);
void gv_field_name(const char *own, gv_name_taken *taken, const void *user, char name[GV_FIELD_NAME]);
/* Appends underscores while the name is taken. */
void gv_field_name_free(gv_name_taken *taken, const void *user, char name[GV_FIELD_NAME]);

/* Whether formats use the name themselves. */
bool gv_field_is_reserved(const char *name);

/*
 * Fields like those of the seeds, named by gv_field_name; but fields before number `first`, which the format
 * has itself (KML's Name), take the values of seeds' fields of that name. `map`: of each field of the seeds,
 * that of the layer, or -1: the format leaves it out.
 */
gv_status gv_layer_add_attributes(const gv_layer_out *l, OGRFeatureDefnH seeds, int first,
                                  gv_name_taken *taken, const void *user, int *map);

/* A feature to be filled; NULL = out of memory. */
OGRFeatureH gv_layer_feature(const gv_layer_out *l);

/* Writes the feature if `status`, that of filling it, is GV_OK, and frees it. */
gv_status gv_layer_write(gv_layer_out *l, OGRFeatureH feature, gv_status status);

/* Completes the file if `status` is GV_OK, and closes it in any case; the first error counts. */
gv_status gv_layer_finish(gv_layer_out *l, gv_status status);

#endif
