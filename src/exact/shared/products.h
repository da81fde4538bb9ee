/* Metrics of products: the cosine distance of two vectors, from sums of products (gv_metric in the public
 * header defines it). */

/* The length of a vector from the sum of its squares; 0: it has no direction. */
GV_FORMULA GV_REAL GV_NAME(cosine_length)(GV_REAL squares) {
  GV_REAL length = GV_SQRT(squares);
  length = GV_SELECT(GV_LESS(length, GV_ALL(0x1p-450)), GV_ALL(0.0), length);
  return GV_SELECT(GV_LESS(GV_ALL(0x1p500), length), GV_ALL(0.0), length);
}

GV_FORMULA GV_REAL GV_NAME(cosine_distance)(GV_REAL product, GV_REAL a, GV_REAL b) {
  GV_REAL lengths = a * b, distance = GV_ALL(1.0) - product / lengths;
  distance = GV_SELECT(GV_LESS(GV_ALL(0.0), distance), distance, GV_ALL(0.0));
  distance = GV_SELECT(GV_LESS(distance, GV_ALL(2.0)), distance, GV_ALL(2.0));
  return GV_SELECT(GV_LESS(GV_ALL(0.0), lengths), distance, GV_ALL(1.0));
}
