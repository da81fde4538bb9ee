#include "job/description/settings.h"
#include "core/limits.h"
#include "gpuvoronoi/geometries.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/path.h"
#include "io/source_name.h"
#include "io/strings.h"

typedef gv_job_settings settings;

/* Groups of alternatives. */
enum { GV_CELLS = 1, GV_EXTENT = 2, GV_SEEDS = 4 };

/* ------------------------------------------------------------------------------------------------ setters */

static gv_status set_values(gv_io *io, void *to, const char *value) {
  gv_raster_seed_options *o = &((settings *)to)->job.raster_seeds;
  return gv_read_whole_list(io, "--values", value, &o->values, &o->value_count);
}

static gv_status set_resolution(gv_io *io, void *to, const char *value) {
  gv_grid_options *grid = &((settings *)to)->job.grid;
  grid->has_resolution = true;
  if (gv_read_numbers(value, grid->resolution, 2)) return GV_OK;
  int count = gv_read_measures(value, grid->resolution, grid->resolution_unit, 2);
  GV_REQUIRE(io, count > 0, "--res: invalid value (%s); expected X or X,Y, optionally with a unit: %s", value,
             gv_unit_names);
  if (count == 1) grid->resolution[1] = grid->resolution[0];
  if (count == 1) grid->resolution_unit[1] = grid->resolution_unit[0];
  return GV_OK;
}

static gv_status set_max_distance(gv_io *io, void *to, const char *value) {
  return gv_read_distance(io, "--max-distance", value, &((settings *)to)->job.max_distance);
}

static gv_status set_distance_unit(gv_io *io, void *to, const char *value) {
  return gv_read_length_unit(io, "--distance-unit", value, &((settings *)to)->job.distance_unit);
}

static gv_status set_size(gv_io *io, void *to, const char *value) {
  gv_grid_options *grid = &((settings *)to)->job.grid;
  grid->has_size = true;
  GV_REQUIRE(io, gv_read_integers(value, grid->size, 2),
             "--size: invalid value (%s); expected W,H as integers", value);
  return GV_OK;
}

static gv_status set_extent(gv_io *io, void *to, const char *value) {
  gv_grid_options *grid = &((settings *)to)->job.grid;
  grid->has_extent = true;
  GV_REQUIRE(io, gv_read_numbers(value, grid->extent, 4),
             "--extent: invalid value (%s); expected XMIN,YMIN,XMAX,YMAX", value);
  return GV_OK;
}

static gv_status set_cells_of(gv_io *io, void *to, const char *value) {
  gv_grid_options *grid = &((settings *)to)->job.grid;
  GV_TRY(gv_cells_of_read(io, "--cells-of", value, &grid->cells_of));
  if (gv_cells_of_are_read(&grid->cells_of)) gv_source_remember(value);
  if (!gv_cells_of_are_triangles(&grid->cells_of)) return GV_OK;
  grid->has_level = true;
  grid->level = grid->cells_of.level;
  return GV_OK;
}

static gv_status set_memory(gv_io *io, void *to, const char *value) {
  return gv_read_memory(io, value, &((settings *)to)->job.memory);
}

static const gv_choice raster_bands[] = {
    {"id", GV_RUN_OUT}, {"distance", GV_RUN_DISTANCE}, {"azimuth", GV_RUN_AZIMUTH}, {NULL, 0}};

static gv_status set_bands(gv_io *io, void *to, const char *value) {
  settings *s = to;
  for (const char *at = value;; at++) {
    size_t length = strcspn(at, ",");
    const gv_choice *c = raster_bands;
    while (c->name != NULL && (strlen(c->name) != length || strncmp(c->name, at, length) != 0))
      c++;
    GV_REQUIRE(io, c->name != NULL && !gv_job_settings_has_band(s, c->value),
               "--bands: invalid value (%s); expected some of id, distance, azimuth, each once", value);
    s->bands[s->band_count++] = c->value;
    at += length;
    if (*at == '\0') return GV_OK;
  }
}

/* GDAL's names, in any case. */
static gv_status set_distance_type(gv_io *io, void *to, const char *value) {
  settings *s = to;
  s->has_distance_type = true;
  const GDALDataType type = s->job.distance_type = GDALGetDataTypeByName(value);
  GV_REQUIRE(io, type == GDT_Float32 || type == GDT_Float64,
             "--distance-type: invalid value (%s); expected Float32 or Float64", value);
  return GV_OK;
}

static gv_status set_id_type(gv_io *io, void *to, const char *value) {
  settings *s = to;
  static const GDALDataType types[] = {GDT_Byte,   GDT_Int16, GDT_UInt16,  GDT_Int32,
                                       GDT_UInt32, GDT_Int64, GDT_Float32, GDT_Float64};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (GDALGetDataTypeByName(value) == types[i]) s->job.id_type = types[i];
  GV_REQUIRE(io, s->job.id_type != GDT_Unknown,
             "--ot: invalid value (%s); expected one of: Byte, Int16, UInt16, Int32, UInt32, Int64; with "
             "--attribute also Float32, Float64",
             value);
  return GV_OK;
}

bool gv_sum_file_at(const char *value, const char *directory, size_t *at) {
  const char *equals = strchr(value, '=');
  size_t length = equals != NULL ? (size_t)(equals - value) : 0;
  *at = 0;
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)value[i]) && value[i] != '_' && value[i] != '-') return true;
  if (length == 0) return true;
  char *whole = gv_path_join(directory, value);
  if (whole == NULL) return false;
  struct stat found;
  if (stat(whole, &found) != 0) *at = length + 1;
  free(whole);
  return true;
}

static gv_status set_sum(gv_io *io, void *to, const char *value) {
  gv_job *j = &((settings *)to)->job;
  size_t file;
  if (!gv_sum_file_at(value, ".", &file)) return gv_io_fail_memory(io, "a name");
  size_t length = file > 0 ? file - 1 : 0;
  GV_REQUIRE(io, j->sum_count < GV_JOB_MAX_SUMS, "--sum: too many rasters; at most %d are supported",
             GV_JOB_MAX_SUMS);
  gv_job_sum *sum = &j->sums[j->sum_count++];
  sum->path = value + file;
  gv_source_remember(sum->path);
  char *shown = gv_source_name(sum->path);
  if (shown == NULL) return gv_io_fail_memory(io, "a name");
  const char *stem = CPLGetBasename(shown);
  free(shown);
  if (file == 0) length = strchr(stem, '*') == NULL ? strlen(stem) : 0; /* a source that is not shown */
  GV_REQUIRE(io, length > 0 && length < sizeof sum->name,
             "--sum: invalid name (%s); expected NAME=FILE with a name of 1 to %zu letters", value,
             sizeof sum->name - 1);
  snprintf(sum->name, sizeof sum->name, "%.*s", (int)length, file > 0 ? value : stem);
  for (int i = 0; i + 1 < j->sum_count; i++)
    GV_REQUIRE(io, strcasecmp(j->sums[i].name, sum->name) != 0,
               "--sum: two rasters have the same name (%s); use NAME=FILE", sum->name);
  return GV_OK;
}

static gv_status set_part(gv_io *io, void *to, const char *value) {
  gv_job *j = &((settings *)to)->job;
  char *slash, *end;
  long part = strtol(value, &slash, 10), parts = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
  bool good = isdigit((unsigned char)*value) && parts > 0 && isdigit((unsigned char)slash[1]) &&
              *end == '\0' && part >= 1 && part <= parts && parts <= GV_JOB_MOST_PARTS;
  GV_REQUIRE(io, good, "--part: invalid value (%s); expected I/N, part I of N (1 to %d)", value,
             GV_JOB_MOST_PARTS);
  j->part = (int)part;
  j->parts = (int)parts;
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ options */

static const gv_choice weightings[] = {
    {"multiplicative", GV_MULTIPLICATIVE}, {"additive", GV_ADDITIVE}, {"power", GV_POWER}, {NULL, 0}};

static const gv_choice metrics[] = {{"geodesic", GV_GEODESIC},   {"great-circle", GV_GREAT_CIRCLE},
                                    {"euclidean", GV_EUCLIDEAN}, {"manhattan", GV_MANHATTAN},
                                    {"chebyshev", GV_CHEBYSHEV}, {NULL, 0}};

static const gv_choice cost_moves[] = {{"8", 8}, {"16", 16}, {"32", 32}, {NULL, 0}};
static const gv_choice edges[] = {
    {"straight", GV_EDGES_STRAIGHT}, {"geodesic", GV_EDGES_GEODESIC}, {NULL, 0}};

const gv_option gv_job_options[] = {
    GV_OPTION_SECTION("Seeds"),
    {"seeds", "SRC",
     "points, lines or polygons: a vector file, or a CSV file with lon,lat or x,y\n"
     "Any vector source that GDAL reads; - reads CSV or GeoJSON from standard input. CSV columns lon and lat "
     "(lng, "
     "long, longitude, latitude) are in EPSG:4326. In a layer of points each point is a seed; in a layer "
     "with "
     "lines or polygons each feature is a seed, at the distance of its closest point (0 inside a polygon).",
     GV_OPTION_INTO(job.seeds.source), .names_file = true, .once = true, .alternatives = GV_SEEDS},
    {"seeds-raster", "R",
     "instead of --seeds: the cells of a raster that are not nodata, masked or 0\n"
     "A seed is the center of its cell. OUT holds the value of the nearest seed; equal distances select the "
     "lowest "
     "value; -k returns values. Default grid: that of R.",
     GV_OPTION_INTO(job.raster_seeds.source), .names_file = true, .alternatives = GV_SEEDS},
    {"band", "N", "band of --seeds-raster [default: 1]", GV_OPTION_RANGE(job.raster_seeds.band, 1, 1 << 30)},
    {"values", "V[,V...]", "use only cells of --seeds-raster with these values\n0 is used if it is listed.",
     GV_OPTION_BY(set_values), .numbers = INT32_MAX},
    {"by-cell", NULL,
     "with --seeds-raster: write the number of the nearest cell, not its value\n"
     "Cells are numbered row by row from 0 (Int64). Equal distances select the lowest number.",
     GV_OPTION_INTO(job.raster_seeds.by_cell)},
    GV_OPTION_SEEDS_ROWS(job.seeds),
    {"oo", "NAME=VALUE", "open option of the driver of SRC or R; may be repeated",
     GV_OPTION_INTO(job.seeds.open_options), .several = true, .rare = true},
    {"id", "FIELD",
     "field to write, of integers or text [default: the feature id]\n"
     "A text field writes row numbers from 0, with the texts in the attribute table. Feature ids of a CSV "
     "file are "
     "its row numbers from 1.",
     GV_OPTION_INTO(job.seeds.id_field)},
    {"attribute", "FIELD",
     "write this numeric field of the nearest seed instead of its id\n"
     "Integers, or real numbers with NaN in cells without a seed.",
     GV_OPTION_INTO(job.seeds.attribute)},
    {"skip-invalid", NULL, "skip seeds without valid coordinates, and report their number",
     GV_OPTION_INTO(job.seeds.skip_invalid)},
    {"edges", "NAME",
     "edges of lines and polygons: straight or geodesic [default: straight]\n"
     "straight: in the seeds' own coordinates, with longitudes as written. geodesic: the shorter way between "
     "vertices; great-circle arcs with that metric.",
     GV_OPTION_ONE_OF(job.seeds.edges, edges)},
    {"boundary", NULL, "measure distances to the boundaries of polygons, also inside them",
     GV_OPTION_INTO(job.seeds.boundary)},

    GV_OPTION_SECTION("Grid: a template, or an extent with a cell size or a number of cells"),
    {"like", "RASTER", "use the extent, cells and coordinate system of this raster",
     GV_OPTION_INTO(job.grid.like), .names_file = true, .alternatives = GV_CELLS | GV_EXTENT},
    {"like-oo", "NAME=VALUE", "open option of the template's driver; may be repeated",
     GV_OPTION_INTO(job.grid.like_options), .several = true, .rare = true,
     .belongs_to = GV_CELLS | GV_EXTENT},
    {"res", "X[,Y]",
     "cell size in the grid's units, or with a unit: 30m, 1km, 30arcsec\n"
     "Degrees of a length are those of the equator. The last row or column counts if at least half of it is "
     "inside "
     "the extent, as in gdalwarp.",
     GV_OPTION_BY(set_resolution), .numbers = 2, .alternatives = GV_CELLS},
    {"size", "W,H", "number of cells [default: 2048 on the longer side, square cells]",
     GV_OPTION_BY(set_size), .numbers = 2, .alternatives = GV_CELLS},
    {"extent", "XMIN,YMIN,XMAX,YMAX",
     "in the grid's coordinate system [default: the globe, or from the seeds]\n"
     "From the seeds: their extent plus 10 % on each side; 1 km around a single seed. If seeds lie far "
     "outside the "
     "area of use of the coordinate system, the grid ends there. Longitudes may exceed 180.",
     GV_OPTION_BY(set_extent), .numbers = 4, .alternatives = GV_EXTENT},
    {"extent-of", "SRC", "use the extent of this raster or layer", GV_OPTION_INTO(job.grid.extent_of),
     .names_file = true, .alternatives = GV_EXTENT},
    {"extent-layer", "NAME", "layer of --extent-of; required if it has several",
     GV_OPTION_INTO(job.grid.extent_layer), .rare = true, .belongs_to = GV_EXTENT},
    {"extent-oo", "NAME=VALUE", "open option of the driver of --extent-of; may be repeated",
     GV_OPTION_INTO(job.grid.extent_options), .several = true, .rare = true, .belongs_to = GV_EXTENT},
    {"crs", "CRS", "coordinate system of the grid [default: the seeds']", GV_OPTION_INTO(job.grid.crs)},
    {"level", "L",
     "compute triangles of QTM level L (0 to 20); pixels have their triangle's value\n"
     "Default grid: the globe in 2^(L+3) x 2^(L+2) pixels.",
     GV_OPTION_RANGE(job.grid.level, 0, GV_QTM_MAX_GRID_LEVEL), GV_OPTION_AND(job.grid.has_level)},
    {"cells-of", "CELLS",
     "compute healpix:LEVEL, s2:LEVEL, h3:LEVEL or the places in a file instead of a raster\n"
     "Outputs are --cells and --stats. healpix:LEVEL is NESTED; ,ring and ,authalic may follow; ,authalic "
     "also for "
     "S2. A file of places is any source of --seeds, or arrays of longitudes and latitudes in NetCDF; "
     "FILE:NAME is "
     "a layer, or the coordinates of a variable. qtm:LEVEL is --level LEVEL.",
     GV_OPTION_BY(set_cells_of), .names_file = true},
    {"snap-seeds", NULL, "with --level: move seeds to the center of their triangle",
     GV_OPTION_INTO(job.grid.snap_seeds), .rare = true},

    GV_OPTION_SECTION("Travel cost"),
    {"cost", "RASTER",
     "find the nearest seed by travel cost over this raster of friction, the cost per meter\n"
     "Per unit of the grid on the plane. OUT has its cells. Nodata, negative and infinite values are "
     "barriers. "
     "--distance, --max-distance and the distances of --stats are costs. Points begin at their own position, "
     "lines, polygons and cells at cost 0 in every cell that they "
     "touch.",
     GV_OPTION_INTO(job.cost.path), .names_file = true},
    {"cost-band", "N", "band of --cost [default: 1]", GV_OPTION_RANGE(job.cost.band, 1, 1 << 30),
     .rare = true},
    {"cost-oo", "NAME=VALUE", "open option of the driver of --cost; may be repeated",
     GV_OPTION_INTO(job.cost.open_options), .several = true, .rare = true},
    {"cost-moves", "N",
     "directions in which ways leave a cell: 8, 16 or 32 [default: 16]\n"
     "On uniform friction a way is at most 8.24 %, 2.75 % or 1.31 % too long.",
     GV_OPTION_ONE_OF(job.cost.moves, cost_moves)},
    {"from", "POINTS", "points at which the lines of --ways begin", GV_OPTION_INTO(job.from.path),
     .names_file = true},
    {"from-layer", "NAME", "layer of --from; required if it has several", GV_OPTION_INTO(job.from.layer),
     .rare = true},
    {"from-crs", "CRS", "coordinate system of --from, if it has none [default: its own]",
     GV_OPTION_INTO(job.from.crs), .rare = true},
    {"from-oo", "NAME=VALUE", "open option of the driver of --from; may be repeated",
     GV_OPTION_INTO(job.from.open_options), .several = true, .rare = true},

    GV_OPTION_SECTION("Barriers"),
    {"barriers", "SRC",
     "find the nearest seed by the shortest way round these lines and polygons\n"
     "A way may touch a barrier and follow it, but not cross a line or enter a polygon. Distances are "
     "lengths of "
     "ways. Cells inside polygons and those that no way reaches hold nodata. Points as seeds only; --metric "
     "euclidean, great-circle or geodesic.",
     GV_OPTION_INTO(job.barriers.path), .names_file = true},
    {"barriers-layer", "NAME", "layer of --barriers; required if it has several",
     GV_OPTION_INTO(job.barriers.layer), .rare = true},
    {"barriers-oo", "NAME=VALUE", "open option of the driver of --barriers; may be repeated",
     GV_OPTION_INTO(job.barriers.open_options), .several = true, .rare = true},

    GV_OPTION_SECTION("Nearest seeds"),
    {"k", "K", "write the K nearest seeds, one band for each (1 to 64) [default: 1]",
     GV_OPTION_RANGE(job.k, 1, GV_VORONOI_MAX_K)},
    {"max-distance", "D",
     "ignore seeds farther than D: meters on the globe, else the grid's unit\n"
     "Or with a unit: 100km, 5mi. Seeds at distance D are used.",
     GV_OPTION_BY(set_max_distance), .numbers = 1},
    {"metric", "NAME",
     "geodesic, great-circle, euclidean, manhattan or chebyshev [default: by --crs]\n"
     "Default: geodesic for longitudes and latitudes and for projected CRSs of the whole world, else "
     "euclidean. "
     "geodesic "
     "and great-circle are supported on projected grids too.",
     GV_OPTION_ONE_OF(job.grid.metric, metrics), GV_OPTION_AND(job.grid.has_metric)},
    {"weighting", "NAME", "use multiplicative (d/w), additive (d+w) or power (d*d-w) distances",
     GV_OPTION_ONE_OF(job.weighting, weightings)},
    {"weight-field", "FIELD", "field of the seeds' weights w", GV_OPTION_INTO(job.seeds.weight_field)},
    {"mask", "SRC",
     "compute only cells inside these polygons, or set in this raster\n"
     "Cells of a raster are set unless they are nodata, masked or 0. Other cells hold nodata.",
     GV_OPTION_INTO(job.mask.source), .names_file = true},
    {"mask-layer", "NAME", "layer of --mask; required if it has several", GV_OPTION_INTO(job.mask.layer),
     .rare = true},
    {"mask-oo", "NAME=VALUE", "open option of the driver of --mask; may be repeated",
     GV_OPTION_INTO(job.mask.open_options), .several = true, .rare = true},

    GV_OPTION_SECTION("Output raster"),
    {"of", "DRIVER", "GDAL driver [default: by the extension of OUT; GTiff for .tif]",
     GV_OPTION_INTO(job.raster.driver), .place = GV_IN_OUTPUTS},
    {"ot", "TYPE",
     "Byte, Int16, UInt16, Int32, UInt32 or Int64 [default: Int32, or Int64 if needed]\n"
     "The type must hold all ids. PNG, JPEG 2000 and GeoPackage rasters need Byte or UInt16. With "
     "--attribute also "
     "Float32 or Float64.",
     GV_OPTION_BY(set_id_type), .place = GV_IN_OUTPUTS, .parts_otherwise = true},
    {"co", "NAME=VALUE",
     "creation option; may be repeated\nEach replaces only that default. --cells has FORMAT=ZARR_V2 and "
     "ZARR_V3 "
     "only, for .zarr.",
     GV_OPTION_INTO(job.raster.creation_options), .place = GV_IN_OUTPUTS, .several = true},
    {"nodata", "V",
     "value of cells without a seed [default: -1]\n"
     "If -1 is an id, the lowest integer. For unsigned types the highest integer, or 0 if that is an id.",
     GV_OPTION_INTO(job.nodata), GV_OPTION_AND(job.has_nodata)},
    {"no-style", NULL, "write no attribute table, no palette and no style for QGIS (OUT.qml)",
     GV_OPTION_INTO(job.no_style), .place = GV_IN_OUTPUTS},

    GV_OPTION_SECTION("Other outputs"),
    {"distance", "FILE",
     "raster of distances (K bands)\nMeters on the globe, else the grid's unit; see --distance-unit.",
     GV_OPTION_INTO(job.distance), .place = GV_IN_OUTPUTS, .names_file = true},
    {"distance-per-value", NULL, "with --distance and --seeds-raster: a band for each value instead of K",
     GV_OPTION_INTO(job.distance_per_value)},
    {"signed-distance", NULL,
     "with --distance: negative distances inside polygons\n"
     "Inside a polygon: minus the distance to the boundary of that feature.",
     GV_OPTION_INTO(job.signed_distance)},
    {"distance-unit", "UNIT",
     "m, km, nmi, mi, ft, yd, us-ft or cm [default: m on the globe, else the grid's unit]\n"
     "The unit of --distance and of the distances in --stats.",
     GV_OPTION_BY(set_distance_unit)},
    {"distance-type", "TYPE", "Float32 or Float64 [default: Float32]", GV_OPTION_BY(set_distance_type),
     .rare = true},
    {"azimuth", "FILE", "raster of directions to the seeds, degrees clockwise from north",
     GV_OPTION_INTO(job.azimuth), .place = GV_IN_OUTPUTS, .names_file = true},
    {"stats", "FILE",
     "table with one row for each seed: attributes, cells, area, distances, sums\n"
     "Mean and largest distance, and the centroid. Any vector format: .csv, .gpkg, .fgb, .geojson ...",
     GV_OPTION_INTO(job.stats), .place = GV_IN_OUTPUTS, .names_file = true},
    {"stats-layer", "NAME", "layer of --stats in a file of several layers [default: statistics]",
     GV_OPTION_INTO(job.stats_layer), .place = GV_IN_OUTPUTS, .rare = true},
    {"sum", "[NAME=]RASTER",
     "with --stats: add up this raster of counts, e.g. people; may be repeated\n"
     "The table has the sum over each region, and the mean distance weighted by the counts.",
     GV_OPTION_BY(set_sum), .place = GV_IN_OUTPUTS, .names_file = true, .several = true},
    {"sum-oo", "NAME=VALUE", "open option of the drivers of all rasters of --sum; may be repeated",
     GV_OPTION_INTO(job.sum_options), .place = GV_IN_OUTPUTS, .several = true, .rare = true},
    {"group", NULL,
     "with --stats: one row for each id instead of each seed\n"
     "The row has the number of the id's seeds and the attributes of the first.",
     GV_OPTION_INTO(job.group), .place = GV_IN_OUTPUTS, .parts_otherwise = true},
    {"no-stats-distances", NULL, "with --stats: no distances in the table (faster)",
     GV_OPTION_INTO(job.no_stats_distances), .place = GV_IN_OUTPUTS, .parts_otherwise = true, .rare = true},
    {"polygons", "FILE", "the regions as polygons", GV_OPTION_INTO(job.polygons), .place = GV_IN_OUTPUTS,
     .names_file = true},
    {"polygons-layer", "NAME", "layer of --polygons in a file of several layers [default: regions]",
     GV_OPTION_INTO(job.polygons_layer), .place = GV_IN_OUTPUTS, .rare = true},
    {"ways", "FILE",
     "with --cost or --barriers: lines of the ways from the points of --from to their seeds\n"
     "With --cost a line begins in the center of the point's cell. The table has the id of the seed, the "
     "cost "
     "(with --cost) and the length; points that no seed reaches have no line. Any vector format with lines.",
     GV_OPTION_INTO(job.ways), .place = GV_IN_OUTPUTS, .names_file = true},
    {"ways-layer", "NAME", "layer of --ways in a file of several layers [default: ways]",
     GV_OPTION_INTO(job.ways_layer), .place = GV_IN_OUTPUTS, .rare = true},
    {"cells", "FILE",
     "with --level or --cells-of: table of the cells\n"
     "--level: the triangles as polygons with id, id64, lon, lat, seed, distance and area_km2. --cells-of: a "
     "table "
     "with cell, lon, lat, seed, distance, azimuth. Cells with their center outside --mask are left out. Any "
     "vector format: .gpkg, .fgb, .csv, .geojson ...; with --cells-of also .nc and .zarr.",
     GV_OPTION_INTO(job.cells), .place = GV_IN_OUTPUTS, .names_file = true},
    {"cell-borders", NULL,
     "with --cells of healpix, s2 or h3: polygons of the cells instead of their centers\n"
     "They are cut at 180 degrees. Each side is drawn in at least 4 pieces. The format needs geometries.",
     GV_OPTION_INTO(job.cell_borders), .place = GV_IN_OUTPUTS, .rare = true},
    {"mesh", "FILE.nc", "with --level (up to 13): UGRID mesh with seed, distance and area",
     GV_OPTION_INTO(job.mesh), .place = GV_IN_OUTPUTS, .names_file = true},
    {"bands", "NAME[,NAME...]",
     "bands of an on-demand raster: id, distance, azimuth [default: id]\n"
     "K bands for each. They are used where GDAL opens the description, without an output file.",
     GV_OPTION_BY(set_bands), .several = true, .rare = true},
    {"overwrite", NULL,
     "replace outputs that exist\n"
     "In files of several layers (.gpkg, .sqlite, .xlsx ...) only the layer of that name; new layers are "
     "added "
     "without this option. Modes and owners stay, links are followed, read-only files are refused.",
     GV_OPTION_INTO(job.raster.overwrite), .place = GV_IN_OUTPUTS},
    GV_OPTION_SYNC_ROW(job.sync),

    GV_OPTION_SECTION("Run"),
    {"backend", "NAME",
     "auto, or one of `gpuvoronoi backends` [default: auto]\nAll backends return the same result",
     GV_OPTION_INTO(job.backend), .more = GV_MORE_LIMITS_OF_GRIDS, .parts_otherwise = true},
    GV_OPTION_THREADS_ROW(job.threads),
    {"memory", "SIZE",
     "memory of all threads, e.g. 512M or 4G [default: min(1 GiB, RAM / 4)]\n"
     "With less memory fewer threads run. The data of each input may take as much again, those of a local "
     "file "
     "also 16 "
     "times the size of the file.",
     GV_OPTION_BY(set_memory), .numbers = 1, .parts_otherwise = true},
    {"device", "N",
     "number of a GPU, from `gpuvoronoi devices` [default: the first]\nDefault for cuda-tile: all GPUs.",
     GV_OPTION_RANGE(job.device, 0, 1023), .parts_otherwise = true},
    {"describe", "FILE",
     "write this command line to FILE.voronoi.json, as JSON, instead of running it\n"
     "OUT may be missing. Passwords are left out. Relative paths are resolved against FILE's directory.",
     GV_OPTION_INTO(describe), .place = GV_IN_NOTHING},
    {"config", "FILE",
     "run FILE.voronoi.json; other options replace its own\n--overwrite applies only if it is on the command "
     "line.",
     GV_OPTION_INTO(job.config), .place = GV_IN_NOTHING},
    {"part", "I/N",
     "compute part I of N into OUT, a part file for `gpuvoronoi merge`\n"
     "Parts are consecutive rows of tiles. Other outputs go into the part file, or are made by merge.",
     GV_OPTION_BY(set_part), .place = GV_IN_NOTHING},
    {"dry-run", NULL, "read the inputs and report sizes; write nothing", GV_OPTION_INTO(job.dry_run),
     .place = GV_IN_NOTHING},
    {"quiet", NULL, "no progress bar, no warnings, no summary", GV_OPTION_INTO(quiet),
     .place = GV_IN_NOTHING},
    {"json", NULL,
     "print summary, warnings and errors as JSON on standard output\n"
     "One object; each warning and error has a code. A progress bar is on stderr.",
     GV_OPTION_INTO(json), .place = GV_IN_NOTHING},
    GV_OPTION_PROGRESS_ROW(progress),
    GV_OPTION_HELP_ROWS,
    {"version", NULL, "print the version", .kind = GV_OPTION_VERSION, .place = GV_IN_NOTHING},
};

_Static_assert(sizeof gv_job_options / sizeof *gv_job_options == GV_JOB_OPTIONS,
               "the header's number of rows");

const gv_option gv_job_out = {"raster",
                              "FILE",
                              "the raster of ids (OUT on the command line)",
                              GV_OPTION_INTO(job.raster.path),
                              .place = GV_IN_OUTPUTS,
                              .names_file = true};

/* ------------------------------------------------------------------------------------------- all together */

void gv_job_settings_begin(gv_job_settings *s) {
  *s = (gv_job_settings){.job = {.raster_seeds.band = 1,
                                 .backend = "auto",
                                 .device = -1,
                                 .k = 1,
                                 .max_distance.value = (double)INFINITY,
                                 .cost = {.band = 1, .moves = GV_JOB_COST_MOVES},
                                 .distance_type = GDT_Float32}};
}

void gv_job_settings_clear(gv_job_settings *s) {
  for (int i = 0; i < GV_JOB_OPTIONS; i++)
    if (gv_job_options[i].kind == GV_OPTION_LIST)
      gv_strings_free(*(char ***)((char *)s + gv_job_options[i].at));
  free(s->job.raster_seeds.values);
}

bool gv_job_settings_has_band(const gv_job_settings *s, int kind) {
  for (int i = 0; i < s->band_count; i++)
    if (s->bands[i] == kind) return true;
  return false;
}
