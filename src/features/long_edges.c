/* Long edges by pieces. */
#include "features/long_edges.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "exact/globe.h"

/* PIECES of a group. MOST_PLACES: of all edges, 100 MB. */
enum { PIECES = 16, MOST_GROUPS = 64, MOST_PLACES = 1 << 23 };

#define ROUNDING     1.1e-7 /* of places as floats: sqrt(3) 2^-24 */
#define GROUP_LENGTH 0.25   /* of the unit: 16 pieces of 100 km */

static void long_edges_make_edge(const gv_feature_set *set, int64_t vertex, gv_edge *out) {
  const double a[2] = {set->x[vertex], set->y[vertex]}, b[2] = {set->x[vertex + 1], set->y[vertex + 1]};
  gv_edge_make(&set->surface, set->straight, a, b, out);
}

/* The sag of a part w of an edge, in units. */
static double long_edges_sag(const gv_edge_surface *surface, const gv_edge_motion *motion, double unit, double w) {
  double length = motion->fastest * w / unit, smallest = surface->smallest / unit;
  double second = length * length / smallest + motion->turn * w * w / unit;
  return fmin(0.125 * second, 0.5 * length) * (1.0 + 1e-9) + ROUNDING;
}

/* An edge and how it is divided. */
typedef struct long_division {
  gv_edge edge;
  int32_t groups;
  double piece_sag, group_sag;
} long_division;

static void long_edges_measure(const gv_feature_set *set, double unit, int64_t vertex, long_division *out) {
  long_edges_make_edge(set, vertex, &out->edge);
  gv_edge_motion motion = gv_edge_motion_of(&out->edge);
  double groups = ceil(motion.fastest / (GROUP_LENGTH * unit));
  out->groups = groups < 1.0 ? 1 : groups > MOST_GROUPS ? MOST_GROUPS : (int32_t)groups;
  out->group_sag = long_edges_sag(&set->surface, &motion, unit, 1.0 / out->groups);
  out->piece_sag = long_edges_sag(&set->surface, &motion, unit, 1.0 / (out->groups * PIECES));
}

/* The end of piece k. */
static void long_edges_place(const long_division *d, int32_t k, double place[3]) {
  double lon, lat;
  gv_edge_at(&d->edge, (double)k / (d->groups * PIECES), &lon, &lat);
  gv_lonlat_to_vectors(&d->edge.surface->ellipsoid, true, 1, &lon, &lat, place, place + 1, place + 2);
}

void gv_long_edge_box(const gv_feature_set *set, double unit, int64_t vertex, double low[3], double high[3]) {
  long_division d;
  long_edges_measure(set, unit, vertex, &d);
  for (int32_t k = 0; k <= d.groups * PIECES; k++) {
    double place[3];
    long_edges_place(&d, k, place);
    for (int i = 0; i < 3; i++) {
      low[i] = k == 0 ? place[i] : fmin(low[i], place[i]);
      high[i] = k == 0 ? place[i] : fmax(high[i], place[i]);
    }
  }
  for (int i = 0; i < 3; i++) {
    low[i] -= d.piece_sag;
    high[i] += d.piece_sag;
  }
}

typedef struct division {
  const gv_feature_set *set;
  double unit;
  const int64_t *vertex;
  gv_long_edges *out;
} division;

static gv_status long_edges_divide(gv_worker *worker, int64_t first, int64_t end) {
  const division *some = worker->user;
  for (int64_t i = first; i < end; i++) {
    gv_long_edge *of = &some->out->edge[i];
    long_division d;
    long_edges_measure(some->set, some->unit, some->vertex[i], &d);
    of->piece_sag = d.piece_sag;
    of->group_sag = d.group_sag;
    for (int32_t k = 0; k <= of->groups * PIECES; k++) {
      double place[3];
      long_edges_place(&d, k, place);
      for (int axis = 0; axis < 3; axis++)
        of->place[k][axis] = (float)place[axis];
    }
  }
  return GV_OK;
}

gv_status gv_long_edges_make(gv_context *context, const gv_feature_set *set, double unit, int32_t entries,
                             const int32_t *entry, const float *sag, gv_long_edges *out) {
  const gv_allocator *allocator = &context->allocator;
  int64_t count = 0, places = 0;
  *out = (gv_long_edges){.allocator = *allocator};
  for (int32_t i = 0; i < entries; i++)
    count += entry[i] >= 0 && (double)sag[i] > GV_LONG_SAG;
  if (count == 0) return GV_OK;
  int64_t *vertex = gv_allocate(allocator, count, sizeof *vertex);
  out->number = gv_allocate(allocator, entries, sizeof *out->number);
  out->edge = gv_allocate_zeroed(allocator, count, sizeof *out->edge);
  bool good = vertex != NULL && out->number != NULL && out->edge != NULL;
  for (int32_t i = 0; good && i < entries; i++) {
    out->number[i] = -1;
    if (entry[i] < 0 || !((double)sag[i] > GV_LONG_SAG)) continue;
    long_division d;
    long_edges_measure(set, unit, entry[i], &d);
    int32_t groups = d.groups;
    if (places + groups * PIECES + 1 > MOST_PLACES) continue;
    places += groups * PIECES + 1;
    vertex[out->count] = entry[i];
    out->edge[out->count].groups = groups;
    out->number[i] = out->count++;
  }
  if (good) out->place = gv_allocate(allocator, places, sizeof *out->place);
  gv_status status = good && out->place != NULL ? GV_OK : gv_fail_memory(context, "the features' tree");
  int64_t at = 0;
  for (int32_t i = 0; i < out->count && status == GV_OK; i++) {
    out->edge[i].place = out->place + at;
    at += out->edge[i].groups * PIECES + 1;
  }
  division d = {set, unit, vertex, out};
  gv_loop loop = {context, context->threads, out->count, 16, NULL, &d};
  if (status == GV_OK) status = gv_parallel_for(&loop, long_edges_divide);
  gv_release(allocator, vertex);
  if (status != GV_OK) gv_long_edges_clear(out);
  return status;
}

void gv_long_edges_clear(gv_long_edges *edges) {
  gv_release(&edges->allocator, edges->number);
  gv_release(&edges->allocator, edges->edge);
  gv_release(&edges->allocator, edges->place);
  memset(edges, 0, sizeof *edges);
}

/* The distance from a segment. */
static double long_edges_chord(const double q[3], const float a[3], const float b[3]) {
  double d[3], w[3], size2 = 0.0, along = 0.0, square = 0.0;
  for (int i = 0; i < 3; i++) {
    d[i] = (double)b[i] - (double)a[i];
    w[i] = q[i] - (double)a[i];
    size2 += d[i] * d[i];
    along += w[i] * d[i];
  }
  double part = size2 > 0.0 ? along / size2 : 0.0;
  part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
  for (int i = 0; i < 3; i++)
    square += (w[i] - part * d[i]) * (w[i] - part * d[i]);
  return sqrt(square);
}

void gv_long_edge_chords(const gv_long_edge *e, const double q[3], double enough, double *low, double *high) {
  double group[MOST_GROUPS];
  *low = *high = INFINITY;
  for (int32_t g = 0; g < e->groups; g++) {
    double chord = long_edges_chord(q, e->place[g * PIECES], e->place[(g + 1) * PIECES]);
    group[g] = chord * (1.0 - 1e-14) - e->group_sag;
    *high = fmin(*high, chord * (1.0 + 1e-14) + e->group_sag);
  }
  for (int32_t g = 0; g < e->groups; g++) {
    if (group[g] > *high || group[g] > enough) {
      *low = fmin(*low, group[g]);
      continue;
    }
    for (int32_t i = g * PIECES; i < (g + 1) * PIECES; i++) {
      double chord = long_edges_chord(q, e->place[i], e->place[i + 1]);
      *low = fmin(*low, chord * (1.0 - 1e-14) - e->piece_sag);
      *high = fmin(*high, chord * (1.0 + 1e-14) + e->piece_sag);
    }
  }
  *low = fmax(*low, 0.0);
}
