/*
 * Cells of HEALPix, S2, H3 and places as variables of a NetCDF-4 file, or arrays of a Zarr file, along the
 * dimension cells, after CF: the coordinates lon and lat, cell_ids, and seed, distance, azimuth and the
 * seeds' attribute; with several seeds a cell seed_2 and so on. Of HEALPix, S2 and H3 cell_ids have the
 * attributes that xdggs decodes; of HEALPix the variable healpix is CF's grid mapping.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>

#include "io/in/cells/grid_system.h"
#include "io/out/cells/array_file.h"
#include "io/out/formats/variables.h"
#include "io/out/mesh_sink.h"

enum { VARIABLE_SEED, VARIABLE_DISTANCE, VARIABLE_AZIMUTH, VARIABLE_ATTRIBUTE, VARIABLES };

typedef struct variables {
  gv_array_file file;
  const gv_mesh_facts *facts;
  int zarr; /* its version; 0: NetCDF */
  GDALDimensionH cells;
  GDALMDArrayH id, lon, lat;
  GDALMDArrayH of_seed[GV_VORONOI_MAX_K][VARIABLES];
  void *values; /* of a block, 8 bytes each */
} variables;

static gv_format_arrays variables_arrays(const char *path) {
  const gv_format *format = gv_format_of_path(path);
  return format != NULL ? format->arrays : GV_ARRAYS_NONE;
}

bool gv_mesh_variables_may_be(const char *path) {
  return variables_arrays(path) != GV_ARRAYS_NONE;
}

static const char *variables_driver(const char *path) {
  return gv_format_with_arrays(variables_arrays(path))->driver;
}

static gv_status variables_check(gv_io *io, const char *path, int level) {
  (void)level;
  if (GDALGetDriverByName(variables_driver(path)) != NULL) return GV_OK;
  return gv_io_fail(io, GV_ERROR_UNAVAILABLE, "--cells: missing %s driver in this GDAL",
                    variables_driver(path));
}

/* Integers of version 3 need a value for what is not written. Those of version 2 have none, because xarray
 * takes it for missing values. */
static bool variables_set_nodata(const variables *sink, GDALMDArrayH array, int64_t value) {
  return sink->zarr != 3 || GDALMDArraySetNoDataValueAsInt64(array, value) != 0;
}

/* An array along the cells; NULL: GDAL has failed. */
static GDALMDArrayH variables_make_array(variables *sink, const char *name, GDALExtendedDataTypeH type) {
  gv_array_file *file = &sink->file;
  if (!sink->zarr)
    return gv_array_file_keep(file, gv_mdarray_make(file->root, name, sink->cells, NULL, type));
  char chunk[64];
  const int64_t size = sink->facts->written;
  snprintf(chunk, sizeof chunk, "BLOCKSIZE=%" PRId64,
           size < GV_MDARRAY_CHUNK ? size : (int64_t)GV_MDARRAY_CHUNK);
  const char *const options[] = {"COMPRESS=GZIP", chunk, NULL};
  GDALDimensionH dimensions[] = {sink->cells};
  GDALMDArrayH made = gv_array_file_keep(
      file, GDALGroupCreateMDArray(file->root, name, 1, dimensions, type, (CSLConstList)options));
  bool good = made != NULL &&
              (sink->zarr == 3 || gv_mdarray_put_json(file->root, made, "_ARRAY_DIMENSIONS", "[\"cells\"]"));
  return good ? made : NULL;
}

static bool is_healpix(const variables *sink) {
  return gv_cells_of_have_schemes(sink->facts->of);
}

/* The name of the grid mapping. */
static const char *variables_mapping(const variables *sink) {
  return is_healpix(sink) ? "healpix" : "crs";
}

/* CF's grid mapping of HEALPix. xdggs rejects unknown attributes here and in cell_ids, so other attributes
 * are global. */
static bool variables_map_healpix(const variables *sink) {
  const gv_cells_of *cells = sink->facts->of;
  const char *const texts[][2] = {{"grid_mapping_name", "healpix"},
                                  {"indexing_scheme", cells->ring ? "ring" : "nested"}};
  GDALMDArrayH made = GDALGroupCreateMDArray(sink->file.root, "healpix", 0, NULL, sink->file.int32, NULL);
  bool good = made != NULL && gv_array_put_texts(made, texts, 2) &&
              gv_mdarray_put_number(made, "refinement_level", sink->file.int32, cells->level);
  GDALMDArrayRelease(made);
  return good;
}

/* The grid mapping. xarray wants the dimensions of a Zarr array named, though it has none. */
static bool variables_map_grid(const variables *sink) {
  const char *name = variables_mapping(sink);
  if (is_healpix(sink) ? !variables_map_healpix(sink)
                       : !gv_mdarray_describe_crs(sink->file.root, sink->facts->crs))
    return false;
  if (sink->zarr == 0) return true;
  GDALMDArrayH made = GDALGroupOpenMDArray(sink->file.root, name, NULL);
  bool good =
      made != NULL && (sink->zarr == 2 ? gv_mdarray_put_json(sink->file.root, made, "_ARRAY_DIMENSIONS", "[]")
                                       : variables_set_nodata(sink, made, 0));
  GDALMDArrayRelease(made);
  return good;
}

static bool variables_describe_grid(const variables *sink) {
  const gv_mesh_facts *facts = sink->facts;
  const char *latitudes = facts->of->authalic ? "authalic" : "geodetic";
  GDALGroupH root = sink->file.root;
  char system[GV_GRID_SYSTEM_SIZE];
  if (is_healpix(sink) && !gv_mdarray_put_global(root, "healpix_latitudes", latitudes)) return false;
  if (sink->zarr == 0) return variables_map_grid(sink);
  return gv_mdarray_put_global(root, "Conventions", "CF-1.13") && variables_map_grid(sink) &&
         (!gv_grid_system_describe(facts->of, facts->crs, system) ||
          (gv_mdarray_put_json(root, NULL, "zarr_conventions", gv_grid_system_convention()) &&
           gv_mdarray_put_json(root, NULL, "dggs", system)));
}

/* By which xdggs converts authalic latitudes; those of other HEALPix cells are a sphere's. It knows
 * ellipsoids by the names of PROJ. */
static bool variables_put_ellipsoid(const variables *sink) {
  const gv_mesh_facts *facts = sink->facts;
  const char *name = gv_crs_ellipsoid_name(facts->crs);
  const char *const texts[][2] = {{"ellipsoid", name}};
  return gv_array_put_texts(sink->id, texts, 1);
}

static bool variables_make_coordinates(variables *sink) {
  const gv_cells_of *cells = sink->facts->of;
  const char *const lon[][2] = {{"standard_name", "longitude"}, {"units", "degrees_east"}};
  const char *const lat[][2] = {{"standard_name", "latitude"}, {"units", "degrees_north"}};
  const char *const system[][2] = {{"grid_name", gv_cells_of_system(cells)},
                                   {"indexing_scheme", cells->ring ? "ring" : "nested"}};
  const char *const of_file[][2] = {{"long_name", "feature id"}};
  sink->id = variables_make_array(sink, "cell_ids",
                                  gv_cells_of_have_tokens(cells) ? sink->file.uint64 : sink->file.int64);
  sink->lon = variables_make_array(sink, "lon", sink->file.float64);
  sink->lat = variables_make_array(sink, "lat", sink->file.float64);
  if (sink->id == NULL || sink->lon == NULL || sink->lat == NULL) return false;
  if (!variables_set_nodata(sink, sink->id, gv_cells_of_have_tokens(cells) ? 0 : -1)) return false;
  if (!gv_array_put_texts(sink->lon, lon, 2) || !gv_array_put_texts(sink->lat, lat, 2)) return false;
  if (system[0][1] == NULL) return gv_array_put_texts(sink->id, of_file, 1);
  if (is_healpix(sink) && cells->authalic && !variables_put_ellipsoid(sink)) return false;
  return gv_array_put_texts(sink->id, system, is_healpix(sink) ? 2 : 1) &&
         gv_mdarray_put_number(sink->id, "level", sink->file.int32, cells->level);
}

/* The value of cells without a seed. */
static bool variables_set_missing(const variables *sink, GDALMDArrayH array, int64_t value) {
  return GDALMDArraySetNoDataValueAsInt64(array, value) != 0 &&
         (sink->zarr != 3 || gv_mdarray_put_missing(array, value));
}

/* The variables of neighbor number `band` (from 0). */
static bool variables_make_band(variables *sink, int band) {
  const gv_mesh_request *q = sink->facts->request;
  const char *names[VARIABLES] = {"seed", "distance", "azimuth",
                                  q->attribute != NULL ? sink->facts->attribute : NULL};
  const char *units[VARIABLES] = {NULL, q->distance_unit, "degree", NULL};
  const GDALExtendedDataTypeH types[VARIABLES] = {sink->file.int64, sink->file.float64, sink->file.float32,
                                                  q->reals != NULL ? sink->file.float64 : sink->file.int64};
  for (int i = 0; i < VARIABLES; i++) {
    if (names[i] == NULL) continue;
    char *name = CPLStrdup(band == 0 ? names[i] : CPLSPrintf("%s_%d", names[i], band + 1));
    const char *const texts[][2] = {{"long_name", name},
                                    {"units", units[i]},
                                    {"coordinates", "cell_ids lat lon"},
                                    {"grid_mapping", variables_mapping(sink)}};
    GDALMDArrayH made = sink->of_seed[band][i] = variables_make_array(sink, name, types[i]);
    bool good = made != NULL && gv_array_put_texts(made, texts, 4) &&
                (types[i] == sink->file.int64 ? variables_set_missing(sink, made, q->nodata)
                                              : GDALMDArraySetNoDataValueAsDouble(made, (double)NAN));
    CPLFree(name);
    if (!good) return false;
  }
  return true;
}

static bool variables_create(variables *sink) {
  static const char *const netcdf[] = {"FORMAT=NC4", "CONVENTIONS=CF-1.13", NULL};
  const char *const zarr[] = {CPLSPrintf("FORMAT=ZARR_V%d", sink->zarr), NULL};
  const gv_mesh_facts *facts = sink->facts;
  GDALDriverH driver = GDALGetDriverByName(variables_driver(gv_place_work(&sink->file.writer->place)));
  if (!gv_array_file_create(&sink->file, driver, sink->zarr > 0 ? zarr : netcdf)) return false;
  sink->cells = gv_array_file_dimension(&sink->file, "cells", facts->written);
  bool good = sink->cells != NULL && gv_mdarray_put_source(sink->file.root) &&
              gv_mdarray_put_global(sink->file.root, "metric", facts->metric) &&
              variables_describe_grid(sink) && variables_make_coordinates(sink);
  for (int b = 0; b < facts->bands && good; b++)
    good = variables_make_band(sink, b);
  return good;
}

static gv_status variables_begin(gv_io *io, gv_writer *writer, const gv_mesh_facts *facts, void **out) {
  variables *sink = *out = calloc(1, sizeof *sink);
  if (sink == NULL) return gv_io_fail_memory(io, "the cells");
  sink->file.writer = writer;
  sink->facts = facts;
  if (variables_arrays(writer->place.output.path) == GV_ARRAYS_ZARR)
    sink->zarr = facts->request->zarr_version;
  return variables_create(sink) ? GV_OK : gv_writer_fail(io, writer);
}

/* Values of the seeds of a band, `from` by seed, into the sink's buffer. */
static void variables_look_up(const variables *sink, const int32_t *seed, int64_t count,
                              const int64_t *from) {
  int64_t *to = sink->values;
  for (int64_t i = 0; i < count; i++)
    to[i] = seed[i] >= 0 ? from[seed[i]] : sink->facts->nodata;
}

static bool variables_write_band(const variables *sink, const gv_mesh_block *block, int band) {
  const gv_mesh_request *q = sink->facts->request;
  const GDALMDArrayH *array = sink->of_seed[band];
  const int64_t count = block->count, at = band * block->stride;
  double *reals = sink->values;
  variables_look_up(sink, block->seed + at, count, sink->facts->seeds->ids);
  if (!gv_mdarray_write(array[VARIABLE_SEED], block->first, count, 1, sink->file.int64, sink->values))
    return false;
  for (int64_t i = 0; i < count; i++)
    reals[i] = block->distance[at + i] / q->distance_size;
  if (!gv_mdarray_write(array[VARIABLE_DISTANCE], block->first, count, 1, sink->file.float64, reals) ||
      !gv_mdarray_write(array[VARIABLE_AZIMUTH], block->first, count, 1, sink->file.float32,
                        block->azimuth + at))
    return false;
  if (q->attribute == NULL) return true;
  if (q->reals == NULL) {
    variables_look_up(sink, block->seed + at, count, q->integers);
    return gv_mdarray_write(array[VARIABLE_ATTRIBUTE], block->first, count, 1, sink->file.int64,
                            sink->values);
  }
  for (int64_t i = 0; i < count; i++)
    reals[i] = block->seed[at + i] >= 0 ? q->reals[block->seed[at + i]] : (double)NAN;
  return gv_mdarray_write(array[VARIABLE_ATTRIBUTE], block->first, count, 1, sink->file.float64, reals);
}

static gv_status variables_block(gv_io *io, void *user, const gv_mesh_block *block) {
  variables *sink = user;
  if (sink->values == NULL) { /* no block is larger */
    sink->values = malloc((size_t)block->stride * sizeof(int64_t));
    if (sink->values == NULL) return gv_io_fail_memory(io, "a block of cells");
  }
  bool tokens = gv_cells_of_have_tokens(sink->facts->of);
  bool good = gv_mdarray_write(sink->id, block->first, block->count, 1,
                               tokens ? sink->file.uint64 : sink->file.int64, block->id) &&
              gv_mdarray_write(sink->lon, block->first, block->count, 1, sink->file.float64, block->lon) &&
              gv_mdarray_write(sink->lat, block->first, block->count, 1, sink->file.float64, block->lat);
  for (int b = 0; b < sink->facts->bands && good; b++)
    good = variables_write_band(sink, block, b);
  return good ? GV_OK : gv_writer_fail(io, sink->file.writer);
}

static gv_status variables_finish(gv_io *io, void *user, gv_status status) {
  variables *sink = user;
  const char *scalar = sink->zarr > 0 ? NULL : variables_mapping(sink);
  status = gv_array_file_finish(io, &sink->file, scalar, status);
  free(sink->values);
  free(sink);
  return status;
}

const gv_mesh_format gv_mesh_variables = {.option = "--cells",
                                          .counts = true,
                                          .check = variables_check,
                                          .begin = variables_begin,
                                          .block = variables_block,
                                          .finish = variables_finish};
