/* Chords from a vertex to the corners of adjacent facets. */
#include "diagram/local.h"

#include "core/angles.h"

gv_status gv_local_make(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                        int64_t count, gv_local *out) {
  const gv_allocator *allocator = &context->allocator;
  *out = (gv_local){.allocator = *allocator};
  gv_geodesic_init(&globe->shape, &out->geodesic);
  out->x = gv_allocate(allocator, count, sizeof(double));
  out->y = gv_allocate(allocator, count, sizeof(double));
  out->z = gv_allocate(allocator, count, sizeof(double));
  if (out->x == NULL || out->y == NULL || out->z == NULL)
    return gv_fail_memory(context, "the check of vertices");
  gv_lonlat_to_vectors(&globe->shape, true, count, lon, lat, out->x, out->y, out->z);
  return GV_OK;
}

bool gv_local_proves(const gv_local *l, const gv_triangulation *t, const double *distance, int32_t facet,
                     double lon, double lat, double margin) {
  const struct geod_geodesic *geod = &l->geodesic.geod;
  const int32_t *v = t->corner + 3 * (int64_t)facet;
  double own = distance[facet], x, y, z, most = 0.99 * GV_PI * fmin(geod->a, geod->b) - 2.0 * own;
  if (!(own >= 0.0)) return false;
  gv_lonlat_to_vectors(&(gv_ellipsoid){geod->a, geod->f, geod->e2}, true, 1, &lon, &lat, &x, &y, &z);
  for (int side = 0; side < 3; side++) {
    int32_t other = t->neighbor[3 * (int64_t)facet + side];
    if (!(distance[other] >= 0.0 && distance[other] < most)) return false;
    int32_t seed =
        t->corner[3 * (int64_t)other + gv_triangulation_side(t, other, v[(side + 2) % 3], v[(side + 1) % 3])];
    double east = l->x[seed] - x, north = l->y[seed] - y, up = l->z[seed] - z, shortest, longest;
    double square = east * east + north * north + up * up;
    gv_geodesic_lengths(&l->geodesic, square, square, &shortest, &longest);
    if (!(shortest > own + margin)) return false;
  }
  return true;
}

void gv_local_free(gv_local *l) {
  gv_release(&l->allocator, l->x);
  gv_release(&l->allocator, l->y);
  gv_release(&l->allocator, l->z);
  l->x = l->y = l->z = NULL;
}
