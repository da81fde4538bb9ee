/* What people should know of outputs that are complete: each thing once, with counts. */
#include "job/run.h"

#include <inttypes.h>
#include <math.h>

/* What lies outside the grid is no loss of the overlay's, but people should know. */
static void warn_of_outside(const gv_run *r) {
  for (int i = 0; i < r->j->sum_count; i++) {
    double total = gv_overlay_total(r->overlay[i]), outside = total - gv_overlay_inside(r->overlay[i]);
    if (fabs(outside) > 1e-9 * gv_overlay_bound(r->overlay[i])) {
      gv_io_warn("--sum %s: %.10g of its total of %.10g lies outside the grid and is not counted",
                 r->j->sums[i].name, outside, total);
    }
  }
}

/* A raster or a table in which there is nothing. */
static void warn_of_empty(const gv_run *r) {
  bool answered = false;
  for (int i = 0; i < r->worker_count; i++)
    answered = answered || r->workers[i].answered;
  if (!answered) {
    bool limit = isfinite(r->j->max_distance), mask = r->mask != NULL;
    gv_io_warn("0 of %" PRId64 " cells have a seed: %s", r->width * r->height,
               mask && limit ? "see --mask and --max-distance"
               : mask        ? "--mask leaves no cell of the grid"
               : limit       ? "all seeds are farther away than --max-distance"
                             : "no cell of the grid has a place on the globe");
  } else if (r->empty_seeds > 0) {
    gv_io_warn("--stats: %" PRId64 " of %" PRId64 " seeds have no cell", r->empty_seeds, r->regions->count);
  }
}

void gv_run_warn(const gv_run *r) {
  const gv_job *j = r->j;
  warn_of_outside(r);
  if (j->raster.path != NULL) {
    warn_of_empty(r);
    if (!j->no_style && !r->style && !j->raster_seeds.by_cell) {
      gv_io_warn("no attribute table with names and colours: %" PRId64 " seeds are more than its %d rows",
                 r->regions->count, GV_MAX_NAMED_SEEDS);
    }
  }
  if (r->seeds.skipped > 0) {
    gv_io_warn("%" PRId64 " seeds skipped, %" PRId64 " used; the first skipped: %s", r->seeds.skipped,
               r->seeds.count, r->seeds.skipped_first);
  }
}
