/*
 * The way of one block: mask, allocation, neighbours (for the colours), distances, statistics, and ids. Where ids tell the
 * seeds apart and no distances are asked for the library writes them itself; otherwise it writes seed numbers, which
 * become ids last.
 */
#include "job/raster/run.h"

#include <math.h>

/* Seed numbers to ids of other types than Int32: unsigned ones are stored as signed ones are. */
static void write_other_ids(const gv_run *r, const int32_t *numbers, int64_t n, void *out, int64_t at) {
  const int64_t *ids = r->regions->ids;
  for (int64_t i = 0; i < n; i++) {
    int64_t id = numbers[i] >= 0 ? ids[numbers[i]] : r->nodata;
    switch (GDALGetDataTypeSizeBytes(r->type)) {
    case 1:
      ((uint8_t *)out)[at + i] = (uint8_t)id;
      break;
    case 2:
      ((uint16_t *)out)[at + i] = (uint16_t)id;
      break;
    case 4:
      ((uint32_t *)out)[at + i] = (uint32_t)id;
      break;
    default:
      ((int64_t *)out)[at + i] = id;
    }
  }
}

/* Seed numbers to ids, in place if they are Int32. Most cells have the seed of the cell before, so whole stretches are
 * told by comparing. */
static void write_ids(const gv_run *r, const int32_t *numbers, int64_t n, void *out, int64_t at) {
  enum { STRETCH = 32 };
  int32_t *narrow = (int32_t *)out + at;
  if (r->type != GDT_Int32) {
    write_other_ids(r, numbers, n, out, at);
    return;
  }
  for (int64_t i = 0; i < n; i += STRETCH) {
    int64_t end = n - i < STRETCH ? n : i + STRETCH;
    int32_t first = numbers[i];
    uint32_t differ = 0;
    for (int64_t j = i; j < end; j++)
      differ |= (uint32_t)numbers[j] ^ (uint32_t)first;
    if (differ == 0) {
      int32_t id = first >= 0 ? r->labels[first] : (int32_t)r->nodata;
      for (int64_t j = i; j < end; j++)
        narrow[j] = id;
    } else {
      for (int64_t j = i; j < end; j++)
        narrow[j] = numbers[j] >= 0 ? r->labels[numbers[j]] : (int32_t)r->nodata;
    }
  }
}

/* The numbers of cells that are seeds themselves. */
static void write_own_cells(const gv_run *r, const gv_run_worker *worker, const gv_raster_block *block,
                            const gv_run_part *p) {
  for (int64_t y = 0; y < p->h; y++) {
    int64_t *out = (int64_t *)block->out[r->slot[GV_RUN_OUT]] + y * block->stride;
    int64_t first = (p->y + y) * r->width + p->x;
    for (int64_t x = 0; x < p->w; x++)
      if (worker->own[y * r->block_w + x] >= 0) out[x] = first + x;
  }
}

/* True if cells may be without a seed. */
static bool may_be_empty(const gv_run *r) {
  return r->mask != NULL || isfinite(r->j->max_distance) || r->grid.grid.kind == GV_GRID_PROJECTED;
}

/* Cells without a seed; `uniform`: only the first is written. */
static int64_t count_empty(const int32_t *values, const gv_run_part *p, int64_t stride, int32_t none,
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
static void fill_masked(const gv_run *r, gv_raster_block *block) {
  static const int32_t none = -1;
  static const double nowhere = (double)NAN;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    int s = r->slot[i];
    for (int b = 0; s >= 0 && b < gv_run_bands(r, i); b++) {
      int64_t at = b * block->band_stride[s];
      if (i == GV_RUN_OUT) {
        write_ids(r, &none, 1, block->out[s], at);
      } else if (i == GV_RUN_DISTANCE) {
        gv_run_put_distances(r, block, at, &nowhere, 1);
      } else {
        ((float *)block->out[s])[at] = NAN;
      }
    }
  }
  for (int i = 0; i < r->written_count; i++)
    block->uniform[i] = true;
}

/* Adds a block; `uniform`: of which only the first cell is written. */
static gv_status add_statistics(gv_io *io, const gv_run *r, int number, const gv_run_part *p,
                                const int32_t *numbers, int64_t stride, bool uniform) {
  gv_run_worker *worker = &r->workers[number];
  for (int i = 0; i < r->j->sum_count; i++) {
    gv_status status = gv_overlay_cells(io, r->overlay[i], number, p->x, p->y, p->w, p->h, &worker->quantity[i]);
    if (status != GV_OK) return status;
  }
  gv_statistics_cells b;
  gv_statistics_cells_init(&b);
  b.column = p->x;
  b.row = p->y;
  b.columns = p->w;
  b.rows = p->h;
  b.seed = numbers;
  b.stride = stride;
  b.distance = worker->distance;
  b.distance_stride = r->block_w;
  b.quantity = worker->quantity;
  b.uniform = uniform;
  return gv_io_pass_on_library(io, worker->context, gv_statistics_add(worker->context, r->statistics, &b));
}

gv_status gv_run_compute_block(gv_io *io, void *user, int number, gv_raster_block *block) {
  gv_run *r = user;
  gv_run_worker *worker = &r->workers[number];
  gv_run_part p = gv_run_block_part(r, block->column, block->row);
  int64_t kept = p.w * p.h;
  gv_status status = GV_OK;
  if (r->mask != NULL) {
    status = gv_mask_cells(io, r->mask, number, p.x, p.y, p.w, p.h, worker->mask, r->block_w, &kept);
    if (status != GV_OK) return status;
    if (kept == 0) {
      worker->empty += p.w * p.h;
      fill_masked(r, block);
      return GV_OK;
    }
  }
  gv_labels b;
  gv_labels_init(&b);
  b.column = p.x;
  b.row = p.y;
  b.columns = p.w;
  b.rows = p.h;
  if (kept < p.w * p.h) {
    b.mask = worker->mask;
    b.mask_stride = r->block_w;
  }
  /* Cells that are alike need not all be written, unless something is said of each. Gain: otherwise 200 capitals, 43200x21600,
   * take 1.28 times the processor time, 30 of them 1.6. */
  int32_t uniform = 0;
  const uint8_t *mask = b.mask;
  bool settled = gv_run_is_own(r, worker, &p, mask);
  if (worker->owns && !settled) {
    status = gv_run_find_own(io, r, worker, &p, mask);
    if (status != GV_OK) return status;
    b.mask = r->j->k == 1 ? worker->asks : mask;
    b.mask_stride = r->block_w;
  } else if (!r->distances && r->slot[GV_RUN_DISTANCE] < 0 && r->slot[GV_RUN_AZIMUTH] < 0) {
    b.uniform = &uniform;
  }
  bool apart = gv_run_numbers_apart(r);
  b.out = apart ? worker->numbers : block->out[r->slot[GV_RUN_OUT]];
  b.stride = apart ? r->block_w : block->stride;
  b.band_stride = apart ? (int64_t)r->block_w * r->block_h : block->band_stride[r->slot[GV_RUN_OUT]];
  if (settled) {
    uniform = 1;
    b.out[0] = -1;
  } else {
    status = gv_io_pass_on_library(io, worker->context, gv_voronoi_fill(worker->context, r->voronoi, &b));
  }
  if (status == GV_OK && worker->owns && r->j->k > 1) gv_run_put_own_first(r, worker, &p, &b);
  const gv_run_part whole = p;
  int32_t none = r->numbers ? -1 : (int32_t)r->nodata;
  const int ids = r->slot[GV_RUN_OUT];
  if (uniform != 0) p.w = p.h = 1;
  if (ids >= 0) block->uniform[ids] = uniform != 0;
  for (int i = 0; i < r->written_count && settled; i++)
    block->uniform[i] = true;
  if (status == GV_OK && r->numbers && !settled)
    status = gv_io_pass_on_library(io, worker->context, gv_run_measure(r, worker, block, &p, &b));
  if (status == GV_OK && r->cells.cells != NULL) {
    if (worker->owns) gv_run_measure_own(r, worker, block, &p);
    gv_run_name_regions(r, worker, &p, &b);
  }
  if (status == GV_OK && may_be_empty(r)) worker->empty += count_empty(b.out, &whole, b.stride, none, uniform != 0);
  if (status == GV_OK && r->style)
    status = gv_adjacency_scan(io, &worker->adjacency, b.out, p.w, p.h, b.stride, p.y);
  if (status == GV_OK && r->statistics != NULL) {
    status = add_statistics(io, r, number, &whole, b.out, b.stride, uniform != 0);
  }
  for (int band = 0; band < r->j->k && status == GV_OK && r->numbers && ids >= 0; band++) {
    for (int64_t y = 0; y < p.h; y++) {
      write_ids(r, b.out + band * b.band_stride + y * b.stride, p.w, block->out[ids],
                band * block->band_stride[ids] + y * block->stride);
    }
  }
  if (status == GV_OK && worker->owns && r->j->raster_seeds.by_cell && ids >= 0)
    write_own_cells(r, worker, block, &p);
  if (status == GV_OK && r->each != NULL) status = gv_run_measure_each(io, r, worker, block, &whole, mask);
  return status;
}
