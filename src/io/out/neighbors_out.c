/* The attributes of both sides are read by a second walk over their layers, and held as features of the
 * fields that are kept. */
#include "io/out/neighbors_out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <ogr_api.h>

#include "io/geometry/geodesic_line.h"
#include "io/in/encoding.h"
#include "io/in/fields.h"
#include "io/out/layer_values.h"

/* --------------------------------------------------------------------------------------------- attributes */

/* Data kept of one side. */
typedef struct side {
  const gv_neighbor_side *of;
  const char *name; /* prefix of its columns */
  OGRFeatureDefnH kept;
  OGRFeatureH *features; /* one a seed, several may be one; NULL if nothing is kept */
  int count;             /* of the fields that become columns */
  int id;                /* field of `kept`; -1 = the feature id */
  int *map;              /* from the layer's fields to `kept`'s */
  int id_column;
  int *columns; /* of those that become columns, the table's fields */
} side;

/* Keeps a field of the layer; returns its number among those kept. */
static int keep_field(side *s, OGRFeatureDefnH layer, int field) {
  if (s->map[field] >= 0) return s->map[field];
  OGR_FD_AddFieldDefn(s->kept, OGR_FD_GetFieldDefn(layer, field));
  return s->map[field] = OGR_FD_GetFieldCount(s->kept) - 1;
}

/* Which fields: first those to be kept, then the id's if it is none of them. */
static gv_status choose_fields(gv_io *io, side *s, OGRFeatureDefnH layer) {
  int count = OGR_FD_GetFieldCount(layer), field;
  gv_status status = GV_OK;
  s->kept = OGR_FD_Create(s->name);
  OGR_FD_Reference(s->kept);
  s->map = malloc(((size_t)count + 1) * sizeof *s->map);
  if (s->map == NULL) return gv_io_fail_memory(io, "attributes");
  for (int i = 0; i < count; i++)
    s->map[i] = -1;
  bool all = s->of->keep != NULL && strcmp(s->of->keep, "*") == 0;
  for (int i = 0; i < count && all; i++)
    keep_field(s, layer, i);
  char **names = CSLTokenizeString2(s->of->keep != NULL && !all ? s->of->keep : "", ",",
                                    CSLT_STRIPLEADSPACES | CSLT_STRIPENDSPACES | CSLT_HONOURSTRINGS);
  for (char **name = names; name != NULL && *name != NULL && status == GV_OK; name++) {
    status = gv_field_find(io, s->of->keep_option, layer, *name, &field);
    if (status == GV_OK) keep_field(s, layer, field);
  }
  CSLDestroy(names);
  s->count = OGR_FD_GetFieldCount(s->kept);
  if (status != GV_OK || s->of->id_field == NULL) return status;
  status = gv_field_find(io, s->of->id_option, layer, s->of->id_field, &field);
  if (status == GV_OK) s->id = keep_field(s, layer, field);
  return status;
}

/* One feature a seed, in the order of both. */
static gv_status read_features(gv_io *io, side *s, gv_seed_features *features) {
  const gv_seed_list *seeds = s->of->seeds;
  for (int64_t i = 0; i < seeds->count; i++) {
    OGRFeatureH from = NULL;
    if (i > 0 && seeds->rows[i] == seeds->rows[i - 1]) {
      s->features[i] = s->features[i - 1];
      continue;
    }
    GV_TRY(gv_seed_features_find(io, features, seeds, i, &from));
    s->features[i] = OGR_F_Create(s->kept);
    if (s->features[i] == NULL) return gv_io_fail_memory(io, "attributes");
    if (OGR_F_SetFromWithMap(s->features[i], from, TRUE, s->map) != OGRERR_NONE)
      return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read attributes");
    if (i % 4096 == 0 && gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  }
  return GV_OK;
}

static gv_status read_side(gv_io *io, side *s, bool digits_15) {
  s->id = -1;
  if (s->of->keep == NULL && s->of->id_field == NULL) return GV_OK;
  gv_seed_features *features = NULL;
  gv_status status = gv_seed_features_open(io, s->of->source, s->of->seeds, digits_15, &features);
  if (status == GV_OK) status = choose_fields(io, s, gv_seed_features_definition(features));
  if (status == GV_OK) {
    s->features = calloc((size_t)s->of->seeds->count, sizeof(OGRFeatureH));
    status = s->features != NULL ? read_features(io, s, features) : gv_io_fail_memory(io, "attributes");
  }
  gv_seed_features_close(features);
  return status;
}

static void free_side(side *s) {
  for (int64_t i = 0; s->features != NULL && i < s->of->seeds->count; i++) {
    bool own = i == 0 || s->features[i] != s->features[i - 1];
    if (own && s->features[i] != NULL) OGR_F_Destroy(s->features[i]);
  }
  free(s->features);
  free(s->map);
  free(s->columns);
  if (s->kept != NULL) OGR_FD_Release(s->kept);
}

/* ---------------------------------------------------------------------------------------------- the table */

struct gv_neighbors_out {
  gv_io *io;
  gv_layer_out out;
  const gv_neighbor_content *content;
  side queries, references;
  OGRwkbGeometryType geometry;
  int neighbor, distance; /* fields */
};

typedef gv_neighbors_out writer;

static gv_status add_id(const writer *w, side *s) {
  OGRFieldDefnH like = s->id >= 0 ? OGR_FD_GetFieldDefn(s->kept, s->id) : NULL;
  return gv_layer_add_field(&w->out, s->name, like, OFTInteger64, &s->id_column);
}

/* Layers may have two fields of one name, as of CSV files. */
static bool neighbors_out_has_name(const void *user, const char *name) {
  const writer *w = user;
  return OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(w->out.layer), name) >= 0;
}

static gv_status add_kept(const writer *w, side *s) {
  gv_status status = GV_OK;
  s->columns = malloc(((size_t)s->count + 1) * sizeof *s->columns);
  if (s->columns == NULL) return gv_io_fail_memory(w->io, "attributes");
  for (int i = 0; i < s->count && status == GV_OK; i++) {
    OGRFieldDefnH like = OGR_FD_GetFieldDefn(s->kept, i);
    char *utf8 = gv_utf8_of(OGR_Fld_GetNameRef(like), NULL), name[GV_FIELD_NAME];
    if (utf8 == NULL) return gv_io_fail_memory(w->io, "attributes");
    snprintf(name, sizeof name, "%s_%.200s", s->name, utf8);
    free(utf8);
    gv_field_name_free(neighbors_out_has_name, w, name);
    status = gv_layer_add_field(&w->out, name, like, OFTString, &s->columns[i]);
  }
  return status;
}

/* GDAL keeps some 100 bytes of each feature of a FlatGeobuf file for its spatial index. */
static bool neighbors_out_indexes(const writer *w, int64_t rows) {
  enum { BYTES_A_ROW = 100 };
  return !gv_format_of(w->out.writer->place.driver)->index_in_memory || w->io->memory <= 0 ||
         (rows >= 0 && rows <= w->io->memory / BYTES_A_ROW);
}

static gv_status neighbors_out_create_layer(writer *w, int64_t rows) {
  static const char *const no_index[] = {"SPATIAL_INDEX=NO", NULL};
  const gv_neighbor_content *c = w->content;
  w->geometry = !c->lines ? wkbPoint : c->globe ? wkbMultiLineString : wkbLineString;
  if (!c->lines && gv_format_of(w->out.writer->place.driver)->text) w->geometry = wkbNone;
  GV_TRY(gv_layer_create(&w->out, c->crs, w->geometry, neighbors_out_indexes(w, rows) ? NULL : no_index));
  GV_TRY(add_id(w, &w->queries));
  GV_TRY(gv_layer_add_field(&w->out, "rank", NULL, OFTInteger, &w->neighbor));
  GV_TRY(add_id(w, &w->references));
  GV_TRY(gv_layer_add_field(&w->out, "distance", NULL, OFTReal, &w->distance));
  GV_TRY(add_kept(w, &w->queries));
  return add_kept(w, &w->references);
}

static gv_status set_side(const writer *w, OGRFeatureH feature, const side *s, int64_t seed) {
  gv_status status = s->id >= 0
                         ? gv_layer_set_attribute(&w->out, feature, s->id_column, s->features[seed], s->id)
                         : gv_layer_set_integer(&w->out, feature, s->id_column, s->of->seeds->fids[seed]);
  for (int i = 0; i < s->count && status == GV_OK; i++)
    status = gv_layer_set_attribute(&w->out, feature, s->columns[i], s->features[seed], i);
  return status;
}

/* The query's point, or the line to the neighbor. */
static gv_status make_geometry(const writer *w, int64_t query, const double *nearest, int64_t reference,
                               OGRGeometryH *out) {
  const gv_neighbor_content *c = w->content;
  const gv_seed_list *q = c->queries.seeds, *r = c->references.seeds;
  const double unit = c->globe ? c->unit : 1.0;
  if (!c->globe || !c->lines) {
    *out = OGR_G_CreateGeometry(c->lines ? wkbLineString : wkbPoint);
    if (*out == NULL) return gv_io_fail_memory(w->io, "a geometry");
  }
  if (!c->lines) {
    OGR_G_SetPoint_2D(*out, 0, q->x[query] / unit, q->y[query] / unit);
    return GV_OK;
  }
  const double from[2] = {q->x[query], q->y[query]}, at[2] = {r->x[reference], r->y[reference]};
  const double *to = nearest != NULL ? nearest : at;
  if (c->globe) {
    GV_TRY(gv_geodesic_line(w->io, c->semi_major, c->flattening, from, to, out));
    gv_geodesic_line_scale(*out, unit);
    return GV_OK;
  }
  OGR_G_AddPoint_2D(*out, from[0], from[1]);
  OGR_G_AddPoint_2D(*out, to[0], to[1]);
  return GV_OK;
}

/* The row of a query's neighbor; `nearest`: see gv_neighbor_rows. */
static gv_status set_row(const writer *w, OGRFeatureH feature, int64_t query, int neighbor, int64_t reference,
                         double distance, const double *nearest) {
  GV_TRY(set_side(w, feature, &w->queries, query));
  OGR_F_SetFieldInteger(feature, w->neighbor, neighbor);
  if (reference >= 0) {
    GV_TRY(set_side(w, feature, &w->references, reference));
    OGR_F_SetFieldDouble(feature, w->distance, distance);
  }
  if (w->geometry == wkbNone || (reference < 0 && w->content->lines)) return GV_OK;
  OGRGeometryH geometry = NULL;
  GV_TRY(make_geometry(w, query, nearest, reference, &geometry));
  OGR_F_SetGeometryDirectly(feature, geometry);
  return GV_OK;
}

gv_status gv_neighbors_write(gv_neighbors_out *w, const gv_neighbor_rows *rows) {
  const int k = w->content->k;
  for (int64_t query = 0; query < rows->count; query++) {
    int64_t first = rows->offsets != NULL ? rows->offsets[query] : query * k;
    int64_t end = rows->offsets != NULL ? rows->offsets[query + 1] : first + k;
    for (int64_t i = first; i < end; i++) {
      OGRFeatureH feature = gv_layer_feature(&w->out);
      const double *nearest = rows->nearest != NULL ? rows->nearest + 2 * i : NULL;
      gv_status status = GV_OK;
      if (feature != NULL)
        status = set_row(w, feature, rows->first + query, (int)(i - first) + 1, rows->indices[i],
                         rows->distances[i], nearest);
      GV_TRY(gv_layer_write(&w->out, feature, status));
    }
  }
  return GV_OK;
}

gv_status gv_neighbors_begin(gv_io *io, gv_table_out *table, const gv_neighbor_content *content, int64_t rows,
                             gv_neighbors_out **out) {
  writer *w = *out = calloc(1, sizeof *w);
  if (w == NULL) return gv_io_fail_memory(io, "a table");
  *w = (writer){.io = io,
                .out = {.io = io, .writer = table},
                .content = content,
                .queries = {.of = &content->queries, .name = "query"},
                .references = {.of = &content->references, .name = "reference"}};
  bool digits_15 = gv_table_rounds(w->out.writer->place.driver);
  GV_TRY(read_side(io, &w->queries, digits_15));
  GV_TRY(read_side(io, &w->references, digits_15));
  return neighbors_out_create_layer(w, rows);
}

gv_status gv_neighbors_end(gv_neighbors_out *w, gv_status status) {
  if (w == NULL) return status;
  status = gv_layer_finish(&w->out, status);
  free_side(&w->queries);
  free_side(&w->references);
  free(w);
  return status;
}
