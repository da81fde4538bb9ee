/* Distances from a position to the chords of a list, in vectors. */
#include "core/simd/vectors.h"
#include "features/shortlist.h"

static void chords(const gv_shortlist *l, const double q[3]) {
  vd zero = vd_all(0.0), one = vd_all(1.0), qx = vd_all(q[0]), qy = vd_all(q[1]), qz = vd_all(q[2]);
  for (int32_t i = 0; i < l->count; i += VD_LANES) {
    vd dx = vd_load(l->d[0] + i), dy = vd_load(l->d[1] + i), dz = vd_load(l->d[2] + i);
    vd wx = qx - vd_load(l->a[0] + i), wy = qy - vd_load(l->a[1] + i), wz = qz - vd_load(l->a[2] + i);
    vd part = (wx * dx + wy * dy + wz * dz) * vd_load(l->inverse + i);
    part = vd_min(vd_max(part, zero), one);
    wx = wx - part * dx;
    wy = wy - part * dy;
    wz = wz - part * dz;
    vd_store(l->part + i, part);
    vd_store(l->chord + i, vd_sqrt(wx * wx + wy * wy + wz * wz));
  }
}

static void chord_kernels_test(const gv_shortlist *l, const gv_chord_test *test) {
  vd px = vd_all(test->place[0]), py = vd_all(test->place[1]), pz = vd_all(test->place[2]);
  for (int32_t i = 0; i < l->count; i += VD_LANES) {
    vd part = vd_load(l->part + i), chord = vd_load(l->chord + i), sag = vd_load(l->sag + i);
    vd x = vd_load(l->a[0] + i) + part * vd_load(l->d[0] + i) - px;
    vd y = vd_load(l->a[1] + i) + part * vd_load(l->d[1] + i) - py;
    vd z = vd_load(l->a[2] + i) + part * vd_load(l->d[2] + i) - pz;
    vd gain = chord * chord * (1.0 - 1e-14) - test->twice_radius * vd_sqrt(x * x + y * y + z * z);
    vd_store(l->gain + i, gain - sag * (test->twice_root + sag));
  }
}

const gv_chord_kernels GV_VARIANT(gv_chord_kernels) = {chords, chord_kernels_test};
