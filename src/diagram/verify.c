/* Long edges, one after the other. */
#include "diagram/verify.h"

#include <math.h>

/* Of an edge, at most; of one that has been compared around the antipodes (antipodal.h). */
enum { VERIFY_POINTS = 65, VERIFY_FEW = 9 };

/* Whether a vertex is farther from a seed than the radius of convexity, less 1 degree for the conformal sphere. */
static bool verify_is_far(const gv_globe *globe, double x, double y, double lon, double lat) {
  double across = remainder(x - lon, 360.0);
  if (fabs(across) < 40.0 && fabs(y - lat) < 40.0) return false;
  const double both_lon[2] = {x, lon}, both_lat[2] = {y, lat};
  double v[6];
  gv_globe_vectors(globe, 2, both_lon, both_lat, v);
  return v[0] * v[3] + v[1] * v[4] + v[2] * v[5] < 0.0174;
}

static double verify_distance(const gv_globe *globe, double x, double y, double lon, double lat) {
  double distance;
  geod_inverse(&globe->geod, y, x, lat, lon, &distance, NULL, NULL);
  return distance;
}

/* *right: both seeds are nearest to all points of an edge that are looked up, but for `slack` metres. */
static gv_status verify_edge(gv_context *context, const gv_index *index, const gv_globe *globe, const double x[],
                             const double y[], int64_t count, int64_t most, const double lon[2],
                             const double lat[2], double slack, bool *right) {
  double place_x[VERIFY_POINTS], place_y[VERIFY_POINTS], least[VERIFY_POINTS];
  int64_t nearest[VERIFY_POINTS], points = count < most ? count : most;
  for (int64_t i = 0; i < points; i++) {
    place_x[i] = x[i * (count - 1) / (points - 1)];
    place_y[i] = y[i * (count - 1) / (points - 1)];
  }
  gv_points places = gv_points_xy(place_x, place_y, points);
  GV_TRY(gv_index_search(context, index, &places, NULL, nearest, least));
  *right = true;
  for (int64_t i = 0; i < points; i++)
    for (int side = 0; side < 2; side++)
      *right &= verify_distance(globe, place_x[i], place_y[i], lon[side], lat[side]) <= least[i] + slack;
  return GV_OK;
}

gv_status gv_lines_verify(gv_context *context, const gv_cells *cells, const gv_lines *lines, const gv_globe *globe,
                          const double *lon, const double *lat, double tolerance, int64_t *wrong) {
  gv_index *index = NULL;
  gv_status status = GV_OK;
  *wrong = 0;
  for (int64_t edge = 0; edge < cells->edges && status == GV_OK; edge++) {
    int64_t first = lines->first[edge], count = lines->first[edge + 1] - first, left = cells->side[2 * edge],
            other = cells->side[2 * edge + 1];
    const double *x = lines->x + first, *y = lines->y + first;
    if (!verify_is_far(globe, x[0], y[0], lon[left], lat[left]) &&
        !verify_is_far(globe, x[count - 1], y[count - 1], lon[left], lat[left]))
      continue;
    const double two_lon[2] = {lon[left], lon[other]}, two_lat[2] = {lat[left], lat[other]};
    bool right = true, traced = cells->path != NULL && cells->path[edge] != 0;
    if (index == NULL) status = gv_globe_index(context, globe, lon, lat, cells->seeds, 100000, &index);
    if (status == GV_OK)
      status = verify_edge(context, index, globe, x, y, count, traced ? VERIFY_FEW : VERIFY_POINTS, two_lon,
                           two_lat, 2.0 * tolerance + 1e-3, &right);
    *wrong += !right;
  }
  gv_index_destroy(index);
  return status;
}
