/* The simple interface against brute force: PROJ's geodesics, and sums of squares. */
#include <geodesic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_test.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "split_mix.h"

enum { N = 300, Q = 120, DIM = 4, K = 5, WIDTH = 37, HEIGHT = 19 };

static uint64_t state_of_numbers = 7;

static double between(double low, double high) {
  return low + (high - low) * ((double)(split_mix(&state_of_numbers) >> 11) * 0x1p-53);
}

/* The k-th nearest by (distance, number). */
static void check_row(const double *distance, const int64_t *found, const double *said, double tolerance) {
  for (int neighbor = 0; neighbor < K; neighbor++) {
    int64_t closer = 0, at = found[neighbor];
    assert_in_range(at, 0, N - 1);
    assert_true(fabs(said[neighbor] - distance[at]) <= tolerance);
    for (int64_t i = 0; i < N; i++)
      closer += distance[i] < distance[at] || (distance[i] == distance[at] && i < at);
    assert_int_equal(closer, neighbor);
  }
}

static void neighbors_in_space(void **state) {
  (void)state;
  static double points[N * DIM], queries[Q * DIM], distance[N], said[Q * K];
  static int64_t found[Q * K], alone[Q * K];
  for (int i = 0; i < N * DIM; i++)
    points[i] = floor(between(0.0, 6.0)); /* many are equally far */
  for (int i = 0; i < Q * DIM; i++)
    queries[i] = floor(between(0.0, 6.0));
  assert_int_equal(gv_knn(points, N, queries, Q, DIM, K, found, said), GV_OK);
  for (int q = 0; q < Q; q++) {
    for (int i = 0; i < N; i++) {
      double sum = 0.0;
      for (int d = 0; d < DIM; d++)
        sum += (queries[q * DIM + d] - points[i * DIM + d]) * (queries[q * DIM + d] - points[i * DIM + d]);
      distance[i] = sqrt(sum);
    }
    check_row(distance, found + q * K, said + q * K, 0.0);
  }
  assert_int_equal(gv_knn(points, N, queries, Q, DIM, K, alone, NULL), GV_OK);
  assert_memory_equal(alone, found, sizeof found);
  assert_int_equal(gv_knn(points, 2, queries, 1, DIM, K, found, said), GV_OK);
  assert_int_equal(found[2], -1);
  assert_true(isinf(said[2]));
  assert_int_equal(gv_knn(points, N, NULL, 0, DIM, K, NULL, NULL), GV_OK);
}

static void neighbors_on_the_ellipsoid(void **state) {
  (void)state;
  static double lon[N], lat[N], x[Q], y[Q], distance[N], meters[Q * K];
  static int64_t found[Q * K];
  struct geod_geodesic wgs84;
  geod_init(&wgs84, 6378137.0, 1.0 / 298.257223563);
  for (int i = 0; i < N; i++)
    lon[i] = between(-180.0, 180.0), lat[i] = between(-90.0, 90.0);
  for (int i = 0; i < Q; i++)
    x[i] = between(-180.0, 180.0), y[i] = between(-90.0, 90.0);
  assert_int_equal(gv_geodesic_knn(lon, lat, N, x, y, Q, K, found, meters), GV_OK);
  for (int q = 0; q < Q; q++) {
    for (int i = 0; i < N; i++)
      geod_inverse(&wgs84, y[q], x[q], lat[i], lon[i], &distance[i], NULL, NULL);
    check_row(distance, found + q * K, meters + q * K, 0.0);
  }
}

static void check_grid(gv_metric metric, const double g[6], const double *x, const double *y) {
  static int32_t labels[HEIGHT][WIDTH], alone[HEIGHT][WIDTH];
  static double distances[HEIGHT][WIDTH];
  struct geod_geodesic wgs84;
  geod_init(&wgs84, 6378137.0, 1.0 / 298.257223563);
  assert_int_equal(gv_nearest_grid(x, y, N, metric, g, WIDTH, HEIGHT, &labels[0][0], &distances[0][0]),
                   GV_OK);
  for (int r = 0; r < HEIGHT; r++) {
    for (int c = 0; c < WIDTH; c++) {
      double cx = (g[0] + (c + 0.5) * g[1]) + (r + 0.5) * g[2],
             cy = (g[3] + (c + 0.5) * g[4]) + (r + 0.5) * g[5];
      double least = INFINITY;
      int32_t nearest = -1;
      for (int i = 0; i < N; i++) {
        double d = fabs(cx - x[i]) + fabs(cy - y[i]);
        if (metric == GV_GEODESIC) geod_inverse(&wgs84, cy, cx, y[i], x[i], &d, NULL, NULL);
        if (d < least) least = d, nearest = i;
      }
      assert_int_equal(labels[r][c], nearest);
      assert_true(fabs(distances[r][c] - least) <= 1e-6);
    }
  }
  assert_int_equal(gv_nearest_grid(x, y, N, metric, g, WIDTH, HEIGHT, &alone[0][0], NULL), GV_OK);
  assert_memory_equal(alone, labels, sizeof labels);
}

static void grids(void **state) {
  (void)state;
  static double x[N], y[N];
  const double lonlat[6] = {-180, 360.0 / WIDTH, 0, 90, 0, -180.0 / HEIGHT},
               plane[6] = {3, 2, 0.5, 9, 0.25, -3};
  for (int i = 0; i < N; i++)
    x[i] = between(-180.0, 180.0), y[i] = between(-90.0, 90.0);
  check_grid(GV_GEODESIC, lonlat, x, y);
  check_grid(GV_MANHATTAN, plane, x, y);
}

static void mistakes_are_told(void **state) {
  (void)state;
  const double x[2] = {1.0, (double)NAN}, y[2] = {95.0, 1.0}, g[6] = {0, 1, 0, 0, 0, -1};
  int64_t found[4];
  int32_t labels[4];
  const gv_status wrong = GV_ERROR_INVALID_ARGUMENT;
  assert_int_equal(gv_knn(NULL, 1, x, 1, 1, 1, found, NULL), wrong);
  assert_int_equal(gv_knn(x, 0, x, 1, 1, 1, found, NULL), wrong);
  assert_int_equal(gv_knn(x, 2, x, 1, 1, 1, found, NULL), wrong);
  assert_int_equal(gv_knn(x, 1, x, 1, 0, 1, found, NULL), wrong);
  assert_int_equal(gv_knn(x, 1, x, 1, 1, 0, found, NULL), wrong);
  assert_int_equal(gv_knn(x, 1, x, 1, 1, 1, NULL, NULL), wrong);
  static int64_t most[1025];
  most[1024] = -7;
  assert_int_equal(gv_knn(x, 1, x, 1, 1, 1025, most, NULL), wrong);
  assert_int_equal(gv_geodesic_knn(x, x, 1, x, x, 1, 1025, most, NULL), wrong);
  assert_int_equal(gv_knn(x, 1, x, 1, 1, 1024, most, NULL), GV_OK);
  assert_true(most[0] == 0 && most[1023] == -1 && most[1024] == -7);
  assert_int_equal(gv_geodesic_knn(x, y, 1, x, x, 1, 1, found, NULL), wrong);
  assert_int_equal(gv_geodesic_knn(x, x, 1, x, y, 1, 1, found, NULL), wrong);
  assert_int_equal(gv_nearest_grid(x, x, 1, GV_EUCLIDEAN, NULL, 2, 2, labels, NULL), wrong);
  assert_int_equal(gv_nearest_grid(x, x, 1, GV_EUCLIDEAN, g, 0, 2, labels, NULL), wrong);
  assert_int_equal(gv_nearest_grid(x, x, 1, GV_EUCLIDEAN, g, 2, 2, NULL, NULL), wrong);
  assert_int_equal(gv_nearest_grid(x, y, 1, GV_GEODESIC, g, 2, 2, labels, NULL), wrong);
  assert_string_equal(gv_status_message(wrong), "invalid argument");
}

/* Structs with size 0 are an error that names them; they do not mean the defaults. */
/* The reason of an error; a bad number is named by its row. */
static void messages(void **state) {
  (void)state;
  const double good[4] = {0, 1, 2, 3}, bad[4] = {0, 1, (double)NAN, 3}, g[6] = {0, 1, 0, 0, 0, 1};
  char text[256] = "x", little[5] = "x";
  int64_t found[2];
  int32_t label;
  assert_int_equal(gv_knn_message(good, 2, good, 1, 2, 1, found, NULL, text, sizeof text), GV_OK);
  assert_string_equal(text, "");
  assert_int_equal(gv_knn_message(bad, 2, good, 1, 2, 1, found, NULL, text, sizeof text),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(text, "1")); /* the second row */
  assert_int_equal(gv_knn_message(bad, 2, good, 1, 2, 1, found, NULL, little, sizeof little),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(strlen(little), 4);
  assert_int_equal(gv_knn_message(good, 2, good, 1, 2, 1025, found, NULL, text, sizeof text),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_string_equal(text, "k: out of range [1, 1024] (1025)");
  assert_int_equal(
      gv_geodesic_knn_message(good, good, 2, bad + 1, good, 2, 1, found, NULL, text, sizeof text),
      GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(text, "1"));
  assert_int_equal(
      gv_nearest_grid_message(good, bad, 3, GV_GEODESIC, g, 1, 1, &label, NULL, text, sizeof text),
      GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(text, "2"));
  assert_int_equal(
      gv_nearest_grid_message(good, good, 3, GV_EUCLIDEAN, NULL, 1, 1, &label, NULL, text, sizeof text),
      GV_ERROR_INVALID_ARGUMENT);
  assert_string_equal(text, "geotransform: the pointer is NULL");
  assert_int_equal(gv_nearest_grid_message(good, good, 3, GV_EUCLIDEAN, g, 1, 1, &label, NULL, NULL, 0),
                   GV_OK);
}

static void structs_need_their_size(void **state) {
  (void)state;
  const double place[] = {1.0, 2.0};
  int64_t found;
  int32_t label;
  gv_context *context = NULL;
  gv_index *index = NULL;
  gv_voronoi *voronoi = NULL;
  gv_grid grid;
  gv_grid_init(&grid);
  grid.width = grid.height = 1;
  const gv_points points = gv_points_rows(place, 1, 2, GV_FLOAT64);
  gv_points no_points = points;
  gv_grid no_grid = grid;
  gv_index_options no_options;
  gv_search_options no_search;
  gv_labels labels;
  gv_labels_init(&labels);
  labels.out = &label;
  gv_labels no_labels = labels;
  memset(&no_options, 0, sizeof no_options);
  memset(&no_search, 0, sizeof no_search);
  no_points.struct_size = no_grid.struct_size = no_labels.struct_size = 0;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_index_build(context, &no_points, NULL, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "gv_points"));
  assert_int_equal(gv_index_build(context, &points, &no_options, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_build(context, &points, NULL, &index), GV_OK);
  assert_int_equal(gv_index_search(context, index, &no_points, NULL, &found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_search(context, index, &points, &no_search, &found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "gv_search_options"));
  assert_int_equal(gv_index_search(context, index, &points, NULL, &found, NULL), GV_OK);
  assert_int_equal(gv_voronoi_create(context, &no_grid, &points, NULL, &voronoi), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_voronoi_create(context, &grid, &no_points, NULL, &voronoi), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_voronoi_create(context, &grid, &points, NULL, &voronoi), GV_OK);
  assert_int_equal(gv_voronoi_fill(context, voronoi, &no_labels, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_voronoi_fill(context, voronoi, &labels, NULL), GV_OK);
  assert_int_equal(label, 0);
  gv_voronoi_destroy(voronoi);
  gv_index_destroy(index);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbors_in_space),
      cmocka_unit_test(neighbors_on_the_ellipsoid),
      cmocka_unit_test(grids),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(structs_need_their_size),
      cmocka_unit_test(messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
