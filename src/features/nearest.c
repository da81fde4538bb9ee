/* The nearest point of a feature: all its edges, one after the other. The first of equal ones counts. */
#include "features/set.h"

/* A place as nearest point, in the set's metric. `view`: of geodesics, or NULL. */
static void nearest_offer_place(const gv_feature_set *set, int64_t v, const gv_edge_place *q,
                                const gv_edge_view *view, gv_edge_closest *closest) {
  gv_edge_closest at = {.lon = set->x[v], .lat = set->y[v]};
  if (!set->globe) {
    at.vector[0] = set->x[v];
    at.vector[1] = set->y[v];
    at.canonical = gv_canonical_distance(q->vector, at.vector, 2, set->metric);
  } else {
    gv_normalize_lonlat(&at.lon, &at.lat);
    at.canonical = view->canonical;
    at.azimuth = view->azimuth;
    for (int i = 0; i < 3 && set->unit != NULL; i++)
      at.vector[i] = set->unit[3 * v + i];
  }
  if (at.canonical < closest->canonical) *closest = at;
}

static bool needs_views(const gv_feature_set *set) {
  return set->globe && (set->straight || set->metric == GV_GEODESIC);
}

/* The edge from vertex v; `ends` are the views of its ends if the set needs views. */
static void nearest_offer_edge(const gv_feature_set *set, int64_t v, const gv_edge_place *q,
                               const gv_edge_view ends[2], gv_edge_closest *closest) {
  double a[2] = {set->x[v], set->y[v]}, b[2] = {set->x[v + 1], set->y[v + 1]};
  gv_edge_closest found;
  if (!set->globe) {
    gv_edge_plane(set->metric, q->vector, a, b, &found);
  } else if (!needs_views(set)) {
    gv_edge_arc(q->vector, set->unit + 3 * v, set->unit + 3 * (v + 1), &found);
  } else {
    gv_edge edge;
    gv_edge_make(&set->surface, set->straight, a, b, &edge);
    gv_edge_nearest(&edge, q, ends, &found);
  }
  if (found.canonical < closest->canonical) *closest = found;
}

void gv_feature_edge(const gv_feature_set *set, int64_t v, bool point, const gv_edge_place *q,
                     gv_edge_closest *closest) {
  gv_edge_view ends[2];
  closest->canonical = INFINITY;
  if (set->globe && (needs_views(set) || point))
    gv_edge_view_of(&set->surface, q, set->x[v], set->y[v], &ends[0]);
  if (needs_views(set) && !point) gv_edge_view_of(&set->surface, q, set->x[v + 1], set->y[v + 1], &ends[1]);
  if (point) {
    nearest_offer_place(set, v, q, ends, closest);
  } else {
    nearest_offer_edge(set, v, q, ends, closest);
  }
}

static void nearest_offer_ring(const gv_feature_set *set, int64_t ring, bool points, bool boundary,
                               const gv_edge_place *q, gv_edge_closest *closest) {
  int64_t first = set->vertex[ring], end = set->vertex[ring + 1];
  bool look = set->globe && (needs_views(set) || points || end - first == 1);
  gv_edge_view ends[2];
  if (look) gv_edge_view_of(&set->surface, q, set->x[first], set->y[first], &ends[1]);
  if (points || end - first == 1) nearest_offer_place(set, first, q, &ends[1], closest);
  for (int64_t v = first; v + 1 < end; v++) {
    ends[0] = ends[1];
    if (look) gv_edge_view_of(&set->surface, q, set->x[v + 1], set->y[v + 1], &ends[1]);
    if (points) {
      nearest_offer_place(set, v + 1, q, &ends[1], closest);
    } else if (!boundary || set->cut == NULL || set->cut[v] == 0) {
      nearest_offer_edge(set, v, q, ends, closest);
    }
  }
}

void gv_feature_nearest(const gv_feature_set *set, int32_t feature, const gv_edge_place *q, bool boundary,
                        gv_edge_closest *closest) {
  *closest = (gv_edge_closest){.canonical = INFINITY};
  if (!boundary && gv_feature_contains(set, feature, q)) {
    *closest = (gv_edge_closest){.vector = {q->vector[0], q->vector[1], q->vector[2]},
                                 .lon = q->lon,
                                 .lat = q->lat,
                                 .azimuth = (double)NAN};
    return;
  }
  for (int64_t p = set->part[feature]; p < set->part[feature + 1]; p++) {
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++)
      nearest_offer_ring(set, r, set->kind[p] == GV_PART_POINTS, boundary || set->boundary, q, closest);
  }
}
