/* The public face of grids: checks, the choice of an engine, blocks, rectangles, whole rasters. */
#include <string.h>

#include "cells/parts.h"
#include "core/angles.h"
#include "core/array_options.h"
#include "gpuvoronoi/experimental.h"
#include "search/backend.h"
#include "search/cuda_module.h"
#include "search/pair.h"
#include "voronoi/engine.h"
#include "voronoi/list_order.h"
#include "voronoi/strip.h"

enum { DEFAULT_BLOCK = 512, LARGEST_BLOCK = 8192, DEFAULT_SPAN = 1 << 16, LARGEST_SPAN = 1 << 20 };

/* Lists in any order are sorted block by block; in large blocks of long lists fewer seeds are tested for each
 * cell. Gain: 2x on 12 M places in random order and 10,000 seeds, 1.3x on 1 M. */
enum { LIST_SPAN = 1 << 18, LONG_LIST = 1 << 19 };

/*
 * Whether there are so many seeds that the engine for lists, which begins each block with all seeds, is
 * slower than a search. Gain: 2.4x for 1 M places in rows and 100,000 seeds, 7x with 1 M seeds; 1.7x along a
 * curve with 1 M seeds.
 */
static bool prefers_search(const gv_grid *grid, int64_t seeds, const gv_voronoi_options *o) {
  enum { FEW = 30000, MANY = 500000 };
  if (!gv_facts_of(grid)->given_places || grid->longitude == NULL || grid->latitude == NULL || seeds < FEW ||
      o->weighting != GV_UNWEIGHTED)
    return false;
  return seeds >= MANY || gv_list_order_of(grid) == GV_LIST_FAR_APART;
}

/* "auto" selects the culling engine, the fastest for grids. */
static gv_status choose_engine(gv_context *context, gv_voronoi *v, const gv_grid *grid, int64_t seeds,
                               const gv_voronoi_options *o) {
  const char *name = o->backend;
  v->automatic = gv_backend_is_automatic(name);
  const int best = prefers_search(grid, seeds, o) ? GV_BACKEND_KDTREE : GV_BACKEND_TILE;
  v->backend = v->automatic ? &gv_backends[best] : gv_backend_find(name);
  if (v->backend == NULL)
    return gv_fail(context, GV_ERROR_UNKNOWN_BACKEND,
                   "backend: unknown name (%s); gpuvoronoi backends lists the names", name);
  v->engine = v->backend->engine_for(grid);
  if (!v->backend->lists && !gv_facts_of(grid)->on_devices) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "backend: HEALPix, S2 and lists of places are unsupported (%s); use tile or auto",
                   v->backend->name);
  }
  return GV_OK;
}

/* Lines and polygons have a separate engine, which is used for some backends' names. */
static gv_status choose_features(gv_context *context, gv_voronoi *v, const gv_points *seeds,
                                 const gv_features *features) {
  if (features == NULL) return GV_OK;
  if (seeds != NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seeds and features: one of them must be NULL");
  if (!v->backend->features) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "backend: lines and polygons are unsupported (%s); use tile, openmp or serial",
                   v->backend->name);
  }
  v->engine = &gv_engine_features;
  v->features = gv_allocate_zeroed(&context->allocator, 1, sizeof *v->features);
  return v->features != NULL ? GV_OK : gv_fail_memory(context, "the features");
}

static gv_status make_labels(gv_context *context, gv_voronoi *v, const int32_t *labels) {
  v->label = gv_allocate(&v->allocator, v->seeds.count, sizeof *v->label);
  if (v->label == NULL) return gv_fail_memory(context, "the seeds' labels");
  for (int32_t i = 0; i < v->seeds.count; i++) {
    v->label[i] = labels != NULL ? labels[v->seeds.number[i]] : v->seeds.number[i];
  }
  return GV_OK;
}

/* Sets what is computed for each cell. Weights are checked here, before any work. */
static gv_status set_request(gv_context *context, gv_voronoi *v, const gv_voronoi_options *o, int64_t seeds) {
  v->k = o->k == 0 ? 1 : o->k;
  if (v->k < 1 || v->k > GV_VORONOI_MAX_K) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "k: out of range [1, %d] (%d)", GV_VORONOI_MAX_K,
                   (int)o->k);
  }
  if (!(o->max_distance >= 0.0)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "maximum distance: out of range [0, inf] (%g)",
                   o->max_distance);
  }
  v->max_distance = o->max_distance;
  v->limit = gv_canonical_limit(o->metric, &v->cells.ellipsoid, o->max_distance);
  v->within = v->beyond = v->limit;
  if (o->metric == GV_GEODESIC) gv_geodesic_chords(&v->geodesic, v->max_distance, &v->within, &v->beyond);
  v->weigher = gv_weigher_of(o->weighting, o->metric, &v->cells.ellipsoid);
  if (o->weighting == GV_UNWEIGHTED) {
    if (o->weights == NULL) return GV_OK;
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "weights: missing weighting; set weighting, or weights to NULL");
  }
  if (o->weighting < GV_UNWEIGHTED || o->weighting > GV_POWER) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "weighting: unknown number (%d)", (int)o->weighting);
  }
  if (o->weights == NULL || seeds < 1) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "weights: missing");
  if (o->weighting == GV_POWER && o->metric != GV_EUCLIDEAN && o->metric != GV_GREAT_CIRCLE) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "weighting power: unsupported metric (%s); use euclidean or great-circle",
                   gv_metric_name(o->metric));
  }
  for (int64_t i = 0; i < seeds; i++) {
    double w = o->weights[i];
    if (!isfinite(w) || (o->weighting == GV_MULTIPLICATIVE && !(w >= 1e-100 && w <= 1e100))) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed %lld: invalid weight (%g)%s", (long long)i, w,
                     isfinite(w) ? "; expected 1e-100 to 1e100" : "");
    }
  }
  if (!v->backend->weighted) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "backend: weighted distances are unsupported (%s); use tile, openmp or serial",
                   v->backend->name);
  }
  return GV_OK;
}

/* A span of cells of one sub-triangle: a power of 4. */
static void set_span(gv_voronoi *v, const gv_grid *grid, const gv_voronoi_options *options) {
  const bool long_list = gv_grid_is_unordered(grid) && grid->width >= LONG_LIST;
  int32_t wanted = options->block_width > 0 ? options->block_width : long_list ? LIST_SPAN : DEFAULT_SPAN;
  v->block_width = 1;
  while (4 * (int64_t)v->block_width <= wanted)
    v->block_width *= 4;
}

/* "auto" on a machine with a GPU: cuda-tile's engine, which chooses by sizes. False, and as before, if a GPU
 * that it chose cannot be had or has too little memory. */
static bool try_device(gv_context *context, gv_voronoi *v) {
  gv_context quiet;
  if (!gv_cuda_has_driver()) return false;
  /* Its CPUs are those of the culling engine. */
  if (v->backend != &gv_backends[GV_BACKEND_TILE] && !gv_cuda_tile_pays(context, v)) return false;
  gv_context_without_progress(context, &quiet);
  if (gv_engine_cuda_tile.create(&quiet, v, &v->state) != GV_OK) {
    v->state = NULL;
    return false;
  }
  v->engine = &gv_engine_cuda_tile;
  v->backend = &gv_backends[GV_BACKEND_CUDA_TILE];
  return true;
}

/*
 * Whether distances on the plane may be too large to be squared: they are then all equal, so the seed of the
 * lowest number is the nearest, which the bounds of tiles do not handle. Below this size nothing overflows.
 * Bounds with weights handle it.
 */
static bool beyond_squares(const gv_voronoi *v) {
  const double largest = 1e150, *t = v->cells.grid.geotransform;
  double columns = (double)v->cells.grid.width, rows = (double)v->cells.grid.height;
  if (v->cells.dim != 2 || v->features != NULL || v->weigher.weighting != GV_UNWEIGHTED) return false;
  double x = fabs(t[0]) + fabs(t[1]) * columns + fabs(t[2]) * rows,
         y = fabs(t[3]) + fabs(t[4]) * columns + fabs(t[5]) * rows;
  bool within = x <= largest && y <= largest;
  for (int32_t i = 0; i < v->seeds.count && within; i++)
    within = fabs(v->seeds.x[i]) <= largest && fabs(v->seeds.y[i]) <= largest;
  return !within;
}

gv_status gv_voronoi_create(gv_context *context, const gv_grid *grid, const gv_points *seeds,
                            const gv_voronoi_options *options, gv_voronoi **out) {
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_grid g;
  gv_points own;
  gv_grid_init(&g);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL || grid == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or output: the pointer is NULL");
  GV_COPY_GIVEN(context, gv_grid, &g, grid);
  GV_COPY_GIVEN(context, gv_voronoi_options, &o, options);
  GV_TRY(gv_load_pair(context, &seeds, &own));
  bool mesh = gv_grid_is_list(&g);
  if (o.block_width < 0 || o.block_height < 0 || o.block_width > (mesh ? LARGEST_SPAN : LARGEST_BLOCK) ||
      o.block_height > LARGEST_BLOCK) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "blocks: invalid size (%d x %d)", (int)o.block_width,
                   (int)o.block_height);
  }
  gv_voronoi *v = gv_allocate_zeroed(&context->allocator, 1, sizeof *v);
  if (v == NULL) return gv_fail_memory(context, "the Voronoi grid");
  v->allocator = context->allocator;
  v->nodata = o.nodata;
  v->block_width = o.block_width > 0 ? o.block_width : DEFAULT_BLOCK;
  v->block_height = o.block_height > 0 ? o.block_height : DEFAULT_BLOCK;
  if (mesh) set_span(v, &g, &o);
  gv_status status =
      choose_engine(context, v, &g, o.features == NULL && seeds != NULL ? seeds->count : 0, &o);
  if (status == GV_OK) status = choose_features(context, v, seeds, o.features);
  if (status == GV_OK) status = gv_cells_init(context, &g, o.metric, &v->cells);
  if (status == GV_OK) {
    gv_geodesic_init(&v->cells.ellipsoid, &v->geodesic);
    int64_t count = o.features != NULL ? o.features->count : seeds != NULL ? seeds->count : 0;
    status = set_request(context, v, &o, count);
  }
  if (status == GV_OK && o.features != NULL) {
    status = gv_feature_set_init(context, o.metric, &v->cells.ellipsoid, o.features, v->features);
    if (status == GV_OK) status = gv_seed_set_numbers(context, v->features->count, o.weights, &v->seeds);
  } else if (status == GV_OK) {
    /* The reference engine uses every seed. */
    int32_t copies = v->backend->exhaustive ? 0 : v->k;
    status = gv_seed_set_init(context, &v->cells, seeds, o.weights, copies, &v->seeds);
  }
  if (status == GV_OK) status = make_labels(context, v, o.labels);
  bool far = status == GV_OK && beyond_squares(v);
  if (far) v->engine = &gv_engine_points;
  if (far && !v->backend->searches_points) v->backend = &gv_backends[GV_BACKEND_KDTREE];
  bool made = status == GV_OK && v->automatic && o.features == NULL && !far && try_device(context, v);
  if (status == GV_OK && !made) {
    status = v->engine->create(context, v, &v->state);
    if (status != GV_OK) v->state = NULL;
  }
  if (status != GV_OK) {
    gv_voronoi_destroy(v);
    return status;
  }
  *out = v;
  return GV_OK;
}

void gv_voronoi_destroy(gv_voronoi *voronoi) {
  if (voronoi == NULL) return;
  if (voronoi->state != NULL) voronoi->engine->destroy(voronoi, voronoi->state);
  gv_cells_clear(&voronoi->cells);
  gv_seed_set_clear(&voronoi->seeds);
  if (voronoi->features != NULL) gv_feature_set_clear(voronoi->features);
  gv_allocator allocator = voronoi->allocator;
  gv_release(&allocator, voronoi->features);
  gv_release(&allocator, voronoi->label);
  gv_release(&allocator, voronoi);
}

const char *gv_voronoi_backend(const gv_voronoi *voronoi) {
  if (voronoi == NULL) return "";
  bool changes = voronoi->state != NULL && voronoi->engine->backend != NULL;
  return (changes ? voronoi->engine->backend(voronoi, voronoi->state) : voronoi->backend)->name;
}

/* ------------------------------------------------------------------------------------ rectangles of cells */

/* Computes a block with the grid's own engine. */
static gv_status block_of_engine(gv_context *context, void *from, const gv_tile *tile,
                                 const gv_labels *block) {
  const gv_voronoi *v = from;
  return v->engine->block(context, v, v->state, tile, block, NULL);
}

static gv_status check_labels(gv_context *context, const gv_voronoi *v, gv_labels *s) {
  if (s->out == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "labels: the output pointer is NULL");
  GV_TRY(gv_check_array_options(context, s->array_options));
  GV_TRY(gv_check_rectangle(context, &v->cells.grid, s->column, s->row, &s->columns, &s->rows));
  if (s->stride == 0) s->stride = s->columns;
  if (s->band_stride == 0) s->band_stride = s->stride * s->rows;
  if (s->mask_stride == 0) s->mask_stride = s->columns;
  if (s->stride < s->columns || (v->k > 1 && s->band_stride < s->columns)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "stride: shorter than a row (%lld, row %lld)",
                   (long long)(s->stride < s->columns ? s->stride : s->band_stride), (long long)s->columns);
  }
  if (s->mask != NULL && s->mask_stride < s->columns) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "mask: stride shorter than a row (%lld, row %lld)",
                   (long long)s->mask_stride, (long long)s->columns);
  }
  return GV_OK;
}

gv_status gv_voronoi_fill(gv_context *context, const gv_voronoi *v, const gv_labels *labels, int *uniform) {
  gv_labels s;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (v == NULL || labels == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or labels: the pointer is NULL");
  gv_labels_init(&s);
  GV_COPY_GIVEN(context, gv_labels, &s, labels);
  GV_TRY(check_labels(context, v, &s));
  if (uniform != NULL) *uniform = 0;
  if (gv_on_device(s.array_options)) {
    if (v->engine->device_strip != NULL) return v->engine->device_strip(context, v, v->state, &s);
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "backend: output arrays in device memory are unsupported (%s); use cuda-tile",
                   gv_voronoi_backend(v));
  }
  const gv_tile tile = {s.column, s.column + s.columns, s.row, s.row + s.rows};
  const gv_tile block = gv_tile_of_block(v, s.column / v->block_width, s.row / v->block_height);
  if (tile.c0 == block.c0 && tile.c1 == block.c1 && tile.r0 == block.r0 && tile.r1 == block.r1)
    return v->engine->block(context, v, v->state, &tile, &s, uniform);
  gv_strip_source source = {block_of_engine, (void *)v};
  gv_progress progress;
  gv_progress_init(&progress, context, s.columns * s.rows);
  return gv_strip_by_blocks(context, v, &source, &s, &progress);
}
