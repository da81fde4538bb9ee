/* Where rays end on the sphere. */
#include "barriers/ellipsoid.h"
#include "barriers/inside.h"
#include "barriers/rings.h"
#include "barriers/tree.h"
#include "barriers/walls.h"
#include "core/angles.h"
#include "exact/canonical.h"
#include "exact/orientation.h"

enum { MOST_TRIES = 1 << 20 };

static bool reference_meets(void *user, const gv_wall *wall) {
  (void)wall;
  *(bool *)user = true;
  return false;
}

/* Places that are spread evenly: the sequence R2 of Roberts. */
static void reference_try(int64_t i, double *lon, double *lat) {
  double whole;
  *lon = 360.0 * modf(0.3 + 0.7548776662466927 * (double)i, &whole) - 180.0;
  *lat = asin(2.0 * modf(0.4 + 0.5698402909980532 * (double)i, &whole) - 1.0) * (180.0 / GV_PI);
}

/* Not near a wall, where edges deviate from legs, and not on the great circle of any. */
static bool reference_is_clear(const gv_barriers *b, const double *x, double distance) {
  gv_barrier_box box;
  bool meets = false;
  gv_barrier_box_begin(&box);
  gv_barrier_box_add(&box, x);
  gv_barrier_box_widen(&box, distance);
  gv_barrier_walls_near(b, &box, reference_meets, &meets);
  for (int64_t i = 0; i < b->wall_count && !meets; i++)
    meets = gv_orientation_sphere(b->walls[i].a, b->walls[i].b, x) == 0;
  return !meets;
}

gv_status gv_barrier_reference_find(gv_context *context, const gv_feature_set *set, gv_barriers *b) {
  gv_edge_place place;
  double longest2 = 0.0;
  for (int64_t i = 0; i < b->wall_count; i++)
    longest2 = fmax(longest2, gv_canonical_distance(b->walls[i].a, b->walls[i].b, 3, GV_EUCLIDEAN));
  const double distance =
      2.0 * b->deviation / b->radius + b->tolerance + gv_barrier_bend_distance(b, longest2);
  bool found = false;
  double at[3];
  for (int64_t i = 0; i < MOST_TRIES && !found; i++) {
    reference_try(i, &place.lon, &place.lat);
    gv_barrier_place_at(b, place.lon, place.lat, place.vector, at);
    found = reference_is_clear(b, place.vector, distance);
  }
  if (!found) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "barriers: they cover the globe");
  memcpy(b->reference, place.vector, sizeof b->reference);
  b->odd = 0;
  for (int64_t p = 0; p < set->parts; p++)
    if (gv_part_contains(set, p, &place)) b->odd ^= gv_barrier_hash((int32_t)p);
  return GV_OK;
}
