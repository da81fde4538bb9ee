/* Fingerprint of a run's question in 64 bits: equal for all parts of a run. */
#include "job/raster/parts/fingerprints.h"

#include <string.h>
#include <sys/stat.h>

#include "job/raster/parts/part_file.h"

static uint64_t hash_array(uint64_t h, const void *array, int64_t count, size_t size) {
  int64_t there = array != NULL ? count : -1;
  h = gv_part_hash(h, &there, sizeof there);
  return array != NULL ? gv_part_hash(h, array, (size_t)count * size) : h;
}

static uint64_t hash_seeds(uint64_t h, const gv_seed_list *s) {
  h = hash_array(h, s->x, s->count, sizeof *s->x);
  h = hash_array(h, s->y, s->count, sizeof *s->y);
  h = hash_array(h, s->ids, s->count, sizeof *s->ids);
  h = hash_array(h, s->weights, s->count, sizeof *s->weights);
  h = hash_array(h, s->integers, s->count, sizeof *s->integers);
  h = hash_array(h, s->reals, s->count, sizeof *s->reals);
  for (int64_t i = 0; s->names != NULL && i < s->count; i++)
    h = hash_array(h, s->names[i], s->names[i] != NULL ? (int64_t)strlen(s->names[i]) : 0, 1);
  const gv_shapes *shapes = s->shapes;
  if (shapes == NULL) return h;
  h = hash_array(h, shapes->part, shapes->features + 1, sizeof *shapes->part);
  h = hash_array(h, shapes->ring, shapes->parts + 1, sizeof *shapes->ring);
  h = hash_array(h, shapes->vertex, shapes->rings + 1, sizeof *shapes->vertex);
  h = hash_array(h, shapes->kind, shapes->parts, sizeof *shapes->kind);
  h = hash_array(h, shapes->x, shapes->vertices, sizeof *shapes->x);
  return hash_array(h, shapes->y, shapes->vertices, sizeof *shapes->y);
}

uint64_t gv_run_seeds_fingerprint(const gv_run_inputs *in) {
  uint64_t h = hash_seeds(0, in->seeds);
  if (in->regions == in->seeds) return h;
  h = hash_seeds(h, in->regions);
  return hash_array(h, in->cells.region, in->seeds->count, sizeof *in->cells.region);
}

uint64_t gv_run_grid_fingerprint(const gv_run_plan *p) {
  char crs[256];
  const gv_raster_grid *grid = &p->in->grid;
  const int64_t numbers[] = {
      p->width, p->height, (int64_t)grid->grid.kind, (int64_t)grid->metric, (int64_t)p->type[GV_RUN_OUT],
      p->nodata};
  gv_crs_describe(grid->crs, crs, sizeof crs);
  uint64_t h = gv_part_hash(0, numbers, sizeof numbers);
  h = gv_part_hash(h, grid->geotransform, sizeof grid->geotransform);
  return gv_part_hash(h, crs, strlen(crs));
}

int64_t gv_run_mask_bytes(const gv_job *j) {
  struct stat found;
  bool file = j->mask.source != NULL && stat(j->mask.source, &found) == 0 && S_ISREG(found.st_mode);
  return file ? (int64_t)found.st_size : -1;
}
