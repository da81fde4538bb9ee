/*
 * Body of the kernels of geodesics (series.h has the argument). Include it once after a header of core/simd/ and with
 * GV_SERIES_KERNELS defined as the name of the table to make.
 */
#include "geodesic/direction_lanes.h"
#include "geodesic/series.h"

#include <math.h>

/* The angle 0 ... pi of a unit vector with these components, sine >= 0. */
GV_INLINE vd angle_of(vd sine, vd cosine) {
  vd size = vd_abs(cosine), zero = vd_set1(0.0);
  vd small = vd_min(sine, size), large = vd_max(sine, size);
  vd half = arctangent(vd_divide(small, vd_add(vd_set1(1.0), large)));
  vd angle = vd_add(half, half);
  angle = vd_select(vd_less(size, sine), vd_sub(vd_set1(1.57079632679489661923), angle), angle);
  return vd_select(vd_less(cosine, zero), vd_sub(vd_set1(3.14159265358979323846), angle), angle);
}

/* A pair on the auxiliary sphere. */
typedef struct arc {
  vd sine, cosine, inverse; /* of the arc sigma; 1 / sine */
  vd sin_alpha0, cos2_alpha0;
  vd twice; /* cos^2 alpha0 cos 2 sigma_m, sigma_m the arc from the node to the middle */
  vd turn;  /* d sin alpha0 / d omega */
} arc;

GV_INLINE arc arc_between(vd x, vd y, vd z, vd sx, vd sy, vd sz) {
  arc a;
  vd cx = vd_sub(vd_mul(y, sz), vd_mul(z, sy)), cy = vd_sub(vd_mul(z, sx), vd_mul(x, sz));
  vd cz = vd_sub(vd_mul(x, sy), vd_mul(y, sx));
  vd along = vd_add(vd_mul(x, sx), vd_mul(y, sy)), heights = vd_mul(z, sz);
  vd level2 = vd_add(vd_mul(cx, cx), vd_mul(cy, cy));
  a.sine = vd_sqrt(vd_add(level2, vd_mul(cz, cz)));
  a.cosine = vd_add(along, heights);
  a.inverse = vd_divide(vd_set1(1.0), vd_max(a.sine, vd_set1(1e-100)));
  a.sin_alpha0 = vd_mul(cz, a.inverse);
  a.cos2_alpha0 = vd_mul(vd_mul(level2, a.inverse), a.inverse);
  a.twice = vd_sub(vd_mul(a.cos2_alpha0, a.cosine), vd_add(heights, heights));
  a.turn = vd_mul(vd_sub(along, vd_mul(vd_mul(a.sin_alpha0, a.sin_alpha0), a.cosine)), a.inverse);
  return a;
}

typedef struct solution {
  vd length;       /* metres */
  vd step;         /* size of the last term of the Taylor series, metres */
  vd sine, cosine; /* of the arc */
  vd x, y;         /* the seed's place, turned so that the great circle to it is the geodesic */
  vd correction;   /* what a Newton step adds to omega */
} solution;

/* A pair, its arc for omega = lambda, and that arc's length. */
typedef struct arc_pair {
  vd x, y, z, sx, sy, sz;
  arc first;
  vd sigma;
} arc_pair;

/* Sine and cosine of |d| < 0.065; 1e-16 is left after these terms. */
GV_INLINE void small_sincos(vd d, vd *sine, vd *cosine) {
  static const double s[4] = {1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0};
  static const double c[4] = {-1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0};
  vd d2 = vd_mul(d, d);
  *sine = vd_mul(d, polynomial(d2, s, 4));
  *cosine = vd_add(vd_set1(1.0), vd_mul(d2, polynomial(d2, c, 4)));
}

/* d F / d omega, as on the sphere. */
GV_INLINE vd newton_factor(const gv_series *g, const arc *a, vd sigma) {
  vd rate = vd_mul(vd_set1(g->f), vd_add(vd_mul(a->turn, sigma), vd_mul(a->sin_alpha0, a->sin_alpha0)));
  return vd_divide(vd_set1(1.0), vd_sub(vd_set1(1.0), rate));
}

/* The geodesic with omega = lambda + delta, and the length that belongs to lambda. */
GV_INLINE solution evaluate(const gv_series *g, const arc_pair *p, vd delta) {
  vd one = vd_set1(1.0), s, c;
  solution out;
  small_sincos(delta, &s, &c);
  vd x = vd_sub(vd_mul(p->sx, c), vd_mul(p->sy, s)), y = vd_add(vd_mul(p->sy, c), vd_mul(p->sx, s));
  arc t = arc_between(p->x, p->y, p->z, x, y, p->sz);
  out.sine = t.sine;
  out.cosine = t.cosine;

  /* The new arc from the first one: asin of a small sine. */
  static const double small_asin[5] = {1.0, 1.0 / 6.0, 3.0 / 40.0, 15.0 / 336.0, 105.0 / 3456.0};
  vd change = vd_sub(vd_mul(t.sine, p->first.cosine), vd_mul(t.cosine, p->first.sine));
  vd sigma = vd_add(p->sigma, vd_mul(change, polynomial(vd_mul(change, change), small_asin, 5)));

  /* epsilon = cos^2 alpha0 x ratio; u[l] = epsilon^l cos 2 l sigma_m, v = sin l sigma. */
  vd k2 = vd_mul(vd_set1(g->ep2), t.cos2_alpha0);
  vd root = vd_add(one, vd_sqrt(vd_add(one, k2)));
  vd ratio = vd_divide(vd_set1(g->ep2), vd_add(vd_add(root, root), k2));
  vd epsilon = vd_mul(t.cos2_alpha0, ratio), epsilon2 = vd_mul(epsilon, epsilon);
  vd u1 = vd_mul(ratio, t.twice), twice_u = vd_add(u1, u1), twice_cosine = vd_add(t.cosine, t.cosine);
  vd u2 = vd_sub(vd_mul(twice_u, u1), epsilon2), v2 = vd_mul(twice_cosine, t.sine);
  vd u3 = vd_sub(vd_mul(twice_u, u2), vd_mul(epsilon2, u1)), v3 = vd_sub(vd_mul(twice_cosine, v2), t.sine);
  vd u4 = vd_sub(vd_mul(twice_u, u3), vd_mul(epsilon2, u2)), v4 = vd_sub(vd_mul(twice_cosine, v3), v2);
  vd u5 = vd_sub(vd_mul(twice_u, u4), vd_mul(epsilon2, u3)), v5 = vd_sub(vd_mul(twice_cosine, v4), v3);
  vd u6 = vd_sub(vd_mul(twice_u, u5), vd_mul(epsilon2, u4)), v6 = vd_sub(vd_mul(twice_cosine, v5), v4);
  vd w1 = vd_mul(twice_u, t.sine), w2 = vd_mul(vd_add(u2, u2), v2), w3 = vd_mul(vd_add(u3, u3), v3);
  vd w4 = vd_mul(vd_add(u4, u4), v4), w5 = vd_mul(vd_add(u5, u5), v5), w6 = vd_mul(vd_add(u6, u6), v6);

  static const double a1[4] = {1.0, 1.0 / 4.0, 1.0 / 64.0, 1.0 / 256.0};
  static const double c11[3] = {-1.0 / 2.0, 3.0 / 16.0, -1.0 / 32.0};
  static const double c12[3] = {-1.0 / 16.0, 1.0 / 32.0, -9.0 / 2048.0};
  static const double c13[2] = {-1.0 / 48.0, 3.0 / 256.0}, c14[2] = {-5.0 / 512.0, 3.0 / 512.0};
  vd i1 = vd_mul(vd_set1(-7.0 / 2048.0), w6);
  i1 = vd_add(vd_mul(vd_set1(-7.0 / 1280.0), w5), i1);
  i1 = vd_add(vd_mul(polynomial(epsilon2, c14, 2), w4), i1);
  i1 = vd_add(vd_mul(polynomial(epsilon2, c13, 2), w3), i1);
  i1 = vd_add(vd_mul(polynomial(epsilon2, c12, 3), w2), i1);
  i1 = vd_add(vd_mul(polynomial(epsilon2, c11, 3), w1), i1);
  i1 = vd_add(sigma, i1);
  vd scale = vd_divide(vd_mul(vd_set1(g->b), polynomial(epsilon2, a1, 4)), vd_sub(one, epsilon));
  vd length = vd_mul(scale, i1);

  vd i3 = vd_mul(vd_set1(g->c3[4][0]), w5);
  i3 = vd_add(vd_mul(polynomial(epsilon, g->c3[3], 2), w4), i3);
  i3 = vd_add(vd_mul(polynomial(epsilon, g->c3[2], 3), w3), i3);
  i3 = vd_add(vd_mul(polynomial(epsilon, g->c3[1], 4), w2), i3);
  i3 = vd_add(vd_mul(polynomial(epsilon, g->c3[0], 5), w1), i3);
  i3 = vd_mul(polynomial(epsilon, g->a3, 6), vd_add(sigma, i3));
  vd rest = vd_sub(delta, vd_mul(vd_mul(vd_set1(g->f), t.sin_alpha0), i3));

  /* length(lambda) = length(lambda + rest) - rest length' + rest^2 length'' / 2. */
  vd factor = newton_factor(g, &t, sigma);
  vd first = vd_mul(rest, t.sin_alpha0);
  vd second = vd_mul(vd_mul(rest, rest), vd_mul(vd_mul(vd_set1(0.5), t.turn), factor));
  out.length = vd_add(length, vd_mul(vd_set1(g->a), vd_sub(second, first)));
  out.step = vd_mul(vd_set1(g->a), vd_abs(second));
  out.correction = vd_sub(vd_set1(0.0), vd_mul(rest, factor));
  out.x = vd_sub(x, vd_mul(y, out.correction));
  out.y = vd_add(y, vd_mul(x, out.correction));
  return out;
}

/* Long, and called from three places: not inlined. */
static __attribute__((noinline)) void solve(const gv_series *g, const vd place[3], const vd seed[3],
                                            solution *result) {
  vd one = vd_set1(1.0), stretch = vd_set1(g->stretch);
  arc_pair p = {.x = place[0], .y = place[1], .z = vd_mul(place[2], stretch)};
  p.sx = seed[0];
  p.sy = seed[1];
  p.sz = vd_mul(seed[2], stretch);
  p.first = arc_between(p.x, p.y, p.z, p.sx, p.sy, p.sz);
  p.sigma = angle_of(p.first.sine, p.first.cosine);

  /* The Newton step from omega = lambda, with I3 to the second order. */
  vd level = p.first.cos2_alpha0;
  vd quarter = vd_mul(vd_set1(0.25 * g->ep2), vd_sub(one, vd_mul(vd_set1(0.5 * g->ep2), level)));
  vd wave = vd_mul(vd_mul(vd_set1(2.0 * g->c3[0][0]), vd_mul(quarter, p.first.twice)), p.first.sine);
  vd slope = polynomial(vd_mul(level, quarter), g->a3, 3);
  vd excess = vd_mul(vd_mul(vd_set1(g->f), p.first.sin_alpha0), vd_mul(slope, vd_add(p.sigma, wave)));
  vd delta = vd_mul(excess, newton_factor(g, &p.first, p.sigma));

  /* Near the antipodes: another step, for the lanes that need it only, so that no lane depends on its neighbours. */
  vd enough = vd_set1(g->largest_step), limit = vd_set1(g->least_cosine), largest = vd_set1(0.065),
     zero = vd_set1(0.0);
  solution out = {.step = vd_set1(INFINITY), .cosine = one};
  for (int step = 0; step < 4; step++) {
    vm take = vd_less(enough, vd_select(vd_less(limit, out.cosine), out.step, zero));
    if (vm_bits(take) == 0) break;
    solution next = evaluate(g, &p, delta);
    out.length = vd_select(take, next.length, out.length);
    out.cosine = vd_select(take, next.cosine, out.cosine);
    out.sine = vd_select(take, next.sine, out.sine);
    out.x = vd_select(take, next.x, out.x);
    out.y = vd_select(take, next.y, out.y);
    out.step = vd_select(take, next.step, out.step);
    delta = vd_max(vd_min(vd_add(delta, next.correction), largest), vd_sub(zero, largest));
  }
  *result = out;
}

/* Bits of the lanes that the series does not answer. */
GV_INLINE unsigned open_lanes(const gv_series *g, const solution *s) {
  unsigned small = vm_bits(vd_less(s->step, vd_set1(g->largest_step)));
  unsigned near = vm_bits(vd_less(vd_set1(g->least_cosine), s->cosine));
  return ~(small & near) & ((1U << VD_LANES) - 1U);
}

GV_INLINE int32_t list_open(unsigned lanes, int64_t i, int64_t n, int32_t *open, int32_t count) {
  for (int lane = 0; lanes != 0 && lane < VD_LANES; lane++) {
    if ((lanes >> lane & 1U) && i + lane < n) open[count++] = (int32_t)(i + lane);
  }
  return count;
}

static int32_t geodesic(const gv_pairs *pairs, const gv_series *series, double *distance, int32_t *open) {
  int32_t count = 0;
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd place[3] = {vd_load(pairs->x + i), vd_load(pairs->y + i), vd_load(pairs->z + i)};
    vd seed[3] = {vd_load(pairs->seed_x + i), vd_load(pairs->seed_y + i), vd_load(pairs->seed_z + i)};
    solution s;
    solve(series, place, seed, &s);
    vd_store(distance + i, s.length);
    count = list_open(open_lanes(series, &s), i, pairs->n, open, count);
  }
  return count;
}

static void geodesics_from(const double cell[3], const gv_series *series, int64_t n, const double *x,
                           const double *y, const double *z, double *distance) {
  vd place[3] = {vd_set1(cell[0]), vd_set1(cell[1]), vd_set1(cell[2])};
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd seed[3] = {vd_load(x + i), vd_load(y + i), vd_load(z + i)};
    solution s;
    solve(series, place, seed, &s);
    vm small = vd_less(s.step, vd_set1(series->largest_step));
    vm near = vd_less(vd_set1(series->least_cosine), s.cosine);
    vd none = vd_set1(-1.0);
    vd_store(distance + i, vd_select(small, vd_select(near, s.length, none), none));
  }
}

/* A place a metre away is known to 1e-9 of the angle; below that PROJ is asked. */
static int32_t geodesic_azimuth(const gv_pairs *pairs, const gv_norths *norths, const gv_series *series,
                                double *azimuth, int32_t *open) {
  int32_t count = 0;
  vd nothing = vd_set1(1e-7), stretch = vd_set1(series->stretch);
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd place[3] = {vd_load(pairs->x + i), vd_load(pairs->y + i), vd_load(pairs->z + i)};
    vd seed[3] = {vd_load(pairs->seed_x + i), vd_load(pairs->seed_y + i), vd_load(pairs->seed_z + i)};
    solution s;
    solve(series, place, seed, &s);
    vd_store(azimuth + i,
             bearing_on_sphere(norths, i, vd_mul(place[2], stretch), s.x, s.y, vd_mul(seed[2], stretch)));
    unsigned lanes = open_lanes(series, &s) | vm_bits(vd_less(s.sine, nothing));
    count = list_open(lanes, i, pairs->n, open, count);
  }
  return count;
}

const gv_series_kernels GV_SERIES_KERNELS = {
    .geodesic = geodesic,
    .geodesics_from = geodesics_from,
    .geodesic_azimuth = geodesic_azimuth,
};
