/* Features: checks and copies. */
#include "features/set.h"

#include <string.h>

#include "core/given.h"
#include "core/parallel.h"
#include "exact/canonical.h"
#include "search/pair.h"

static const double largest_longitude = 36000.0;

static gv_status feature_set_fail(gv_context *context, int64_t feature, const char *what) {
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "feature %lld: %s", (long long)feature, what);
}

/* Offsets ascend from 0. */
static gv_status check_offsets(gv_context *context, const int64_t *offset, int64_t count, const char *of) {
  if (offset == NULL || offset[0] != 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "offsets of %s: invalid; the first must be 0", of);
  for (int64_t i = 0; i < count; i++) {
    if (offset[i + 1] < offset[i]) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "offsets of %s: invalid; they decrease at %lld", of,
                     (long long)i);
    }
  }
  return GV_OK;
}

static gv_status check_ring(gv_context *context, const gv_features *f, int64_t feature, int kind,
                            int64_t ring) {
  int64_t first = f->vertex[ring], end = f->vertex[ring + 1];
  if (end == first) return feature_set_fail(context, feature, "a part is empty");
  if (kind != GV_PART_POLYGON) return GV_OK;
  if (f->x[first] != f->x[end - 1] || f->y[first] != f->y[end - 1])
    return feature_set_fail(context, feature, "a ring is not closed");
  return GV_OK;
}

static gv_status check_parts(gv_context *context, const gv_features *f) {
  for (int64_t i = 0; i < f->count; i++) {
    for (int64_t p = f->part[i]; p < f->part[i + 1]; p++) {
      int64_t rings = f->ring[p + 1] - f->ring[p];
      if (f->kind[p] > GV_PART_POLYGON) return feature_set_fail(context, i, "unknown kind of a part");
      if (rings < 1 || (rings > 1 && f->kind[p] != GV_PART_POLYGON))
        return feature_set_fail(context, i, "invalid number of rings of a part");
      for (int64_t r = f->ring[p]; r < f->ring[p + 1]; r++) {
        GV_TRY(check_ring(context, f, i, f->kind[p], r));
        for (int64_t v = f->vertex[r]; v < f->vertex[r + 1]; v++) {
          if (!isfinite(f->x[v]) || !isfinite(f->y[v]))
            return feature_set_fail(context, i, "a coordinate is not finite");
        }
      }
    }
  }
  return GV_OK;
}

static gv_status check_range(gv_context *context, const gv_feature_set *set) {
  for (int32_t i = 0; i < set->count; i++) {
    for (int64_t v = set->vertex[set->ring[set->part[i]]]; v < set->vertex[set->ring[set->part[i + 1]]];
         v++) {
      if (set->globe) GV_TRY(gv_check_latitude(context, "feature", i, set->y[v]));
      if (set->globe && fabs(set->x[v]) > largest_longitude) {
        return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                       "feature %d: longitude out of range [-36000, 36000] (%.15g)", (int)i, set->x[v]);
      }
      if (!set->globe && (fabs(set->x[v]) > GV_EDGE_LARGEST || fabs(set->y[v]) > GV_EDGE_LARGEST))
        return feature_set_fail(context, i, "a coordinate is out of range [-1e75, 1e75]");
    }
  }
  return GV_OK;
}

static gv_status feature_set_check(gv_context *context, const gv_features *f) {
  if (f->count < 1) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "features: missing");
  if (f->count > INT32_MAX) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "features: too many (%lld); at most %d are supported",
                   (long long)f->count, INT32_MAX);
  }
  gv_status status = check_offsets(context, f->part, f->count, "parts");
  if (status == GV_OK) status = check_offsets(context, f->ring, f->part[f->count], "rings");
  if (status == GV_OK) status = check_offsets(context, f->vertex, f->ring[f->part[f->count]], "vertices");
  if (status != GV_OK) return status;
  int64_t parts = f->part[f->count], vertices = f->vertex[f->ring[parts]];
  if ((parts > 0 && f->kind == NULL) || (vertices > 0 && (f->x == NULL || f->y == NULL)))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "features: coordinates or kinds of parts are NULL");
  if (vertices > INT32_MAX) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "vertices: too many (%lld); at most %d are supported",
                   (long long)vertices, INT32_MAX);
  }
  return check_parts(context, f);
}

static void *copy(gv_context *context, const void *from, int64_t count, size_t size) {
  void *to = gv_allocate(&context->allocator, count, size);
  if (to != NULL && count > 0) memcpy(to, from, (size_t)count * size);
  return to;
}

static gv_status copy_all(gv_context *context, const gv_features *f, gv_feature_set *set) {
  set->count = (int32_t)f->count;
  set->parts = f->part[f->count];
  set->rings = f->ring[set->parts];
  set->vertices = f->vertex[set->rings];
  set->part = copy(context, f->part, f->count + 1, sizeof *set->part);
  set->kind = copy(context, f->kind, set->parts, sizeof *set->kind);
  set->ring = copy(context, f->ring, set->parts + 1, sizeof *set->ring);
  set->vertex = copy(context, f->vertex, set->rings + 1, sizeof *set->vertex);
  set->x = copy(context, f->x, set->vertices, sizeof *set->x);
  set->y = copy(context, f->y, set->vertices, sizeof *set->y);
  set->facts = gv_allocate_zeroed(&context->allocator, set->rings, sizeof *set->facts);
  bool all = set->part != NULL && set->kind != NULL && set->ring != NULL && set->vertex != NULL &&
             set->x != NULL && set->y != NULL && set->facts != NULL;
  return all ? GV_OK : gv_fail_memory(context, "the features");
}

/* One zero, and one longitude a place for geodesics. */
static void normalize(gv_feature_set *set) {
  for (int64_t v = 0; v < set->vertices; v++) {
    set->x[v] += 0.0;
    set->y[v] += 0.0;
    if (set->globe && !set->straight) gv_normalize_lonlat(&set->x[v], &set->y[v]);
  }
}

/* BATCH: vertices that are converted together. */
enum { BATCH = 256 };

typedef struct conversion {
  const gv_feature_set *set;
  bool geocentric;
  double *out;
} conversion;

static gv_status convert_some(gv_worker *worker, int64_t first, int64_t end) {
  const conversion *c = worker->user;
  double lon[BATCH], lat[BATCH], x[BATCH], y[BATCH], z[BATCH];
  for (int64_t v = first; v < end; v += BATCH) {
    int64_t count = end - v < BATCH ? end - v : BATCH;
    memcpy(lon, c->set->x + v, (size_t)count * sizeof *lon);
    memcpy(lat, c->set->y + v, (size_t)count * sizeof *lat);
    for (int64_t i = 0; i < count; i++)
      gv_normalize_lonlat(&lon[i], &lat[i]);
    gv_lonlat_to_vectors(&c->set->surface.ellipsoid, c->geocentric, count, lon, lat, x, y, z);
    for (int64_t i = 0; i < count; i++) {
      double *to = c->out + 3 * (v + i);
      to[0] = x[i], to[1] = y[i], to[2] = z[i];
    }
  }
  return GV_OK;
}

gv_status gv_feature_set_vectors(gv_context *context, const gv_feature_set *set, bool geocentric,
                                 double *out) {
  conversion c = {set, geocentric, out};
  gv_loop loop = {context, set->vertices > 16 * BATCH ? context->threads : 1, set->vertices, 4 * BATCH, NULL,
                  &c};
  return gv_parallel_for(&loop, convert_some);
}

static gv_status find_units(gv_context *context, gv_feature_set *set) {
  set->unit = gv_allocate(&context->allocator, 3 * set->vertices, sizeof *set->unit);
  if (set->unit == NULL) return gv_fail_memory(context, "the features");
  return gv_feature_set_vectors(context, set, false, set->unit);
}

static void find_extents(gv_feature_set *set) {
  for (int64_t r = 0; r < set->rings; r++) {
    gv_ring_facts *facts = &set->facts[r];
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t v = set->vertex[r]; v < set->vertex[r + 1]; v++) {
      low[0] = set->x[v] < low[0] ? set->x[v] : low[0];
      low[1] = set->y[v] < low[1] ? set->y[v] : low[1];
      high[0] = set->x[v] > high[0] ? set->x[v] : high[0];
      high[1] = set->y[v] > high[1] ? set->y[v] : high[1];
    }
    memcpy(facts->low, low, sizeof low);
    memcpy(facts->high, high, sizeof high);
  }
}

gv_status gv_feature_set_init(gv_context *context, gv_metric metric, const gv_ellipsoid *ellipsoid,
                              const gv_features *features, gv_feature_set *out) {
  gv_features f;
  gv_features_init(&f);
  memset(out, 0, sizeof *out);
  GV_COPY_GIVEN(context, gv_features, &f, features);
  out->allocator = context->allocator;
  out->metric = metric;
  out->globe = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
  out->straight = f.edges == GV_EDGES_STRAIGHT;
  out->boundary = f.boundary != 0;
  if (f.edges != GV_EDGES_STRAIGHT && f.edges != GV_EDGES_GEODESIC)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "edges: unknown number (%d)", (int)f.edges);
  if (!out->globe && !out->straight) {
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "edges: geodesic edges are unsupported for metric %s; use straight edges, geodesic or great-circle",
        gv_metric_name(metric));
  }
  if (gv_metric_of_searches(metric))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric %s is not supported for lines and polygons",
                   gv_metric_name(metric));
  gv_status status = feature_set_check(context, &f);
  if (status == GV_OK) status = copy_all(context, &f, out);
  if (status == GV_OK) status = check_range(context, out);
  if (status == GV_OK) {
    if (out->globe) gv_edge_surface_init(ellipsoid, metric == GV_GREAT_CIRCLE, &out->surface);
    find_extents(out);
  }
  if (status == GV_OK && f.cut != NULL) {
    out->cut = copy(context, f.cut, out->vertices, sizeof *out->cut);
    if (out->cut == NULL) status = gv_fail_memory(context, "the features");
  } else if (status == GV_OK && out->globe && (out->straight || out->boundary)) {
    /* Cuts are found in the coordinates as written: normalized ones have one side of the meridian only. */
    status = gv_feature_set_mark_cuts(context, out);
  }
  if (status == GV_OK) {
    normalize(out);
    find_extents(out);
  }
  if (status == GV_OK && metric == GV_GREAT_CIRCLE) status = find_units(context, out);
  if (status == GV_OK && out->globe && !out->straight) gv_feature_set_find_sides(out);
  if (status != GV_OK) gv_feature_set_clear(out);
  return status;
}

void gv_feature_set_clear(gv_feature_set *set) {
  void *arrays[] = {set->part, set->kind, set->ring,  set->vertex, set->x,
                    set->y,    set->unit, set->facts, set->cut};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    gv_release(&set->allocator, arrays[i]);
  memset(set, 0, sizeof *set);
}
