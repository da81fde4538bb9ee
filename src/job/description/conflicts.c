/* Options that need or exclude each other. */
#include "job/description/conflicts.h"

#include <stdio.h>
#include <string.h>

#include "io/crs/metric.h"
#include "io/format.h"
#include "job/backends.h"

/* Options that travel costs do not have. */
static gv_status conflicts_of_cost(gv_io *io, const gv_job *j) {
  const gv_grid_options *g = &j->grid;
  const gv_excluded_option others[] = {
      {g->like != NULL, "--like"},
      {g->has_resolution, "--res"},
      {g->has_size, "--size"},
      {g->has_extent, "--extent"},
      {g->extent_of != NULL, "--extent-of"},
      {g->crs != NULL, "--crs"},
      {g->has_level, "--level"},
      {gv_cells_of_are_given(&g->cells_of), "--cells-of"},
      {j->distance_per_value, "--distance-per-value"},
      {j->k > 1, "-k"},
      {j->weighting != GV_UNWEIGHTED, "--weighting"},
      {j->seeds.edges != GV_EDGES_STRAIGHT, "--edges"},
      {j->signed_distance, "--signed-distance"},
      {j->seeds.boundary, "--boundary"},
      {j->max_distance.unit.kind != GV_UNIT_NONE, "a unit of --max-distance"},
      {j->distance_unit.kind != GV_UNIT_NONE, "--distance-unit"},
      {j->parts > 0, "--part"}};
  if (j->cost.path == NULL) return GV_OK;
  GV_TRY(gv_options_exclude(io, "--cost", "travel costs", others, sizeof others / sizeof *others));
  GV_REQUIRE(io, !g->has_metric || (g->metric != GV_MANHATTAN && g->metric != GV_CHEBYSHEV),
             "--cost: metric %s is unsupported; use euclidean, great-circle or geodesic",
             gv_metric_name(g->metric));
  return GV_OK;
}

/* Options that ways round barriers do not have. */
static gv_status conflicts_of_barriers(gv_io *io, const gv_job *j) {
  const gv_grid_options *g = &j->grid;
  const gv_excluded_option others[] = {
      {j->cost.path != NULL, "--cost"},
      {j->raster_seeds.source != NULL, "--seeds-raster"},
      {g->has_level, "--level"},
      {gv_cells_of_are_given(&g->cells_of), "--cells-of"},
      {j->k > 1, "-k"},
      {j->weighting != GV_UNWEIGHTED, "--weighting"},
      {j->signed_distance, "--signed-distance"},
      {j->seeds.boundary, "--boundary"},
      {j->parts > 0, "--part"},
      {!gv_job_backend_is_automatic(j->backend) && !gv_job_backend_culls(j->backend, false), "--backend"}};
  if (j->barriers.path == NULL) return GV_OK;
  return gv_options_exclude(io, "--barriers", "barriers", others, sizeof others / sizeof *others);
}

/* Grids that are defined twice. */
static gv_status conflicts_of_grids(gv_io *io, const gv_grid_options *g) {
  const bool extent = g->has_extent || g->extent_of != NULL;
  GV_REQUIRE(io, !g->has_extent || g->extent_of == NULL, "two grid definitions: use --extent or --extent-of");
  GV_REQUIRE(io, g->like == NULL || (!g->has_resolution && !g->has_size && !extent),
             "two grid definitions: use --like or %s",
             g->has_extent          ? "--extent"
             : g->extent_of != NULL ? "--extent-of"
             : g->has_size          ? "--size"
                                    : "--res");
  GV_REQUIRE(io, !g->has_resolution || !g->has_size, "two grid definitions: use --res or --size");
  return GV_OK;
}

gv_status gv_job_settings_check(gv_io *io, const gv_job_settings *s) {
  const gv_job *j = &s->job;
  bool distances = j->distance != NULL || gv_job_settings_has_band(s, GV_RUN_DISTANCE);
  bool cells = j->raster_seeds.source != NULL;
  GV_REQUIRE(io, j->seeds.source == NULL || !cells,
             "--seeds and --seeds-raster: unsupported together; use one of them");
  GV_REQUIRE(io, j->seeds.source != NULL || cells, "missing --seeds; e.g. gpuvoronoi --seeds points.gpkg %s",
             j->raster.path != NULL ? j->raster.path : "out.tif");
  const gv_option_rule rules[] = {
      {j->weighting != GV_UNWEIGHTED, j->seeds.weight_field != NULL, "--weighting", "--weight-field"},
      {j->seeds.weight_field != NULL, j->weighting != GV_UNWEIGHTED, "--weight-field", "--weighting"},
      {j->seeds.x_field != NULL, j->seeds.y_field != NULL, "--x", "--y"},
      {j->seeds.y_field != NULL, j->seeds.x_field != NULL, "--y", "--x"},
      {j->grid.snap_seeds, j->grid.has_level, "--snap-seeds", "--level"},
      {j->mask.layer != NULL, j->mask.source != NULL, "--mask-layer", "--mask"},
      {j->mask.open_options != NULL, j->mask.source != NULL, "--mask-oo", "--mask"},
      {j->grid.like_options != NULL, j->grid.like != NULL, "--like-oo", "--like"},
      {j->grid.extent_layer != NULL, j->grid.extent_of != NULL, "--extent-layer", "--extent-of"},
      {j->grid.extent_options != NULL, j->grid.extent_of != NULL, "--extent-oo", "--extent-of"},
      {s->has_distance_type, distances, "--distance-type", "--distance"},
      {j->signed_distance, distances, "--signed-distance", "--distance"},
      {j->distance_unit.kind != GV_UNIT_NONE,
       distances || j->stats != NULL || gv_cells_of_lists(&j->grid.cells_of), "--distance-unit",
       "--distance or --stats"},
      {j->stats_layer != NULL, j->stats != NULL, "--stats-layer", "--stats"},
      {j->polygons_layer != NULL, j->polygons != NULL, "--polygons-layer", "--polygons"},
      {j->ways != NULL, j->from.path != NULL, "--ways", "--from"},
      {j->from.path != NULL, j->ways != NULL, "--from", "--ways"},
      {j->ways != NULL, j->cost.path != NULL || j->barriers.path != NULL, "--ways", "--cost or --barriers"},
      {j->ways_layer != NULL, j->ways != NULL, "--ways-layer", "--ways"},
      {j->cell_borders, j->cells != NULL, "--cell-borders", "--cells"},
      {j->cell_borders, gv_cells_of_have_borders(&j->grid.cells_of), "--cell-borders",
       "--cells-of healpix|s2|h3"},
      {j->from.layer != NULL, j->from.path != NULL, "--from-layer", "--from"},
      {j->from.crs != NULL, j->from.path != NULL, "--from-crs", "--from"},
      {j->from.open_options != NULL, j->from.path != NULL, "--from-oo", "--from"},
      {j->sum_count > 0, j->stats != NULL, "--sum", "--stats"},
      {j->sum_options != NULL, j->sum_count > 0, "--sum-oo", "--sum"},
      {j->group, j->stats != NULL, "--group", "--stats"},
      {j->no_stats_distances, j->stats != NULL, "--no-stats-distances", "--stats"},
      {j->raster_seeds.band != 1, cells, "--band", "--seeds-raster"},
      {j->raster_seeds.values != NULL, cells, "--values", "--seeds-raster"},
      {j->raster_seeds.by_cell, cells, "--by-cell", "--seeds-raster"},
      {j->distance_per_value, cells, "--distance-per-value", "--seeds-raster"},
      {j->distance_per_value, distances, "--distance-per-value", "--distance"},
      {j->seeds.layer != NULL, !cells, "--layer", "--seeds"},
      {j->seeds.where != NULL, !cells, "--where", "--seeds"},
      {j->seeds.x_field != NULL, !cells, "--x", "--seeds"},
      {j->seeds.id_field != NULL, !cells, "--id", "--seeds"},
      {j->seeds.boundary, !cells, "--boundary", "--seeds"},
      {j->seeds.edges != GV_EDGES_STRAIGHT, !cells, "--edges", "--seeds"},
      {j->signed_distance, !cells, "--signed-distance", "--seeds"},
      {j->weighting != GV_UNWEIGHTED, !cells, "--weighting", "--seeds"},
      {j->group, !cells, "--group", "--seeds"},
      {j->cost.band != 1, j->cost.path != NULL, "--cost-band", "--cost"},
      {j->cost.open_options != NULL, j->cost.path != NULL, "--cost-oo", "--cost"},
      {j->cost.moves != GV_JOB_COST_MOVES, j->cost.path != NULL, "--cost-moves", "--cost"},
      {j->barriers.layer != NULL, j->barriers.path != NULL, "--barriers-layer", "--barriers"},
      {j->barriers.open_options != NULL, j->barriers.path != NULL, "--barriers-oo", "--barriers"},
      {j->seeds.attribute != NULL, !cells, "--attribute", "--seeds"},
      {j->id_type != GDT_Unknown && !GDALDataTypeIsInteger(j->id_type), j->seeds.attribute != NULL,
       "--ot Float32 or Float64", "--attribute"},
  };
  GV_REQUIRE(io, j->parts == 0 || (j->raster.path != NULL && s->describe == NULL),
             "--part: missing OUT, the part file; with --describe it is unsupported");
  GV_REQUIRE(
      io, j->parts == 0 || strcmp(gv_job_seeds(j), "-") != 0,
      "--part: unsupported for seeds from standard input, as merge reads them again; write them to a file");
  const char *const layers[] = {j->stats_layer, j->polygons_layer, j->ways_layer};
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
    GV_REQUIRE(io, layers[i] == NULL || layers[i][0] != '\0', "layer: its name is empty");
  GV_REQUIRE(io, !j->distance_per_value || !j->raster_seeds.by_cell,
             "--distance-per-value: unsupported with --by-cell");
  GV_TRY(conflicts_of_barriers(io, j));
  GV_TRY(conflicts_of_cost(io, j));
  GV_TRY(conflicts_of_grids(io, &j->grid));
  return gv_option_rules_check(io, rules, sizeof rules / sizeof *rules);
}

/* Tables of cells, and meshes. */
static gv_status conflicts_of_tables_of_cells(gv_io *io, const gv_job *j) {
  const char *option = j->cells != NULL ? "--cells" : "--mesh";
  if (j->cells == NULL && j->mesh == NULL) return GV_OK;
  GV_REQUIRE(io, j->parts == 0, "--part: unsupported with %s; use another run for it", option);
  GV_REQUIRE(io, j->grid.has_level || gv_cells_of_lists(&j->grid.cells_of),
             "%s: missing --level or --cells-of", option);
  GV_REQUIRE(io, j->mask.source == NULL || j->mesh == NULL,
             "--mesh: unsupported with --mask, as it has all triangles; use --cells");
  return GV_OK;
}

/* Of tables and arrays of cells only Zarr has options: its version. */
static gv_status conflicts_of_creation_options(gv_io *io, const gv_job *j) {
  const gv_format *format = j->cells != NULL ? gv_format_of_path(j->cells) : NULL;
  bool zarr = format != NULL && format->arrays == GV_ARRAYS_ZARR;
  for (char *const *one = j->raster.creation_options; one != NULL && *one != NULL && j->cells != NULL;
       one++) {
    char *const only[] = {*one, NULL};
    GV_REQUIRE(
        io, zarr && STARTS_WITH_CI(*one, "FORMAT=") && gv_format_zarr_version(only) != 0,
        "--co %s: unsupported with --cells; a .zarr has FORMAT=ZARR_V2 or, with GDAL 3.13, FORMAT=ZARR_V3",
        *one);
  }
  return GV_OK;
}

/* Query cells that are not a raster's have a table and statistics. */
static gv_status conflicts_of_lists(gv_io *io, const gv_job *j) {
  const gv_excluded_option others[] = {
      {j->raster.path != NULL, "OUT"},   {j->distance != NULL, "--distance"},
      {j->azimuth != NULL, "--azimuth"}, {j->polygons != NULL, "--polygons"},
      {j->mesh != NULL, "--mesh"},       {j->raster_seeds.source != NULL, "--seeds-raster"}};
  const gv_grid_options *g = &j->grid;
  if (!gv_cells_of_lists(&g->cells_of)) return GV_OK;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    GV_REQUIRE(
        io, !others[i].given,
        "--cells-of: %s is unsupported for cells other than a raster's; use --cells FILE or --stats FILE",
        others[i].name);
  GV_REQUIRE(
      io, j->sum_count == 0 || !gv_cells_of_are_read(&g->cells_of),
      "--sum: unsupported for places of a file (--cells-of %s), which have no areas; use healpix:LEVEL, "
      "s2:LEVEL, h3:LEVEL or a raster",
      g->cells_of.source);
  GV_TRY(conflicts_of_creation_options(io, j));
  GV_REQUIRE(io, j->cells != NULL || j->stats != NULL,
             "--cells-of: missing --cells FILE (.nc, .zarr, .gpkg, .csv ...) or --stats FILE");
  bool grid = g->like != NULL || g->has_resolution || g->has_size || g->has_extent || g->extent_of != NULL;
  GV_REQUIRE(io, !grid && !g->has_level, "two grid definitions: use --cells-of or %s",
             g->has_level ? "--level" : "a raster's grid");
  return GV_OK;
}

gv_status gv_job_outputs_check(gv_io *io, const gv_job_settings *s) {
  const gv_job *j = &s->job;
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->stats,
                               j->polygons,    j->ways,     j->cells,   j->mesh};
  bool any = false;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    any = any || paths[i] != NULL;
    GV_REQUIRE(io, paths[i] == NULL || paths[i][0] != '\0', "output: the file name is empty");
  }
  GV_REQUIRE(io, any, "missing output: %s",
             gv_cells_of_lists(&j->grid.cells_of) ? "--cells or --stats"
                                                  : "OUT, --stats, --distance, --azimuth, --polygons ...");
  GV_REQUIRE(io, j->id_type == GDT_Unknown || j->raster.path != NULL, "--ot: missing OUT");
  bool lists = gv_cells_of_lists(&j->grid.cells_of);
  GV_TRY(conflicts_of_lists(io, j));
  GV_TRY(conflicts_of_tables_of_cells(io, j));
  GV_REQUIRE(io, j->seeds.attribute == NULL || j->raster.path != NULL || lists, "--attribute: missing OUT");
  GV_REQUIRE(
      io, j->seeds.attribute == NULL || lists || (j->polygons == NULL && j->cells == NULL && j->mesh == NULL),
      "--attribute: unsupported with %s, which holds ids; use another run for it",
      j->polygons != NULL ? "--polygons"
      : j->cells != NULL  ? "--cells"
                          : "--mesh");
  return GV_OK;
}
