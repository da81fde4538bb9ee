#include "job/raster/outputs/cells_sink.h"

#include "io/format.h"
#include "io/out/mesh_out.h"
#include "job/raster/compute/grids.h"

static void cells_abandon(void *mesh) {
  gv_mesh_close(mesh);
}

/* Their cells are not those of the blocks: they are computed here. */
static gv_status cells_begin(gv_io *io, gv_sink *sink, gv_run_work *w) {
  const gv_run_inputs *in = w->in;
  const gv_job *j = in->job;
  const gv_voronoi_options options = gv_run_options(in);
  const bool triangles = !gv_cells_of_lists(&j->grid.cells_of);
  const gv_mesh_request mesh = {.voronoi = &options,
                                .centers = &in->centers,
                                .integers = w->plan->integers,
                                .reals = w->plan->reals,
                                .attribute = j->seeds.attribute,
                                .distance_size = in->distance_size,
                                .distance_unit =
                                    j->distance_unit.kind != GV_UNIT_NONE ? j->distance_unit.name : "m",
                                .zarr_version = gv_format_zarr_version(j->raster.creation_options),
                                .nodata = w->plan->nodata,
                                .borders = j->cell_borders,
                                .mask = triangles ? in->triangle_mask : in->mask,
                                .threads = in->threads,
                                .device = j->device,
                                .progress = gv_run_report_progress,
                                .progress_user = sink->progress};
  return gv_mesh_write(io, sink->of, triangles ? &in->triangles : &in->grid, in->seeds, &mesh);
}

gv_status gv_cells_sink_plan(gv_io *io, const gv_job *j, gv_sink *out) {
  static const gv_sink_kind kind = {{cells_begin, NULL, NULL}, cells_abandon};
  const gv_mesh_options mesh = {j->cells, j->mesh, j->raster.overwrite, j->cell_borders};
  gv_mesh_out *made = NULL;
  if (j->cells == NULL && j->mesh == NULL) return GV_OK;
  gv_status status = gv_mesh_plan(io, &mesh, j->grid.level, &j->grid.cells_of, &made);
  out->kind = &kind;
  out->of = made;
  if (status == GV_OK) out->place_count = gv_mesh_places(made, out->places);
  out->before = 0.4;
  return status;
}
