#include "io/in/cells/place_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <gdal.h>

#include "core/angles.h"
#include "io/in/cells/place_list.h"
#include "io/in/input_limit.h"

enum { MOST_DIMENSIONS = 4, MOST_CORNERS = 64 };

bool gv_place_arrays_may_be(const char *source) {
  static const char *const endings[] = {"nc", "nc4", "cdf", "zarr"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (EQUAL(CPLGetExtension(source), endings[i])) return true;
  return false;
}

/* All numbers of an array, NaN where the file has none. */
static bool place_read_numbers(GDALMDArrayH array, int64_t total, double *to) {
  GUInt64 start[MOST_DIMENSIONS] = {0};
  size_t count[MOST_DIMENSIONS] = {0}, dimensions = 0;
  GDALDimensionH *of = GDALMDArrayGetDimensions(array, &dimensions);
  for (size_t d = 0; d < dimensions && d < MOST_DIMENSIONS; d++)
    count[d] = (size_t)GDALDimensionGetSize(of[d]);
  if (of != NULL) GDALReleaseDimensions(of, dimensions);
  GDALMDArrayH unscaled = GDALMDArrayGetUnscaled(array);
  GDALExtendedDataTypeH type = GDALExtendedDataTypeCreate(GDT_Float64);
  bool good = unscaled != NULL && GDALMDArrayRead(unscaled, start, count, NULL, NULL, type, to, to,
                                                  (size_t)total * sizeof *to) != 0;
  int has_nodata = 0;
  double nodata = good ? GDALMDArrayGetNoDataValueAsDouble(unscaled, &has_nodata) : 0.0;
  for (int64_t i = 0; i < total && good && has_nodata; i++)
    if (to[i] == nodata) to[i] = (double)NAN;
  GDALExtendedDataTypeRelease(type);
  GDALMDArrayRelease(unscaled);
  return good;
}

/* As degrees. */
static gv_status place_read(gv_io *io, const char *source, const gv_place_array *from, double *to) {
  if (!place_read_numbers(from->array, from->count, to))
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", source);
  for (int64_t i = 0; i < from->count && from->radians; i++)
    to[i] /= GV_DEGREE;
  return GV_OK;
}

/* Room for so many places. */
static gv_status place_make(gv_io *io, const char *source, int64_t cells, gv_seed_list *out) {
  const size_t count = (size_t)cells;
  GV_REQUIRE(io, cells <= INT32_MAX, "%s: too many places; at most %d are supported", source, INT32_MAX);
  GV_TRY(gv_input_fits(io, &(gv_input_data){NULL, source, "cells", cells, GV_BYTES_A_SEED}));
  out->x = malloc(count * sizeof *out->x);
  out->y = malloc(count * sizeof *out->y);
  out->ids = malloc(count * sizeof *out->ids);
  out->rows = malloc(count * sizeof *out->rows);
  out->fids = malloc(count * sizeof *out->fids);
  if (out->x == NULL || out->y == NULL || out->ids == NULL || out->rows == NULL || out->fids == NULL)
    return gv_io_fail_memory(io, "the places");
  for (size_t i = 0; i < count; i++) {
    out->ids[i] = out->fids[i] = (int64_t)i;
    out->rows[i] = (int64_t)i + 1;
  }
  out->count = cells;
  out->are_cells = true;
  out->crs_option = "";
  return gv_crs_parse(io, "EPSG:4326", "--cells-of", &out->crs);
}

/* A regular grid, of its two axes. */
static gv_status place_fill_product(gv_io *io, const char *source, const gv_place_pair *pair,
                                    gv_seed_list *out) {
  const int64_t columns = pair->lon->count, rows = pair->lat->count;
  GV_REQUIRE(io, columns <= INT32_MAX / rows, "%s: too many places; at most %d are supported", source,
             INT32_MAX);
  GV_TRY(place_make(io, source, columns * rows, out));
  out->columns = pair->lon_first ? rows : columns;
  double *axes = malloc((size_t)(columns + rows) * sizeof *axes);
  if (axes == NULL) return gv_io_fail_memory(io, "the places");
  gv_status status = place_read(io, source, pair->lon, axes);
  if (status == GV_OK) status = place_read(io, source, pair->lat, axes + columns);
  for (int64_t i = 0; i < columns * rows && status == GV_OK; i++) {
    out->x[i] = axes[pair->lon_first ? i / rows : i % columns];
    out->y[i] = axes[columns + (pair->lon_first ? i % rows : i / columns)];
  }
  free(axes);
  return status;
}

/* ---------------------------------------------------------------------------------------- faces of a mesh */

/* The faces of a mesh without coordinates of faces. */
typedef struct place_faces {
  GDALMDArrayH array;
  int64_t count, corners, nodes, first; /* first: the number of the first node */
  double *x, *y, *node;                 /* positions of nodes; nodes of the faces */
} place_faces;

static gv_status place_faces_open(gv_io *io, const char *source, const gv_place_list *list, const char *name,
                                  place_faces *f) {
  f->array = GDALGroupOpenMDArray(list->root, name, NULL);
  size_t dimensions = 0;
  GDALDimensionH *of = f->array != NULL ? GDALMDArrayGetDimensions(f->array, &dimensions) : NULL;
  if (dimensions == 2) {
    f->count = (int64_t)GDALDimensionGetSize(of[0]);
    f->corners = (int64_t)GDALDimensionGetSize(of[1]);
  }
  if (of != NULL) GDALReleaseDimensions(of, dimensions);
  GV_REQUIRE(io, dimensions == 2 && f->count > 0 && f->corners > 0 && f->corners <= MOST_CORNERS,
             "%s: unsupported mesh (%s); expected the nodes of each face, at most %d", source, name,
             MOST_CORNERS);
  GDALAttributeH first = GDALMDArrayGetAttribute(f->array, "start_index");
  f->first = first != NULL ? GDALAttributeReadAsInt(first) : 0;
  GDALAttributeRelease(first);
  const int64_t bytes = GV_BYTES_A_SEED + f->corners * (int64_t)sizeof *f->node;
  return gv_input_fits(io, &(gv_input_data){NULL, source, "faces", f->count, bytes});
}

/* The mean of the corners' directions. NaN: a corner is missing, or they cancel out. */
static void place_face_center(const place_faces *f, int64_t face, double *lon, double *lat) {
  double sum[3] = {0.0, 0.0, 0.0};
  for (int64_t c = 0; c < f->corners; c++) {
    const double number = f->node[face * f->corners + c] - (double)f->first;
    if (!(number >= 0.0 && number < (double)f->nodes)) continue; /* faces have corners of their own number */
    const double x = f->x[(int64_t)number] * GV_DEGREE, y = f->y[(int64_t)number] * GV_DEGREE;
    sum[0] += cos(y) * cos(x);
    sum[1] += cos(y) * sin(x);
    sum[2] += sin(y);
  }
  const double across = hypot(sum[0], sum[1]);
  const bool none = !(hypot(across, sum[2]) > 1e-12);
  *lon = none ? (double)NAN : atan2(sum[1], sum[0]) / GV_DEGREE;
  *lat = none ? (double)NAN : atan2(sum[2], across) / GV_DEGREE;
}

static gv_status place_faces_fill(gv_io *io, const char *source, const gv_place_pair *pair, place_faces *f,
                                  gv_seed_list *out) {
  f->nodes = pair->lon->count;
  GV_TRY(gv_input_fits(io, &(gv_input_data){NULL, source, "nodes", f->nodes, GV_BYTES_A_SEED}));
  GV_TRY(place_make(io, source, f->count, out));
  f->x = malloc((size_t)f->nodes * sizeof *f->x);
  f->y = malloc((size_t)f->nodes * sizeof *f->y);
  f->node = malloc((size_t)(f->count * f->corners) * sizeof *f->node);
  if (f->x == NULL || f->y == NULL || f->node == NULL) return gv_io_fail_memory(io, "the places");
  GV_TRY(place_read(io, source, pair->lon, f->x));
  GV_TRY(place_read(io, source, pair->lat, f->y));
  if (!place_read_numbers(f->array, f->count * f->corners, f->node))
    return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", source);
  for (int64_t i = 0; i < f->count; i++)
    place_face_center(f, i, &out->x[i], &out->y[i]);
  return GV_OK;
}

static gv_status place_fill_faces(gv_io *io, const char *source, const gv_place_list *list,
                                  const gv_place_pair *pair, gv_seed_list *out) {
  place_faces f = {.array = NULL};
  gv_status status = place_faces_open(io, source, list, pair->connectivity, &f);
  if (status == GV_OK) status = place_faces_fill(io, source, pair, &f, out);
  GDALMDArrayRelease(f.array);
  free(f.x);
  free(f.y);
  free(f.node);
  return status;
}

/* ------------------------------------------------------------------------------------------------- places */

/* The size of the dimension that is the fastest. */
static int64_t place_last_size(GDALMDArrayH array) {
  size_t dimensions = 0;
  GDALDimensionH *of = GDALMDArrayGetDimensions(array, &dimensions);
  const int64_t size = dimensions > 0 ? (int64_t)GDALDimensionGetSize(of[dimensions - 1]) : 0;
  if (of != NULL) GDALReleaseDimensions(of, dimensions);
  return size;
}

static gv_status place_fill(gv_io *io, const char *source, const gv_place_list *list,
                            const gv_place_pair *pair, gv_seed_list *out) {
  if (pair->connectivity != NULL) return place_fill_faces(io, source, list, pair, out);
  if (pair->product) return place_fill_product(io, source, pair, out);
  GV_TRY(place_make(io, source, pair->lon->count, out));
  if (pair->lon->rank == 2) out->columns = place_last_size(pair->lon->array);
  GV_TRY(place_read(io, source, pair->lon, out->x));
  return place_read(io, source, pair->lat, out->y);
}

gv_status gv_place_arrays_read(gv_io *io, const char *source, const char *variable, gv_seed_list *out,
                               bool *found) {
  gv_place_list list = {.count = 0};
  gv_place_pair pair = {.lon = NULL};
  *found = false;
  gv_gdal_reset();
  GDALDatasetH dataset = GDALOpenEx(source, GDAL_OF_MULTIDIM_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
  GDALGroupH root = dataset != NULL ? GDALDatasetGetRootGroup(dataset) : NULL;
  gv_status status = root != NULL ? gv_place_list_read(io, root, &list) : GV_OK;
  if (status == GV_OK && root != NULL) status = gv_place_list_choose(io, source, &list, variable, &pair);
  if (status == GV_OK && pair.lon != NULL) {
    *found = true;
    status = place_fill(io, source, &list, &pair, out);
  }
  gv_place_list_free(&list);
  GDALGroupRelease(root);
  if (dataset != NULL) GDALClose(dataset);
  gv_gdal_reset();
  return status;
}
