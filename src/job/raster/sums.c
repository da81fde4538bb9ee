/* Sums of statistics as records: the number of a row, and what it has, to the bit. */
#include "job/raster/run.h"

#include <stdlib.h>

int64_t gv_run_sum_bytes(const gv_run *r) {
  return r->statistics != NULL ? 8 + (int64_t)gv_statistics_sums_size(r->statistics) : 0;
}

gv_status gv_run_list_sums(gv_run *r, gv_run_sums *out) {
  gv_seed_statistics s;
  gv_seed_statistics_init(&s);
  *out = (gv_run_sums){.r = r};
  if (r->statistics == NULL) return GV_OK;
  int64_t rows = r->j->group ? r->groups.count : r->regions->count;
  out->rows = malloc((size_t)rows * sizeof *out->rows);
  if (out->rows == NULL) return gv_io_fail_memory(r->io, "the statistics");
  for (int64_t i = 0; i < rows; i++) {
    gv_status status = gv_statistics_get(r->context, r->statistics, i, &s);
    if (status != GV_OK) return gv_io_fail(r->io, status, "%s", gv_context_message(r->context));
    if (s.cells > 0) out->rows[out->count++] = i;
  }
  return GV_OK;
}

gv_status gv_run_put_sum(gv_io *io, void *user, int64_t record, unsigned char *to) {
  const gv_run_sums *s = user;
  int64_t row = s->rows[record];
  gv_part_put_number(to, (uint64_t)row);
  gv_status status = gv_statistics_get_sums(s->r->context, s->r->statistics, row, to + 8);
  return status == GV_OK ? GV_OK : gv_io_fail(io, status, "%s", gv_context_message(s->r->context));
}

gv_status gv_run_add_sum(gv_io *io, void *user, const unsigned char *record) {
  gv_run *r = user;
  gv_status status = gv_statistics_add_sums(r->context, r->statistics, (int64_t)gv_part_number(record), record + 8);
  return status == GV_OK ? GV_OK : gv_io_fail(io, status, "%s", gv_context_message(r->context));
}
