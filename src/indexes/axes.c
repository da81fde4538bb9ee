/*
 * Rows and columns are sorted by angle. Of a query q and the point p of a row (distance r from the axis, height z) and a column:
 *
 *   chord2 = (r_q - r)^2 + (z_q - z)^2 + 2 r (r_q - along),    along = r_q cos(difference of longitudes).
 *
 * In a row it grows with the difference of longitudes on both sides. Its least value over all longitudes, the first two terms, grows along
 * the meridian on both sides of the query for 168 degrees (flattening up to 1/10: its derivative has the sign of
 * sin(d/2) ((a^2 + b^2) cos(d/2) - (a^2 - b^2) cos(sum)), for parametric latitudes that differ by d), and is above 1 beyond. So a search
 * ends on a side where this bound is above the worst neighbor, if that is below 1. Every chord that counts is the exact distance of the
 * vector that gv_lonlat_to_vectors has; SLACK covers the rounding of bounds, and of angles by which the first row and column are found.
 */
#include "indexes/axes.h"

#include <math.h>
#include <stdlib.h>

#include "core/angles.h"
#include "core/parallel.h"
#include "exact/canonical.h"
#include "search/nearest_list.h"
#include "search/radius.h"

enum { GRAIN = 512 };

#define SLACK       1e-6
#define LEAST_SLACK 1e-14 /* of a bound with differences of numbers near 1 */

/* One axis, sorted by angle. */
typedef struct axis {
  int64_t count;
  double *angle;     /* radians */
  double per_radian; /* entries */
  int64_t *number;   /* on the caller's axis */
  double *first,
      *second; /* columns: cosine and sine of the longitude; rows: distance from the globe's axis, height */
} axis;

typedef struct axes_state {
  axis columns, rows;
  int64_t row_step, column_step; /* in numbers of points */
} axes_state;

/* ---------------------------------------------------------------------------------------------------------- finding */

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
  gv_axes found = columns > 1 ? (gv_axes){columns, count / columns, true} : (gv_axes){count / rows, rows, false};
  bool whole = found.columns > 1 && found.rows > 1 && found.columns * found.rows == count;
  return whole && axes_hold(&found, lon, lat) ? found : none;
}

bool gv_axes_are_searched(const gv_ellipsoid *ellipsoid) {
  return fabs(ellipsoid->flattening) <= 0.1;
}

/* --------------------------------------------------------------------------------------------------------- building */

static void axis_clear(const gv_allocator *allocator, axis *a) {
  gv_release(allocator, a->angle);
  gv_release(allocator, a->number);
  gv_release(allocator, a->first);
  gv_release(allocator, a->second);
}

typedef struct axis_entry {
  double angle, first, second;
  int64_t number;
} axis_entry;

static int axis_compare(const void *one, const void *other) {
  const axis_entry *a = one, *b = other;
  if (a->angle != b->angle) return a->angle < b->angle ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* Sorts the entries by angle into an axis. */
static bool axis_init(const gv_allocator *allocator, int64_t count, axis_entry *entries, axis *a) {
  a->count = count;
  a->angle = gv_allocate(allocator, count, sizeof *a->angle);
  a->number = gv_allocate(allocator, count, sizeof *a->number);
  a->first = gv_allocate(allocator, count, sizeof *a->first);
  a->second = gv_allocate(allocator, count, sizeof *a->second);
  if (a->angle == NULL || a->number == NULL || a->first == NULL || a->second == NULL) return false;
  qsort(entries, (size_t)count, sizeof *entries, axis_compare);
  for (int64_t i = 0; i < count; i++) {
    a->angle[i] = entries[i].angle;
    a->number[i] = entries[i].number;
    a->first[i] = entries[i].first;
    a->second[i] = entries[i].second;
  }
  double span = a->angle[count - 1] - a->angle[0];
  a->per_radian = span > 0.0 ? (double)(count - 1) / span : 0.0;
  return true;
}

static void axes_fill_columns(const gv_axes *axes, const double *lon, const double *lat, axis_entry *entries) {
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
  axis_clear(&reference->allocator, &s->columns);
  axis_clear(&reference->allocator, &s->rows);
  gv_release(&reference->allocator, s);
}

static bool axes_prepare(const gv_allocator *allocator, const gv_axes *axes, const gv_ellipsoid *ellipsoid,
                         bool geocentric_cartesian, const double *lon, const double *lat, axes_state *s) {
  int64_t longer = axes->columns > axes->rows ? axes->columns : axes->rows;
  axis_entry *entries = gv_allocate(allocator, longer, sizeof *entries);
  if (entries == NULL) return false;
  s->row_step = gv_axes_row_step(axes);
  s->column_step = gv_axes_column_step(axes);
  axes_fill_columns(axes, lon, lat, entries);
  bool made = axis_init(allocator, axes->columns, entries, &s->columns);
  axes_fill_rows(axes, ellipsoid, geocentric_cartesian, lat, entries);
  made = made && axis_init(allocator, axes->rows, entries, &s->rows);
  gv_release(allocator, entries);
  return made;
}

/* -------------------------------------------------------------------------------------------------------- searching */

/* How many entries of the axis have an angle of at most `angle`; at once where the steps are even. */
static int64_t axis_find(const axis *a, double angle) {
  int64_t low = 0, high = a->count, last = a->count - 1;
  double guess = (angle - a->angle[0]) * a->per_radian;
  int64_t near = guess > 0.0 ? guess < (double)last ? (int64_t)guess : last : 0;
  for (int64_t i = near > 0 ? near - 1 : 0; i <= near + 1 && i < last; i++)
    if (a->angle[i] <= angle && angle < a->angle[i + 1]) return i + 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (a->angle[middle] <= angle)
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
  double along;   /* the query's component towards the nearest column, at most r */
  int64_t column; /* of the nearest columns that on the left, from -1 on; the one on the right follows */
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
  int64_t number = s->rows.number[row] * s->row_step + s->columns.number[column] * s->column_step;
  double r = s->rows.first[row];
  const double vector[3] = {r * s->columns.first[column], r * s->columns.second[column], s->rows.second[row]};
  double chord2 = gv_canonical_distance(q->query, vector, 3, GV_EUCLIDEAN);
  if (number == q->self) return chord2;
  if (q->nearest != NULL)
    gv_list_offer(q->nearest, chord2, number);
  else if (chord2 <= q->limit)
    gv_found_list_add(q->within, chord2, number);
  return chord2;
}

/* The points of a row, from the nearest columns to both sides until they are too far. */
static void axes_visit_row(axes_query *q, int64_t row) {
  int64_t count = q->state->columns.count, left = q->column, right = q->column + 1, seen = 0;
  bool go_left = true, go_right = true;
  while (seen < count && (go_left || go_right)) {
    if (go_left) {
      int64_t column = left < 0 ? left + count : left;
      go_left = !axes_beyond(axes_offer(q, row, column), axes_worst(q));
      left--;
      seen++;
    }
    if (go_right && seen < count) {
      int64_t column = right >= count ? right - count : right;
      go_right = !axes_beyond(axes_offer(q, row, column), axes_worst(q));
      right++;
      seen++;
    }
  }
}

/* Visits a row unless its points are certainly too far. False: and so are all rows beyond it. */
static bool axes_try_row(axes_query *q, int64_t row, int64_t but) {
  const axis *rows = &q->state->rows;
  double dr = q->r - rows->first[row], dz = q->z - rows->second[row], worst = axes_worst(q);
  double bound = dr * dr + dz * dz;
  if (axes_beyond(bound, worst) && worst < 1.0) return false;
  double nearest = bound + 2.0 * rows->first[row] * (q->r - q->along) - LEAST_SLACK;
  if (row != but && !axes_beyond(nearest, worst)) axes_visit_row(q, row);
  return true;
}

static void axes_visit(axes_query *q) {
  const axis *rows = &q->state->rows, *columns = &q->state->columns;
  const double *v = q->query;
  q->r = sqrt(v[0] * v[0] + v[1] * v[1]);
  q->z = v[2];
  q->column = axis_find(columns, atan2(v[1], v[0])) - 1;
  int64_t left = q->column < 0 ? columns->count - 1 : q->column, right = (q->column + 1) % columns->count;
  q->along = fmax(v[0] * columns->first[left] + v[1] * columns->second[left],
                  v[0] * columns->first[right] + v[1] * columns->second[right]);
  /* Where the nearest column is far, the row with its nearest point comes first and bounds the others. */
  bool far = q->along < 0.99 * q->r;
  int64_t up = axis_find(rows, atan2(q->z, q->r)), first = far ? axis_find(rows, atan2(q->z, q->along)) : up;
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
  for (int64_t i = first; i < end; i++) {
    gv_nearest_list nearest;
    gv_list_start(&nearest, s->canonical + i * k, s->indices + i * k, k, s->query->max_canonical);
    axes_query q = {.state = s->state,
                    .query = s->query->data + 3 * i,
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
  index->reference = (gv_reference){.count = count, .dim = 3, .metric = GV_EUCLIDEAN, .allocator = *allocator};
  index->base = (gv_index){NULL, axes_backend.name, count, 3};
  index->device = -1;
  index->backend = &axes_backend;
  index->engine = &axes_engine;
  index->state = state;
  *out = index;
  return GV_OK;
}
