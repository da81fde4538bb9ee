#include "job/raster/outputs/table_sink.h"

void gv_table_sink_abandon(void *table) {
  gv_table_close(table);
}

/* Parts have sums instead of tables. */
gv_status gv_table_sink_plan(gv_io *io, const gv_job *j, const gv_sink_kind *kind, const char *option,
                             const char *path, const char *layer, gv_sink *out) {
  gv_table_out *table = NULL;
  if (path == NULL || j->parts > 0) return GV_OK;
  gv_status status = gv_table_plan(io, option, path, layer, j->raster.overwrite, &table);
  out->kind = kind;
  out->of = table;
  if (table != NULL) out->places[out->place_count++] = gv_table_place(table);
  return status;
}
