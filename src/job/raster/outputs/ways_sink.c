#include "job/raster/outputs/ways_sink.h"

#include <stdlib.h>

#include <ogr_api.h>

#include "io/crs/crs.h"
#include "io/crs/metric.h"
#include "io/geometry/geodesic_line.h"
#include "job/raster/outputs/table_sink.h"

enum { COLUMNS = 3 };

typedef struct ways_table {
  gv_run_work *work;
  gv_way way;
  bool globe;
  double unit; /* degrees in one of the system's */
} ways_table;

static gv_status ways_table_line(gv_io *io, const ways_table *t, OGRGeometryH *out) {
  const gv_grid *grid = &t->work->in->grid.grid;
  const gv_way *way = &t->way;
  if (t->globe) {
    GV_TRY(gv_geodesic_chain(io, grid->semi_major, grid->flattening, way->x, way->y, way->count, out));
    gv_geodesic_line_scale(*out, t->unit);
    return GV_OK;
  }
  *out = OGR_G_CreateGeometry(wkbLineString);
  if (*out == NULL) return gv_io_fail_memory(io, "a geometry");
  for (int64_t i = 0; i < way->count; i++)
    OGR_G_AddPoint_2D(*out, way->x[i], way->y[i]);
  return GV_OK;
}

/* Room for all positions of a way that have been counted. */
static gv_status ways_table_make_room(gv_io *io, gv_way *way) {
  free(way->x);
  way->room = way->count + way->count / 2;
  way->x = malloc(2 * (size_t)way->room * sizeof *way->x);
  if (way->x == NULL) return gv_io_fail_memory(io, "a way");
  way->y = way->x + way->room;
  return GV_OK;
}

static gv_status ways_table_row(gv_io *io, void *user, int64_t point, gv_table_row *row) {
  ways_table *t = user;
  const gv_run_inputs *in = t->work->in;
  const double from[2] = {in->from.x[point], in->from.y[point]};
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  GV_TRY(t->work->source.way(io, t->work, from, &t->way));
  if (t->way.count > t->way.room) {
    GV_TRY(ways_table_make_room(io, &t->way));
    GV_TRY(t->work->source.way(io, t->work, from, &t->way));
  }
  if (t->way.seed < 0) return GV_OK;
  gv_table_value *next = row->values;
  *next++ = (gv_table_value){.given = true, .integer = in->seeds->ids[t->way.seed]};
  if (t->work->plan->job->cost.path != NULL) *next++ = (gv_table_value){.given = true, .real = t->way.cost};
  *next = (gv_table_value){.given = true, .real = t->way.length};
  return t->way.count > 1 ? ways_table_line(io, t, &row->geometry) : GV_OK;
}

static gv_status ways_finish(gv_io *io, gv_sink *sink, gv_run_work *w) {
  static const gv_table_column of_costs[COLUMNS] = {{"seed", OFTInteger64},
                                                    {"cost", OFTReal},
                                                    {"length", OFTReal}},
                               of_barriers[] = {{"seed", OFTInteger64}, {"length", OFTReal}};
  const gv_run_inputs *in = w->in;
  ways_table t = {.work = w, .globe = gv_metric_on_globe(in->grid.metric), .unit = 1.0};
  if (t.globe) t.unit = gv_crs_unit_degrees(in->grid.crs);
  const gv_table_content content = {.crs = in->grid.crs,
                                    .geometry = t.globe ? wkbMultiLineString : wkbLineString,
                                    .source = &in->from_options,
                                    .seeds = &in->from,
                                    .columns = w->plan->job->cost.path != NULL ? of_costs : of_barriers,
                                    .count = w->plan->job->cost.path != NULL ? COLUMNS : COLUMNS - 1,
                                    .row = ways_table_row,
                                    .user = &t};
  const gv_status status = gv_table_write(io, sink->of, &content);
  free(t.way.x);
  return status;
}

gv_status gv_ways_sink_plan(gv_io *io, const gv_job *j, gv_sink *out) {
  static const gv_sink_kind kind = {{NULL, ways_finish, NULL}, gv_table_sink_abandon};
  out->takes_blocks = j->ways != NULL;
  return gv_table_sink_plan(io, j, &kind, "--ways", j->ways, j->ways_layer != NULL ? j->ways_layer : "ways",
                            out);
}
