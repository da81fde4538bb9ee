/* Memory of a worker. */
#include <stdlib.h>

#include "io/overlay/overlay.h"

static gv_status grow(gv_io *io, double **array, int64_t *capacity, int64_t count) {
  if (count <= *capacity) return GV_OK;
  free(*array);
  *array = malloc((size_t)count * sizeof **array);
  *capacity = *array != NULL ? count : 0;
  return *array != NULL ? GV_OK : gv_overlay_no_memory(io);
}

gv_status gv_overlay_worker_grow(gv_io *io, gv_overlay_worker *b, int64_t values, int64_t columns, int64_t pixels) {
  gv_status status = GV_OK;
  if (columns > b->collapsed_capacity) {
    b->collapsed_capacity = 0;
    free(b->first);
    b->first = malloc((size_t)columns * sizeof *b->first);
    status = b->first != NULL ? grow(io, &b->collapsed, &b->collapsed_capacity, columns) : gv_overlay_no_memory(io);
  }
  if (status == GV_OK && pixels > b->pixel_capacity) {
    b->pixel_capacity = 0;
    free(b->valid);
    b->valid = malloc((size_t)pixels);
    status = b->valid != NULL ? grow(io, &b->pixels, &b->pixel_capacity, pixels) : gv_overlay_no_memory(io);
  }
  return status == GV_OK ? grow(io, &b->values, &b->value_capacity, values) : status;
}

void gv_overlay_worker_clear(gv_overlay_worker *b) {
  void *const pieces[] = {b->values, b->first,     b->pixels,        b->valid,     b->collapsed,
                          b->parts,  b->line[0].x, b->line[0].known, b->line[1].x, b->line[1].known};
  for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
    free(pieces[k]);
}
