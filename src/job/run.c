/*
 * Carrying out the main job: inputs read, outputs planned, blocks computed and written in one pass, tables and polygons
 * made of what came out, everything put in its place at the end.
 *
 * A block goes through mask, allocation, neighbours (for the colours), distances, statistics, and ids. Where ids tell the
 * seeds apart and no distances are asked for the library writes them itself; otherwise it writes seed numbers, which
 * become ids last.
 */
#include "job/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>

#include "io/out/mesh_out.h"
#include "io/out/polygons.h"
#include "io/out/style.h"
#include "io/out/table_out.h"
#include "io/overlay/quantity.h"
#include "io/source_name.h"

typedef voronoi_job job;

enum { OUT, DISTANCE, AZIMUTH, RASTERS, MAX_OUTPUTS = RASTERS + 2 + GV_MESH_FORMATS, MAX_INPUTS = 3 + MAX_SUMS };

/* Memory of one worker. */
typedef struct workplace {
  gv_context *context;
  gv_adjacency adjacency;
  int32_t *numbers;      /* k bands of a block, if ids are wider than numbers */
  uint8_t *mask;         /* a block */
  uint8_t *alike;        /* the boxes of a block */
  double *distance;      /* of the nearest seed, a block */
  gv_quantity *quantity; /* one a sum */
} workplace;

/* The run, and what the threads that compute blocks share. */
typedef struct run {
  gv_io *io;
  job *j;
  gv_seed_list seeds;
  gv_raster_grid grid;
  gv_mesh_out *mesh;
  gv_raster_out *raster[RASTERS]; /* NULL = not asked for */
  gv_raster_out *written[RASTERS];
  int slot[RASTERS]; /* place of a raster among those written; -1 = not asked for */
  int written_count;
  gv_table_out *stats, *polygons;
  gv_mask *mask;
  gv_overlay *overlay[MAX_SUMS];
  gv_voronoi *voronoi;
  gv_statistics *statistics;
  workplace *benches;
  GDALDataType type; /* of ids */
  int64_t nodata, width, height;
  int32_t block_w, block_h;
  int32_t *labels; /* Int32 ids by seed */
  gv_attribute_table attributes;
  bool numbers; /* blocks hold seed numbers first */
  bool style, distances;
} run;

/* ----------------------------------------------------------------------------------------------------- one block */

/* A block's rectangle of cells. */
typedef struct part {
  int64_t x, y, w, h;
} part;

static gv_status pass_on(const workplace *b, gv_status status, char *message, size_t size) {
  if (status != GV_OK) snprintf(message, size, "%s", gv_context_message(b->context));
  return status;
}

/* Seed numbers to ids, in place if they are Int32. Most cells have the seed of the cell before, so whole stretches are
 * told by comparing. */
static void write_ids(const run *r, const int32_t *numbers, int64_t n, void *out, int64_t at) {
  enum { STRETCH = 32 };
  int32_t *narrow = (int32_t *)out + at;
  int64_t *broad = (int64_t *)out + at;
  if (r->type == GDT_Int64) {
    for (int64_t i = 0; i < n; i++)
      broad[i] = numbers[i] >= 0 ? r->seeds.ids[numbers[i]] : r->nodata;
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

/* A block of which no cell counts. */
static void fill_masked(const run *r, gv_raster_block *block) {
  for (int b = 0; b < r->j->k; b++) {
    int64_t at = b * block->band_stride[0];
    if (r->type == GDT_Int64) {
      ((int64_t *)block->out[0])[at] = r->nodata;
    } else {
      ((int32_t *)block->out[0])[at] = (int32_t)r->nodata;
    }
    for (int i = DISTANCE; i < RASTERS; i++) {
      int s = r->slot[i];
      if (s < 0) continue;
      at = b * block->band_stride[s];
      if (i == DISTANCE && r->j->distance_type == GDT_Float64) {
        ((double *)block->out[s])[at] = (double)NAN;
      } else {
        ((float *)block->out[s])[at] = NAN;
      }
    }
  }
  for (int i = 0; i < r->written_count; i++)
    block->uniform[i] = true;
}

/* Distances and azimuths, band by band: into the rasters, and the first band's distances for the statistics. */
static gv_status measure(const run *r, workplace *bench, const gv_raster_block *block, const part *p,
                         const int32_t *numbers, int64_t stride, int64_t band_stride) {
  int d = r->slot[DISTANCE], a = r->slot[AZIMUTH];
  gv_status status = GV_OK;
  for (int b = 0; b < r->j->k && status == GV_OK; b++) {
    bool kept = b == 0 && r->distances && r->statistics != NULL;
    if (!kept && d < 0 && a < 0) break;
    gv_measure m = GV_MEASURE_INIT;
    m.column = block->column;
    m.row = block->row;
    m.seed = numbers + b * band_stride;
    m.stride = stride;
    m.out_stride = kept ? r->block_w : block->stride;
    m.type = kept || r->j->distance_type == GDT_Float64 ? GV_FLOAT64 : GV_FLOAT32;
    size_t value = m.type == GV_FLOAT64 ? sizeof(double) : sizeof(float);
    if (kept) {
      m.distance = bench->distance;
    } else if (d >= 0) {
      m.distance = (char *)block->out[d] + (size_t)(b * block->band_stride[d]) * value;
    }
    if (a >= 0 && !kept) m.azimuth = (float *)block->out[a] + b * block->band_stride[a];
    if (m.distance != NULL || m.azimuth != NULL) status = gv_voronoi_measure(bench->context, r->voronoi, &m);
    if (!kept || status != GV_OK) continue;
    if (a >= 0) {
      m.distance = NULL;
      m.azimuth = (float *)block->out[a];
      m.out_stride = block->stride;
      status = gv_voronoi_measure(bench->context, r->voronoi, &m);
    }
    for (int64_t y = 0; y < p->h && d >= 0; y++) {
      const double *from = bench->distance + y * r->block_w;
      for (int64_t x = 0; x < p->w; x++) {
        if (r->j->distance_type == GDT_Float64) {
          ((double *)block->out[d])[y * block->stride + x] = from[x];
        } else {
          ((float *)block->out[d])[y * block->stride + x] = (float)from[x];
        }
      }
    }
  }
  return status;
}

/* Adds a block; `uniform`: of which only the first cell is written. */
static gv_status add_statistics(const run *r, int worker, const gv_raster_block *block, const part *p,
                                const int32_t *numbers, int64_t stride, bool uniform, char *message, size_t size) {
  workplace *bench = &r->benches[worker];
  for (int i = 0; i < r->j->sum_count; i++) {
    gv_status status =
        gv_overlay_cells(r->overlay[i], worker, p->x, p->y, p->w, p->h, &bench->quantity[i], message, size);
    if (status != GV_OK) return status;
  }
  gv_statistics_block b = GV_STATISTICS_BLOCK_INIT;
  b.column = block->column;
  b.row = block->row;
  b.seed = numbers;
  b.stride = stride;
  b.distance = bench->distance;
  b.distance_stride = r->block_w;
  b.quantity = bench->quantity;
  b.uniform = uniform;
  b.alike = bench->alike;
  return pass_on(bench, gv_statistics_add(bench->context, r->statistics, &b), message, size);
}

static gv_status compute_block(void *user, int worker, gv_raster_block *block, char *message, size_t message_size) {
  run *r = user;
  workplace *bench = &r->benches[worker];
  part p = {.x = block->column * r->block_w, .y = block->row * r->block_h};
  p.w = r->width - p.x < r->block_w ? r->width - p.x : r->block_w;
  p.h = r->height - p.y < r->block_h ? r->height - p.y : r->block_h;
  int64_t kept = p.w * p.h;
  gv_status status = GV_OK;
  if (r->mask != NULL) {
    status =
        gv_mask_cells(r->mask, worker, p.x, p.y, p.w, p.h, bench->mask, r->block_w, &kept, message, message_size);
    if (status != GV_OK) return status;
    if (kept == 0) {
      fill_masked(r, block);
      return GV_OK;
    }
  }
  gv_block b = GV_BLOCK_INIT;
  b.column = block->column;
  b.row = block->row;
  if (kept < p.w * p.h) {
    b.mask = bench->mask;
    b.mask_stride = r->block_w;
  }
  /* Cells that are alike need not all be written, unless something is said of each. */
  int32_t uniform = 0;
  if (!r->distances && r->slot[DISTANCE] < 0 && r->slot[AZIMUTH] < 0) b.uniform = &uniform;
  b.alike = bench->alike;
  bool apart = bench->numbers != NULL;
  b.out = apart ? bench->numbers : block->out[0];
  b.stride = apart ? r->block_w : block->stride;
  b.band_stride = apart ? (int64_t)r->block_w * r->block_h : block->band_stride[0];
  status = pass_on(bench, gv_voronoi_fill(bench->context, r->voronoi, &b), message, message_size);
  const part whole = p;
  if (uniform != 0) p.w = p.h = 1;
  block->uniform[0] = uniform != 0;
  if (status == GV_OK && r->style) gv_adjacency_scan(&bench->adjacency, b.out, p.w, p.h, b.stride, p.y);
  if (status != GV_OK) return status;
  if (r->numbers)
    status = pass_on(bench, measure(r, bench, block, &p, b.out, b.stride, b.band_stride), message, message_size);
  if (status == GV_OK && r->statistics != NULL) {
    status = add_statistics(r, worker, block, &whole, b.out, b.stride, uniform != 0, message, message_size);
  }
  for (int band = 0; band < r->j->k && status == GV_OK && r->numbers; band++) {
    for (int64_t y = 0; y < p.h; y++) {
      write_ids(r, b.out + band * b.band_stride + y * b.stride, p.w, block->out[0],
                band * block->band_stride[0] + y * block->stride);
    }
  }
  return status;
}

/* ------------------------------------------------------------------------------------------- describing the rasters */

/* Value type and nodata from the ids. */
static gv_status choose_values(run *r) {
  const job *j = r->j;
  const gv_seed_list *seeds = &r->seeds;
  int64_t lowest, highest;
  gv_seeds_id_range(seeds, &lowest, &highest);
  bool narrow = lowest >= INT32_MIN && highest <= INT32_MAX;
  r->type = narrow ? GDT_Int32 : GDT_Int64;
  int64_t least = narrow ? INT32_MIN : INT64_MIN;
  bool minus_one = false, least_used = lowest == least, given_used = false;
  for (int64_t i = 0; i < seeds->count; i++) {
    minus_one = minus_one || seeds->ids[i] == -1;
    given_used = given_used || seeds->ids[i] == j->nodata;
  }
  if (j->has_nodata) {
    r->nodata = j->nodata;
    if (given_used) {
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "--nodata: %" PRId64 " is the id of a seed", j->nodata);
    }
    if (narrow && (j->nodata < INT32_MIN || j->nodata > INT32_MAX)) {
      return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                        "--nodata: %" PRId64 " does not fit into Int32, the ids' type", j->nodata);
    }
    return GV_OK;
  }
  if (minus_one && least_used) {
    return gv_io_fail(
        r->io, GV_ERROR_INVALID_ARGUMENT,
        "both -1 and the lowest integer are ids: choose a value for cells without a seed by --nodata");
  }
  r->nodata = minus_one ? least : -1;
  return GV_OK;
}

static int by_id(const void *a, const void *b) {
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return p < q ? -1 : p > q;
}

/* Whether two seeds have one id, so that ids do not tell seeds apart. */
static gv_status repeated_ids(const run *r, bool *out) {
  size_t count = (size_t)r->seeds.count;
  int64_t *ids = malloc(count * sizeof *ids);
  if (ids == NULL) return gv_io_fail_memory(r->io, "the ids");
  memcpy(ids, r->seeds.ids, count * sizeof *ids);
  qsort(ids, count, sizeof *ids, by_id);
  for (size_t i = 1; i < count; i++)
    *out = *out || ids[i] == ids[i - 1];
  free(ids);
  return GV_OK;
}

static const char *weighting_name(gv_weighting weighting) {
  static const char *const names[] = {"none", "multiplicative", "additive", "power"};
  return names[weighting];
}

/* `source` in short, and its layer. */
static char **add_source(char **items, const char *name, const char *source, const char *layer) {
  char text[512], *title = gv_source_title(source);
  snprintf(text, sizeof text, "%s%s%s", title != NULL ? title : "", layer != NULL ? ", layer " : "",
           layer != NULL ? layer : "");
  free(title);
  return CSLSetNameValue(items, name, text);
}

static char **make_metadata(const run *r) {
  const job *j = r->j;
  char **items = NULL;
  items = CSLSetNameValue(items, "GPUVORONOI_VERSION", gv_version());
  items = add_source(items, "GPUVORONOI_SEEDS", j->seeds.source, j->seeds.layer);
  if (j->seeds.where != NULL) items = CSLSetNameValue(items, "GPUVORONOI_WHERE", j->seeds.where);
  items = CSLSetNameValue(items, "GPUVORONOI_SEED_COUNT", CPLSPrintf("%" PRId64, r->seeds.count));
  items = CSLSetNameValue(items, "GPUVORONOI_METRIC", gv_metric_name(r->grid.metric));
  if (j->grid.has_level) items = CSLSetNameValue(items, "GPUVORONOI_QTM_LEVEL", CPLSPrintf("%d", j->grid.level));
  if (j->weighting != GV_UNWEIGHTED) {
    items = CSLSetNameValue(items, "GPUVORONOI_WEIGHTING",
                            CPLSPrintf("%s (field %s)", weighting_name(j->weighting), j->seeds.weight_field));
  }
  if (isfinite(j->max_distance)) {
    items = CSLSetNameValue(items, "GPUVORONOI_MAX_DISTANCE", CPLSPrintf("%.17g", j->max_distance));
  }
  if (j->mask.source != NULL) items = add_source(items, "GPUVORONOI_MASK", j->mask.source, NULL);
  const char *id = j->seeds.id_field == NULL ? "feature id" : j->seeds.id_field;
  items = CSLSetNameValue(items, "GPUVORONOI_ID",
                          r->seeds.ids_are_rows ? CPLSPrintf("row number from 0 (names: %s)", id) : id);
  return items;
}

/* "id of the 2nd nearest seed" */
static char *band_name(const char *what, int rank) {
  const char *ending = rank % 100 / 10 == 1 ? "th" : rank % 10 == 1 ? "st" : rank % 10 == 2 ? "nd" : "th";
  if (rank % 10 == 3 && rank % 100 != 13) ending = "rd";
  if (rank == 1) return CPLStrdup(CPLSPrintf("%s the nearest seed", what));
  return CPLStrdup(CPLSPrintf("%s the %d%s nearest seed", what, rank, ending));
}

/* Name of the unit of distances; NULL when there is none. */
static const char *distance_unit(const run *r) {
  if (r->grid.metric == GV_GREAT_CIRCLE || r->grid.metric == GV_GEODESIC) return "metre";
  char *name = NULL;
  if (r->grid.crs == NULL || !OSRIsProjected(r->grid.crs)) return NULL;
  OSRGetLinearUnits(r->grid.crs, &name); /* owned by the CRS */
  return name;
}

static gv_status create_rasters(run *r) {
  static const char *const what[RASTERS] = {"id of", "distance to", "azimuth to"};
  const char *const units[RASTERS] = {NULL, distance_unit(r), "degree"};
  const GDALDataType types[RASTERS] = {r->type, r->j->distance_type, GDT_Float32};
  char **metadata = make_metadata(r);
  gv_status status = GV_OK;
  for (int i = 0; i < RASTERS && status == GV_OK; i++) {
    r->slot[i] = -1;
    if (r->raster[i] == NULL) continue;
    char *names[GV_VORONOI_MAX_K];
    for (int b = 0; b < r->j->k; b++)
      names[b] = band_name(what[i], b + 1);
    gv_raster_description description = {.width = r->width,
                                         .height = r->height,
                                         .geotransform = r->grid.geotransform,
                                         .crs = r->grid.crs,
                                         .type = types[i],
                                         .nodata = r->nodata,
                                         .bands = r->j->k,
                                         .names = names,
                                         .unit = units[i],
                                         .metadata = metadata};
    status = gv_raster_create(r->io, r->raster[i], &description);
    for (int b = 0; b < r->j->k; b++)
      CPLFree(names[b]);
    r->slot[i] = r->written_count;
    r->written[r->written_count++] = r->raster[i];
  }
  CSLDestroy(metadata);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- progress */

/* The part of the run that is under way, and the place where long GDAL calls learn of cancelling. */
typedef struct share {
  const run *r;
  double from, to;
} share;

static int CPL_STDCALL report(double fraction, const char *message, void *user) {
  (void)message;
  const share *s = user;
  const job *j = s->r->j;
  if (gv_io_cancelled(s->r->io)) return FALSE;
  return j->progress == NULL || j->progress(s->from + (s->to - s->from) * fraction, j->progress_user);
}

/* ------------------------------------------------------------------------------------------------------ computing */

static gv_status make_benches(run *r) {
  gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
  size_t cells = (size_t)r->block_w * (size_t)r->block_h;
  size_t boxes = ((size_t)r->block_w / GV_BOX_COLUMNS + 1) * ((size_t)r->block_h / GV_BOX_ROWS + 1);
  options.threads = r->j->threads;
  options.device = r->j->device;
  options.progress = gv_io_go_on;
  options.progress_user = r->io;
  r->benches = calloc((size_t)r->j->threads, sizeof *r->benches);
  bool made = r->benches != NULL;
  for (int i = 0; i < r->j->threads && made; i++) {
    workplace *b = &r->benches[i];
    made = gv_context_create(&options, &b->context) == GV_OK;
    if (r->style) gv_adjacency_init(&b->adjacency, r->width, r->height);
    bool apart = r->type == GDT_Int64;
    if (apart) b->numbers = malloc(cells * (size_t)r->j->k * sizeof *b->numbers);
    if (r->mask != NULL) b->mask = malloc(cells);
    if (r->j->stats != NULL) b->distance = malloc(cells * sizeof *b->distance);
    if (r->j->stats != NULL) b->alike = malloc(boxes);
    b->quantity = calloc(MAX_SUMS, sizeof *b->quantity);
    made = made && (!apart || b->numbers != NULL) && (r->mask == NULL || b->mask != NULL) &&
           (r->j->stats == NULL || (b->distance != NULL && b->alike != NULL)) && b->quantity != NULL;
  }
  return made ? GV_OK : gv_io_fail_memory(r->io, "the worker threads");
}

static void free_benches(run *r) {
  for (int i = 0; i < r->j->threads && r->benches != NULL; i++) {
    workplace *b = &r->benches[i];
    gv_context_destroy(b->context);
    gv_adjacency_free(&b->adjacency);
    free(b->numbers);
    free(b->mask);
    free(b->alike);
    free(b->distance);
    free(b->quantity);
  }
  free(r->benches);
}

static gv_status library_failed(run *r, gv_status status) {
  return gv_io_fail(r->io, status, "%s", gv_context_message(r->benches[0].context));
}

/* What every cell asks, pixel or triangle. */
static gv_voronoi_options question(const run *r) {
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  options.backend = r->j->backend;
  options.metric = r->grid.metric;
  options.k = r->j->k;
  options.max_distance = r->j->max_distance;
  options.weighting = r->j->weighting;
  options.weights = r->seeds.weights;
  return options;
}

static gv_status make_voronoi(run *r) {
  gv_voronoi_options options = question(r);
  options.block_width = r->block_w;
  options.block_height = r->block_h;
  if (r->type == GDT_Int32) {
    r->labels = malloc((size_t)r->seeds.count * sizeof *r->labels);
    if (r->labels == NULL) return gv_io_fail_memory(r->io, "the ids");
    for (int64_t i = 0; i < r->seeds.count; i++)
      r->labels[i] = (int32_t)r->seeds.ids[i];
    if (!r->numbers) {
      options.labels = r->labels;
      options.nodata = (int32_t)r->nodata;
    }
  }
  gv_seeds positions = {r->seeds.x, r->seeds.y, r->seeds.count};
  gv_context *context = r->benches[0].context;
  gv_status status = gv_voronoi_create(context, &r->grid.grid, &positions, &options, &r->voronoi);
  if (status == GV_OK && r->j->stats != NULL) {
    double bounds[MAX_SUMS];
    gv_statistics_options how = GV_STATISTICS_OPTIONS_INIT;
    how.distances = r->distances;
    how.sums = r->j->sum_count;
    how.bound = bounds;
    for (int i = 0; i < r->j->sum_count; i++)
      bounds[i] = gv_overlay_bound(r->overlay[i]);
    status = gv_statistics_create(context, r->voronoi, &how, &r->statistics);
  }
  return status == GV_OK ? GV_OK : library_failed(r, status);
}

static gv_status add_style(run *r) {
  for (int i = 1; i < r->j->threads; i++)
    gv_adjacency_merge(&r->benches[0].adjacency, &r->benches[i].adjacency);
  gv_status status =
      gv_style_table(r->io, &r->seeds, r->numbers ? NULL : r->labels, &r->benches[0].adjacency, &r->attributes);
  return status == GV_OK ? gv_raster_set_table(r->io, r->raster[OUT], &r->attributes) : status;
}

/* ------------------------------------------------------------------------------------------------ the statistics */

enum { CELLS, AREA, DISTANCE_MEAN, DISTANCE_MAX, CENTROID_X, CENTROID_Y };

/* The columns in their order: which of the above, or which sum's amount (0) or mean distance (1). */
typedef struct statistics_table {
  const run *r;
  gv_table_column columns[6 + 2 * MAX_SUMS];
  int count;
  int places[6]; /* of the above; -1 = left out */
  double area_unit, coordinate_unit;
} statistics_table;

static void set_real(gv_table_value *value, double real) {
  value->given = isfinite(real);
  value->real = real;
}

static gv_status statistics_row(gv_io *io, void *user, int64_t seed, gv_table_row *row) {
  const statistics_table *t = user;
  const run *r = t->r;
  gv_seed_statistics s;
  gv_sum_statistics sums[MAX_SUMS];
  gv_table_value *values = row->values;
  if (gv_statistics_get(r->benches[0].context, r->statistics, seed, &s, sums) != GV_OK) {
    return gv_io_fail(io, GV_ERROR_INTERNAL, "%s", gv_context_message(r->benches[0].context));
  }
  values[t->places[CELLS]].given = true;
  values[t->places[CELLS]].integer = s.cells;
  set_real(&values[t->places[AREA]], s.area * t->area_unit);
  if (r->distances) {
    set_real(&values[t->places[DISTANCE_MEAN]], s.distance_mean);
    set_real(&values[t->places[DISTANCE_MAX]], s.distance_max);
  }
  set_real(&values[t->places[CENTROID_X]], s.centroid_x * t->coordinate_unit);
  set_real(&values[t->places[CENTROID_Y]], s.centroid_y * t->coordinate_unit);
  gv_table_value *next = &values[t->places[CENTROID_Y] + 1];
  for (int i = 0; i < r->j->sum_count; i++) {
    set_real(next++, sums[i].sum);
    if (r->distances) set_real(next++, sums[i].distance_mean);
  }
  row->x = r->seeds.source_x[seed];
  row->y = r->seeds.source_y[seed];
  return GV_OK;
}

static void add_column(statistics_table *t, OGRFieldType type, const char *name) {
  t->columns[t->count++] = (gv_table_column){CPLStrdup(name), type};
}

static gv_status write_statistics(run *r) {
  statistics_table t = {.r = r, .area_unit = 1e-6, .coordinate_unit = 1.0};
  bool plane = r->grid.grid.kind != GV_GRID_LONLAT,
       has_unit = !plane || (r->grid.crs != NULL && OSRIsProjected(r->grid.crs));
  if (plane && has_unit) t.area_unit = pow(OSRGetLinearUnits(r->grid.crs, NULL), 2.0) * 1e-6;
  if (!has_unit) t.area_unit = 1.0;
  if (!plane) t.coordinate_unit = 1.0 / gv_crs_unit_degrees(r->grid.crs);
  static const char *const names[] = {"cells",        "area_km2",   "distance_mean",
                                      "distance_max", "centroid_x", "centroid_y"};
  for (int i = CELLS; i <= CENTROID_Y; i++) {
    t.places[i] = -1;
    if (!r->distances && (i == DISTANCE_MEAN || i == DISTANCE_MAX)) continue;
    t.places[i] = t.count;
    add_column(&t, i == CELLS ? OFTInteger64 : OFTReal, i == AREA && !has_unit ? "area" : names[i]);
  }
  for (int i = 0; i < r->j->sum_count; i++) {
    add_column(&t, OFTReal, CPLSPrintf("%s_sum", r->j->sums[i].name));
    if (r->distances) add_column(&t, OFTReal, CPLSPrintf("%s_distance_mean", r->j->sums[i].name));
  }
  gv_table_content content = {.crs = r->seeds.crs,
                              .geometry = wkbPoint,
                              .source = &r->j->seeds,
                              .seeds = &r->seeds,
                              .columns = t.columns,
                              .count = t.count,
                              .row = statistics_row,
                              .user = &t,
                              .threads = r->j->threads};
  gv_status status = gv_table_write(r->io, r->stats, &content);
  for (int i = 0; i < t.count; i++)
    CPLFree(t.columns[i].name);
  return status;
}

/* What lies outside the grid is no loss of the overlay's, but people should know. */
static void warn_of_outside(const run *r) {
  for (int i = 0; i < r->j->sum_count; i++) {
    double total = gv_overlay_total(r->overlay[i]), outside = total - gv_overlay_inside(r->overlay[i]);
    if (fabs(outside) > 1e-9 * gv_overlay_bound(r->overlay[i])) {
      gv_io_warn("--sum %s: %.10g of its total of %.10g lies outside the grid and is not counted",
                 r->j->sums[i].name, outside, total);
    }
  }
}

/* ------------------------------------------------------------------------------------------------------ all of it */

static gv_status compute_rasters(run *r) {
  const job *j = r->j;
  bool copies = false;
  for (int i = 0; i < RASTERS; i++)
    copies = copies || (r->raster[i] != NULL && gv_raster_copies(r->raster[i]));
  share progress = {r, 0.0, copies || j->polygons != NULL ? 0.7 : 1.0};
  r->width = r->grid.grid.width;
  r->height = r->grid.grid.height;
  r->style = !j->no_style && r->seeds.count <= GV_MAX_NAMED_SEEDS;
  gv_status status = create_rasters(r);
  if (status != GV_OK) return status;
  r->distances = j->stats != NULL && !j->no_stats_distances;
  r->numbers = r->type == GDT_Int64 || r->distances || j->distance != NULL || j->azimuth != NULL;
  if (j->stats != NULL && !r->numbers) status = repeated_ids(r, &r->numbers);
  if (status != GV_OK) return status;
  gv_raster_block_size(r->written, r->written_count, &r->block_w, &r->block_h);
  status = make_benches(r);
  if (status == GV_OK) status = make_voronoi(r);
  if (status == GV_OK) {
    status = gv_raster_write(r->io, r->written, r->written_count, compute_block, r, j->threads, report, &progress);
  }
  if (status == GV_OK && r->style) status = add_style(r);
  if (status == GV_OK && r->stats != NULL) status = write_statistics(r);
  progress.from = progress.to;
  if (status == GV_OK && r->polygons != NULL) {
    progress.to = copies ? 0.85 : 1.0;
    status = gv_polygons_write(r->io, r->polygons, gv_raster_dataset(r->raster[OUT]), r->grid.crs, &j->seeds,
                               &r->seeds, report, &progress);
    progress.from = progress.to;
  }
  for (int i = 0; i < RASTERS && status == GV_OK; i++) {
    progress.to = 1.0;
    if (r->raster[i] != NULL) status = gv_raster_finish(r->io, r->raster[i], report, &progress);
    progress.from = 1.0;
  }
  return status;
}

/* Where all outputs go; gives their number. */
static int list_places(run *r, gv_place **places) {
  int count = 0;
  for (int i = 0; i < RASTERS; i++)
    if (r->raster[i] != NULL) places[count++] = gv_raster_place(r->raster[i]);
  if (r->stats != NULL) places[count++] = gv_table_place(r->stats);
  if (r->polygons != NULL) places[count++] = gv_table_place(r->polygons);
  return count + (r->mesh != NULL ? gv_mesh_places(r->mesh, places + count) : 0);
}

/* The inputs, into list[MAX_INPUTS]. */
static void list_inputs(const job *j, gv_input *list, gv_inputs *out) {
  list[0] = (gv_input){.source = j->seeds.source, .kind = GDAL_OF_VECTOR, .layer = j->seeds.layer};
  list[1] = (gv_input){.source = j->grid.like, .kind = GDAL_OF_RASTER};
  list[2] = (gv_input){.source = j->mask.source, .kind = GDAL_OF_RASTER | GDAL_OF_VECTOR, .layer = j->mask.layer};
  for (int i = 0; i < j->sum_count; i++)
    list[3 + i] = (gv_input){.source = j->sums[i].path, .kind = GDAL_OF_RASTER};
  *out = (gv_inputs){.list = list, .count = 3 + j->sum_count};
}

/* No output may replace a file or layer that is read, nor two outputs be one. */
static gv_status check_files(run *r, gv_inputs *inputs) {
  gv_place *places[MAX_OUTPUTS];
  int count = list_places(r, places);
  gv_status status = gv_places_join(r->io, places, count);
  for (int i = 0; i < count && status == GV_OK; i++) {
    const gv_place *place = places[i];
    const char *path = place->output.path;
    if (gv_place_amends(place) && place->replaces &&
        gv_inputs_read_layer(inputs, path, place->layer, place->layers)) {
      status = gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "%s: the layer %s of %s is an input too", place->option,
                          place->layer, path);
    } else if (!gv_place_amends(place) && gv_inputs_find(inputs, path) != NULL) {
      status = gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT, "%s: %s is an input too", place->option, path);
    }
  }
  return status;
}

/* What goes together, as far as the options tell. */
static gv_status check_options(gv_io *io, const job *j) {
  const char *triangles = j->cells != NULL ? "--cells" : "--mesh";
  if (j->cells == NULL && j->mesh == NULL) return GV_OK;
  if (!j->grid.has_level) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s needs --level: it writes the mesh's triangles", triangles);
  }
  if (j->mask.source != NULL) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s answers all triangles: it does not go with --mask",
                      triangles);
  }
  return GV_OK;
}

/* The same after the grid is known. */
static gv_status check_grid(const run *r) {
  const job *j = r->j;
  if (j->weighting == GV_POWER && r->grid.metric != GV_EUCLIDEAN && r->grid.metric != GV_GREAT_CIRCLE) {
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--weighting power: its metric is euclidean or great-circle, not %s",
                      gv_metric_name(r->grid.metric));
  }
  if (j->stats != NULL && r->grid.grid.kind == GV_GRID_PROJECTED && gv_crs_is_lonlat(r->grid.crs)) {
    return gv_io_fail(r->io, GV_ERROR_INVALID_ARGUMENT,
                      "--stats: a rotated grid of longitudes and latitudes has no rows of equal area");
  }
  return GV_OK;
}

static gv_status plan(run *r) {
  job *j = r->j;
  const char *const paths[RASTERS] = {j->raster.path, j->distance, j->azimuth};
  static const char *const names[RASTERS] = {"OUT", "--distance", "--azimuth"};
  gv_mesh_options mesh = {j->cells, j->mesh, j->raster.overwrite};
  int64_t real = j->distance_type == GDT_Float64 ? 8 : 4;
  gv_status status = GV_OK;
  j->raster.cell_bytes = j->k * (4 + (j->distance != NULL ? real : 0) + (j->azimuth != NULL ? 4 : 0));
  for (int i = 0; i < RASTERS && status == GV_OK; i++) {
    gv_raster_options options = j->raster;
    options.path = paths[i];
    options.option = names[i];
    if (paths[i] != NULL) status = gv_raster_plan(r->io, &options, &r->raster[i]);
  }
  if (status == GV_OK && (j->cells != NULL || j->mesh != NULL)) {
    status = gv_mesh_plan(r->io, &mesh, j->grid.level, &r->mesh);
  }
  if (status == GV_OK && j->stats != NULL) {
    status = gv_table_plan(r->io, "--stats", j->stats, j->stats_layer != NULL ? j->stats_layer : "statistics",
                           j->raster.overwrite, &r->stats);
  }
  if (status == GV_OK && j->polygons != NULL) {
    status =
        gv_table_plan(r->io, "--polygons", j->polygons, j->polygons_layer != NULL ? j->polygons_layer : "regions",
                      j->raster.overwrite, &r->polygons);
  }
  return status;
}

static gv_status read_inputs(run *r) {
  job *j = r->j;
  j->seeds.keep_source = j->stats != NULL;
  j->seeds.threads = j->threads;
  j->seeds.positive_weights = j->weighting == GV_MULTIPLICATIVE;
  gv_status status = gv_seeds_read(r->io, &j->seeds, &r->seeds);
  if (status == GV_OK) status = gv_raster_grid_make(r->io, &j->grid, &r->seeds, &r->grid);
  if (status == GV_OK) status = check_grid(r);
  if (status == GV_OK && j->mask.source != NULL) {
    status = gv_mask_open(r->io, &j->mask, &r->grid, j->threads, &r->mask);
  }
  int64_t memory = 2 * (int64_t)GDALGetCacheMax64();
  for (int i = 0; i < j->sum_count && status == GV_OK; i++)
    status =
        gv_overlay_open(r->io, j->sums[i].name, j->sums[i].path, &r->grid, j->threads, &memory, &r->overlay[i]);
  return status;
}

gv_status voronoi_run(gv_io *io, voronoi_job *j) {
  run r = {.io = io, .j = j, .seeds = GV_SEED_LIST_INIT};
  gv_place *places[MAX_OUTPUTS];
  gv_input list[MAX_INPUTS];
  gv_inputs inputs;
  list_inputs(j, list, &inputs);
  gv_status status = check_options(io, j);
  if (status == GV_OK) status = plan(&r);
  if (status == GV_OK) status = check_files(&r, &inputs);
  if (status == GV_OK) status = read_inputs(&r);
  if (status == GV_OK) status = choose_values(&r);
  /* All outputs are made before any is put in its place. */
  if (status == GV_OK && r.mesh != NULL) {
    gv_voronoi_options options = question(&r);
    gv_mesh_run mesh = {&options, r.nodata, j->threads, j->device};
    status = gv_mesh_write(io, r.mesh, &r.grid, &r.seeds, &mesh);
  }
  if (status == GV_OK && j->raster.path != NULL) status = compute_rasters(&r);
  if (status == GV_OK) status = gv_places_commit(io, places, list_places(&r, places), &inputs, j->sync);
  if (status == GV_OK) warn_of_outside(&r);
  if (status == GV_OK && r.seeds.skipped > 0) {
    gv_io_warn("%" PRId64 " seeds skipped, %" PRId64 " used; the first skipped: %s", r.seeds.skipped, r.seeds.count,
               r.seeds.skipped_first);
  }
  gv_statistics_destroy(r.statistics);
  gv_voronoi_destroy(r.voronoi);
  free_benches(&r);
  for (int i = 0; i < j->sum_count; i++)
    gv_overlay_close(r.overlay[i]);
  gv_mask_close(r.mask);
  gv_table_close(r.stats);
  gv_table_close(r.polygons);
  gv_mesh_close(r.mesh);
  for (int i = 0; i < RASTERS; i++)
    gv_raster_close(r.raster[i]);
  free(r.labels);
  gv_attribute_table_free(&r.attributes);
  gv_raster_grid_free(&r.grid);
  gv_seeds_free(&r.seeds);
  gv_inputs_free(&inputs);
  return status;
}
