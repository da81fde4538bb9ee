/* Results of searches, batch by batch. */
#include "cli/search_results.h"

#include <inttypes.h>

#include "cli/search_options.h"

gv_status cli_results_create(gv_io *io, const cli_results_options *j, cli_results *r) {
  r->text = j->text;
  gv_array_format format = r->text                           ? GV_ARRAY_CSV
                           : cli_ends_with(j->out, ".ivecs") ? GV_ARRAY_IVECS
                                                             : GV_ARRAY_NPY_INT64;
  gv_status status = gv_array_create(io, j->out, j->overwrite, format, r->k, &r->indices);
  if (status == GV_OK && r->text) status = gv_array_print(io, r->indices, "query,rank,index,distance\n");
  if (status == GV_OK && j->distances != NULL) {
    status = gv_array_create(io, j->distances, j->overwrite, GV_ARRAY_NPY_FLOAT64, r->k, &r->distances);
  }
  if (status == GV_OK && j->nearest != NULL)
    status = gv_array_create(io, j->nearest, j->overwrite, GV_ARRAY_NPY_FLOAT64, 2 * r->k, &r->nearest);
  return status;
}

gv_status cli_results_write(gv_io *io, cli_results *r, int64_t count, int64_t *indices, const double *distances) {
  gv_status status = GV_OK;
  for (int64_t i = 0; i < count * r->k; i++)
    r->missing += indices[i] < 0;
  if (r->table != NULL) { /* of layers, which are searched at once */
    r->queries += count;
    r->content.indices = indices;
    r->content.distances = distances;
    return gv_neighbours_write(io, r->table, &r->content);
  }
  for (int64_t i = 0; i < count * r->k && r->cell != NULL; i++)
    if (indices[i] >= 0) indices[i] = r->cell[indices[i]];
  if (!r->text) {
    status = gv_array_write(io, r->indices, indices, count);
  } else {
    for (int64_t i = 0; i < count * r->k && status == GV_OK; i++) {
      status = gv_array_print(io, r->indices, "%" PRId64 ",%d,%" PRId64 ",%.17g\n", r->queries + i / r->k,
                              (int)(i % r->k) + 1, indices[i], distances[i]);
    }
  }
  if (status == GV_OK && r->distances != NULL) status = gv_array_write(io, r->distances, distances, count);
  r->queries += count;
  return status;
}

gv_status cli_results_finish(gv_io *io, cli_results *r, gv_inputs *inputs, gv_sync sync) {
  gv_output *outputs[3];
  int count = 0;
  if (r->table != NULL) {
    gv_place *place = gv_neighbours_place(r->table);
    return gv_places_commit(io, &place, 1, inputs, sync);
  }
  gv_status status = gv_array_finish(io, r->indices);
  outputs[count] = gv_array_output(r->indices);
  count += outputs[count] != NULL;
  if (status == GV_OK && r->distances != NULL) {
    status = gv_array_finish(io, r->distances);
    outputs[count++] = gv_array_output(r->distances);
  }
  if (status == GV_OK && r->nearest != NULL) {
    status = gv_array_finish(io, r->nearest);
    outputs[count++] = gv_array_output(r->nearest);
  }
  return status == GV_OK ? gv_outputs_commit(io, outputs, count, inputs, sync) : status;
}

void cli_results_free(cli_results *r) {
  gv_array_discard(r->indices);
  gv_array_discard(r->distances);
  gv_array_discard(r->nearest);
  gv_neighbours_close(r->table);
  if (r->content.crs != NULL) OSRRelease(r->content.crs);
}
