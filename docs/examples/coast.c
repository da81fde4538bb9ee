/*
 * The distance of places to a coast: a line of longitudes and latitudes with geodesic edges.
 *
 *   cc coast.c $(pkg-config --cflags --libs gpuvoronoi) -o coast
 */
#include <gpuvoronoi/geometries.h>
#include <stdio.h>

int main(void) {
  /* One feature of one line of three vertices: the offsets of GeoArrow. */
  const int64_t part[] = {0, 1}, ring[] = {0, 1}, vertex[] = {0, 3};
  const uint8_t kind[] = {GV_PART_LINE};
  const double coast_lon[] = {4.0, 4.5, 5.5}, coast_lat[] = {51.9, 52.4, 53.4};
  gv_features coast;
  gv_features_init(&coast);
  coast.count = 1;
  coast.part = part;
  coast.ring = ring;
  coast.vertex = vertex;
  coast.kind = kind;
  coast.x = coast_lon;
  coast.y = coast_lat;
  coast.edges = GV_EDGES_GEODESIC;

  const double lon[] = {4.9, 5.1}, lat[] = {52.4, 52.1}; /* Amsterdam, Utrecht */
  const gv_points places = gv_points_xy(lon, lat, 2);
  gv_index_options options;
  gv_index_options_init(&options);
  options.metric = GV_GEODESIC;
  int64_t feature[2];
  double meters[2];
  gv_context *context = NULL;
  gv_index *index = NULL;
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  gv_status status = gv_index_build_features(context, &coast, &options, &index);
  if (status == GV_OK) status = gv_index_search(context, index, &places, NULL, feature, meters);
  if (status == GV_OK) {
    printf("to the coast: Amsterdam %.1f km, Utrecht %.1f km\n", meters[0] / 1000, meters[1] / 1000);
  } else {
    fprintf(stderr, "%s\n", gv_context_message(context));
  }
  gv_index_destroy(index);
  gv_context_destroy(context);
  return status == GV_OK && meters[0] < 40e3 ? 0 : 1;
}
