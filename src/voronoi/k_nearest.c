/* Canonical decisions, cell by cell. */
#include "voronoi/k_nearest.h"

#include <float.h>

#include "exact/canonical.h"
#include "search/nearest_list.h"

static double geodesic_to(const gv_voronoi *v, const gv_cell_place *place, int32_t seed) {
  double distance = INFINITY;
  geod_inverse(&v->geodesic.geod, place->lat, place->lon, v->seeds.lat[seed], v->seeds.lon[seed], &distance,
               NULL, NULL);
  return distance;
}

static double chord2_to(const gv_voronoi *v, const gv_cell_place *place, int32_t seed) {
  double x = place->vector[0] - v->seeds.x[seed], y = place->vector[1] - v->seeds.y[seed];
  double z = place->vector[2] - v->seeds.z[seed];
  return x * x + y * y + z * z;
}

static double canonical_to(const gv_voronoi *v, const gv_cell_place *place, int32_t seed) {
  if (v->cells.metric == GV_GEODESIC) return geodesic_to(v, place, seed);
  double s[3] = {v->seeds.x[seed], v->seeds.y[seed], v->seeds.z != NULL ? v->seeds.z[seed] : 0.0};
  gv_metric metric = v->cells.dim == 3 ? GV_EUCLIDEAN : v->cells.metric;
  return gv_canonical_distance(place->vector, s, v->cells.dim, metric);
}

/* A list of the v->k nearest within the limit. */
typedef struct k_nearest {
  gv_nearest_list list;
  double value[GV_VORONOI_MAX_K];
  int64_t index[GV_VORONOI_MAX_K];
} k_nearest;

static void k_nearest_start(const gv_voronoi *v, k_nearest *r) {
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED;
  gv_list_start(&r->list, r->value, r->index, v->k, weighted ? INFINITY : v->limit);
}

static void k_nearest_offer(const gv_voronoi *v, k_nearest *r, double canonical, int32_t seed) {
  if (v->weigher.weighting != GV_UNWEIGHTED) {
    if (canonical > v->limit) return;
    /* Differences of infinities would be NaN. */
    canonical = fmin(gv_weigh(&v->weigher, fmin(canonical, DBL_MAX), v->seeds.weight[seed]), DBL_MAX);
  }
  gv_list_offer(&r->list, canonical, seed);
}

static void k_nearest_finish(const gv_voronoi *v, k_nearest *r, int32_t *found) {
  gv_list_finish(&r->list);
  for (int32_t i = 0; i < v->k; i++)
    found[i] = (int32_t)r->index[i];
}

void gv_k_nearest_all(const gv_voronoi *v, const gv_cell_place *place, int32_t *found) {
  k_nearest r;
  k_nearest_start(v, &r);
  for (int32_t i = 0; i < v->seeds.count; i++)
    k_nearest_offer(v, &r, canonical_to(v, place, i), i);
  k_nearest_finish(v, &r, found);
}

/*
 * Geodesics bounded by the error of the series (gv_geodesic_bounds), with weights applied to both bounds:
 * weighting is monotone. Seeds that cannot be among the k nearest are dropped; of the others PROJ computes
 * those that the bounds do not order.
 */
enum { BOUNDS_BATCH = 64, BOUNDS_OPEN = 2 * GV_VORONOI_MAX_K };

typedef struct bounds {
  const gv_voronoi *v;
  const gv_cell_place *place;
  k_nearest exact; /* of those that PROJ computed */
  k_nearest worst; /* the k least upper ends of seeds that are certainly within the limit */
  bool any_open;
  int32_t waiting, open;
  int32_t waiting_seed[BOUNDS_BATCH];
  double x[BOUNDS_BATCH], y[BOUNDS_BATCH], z[BOUNDS_BATCH];
  double low[BOUNDS_OPEN + BOUNDS_BATCH], high[BOUNDS_OPEN + BOUNDS_BATCH];
  int32_t seed[BOUNDS_OPEN + BOUNDS_BATCH];
  bool doubtful; /* whether an open seed is within the limit */
} bounds;

static void bounds_shorten(bounds *r) {
  int32_t kept = 0;
  for (int32_t i = 0; i < r->open; i++) {
    if (r->low[i] > r->worst.list.worst) continue;
    r->low[kept] = r->low[i];
    r->high[kept] = r->high[i];
    r->seed[kept++] = r->seed[i];
  }
  r->open = kept;
}

static void bounds_measure(bounds *r) {
  for (int32_t i = 0; i < r->open; i++)
    k_nearest_offer(r->v, &r->exact, geodesic_to(r->v, r->place, r->seed[i]), r->seed[i]);
  r->any_open |= r->open > 0;
  r->open = 0;
}

static void bounds_evaluate(bounds *r) {
  const gv_voronoi *v = r->v;
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED;
  double low[BOUNDS_BATCH], high[BOUNDS_BATCH];
  for (int32_t i = r->waiting; i % GV_PAIR_PADDING != 0; i++)
    r->x[i] = r->y[i] = r->z[i] = 0.0;
  gv_geodesic_bounds(&v->geodesic, r->place->vector, r->waiting, r->x, r->y, r->z, low, high);
  for (int32_t i = 0; i < r->waiting; i++) {
    int32_t seed = r->waiting_seed[i];
    if (low[i] > v->limit) continue;
    bool within = high[i] <= v->limit;
    double weight = weighted ? v->seeds.weight[seed] : 0.0;
    r->low[r->open] = weighted ? gv_weigh(&v->weigher, low[i], weight) : low[i];
    r->high[r->open] = weighted ? gv_weigh(&v->weigher, high[i], weight) : high[i];
    r->doubtful |= !within;
    if (within) gv_list_offer(&r->worst.list, r->high[r->open], seed);
    r->seed[r->open++] = seed;
  }
  r->waiting = 0;
  bounds_shorten(r);
  if (r->open > BOUNDS_OPEN) bounds_measure(r);
}

/* True if the i-th open seed and the next one are of one place: PROJ's distances are equal. */
static bool bounds_one_place(const bounds *r, int32_t i) {
  const int32_t *site = r->v->seeds.site;
  return site != NULL && site[r->seed[i]] == site[r->seed[i + 1]];
}

/* Sorts the open seeds; true if no two of those that count overlap, except seeds of one place. */
static bool bounds_is_plain(bounds *r) {
  if (r->any_open || r->doubtful) return false;
  for (int32_t i = 1; i < r->open; i++) {
    double low = r->low[i], high = r->high[i];
    int32_t seed = r->seed[i], at = i;
    for (; at > 0 && (r->low[at - 1] > low || (r->low[at - 1] == low && r->seed[at - 1] > seed)); at--) {
      r->low[at] = r->low[at - 1];
      r->high[at] = r->high[at - 1];
      r->seed[at] = r->seed[at - 1];
    }
    r->low[at] = low;
    r->high[at] = high;
    r->seed[at] = seed;
  }
  bool weighted = r->v->weigher.weighting != GV_UNWEIGHTED, one_place = false;
  for (int32_t i = 0; i + 1 < r->open && (i < r->v->k || one_place); i++) {
    one_place = !weighted && bounds_one_place(r, i);
    if (!one_place && !(r->high[i] < r->low[i + 1])) return false;
  }
  return true;
}

void gv_k_nearest_geodesic(const gv_voronoi *v, const gv_cell_place *place, const int32_t *seed,
                           int32_t count, int32_t *found) {
  bounds r; /* field by field: its lists are long and mostly stay empty */
  r.v = v;
  r.place = place;
  r.any_open = r.doubtful = false;
  r.waiting = r.open = 0;
  /* The k-th smallest chord bounds the chords of the k nearest. */
  gv_list_start(&r.worst.list, r.worst.value, r.worst.index, v->k, INFINITY);
  for (int32_t i = 0; i < count; i++) {
    int32_t one = seed != NULL ? seed[i] : i;
    gv_list_offer(&r.worst.list, chord2_to(v, place, one), one);
  }
  double reach = v->weigher.weighting == GV_UNWEIGHTED ? r.worst.list.worst : INFINITY;
  if (isfinite(reach)) reach += gv_geodesic_slack(&v->geodesic, sqrt(reach));
  gv_list_start(&r.worst.list, r.worst.value, r.worst.index, v->k, INFINITY);
  k_nearest_start(v, &r.exact);
  for (int32_t i = 0; i < count; i++) {
    int32_t one = seed != NULL ? seed[i] : i;
    if (chord2_to(v, place, one) > reach) continue;
    r.x[r.waiting] = v->seeds.x[one];
    r.y[r.waiting] = v->seeds.y[one];
    r.z[r.waiting] = v->seeds.z[one];
    r.waiting_seed[r.waiting++] = one;
    if (r.waiting == BOUNDS_BATCH) bounds_evaluate(&r);
  }
  bounds_evaluate(&r);
  if (bounds_is_plain(&r)) {
    for (int32_t i = 0; i < v->k; i++)
      found[i] = i < r.open ? r.seed[i] : -1;
    return;
  }
  bounds_measure(&r);
  k_nearest_finish(v, &r.exact, found);
}
