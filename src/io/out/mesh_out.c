/* Cells are computed and measured by all threads, block by block, and passed to the writers in order. */
#include "io/out/mesh_out.h"

#include <inttypes.h>
#include <stdatomic.h>
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
  gv_writer writer;
  void *sink; /* of the format, once begun */
} output;

struct gv_mesh_out {
  output outputs[GV_MESH_FORMATS];
};

/* ---------------------------------------------------------------------------------------------- the files */

/* What --cells writes. */
static const gv_mesh_format *format_of_cells(const gv_mesh_options *options, const gv_cells_of *cells) {
  if (!gv_cells_of_lists(cells)) return &gv_mesh_features;
  return options->cells != NULL && gv_mesh_variables_may_be(options->cells) ? &gv_mesh_variables
                                                                            : &gv_mesh_table;
}

/* Borders need a format with geometries. */
static gv_status mesh_check_borders(gv_io *io, const output *o) {
  const gv_place *place = &o->writer.place;
  GV_REQUIRE(io, o->format == &gv_mesh_table && !gv_format_of(place->driver)->text,
             "--cell-borders: %s has no geometries; use a format that has, e.g. .gpkg or .fgb",
             place->output.path);
  return GV_OK;
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
      status = o->format->layer != NULL ? gv_layer_plan(io, &o->writer, place.option, place.path,
                                                        o->format->layer, place.overwrite)
                                        : gv_place_plan(io, &o->writer.place, &place);
  }
  if (status == GV_OK && options->borders) status = mesh_check_borders(io, &mesh->outputs[0]);
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
    if (mesh->outputs[i].wanted) places[count++] = &mesh->outputs[i].writer.place;
  return count;
}

void gv_mesh_close(gv_mesh_out *mesh) {
  if (mesh == NULL) return;
  for (int i = 0; i < GV_MESH_FORMATS; i++)
    gv_writer_abandon(&mesh->outputs[i].writer);
  free(mesh);
}

static gv_status begin_outputs(gv_io *io, gv_mesh_out *mesh, const gv_mesh_facts *facts) {
  for (int i = 0; i < GV_MESH_FORMATS; i++) {
    output *o = &mesh->outputs[i];
    if (!o->wanted) continue;
    GV_TRY(gv_writer_begin(io, &o->writer));
    GV_TRY(o->format->begin(io, &o->writer, facts, &o->sink));
  }
  return GV_OK;
}

static gv_status finish_outputs(gv_io *io, gv_mesh_out *mesh, gv_status status) {
  for (int i = 0; i < GV_MESH_FORMATS; i++) {
    output *o = &mesh->outputs[i];
    if (o->sink != NULL) status = o->format->finish(io, o->sink, status);
    o->sink = NULL;
  }
  return status;
}

/* -------------------------------------------------------------------------------------------- the answers */

/* One thread's share: a context and a block. */
typedef struct mesh_worker {
  gv_context *context;
  gv_mesh_block block;
  uint8_t *mask; /* of the block's cells; NULL without a mask */
} mesh_worker;

static gv_status make_worker(gv_io *io, mesh_worker *w, int64_t size, int bands,
                             const gv_mesh_request *request) {
  gv_context_options options;
  gv_context_options_init(&options);
  size_t count = (size_t)size, values = count * (size_t)bands;
  gv_mesh_block *b = &w->block;
  options.threads = 1;
  options.device = request->device;
  options.progress = gv_io_go_on;
  options.progress_user = io;
  if (gv_context_create(&options, &w->context) != GV_OK) return gv_io_fail_memory(io, "the cells");
  b->stride = size;
  b->id = malloc(count * (sizeof *b->id + 3 * sizeof *b->lon) +
                 values * (sizeof *b->distance + sizeof *b->seed + sizeof *b->azimuth));
  w->mask = request->mask != NULL ? malloc(count) : NULL;
  if (b->id == NULL || (request->mask != NULL && w->mask == NULL)) return gv_io_fail_memory(io, "the cells");
  b->lon = (double *)(b->id + count);
  b->lat = b->lon + count;
  b->area = b->lat + count;
  b->distance = b->area + count;
  b->seed = (int32_t *)(b->distance + values);
  b->azimuth = (float *)(b->seed + values);
  return GV_OK;
}

static void free_worker(mesh_worker *w) {
  gv_context_destroy(w->context);
  free(w->block.id);
  free(w->mask);
}

/* Blocks that are computed at once, one for each of `workers`. */
typedef struct mesh_round {
  mesh_worker *workers;
  const gv_voronoi *voronoi;
  const gv_mesh_facts *facts;
  int64_t first;
} mesh_round;

/* Block `number` of cells: its span. Returns the number of the first. */
static int64_t mesh_out_begin_block(const mesh_round *r, mesh_worker *w, int64_t number) {
  gv_mesh_block *b = &w->block;
  const int64_t first = number * b->stride;
  b->count = r->facts->cells - first < b->stride ? r->facts->cells - first : b->stride;
  return first;
}

/* The centers of a block, and which of its cells count; how many do. */
static gv_status mesh_out_find_kept(gv_io *io, const mesh_round *r, mesh_worker *w, int thread, int64_t first,
                                    int64_t *kept) {
  gv_mesh_block *b = &w->block;
  *kept = b->count;
  GV_TRY(gv_io_pass_on_library(
      io, w->context,
      gv_voronoi_cell_centers(w->context, r->voronoi, first, 0, b->count, 1, b->lon, b->lat, 0)));
  if (w->mask == NULL) return GV_OK;
  return gv_mask_places(io, r->facts->request->mask, thread, b->lon, b->lat, b->count, w->mask, kept);
}

/* The seeds of a block's cells, and the distances to them. */
static gv_status mesh_out_fill(mesh_worker *w, const mesh_round *r, int64_t first) {
  gv_mesh_block *b = &w->block;
  gv_labels block;
  gv_labels_init(&block);
  gv_measure measure;
  gv_measure_init(&measure);
  block.column = measure.column = first;
  block.columns = measure.columns = b->count;
  block.out = b->seed;
  block.mask = w->mask;
  block.mask_stride = b->stride;
  measure.seed = b->seed;
  measure.bands = r->facts->bands;
  measure.type = GV_FLOAT64;
  measure.distance = b->distance;
  if (gv_cells_of_lists(r->facts->of)) measure.azimuth = b->azimuth;
  block.stride = measure.stride = measure.out_stride = b->stride;
  block.band_stride = measure.band_stride = measure.out_band_stride = b->stride;
  GV_TRY(gv_voronoi_fill(w->context, r->voronoi, &block, NULL));
  GV_TRY(gv_voronoi_measure(w->context, r->voronoi, &measure));
  return gv_voronoi_cell_areas(w->context, r->voronoi, first, 0, b->count, 1, b->area, 0);
}

/* Removes the masked cells of a block. */
static void mesh_out_drop_masked(mesh_worker *w, int bands) {
  gv_mesh_block *b = &w->block;
  int64_t kept = 0;
  for (int64_t i = 0; i < b->count; i++) {
    if (w->mask[i] == 0) continue;
    b->id[kept] = b->id[i];
    b->lon[kept] = b->lon[i];
    b->lat[kept] = b->lat[i];
    b->area[kept] = b->area[i];
    for (int64_t band = 0; band < bands; band++) {
      const int64_t from = band * b->stride + i, to = band * b->stride + kept;
      b->seed[to] = b->seed[from];
      b->distance[to] = b->distance[from];
      b->azimuth[to] = b->azimuth[from];
    }
    kept++;
  }
  b->count = kept;
}

static gv_status mesh_out_fill_block(gv_io *io, const mesh_round *r, mesh_worker *w, int thread,
                                     int64_t number) {
  gv_mesh_block *b = &w->block;
  int64_t first = mesh_out_begin_block(r, w, number), kept;
  GV_TRY(mesh_out_find_kept(io, r, w, thread, first, &kept));
  if (kept == 0) {
    b->count = 0;
    return GV_OK;
  }
  for (int64_t i = 0; i < b->count; i++)
    b->id[i] = gv_cells_of_id(r->facts->of, r->facts->request->centers, first + i);
  GV_TRY(gv_io_pass_on_library(io, w->context, mesh_out_fill(w, r, first)));
  if (kept < b->count) mesh_out_drop_masked(w, r->facts->bands);
  return GV_OK;
}

static gv_status mesh_out_write_block(gv_io *io, gv_mesh_out *mesh, const gv_mesh_block *block) {
  for (int i = 0; i < GV_MESH_FORMATS; i++) {
    output *o = &mesh->outputs[i];
    if (o->sink != NULL) GV_TRY(o->format->block(io, o->sink, block));
  }
  return GV_OK;
}

static gv_status mesh_out_fill_some(gv_io *io, void *user, int number, int64_t first, int64_t end) {
  const mesh_round *r = user;
  for (int64_t i = first; i < end; i++)
    GV_TRY(mesh_out_fill_block(io, r, &r->workers[i], number, r->first + i));
  return GV_OK;
}

/* A walk that only counts cells. */
typedef struct mesh_count {
  const mesh_round *round;
  atomic_llong kept;
} mesh_count;

static gv_status mesh_out_count_some(gv_io *io, void *user, int number, int64_t first, int64_t end) {
  mesh_count *c = user;
  mesh_worker *w = &c->round->workers[number];
  for (int64_t i = first; i < end; i++) {
    int64_t kept, at = mesh_out_begin_block(c->round, w, i);
    GV_TRY(mesh_out_find_kept(io, c->round, w, number, at, &kept));
    atomic_fetch_add(&c->kept, (long long)kept);
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  }
  return GV_OK;
}

/* How many cells will be written, where a format must know. */
static gv_status mesh_out_count_written(gv_io *io, const gv_mesh_out *mesh, const mesh_round *r, int threads,
                                        int64_t blocks, gv_mesh_facts *facts) {
  mesh_count count = {.round = r};
  const char *path = NULL;
  facts->written = facts->cells;
  for (int i = 0; i < GV_MESH_FORMATS; i++)
    if (mesh->outputs[i].wanted && mesh->outputs[i].format->counts)
      path = mesh->outputs[i].writer.place.output.path;
  if (facts->request->mask == NULL || path == NULL) return GV_OK;
  atomic_init(&count.kept, 0);
  gv_io_loop loop = {.threads = threads, .count = blocks, .grain = 1, .user = &count};
  GV_TRY(gv_io_parallel_for(io, &loop, mesh_out_count_some));
  facts->written = atomic_load(&count.kept);
  GV_REQUIRE(io, facts->written > 0, "--mask: no center of a cell is inside the mask; %s would have no cells",
             path);
  return GV_OK;
}

static gv_status mesh_out_write_blocks(gv_io *io, gv_mesh_out *mesh, mesh_round *r, int threads,
                                       int64_t blocks) {
  const gv_mesh_request *request = r->facts->request;
  int64_t written = 0;
  for (r->first = 0; r->first < blocks; r->first += threads) {
    int count = blocks - r->first < threads ? (int)(blocks - r->first) : threads;
    gv_io_loop loop = {.threads = threads, .count = count, .grain = 1, .user = r};
    GV_TRY(gv_io_parallel_for(io, &loop, mesh_out_fill_some));
    for (int i = 0; i < count; i++) {
      gv_mesh_block *block = &r->workers[i].block;
      block->first = written;
      written += block->count;
      if (block->count > 0) GV_TRY(mesh_out_write_block(io, mesh, block));
    }
    double share = (double)(r->first + count) / (double)blocks;
    if (!request->progress(share, NULL, request->progress_user)) return gv_io_fail_cancelled(io);
  }
  if (written == 0)
    gv_io_warn(GV_CODE_CELLS_EMPTY, r->facts->cells,
               "0 of %" PRId64 " cells are written: no center of a cell is inside --mask", r->facts->cells);
  return GV_OK;
}

static gv_status write_all(gv_io *io, gv_mesh_out *mesh, const gv_voronoi *voronoi, gv_mesh_facts *facts,
                           const gv_mesh_request *request) {
  int64_t size, cells = facts->cells;
  gv_voronoi_block_size(voronoi, &size, NULL);
  if (size > cells) size = cells;
  int64_t blocks = (cells + size - 1) / size;
  int threads = request->threads < blocks ? request->threads : (int)blocks;
  mesh_round r = {.workers = calloc((size_t)threads, sizeof *r.workers), .voronoi = voronoi, .facts = facts};
  gv_status status = r.workers != NULL ? GV_OK : gv_io_fail_memory(io, "the cells");
  for (int i = 0; i < threads && status == GV_OK; i++)
    status = make_worker(io, &r.workers[i], size, facts->bands, request);
  if (status == GV_OK) status = mesh_out_count_written(io, mesh, &r, threads, blocks, facts);
  if (status == GV_OK) status = begin_outputs(io, mesh, facts);
  if (status == GV_OK) status = mesh_out_write_blocks(io, mesh, &r, threads, blocks);
  for (int i = 0; i < threads && r.workers != NULL; i++)
    free_worker(&r.workers[i]);
  free(r.workers);
  return finish_outputs(io, mesh, status);
}

/* Whether variables, columns or dimensions have this name: those of neighbors have their number appended. */
static bool mesh_out_has_name(const void *user, const char *name) {
  static const char *const own[] = {"cell",  "token",    "lon", "lat",    "area_km2",
                                    "cells", "cell_ids", "crs", "healpix"};
  static const char *const of_seed[] = {"seed", "distance", "azimuth"};
  (void)user;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (EQUAL(name, own[i])) return true;
  for (size_t i = 0; i < sizeof of_seed / sizeof *of_seed; i++) {
    size_t length = strlen(of_seed[i]);
    if (!EQUALN(name, of_seed[i], length)) continue;
    const char *rest = name + length;
    if (*rest == '\0' ||
        (*rest == '_' && rest[1] != '\0' && strspn(rest + 1, "0123456789") == strlen(rest + 1)))
      return true;
  }
  return gv_field_is_reserved(name);
}

/* Cells handled at once, a power of 4: a few megabytes a thread for any k. */
static int32_t block_of(int bands) {
  return bands <= 4 ? 1 << 16 : bands <= 16 ? 1 << 14 : 1 << 12;
}

gv_status gv_mesh_write(gv_io *io, gv_mesh_out *mesh, const gv_raster_grid *grid, const gv_seed_list *seeds,
                        const gv_mesh_request *request) {
  gv_voronoi *voronoi = NULL;
  gv_context *context = NULL;
  int bands = request->voronoi->k > 1 ? request->voronoi->k : 1;
  gv_mesh_facts facts = {.of = &grid->cells_of,
                         .grid = &grid->grid,
                         .cells = grid->grid.width,
                         .request = request,
                         .bands = bands,
                         .nodata = request->nodata,
                         .crs = grid->crs,
                         .metric = gv_metric_name(request->voronoi->metric),
                         .seeds = seeds};
  if (request->attribute != NULL) gv_field_name(request->attribute, mesh_out_has_name, NULL, facts.attribute);

  gv_context_options context_options;
  gv_context_options_init(&context_options);
  gv_voronoi_options options = *request->voronoi;
  gv_points positions = gv_points_xy(seeds->x, seeds->y, seeds->count);
  context_options.threads = request->threads;
  context_options.device = request->device;
  context_options.progress = gv_io_go_on;
  context_options.progress_user = io;
  options.labels = NULL;
  options.nodata = -1;
  options.block_width = block_of(bands);
  gv_status status = gv_context_create(&context_options, &context);
  if (status != GV_OK) {
    status = gv_io_fail_memory(io, "the cells");
  } else {
    const gv_points *seeds_of = options.features == NULL ? &positions : NULL;
    status = gv_io_pass_on_library(io, context,
                                   gv_voronoi_create(context, &grid->grid, seeds_of, &options, &voronoi));
  }
  if (status == GV_OK) status = write_all(io, mesh, voronoi, &facts, request);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  return status;
}
