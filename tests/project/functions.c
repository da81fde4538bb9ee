/*
 * Calls the public functions that no example of the headers calls, on machines where the unit tests cannot
 * run (wheels.py): each has a result that is known without the library. Prints what is wrong; exit code 0 if
 * nothing is.
 */
#ifndef GV_EXPERIMENTAL
#define GV_EXPERIMENTAL
#endif

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <gpuvoronoi/barriers.h>
#include <gpuvoronoi/cells.h>
#include <gpuvoronoi/cost.h>
#include <gpuvoronoi/experimental.h>
#include <gpuvoronoi/geometries.h>
#include <gpuvoronoi/gpuvoronoi.h>
#include <gpuvoronoi/raster_seeds.h>

#define NEED(condition)                                                                                      \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("line %d: %s: %s\n", __LINE__, #condition, gv_context_message(context));                        \
      return 1;                                                                                              \
    }                                                                                                        \
  } while (0)

static int functions_of_backends(gv_context *context) {
  const char *reason = NULL;
  int32_t most = 0;
  int kdtree = -1;
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    NEED(gv_backend_get(i, &info) == GV_OK);
    if (strcmp(info.name, "kdtree") == 0) kdtree = i;
  }
  NEED(kdtree == gv_backend_number_of("kdtree"));
  NEED(kdtree >= 0 && gv_backend_supports(kdtree, GV_EUCLIDEAN, GV_FLOAT64, 1, &most, &reason) == GV_OK &&
       most >= 3);
#ifndef ANY_LIBRARY /* wheels hold no CUDA module */
  int devices = -1;
  NEED(gv_device_count(context, &devices) == GV_ERROR_UNAVAILABLE && devices == 0);
  NEED(strstr(gv_context_message(context), "is not installed") != NULL);
#else
  int devices = -1;
  gv_device_info device;
  gv_device_info_init(&device);
  (void)gv_device_count(context, &devices);
  NEED(devices >= 0 && gv_device_get(context, -1, &device) != GV_OK);
#endif
  return 0;
}

/* Of enough points that several threads build the tree and search it. */
static int functions_of_indexes(gv_context *context) {
  enum { SIDE = 300, COUNT = SIDE * SIDE };
  static double points[COUNT][2];
  static int64_t nearest[COUNT];
  for (int i = 0; i < COUNT; i++) {
    points[i][0] = i % SIDE;
    points[i][1] = i / SIDE; // NOLINT(bugprone-integer-division): a row
  }
  const gv_points reference = gv_points_rows(points, COUNT, 2, GV_FLOAT64);
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = "kdtree";
  gv_index *index = NULL;
  NEED(gv_index_build(context, &reference, &options, &index) == GV_OK);
  NEED(gv_index_get_kind(index) == GV_INDEX_POINTS && gv_index_count(index) == COUNT &&
       gv_index_dim(index) == 2);
  NEED(strcmp(gv_index_backend(index), "kdtree") == 0);
  NEED(gv_index_search(context, index, NULL, NULL, nearest, NULL) == GV_OK);
  for (int64_t i = 0; i < COUNT; i++)
    NEED(nearest[i] == i);

  /* Pairs at distance 1: a point and the next of its row, or of its column. */
  static int64_t offsets[COUNT + 1], pairs[2 * SIDE * (SIDE - 1)][2];
  gv_radius_options radius;
  gv_radius_options_init(&radius);
  radius.radius = 1;
  NEED(gv_index_search_pairs(context, index, &radius, offsets, NULL) == GV_OK);
  NEED(offsets[COUNT] == (int64_t)(sizeof pairs / sizeof *pairs));
  NEED(gv_index_search_pairs(context, index, &radius, offsets, &pairs[0][0]) == GV_OK);
  gv_index_destroy(index);
  int64_t pair = 0;
  for (int64_t i = 0; i < COUNT; i++) {
    NEED(offsets[i] == pair);
    if (i % SIDE + 1 < SIDE) {
      NEED(pairs[pair][0] == i && pairs[pair][1] == i + 1);
      pair++;
    }
    if (i + SIDE < COUNT) {
      NEED(pairs[pair][0] == i && pairs[pair][1] == i + SIDE);
      pair++;
    }
  }
  return 0;
}

/* Two upright lines at x = 0 and x = 10; a line that crosses the first, and one between them, nearer to the
 * second. */
static int functions_of_features(gv_context *context) {
  const int64_t part[] = {0, 1, 2}, ring[] = {0, 1, 2}, vertex[] = {0, 2, 4};
  const uint8_t kind[] = {GV_PART_LINE, GV_PART_LINE};
  const double x[] = {0, 0, 10, 10}, y[] = {0, 4, 0, 4}, others_x[] = {-1, 1, 7, 6},
               others_y[] = {1, 1, 2, 3};
  gv_features lines;
  gv_features_init(&lines);
  lines.count = 2;
  lines.part = part;
  lines.ring = ring;
  lines.vertex = vertex;
  lines.kind = kind;
  lines.x = x;
  lines.y = y;
  gv_features others = lines;
  others.x = others_x;
  others.y = others_y;
  int64_t nearest[2];
  double distances[2];
  gv_index *index = NULL;
  NEED(gv_index_build_features(context, &lines, NULL, &index) == GV_OK);
  NEED(gv_index_search_features(context, index, &others, NULL, nearest, distances) == GV_OK);
  gv_index_destroy(index);
  NEED(nearest[0] == 0 && distances[0] == 0 && nearest[1] == 1 && distances[1] == 3);
  return 0;
}

/* Two seeds on a plane of 8 x 4 cells: columns 0 ... 3 and 4 ... 7. */
static int functions_of_grids(gv_context *context) {
  const double x[] = {2, 6}, y[] = {2, 2}, bound = 100;
  const gv_points seeds = gv_points_xy(x, y, 2);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.width = 8;
  grid.height = 4;
  gv_voronoi *voronoi = NULL;
  NEED(gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi) == GV_OK);
  NEED(strcmp(gv_voronoi_backend(voronoi), "tile") == 0);
  int64_t block_width = 0, block_height = 0;
  gv_voronoi_block_size(voronoi, &block_width, &block_height);
  NEED(block_width > 0 && block_height > 0);
  double areas[32], people[32];
  NEED(gv_voronoi_cell_areas(context, voronoi, 0, 0, 0, 0, areas, 0) == GV_OK && areas[31] == 1.0);

  int64_t values[32];
  const int64_t names[] = {70, 90};
  gv_cell_results answer;
  gv_cell_results_init(&answer);
  answer.columns = 8;
  answer.rows = 4;
  answer.value = names;
  answer.value_type = GV_INT64;
  answer.out = values;
  NEED(gv_voronoi_compute(context, voronoi, &answer) == GV_OK && values[3] == 70 && values[28] == 90);

  int32_t nearest[32];
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = nearest;
  gv_statistics_options options;
  gv_statistics_options_init(&options);
  options.sums = 1;
  options.bound = &bound;
  for (int i = 0; i < 32; i++)
    people[i] = i % 8;
  gv_quantity quantity;
  gv_quantity_init(&quantity);
  quantity.value = people;
  quantity.stride = 8;
  gv_statistics_cells cells;
  gv_statistics_cells_init(&cells);
  cells.seed = nearest;
  cells.quantity = &quantity;
  gv_statistics *statistics = NULL;
  double sum = 0;
  NEED(gv_voronoi_fill(context, voronoi, &labels, NULL) == GV_OK);
  NEED(gv_statistics_create(context, voronoi, &options, &statistics) == GV_OK);
  NEED(gv_statistics_add(context, statistics, &cells) == GV_OK);
  NEED(gv_statistics_get_sum(context, statistics, 1, 0, &sum, NULL) == GV_OK && sum == 4 * (4 + 5 + 6 + 7));
  gv_statistics_destroy(statistics);
  gv_voronoi_destroy(voronoi);
  return 0;
}

static int functions_of_globe_grids(gv_context *context) {
  const double longitude = 10, latitude = 50;
  const gv_points seeds = gv_points_xy(&longitude, &latitude, 1);
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_LONLAT;
  grid.width = 36;
  grid.height = 18;
  memcpy(grid.geotransform, (const double[]){-180, 10, 0, 90, 0, -10}, sizeof grid.geotransform);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.metric = GV_GEODESIC;
  gv_voronoi *voronoi = NULL;
  static double x[18][36], y[18][36], area[18][36];
  double all = 0;
  NEED(gv_voronoi_create(context, &grid, &seeds, &options, &voronoi) == GV_OK);
  NEED(gv_voronoi_cell_centers(context, voronoi, 0, 0, 0, 0, &x[0][0], &y[0][0], 0) == GV_OK);
  NEED(x[0][0] == -175 && y[0][0] == 85 && x[17][35] == 175 && y[17][35] == -85);
  NEED(gv_voronoi_cell_areas(context, voronoi, 0, 0, 0, 0, &area[0][0], 0) == GV_OK);
  for (int i = 0; i < 18 * 36; i++)
    all += area[i / 36][i % 36];
  NEED(fabs(all - 510065621724088.4) < 1e3); /* of WGS 84, by its definition */
  gv_voronoi_destroy(voronoi);
  return 0;
}

/* The nearest three of 300 seeds, by each metric and two backends: the same bytes on every system and
 * processor. */
static int functions_of_metrics(gv_context *context) {
  enum { SEEDS = 300, WIDTH = 90, HEIGHT = 45, K = 3 };
  static const uint64_t expected[] = {0x1c848a8c6be284e6, 0xaefb279a7971cb34, 0xe48dcc9a2e2abf44,
                                      0x536a8b0be32ee2d2,
                                      0x972ff2a074e68b8f}; /* of this project on x86-64, glibc */
  static const char *const backends[] = {"serial", "tile"};
  static int32_t nearest[K * WIDTH * HEIGHT];
  double x[SEEDS], y[SEEDS];
  uint32_t state = 1;
  for (int i = 0; i < SEEDS; i++) {
    state = state * 1664525 + 1013904223;
    x[i] = (state >> 8) * 0x1p-24 * 360 - 180;
    state = state * 1664525 + 1013904223;
    y[i] = (state >> 8) * 0x1p-24 * 180 - 90;
  }
  const gv_points seeds = gv_points_xy(x, y, SEEDS);
  for (int metric = GV_EUCLIDEAN; metric <= GV_GEODESIC; metric++) {
    gv_grid grid;
    gv_grid_init(&grid);
    grid.kind = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC ? GV_GRID_LONLAT : GV_GRID_PLANE;
    grid.width = WIDTH;
    grid.height = HEIGHT;
    memcpy(grid.geotransform, (const double[]){-180, 4, 0, 90, 0, -4}, sizeof grid.geotransform);
    for (int b = 0; b < 2; b++) {
      gv_voronoi_options options;
      gv_voronoi_options_init(&options);
      options.metric = (gv_metric)metric;
      options.backend = backends[b];
      options.k = K;
      gv_labels labels;
      gv_labels_init(&labels);
      labels.out = nearest;
      gv_voronoi *voronoi = NULL;
      NEED(gv_voronoi_create(context, &grid, &seeds, &options, &voronoi) == GV_OK);
      NEED(gv_voronoi_fill(context, voronoi, &labels, NULL) == GV_OK);
      gv_voronoi_destroy(voronoi);
      uint64_t digest = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
      for (int i = 0; i < K * WIDTH * HEIGHT; i++)
        digest = (digest ^ (uint32_t)nearest[i]) * UINT64_C(0x100000001b3);
      if (digest != expected[metric])
        printf("%s %s: %llx\n", gv_metric_name((gv_metric)metric), backends[b], (unsigned long long)digest);
      NEED(digest == expected[metric]);
    }
  }
  return 0;
}

static int functions_of_raster_seeds(gv_context *context) {
  const int16_t classes[2][4] = {{5, 5, 0, 9}, {5, 5, 0, 9}};
  gv_grid raster;
  gv_grid_init(&raster);
  raster.width = 4;
  raster.height = 2;
  gv_raster_array array;
  gv_raster_array_init(&array);
  array.data = classes;
  array.type = GV_INT16;
  array.rows = 2;
  array.row_stride = sizeof classes[0];
  array.column_stride = sizeof classes[0][0];
  gv_raster_seeds *seeds = NULL;
  int32_t group[8], alike = -2;
  NEED(gv_raster_seeds_create(context, &raster, NULL, &seeds) == GV_OK);
  NEED(gv_raster_seeds_add_array(context, seeds, &array) == GV_OK);
  NEED(gv_raster_seeds_finish(context, seeds) == GV_OK);
  NEED(gv_raster_seeds_groups(context, seeds, 0, 0, 4, 2, group, 4) == GV_OK);
  NEED(group[0] == 0 && group[2] == -1 && group[7] == 1);
  NEED(gv_raster_seeds_is_uniform(seeds, 0, 0, 2, 2, &alike) && alike == 0);
  NEED(!gv_raster_seeds_is_uniform(seeds, 0, 0, 4, 2, &alike));
  gv_raster_seeds_destroy(seeds);
  const int64_t first[3] = {0, 3, 6}, value[6] = {5, 0, 9, 5, 0, 9};
  const int32_t start[6] = {0, 2, 3, 0, 2, 3};
  const uint8_t is_seed[6] = {1, 0, 1, 1, 0, 1};
  int32_t same[8];
  gv_raster_spans spans;
  gv_raster_spans_init(&spans);
  spans.rows = 2;
  spans.first = first;
  spans.start = start;
  spans.value = value;
  spans.is_seed = is_seed;
  NEED(gv_raster_seeds_create(context, &raster, NULL, &seeds) == GV_OK);
  NEED(gv_raster_seeds_add_spans(context, seeds, &spans) == GV_OK);
  NEED(gv_raster_seeds_finish(context, seeds) == GV_OK);
  NEED(gv_raster_seeds_groups(context, seeds, 0, 0, 4, 2, same, 4) == GV_OK);
  NEED(memcmp(group, same, sizeof same) == 0);
  gv_raster_seeds_destroy(seeds);
  return 0;
}

static int functions_of_triangles(gv_context *context) {
  gv_qtm_id id = 0, again = 0, children[4], parent = 0;
  double longitude[3], latitude[3], vector[3], area = 0;
  int basis[3];
  NEED(gv_qtm_from_string("1133013130312", &id) == GV_OK && gv_qtm_is_valid(id) && !gv_qtm_is_valid(0));
  NEED(gv_qtm_level(id) == 12 && gv_qtm_octant(id) == 1 && gv_qtm_count(12) == (int64_t)8 << 24);
  NEED(gv_qtm_from_number(12, gv_qtm_number(id), &again) == GV_OK && again == id);
  NEED(gv_qtm_children(id, children) == GV_OK && gv_qtm_parent(children[2], &parent) == GV_OK &&
       parent == id);
  NEED(gv_qtm_ancestor(children[3], 12, &parent) == GV_OK && parent == id);
  NEED(gv_qtm_corners(id, longitude, latitude, basis) == GV_OK && latitude[0] > 0 && longitude[0] > 0);
  NEED(gv_qtm_center_vector(id, vector) == GV_OK);
  NEED(fabs(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2] - 1) < 1e-15);
  for (int64_t i = 0; i < gv_qtm_count(3); i++) {
    NEED(gv_qtm_from_number(3, i, &again) == GV_OK);
    area += gv_qtm_area(again);
  }
  NEED(fabs(area - 16 * atan(1)) < 1e-11); /* of the sphere */
  return 0;
}

static int half_of(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    x[i] /= 2;
    y[i] /= 2;
  }
  return 0;
}

/* The nearest seeds of the first cells of a grid on the globe. */
static int first_cells(gv_context *context, const gv_grid *grid, int32_t *nearest, int64_t count) {
  const double lon[] = {10, -100}, lat[] = {50, 40};
  const gv_points seeds = gv_points_xy(lon, lat, 2);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.metric = GV_GREAT_CIRCLE;
  gv_labels labels;
  gv_labels_init(&labels);
  labels.columns = count;
  labels.rows = 1;
  labels.out = nearest;
  gv_voronoi *voronoi = NULL;
  NEED(gv_voronoi_create(context, grid, &seeds, &options, &voronoi) == GV_OK);
  NEED(gv_voronoi_fill(context, voronoi, &labels, NULL) == GV_OK);
  gv_voronoi_destroy(voronoi);
  return 0;
}

static int functions_of_constructors(gv_context *context) {
  const double g[] = {20, 2, 0, 100, 0, -2}, x[] = {-99, 9}, y[] = {41, 51};
  int32_t nearest[2];
  gv_grid grid = gv_grid_projected(2, 1, g, half_of, NULL);
  gv_grid_set_ellipsoid(&grid, 6371000, 0);
  NEED(first_cells(context, &grid, nearest, 2) == 0 && nearest[0] == 0);
  grid = gv_grid_lonlat(2, 1, g);
  grid.geotransform[3] = 60;
  gv_grid_set_qtm_level(&grid, 4);
  NEED(first_cells(context, &grid, nearest, 2) == 0 && nearest[0] == 0);
  grid = gv_grid_points(x, y, NULL, 2);
  NEED(first_cells(context, &grid, nearest, 2) == 0 && nearest[0] == 1 && nearest[1] == 0);
  grid = gv_grid_qtm(2);
  NEED(first_cells(context, &grid, nearest, 2) == 0 && nearest[0] >= 0);
  grid = gv_grid_healpix(2, 0, 1);
  NEED(first_cells(context, &grid, nearest, 2) == 0 && nearest[0] >= 0);
  grid = gv_grid_s2(2, 0);
  NEED(first_cells(context, &grid, nearest, 2) == 0 && nearest[0] >= 0);
  return 0;
}

static int functions_of_batches(gv_context *context) {
  const double lon[] = {13.4, NAN}, lat[] = {52.5, 0}, plane[] = {0, 0, NAN, 0};
  double x[2], y[2], one[2];
  gv_qtm_id id[2], same;
  int64_t number[2];
  int32_t label;
  char text[256];
  NEED(gv_qtm_from_lonlat_array(5, lon, lat, 2, id) == GV_OK && id[1] == 0);
  NEED(gv_qtm_from_lonlat(5, lon[0], lat[0], &same) == GV_OK && same == id[0]);
  NEED(gv_qtm_centers(5, 7, 2, x, y) == GV_OK && gv_qtm_from_number(5, 8, &same) == GV_OK);
  NEED(gv_qtm_center(same, &one[0], &one[1]) == GV_OK && x[1] == one[0] && y[1] == one[1]);
  gv_qtm_id near[3];
  double corner_x[3], corner_y[3], area;
  NEED(gv_qtm_center_array(&same, 1, x, y) == GV_OK && x[0] == one[0] && y[0] == one[1]);
  NEED(gv_qtm_corner_array(&same, 1, corner_x, corner_y) == GV_OK && fabs(corner_y[0] - y[0]) < 10);
  NEED(gv_qtm_neighbor_array(&same, 1, near) == GV_OK && gv_qtm_level(near[2]) == 5);
  NEED(gv_qtm_area_array(&same, 1, &area) == GV_OK && area == gv_qtm_area(same));
  NEED(gv_healpix_from_lonlat_array(3, lon, lat, 2, number) == GV_OK && number[0] >= 0 && number[1] == -1);
  NEED(gv_healpix_centers(3, number[0], 1, x, y) == GV_OK && fabs(x[0] - lon[0]) < 10 &&
       fabs(y[0] - lat[0]) < 10);
  NEED(gv_s2_from_lonlat_array(3, lon, lat, 2, number) == GV_OK && number[0] >= 0 && number[1] == -1);
  NEED(gv_s2_centers(3, number[0], 1, x, y) == GV_OK && fabs(x[0] - lon[0]) < 10 && fabs(y[0] - lat[0]) < 10);
  NEED(gv_knn_message(plane, 2, plane, 1, 2, 1, number, NULL, text, sizeof text) ==
       GV_ERROR_INVALID_ARGUMENT);
  NEED(strlen(text) > 0);
  NEED(gv_geodesic_knn_message(lon, lat, 1, lon, lat, 1, 1, number, NULL, text, sizeof text) == GV_OK);
  NEED(strlen(text) == 0 && number[0] == 0);
  NEED(gv_nearest_grid_message(lon, lat, 1, GV_GEODESIC, NULL, 1, 1, &label, NULL, text, sizeof text) !=
       GV_OK);
  NEED(strstr(text, "geotransform") != NULL);
  return 0;
}

static int functions_of_ranges(gv_context *context) {
  const double x[] = {2, 7}, y[] = {5, 5}, bound = 8;
  const gv_points seeds = gv_points_xy(x, y, 2);
  const gv_grid grid = gv_grid_plane(10, 10, NULL);
  int32_t nearest[100];
  double people[100], sum[2], mean[2];
  gv_seed_statistics of[2];
  gv_seed_statistics_init(&of[0]);
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = nearest;
  gv_statistics_options options;
  gv_statistics_options_init(&options);
  options.sums = 1;
  options.bound = &bound;
  gv_quantity quantity;
  gv_quantity_init(&quantity);
  quantity.value = people;
  quantity.stride = 10;
  gv_statistics_cells cells;
  gv_statistics_cells_init(&cells);
  cells.seed = nearest;
  cells.quantity = &quantity;
  gv_voronoi *voronoi = NULL;
  gv_statistics *statistics = NULL;
  for (int i = 0; i < 100; i++)
    people[i] = 3;
  NEED(gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi) == GV_OK);
  NEED(gv_voronoi_fill(context, voronoi, &labels, NULL) == GV_OK);
  NEED(gv_statistics_create(context, voronoi, &options, &statistics) == GV_OK);
  NEED(gv_statistics_add(context, statistics, &cells) == GV_OK);
  NEED(gv_statistics_get_range(context, statistics, 0, 2, of) == GV_OK && of[0].cells == 50 &&
       of[1].cells == 50);
  NEED(gv_statistics_get_sum_range(context, statistics, 0, 2, 0, sum, mean) == GV_OK && sum[0] == 150 &&
       sum[1] == 150);
  gv_statistics_destroy(statistics);
  gv_voronoi_destroy(voronoi);
  return 0;
}

static int functions_of_costs(gv_context *context) {
  const gv_grid grid = gv_grid_plane(2, 2, NULL);
  gv_cost_options options;
  gv_cost_options_init(&options);
  options.backend = "serial";
  gv_cost *cost = NULL;
  NEED(strcmp(gv_cost_backend(NULL), "") == 0);
  NEED(gv_cost_create(context, &grid, &options, &cost) == GV_OK &&
       strcmp(gv_cost_backend(cost), "serial") == 0);
  gv_cost_destroy(cost);
  return 0;
}

/* No barriers, and a maximum distance: the seed at 2 is nearest to 0.5, and too far from 9. */
static int functions_of_barriers(gv_context *context) {
  const double seed_x[] = {-3.0, 2.0}, seed_y[] = {0.0, 0.0}, x[] = {0.5, 9.0}, y[] = {0.0, 0.0};
  gv_barriers_options options;
  gv_barriers_options_init(&options);
  options.max_distance = 5.0;
  gv_barriers *barriers = NULL;
  gv_barrier_places places;
  gv_barrier_places_init(&places);
  int32_t nearest[2] = {7, 7};
  places.x = x;
  places.y = y;
  places.count = 2;
  places.seed = nearest;
  NEED(gv_barriers_create(context, NULL, &options, &barriers) == GV_OK);
  NEED(gv_barriers_solve(context, barriers, seed_x, seed_y, 2, NULL) == GV_OK);
  NEED(gv_barriers_get(context, barriers, &places) == GV_OK && nearest[0] == 1 && nearest[1] == -1);
  gv_barrier_way way;
  int64_t positions = 0;
  gv_barrier_way_init(&way);
  way.count = &positions;
  NEED(gv_barriers_get_way(context, barriers, &way) == GV_OK && positions == 2);
  gv_barriers_destroy(barriers);
  return 0;
}

int main(void) {
  int (*const all[])(gv_context *) = {
      functions_of_backends,     functions_of_indexes, functions_of_features,     functions_of_grids,
      functions_of_globe_grids,  functions_of_metrics, functions_of_raster_seeds, functions_of_triangles,
      functions_of_constructors, functions_of_batches, functions_of_costs,        functions_of_ranges,
      functions_of_barriers};
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 3;
  gv_context *context = NULL;
  if (gv_context_create(&options, &context) != GV_OK) return 1;
  int bad = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    bad |= all[i](context);
  gv_context_destroy(context);
  return bad;
}
