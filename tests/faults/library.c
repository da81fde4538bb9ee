/*
 * Every allocation of the library fails once, and creating every thread fails once, in every public function:
 * the status reports it, nothing leaks, and existing objects can still be used: repeating the call succeeds.
 */
#include "cmocka_test.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/geometries.h"
#include "gpuvoronoi/weights.h"
#include "grid_fill.h"
#include "statistics_of.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backends_here.h"
#include "features/layer.h"
#include "gpuvoronoi/cost.h"
#include "gpuvoronoi/diagram.h"
#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/raster_seeds.h"
#include "runs.h"
#include "search/backend.h"

enum { SEEDS = 40, LEVEL = 2, DIM = 3 };

/* ------------------------------------------------------------------------------------------------- points */

static double wide_points[POINTS * DIM];
static float narrow_points[POINTS * DIM];
static double lon[SEEDS], lat[SEEDS], plane_x[SEEDS], plane_y[SEEDS], weight[SEEDS];
static int32_t label[SEEDS];
static layer countries, places; /* places: features of points only */

static void make_inputs(void) {
  for (int i = 0; i < POINTS * DIM; i++) {
    wide_points[i] = (double)((int64_t)i * 7919 % 10007);
    narrow_points[i] = (float)((int64_t)i * 104729 % 9973);
  }
  for (int i = 0; i < SEEDS; i++) {
    lon[i] = layer_uniform(-180.0, 180.0);
    lat[i] = layer_uniform(-90.0, 90.0);
    plane_x[i] = layer_uniform(0.0, W);
    plane_y[i] = layer_uniform(0.0, H);
    weight[i] = layer_uniform(1.0, 2.0);
    label[i] = 1000 - 7 * i;
  }
  const double low[2] = {0.0, 0.0}, high[2] = {W, H};
  layer_clear(&countries);
  layer_random(&countries, 6, low, high, 9.0);
  layer_clear(&places);
  for (int i = 0; i < 9; i++) {
    layer_vertex(&places, layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1]));
    layer_vertex(&places, layer_uniform(low[0], high[0]), layer_uniform(low[1], high[1]));
    layer_end_ring(&places);
    layer_end_part(&places, GV_PART_POINTS);
    layer_end_feature(&places);
  }
}

static void search(run *r, const void *what) {
  const gv_backend *backend = what;
  gv_points reference = gv_points_rows(wide_points, POINTS, DIM, GV_FLOAT64),
            queries = gv_points_rows(narrow_points, 200, DIM, GV_FLOAT32);
  gv_index_options build;
  gv_index_options_init(&build);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *index = NULL;
  build.backend = backend->name;
  options.k = K;
  ASK(r, gv_index_build(r->context, &reference, &build, &index));
  ASK(r, gv_index_search(r->context, index, &queries, &options, r->index, r->real));
  options.exclude_self = 1;
  options.max_distance = 500.0;
  r->indices = K * 200;
  if (!backend->exhaustive) {
    ASK(r, gv_index_search(r->context, index, NULL, &options, r->index + r->indices, NULL));
    r->indices += K * POINTS;
  }
  gv_index_destroy(index);
}

static gv_status read_narrow(void *user, int64_t first, int64_t count, void *out) {
  (void)user;
  memcpy(out, narrow_points + first * DIM, (size_t)(count * DIM) * sizeof(float));
  return GV_OK;
}

static void search_source(run *r, const void *what) {
  const gv_backend *backend = what;
  const gv_point_source source = {sizeof(gv_point_source), POINTS, DIM, GV_FLOAT32, read_narrow, NULL};
  gv_points queries = gv_points_rows(narrow_points, 20, DIM, GV_FLOAT32);
  gv_index_options build;
  gv_index_options_init(&build);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *index = NULL;
  build.backend = backend->name;
  options.k = K;
  ASK(r, gv_index_build_from(r->context, &source, &build, &index));
  ASK(r, gv_index_search(r->context, index, &queries, &options, r->index, r->real));
  r->indices = K * 20;
  gv_index_destroy(index);
}

static void search_globe(run *r, const void *what) {
  gv_points seeds = gv_points_xy(lon, lat, SEEDS), queries = gv_points_xy(plane_x, plane_y, SEEDS);
  gv_index_options build;
  gv_index_options_init(&build);
  build.metric = GV_GEODESIC;
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *index = NULL;
  build.metric = *(const gv_metric *)what;
  options.k = K;
  ASK(r, gv_index_build(r->context, &seeds, &build, &index));
  ASK(r, gv_index_search(r->context, index, &queries, &options, r->index, r->real));
  r->indices = r->reals = K * SEEDS;
  gv_index_destroy(index);
}

/* -------------------------------------------------------------------------------------------------- grids */

/* A grid and its options. */
typedef struct grid_case {
  const char *name, *backend;
  gv_grid_kind kind;
  gv_metric metric;
  int32_t k;
  double max_distance;
  gv_weighting weighting;
  bool features, points, labels, signed_distance, statistics; /* points: of the features */
  int level;
} grid_case;

/* A plate carree turned by some degrees. */
static int inverse(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    double u = x[i], v = y[i];
    x[i] = u * 15.0 - 180.0;
    y[i] = v * 10.0 - 90.0 + 0.001 * u;
    if (v < 2.0) x[i] = y[i] = HUGE_VAL;
  }
  return 0;
}

enum { ORDER_OF_HEALPIX = 2, CELLS_OF_LIST = 12 << 2 * ORDER_OF_HEALPIX, CELLS_OF_S2 = CELLS_OF_LIST / 2 };

static gv_grid grid_of(const grid_case *c) {
  gv_grid grid;
  gv_grid_init(&grid);
  const double globe[6] = {-180.0, 360.0 / W, 0.0, 90.0, 0.0, -180.0 / H};
  grid.kind = c->kind;
  grid.width = W;
  grid.height = H;
  grid.level = c->level;
  static double place_lon[CELLS_OF_LIST], place_lat[CELLS_OF_LIST];
  for (int i = 0; i < CELLS_OF_LIST; i++) { /* in no order; some without a place */
    place_lon[i] = 1.8 * (i * 97 % CELLS_OF_LIST) - 170.0;
    place_lat[i] = i % 31 == 7 ? 100.0 : 0.9 * (i * 53 % CELLS_OF_LIST) - 80.0;
  }
  if (c->kind == GV_GRID_LONLAT) memcpy(grid.geotransform, globe, sizeof globe);
  if (c->kind == GV_GRID_HEALPIX || c->kind == GV_GRID_S2) grid.order = ORDER_OF_HEALPIX;
  if (c->kind == GV_GRID_POINTS) {
    grid.width = CELLS_OF_LIST;
    grid.longitude = place_lon;
    grid.latitude = place_lat;
  }
  if (c->kind == GV_GRID_PROJECTED) grid.inverse = inverse;
  return grid;
}

static void measure(run *r, const grid_case *c, const gv_voronoi *v, int64_t width, int64_t height) {
  static float azimuth[K * W * H];
  gv_measure m;
  gv_measure_init(&m);
  m.bands = c->k;
  m.seed = r->cell;
  m.stride = m.out_stride = width;
  m.band_stride = m.out_band_stride = width * height;
  m.type = GV_FLOAT64;
  m.distance = r->real;
  m.azimuth = azimuth;
  m.signed_distance = c->signed_distance;
  ASK(r, gv_voronoi_measure(r->context, v, &m));
  size_t count = (size_t)(c->k * width * height);
  for (size_t i = 0; i < count; i++)
    r->real[count + i] = (double)azimuth[i];
  r->reals = 2 * count;
}

static gv_status add_up(run *r, const gv_voronoi *v, int64_t width, gv_statistics **out) {
  static const double bound[] = {1e9};
  gv_statistics_options options;
  gv_statistics_options_init(&options);
  options.distances = 1;
  options.sums = 1;
  options.bound = bound;
  gv_status status = gv_statistics_create(r->context, v, &options, out);
  if (status != GV_OK) return status;
  gv_quantity quantity = quantity_of(wide_points, NULL, 0, width, NULL, 0);
  gv_statistics_cells block;
  gv_statistics_cells_init(&block);
  block.seed = r->cell;
  block.stride = block.distance_stride = width;
  block.distance = r->real;
  block.quantity = &quantity;
  status = gv_statistics_add(r->context, *out, &block);
  if (status != GV_OK) {
    gv_statistics_destroy(*out); /* invalid after the error */
    *out = NULL;
  }
  return status;
}

static void add_statistics(run *r, const gv_voronoi *v, int64_t width) {
  gv_statistics *statistics = NULL;
  ASK(r, add_up(r, v, width, &statistics));
  for (int64_t i = 0; i < SEEDS; i++) {
    gv_seed_statistics of;
    sum_statistics sum;
    ASK(r, get_statistics(r->context, statistics, i, &of, &sum, 1));
    ASK(r, gv_statistics_get_range(r->context, statistics, i, 1, &of));
    ASK(r, gv_statistics_get_sum_range(r->context, statistics, i, 1, 0, &sum.sum, NULL));
    const double all[] = {(double)of.cells, of.area, of.distance_mean,
                          of.distance_max,  sum.sum, sum.distance_mean};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
      r->real[r->reals++] = isnan(all[a]) ? -1.0 : all[a];
  }
  gv_statistics_destroy(statistics);
}

static void grid(run *r, const void *what) {
  const grid_case *c = what;
  bool globe = c->kind != GV_GRID_PLANE;
  gv_grid where = grid_of(c);
  gv_points seeds = gv_points_xy(globe ? lon : plane_x, globe ? lat : plane_y, SEEDS);
  gv_features features = layer_features(c->points ? &places : &countries, GV_EDGES_STRAIGHT, false);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.backend = c->backend;
  options.metric = c->metric;
  options.k = c->k;
  if (c->max_distance > 0.0) options.max_distance = c->max_distance;
  options.weighting = c->weighting;
  options.weights = c->weighting != GV_UNWEIGHTED ? weight : NULL;
  options.labels = c->labels ? label : NULL;
  options.features = c->features ? &features : NULL;
  gv_voronoi *v = NULL;
  ASK(r, gv_voronoi_create(r->context, &where, c->features ? NULL : &seeds, &options, &v));
  bool list = c->kind == GV_GRID_HEALPIX || c->kind == GV_GRID_POINTS || c->kind == GV_GRID_S2;
  int64_t width = c->kind == GV_GRID_QTM  ? gv_qtm_count(c->level)
                  : c->kind == GV_GRID_S2 ? CELLS_OF_S2
                  : list                  ? CELLS_OF_LIST
                                          : W;
  int64_t height = c->kind == GV_GRID_QTM || list ? 1 : H;
  size_t count = (size_t)(c->k * width * height);
  ASK(r, fill_grid(r->context, v, r->cell, width));
  static uint8_t mask[W * H];
  for (int i = 0; i < W * H; i++)
    mask[i] = i % 5 != 0;
  gv_labels block;
  gv_labels_init(&block);
  block.mask = mask;
  block.mask_stride = width;
  block.out = r->cell + count;
  block.stride = width;
  block.band_stride = width * height;
  ASK(r, gv_voronoi_fill(r->context, v, &block, NULL));
  ASK(r, fill_block(r->context, v, 0, 0, r->cell + 2 * count, width));
  r->cells = 3 * count;
  if (!c->labels) measure(r, c, v, width, height);
  if (c->statistics) add_statistics(r, v, width);
  if (c->kind != GV_GRID_PROJECTED && c->kind != GV_GRID_POINTS) {
    ASK(r, block_areas(r->context, v, 0, 0, r->real + r->reals, width));
  }
  gv_voronoi_destroy(v);
}

static const grid_case cases[] = {
    {"plane", "tile", GV_GRID_PLANE, GV_EUCLIDEAN, 1, 0.0, GV_UNWEIGHTED, .statistics = true, .level = -1},
    {"ranks", "tile", GV_GRID_PLANE, GV_MANHATTAN, K, 0.0, GV_UNWEIGHTED, .level = -1},
    {"limit", "tile", GV_GRID_PLANE, GV_EUCLIDEAN, 1, 4.0, GV_UNWEIGHTED, .level = -1},
    {"labels", "tile", GV_GRID_PLANE, GV_CHEBYSHEV, 1, 0.0, GV_UNWEIGHTED, .labels = true, .statistics = true,
     .level = -1},
    {"weights", "tile", GV_GRID_PLANE, GV_EUCLIDEAN, 2, 0.0, GV_MULTIPLICATIVE, .level = -1},
    {"power", "tile", GV_GRID_PLANE, GV_EUCLIDEAN, 1, 0.0, GV_POWER, .level = -1},
    {"serial", "serial", GV_GRID_LONLAT, GV_GREAT_CIRCLE, 2, 0.0, GV_UNWEIGHTED, .level = -1},
    {"a tree", "kdtree", GV_GRID_LONLAT, GV_GREAT_CIRCLE, 2, 0.0, GV_UNWEIGHTED, .level = -1},
    {"globe", "tile", GV_GRID_LONLAT, GV_GREAT_CIRCLE, 1, 3e6, GV_UNWEIGHTED, .statistics = true,
     .level = -1},
    {"geodesics", "tile", GV_GRID_LONLAT, GV_GEODESIC, K, 0.0, GV_UNWEIGHTED, .level = -1},
    {"geodesics of a tree", "kdtree", GV_GRID_LONLAT, GV_GEODESIC, 1, 0.0, GV_UNWEIGHTED, .level = -1},
    {"weighted geodesics", "tile", GV_GRID_LONLAT, GV_GEODESIC, 1, 0.0, GV_ADDITIVE, .level = -1},
    {"projected", "tile", GV_GRID_PROJECTED, GV_GEODESIC, 1, 0.0, GV_UNWEIGHTED, .level = -1},
    {"projected ranks", "tile", GV_GRID_PROJECTED, GV_GREAT_CIRCLE, K, 5e6, GV_UNWEIGHTED, .level = -1},
    {"mesh", "tile", GV_GRID_QTM, GV_GEODESIC, 2, 0.0, GV_UNWEIGHTED, .level = LEVEL},
    {"mesh sums", "tile", GV_GRID_QTM, GV_GREAT_CIRCLE, 1, 0.0, GV_UNWEIGHTED, .statistics = true,
     .level = LEVEL},
    {"mesh under a raster", "tile", GV_GRID_LONLAT, GV_GREAT_CIRCLE, 1, 0.0, GV_UNWEIGHTED, .level = LEVEL},
    {"healpix", "tile", GV_GRID_HEALPIX, GV_GEODESIC, 1, 0.0, GV_UNWEIGHTED, .statistics = true, .level = -1},
    {"healpix ranks", "tile", GV_GRID_HEALPIX, GV_GREAT_CIRCLE, 2, 3e6, GV_UNWEIGHTED, .level = -1},
    {"s2", "tile", GV_GRID_S2, GV_GEODESIC, 1, 0.0, GV_UNWEIGHTED, .statistics = true, .level = -1},
    {"sums of a list", "tile", GV_GRID_POINTS, GV_GREAT_CIRCLE, 1, 3e6, GV_UNWEIGHTED, .statistics = true,
     .level = -1},
    {"a list", "tile", GV_GRID_POINTS, GV_GREAT_CIRCLE, 2, 0.0, GV_UNWEIGHTED, .level = -1},
    {"a list and a tree", "kdtree", GV_GRID_POINTS, GV_GEODESIC, 1, 0.0, GV_UNWEIGHTED, .level = -1},
    {"features", "auto", GV_GRID_PLANE, GV_EUCLIDEAN, 2, 0.0, GV_UNWEIGHTED, .features = true,
     .signed_distance = true, .level = -1},
    {"features on the globe", "auto", GV_GRID_LONLAT, GV_GEODESIC, 1, 2e6, GV_UNWEIGHTED, .features = true,
     .level = -1},
    {"features of points", "auto", GV_GRID_PLANE, GV_EUCLIDEAN, 2, 0.0, GV_UNWEIGHTED, .features = true,
     .points = true, .level = -1},
    {"every edge", "serial", GV_GRID_LONLAT, GV_GREAT_CIRCLE, 1, 0.0, GV_UNWEIGHTED, .features = true,
     .level = -1},
};

/* ------------------------------------------------------------------------------- other searches of points */

/* Where the neighbors of `queries` are counted, they are found too. */
static void search_within(run *r, gv_index *index, const gv_points *queries) {
  static int64_t offsets[SEEDS + 1];
  gv_radius_options within;
  gv_radius_options_init(&within), within.radius = 5.0;
  ASK(r, gv_index_search_radius(r->context, index, queries, &within, offsets, NULL, NULL));
  ASK(r, gv_index_search_radius(r->context, index, queries, &within, offsets, r->index + r->indices, NULL));
  r->indices += (size_t)offsets[SEEDS];
  ASK(r, gv_index_search_pairs(r->context, index, &within, offsets, NULL));
  ASK(r, gv_index_search_pairs(r->context, index, &within, offsets, r->index + r->indices));
  r->indices += 2 * (size_t)offsets[SEEDS];
}

static void other_searches(run *r, const void *what) {
  static int64_t part[K * SEEDS];
  static double exact[2 * K * SEEDS];
  const int64_t *const numbers[2] = {part, part};
  const double *const distances[2] = {exact, exact};
  gv_points points = gv_points_xy(plane_x, plane_y, SEEDS);
  gv_index_options build;
  gv_index_options_init(&build);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_communicator alone;
  gv_communicator_init(&alone);
  gv_index *index = NULL;
  build.backend = what, options.k = K;
  ASK(r, gv_index_build(r->context, &points, &build, &index));
  ASK(r, gv_index_search_part(r->context, index, &points, &options, 0, 0, part, exact));
  ASK(r, gv_neighbors_join(r->context, numbers, distances, 2, SEEDS, K, r->index, r->real));
  ASK(r, gv_index_distances(r->context, index, K * SEEDS, r->real));
  ASK(r, gv_inverse_distance_weights(r->context, r->real, SEEDS, K, 2.0, r->real));
  ASK(r, gv_ring_areas(r->context, 0.0, 0.0, plane_x, plane_y, (const int64_t[]){0, SEEDS}, 1, exact));
  ASK(r, gv_axis_cell_areas(r->context, plane_x, SEEDS, plane_y, SEEDS, exact, exact + SEEDS));
  r->indices = r->reals = K * SEEDS;
  ASK(r,
      gv_index_search_distributed(r->context, &alone, index, &points, &options, r->index + r->indices, NULL));
  r->indices += K * SEEDS;
  search_within(r, index, &points);
  gv_index_destroy(index);
}

static void features_in_index(run *r, const void *what) {
  gv_features indexed = layer_features(&countries, GV_EDGES_STRAIGHT, false),
              queries = layer_features(&places, GV_EDGES_STRAIGHT, false);
  gv_points points = gv_points_xy(plane_x, plane_y, SEEDS);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *index = NULL;
  (void)what;
  options.k = K;
  ASK(r, gv_index_build_features(r->context, &indexed, NULL, &index));
  ASK(r, gv_index_search(r->context, index, &points, &options, r->index, r->real));
  r->indices = r->reals = K * SEEDS;
  ASK(r, gv_index_search_features(r->context, index, &queries, &options, r->index + r->indices, NULL));
  r->indices += (size_t)(K * queries.count);
  gv_index_destroy(index);
}

/* ------------------------------------------------------------------------- rasters, travel cost, diagrams */

/* All but the last row as an array, the last as spans. */
static gv_status add_land(run *r, gv_raster_seeds *seeds) {
  static int16_t land[H][W];
  static const int64_t first[] = {0, 1}, value[] = {1};
  static const int32_t start[] = {0};
  for (int i = 0; i < H * W; i++)
    land[i / W][i % W] = (int16_t)(i % W / 5 + i / W / 4);
  gv_raster_array array;
  gv_raster_array_init(&array);
  array.data = land;
  array.type = GV_INT16;
  array.rows = H - 1;
  array.row_stride = sizeof land[0];
  array.column_stride = sizeof land[0][0];
  gv_raster_spans spans;
  gv_raster_spans_init(&spans);
  spans.rows = 1;
  spans.first = first;
  spans.start = start;
  spans.value = value;
  gv_status status = gv_raster_seeds_add_array(r->context, seeds, &array);
  return status == GV_OK ? gv_raster_seeds_add_spans(r->context, seeds, &spans) : status;
}

/* After an error the seeds are invalid. */
static gv_status make_raster_seeds(run *r, const gv_grid *raster, gv_raster_seeds **out) {
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  options.query_grid = raster;
  options.by_cell = 1;
  gv_status status = gv_raster_seeds_create(r->context, raster, &options, out);
  if (status != GV_OK) return status;
  status = add_land(r, *out);
  if (status == GV_OK) status = gv_raster_seeds_finish(r->context, *out);
  if (status == GV_OK) return GV_OK;
  gv_raster_seeds_destroy(*out);
  *out = NULL;
  return status;
}

static void raster_seeds(run *r, const void *what) {
  gv_points queries = gv_points_xy(plane_x, plane_y, SEEDS);
  gv_grid raster;
  gv_grid_init(&raster);
  raster.width = W;
  raster.height = H;
  gv_raster_seed_list list;
  gv_raster_seed_list_init(&list);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_raster_seeds *seeds = NULL;
  gv_index *index = NULL;
  (void)what;
  options.k = K;
  ASK(r, make_raster_seeds(r, &raster, &seeds));
  ASK(r, gv_raster_seeds_get(r->context, seeds, &list));
  ASK(r, gv_raster_seeds_groups(r->context, seeds, 0, 0, W, H, r->cell, W));
  r->cells = W * H;
  ASK(r, gv_index_build_raster_seeds(r->context, seeds, NULL, &index));
  ASK(r, gv_index_search(r->context, index, &queries, &options, r->index, r->real));
  r->indices = r->reals = K * SEEDS;
  gv_index_destroy(index);
  gv_raster_seeds_destroy(seeds);
}

/* `what`: a backend. */
static void travel_cost(run *r, const void *what) {
  static double friction[H * W];
  gv_grid grid;
  gv_grid_init(&grid);
  grid.width = W;
  grid.height = H;
  for (int i = 0; i < W * H; i++)
    friction[i] = 1.0 + i % 3;
  gv_cost_options options;
  gv_cost_options_init(&options);
  options.backend = what;
  gv_cost_seeds seeds;
  gv_cost_seeds_init(&seeds);
  seeds.x = plane_x;
  seeds.y = plane_y;
  seeds.count = SEEDS;
  gv_cost_cells cells;
  gv_cost_cells_init(&cells);
  cells.columns = W;
  cells.rows = H;
  cells.seed = r->cell;
  cells.cost = r->real;
  gv_cost *made = NULL;
  ASK(r, gv_cost_create(r->context, &grid, &options, &made));
  ASK(r, gv_cost_set_rows(r->context, made, 0, H, friction, 0));
  ASK(r, gv_cost_solve(r->context, made, &seeds, NULL));
  ASK(r, gv_cost_get(r->context, made, &cells));
  gv_cost_way way;
  gv_cost_way_init(&way);
  way.x = way.y = 1.5;
  way.length = &r->real[W * H];
  ASK(r, gv_cost_get_way(r->context, made, &way));
  r->cells = W * H;
  r->reals = W * H + 1;
  gv_cost_destroy(made);
}

static void diagram(run *r, const void *what) {
  gv_points seeds = gv_points_xy(plane_x, plane_y, SEEDS);
  gv_diagram_parts parts;
  gv_diagram_parts_init(&parts);
  gv_diagram_rings rings;
  gv_diagram_rings_init(&rings);
  gv_diagram *made = NULL;
  gv_diagram_polygons *polygons = NULL;
  (void)what;
  ASK(r, gv_diagram_create(r->context, &seeds, NULL, &made));
  ASK(r, gv_diagram_get(r->context, made, &parts));
  ASK(r, gv_diagram_areas(r->context, made, r->real));
  r->reals = SEEDS;
  ASK(r, gv_diagram_polygons_create(r->context, made, 0, &polygons));
  ASK(r, gv_diagram_polygons_get(r->context, polygons, &rings));
  r->index[r->indices++] = parts.edge_count;
  r->index[r->indices++] = rings.point_count;
  gv_diagram_polygons_destroy(polygons);
  gv_diagram_destroy(made);
}

static gv_status pass_sums_on(run *r, const gv_statistics *from, gv_statistics *to) {
  static unsigned char sums[4096];
  if (gv_statistics_sums_size(from) > sizeof sums) return GV_ERROR_INTERNAL;
  gv_status status = gv_statistics_get_sums(r->context, from, 0, sums);
  return status == GV_OK ? gv_statistics_add_sums(r->context, to, 0, sums) : status;
}

/* Values of a grid's cells, their places, and the sums of a part. */
static void answers(run *r, const void *what) {
  const grid_case *c = what;
  gv_grid where = grid_of(c);
  gv_points seeds = gv_points_xy(lon, lat, SEEDS);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.metric = c->metric;
  gv_cell_results answer;
  gv_cell_results_init(&answer);
  gv_labels part;
  gv_labels_init(&part);
  gv_voronoi *v = NULL;
  gv_statistics *some = NULL, *whole = NULL;
  ASK(r, gv_voronoi_create(r->context, &where, &seeds, &options, &v));
  answer.value_type = GV_INT64;
  answer.out = r->index;
  answer.distance_type = GV_FLOAT64;
  answer.distance = r->real;
  ASK(r, gv_voronoi_compute(r->context, v, &answer));
  ASK(r, gv_voronoi_cell_centers(r->context, v, 0, 0, W, H, r->real + W * H, r->real + 2 * W * H, 0));
  r->indices = W * H;
  r->reals = 3 * W * H;
  ASK(r, gv_voronoi_part(r->context, v, 0, 2, &part));
  ASK(r, gv_statistics_create(r->context, v, NULL, &some));
  ASK(r, gv_statistics_create(r->context, v, NULL, &whole));
  ASK(r, pass_sums_on(r, some, whole));
  gv_statistics_destroy(some);
  gv_statistics_destroy(whole);
  gv_voronoi_destroy(v);
}

/* -------------------------------------------------------------------------------------------------- tests */

typedef void failing(const char *name, questions *ask, const void *what);

static void fail_all(failing *fail_each) {
  static const gv_metric metrics[] = {GV_GEODESIC, GV_GREAT_CIRCLE};
  tried = 0;
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++)
    if (searches_here(b)) {
      fail_each(b->name, search, b);
      fail_each("points that are read", search_source, b);
    }
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
    fail_each(gv_metric_name(metrics[i]), search_globe, &metrics[i]);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    fail_each(cases[i].name, grid, &cases[i]);
  static const grid_case globe = {.kind = GV_GRID_LONLAT, .metric = GV_GREAT_CIRCLE, .level = GV_QTM_NONE};
  fail_each("other searches", other_searches, "kdtree");
  fail_each("searches of features", features_in_index, NULL);
  fail_each("cells of rasters", raster_seeds, NULL);
  fail_each("diagrams", diagram, NULL);
  fail_allocations("travel cost, serial", travel_cost, "serial");
  fail_each("travel cost", travel_cost, "tile");
  fail_each("answers", answers, &globe);
}

static void every_allocation_fails_once(void **state) {
  (void)state;
  fail_all(fail_allocations);
  print_message("%ld allocations have failed\n", tried);
}

static void every_thread_is_refused_once(void **state) {
  (void)state;
  fail_all(refuse_threads);
  assert_true(refused_threads > 0);
  print_message("%ld of %ld times a thread has been refused\n", refused_threads, tried);
}

int main(void) {
  make_inputs();
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_thread_is_refused_once),
                                     cmocka_unit_test(every_allocation_fails_once)};
  return cmocka_run_group_tests_name("faults of the library", tests, NULL, NULL);
}
