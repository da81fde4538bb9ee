/* Contents of rasters and tables: types, values and rows, by inputs, outputs and options. */
#include "job/raster/plan/plan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "job/raster/plan/rasters.h"

/* The integers of a type; of Int64 all. */
static void type_range(GDALDataType type, int64_t *least, int64_t *most) {
  int bits = GDALGetDataTypeSizeBits(type);
  *most = GDALDataTypeIsSigned(type) ? INT64_MAX >> (64 - bits) : (int64_t)(UINT64_MAX >> (64 - bits));
  *least = GDALDataTypeIsSigned(type) ? -*most - 1 : 0;
}

/* Real attributes as integers of a type, or integers as reals, if no value changes. */
static gv_status convert_values(gv_io *io, GDALDataType type, gv_run_plan *p) {
  enum { WIDE = 8 /* bytes of both */ };
  const int64_t count = p->in->regions->count;
  const char *name = GDALGetDataTypeName(type);
  p->converted = malloc((size_t)count * WIDE);
  if (p->converted == NULL) return gv_io_fail_memory(io, "the attribute");
  int64_t *integers = p->converted;
  double *reals = p->converted;
  for (int64_t i = 0; i < count && p->reals != NULL; i++) {
    double value = p->reals[i];
    GV_REQUIRE(io, value == rint(value),
               "--ot %s: value is not a whole number (attribute %.17g); use Float64", name, value);
    GV_REQUIRE(io, value >= -0x1p63 && value < 0x1p63,
               "--ot %s: value out of range of 64-bit integers (attribute %.17g)", name, value);
    integers[i] = (int64_t)value;
  }
  for (int64_t i = 0; i < count && p->reals == NULL; i++) {
    int64_t value = p->integers[i], most = type == GDT_Float32 ? INT64_C(1) << 24 : INT64_C(1) << 53;
    GV_REQUIRE(io, value >= -most && value <= most,
               "--ot %s: value is not exact in this type (attribute %" PRId64 "); use Float64 or Int64", name,
               value);
    reals[i] = (double)value;
  }
  bool to_integers = p->reals != NULL;
  p->integers = to_integers ? integers : NULL;
  p->reals = to_integers ? NULL : reals;
  return GV_OK;
}

static gv_status check_floats(gv_io *io, const gv_run_plan *p, int64_t count) {
  for (int64_t i = 0; i < count && p->type[GV_RUN_OUT] == GDT_Float32; i++)
    GV_REQUIRE(io, !isfinite(p->reals[i]) || fabs(p->reals[i]) <= (double)FLT_MAX,
               "--ot Float32: value out of range (attribute %.17g); use Float64", p->reals[i]);
  return GV_OK;
}

/* OUT's value of each seed, and its type: the requested one, if it holds all values. */
static gv_status choose_values(gv_io *io, const gv_run_inputs *in, gv_run_plan *p) {
  const gv_seed_list *seeds = in->regions;
  const GDALDataType requested = in->job->id_type;
  const char *name = GDALGetDataTypeName(requested);
  int64_t least, most, lowest, highest;
  GDALDataType *type = &p->type[GV_RUN_OUT];
  *type = requested;
  p->reals = seeds->reals;
  p->integers = seeds->reals != NULL ? NULL : seeds->integers != NULL ? seeds->integers : seeds->ids;
  if (in->job->raster_seeds.by_cell) {
    GV_REQUIRE(io, requested == GDT_Unknown || requested == GDT_Int64,
               "--ot %s: unsupported for numbers of cells; use Int64", name);
    *type = GDT_Int64;
    return GV_OK;
  }
  if (requested == GDT_Unknown && p->reals != NULL) {
    *type = seeds->reals_are_floats ? GDT_Float32 : GDT_Float64;
    return GV_OK;
  }
  if (requested == GDT_Unknown) {
    gv_seeds_range(p->integers, seeds->count, &least, &most);
    *type = least >= INT32_MIN && most <= INT32_MAX ? GDT_Int32 : GDT_Int64;
    return GV_OK;
  }
  if ((p->integers != NULL) != (GDALDataTypeIsInteger(requested) != 0))
    GV_TRY(convert_values(io, requested, p));
  if (p->reals != NULL) return check_floats(io, p, seeds->count);
  type_range(requested, &least, &most);
  gv_seeds_range(p->integers, seeds->count, &lowest, &highest);
  int64_t beyond = lowest < least ? lowest : highest;
  GV_REQUIRE(io, lowest >= least && highest <= most,
             "--ot %s: %s out of range (%" PRId64 "); expected %" PRId64 " to %" PRId64, name,
             in->job->seeds.attribute != NULL ? "attribute" : "id", beyond, least, most);
  return GV_OK;
}

/* True if an output may hold the value for a seed: lists of cells have ids and attributes. */
static bool is_value(const gv_run_plan *p, int64_t value) {
  const gv_seed_list *seeds = p->in->regions;
  bool ids = gv_cells_of_lists(&p->job->grid.cells_of);
  for (int64_t i = 0; i < seeds->count; i++)
    if ((p->integers != NULL && p->integers[i] == value) || (ids && seeds->ids[i] == value)) return true;
  return false;
}

static gv_status choose_nodata(gv_io *io, const gv_run_inputs *in, gv_run_plan *p) {
  const gv_job *j = in->job;
  const GDALDataType type = p->reals != NULL ? GDT_Int64 : p->type[GV_RUN_OUT];
  const char *what = j->seeds.attribute != NULL ? "attribute" : "id";
  int64_t least, most;
  if (p->reals != NULL && !gv_cells_of_lists(&j->grid.cells_of)) {
    p->nodata = -1;
    GV_REQUIRE(io, !j->has_nodata,
               "--nodata: unsupported for rasters of real numbers; cells without a seed are NaN");
    return GV_OK;
  }
  type_range(type, &least, &most);
  if (j->has_nodata) {
    p->nodata = j->nodata;
    GV_REQUIRE(io, !j->raster_seeds.by_cell || j->nodata < 0,
               "--nodata: may be the number of a cell (%" PRId64 "); use a number below 0", j->nodata);
    GV_REQUIRE(io, !is_value(p, j->nodata), "--nodata: %" PRId64 " is the %s of a seed; use another number",
               j->nodata, what);
    GV_REQUIRE(io, j->nodata >= least && j->nodata <= most,
               "--nodata: %" PRId64 " is out of range of %s, the type of %ss; use another number", j->nodata,
               GDALGetDataTypeName(type), what);
    return GV_OK;
  }
  bool has_sign = GDALDataTypeIsSigned(type) != 0;
  int64_t first = has_sign ? -1 : most, second = has_sign ? least : 0;
  p->nodata = is_value(p, first) ? second : first;
  if (!is_value(p, p->nodata)) return GV_OK;
  GV_REQUIRE(io, !has_sign,
             "--nodata: both -1 and the lowest integer are %ss; use --nodata to set the value of cells "
             "without a seed",
             what);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "--nodata: both %" PRId64
                    " and 0 are %ss; use --nodata to set the value of cells without a seed",
                    first, what);
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
  GV_REQUIRE(io, p->parts <= blocks, "--part %d/%d: too many parts; the raster has %lld rows of blocks",
             j->part, j->parts, (long long)blocks);
  int64_t end = j->part * blocks / p->parts * side;
  p->first_row = (j->part - 1) * blocks / p->parts * side;
  p->rows = (end < p->height ? end : p->height) - p->first_row;
  return GV_OK;
}

/* Ids or attributes of 32 bits; the library may write ids itself. */
static gv_status make_labels(gv_io *io, gv_run_plan *p) {
  const gv_seed_list *regions = p->in->regions;
  if (p->type[GV_RUN_OUT] != GDT_Int32) return GV_OK;
  p->labels = malloc((size_t)regions->count * sizeof *p->labels);
  if (p->labels == NULL) return gv_io_fail_memory(io, "the ids");
  for (int64_t i = 0; i < regions->count; i++)
    p->labels[i] = (int32_t)p->integers[i];
  return GV_OK;
}

gv_status gv_run_make_plan(gv_io *io, const gv_run_inputs *in, int64_t part_rows, gv_run_plan *p) {
  const gv_job *j = p->job = in->job;
  const int *s = p->slot, out = GV_RUN_OUT, distance = GV_RUN_DISTANCE, azimuth = GV_RUN_AZIMUTH;
  p->in = in;
  p->width = in->grid.grid.width;
  p->height = in->grid.grid.height;
  GV_TRY(choose_values(io, in, p));
  GV_TRY(choose_nodata(io, in, p));
  GV_TRY(choose_rows(io, part_rows, p));
  p->type[distance] = j->distance_type;
  p->type[azimuth] = GDT_Float32;
  for (int i = 0; i < GV_RUN_RASTERS; i++) {
    p->slot[i] = gv_run_writes(j, i) ? p->written++ : -1;
    p->bands[i] = gv_run_bands(in, i);
  }
  p->cell_bytes = gv_budget_cell_bytes(j, p->bands[distance]);
  bool of_cells = in->cells.cells != NULL, measures = s[distance] >= 0 || s[azimuth] >= 0;
  p->apart = p->type[out] != GDT_Int32 || of_cells || s[out] < 0;
  p->distances = j->stats != NULL && !j->no_stats_distances;
  p->numbers = p->apart || p->distances || j->distance != NULL || j->azimuth != NULL ||
               j->seeds.attribute != NULL || j->cost.path != NULL || gv_run_has_barriers(in);
  p->by_region = in->cells.region != NULL && !p->distances && !measures;
  p->converts = s[distance] >= 0 && in->distance_size != 1.0 && !j->distance_per_value;
  /* A part's style is made at the end, of all; of virtual rasters no cell is read. */
  bool styled = j->raster.path != NULL && s[out] >= 0 && !j->no_style && !j->raster_seeds.by_cell &&
                j->seeds.attribute == NULL && j->parts == 0;
  p->style = styled && in->regions->count <= GV_MAX_NAMED_SEEDS;
  p->unstyled = styled && !p->style;
  if (j->stats != NULL && (j->group || !p->numbers)) GV_TRY(gv_groups_make(io, in->regions, &p->groups));
  /* Repeated ids do not identify seeds. */
  if (j->stats != NULL && !j->group && p->groups.count < in->regions->count) p->numbers = true;
  return make_labels(io, p);
}

void gv_run_plan_free(gv_run_plan *p) {
  gv_groups_free(&p->groups);
  free(p->converted);
  free(p->labels);
}
