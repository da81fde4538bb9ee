/*
 * The series of geodesics (series.h has the argument). In addition to the names of exact/shared it needs
 * GV_NONE(mask), true if a mask has no bit set, and GV_SOLVER, attributes of the solving function, which is
 * long.
 */
#include "core/angles.h"

/* The angle 0 ... pi of a unit vector with these components, sine >= 0. */
GV_FORMULA GV_REAL GV_NAME(angle_of)(GV_REAL sine, GV_REAL cosine) {
  GV_REAL size = GV_ABS(cosine), zero = GV_ALL(0.0);
  GV_REAL small = GV_MIN(sine, size), large = GV_MAX(sine, size);
  GV_REAL half = GV_NAME(arctangent)(small / (1.0 + large));
  GV_REAL angle = half + half;
  angle = GV_SELECT(GV_LESS(size, sine), 1.57079632679489661923 - angle, angle);
  return GV_SELECT(GV_LESS(cosine, zero), GV_PI - angle, angle);
}

/* A pair on the auxiliary sphere. */
typedef struct GV_NAME(arc) {
  GV_REAL sine, cosine, inverse; /* of the arc sigma; 1 / sine */
  GV_REAL sin_alpha0, cos2_alpha0;
  GV_REAL twice; /* cos^2 alpha0 cos 2 sigma_m, sigma_m the arc from the node to the middle */
  GV_REAL turn;  /* d sin alpha0 / d omega */
} GV_NAME(arc);

GV_FORMULA GV_NAME(arc)
    GV_NAME(arc_between)(GV_REAL x, GV_REAL y, GV_REAL z, GV_REAL sx, GV_REAL sy, GV_REAL sz) {
  GV_NAME(arc) a;
  GV_REAL cx = y * sz - z * sy, cy = z * sx - x * sz;
  GV_REAL cz = x * sy - y * sx;
  GV_REAL along = x * sx + y * sy, heights = z * sz;
  GV_REAL level2 = cx * cx + cy * cy;
  a.sine = GV_SQRT(level2 + cz * cz);
  a.cosine = along + heights;
  a.inverse = 1.0 / GV_MAX(a.sine, GV_ALL(1e-100));
  a.sin_alpha0 = cz * a.inverse;
  a.cos2_alpha0 = level2 * a.inverse * a.inverse;
  a.twice = a.cos2_alpha0 * a.cosine - (heights + heights);
  a.turn = (along - a.sin_alpha0 * a.sin_alpha0 * a.cosine) * a.inverse;
  return a;
}

typedef struct GV_NAME(solution) {
  GV_REAL length;       /* meters */
  GV_REAL step;         /* size of the last term of the Taylor series, meters */
  GV_REAL sine, cosine; /* of the arc */
  GV_REAL x, y;         /* the seed's place, turned so that the great circle to it is the geodesic */
  GV_REAL correction;   /* correction of omega by a Newton step */
} GV_NAME(solution);

/* A pair, its arc for omega = lambda, and that arc's length. */
typedef struct GV_NAME(arc_pair) {
  GV_REAL x, y, z, sx, sy, sz;
  GV_NAME(arc) first;
  GV_REAL sigma;
} GV_NAME(arc_pair);

/* Sine and cosine of |d| < 0.065; 1e-16 is left after these terms. */
GV_FORMULA void GV_NAME(small_sincos)(GV_REAL d, GV_REAL *sine, GV_REAL *cosine) {
  static const double s[4] = {1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0};
  static const double c[4] = {-1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0};
  GV_REAL d2 = d * d;
  *sine = d * GV_NAME(polynomial)(d2, s, 4);
  *cosine = 1.0 + d2 * GV_NAME(polynomial)(d2, c, 4);
}

/* d F / d omega, as on the sphere. */
GV_FORMULA GV_REAL GV_NAME(newton_factor)(const gv_series *g, const GV_NAME(arc) * a, GV_REAL sigma) {
  GV_REAL rate = g->f * (a->turn * sigma + a->sin_alpha0 * a->sin_alpha0);
  return 1.0 / (1.0 - rate);
}

/* The geodesic with omega = lambda + delta, and the length that belongs to lambda. */
GV_FORMULA GV_NAME(solution)
    GV_NAME(evaluate)(const gv_series *g, const GV_NAME(arc_pair) * p, GV_REAL delta) {
  GV_REAL one = GV_ALL(1.0), s, c;
  GV_NAME(solution) out;
  GV_NAME(small_sincos)(delta, &s, &c);
  GV_REAL x = p->sx * c - p->sy * s, y = p->sy * c + p->sx * s;
  GV_NAME(arc) t = GV_NAME(arc_between)(p->x, p->y, p->z, x, y, p->sz);
  out.sine = t.sine;
  out.cosine = t.cosine;

  /* The new arc from the first one: asin of a small sine. */
  static const double small_asin[5] = {1.0, 1.0 / 6.0, 3.0 / 40.0, 15.0 / 336.0, 105.0 / 3456.0};
  GV_REAL change = t.sine * p->first.cosine - t.cosine * p->first.sine;
  GV_REAL sigma = p->sigma + change * GV_NAME(polynomial)(change * change, small_asin, 5);

  /* epsilon = cos^2 alpha0 x ratio; u[l] = epsilon^l cos 2 l sigma_m, v = sin l sigma. */
  GV_REAL k2 = g->ep2 * t.cos2_alpha0;
  GV_REAL root = one + GV_SQRT(one + k2);
  GV_REAL ratio = g->ep2 / (root + root + k2);
  GV_REAL epsilon = t.cos2_alpha0 * ratio, epsilon2 = epsilon * epsilon;
  GV_REAL u1 = ratio * t.twice, twice_u = u1 + u1, twice_cosine = t.cosine + t.cosine;
  GV_REAL u2 = twice_u * u1 - epsilon2, v2 = twice_cosine * t.sine;
  GV_REAL u3 = twice_u * u2 - epsilon2 * u1, v3 = twice_cosine * v2 - t.sine;
  GV_REAL u4 = twice_u * u3 - epsilon2 * u2, v4 = twice_cosine * v3 - v2;
  GV_REAL u5 = twice_u * u4 - epsilon2 * u3, v5 = twice_cosine * v4 - v3;
  GV_REAL u6 = twice_u * u5 - epsilon2 * u4, v6 = twice_cosine * v5 - v4;
  GV_REAL w1 = twice_u * t.sine, w2 = (u2 + u2) * v2, w3 = (u3 + u3) * v3;
  GV_REAL w4 = (u4 + u4) * v4, w5 = (u5 + u5) * v5, w6 = (u6 + u6) * v6;

  static const double a1[4] = {1.0, 1.0 / 4.0, 1.0 / 64.0, 1.0 / 256.0};
  static const double c11[3] = {-1.0 / 2.0, 3.0 / 16.0, -1.0 / 32.0};
  static const double c12[3] = {-1.0 / 16.0, 1.0 / 32.0, -9.0 / 2048.0};
  static const double c13[2] = {-1.0 / 48.0, 3.0 / 256.0}, c14[2] = {-5.0 / 512.0, 3.0 / 512.0};
  GV_REAL i1 = -7.0 / 2048.0 * w6;
  i1 = -7.0 / 1280.0 * w5 + i1;
  i1 = GV_NAME(polynomial)(epsilon2, c14, 2) * w4 + i1;
  i1 = GV_NAME(polynomial)(epsilon2, c13, 2) * w3 + i1;
  i1 = GV_NAME(polynomial)(epsilon2, c12, 3) * w2 + i1;
  i1 = GV_NAME(polynomial)(epsilon2, c11, 3) * w1 + i1;
  i1 = sigma + i1;
  GV_REAL scale = g->b * GV_NAME(polynomial)(epsilon2, a1, 4) / (one - epsilon);
  GV_REAL length = scale * i1;

  GV_REAL i3 = g->c3[4][0] * w5;
  i3 = GV_NAME(polynomial)(epsilon, g->c3[3], 2) * w4 + i3;
  i3 = GV_NAME(polynomial)(epsilon, g->c3[2], 3) * w3 + i3;
  i3 = GV_NAME(polynomial)(epsilon, g->c3[1], 4) * w2 + i3;
  i3 = GV_NAME(polynomial)(epsilon, g->c3[0], 5) * w1 + i3;
  i3 = GV_NAME(polynomial)(epsilon, g->a3, 6) * (sigma + i3);
  GV_REAL rest = delta - g->f * t.sin_alpha0 * i3;

  /* length(lambda) = length(lambda + rest) - rest length' + rest^2 length'' / 2. */
  GV_REAL factor = GV_NAME(newton_factor)(g, &t, sigma);
  GV_REAL first = rest * t.sin_alpha0;
  GV_REAL second = rest * rest * (0.5 * t.turn * factor);
  out.length = length + g->a * (second - first);
  out.step = g->a * GV_ABS(second);
  out.correction = 0.0 - rest * factor;
  out.x = x - y * out.correction;
  out.y = y + x * out.correction;
  return out;
}

GV_SOLVER void GV_NAME(solve)(const gv_series *g, const GV_REAL place[3], const GV_REAL seed[3],
                              GV_NAME(solution) * result) {
  GV_REAL one = GV_ALL(1.0), stretch = GV_ALL(g->stretch);
  GV_NAME(arc_pair) p;
  p.x = place[0];
  p.y = place[1];
  p.z = place[2] * stretch;
  p.sx = seed[0];
  p.sy = seed[1];
  p.sz = seed[2] * stretch;
  p.first = GV_NAME(arc_between)(p.x, p.y, p.z, p.sx, p.sy, p.sz);
  p.sigma = GV_NAME(angle_of)(p.first.sine, p.first.cosine);

  /* The Newton step from omega = lambda, with I3 to the second order. */
  GV_REAL level = p.first.cos2_alpha0;
  GV_REAL quarter = 0.25 * g->ep2 * (one - 0.5 * g->ep2 * level);
  GV_REAL wave = 2.0 * g->c3[0][0] * (quarter * p.first.twice) * p.first.sine;
  GV_REAL slope = GV_NAME(polynomial)(level * quarter, g->a3, 3);
  GV_REAL excess = g->f * p.first.sin_alpha0 * (slope * (p.sigma + wave));
  GV_REAL delta = excess * GV_NAME(newton_factor)(g, &p.first, p.sigma);

  /* Near the antipodes: another step, for the lanes that need it only, so that no lane depends on its
   * neighbors. */
  GV_REAL enough = GV_ALL(g->largest_step), limit = GV_ALL(g->least_cosine), largest = GV_ALL(0.065),
          zero = GV_ALL(0.0);
  GV_NAME(solution) out;
  out.length = out.sine = out.x = out.y = out.correction = zero;
  out.step = GV_ALL(INFINITY);
  out.cosine = one;
  for (int step = 0; step < 4; step++) {
    GV_MASK take = GV_LESS(enough, GV_SELECT(GV_LESS(limit, out.cosine), out.step, zero));
    if (GV_NONE(take)) break;
    GV_NAME(solution) next = GV_NAME(evaluate)(g, &p, delta);
    out.length = GV_SELECT(take, next.length, out.length);
    out.cosine = GV_SELECT(take, next.cosine, out.cosine);
    out.sine = GV_SELECT(take, next.sine, out.sine);
    out.x = GV_SELECT(take, next.x, out.x);
    out.y = GV_SELECT(take, next.y, out.y);
    out.step = GV_SELECT(take, next.step, out.step);
    delta = GV_MAX(GV_MIN(delta + next.correction, largest), zero - largest);
  }
  *result = out;
}
