#include "job/raster/outputs/statistics_sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ogr_srs_api.h>

#include "cells/facts.h"
#include "io/crs/crs.h"
#include "job/raster/outputs/table_sink.h"
#include "statistics/columns.h"

/* The columns in their order: which of the above, or which sum's amount (0) or mean distance (1). */
typedef struct statistics_table {
  gv_run_work *work;
  gv_table_column columns[GV_STATISTICS_COLUMNS + 2 * GV_JOB_MAX_SUMS];
  int count;
  bool lacks;                        /* memory ran out: names are missing */
  int places[GV_STATISTICS_COLUMNS]; /* of the above; -1 = left out */
  double area_unit, coordinate_unit;
} statistics_table;

static void set_real(gv_table_value *value, double real) {
  value->given = isfinite(real);
  value->real = real;
}

static gv_status statistics_row(gv_io *io, void *user, int64_t seed, gv_table_row *row) {
  const statistics_table *t = user;
  gv_run_work *w = t->work;
  const gv_run_inputs *in = w->in;
  const gv_id_groups *groups = &w->plan->groups;
  gv_seed_statistics s;
  gv_seed_statistics_init(&s);
  gv_table_value *values = row->values;
  int64_t number = w->plan->job->group ? groups->of_seed[seed] : seed;
  row->keep = !w->plan->job->group || gv_groups_leads(groups, seed);
  if (!row->keep) return GV_OK;
  GV_TRY(gv_io_pass_on_library(io, in->context, gv_statistics_get(in->context, w->statistics, number, &s)));
  if (w->plan->job->group) {
    values[t->places[GV_COLUMN_SEEDS]].given = true;
    values[t->places[GV_COLUMN_SEEDS]].integer = groups->seeds[number];
  } else {
    w->empty_seeds += s.cells == 0;
  }
  values[t->places[GV_COLUMN_CELLS]].given = true;
  values[t->places[GV_COLUMN_CELLS]].integer = s.cells;
  if (t->places[GV_COLUMN_AREA] >= 0) set_real(&values[t->places[GV_COLUMN_AREA]], s.area * t->area_unit);
  if (w->plan->distances) {
    set_real(&values[t->places[GV_COLUMN_DISTANCE_MEAN]], s.distance_mean / in->distance_size);
    set_real(&values[t->places[GV_COLUMN_DISTANCE_MAX]], s.distance_max / in->distance_size);
  }
  set_real(&values[t->places[GV_COLUMN_CENTROID_X]], s.centroid_x * t->coordinate_unit);
  set_real(&values[t->places[GV_COLUMN_CENTROID_Y]], s.centroid_y * t->coordinate_unit);
  gv_table_value *next = &values[t->places[GV_COLUMN_CENTROID_Y] + 1];
  for (int i = 0; i < w->plan->job->sum_count; i++) {
    double sum, mean;
    GV_TRY(gv_io_pass_on_library(io, in->context,
                                 gv_statistics_get_sum(in->context, w->statistics, number, i, &sum, &mean)));
    set_real(next++, sum);
    if (w->plan->distances) set_real(next++, mean / in->distance_size);
  }
  if (in->regions->source_x == NULL) return GV_OK;
  row->x = in->regions->source_x[seed];
  row->y = in->regions->source_y[seed];
  return GV_OK;
}

static void add_column(statistics_table *t, OGRFieldType type, const char *name) {
  char *copy = strdup(name);
  t->lacks = t->lacks || copy == NULL;
  t->columns[t->count++] = (gv_table_column){copy, type};
}

static gv_status statistics_finish(gv_io *io, gv_sink *sink, gv_run_work *w) {
  const gv_job *j = w->plan->job;
  const gv_run_inputs *in = w->in;
  const bool distances = w->plan->distances;
  statistics_table t = {.work = w, .area_unit = 1e-6, .coordinate_unit = 1.0};
  bool plane = gv_facts_of(&in->grid.grid)->flat_areas,
       has_unit = !plane || (in->grid.crs != NULL && OSRIsProjected(in->grid.crs));
  if (plane && has_unit) t.area_unit = pow(OSRGetLinearUnits(in->grid.crs, NULL), 2.0) * 1e-6;
  if (!has_unit) t.area_unit = 1.0;
  if (!plane) t.coordinate_unit = 1.0 / gv_crs_unit_degrees(in->grid.crs);
  static const char *const names[GV_STATISTICS_COLUMNS] = GV_STATISTICS_COLUMN_NAMES;
  for (int i = GV_COLUMN_SEEDS; i <= GV_COLUMN_CENTROID_Y; i++) {
    t.places[i] = -1;
    if (i == GV_COLUMN_SEEDS && !j->group) continue;
    if (!distances && (i == GV_COLUMN_DISTANCE_MEAN || i == GV_COLUMN_DISTANCE_MAX)) continue;
    if (i == GV_COLUMN_AREA && gv_grid_lacks_areas(&in->grid.grid)) continue;
    t.places[i] = t.count;
    add_column(&t, i <= GV_COLUMN_CELLS ? OFTInteger64 : OFTReal,
               i == GV_COLUMN_AREA && !has_unit ? "area" : names[i]);
  }
  for (int i = 0; i < j->sum_count; i++) {
    add_column(&t, OFTReal, CPLSPrintf("%s_sum", j->sums[i].name));
    if (distances) add_column(&t, OFTReal, CPLSPrintf("%s_distance_mean", j->sums[i].name));
  }
  gv_table_content content = {.crs = in->seeds->crs,
                              .geometry = in->regions->source_x != NULL ? wkbPoint : wkbNone,
                              .source = in->cells.cells == NULL ? &in->seed_options : NULL,
                              .seeds = in->regions,
                              .columns = t.columns,
                              .count = t.count,
                              .row = statistics_row,
                              .user = &t};
  if (!j->group) w->empty_seeds = 0;
  gv_status status = t.lacks ? gv_io_fail_memory(io, "the columns") : gv_table_write(io, sink->of, &content);
  for (int i = 0; i < t.count; i++)
    free(t.columns[i].name);
  return status;
}

gv_status gv_statistics_sink_plan(gv_io *io, const gv_job *j, gv_sink *out) {
  static const gv_sink_kind kind = {{NULL, statistics_finish, NULL}, gv_table_sink_abandon};
  out->takes_blocks = j->stats != NULL;
  return gv_table_sink_plan(io, j, &kind, "--stats", j->stats,
                            j->stats_layer != NULL ? j->stats_layer : "statistics", out);
}
