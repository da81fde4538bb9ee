#include "job/barrier_layer.h"

#include "io/in/input_limit.h"

enum { VERTEX_BYTES = 450 /* of walls, corners, their trees, and ways, in the library */ };

gv_status gv_job_barriers_read(gv_io *io, const gv_job_barriers *barriers, gv_edges edges, bool skip_invalid,
                               gv_seed_list *out) {
  const gv_seed_options options = {.source = barriers->path,
                                   .option = "--barriers",
                                   .layer = barriers->layer,
                                   .open_options = barriers->open_options,
                                   .crs_option = "", /* none */
                                   .layer_option = "--barriers-layer",
                                   .columns_remedy = "expected lines or polygons",
                                   .skip_invalid = skip_invalid,
                                   .shapes = true,
                                   .may_be_empty = true,
                                   .queries = true,
                                   .edges = edges};
  gv_status status = gv_seeds_read(io, &options, out);
  if (status == GV_OK && out->count > 0 && out->shapes == NULL)
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "%s: unsupported geometry (points); expected lines or polygons", barriers->path);
  if (status == GV_OK && out->count == 0)
    gv_io_warn(GV_CODE_BARRIERS_NONE, 0,
               "--barriers: %s: the layer is empty; distances are those without barriers", barriers->path);
  return gv_io_of_option(io, status, "--barriers");
}

gv_status gv_job_barriers_make(gv_io *io, gv_context *context, const gv_job_barriers *barriers,
                               const gv_seed_list *layer, const gv_barriers_options *options,
                               gv_barriers **out) {
  gv_features features;
  gv_features_init(&features);
  if (layer->count > 0) features = gv_seeds_features(layer);
  const gv_input_data data = {.option = "--barriers",
                              .source = barriers->path,
                              .items = "vertices",
                              .count = layer->count > 0 ? layer->shapes->vertices : 0,
                              .bytes = VERTEX_BYTES};
  GV_TRY(gv_input_fits(io, &data));
  return gv_io_within(
      io, gv_io_pass_on_library(io, context, gv_barriers_create(context, &features, options, out)),
      "--barriers");
}
