/*
 * Computes one block: mask, nearest seeds, adjacent regions (for the colors), distances, statistics, and ids.
 * If ids are distinct and no distances are requested, the library writes ids; otherwise it writes seed
 * numbers, which are replaced by ids last.
 *
 * If OUT's cells are those of the raster of seeds, cells that are seeds are not queries: each has its own
 * region, at distance 0.
 */
#include "job/raster/compute/block.h"

#include <math.h>

#include "cells/facts.h"

/* ---------------------------------------------------------------------------------------------- distances */

/* Into the raster from place `at` on. */
static void block_put_distances(const gv_run_work *w, const gv_raster_block *block, int64_t at,
                                const double *from, int64_t count) {
  void *out = block->out[w->plan->slot[GV_RUN_DISTANCE]];
  bool wide = w->plan->job->distance_type == GDT_Float64;
  for (int64_t i = 0; i < count && wide; i++)
    ((double *)out)[at + i] = from[i] / w->in->distance_size;
  for (int64_t i = 0; i < count && !wide; i++)
    ((float *)out)[at + i] = (float)(from[i] / w->in->distance_size);
}

/* Distances and azimuths (NULL: none) of a band of seed numbers. */
typedef struct block_values {
  gv_dtype type;
  void *distance;
  float *azimuth;
  int64_t stride;
  bool is_signed;
} block_values;

static gv_status block_measure_band(const gv_run_work *w, gv_run_worker *worker, const gv_rectangle *p,
                                    const gv_labels *numbers, int band, const block_values *to) {
  gv_measure m;
  gv_measure_init(&m);
  GV_RUN_SET_CELLS(m, p);
  m.seed = numbers->out + band * numbers->band_stride;
  m.stride = numbers->stride;
  m.type = to->type;
  m.distance = to->distance;
  m.azimuth = to->azimuth;
  m.out_stride = to->stride;
  m.signed_distance = to->is_signed;
  return gv_voronoi_measure(worker->context, w->voronoi, &m);
}

void gv_run_put_band(const gv_run_work *w, const gv_run_worker *worker, const gv_raster_block *block,
                     const gv_rectangle *p, int64_t band) {
  const int d = gv_run_slot(w, block, GV_RUN_DISTANCE);
  for (int64_t y = 0; y < p->h && d >= 0; y++)
    block_put_distances(w, block, band * block->band_stride[d] + y * block->stride,
                        worker->distance + y * w->block_w, p->w);
}

/*
 * Distances to the seeds of a block, and azimuths, band by band. Distances in another unit than the library's
 * go through the worker's buffer. Those of the first band stay there for the statistics, without signs: that
 * band is measured last. Errors are the library's.
 */
static gv_status block_measure(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                               const gv_rectangle *p, const gv_labels *numbers) {
  const gv_job *j = w->plan->job;
  const int d = j->distance_per_value ? -1 : gv_run_slot(w, block, GV_RUN_DISTANCE),
            a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  const bool wide = j->distance_type == GDT_Float64, has_signs = j->signed_distance;
  for (int b = j->k - 1; b >= 0; b--) {
    const bool kept = b == 0 && w->plan->distances && w->statistics != NULL;
    const bool through_buffer = d >= 0 && (w->plan->converts || (kept && !has_signs));
    const int64_t at = d >= 0 ? b * block->band_stride[d] : 0;
    block_values buffer = {GV_FLOAT64, worker->distance, NULL, w->block_w, has_signs};
    if (through_buffer) {
      GV_TRY(block_measure_band(w, worker, p, numbers, b, &buffer));
      gv_run_put_band(w, worker, block, p, b);
    }
    if (kept && (has_signs || !through_buffer)) {
      buffer.is_signed = false;
      GV_TRY(block_measure_band(w, worker, p, numbers, b, &buffer));
    }
    const bool put = through_buffer || d < 0;
    if (put && a < 0) continue;
    block_values direct = {wide ? GV_FLOAT64 : GV_FLOAT32, NULL, NULL, block->stride,
                           has_signs && !(kept && put)};
    if (!put) direct.distance = (char *)block->out[d] + (size_t)at * (wide ? sizeof(double) : sizeof(float));
    if (a >= 0) direct.azimuth = (float *)block->out[a] + b * block->band_stride[a];
    GV_TRY(block_measure_band(w, worker, p, numbers, b, &direct));
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------ cells that are seeds themselves */

/* True if all cells of the block are of one region and none is a query; *own[0] is the region. */
static bool is_own(const gv_run_work *w, gv_run_worker *worker, const gv_rectangle *part,
                   const uint8_t *mask) {
  int32_t group;
  if (w->plan->job->cost.path != NULL) return false; /* cells that are seeds have cost 0 */
  worker->owns = w->in->cells.own;
  if (!w->in->cells.own ||
      !gv_raster_seeds_is_uniform(w->in->cells.cells, part->x, part->y, part->w, part->h, &group))
    return false;
  worker->owns = group >= 0;
  worker->own[0] = group;
  return group >= 0 && mask == NULL && w->plan->job->k == 1 && !w->plan->job->raster_seeds.by_cell &&
         w->statistics == NULL && w->each == NULL;
}

/* Finds the cells of a block that are seeds themselves; they are not queries; `mask`: cells that count, or
 * NULL. */
static gv_status find_own(gv_io *io, const gv_run_work *w, gv_run_worker *worker, const gv_rectangle *part,
                          const uint8_t *mask) {
  gv_status status = gv_raster_seeds_groups(worker->context, w->in->cells.cells, part->x, part->y, part->w,
                                            part->h, worker->own, w->block_w);
  if (status != GV_OK) return gv_io_pass_on_library(io, worker->context, status);
  for (int64_t y = 0; y < part->h; y++) {
    int32_t *own = worker->own + y * w->block_w;
    uint8_t *queried = worker->queried + y * w->block_w;
    const uint8_t *counts = mask != NULL ? mask + y * w->block_w : NULL;
    for (int64_t x = 0; x < part->w; x++)
      queried[x] = own[x] < 0;
    for (int64_t x = 0; x < part->w && counts != NULL; x++) {
      own[x] = counts[x] != 0 ? own[x] : -1;
      queried[x] = counts[x] != 0 ? queried[x] : 0;
    }
  }
  return GV_OK;
}

/* Their own region first, of several. */
static void put_own_first(const gv_run_work *w, const gv_run_worker *worker, const gv_rectangle *part,
                          gv_labels *block) {
  for (int64_t i = 0; i < part->w * part->h; i++) {
    int64_t x = i % part->w, y = i / part->w;
    int32_t *out = block->out + y * block->stride + x, moved = worker->own[y * w->block_w + x];
    if (moved < 0) continue;
    /* Each band moves one back, up to the cell's own region, or the last is dropped. */
    for (int b = 0; b < w->plan->job->k; b++) {
      int32_t here = out[b * block->band_stride];
      out[b * block->band_stride] = moved;
      if (here == worker->own[y * w->block_w + x]) break;
      moved = here;
    }
  }
}

/* Their distances and azimuths, which are 0. */
static void measure_own(const gv_run_work *w, const gv_run_worker *worker, const gv_raster_block *block,
                        const gv_rectangle *part) {
  static const double nothing = 0.0;
  int d = w->plan->job->distance_per_value ? -1 : gv_run_slot(w, block, GV_RUN_DISTANCE);
  int a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  if (d < 0 && a < 0 && !w->plan->distances) return;
  for (int64_t y = 0; y < part->h; y++) {
    const int32_t *own = worker->own + y * w->block_w;
    for (int64_t x = 0; x < part->w; x++) {
      int64_t at = y * block->stride + x;
      if (own[x] < 0) continue;
      if (d >= 0) block_put_distances(w, block, at, &nothing, 1);
      if (a >= 0) ((float *)block->out[a])[at] = 0.0F;
      if (w->plan->distances) worker->distance[y * w->block_w + x] = 0.0;
    }
  }
}

/* From numbers of seeds to those of regions. */
static void name_regions(const gv_run_work *w, const gv_run_worker *worker, const gv_rectangle *part,
                         const gv_labels *block) {
  const int32_t *region = w->plan->by_region ? NULL : w->in->cells.region;
  bool own = worker->owns && w->plan->job->k == 1, by_cell = w->plan->job->raster_seeds.by_cell;
  for (int64_t y = 0; y < part->h; y++) {
    int32_t *out = block->out + y * block->stride;
    const int32_t *mine = own ? worker->own + y * w->block_w : NULL;
    /* Neighbors mostly have one seed. */
    int32_t seed = -1, of_seed = -1;
    for (int64_t x = 0; x < part->w && region != NULL; x++) {
      if (out[x] != seed) {
        seed = out[x];
        of_seed = seed >= 0 ? region[seed] : seed;
      }
      out[x] = of_seed;
    }
    /* by cell: some seed's number, until its own number is written */
    for (int64_t x = 0; x < part->w && own; x++)
      out[x] = mine[x] < 0 ? out[x] : by_cell ? 0 : mine[x];
  }
}

/* Distances by value, with the worker's numbers and distances as buffers. */
static gv_status measure_each(gv_io *io, const gv_run_work *w, gv_run_worker *worker,
                              const gv_raster_block *block, const gv_rectangle *part, const uint8_t *mask) {
  for (int64_t i = 0; i < w->in->regions->count; i++) {
    gv_labels b;
    gv_labels_init(&b);
    gv_measure m;
    gv_measure_init(&m);
    GV_RUN_SET_CELLS(b, part);
    GV_RUN_SET_CELLS(m, part);
    b.mask = mask;
    b.mask_stride = b.stride = m.stride = m.out_stride = w->block_w;
    b.out = worker->numbers;
    m.seed = worker->numbers;
    m.type = GV_FLOAT64;
    m.distance = worker->distance;
    gv_status status = w->each[i] != NULL ? gv_voronoi_fill(worker->context, w->each[i], &b, NULL) : GV_OK;
    if (status == GV_OK && w->each[i] != NULL) status = gv_voronoi_measure(worker->context, w->each[i], &m);
    if (status != GV_OK) return gv_io_pass_on_library(io, worker->context, status);
    for (int64_t y = 0; y < part->h; y++) {
      double *row = worker->distance + y * w->block_w;
      for (int64_t x = 0; x < part->w; x++) {
        if (w->each[i] == NULL) row[x] = (double)NAN;
        if (worker->owns && worker->own[y * w->block_w + x] == i) row[x] = 0.0;
      }
    }
    gv_run_put_band(w, worker, block, part, i);
  }
  return GV_OK;
}

/* ---------------------------------------------------------------------------------------------- all of it */

/* Seed numbers to real attributes. */
static void write_reals(const gv_run_plan *plan, const int32_t *numbers, int64_t n, void *out, int64_t at) {
  bool wide = plan->type[GV_RUN_OUT] == GDT_Float64;
  for (int64_t i = 0; i < n; i++) {
    double value = numbers[i] >= 0 ? plan->reals[numbers[i]] : (double)NAN;
    if (wide) {
      ((double *)out)[at + i] = value;
    } else {
      ((float *)out)[at + i] = (float)value;
    }
  }
}

/* Seed numbers to ids or attributes of other types of integers than Int32. */
static void write_integers(const gv_run_plan *plan, const int32_t *numbers, int64_t n, char *out,
                           int64_t at) {
  enum { STRETCH = 256 };
  int64_t ids[STRETCH];
  const GDALDataType type = plan->type[GV_RUN_OUT];
  const int size = GDALGetDataTypeSizeBytes(type);
  for (int64_t i = 0; i < n; i += STRETCH) {
    int count = n - i < STRETCH ? (int)(n - i) : STRETCH;
    for (int k = 0; k < count; k++)
      ids[k] = numbers[i + k] >= 0 ? plan->integers[numbers[i + k]] : plan->nodata;
    GDALCopyWords(ids, GDT_Int64, sizeof *ids, out + (at + i) * size, type, size, count);
  }
}

/* Seed numbers to ids, in place if they are Int32. Most cells have the seed of the previous cell, so whole
 * stretches are compared at once. */
static void write_ids(const gv_run_plan *plan, const int32_t *numbers, int64_t n, void *out, int64_t at) {
  enum { STRETCH = 32 };
  int32_t *narrow = (int32_t *)out + at;
  if (plan->reals != NULL) {
    write_reals(plan, numbers, n, out, at);
    return;
  }
  if (plan->type[GV_RUN_OUT] != GDT_Int32) {
    write_integers(plan, numbers, n, out, at);
    return;
  }
  for (int64_t i = 0; i < n; i += STRETCH) {
    int64_t end = n - i < STRETCH ? n : i + STRETCH;
    int32_t first = numbers[i];
    uint32_t differ = 0;
    for (int64_t j = i; j < end; j++)
      differ |= (uint32_t)numbers[j] ^ (uint32_t)first;
    if (differ == 0) {
      int32_t id = first >= 0 ? plan->labels[first] : (int32_t)plan->nodata;
      for (int64_t j = i; j < end; j++)
        narrow[j] = id;
    } else {
      for (int64_t j = i; j < end; j++)
        narrow[j] = numbers[j] >= 0 ? plan->labels[numbers[j]] : (int32_t)plan->nodata;
    }
  }
}

/* The numbers of cells that are seeds themselves. */
static void write_own_cells(const gv_run_work *w, const gv_run_worker *worker, const gv_raster_block *block,
                            const gv_rectangle *p) {
  for (int64_t y = 0; y < p->h; y++) {
    int64_t *out = (int64_t *)block->out[w->plan->slot[GV_RUN_OUT]] + y * block->stride;
    int64_t first = (p->y + y) * w->plan->width + p->x;
    for (int64_t x = 0; x < p->w; x++)
      if (worker->own[y * w->block_w + x] >= 0) out[x] = first + x;
  }
}

/* True if cells may be without a seed. */
static bool may_be_empty(const gv_run_inputs *in) {
  return in->mask != NULL || isfinite(in->max_distance) || in->job->cost.path != NULL ||
         gv_run_has_barriers(in) || gv_facts_of(&in->grid.grid)->may_lack_places;
}

/* Cells without a seed; `uniform`: only the first is written. */
static int64_t count_empty(const int32_t *values, const gv_rectangle *p, int64_t stride, int32_t none,
                           bool uniform) {
  int64_t count = 0;
  if (uniform) return values[0] == none ? p->w * p->h : 0;
  for (int64_t y = 0; y < p->h; y++) {
    int32_t of_row = 0;
    for (int64_t x = 0; x < p->w; x++)
      of_row += values[y * stride + x] == none;
    count += of_row;
  }
  return count;
}

/* A block of which no cell counts. */
static void fill_masked(const gv_run_work *w, gv_raster_block *block) {
  static const int32_t none = -1;
  static const double nowhere = (double)NAN;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    int s = gv_run_slot(w, block, i);
    for (int b = 0; s >= 0 && b < w->plan->bands[i]; b++) {
      int64_t at = b * block->band_stride[s];
      block->uniform[s] = true;
      if (i == GV_RUN_OUT) {
        write_ids(w->plan, &none, 1, block->out[s], at);
      } else if (i == GV_RUN_DISTANCE) {
        block_put_distances(w, block, at, &nowhere, 1);
      } else {
        ((float *)block->out[s])[at] = NAN;
      }
    }
  }
}

/* Adds a block; `uniform`: of which only the first cell is written. */
static gv_status add_statistics(gv_io *io, const gv_run_work *w, int number, const gv_rectangle *p,
                                const gv_labels *numbers, bool uniform) {
  gv_run_worker *worker = &w->workers[number];
  for (int i = 0; i < w->plan->job->sum_count; i++)
    GV_TRY(gv_overlay_cells(io, w->in->overlay[i], number, p->x, p->y, p->w, p->h, &worker->quantity[i]));
  gv_statistics_cells b;
  gv_statistics_cells_init(&b);
  GV_RUN_SET_CELLS(b, p);
  b.seed = numbers->out;
  b.stride = numbers->stride;
  b.distance = worker->distance;
  b.distance_stride = w->block_w;
  b.quantity = worker->quantity;
  b.uniform = uniform;
  return gv_io_pass_on_library(io, worker->context, gv_statistics_add(worker->context, w->statistics, &b));
}

/* Which cells of a block count. */
static gv_status find_mask(gv_io *io, const gv_run_work *w, int number, const gv_rectangle *p,
                           int64_t *kept) {
  gv_run_worker *worker = &w->workers[number];
  if (!gv_cells_of_lists(&w->plan->job->grid.cells_of))
    return gv_mask_cells(io, w->in->mask, number, p->x, p->y, p->w, p->h, worker->mask, w->block_w, kept);
  double *lon = worker->center, *lat = worker->center + p->w;
  GV_TRY(gv_io_pass_on_library(
      io, worker->context,
      gv_voronoi_cell_centers(worker->context, w->voronoi, p->x, 0, p->w, 1, lon, lat, 0)));
  return gv_mask_places(io, w->in->mask, number, lon, lat, p->w, worker->mask, kept);
}

static gv_status compute_block(gv_io *io, void *user, int number, gv_raster_block *block) {
  const gv_run_work *w = user;
  const gv_job *j = w->plan->job;
  const gv_run_plan *plan = w->plan;
  gv_run_worker *worker = &w->workers[number];
  const int ids = gv_run_slot(w, block, GV_RUN_OUT), distance = gv_run_slot(w, block, GV_RUN_DISTANCE),
            azimuth = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  gv_rectangle p = gv_run_block_cells(w, block->column, block->row);
  const gv_rectangle whole = p;
  int64_t kept = p.w * p.h;
  if (w->in->mask != NULL) {
    GV_TRY(find_mask(io, w, number, &p, &kept));
    if (kept == 0) {
      worker->empty += p.w * p.h;
      fill_masked(w, block);
      return GV_OK;
    }
  }
  gv_labels b;
  gv_labels_init(&b);
  GV_RUN_SET_CELLS(b, &p);
  if (kept < p.w * p.h) {
    b.mask = worker->mask;
    b.mask_stride = w->block_w;
  }
  /* Equal cells need not all be written, unless each is used. Gain: otherwise 200 capitals, 43200x21600,
   * take 1.28 times the CPU time, 30 of them 1.6. */
  int uniform = 0, *may_be_uniform = NULL;
  const uint8_t *mask = b.mask;
  bool settled = is_own(w, worker, &p, mask);
  if (worker->owns && !settled) {
    GV_TRY(find_own(io, w, worker, &p, mask));
    b.mask = j->k == 1 ? worker->queried : mask;
    b.mask_stride = w->block_w;
  } else if (!plan->distances && distance < 0 && azimuth < 0) {
    may_be_uniform = &uniform;
  }
  b.out = plan->apart ? worker->numbers : block->out[ids];
  b.stride = plan->apart ? w->block_w : block->stride;
  b.band_stride = plan->apart ? (int64_t)w->block_w * w->block_h : block->band_stride[ids];
  if (settled) {
    uniform = 1;
    b.out[0] = -1;
  } else {
    GV_TRY(gv_io_pass_on_library(io, worker->context,
                                 w->source.seeds(w, worker, block, &p, &b, may_be_uniform)));
  }
  if (worker->owns && j->k > 1) put_own_first(w, worker, &p, &b);
  if (uniform != 0) p.w = p.h = 1;
  if (ids >= 0) block->uniform[ids] = uniform != 0;
  for (int i = 0; i < GV_MAX_RASTERS && settled; i++)
    block->uniform[i] = true;
  if (plan->numbers && !settled)
    GV_TRY(gv_io_pass_on_library(io, worker->context, w->source.measure(w, worker, block, &p, &b)));
  if (w->in->cells.cells != NULL) {
    if (worker->owns) measure_own(w, worker, block, &p);
    name_regions(w, worker, &p, &b);
  }
  if (may_be_empty(w->in)) {
    int32_t none = plan->numbers ? -1 : (int32_t)plan->nodata;
    worker->empty += count_empty(b.out, &whole, b.stride, none, uniform != 0);
  }
  if (worker->scans) GV_TRY(gv_adjacency_scan(io, &worker->adjacency, b.out, p.w, p.h, b.stride, p.y));
  if (w->statistics != NULL) GV_TRY(add_statistics(io, w, number, &whole, &b, uniform != 0));
  for (int band = 0; band < j->k && plan->numbers && ids >= 0; band++) {
    for (int64_t y = 0; y < p.h; y++) {
      write_ids(plan, b.out + band * b.band_stride + y * b.stride, p.w, block->out[ids],
                band * block->band_stride[ids] + y * block->stride);
    }
  }
  if (worker->owns && j->raster_seeds.by_cell && ids >= 0) write_own_cells(w, worker, block, &p);
  if (w->each == NULL || distance < 0) return GV_OK;
  return measure_each(io, w, worker, block, &whole, mask);
}

/* Distances, costs and quotients by small weights may be larger than the raster's type. */
static gv_status check_distances(gv_io *io, const gv_run_work *w, const gv_raster_block *block) {
  const int d = gv_run_slot(w, block, GV_RUN_DISTANCE);
  if (d < 0) return GV_OK;
  const bool wide = w->plan->job->distance_type == GDT_Float64;
  const gv_rectangle p = gv_run_block_cells(w, block->column, block->row);
  const int64_t columns = block->uniform[d] ? 1 : p.w, rows = block->uniform[d] ? 1 : p.h;
  for (int64_t i = 0; i < w->plan->bands[GV_RUN_DISTANCE] * rows; i++) {
    int64_t at = i / rows * block->band_stride[d] + i % rows * block->stride;
    int64_t found = 0;
    for (int64_t x = 0; x < columns; x++)
      found += wide ? isinf(((const double *)block->out[d])[at + x])
                    : isinf(((const float *)block->out[d])[at + x]);
    GV_REQUIRE(io, found == 0, "--distance: %s exceed the range of %s; use %s",
               w->plan->job->cost.path != NULL ? "costs" : "distances", wide ? "Float64" : "Float32",
               wide ? "smaller coordinates" : "--distance-type Float64");
  }
  return GV_OK;
}

gv_status gv_run_compute_block(gv_io *io, void *user, int number, gv_raster_block *block) {
  GV_TRY(compute_block(io, user, number, block));
  return check_distances(io, user, block);
}

gv_sum_totals gv_run_sum_of_raster(const gv_run_work *w, int number) {
  const gv_overlay *o = w->in->overlay[number];
  return (gv_sum_totals){gv_overlay_total(o), gv_overlay_inside(o), gv_overlay_bound(o)};
}

static gv_status block_seeds(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                             const gv_rectangle *p, const gv_labels *numbers, int *uniform) {
  (void)block;
  (void)p;
  return gv_voronoi_fill(worker->context, w->voronoi, numbers, uniform);
}

const gv_block_source gv_computed_blocks = {.computes = true,
                                            .block = gv_run_compute_block,
                                            .seeds = block_seeds,
                                            .measure = block_measure,
                                            .sum = gv_run_sum_of_raster};
