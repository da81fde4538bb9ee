/* The simple interface: one call, without a context of the caller's. */
#include "gpuvoronoi/gpuvoronoi.h"

#include <stdio.h>

#include "core/core.h"

/* Builds an index, searches it once and frees it. */
static gv_status search_once(gv_context *context, const gv_points *reference, const gv_points *queries,
                             const gv_index_options *options, int32_t k, int64_t *indices,
                             double *distances) {
  gv_search_options search;
  gv_index *index = NULL;
  gv_search_options_init(&search);
  search.k = k;
  GV_TRY(gv_index_build(context, reference, options, &index));
  gv_status status = gv_index_search(context, index, queries, &search, indices, distances);
  gv_index_destroy(index);
  return status;
}

/* Ends a call: the reason of an error goes to the caller's buffer. */
static gv_status simple_end(gv_context *context, gv_status status, char *message, size_t message_size) {
  if (message != NULL && message_size > 0)
    snprintf(message, message_size, "%s", status == GV_OK ? "" : gv_context_message(context));
  gv_context_destroy(context);
  return status;
}

static gv_status simple_begin(gv_context **context, char *message, size_t message_size) {
  gv_status status = gv_context_create(NULL, context);
  if (status != GV_OK && message != NULL && message_size > 0)
    snprintf(message, message_size, "%s", gv_status_message(status));
  return status;
}

static gv_status knn(const gv_points *reference, const gv_points *queries, gv_metric metric, int32_t k,
                     int64_t *indices, double *distances, char *message, size_t message_size) {
  gv_index_options options;
  gv_context *context = NULL;
  gv_index_options_init(&options);
  options.metric = metric;
  options.expected_k = k;
  options.expected_queries = queries->count;
  GV_TRY(simple_begin(&context, message, message_size));
  gv_status status = GV_OK;
  if (k < 1 || k > GV_MAX_K) /* the library would allow more of some indexes */
    status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "k: out of range [1, %d] (%d)", GV_MAX_K, (int)k);
  if (status == GV_OK) status = search_once(context, reference, queries, &options, k, indices, distances);
  return simple_end(context, status, message, message_size);
}

gv_status gv_knn_message(const double *reference, int64_t reference_count, const double *queries,
                         int64_t query_count, int32_t dim, int32_t k, int64_t *indices, double *distances,
                         char *message, size_t message_size) {
  const gv_points points = gv_points_rows(reference, reference_count, dim, GV_FLOAT64);
  const gv_points places = gv_points_rows(queries, query_count, dim, GV_FLOAT64);
  return knn(&points, &places, GV_EUCLIDEAN, k, indices, distances, message, message_size);
}

gv_status gv_knn(const double *reference, int64_t reference_count, const double *queries, int64_t query_count,
                 int32_t dim, int32_t k, int64_t *indices, double *distances) {
  return gv_knn_message(reference, reference_count, queries, query_count, dim, k, indices, distances, NULL,
                        0);
}

gv_status gv_geodesic_knn_message(const double *longitude, const double *latitude, int64_t reference_count,
                                  const double *query_longitude, const double *query_latitude,
                                  int64_t query_count, int32_t k, int64_t *indices, double *meters,
                                  char *message, size_t message_size) {
  const gv_points points = gv_points_xy(longitude, latitude, reference_count);
  const gv_points places = gv_points_xy(query_longitude, query_latitude, query_count);
  return knn(&points, &places, GV_GEODESIC, k, indices, meters, message, message_size);
}

gv_status gv_geodesic_knn(const double *longitude, const double *latitude, int64_t reference_count,
                          const double *query_longitude, const double *query_latitude, int64_t query_count,
                          int32_t k, int64_t *indices, double *meters) {
  return gv_geodesic_knn_message(longitude, latitude, reference_count, query_longitude, query_latitude,
                                 query_count, k, indices, meters, NULL, 0);
}

static gv_status simple_grid_fill(gv_context *context, const gv_grid *grid, const gv_points *seeds,
                                  gv_metric metric, int32_t *labels, double *distances) {
  gv_voronoi_options options;
  gv_labels cells;
  gv_measure measure;
  gv_voronoi *voronoi = NULL;
  gv_voronoi_options_init(&options);
  options.metric = metric;
  gv_labels_init(&cells);
  cells.out = labels;
  gv_measure_init(&measure);
  measure.seed = labels;
  measure.type = GV_FLOAT64;
  measure.distance = distances;
  GV_TRY(gv_voronoi_create(context, grid, seeds, &options, &voronoi));
  gv_status status = gv_voronoi_fill(context, voronoi, &cells, NULL);
  if (status == GV_OK && distances != NULL) status = gv_voronoi_measure(context, voronoi, &measure);
  gv_voronoi_destroy(voronoi);
  return status;
}

gv_status gv_nearest_grid_message(const double *x, const double *y, int64_t seed_count, gv_metric metric,
                                  const double geotransform[6], int64_t width, int64_t height,
                                  int32_t *labels, double *distances, char *message, size_t message_size) {
  const gv_points seeds = gv_points_xy(x, y, seed_count);
  const bool globe = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
  gv_context *context = NULL;
  GV_TRY(simple_begin(&context, message, message_size));
  gv_status status = GV_OK;
  if (geotransform == NULL)
    status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "geotransform: the pointer is NULL");
  const gv_grid grid =
      globe ? gv_grid_lonlat(width, height, geotransform) : gv_grid_plane(width, height, geotransform);
  if (status == GV_OK) status = simple_grid_fill(context, &grid, &seeds, metric, labels, distances);
  return simple_end(context, status, message, message_size);
}

gv_status gv_nearest_grid(const double *x, const double *y, int64_t seed_count, gv_metric metric,
                          const double geotransform[6], int64_t width, int64_t height, int32_t *labels,
                          double *distances) {
  return gv_nearest_grid_message(x, y, seed_count, metric, geotransform, width, height, labels, distances,
                                 NULL, 0);
}
