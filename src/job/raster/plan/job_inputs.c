#include "job/raster/plan/job_inputs.h"

#include <gdal.h>

gv_status gv_job_list_inputs(gv_io *io, const gv_job *j, gv_inputs *inputs) {
  const unsigned raster = GDAL_OF_RASTER, vector = GDAL_OF_VECTOR, either = raster | vector;
  const bool merges = j->merged_count > 0; /* parts contain the results of masks and sums: these are not opened */
  const gv_seed_options *seeds = &j->seeds;
  const gv_cells_of *cells = &j->grid.cells_of;
  const gv_input fixed[] = {{seeds->source, vector, seeds->layer, seeds->open_options, NULL},
                            {j->raster_seeds.source, raster, NULL, seeds->open_options, NULL},
                            {j->grid.like, raster, NULL, j->grid.like_options, NULL},
                            {j->mask.source, merges ? 0 : either, j->mask.layer, j->mask.open_options, NULL},
                            {j->grid.extent_of, either, j->grid.extent_layer, j->grid.extent_options, NULL},
                            {gv_cells_of_are_read(cells) ? cells->source : NULL, vector, NULL, NULL, NULL},
                            {j->cost.path, raster, NULL, j->cost.open_options, NULL},
                            {j->barriers.path, vector, j->barriers.layer, j->barriers.open_options, NULL},
                            {j->from.path, vector, j->from.layer, j->from.open_options, NULL},
                            {j->config, 0, NULL, NULL, NULL}};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, fixed[i]);
  for (int i = 0; i < j->sum_count && status == GV_OK; i++)
    status =
        gv_inputs_add(io, inputs, (gv_input){j->sums[i].path, merges ? 0 : raster, NULL, j->sum_options, NULL});
  for (int i = 0; i < j->merged_count && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, (gv_input){j->merged[i], 0, NULL, NULL, NULL});
  return status;
}
