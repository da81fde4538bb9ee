/*
 * Weighted distances (gv_weighting in the public header defines them). Weighting and form are constants where
 * speed matters.
 */
GV_FORMULA GV_REAL GV_NAME(weigh_as)(int weighting, int form, double inverse, double scale, GV_REAL canonical,
                                     GV_REAL w) {
  GV_REAL length = canonical;
  if (form == GV_LENGTH_SQUARED && weighting == GV_MULTIPLICATIVE) return canonical / (w * w);
  if (form == GV_LENGTH_SQUARED && weighting == GV_POWER) return canonical - w;
  if (form == GV_LENGTH_SQUARED) length = GV_SQRT(canonical);
  if (form == GV_LENGTH_OF_CHORD) {
    length = scale * GV_NAME(arcsine)(GV_MIN(inverse * GV_SQRT(canonical), GV_ALL(1.0)));
  }
  if (weighting == GV_MULTIPLICATIVE) return length / w;
  if (weighting == GV_ADDITIVE) return length + w;
  return length * length - w;
}
