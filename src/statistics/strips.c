/* Statistics of strips with seeds on a device: preparing the strip, and adding its sums. */
#include <string.h>

#include "cells/area.h"
#include "cells/facts.h"
#include "core/array_options.h"
#include "measure/strips.h"
#include "search/cuda_module.h"
#include "statistics/device_sums.h"

enum {
  MOST_DISTANCES = 1 << 26, /* at once */
  MOST_LABELS = 1 << 28
};

/* A strip being added. */
typedef struct strips_adding {
  gv_statistics *s;
  gv_statistics_cells strip;
  gv_row_sums *row;
  double *share, *triangle;
  gv_totals *of_row;
  gv_sum *of_sum;
} strips_adding;

/* Running sums over the strip's rows; areas of the mesh's triangles. */
static gv_status make_factors(gv_context *context, strips_adding *a) {
  const gv_statistics *s = a->s;
  const gv_cells *cells = &s->voronoi->cells;
  const gv_allocator *allocator = &context->allocator;
  int64_t rows = a->strip.rows;
  a->of_row = gv_allocate(allocator, s->rows, sizeof *a->of_row);
  a->of_sum = gv_allocate(allocator, s->rows * s->sums, sizeof *a->of_sum);
  bool made = a->of_row != NULL && a->of_sum != NULL;
  if (s->row != NULL) {
    a->row = gv_allocate(allocator, rows + 1, sizeof *a->row);
    a->share = gv_allocate(allocator, rows, sizeof *a->share);
    made = made && a->row != NULL && a->share != NULL;
    gv_row_sums before = {0, 0, 0};
    for (int64_t r = 0; r < rows && made; r++) {
      const gv_row_factors *row = &s->row[a->strip.row + r];
      a->share[r] = row->share;
      a->row[r] = before;
      before = (gv_row_sums){before.area + row->area, before.across + (uint64_t)row->across,
                             before.up + (uint64_t)row->up};
    }
    if (made) a->row[rows] = before;
  }
  if (gv_grid_is_mesh(&cells->grid)) {
    int64_t of_octant = INT64_C(1) << cells->grid.level;
    a->triangle = gv_allocate(allocator, 2 * of_octant, sizeof *a->triangle);
    made = made && a->triangle != NULL;
    for (int64_t r = 0; r < of_octant && made; r++)
      gv_mesh_row_areas(&cells->ellipsoid, cells->grid.level, r, a->triangle + 2 * r);
  }
  return made ? GV_OK : gv_fail_memory(context, "a strip's statistics");
}

static void statistics_strips_clear(const gv_context *context, strips_adding *a) {
  void *const parts[] = {a->row, a->share, a->triangle, a->of_row, a->of_sum};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_release(&context->allocator, parts[i]);
}

/* Some cells: their distances, if requested, and then their sums. `quantity`: working memory for all
 * quantities. */
static gv_status add_part(gv_device_strips *d, const gv_statistics_device *device, const gv_device_sums *sums,
                          gv_statistics_cells *part) {
  if (sums->s->distances) {
    gv_measure m;
    gv_measure_init(&m);
    m.column = part->column;
    m.row = part->row;
    m.columns = m.out_stride = part->columns;
    m.rows = part->rows;
    m.seed = part->seed;
    m.stride = part->stride;
    m.type = GV_FLOAT64;
    m.distance = sums->distance;
    GV_TRY(gv_measure_carried(d, sums->s->voronoi, &m));
  }
  return device->add(&d->context, d->raster, sums, part);
}

/* A strip in parts of `most` cells at most. */
typedef struct strips_parts {
  const gv_statistics_cells *strip;
  int64_t columns, rows, across, count;
} strips_parts;

static strips_parts statistics_strips_cut(const gv_statistics_cells *strip, int64_t most) {
  strips_parts p = {strip, strip->columns < most ? strip->columns : most, 0, 0, 0};
  p.rows = most / p.columns;
  p.across = (strip->columns + p.columns - 1) / p.columns;
  p.count = p.across * ((strip->rows + p.rows - 1) / p.rows);
  return p;
}

/* `quantity`: room for those of the part. */
static gv_statistics_cells statistics_strips_part_of(const strips_parts *p, int64_t number,
                                                     int32_t quantities, gv_quantity *quantity) {
  int64_t column = number % p->across * p->columns, row = number / p->across * p->rows;
  const gv_statistics_cells *strip = p->strip;
  gv_statistics_cells part = *strip;
  part.column += column;
  part.row += row;
  part.columns = strip->columns - column < p->columns ? strip->columns - column : p->columns;
  part.rows = strip->rows - row < p->rows ? strip->rows - row : p->rows;
  if (part.seed != NULL) part.seed += row * strip->stride + column;
  part.quantity = quantity;
  for (int32_t q = 0; q < quantities; q++) {
    quantity[q] = strip->quantity[q];
    size_t size = quantity[q].type == GV_FLOAT32 ? sizeof(float) : sizeof(double);
    quantity[q].value = (const char *)quantity[q].value + (size_t)(row * quantity[q].stride + column) * size;
  }
  return part;
}

/* As many cells at once as there is room for distances. `quantity`: room for them. */
static gv_status add_parts(gv_device_strips *d, const gv_statistics_device *device,
                           const gv_device_sums *sums, const gv_statistics_cells *strip,
                           gv_quantity *quantity) {
  const strips_parts all =
      statistics_strips_cut(strip, sums->s->distances ? MOST_DISTANCES : strip->columns * strip->rows);
  gv_status status = GV_OK;
  for (int64_t i = 0; i < all.count && status == GV_OK; i++) {
    gv_statistics_cells part = statistics_strips_part_of(&all, i, sums->s->sums, quantity);
    status = add_part(d, device, sums, &part);
  }
  return status;
}

/* Finds the seeds of as many cells at once as there is room for, and adds them. `quantity`: room for those of
 * two parts. */
static gv_status find_and_add(gv_device_strips *d, const gv_statistics_device *device,
                              const gv_device_sums *sums, const gv_statistics_cells *strip,
                              gv_quantity *quantity) {
  int32_t count = sums->s->sums;
  const strips_parts all = statistics_strips_cut(strip, MOST_LABELS / sums->s->voronoi->k);
  gv_status status = GV_OK;
  for (int64_t i = 0; i < all.count && status == GV_OK; i++) {
    gv_statistics_cells part = statistics_strips_part_of(&all, i, count, quantity);
    gv_labels labels;
    gv_labels_init(&labels);
    labels.array_options = strip->array_options;
    labels.column = part.column;
    labels.row = part.row;
    labels.columns = labels.stride = part.stride = part.columns;
    labels.rows = part.rows;
    labels.band_stride = part.columns * part.rows;
    part.seed = labels.out = sums->seed;
    status = gv_device_strips_fill_locked(d, sums->s->voronoi, &labels);
    if (status == GV_OK) status = add_parts(d, device, sums, &part, quantity + count);
  }
  return status;
}

static gv_status check_faults(gv_context *context, const gv_statistics *s, const gv_device_faults *faults) {
  if (faults->beyond > 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "seed number: out of range (%d)", (int)faults->beyond);
  if (faults->distance != 0) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "distance of a cell from its seed: missing, or out of range [0, %g]", s->longest);
  }
  if (faults->quantity != 0) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "quantity %d: not finite, or out of range of its bound %g", (int)faults->quantity - 1,
                   s->bound[faults->quantity - 1]);
  }
  return GV_OK;
}

static gv_status statistics_strips_merge(gv_context *context, const strips_adding *a) {
  gv_statistics *s = a->s;
  bool good = true;
  pthread_mutex_lock(&s->lock);
  for (int64_t i = 0; i < s->rows; i++)
    good = gv_totals_add(&a->of_row[i], &s->of_row[i]) && good;
  for (int64_t i = 0; i < s->rows * s->sums; i++)
    good = gv_sum_add(&a->of_sum[i], &s->of_sum[i]) && good;
  pthread_mutex_unlock(&s->lock);
  return good ? GV_OK : gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "statistics: the sums are out of range");
}

static gv_status add_strip(gv_device_strips *d, const gv_voronoi *v, void *user) {
  strips_adding *a = user;
  const char *reason;
  const gv_statistics_device *device = gv_cuda_module_get(&reason)->statistics;
  const gv_strip_factors factors = {a->row, a->share, a->triangle};
  int64_t cells = a->strip.columns * a->strip.rows * v->k;
  int64_t labels = a->strip.seed != NULL ? 0 : cells < MOST_LABELS ? cells : MOST_LABELS;
  int64_t distances = !a->s->distances ? 0 : cells < MOST_DISTANCES ? cells : MOST_DISTANCES;
  gv_device_sums sums;
  gv_device_faults faults;
  gv_quantity *quantity = gv_allocate(&d->context.allocator, 2 * a->s->sums, sizeof *quantity);
  if (quantity == NULL) return gv_fail_memory(&d->context, "a strip's statistics");
  gv_status status =
      device->begin(&d->context, d->raster, a->s, &a->strip, &factors, labels, distances, &sums);
  if (status == GV_OK) {
    status = labels > 0 ? find_and_add(d, device, &sums, &a->strip, quantity)
                        : add_parts(d, device, &sums, &a->strip, quantity);
  }
  if (status == GV_OK) status = device->take(&d->context, d->raster, &sums, a->of_row, a->of_sum, &faults);
  if (status == GV_OK) status = check_faults(&d->context, a->s, &faults);
  gv_release(&d->context.allocator, quantity);
  return status;
}

static gv_status statistics_strips_check(gv_context *context, const gv_statistics *s,
                                         gv_statistics_cells *strip) {
  GV_TRY(gv_check_rectangle(context, &s->voronoi->cells.grid, strip->column, strip->row, &strip->columns,
                            &strip->rows));
  if (strip->stride == 0) strip->stride = strip->columns;
  bool good = (strip->seed == NULL || strip->stride >= strip->columns) && !strip->uniform;
  for (int32_t q = 0; q < s->sums; q++) {
    const gv_quantity *of = &strip->quantity[q];
    good = good && of->value != NULL && of->stride >= strip->columns && of->first == NULL &&
           of->first_row == NULL && (of->type == GV_FLOAT32 || of->type == GV_FLOAT64);
  }
  return good ? GV_OK
              : gv_fail(
                    context, GV_ERROR_INVALID_ARGUMENT,
                    "strides or quantities: strides shorter than rows, missing values, or an unknown type");
}

gv_status gv_statistics_add_on_device(gv_context *context, gv_statistics *s,
                                      const gv_statistics_cells *cells) {
  strips_adding a = {.s = s, .strip = *cells};
  GV_TRY(statistics_strips_check(context, s, &a.strip));
  gv_device_strips *strips = gv_cuda_tile_strips(s->voronoi);
  if (strips == NULL || s->labels != NULL) {
    return gv_fail(
        context, GV_ERROR_UNSUPPORTED,
        "statistics in device memory: unsupported for these cells or backend %s; use cuda-tile on rasters or "
        "QTM without labels, weights and projections",
        gv_voronoi_backend(s->voronoi));
  }
  const void **arrays = gv_allocate(&context->allocator, 1 + s->sums, sizeof *arrays);
  if (arrays == NULL) return gv_fail_memory(context, "a strip's statistics");
  arrays[0] = a.strip.seed;
  for (int32_t q = 0; q < s->sums; q++)
    arrays[1 + q] = a.strip.quantity[q].value;
  gv_status status = make_factors(context, &a);
  if (status == GV_OK)
    status = gv_device_strips_run(context, strips, s->voronoi, gv_stream_of(a.strip.array_options), arrays,
                                  1 + s->sums, add_strip, &a);
  if (status == GV_OK) status = statistics_strips_merge(context, &a);
  statistics_strips_clear(context, &a);
  gv_release(&context->allocator, (void *)arrays);
  return status;
}
