/* The order of a run: read, plan, compute, write. Each stage receives the results of those before it, and does not
 * change them. */
#include "job/raster/run.h"

#include "job/raster/compute/compute.h"
#include "job/raster/compute/grids.h"
#include "job/raster/outputs/disk_space.h"
#include "job/raster/outputs/outputs.h"
#include "job/raster/outputs/part_output.h"
#include "job/raster/outputs/virtual_raster.h"
#include "job/raster/parts/merge.h"
#include "job/raster/plan/job_inputs.h"
#include "job/raster/report.h"

enum { BLOCK = 512 /* cells a side, where no raster is written */, LIST_BLOCK = 1 << 16 /* of a list */ };

/* A run. */
typedef struct run {
  gv_inputs files;
  gv_context *context;
  gv_run_inputs in;
  gv_run_plan plan;
  gv_run_work work;
  gv_run_outputs out;
} run;

/* The share of the progress for a table or mesh of cells; rasters and statistics have the rest. */
static double mesh_share(const run *r) {
  bool more = r->out.written_count > 0 || r->in.job->stats != NULL;
  return r->out.mesh == NULL ? 0.0 : more ? 0.4 : 1.0;
}

static gv_status write_mesh(gv_io *io, run *r) {
  gv_run_progress progress = {io, r->in.job, 0.0, mesh_share(r)};
  const gv_job *j = r->in.job;
  const gv_voronoi_options options = gv_run_options(&r->in);
  const bool triangles = !gv_cells_of_lists(&j->grid.cells_of);
  const gv_mesh_request mesh = {.voronoi = &options,
                                .centers = &r->in.centers,
                                .integers = r->plan.integers,
                                .reals = r->plan.reals,
                                .attribute = j->seeds.attribute,
                                .distance_size = r->in.distance_size,
                                .distance_unit =
                                    j->distance_unit.kind != GV_UNIT_NONE ? j->distance_unit.name : "m",
                                .nodata = r->plan.nodata,
                                .mask = triangles ? r->in.triangle_mask : r->in.mask,
                                .threads = r->in.threads,
                                .device = j->device,
                                .progress = gv_run_report_progress,
                                .progress_user = &progress};
  return gv_mesh_write(io, r->out.mesh, triangles ? &r->in.triangles : &r->in.grid, r->in.seeds, &mesh);
}

static gv_status raster_job_compute(gv_io *io, run *r) {
  gv_run_outputs *out = &r->out;
  GV_TRY(gv_run_create_rasters(io, &r->plan, out));
  double begin = mesh_share(r), computing = out->copies || out->polygons != NULL ? 0.7 : 1.0;
  gv_run_progress progress = {io, r->in.job, begin, begin + (1.0 - begin) * computing};
  bool list = gv_cells_of_lists(&r->in.job->grid.cells_of);
  r->work.block_w = list ? LIST_BLOCK : BLOCK;
  r->work.block_h = list ? 1 : BLOCK;
  if (out->written_count > 0) gv_raster_block_size(out->written, &r->work.block_w, &r->work.block_h);
  GV_TRY(gv_run_compute(io, out->written, &progress, &r->work));
  return gv_run_complete(io, &r->work, &progress, out);
}

static gv_status raster_job_run_stages(gv_io *io, const gv_job *j, run *r) {
  gv_run_work *work = &r->work;
  GV_TRY(gv_job_list_inputs(io, j, &r->files));
  GV_TRY(gv_run_make_context(io, j, &r->context));
  GV_TRY(gv_run_plan_outputs(io, j, &r->files, gv_context_threads(r->context), &r->out));
  if (j->plan_only) return GV_OK;
  GV_TRY(gv_run_read(io, j, r->context, &r->in));
  GV_TRY(gv_run_make_plan(io, &r->in, r->out.slot, gv_run_part_rows(&r->out), &r->plan));
  GV_TRY(gv_run_check_space(io, &r->plan));
  *work = (gv_run_work){.in = &r->in,
                        .plan = &r->plan,
                        .source = gv_run_choose_source(&r->in),
                        .worker_count = r->in.threads,
                        .empty_seeds = -1};
  if (r->plan.rows == 0) return GV_OK;
  if (j->merged_count > 0) GV_TRY(gv_merge_open(io, &r->plan, &work->source));
  if (j->dry_run) return gv_run_find_backend(io, work);
  /* All outputs are made before any is put in its place. */
  if (r->out.mesh != NULL) GV_TRY(write_mesh(io, r));
  if (r->out.written_count > 0 || j->stats != NULL || j->ways != NULL) GV_TRY(raster_job_compute(io, r));
  if (j->parts > 0) GV_TRY(gv_run_write_part(io, work, &r->out));
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (r->out.virtuals[i].output.path != NULL) GV_TRY(gv_merge_write_virtual(io, work, i, &r->out.virtuals[i]));
  GV_TRY(gv_run_commit(io, &r->out, &r->files));
  gv_run_warn(work);
  return GV_OK;
}

gv_status gv_job_run(gv_io *io, const gv_job *j) {
  run r = {.context = NULL};
  gv_status status = raster_job_run_stages(io, j, &r);
  if (status == GV_OK && j->report != NULL && !j->plan_only) gv_run_report(&r.work, j->report);
  gv_run_work_free(&r.work);
  gv_run_outputs_free(&r.out);
  gv_run_plan_free(&r.plan);
  gv_run_inputs_free(&r.in);
  gv_context_destroy(r.context);
  gv_inputs_free(&r.files);
  return status;
}
