/*
 * The five nearest of 1,000 points in space for three queries.
 *
 *   cc search.c $(pkg-config --cflags --libs gpuvoronoi) -o search
 */
#include <gpuvoronoi/gpuvoronoi.h>
#include <inttypes.h>
#include <stdio.h>

enum { POINTS = 1000, DIM = 3, QUERIES = 3, K = 5 };

int main(void) {
  static double points[POINTS * DIM];
  for (int i = 0; i < POINTS * DIM; i++)
    points[i] = (double)(i * 7919 % 1000) / 1000.0;
  const float positions[QUERIES * DIM] = {0.5f, 0.5f, 0.5f, 0.0f, 0.0f, 0.0f, 2.0f, 2.0f, 2.0f};

  gv_context *context = NULL;
  gv_index *index = NULL;
  int64_t indices[QUERIES * K];
  double distances[QUERIES * K];

  if (gv_context_create(NULL, &context) != GV_OK) return 1;

  gv_points reference = gv_points_rows(points, POINTS, DIM, GV_FLOAT64);
  gv_status status = gv_index_build(context, &reference, NULL, &index);
  if (status != GV_OK) goto done;

  gv_points queries = gv_points_rows(positions, QUERIES, DIM, GV_FLOAT32);
  gv_search_options options;
  gv_search_options_init(&options);
  options.k = K;
  options.max_distance = 2.0;
  status = gv_index_search(context, index, &queries, &options, indices, distances);
  if (status != GV_OK) goto done;

  printf("searched with %s\n", gv_index_backend(index));
  for (int q = 0; q < QUERIES; q++) {
    for (int r = 0; r < K; r++) {
      printf("query %d, neighbor %d: point %" PRId64 " at %.6f\n", q, r + 1, indices[q * K + r],
             distances[q * K + r]);
    }
  }

done:
  if (status != GV_OK) fprintf(stderr, "%s: %s\n", gv_status_message(status), gv_context_message(context));
  gv_index_destroy(index);
  gv_context_destroy(context);
  return status == GV_OK ? 0 : 1;
}
