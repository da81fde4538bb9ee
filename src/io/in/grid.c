/* From the options --like, --res, --size, --extent, --crs and --metric to a grid. */
#include "io/in/grid.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/geometries.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cpl_conv.h>
#include <gdal.h>

#include "io/crs/metric.h"
#include "io/in/extent.h"
#include "io/in/raster_crs.h"
#include "io/inputs.h"

enum { DEFAULT_LONGER_SIDE = 2048 };

void gv_raster_grid_free(gv_raster_grid *grid) {
  if (grid->crs != NULL) OSRRelease(grid->crs);
  if (grid->globe != NULL) OSRRelease(grid->globe);
  gv_operation_destroy(grid->inverse);
  memset(grid, 0, sizeof *grid);
}

/* True if the queries are cells on the globe that are not pixels of a raster. */
static bool queries_on_globe(const gv_grid_options *options) {
  return options->has_level || gv_cells_of_lists(&options->cells_of);
}

static const char *name_of_cells(const gv_grid_options *options) {
  return options->has_level ? "--level" : "--cells-of";
}

/* ------------------------------------------------------------------------------------------- the template */

static gv_status read_template(gv_io *io, const gv_grid_options *options, gv_raster_grid *out) {
  gv_status status = GV_OK;
  const char *option = options->like_is_cost ? "--cost" : "--like";
  gv_gdal_reset();
  GDALDatasetH dataset = GDALOpenEx(options->like, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR,
                                    NULL, (const char *const *)options->like_options, NULL);
  if (dataset == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s as a raster", option, options->like);
  out->grid.width = GDALGetRasterXSize(dataset);
  out->grid.height = GDALGetRasterYSize(dataset);
  if (gv_gdal_lost()) {
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read %s", option, options->like);
  } else if (GDALGetGeoTransform(dataset, out->geotransform) != CE_None) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s: %s", option, options->like,
                        gv_reason_of_no_geotransform(dataset));
  } else if (out->geotransform[1] * out->geotransform[5] - out->geotransform[2] * out->geotransform[4] ==
             0.0) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "%s: %s: invalid geotransform; the area of its cells is 0", option, options->like);
  } else {
    status = gv_crs_of_raster(io, options->like, dataset, &out->crs);
    out->undeclared = out->crs == NULL;
  }
  GDALClose(dataset);
  GV_TRY(status);
  GV_REQUIRE(io, out->crs == NULL || options->crs == NULL,
             "two grid definitions: --like has a coordinate system; remove --crs");
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------- cells */

/* Cells along a side, rounded as gdalwarp -te -tr does: a rest of half a cell or more is one more cell. */
static gv_status cells(gv_io *io, double length, double resolution, const char *side, int64_t *out) {
  double exact = length / resolution + 0.5;
  if (!(exact < 2147483648.0)) {
    return gv_io_fail_as(io, GV_CODE_GRID_TOO_LARGE, GV_ERROR_INVALID_ARGUMENT,
                         "--res: too many cells (%.12g cells %s); at most 2147483647 are supported", exact,
                         side);
  }
  if (exact < 1.0) {
    return gv_io_fail_as(io, GV_CODE_GRID_TOO_SMALL, GV_ERROR_INVALID_ARGUMENT,
                         "--res: extent (%.10g %s) is less than half a cell of %.10g", length, side,
                         resolution);
  }
  *out = (int64_t)exact;
  return GV_OK;
}

/* `requested`: the value of --res, in the grid's unit. */
static gv_status grid_from_extent(gv_io *io, const gv_grid_options *options, const double requested[2],
                                  const double extent[4], gv_raster_grid *out) {
  gv_status status = GV_OK;
  double width = extent[2] - extent[0], height = extent[3] - extent[1];
  double resolution[2];
  if (options->has_size) {
    out->grid.width = options->size[0];
    out->grid.height = options->size[1];
    resolution[0] = width / (double)options->size[0];
    resolution[1] = height / (double)options->size[1];
    out->divided[0] = width;
    out->divided[1] = height;
  } else {
    if (options->has_resolution) {
      memcpy(resolution, requested, sizeof resolution);
    } else if (options->has_level && gv_crs_is_lonlat(out->crs)) {
      resolution[0] = resolution[1] = ldexp(360.0 / gv_crs_unit_degrees(out->crs), -(options->level + 3));
    } else {
      resolution[0] = resolution[1] = fmax(width, height) / DEFAULT_LONGER_SIDE;
    }
    status = cells(io, width, resolution[0], "wide", &out->grid.width);
    if (status == GV_OK && !options->has_resolution && height < 0.5 * resolution[1]) {
      out->grid.height = 1;
    } else if (status == GV_OK) {
      status = cells(io, height, resolution[1], "high", &out->grid.height);
    }
    if (status != GV_OK) return status;
  }
  if (!(resolution[0] > 0.0) || !(resolution[1] > 0.0) || extent[0] + resolution[0] == extent[0] ||
      extent[3] - resolution[1] == extent[3]) {
    return gv_io_fail_as(io, GV_CODE_GRID_TOO_LARGE, GV_ERROR_INVALID_ARGUMENT,
                         "grid: cells are too small for double coordinates near (%.10g, %.10g)", extent[0],
                         extent[3]);
  }
  double geotransform[6] = {extent[0], resolution[0], 0.0, extent[3], 0.0, -resolution[1]};
  memcpy(out->geotransform, geotransform, sizeof geotransform);
  return GV_OK;
}

/* Values out of range. */
static gv_status check_options(gv_io *io, const gv_grid_options *options) {
  if (queries_on_globe(options) && options->has_metric && !gv_metric_on_globe(options->metric)) {
    return gv_io_fail_as(
        io, GV_CODE_METRIC_REFUSED, GV_ERROR_INVALID_ARGUMENT,
        "%s: unsupported metric for meshes and lists of places (%s); use geodesic or great-circle",
        name_of_cells(options), gv_metric_name(options->metric));
  }
  if (options->has_resolution && (!(options->resolution[0] > 0.0) || !(options->resolution[1] > 0.0) ||
                                  !isfinite(options->resolution[0]) || !isfinite(options->resolution[1]))) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--res: out of range (%g,%g); expected numbers above 0",
                      options->resolution[0], options->resolution[1]);
  }
  if (options->has_size) {
    for (int d = 0; d < 2; d++) {
      if (options->size[d] < 1 || options->size[d] > INT32_MAX) {
        return gv_io_fail_as(io, GV_CODE_GRID_TOO_LARGE, GV_ERROR_INVALID_ARGUMENT,
                             "--size: out of range (%" PRId64 ",%" PRId64 "); expected 1 to 2147483647 cells",
                             options->size[0], options->size[1]);
      }
    }
  }
  return options->has_extent ? gv_extent_check(io, options->extent) : GV_OK;
}

/* --------------------------------------------------------------------------------------------- the globe */

/* Latitudes of the first and the last row of cell centers, in degrees. */
static gv_status check_latitudes(gv_io *io, const gv_raster_grid *out) {
  const double *g = out->grid.geotransform;
  double first = g[3] + 0.5 * g[5], last = g[3] + ((double)out->grid.height - 0.5) * g[5];
  double most = 90.0 + 1e-6 * fabs(g[5]); /* a row within that of a pole is the pole, as the library has it */
  if (fabs(first) <= most && fabs(last) <= most) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "grid: latitudes of cell centers out of range [-90, 90] (%.17g to %.17g)",
                    fmin(first, last), fmax(first, last));
}

/* Longitude and latitude unchanged: the operation of a rotated lon/lat template, which is a "projected"
 * grid. */
static int keep_lonlat(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    if (!(fabs(y[i]) <= 90.0) || !isfinite(x[i])) x[i] = y[i] = HUGE_VAL;
  }
  return 0;
}

/* The library accepts latitudes within 90 degrees only; positions outside by more than rounding have no
 * place. */
static int invert(double *x, double *y, int64_t n, void *user) {
  int error = gv_operation_apply(x, y, n, user);
  for (int64_t i = 0; i < n; i++) {
    if (fabs(y[i]) <= 90.0) continue;
    if (fabs(y[i]) < 90.0 + 1e-9) {
      y[i] = copysign(90.0, y[i]);
    } else {
      x[i] = y[i] = HUGE_VAL;
    }
  }
  return error;
}

/*
 * Some projections (sinusoidal, transverse Mercator far out ...) have inverses that also return results for
 * positions outside the projected globe. Tests a lattice of positions over the grid: if some do not return to
 * their position, every cell is checked. Cylindrical projections repeat the globe on purpose.
 */
static gv_status guard_inverse(gv_io *io, gv_raster_grid *out) {
  enum { SIDE = 33, COUNT = SIDE * SIDE };
  const double *g = out->geotransform;
  double x[COUNT], y[COUNT], plain_x[COUNT], plain_y[COUNT];
  double cell = fmax(hypot(g[1], g[4]), hypot(g[2], g[5]));
  if (gv_operation_is_cylindrical(out->inverse) || gv_crs_is_lonlat(out->crs)) return GV_OK;
  for (int i = 0; i < COUNT; i++) {
    double column = 0.5 + ((double)out->grid.width - 1.0) * (double)(i % SIDE) / (SIDE - 1);
    double row = 0.5 + ((double)out->grid.height - 1.0) * (double)(i / SIDE) / (SIDE - 1);
    x[i] = plain_x[i] = g[0] + column * g[1] + row * g[2];
    y[i] = plain_y[i] = g[3] + column * g[4] + row * g[5];
  }
  int error = gv_operation_apply(plain_x, plain_y, COUNT, out->inverse);
  gv_operation_check_round_trip(out->inverse, 0.5 * cell);
  error |= gv_operation_apply(x, y, COUNT, out->inverse);
  if (error != 0) return gv_io_fail_memory(io, "a coordinate operation");
  for (int i = 0; i < COUNT; i++) {
    if (isfinite(plain_x[i]) && !isfinite(x[i])) return GV_OK;
  }
  gv_operation_check_round_trip(out->inverse, 0.0);
  return GV_OK;
}

static gv_status put_on_globe(gv_io *io, gv_raster_grid *out) {
  GV_TRY(gv_crs_ellipsoid(io, out->crs, &out->grid.semi_major, &out->grid.flattening));
  memcpy(out->grid.geotransform, out->geotransform, sizeof out->geotransform);
  if (gv_crs_is_lonlat(out->crs) && (out->globe == NULL || OSRGetPrimeMeridian(out->crs, NULL) == 0.0)) {
    double unit = gv_crs_unit_degrees(out->crs);
    double *g = out->grid.geotransform;
    if (unit != 1.0) {
      for (int i = 0; i < 6; i++)
        g[i] *= unit;
    }
    GV_TRY(gv_check_longitudes(io, "the grid", g, out->grid.width, out->grid.height, 360.0));
    out->grid.kind = GV_GRID_LONLAT;
    if (g[2] == 0.0 && g[4] == 0.0) return check_latitudes(io, out);
    out->grid.kind = GV_GRID_PROJECTED;
    out->grid.inverse = keep_lonlat;
    return GV_OK;
  }
  out->grid.kind = GV_GRID_PROJECTED;
  GV_TRY(gv_operation_to_globe(io, out->crs, gv_raster_grid_globe(out), NULL, NULL, 0, &out->inverse));
  gv_operation_turn(out->inverse, out->east);
  out->grid.inverse = invert;
  out->grid.inverse_user = out->inverse;
  return guard_inverse(io, out);
}

/* The library's grid, of the CRS, the metric and the geotransform. */
static gv_status place(gv_io *io, gv_raster_grid *out) {
  if (gv_metric_on_globe(out->metric)) return put_on_globe(io, out);
  out->grid.kind = GV_GRID_PLANE;
  memcpy(out->grid.geotransform, out->geotransform, sizeof out->geotransform);
  return GV_OK;
}

/* Like the published algorithm, which measures distances from the cell that contains a seed. */
static void snap_seeds(int level, gv_seed_list *seeds) {
  for (int64_t i = 0; i < seeds->count; i++) {
    gv_qtm_id id;
    /* Positions on the globe are checked by now. */
    if (gv_qtm_from_lonlat(level, seeds->x[i], seeds->y[i], &id) == GV_OK)
      gv_qtm_center(id, &seeds->x[i], &seeds->y[i]);
  }
}

gv_status gv_raster_grid_transform(gv_io *io, const gv_raster_grid *grid, gv_seed_list *seeds) {
  OGRSpatialReferenceH crs = gv_raster_grid_globe(grid);
  bool globe = gv_metric_on_globe(grid->metric), lonlat = gv_crs_is_lonlat(crs);
  bool same = crs == NULL || gv_crs_same(seeds->crs, crs);
  double unit = globe && lonlat ? gv_crs_unit_degrees(crs) : 1.0;
  gv_operation *operation = NULL;
  gv_status status = GV_OK;
  if (globe && !(lonlat && same && grid->east == 0.0)) {
    status = gv_operation_to_globe(io, seeds->crs, crs, seeds->x, seeds->y, seeds->count, &operation);
    if (status == GV_OK) gv_operation_turn(operation, grid->east);
  } else if (!same) {
    status = gv_operation_between(io, seeds->crs, crs, seeds->x, seeds->y, seeds->count, &operation);
  }
  if (status == GV_OK) status = gv_seeds_transform_shapes(io, seeds, operation, crs, globe, unit);
  if (status == GV_OK) status = gv_seeds_transform(io, seeds, operation, globe, unit);
  gv_operation_destroy(operation);
  if (status == GV_OK && grid->snap_seeds) snap_seeds(grid->grid.level, seeds);
  return status;
}

/* ---------------------------------------------------------------------------------------------- all of it */

static gv_status choose_metric(gv_io *io, const gv_grid_options *options, const gv_seed_list *seeds,
                               gv_raster_grid *out) {
  char name[256];
  gv_crs_describe(out->crs, name, sizeof name);
  GV_TRY(gv_crs_require_map(io, out->crs, "a raster grid"));
  if (out->crs == NULL && queries_on_globe(options)) {
    return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                         "%s: missing coordinate system of the seeds; use --seeds-crs",
                         name_of_cells(options));
  }
  GV_REQUIRE(io, seeds->shapes == NULL || !options->snap_seeds,
             "--snap-seeds: unsupported for lines and polygons");
  gv_metric_request request = {.crs = out->crs,
                               .requested = options->has_metric || queries_on_globe(options),
                               .metric = options->has_metric ? options->metric : GV_GEODESIC,
                               .places = "the seeds have",
                               .remedy = "--seeds-crs"};
  GV_TRY(gv_metric_choose(io, &request, &out->metric));
  out->metric_reason =
      queries_on_globe(options) && !options->has_metric ? "default for the mesh" : gv_metric_reason(&request);
  if (seeds->shapes != NULL && seeds->shapes->edges == GV_EDGES_GEODESIC &&
      !gv_metric_on_globe(out->metric)) {
    return gv_io_fail_as(io, GV_CODE_METRIC_REFUSED, GV_ERROR_INVALID_ARGUMENT,
                         "--edges geodesic: unsupported for metric %s; use straight edges, or --metric "
                         "geodesic or great-circle",
                         gv_metric_name(out->metric));
  }
  if (out->crs != NULL && seeds->crs == NULL) {
    return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                         "seeds: missing coordinate system, but the grid is in %s; use --seeds-crs", name);
  }
  if (out->crs == NULL) gv_seeds_warn_of_degrees(seeds, "the seeds have", "--seeds-crs");
  return GV_OK;
}

/* The default extent on the globe's metrics, for which the seeds themselves do not go to the grid's CRS. */
static gv_status extent_in_grid_crs(gv_io *io, const gv_seed_list *seeds, const gv_raster_grid *out,
                                    double extent[4]) {
  gv_operation *operation = NULL;
  gv_status status = GV_OK;
  if (!gv_crs_same(seeds->crs, out->crs)) {
    const double *x, *y;
    int64_t places;
    gv_seeds_places(seeds, &x, &y, &places);
    status = gv_operation_between(io, seeds->crs, out->crs, x, y, places, &operation);
  }
  if (status == GV_OK) status = gv_extent_of_seeds(io, seeds, operation, out->crs, extent);
  gv_operation_destroy(operation);
  return status;
}

/*
 * The longitudes and latitudes that `crs` is based on, and the same from Greenwich, by which cells of grid
 * systems are defined: *label (may be NULL). Seeds are carried to the former, for which there are operations,
 * and turned.
 */
static gv_status choose_globe(gv_io *io, OGRSpatialReferenceH crs, gv_raster_grid *out,
                              OGRSpatialReferenceH *label) {
  OGRSpatialReferenceH base = NULL, turned = NULL;
  GV_TRY(gv_crs_geographic(io, crs, &base));
  turned = OSRClone(base);
  gv_status status = turned != NULL ? gv_crs_to_greenwich(io, &turned, &out->east)
                                    : gv_io_fail_memory(io, "a coordinate system");
  if (status == GV_OK && label != NULL) {
    OSRSetAxisMappingStrategy(turned, OAMS_TRADITIONAL_GIS_ORDER);
    *label = turned;
    turned = NULL;
  }
  if (turned != NULL) OSRRelease(turned);
  if (status == GV_OK && out->east != 0.0) {
    out->globe = base;
  } else {
    OSRRelease(base);
  }
  return status;
}

/* The grid's system becomes the longitudes, from Greenwich, and latitudes that it is based on. */
static gv_status crs_to_globe(gv_io *io, gv_raster_grid *out) {
  OGRSpatialReferenceH label = NULL;
  if (!OSRIsGeographic(out->crs) && !OSRIsProjected(out->crs)) return GV_OK; /* an error, later */
  GV_TRY(choose_globe(io, out->crs, out, &label));
  OSRRelease(out->crs);
  out->crs = label;
  return GV_OK;
}

/* The seeds' own CRS; for a mesh the longitudes and latitudes it is based on. */
static gv_status crs_of_seeds(gv_io *io, const gv_grid_options *options, const gv_seed_list *seeds,
                              gv_raster_grid *out) {
  bool swapped;
  GV_TRY(gv_crs_copy(io, seeds->crs, &out->crs, &swapped));
  return queries_on_globe(options) ? crs_to_globe(io, out) : GV_OK;
}

/* The requested extent, or the default; *known: false if it depends on seeds that are not read yet. */
static gv_status choose_extent(gv_io *io, const gv_grid_options *options, const gv_seed_list *seeds,
                               const gv_raster_grid *out, double extent[4], bool *known) {
  if (options->has_extent) {
    memcpy(extent, options->extent, sizeof options->extent);
    return GV_OK;
  }
  if (options->extent_of != NULL) {
    bool of_seeds = options->seeds_source != NULL && gv_same_file(options->seeds_source, options->extent_of);
    return gv_extent_of_source(io, options->extent_of, options->extent_layer, options->extent_options,
                               of_seeds ? seeds->crs : NULL, out->crs, extent);
  }
  if (gv_crs_is_lonlat(out->crs)) {
    double unit = gv_crs_unit_degrees(out->crs), half_turn = 180.0 / unit, quarter_turn = 90.0 / unit;
    extent[0] = -half_turn, extent[2] = half_turn;
    extent[1] = -quarter_turn, extent[3] = quarter_turn;
    return GV_OK;
  }
  *known = seeds->count > 0;
  if (!*known) return GV_OK;
  return gv_metric_on_globe(out->metric) ? extent_in_grid_crs(io, seeds, out, extent)
                                         : gv_extent_of_seeds(io, seeds, NULL, out->crs, extent);
}

static gv_status grid_take_seeds(gv_io *io, const gv_raster_grid *grid, gv_seed_list *seeds) {
  return gv_io_of_option(io, gv_raster_grid_transform(io, grid, seeds), "seeds");
}

gv_status gv_raster_grid_make(gv_io *io, const gv_grid_options *options, gv_seed_list *seeds,
                              gv_raster_grid *out) {
  memset(out, 0, sizeof *out);
  gv_grid_init(&out->grid);
  GV_TRY(check_options(io, options));
  if (options->like != NULL) GV_TRY(read_template(io, options, out));
  if (out->crs == NULL && options->crs != NULL) GV_TRY(gv_crs_parse(io, options->crs, "--crs", &out->crs));
  if (out->crs != NULL && gv_cells_of_lists(&options->cells_of)) GV_TRY(crs_to_globe(io, out));
  if (out->crs == NULL && seeds->crs != NULL) GV_TRY(crs_of_seeds(io, options, seeds, out));
  GV_TRY(choose_metric(io, options, seeds, out));

  bool globe = gv_metric_on_globe(out->metric), read = seeds->count > 0, known = true;
  out->snap_seeds = options->snap_seeds;
  if (gv_cells_of_lists(&options->cells_of)) out->cells_of = options->cells_of;
  if (!globe && read) GV_TRY(grid_take_seeds(io, out, seeds));
  if (options->like == NULL) {
    double extent[4], resolution[2] = {options->resolution[0], options->resolution[1]};
    GV_TRY(choose_extent(io, options, seeds, out, extent, &known));
    if (!known) return GV_OK;
    for (int d = 0; d < 2; d++)
      GV_TRY(gv_unit_on_axes(io, "--res", &options->resolution_unit[d], out->crs, &resolution[d]));
    GV_TRY(grid_from_extent(io, options, resolution, extent, out));
  }
  if (options->has_level) out->grid.level = options->level;
  if (options->has_level && out->globe == NULL) GV_TRY(choose_globe(io, out->crs, out, NULL));
  GV_TRY(place(io, out));
  return globe && read ? grid_take_seeds(io, out, seeds) : GV_OK;
}

gv_status gv_raster_grid_of_triangles(gv_io *io, const gv_raster_grid *grid, gv_raster_grid *out) {
  *out = (gv_raster_grid){.metric = grid->metric,
                          .metric_reason = grid->metric_reason,
                          .cells_of = {.kind = GV_CELLS_OF_QTM, .level = grid->grid.level}};
  gv_grid_init(&out->grid);
  out->grid.semi_major = grid->grid.semi_major;
  out->grid.flattening = grid->grid.flattening;
  gv_cells_of_grid(&out->cells_of, NULL, &out->grid);
  return choose_globe(io, grid->crs, out, &out->crs);
}

gv_status gv_raster_grid_resize(gv_io *io, const gv_raster_grid *grid, int64_t width, int64_t height,
                                gv_raster_grid *out) {
  const int64_t from[2] = {grid->grid.width, grid->grid.height}, to[2] = {width, height};
  *out = *grid;
  out->inverse = NULL;
  out->crs = grid->crs != NULL ? OSRClone(grid->crs) : NULL;
  out->globe = grid->globe != NULL ? OSRClone(grid->globe) : NULL;
  if ((grid->crs != NULL && out->crs == NULL) || (grid->globe != NULL && out->globe == NULL))
    return gv_io_fail_memory(io, "a coordinate system");
  out->grid.width = width;
  out->grid.height = height;
  for (int d = 0; d < 2; d++) {
    double *column = &out->geotransform[1 + d], *row = &out->geotransform[4 + d];
    *column = *column * (double)from[d] / (double)to[d];
    *row = *row * (double)from[d] / (double)to[d];
  }
  /* The same result as dividing the extent directly. */
  if (grid->divided[0] > 0.0) out->geotransform[1] = grid->divided[0] / (double)width;
  if (grid->divided[1] > 0.0) out->geotransform[5] = -(grid->divided[1] / (double)height);
  return place(io, out);
}
