/* Points on edges by halving, in blocks of edges. */
#include "diagram/trace.h"

#include <math.h>
#include <string.h>

#include "core/angles.h"
#include "core/buffer.h"
#include "core/parallel.h"
#include "diagram/predicates.h"
#include "geodesic/turn.h"

enum { TRACE_BLOCK = 512, TRACE_DEPTH = 48, TRACE_BENDS = 16 };

typedef struct tracer {
  const gv_diagram_cells *cells;
  const gv_paths *paths;
  const gv_globe *globe;
  const double *lon, *lat, *position;
  double tolerance;
  gv_lines *out;
  gv_buffer *block; /* of blocks of edges: their points, x and y in turn */
  gv_progress progress;
} tracer;

/* State of tracing an edge. */
typedef struct track {
  const tracer *t;
  double lon[2], lat[2]; /* of the seeds */
  double x[3], y[3];     /* the circle: from x on towards y, by `angle` */
  double angle;
  double begin[3], end[3]; /* offsets of the ends from the circle */
  gv_buffer *points;
  int64_t count;
} track;

/* The offset of the bisector from the circle in a part `from` to `to` of the edge: at its begin, middle and
 * end; a parabola between them. */
typedef struct track_bend {
  double from, to, off[3][3];
} track_bend;

typedef struct track_point {
  double at, lon, lat;
} track_point;

/* The circle of the places equally far from two directions, from one vertex to another with the first
 * direction on the left. */
static void track_start(track *k, const double *left, const double *right, const double from[3],
                        const double to[3]) {
  double axis[3], length = 0.0, height[2] = {0.0, 0.0}, cosine = 0.0, sine = 0.0;
  for (int i = 0; i < 3; i++) {
    axis[i] = left[i] - right[i];
    length += axis[i] * axis[i];
  }
  length = sqrt(length);
  for (int i = 0; i < 3; i++) {
    axis[i] /= length;
    height[0] += from[i] * axis[i];
    height[1] += to[i] * axis[i];
  }
  length = 0.0;
  for (int i = 0; i < 3; i++) {
    k->x[i] = from[i] - height[0] * axis[i];
    length += k->x[i] * k->x[i];
  }
  length = sqrt(length);
  for (int i = 0; i < 3; i++)
    k->x[i] /= length;
  for (int i = 0; i < 3; i++) {
    k->y[i] = axis[(i + 1) % 3] * k->x[(i + 2) % 3] - axis[(i + 2) % 3] * k->x[(i + 1) % 3];
    k->begin[i] = from[i] - k->x[i];
  }
  for (int i = 0; i < 3; i++) {
    cosine += to[i] * k->x[i];
    sine += to[i] * k->y[i];
  }
  k->angle = atan2(sine, cosine);
  /* An edge is half a circle at most; a little backwards is rounding. */
  if (k->angle < -0.5 * GV_PI) k->angle += 2.0 * GV_PI;
  for (int i = 0; i < 3; i++)
    k->end[i] = to[i] - (cos(k->angle) * k->x[i] + sin(k->angle) * k->y[i]);
}

static void track_circle(const track *k, double at, double place[3]) {
  double cosine = cos(at * k->angle), sine = sin(at * k->angle);
  for (int i = 0; i < 3; i++)
    place[i] = cosine * k->x[i] + sine * k->y[i] + (1.0 - at) * k->begin[i] + at * k->end[i];
}

static void track_parabola(const track_bend *bend, double at, double off[3]) {
  double s = (at - bend->from) / (bend->to - bend->from);
  for (int i = 0; i < 3; i++)
    off[i] = (1.0 - s) * (1.0 - 2.0 * s) * bend->off[0][i] + 4.0 * s * (1.0 - s) * bend->off[1][i] +
             s * (2.0 * s - 1.0) * bend->off[2][i];
}

/* The position of the edge at a share of its length. */
static track_point track_at(const track *k, const track_bend *bend, double at) {
  double place[3], off[3];
  track_point p = {.at = at};
  track_circle(k, at, place);
  track_parabola(bend, at, off);
  for (int i = 0; i < 3; i++)
    place[i] += off[i];
  gv_globe_place(k->t->globe, place, &p.lon, &p.lat);
  return p;
}

/* Finds the offset of the bisector from the circle at a share of the edge, starting from the expected one;
 * returns the meters between the two. Outside the range of geodesics (equidistant.h) the circle is used; from
 * 30 km before that the offset is faded out. *noise: how far rounding may move the place, meters. */
static double track_off_circle(const track *k, double at, const double expected[3], double off[3],
                               double *noise) {
  double place[3], start[3], found[3], square = 0.0;
  gv_equidistant on = {.lon = 0.0};
  track_circle(k, at, place);
  for (int i = 0; i < 3; i++)
    start[i] = place[i] + expected[i];
  gv_globe_place(k->t->globe, start, &on.lon, &on.lat);
  double share = 0.0;
  if (gv_equidistant_find(k->t->globe, 2, k->lon, k->lat, &on))
    share = fmin(1.0, (gv_globe_reach(k->t->globe) - on.distance) / 30e3);
  gv_globe_vectors(k->t->globe, 1, &on.lon, &on.lat, found);
  for (int i = 0; i < 3; i++) {
    off[i] = share > 0.0 ? share * (found[i] - place[i]) : 0.0;
    square += (off[i] - expected[i]) * (off[i] - expected[i]);
  }
  *noise = on.noise;
  return sqrt(square) * k->t->globe->radius;
}

/* The offset of the bisector of two directions from a place beside it: vectors are rounded, which would move
 * it by 1e-16 of their distance's inverse. */
static void track_to_sphere(const double *left, const double *right, const double place[3], double off[3]) {
  double excess[2] = {gv_sphere_excess(left), gv_sphere_excess(right)}, square = 0.0, height = 0.0;
  for (int i = 0; i < 3; i++) {
    off[i] = left[i] - right[i] - (excess[0] * left[i] - excess[1] * right[i]);
    square += off[i] * off[i];
    height += off[i] * place[i];
  }
  for (int i = 0; i < 3; i++)
    off[i] *= -height / square;
}

/* The square of the chord between two directions. */
static double track_away2(const double a[3], const double b[3]) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

/* Maximum distance in meters of an edge with first vertex `from` from its great circle on the conformal
 * sphere (trace.h). */
static double track_expected(const track *k, const double seed[3], const double from[3]) {
  double length = fabs(k->angle), square = track_away2(seed, from);
  return fabs(k->t->globe->shape.eccentricity2) * k->t->globe->radius * length * (0.125 * length + square);
}

static gv_status track_put(gv_worker *worker, track *k, double lon, double lat) {
  int64_t room = (int64_t)(k->points->bytes / (2 * sizeof(double)));
  if (k->count == room &&
      gv_buffer_extend(k->points, &k->t->out->allocator, 2 * room + 1024, 2 * sizeof(double)) == NULL)
    return gv_fail_memory(&worker->context, "the lines");
  double *points = k->points->memory;
  points[2 * k->count] = lon;
  points[2 * k->count + 1] = lat;
  k->count++;
  return GV_OK;
}

/* Meters from a place to the line between two others that is straight in longitude and latitude; too long
 * rather than too short. */
static double track_off(const track *k, const track_point *a, const track_point *b, const track_point *p) {
  double nearest_equator = fmin(fabs(p->lat), fmin(fabs(a->lat), fabs(b->lat)));
  double cosine = cos(nearest_equator * GV_DEGREE);
  double bx = gv_turn(b->lon - a->lon) * cosine, by = b->lat - a->lat;
  double px = gv_turn(p->lon - a->lon) * cosine, py = p->lat - a->lat;
  double square = bx * bx + by * by, along = square > 0.0 ? (px * bx + py * by) / square : 0.0;
  along = fmin(fmax(along, 0.0), 1.0);
  return hypot(px - along * bx, py - along * by) * GV_DEGREE * k->t->globe->radius * 1.01;
}

/* Meters, roughly. */
static double track_span(const track *k, double from, double to) {
  return (to - from) * fabs(k->angle) * k->t->globe->radius;
}

/* Points between two of them, without these. */
static gv_status track_halve(gv_worker *worker, track *k, const track_bend *bend, const track_point *a,
                             const track_point *b, int depth) {
  const double most = 0.6 * k->t->tolerance;
  if (track_span(k, a->at, b->at) < most || depth == TRACE_DEPTH) return GV_OK;
  track_point middle = track_at(k, bend, 0.5 * (a->at + b->at));
  double turn = fabs(gv_turn(b->lon - a->lon));
  /* The shorter way of half a turn is undefined, except across a pole. */
  bool straight =
      (turn < 120.0 || fmin(fabs(a->lat), fabs(b->lat)) > 80.0) && track_off(k, a, b, &middle) <= most;
  for (int i = 1; i < 4 && straight; i += 2) { /* not a parabola: an S has its middle on the line */
    track_point quarter = track_at(k, bend, a->at + 0.25 * i * (b->at - a->at));
    straight = track_off(k, a, b, &quarter) <= most;
  }
  if (straight) return GV_OK;
  GV_TRY(track_halve(worker, k, bend, a, &middle, depth + 1));
  GV_TRY(track_put(worker, k, middle.lon, middle.lat));
  return track_halve(worker, k, bend, &middle, b, depth + 1);
}

/* The same, with parts so short that the bisector is close to parabolas. */
static gv_status track_bends(gv_worker *worker, track *k, const track_bend *bend, const track_point *a,
                             const track_point *b, int depth) {
  double expected[3], quarter[2][3], noise, wrong = 0.0, enough = k->t->tolerance / 50.0;
  double middle = 0.5 * (bend->from + bend->to), width = bend->to - bend->from;
  if (track_span(k, bend->from, bend->to) < k->t->tolerance || depth == TRACE_BENDS)
    return track_halve(worker, k, bend, a, b, depth);
  for (int i = 0; i < 2; i++) {
    double at = bend->from + (i == 0 ? 0.25 : 0.75) * width;
    track_parabola(bend, at, expected);
    wrong = fmax(wrong, track_off_circle(k, at, expected, quarter[i], &noise) - 4.0 * noise);
  }
  if (wrong <= enough) return track_halve(worker, k, bend, a, b, depth);
  track_bend half[2] = {{.from = bend->from, .to = middle}, {.from = middle, .to = bend->to}};
  for (int i = 0; i < 2; i++) {
    memcpy(half[i].off[0], bend->off[i], sizeof half[i].off[0]);
    memcpy(half[i].off[1], quarter[i], sizeof half[i].off[1]);
    memcpy(half[i].off[2], bend->off[i + 1], sizeof half[i].off[2]);
  }
  track_point between = track_at(k, bend, middle);
  GV_TRY(track_bends(worker, k, &half[0], a, &between, depth + 1));
  GV_TRY(track_put(worker, k, between.lon, between.lat));
  return track_bends(worker, k, &half[1], &between, b, depth + 1);
}

/* --------------------------------------------------------------------------------------------- even parts */

/*
 * The offset of the bisector from the middle of the circle, of seeds that are less than `away` radians from
 * it; false where it may be off by more than `most` meters (trace.h). Borders bend as geodesics of the
 * ellipsoid do: by the gradient of the logarithm of the mapping's scale.
 */
static bool track_bent(const track *k, double away, double most, double off[3]) {
  const gv_globe *globe = k->t->globe;
  double place[3], axis[3], lon, lat, square = away * away, length = k->angle;
  double whole = globe->shape.eccentricity2 * globe->radius * length * length;
  if (!globe->series || !(length > 0.0 && length < 0.2 && away < 0.3)) return false;
  if (fabs(whole) * (0.007 * length + 0.08 * square + 0.02 * length * length) > most) return false;
  track_circle(k, 0.5, place);
  for (int i = 0; i < 3; i++)
    axis[i] = k->x[(i + 1) % 3] * k->y[(i + 2) % 3] - k->x[(i + 2) % 3] * k->y[(i + 1) % 3];
  gv_globe_place(globe, place, &lon, &lat);
  double across = 1.0 - place[2] * place[2], scale = place[2] - sin(lat * GV_DEGREE);
  if (across < 0.03) return false;
  for (int i = 0; i < 3; i++)
    off[i] = -0.125 * length * length * scale / across * axis[2] * axis[i];
  return true;
}

/*
 * Into how many parts of one length a border is divided, away from the poles; 0: it is too long or too near
 * to one. A great circle with the normal
 * (.., .., A) at the height z bends by A z / (1 - z^2) (2 - A^2 / (1 - z^2)) from lines that are straight in
 * longitude and latitude, by 5 e^2 more on the ellipsoid. A curve that bends by K is K h^2 / 8 beside a line
 * of length h.
 */
static int64_t track_parts(const track *k, const double off[3]) {
  const gv_globe *globe = k->t->globe;
  double length = k->angle, sine = sin(length), cosine = cos(length), from = k->x[2];
  double to = cosine * k->x[2] + sine * k->y[2], rise = k->y[2], rise_to = cosine * k->y[2] - sine * k->x[2];
  double normal = k->x[0] * k->y[1] - k->x[1] * k->y[0], highest = fmax(fabs(from), fabs(to));
  double lowest = from * to < 0.0 ? 0.0 : fmin(fabs(from), fabs(to));
  if (rise * rise_to < 0.0) highest = sqrt(1.0 - normal * normal);
  double least = 1.0 - highest * highest, most = 1.0 - lowest * lowest;
  if (!(length > 0.0 && length < 0.2 && least > 0.03)) return 0;
  double bend = fabs(normal) * highest / least * (2.0 - normal * normal / most);
  bend *= 1.02 * (1.0 + 5.0 * fabs(globe->shape.eccentricity2));
  double beside = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) + 0.125 * length * length * bend;
  double parts = ceil(sqrt(beside * globe->radius / (0.6 * k->t->tolerance)));
  return (int64_t)fmin(fmax(parts, ceil(10.0 * length * highest / sqrt(least))), 1e9);
}

/* The points between two, in parts of one length. */
static gv_status track_divide(gv_worker *worker, track *k, const double off[3], int64_t parts) {
  double step = k->angle / (double)parts, sine = sin(step), cosine = cos(step), along = 1.0, across = 0.0;
  for (int64_t i = 1; i < parts; i++) {
    double place[3], lon, lat, at = (double)i / (double)parts, next = cosine * along - sine * across;
    across = sine * along + cosine * across;
    along = next;
    for (int j = 0; j < 3; j++)
      place[j] = along * k->x[j] + across * k->y[j] + (1.0 - at) * k->begin[j] + at * k->end[j] +
                 4.0 * at * (1.0 - at) * off[j];
    gv_globe_place(k->t->globe, place, &lon, &lat);
    GV_TRY(track_put(worker, k, lon, lat));
  }
  return GV_OK;
}

/* The points between two of an edge. */
static gv_status trace_between(gv_worker *worker, track *k, int64_t edge, const track_point *a,
                               const track_point *b) {
  static const double nothing[3] = {0.0, 0.0, 0.0};
  const tracer *t = k->t;
  int64_t left = t->cells->side[2 * edge], right = t->cells->side[2 * edge + 1];
  track_bend bend = {.from = 0.0, .to = 1.0};
  double noise, ends[6], lon[2] = {a->lon, b->lon}, lat[2] = {a->lat, b->lat};
  gv_globe_vectors(t->globe, 2, lon, lat, ends);
  track_start(k, t->position + 3 * left, t->position + 3 * right, ends, ends + 3);
  k->lon[0] = t->lon[left];
  k->lon[1] = t->lon[right];
  k->lat[0] = t->lat[left];
  k->lat[1] = t->lat[right];
  bool circle =
      !t->globe->ellipsoid || track_expected(k, t->position + 3 * left, ends) <= t->tolerance / 10.0;
  double away = sqrt(track_away2(t->position + 3 * left, ends)) + fabs(k->angle);
  if (circle || track_bent(k, away, t->tolerance / 50.0, bend.off[1])) {
    int64_t parts = track_parts(k, bend.off[1]);
    return parts > 0 ? track_divide(worker, k, bend.off[1], parts) : track_halve(worker, k, &bend, a, b, 0);
  }
  track_off_circle(k, 0.5, nothing, bend.off[1], &noise);
  return track_bends(worker, k, &bend, a, b, 0);
}

/* Whether a line through three points turns back at the second one. */
static bool trace_turns_back(const gv_globe *globe, const double a[2], const double b[2], const double c[2]) {
  const double lon[3] = {a[0], b[0], c[0]}, lat[3] = {a[1], b[1], c[1]};
  double v[9], along = 0.0;
  gv_globe_vectors(globe, 3, lon, lat, v);
  for (int i = 0; i < 3; i++)
    along += (v[3 + i] - v[i]) * (v[6 + i] - v[3 + i]);
  return along < 0.0;
}

/* The points of an edge with a path, without its ends, and without those beyond its ends: where borders meet
 * at tiny angles, rounding moves vertices far along them. */
static gv_status trace_path(gv_worker *worker, track *k, int64_t edge, const track_point *a,
                            const track_point *b) {
  int32_t number = k->t->cells->path[edge];
  const gv_path *path = gv_paths_get(k->t->paths, (number < 0 ? -number : number) - 1);
  const double *points = path->points.memory;
  const double *from = points + (number < 0 ? 2 * (path->count - 1) : 0),
               *to = points + (number < 0 ? 0 : 2 * (path->count - 1));
  bool enters = number < 0 ? path->leaves : path->enters, leaves = number < 0 ? path->enters : path->leaves;
  if (enters) {
    const track_point boundary = {1.0, from[0], from[1]};
    GV_TRY(trace_between(worker, k, edge, a, &boundary));
    GV_TRY(track_put(worker, k, boundary.lon, boundary.lat));
  }
  const double begin[2] = {a->lon, a->lat}, end[2] = {b->lon, b->lat}, *inner = points + 2;
  int64_t first = 0, last = path->count - 3, step = number < 0 ? -2 : 2;
  if (number < 0) inner = points + 2 * last + 2;
  while (!enters && first < last &&
         trace_turns_back(k->t->globe, begin, inner + step * first, inner + step * (first + 1)))
    first++;
  while (!leaves && first < last &&
         trace_turns_back(k->t->globe, inner + step * (last - 1), inner + step * last, end))
    last--;
  for (int64_t i = first; i <= last; i++)
    GV_TRY(track_put(worker, k, inner[step * i], inner[step * i + 1]));
  if (!leaves) return GV_OK;
  const track_point boundary = {0.0, to[0], to[1]};
  GV_TRY(track_put(worker, k, boundary.lon, boundary.lat));
  return trace_between(worker, k, edge, &boundary, b);
}

/* On the meridian halfway between two seeds of one latitude exactly, which is their border. */
static double trace_snap(const tracer *t, int64_t left, int64_t right, double lon) {
  double middle = gv_globe_halfway(t->lon[left], t->lon[right]), off = remainder(lon - middle, 360.0);
  return fabs(off) < 90.0 ? middle : middle > 0.0 ? middle - 180.0 : middle + 180.0;
}

/*
 * Past the poles. A pole is nearer to the seed of the higher latitude, and as near to both only if their
 * latitudes are equal: on which side of an edge it lies is decided by this, not by points beside it, which
 * rounding may have moved across. An edge through a pole gets the pole as a point. If the shorter way between
 * two points leads past the pole on the wrong side, a point between them is added.
 */
static gv_status trace_poles(gv_worker *worker, track *k, int64_t edge, int64_t first) {
  static const double at_pole = 90.0 - 1e-9;
  const tracer *t = k->t;
  int64_t left = t->cells->side[2 * edge], right = t->cells->side[2 * edge + 1], last = k->count - 1;
  bool level = t->lat[left] == t->lat[right];
  double *points = k->points->memory;
  int64_t kept = first;
  bool polar = false;
  for (int64_t i = first; i <= last; i++) {
    double lon = points[2 * i], lat = points[2 * i + 1];
    bool inner = i > first && i < last;
    if (inner && fabs(lat) > at_pole) continue;
    points[2 * kept] = inner && level ? trace_snap(t, left, right, lon) : lon;
    points[2 * kept++ + 1] = lat;
    polar |= fabs(lat) > 80.0;
  }
  k->count = kept;
  for (int64_t i = first; polar && i + 1 < k->count; i++) {
    points = k->points->memory;
    const double a[2] = {points[2 * i], points[2 * i + 1]}, b[2] = {points[2 * i + 2], points[2 * i + 3]};
    if (!level && (fmin(fabs(a[1]), fabs(b[1])) < 60.0 || a[1] * b[1] < 0.0)) continue;
    if (fabs(a[1]) == 90.0 || fabs(b[1]) == 90.0) continue;
    double turn = remainder(b[0] - a[0], 360.0), pole = copysign(90.0, fabs(a[1]) > fabs(b[1]) ? a[1] : b[1]);
    /* east: the north is left, the south is right */
    double wanted = t->lat[left] > t->lat[right] ? 1.0 : -1.0;
    if (fabs(turn) < 90.0 || (!level && turn * wanted > 0.0 && fabs(turn) < 179.999)) continue;
    double lon = level ? 0.0 : a[0] + wanted * 90.0, lat = level ? pole : copysign(at_pole, pole);
    gv_normalize_lonlat(&lon, &lat);
    GV_TRY(track_put(worker, k, lon, lat));
    points = k->points->memory;
    memmove(points + 2 * (i + 2), points + 2 * (i + 1), (size_t)(k->count - i - 2) * 2 * sizeof(double));
    points[2 * i + 2] = lon;
    points[2 * i + 3] = lat;
    i++;
  }
  return GV_OK;
}

bool gv_lines_middle(const gv_globe *globe, const double *lon, const double *lat, const double *position,
                     const int64_t side[2], const double from[2], const double to[2], double middle[2]) {
  static const double nothing[3] = {0.0, 0.0, 0.0};
  const tracer t = {.globe = globe, .lon = lon, .lat = lat, .position = position};
  track k = {.t = &t, .lon = {lon[side[0]], lon[side[1]]}, .lat = {lat[side[0]], lat[side[1]]}};
  double ends[6], place[3], off[3] = {0.0}, noise = 3e-8, apart = 0.0;
  const double both_lon[2] = {from[0], to[0]}, both_lat[2] = {from[1], to[1]};
  gv_globe_vectors(globe, 2, both_lon, both_lat, ends);
  track_start(&k, position + 3 * side[0], position + 3 * side[1], ends, ends + 3);
  if (globe->ellipsoid) track_off_circle(&k, 0.5, nothing, off, &noise);
  for (int i = 0; i < 3; i++)
    apart = hypot(apart, position[3 * side[0] + i] - position[3 * side[1] + i]);
  if (!(track_span(&k, 0.0, 1.0) * apart > 4.0 * noise)) return false;
  track_circle(&k, 0.5, place);
  if (!globe->ellipsoid) track_to_sphere(position + 3 * side[0], position + 3 * side[1], place, off);
  for (int i = 0; i < 3; i++)
    place[i] += off[i];
  gv_globe_place(globe, place, &middle[0], &middle[1]);
  if (k.lat[0] == k.lat[1]) middle[0] = trace_snap(&t, side[0], side[1], middle[0]);
  return true;
}

void gv_lines_refine(const gv_globe *globe, const double *lon, const double *lat, const int64_t side[2],
                     double place[2], double *noise) {
  const double both_lon[2] = {lon[side[0]], lon[side[1]]}, both_lat[2] = {lat[side[0]], lat[side[1]]};
  gv_equidistant at = {.lon = place[0], .lat = place[1]};
  bool snapped = both_lat[0] == both_lat[1] || fabs(place[1]) > 89.0;
  if (!globe->ellipsoid || snapped || !gv_equidistant_find(globe, 2, both_lon, both_lat, &at)) return;
  place[0] = at.lon;
  place[1] = at.lat;
  if (noise != NULL) *noise = at.noise;
}

static gv_status trace_edge(gv_worker *worker, track *k, int64_t edge) {
  const tracer *t = k->t;
  const gv_diagram_cells *cells = t->cells;
  int64_t from = cells->end[2 * edge], to = cells->end[2 * edge + 1], first = k->count;
  track_point a = {0.0, cells->x[from], cells->y[from]}, b = {1.0, cells->x[to], cells->y[to]};
  GV_TRY(track_put(worker, k, a.lon, a.lat));
  if (t->globe != NULL)
    GV_TRY(cells->path != NULL && cells->path[edge] != 0 ? trace_path(worker, k, edge, &a, &b)
                                                         : trace_between(worker, k, edge, &a, &b));
  GV_TRY(track_put(worker, k, b.lon, b.lat));
  return t->globe != NULL ? trace_poles(worker, k, edge, first) : GV_OK;
}

static gv_status trace_body(gv_worker *worker, int64_t first, int64_t end) {
  tracer *t = worker->user;
  for (int64_t block = first; block < end; block++) {
    int64_t last = (block + 1) * TRACE_BLOCK;
    if (last > t->cells->edges) last = t->cells->edges;
    track k = {.t = t, .points = &t->block[block]};
    for (int64_t edge = block * TRACE_BLOCK; edge < last; edge++) {
      int64_t before = k.count;
      GV_TRY(trace_edge(worker, &k, edge));
      t->out->first[edge + 1] = k.count - before;
      if (t->globe != NULL && !gv_progress_add(&t->progress, 1)) return GV_OK;
    }
  }
  return GV_OK;
}

/* Converts counts to offsets; then joins all points. */
static gv_status trace_join(gv_context *context, tracer *t, int64_t blocks) {
  gv_lines *out = t->out;
  int64_t edges = t->cells->edges;
  out->first[0] = 0;
  for (int64_t i = 0; i < edges; i++)
    out->first[i + 1] += out->first[i];
  out->x = gv_allocate(&out->allocator, out->first[edges], sizeof(double));
  out->y = gv_allocate(&out->allocator, out->first[edges], sizeof(double));
  if (out->x == NULL || out->y == NULL) return gv_fail_memory(context, "the lines");
  for (int64_t block = 0; block < blocks; block++) {
    int64_t last = (block + 1) * TRACE_BLOCK, from = out->first[block * TRACE_BLOCK];
    int64_t count = out->first[last < edges ? last : edges] - from;
    const double *points = t->block[block].memory;
    for (int64_t i = 0; i < count; i++) {
      out->x[from + i] = points[2 * i];
      out->y[from + i] = points[2 * i + 1];
    }
    gv_buffer_clear(&t->block[block], &out->allocator);
  }
  return GV_OK;
}

gv_status gv_lines_trace(gv_context *context, const gv_diagram_cells *cells, const gv_paths *paths,
                         const gv_globe *globe, const double *lon, const double *lat, const double *position,
                         double tolerance, gv_lines *out) {
  const gv_allocator *allocator = &context->allocator;
  int64_t blocks = (cells->edges + TRACE_BLOCK - 1) / TRACE_BLOCK;
  tracer t = {.cells = cells,
              .paths = paths,
              .globe = globe,
              .lon = lon,
              .lat = lat,
              .position = position,
              .tolerance = tolerance,
              .out = out};
  *out = (gv_lines){.allocator = *allocator};
  out->first = gv_allocate(allocator, cells->edges + 1, sizeof(int64_t));
  t.block = gv_allocate_zeroed(allocator, blocks, sizeof *t.block);
  if (out->first == NULL || t.block == NULL) {
    gv_release(allocator, t.block);
    return gv_fail_memory(context, "the lines");
  }
  gv_loop loop = {context, context->threads, blocks, 1, &t.progress, &t};
  gv_progress_init(&t.progress, context, cells->edges);
  gv_status status = gv_parallel_for(&loop, trace_body);
  if (status == GV_OK) status = trace_join(context, &t, blocks);
  for (int64_t i = 0; i < blocks; i++)
    gv_buffer_clear(&t.block[i], allocator);
  gv_release(allocator, t.block);
  return status;
}

void gv_lines_free(gv_lines *lines) {
  gv_release(&lines->allocator, lines->first);
  gv_release(&lines->allocator, lines->x);
  gv_release(&lines->allocator, lines->y);
  lines->first = NULL;
  lines->x = lines->y = NULL;
}
