/* Bounds between chords and geodesics, and the seed that is nearest by PROJ's geodesics. */
#include "geodesic/geodesic.h"

#include "cmocka_test.h"

#include <stdlib.h>

#include "geodesic/pair_sets.h"

static const double flattenings[] = {1.0 / 298.257223563, 0.0, 1.0 / 150.0, -0.01};
enum { FLATTENINGS = sizeof flattenings / sizeof *flattenings };

static double uniform(void) {
  return pair_uniform(0.0, 1.0);
}

/* The bounds of geodesic.h by arcs of circles, those by functions, and those by the series. */
static void chords_bound_geodesics(void **unused) {
  (void)unused;
  for (int f = 0; f < FLATTENINGS; f++) {
    gv_ellipsoid ellipsoid = pair_ellipsoid(6378137.0, flattenings[f]);
    gv_geodesic geodesic;
    gv_geodesic_init(&ellipsoid, &geodesic);
    double r1 = geodesic.chords.r_small * ellipsoid.semi_major,
           r2 = geodesic.chords.r_large * ellipsoid.semi_major;
    for (int i = 0; i < 150000; i++) {
      pair p = pair_make(&ellipsoid, &geodesic.geod, (pair_kind)(i % PAIR_KINDS));
      long double square = 0.0L;
      for (int axis = 0; axis < 3; axis++)
        square += ((long double)p.place[0][axis] - p.place[1][axis]) *
                  ((long double)p.place[0][axis] - p.place[1][axis]);
      double chord2 = (double)square, chord = sqrt(chord2) * ellipsoid.semi_major, shortest, longest, within,
             beyond;
      if (chord2 < geodesic.chords.limit2) {
        assert_true(p.distance <= 2.0 * r1 * asin(chord / (2.0 * r1)) + 1e-7);
        assert_true(p.distance >= 2.0 * r2 * asin(chord / (2.0 * r2)) - 1e-7);
      }
      gv_geodesic_lengths(&geodesic, chord2 * (1.0 - 1e-15), chord2 * (1.0 + 1e-15), &shortest, &longest);
      if (!(shortest <= p.distance) || !(p.distance <= longest)) {
        fail_msg("f %g: from %.17g %.17g to %.17g %.17g: %.9f is not in %.9f ... %.9f", flattenings[f],
                 p.lon[0], p.lat[0], p.lon[1], p.lat[1], p.distance, shortest, longest);
      }
      if (chord2 < fmin(2.0, geodesic.chords.limit2))
        assert_true(longest - shortest < 0.05 * p.distance + 1e-6);
      double length = p.distance * (i % 3 == 0 ? 1.0 : 1.0 + pair_magnitude(1e-9, 0.1));
      gv_geodesic_chords(&geodesic, length, &within, &beyond);
      if (chord2 <= within * (1.0 - 1e-15)) assert_true(p.distance <= length);
      if (chord2 > beyond * (1.0 + 1e-15)) assert_true(p.distance > length);
      double x[GV_PAIR_PADDING] = {p.place[1][0]}, y[GV_PAIR_PADDING] = {p.place[1][1]},
             z[GV_PAIR_PADDING] = {p.place[1][2]}, low, high;
      gv_geodesic_bounds(&geodesic, p.place[0], 1, x, y, z, &low, &high);
      assert_true(low <= p.distance && p.distance <= high);
    }
  }
}

/* What slack promises: a chord longer than sqrt(chord2 + slack) belongs to a longer geodesic by those bounds;
 * and it grows, also across the step between its two formulas. */
static void slack_is_enough_and_grows(void **unused) {
  (void)unused;
  gv_ellipsoid ellipsoid;
  gv_geodesic geodesic;
  assert_int_equal(gv_ellipsoid_init(NULL, 0.0, 0.0, &ellipsoid), GV_OK);
  gv_geodesic_init(&ellipsoid, &geodesic);
  long double r1 = geodesic.chords.r_small, r2 = geodesic.chords.r_large;
  double previous = 0.0;
  for (double chord2 = 1e-14; chord2 < geodesic.chords.limit2; chord2 *= 1.0007) {
    double slack = gv_geodesic_slack(&geodesic, sqrt(chord2));
    long double longest = 2.0L * r1 * asinl(sqrtl((long double)chord2) / (2.0L * r1));
    long double shortest = 2.0L * r2 * asinl(sqrtl((long double)chord2 + slack) / (2.0L * r2));
    if (!(longest / (2.0L * r2) < 1.57L)) {
      assert_true(slack > 0.01);
      continue;
    }
    assert_true(shortest >= longest + 1e-14L);
    assert_true(slack >= previous);
    assert_true(slack <= 0.02 * chord2 * chord2 + 1e-13 * sqrt(chord2) + 2e-15 || chord2 > 0.01);
    previous = slack;
  }
  assert_true(isinf(gv_geodesic_slack(&geodesic, sqrt(geodesic.chords.limit2) * 1.0001)));
}

/* Clusters of seeds seen from far away: the expansion culls no seed that is nearest somewhere within its
 * reach, and decisions with it are those of geod_inverse about every seed. */
static void expansions_keep_the_nearest(void **unused) {
  (void)unused;
  enum { SEEDS = 12, CELLS = 30 };
  int made = 0, culled = 0;
  for (int trial = 0; trial < 3000; trial++) {
    gv_ellipsoid ellipsoid;
    gv_geodesic geodesic;
    assert_int_equal(gv_ellipsoid_init(NULL, 6378137.0, flattenings[trial % 3], &ellipsoid), GV_OK);
    gv_geodesic_init(&ellipsoid, &geodesic);
    double lon[SEEDS], lat[SEEDS], x[SEEDS], y[SEEDS], z[SEEDS], spread = pow(10.0, 1.0 - 4.0 * uniform());
    int32_t id[SEEDS];
    double east = 360.0 * uniform() - 180.0, north = 160.0 * uniform() - 80.0;
    for (int i = 0; i < SEEDS; i++) {
      id[i] = i;
      lon[i] = east + spread * (uniform() - 0.5);
      lat[i] = north + spread * (uniform() - 0.5);
      gv_normalize_lonlat(&lon[i], &lat[i]);
    }
    gv_lonlat_to_vectors(&ellipsoid, true, SEEDS, lon, lat, x, y, z);
    gv_lonlats seeds = {lon, lat};
    gv_candidates candidates = {x, y, z, id, SEEDS};
    double m_lon = 360.0 * uniform() - 180.0, m_lat = trial % 7 == 0 ? 90.0 : 180.0 * uniform() - 90.0, m[3];
    double degrees = pow(10.0, -3.0 * uniform()), reach = degrees * 3.0 * 3.14159265358979323846 / 180.0;
    gv_normalize_lonlat(&m_lon, &m_lat);
    gv_lonlat_to_vectors(&ellipsoid, true, 1, &m_lon, &m_lat, &m[0], &m[1], &m[2]);
    double cell_lon[CELLS], cell_lat[CELLS];
    int32_t nearest[CELLS];
    for (int c = 0; c < CELLS; c++) {
      double best = INFINITY;
      cell_lat[c] = fmax(-90.0, fmin(90.0, m_lat + degrees * (2.0 * uniform() - 1.0)));
      cell_lon[c] = m_lon + degrees * (2.0 * uniform() - 1.0);
      gv_normalize_lonlat(&cell_lon[c], &cell_lat[c]);
      for (int32_t i = 0; i < SEEDS; i++) {
        double s12 = 0.0;
        geod_inverse(&geodesic.geod, cell_lat[c], cell_lon[c], lat[i], lon[i], &s12, NULL, NULL);
        if (s12 < best) {
          best = s12;
          nearest[c] = i;
        }
      }
    }
    gv_expansion expansion;
    if (!gv_expansion_make(&geodesic, seeds, m_lon, m_lat, m, reach, &candidates, &expansion)) continue;
    made++;
    gv_expansion_cull(&geodesic, &expansion, &candidates);
    culled += SEEDS - candidates.count;
    for (int c = 0; c < CELLS; c++) {
      double vector[3];
      gv_lonlat_to_vectors(&ellipsoid, true, 1, &cell_lon[c], &cell_lat[c], &vector[0], &vector[1],
                           &vector[2]);
      int32_t with =
          gv_geodesic_decide(&geodesic, seeds, cell_lon[c], cell_lat[c], vector, &candidates, &expansion);
      assert_int_equal(candidates.id[with], nearest[c]);
    }
  }
  assert_true(made > 1500 && culled > 6000);
}

/* Seeds in all directions, at equal distances from a cell except for the second order of an expansion around
 * another place. */
static void expansions_know_their_error(void **unused) {
  (void)unused;
  enum { SEEDS = 12, PADDED = SEEDS + GV_CANDIDATE_PADDING };
  int made = 0;
  for (int trial = 0; trial < 4000; trial++) {
    gv_ellipsoid ellipsoid = pair_ellipsoid(6378137.0, flattenings[trial % 3]);
    gv_geodesic geodesic;
    gv_expansion expansion;
    double lon[PADDED] = {0}, lat[PADDED] = {0}, x[PADDED] = {0}, y[PADDED] = {0}, z[PADDED] = {0}, cell[2],
           vector[3];
    int32_t id[PADDED] = {0}, nearest = -1;
    gv_geodesic_init(&ellipsoid, &geodesic);
    pair middle = pair_make(&ellipsoid, &geodesic.geod, PAIR_ANY);
    double length = fabs(pair_magnitude(1e3, 1e5)), away = fabs(pair_magnitude(5e5, 6e6)), least = INFINITY;
    double room = 0.3 * length * length / away, distance = 0.0;
    geod_direct(&geodesic.geod, middle.lat[0], middle.lon[0], pair_uniform(-180, 180), length, &cell[1],
                &cell[0], NULL);
    gv_normalize_lonlat(&cell[0], &cell[1]);
    for (int i = 0; i < SEEDS; i++) {
      id[i] = i;
      geod_direct(&geodesic.geod, cell[1], cell[0], pair_uniform(-180, 180), away + pair_uniform(-room, room),
                  &lat[i], &lon[i], NULL);
      gv_normalize_lonlat(&lon[i], &lat[i]);
      geod_inverse(&geodesic.geod, cell[1], cell[0], lat[i], lon[i], &distance, NULL, NULL);
      if (distance < least) least = distance, nearest = i;
    }
    gv_lonlat_to_vectors(&ellipsoid, true, SEEDS, lon, lat, x, y, z);
    gv_lonlat_to_vectors(&ellipsoid, true, 1, &cell[0], &cell[1], &vector[0], &vector[1], &vector[2]);
    gv_candidates candidates = {x, y, z, id, SEEDS};
    gv_lonlats seeds = {lon, lat};
    double reach = 1.05 * length / 6378137.0;
    if (!gv_expansion_make(&geodesic, seeds, middle.lon[0], middle.lat[0], middle.place[0], reach,
                           &candidates, &expansion))
      continue;
    made++;
    gv_expansion_cull(&geodesic, &expansion, &candidates);
    int32_t found = gv_geodesic_decide(&geodesic, seeds, cell[0], cell[1], vector, &candidates, &expansion);
    assert_int_equal(candidates.id[found], nearest);
  }
  assert_true(made > 3000);
}

/* Seeds around a cell's antipode, a pole, its meridian, the equator, the cell itself, and equal ones: the
 * first of the least distances by PROJ. */
static void decisions_are_those_of_proj(void **unused) {
  (void)unused;
  enum { SEEDS = 40, PADDED = SEEDS + GV_CANDIDATE_PADDING };
  for (int trial = 0; trial < 7000; trial++) {
    gv_ellipsoid ellipsoid = pair_ellipsoid(6378137.0, flattenings[trial % FLATTENINGS]);
    gv_geodesic geodesic;
    double lon[PADDED] = {0}, lat[PADDED] = {0}, x[PADDED] = {0}, y[PADDED] = {0}, z[PADDED] = {0},
           least = INFINITY;
    int32_t id[PADDED] = {0}, nearest = -1;
    gv_geodesic_init(&ellipsoid, &geodesic);
    pair cell = pair_make(&ellipsoid, &geodesic.geod, (pair_kind)(trial % PAIR_KINDS));
    for (int i = 0; i < SEEDS; i++) {
      id[i] = i;
      lon[i] = cell.lon[1] + (i % 2 ? pair_magnitude(1e-9, 1e-2) : 0.0);
      lat[i] = cell.lat[1] + (i % 3 ? pair_magnitude(1e-9, 1e-2) : 0.0);
      if (i % 5 == 0)
        lon[i] = 2.0 * cell.lon[0] - cell.lon[1], lat[i] = cell.lat[1]; /* as far, on the other side */
      lat[i] = fmax(-90.0, fmin(90.0, lat[i]));
      gv_normalize_lonlat(&lon[i], &lat[i]);
      double distance = 0.0;
      geod_inverse(&geodesic.geod, cell.lat[0], cell.lon[0], lat[i], lon[i], &distance, NULL, NULL);
      if (distance < least) least = distance, nearest = i;
    }
    gv_lonlat_to_vectors(&ellipsoid, true, SEEDS, lon, lat, x, y, z);
    gv_candidates candidates = {x, y, z, id, SEEDS};
    int32_t found = gv_geodesic_decide(&geodesic, (gv_lonlats){lon, lat}, cell.lon[0], cell.lat[0],
                                       cell.place[0], &candidates, NULL);
    if (found != nearest)
      fail_msg("kind %d from %.17g %.17g: %d, not %d", trial % PAIR_KINDS, cell.lon[0], cell.lat[0],
               (int)found, (int)nearest);
  }
}

/* Seeds close together far away: none that is the nearest somewhere within a bound is dropped. */
static void thinning_keeps_the_nearest(void **unused) {
  (void)unused;
  enum { SEEDS = 40, PADDED = SEEDS + GV_CANDIDATE_PADDING };
  int dropped = 0;
  for (int trial = 0; trial < 3000; trial++) {
    gv_ellipsoid ellipsoid = pair_ellipsoid(6378137.0, flattenings[trial % 3]);
    gv_geodesic geodesic;
    double lon[PADDED] = {0}, lat[PADDED] = {0}, x[PADDED] = {0}, y[PADDED] = {0}, z[PADDED] = {0};
    int32_t id[PADDED] = {0};
    bool kept[SEEDS] = {false};
    gv_geodesic_init(&ellipsoid, &geodesic);
    pair far = pair_make(&ellipsoid, &geodesic.geod, PAIR_ANY);
    double spread = fabs(pair_magnitude(1e-4, 1.0)), size = fabs(pair_magnitude(1e-4, 0.1));
    for (int i = 0; i < SEEDS; i++) {
      id[i] = i;
      lon[i] = far.lon[1] + pair_uniform(-spread, spread);
      lat[i] = fmax(-90.0, fmin(90.0, far.lat[1] + pair_uniform(-spread, spread)));
      gv_normalize_lonlat(&lon[i], &lat[i]);
    }
    gv_lonlat_to_vectors(&ellipsoid, true, SEEDS, lon, lat, x, y, z);
    gv_candidates candidates = {x, y, z, id, SEEDS};
    gv_bound bound = {.center = {far.place[0][0], far.place[0][1], far.place[0][2]}, .radius = size * 1.01};
    double chord =
        sqrt(pow(far.place[0][0] - far.place[1][0], 2.0) + pow(far.place[0][1] - far.place[1][1], 2.0) +
             pow(far.place[0][2] - far.place[1][2], 2.0));
    gv_geodesic_thin(&geodesic, &bound, gv_geodesic_slack(&geodesic, chord + size + 0.1), &candidates);
    dropped += SEEDS - candidates.count;
    for (int32_t i = 0; i < candidates.count; i++)
      kept[candidates.id[i]] = true;
    for (int k = 0; k < 8; k++) {
      double at[2], least = INFINITY, distance = 0.0;
      int nearest = -1;
      geod_direct(&geodesic.geod, far.lat[0], far.lon[0], pair_uniform(-180.0, 180.0),
                  pair_uniform(0.0, size) * 6378137.0 * 0.99, &at[1], &at[0], NULL);
      for (int i = 0; i < SEEDS; i++) {
        geod_inverse(&geodesic.geod, at[1], at[0], lat[i], lon[i], &distance, NULL, NULL);
        if (distance < least) least = distance, nearest = i;
      }
      assert_true(kept[nearest]);
    }
  }
  assert_true(dropped > 3000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chords_bound_geodesics),      cmocka_unit_test(slack_is_enough_and_grows),
      cmocka_unit_test(expansions_keep_the_nearest), cmocka_unit_test(expansions_know_their_error),
      cmocka_unit_test(decisions_are_those_of_proj), cmocka_unit_test(thinning_keeps_the_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
