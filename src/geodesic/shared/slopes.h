/*
 * The distance of a place from a place on a curve with the direction (tx, ty, tz), and its derivative along the curve: series.h, after
 * shared/series.h. The direction to the first place is that on the auxiliary sphere, of which the longitude of the second is kept. A
 * distance of -1: the series does not solve it.
 */
GV_FORMULA GV_REAL GV_NAME(slope)(const gv_series *g, const GV_REAL from[3], const GV_REAL at[3],
                                  const GV_REAL along[3], GV_REAL *slope) {
  GV_REAL nothing = GV_ALL(2e-7), stretch = GV_ALL(g->stretch), tiny = GV_ALL(1e-300), none = GV_ALL(-1.0);
  GV_NAME(solution) s;
  GV_NAME(solve)(g, at, from, &s);
  GV_REAL p = GV_SQRT(at[0] * at[0] + at[1] * at[1]), axis = 1.0 / GV_MAX(p, tiny);
  GV_REAL cosine = at[0] * axis, sine = at[1] * axis, height = at[2] * stretch;
  GV_REAL east = cosine * s.y - sine * s.x, outward = cosine * s.x + sine * s.y;
  GV_REAL north = p * (from[2] * stretch) - height * outward;
  GV_REAL steep = height * stretch, size = 1.0 / GV_SQRT(p * p + steep * steep);
  GV_REAL turned = cosine * along[1] - sine * along[0];
  GV_REAL rising = (along[2] * p - (cosine * along[0] + sine * along[1]) * steep) * size;
  GV_REAL length = GV_SQRT((east * east + north * north) * (turned * turned + rising * rising));
  *slope = 0.0 - (east * turned + north * rising) / GV_MAX(length, tiny);
  GV_MASK small = GV_LESS(s.step, GV_ALL(g->largest_step)), near = GV_LESS(GV_ALL(g->least_cosine), s.cosine);
  GV_REAL solved = GV_SELECT(small, GV_SELECT(near, s.length, none), none);
  return GV_SELECT(GV_LESS(nothing, s.sine), GV_SELECT(GV_LESS(nothing, p), solved, none), none);
}
