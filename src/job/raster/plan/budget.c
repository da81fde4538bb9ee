#include "job/raster/plan/budget.h"

#include "core/machine.h"

int64_t gv_budget_default(void) {
  int64_t most = (int64_t)1 << 30, quarter = gv_machine_memory() / 4;
  return quarter < most ? quarter : most;
}

gv_budget gv_budget_of(const gv_job *j) {
  gv_budget b = {.memory = j->memory > 0 ? j->memory : gv_budget_default()};
  b.waiting = b.memory / 4;
  /* Sums of the cells of a mesh or list are kept for all cells; their blocks are small. */
  const bool kept = j->sum_count > 0 && gv_cells_of_lists(&j->grid.cells_of);
  if (j->sum_count > 0 || j->mask.source != NULL) b.reading = b.memory / (kept ? 2 : 8);
  b.workers = b.memory - b.waiting - b.reading;
  return b;
}

int64_t gv_budget_cell_bytes(const gv_job *j, int distance_bands) {
  int64_t real = j->distance_type == GDT_Float64 ? 8 : 4;
  return 4 * j->k + (j->distance != NULL ? real * distance_bands : 0) + (j->azimuth != NULL ? 4 * j->k : 0);
}

int gv_budget_workers(const gv_job *j, int64_t memory, int most, int64_t cells, int64_t cell_bytes,
                      bool ids_apart) {
  enum { SCRATCH = 2 << 20 /* of engines, encoders and statistics */ };
  int64_t cell = cell_bytes + 8 * (int64_t)j->sum_count;
  if (j->raster_seeds.source != NULL) cell += 5 + (j->distance_per_value ? 12 : 0);
  if (ids_apart) cell += 4 * (int64_t)j->k;
  if (j->mask.source != NULL) cell++;
  if (j->barriers.path != NULL) cell += 100; /* places, their ways and their order (src/barriers/nearest.c) */
  if (j->stats != NULL || (j->distance != NULL && j->distance_unit.kind != GV_UNIT_NONE)) cell += 8;
  int64_t workers = memory / (cells * cell + SCRATCH);
  return workers < 1 ? 1 : workers < most ? (int)workers : most;
}
