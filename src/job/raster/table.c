/* The table of statistics: a row a seed, or a row an id. */
#include "job/raster/run.h"

#include <math.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ogr_srs_api.h>

#include "io/crs.h"

enum { SEEDS, CELLS, AREA, DISTANCE_MEAN, DISTANCE_MAX, CENTROID_X, CENTROID_Y, COLUMNS };

/* The columns in their order: which of the above, or which sum's amount (0) or mean distance (1). */
typedef struct statistics_table {
  gv_run *r;
  gv_table_column columns[COLUMNS + 2 * GV_JOB_MAX_SUMS];
  int count;
  int places[COLUMNS]; /* of the above; -1 = left out */
  double area_unit, coordinate_unit;
} statistics_table;

static void set_real(gv_table_value *value, double real) {
  value->given = isfinite(real);
  value->real = real;
}

static gv_status statistics_row(gv_io *io, void *user, int64_t seed, gv_table_row *row) {
  const statistics_table *t = user;
  gv_run *r = t->r;
  gv_seed_statistics s;
  gv_seed_statistics_init(&s);
  gv_table_value *values = row->values;
  int64_t number = r->j->group ? r->groups.of_seed[seed] : seed;
  row->keep = !r->j->group || gv_groups_leads(&r->groups, seed);
  if (!row->keep) return GV_OK;
  gv_status status = gv_statistics_get(r->context, r->statistics, number, &s);
  if (status != GV_OK) return gv_io_pass_on_library(io, r->context, status);
  if (r->j->group) {
    values[t->places[SEEDS]].given = true;
    values[t->places[SEEDS]].integer = r->groups.seeds[number];
  } else {
    r->empty_seeds += s.cells == 0;
  }
  values[t->places[CELLS]].given = true;
  values[t->places[CELLS]].integer = s.cells;
  set_real(&values[t->places[AREA]], s.area * t->area_unit);
  if (r->distances) {
    set_real(&values[t->places[DISTANCE_MEAN]], s.distance_mean / r->distance_size);
    set_real(&values[t->places[DISTANCE_MAX]], s.distance_max / r->distance_size);
  }
  set_real(&values[t->places[CENTROID_X]], s.centroid_x * t->coordinate_unit);
  set_real(&values[t->places[CENTROID_Y]], s.centroid_y * t->coordinate_unit);
  gv_table_value *next = &values[t->places[CENTROID_Y] + 1];
  for (int i = 0; i < r->j->sum_count; i++) {
    double sum, mean;
    status = gv_statistics_get_sum(r->context, r->statistics, number, i, &sum, &mean);
    if (status != GV_OK) return gv_io_pass_on_library(io, r->context, status);
    set_real(next++, sum);
    if (r->distances) set_real(next++, mean / r->distance_size);
  }
  if (r->regions->source_x == NULL) return GV_OK;
  row->x = r->regions->source_x[seed];
  row->y = r->regions->source_y[seed];
  return GV_OK;
}

static void add_column(statistics_table *t, OGRFieldType type, const char *name) {
  t->columns[t->count++] = (gv_table_column){CPLStrdup(name), type};
}

gv_status gv_run_write_statistics(gv_run *r) {
  statistics_table t = {.r = r, .area_unit = 1e-6, .coordinate_unit = 1.0};
  bool plane = r->grid.grid.kind != GV_GRID_LONLAT,
       has_unit = !plane || (r->grid.crs != NULL && OSRIsProjected(r->grid.crs));
  if (plane && has_unit) t.area_unit = pow(OSRGetLinearUnits(r->grid.crs, NULL), 2.0) * 1e-6;
  if (!has_unit) t.area_unit = 1.0;
  if (!plane) t.coordinate_unit = 1.0 / gv_crs_unit_degrees(r->grid.crs);
  static const char *const names[COLUMNS] = {"seeds",        "cells",      "area_km2",  "distance_mean",
                                             "distance_max", "centroid_x", "centroid_y"};
  for (int i = SEEDS; i <= CENTROID_Y; i++) {
    t.places[i] = -1;
    if (i == SEEDS && !r->j->group) continue;
    if (!r->distances && (i == DISTANCE_MEAN || i == DISTANCE_MAX)) continue;
    t.places[i] = t.count;
    add_column(&t, i <= CELLS ? OFTInteger64 : OFTReal, i == AREA && !has_unit ? "area" : names[i]);
  }
  for (int i = 0; i < r->j->sum_count; i++) {
    add_column(&t, OFTReal, CPLSPrintf("%s_sum", r->j->sums[i].name));
    if (r->distances) add_column(&t, OFTReal, CPLSPrintf("%s_distance_mean", r->j->sums[i].name));
  }
  gv_table_content content = {.crs = r->seeds.crs,
                              .geometry = r->regions->source_x != NULL ? wkbPoint : wkbNone,
                              .source = r->cells.cells == NULL ? &r->j->seeds : NULL,
                              .seeds = r->regions,
                              .columns = t.columns,
                              .count = t.count,
                              .row = statistics_row,
                              .user = &t};
  if (!r->j->group) r->empty_seeds = 0;
  gv_status status = gv_table_write(r->io, r->stats, &content);
  for (int i = 0; i < t.count; i++)
    CPLFree(t.columns[i].name);
  return status;
}
