/* Long edges by pieces. */
#include "features/long_edges.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "exact/globe.h"

/* PIECES of a group. MOST_PLACES: of all edges, 100 MB. AT_ONCE: places that are computed together. */
enum { PIECES = 16, MOST_GROUPS = 64, MOST_PLACES = 1 << 23, AT_ONCE = 64 };

#define ROUNDING     1.1e-7 /* of places as floats: sqrt(3) 2^-24 */
#define GROUP_LENGTH 0.25   /* of the unit: 16 pieces of 100 km */

static void long_edges_make_edge(const gv_feature_set *set, int64_t vertex, gv_edge *out) {
  const double a[2] = {set->x[vertex], set->y[vertex]}, b[2] = {set->x[vertex + 1], set->y[vertex + 1]};
  gv_edge_make(&set->surface, set->straight, a, b, out);
}

/* The sag of a part w of an edge, in units. */
static double long_edges_sag(const gv_edge_surface *surface, const gv_edge_motion *motion, double unit,
                             double w) {
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

/* Computes the ends of pieces. `place` receives them, or is NULL. The box holds all places of the edge. */
static void long_edges_walk(const long_division *d, float (*place)[3], double low[3], double high[3]) {
  double lon[AT_ONCE], lat[AT_ONCE], at[3][AT_ONCE];
  int32_t pieces = d->groups * PIECES;
  for (int i = 0; i < 3; i++) {
    low[i] = INFINITY;
    high[i] = -INFINITY;
  }
  for (int32_t from = 0; from <= pieces; from += AT_ONCE) {
    int32_t count = pieces + 1 - from < AT_ONCE ? pieces + 1 - from : AT_ONCE;
    for (int32_t k = 0; k < count; k++)
      gv_edge_at(&d->edge, (double)(from + k) / pieces, &lon[k], &lat[k]);
    gv_lonlat_to_vectors(&d->edge.surface->ellipsoid, true, count, lon, lat, at[0], at[1], at[2]);
    for (int32_t k = 0; k < count; k++) {
      for (int i = 0; i < 3; i++) {
        if (place != NULL) place[from + k][i] = (float)at[i][k];
        low[i] = fmin(low[i], at[i][k] - d->piece_sag);
        high[i] = fmax(high[i], at[i][k] + d->piece_sag);
      }
    }
  }
}

void gv_long_edge_box(const gv_feature_set *set, double unit, int64_t vertex, double low[3], double high[3]) {
  long_division d;
  long_edges_measure(set, unit, vertex, &d);
  long_edges_walk(&d, NULL, low, high);
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
    of->flattest = gv_globe_flattest(&some->set->surface.ellipsoid);
    long_edges_walk(&d, of->place, of->low, of->high);
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
  *low =
      enough < INFINITY ? sqrt(gv_globe_box_distance2(e->flattest, e->low, e->high, q)) * (1.0 - 1e-14) : 0.0;
  *high = INFINITY;
  if (*low > enough) return;
  *low = INFINITY;
  for (int32_t g = 0; g < e->groups; g++) {
    double chord = long_edges_chord(q, e->place[g * PIECES], e->place[(g + 1) * PIECES]);
    group[g] = chord * (1.0 - 1e-14) - e->group_sag;
    double most = chord * (1.0 + 1e-14) + e->group_sag;
    *high = most < *high ? most : *high;
  }
  for (int32_t g = 0; g < e->groups; g++) {
    if (group[g] > *high || group[g] > enough) {
      *low = group[g] < *low ? group[g] : *low;
      continue;
    }
    for (int32_t i = g * PIECES; i < (g + 1) * PIECES; i++) {
      double chord = long_edges_chord(q, e->place[i], e->place[i + 1]);
      double least = chord * (1.0 - 1e-14) - e->piece_sag, most = chord * (1.0 + 1e-14) + e->piece_sag;
      *low = least < *low ? least : *low;
      *high = most < *high ? most : *high;
    }
  }
  *low = fmax(*low, 0.0);
}
