#include "job/raster/outputs/polygons_sink.h"

#include "io/out/polygons.h"
#include "job/raster/outputs/rasters_sink.h"
#include "job/raster/outputs/table_sink.h"

/* They are traced in OUT, which is complete but for its format. */
static gv_status polygons_finish(gv_io *io, gv_sink *sink, gv_run_work *w) {
  const gv_run_inputs *in = w->in;
  const gv_seed_options *source = in->cells.cells == NULL ? &in->seed_options : NULL;
  gv_run_next_step(sink->progress, sink->rasters->copies ? 0.85 : 1.0);
  return gv_polygons_write(io, sink->of, gv_raster_dataset(sink->rasters->raster[GV_RUN_OUT]), in->grid.crs,
                           source, in->regions, gv_run_report_progress, sink->progress);
}

gv_status gv_polygons_sink_plan(gv_io *io, const gv_job *j, gv_sink *out) {
  static const gv_sink_kind kind = {{NULL, polygons_finish, NULL}, gv_table_sink_abandon};
  const char *layer = j->polygons_layer != NULL ? j->polygons_layer : "regions";
  GV_TRY(gv_table_sink_plan(io, j, &kind, "--polygons", j->polygons, layer, out));
  if (out->kind == NULL) return GV_OK;
  out->takes_blocks = true;
  out->after = 0.3;
  return gv_run_rasters_add_traced(io, out->rasters);
}
