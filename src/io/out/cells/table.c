/*
 * Cells of HEALPix, S2, H3 and places as a table of any OGR format, in their own order: cell (gv_cells_of_id), of S2 and H3 token (the same in
 * hexadecimal digits), lon and lat (degrees), seed (the id of the nearest), distance, azimuth, area_km2 where areas are known, and the seeds'
 * attribute if there is one. With several seeds a cell seed_2, distance_2, azimuth_2 and so on. Formats with geometries have the center as a
 * point.
 */
#include <math.h>
#include <stdlib.h>

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_api.h>

#include "core/limits.h"
#include "io/out/layer_out.h"
#include "io/out/layer_values.h"
#include "io/out/mesh_sink.h"

enum { TABLE_CELL, TABLE_TOKEN, TABLE_LON, TABLE_LAT, TABLE_AREA, TABLE_FIELDS, TABLE_OF_SEED = 4 };

struct gv_mesh_sink {
  gv_layer_out out;
  const gv_mesh_facts *facts;
  int field[TABLE_FIELDS];                      /* -1 = there is none */
  int of_seed[GV_VORONOI_MAX_K][TABLE_OF_SEED]; /* seed, distance, azimuth, attribute */
  bool has_points;
  double unit; /* degrees in the layer's unit */
};

static gv_status table_create(gv_mesh_sink *sink, OGRSpatialReferenceH crs) {
  static const char *const names[TABLE_FIELDS] = {"cell", "token", "lon", "lat", "area_km2"};
  const gv_mesh_request *q = sink->facts->request;
  const char *of_seed[TABLE_OF_SEED] = {"seed", "distance", "azimuth",
                                        q->attribute != NULL ? sink->facts->attribute : NULL};
  const OGRFieldType types[TABLE_OF_SEED] = {OFTInteger64, OFTReal, OFTReal,
                                             q->reals != NULL ? OFTReal : OFTInteger64};
  sink->has_points = !gv_format_of(sink->out.place->driver)->text;
  GV_TRY(gv_layer_create(&sink->out, crs, sink->has_points ? wkbPoint : wkbNone, NULL));
  for (int i = 0; i < TABLE_FIELDS; i++) {
    sink->field[i] = -1;
    if (i == TABLE_AREA && gv_cells_of_are_read(sink->facts->of)) continue;
    if (i == TABLE_TOKEN && !gv_cells_of_have_tokens(sink->facts->of)) continue;
    OGRFieldType type = i == TABLE_CELL ? OFTInteger64 : i == TABLE_TOKEN ? OFTString : OFTReal;
    if (i == TABLE_CELL && gv_cells_of_have_tokens(sink->facts->of)) type = gv_layer_cell_id_type(&sink->out);
    GV_TRY(gv_layer_add_field(&sink->out, names[i], NULL, type, &sink->field[i]));
  }
  for (int b = 0; b < sink->facts->bands; b++) {
    for (int i = 0; i < TABLE_OF_SEED; i++) {
      sink->of_seed[b][i] = -1;
      if (of_seed[i] == NULL) continue;
      const char *name = b == 0 ? of_seed[i] : CPLSPrintf("%s_%d", of_seed[i], b + 1);
      GV_TRY(gv_layer_add_field(&sink->out, name, NULL, types[i], &sink->of_seed[b][i]));
    }
  }
  return GV_OK;
}

static gv_status table_open(gv_io *io, gv_place *place, const gv_mesh_facts *facts, gv_mesh_sink **out) {
  gv_mesh_sink *sink = *out = calloc(1, sizeof *sink);
  if (sink == NULL) return gv_io_fail_memory(io, "the cells");
  sink->out = (gv_layer_out){.io = io, .place = place};
  sink->facts = facts;
  sink->unit = gv_crs_unit_degrees(facts->crs);
  return table_create(sink, facts->crs);
}

static void table_set_real(OGRFeatureH feature, int field, double value) {
  if (field >= 0 && isfinite(value)) OGR_F_SetFieldDouble(feature, field, value);
}

/* Writes the fields of a neighbor; leaves them empty if there is none. */
static gv_status table_set_seed(const gv_mesh_sink *sink, OGRFeatureH feature, const gv_mesh_block *block, int band,
                                int64_t at) {
  const gv_mesh_request *q = sink->facts->request;
  const int *field = sink->of_seed[band];
  int32_t seed = block->seed[at];
  if (seed < 0) return GV_OK;
  if (field[0] >= 0) GV_TRY(gv_layer_set_integer(&sink->out, feature, field[0], sink->facts->seeds->ids[seed]));
  table_set_real(feature, field[1], block->distance[at] / q->distance_size);
  table_set_real(feature, field[2], (double)block->azimuth[at]);
  if (field[3] < 0) return GV_OK;
  if (q->reals == NULL) return gv_layer_set_integer(&sink->out, feature, field[3], q->integers[seed]);
  table_set_real(feature, field[3], q->reals[seed]);
  return GV_OK;
}

static gv_status table_set_cell(const gv_mesh_sink *sink, OGRFeatureH feature, const gv_mesh_block *block,
                                int64_t i) {
  if (sink->field[TABLE_CELL] >= 0)
    GV_TRY(gv_layer_set_integer(&sink->out, feature, sink->field[TABLE_CELL], block->id[i]));
  if (sink->field[TABLE_TOKEN] >= 0) {
    char token[17];
    gv_cells_of_token(sink->facts->of, block->id[i], token);
    OGR_F_SetFieldString(feature, sink->field[TABLE_TOKEN], token);
  }
  table_set_real(feature, sink->field[TABLE_LON], block->lon[i]);
  table_set_real(feature, sink->field[TABLE_LAT], block->lat[i]);
  table_set_real(feature, sink->field[TABLE_AREA], block->area[i] * 1e-6);
  for (int b = 0; b < sink->facts->bands; b++)
    GV_TRY(table_set_seed(sink, feature, block, b, b * block->stride + i));
  if (!sink->has_points) return GV_OK;
  OGRGeometryH point = OGR_G_CreateGeometry(wkbPoint);
  OGR_G_SetPoint_2D(point, 0, block->lon[i] / sink->unit, block->lat[i] / sink->unit);
  OGR_F_SetGeometryDirectly(feature, point);
  return GV_OK;
}

static gv_status table_write(gv_io *io, gv_mesh_sink *sink, const gv_mesh_block *block) {
  gv_status status = GV_OK;
  (void)io;
  for (int64_t i = 0; i < block->count && status == GV_OK; i++) {
    OGRFeatureH feature = gv_layer_feature(&sink->out);
    if (feature != NULL) status = table_set_cell(sink, feature, block, i);
    status = gv_layer_write(&sink->out, feature, status);
  }
  return status;
}

static gv_status table_close(gv_io *io, gv_mesh_sink *sink, gv_status status) {
  (void)io;
  status = gv_layer_close(&sink->out, status);
  free(sink);
  return status;
}

const gv_mesh_format gv_mesh_table = {"--cells", "cells", false, NULL, table_open, table_write, table_close};
