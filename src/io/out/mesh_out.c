/* Cells are computed and measured by all threads, block by block, and passed to the writers in order. */
#include "io/out/mesh_out.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <gdal.h>

#include "io/out/layer_out.h"
#include "io/out/mesh_sink.h"
#include "io/parallel.h"

/* One file. */
typedef struct output {
  const gv_mesh_format *format;
  bool wanted;
  gv_place place;
  gv_mesh_sink *sink;
} output;

struct gv_mesh_out {
  output outputs[GV_MESH_FORMATS];
};

/* ------------------------------------------------------------------------------------------------------- the files */

/* What --cells writes. */
static const gv_mesh_format *format_of_cells(const gv_mesh_options *options, const gv_cells_of *cells) {
  if (!gv_cells_of_lists(cells)) return &gv_mesh_features;
  return options->cells != NULL && EQUAL(CPLGetExtension(options->cells), "nc") ? &gv_mesh_variables
                                                                                : &gv_mesh_table;
}

gv_status gv_mesh_plan(gv_io *io, const gv_mesh_options *options, int level, const gv_cells_of *cells,
                       gv_mesh_out **out) {
  gv_mesh_out *mesh = calloc(1, sizeof *mesh);
  if (mesh == NULL) return gv_io_fail_memory(io, "the output");
  const char *paths[GV_MESH_FORMATS] = {options->cells, options->mesh};
  const gv_mesh_format *formats[GV_MESH_FORMATS] = {format_of_cells(options, cells), &gv_mesh_ugrid};
  gv_status status = GV_OK;
  for (int i = 0; i < GV_MESH_FORMATS && status == GV_OK; i++) {
    output *o = &mesh->outputs[i];
    o->format = formats[i];
    o->wanted = paths[i] != NULL;
    if (!o->wanted) continue;
    gv_place_options place = {.option = o->format->option, .path = paths[i], .overwrite = options->overwrite};
    if (o->format->check != NULL) status = o->format->check(io, paths[i], level);
    if (status == GV_OK)
      status = o->format->layer != NULL
                   ? gv_layer_plan(io, &o->place, place.option, place.path, o->format->layer, place.overwrite)
                   : gv_place_plan(io, &o->place, &place);
  }
  if (status != GV_OK) {
    gv_mesh_close(mesh);
    return status;
  }
  *out = mesh;
  return GV_OK;
}

int gv_mesh_places(gv_mesh_out *mesh, gv_place **places) {
  int count = 0;
  for (int i = 0; i < GV_MESH_FORMATS; i++)
    if (mesh->outputs[i].wanted) places[count++] = &mesh->outputs[i].place;
  return count;
}

void gv_mesh_close(gv_mesh_out *mesh) {
  if (mesh == NULL) return;
  for (int i = 0; i < GV_MESH_FORMATS; i++)
    gv_place_clear(&mesh->outputs[i].place);
  free(mesh);
}

static gv_status open_outputs(gv_io *io, gv_mesh_out *mesh, const gv_mesh_facts *facts) {
  for (int i = 0; i < GV_MESH_FORMATS; i++) {
    output *o = &mesh->outputs[i];
    if (o->wanted) GV_TRY(o->format->open(io, &o->place, facts, &o->sink));
  }
  return GV_OK;
}

static gv_status close_outputs(gv_io *io, gv_mesh_out *mesh, gv_status status) {
  for (int i = 0; i < GV_MESH_FORMATS; i++) {
    output *o = &mesh->outputs[i];
    if (o->sink != NULL) status = o->format->close(io, o->sink, status);
    o->sink = NULL;
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------------ the answers */

/* One thread's share: a context and a block. */
typedef struct worker {
  gv_context *context;
  gv_mesh_block block;
  gv_status status;
} worker;

static gv_status make_worker(gv_io *io, worker *w, int64_t size, int bands, const gv_mesh_question *question) {
  gv_context_options options;
  gv_context_options_init(&options);
  size_t count = (size_t)size, values = count * (size_t)bands;
  gv_mesh_block *b = &w->block;
  options.threads = 1;
  options.device = question->device;
  options.progress = gv_io_go_on;
  options.progress_user = io;
  if (gv_context_create(&options, &w->context) != GV_OK) return gv_io_fail_memory(io, "the cells");
  b->stride = size;
  b->id = malloc(count * (sizeof *b->id + 3 * sizeof *b->lon) +
                 values * (sizeof *b->distance + sizeof *b->seed + sizeof *b->azimuth));
  if (b->id == NULL) return gv_io_fail_memory(io, "the cells");
  b->lon = (double *)(b->id + count);
  b->lat = b->lon + count;
  b->area = b->lat + count;
  b->distance = b->area + count;
  b->seed = (int32_t *)(b->distance + values);
  b->azimuth = (float *)(b->seed + values);
  return GV_OK;
}

static void free_worker(worker *w) {
  gv_context_destroy(w->context);
  free(w->block.id);
}

/* Block `number` of cells into the worker's. */
static gv_status mesh_out_answer(worker *w, const gv_voronoi *voronoi, const gv_mesh_facts *facts, int64_t number) {
  gv_mesh_block *b = &w->block;
  gv_labels block;
  gv_labels_init(&block);
  gv_measure measure;
  gv_measure_init(&measure);
  bool list = gv_cells_of_lists(facts->question->cells);
  b->first = number * b->stride;
  b->count = facts->cells - b->first < b->stride ? facts->cells - b->first : b->stride;
  block.column = measure.column = b->first;
  block.columns = measure.columns = b->count;
  block.out = b->seed;
  measure.seed = b->seed;
  measure.bands = facts->bands;
  measure.type = GV_FLOAT64;
  measure.distance = b->distance;
  if (list) measure.azimuth = b->azimuth;
  block.stride = measure.stride = measure.out_stride = b->stride;
  block.band_stride = measure.band_stride = measure.out_band_stride = b->stride;
  GV_TRY(gv_voronoi_fill(w->context, voronoi, &block));
  GV_TRY(gv_voronoi_measure(w->context, voronoi, &measure));
  GV_TRY(gv_voronoi_cell_areas(w->context, voronoi, b->first, 0, b->count, 1, b->area, 0));
  if (list) return gv_voronoi_cell_centers(w->context, voronoi, b->first, 0, b->count, 1, b->lon, b->lat, 0);
  for (int64_t i = 0; i < b->count; i++) {
    gv_qtm_from_number(facts->level, b->first + i, &b->id[i]);
    gv_qtm_center(b->id[i], &b->lon[i], &b->lat[i]);
  }
  return GV_OK;
}

static gv_status mesh_out_write_block(gv_io *io, gv_mesh_out *mesh, const gv_mesh_block *block) {
  for (int i = 0; i < GV_MESH_FORMATS; i++) {
    output *o = &mesh->outputs[i];
    if (o->sink != NULL) GV_TRY(o->format->write(io, o->sink, block));
  }
  return GV_OK;
}

/* Blocks that are computed at once, one for each of `workers`. */
typedef struct mesh_round {
  worker *workers;
  const gv_voronoi *voronoi;
  const gv_mesh_facts *facts;
  int64_t first;
} mesh_round;

static gv_status mesh_out_answer_some(gv_io *io, void *user, int number, int64_t first, int64_t end) {
  const mesh_round *r = user;
  (void)io, (void)number;
  for (int64_t i = first; i < end; i++)
    r->workers[i].status = mesh_out_answer(&r->workers[i], r->voronoi, r->facts, r->first + i);
  return GV_OK; /* which block fails first is seen when they are written */
}

static gv_status write_all(gv_io *io, gv_mesh_out *mesh, const gv_voronoi *voronoi, const gv_mesh_facts *facts,
                           const gv_mesh_question *question) {
  int64_t size, cells = facts->cells;
  gv_voronoi_block_size(voronoi, &size, NULL);
  if (size > cells) size = cells;
  int64_t blocks = (cells + size - 1) / size;
  int threads = question->threads < blocks ? question->threads : (int)blocks;
  worker *workers = calloc((size_t)threads, sizeof *workers);
  gv_status status = workers != NULL ? GV_OK : gv_io_fail_memory(io, "the cells");
  for (int i = 0; i < threads && status == GV_OK; i++)
    status = make_worker(io, &workers[i], size, facts->bands, question);
  for (int64_t first = 0; first < blocks && status == GV_OK; first += threads) {
    int count = blocks - first < threads ? (int)(blocks - first) : threads;
    mesh_round r = {workers, voronoi, facts, first};
    gv_io_loop loop = {.threads = threads, .count = count, .grain = 1, .user = &r};
    gv_io_parallel_for(io, &loop, mesh_out_answer_some);
    for (int i = 0; i < count && status == GV_OK; i++) {
      status = gv_io_pass_on_library(io, workers[i].context, workers[i].status);
      if (status == GV_OK) status = mesh_out_write_block(io, mesh, &workers[i].block);
    }
    if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  for (int i = 0; i < threads && workers != NULL; i++)
    free_worker(&workers[i]);
  free(workers);
  return status;
}

/* Cells handled at once, a power of 4: a few megabytes a thread for any k. */
static int32_t block_of(int bands) {
  return bands <= 4 ? 1 << 16 : bands <= 16 ? 1 << 14 : 1 << 12;
}

/* The grid of the query cells, and their number. */
static int64_t make_grid(const gv_raster_grid *grid, const gv_mesh_question *question, gv_grid *out) {
  const gv_cells_of *cells = question->cells;
  gv_grid_init(out);
  out->semi_major = grid->grid.semi_major;
  out->flattening = grid->grid.flattening;
  if (cells->kind == GV_CELLS_OF_HEALPIX) {
    out->kind = GV_GRID_HEALPIX;
    out->order = cells->level;
    out->ring = cells->ring;
    out->authalic = cells->authalic;
    return gv_healpix_count(out->order);
  }
  if (cells->kind == GV_CELLS_OF_FILE) {
    out->kind = GV_GRID_POINTS;
    out->width = question->centres->count;
    out->longitude = question->centres->x;
    out->latitude = question->centres->y;
    return out->width;
  }
  out->kind = GV_GRID_QTM;
  out->level = grid->grid.level;
  return gv_qtm_count(out->level);
}

gv_status gv_mesh_write(gv_io *io, gv_mesh_out *mesh, const gv_raster_grid *grid, const gv_seed_list *seeds,
                        const gv_mesh_question *question) {
  gv_voronoi *voronoi = NULL;
  gv_context *context = NULL;
  OGRSpatialReferenceH crs = OSRIsProjected(grid->crs) ? OSRCloneGeogCS(grid->crs) : OSRClone(grid->crs);
  if (crs == NULL) return gv_io_fail_gdal(io, GV_ERROR_PROJECTION, "no longitudes and latitudes for the cells");
  OSRSetAxisMappingStrategy(crs, OAMS_TRADITIONAL_GIS_ORDER);
  int bands = question->voronoi->k > 1 ? question->voronoi->k : 1;
  gv_mesh_facts facts = {.level = gv_cells_of_lists(question->cells) ? question->cells->level : grid->grid.level,
                         .question = question,
                         .bands = bands,
                         .nodata = question->nodata,
                         .crs = crs,
                         .metric = gv_metric_name(question->voronoi->metric),
                         .seeds = seeds};

  gv_context_options context_options;
  gv_context_options_init(&context_options);
  gv_grid cells;
  gv_voronoi_options options = *question->voronoi;
  gv_points positions = gv_points_xy(seeds->x, seeds->y, seeds->count);
  context_options.threads = question->threads;
  context_options.device = question->device;
  context_options.progress = gv_io_go_on;
  context_options.progress_user = io;
  facts.cells = make_grid(grid, question, &cells);
  options.labels = NULL;
  options.nodata = -1;
  options.block_width = block_of(bands);
  gv_status status = gv_context_create(&context_options, &context);
  if (status != GV_OK) {
    status = gv_io_fail_memory(io, "the cells");
  } else {
    const gv_points *seeds_of = options.features == NULL ? &positions : NULL;
    status = gv_io_pass_on_library(io, context, gv_voronoi_create(context, &cells, seeds_of, &options, &voronoi));
  }
  if (status == GV_OK) status = open_outputs(io, mesh, &facts);
  if (status == GV_OK) status = write_all(io, mesh, voronoi, &facts, question);
  status = close_outputs(io, mesh, status);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  OSRRelease(crs);
  return status;
}
