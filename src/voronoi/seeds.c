/* Seeds: checks, positions, duplicates (open addressing over the bits of the position). */
#include "voronoi/seeds.h"

#include <string.h>

static gv_status check_seeds(gv_context *context, const gv_cells *cells, const gv_seeds *seeds) {
  if (seeds == NULL || seeds->count < 1 || seeds->x == NULL || seeds->y == NULL) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there are no seeds");
  }
  if (seeds->count > INT32_MAX) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%lld seeds are too many (at most %d)",
                   (long long)seeds->count, INT32_MAX);
  }
  for (int64_t i = 0; i < seeds->count; i++) {
    if (!isfinite(seeds->x[i]) || !isfinite(seeds->y[i])) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed %lld has a coordinate that is not finite",
                     (long long)i);
    }
    if (cells->dim == 3 && fabs(seeds->y[i]) > 90.0) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed %lld has latitude %.15g", (long long)i, seeds->y[i]);
    }
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

typedef struct position {
  double x, y, z, lon, lat;
} position;

/* The place of a seed; what makes two seeds the same is x, y, z on plane and sphere, longitude and latitude for
 * geodesics (whose canonical distance starts from those). */
static position place_of(const gv_cells *cells, const gv_seeds *seeds, int64_t i) {
  position p = {seeds->x[i] + 0.0, seeds->y[i] + 0.0, 0.0, 0.0, 0.0};
  if (cells->dim == 3) {
    p.lon = seeds->x[i];
    p.lat = seeds->y[i];
    gv_normalise_lonlat(&p.lon, &p.lat);
    gv_lonlat_to_vectors(&cells->ellipsoid, gv_cells_geocentric(cells), 1, &p.lon, &p.lat, &p.x, &p.y, &p.z);
  }
  return p;
}

gv_status gv_seed_set_init(gv_context *context, const gv_cells *cells, const gv_seeds *seeds, bool distinct,
                           gv_seed_set *out) {
  memset(out, 0, sizeof *out);
  out->allocator = context->allocator;
  gv_status status = check_seeds(context, cells, seeds);
  if (status != GV_OK) return status;
  int64_t n = seeds->count;
  bool globe = cells->dim == 3, geodesic = cells->metric == GV_GEODESIC;
  uint64_t slots = 1;
  while (distinct && slots < 2 * (uint64_t)n)
    slots *= 2;
  int32_t *table = gv_allocate(&context->allocator, (int64_t)slots, sizeof *table);
  out->number = gv_allocate(&context->allocator, n, sizeof *out->number);
  out->x = gv_allocate(&context->allocator, n, sizeof(double));
  out->y = gv_allocate(&context->allocator, n, sizeof(double));
  if (globe) out->z = gv_allocate(&context->allocator, n, sizeof(double));
  if (geodesic) {
    out->lon = gv_allocate(&context->allocator, n, sizeof(double));
    out->lat = gv_allocate(&context->allocator, n, sizeof(double));
  }
  if (table == NULL || out->number == NULL || out->x == NULL || out->y == NULL || (globe && out->z == NULL) ||
      (geodesic && (out->lon == NULL || out->lat == NULL))) {
    status = gv_fail_memory(context, "the seeds");
    goto done;
  }
  memset(table, 0xff, (size_t)slots * sizeof *table);
  out->total = n;
  for (int64_t i = 0; i < n; i++) {
    position p = place_of(cells, seeds, i);
    if (distinct) {
      uint64_t h = geodesic ? mix(mix(1, p.lon), p.lat) : mix(mix(mix(1, p.x), p.y), p.z);
      uint64_t slot = (h ^ (h >> 32)) & (slots - 1);
      bool seen = false;
      while (table[slot] >= 0 && !seen) {
        int32_t k = table[slot];
        seen = geodesic ? out->lon[k] == p.lon && out->lat[k] == p.lat
                        : out->x[k] == p.x && out->y[k] == p.y && (!globe || out->z[k] == p.z);
        slot = (slot + 1) & (slots - 1);
      }
      if (seen) continue;
      table[slot] = out->count;
    }
    out->number[out->count] = (int32_t)i;
    out->x[out->count] = p.x;
    out->y[out->count] = p.y;
    if (globe) out->z[out->count] = p.z;
    if (geodesic) {
      out->lon[out->count] = p.lon;
      out->lat[out->count] = p.lat;
    }
    out->count++;
  }
done:
  gv_release(&context->allocator, table);
  if (status != GV_OK) gv_seed_set_clear(out);
  return status;
}

void gv_seed_set_clear(gv_seed_set *set) {
  gv_release(&set->allocator, set->number);
  gv_release(&set->allocator, set->x);
  gv_release(&set->allocator, set->y);
  gv_release(&set->allocator, set->z);
  gv_release(&set->allocator, set->lon);
  gv_release(&set->allocator, set->lat);
  memset(set, 0, sizeof *set);
}
