/*
 * The nearest of three cities for each cell of a raster, and the distance to it.
 *
 *   cc grid.c $(pkg-config --cflags --libs gpuvoronoi) -o grid
 */
#include <gpuvoronoi/gpuvoronoi.h>
#include <stdio.h>

enum { WIDTH = 60, HEIGHT = 40 };

int main(void) {
  const double lon[] = {13.4, -0.1, 2.35}, lat[] = {52.5, 51.5, 48.85}; /* Berlin, London, Paris */
  const double geotransform[] = {-10, 0.5, 0, 60, 0, -0.5}; /* from 10 W, 60 N; cells of half a degree */
  static int32_t nearest[HEIGHT][WIDTH];
  static double meters[HEIGHT][WIDTH];
  char message[256];
  gv_status status = gv_nearest_grid_message(lon, lat, 3, GV_GEODESIC, geotransform, WIDTH, HEIGHT,
                                             &nearest[0][0], &meters[0][0], message, sizeof message);
  if (status != GV_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  printf("60 N, 10 W: city %d, %.0f km\n", nearest[0][0], meters[0][0] / 1000);
  return nearest[0][0] == 1 ? 0 : 1;
}
