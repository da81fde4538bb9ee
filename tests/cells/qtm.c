/* The QTM mesh against golden values, against exact integer arithmetic, and against its own geometry. */
#include "cmocka_test.h"

#include <stdlib.h>
#include <string.h>

#include "cells/qtm.h"
#include "exact/globe.h"
#include "split_mix.h"

static const double pi = 3.14159265358979323846;

static uint64_t random_state;

static uint64_t random_bits(void) {
  return split_mix(&random_state);
}

static double random_unit(void) {
  return (double)(random_bits() >> 11) * 0x1p-53;
}

static gv_qtm_id encode(double longitude, double latitude, int level) {
  gv_qtm_id id = 0;
  assert_int_equal(gv_qtm_from_lonlat(level, longitude, latitude, &id), GV_OK);
  assert_int_equal(gv_qtm_level(id), level);
  return id;
}

static void assert_place(double longitude, double latitude, int level, const char *expected) {
  char text[GV_QTM_STRING_SIZE];
  assert_int_equal(gv_qtm_to_string(encode(longitude, latitude, level), text, sizeof text), GV_OK);
  if (strcmp(text, expected) != 0) print_error("at %.17g %.17g\n", longitude, latitude);
  assert_string_equal(text, expected);
}

static gv_qtm_id random_cell(int level) {
  gv_qtm_id id = 0;
  int64_t number = (int64_t)(random_bits() >> 1) % gv_qtm_count(level);
  assert_int_equal(gv_qtm_from_number(level, number, &id), GV_OK);
  return id;
}

/* ------------------------------------------------------------------------------------------ golden values */

static void golden_places(void **state) {
  (void)state;
  /* Dutton's own example, in Zurich. */
  assert_place(8.0 + 32.0 / 60 + 52.0 / 3600, 47.0 + 24.0 / 60 + 18.0 / 3600, 18, "1133013130312011310");
  assert_int_equal(gv_qtm_count(9), 2097152);
  assert_int_equal(gv_qtm_count(0), 8);
  assert_int_equal(gv_qtm_count(29), INT64_C(1) << 61);

  /* Octants are half-open; the equator is northern; +-180 is in 3 and 7; longitudes wrap. */
  static const double meridian[] = {0,   45,  90,  135, 180,  -180,  -135, -90,
                                    -45, 359, 361, 540, -540, -90.5, 719.5};
  static const char *const north[] = {"1", "1", "2", "2", "3", "3", "3", "4",
                                      "4", "4", "1", "3", "3", "3", "4"};
  static const char *const south[] = {"5", "5", "6", "6", "7", "7", "7", "8",
                                      "8", "8", "5", "7", "7", "7", "8"};
  for (size_t i = 0; i < sizeof meridian / sizeof *meridian; i++) {
    assert_place(meridian[i], 10.0, 0, north[i]);
    assert_place(meridian[i], 0.0, 0, north[i]);
    assert_place(meridian[i], -0.0, 0, north[i]);
    assert_place(meridian[i], -10.0, 0, south[i]);
    assert_place(meridian[i], -1e-320, 0, south[i]);
    assert_place(meridian[i], 90.0, 5, "111111");
    assert_place(meridian[i], -90.0, 5, "511111");
  }
  assert_place(-0.0, 10.0, 0, "1");
  assert_place(-1e-320, 10.0, 0, "4");
  assert_place(nextafter(90.0, 0.0), 10.0, 0, "1");
  assert_place(nextafter(180.0, 0.0), 10.0, 0, "2");
  assert_place(nextafter(-180.0, 0.0), 10.0, 0, "3");
}

static void golden_edges(void **state) {
  (void)state;
  /* On an edge: the corner's child. One ulp off: the center. */
  assert_place(45.0, 45.0, 1, "11");
  assert_place(45.0, nextafter(45.0, 0.0), 1, "10");
  assert_place(67.5, 30.0, 1, "13");
  assert_place(nextafter(67.5, 0.0), 30.0, 1, "10");
  assert_place(22.5, 30.0, 1, "12");
  assert_place(nextafter(22.5, 90.0), 30.0, 1, "10");
  /* The midpoint of an edge: the lower basis number. */
  assert_place(45.0, 0.0, 1, "12");
  assert_place(nextafter(45.0, 90.0), 0.0, 1, "13");
  assert_place(0.0, 45.0, 1, "11");
  assert_place(90.0, 45.0, 1, "21");
  /* Corners that octants share, seen from the octant they belong to. */
  assert_place(0.0, 0.0, 4, "12222");
  assert_place(90.0, 0.0, 4, "23333");
  assert_place(180.0, 0.0, 4, "32222");
  assert_place(-90.0, 0.0, 4, "43333");
}

static void octant_corners(void **state) {
  (void)state;
  /* Counter-clockwise from the pole: northern octants go east along the equator, southern ones west. */
  static const double corner[8][2] = {{0, 90}, {90, 180}, {-180, -90}, {-90, 0},
                                      {90, 0}, {180, 90}, {-90, -180}, {0, -90}};
  static const int basis[8][2] = {{2, 3}, {3, 2}, {2, 3}, {3, 2}, {3, 2}, {2, 3}, {3, 2}, {2, 3}};
  static const double middle[8] = {45, 135, -135, -45, 45, 135, -135, -45};
  for (int octant = 1; octant <= 8; octant++) {
    char text[2] = {(char)('0' + octant), '\0'};
    gv_qtm_id id = 0;
    assert_int_equal(gv_qtm_from_string(text, &id), GV_OK);
    assert_int_equal(gv_qtm_octant(id), octant);
    assert_int_equal(gv_qtm_level(id), 0);
    double lon[3], lat[3], center_lon, center_lat;
    int number[3];
    assert_int_equal(gv_qtm_corners(id, lon, lat, number), GV_OK);
    double sign = octant <= 4 ? 1.0 : -1.0;
    assert_true(lon[0] == middle[octant - 1] && lat[0] == 90.0 * sign && number[0] == 1);
    for (int i = 0; i < 2; i++) {
      assert_true(lon[i + 1] == corner[octant - 1][i]);
      assert_true(lat[i + 1] == 0.0);
      assert_int_equal(number[i + 1], basis[octant - 1][i]);
    }
    assert_int_equal(gv_qtm_center(id, &center_lon, &center_lat), GV_OK);
    assert_true(fabs(center_lon - middle[octant - 1]) < 1e-13);
    assert_true(fabs(center_lat - sign * asin(1.0 / sqrt(3.0)) * 180.0 / pi) < 1e-13);
    assert_true(fabs(gv_qtm_area(id) - pi / 2.0) < 1e-13);
  }
}

/* ----------------------------------------------------------------------------- exact reference for places */

__extension__ typedef __int128 wide;

/* Digits by exact integer arithmetic. The place: octant, |latitude| = t / 2^47 and distance from its western
 * meridian m / 2^47, in degrees. Coordinates are scaled by 8100 x 2^94. */
static void reference_string(int octant, int64_t t, int64_t m, int level, char *text) {
  const wide ninety = (wide)90 << 47, one = ninety * ninety;
  int west_basis = octant % 2 != 0 ? 2 : 3;
  wide w[4];
  w[1] = t * ninety;
  w[5 - west_basis] = (ninety - t) * m;
  w[west_basis] = (ninety - t) * (ninety - m);
  *text++ = (char)('0' + octant);
  for (int depth = 0; depth < level; depth++) {
    if (2 * w[1] >= one) {
      wide w2 = w[2];
      w[1] = 2 * w[1] - one, w[2] = 2 * w[3], w[3] = 2 * w2;
      *text++ = '1';
    } else if (2 * w[2] >= one) {
      wide w1 = w[1];
      w[2] = 2 * w[2] - one, w[1] = 2 * w[3], w[3] = 2 * w1;
      *text++ = '2';
    } else if (2 * w[3] >= one) {
      wide w1 = w[1];
      w[3] = 2 * w[3] - one, w[1] = 2 * w[2], w[2] = 2 * w1;
      *text++ = '3';
    } else {
      for (int i = 1; i <= 3; i++)
        w[i] = one - 2 * w[i];
      *text++ = '0';
    }
  }
  *text = '\0';
}

/* t and m in units of 2^-47 degrees that doubles hold exactly (at most 53 bits). */
static void check_against_reference(int octant, int64_t t, int64_t m, int level) {
  static const double west[4] = {0.0, 90.0, -180.0, -90.0};
  double latitude = (double)t * 0x1p-47, longitude = west[(octant - 1) % 4] + (double)m * 0x1p-47;
  char expected[GV_QTM_STRING_SIZE];
  reference_string(octant, t, m, level, expected);
  assert_place(longitude, octant <= 4 ? latitude : -latitude, level, expected);
}

static void lattice_places_match_exact_arithmetic(void **state) {
  (void)state;
  /* Every place of a 64 x 64 grid of each octant lies on, or in the corner of, edges of many levels. Southern
   * octants do not hold the equator. */
  for (int octant = 1; octant <= 8; octant++) {
    for (int64_t t = octant <= 4 ? 0 : 1; t < 64; t++) {
      for (int64_t m = 0; m < 64; m++) {
        check_against_reference(octant, (90 * t << 47) / 64, (90 * m << 47) / 64, 15);
      }
    }
  }
}

static void random_places_match_exact_arithmetic(void **state) {
  (void)state;
  random_state = 1;
  for (int i = 0; i < 200000; i++) {
    /* Multiples of 2^-45 degrees: exact in doubles below 180, as longitudes too. */
    int64_t t = (int64_t)((90.0 - 0x1p-20) * random_unit() * 0x1p45) * 4;
    int64_t m = (int64_t)((90.0 - 0x1p-20) * random_unit() * 0x1p45) * 4;
    if (t == 0) continue;
    check_against_reference(1 + i % 8, t, m, 29);
  }
}

/* Places within a few ulps of slanting edges: there a product of doubles alone would often decide wrongly. */
static void places_beside_edges_match_exact_arithmetic(void **state) {
  (void)state;
  random_state = 2;
  for (int i = 0; i < 200000; i++) {
    int level = 1 + i % 29;
    double share = floor(random_unit() * ldexp(1.0, level)) / ldexp(1.0, level);
    double t = 90.0 * random_unit();
    double m = share * 90.0 / (90.0 - t) * 90.0;
    if (!(m < 89.9) || t == 0.0) continue;
    int64_t near_edge = (int64_t)(m * 0x1p45) * 4, latitude = (int64_t)(t * 0x1p45) * 4;
    for (int64_t off = -8; off <= 8; off += 4) {
      if (near_edge + off < 0 || latitude == 0) continue;
      check_against_reference(1 + i % 8, latitude, near_edge + off, level);
      /* The mirror image: the edge that runs the other way. */
      check_against_reference(1 + i % 8, latitude, ((int64_t)90 << 47) - near_edge - 4 - off, level);
    }
  }
}

static void tiny_coordinates_are_not_lost(void **state) {
  (void)state;
  static const double tiny[] = {5e-324, 1e-310, 1e-200, 1e-60, 1e-17};
  for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++) {
    /* Just off the midpoints of edges, into the octant: the center, or the corner that is nearer. */
    assert_place(45.0, tiny[i], 1, "10");
    assert_place(tiny[i], 45.0, 1, "11");
    assert_place(tiny[i], nextafter(45.0, 0.0), 1, "12");
    assert_place(tiny[i], tiny[i], 3, "1222");
    assert_place(-tiny[i], -tiny[i], 3, "8222");
    /* South of the midpoint of the edge that the equator is. */
    assert_place(45.0, -tiny[i], 1, "50");
    /* At the lower end of every slanting edge: a minimal distance above the equator decides. */
    for (int j = 1; j < 256; j++) {
      assert_true(encode(90.0 * j / 256.0, tiny[i], 8) == encode(90.0 * j / 256.0, 1e-12, 8));
      assert_true(encode(tiny[i], 90.0 * j / 256.0, 8) == encode(1e-12, 90.0 * j / 256.0, 8));
    }
  }
}

/* ----------------------------------------------------------------------------------------------- the tree */

static void strings_numbers_and_ids_round_trip(void **state) {
  (void)state;
  random_state = 3;
  char text[GV_QTM_STRING_SIZE];
  gv_qtm_id id = 0;
  for (int level = 0; level <= 5; level++) {
    gv_qtm_id before = 0;
    for (int64_t number = 0; number < gv_qtm_count(level); number++) {
      assert_int_equal(gv_qtm_from_number(level, number, &id), GV_OK);
      assert_true(id > before);
      before = id;
      assert_int_equal(gv_qtm_number(id), number);
      assert_int_equal(gv_qtm_level(id), level);
    }
  }
  for (int i = 0; i < 20000; i++) {
    int level = i % 30;
    id = random_cell(level);
    assert_true(gv_qtm_is_valid(id));
    assert_int_equal(gv_qtm_to_string(id, text, (size_t)level + 2), GV_OK);
    assert_int_equal(strlen(text), level + 1);
    gv_qtm_id again = 0;
    assert_int_equal(gv_qtm_from_string(text, &again), GV_OK);
    assert_true(again == id);
    gv_qtm_cell cell;
    gv_qtm_cell_from_id(id, &cell);
    assert_true(gv_qtm_cell_to_id(&cell) == id);
    if (level == 29) continue;
    gv_qtm_id children[4], parent;
    assert_int_equal(gv_qtm_children(id, children), GV_OK);
    for (int child = 0; child < 4; child++) {
      assert_int_equal(gv_qtm_parent(children[child], &parent), GV_OK);
      assert_true(parent == id);
      assert_int_equal(gv_qtm_number(children[child]), 4 * gv_qtm_number(id) + child);
      char longer[GV_QTM_STRING_SIZE];
      assert_int_equal(gv_qtm_to_string(children[child], longer, sizeof longer), GV_OK);
      assert_memory_equal(longer, text, strlen(text));
      assert_int_equal(longer[strlen(text)], '0' + child);
    }
    /* Descendants are the ids around a cell. */
    assert_true(children[0] < children[1] && children[1] < id && id < children[2] &&
                children[2] < children[3]);
  }
}

static void places_of_all_levels_nest(void **state) {
  (void)state;
  random_state = 4;
  for (int i = 0; i < 2000; i++) {
    double lon = 720.0 * random_unit() - 360.0, lat = 180.0 * random_unit() - 90.0;
    gv_qtm_id deepest = encode(lon, lat, 29), ancestor;
    for (int level = 0; level <= 29; level++) {
      assert_int_equal(gv_qtm_ancestor(deepest, level, &ancestor), GV_OK);
      assert_true(ancestor == encode(lon, lat, level));
    }
  }
}

static void centers_lie_in_their_cells(void **state) {
  (void)state;
  random_state = 5;
  double lon, lat, v[3], corner_lon[3], corner_lat[3];
  for (int level = 0; level <= 29; level++) {
    for (int i = 0; i < 3000; i++) {
      gv_qtm_id id = random_cell(level);
      assert_int_equal(gv_qtm_center(id, &lon, &lat), GV_OK);
      assert_true(encode(lon, lat, level) == id);
      assert_int_equal(gv_qtm_center_vector(id, v), GV_OK);
      assert_true(fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1.0) < 1e-15);
      /* The corners' vectors, summed without the library's sines and cosines. */
      assert_int_equal(gv_qtm_corners(id, corner_lon, corner_lat, NULL), GV_OK);
      for (int axis = 0; axis < 3; axis++) {
        double sum = 0.0, length = 0.0;
        double total[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < 3; c++) {
          double theta = corner_lon[c] * pi / 180.0, phi = corner_lat[c] * pi / 180.0;
          total[0] += cos(phi) * cos(theta), total[1] += cos(phi) * sin(theta), total[2] += sin(phi);
        }
        for (int a = 0; a < 3; a++)
          length += total[a] * total[a];
        sum = total[axis] / sqrt(length);
        assert_true(fabs(sum - v[axis]) < 1e-14);
      }
    }
  }
}

/* ---------------------------------------------------------------------------------- corners and neighbors */

/* A corner's place on the sphere, whatever octant it is seen from. */
typedef struct place {
  double lon, lat;
  int basis;
} place;

static place canonical(double lon, double lat, int basis) {
  if (fabs(lat) == 90.0) lon = 0.0;
  return (place){lon == -180.0 ? 180.0 : lon, lat, basis};
}

static int count_shared(const place *a, const place *b) {
  int shared = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (a[i].lon == b[j].lon && a[i].lat == b[j].lat) {
        shared++;
        assert_int_equal(a[i].basis, b[j].basis);
      }
    }
  }
  return shared;
}

static void corners_of(gv_qtm_id id, place *out) {
  double lon[3], lat[3];
  int basis[3];
  assert_int_equal(gv_qtm_corners(id, lon, lat, basis), GV_OK);
  assert_true(basis[0] == 1 && basis[1] * basis[2] == 6);
  /* Counter-clockwise from outside: the determinant of the unit vectors is positive. */
  double v[3][3];
  for (int i = 0; i < 3; i++) {
    out[i] = canonical(lon[i], lat[i], basis[i]);
    double s, c, sp, cp;
    gv_sincos_degrees(1, &lon[i], &s, &c);
    gv_sincos_degrees(1, &lat[i], &sp, &cp);
    v[i][0] = cp * c, v[i][1] = cp * s, v[i][2] = sp;
  }
  double determinant = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                       v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                       v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
  assert_true(determinant > 0.0);
  /* Never across the map. */
  for (int i = 0; i < 3; i++)
    assert_true(fabs(lon[i] - lon[(i + 1) % 3]) <= 90.0);
}

static void neighbors_share_edges(void **state) {
  (void)state;
  for (int level = 0; level <= 6; level++) {
    for (int64_t number = 0; number < gv_qtm_count(level); number++) {
      gv_qtm_id id = 0, near[3], back[3];
      place mine[3], theirs[3];
      assert_int_equal(gv_qtm_from_number(level, number, &id), GV_OK);
      corners_of(id, mine);
      assert_int_equal(gv_qtm_neighbors(id, near), GV_OK);
      assert_true(near[0] != near[1] && near[1] != near[2] && near[2] != near[0]);
      for (int i = 0; i < 3; i++) {
        assert_true(near[i] != id);
        assert_int_equal(gv_qtm_level(near[i]), level);
        corners_of(near[i], theirs);
        assert_int_equal(count_shared(mine, theirs), 2);
        place opposite[3] = {mine[i], mine[i], mine[i]};
        assert_int_equal(count_shared(opposite, theirs), 0);
        assert_int_equal(gv_qtm_neighbors(near[i], back), GV_OK);
        assert_int_equal((back[0] == id) + (back[1] == id) + (back[2] == id), 1);
      }
    }
  }
}

/* From any cell every other is reached: no part of the mesh is closed in itself. */
static void neighbors_reach_the_whole_mesh(void **state) {
  (void)state;
  const int level = 5;
  int64_t count = gv_qtm_count(level), found = 1;
  int64_t *queue = malloc((size_t)count * sizeof *queue);
  char *seen = calloc((size_t)count, 1);
  assert_non_null(queue);
  assert_non_null(seen);
  queue[0] = 0;
  seen[0] = 1;
  for (int64_t next = 0; next < found; next++) {
    gv_qtm_id id = 0, near[3];
    assert_int_equal(gv_qtm_from_number(level, queue[next], &id), GV_OK);
    assert_int_equal(gv_qtm_neighbors(id, near), GV_OK);
    for (int i = 0; i < 3; i++) {
      int64_t number = gv_qtm_number(near[i]);
      if (!seen[number]) {
        seen[number] = 1;
        queue[found++] = number;
      }
    }
  }
  assert_int_equal(found, count);
  free(queue);
  free(seen);
}

static void deep_neighbors_are_symmetric(void **state) {
  (void)state;
  random_state = 6;
  for (int i = 0; i < 5000; i++) {
    gv_qtm_id id = random_cell(15 + i % 15), near[3], back[3];
    assert_int_equal(gv_qtm_neighbors(id, near), GV_OK);
    for (int n = 0; n < 3; n++) {
      assert_int_equal(gv_qtm_neighbors(near[n], back), GV_OK);
      assert_int_equal((back[0] == id) + (back[1] == id) + (back[2] == id), 1);
    }
  }
}

/* Of all cells of a level exactly one holds a place strictly between its edges, and it is the one located.
 * Tested in the ZOT plane, where edges are straight. */
static void brute_force_containment(void **state) {
  (void)state;
  random_state = 7;
  const int level = 3;
  for (int i = 0; i < 2000; i++) {
    double lon = 360.0 * random_unit() - 180.0, lat = 180.0 * random_unit() - 90.0;
    gv_qtm_id located = encode(lon, lat, level), holder = 0;
    int holders = 0;
    for (int64_t number = 0; number < gv_qtm_count(level); number++) {
      gv_qtm_id id = 0;
      double corner_lon[3], corner_lat[3], x[3], y[3];
      assert_int_equal(gv_qtm_from_number(level, number, &id), GV_OK);
      assert_int_equal(gv_qtm_corners(id, corner_lon, corner_lat, NULL), GV_OK);
      int octant = gv_qtm_octant(id);
      if ((octant <= 4) != (lat >= 0.0)) continue;
      double west = octant % 4 == 1 ? 0.0 : octant % 4 == 2 ? 90.0 : octant % 4 == 3 ? -180.0 : -90.0;
      if (lon < west || lon >= west + 90.0) continue;
      for (int c = 0; c < 3; c++) {
        double colatitude = 1.0 - fabs(corner_lat[c]) / 90.0, across = (corner_lon[c] - west) / 90.0;
        x[c] = colatitude * (1.0 - across);
        y[c] = colatitude * across;
      }
      double colatitude = 1.0 - fabs(lat) / 90.0, across = (lon - west) / 90.0;
      double px = colatitude * (1.0 - across), py = colatitude * across;
      int left = 0, right = 0;
      for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3;
        double side = (x[d] - x[c]) * (py - y[c]) - (y[d] - y[c]) * (px - x[c]);
        left += side > 1e-12;
        right += side < -1e-12;
      }
      if (left == 3 || right == 3) {
        holders++;
        holder = id;
      }
    }
    assert_int_equal(holders, 1);
    assert_true(holder == located);
  }
}

static void areas_add_up(void **state) {
  (void)state;
  for (int level = 0; level <= 7; level++) {
    double sum = 0.0, least = INFINITY, most = 0.0;
    for (int64_t number = 0; number < gv_qtm_count(level); number++) {
      gv_qtm_id id = 0;
      assert_int_equal(gv_qtm_from_number(level, number, &id), GV_OK);
      double area = gv_qtm_area(id);
      sum += area;
      if (area < least) least = area;
      if (area > most) most = area;
    }
    assert_true(fabs(sum / (4.0 * pi) - 1.0) < 1e-12);
    assert_true(most / least < pi / 2.0);
  }
  random_state = 8;
  for (int i = 0; i < 3000; i++) {
    gv_qtm_id id = random_cell(i % 20), children[4];
    assert_int_equal(gv_qtm_children(id, children), GV_OK);
    double sum = 0.0;
    for (int child = 0; child < 4; child++)
      sum += gv_qtm_area(children[child]);
    assert_true(fabs(sum / gv_qtm_area(id) - 1.0) < 2e-13);
  }
}

/* ------------------------------------------------------------------------------------------------- errors */

static void nonsense_is_refused(void **state) {
  (void)state;
  const gv_qtm_id untouched = 4711;
  gv_qtm_id id = untouched, many[4] = {untouched, untouched, untouched, untouched};
  assert_int_equal(gv_qtm_from_lonlat(-1, 0.0, 0.0, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_lonlat(30, 0.0, 0.0, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_lonlat(3, NAN, 0.0, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_lonlat(3, INFINITY, 0.0, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_lonlat(3, 0.0, NAN, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_lonlat(3, 0.0, nextafter(90.0, 91.0), &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_lonlat(3, 0.0, -INFINITY, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_lonlat(3, 0.0, 0.0, NULL), GV_ERROR_INVALID_ARGUMENT);

  static const char *const strings[] = {"",
                                        "0",
                                        "9",
                                        "a",
                                        "14",
                                        "1 ",
                                        " 1",
                                        "1/",
                                        "1:",
                                        "12x",
                                        "-1",
                                        "1\n",
                                        "1000000000000000000000000000000",
                                        "\xef\xbc\x91"};
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
    assert_int_equal(gv_qtm_from_string(strings[i], &id), GV_ERROR_INVALID_ARGUMENT);
  }
  assert_int_equal(gv_qtm_from_string(NULL, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_number(3, -1, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_number(3, 512, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_from_number(30, 0, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_count(-1), 0);
  assert_int_equal(gv_qtm_count(30), 0);

  gv_qtm_id octant = encode(10.0, 10.0, 0), deepest = encode(10.0, 10.0, 29);
  assert_int_equal(gv_qtm_parent(octant, &id), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_children(deepest, many), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_qtm_ancestor(octant, 1, &id), GV_ERROR_INVALID_ARGUMENT);
  char text[GV_QTM_STRING_SIZE] = "x";
  assert_int_equal(gv_qtm_to_string(deepest, text, GV_QTM_STRING_SIZE - 1), GV_ERROR_INVALID_ARGUMENT);
  assert_string_equal(text, "x");

  static const gv_qtm_id bad[] = {0,
                                  -1,
                                  1,
                                  2,
                                  INT64_MAX,
                                  INT64_MIN,
                                  INT64_C(1) << 58,                    /* no octant */
                                  INT64_C(9) << 59 | INT64_C(1) << 58, /* octant 9 */
                                  INT64_C(1) << 59,                    /* no end bit */
                                  INT64_C(1) << 59 | INT64_C(1) << 57, /* end bit in the middle of a digit */
                                  INT64_C(1) << 59 | INT64_C(1) << 58 | 2};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double place_lon = 7.0, place_lat = 7.0, vector[3];
    assert_false(gv_qtm_is_valid(bad[i]));
    assert_int_equal(gv_qtm_level(bad[i]), -1);
    assert_int_equal(gv_qtm_octant(bad[i]), -1);
    assert_int_equal(gv_qtm_number(bad[i]), -1);
    assert_int_equal(gv_qtm_to_string(bad[i], text, sizeof text), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_qtm_parent(bad[i], &id), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_qtm_children(bad[i], many), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_qtm_neighbors(bad[i], many), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_qtm_corners(bad[i], NULL, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_qtm_center(bad[i], &place_lon, &place_lat), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gv_qtm_center_vector(bad[i], vector), GV_ERROR_INVALID_ARGUMENT);
    assert_true(isnan(gv_qtm_area(bad[i])));
    assert_true(place_lon == 7.0 && place_lat == 7.0);
  }
  assert_true(id == untouched && many[0] == untouched && many[3] == untouched);

  /* Whatever the bits: an id is valid exactly if it is its string's. */
  random_state = 9;
  for (int i = 0; i < 100000; i++) {
    gv_qtm_id any = (gv_qtm_id)(random_bits() << (random_bits() % 64)), again = 0;
    if (gv_qtm_is_valid(any)) {
      assert_int_equal(gv_qtm_to_string(any, text, sizeof text), GV_OK);
      assert_int_equal(gv_qtm_from_string(text, &again), GV_OK);
      assert_true(again == any);
    } else {
      assert_int_equal(gv_qtm_to_string(any, text, sizeof text), GV_ERROR_INVALID_ARGUMENT);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_places),
      cmocka_unit_test(golden_edges),
      cmocka_unit_test(octant_corners),
      cmocka_unit_test(lattice_places_match_exact_arithmetic),
      cmocka_unit_test(random_places_match_exact_arithmetic),
      cmocka_unit_test(places_beside_edges_match_exact_arithmetic),
      cmocka_unit_test(tiny_coordinates_are_not_lost),
      cmocka_unit_test(strings_numbers_and_ids_round_trip),
      cmocka_unit_test(places_of_all_levels_nest),
      cmocka_unit_test(centers_lie_in_their_cells),
      cmocka_unit_test(neighbors_share_edges),
      cmocka_unit_test(neighbors_reach_the_whole_mesh),
      cmocka_unit_test(deep_neighbors_are_symmetric),
      cmocka_unit_test(brute_force_containment),
      cmocka_unit_test(areas_add_up),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests_name("qtm", tests, NULL, NULL);
}
