/*
 * The k nearest lines and polygons for any list of positions, processed like cells: one by one, or in tiles
 * of nearby ones.
 *
 * A device finds the numbers of the nearest ones, and their distances on the plane and by great-circle arcs
 * (features/device_edges.h). Distances to geodesics and to straight lines on the globe, and closest points,
 * are the CPU's.
 */
#include <string.h>

#include "cells/kind.h"
#include "core/cancel.h"
#include "core/device_rule.h"
#include "core/parallel.h"
#include "features/device_edges.h"
#include "gpuvoronoi/geometries.h"
#include "indexes/feature_index.h"
#include "indexes/indexes.h"
#include "search/code_sort.h"
#include "search/pair.h"
#include "search/radius.h"
#include "search/search_checks.h"
#include "voronoi/feature_tiles.h"

static const gv_index_type feature_index;

static void feature_index_destroy(gv_index *base) {
  gv_feature_index *index = (gv_feature_index *)base;
  gv_allocator allocator = index->voronoi.allocator;
  gv_feature_lookup_clear(&index->lookup);
  gv_feature_set_clear(&index->set);
  gv_release(&allocator, index);
}

gv_status gv_index_build_features(gv_context *context, const gv_features *features,
                                  const gv_index_options *options, gv_index **out) {
  gv_index_options o;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "index: the output pointer is NULL");
  if (features == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "features: missing");
  gv_index_options_init(&o);
  GV_COPY_GIVEN(context, gv_index_options, &o, options);
  GV_TRY(gv_check_no_periods(context, &o, "lines and polygons"));
  const bool automatic = gv_backend_is_automatic(o.backend);
  const gv_backend *backend = automatic ? &gv_backends[GV_BACKEND_TILE] : gv_backend_find(o.backend);
  if (backend == NULL || backend->searches_points)
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "backend: indexes of lines and polygons are unsupported (%s); use tile, cuda-tile or auto",
                   o.backend);
  if (gv_on_device(o.array_options))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "lines and polygons: device memory is unsupported; use host memory");
  if (gv_metric_name(o.metric) == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "metric: unknown number");
  gv_feature_index *index = gv_allocate_zeroed(&context->allocator, 1, sizeof *index);
  if (index == NULL) return gv_fail_memory(context, "the index");
  gv_voronoi *v = &index->voronoi;
  *v = (gv_voronoi){
      .allocator = context->allocator, .features = &index->set, .backend = &gv_backends[GV_BACKEND_TILE]};
  gv_status status = gv_cells_init_queries(context, o.metric, o.semi_major, o.flattening, &v->cells);
  if (status == GV_OK) {
    gv_geodesic_init(&v->cells.ellipsoid, &v->geodesic);
    status = gv_feature_set_init(context, o.metric, &v->cells.ellipsoid, features, &index->set);
  }
  if (status == GV_OK) status = gv_check_cancelled(context);
  if (status == GV_OK) status = gv_feature_lookup_init(context, &index->set, &v->geodesic, &index->lookup);
  if (status == GV_OK) status = gv_feature_tree_join(context, &index->lookup.tree);
  if (status == GV_OK && (automatic || backend->device))
    status = gv_feature_lookup_use_device(context, &index->lookup, automatic);
  if (status == GV_OK) {
    index->base = (gv_index){&feature_index, backend->name, index->set.count, 2};
    *out = &index->base;
  } else {
    feature_index_destroy(&index->base);
  }
  return status;
}

/* Queries in Morton order: features near one query are close to those of the next. */
typedef struct feature_search {
  const gv_feature_lookup *lookup;
  gv_voronoi voronoi;
  const gv_points *queries;
  int64_t *indices;
  double *distances, *nearest;
  gv_progress progress;
  double low[3], high[3]; /* of what they are ordered by */
  gv_morton morton;
  gv_sort_code *order;
} feature_search;

enum { SPAN = 16 /* number of queries that are searched together */ };

/* Positions of consecutive queries. */
typedef struct feature_places {
  double x[SPAN], y[SPAN], z[SPAN], lon[SPAN], lat[SPAN];
} feature_places;

static gv_status feature_index_query(gv_context *context, const feature_search *s, int64_t i, double *x,
                                     double *y) {
  gv_pair_get(s->queries, i, x, y);
  if (isfinite(*x) && isfinite(*y) && !(s->voronoi.features->globe && fabs(*y) > 90.0)) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "query %lld (from 0): coordinates out of range or not finite (%g, %g)", (long long)i, *x,
                 *y);
}

static gv_status feature_index_find_places(gv_context *context, const feature_search *s,
                                           const gv_sort_code *order, int32_t count, feature_places *out) {
  const gv_voronoi *v = &s->voronoi;
  bool globe = v->features->globe;
  for (int32_t n = 0; n < count; n++) {
    int64_t i = order[n].index;
    double x, y;
    GV_TRY(feature_index_query(context, s, i, &x, &y));
    out->x[n] = out->lon[n] = x;
    out->y[n] = out->lat[n] = y;
    out->z[n] = 0.0;
    if (globe) gv_normalize_lonlat(&out->lon[n], &out->lat[n]);
  }
  if (globe)
    gv_lonlat_to_vectors(&v->cells.ellipsoid, v->cells.metric == GV_GEODESIC, count, out->lon, out->lat,
                         out->x, out->y, out->z);
  return GV_OK;
}

static gv_edge_place feature_index_place_of(const feature_places *p, int32_t n) {
  return (gv_edge_place){.lon = p->lon[n], .lat = p->lat[n], .vector = {p->x[n], p->y[n], p->z[n]}};
}

/* A neighbor, or none (-1), by its nearest point. */
static void feature_index_put(const feature_search *s, int64_t at, int32_t feature,
                              const gv_edge_closest *closest) {
  s->indices[at] = feature;
  if (s->distances != NULL)
    s->distances[at] = feature < 0 ? INFINITY : gv_feature_distance_of(&s->voronoi, closest->canonical);
  if (s->nearest == NULL) return;
  bool globe = s->voronoi.features->globe;
  s->nearest[2 * at] = feature < 0 ? (double)NAN : globe ? closest->lon : closest->vector[0];
  s->nearest[2 * at + 1] = feature < 0 ? (double)NAN : globe ? closest->lat : closest->vector[1];
}

/* The closest point of a polygon that contains the place is the place itself. */
static gv_edge_closest here(const gv_edge_place *q) {
  return (gv_edge_closest){
      .lon = q->lon, .lat = q->lat, .vector = {q->vector[0], q->vector[1], q->vector[2]}};
}

/* The closest point on a feature that does not contain the place; only its exact distance if no more is
 * needed. */
static void find_closest(const feature_search *s, gv_finder *finder, const gv_edge_place *q,
                         gv_edge_closest *closest) {
  const gv_feature_set *set = s->voronoi.features;
  if (s->nearest == NULL) {
    if (s->distances != NULL) closest->canonical = gv_finder_distance(finder, q, false);
  } else if (gv_finder_nearest(finder, q, false, closest) && set->metric == GV_GREAT_CIRCLE &&
             !set->straight) {
    gv_edge_closest_lonlat(closest);
  }
}

/* -------------------------------------------------------------------------------------- one by one, any k */

static void search_one(const feature_search *s, gv_feature_cell *c, int64_t i) {
  int32_t k = s->voronoi.k, found[GV_VORONOI_MAX_K];
  gv_feature_cell_k_nearest(c, found);
  for (int32_t neighbor = 0; neighbor < k; neighbor++) {
    gv_edge_closest closest = here(c->q);
    closest.canonical = c->value[neighbor];
    /* For k = 1 the contest may return the number without the value. */
    bool away = c->value[neighbor] > 0.0 || c->around == 0,
         wanted = s->nearest != NULL || !(c->value[neighbor] > 0.0);
    if (found[neighbor] >= 0 && away && wanted && gv_feature_cell_aim(c, found[neighbor]))
      find_closest(s, &c->finder, c->q, &closest);
    feature_index_put(s, i * k + neighbor, found[neighbor], &closest);
  }
}

static gv_status feature_index_search_some(gv_worker *worker, int64_t first, int64_t end) {
  feature_search *s = worker->user;
  gv_context *context = &worker->context;
  feature_places p;
  gv_feature_cell *c = gv_allocate(&context->allocator, 1, sizeof *c);
  if (c == NULL) return gv_fail_memory(context, "a batch of queries");
  gv_status status = gv_feature_cell_init(context, &s->voronoi, s->lookup, c);
  for (int64_t n = first; n < end && status == GV_OK; n += SPAN) {
    int32_t count = n + SPAN < end ? SPAN : (int32_t)(end - n);
    status = feature_index_find_places(context, s, s->order + n, count, &p);
    for (int32_t i = 0; i < count && status == GV_OK; i++) {
      gv_edge_place q = feature_index_place_of(&p, i);
      c->q = &q;
      search_one(s, c, s->order[n + i].index);
    }
  }
  gv_feature_cell_clear(c);
  gv_release(&context->allocator, c);
  if (status == GV_OK) gv_progress_add(&s->progress, end - first);
  return status;
}

/* -------------------------------------------------------------------------- many that are near each other */

typedef struct feature_batch {
  const feature_search *s;
  gv_feature_tiles tiles;
  gv_finder finder;
  const gv_sort_code *order;
  feature_places at; /* of the queries of a tile */
  int32_t found[SPAN];
  bool within[SPAN];
} feature_batch;

static void feature_index_receive(void *user, int64_t cell, int64_t count, const int32_t *found,
                                  bool within) {
  feature_batch *b = user;
  for (int64_t i = cell; i < cell + count; i++) {
    b->found[i] = found[0];
    b->within[i] = within;
  }
}

static void fill_alike(feature_batch *b, const int32_t *cell, int32_t count, int32_t feature) {
  const double *const position[3] = {b->at.x, b->at.y, b->at.z};
  gv_ball ball = gv_ball_around(position, cell, count);
  gv_finder_aim(&b->finder, feature, &ball);
  for (int32_t i = 0; i < count; i++) {
    gv_edge_place q = feature_index_place_of(&b->at, cell[i]);
    gv_edge_closest closest = here(&q);
    find_closest(b->s, &b->finder, &q, &closest);
    feature_index_put(b->s, b->order[cell[i]].index, feature, &closest);
  }
}

/* Feature by feature. */
static void fill_found(feature_batch *b, int32_t queries) {
  int32_t cell[SPAN], alike[SPAN], cells = 0;
  bool measured = b->s->distances != NULL || b->s->nearest != NULL;
  for (int32_t i = 0; i < queries; i++) {
    gv_edge_place q = feature_index_place_of(&b->at, i);
    gv_edge_closest closest = here(&q);
    if (measured && b->found[i] >= 0 && !b->within[i]) {
      cell[cells++] = i;
    } else {
      feature_index_put(b->s, b->order[i].index, b->found[i], &closest);
    }
  }
  while (cells > 0) {
    int32_t feature = b->found[cell[0]], count = 0, left = 0;
    for (int32_t i = 0; i < cells; i++) {
      if (b->found[cell[i]] == feature) {
        alike[count++] = cell[i];
      } else {
        cell[left++] = cell[i];
      }
    }
    cells = left;
    fill_alike(b, alike, count, feature);
  }
}

static gv_status search_span(gv_context *context, feature_batch *b, int32_t count) {
  GV_TRY(feature_index_find_places(context, b->s, b->order, count, &b->at));
  b->tiles.tile = (gv_tile){0, count, 0, 1};
  gv_feature_tiles_solve(&b->tiles);
  fill_found(b, count);
  return GV_OK;
}

static gv_status search_spans(gv_worker *worker, int64_t first, int64_t end) {
  feature_search *s = worker->user;
  gv_context *context = &worker->context;
  feature_batch *b = gv_allocate_zeroed(&context->allocator, 1, sizeof *b);
  if (b == NULL) return gv_fail_memory(context, "a batch of queries");
  b->s = s;
  gv_status status = gv_feature_tiles_init(context, &s->voronoi, s->lookup, &b->tiles);
  if (status == GV_OK) status = gv_finder_init(context, &s->lookup->tree, &b->finder);
  b->tiles.x = b->at.x, b->tiles.y = b->at.y, b->tiles.z = b->at.z;
  b->tiles.lon = b->at.lon, b->tiles.lat = b->at.lat;
  b->tiles.take = feature_index_receive;
  b->tiles.user = b;
  for (int64_t n = first; n < end && status == GV_OK; n += SPAN) {
    b->order = s->order + n;
    status = search_span(context, b, n + SPAN < end ? SPAN : (int32_t)(end - n));
  }
  gv_finder_clear(&b->finder);
  gv_feature_tiles_clear(context, &b->tiles);
  gv_release(&context->allocator, b);
  if (status == GV_OK) gv_progress_add(&s->progress, end - first);
  return status;
}

/* ---------------------------------------------------------------------------------------------- the order */

static gv_status code_some(gv_worker *worker, int64_t first, int64_t end) {
  feature_search *s = worker->user;
  feature_places p;
  for (int64_t n = first; n < end; n += SPAN) {
    int32_t count = n + SPAN < end ? SPAN : (int32_t)(end - n);
    GV_TRY(feature_index_find_places(&worker->context, s, s->order + n, count, &p));
    for (int32_t i = 0; i < count; i++)
      s->order[n + i].code = gv_morton_code(&s->morton, (const double[3]){p.x[i], p.y[i], p.z[i]});
  }
  return GV_OK;
}

/* Queries first ... first + count - 1. Cells of a globe some kilometers wide, or as many of a plane. */
static gv_status feature_index_order_queries(gv_context *context, feature_search *s, int64_t first,
                                             int64_t count, gv_sort_code *scratch) {
  bool globe = s->voronoi.features->globe;
  for (int axis = 0; axis < 3; axis++) {
    s->low[axis] = globe ? -1.0 : INFINITY;
    s->high[axis] = globe ? 1.0 : -INFINITY;
  }
  for (int64_t i = first; i < first + count; i++) {
    s->order[i - first] = (gv_sort_code){.index = i};
    if (globe) continue;
    double x, y;
    gv_pair_get(s->queries, i, &x, &y);
    s->low[0] = fmin(s->low[0], x), s->high[0] = fmax(s->high[0], x);
    s->low[1] = fmin(s->low[1], y), s->high[1] = fmax(s->high[1], y);
  }
  s->morton = (gv_morton){globe ? 3 : 2, globe ? 11 : 16, s->low, s->high};
  gv_loop loop = {context, context->threads, count, 0, NULL, s};
  GV_TRY(gv_parallel_for(&loop, code_some));
  return gv_codes_sort(context, s->order, scratch, count, s->morton.dim * s->morton.bits, context->threads);
}

static gv_status feature_index_search_queries(gv_context *context, feature_search *s) {
  enum {
    MOST = 1 << 22 /* in an order of their own */,
    LEAST = 256,
    DENSE = 4096 /* a worker takes at once */
  };
  int64_t total = s->queries->count, most = total < MOST ? total : MOST;
  const gv_feature_tree *tree = &s->lookup->tree;
  /* Used if queries are as dense as edges. */
  bool spans = total >= LEAST && tree->all == NULL && tree->entries < total / 2 &&
               gv_feature_tiles_supported(&s->voronoi, s->lookup);
  s->order = gv_allocate(&context->allocator, 2 * most, sizeof *s->order);
  if (s->order == NULL && most > 0) return gv_fail_memory(context, "the order of the queries");
  gv_status status = GV_OK;
  for (int64_t first = 0; first < total && status == GV_OK; first += MOST) {
    int64_t count = total - first < MOST ? total - first : MOST;
    status = feature_index_order_queries(context, s, first, count, s->order + most);
    if (status != GV_OK) break;
    gv_loop loop = {context, context->threads, count, spans ? DENSE : LEAST, &s->progress, s};
    status = gv_parallel_for(&loop, spans ? search_spans : feature_index_search_some);
  }
  gv_release(&context->allocator, s->order);
  return status;
}

/* -------------------------------------------------------------------------------------------- by a device */

/* Queries `first` ... of a search, and the device's results. */
typedef struct device_search {
  feature_search *s;
  int64_t first;
  int32_t *found;
  float *low; /* polygons only */
} device_search;

/* Some queries as pairs, for the device. */
typedef struct query_pairs {
  const feature_search *s;
  int64_t first;
  double *out;
} query_pairs;

static gv_status feature_index_copy_pairs(gv_worker *worker, int64_t first, int64_t end) {
  const query_pairs *p = worker->user;
  for (int64_t i = first; i < end; i++)
    GV_TRY(feature_index_query(&worker->context, p->s, p->first + i, &p->out[2 * i], &p->out[2 * i + 1]));
  return GV_OK;
}

static gv_status feature_index_fill_pairs(gv_context *context, void *user, size_t at, size_t bytes,
                                          void *out) {
  enum { AT_ONCE = 1 << 14, PAIR = 2 * sizeof(double) };
  const device_search *d = user;
  query_pairs p = {d->s, d->first + (int64_t)(at / PAIR), out};
  gv_loop loop = {context, context->threads, (int64_t)(bytes / PAIR), AT_ONCE, NULL, &p};
  return gv_parallel_for(&loop, feature_index_copy_pairs);
}

/* The result of one query: what the device found, unless a polygon contains it or the device left it open. */
static void feature_index_finish(device_search *d, int64_t n, const gv_edge_place *q, gv_feature_cell *c,
                                 gv_located *last) {
  const feature_search *s = d->s;
  int64_t i = d->first + n;
  const gv_ball here_only = {{q->vector[0], q->vector[1], q->vector[2]}, 0.0};
  int32_t around = d->low != NULL ? gv_feature_lookup_locate(s->lookup, q, (double)d->low[n], last) : -1;
  /* In a polygon, an edge of another feature may be at distance 0 too. */
  bool open = around < 0 ? d->found[n] == GV_EDGE_OPEN
                         : !gv_ball_is_clear(&s->lookup->tree, &here_only, (double)d->low[n]);
  if (open) {
    c->q = q;
    search_one(s, c, i);
    return;
  }
  s->indices[i] = around >= 0 ? around : d->found[n];
  if (around >= 0 && s->distances != NULL) s->distances[i] = 0.0;
}

static gv_status feature_index_finish_some(gv_worker *worker, int64_t first, int64_t end) {
  device_search *d = worker->user;
  gv_context *context = &worker->context;
  gv_located last = {.low = 0.0};
  feature_places p;
  gv_feature_cell *c = gv_allocate(&context->allocator, 1, sizeof *c);
  if (c == NULL) return gv_fail_memory(context, "a batch of queries");
  gv_status status = gv_feature_cell_init(context, &d->s->voronoi, d->s->lookup, c);
  for (int64_t n = first; n < end && status == GV_OK; n += SPAN) {
    int32_t count = n + SPAN < end ? SPAN : (int32_t)(end - n);
    bool needed = d->low != NULL;
    gv_sort_code order[SPAN];
    for (int32_t i = 0; i < count; i++) {
      needed = needed || d->found[n + i] == GV_EDGE_OPEN;
      order[i] = (gv_sort_code){.index = d->first + n + i};
    }
    if (needed) status = feature_index_find_places(context, d->s, order, count, &p);
    for (int32_t i = 0; i < count && status == GV_OK; i++) {
      gv_edge_place q = {.lon = 0.0};
      if (needed) q = feature_index_place_of(&p, i);
      feature_index_finish(d, n + i, &q, c, &last);
    }
  }
  gv_feature_cell_clear(c);
  gv_release(&context->allocator, c);
  if (status == GV_OK) gv_progress_add(&d->s->progress, end - first);
  return status;
}

/* Whether a device is to search, and which results are its part. */
static bool feature_index_device_pays(const gv_context *context, const gv_feature_index *index,
                                      const feature_search *s) {
  bool exact = gv_device_edges_measure(&index->lookup.tree, false);
  if (index->lookup.device == NULL || s->voronoi.k > 1 || s->nearest != NULL ||
      (s->distances != NULL && !exact))
    return false;
  return !index->lookup.device->automatic ||
         gv_device_pays_for_features((double)s->queries->count, context->threads, gv_cuda_started());
}

static gv_status feature_index_search_on_device(gv_context *context, const gv_edges_device *device,
                                                const void *edges, feature_search *s) {
  enum { MOST = 1 << 22, DENSE = 4096 };
  const gv_feature_tree *tree = &s->lookup->tree;
  bool polygons = s->lookup->locator.strips > 0;
  int64_t total = s->queries->count, most = total < MOST ? total : MOST;
  device_search d = {.s = s};
  d.found = gv_allocate(&context->allocator, most, sizeof *d.found);
  if (polygons) d.low = gv_allocate(&context->allocator, most, sizeof *d.low);
  gv_status status = d.found != NULL && (!polygons || d.low != NULL)
                         ? GV_OK
                         : gv_fail_memory(context, "the results of a device");
  for (; d.first < total && status == GV_OK; d.first += MOST) {
    int64_t count = total - d.first < MOST ? total - d.first : MOST;
    const gv_edge_search of = {.count = count,
                               .pairs = feature_index_fill_pairs,
                               .user = &d,
                               .limit = s->voronoi.limit,
                               .radius = gv_globe_radius(&s->voronoi.cells.ellipsoid),
                               .reach = gv_reach(tree, s->voronoi.limit),
                               .sure = gv_sure_chord2(tree, s->voronoi.limit),
                               .low = polygons,
                               .distance = s->distances != NULL,
                               .to = {d.found, d.low, s->distances != NULL ? s->distances + d.first : NULL}};
    status = device->search(context, edges, &of);
    gv_loop loop = {context, context->threads, count, DENSE, &s->progress, &d};
    if (status == GV_OK) status = gv_parallel_for(&loop, feature_index_finish_some);
  }
  gv_release(&context->allocator, d.found);
  gv_release(&context->allocator, d.low);
  return status;
}

/* By the device if it pays, else by the CPU, also if a device that was not requested fails. */
static gv_status feature_index_search(gv_context *context, const gv_feature_index *index, feature_search *s) {
  const gv_edges_device *device;
  const void *edges = NULL;
  if (feature_index_device_pays(context, index, s))
    GV_TRY(gv_feature_lookup_device(context, &index->lookup, &device, &edges));
  if (edges != NULL) {
    gv_status status = feature_index_search_on_device(context, device, edges, s);
    if (status == GV_OK || !gv_device_edges_give_up(index->lookup.device, status)) return status;
    gv_progress_init(&s->progress, context, s->queries->count);
  }
  return feature_index_search_queries(context, s);
}

static gv_status search_features(gv_context *context, const gv_index *base, const gv_points *queries,
                                 const gv_search_options *o, int64_t *indices, double *distances) {
  const gv_feature_index *index = (const gv_feature_index *)base;
  GV_TRY(gv_check_search_options(context, o, GV_VORONOI_MAX_K, " among lines and polygons"));
  if (gv_on_device(o->array_options))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "lines and polygons: device memory is unsupported; use host memory");
  if (queries == NULL || o->exclude_self)
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "lines and polygons: a search of the index against itself is unsupported; pass points as queries");
  GV_TRY(gv_check_pairs(context, queries, "query"));
  if (queries->count > 0 && indices == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "indices: the output pointer is NULL");
  feature_search s = {.lookup = &index->lookup,
                      .voronoi = index->voronoi,
                      .queries = queries,
                      .indices = indices,
                      .distances = distances,
                      .nearest = o->nearest};
  s.voronoi.k = o->k;
  s.voronoi.limit = gv_canonical_limit(s.voronoi.cells.metric, &s.voronoi.cells.ellipsoid, o->max_distance);
  gv_progress_init(&s.progress, context, queries->count);
  return feature_index_search(context, index, &s);
}

/* ---------------------------------------------------------------------------------------------- by radius */

/* One query at a time of a search by radius, and the features found: `around` of them are polygons that it
 * lies in. */
typedef struct radius_query {
  gv_feature_cell *cell_search;
  gv_found_list list;
  double limit, reach, sure; /* canonical; squares of chords: see features/tree.h */
  bool counted;
  int64_t around;
} radius_query;

typedef struct feature_radius_search {
  feature_search places;
  const gv_radius_options *options;
  int64_t *offsets;
} feature_radius_search;

static bool is_listed(const radius_query *r, int64_t feature) {
  for (int64_t i = 0; i < r->around; i++)
    if (r->list.entry[i].index == feature) return true;
  return false;
}

static bool list_around(void *user, int32_t part) {
  radius_query *r = user;
  int32_t feature = r->cell_search->index->locator.feature_of[part];
  if (!is_listed(r, feature)) gv_found_list_add(&r->list, 0.0, feature);
  r->around = r->list.count;
  return true;
}

static double list_feature(void *user, int32_t feature, double box, double reach) {
  radius_query *r = user;
  gv_feature_cell *c = r->cell_search;
  const gv_feature_tree *tree = &c->index->tree;
  double low = 0.0, high = INFINITY;
  (void)box;
  if (is_listed(r, feature)) return reach;
  if (gv_feature_tree_iterates(tree)) gv_tree_chords(tree, feature, c->q->vector, reach, &low, &high);
  if (low * low > reach) return reach;
  if (r->counted && high * high <= r->sure) {
    gv_found_list_add(&r->list, 0.0, feature);
  } else if (gv_feature_cell_aim(c, feature)) {
    double value = gv_finder_distance(&c->finder, c->q, false);
    if (value <= r->limit) gv_found_list_add(&r->list, value, feature);
  }
  return reach;
}

static double list_point(void *user, int64_t vertex, double reach) {
  radius_query *r = user;
  const gv_feature_tree *tree = &r->cell_search->index->tree;
  gv_edge_closest closest;
  if (tree->geodesic != NULL && gv_tree_point_chord2(tree, vertex, r->cell_search->q->vector) > reach)
    return reach;
  gv_feature_edge(tree->set, vertex, true, r->cell_search->q, &closest);
  if (closest.canonical <= r->limit) gv_found_list_add(&r->list, closest.canonical, tree->owner[vertex]);
  return reach;
}

/* Keeps the nearest point of each feature. */
static void merge_points(gv_found_list *list) {
  int64_t kept = 0;
  gv_found_list_swap(list);
  gv_codes_sort_list(list->entry, list->entry + list->room, list->count);
  for (int64_t i = 0; i < list->count; i++)
    if (i == 0 || list->entry[i].code != list->entry[kept - 1].code) list->entry[kept++] = list->entry[i];
  list->count = kept;
  gv_found_list_swap(list);
}

static void find_within(radius_query *r, double limit) {
  gv_feature_cell *c = r->cell_search;
  const gv_feature_tree *tree = &c->index->tree;
  r->limit = limit;
  r->reach = gv_reach(tree, limit);
  r->sure = gv_sure_chord2(tree, limit);
  r->list.count = r->around = 0;
  gv_locate(&c->index->locator, c->q, list_around, r);
  if (tree->all != NULL) {
    gv_tree_walk_points(tree, c->q->vector, r->reach, list_point, r);
    if (!r->list.failed) merge_points(&r->list);
  } else {
    gv_tree_walk(tree, c->q->vector, r->reach, list_feature, r);
  }
}

static gv_status search_radius(gv_context *context, feature_radius_search *s, radius_query *r, int64_t i) {
  const gv_voronoi *v = &s->places.voronoi;
  double *distances = s->places.distances;
  feature_places p;
  const gv_sort_code order = {.index = i};
  GV_TRY(feature_index_find_places(context, &s->places, &order, 1, &p));
  gv_edge_place q = feature_index_place_of(&p, 0);
  r->cell_search->q = &q;
  find_within(r, s->options->radii != NULL
                     ? gv_canonical_limit(v->cells.metric, &v->cells.ellipsoid, s->options->radii[i])
                     : v->limit);
  if (r->list.failed) return gv_fail_memory(context, "the neighbors of a query");
  if (r->counted) {
    s->offsets[i + 1] = r->list.count;
    return GV_OK;
  }
  int64_t first = s->offsets[i], end = s->offsets[i + 1];
  GV_TRY(gv_found_list_put(context, &r->list, s->options->by_number != 0, i, first, end - first,
                           s->places.indices, distances));
  for (int64_t n = first; distances != NULL && n < end; n++)
    distances[n] = gv_feature_distance_of(v, distances[n]);
  return GV_OK;
}

static gv_status search_radii(gv_worker *worker, int64_t first, int64_t end) {
  feature_radius_search *s = worker->user;
  gv_context *context = &worker->context;
  radius_query r = {.counted = s->places.indices == NULL && s->places.distances == NULL};
  r.cell_search = gv_allocate(&context->allocator, 1, sizeof *r.cell_search);
  if (r.cell_search == NULL) return gv_fail_memory(context, "a batch of queries");
  gv_status status = gv_feature_cell_init(context, &s->places.voronoi, s->places.lookup, r.cell_search);
  if (!gv_found_list_init(&r.list, &context->allocator, false) && status == GV_OK)
    status = gv_fail_memory(context, "the neighbors of a query");
  for (int64_t i = first; i < end && status == GV_OK; i++)
    status = search_radius(context, s, &r, i);
  gv_found_list_clear(&r.list);
  gv_feature_cell_clear(r.cell_search);
  gv_release(&context->allocator, r.cell_search);
  if (status == GV_OK) gv_progress_add(&s->places.progress, end - first);
  return status;
}

static gv_status feature_index_search_radius(gv_context *context, const gv_index *base,
                                             const gv_points *queries, const gv_radius_options *o,
                                             int64_t *offsets, int64_t *indices, double *distances) {
  enum { AT_ONCE = 64 /* queries that a worker processes at once */ };
  const gv_feature_index *index = (const gv_feature_index *)base;
  GV_TRY(gv_check_pairs(context, queries, "query"));
  feature_radius_search s = {.places = {.lookup = &index->lookup,
                                        .voronoi = index->voronoi,
                                        .queries = queries,
                                        .indices = indices,
                                        .distances = distances},
                             .options = o,
                             .offsets = offsets};
  s.places.voronoi.k = 1;
  s.places.voronoi.limit =
      gv_canonical_limit(s.places.voronoi.cells.metric, &s.places.voronoi.cells.ellipsoid, o->radius);
  gv_progress_init(&s.places.progress, context, queries->count);
  gv_loop loop = {context, context->threads, queries->count, AT_ONCE, &s.places.progress, &s};
  return gv_parallel_for(&loop, search_radii);
}

static const gv_index_type feature_index = {GV_INDEX_FEATURES,
                                            search_features,
                                            NULL,
                                            NULL,
                                            NULL,
                                            feature_index_destroy,
                                            feature_index_search_radius,
                                            NULL};
