/*
 * Seeds that are cells of a raster. Of each group of cells only those are seeds of the Voronoi grid that others may have for their nearest;
 * where OUT's cells are the raster's, its seed cells do not ask: each has its own region, at distance 0.
 */
#include "job/raster/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- reading */

/* The raster's own grid, or its extent, unless others are asked for. */
static gv_grid_options grid_of(const gv_job *j) {
  gv_grid_options grid = j->grid;
  bool extent = grid.has_extent || grid.extent_of != NULL;
  if (grid.like == NULL && !extent && !grid.has_level) {
    if (grid.has_resolution || grid.has_size || grid.crs != NULL) {
      grid.extent_of = j->raster_seeds.source;
      grid.extent_options = j->raster_seeds.open_options;
    } else {
      grid.like = j->raster_seeds.source;
      grid.like_options = j->raster_seeds.open_options;
    }
  }
  return grid;
}

static gv_status copy_sources(gv_io *io, const gv_raster_seed_reader *reader, gv_seed_list *seeds) {
  const double *g = reader->geotransform;
  seeds->source_x = malloc((size_t)seeds->count * sizeof *seeds->source_x);
  seeds->source_y = malloc((size_t)seeds->count * sizeof *seeds->source_y);
  if (seeds->source_x == NULL || seeds->source_y == NULL) return gv_io_fail_memory(io, "the seeds");
  for (int64_t i = 0; i < seeds->count; i++) {
    double column = (double)(seeds->fids[i] % reader->width) + 0.5,
           row = (double)(seeds->fids[i] / reader->width) + 0.5;
    seeds->source_x[i] = (g[0] + column * g[1]) + row * g[2];
    seeds->source_y[i] = (g[3] + column * g[4]) + row * g[5];
  }
  return GV_OK;
}

/* The raster has a coordinate system or is given one, where the grid has one. */
static gv_status check_systems(const gv_run *r, const gv_raster_seed_reader *reader) {
  if (reader->crs != NULL || r->j->grid.crs == NULL) return GV_OK;
  return gv_io_fail_as(r->io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                       "--seeds-raster: %s has no coordinate system, the grid is in %s: give --seeds-crs",
                       r->j->raster_seeds.source, r->j->grid.crs);
}

static gv_status make_grid(gv_run *r, const gv_job *j, const gv_raster_seed_reader *reader) {
  gv_seed_list sample = GV_SEED_LIST_INIT;
  gv_grid_options grid = grid_of(j);
  gv_status status = check_systems(r, reader);
  if (status == GV_OK) status = gv_raster_seeds_sample(r->io, reader, &sample);
  if (status == GV_OK) status = gv_raster_grid_make(r->io, &grid, &sample, &r->grid);
  gv_seeds_free(&sample);
  return status;
}

gv_status gv_run_read_cells(gv_run *r, gv_job *j) {
  gv_raster_seed_reader reader;
  gv_raster_seed_content content = {.cells = NULL};
  bool regions = j->stats != NULL || j->polygons != NULL;
  gv_raster_seed_question question = {.grid = &r->grid,
                                      .skip_invalid = j->seeds.skip_invalid,
                                      .all = j->raster_seeds.by_cell && (j->k > 1 || regions),
                                      .as_features = j->k > 1 && !j->raster_seeds.by_cell};
  j->raster_seeds.threads = j->threads;
  gv_status status = gv_raster_seeds_open(r->io, &j->raster_seeds, &reader);
  if (status == GV_OK && r->grid.grid.width == 0) status = make_grid(r, j, &reader);
  if (status == GV_OK) status = gv_raster_seeds_read(r->io, r->context, &reader, &question, &content);
  if (status == GV_OK && j->raster_seeds.by_cell && j->stats != NULL)
    status = copy_sources(r->io, &reader, &content.seeds);
  r->seeds = content.seeds;
  content.seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  r->cells = content;
  if (content.region != NULL) r->regions = &r->cells.regions;
  if (j->distance_per_value) {
    j->raster.cell_bytes += (r->regions->count - j->k) * (j->distance_type == GDT_Float64 ? 8 : 4);
  }
  gv_raster_seeds_close(&reader);
  return status;
}

gv_status gv_run_look_at_cells(gv_run *r, gv_job *j, bool *narrow) {
  gv_raster_seed_reader reader;
  gv_status status = gv_raster_seeds_open(r->io, &j->raster_seeds, &reader);
  if (status == GV_OK) status = make_grid(r, j, &reader);
  if (status == GV_OK) *narrow = gv_raster_seeds_are_narrow(&reader);
  gv_raster_seeds_close(&reader);
  return status;
}

/* --------------------------------------------------------------------------------------------------- distances by value */

/* The seeds of a region: number `first` of all places and those that follow. */
static gv_points seeds_of(const gv_run *r, int64_t region, int64_t *next) {
  const gv_shapes *s = r->seeds.shapes;
  const double *x, *y;
  int64_t count, first = *next;
  gv_seeds_places(&r->seeds, &x, &y, &count);
  if (s != NULL) {
    *next = s->vertex[region + 1];
  } else {
    while (*next < count && r->cells.region[*next] == region)
      (*next)++;
  }
  return gv_points_xy(x + first, y + first, *next - first);
}

static gv_status make_each(gv_run *r, const gv_voronoi_options *options) {
  gv_voronoi_options one = *options;
  int64_t next = 0;
  one.k = 1;
  one.features = NULL;
  one.labels = NULL;
  one.nodata = -1;
  r->each = calloc((size_t)r->regions->count, sizeof *r->each);
  if (r->each == NULL) return gv_io_fail_memory(r->io, "the values");
  gv_status status = GV_OK;
  for (int64_t i = 0; i < r->regions->count && status == GV_OK; i++) {
    gv_points seeds = seeds_of(r, i, &next);
    /* None are left of a value whose cells have no place in the grid's coordinate system. */
    if (seeds.count > 0) status = gv_voronoi_create(r->context, &r->grid.grid, &seeds, &one, &r->each[i]);
  }
  return gv_io_pass_on_library(r->io, r->context, status);
}

gv_status gv_run_make_regions(gv_run *r, const gv_voronoi_options *options) {
  gv_status status = r->j->distance_per_value ? make_each(r, options) : GV_OK;
  if (status != GV_OK || r->j->stats == NULL || r->cells.region == NULL) return status;
  /* It is not asked anything: the reference engine keeps every seed, and prepares nothing. */
  gv_voronoi_options counted = *options;
  gv_points places = gv_points_xy(r->regions->x, r->regions->y, r->regions->count);
  counted.backend = "serial";
  counted.labels = NULL;
  counted.nodata = -1;
  status = gv_voronoi_create(r->context, &r->grid.grid, &places, &counted, &r->counted);
  return gv_io_pass_on_library(r->io, r->context, status);
}

void gv_run_free_cells(gv_run *r) {
  for (int64_t i = 0; r->each != NULL && i < r->regions->count; i++)
    gv_voronoi_destroy(r->each[i]);
  free(r->each);
  gv_voronoi_destroy(r->counted);
  gv_raster_seeds_free(&r->cells);
}

/* ---------------------------------------------------------------------------------------------------------- blocks */

bool gv_run_is_own(const gv_run *r, gv_run_worker *worker, const gv_run_part *part, const uint8_t *mask) {
  int32_t group;
  worker->owns = r->cells.own;
  if (!r->cells.own || !gv_raster_seeds_alike(r->cells.cells, part->x, part->y, part->w, part->h, &group))
    return false;
  worker->owns = group >= 0;
  worker->own[0] = group;
  return group >= 0 && mask == NULL && r->j->k == 1 && !r->j->raster_seeds.by_cell && r->statistics == NULL &&
         r->each == NULL;
}

gv_status gv_run_find_own(gv_io *io, const gv_run *r, gv_run_worker *worker, const gv_run_part *part,
                          const uint8_t *mask) {
  gv_status status = gv_raster_seeds_groups(worker->context, r->cells.cells, part->x, part->y, part->w, part->h,
                                            worker->own, r->block_w);
  if (status != GV_OK) return gv_io_pass_on_library(io, worker->context, status);
  for (int64_t y = 0; y < part->h; y++) {
    int32_t *own = worker->own + y * r->block_w;
    uint8_t *asks = worker->asks + y * r->block_w;
    const uint8_t *counts = mask != NULL ? mask + y * r->block_w : NULL;
    for (int64_t x = 0; x < part->w; x++)
      asks[x] = own[x] < 0;
    for (int64_t x = 0; x < part->w && counts != NULL; x++) {
      own[x] = counts[x] != 0 ? own[x] : -1;
      asks[x] = counts[x] != 0 ? asks[x] : 0;
    }
  }
  return GV_OK;
}

void gv_run_put_own_first(const gv_run *r, const gv_run_worker *worker, const gv_run_part *part, gv_labels *block) {
  for (int64_t i = 0; i < part->w * part->h; i++) {
    int64_t x = i % part->w, y = i / part->w;
    int32_t *out = block->out + y * block->stride + x, moved = worker->own[y * r->block_w + x];
    if (moved < 0) continue;
    /* Each takes the place of the one before, up to where its own region was, or the last is dropped. */
    for (int b = 0; b < r->j->k; b++) {
      int32_t here = out[b * block->band_stride];
      out[b * block->band_stride] = moved;
      if (here == worker->own[y * r->block_w + x]) break;
      moved = here;
    }
  }
}

void gv_run_measure_own(const gv_run *r, const gv_run_worker *worker, const gv_raster_block *block,
                        const gv_run_part *part) {
  static const double nothing = 0.0;
  int d = r->j->distance_per_value ? -1 : r->slot[GV_RUN_DISTANCE], a = r->slot[GV_RUN_AZIMUTH];
  if (d < 0 && a < 0 && !r->distances) return;
  for (int64_t y = 0; y < part->h; y++) {
    const int32_t *own = worker->own + y * r->block_w;
    for (int64_t x = 0; x < part->w; x++) {
      int64_t at = y * block->stride + x;
      if (own[x] < 0) continue;
      if (d >= 0) gv_run_put_distances(r, block, at, &nothing, 1);
      if (a >= 0) ((float *)block->out[a])[at] = 0.0F;
      if (r->distances) worker->distance[y * r->block_w + x] = 0.0;
    }
  }
}

void gv_run_name_regions(const gv_run *r, const gv_run_worker *worker, const gv_run_part *part,
                         const gv_labels *block) {
  const int32_t *region = r->by_region ? NULL : r->cells.region;
  bool own = worker->owns && r->j->k == 1, by_cell = r->j->raster_seeds.by_cell;
  for (int64_t y = 0; y < part->h; y++) {
    int32_t *out = block->out + y * block->stride;
    const int32_t *mine = own ? worker->own + y * r->block_w : NULL;
    /* Neighbours mostly have one seed. */
    int32_t seed = -1, of_seed = -1;
    for (int64_t x = 0; x < part->w && region != NULL; x++) {
      if (out[x] != seed) {
        seed = out[x];
        of_seed = seed >= 0 ? region[seed] : seed;
      }
      out[x] = of_seed;
    }
    for (int64_t x = 0; x < part->w && own; x++) /* by cell: some seed's number, until its own number is written */
      out[x] = mine[x] < 0 ? out[x] : by_cell ? 0 : mine[x];
  }
}

gv_status gv_run_measure_each(gv_io *io, const gv_run *r, gv_run_worker *worker, const gv_raster_block *block,
                              const gv_run_part *part, const uint8_t *mask) {
  int d = r->slot[GV_RUN_DISTANCE];
  for (int64_t i = 0; i < r->regions->count; i++) {
    gv_labels b;
    gv_labels_init(&b);
    gv_measure m;
    gv_measure_init(&m);
    b.column = m.column = part->x;
    b.row = m.row = part->y;
    b.columns = m.columns = part->w;
    b.rows = m.rows = part->h;
    b.mask = mask;
    b.mask_stride = b.stride = m.stride = m.out_stride = r->block_w;
    b.out = worker->numbers;
    m.seed = worker->numbers;
    m.type = GV_FLOAT64;
    m.distance = worker->distance;
    gv_status status = r->each[i] != NULL ? gv_voronoi_fill(worker->context, r->each[i], &b) : GV_OK;
    if (status == GV_OK && r->each[i] != NULL) status = gv_voronoi_measure(worker->context, r->each[i], &m);
    if (status != GV_OK) return gv_io_pass_on_library(io, worker->context, status);
    for (int64_t y = 0; y < part->h; y++) {
      double *row = worker->distance + y * r->block_w;
      for (int64_t x = 0; x < part->w; x++) {
        if (r->each[i] == NULL) row[x] = (double)NAN;
        if (worker->owns && worker->own[y * r->block_w + x] == i) row[x] = 0.0;
      }
      gv_run_put_distances(r, block, i * block->band_stride[d] + y * block->stride, row, part->w);
    }
  }
  return GV_OK;
}
