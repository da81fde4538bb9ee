#include "job/raster/outputs/sinks.h"

#include "job/raster/outputs/cells_sink.h"
#include "job/raster/outputs/part_sink.h"
#include "job/raster/outputs/polygons_sink.h"
#include "job/raster/outputs/statistics_sink.h"
#include "job/raster/outputs/ways_sink.h"

enum { MOST_PLACES = GV_SINKS * GV_SINK_PLACES };

/* In the order of their steps, and of messages about them. */
static gv_sink_plan_fn *const plans[GV_SINKS] = {gv_rasters_sink_plan,    gv_cells_sink_plan,
                                                 gv_statistics_sink_plan, gv_ways_sink_plan,
                                                 gv_polygons_sink_plan,   gv_part_sink_plan};

static int sinks_list_places(const gv_sinks *sinks, gv_place **places) {
  int count = 0;
  for (int i = 0; i < GV_SINKS; i++)
    for (int k = 0; k < sinks->list[i].place_count; k++)
      places[count++] = sinks->list[i].places[k];
  return count;
}

/* No output may replace a file or layer that is read, nor two outputs be one. */
static gv_status sinks_check_files(gv_io *io, gv_inputs *inputs, gv_sinks *sinks) {
  gv_place *places[MOST_PLACES];
  int count = sinks_list_places(sinks, places);
  GV_TRY(gv_places_join(io, places, count));
  for (int i = 0; i < count; i++) {
    const gv_place *place = places[i];
    const char *path = place->output.path;
    if (gv_place_amends(place) && place->replaces &&
        (place->raster ? gv_inputs_read_raster(inputs, path, place->layer)
                       : gv_inputs_read_layer(inputs, path, place->layer, place->layers))) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                           "%s: the %s %s of %s is an input, too; use another name", place->option,
                           gv_place_noun(place), place->layer, path);
    }
    if (!gv_place_amends(place) && gv_inputs_find(inputs, path) != NULL) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                           "%s: %s is an input, too; use another name", place->option, path);
    }
  }
  return GV_OK;
}

gv_status gv_sinks_plan(gv_io *io, const gv_run_inputs *in, gv_inputs *files, gv_sinks *out) {
  out->rasters.job = in->job;
  out->rasters.threads = in->threads;
  out->progress = (gv_run_progress){.io = io, .job = in->job};
  for (int i = 0; i < GV_SINKS; i++) {
    out->list[i] = (gv_sink){.rasters = &out->rasters, .progress = &out->progress};
    GV_TRY(plans[i](io, in->job, &out->list[i]));
  }
  return sinks_check_files(io, files, out);
}

gv_status gv_sinks_step(gv_io *io, gv_sinks *sinks, int step, gv_run_work *w) {
  for (int i = 0; i < GV_SINKS; i++) {
    gv_sink *sink = &sinks->list[i];
    if (sink->kind != NULL && sink->kind->step[step] != NULL) GV_TRY(sink->kind->step[step](io, sink, w));
  }
  return GV_OK;
}

gv_status gv_sinks_commit(gv_io *io, gv_sinks *sinks, gv_inputs *inputs) {
  gv_place *places[MOST_PLACES];
  return gv_places_commit(io, places, sinks_list_places(sinks, places), inputs, sinks->rasters.job->sync);
}

void gv_sinks_abandon(gv_sinks *sinks) {
  for (int i = 0; i < GV_SINKS; i++) {
    const gv_sink *sink = &sinks->list[i];
    if (sink->kind != NULL && sink->kind->abandon != NULL) sink->kind->abandon(sink->of);
  }
}
