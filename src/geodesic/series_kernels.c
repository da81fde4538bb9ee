/* The kernels of geodesics (series.h has the argument). */
#include "geodesic/direction_lanes.h"
#include "geodesic/series.h"

/* The angle 0 ... pi of a unit vector with these components, sine >= 0. */
GV_INLINE vd angle_of(vd sine, vd cosine) {
  vd size = vd_abs(cosine), zero = vd_all(0.0);
  vd small = vd_min(sine, size), large = vd_max(sine, size);
  vd half = arctangent(small / (1.0 + large));
  vd angle = half + half;
  angle = vd_select(vd_less(size, sine), 1.57079632679489661923 - angle, angle);
  return vd_select(vd_less(cosine, zero), 3.14159265358979323846 - angle, angle);
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
  vd cx = y * sz - z * sy, cy = z * sx - x * sz;
  vd cz = x * sy - y * sx;
  vd along = x * sx + y * sy, heights = z * sz;
  vd level2 = cx * cx + cy * cy;
  a.sine = vd_sqrt(level2 + cz * cz);
  a.cosine = along + heights;
  a.inverse = 1.0 / vd_max(a.sine, vd_all(1e-100));
  a.sin_alpha0 = cz * a.inverse;
  a.cos2_alpha0 = level2 * a.inverse * a.inverse;
  a.twice = a.cos2_alpha0 * a.cosine - (heights + heights);
  a.turn = (along - a.sin_alpha0 * a.sin_alpha0 * a.cosine) * a.inverse;
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
  vd d2 = d * d;
  *sine = d * vd_polynomial(d2, s, 4);
  *cosine = 1.0 + d2 * vd_polynomial(d2, c, 4);
}

/* d F / d omega, as on the sphere. */
GV_INLINE vd newton_factor(const gv_series *g, const arc *a, vd sigma) {
  vd rate = g->f * (a->turn * sigma + a->sin_alpha0 * a->sin_alpha0);
  return 1.0 / (1.0 - rate);
}

/* The geodesic with omega = lambda + delta, and the length that belongs to lambda. */
GV_INLINE solution evaluate(const gv_series *g, const arc_pair *p, vd delta) {
  vd one = vd_all(1.0), s, c;
  solution out;
  small_sincos(delta, &s, &c);
  vd x = p->sx * c - p->sy * s, y = p->sy * c + p->sx * s;
  arc t = arc_between(p->x, p->y, p->z, x, y, p->sz);
  out.sine = t.sine;
  out.cosine = t.cosine;

  /* The new arc from the first one: asin of a small sine. */
  static const double small_asin[5] = {1.0, 1.0 / 6.0, 3.0 / 40.0, 15.0 / 336.0, 105.0 / 3456.0};
  vd change = t.sine * p->first.cosine - t.cosine * p->first.sine;
  vd sigma = p->sigma + change * vd_polynomial(change * change, small_asin, 5);

  /* epsilon = cos^2 alpha0 x ratio; u[l] = epsilon^l cos 2 l sigma_m, v = sin l sigma. */
  vd k2 = g->ep2 * t.cos2_alpha0;
  vd root = one + vd_sqrt(one + k2);
  vd ratio = g->ep2 / (root + root + k2);
  vd epsilon = t.cos2_alpha0 * ratio, epsilon2 = epsilon * epsilon;
  vd u1 = ratio * t.twice, twice_u = u1 + u1, twice_cosine = t.cosine + t.cosine;
  vd u2 = twice_u * u1 - epsilon2, v2 = twice_cosine * t.sine;
  vd u3 = twice_u * u2 - epsilon2 * u1, v3 = twice_cosine * v2 - t.sine;
  vd u4 = twice_u * u3 - epsilon2 * u2, v4 = twice_cosine * v3 - v2;
  vd u5 = twice_u * u4 - epsilon2 * u3, v5 = twice_cosine * v4 - v3;
  vd u6 = twice_u * u5 - epsilon2 * u4, v6 = twice_cosine * v5 - v4;
  vd w1 = twice_u * t.sine, w2 = (u2 + u2) * v2, w3 = (u3 + u3) * v3;
  vd w4 = (u4 + u4) * v4, w5 = (u5 + u5) * v5, w6 = (u6 + u6) * v6;

  static const double a1[4] = {1.0, 1.0 / 4.0, 1.0 / 64.0, 1.0 / 256.0};
  static const double c11[3] = {-1.0 / 2.0, 3.0 / 16.0, -1.0 / 32.0};
  static const double c12[3] = {-1.0 / 16.0, 1.0 / 32.0, -9.0 / 2048.0};
  static const double c13[2] = {-1.0 / 48.0, 3.0 / 256.0}, c14[2] = {-5.0 / 512.0, 3.0 / 512.0};
  vd i1 = -7.0 / 2048.0 * w6;
  i1 = -7.0 / 1280.0 * w5 + i1;
  i1 = vd_polynomial(epsilon2, c14, 2) * w4 + i1;
  i1 = vd_polynomial(epsilon2, c13, 2) * w3 + i1;
  i1 = vd_polynomial(epsilon2, c12, 3) * w2 + i1;
  i1 = vd_polynomial(epsilon2, c11, 3) * w1 + i1;
  i1 = sigma + i1;
  vd scale = g->b * vd_polynomial(epsilon2, a1, 4) / (one - epsilon);
  vd length = scale * i1;

  vd i3 = g->c3[4][0] * w5;
  i3 = vd_polynomial(epsilon, g->c3[3], 2) * w4 + i3;
  i3 = vd_polynomial(epsilon, g->c3[2], 3) * w3 + i3;
  i3 = vd_polynomial(epsilon, g->c3[1], 4) * w2 + i3;
  i3 = vd_polynomial(epsilon, g->c3[0], 5) * w1 + i3;
  i3 = vd_polynomial(epsilon, g->a3, 6) * (sigma + i3);
  vd rest = delta - g->f * t.sin_alpha0 * i3;

  /* length(lambda) = length(lambda + rest) - rest length' + rest^2 length'' / 2. */
  vd factor = newton_factor(g, &t, sigma);
  vd first = rest * t.sin_alpha0;
  vd second = rest * rest * (0.5 * t.turn * factor);
  out.length = length + g->a * (second - first);
  out.step = g->a * vd_abs(second);
  out.correction = 0.0 - rest * factor;
  out.x = x - y * out.correction;
  out.y = y + x * out.correction;
  return out;
}

/* Long, and called from three places: not inlined. */
static __attribute__((noinline)) void solve(const gv_series *g, const vd place[3], const vd seed[3],
                                            solution *result) {
  vd one = vd_all(1.0), stretch = vd_all(g->stretch);
  arc_pair p = {.x = place[0], .y = place[1], .z = place[2] * stretch};
  p.sx = seed[0];
  p.sy = seed[1];
  p.sz = seed[2] * stretch;
  p.first = arc_between(p.x, p.y, p.z, p.sx, p.sy, p.sz);
  p.sigma = angle_of(p.first.sine, p.first.cosine);

  /* The Newton step from omega = lambda, with I3 to the second order. */
  vd level = p.first.cos2_alpha0;
  vd quarter = 0.25 * g->ep2 * (one - 0.5 * g->ep2 * level);
  vd wave = 2.0 * g->c3[0][0] * (quarter * p.first.twice) * p.first.sine;
  vd slope = vd_polynomial(level * quarter, g->a3, 3);
  vd excess = g->f * p.first.sin_alpha0 * (slope * (p.sigma + wave));
  vd delta = excess * newton_factor(g, &p.first, p.sigma);

  /* Near the antipodes: another step, for the lanes that need it only, so that no lane depends on its neighbours. */
  vd enough = vd_all(g->largest_step), limit = vd_all(g->least_cosine), largest = vd_all(0.065), zero = vd_all(0.0);
  solution out = {.step = vd_all(INFINITY), .cosine = one};
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
    delta = vd_max(vd_min(delta + next.correction, largest), zero - largest);
  }
  *result = out;
}

/* Bits of the lanes that the series does not answer. */
GV_INLINE unsigned open_lanes(const gv_series *g, const solution *s) {
  unsigned small = vm_bits(vd_less(s->step, vd_all(g->largest_step)));
  unsigned near = vm_bits(vd_less(vd_all(g->least_cosine), s->cosine));
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
  vd place[3] = {vd_all(cell[0]), vd_all(cell[1]), vd_all(cell[2])};
  for (int64_t i = 0; i < n; i += VD_LANES) {
    vd seed[3] = {vd_load(x + i), vd_load(y + i), vd_load(z + i)};
    solution s;
    solve(series, place, seed, &s);
    vm small = vd_less(s.step, vd_all(series->largest_step));
    vm near = vd_less(vd_all(series->least_cosine), s.cosine);
    vd none = vd_all(-1.0);
    vd_store(distance + i, vd_select(small, vd_select(near, s.length, none), none));
  }
}

/* The direction to the cell at a place is that on the auxiliary sphere, of which the place's longitude is kept. */
static void slopes(const gv_pairs *pairs, const gv_series *series, const double *const along[3], double *distance,
                   double *slope) {
  vd nothing = vd_all(2e-7), stretch = vd_all(series->stretch), tiny = vd_all(1e-300), none = vd_all(-1.0);
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd seed[3] = {vd_load(pairs->x + i), vd_load(pairs->y + i), vd_load(pairs->z + i)};
    vd at[3] = {vd_load(pairs->seed_x + i), vd_load(pairs->seed_y + i), vd_load(pairs->seed_z + i)};
    vd tx = vd_load(along[0] + i), ty = vd_load(along[1] + i), tz = vd_load(along[2] + i);
    solution s;
    solve(series, at, seed, &s);
    vd p = vd_sqrt(at[0] * at[0] + at[1] * at[1]), axis = 1.0 / vd_max(p, tiny);
    vd cosine = at[0] * axis, sine = at[1] * axis, height = at[2] * stretch;
    vd east = cosine * s.y - sine * s.x, outward = cosine * s.x + sine * s.y;
    vd north = p * (seed[2] * stretch) - height * outward;
    vd steep = height * stretch, size = 1.0 / vd_sqrt(p * p + steep * steep);
    vd turned = cosine * ty - sine * tx, rising = (tz * p - (cosine * tx + sine * ty) * steep) * size;
    vd length = vd_sqrt((east * east + north * north) * (turned * turned + rising * rising));
    vd_store(slope + i, 0.0 - (east * turned + north * rising) / vd_max(length, tiny));
    vm small = vd_less(s.step, vd_all(series->largest_step)),
       near = vd_less(vd_all(series->least_cosine), s.cosine);
    vd answer = vd_select(small, vd_select(near, s.length, none), none);
    vd_store(distance + i, vd_select(vd_less(nothing, s.sine), vd_select(vd_less(nothing, p), answer, none), none));
  }
}

/* A place a metre away is known to 1e-9 of the angle; below that PROJ is asked. */
static int32_t geodesic_azimuth(const gv_pairs *pairs, const gv_norths *norths, const gv_series *series,
                                double *azimuth, int32_t *open) {
  int32_t count = 0;
  vd nothing = vd_all(1e-7), stretch = vd_all(series->stretch);
  for (int64_t i = 0; i < pairs->n; i += VD_LANES) {
    vd place[3] = {vd_load(pairs->x + i), vd_load(pairs->y + i), vd_load(pairs->z + i)};
    vd seed[3] = {vd_load(pairs->seed_x + i), vd_load(pairs->seed_y + i), vd_load(pairs->seed_z + i)};
    solution s;
    solve(series, place, seed, &s);
    vd_store(azimuth + i, bearing_on_sphere(norths, i, place[2] * stretch, s.x, s.y, seed[2] * stretch));
    unsigned lanes = open_lanes(series, &s) | vm_bits(vd_less(s.sine, nothing));
    count = list_open(lanes, i, pairs->n, open, count);
  }
  return count;
}

const gv_series_kernels GV_VARIANT(gv_series_kernels) = {
    .geodesic = geodesic,
    .geodesics_from = geodesics_from,
    .slopes = slopes,
    .geodesic_azimuth = geodesic_azimuth,
};
