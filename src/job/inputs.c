/* What a job reads. */
#include <gdal.h>

#include "job/job.h"

gv_status gv_job_list_inputs(gv_io *io, const gv_job *j, gv_inputs *inputs) {
  const unsigned raster = GDAL_OF_RASTER, vector = GDAL_OF_VECTOR, either = raster | vector;
  const gv_seed_options *seeds = &j->seeds;
  const gv_input fixed[] = {{seeds->source, vector, seeds->layer, seeds->open_options, NULL},
                            {j->raster_seeds.source, raster, NULL, seeds->open_options, NULL},
                            {j->grid.like, raster, NULL, j->grid.like_options, NULL},
                            {j->mask.source, either, j->mask.layer, j->mask.open_options, NULL},
                            {j->grid.extent_of, either, j->grid.extent_layer, j->grid.extent_options, NULL},
                            {j->config, 0, NULL, NULL, NULL}};
  gv_status status = GV_OK;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, fixed[i]);
  for (int i = 0; i < j->sum_count && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, (gv_input){j->sums[i].path, raster, NULL, j->sum_options, NULL});
  for (int i = 0; i < j->merged_count && status == GV_OK; i++)
    status = gv_inputs_add(io, inputs, (gv_input){j->merged[i], 0, NULL, NULL, NULL});
  return status;
}
