/* Triangles to features. */
#include "io/mesh_out.h"

#include <geodesic.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>

#include "io/table_out.h"

enum { BLOCK = 1 << 16, FEATURES_A_TRANSACTION = 1 << 17 };

static const double degree = 3.14159265358979323846 / 180.0;

struct gv_mesh_out {
  gv_output output;
  GDALDriverH driver;
};

/* -------------------------------------------------------------------------------------------------------- the file */

gv_status gv_mesh_plan(gv_io *io, const gv_mesh_options *options, gv_mesh_out **out) {
  gv_mesh_out *mesh = calloc(1, sizeof *mesh);
  if (mesh == NULL) return gv_io_fail_memory(io, "the output");
  mesh->driver = gv_vector_driver(options->path);
  gv_status status = gv_output_init(io, &mesh->output, options->path, options->overwrite);
  if (status == GV_OK && mesh->driver == NULL) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--cells: no vector driver is known for '%s'; .gpkg, .fgb, .csv and .geojson are some",
                        options->path);
  }
  if (status == GV_OK) status = gv_output_check(io, &mesh->output);
  if (status != GV_OK) {
    gv_mesh_close(mesh);
    return status;
  }
  *out = mesh;
  return GV_OK;
}

gv_output *gv_mesh_output(gv_mesh_out *mesh) {
  return &mesh->output;
}

void gv_mesh_close(gv_mesh_out *mesh) {
  if (mesh == NULL) return;
  gv_output_clear(&mesh->output);
  free(mesh);
}

/* --------------------------------------------------------------------------------------------------------- features */

enum { FIELD_ID, FIELD_ID64, FIELD_LON, FIELD_LAT, FIELD_SEED, FIELD_DISTANCE, FIELD_AREA, FIELDS };

static const struct {
  const char *name;
  OGRFieldType type;
} fields[FIELDS] = {{"id", OFTString},      {"id64", OFTInteger64}, {"lon", OFTReal},     {"lat", OFTReal},
                    {"seed", OFTInteger64}, {"distance", OFTReal},  {"area_km2", OFTReal}};

/* What distances and areas are made of. */
typedef struct measures {
  gv_metric metric;
  double radius; /* of the sphere, (2 a + b) / 3 */
  struct geod_geodesic geodesic;
  double unit; /* degrees in the layer's unit */
} measures;

static double distance_to(const measures *m, const double centre[3], double lon, double lat, double seed_lon,
                          double seed_lat) {
  double distance = 0.0;
  if (m->metric == GV_GEODESIC) {
    geod_inverse(&m->geodesic, lat, lon, seed_lat, seed_lon, &distance, NULL, NULL);
    return distance;
  }
  double x = cos(seed_lat * degree) * cos(seed_lon * degree) - centre[0];
  double y = cos(seed_lat * degree) * sin(seed_lon * degree) - centre[1], z = sin(seed_lat * degree) - centre[2];
  return 2.0 * m->radius * asin(fmin(1.0, 0.5 * sqrt(x * x + y * y + z * z)));
}

/* A triangle's ring. On the map a corner at a pole is an edge, from the meridian of one neighbour to the other's. */
static OGRGeometryH polygon(gv_qtm_id id, double unit) {
  double lon[3], lat[3];
  OGRGeometryH made = OGR_G_CreateGeometry(wkbPolygon), ring = OGR_G_CreateGeometry(wkbLinearRing);
  gv_qtm_corners(id, lon, lat, NULL);
  double first[2] = {0.0, 0.0};
  int points = 0;
  for (int i = 0; i < 3; i++) {
    bool pole = fabs(lat[i]) == 90.0;
    for (int side = 0; side < (pole ? 2 : 1); side++) {
      double x = (pole ? lon[(i + (side == 0 ? 2 : 1)) % 3] : lon[i]) / unit, y = lat[i] / unit;
      if (points++ == 0) first[0] = x, first[1] = y;
      OGR_G_AddPoint_2D(ring, x, y);
    }
  }
  OGR_G_AddPoint_2D(ring, first[0], first[1]);
  OGR_G_AddGeometryDirectly(made, ring);
  return made;
}

static gv_status write_triangle(gv_io *io, const gv_mesh_out *mesh, OGRLayerH layer, const measures *m, int level,
                                int64_t number, const gv_seed_list *seeds, int32_t seed) {
  gv_qtm_id id = 0;
  char text[GV_QTM_STRING_SIZE];
  double lon = 0.0, lat = 0.0, centre[3] = {0.0, 0.0, 0.0};
  gv_qtm_from_number(level, number, &id);
  gv_qtm_to_string(id, text, sizeof text);
  gv_qtm_center(id, &lon, &lat);
  gv_qtm_center_vector(id, centre);
  OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
  if (feature == NULL) return gv_io_fail_memory(io, "a triangle");
  OGR_F_SetFieldString(feature, FIELD_ID, text);
  OGR_F_SetFieldInteger64(feature, FIELD_ID64, id);
  OGR_F_SetFieldDouble(feature, FIELD_LON, lon);
  OGR_F_SetFieldDouble(feature, FIELD_LAT, lat);
  OGR_F_SetFieldInteger64(feature, FIELD_SEED, seeds->ids[seed]);
  OGR_F_SetFieldDouble(feature, FIELD_DISTANCE, distance_to(m, centre, lon, lat, seeds->x[seed], seeds->y[seed]));
  OGR_F_SetFieldDouble(feature, FIELD_AREA, gv_qtm_area(id) * m->radius * m->radius * 1e-6);
  OGR_F_SetGeometryDirectly(feature, polygon(id, m->unit));
  OGRErr error = OGR_L_CreateFeature(layer, feature);
  OGR_F_Destroy(feature);
  return error == OGRERR_NONE ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", mesh->output.path);
}

static gv_status write_blocks(gv_io *io, const gv_mesh_out *mesh, GDALDatasetH dataset, OGRLayerH layer,
                              const measures *m, int level, const gv_seed_list *seeds, const gv_voronoi *voronoi,
                              gv_context *context) {
  int64_t cells = gv_qtm_count(level), blocks = gv_voronoi_blocks_across(voronoi), since = 0;
  int64_t block = (cells + blocks - 1) / blocks;
  int32_t *nearest = malloc((size_t)block * sizeof *nearest);
  if (nearest == NULL) return gv_io_fail_memory(io, "a block of triangles");
  bool transactions = GDALDatasetTestCapability(dataset, ODsCTransactions) != 0;
  gv_status status = GV_OK;
  if (transactions) GDALDatasetStartTransaction(dataset, FALSE);
  for (int64_t b = 0; b < blocks && status == GV_OK; b++) {
    int64_t first = b * block, count = cells - first < block ? cells - first : block;
    if (gv_voronoi_block(context, voronoi, b, 0, nearest, block) != GV_OK) {
      status = gv_io_fail(io, GV_ERROR_INTERNAL, "%s", gv_context_message(context));
    }
    for (int64_t i = 0; i < count && status == GV_OK; i++)
      status = write_triangle(io, mesh, layer, m, level, first + i, seeds, nearest[i]);
    since += count;
    if (status == GV_OK && transactions && since >= FEATURES_A_TRANSACTION) {
      since = 0;
      if (GDALDatasetCommitTransaction(dataset) != OGRERR_NONE ||
          GDALDatasetStartTransaction(dataset, FALSE) != OGRERR_NONE) {
        status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", mesh->output.path);
      }
    }
    if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  if (status == GV_OK && transactions && GDALDatasetCommitTransaction(dataset) != OGRERR_NONE) {
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", mesh->output.path);
  }
  free(nearest);
  return status;
}

/* Dataset and layer in the temporary directory, in longitude and latitude. */
static gv_status create_layer(gv_io *io, gv_mesh_out *mesh, OGRSpatialReferenceH crs, GDALDatasetH *dataset,
                              OGRLayerH *layer) {
  gv_gdal_reset();
  *dataset = GDALCreate(mesh->driver, mesh->output.work, 0, 0, 0, GDT_Unknown, NULL);
  if (*dataset == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot create %s", mesh->output.path);
  char **options = NULL;
  if (EQUAL(GDALGetDriverShortName(mesh->driver), "CSV")) options = CSLSetNameValue(options, "GEOMETRY", "AS_WKT");
  *layer = GDALDatasetCreateLayer(*dataset, "triangles", crs, wkbPolygon, options);
  CSLDestroy(options);
  if (*layer == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot create %s", mesh->output.path);
  for (int i = 0; i < FIELDS; i++) {
    OGRFieldDefnH field = OGR_Fld_Create(fields[i].name, fields[i].type);
    OGRErr error = OGR_L_CreateField(*layer, field, TRUE);
    OGR_Fld_Destroy(field);
    if (error != OGRERR_NONE) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", mesh->output.path);
  }
  return GV_OK;
}

gv_status gv_mesh_write(gv_io *io, gv_mesh_out *mesh, const gv_raster_grid *grid, const gv_seed_list *seeds,
                        const char *backend, gv_context *context) {
  GDALDatasetH dataset = NULL;
  OGRLayerH layer = NULL;
  gv_voronoi *voronoi = NULL;
  int level = grid->grid.level;
  double a = grid->grid.semi_major, f = grid->grid.flattening;
  OGRSpatialReferenceH crs = OSRIsProjected(grid->crs) ? OSRCloneGeogCS(grid->crs) : OSRClone(grid->crs);
  gv_status status = crs != NULL ? gv_output_begin(io, &mesh->output)
                                 : gv_io_fail_gdal(io, GV_ERROR_PROJECTION, "--cells: no longitudes and latitudes");
  if (status != GV_OK) goto end;
  OSRSetAxisMappingStrategy(crs, OAMS_TRADITIONAL_GIS_ORDER);
  measures m = {.metric = grid->metric, .radius = (3.0 - f) * a / 3.0, .unit = gv_crs_unit_degrees(crs)};
  geod_init(&m.geodesic, a, f);
  status = create_layer(io, mesh, crs, &dataset, &layer);
  if (status != GV_OK) goto end;

  gv_grid triangles = GV_GRID_INIT;
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  gv_seeds positions = {seeds->x, seeds->y, seeds->count};
  triangles.kind = GV_GRID_QTM;
  triangles.level = level;
  triangles.semi_major = a;
  triangles.flattening = f;
  options.backend = backend;
  options.metric = grid->metric;
  options.block_width = BLOCK;
  status = gv_voronoi_create(context, &triangles, &positions, &options, &voronoi);
  if (status != GV_OK) {
    gv_io_fail(io, status, "%s", gv_context_message(context));
    goto end;
  }
  status = write_blocks(io, mesh, dataset, layer, &m, level, seeds, voronoi, context);
end:
  gv_voronoi_destroy(voronoi);
  if (dataset != NULL) {
    gv_gdal_reset();
    GDALClose(dataset);
    if (status == GV_OK && gv_gdal_failed())
      status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", mesh->output.path);
  }
  if (crs != NULL) OSRRelease(crs);
  return status;
}
