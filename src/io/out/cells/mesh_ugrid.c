/*
 * A QTM level as a UGRID 1.0 mesh: a NetCDF-4 file through GDAL's multidimensional interface.
 *
 * Face i is the cell with number i. Nodes are the vertices, row by row from the north pole, each row from 180
 * west eastward. A vertex is one node, but for two places where the map is cut: those at 180 degrees are two
 * nodes, one at each edge of the map, and a pole is four, one for the triangle of each octant, at its middle
 * meridian. So no face reaches across the map. With n = 2^level there are 4 n^2 + 2 n + 7 nodes.
 *
 * UGRID: http://ugrid-conventions.github.io/ugrid-conventions/
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>

#include "gpuvoronoi/cells.h"
#include "io/out/cells/array_file.h"
#include "io/out/formats/variables.h"
#include "io/out/mesh_sink.h"

/* Above level 13, programs that count faces in 32-bit integers could not read the mesh. */
enum { MAX_LEVEL = 13, CHUNK = GV_MDARRAY_CHUNK };

typedef struct ugrid {
  gv_array_file file;
  const gv_mesh_facts *facts;
  int64_t n; /* 2^level */
  GDALDimensionH nodes, faces, corners;
  GDALMDArrayH connectivity, area;
  GDALMDArrayH seed[GV_VORONOI_MAX_K], distance[GV_VORONOI_MAX_K]; /* by band */
  bool narrow;        /* seeds' ids fit into 32 bits, and are written so */
  int32_t *connected; /* nodes of a block's faces */
  void *ids;          /* seeds' ids of a block */
} ugrid;

static gv_status mesh_ugrid_check(gv_io *io, const char *path, int level) {
  const gv_format *netcdf = gv_format_with_arrays(GV_ARRAYS_NETCDF);
  if (gv_format_driver(netcdf) == NULL) {
    return gv_io_fail(io, GV_ERROR_UNAVAILABLE, "--mesh: missing netCDF driver in this GDAL");
  }
  if (gv_format_of_path(path) != netcdf) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mesh: invalid extension (%s); use .nc", path);
  }
  if (level <= MAX_LEVEL) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--mesh: level out of range [0, %d] (%d)", MAX_LEVEL,
                    level);
}

/* ------------------------------------------------------------------------------------------------- arrays */

/* The topology's own variable, which holds no number but attributes. */
static bool describe_mesh(const ugrid *sink) {
  static const char *const texts[][2] = {{"cf_role", "mesh_topology"},
                                         {"long_name", "triangles of the quaternary triangular mesh"},
                                         {"node_coordinates", "mesh_node_lon mesh_node_lat"},
                                         {"face_node_connectivity", "mesh_face_nodes"},
                                         {"face_dimension", "mesh_faces"}};
  GDALMDArrayH mesh = GDALGroupCreateMDArray(sink->file.root, "mesh", 0, NULL, sink->file.int32, NULL);
  bool good = mesh != NULL && gv_array_put_texts(mesh, texts, 2) &&
              gv_mdarray_put_number(mesh, "topology_dimension", sink->file.int32, 2.0) &&
              gv_array_put_texts(mesh, texts + 2, 3);
  GDALMDArrayRelease(mesh);
  return good;
}

static GDALMDArrayH make_face_array(ugrid *sink, const char *name, const char *long_name,
                                    const char *standard_name, const char *units,
                                    GDALExtendedDataTypeH type) {
  const char *const texts[][2] = {{"long_name", long_name}, {"standard_name", standard_name},
                                  {"units", units},         {"mesh", "mesh"},
                                  {"location", "face"},     {"grid_mapping", "crs"}};
  GDALMDArrayH made =
      gv_array_file_keep(&sink->file, gv_mdarray_make(sink->file.root, name, sink->faces, NULL, type));
  return made != NULL && gv_array_put_texts(made, texts, 6) ? made : NULL;
}

/* -------------------------------------------------------------------------------------------------- nodes */

static int64_t node_count(int64_t n) {
  return 4 * n * n + 2 * n + 7;
}

/* Number of the first node of row r from the north pole (0 ... 2 n); row r of the south mirrors that of the
 * north. */
static int64_t row_start(int64_t n, int64_t row) {
  if (row <= n) return row == 0 ? 0 : 4 + (row - 1) * (2 * row + 1);
  int64_t mirrored = 2 * n - row;
  return node_count(n) - row_start(n, mirrored + 1);
}

static int64_t steps_around(int64_t n, int64_t row) {
  return 4 * (row <= n ? row : 2 * n - row);
}

/* The node at a corner returned by gv_qtm_corners. */
static int64_t node_at(int64_t n, double lon, double lat) {
  int64_t row = llround((1.0 - lat / 90.0) * (double)n), steps = steps_around(n, row);
  double turn = (lon + 180.0) / 360.0;
  return row_start(n, row) + (steps == 0 ? (int64_t)(4.0 * turn) : llround(turn * (double)steps));
}

static void node_position(int64_t n, int64_t row, int64_t step, double *lon, double *lat) {
  int64_t quarter_steps = steps_around(n, row) / 4;
  *lat = 90.0 * (1.0 - (double)row / (double)n);
  if (quarter_steps == 0) {
    *lon = -135.0 + 90.0 * (double)step;
    return;
  }
  int64_t quarter = step / quarter_steps, rest = step % quarter_steps;
  *lon = -180.0 + 90.0 * (double)quarter + 90.0 * (double)rest / (double)quarter_steps;
}

static gv_status write_nodes(gv_io *io, const ugrid *sink, GDALMDArrayH lon, GDALMDArrayH lat) {
  double *x = malloc(2 * CHUNK * sizeof *x);
  if (x == NULL) return gv_io_fail_memory(io, "the mesh");
  double *y = x + CHUNK;
  int64_t written = 0, waiting = 0;
  bool good = true;
  for (int64_t row = 0; row <= 2 * sink->n && good; row++) {
    int64_t steps = steps_around(sink->n, row), nodes = steps == 0 ? 4 : steps + 1;
    for (int64_t step = 0; step < nodes && good; step++) {
      node_position(sink->n, row, step, &x[waiting], &y[waiting]);
      waiting++;
      if (waiting < CHUNK && written + waiting < node_count(sink->n)) continue;
      good = gv_mdarray_write(lon, written, waiting, 1, sink->file.float64, x) &&
             gv_mdarray_write(lat, written, waiting, 1, sink->file.float64, y);
      written += waiting;
      waiting = 0;
    }
  }
  free(x);
  return good ? GV_OK : gv_writer_fail(io, sink->file.writer);
}

static gv_status make_nodes(gv_io *io, const ugrid *sink) {
  static const char *const names[2] = {"mesh_node_lon", "mesh_node_lat"};
  static const char *const texts[2][3][2] = {
      {{"standard_name", "longitude"}, {"units", "degrees_east"}, {"grid_mapping", "crs"}},
      {{"standard_name", "latitude"}, {"units", "degrees_north"}, {"grid_mapping", "crs"}}};
  GDALMDArrayH made[2] = {NULL};
  bool good = true;
  for (int i = 0; i < 2 && good; i++) {
    made[i] = gv_mdarray_make(sink->file.root, names[i], sink->nodes, NULL, sink->file.float64);
    good = made[i] != NULL && gv_array_put_texts(made[i], texts[i], 3);
  }
  gv_status status = good ? write_nodes(io, sink, made[0], made[1]) : gv_writer_fail(io, sink->file.writer);
  for (int i = 0; i < 2; i++)
    if (made[i] != NULL) GDALMDArrayRelease(made[i]);
  return status;
}

/* --------------------------------------------------------------------------------------------------- file */

/* The arrays of seeds and distances: seed, distance, seed_2, distance_2 ... */
static bool make_results(ugrid *sink) {
  bool good = true;
  for (int b = 0; b < sink->facts->bands && good; b++) {
    char seed[32] = "seed", distance[32] = "distance";
    if (b > 0) {
      snprintf(seed, sizeof seed, "seed_%d", b + 1);
      snprintf(distance, sizeof distance, "distance_%d", b + 1);
    }
    sink->seed[b] =
        make_face_array(sink, seed, seed, NULL, NULL, sink->narrow ? sink->file.int32 : sink->file.int64);
    sink->distance[b] = make_face_array(sink, distance, distance, NULL, "m", sink->file.float64);
    good = sink->seed[b] != NULL && sink->distance[b] != NULL &&
           GDALMDArraySetNoDataValueAsInt64(sink->seed[b], sink->facts->nodata) &&
           GDALMDArraySetNoDataValueAsDouble(sink->distance[b], (double)NAN);
  }
  return good;
}

/* Everything but nodes and faces. */
static bool create(ugrid *sink, OGRSpatialReferenceH crs) {
  static const char *const format[] = {"FORMAT=NC4", "CONVENTIONS=CF-1.8 UGRID-1.0", NULL};
  static const char *const role[][2] = {{"cf_role", "face_node_connectivity"}};
  const gv_mesh_facts *facts = sink->facts;
  gv_array_file *file = &sink->file;
  int64_t lowest, highest;
  gv_seeds_range(facts->seeds->ids, facts->seeds->count, &lowest, &highest);
  sink->narrow = lowest >= INT32_MIN && highest <= INT32_MAX;
  if (!gv_array_file_create(file, gv_format_driver(gv_format_with_arrays(GV_ARRAYS_NETCDF)), format))
    return false;
  sink->nodes = gv_array_file_dimension(file, "mesh_nodes", node_count(sink->n));
  sink->faces = gv_array_file_dimension(file, "mesh_faces", gv_qtm_count(facts->of->level));
  sink->corners = gv_array_file_dimension(file, "mesh_corners", 3);
  if (sink->nodes == NULL || sink->faces == NULL || sink->corners == NULL) return false;
  bool good = gv_mdarray_put_source(file->root) &&
              gv_mdarray_put_global(file->root, "qtm_level", CPLSPrintf("%d", facts->of->level)) &&
              gv_mdarray_put_global(file->root, "metric", facts->metric) && describe_mesh(sink) &&
              gv_mdarray_describe_crs(file->root, crs);
  if (!good) return false;
  sink->connectivity = gv_array_file_keep(
      file, gv_mdarray_make(file->root, "mesh_face_nodes", sink->faces, sink->corners, file->int32));
  sink->area = make_face_array(sink, "area", "area", "cell_area", "m2", file->float64);
  return sink->connectivity != NULL && sink->area != NULL && make_results(sink) &&
         gv_array_put_texts(sink->connectivity, role, 1) &&
         gv_mdarray_put_number(sink->connectivity, "start_index", file->int32, 0.0);
}

static gv_status mesh_ugrid_begin(gv_io *io, gv_writer *writer, const gv_mesh_facts *facts, void **out) {
  /* CF requires degrees, independent of the coordinate system's unit. */
  OGRSpatialReferenceH crs = OSRClone(facts->crs);
  ugrid *sink = *out = crs != NULL ? calloc(1, sizeof *sink) : NULL;
  if (sink == NULL) {
    if (crs != NULL) OSRRelease(crs);
    return gv_io_fail_memory(io, "the mesh");
  }
  if (gv_crs_unit_degrees(crs) != 1.0) OSRSetAngularUnits(crs, SRS_UA_DEGREE, 0.0174532925199433);
  sink->file.writer = writer;
  sink->facts = facts;
  sink->n = (int64_t)1 << facts->of->level;
  gv_status status = create(sink, crs) ? make_nodes(io, sink) : gv_writer_fail(io, writer);
  OSRRelease(crs);
  return status;
}

/* Seeds' numbers to ids, in the type of the file. */
static void number_seeds(ugrid *sink, const int32_t *seed, int64_t count) {
  int32_t *narrow = sink->ids;
  int64_t *wide = sink->ids;
  for (int64_t i = 0; i < count; i++) {
    int64_t id = seed[i] >= 0 ? sink->facts->seeds->ids[seed[i]] : sink->facts->nodata;
    if (sink->narrow) {
      narrow[i] = (int32_t)id;
    } else {
      wide[i] = id;
    }
  }
}

static gv_status mesh_ugrid_block(gv_io *io, void *user, const gv_mesh_block *block) {
  ugrid *sink = user;
  if (sink->connected == NULL) { /* the first block, of which none is larger */
    sink->connected = malloc((size_t)block->count * 3 * sizeof *sink->connected);
    sink->ids = malloc((size_t)block->count * sizeof(int64_t));
    if (sink->connected == NULL || sink->ids == NULL) return gv_io_fail_memory(io, "a block of triangles");
  }
  for (int64_t i = 0; i < block->count; i++) {
    double lon[3], lat[3];
    gv_qtm_corners(block->id[i], lon, lat, NULL);
    for (int c = 0; c < 3; c++)
      sink->connected[3 * i + c] = (int32_t)node_at(sink->n, lon[c], lat[c]);
  }
  bool good = gv_mdarray_write(sink->connectivity, block->first, block->count, 3, sink->file.int32,
                               sink->connected) &&
              gv_mdarray_write(sink->area, block->first, block->count, 1, sink->file.float64, block->area);
  for (int b = 0; b < sink->facts->bands && good; b++) {
    number_seeds(sink, block->seed + b * block->stride, block->count);
    good = gv_mdarray_write(sink->seed[b], block->first, block->count, 1,
                            sink->narrow ? sink->file.int32 : sink->file.int64, sink->ids) &&
           gv_mdarray_write(sink->distance[b], block->first, block->count, 1, sink->file.float64,
                            block->distance + b * block->stride);
  }
  return good ? GV_OK : gv_writer_fail(io, sink->file.writer);
}

static gv_status mesh_ugrid_finish(gv_io *io, void *user, gv_status status) {
  ugrid *sink = user;
  status = gv_array_file_finish(io, &sink->file, "mesh", status);
  free(sink->connected);
  free(sink->ids);
  free(sink);
  return status;
}

const gv_mesh_format gv_mesh_ugrid = {.option = "--mesh",
                                      .check = mesh_ugrid_check,
                                      .begin = mesh_ugrid_begin,
                                      .block = mesh_ugrid_block,
                                      .finish = mesh_ugrid_finish};
