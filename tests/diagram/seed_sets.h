/* Sets of seeds at which diagrams are special. */
#ifndef GV_TESTS_SEED_SETS_H
#define GV_TESTS_SEED_SETS_H

#include <math.h>
#include <stdlib.h>

#include "split_mix.h"

enum { SEED_SETS_MAX = 2000 };

typedef struct seed_set {
  const char *name;
  int count;
  double x[SEED_SETS_MAX], y[SEED_SETS_MAX]; /* degrees */
} seed_set;

static uint64_t seed_state = 7;

static inline double seed_uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&seed_state) >> 11) * 0x1p-53;
}

static inline void seed_add(seed_set *s, double x, double y) {
  s->x[s->count] = x;
  s->y[s->count++] = y;
}

static inline void seed_add_any(seed_set *s, int count) {
  for (int i = 0; i < count; i++)
    seed_add(s, seed_uniform(-180.0, 180.0), asin(seed_uniform(-1.0, 1.0)) * 57.29577951308232);
}

static inline void seed_add_cluster(seed_set *s, int count, double x, double y, double size) {
  for (int i = 0; i < count; i++)
    seed_add(s, x + seed_uniform(-size, size), y + seed_uniform(-size, size));
}

static inline void seed_add_lattice(seed_set *s, double first, double last, double first_row, double last_row,
                                    double step) {
  for (double y = first_row; y <= last_row; y += step)
    for (double x = first; x <= last; x += step)
      seed_add(s, x, y);
}

/* Along the great circle that crosses the equator at an angle. */
static inline void seed_add_circle(seed_set *s, int count, double angle) {
  for (int i = 0; i < count; i++) {
    double along = 6.283185307179586 * i / count;
    seed_add(s, atan2(sin(along) * cos(angle), cos(along)) * 57.29577951308232,
             asin(sin(along) * sin(angle)) * 57.29577951308232);
  }
}

/* Directions of a cube's corners and faces, turned: many are on one circle of the sphere, none on the
 * ellipsoid. */
static inline void seed_add_cube(seed_set *s, double turn) {
  for (int x = -2; x <= 2; x++)
    for (int y = -2; y <= 2; y++)
      for (int z = -2; z <= 2; z++) {
        if (abs(x) != 2 && abs(y) != 2 && abs(z) != 2) continue;
        double u = x * cos(turn) - y * sin(turn), v = x * sin(turn) + y * cos(turn);
        double w = u * cos(2.0 * turn) - z * sin(2.0 * turn), h = u * sin(2.0 * turn) + z * cos(2.0 * turn);
        seed_add(s, atan2(v, w) * 57.29577951308232, atan2(h, hypot(v, w)) * 57.29577951308232);
      }
}

/* Two to six seeds, as many seeds on a circle, on a lattice. */
static inline void seed_set_few(seed_set *s, int number) {
  static const struct {
    const char *name;
    int count;
    double place[6][2];
  } few[] = {{"one", 1, {{12, 47}}},
             {"two", 2, {{12, 47}, {-100, 30}}},
             {"antipodes", 2, {{20, 30}, {-160, -30}}},
             {"antimeridian", 3, {{170, 0}, {-170, 0}, {0, 10}}},
             {"axes", 6, {{0, 0}, {180, 0}, {90, 0}, {-90, 0}, {5, 90}, {7, -90}}}};
  s->name = few[number].name;
  for (int i = 0; i < few[number].count; i++)
    seed_add(s, few[number].place[i][0], few[number].place[i][1]);
}

static inline void seed_set_lattice(seed_set *s, int number) {
  static const struct {
    const char *name;
    double first, last, first_row, last_row, step;
  } lattice[] = {{"lattice", -175, 175, -85, 85, 10},
                 {"lattice with poles", -180, 180, -90, 90, 15},
                 {"equator", -180, 175, 0, 0, 5},
                 {"parallel", -180, 175, 45, 45, 5},
                 {"meridian", 30, 30, -80, 80, 10}};
  s->name = lattice[number].name;
  seed_add_lattice(s, lattice[number].first, lattice[number].last, lattice[number].first_row,
                   lattice[number].last_row, lattice[number].step);
  if (number < 4) return;
  seed_add_lattice(s, -150, -150, -80, 80, 10);
}

static inline void seed_set_random(seed_set *s, int number) {
  static const char *const names[] = {"any",   "three",       "four",   "hemisphere",   "twice", "clusters",
                                      "poles", "one cluster", "meters", "great circle", "cube"};
  static const int any[] = {1000, 3, 4, 0, 200, 20, 0, 0, 5, 0, 0};
  s->name = names[number];
  seed_add_any(s, any[number]);
  if (number == 3) seed_add_cluster(s, 300, 10, 10, 50);
  for (int i = 0; number == 4 && i < 100; i++)
    seed_add(s, s->x[i], s->y[i]);
  for (int i = 0; number == 5 && i < 10; i++)
    seed_add_cluster(s, 50, s->x[i], fmin(fmax(s->y[i], -89), 89), 0.01);
  if (number == 6) {
    seed_add(s, 0, 90), seed_add(s, 0, -90);
    seed_add_cluster(s, 100, 0, 89.5, 0.4);
  }
  if (number == 7) seed_add_cluster(s, 300, 10, 50, 0.1);
  if (number == 8) seed_add_cluster(s, 200, 10, 50, 1e-4);
  if (number == 9) seed_add_circle(s, 60, 0.6);
  if (number == 10) seed_add_cube(s, 0.3);
}

/* Regularly around a place. */
static inline void seed_add_ring(seed_set *s, int count, double x, double y, double size) {
  for (int i = 0; i < count; i++) {
    double along = 6.283185307179586 * i / count;
    seed_add(s, x + size * cos(along) / cos(y * 0.017453292519943295), y + size * sin(along));
  }
}

/* All seeds close together: borders around their antipodes. */
static inline void seed_set_close(seed_set *s, int number) {
  static const char *const names[] = {"two close",           "three close",    "ring",
                                      "ring on the equator", "around a pole",  "cluster of meters",
                                      "row and one beside",  "square lattice", "wide cluster"};
  s->name = names[number];
  if (number == 0) seed_add(s, 12, 47), seed_add(s, 12.1, 47.05);
  if (number == 1) seed_add(s, -170, -20), seed_add(s, -169.9, -20), seed_add(s, -170, -19.9);
  if (number == 2) seed_add_ring(s, 12, 20, 45, 0.1);
  if (number == 3) seed_add_ring(s, 6, 20, 0, 0.1);
  if (number == 4) seed_add_lattice(s, -180, 150, 89.9, 89.9, 30);
  if (number == 5) seed_add_cluster(s, 100, 10, 10, 1e-4);
  if (number == 6) seed_add_lattice(s, 7, 7, 10, 10.0801, 0.01), seed_add(s, 7.05, 10.033);
  if (number == 7) seed_add_lattice(s, -0.02, 0.0201, -3.02, -2.9799, 0.01);
  if (number == 8) seed_add_cluster(s, 300, 10, 80, 0.5);
}

/* Set number `number` in *s; 0 beyond the last. */
static inline int seed_set_get(int number, seed_set *s) {
  s->count = 0;
  if (number < 11) {
    seed_set_random(s, number);
  } else if (number < 16) {
    seed_set_few(s, number - 11);
  } else if (number < 21) {
    seed_set_lattice(s, number - 16);
  } else if (number < 30) {
    seed_set_close(s, number - 21);
  }
  return number < 30;
}

#endif
