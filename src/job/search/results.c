/* Results of searches, batch by batch: arrays, text, or a table of neighbors. */
#include <inttypes.h>

#include "io/path.h"
#include "job/search/run.h"

/* The number of a point in the results: the feature id of a layer, the number of a raster's cell, or the row
 * of an array, from 0. Negative numbers stay. */
static int64_t shown_number(const gv_search_points *s, int64_t i) {
  return i >= 0 && s->array == NULL ? s->seeds.fids[i] : i;
}

static const gv_search_points *queries_of(const gv_search_run *run) {
  return run->q != NULL ? run->q : &run->reference;
}

/* Columns of text are called after what they hold: the rows of arrays are counted from 0, features have
 * ids. */
static gv_status print_header(gv_io *io, const gv_search_run *run, gv_array_writer *out) {
  const gv_search_points *r = &run->reference, *q = queries_of(run);
  const char *query = q->array != NULL ? "query_row" : "query";
  const char *reference = r->array != NULL ? "row" : r->seeds.are_cells ? "cell" : "reference";
  return gv_array_print(io, out, "%s,rank,%s,distance\n", query, reference);
}

gv_status gv_search_results_create(gv_io *io, gv_search_run *run) {
  const gv_search_job *j = run->job;
  gv_search_results *r = &run->results;
  bool text = run->output == GV_SEARCH_TEXT;
  int32_t columns = j->by_radius ? 0 : j->k;
  gv_array_format format = text                             ? GV_ARRAY_CSV
                           : gv_path_ends(j->out, ".ivecs") ? GV_ARRAY_IVECS
                                                            : GV_ARRAY_NPY_INT64;
  GV_TRY(gv_array_create(io, j->out, j->overwrite, format, columns, &r->indices));
  if (text) GV_TRY(print_header(io, run, r->indices));
  if (j->distances != NULL)
    GV_TRY(gv_array_create(io, j->distances, j->overwrite, GV_ARRAY_NPY_FLOAT64, columns, &r->distances));
  if (j->offsets != NULL) {
    const int64_t none = 0;
    GV_TRY(gv_array_create(io, j->offsets, j->overwrite, GV_ARRAY_NPY_INT64, 0, &r->offsets));
    GV_TRY(gv_array_write(io, r->offsets, &none, 1));
  }
  if (j->nearest != NULL)
    GV_TRY(gv_array_create(io, j->nearest, j->overwrite, GV_ARRAY_NPY_FLOAT64, 2 * j->k, &r->nearest));
  return GV_OK;
}

/* More rows of the table, which begins with the first. */
static gv_status write_table(gv_io *io, gv_search_results *r, const gv_neighbor_rows *rows) {
  if (r->rows == NULL) GV_TRY(gv_neighbors_begin(io, r->table, &r->content, r->expected, &r->rows));
  return gv_neighbors_write(r->rows, rows);
}

gv_status gv_search_results_write(gv_io *io, gv_search_run *run, int64_t count, int64_t *indices,
                                  const double *distances, const double *nearest) {
  gv_search_results *r = &run->results;
  int64_t places = count * run->job->k, first = r->queries;
  bool are_cells = run->reference.seeds.are_cells;
  bool text = run->output == GV_SEARCH_TEXT;
  r->queries += count;
  for (int64_t i = 0; i < places; i++)
    r->missing += indices[i] < 0;
  if (r->table != NULL)
    return write_table(io, r, &(gv_neighbor_rows){first, count, NULL, indices, distances, nearest});
  for (int64_t i = 0; i < places && (text || are_cells); i++)
    indices[i] = shown_number(&run->reference, indices[i]);
  if (!text) GV_TRY(gv_array_write(io, r->indices, indices, count));
  for (int64_t i = 0; i < places && text; i++)
    GV_TRY(gv_array_print(io, r->indices, "%" PRId64 ",%d,%" PRId64 ",%.17g\n",
                          shown_number(queries_of(run), first + i / run->job->k), (int)(i % run->job->k) + 1,
                          indices[i], distances[i]));
  if (r->distances != NULL) GV_TRY(gv_array_write(io, r->distances, distances, count));
  return r->nearest != NULL ? gv_array_write(io, r->nearest, nearest, count) : GV_OK;
}

static gv_status print_pairs(gv_io *io, gv_search_results *r, int64_t query, int64_t count,
                             const int64_t *indices, const double *distances) {
  for (int64_t i = 0; i < count; i++)
    GV_TRY(gv_array_print(io, r->indices, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%.17g\n", query, i + 1,
                          indices[i], distances[i]));
  return GV_OK;
}

gv_status gv_search_results_write_pairs(gv_io *io, gv_search_run *run, int64_t count, const int64_t *offsets,
                                        int64_t *indices, const double *distances) {
  gv_search_results *r = &run->results;
  int64_t first = r->queries, before = r->pairs, pairs = offsets[count];
  bool text = run->output == GV_SEARCH_TEXT, are_cells = run->reference.seeds.are_cells;
  r->queries += count;
  r->pairs += pairs;
  if (r->table != NULL)
    return write_table(io, r, &(gv_neighbor_rows){first, count, offsets, indices, distances, NULL});
  for (int64_t i = 0; i < pairs && (text || are_cells); i++)
    indices[i] = shown_number(&run->reference, indices[i]);
  for (int64_t i = 0; i < count && text; i++)
    GV_TRY(print_pairs(io, r, shown_number(queries_of(run), first + i), offsets[i + 1] - offsets[i],
                       indices + offsets[i], distances + offsets[i]));
  if (!text) GV_TRY(gv_array_write(io, r->indices, indices, pairs));
  for (int64_t i = 0; i < count && r->offsets != NULL; i++) {
    int64_t end = before + offsets[i + 1];
    GV_TRY(gv_array_write(io, r->offsets, &end, 1));
  }
  return r->distances != NULL ? gv_array_write(io, r->distances, distances, pairs) : GV_OK;
}

gv_status gv_search_results_finish(gv_io *io, gv_search_run *run, gv_inputs *inputs) {
  gv_search_results *r = &run->results;
  gv_array_writer *const writers[] = {r->indices, r->distances, r->nearest, r->offsets};
  gv_output *outputs[4];
  int count = 0;
  if (r->table != NULL) {
    gv_neighbors_out *rows = r->rows;
    r->rows = NULL;
    GV_TRY(gv_neighbors_end(rows, GV_OK));
    gv_place *place = gv_table_place(r->table);
    return gv_places_commit(io, &place, 1, inputs, run->job->sync);
  }
  for (int i = 0; i < 4; i++) {
    if (writers[i] == NULL) continue;
    GV_TRY(gv_array_finish(io, writers[i]));
    outputs[count] = gv_array_output(writers[i]);
    count += outputs[count] != NULL; /* the standard output has none */
  }
  return gv_outputs_commit(io, outputs, count, inputs, run->job->sync);
}

void gv_search_results_free(gv_search_results *r) {
  gv_array_discard(r->indices);
  gv_array_discard(r->distances);
  gv_array_discard(r->nearest);
  gv_array_discard(r->offsets);
  (void)gv_neighbors_end(r->rows, GV_ERROR_CANCELLED);
  gv_table_close(r->table);
  if (r->content.crs != NULL) OSRRelease(r->content.crs);
}
