/* Canonical decisions, cell by cell. */
#include "voronoi/rank.h"

#include <float.h>

#include "search/backend.h"
#include "search/nearest_list.h"

static double geodesic_to(const gv_voronoi *v, const gv_place *place, int32_t seed) {
  double distance = INFINITY;
  geod_inverse(&v->geodesic.geod, place->lat, place->lon, v->seeds.lat[seed], v->seeds.lon[seed], &distance, NULL,
               NULL);
  return distance;
}

static double chord2_to(const gv_voronoi *v, const gv_place *place, int32_t seed) {
  double x = place->vector[0] - v->seeds.x[seed], y = place->vector[1] - v->seeds.y[seed];
  double z = place->vector[2] - v->seeds.z[seed];
  return x * x + y * y + z * z;
}

static double canonical_to(const gv_voronoi *v, const gv_place *place, int32_t seed) {
  if (v->cells.metric == GV_GEODESIC) return geodesic_to(v, place, seed);
  double s[3] = {v->seeds.x[seed], v->seeds.y[seed], v->seeds.z != NULL ? v->seeds.z[seed] : 0.0};
  gv_metric metric = v->cells.dim == 3 ? GV_EUCLIDEAN : v->cells.metric;
  return gv_canonical_distance(place->vector, s, v->cells.dim, metric);
}

/* A list of v->k places that takes what is within the limit. */
typedef struct ranking {
  gv_nearest_list list;
  double value[GV_VORONOI_MAX_K];
  int64_t index[GV_VORONOI_MAX_K];
} ranking;

static void ranking_start(const gv_voronoi *v, ranking *r) {
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED;
  gv_list_start(&r->list, r->value, r->index, v->k, weighted ? INFINITY : v->limit);
}

static void ranking_offer(const gv_voronoi *v, ranking *r, double canonical, int32_t seed) {
  if (v->weigher.weighting != GV_UNWEIGHTED) {
    if (canonical > v->limit) return;
    /* Infinities would make differences that are no numbers. */
    canonical = fmin(gv_weigh(&v->weigher, fmin(canonical, DBL_MAX), v->seeds.weight[seed]), DBL_MAX);
  }
  gv_list_offer(&r->list, canonical, seed);
}

static void ranking_finish(const gv_voronoi *v, ranking *r, int32_t *found) {
  gv_list_finish(&r->list);
  for (int32_t i = 0; i < v->k; i++)
    found[i] = (int32_t)r->index[i];
}

void gv_rank_all(const gv_voronoi *v, const gv_place *place, int32_t *found) {
  ranking r;
  ranking_start(v, &r);
  for (int32_t i = 0; i < v->seeds.count; i++)
    ranking_offer(v, &r, canonical_to(v, place, i), i);
  ranking_finish(v, &r, found);
}

void gv_rank_geodesic(const gv_voronoi *v, const gv_place *place, const int32_t *seed, int32_t count,
                      int32_t *found) {
  ranking r;
  /* The k-th smallest chord bounds the chords of the k nearest. */
  gv_list_start(&r.list, r.value, r.index, v->k, INFINITY);
  for (int32_t i = 0; i < count; i++)
    gv_list_offer(&r.list, chord2_to(v, place, seed[i]), seed[i]);
  double reach = v->weigher.weighting == GV_UNWEIGHTED ? r.list.worst : INFINITY;
  if (isfinite(reach)) reach += gv_geodesic_slack(&v->geodesic, sqrt(reach));
  ranking_start(v, &r);
  for (int32_t i = 0; i < count; i++) {
    if (!(chord2_to(v, place, seed[i]) > reach)) ranking_offer(v, &r, geodesic_to(v, place, seed[i]), seed[i]);
  }
  ranking_finish(v, &r, found);
}
