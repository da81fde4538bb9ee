/* The kernels of lists: closest points on chords and gains, for every instruction set of this processor. */
#include "features/shortlist.h"

#include <stdlib.h>
#include <string.h>

#include "features/brute.h"
#include "features/cases.h"

enum { EDGES = 37, PADDED = 40 };

static const char *const levels[] = {"baseline", "avx2", "avx512"};
static double a[3][PADDED], d[3][PADDED], inverse[PADDED], sag[PADDED], part[PADDED], chord[PADDED],
    gain[PADDED];

static gv_shortlist any_list(void) {
  gv_shortlist list = {.inverse = inverse,
                       .sag = sag,
                       .part = part,
                       .chord = chord,
                       .gain = gain,
                       .count = EDGES,
                       .capacity = PADDED};
  memset(d, 0, sizeof d);
  for (int axis = 0; axis < 3; axis++) {
    list.a[axis] = a[axis];
    list.d[axis] = d[axis];
  }
  for (int i = 0; i < EDGES; i++) {
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
      a[axis][i] = layer_uniform(-1, 1);
      d[axis][i] = i % 5 == 0 ? 0.0 : layer_uniform(-1, 1);
      square += d[axis][i] * d[axis][i];
    }
    inverse[i] = i % 5 == 0 ? 0.0 : 1.0 / square;
    sag[i] = layer_uniform(0, 0.1);
  }
  return list;
}

static void kernels_are_formulas(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 600; trial++) {
    gv_shortlist list = any_list();
    const double q[3] = {layer_uniform(-2, 2), layer_uniform(-2, 2), layer_uniform(-2, 2)};
    const gv_chord_test test = {.place = {layer_uniform(-1, 1), layer_uniform(-1, 1), layer_uniform(-1, 1)},
                                .twice_radius = layer_uniform(0, 1),
                                .twice_root = layer_uniform(0, 2)};
    assert_int_equal(setenv("GPUVORONOI_SIMD", levels[trial % 3], 1), 0);
    const gv_chord_kernels *kernels = gv_chord_kernels_get();
    kernels->chords(&list, q);
    kernels->judge(&list, &test);
    for (int i = 0; i < EDGES; i++) {
      long double along = 0.0L, size2 = 0.0L, square = 0.0L, apart = 0.0L;
      for (int axis = 0; axis < 3; axis++) {
        along += ((long double)q[axis] - a[axis][i]) * d[axis][i];
        size2 += (long double)d[axis][i] * d[axis][i];
      }
      long double u = size2 > 0.0L ? fminl(1.0L, fmaxl(0.0L, along / size2)) : 0.0L;
      for (int axis = 0; axis < 3; axis++) {
        long double closest = a[axis][i] + u * d[axis][i];
        square += (closest - q[axis]) * (closest - q[axis]);
        apart += (closest - test.place[axis]) * (closest - test.place[axis]);
      }
      long double expected =
          square - test.twice_radius * sqrtl(apart) - test.twice_root * sag[i] - (long double)sag[i] * sag[i];
      assert_true(fabsl(part[i] - u) < 1e-12L && fabsl(chord[i] - sqrtl(square)) < 1e-13L);
      if (!(fabsl(gain[i] - expected) < 1e-12L))
        fail_msg("%s: %.17g, not %.17Lg", levels[trial % 3], gain[i], expected);
    }
  }
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_are_formulas),
};
FEATURE_TESTS_MAIN(tests)
