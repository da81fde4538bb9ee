/* Centers, normals, and places equally far from three seeds. */
#include "diagram/vertex_place.h"

#include <math.h>

#include "core/angles.h"
#include "diagram/predicates.h"

static void place_of_plane(const gv_vertex_places *f, int32_t facet) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet;
  const double *p = f->t->position;
  double center[2];
  f->noise[facet] =
      gv_circle_center_plane(p + 3 * (int64_t)v[0], p + 3 * (int64_t)v[1], p + 3 * (int64_t)v[2], center);
  f->x[facet] = center[0];
  f->y[facet] = center[1];
}

/* The normal of the directions' facet, towards the outside: their vectors are rounded, which would tilt it by
 * 1e-16 of their distances' inverse. */
static void place_of_sphere(const gv_vertex_places *f, int32_t facet, double normal[3]) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet;
  const double *a = f->t->position + 3 * (int64_t)v[0], *b = f->t->position + 3 * (int64_t)v[1],
               *c = f->t->position + 3 * (int64_t)v[2];
  double u[3], w[3], square = 0.0, u2 = 0.0, w2 = 0.0;
  double excess[3] = {gv_sphere_excess(a), gv_sphere_excess(b), gv_sphere_excess(c)};
  for (int i = 0; i < 3; i++) {
    u[i] = b[i] - a[i] - (excess[1] * b[i] - excess[0] * a[i]);
    w[i] = c[i] - a[i] - (excess[2] * c[i] - excess[0] * a[i]);
    u2 += u[i] * u[i];
    w2 += w[i] * w[i];
  }
  for (int i = 0; i < 3; i++) {
    normal[i] = u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3];
    square += normal[i] * normal[i];
  }
  double length = sqrt(square), noise = 4e-16 * (1.0 + fmax(u2, w2) / length);
  for (int i = 0; i < 3; i++)
    normal[i] /= length;
  /* Onto the borders between the seeds, exactly: of seeds nearly in a row these meet at angles as small as
   * the ones between the seeds. */
  for (int step = 0; step < 4; step++) {
    const double *side = step % 2 == 0 ? u : w, sides = step % 2 == 0 ? u2 : w2;
    double off = (normal[0] * side[0] + normal[1] * side[1] + normal[2] * side[2]) / sides;
    for (int i = 0; i < 3; i++)
      normal[i] -= off * side[i];
  }
  /* A pole's longitude would be noise. */
  if (hypot(normal[0], normal[1]) < fmax(noise, 1e-13)) normal[0] = normal[1] = 0.0;
  gv_globe_place(f->globe, normal, &f->x[facet], &f->y[facet]);
  f->noise[facet] = noise * f->globe->radius;
}

/*
 * Moves the vertex on the conformal sphere to where first terms of distances on the ellipsoid are equal, so
 * that the search that follows has one step less: a length is the integral of the mapping's scale, 1 - e^2 /
 * 2 z^2 at the height z, along the great circle. Only as far as that is a small part of the distances. Gain:
 * local.h.
 */
static void place_approach(const gv_vertex_places *f, int32_t facet, double normal[3]) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet;
  double across = sqrt(normal[0] * normal[0] + normal[1] * normal[1]), e2 = f->globe->shape.eccentricity2;
  double length[3], along[3][2], least = 1.0;
  if (across < 0.02) return;
  const double east[3] = {-normal[1] / across, normal[0] / across, 0.0};
  const double north[3] = {-normal[2] * normal[0] / across, -normal[2] * normal[1] / across, across};
  for (int i = 0; i < 3; i++) {
    const double *p = f->t->position + 3 * (int64_t)v[i];
    const double d[3] = {p[0] - normal[0], p[1] - normal[1], p[2] - normal[2]};
    double chord2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], chord = sqrt(chord2);
    double middle = (p[2] + normal[2]) / sqrt(4.0 - chord2), x = 0.25 * chord2;
    double heights = p[2] * p[2] + 4.0 * middle * middle + normal[2] * normal[2];
    if (!(chord > 0.0 && chord < 0.3)) return;
    /* The arc; twice the arcsine of half the chord. */
    length[i] =
        chord * (1.0 + x * (1.0 / 6.0 + x * (3.0 / 40.0 + x * 15.0 / 336.0))) * (1.0 - e2 / 12.0 * heights);
    double to_east = d[0] * east[0] + d[1] * east[1],
           to_north = d[0] * north[0] + d[1] * north[1] + d[2] * north[2];
    double flat = sqrt(to_east * to_east + to_north * to_north);
    along[i][0] = to_east / flat;
    along[i][1] = to_north / flat;
    least = fmin(least, chord);
  }
  double e1 = along[1][0] - along[0][0], n1 = along[1][1] - along[0][1], d1 = length[1] - length[0];
  double e3 = along[2][0] - along[0][0], n3 = along[2][1] - along[0][1], d3 = length[2] - length[0];
  double determinant = e1 * n3 - e3 * n1, to_east = (d1 * n3 - d3 * n1) / determinant,
         to_north = (e1 * d3 - e3 * d1) / determinant;
  if (!(to_east * to_east + to_north * to_north < 1e-6 * least * least)) return;
  for (int i = 0; i < 3; i++)
    normal[i] += to_east * east[i] + to_north * north[i];
  gv_globe_place(f->globe, normal, &f->x[facet], &f->y[facet]);
}

/* From the vertex on the conformal sphere to that on the ellipsoid. */
static void place_of_ellipsoid(const gv_vertex_places *f, int32_t facet) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet;
  double lon[3], lat[3];
  gv_equidistant at = {.lon = f->x[facet], .lat = f->y[facet]};
  for (int i = 0; i < 3; i++) {
    lon[i] = f->lon[v[i]];
    lat[i] = f->lat[v[i]];
  }
  f->distance[facet] = -1.0;
  if (!gv_equidistant_find(f->globe, 3, lon, lat, &at)) return;
  f->distance[facet] = at.distance;
  f->noise[facet] = at.noise;
  double to_pole = (90.0 - fabs(at.lat)) * 111e3;
  if (to_pole < fmax(1e-6, at.noise)) {
    at.lat = at.lat < 0.0 ? -90.0 : 90.0;
    at.lon = 0.0;
    geod_inverse(&f->globe->geod, at.lat, at.lon, lat[0], lon[0], &f->distance[facet], NULL, NULL);
  }
  f->x[facet] = at.lon;
  f->y[facet] = at.lat;
}

/* Three seeds of one latitude are equally far from the poles, exactly. The vertex on the conformal sphere is
 * beside one. */
static bool place_at_pole(const gv_vertex_places *f, int32_t facet) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet;
  if (f->lat[v[0]] != f->lat[v[1]] || f->lat[v[0]] != f->lat[v[2]]) return false;
  f->x[facet] = 0.0;
  f->y[facet] = copysign(90.0, f->y[facet]);
  f->noise[facet] = 0.0;
  geod_inverse(&f->globe->geod, f->y[facet], 0.0, f->lat[v[0]], f->lon[v[0]], &f->distance[facet], NULL,
               NULL);
  return true;
}

/* Two corners of one latitude exactly have a meridian as their border: onto it, if the vertex is beside it by
 * rounding. */
static void place_snap(const gv_vertex_places *f, int32_t facet) {
  const int32_t *v = f->t->corner + 3 * (int64_t)facet;
  double *lon = &f->x[facet], scale = cos(f->y[facet] * GV_DEGREE) * 111e3;
  for (int i = 0; i < 3 && fabs(f->y[facet]) < 90.0; i++) {
    int32_t a = v[i], b = v[(i + 1) % 3];
    if (f->lat[a] != f->lat[b]) continue;
    double middle = gv_globe_halfway(f->lon[a], f->lon[b]);
    /* Directions are rounded by 1e-16. */
    double apart = fabs(remainder(f->lon[a] - f->lon[b], 360.0)) * cos(f->lat[a] * GV_DEGREE);
    double near = fmax(fmax(1e-6, f->noise[facet]), 4e-7 / fmax(apart, 1e-10));
    if (fabs(remainder(*lon - middle, 360.0)) > 90.0) middle += middle > 0.0 ? -180.0 : 180.0;
    if (fabs(remainder(*lon - middle, 360.0)) * scale < near) *lon = middle;
  }
}

void gv_vertex_place(const gv_vertex_places *f, int32_t facet) {
  if (f->globe == NULL) {
    place_of_plane(f, facet);
    return;
  }
  double normal[3];
  place_of_sphere(f, facet, normal);
  if (place_at_pole(f, facet)) return;
  if (f->globe->ellipsoid) {
    place_approach(f, facet, normal);
    place_of_ellipsoid(f, facet);
  }
  place_snap(f, facet);
}
