/* Seeds: checks, positions, duplicates (open addressing over the bits of position and weight). */
#include "voronoi/seeds.h"

#include <string.h>

#include "search/pair.h"

static gv_status check_seeds(gv_context *context, const gv_cells *cells, const gv_points *seeds) {
  if (seeds == NULL || seeds->count < 1) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seeds: missing");
  GV_TRY(gv_check_pairs(context, seeds, "seed"));
  if (seeds->count > GV_MAX_SEEDS) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seeds: too many (%lld); at most %d are supported",
                   (long long)seeds->count, GV_MAX_SEEDS);
  }
  for (int64_t i = 0; i < seeds->count; i++) {
    double x, y;
    gv_pair_get(seeds, i, &x, &y);
    if (!isfinite(x) || !isfinite(y)) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed %lld: a coordinate is not finite",
                     (long long)i);
    }
    if (cells->dim == 3) GV_TRY(gv_check_latitude(context, "seed", i, y));
  }
  return GV_OK;
}

static uint64_t mix(uint64_t h, double value) {
  uint64_t bits;
  value += 0.0; /* one zero */
  memcpy(&bits, &value, sizeof bits);
  h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}

enum { BATCH = 1024 };

/* The places of some seeds. Two seeds are at one place if x, y, z are equal on plane and sphere, longitude
 * and latitude for geodesics (the exact distance is computed from those). */
typedef struct seed_places {
  double x[BATCH], y[BATCH], z[BATCH], lon[BATCH], lat[BATCH];
} seed_places;

static void seeds_find_places(const gv_cells *cells, const gv_points *seeds, int64_t first, int64_t count,
                              seed_places *p) {
  for (int64_t i = 0; i < count; i++) {
    double x, y;
    gv_pair_get(seeds, first + i, &x, &y);
    if (cells->dim == 3) {
      p->lon[i] = x;
      p->lat[i] = y;
      gv_normalize_lonlat(&p->lon[i], &p->lat[i]);
    } else {
      p->x[i] = x + 0.0;
      p->y[i] = y + 0.0;
      p->z[i] = 0.0;
    }
  }
  if (cells->dim == 3) {
    gv_lonlat_to_vectors(&cells->ellipsoid, gv_cells_geocentric(cells), count, p->lon, p->lat, p->x, p->y,
                         p->z);
  }
}

gv_status gv_seed_set_init(gv_context *context, const gv_cells *cells, const gv_points *seeds,
                           const double *weights, int32_t copies, gv_seed_set *out) {
  memset(out, 0, sizeof *out);
  out->allocator = context->allocator;
  gv_status status = check_seeds(context, cells, seeds);
  if (status != GV_OK) return status;
  int64_t n = seeds->count;
  bool globe = cells->dim == 3, geodesic = cells->metric == GV_GEODESIC;
  uint64_t slots = 1;
  while (copies > 0 && slots < 2 * (uint64_t)n)
    slots *= 2;
  /* The table holds the first seed kept of each place; held[that seed] counts those of its place. */
  int32_t *table = gv_allocate(&context->allocator, (int64_t)slots, sizeof *table), *held = NULL;
  if (copies > 1) held = gv_allocate(&context->allocator, n, sizeof *held);
  seed_places *p = gv_allocate_zeroed(&context->allocator, 1, sizeof *p);
  out->number = gv_allocate(&context->allocator, n, sizeof *out->number);
  out->distinct = gv_allocate(&context->allocator, n, sizeof *out->distinct);
  out->x = gv_allocate(&context->allocator, n, sizeof(double));
  out->y = gv_allocate(&context->allocator, n, sizeof(double));
  if (globe) out->z = gv_allocate(&context->allocator, n, sizeof(double));
  if (geodesic) {
    out->lon = gv_allocate(&context->allocator, n, sizeof(double));
    out->lat = gv_allocate(&context->allocator, n, sizeof(double));
  }
  if (copies > 1) out->site = gv_allocate(&context->allocator, n, sizeof *out->site);
  if (weights != NULL) out->weight = gv_allocate(&context->allocator, n, sizeof(double));
  if (table == NULL || p == NULL || out->number == NULL || out->distinct == NULL || out->x == NULL ||
      out->y == NULL || (copies > 1 && (held == NULL || out->site == NULL)) || (globe && out->z == NULL) ||
      (weights != NULL && out->weight == NULL) || (geodesic && (out->lon == NULL || out->lat == NULL))) {
    status = gv_fail_memory(context, "the seeds");
    goto done;
  }
  memset(table, 0xff, (size_t)slots * sizeof *table);
  out->total = n;
  for (int64_t i = 0; i < n; i++) {
    int64_t at = i % BATCH;
    if (at == 0) seeds_find_places(cells, seeds, i, n - i < BATCH ? n - i : BATCH, p);
    double x = p->x[at], y = p->y[at], z = p->z[at], lon = p->lon[at], lat = p->lat[at];
    int32_t first = -1;
    if (copies > 0) {
      uint64_t h = geodesic ? mix(mix(1, lon), lat) : mix(mix(mix(1, x), y), z);
      if (weights != NULL) h = mix(h, weights[i]);
      uint64_t slot = (h ^ (h >> 32)) & (slots - 1);
      while (table[slot] >= 0 && first < 0) {
        int32_t k = table[slot];
        bool same = geodesic ? out->lon[k] == lon && out->lat[k] == lat
                             : out->x[k] == x && out->y[k] == y && (!globe || out->z[k] == z);
        if (same && (weights == NULL || out->weight[k] == weights[i])) first = k;
        slot = (slot + 1) & (slots - 1);
      }
      if (first < 0) {
        table[slot] = out->count;
        if (held != NULL) held[out->count] = 1;
      } else if (held == NULL || held[first] == copies) {
        out->distinct[i] = first;
        continue;
      } else {
        held[first]++;
      }
    }
    out->distinct[i] = out->count;
    out->number[out->count] = (int32_t)i;
    if (out->site != NULL) out->site[out->count] = first >= 0 ? first : out->count;
    out->x[out->count] = x;
    out->y[out->count] = y;
    if (globe) out->z[out->count] = z;
    if (geodesic) {
      out->lon[out->count] = lon;
      out->lat[out->count] = lat;
    }
    if (weights != NULL) out->weight[out->count] = weights[i];
    out->count++;
  }
  if (out->count == out->total) {
    gv_release(&out->allocator, out->distinct);
    out->distinct = NULL;
  }
done:
  gv_release(&context->allocator, table);
  gv_release(&context->allocator, held);
  gv_release(&context->allocator, p);
  if (status != GV_OK) gv_seed_set_clear(out);
  return status;
}

gv_status gv_seed_set_numbers(gv_context *context, int32_t count, const double *weights, gv_seed_set *out) {
  memset(out, 0, sizeof *out);
  out->allocator = context->allocator;
  out->number = gv_allocate(&context->allocator, count, sizeof *out->number);
  if (weights != NULL) out->weight = gv_allocate(&context->allocator, count, sizeof *out->weight);
  if (out->number == NULL || (weights != NULL && out->weight == NULL)) {
    gv_seed_set_clear(out);
    return gv_fail_memory(context, "the seeds");
  }
  out->total = out->count = count;
  for (int32_t i = 0; i < count; i++)
    out->number[i] = i;
  if (weights != NULL) memcpy(out->weight, weights, (size_t)count * sizeof *weights);
  return GV_OK;
}

void gv_seed_set_clear(gv_seed_set *set) {
  gv_release(&set->allocator, set->number);
  gv_release(&set->allocator, set->distinct);
  gv_release(&set->allocator, set->site);
  gv_release(&set->allocator, set->x);
  gv_release(&set->allocator, set->y);
  gv_release(&set->allocator, set->z);
  gv_release(&set->allocator, set->lon);
  gv_release(&set->allocator, set->lat);
  gv_release(&set->allocator, set->weight);
  memset(set, 0, sizeof *set);
}
