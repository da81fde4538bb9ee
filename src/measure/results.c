/* Results as values: seeds' numbers, distances and azimuths, cells that are seeds themselves, and the values
 * of seeds. */
#include "core/given.h"
#include "gpuvoronoi/raster_seeds.h"
#include "measure/seed_numbers.h"

typedef struct results_work {
  gv_cell_results a;
  int64_t columns, rows;
  int32_t k;
  const int32_t *number; /* of the cells' seeds, < 0: none */
  int64_t stride, band_stride;
  int32_t *made;    /* memory for numbers */
  uint8_t *queried; /* with `cell_group`: the cells that are not seeds, `columns` a row */
  bool any_queried;
} results_work;

/* Strides that callers left at 0. */
static void results_set_strides(gv_cell_results *a) {
  if (a->mask_stride == 0) a->mask_stride = a->columns;
  if (a->seed_stride == 0) a->seed_stride = a->columns;
  if (a->seed_band_stride == 0) a->seed_band_stride = a->seed_stride * a->rows;
  if (a->cell_group_stride == 0) a->cell_group_stride = a->columns;
  if (a->stride == 0) a->stride = a->columns;
  if (a->band_stride == 0) a->band_stride = a->stride * a->rows;
}

static gv_status results_check(gv_context *context, const gv_voronoi *v, const results_work *w) {
  const gv_cell_results *a = &w->a;
  const int64_t columns = w->columns, cells = (w->rows - 1) * a->stride + columns;
  if ((a->value_type != GV_INT32 && a->value_type != GV_INT64) ||
      (a->distance_type != GV_FLOAT32 && a->distance_type != GV_FLOAT64)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "values or distances: unsupported type");
  }
  if (v->nodata >= 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "nodata: the value is the number of a seed (%d)",
                   (int)v->nodata);
  if (a->cell_group != NULL && w->k > 1)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "cells that are seeds: k out of range [1, 1] (%d)",
                   (int)w->k);
  if (a->stride < columns || (w->k > 1 && a->band_stride < cells) ||
      (a->mask != NULL && a->mask_stride < columns) ||
      (a->cell_group != NULL && a->cell_group_stride < columns) ||
      (a->seed != NULL && (a->seed_stride < columns || (w->k > 1 && a->seed_band_stride < columns)))) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "stride: shorter than a row of the block (%lld cells)",
                   (long long)columns);
  }
  if (a->seed == NULL) return GV_OK;
  const gv_seed_numbers known = {a->seed, columns, w->rows, w->k, a->seed_stride, a->seed_band_stride};
  return gv_seed_numbers_check(context, v, &known);
}

/* A row's cells that are seeds themselves, and its mask. */
typedef struct own_row {
  const int32_t *group;
  const uint8_t *mask;
} own_row;

static own_row own_row_of(const gv_cell_results *a, int64_t r) {
  own_row row = {a->cell_group != NULL ? a->cell_group + r * a->cell_group_stride : NULL,
                 a->mask != NULL ? a->mask + r * a->mask_stride : NULL};
  return row;
}

/* The group of a cell that is a seed and not left out, else < 0. */
static inline int32_t own_group(own_row row, int64_t c) {
  return row.group == NULL || (row.mask != NULL && row.mask[c] == 0) ? -1 : row.group[c];
}

static void results_find_queries(results_work *w) {
  for (int64_t r = 0; r < w->rows; r++) {
    own_row row = own_row_of(&w->a, r);
    uint8_t *queried = w->queried + r * w->columns, any = 0;
    for (int64_t c = 0; c < w->columns; c++) {
      queried[c] = row.group[c] < 0 && (row.mask == NULL || row.mask[c] != 0);
      any |= queried[c];
    }
    w->any_queried |= any != 0;
  }
}

/* Computes numbers for cells that are not seeds; -1 elsewhere. */
static gv_status results_fill(gv_context *context, const gv_voronoi *v, const results_work *w) {
  const gv_cell_results *a = &w->a;
  gv_labels block;
  gv_labels_init(&block);
  if (!w->any_queried) {
    for (int64_t i = 0; i < w->columns * w->rows; i++)
      w->made[i / w->columns * w->stride + i % w->columns] = -1;
    return GV_OK;
  }
  block.column = a->column;
  block.row = a->row;
  block.columns = a->columns;
  block.rows = a->rows;
  block.mask = w->queried != NULL ? w->queried : a->mask;
  block.mask_stride = w->queried != NULL ? w->columns : a->mask_stride;
  block.out = w->made;
  block.stride = w->stride;
  block.band_stride = w->band_stride;
  return gv_voronoi_fill(context, v, &block, NULL);
}

static gv_status results_measure(gv_context *context, const gv_voronoi *v, const results_work *w) {
  const gv_cell_results *a = &w->a;
  gv_measure m;
  gv_measure_init(&m);
  m.column = a->column;
  m.row = a->row;
  m.columns = a->columns;
  m.rows = a->rows;
  m.bands = w->k;
  m.seed = w->number;
  m.stride = w->stride;
  m.band_stride = w->band_stride;
  m.type = a->distance_type;
  m.distance = a->distance;
  m.azimuth = a->azimuth;
  m.out_stride = a->stride;
  m.out_band_stride = a->band_stride;
  GV_TRY(gv_voronoi_measure(context, v, &m));
  for (int64_t r = 0; r < w->rows && a->cell_group != NULL; r++) {
    own_row row = own_row_of(a, r);
    for (int64_t c = 0; c < w->columns; c++) {
      if (own_group(row, c) < 0) continue;
      int64_t at = r * a->stride + c;
      if (a->distance != NULL && a->distance_type == GV_FLOAT64) ((double *)a->distance)[at] = 0.0;
      if (a->distance != NULL && a->distance_type == GV_FLOAT32) ((float *)a->distance)[at] = 0.0F;
      if (a->azimuth != NULL) a->azimuth[at] = 0.0F;
    }
  }
  return GV_OK;
}

/* Writes a row's values. Neighbors mostly have one seed. */
static void results_write_row(const results_work *w, int32_t band, int64_t r) {
  const gv_cell_results *a = &w->a;
  const int32_t *number = w->number + band * w->band_stride + r * w->stride, *groups = a->group;
  const int64_t *values = a->value, nodata = a->nodata, at = band * a->band_stride + r * a->stride;
  const own_row row = own_row_of(a, r);
  int32_t *narrow = a->value_type == GV_INT32 ? (int32_t *)a->out + at : NULL;
  int64_t *wide = a->value_type == GV_INT64 ? (int64_t *)a->out + at : NULL, value = nodata;
  for (int64_t c = 0, last = -1; c < w->columns; c++) {
    int32_t group = own_group(row, c), seed = number[c];
    bool own = group >= 0;
    if (!own && seed != last) {
      group = seed >= 0 && groups != NULL ? groups[seed] : seed;
      value = nodata;
    }
    if (group >= 0) value = values != NULL ? values[group] : group;
    last = own ? INT64_MIN : seed;
    if (narrow != NULL) {
      narrow[c] = (int32_t)value;
    } else {
      wide[c] = value;
    }
  }
}

/* Whether numbers are the requested values already. */
static bool results_are_numbers(const gv_voronoi *v, const results_work *w) {
  const gv_cell_results *a = &w->a;
  return w->made == a->out && a->cell_group == NULL && a->group == NULL && a->value == NULL &&
         a->nodata == v->nodata;
}

static gv_status results_block(gv_context *context, const gv_voronoi *v, results_work *w) {
  const gv_cell_results *a = &w->a;
  if (a->cell_group != NULL) results_find_queries(w);
  if (a->seed == NULL) GV_TRY(results_fill(context, v, w));
  if (a->distance != NULL || a->azimuth != NULL) GV_TRY(results_measure(context, v, w));
  for (int32_t band = 0; band < w->k && a->out != NULL && !results_are_numbers(v, w); band++) {
    for (int64_t r = 0; r < w->rows; r++)
      results_write_row(w, band, r);
  }
  return GV_OK;
}

gv_status gv_voronoi_compute(gv_context *context, const gv_voronoi *voronoi, const gv_cell_results *results) {
  results_work w = {.any_queried = true};
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (voronoi == NULL || results == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "grid or output: the pointer is NULL");
  gv_cell_results_init(&w.a);
  GV_COPY_GIVEN(context, gv_cell_results, &w.a, results);
  GV_TRY(gv_check_rectangle(context, &voronoi->cells.grid, w.a.column, w.a.row, &w.a.columns, &w.a.rows));
  w.columns = w.a.columns;
  w.rows = w.a.rows;
  w.k = voronoi->k;
  results_set_strides(&w.a);
  GV_TRY(results_check(context, voronoi, &w));
  const gv_allocator *allocator = &context->allocator;
  int64_t cells = w.columns * w.rows;
  bool in_place = w.a.seed == NULL && w.a.out != NULL && w.a.value_type == GV_INT32;
  int32_t *memory = gv_allocate(allocator, w.a.seed == NULL && !in_place ? cells * w.k : 0, sizeof *memory);
  uint8_t *queried = gv_allocate(allocator, w.a.cell_group != NULL ? cells : 0, 1);
  gv_status status =
      memory != NULL && queried != NULL ? GV_OK : gv_fail_memory(context, "a block of results");
  w.made = in_place ? w.a.out : memory;
  w.number = w.a.seed != NULL ? w.a.seed : w.made;
  w.stride = w.a.seed != NULL ? w.a.seed_stride : in_place ? w.a.stride : w.columns;
  w.band_stride = w.a.seed != NULL ? w.a.seed_band_stride : in_place ? w.a.band_stride : cells;
  if (w.a.cell_group != NULL) w.queried = queried, w.any_queried = false;
  if (status == GV_OK) status = results_block(context, voronoi, &w);
  gv_release(allocator, memory);
  gv_release(allocator, queried);
  return status;
}
