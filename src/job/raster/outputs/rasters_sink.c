#include "job/raster/outputs/rasters_sink.h"

#include <stdlib.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/format.h"
#include "io/path.h"
#include "io/strings.h"
#include "job/raster/compute/compute.h"
#include "job/raster/outputs/virtual_raster.h"
#include "job/raster/plan/budget.h"
#include "job/raster/plan/rasters.h"

/* ----------------------------------------------------------------------------------------------- planning */

static void rasters_list(gv_run_rasters *r) {
  r->written_count = 0;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->raster[i] != NULL) r->written[r->written_count++] = r->raster[i];
}

/* At `path`, or beside it with an `ending`. */
static gv_status rasters_plan_one(gv_io *io, int number, const gv_raster_options *like, const char *ending,
                                  gv_run_rasters *r) {
  const gv_job *j = r->job;
  gv_raster_options options = *like;
  char *file = gv_path_add(like->path, ending);
  if (file == NULL) return gv_io_fail_memory(io, "a file name");
  options.path = file;
  options.overwrite = j->raster.overwrite || ending[0] != '\0';
  options.threads = r->threads;
  options.memory = gv_budget_of(j).waiting;
  options.cell_bytes = gv_budget_cell_bytes(j, j->k);
  gv_status status = gv_raster_plan(io, &options, &r->raster[number]);
  free(file);
  return status;
}

gv_status gv_run_rasters_add_traced(gv_io *io, gv_run_rasters *r) {
  const gv_raster_options options = {.option = "--polygons", .path = r->job->polygons};
  r->traced = r->raster[GV_RUN_OUT] == NULL;
  if (r->traced) GV_TRY(rasters_plan_one(io, GV_RUN_OUT, &options, ".cells.tif", r));
  rasters_list(r);
  return GV_OK;
}

/* How a part's tiles are encoded, of the creation options for all: what loses nothing. False: out of
 * memory. */
static bool rasters_part_encoding(const gv_job *j, char ***out) {
  enum { SIDES = 6 };
  static const char *const keys[] = {"COMPRESS",    "PREDICTOR",  "ZLEVEL",     "ZSTD_LEVEL",
                                     "LZMA_PRESET", "ENDIANNESS", "BLOCKXSIZE", "BLOCKYSIZE"},
                           *const codecs[] = {"NONE", "LZW", "PACKBITS", "DEFLATE", "ZSTD", "LZMA"};
  char **from = j->raster.creation_options;
  const char *compression = CSLFetchNameValueDef(from, "COMPRESS", codecs[4]);
  bool known = false, good = true,
       gtiff = j->raster.driver == NULL || gv_format_is(gv_format_tiled(), j->raster.driver);
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    known = known || EQUAL(compression, codecs[i]);
  int side = atoi(CSLFetchNameValueDef(from, keys[SIDES + 1], "0"));
  bool square = side >= 64 && side <= 1024 && atoi(CSLFetchNameValueDef(from, keys[SIDES], "0")) == side &&
                CPLTestBool(CSLFetchNameValueDef(from, "TILED", "YES"));
  *out = NULL;
  for (size_t i = 0; i < sizeof keys / sizeof *keys && gtiff; i++) {
    const char *value = (i < SIDES ? known : square) ? CSLFetchNameValue(from, keys[i]) : NULL;
    if (value != NULL) good = gv_strings_set(out, keys[i], value) && good;
  }
  return good;
}

/* A part's rasters are written beside it, except the ids, which become the part. */
static gv_status rasters_plan_part(gv_io *io, int number, gv_run_rasters *r) {
  static const char *const endings[GV_RUN_RASTERS] = {"", ".distances.tif", ".azimuths.tif"};
  const gv_job *j = r->job;
  char **encoding;
  const bool complete = rasters_part_encoding(j, &encoding);
  const gv_raster_options options = {.option = "--part",
                                     .path = j->raster.path,
                                     .driver = gv_format_tiled()->driver,
                                     .creation_options = encoding};
  gv_status status = complete ? rasters_plan_one(io, number, &options, endings[number], r)
                              : gv_io_fail_memory(io, "the options of a raster");
  gv_strings_free(encoding);
  return status;
}

static gv_status rasters_plan_output(gv_io *io, int number, gv_run_rasters *r) {
  const gv_job *j = r->job;
  const gv_raster_options options = {.option = gv_job_raster_option(number),
                                     .path = gv_job_path(j, number),
                                     .driver = j->raster.driver,
                                     .creation_options = j->raster.creation_options};
  const gv_place_options place = {
      .option = options.option, .path = options.path, .overwrite = j->raster.overwrite};
  return gv_run_is_virtual(j, number) ? gv_place_plan(io, &r->virtuals[number].place, &place)
                                      : rasters_plan_one(io, number, &options, "", r);
}

int64_t gv_run_part_rows(const gv_run_rasters *r) {
  if (r->job->parts == 0) return 0;
  return atoi(CSLFetchNameValueDef(gv_raster_creation_options(r->raster[GV_RUN_OUT]), "BLOCKYSIZE", "0"));
}

/* ------------------------------------------------------------------------------------------------ writing */

/* Creates them, which decides the size of blocks. */
static gv_status rasters_begin(gv_io *io, gv_sink *sink, gv_run_work *w) {
  static const char *const variables[GV_RUN_RASTERS] = {"nearest", "distance", "azimuth"};
  gv_run_rasters *r = sink->of;
  const gv_run_plan *p = w->plan;
  const double *g = p->in->grid.geotransform, y = (double)p->first_row;
  const double geotransform[6] = {g[0] + y * g[2], g[1], g[2], g[3] + y * g[5], g[4], g[5]};
  gv_raster_description description[GV_RUN_RASTERS];
  char **metadata = NULL;
  int count = 0;
  if (r->written_count == 0) return GV_OK;
  gv_status status = gv_run_metadata(io, p->in, &metadata);
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (r->raster[i] == NULL) continue;
    description[count++] =
        (gv_raster_description){.width = p->width,
                                .height = p->rows,
                                .geotransform = geotransform,
                                .crs = p->in->grid.crs,
                                .type = p->type[i],
                                .nodata = p->nodata,
                                .bands = p->bands[i],
                                .names = gv_run_band_names(p->in, i),
                                .unit = gv_run_unit(p->in, i),
                                .cell_bytes = p->job->distance_per_value ? p->cell_bytes : 0,
                                .variable = variables[i],
                                .metadata = metadata};
    if (status == GV_OK && description[count - 1].names == NULL)
      status = gv_io_fail_memory(io, "the names of bands");
  }
  if (status == GV_OK) status = gv_raster_create(io, r->written, count, description);
  for (int i = 0; i < count; i++) {
    r->copies = r->copies || gv_raster_copies(r->written[i]);
    gv_strings_free(description[i].names);
  }
  gv_strings_free(metadata);
  if (status == GV_OK) gv_raster_block_size(r->written, &w->block_w, &w->block_h);
  if (r->copies) sink->after = 0.3;
  return status;
}

/* Names and colors. */
static gv_status rasters_finish(gv_io *io, gv_sink *sink, gv_run_work *w) {
  gv_run_rasters *r = sink->of;
  gv_attribute_table table = {0};
  if (!w->plan->style) return GV_OK;
  gv_status status = gv_run_make_table(io, w, false, &table);
  if (status == GV_OK && table.count > 0) status = gv_raster_set_table(io, r->raster[GV_RUN_OUT], &table);
  gv_attribute_table_free(&table);
  return status;
}

static gv_status rasters_complete(gv_io *io, gv_sink *sink, gv_run_work *w) {
  gv_run_rasters *r = sink->of;
  gv_run_next_step(sink->progress, 1.0);
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (r->raster[i] == NULL || (i == GV_RUN_OUT && r->traced)) continue;
    GV_TRY(gv_raster_finish(io, r->raster[i], gv_run_report_progress, sink->progress));
    gv_run_next_step(sink->progress, 1.0);
  }
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->virtuals[i].place.output.path != NULL) GV_TRY(gv_merge_write_virtual(io, w, i, &r->virtuals[i]));
  return GV_OK;
}

static void rasters_abandon(void *of) {
  gv_run_rasters *r = of;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    gv_raster_close(r->raster[i]);
    gv_writer_abandon(&r->virtuals[i]);
  }
}

gv_status gv_rasters_sink_plan(gv_io *io, const gv_job *j, gv_sink *out) {
  static const gv_sink_kind kind = {{rasters_begin, rasters_finish, rasters_complete}, rasters_abandon};
  gv_run_rasters *r = out->of = out->rasters;
  out->kind = &kind;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    if (gv_job_path(j, i) == NULL) continue;
    GV_TRY(j->parts > 0 ? rasters_plan_part(io, i, r) : rasters_plan_output(io, i, r));
  }
  rasters_list(r);
  out->takes_blocks = r->written_count > 0;
  /* Rasters beside a part have no place. */
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->raster[i] != NULL && (i == GV_RUN_OUT || j->parts == 0))
      out->places[out->place_count++] = gv_raster_place(r->raster[i]);
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->virtuals[i].place.output.path != NULL) out->places[out->place_count++] = &r->virtuals[i].place;
  return GV_OK;
}
