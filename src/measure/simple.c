/* The simple interface: one call, without a context of the caller's. */
#include "gpuvoronoi/gpuvoronoi.h"

#include "core/limits.h"
#include "core/try.h"

/* Builds an index, searches it once and frees it. */
static gv_status search_once(gv_context *context, const gv_points *reference, const gv_points *queries,
                             const gv_index_options *options, int32_t k, int64_t *indices, double *distances) {
  gv_search_options search;
  gv_index *index = NULL;
  gv_search_options_init(&search);
  search.k = k;
  GV_TRY(gv_index_build(context, reference, options, &index));
  gv_status status = gv_index_search(context, index, queries, &search, indices, distances);
  gv_index_destroy(index);
  return status;
}

static gv_status knn(const gv_points *reference, const gv_points *queries, gv_metric metric, int32_t k,
                     int64_t *indices, double *distances) {
  gv_index_options options;
  gv_context *context = NULL;
  gv_index_options_init(&options);
  options.metric = metric;
  options.expected_k = k;
  options.expected_queries = queries->count;
  if (k > GV_MAX_K) return GV_ERROR_INVALID_ARGUMENT; /* the library would allow more of some indexes */
  GV_TRY(gv_context_create(NULL, &context));
  gv_status status = search_once(context, reference, queries, &options, k, indices, distances);
  gv_context_destroy(context);
  return status;
}

gv_status gv_knn(const double *reference, int64_t reference_count, const double *queries, int64_t query_count,
                 int32_t dim, int32_t k, int64_t *indices, double *distances) {
  const gv_points points = gv_points_rows(reference, reference_count, dim, GV_FLOAT64);
  const gv_points places = gv_points_rows(queries, query_count, dim, GV_FLOAT64);
  return knn(&points, &places, GV_EUCLIDEAN, k, indices, distances);
}

gv_status gv_geodesic_knn(const double *longitude, const double *latitude, int64_t reference_count,
                          const double *query_longitude, const double *query_latitude, int64_t query_count,
                          int32_t k, int64_t *indices, double *metres) {
  const gv_points points = gv_points_xy(longitude, latitude, reference_count);
  const gv_points places = gv_points_xy(query_longitude, query_latitude, query_count);
  return knn(&points, &places, GV_GEODESIC, k, indices, metres);
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

gv_status gv_nearest_grid(const double *x, const double *y, int64_t seed_count, gv_metric metric,
                          const double geotransform[6], int64_t width, int64_t height, int32_t *labels,
                          double *distances) {
  const gv_points seeds = gv_points_xy(x, y, seed_count);
  gv_context *context = NULL;
  gv_grid grid;
  if (geotransform == NULL) return GV_ERROR_INVALID_ARGUMENT;
  gv_grid_init(&grid);
  grid.kind = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC ? GV_GRID_LONLAT : GV_GRID_PLANE;
  grid.width = width;
  grid.height = height;
  for (int i = 0; i < 6; i++)
    grid.geotransform[i] = geotransform[i];
  GV_TRY(gv_context_create(NULL, &context));
  gv_status status = simple_grid_fill(context, &grid, &seeds, metric, labels, distances);
  gv_context_destroy(context);
  return status;
}
