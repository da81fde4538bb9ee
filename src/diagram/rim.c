/* A tree by halving, without nodes. */
#include "diagram/rim.h"

#include <math.h>

static double rim_distance(const gv_rim *r, double lon, double lat, int32_t seed) {
  double distance;
  geod_inverse(&r->globe->geod, lat, lon, r->lat[seed], r->lon[seed], &distance, NULL, NULL);
  return distance;
}

/* Sets the radius of the part [first, end), and of its halves. */
static void rim_measure(gv_rim *r, int64_t part, int32_t first, int32_t end) {
  int32_t middle = first + (end - first) / 2, centre = r->seed[middle];
  double most = 0.0;
  for (int32_t i = first; i < end; i++)
    most = fmax(most, rim_distance(r, r->lon[centre], r->lat[centre], r->seed[i]));
  r->radius[part] = most + 1e-6;
  if (end - first < 2) return;
  rim_measure(r, 2 * part, first, middle);
  rim_measure(r, 2 * part + 1, middle, end);
}

static void rim_search(const gv_rim *r, int64_t part, int32_t first, int32_t end, double lon, double lat,
                       double *least, int32_t *nearest) {
  int32_t middle = first + (end - first) / 2;
  double distance = rim_distance(r, lon, lat, r->seed[middle]);
  if (distance < *least) {
    *least = distance;
    *nearest = r->seed[middle];
  }
  if (end - first < 2 || distance - r->radius[part] > *least) return;
  rim_search(r, 2 * part + 1, middle, end, lon, lat, least, nearest);
  rim_search(r, 2 * part, first, middle, lon, lat, least, nearest);
}

void gv_rim_search(const gv_rim *rim, double lon, double lat, double *least, int32_t *nearest) {
  rim_search(rim, 1, 0, rim->count, lon, lat, least, nearest);
}

gv_status gv_rim_take(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                      int32_t *seeds, int32_t count, gv_rim *out) {
  *out = (gv_rim){
      .allocator = context->allocator, .globe = globe, .lon = lon, .lat = lat, .seed = seeds, .count = count};
  out->radius = gv_allocate(&context->allocator, 4 * (int64_t)count, sizeof *out->radius);
  if (seeds == NULL || out->radius == NULL) return gv_fail_memory(context, "the vertices");
  rim_measure(out, 1, 0, count);
  return GV_OK;
}

void gv_rim_free(gv_rim *rim) {
  gv_release(&rim->allocator, rim->seed);
  gv_release(&rim->allocator, rim->radius);
  *rim = (gv_rim){.allocator = rim->allocator};
}
