/*
 * The distance of a place from a place on a curve with the direction (tx, ty, tz), and its derivative along
 * the curve: series.h, after shared/series.h. The direction to the first place is that on the auxiliary
 * sphere, of which the longitude of the second is kept. A distance of -1: the series does not solve it.
 */

/* A place seen from another, without regard to curves. */
typedef struct GV_NAME(seen_place) {
  GV_REAL distance, length; /* the first -1 where there is no slope, both where there is no solution */
  GV_REAL east, north;      /* the direction to the other */
  /* of the place itself; `small`: the least length of a direction */
  GV_REAL cosine, sine, p, steep, size, small;
} GV_NAME(seen_place);

GV_FORMULA GV_NAME(seen_place)
    GV_NAME(see_place)(const gv_series *g, const GV_REAL from[3], const GV_REAL at[3]) {
  GV_NAME(seen_place) o;
  GV_REAL nothing = GV_ALL(2e-7), stretch = GV_ALL(g->stretch), none = GV_ALL(-1.0);
  GV_NAME(solution) s;
  o.small = GV_ALL(1e-300);
  GV_NAME(solve)(g, at, from, &s);
  o.p = GV_SQRT(at[0] * at[0] + at[1] * at[1]);
  GV_REAL axis = 1.0 / GV_MAX(o.p, o.small), height = at[2] * stretch;
  o.cosine = at[0] * axis;
  o.sine = at[1] * axis;
  o.east = o.cosine * s.y - o.sine * s.x;
  o.north = o.p * (from[2] * stretch) - height * (o.cosine * s.x + o.sine * s.y);
  o.steep = height * stretch;
  o.size = 1.0 / GV_SQRT(o.p * o.p + o.steep * o.steep);
  GV_MASK small = GV_LESS(s.step, GV_ALL(g->largest_step)), near = GV_LESS(GV_ALL(g->least_cosine), s.cosine);
  o.length = GV_SELECT(small, GV_SELECT(near, s.length, none), none);
  o.distance = GV_SELECT(GV_LESS(nothing, s.sine), GV_SELECT(GV_LESS(nothing, o.p), o.length, none), none);
  return o;
}

GV_FORMULA GV_REAL GV_NAME(slope_along)(const GV_NAME(seen_place) * o, const GV_REAL along[3]) {
  GV_REAL turned = o->cosine * along[1] - o->sine * along[0];
  GV_REAL rising = (along[2] * o->p - (o->cosine * along[0] + o->sine * along[1]) * o->steep) * o->size;
  GV_REAL length = GV_SQRT((o->east * o->east + o->north * o->north) * (turned * turned + rising * rising));
  return 0.0 - (o->east * turned + o->north * rising) / GV_MAX(length, o->small);
}

GV_FORMULA GV_REAL GV_NAME(slope)(const gv_series *g, const GV_REAL from[3], const GV_REAL at[3],
                                  const GV_REAL along[3], GV_REAL *slope) {
  const GV_NAME(seen_place) seen = GV_NAME(see_place)(g, from, at);
  *slope = GV_NAME(slope_along)(&seen, along);
  return seen.distance;
}
