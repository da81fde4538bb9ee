/* Triangulations: closed surfaces, with circles that contain no other seed; and flips. */
#include "diagram/triangulation.h"

#include "cmocka_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagram/predicates.h"
#include "diagram/seed_sets.h"
#include "exact/globe.h"
#include "failing_memory.h"

static double position[3 * (SEED_SETS_MAX + 3)];

static void place(const seed_set *s, bool sphere) {
  for (int i = 0; i < s->count; i++) {
    double lon = s->x[i], lat = s->y[i], *p = position + 3 * i;
    gv_normalize_lonlat(&lon, &lat);
    p[0] = s->x[i];
    p[1] = s->y[i];
    p[2] = 0.0;
    if (sphere) gv_lonlat_to_vectors(NULL, false, 1, &lon, &lat, &p[0], &p[1], &p[2]);
  }
  const double far[9] = {0, 4000, 0, -3500, -2000, 0, 3500, -2000, 0};
  memcpy(position + 3 * s->count, far, sizeof far);
}

static void check_surface(const gv_triangulation *t) {
  for (int32_t facet = 0; facet < t->facets; facet++) {
    for (int side = 0; side < 3; side++) {
      const int32_t *v = t->corner + 3 * facet;
      int32_t from = v[(side + 1) % 3], to = v[(side + 2) % 3], other = t->neighbor[3 * facet + side];
      int back = gv_triangulation_side(t, other, to, from);
      assert_int_equal(t->corner[3 * other + (back + 1) % 3], to);
      assert_int_equal(t->corner[3 * other + (back + 2) % 3], from);
      assert_int_equal(t->neighbor[3 * other + back], facet);
    }
  }
}

static void check_circles(const gv_triangulation *t) {
  for (int64_t facet = 0; facet < t->facets; facet++) {
    const int32_t *v = t->corner + 3 * facet;
    const double *a = position + 3 * v[0], *b = position + 3 * v[1], *c = position + 3 * v[2];
    if (!t->sphere && v[0] >= t->count && v[1] >= t->count && v[2] >= t->count) continue;
    for (int64_t seed = 0; seed < t->count; seed++) {
      const double *p = position + 3 * seed;
      assert_true((t->sphere ? gv_circle_side_sphere(a, b, c, p) : gv_circle_side_plane(a, b, c, p)) <= 0);
    }
  }
}

static void check_all(bool sphere) {
  gv_context *context;
  seed_set *s = malloc(sizeof *s);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int number = 0; seed_set_get(number, s); number++) {
    gv_triangulation t;
    place(s, sphere);
    assert_int_equal(gv_triangulate(context, sphere, position, s->count, &t), GV_OK);
    int64_t vertices = t.distinct + (sphere ? 0 : 3);
    assert_int_equal(t.facets, vertices > 2 ? 2 * vertices - 4 : 0);
    check_surface(&t);
    check_circles(&t);
    /* A flip, where four corners differ, and back. */
    for (int32_t facet = 0; facet < t.facets && t.distinct > 5; facet += 7) {
      int64_t before = t.corner[3 * facet];
      int32_t other = t.neighbor[3 * facet];
      int back = gv_triangulation_side(&t, other, t.corner[3 * facet + 2], t.corner[3 * facet + 1]);
      if (t.corner[3 * (int64_t)other + back] == before) continue;
      gv_triangulation_flip(&t, facet, 0);
      check_surface(&t);
      assert_int_equal(t.corner[3 * facet], before);
      gv_triangulation_flip(&t, facet, 1);
      check_surface(&t);
      check_circles(&t);
      if (facet > 50) break;
    }
    gv_triangulation_destroy(&t);
  }
  gv_context_destroy(context);
  free(s);
}

static void plane_is_delaunay(void **unused) {
  (void)unused;
  check_all(false);
}

static void sphere_is_delaunay(void **unused) {
  (void)unused;
  check_all(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(plane_is_delaunay),
                                     cmocka_unit_test(sphere_is_delaunay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
