/* Cells in the order of their seeds, edges in that of their numbers. */
#include "io/out/diagram_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_error.h>

#include "io/geometry/clipped_area.h"
#include "io/geometry/geodesic_line.h"
#include "io/geometry/parts.h"
#include "io/geometry/piece_geometry.h"
#include "io/geometry/projected.h"
#include "io/grow.h"
#include "io/in/groups.h"
#include "io/out/layer_values.h"
#include "io/text.h"

typedef struct diagram_writer {
  gv_io *io;
  gv_context *context;
  gv_layer_out out;
  const gv_diagram_content *content;
  gv_pieces pieces;
  gv_seed_features *features; /* NULL: no attributes */
  int *map;                   /* from the source's fields to the layer's; -1: left out */
  int seed, count, area, neighbors, others, right;
  int64_t *next_here;     /* of each seed: the next one at its place; -1: none */
  gv_id_groups groups;    /* of ids, if they are grouped */
  int64_t *next_in_group; /* then, of each seed: the next one of its id; -1: none */
  int64_t *list;          /* seeds that a field lists */
  int64_t listed, list_room;
  gv_text text;       /* a list of ids */
  bool cut;           /* the last cell was cut */
  double area_of_cut; /* then: its area, as content->area */
  int64_t written;
} diagram_writer;

/* The seed that stands for another's polygon: the first of its group. */
static int64_t writer_lead(const diagram_writer *w, int64_t seed) {
  return w->content->grouped ? w->groups.first[w->groups.of_seed[seed]] : seed;
}

/* The next seed of the same polygon; -1: there is none. */
static int64_t writer_next(const diagram_writer *w, int64_t seed) {
  return w->content->grouped ? w->next_in_group[seed] : -1;
}

/* ------------------------------------------------------------------------------------------------- fields */

static bool writer_has_text_ids(const diagram_writer *w) {
  const gv_seed_list *seeds = w->content->seeds;
  return seeds->ids_are_rows && seeds->names != NULL;
}

static gv_status writer_add_fields(diagram_writer *w) {
  OGRFieldType id = writer_has_text_ids(w) ? OFTString : OFTInteger64;
  if (w->content->layer != GV_DIAGRAM_CELLS) {
    GV_TRY(gv_layer_add_field(&w->out, "left", NULL, id, &w->seed));
    return gv_layer_add_field(&w->out, "right", NULL, id, &w->right);
  }
  GV_TRY(gv_layer_add_field(&w->out, "seed", NULL, id, &w->seed));
  if (w->content->grouped) GV_TRY(gv_layer_add_field(&w->out, "seeds", NULL, OFTInteger64, &w->count));
  GV_TRY(gv_layer_add_field(&w->out, w->content->square_meter > 0.0 ? "area_km2" : "area", NULL, OFTReal,
                            &w->area));
  GV_TRY(gv_layer_add_field(&w->out, "neighbours", NULL, OFTString, &w->neighbors));
  return gv_layer_add_field(&w->out, "others", NULL, OFTString, &w->others);
}

/* For a field of the seeds. */
static bool writer_name_is_taken(const void *user, const char *name) {
  const diagram_writer *w = user;
  return gv_field_is_reserved(name) || OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(w->out.layer), name) >= 0;
}

static gv_status writer_add_attributes(diagram_writer *w) {
  if (w->content->layer != GV_DIAGRAM_CELLS) return GV_OK;
  GV_TRY(gv_seed_features_open(w->io, w->content->source, w->content->seeds, false, &w->features));
  OGRFeatureDefnH source = gv_seed_features_definition(w->features);
  int count = OGR_FD_GetFieldCount(source);
  w->map = malloc(((size_t)count + 1) * sizeof *w->map);
  if (w->map == NULL) return gv_io_fail_memory(w->io, "attributes");
  for (int i = 0; i < count; i++)
    w->map[i] = -1;
  return gv_layer_add_attributes(&w->out, source, w->seed, writer_name_is_taken, w, w->map);
}

static gv_status writer_set_id(const diagram_writer *w, OGRFeatureH feature, int field, int64_t seed) {
  const gv_seed_list *seeds = w->content->seeds;
  if (!writer_has_text_ids(w)) return gv_layer_set_integer(&w->out, feature, field, seeds->ids[seed]);
  if (field >= 0 && seeds->names[seed] != NULL) OGR_F_SetFieldString(feature, field, seeds->names[seed]);
  return GV_OK;
}

/* Adds an id to w->text: numbers between blanks, texts as an array of JSON, as they may have blanks. */
static void writer_list_id(diagram_writer *w, int64_t seed) {
  const gv_seed_list *seeds = w->content->seeds;
  bool first = w->text.length == 0;
  if (writer_has_text_ids(w)) {
    gv_text_put_string(&w->text, first ? "[" : ", ");
    if (seeds->names[seed] != NULL) {
      gv_text_put_json(&w->text, seeds->names[seed]);
    } else {
      gv_text_put_string(&w->text, "null");
    }
  } else {
    if (!first) gv_text_put(&w->text, " ", 1);
    gv_text_put_integer(&w->text, seeds->ids[seed]);
  }
}

static int compare_seeds(const void *a, const void *b) {
  int64_t s = *(const int64_t *)a, t = *(const int64_t *)b;
  return s < t ? -1 : s > t;
}

/* Adds the polygon of a seed to the list, unless it is `own`. */
static gv_status writer_list(diagram_writer *w, int64_t own, int64_t seed) {
  int64_t lead = writer_lead(w, seed);
  if (lead == own) return GV_OK;
  int64_t *list = gv_grow(w->list, &w->list_room, w->listed + 1, sizeof *list);
  if (list == NULL) return gv_io_fail_memory(w->io, "a list of neighbors");
  w->list = list;
  w->list[w->listed++] = lead;
  return GV_OK;
}

/* Sets a field to the listed ids, each once, in the order of their seeds, if there are any. */
static gv_status writer_set_list(diagram_writer *w, OGRFeatureH feature, int field) {
  gv_text *text = &w->text;
  text->length = 0;
  if (w->listed > 0) qsort(w->list, (size_t)w->listed, sizeof *w->list, compare_seeds);
  for (int64_t i = 0; i < w->listed; i++)
    if (i == 0 || w->list[i] != w->list[i - 1]) writer_list_id(w, w->list[i]);
  w->listed = 0;
  if (text->length == 0) return GV_OK;
  if (writer_has_text_ids(w)) gv_text_put_string(text, "]");
  gv_text_put(text, "", 1); /* its end */
  if (text->failed) return gv_io_fail_memory(w->io, "a list of neighbors");
  if (field >= 0) OGR_F_SetFieldString(feature, field, text->bytes);
  return GV_OK;
}

/* The seeds of adjacent polygons. */
static gv_status writer_set_neighbors(diagram_writer *w, OGRFeatureH feature, int64_t seed) {
  const gv_diagram_parts *p = w->content->parts;
  for (int64_t of = seed; of >= 0; of = writer_next(w, of))
    for (int64_t i = p->cell[of]; i < p->cell[of + 1]; i++) {
      int64_t ring = p->ring[i], other = p->edge_seed[2 * gv_ring_edge(ring) + (ring >= 0)];
      if (other >= 0) GV_TRY(writer_list(w, seed, other));
    }
  return writer_set_list(w, feature, w->neighbors);
}

/* The seeds at the same places. */
static gv_status writer_set_others(diagram_writer *w, OGRFeatureH feature, int64_t seed) {
  for (int64_t of = seed; of >= 0; of = writer_next(w, of))
    for (int64_t other = w->next_here[of]; other >= 0; other = w->next_here[other])
      GV_TRY(writer_list(w, seed, other));
  return writer_set_list(w, feature, w->others);
}

static gv_status writer_set_attributes(diagram_writer *w, OGRFeatureH feature, int64_t seed) {
  OGRFeatureH from = NULL;
  GV_TRY(gv_seed_features_find(w->io, w->features, w->content->seeds, seed, &from));
  int count = OGR_F_GetFieldCount(from);
  gv_status status = GV_OK;
  for (int i = 0; i < count && status == GV_OK; i++)
    status = gv_layer_set_attribute(&w->out, feature, w->map[i], from, i);
  return status;
}

/* --------------------------------------------------------------------------------------------- geometries */

/* The area of a cell that was cut; `inverse`: from its coordinates to degrees, NULL: they are degrees. */
static gv_status writer_measure(diagram_writer *w, OGRGeometryH cut, gv_operation *inverse) {
  static const double longest = 2000.0; /* meters */
  const gv_diagram_content *c = w->content;
  w->cut = true;
  if (!c->globe) {
    w->area_of_cut = OGR_G_Area(cut);
    return GV_OK;
  }
  const gv_ellipsoid ellipsoid = {c->semi_major, c->flattening, c->flattening * (2.0 - c->flattening)};
  OGRGeometryH copy = OGR_G_Clone(cut);
  if (copy == NULL) return gv_io_fail_memory(w->io, "the area of a cell");
  gv_status status =
      gv_clipped_area(w->io, &ellipsoid, inverse, longest / c->map.meter, copy, &w->area_of_cut);
  OGR_G_DestroyGeometry(copy);
  return status;
}

static void writer_drop(OGRGeometryH *geometry) {
  if (*geometry != NULL) OGR_G_DestroyGeometry(*geometry);
  *geometry = NULL;
}

/* Cuts *geometry by a window, and measures the rest of a cell; areas of all cells are of lines as they are
 * drawn then. NULL: nothing is left. */
static gv_status writer_cut(diagram_writer *w, gv_window *window, bool polygons, gv_operation *inverse,
                            OGRGeometryH *geometry) {
  bool changed = false;
  if (window == NULL || *geometry == NULL) return GV_OK;
  GV_TRY(gv_window_cut(w->io, window, polygons, geometry, &changed));
  if (*geometry == NULL || !polygons || (!changed && w->cut)) return GV_OK;
  GV_TRY(writer_measure(w, *geometry, inverse));
  if (w->area_of_cut == 0.0) writer_drop(geometry); /* they touch */
  return GV_OK;
}

/* Cells of one group become one polygon: common borders have the same bytes, and vanish. */
static gv_status writer_dissolve(const diagram_writer *w, OGRGeometryH *geometry) {
  CPLPushErrorHandler(CPLQuietErrorHandler);
  OGRGeometryH united = OGR_G_UnionCascaded(*geometry);
  CPLPopErrorHandler();
  if (united == NULL) return gv_io_fail_gdal(w->io, GV_ERROR_INTERNAL, "cannot unite polygons");
  OGR_G_DestroyGeometry(*geometry);
  *geometry = gv_parts_of(united, true);
  return GV_OK;
}

/* Cut and drawn on the map; *out NULL: nothing is left. */
static gv_status writer_finish(diagram_writer *w, const gv_pieces *p, bool polygons, OGRGeometryH *out) {
  const gv_diagram_content *c = w->content;
  OGRGeometryH drawn = NULL;
  *out = NULL;
  w->cut = false;
  if (p->count == 0) return GV_OK;
  gv_status status = gv_piece_geometry(w->io, p, polygons, out);
  if (status == GV_OK && polygons && c->grouped && p->count > 1) status = writer_dissolve(w, out);
  if (status == GV_OK) status = writer_cut(w, c->region, polygons, NULL, out);
  if (status == GV_OK && *out != NULL && c->globe && c->map.operation != NULL) {
    status = gv_map_draw(w->io, &c->map, c->tolerance, polygons, *out, &drawn);
    OGR_G_DestroyGeometry(*out);
    *out = drawn;
  }
  if (status == GV_OK) status = writer_cut(w, c->within, polygons, c->map.inverse, out);
  if (status != GV_OK) writer_drop(out);
  return status;
}

static gv_status writer_write_cell(diagram_writer *w, int64_t seed) {
  const gv_diagram_content *c = w->content;
  OGRGeometryH geometry = NULL;
  double area = 0.0;
  gv_status status = GV_OK;
  if (writer_lead(w, seed) != seed) return GV_OK;
  gv_pieces_empty(&w->pieces);
  for (int64_t of = seed; of >= 0 && status == GV_OK; of = writer_next(w, of)) {
    status = gv_pieces_of_cell(w->context, c->parts, of, c->globe, c->cut, &w->pieces);
    area += c->area[of];
  }
  status = gv_io_pass_on_library(w->io, w->context, status);
  if (status == GV_OK) status = writer_finish(w, &w->pieces, true, &geometry);
  if (status != GV_OK) return gv_io_within(w->io, status, "the cell of seed %" PRId64, c->seeds->ids[seed]);
  if (geometry == NULL) return GV_OK;
  OGRFeatureH feature = gv_layer_feature(&w->out);
  if (feature == NULL) {
    OGR_G_DestroyGeometry(geometry);
    return gv_io_fail_memory(w->io, "a row of a table");
  }
  OGR_F_SetGeometryDirectly(feature, geometry);
  status = writer_set_id(w, feature, w->seed, seed);
  double unit = c->square_meter > 0.0 ? 1e-6 * c->square_meter : 1.0;
  if (w->area >= 0) OGR_F_SetFieldDouble(feature, w->area, (w->cut ? w->area_of_cut : area) * unit);
  if (status == GV_OK && c->grouped)
    status = gv_layer_set_integer(&w->out, feature, w->count, w->groups.seeds[w->groups.of_seed[seed]]);
  if (status == GV_OK) status = writer_set_neighbors(w, feature, seed);
  if (status == GV_OK) status = writer_set_others(w, feature, seed);
  if (status == GV_OK) status = writer_set_attributes(w, feature, seed);
  w->written++;
  return gv_layer_write(&w->out, feature, status);
}

/* A line of the triangulation: between two seeds. */
static gv_status writer_delaunay(diagram_writer *w, int64_t left, int64_t right, OGRGeometryH *out) {
  const gv_diagram_content *c = w->content;
  const double center = c->globe ? c->map.center : 0.0;
  const double from[2] = {c->seeds->x[left] - center, c->seeds->y[left]},
               to[2] = {c->seeds->x[right] - center, c->seeds->y[right]};
  OGRGeometryH line = NULL;
  gv_pieces *p = &w->pieces;
  *out = NULL;
  gv_pieces_empty(p);
  if (c->globe) GV_TRY(gv_geodesic_line(w->io, c->semi_major, c->flattening, from, to, &line));
  gv_status status = GV_OK; /* the library's */
  for (int i = 0; line != NULL && i < OGR_G_GetGeometryCount(line) && status == GV_OK; i++) {
    OGRGeometryH part = OGR_G_GetGeometryRef(line, i);
    status = gv_pieces_begin(w->context, p);
    for (int j = 0; j < OGR_G_GetPointCount(part) && status == GV_OK; j++)
      status = gv_pieces_add(w->context, p, OGR_G_GetX(part, j), OGR_G_GetY(part, j));
  }
  if (line != NULL) OGR_G_DestroyGeometry(line);
  if (!c->globe) {
    status = gv_pieces_begin(w->context, p);
    if (status == GV_OK) status = gv_pieces_add(w->context, p, from[0], from[1]);
    if (status == GV_OK) status = gv_pieces_add(w->context, p, to[0], to[1]);
  }
  GV_TRY(gv_io_pass_on_library(w->io, w->context, status));
  return writer_finish(w, p, false, out);
}

/* A line, or several of one feature: the ids to the left and to the right. */
static gv_status writer_write_line(diagram_writer *w, int64_t left, int64_t right, OGRGeometryH geometry) {
  if (geometry == NULL) return GV_OK;
  OGRFeatureH feature = gv_layer_feature(&w->out);
  if (feature == NULL) {
    OGR_G_DestroyGeometry(geometry);
    return gv_io_fail_memory(w->io, "a row of a table");
  }
  OGR_F_SetGeometryDirectly(feature, geometry);
  gv_status status = writer_set_id(w, feature, w->seed, left);
  if (status == GV_OK) status = writer_set_id(w, feature, w->right, right);
  w->written++;
  return gv_layer_write(&w->out, feature, status);
}

static gv_status writer_write_edge(diagram_writer *w, int64_t edge) {
  const gv_diagram_content *c = w->content;
  int64_t left = c->parts->edge_seed[2 * edge], right = c->parts->edge_seed[2 * edge + 1];
  OGRGeometryH geometry = NULL;
  if (right < 0) return GV_OK;
  if (c->layer == GV_DIAGRAM_DELAUNAY) {
    GV_TRY(writer_delaunay(w, left, right, &geometry));
  } else {
    gv_pieces_empty(&w->pieces);
    gv_status made = gv_pieces_of_edge(w->context, c->parts, edge, c->globe, c->cut, &w->pieces);
    GV_TRY(gv_io_pass_on_library(w->io, w->context, made));
    GV_TRY(writer_finish(w, &w->pieces, false, &geometry));
  }
  return writer_write_line(w, left, right, geometry);
}

/* After `done` of `count` features. */
static gv_status writer_go_on(const diagram_writer *w, int64_t done, int64_t count) {
  const gv_diagram_content *c = w->content;
  if (done % 64 != 0 && done < count) return GV_OK;
  return c->progress((double)done / (double)count, c->progress_user) != 0 ? GV_OK
                                                                          : gv_io_fail_cancelled(w->io);
}

/* An edge between two groups. */
typedef struct group_edge {
  int64_t left, right, edge; /* first seeds of the groups, the lower one left */
} group_edge;

static int compare_group_edges(const void *a, const void *b) {
  const group_edge *p = a, *q = b;
  if (p->left != q->left) return p->left < q->left ? -1 : 1;
  if (p->right != q->right) return p->right < q->right ? -1 : 1;
  return p->edge < q->edge ? -1 : p->edge > q->edge;
}

/* Turns the pieces from number `from` on round. */
static void writer_reverse_rings(gv_pieces *p, int64_t from) {
  for (int64_t i = from; i < p->count; i++)
    for (int64_t low = p->first[i], high = p->first[i + 1] - 1; low < high; low++, high--) {
      double x = p->x[low], y = p->y[low];
      p->x[low] = p->x[high], p->y[low] = p->y[high];
      p->x[high] = x, p->y[high] = y;
    }
}

/* The borders of each pair of groups, as one feature. */
static gv_status writer_write_group_edges(diagram_writer *w, group_edge *edges) {
  const gv_diagram_content *c = w->content;
  int64_t count = 0;
  for (int64_t edge = 0; edge < c->parts->edge_count; edge++) {
    const int64_t *side = c->parts->edge_seed + 2 * edge;
    if (side[0] < 0 || side[1] < 0) continue;
    int64_t a = writer_lead(w, side[0]), b = writer_lead(w, side[1]);
    if (a != b) edges[count++] = (group_edge){a < b ? a : b, a < b ? b : a, edge};
  }
  if (count > 0) qsort(edges, (size_t)count, sizeof *edges, compare_group_edges);
  for (int64_t i = 0, next; i < count; i = next) {
    OGRGeometryH geometry = NULL;
    gv_status made = GV_OK;
    gv_pieces_empty(&w->pieces);
    for (next = i; made == GV_OK && next < count && edges[next].left == edges[i].left &&
                   edges[next].right == edges[i].right;
         next++) {
      int64_t before = w->pieces.count;
      made = gv_pieces_of_edge(w->context, c->parts, edges[next].edge, c->globe, c->cut, &w->pieces);
      if (made == GV_OK && writer_lead(w, c->parts->edge_seed[2 * edges[next].edge]) != edges[i].left)
        writer_reverse_rings(&w->pieces, before);
    }
    GV_TRY(gv_io_pass_on_library(w->io, w->context, made));
    GV_TRY(writer_finish(w, &w->pieces, false, &geometry));
    GV_TRY(writer_write_line(w, edges[i].left, edges[i].right, geometry));
    GV_TRY(writer_go_on(w, next, count));
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- together */

/* Chains the seeds of each place in ascending order. */
static gv_status writer_chain(diagram_writer *w) {
  const gv_diagram_parts *p = w->content->parts;
  w->next_here = malloc((size_t)p->seed_count * sizeof *w->next_here);
  if (w->next_here == NULL) return gv_io_fail_memory(w->io, "the seeds");
  for (int64_t i = p->seed_count - 1; i >= 0; i--)
    w->next_here[i] = -1;
  for (int64_t i = p->seed_count - 1; i >= 0; i--) {
    int64_t owner = p->owner[i];
    if (owner == i) continue;
    w->next_here[i] = w->next_here[owner];
    w->next_here[owner] = i;
  }
  return GV_OK;
}

/* The groups of ids, and chains of their seeds. */
static gv_status writer_group(diagram_writer *w) {
  const gv_seed_list *seeds = w->content->seeds;
  if (!w->content->grouped) return GV_OK;
  GV_TRY(gv_groups_make(w->io, seeds, &w->groups));
  w->next_in_group = malloc((size_t)seeds->count * sizeof *w->next_in_group);
  int64_t *last = malloc((size_t)seeds->count * sizeof *last);
  for (int64_t i = 0; i < seeds->count && w->next_in_group != NULL && last != NULL; i++) {
    int32_t group = w->groups.of_seed[i];
    if (w->groups.first[group] != i) w->next_in_group[last[group]] = i;
    w->next_in_group[i] = -1;
    last[group] = i;
  }
  bool made = w->next_in_group != NULL && last != NULL;
  free(last);
  return made ? GV_OK : gv_io_fail_memory(w->io, "the groups");
}

static gv_status writer_run(diagram_writer *w) {
  const gv_diagram_content *c = w->content;
  bool cells = c->layer == GV_DIAGRAM_CELLS;
  int64_t count = cells ? c->parts->seed_count : c->parts->edge_count;
  GV_TRY(writer_chain(w));
  GV_TRY(writer_group(w));
  GV_TRY(gv_layer_create(&w->out, c->crs, cells ? wkbMultiPolygon : wkbMultiLineString, NULL));
  GV_TRY(writer_add_fields(w));
  GV_TRY(writer_add_attributes(w));
  if (c->grouped && !cells) {
    group_edge *edges = malloc(((size_t)count + 1) * sizeof *edges);
    gv_status status =
        edges != NULL ? writer_write_group_edges(w, edges) : gv_io_fail_memory(w->io, "the borders");
    free(edges);
    return status;
  }
  for (int64_t i = 0; i < count; i++) {
    GV_TRY(cells ? writer_write_cell(w, i) : writer_write_edge(w, i));
    GV_TRY(writer_go_on(w, i + 1, count));
  }
  return GV_OK;
}

gv_status gv_diagram_write(gv_io *io, gv_writer *out, const gv_diagram_content *content, int64_t *written) {
  diagram_writer w = {
      .io = io, .out = {.io = io, .writer = out}, .content = content, .context = content->context};
  gv_status status = gv_layer_finish(&w.out, writer_run(&w));
  *written = w.written;
  gv_seed_features_close(w.features);
  gv_pieces_free(w.context, &w.pieces);
  free(w.map);
  free(w.next_here);
  free(w.next_in_group);
  free(w.list);
  gv_groups_free(&w.groups);
  gv_text_free(&w.text);
  return status;
}
