/* Newton's method on geodesics, and the conformal sphere (Karney, Transverse Mercator with an accuracy of a
 * few nanometers, 2011). */
#include "diagram/equidistant.h"

#include <math.h>
#include <string.h>

#include "core/angles.h"

/* By powers of the third flattening, up to the sixth. */
static void globe_set_series(gv_globe *globe) {
  static const double table[6][6] = {
      {2.0, -2.0 / 3.0, -2.0, 116.0 / 45.0, 26.0 / 45.0, -2854.0 / 675.0},
      {0.0, 7.0 / 3.0, -8.0 / 5.0, -227.0 / 45.0, 2704.0 / 315.0, 2323.0 / 945.0},
      {0.0, 0.0, 56.0 / 15.0, -136.0 / 35.0, -1262.0 / 105.0, 73814.0 / 2835.0},
      {0.0, 0.0, 0.0, 4279.0 / 630.0, -332.0 / 35.0, -399572.0 / 14175.0},
      {0.0, 0.0, 0.0, 0.0, 4174.0 / 315.0, -144838.0 / 6237.0},
      {0.0, 0.0, 0.0, 0.0, 0.0, 601676.0 / 22275.0}};
  double n = globe->shape.flattening / (2.0 - globe->shape.flattening);
  globe->series = fabs(n) < 0.0025; /* the seventh power times 60 is below 1e-16 */
  for (int k = 0; k < 6; k++) {
    double sum = 0.0;
    for (int power = 5; power >= 0; power--)
      sum = (sum + table[k][power]) * n;
    globe->to_place[k] = sum;
  }
}

void gv_globe_init(gv_metric metric, const gv_ellipsoid *shape, gv_globe *out) {
  *out = (gv_globe){.ellipsoid = metric == GV_GEODESIC && shape->flattening != 0.0,
                    .radius = shape->semi_major,
                    .shape = *shape};
  if (metric == GV_GREAT_CIRCLE) {
    out->radius = shape->semi_major * (3.0 - shape->flattening) / 3.0;
    out->shape.flattening = out->shape.eccentricity2 = 0.0;
  }
  geod_init(&out->geod, out->radius, out->shape.flattening);
  globe_set_series(out);
}

/* Clenshaw's sum. `sine`, `cosine`: of the conformal latitude. */
static double globe_sum_series(const gv_globe *globe, double sine, double cosine) {
  double twice = 2.0 * (cosine * cosine - sine * sine), sum = 0.0, before = 0.0;
  for (int k = 5; k >= 0; k--) {
    double next = twice * sum - before + globe->to_place[k];
    before = sum;
    sum = next;
  }
  return 2.0 * sine * cosine * sum;
}

/* e atanh(e x) */
static double conformal_shift(double e2, double x) {
  double e = sqrt(fabs(e2));
  return e2 >= 0.0 ? e * atanh(e * x) : -e * atan(e * x);
}

/* The tangent of the conformal latitude. */
static double conformal_tangent(double e2, double tangent) {
  double secant = sqrt(1.0 + tangent * tangent), sigma = sinh(conformal_shift(e2, tangent / secant));
  return tangent * sqrt(1.0 + sigma * sigma) - sigma * secant;
}

void gv_globe_vectors(const gv_globe *globe, int64_t count, const double *lon, const double *lat,
                      double *vectors) {
  enum { STRETCH = 256 };
  double x[STRETCH], y[STRETCH], z[STRETCH];
  for (int64_t from = 0; from < count; from += STRETCH) {
    int64_t n = count - from < STRETCH ? count - from : STRETCH;
    gv_lonlat_to_vectors(&globe->shape, false, n, lon + from, lat + from, x, y, z);
    for (int64_t i = 0; i < n; i++) {
      double *v = vectors + 3 * (from + i), scale = 1.0, height = z[i],
             cosine = sqrt(x[i] * x[i] + y[i] * y[i]);
      if (globe->ellipsoid && cosine > 0.0) {
        double tangent = conformal_tangent(globe->shape.eccentricity2, height / cosine),
               secant = sqrt(1.0 + tangent * tangent);
        scale = 1.0 / (secant * cosine);
        height = tangent / secant;
      }
      v[0] = x[i] * scale;
      v[1] = y[i] * scale;
      v[2] = height;
    }
  }
}

void gv_globe_place(const gv_globe *globe, const double vector[3], double *lon, double *lat) {
  double cosine = sqrt(vector[0] * vector[0] + vector[1] * vector[1]), e2 = globe->shape.eccentricity2,
         rest = 1.0 - e2;
  if (cosine == 0.0) {
    *lon = 0.0;
    *lat = vector[2] < 0.0 ? -90.0 : 90.0;
    return;
  }
  double conformal = vector[2] / cosine, tangent = conformal;
  if (globe->ellipsoid && globe->series) {
    double length = sqrt(cosine * cosine + vector[2] * vector[2]);
    double angle = atan2(vector[2], cosine) + globe_sum_series(globe, vector[2] / length, cosine / length);
    *lon = atan2(vector[1], vector[0]) / GV_DEGREE;
    *lat = fmin(fmax(angle / GV_DEGREE, -90.0), 90.0);
    gv_normalize_lonlat(lon, lat);
    return;
  }
  if (globe->ellipsoid) {
    tangent = conformal / rest;
    for (int i = 0; i < 6; i++) {
      double now = conformal_tangent(e2, tangent);
      double step = (conformal - now) * (1.0 + rest * tangent * tangent) /
                    (rest * sqrt((1.0 + now * now) * (1.0 + tangent * tangent)));
      tangent += step;
      if (!(fabs(step) > 1e-9 * fmax(1.0, fabs(tangent)))) break;
    }
  }
  *lon = atan2(vector[1], vector[0]) / GV_DEGREE;
  *lat = atan(tangent) / GV_DEGREE;
  if (isnan(*lat)) *lat = vector[2] < 0.0 ? -90.0 : 90.0;
  gv_normalize_lonlat(lon, lat);
}

double gv_globe_halfway(double lon, double other) {
  double west = fmin(lon, other), middle = west + 0.5 * remainder(fmax(lon, other) - west, 360.0), lat = 0.0;
  gv_normalize_lonlat(&middle, &lat);
  return middle;
}

double gv_globe_reach(const gv_globe *globe) {
  return GV_PI * fmin(globe->geod.a, globe->geod.b) - 1000.0;
}

double gv_globe_antipodal_radius(const gv_globe *globe) {
  return 2.0 * GV_PI * globe->radius * fabs(globe->shape.flattening) + 116e3;
}

double gv_globe_great_circle(const double *vectors, int64_t count, double normal[3]) {
  const double *a = vectors;
  double most = 0.0, farthest = 0.0;
  for (int64_t i = 1; i < count; i++) {
    const double *b = vectors + 3 * i;
    double cross[3], square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
      int j = (axis + 1) % 3, k = (axis + 2) % 3;
      cross[axis] = a[j] * (b[k] - a[k]) - a[k] * (b[j] - a[j]);
      square += cross[axis] * cross[axis];
    }
    if (square <= most) continue;
    most = square;
    memcpy(normal, cross, sizeof cross);
  }
  if (most == 0.0) return 1.0;
  for (int i = 0; i < 3; i++)
    normal[i] /= sqrt(most);
  for (int64_t i = 0; i < count; i++) {
    const double *p = vectors + 3 * i;
    double off = 0.0;
    for (int axis = 0; axis < 3; axis++)
      off += normal[axis] * (p[axis] - a[axis]);
    farthest = fmax(farthest, fabs(off));
  }
  return farthest;
}

bool gv_globe_follows_circle(const double *vectors, int64_t count, double normal[3]) {
  return gv_globe_great_circle(vectors, count, normal) < 0.02;
}

double gv_globe_angle(const double axis[3], const double from[3], const double to[3]) {
  double sine = 0.0, cosine = 0.0, along[2] = {0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    sine += axis[i] * (from[j] * to[k] - from[k] * to[j]);
    cosine += from[i] * to[i];
    along[0] += axis[i] * from[i];
    along[1] += axis[i] * to[i];
  }
  double angle = atan2(sine, cosine - along[0] * along[1]);
  return angle < 0.0 ? angle + 2.0 * GV_PI : angle;
}

bool gv_globe_passes(const gv_globe *globe, const double left[3], const double right[3], const double lon[2],
                     const double lat[2], const double center[3], double radius) {
  static const double half =
      3.2; /* an edge is half a circle at most; longer ones are short ones, backwards by rounding */
  double end[6], axis[3], square = 0.0, height = 0.0;
  gv_globe_vectors(globe, 2, lon, lat, end);
  for (int i = 0; i < 3; i++) {
    axis[i] = left[i] - right[i];
    square += axis[i] * axis[i];
    height += axis[i] * center[i];
  }
  for (int i = 0; i < 3; i++)
    axis[i] /= sqrt(square);
  double to = gv_globe_angle(axis, end, end + 3);
  return fabs(height) < sin(radius / globe->radius) * sqrt(square) && to < half &&
         gv_globe_angle(axis, end, center) < to;
}

bool gv_globe_enters(const gv_globe *globe, const double left[3], const double right[3],
                     const double center[3], double radius, double place[3]) {
  double axis[3], middle[3], length = 0.0, height = 0.0, across = 0.0;
  for (int i = 0; i < 3; i++) {
    axis[i] = left[i] - right[i];
    length += axis[i] * axis[i];
  }
  for (int i = 0; i < 3; i++) {
    axis[i] /= sqrt(length);
    height += axis[i] * center[i];
  }
  for (int i = 0; i < 3; i++) {
    middle[i] = center[i] - height * axis[i];
    across += middle[i] * middle[i];
  }
  across = sqrt(across);
  double cosine = cos(radius / globe->radius) / across, sine = -sqrt(fmax(0.0, 1.0 - cosine * cosine));
  for (int i = 0; i < 3; i++) {
    double normal = axis[(i + 1) % 3] * middle[(i + 2) % 3] - axis[(i + 2) % 3] * middle[(i + 1) % 3];
    place[i] = (cosine * middle[i] + sine * normal) / across;
  }
  return cosine < 1.0;
}

/* Moves by meters to the east and north. */
static void equidistant_move(const gv_globe *globe, double east, double north, gv_equidistant *at) {
  double length = hypot(east, north), e2 = globe->shape.eccentricity2;
  if (length < 1.0 && fabs(at->lat) < 89.0) {
    double sine = sin(at->lat * GV_DEGREE), w2 = 1.0 - e2 * sine * sine, normal = globe->radius / sqrt(w2);
    at->lon += east / (normal * cos(at->lat * GV_DEGREE)) / GV_DEGREE;
    at->lat += north / (normal * (1.0 - e2) / w2) / GV_DEGREE;
  } else {
    geod_direct(&globe->geod, at->lat, at->lon, atan2(east, north) / GV_DEGREE, length, &at->lat, &at->lon,
                NULL);
  }
  gv_normalize_lonlat(&at->lon, &at->lat);
}

/* Two seeds so close together that the difference of their distances is computed as a whole: by nodes between
 * them. */
typedef struct close_pair {
  bool known, close; /* known: computed */
  int nodes;
  double apart, noise; /* meters */
  double lon[3], lat[3], azimuth[3], weight[3];
} close_pair;

/*
 * The difference of two distances of thousands of kilometers is off by 30 nm, which moves the border of seeds
 * a meter apart by hundreds of meters at a distance of a quarter of the globe. But the distance to a place
 * changes along the geodesic between the seeds by the cosine of the angle between both directions: the
 * difference is an integral, by Gauss' rule with three nodes (error: the seventh power of the seeds'
 * distance, in distances of the place). Below 100 m one node is enough, and the direction comes from the
 * differences of coordinates, which are exact.
 */
static close_pair close_pair_of(const gv_globe *globe, const double lon[2], const double lat[2]) {
  static const double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
  close_pair p = {.known = true, .nodes = 3, .weight = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0}, .noise = 3e-8};
  struct geod_geodesicline line;
  if (fabs(lat[0] - lat[1]) > 1.0) return p;
  geod_inverseline(&line, &globe->geod, lat[0], lon[0], lat[1], lon[1], 0);
  p.apart = line.s13;
  p.close = p.apart > 0.0 && p.apart < 1e5;
  if (!p.close) return p;
  p.noise = 1e-9 * fmin(1.0, p.apart / 100.0);
  for (int i = 0; i < 3; i++)
    geod_position(&line, at[i] * p.apart, &p.lat[i], &p.lon[i], &p.azimuth[i]);
  if (p.apart >= 100.0 || fabs(lat[0]) > 89.0) return p;
  double e2 = globe->shape.eccentricity2, middle = 0.5 * (lat[0] + lat[1]), sine = sin(middle * GV_DEGREE);
  double w2 = 1.0 - e2 * sine * sine, normal = globe->radius / sqrt(w2);
  double east = remainder(lon[1] - lon[0], 360.0) * GV_DEGREE * normal * cos(middle * GV_DEGREE),
         north = (lat[1] - lat[0]) * GV_DEGREE * normal * (1.0 - e2) / w2;
  p.nodes = 1;
  p.weight[0] = 1.0;
  p.lat[0] = middle;
  p.lon[0] = lon[0] + 0.5 * remainder(lon[1] - lon[0], 360.0);
  p.azimuth[0] = atan2(east, north) / GV_DEGREE;
  p.apart = hypot(east, north);
  return p;
}

/* Whether two seeds are a close pair for a place at a distance of `length` meters from the first. */
static bool close_pair_counts(const gv_globe *globe, const double lon[2], const double lat[2], double length,
                              close_pair *p) {
  double north = (lat[1] - lat[0]) * GV_DEGREE,
         east = remainder(lon[1] - lon[0], 360.0) * GV_DEGREE * cos(0.5 * (lat[0] + lat[1]) * GV_DEGREE);
  /* Most are not: shorter than the seeds' distance within a degree, away from the poles. */
  double least = fmin(hypot(north, east), 0.01) * 0.9 * (1.0 - globe->shape.eccentricity2) * globe->radius;
  if (!p->known && fabs(lat[0]) < 85.0 && globe->series && length <= 20.0 * least) return false;
  if (!p->known) *p = close_pair_of(globe, lon, lat);
  return p->close && length > 20.0 * p->apart;
}

/* How much farther the first seed is from a place than the second. */
static double close_pair_difference(const gv_globe *globe, const close_pair *p, double lon, double lat) {
  double sum = 0.0;
  for (int i = 0; i < p->nodes; i++) {
    double azimuth;
    geod_inverse(&globe->geod, p->lat[i], p->lon[i], lat, lon, NULL, &azimuth, NULL);
    sum += p->weight[i] * cos((azimuth - p->azimuth[i]) * GV_DEGREE);
  }
  return sum * p->apart;
}

double gv_equidistant_farther(const gv_globe *globe, const double lon[2], const double lat[2],
                              const double place[2], double *noise) {
  close_pair pair = {.known = false};
  double first, second;
  geod_inverse(&globe->geod, place[1], place[0], lat[0], lon[0], &first, NULL, NULL);
  *noise = 1e-6;
  if (close_pair_counts(globe, lon, lat, first, &pair)) {
    *noise = 4.0 * pair.noise;
    return close_pair_difference(globe, &pair, place[0], place[1]);
  }
  geod_inverse(&globe->geod, place[1], place[0], lat[1], lon[1], &second, NULL, NULL);
  return first - second;
}

bool gv_equidistant_find(const gv_globe *globe, int seeds, const double *lon, const double *lat,
                         gv_equidistant *at) {
  enum { LARGEST = 40 };
  close_pair pair[2] = {{.known = false}, {.known = false}};
  double limit = 0.3 * globe->radius;
  for (int iteration = 0; iteration < LARGEST; iteration++) {
    double noise[2] = {3e-8, 3e-8};
    double length[3], east[3], north[3], step_east, step_north, turn = 1.0;
    for (int i = 0; i < seeds; i++) {
      double azimuth;
      geod_inverse(&globe->geod, at->lat, at->lon, lat[i], lon[i], &length[i], &azimuth, NULL);
      east[i] = -sin(azimuth * GV_DEGREE);
      north[i] = -cos(azimuth * GV_DEGREE);
    }
    double e1 = east[1] - east[0], n1 = north[1] - north[0], d1 = length[0] - length[1];
    if (close_pair_counts(globe, lon, lat, length[0], &pair[0])) {
      d1 = close_pair_difference(globe, &pair[0], at->lon, at->lat);
      noise[0] = pair[0].noise;
    }
    if (seeds == 2) {
      double square = e1 * e1 + n1 * n1;
      if (!(square > 0.0)) return false;
      step_east = d1 * e1 / square;
      step_north = d1 * n1 / square;
      at->noise = noise[0] / sqrt(square);
    } else {
      double e2 = east[2] - east[0], n2 = north[2] - north[0], d2 = length[0] - length[2];
      const double pair_lon[2] = {lon[0], lon[2]}, pair_lat[2] = {lat[0], lat[2]};
      if (close_pair_counts(globe, pair_lon, pair_lat, length[0], &pair[1])) {
        d2 = close_pair_difference(globe, &pair[1], at->lon, at->lat);
        noise[1] = pair[1].noise;
      }
      double determinant = e1 * n2 - e2 * n1;
      turn = determinant;
      if (determinant == 0.0) return false;
      step_east = (d1 * n2 - d2 * n1) / determinant;
      step_north = (e1 * d2 - e2 * d1) / determinant;
      at->noise = fmax(noise[0] * hypot(e2, n2), noise[1] * hypot(e1, n1)) / fabs(determinant);
    }
    double step = hypot(step_east, step_north), least = fmin(length[0], length[1]);
    if (seeds == 3) least = fmin(least, length[2]);
    if (!isfinite(step)) return false;
    /* The step is much longer than what the distances are good for: shorten it. */
    double most = fmin(limit, 0.7 * least + 1e-3);
    if (step > most) {
      step_east *= most / step;
      step_north *= most / step;
    }
    equidistant_move(globe, step_east, step_north, at);
    at->distance = length[0] + east[0] * step_east + north[0] * step_north;
    if (step <= most && ((step * step <= 2e-7 * least && step <= 0.05) || step <= at->noise))

      return turn > 0.0 && at->distance < gv_globe_reach(globe);
  }
  return false;
}
