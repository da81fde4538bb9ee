/*
 * Rows and columns are sorted by angle. Of a query q and the point p of a row (distance r from the axis,
 * height z) and a column:
 *
 *   chord2 = (r_q - r)^2 + (z_q - z)^2 + 2 r (r_q - along),    along = r_q cos(difference of longitudes).
 *
 * In a row it grows with the difference of longitudes on both sides. Its least value over all longitudes,
 * the first two terms, grows along the meridian on both sides of the query for 168 degrees (flattening up
 * to 1/10: its derivative has the sign of sin(d/2) ((a^2 + b^2) cos(d/2) - (a^2 - b^2) cos(sum)), for
 * parametric latitudes that differ by d), and is above 1 beyond. So a search ends on a side where this
 * bound is above the worst neighbor, if that is below 1. Every chord that counts is the exact distance of
 * the vector that gv_lonlat_to_vectors has; SLACK covers the rounding of bounds, and of the products by
 * which the first row and column are found.
 *
 * From one column to the next on the same side chord2 grows by at least r r_q |difference of their unit
 * vectors|^2, and from the nearest column to that on the other side by 2 r (difference of along). Where
 * this is above CLEAR, ten times the rounding of two squared chords, the columns behind one that is as far
 * as the worst neighbor, or farther, need no distance. Gain: 1.4x on 10^6 cells of a grid with 10^6 random
 * queries, great circles.
 */
#include "indexes/axes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/angles.h"
#include "core/parallel.h"
#include "exact/canonical.h"
#include "search/nearest_list.h"
#include "search/radius.h"

enum { GRAIN = 512, TOGETHER = 64 /* queries that are measured at once */ };

#define SLACK       1e-6
#define LEAST_SLACK 1e-14 /* of a bound with differences of numbers near 1 */
#define CLEAR       1e-14
#define NEAR        2e-5 /* radians, twice the error of axes_near_angle */

/* A row or column: its angle in radians, its place in the plane of the angle (columns: cosine and sine of the
 * longitude; rows: distance from the globe's axis, height), and its number on the caller's axis. */
typedef struct axis_entry {
  double angle, first, second;
  int64_t number;
} axis_entry;

/* One axis, sorted by angle. */
typedef struct axis {
  int64_t count;
  axis_entry *entry;
  double per_radian; /* entries */
} axis;

typedef struct axes_state {
  axis columns, rows;
  double step2;                  /* least squared difference of unit vectors of neighboring columns */
  int64_t row_step, column_step; /* in numbers of points */
} axes_state;

/* ------------------------------------------------------------------------------------------------ finding */

static bool axes_is_pole(double lat) {
  return fabs(lat) == 90.0;
}

/* The first row beside the poles, which has all longitudes; the number of rows if there is none. */
static int64_t axes_wide_row(const gv_axes *axes, const double *lat) {
  int64_t row = 0;
  while (row < axes->rows && axes_is_pole(lat[row * gv_axes_row_step(axes)]))
    row++;
  return row;
}

/* Whether all positions are those of the axes. At a pole all longitudes are one. */
static bool axes_hold(const gv_axes *axes, const double *lon, const double *lat) {
  int64_t row_step = gv_axes_row_step(axes), column_step = gv_axes_column_step(axes),
          wide = axes_wide_row(axes, lat);
  if (wide == axes->rows) return false;
  for (int64_t row = 0; row < axes->rows; row++) {
    const double latitude = lat[row * row_step];
    for (int64_t column = 0; column < axes->columns; column++) {
      int64_t number = row * row_step + column * column_step;
      if (lat[number] != latitude) return false;
      if (!axes_is_pole(latitude) && lon[number] != lon[wide * row_step + column * column_step]) return false;
    }
  }
  return true;
}

gv_axes gv_axes_find(const double *lon, const double *lat, int64_t count) {
  const gv_axes none = {0, 0, false};
  int64_t columns = 1, rows = 1;
  while (columns < count && lat[columns] == lat[0])
    columns++;
  if (columns == 1) {
    while (rows < count && lat[rows] != lat[0])
      rows++;
  }
  gv_axes found =
      columns > 1 ? (gv_axes){columns, count / columns, true} : (gv_axes){count / rows, rows, false};
  bool whole = found.columns > 1 && found.rows > 1 && found.columns * found.rows == count;
  return whole && axes_hold(&found, lon, lat) ? found : none;
}

bool gv_axes_are_searched(const gv_ellipsoid *ellipsoid) {
  return fabs(ellipsoid->flattening) <= 0.1;
}

/* ----------------------------------------------------------------------------------------------- building */

static int axis_compare(const void *one, const void *other) {
  const axis_entry *a = one, *b = other;
  if (a->angle != b->angle) return a->angle < b->angle ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static void axis_sort(axis *a) {
  qsort(a->entry, (size_t)a->count, sizeof *a->entry, axis_compare);
  double span = a->entry[a->count - 1].angle - a->entry[0].angle;
  a->per_radian = span > 0.0 ? (double)(a->count - 1) / span : 0.0;
}

static double axes_least_step2(const axis *columns) {
  double least = INFINITY;
  for (int64_t i = 0; i < columns->count; i++) {
    const axis_entry *one = &columns->entry[i], *next = &columns->entry[(i + 1) % columns->count];
    const double c = next->first - one->first, s = next->second - one->second;
    least = fmin(least, c * c + s * s);
  }
  return least;
}

static void axes_fill_columns(const gv_axes *axes, const double *lon, const double *lat,
                              axis_entry *entries) {
  const double *first = lon + axes_wide_row(axes, lat) * gv_axes_row_step(axes);
  for (int64_t i = 0; i < axes->columns; i++) {
    double degrees = first[i * gv_axes_column_step(axes)], sine, cosine;
    gv_sincos_degrees(1, &degrees, &sine, &cosine);
    entries[i] = (axis_entry){degrees * GV_DEGREE, cosine, sine, i};
  }
}

static void axes_fill_rows(const gv_axes *axes, const gv_ellipsoid *ellipsoid, bool geocentric_cartesian,
                           const double *lat, axis_entry *entries) {
  for (int64_t i = 0; i < axes->rows; i++) {
    double degrees = lat[i * gv_axes_row_step(axes)], sine, cosine, r, z;
    gv_sincos_degrees(1, &degrees, &sine, &cosine);
    gv_meridian_points(ellipsoid, geocentric_cartesian, 1, &sine, &cosine, &r, &z);
    entries[i] = (axis_entry){atan2(z, r), r, z, i};
  }
}

static void axes_destroy(const gv_reference *reference, void *state) {
  axes_state *s = state;
  if (s == NULL) return;
  gv_release(&reference->allocator, s->columns.entry);
  gv_release(&reference->allocator, s->rows.entry);
  gv_release(&reference->allocator, s);
}

static bool axes_prepare(const gv_allocator *allocator, const gv_axes *axes, const gv_ellipsoid *ellipsoid,
                         bool geocentric_cartesian, const double *lon, const double *lat, axes_state *s) {
  s->columns =
      (axis){.count = axes->columns, .entry = gv_allocate(allocator, axes->columns, sizeof(axis_entry))};
  s->rows = (axis){.count = axes->rows, .entry = gv_allocate(allocator, axes->rows, sizeof(axis_entry))};
  if (s->columns.entry == NULL || s->rows.entry == NULL) return false;
  s->row_step = gv_axes_row_step(axes);
  s->column_step = gv_axes_column_step(axes);
  axes_fill_columns(axes, lon, lat, s->columns.entry);
  axes_fill_rows(axes, ellipsoid, geocentric_cartesian, lat, s->rows.entry);
  axis_sort(&s->columns);
  axis_sort(&s->rows);
  s->step2 = axes_least_step2(&s->columns);
  return true;
}

/* ---------------------------------------------------------------------------------------------- searching */

/* The angle of (x, y), to 1e-5: Abramowitz and Stegun 4.4.47. Selections, so that compilers make vectors of
 * it. */
static inline double axes_near_angle(double x, double y) {
  const double across = fabs(x), up = fabs(y), least = across < up ? across : up,
               most = across < up ? up : across;
  const double t = least / (most + DBL_MIN), t2 = t * t;
  const double low =
      t * (0.9998660 + t2 * (-0.3302995 + t2 * (0.1801410 + t2 * (-0.0851330 + t2 * 0.0208351))));
  const double right = across < up ? 0.5 * GV_PI - low : low, angle = x < 0.0 ? GV_PI - right : right;
  return copysign(angle, y);
}

/* Whether the angle of an entry is at most that of (x, y), which is about `angle`. */
static bool axis_reaches(const axis_entry *e, double angle, double x, double y) {
  const double past = angle - e->angle;
  return fabs(past) > NEAR ? past > 0.0 : e->first * y - e->second * x >= 0.0;
}

/* How many entries of the axis have an angle of at most that of (x, y), which is about `angle`; at once where
 * the steps are even. */
static int64_t axis_find(const axis *a, double angle, double x, double y) {
  const double guess = (angle - a->entry[0].angle) * a->per_radian;
  int64_t low = 0, high = a->count, last = a->count - 1;
  const int64_t near = guess > 0.0 ? guess < (double)last ? (int64_t)guess : last : 0;
  if (axis_reaches(&a->entry[near], angle, x, y)) {
    if (near == last || !axis_reaches(&a->entry[near + 1], angle, x, y)) return near + 1;
    low = near + 2;
  } else {
    if (near == 0 || axis_reaches(&a->entry[near - 1], angle, x, y)) return near;
    high = near - 1;
  }
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (axis_reaches(&a->entry[middle], angle, x, y))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* A query of a search or of a radius, and where its neighbors go. */
typedef struct axes_query {
  const axes_state *state;
  const double *query;
  double r, z;
  double turn, height; /* angles of the query round the globe's axis and above the equator's plane, to 1e-5 */
  double along;        /* the query's component towards the nearest column, at most r */
  double apart;        /* twice how much less that towards the nearest column of the other side is */
  double step;         /* r step2 */
  int64_t near, other; /* those columns */
  int64_t away;        /* from the first of them to the next of its side: -1 or 1 */
  int64_t self;
  gv_nearest_list *nearest; /* NULL: a radius */
  gv_found_list *within;
  double limit; /* of a radius */
} axes_query;

static double axes_worst(const axes_query *q) {
  return q->nearest != NULL ? q->nearest->worst : q->limit;
}

/* Whether a chord that is at least as long as one of this computed value is too long. */
static bool axes_beyond(double chord2, double worst) {
  return chord2 > worst + SLACK * chord2 + 1e-23;
}

static double axes_offer(axes_query *q, int64_t row, int64_t column) {
  const axes_state *s = q->state;
  const axis_entry *at = &s->rows.entry[row], *turn = &s->columns.entry[column];
  const double vector[3] = {at->first * turn->first, at->first * turn->second, at->second};
  const double chord2 = gv_canonical_distance_by(q->query, vector, 3, GV_EUCLIDEAN);
  if (chord2 > axes_worst(q)) return chord2;
  const int64_t number = at->number * s->row_step + turn->number * s->column_step;
  if (number == q->self) return chord2;
  if (q->nearest != NULL)
    gv_list_offer(q->nearest, chord2, number);
  else
    gv_found_list_add(q->within, chord2, number);
  return chord2;
}

/* The points of a row, from the nearest columns to both sides until they are too far. */
static void axes_visit_row(axes_query *q, int64_t row) {
  const int64_t count = q->state->columns.count;
  const double r = q->state->rows.entry[row].first;
  const bool clear = r * q->step > CLEAR;
  double chord2 = axes_offer(q, row, q->near), worst = axes_worst(q);
  if (axes_beyond(chord2, worst)) return;
  /* Of either side: where it goes on, and whether it does. */
  int64_t column[2] = {q->near + q->away, q->other}, seen = 1;
  bool go[2] = {!clear || chord2 < worst, r * q->apart <= CLEAR || chord2 < worst};
  for (int side = 0; seen < count && (go[0] || go[1]); side = 1 - side) {
    if (!go[side]) continue;
    if (column[side] < 0) column[side] += count;
    if (column[side] >= count) column[side] -= count;
    chord2 = axes_offer(q, row, column[side]);
    worst = axes_worst(q);
    go[side] = !(clear && chord2 >= worst) && !axes_beyond(chord2, worst);
    column[side] += side == 0 ? q->away : -q->away;
    seen++;
  }
}

/* Visits a row unless its points are certainly too far. False: and so are all rows beyond it. */
static bool axes_try_row(axes_query *q, int64_t row, int64_t but) {
  const axis_entry *at = &q->state->rows.entry[row];
  double dr = q->r - at->first, dz = q->z - at->second, worst = axes_worst(q);
  double bound = dr * dr + dz * dz;
  if (axes_beyond(bound, worst) && worst < 1.0) return false;
  double nearest = bound + 2.0 * at->first * (q->r - q->along) - LEAST_SLACK;
  if (row != but && !axes_beyond(nearest, worst)) axes_visit_row(q, row);
  return true;
}

/* The distances of queries from the globe's axis, and their angles. */
static void axes_measure(int64_t count, const double *query, double *r, double *turn, double *height) {
  for (int64_t i = 0; i < count; i++) {
    const double x = query[3 * i], y = query[3 * i + 1];
    r[i] = sqrt(x * x + y * y);
    turn[i] = axes_near_angle(x, y);
    height[i] = axes_near_angle(r[i], query[3 * i + 2]);
  }
}

/* The nearest columns of a query, and how much nearer one of them is. */
static void axes_face(axes_query *q) {
  const axis *columns = &q->state->columns;
  const double x = q->query[0], y = q->query[1];
  const int64_t found = axis_find(columns, q->turn, x, y), left = (found > 0 ? found : columns->count) - 1,
                right = found < columns->count ? found : 0;
  const axis_entry *l = &columns->entry[left], *r = &columns->entry[right];
  const double to_left = x * l->first + y * l->second, to_right = x * r->first + y * r->second;
  const bool leftwards = to_left >= to_right;
  q->near = leftwards ? left : right;
  q->other = leftwards ? right : left;
  q->away = leftwards ? -1 : 1;
  q->along = leftwards ? to_left : to_right;
  q->apart = 2.0 * fabs(to_left - to_right);
}

static void axes_visit(axes_query *q) {
  const axis *rows = &q->state->rows;
  q->z = q->query[2];
  q->step = q->r * q->state->step2;
  axes_face(q);
  /* Where the nearest column is far, the row with its nearest point comes first and bounds the others. */
  bool far = q->along < 0.99 * q->r;
  int64_t up = axis_find(rows, q->height, q->r, q->z),
          first = far ? axis_find(rows, axes_near_angle(q->along, q->z), q->along, q->z) : up;
  if (first > 0) first--;
  axes_visit_row(q, first);
  int64_t down = up - 1;
  bool go_up = up < rows->count, go_down = down >= 0;
  while (go_up || go_down) {
    if (go_up) {
      go_up = axes_try_row(q, up, first) && ++up < rows->count;
    }
    if (go_down) {
      go_down = axes_try_row(q, down, first) && --down >= 0;
    }
  }
}

typedef struct axes_searching {
  const axes_state *state;
  const gv_query *query;
  gv_progress progress;
  int64_t *indices;
  double *canonical;
} axes_searching;

static gv_status axes_search_some(gv_worker *worker, int64_t first, int64_t end) {
  axes_searching *s = worker->user;
  int32_t k = s->query->k;
  double r[TOGETHER], turn[TOGETHER], height[TOGETHER];
  for (int64_t i = first; i < end; i++) {
    const int64_t at = (i - first) % TOGETHER, left = end - i;
    if (at == 0) axes_measure(left < TOGETHER ? left : TOGETHER, s->query->data + 3 * i, r, turn, height);
    gv_nearest_list nearest;
    gv_list_start(&nearest, s->canonical + i * k, s->indices + i * k, k, s->query->max_canonical);
    axes_query q = {.state = s->state,
                    .query = s->query->data + 3 * i,
                    .r = r[at],
                    .turn = turn[at],
                    .height = height[at],
                    .self = s->query->self_offset >= 0 ? s->query->self_offset + i : -1,
                    .nearest = &nearest};
    axes_visit(&q);
    gv_list_finish(&nearest);
  }
  gv_progress_add(&s->progress, end - first);
  return GV_OK;
}

static gv_status axes_search(gv_context *context, const gv_reference *reference, const void *state,
                             const gv_query *query, int64_t *indices, double *canonical) {
  axes_searching s = {state, query, {0}, indices, canonical};
  (void)reference;
  gv_progress_init(&s.progress, context, query->count);
  int threads = gv_threads_for(context, 100.0 * (double)query->count * (double)query->k);
  gv_loop loop = {context, threads, query->count, GRAIN, &s.progress, &s};
  return gv_parallel_for(&loop, axes_search_some);
}

static void axes_within(const gv_reference *reference, const void *state, const double *query, double limit,
                        int64_t self, gv_found_list *list) {
  (void)reference;
  axes_query q = {.state = state, .query = query, .self = self, .within = list, .limit = limit};
  axes_measure(1, query, &q.r, &q.turn, &q.height);
  axes_visit(&q);
}

static const gv_search_engine axes_engine = {.search = axes_search, .destroy = axes_destroy};

/* Not in the registry: it searches no other points. */
static const gv_backend axes_backend = {.name = "axes",
                                        .summary = "rows and columns of points on the globe",
                                        .max_dim = 3,
                                        .searches_points = true,
                                        .search = &axes_engine,
                                        .within = axes_within};

gv_status gv_axes_index_build(gv_context *context, const gv_axes *axes, const gv_ellipsoid *ellipsoid,
                              bool geocentric_cartesian, const double *lon, const double *lat,
                              gv_point_index **out) {
  const gv_allocator *allocator = &context->allocator;
  int64_t count = axes->columns * axes->rows;
  gv_point_index *index = gv_allocate_zeroed(allocator, 1, sizeof *index);
  axes_state *state = gv_allocate_zeroed(allocator, 1, sizeof *state);
  if (index == NULL || state == NULL ||
      !axes_prepare(allocator, axes, ellipsoid, geocentric_cartesian, lon, lat, state)) {
    const gv_reference made = {.allocator = *allocator};
    axes_destroy(&made, state);
    gv_release(allocator, index);
    return gv_fail_memory(context, "the index");
  }
  index->reference =
      (gv_reference){.count = count, .dim = 3, .metric = GV_EUCLIDEAN, .allocator = *allocator};
  index->base = (gv_index){NULL, axes_backend.name, count, 3};
  index->device = -1;
  index->backend = &axes_backend;
  index->engine = &axes_engine;
  index->state = state;
  *out = index;
  return GV_OK;
}
