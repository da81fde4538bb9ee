/* What rasters and tables hold: types, values and rows, as inputs, outputs and options decide. */
#include "job/raster/plan.h"

#include <inttypes.h>
#include <stdlib.h>

/* The integers of a type; of Int64 all. */
static void type_range(GDALDataType type, int64_t *least, int64_t *most) {
  int bits = GDALGetDataTypeSizeBits(type);
  *most = GDALDataTypeIsSigned(type) ? INT64_MAX >> (64 - bits) : (int64_t)(UINT64_MAX >> (64 - bits));
  *least = GDALDataTypeIsSigned(type) ? -*most - 1 : 0;
}

/* Value type from the ids, or the one asked for if they fit. */
static gv_status choose_type(gv_io *io, const gv_run_inputs *in, GDALDataType *type) {
  const gv_seed_list *seeds = in->regions;
  const GDALDataType asked = in->job->id_type;
  const char *name = GDALGetDataTypeName(asked);
  int64_t least, most;
  *type = asked;
  if (in->job->raster_seeds.by_cell) {
    GV_REQUIRE(io, asked == GDT_Unknown || asked == GDT_Int64, "--ot %s: the numbers of cells need Int64", name);
    *type = GDT_Int64;
  } else if (asked == GDT_Unknown) {
    gv_seeds_id_range(seeds, &least, &most);
    *type = least >= INT32_MIN && most <= INT32_MAX ? GDT_Int32 : GDT_Int64;
  } else {
    type_range(asked, &least, &most);
    for (int64_t i = 0; i < seeds->count; i++)
      GV_REQUIRE(io, seeds->ids[i] >= least && seeds->ids[i] <= most,
                 "--ot %s: the id %" PRId64 " does not fit: it holds %" PRId64 " to %" PRId64, name, seeds->ids[i],
                 least, most);
  }
  return GV_OK;
}

static bool is_id(const gv_seed_list *seeds, int64_t value) {
  for (int64_t i = 0; i < seeds->count; i++)
    if (seeds->ids[i] == value) return true;
  return false;
}

static gv_status choose_nodata(gv_io *io, const gv_run_inputs *in, GDALDataType type, int64_t *nodata) {
  const gv_job *j = in->job;
  int64_t least, most;
  type_range(type, &least, &most);
  if (j->has_nodata) {
    *nodata = j->nodata;
    GV_REQUIRE(io, !j->raster_seeds.by_cell || j->nodata < 0,
               "--nodata: %" PRId64 " may be a cell's number: choose one below 0", j->nodata);
    GV_REQUIRE(io, !is_id(in->regions, j->nodata), "--nodata: %" PRId64 " is the id of a seed", j->nodata);
    GV_REQUIRE(io, j->nodata >= least && j->nodata <= most,
               "--nodata: %" PRId64 " does not fit into %s, the ids' type", j->nodata, GDALGetDataTypeName(type));
    return GV_OK;
  }
  bool has_sign = GDALDataTypeIsSigned(type) != 0;
  int64_t first = has_sign ? -1 : most, second = has_sign ? least : 0;
  *nodata = is_id(in->regions, first) ? second : first;
  GV_REQUIRE(io, !is_id(in->regions, *nodata),
             has_sign
                 ? "both -1 and the lowest integer are ids: choose a value for cells without a seed by --nodata"
                 : "both %" PRId64 " and 0 are ids: choose a value for cells without a seed by --nodata",
             first);
  return GV_OK;
}

/* Parts are some rows of whole blocks. */
static gv_status choose_rows(gv_io *io, int64_t side, gv_run_plan *p) {
  const gv_job *j = p->job;
  int64_t blocks = side > 0 ? (p->height + side - 1) / side : 0;
  p->rows = p->height;
  if (j->parts == 0) return GV_OK;
  p->parts = j->spread && j->parts > blocks ? (int)blocks : j->parts;
  if (j->spread && j->part > p->parts) {
    p->rows = 0;
    return GV_OK;
  }
  GV_REQUIRE(io, p->parts <= blocks,
             "--part %d/%d: the raster has %lld rows of blocks, and can have so many parts at most", j->part,
             j->parts, (long long)blocks);
  int64_t end = j->part * blocks / p->parts * side;
  p->first_row = (j->part - 1) * blocks / p->parts * side;
  p->rows = (end < p->height ? end : p->height) - p->first_row;
  return GV_OK;
}

/* Ids of 32 bits, which the library may write itself. */
static gv_status make_labels(gv_io *io, gv_run_plan *p) {
  const gv_seed_list *regions = p->in->regions;
  if (p->type[GV_RUN_OUT] != GDT_Int32) return GV_OK;
  p->labels = malloc((size_t)regions->count * sizeof *p->labels);
  if (p->labels == NULL) return gv_io_fail_memory(io, "the ids");
  for (int64_t i = 0; i < regions->count; i++)
    p->labels[i] = (int32_t)regions->ids[i];
  return GV_OK;
}

gv_status gv_run_make_plan(gv_io *io, const gv_run_inputs *in, const int slot[GV_RUN_RASTERS], int64_t part_rows,
                           gv_run_plan *p) {
  const gv_job *j = p->job = in->job;
  const int *s = p->slot, out = GV_RUN_OUT, distance = GV_RUN_DISTANCE, azimuth = GV_RUN_AZIMUTH;
  p->in = in;
  p->width = in->grid.grid.width;
  p->height = in->grid.grid.height;
  GV_TRY(choose_type(io, in, &p->type[out]));
  GV_TRY(choose_nodata(io, in, p->type[out], &p->nodata));
  GV_TRY(choose_rows(io, part_rows, p));
  p->type[distance] = j->distance_type;
  p->type[azimuth] = GDT_Float32;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    p->slot[i] = slot[i];
    p->bands[i] = gv_run_bands(in, i);
  }
  p->cell_bytes = gv_budget_cell_bytes(j, p->bands[distance]);
  bool of_cells = in->cells.cells != NULL, measures = s[distance] >= 0 || s[azimuth] >= 0;
  p->apart = p->type[out] != GDT_Int32 || of_cells || s[out] < 0;
  p->distances = j->stats != NULL && !j->no_stats_distances;
  p->numbers = p->apart || p->distances || j->distance != NULL || j->azimuth != NULL;
  p->by_region = in->cells.region != NULL && !p->distances && !measures;
  p->converts = s[distance] >= 0 && in->distance_size != 1.0 && !j->distance_per_value;
  /* A part's style is made at the end, of all; of virtual rasters no cell is read. */
  bool styled = j->raster.path != NULL && s[out] >= 0 && !j->no_style && !j->raster_seeds.by_cell && j->parts == 0;
  p->style = styled && in->regions->count <= GV_MAX_NAMED_SEEDS;
  p->unstyled = styled && !p->style;
  if (j->stats != NULL && (j->group || !p->numbers)) GV_TRY(gv_groups_make(io, in->regions, &p->groups));
  /* Ids that repeat do not tell seeds apart. */
  if (j->stats != NULL && !j->group && p->groups.count < in->regions->count) p->numbers = true;
  return make_labels(io, p);
}

void gv_run_plan_free(gv_run_plan *p) {
  gv_groups_free(&p->groups);
  free(p->labels);
}
