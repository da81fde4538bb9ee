/* Boxes in memory, nodes level by level, statements of SQL. */
#include "io/geometry/box_index.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/grow.h"
#include "io/text.h"

enum { INDEX_CELL = 24 /* bytes of a node: a number of 8 and four of 4 */, INDEX_STATEMENT = 1 << 18 };

/* What a node holds: the feature at that place in `ids`, or another node. */
typedef struct index_entry {
  float low[2], high[2];
  int64_t number;
} index_entry;

/* Not created; GDAL inserts boxes of features as they are written; empty as yet. */
typedef enum index_state { INDEX_NONE, INDEX_GROWS, INDEX_WAITS } index_state;

struct gv_box_index {
  GDALDatasetH dataset;
  char *table, *column; /* without quotation marks */
  char *insert;         /* the statement that creates the trigger that inserts boxes */
  index_state state;
  bool lost;    /* memory has run out for entries */
  int64_t most; /* entries that may be in memory */
  index_entry *entries;
  int64_t *ids; /* of features */
  int64_t count, entries_room, ids_room;
  int64_t node_bytes;
};

/* --------------------------------------------------------------------------------------------- statements */

/* Runs a statement; false if GDAL reports a failure. *value (optional): the first column of its first row, to
 * be freed; NULL: there is none. */
static bool index_run(const gv_box_index *x, const char *statement, char **value) {
  gv_gdal_reset();
  OGRLayerH rows = GDALDatasetExecuteSQL(x->dataset, statement, NULL, NULL);
  OGRFeatureH row = rows != NULL ? OGR_L_GetNextFeature(rows) : NULL;
  if (value != NULL) *value = row != NULL ? strdup(OGR_F_GetFieldAsString(row, 0)) : NULL;
  if (row != NULL) OGR_F_Destroy(row);
  if (rows != NULL) GDALDatasetReleaseResultSet(x->dataset, rows);
  return !gv_gdal_failed();
}

/* The same of a format for the names of table and column. */
static bool index_run_for(const gv_box_index *x, const char *format, char **value) {
  char *statement = NULL;
  if (value != NULL) *value = NULL;
  if (asprintf(&statement, format, x->table, x->column) < 0) return false;
  bool good = index_run(x, statement, value);
  free(statement);
  return good;
}

gv_status gv_box_index_make(gv_io *io, GDALDatasetH dataset, OGRLayerH layer, gv_box_index **out) {
  enum { SHARE = 8 /* of the memory for inputs */, MOST = 1 << 24 };
  gv_box_index *x = calloc(1, sizeof *x);
  *out = x;
  if (x == NULL) return gv_io_fail_memory(io, "a spatial index");
  const int64_t fit = io->memory / SHARE / (int64_t)(sizeof(index_entry) + sizeof(int64_t));
  x->dataset = dataset;
  x->most = io->memory > 0 && fit < MOST ? fit : MOST;
  x->table = strdup(OGR_L_GetName(layer));
  x->column = strdup(OGR_L_GetGeometryColumn(layer));
  return x->table != NULL && x->column != NULL ? GV_OK : gv_io_fail_memory(io, "a spatial index");
}

void gv_box_index_free(gv_box_index *x) {
  if (x == NULL) return;
  free(x->table);
  free(x->column);
  free(x->insert);
  free(x->entries);
  free(x->ids);
  free(x);
}

/* ----------------------------------------------------------------------------------------------- features */

void gv_box_index_begin(gv_box_index *x) {
  char *bytes = NULL;
  if (x->state != INDEX_NONE) return;
  if (index_run_for(x, "SELECT CreateSpatialIndex('%s', '%s')", NULL)) x->state = INDEX_GROWS;
  bool known =
      x->state == INDEX_GROWS &&
      index_run_for(x, "SELECT length(data) FROM \"rtree_%s_%s_node\" WHERE nodeno = 1", &bytes) &&
      index_run_for(x, "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'rtree_%s_%s_insert'",
                    &x->insert);
  x->node_bytes = bytes != NULL ? strtoll(bytes, NULL, 10) : 0;
  known = known && x->insert != NULL && x->node_bytes >= 4 + 2 * INDEX_CELL;
  if (known && index_run_for(x, "DROP TRIGGER \"rtree_%s_%s_insert\"", NULL)) x->state = INDEX_WAITS;
  free(bytes);
}

void gv_box_index_add(gv_box_index *x, OGRFeatureH feature) {
  OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
  OGREnvelope e;
  if (x->state != INDEX_WAITS || x->lost || geometry == NULL || OGR_G_IsEmpty(geometry)) return;
  index_entry *entries =
      x->count < x->most ? gv_grow(x->entries, &x->entries_room, x->count + 1, sizeof *entries) : NULL;
  if (entries != NULL) x->entries = entries;
  int64_t *ids = entries != NULL ? gv_grow(x->ids, &x->ids_room, x->count + 1, sizeof *ids) : NULL;
  if (ids != NULL) x->ids = ids;
  if (ids == NULL) {
    x->lost = true;
    return;
  }
  OGR_G_GetEnvelope(geometry, &e);
  const double box[4] = {e.MinX, e.MinY, e.MaxX, e.MaxY};
  index_entry *entry = &x->entries[x->count];
  for (int i = 0; i < 2; i++) {
    entry->low[i] = (float)box[i];
    entry->high[i] = (float)box[2 + i];
    if ((double)entry->low[i] > box[i]) entry->low[i] = nextafterf(entry->low[i], -INFINITY);
    if ((double)entry->high[i] < box[2 + i]) entry->high[i] = nextafterf(entry->high[i], INFINITY);
  }
  entry->number = x->count;
  x->ids[x->count++] = (int64_t)OGR_F_GetFID(feature);
}

/* -------------------------------------------------------------------------------------------------- nodes */

static int index_compare(const index_entry *p, const index_entry *q, int axis) {
  float a = p->low[axis] + p->high[axis], b = q->low[axis] + q->high[axis];
  return a != b ? (a > b) - (a < b) : (p->number > q->number) - (p->number < q->number);
}

static int index_compare_x(const void *a, const void *b) {
  return index_compare(a, b, 0);
}

static int index_compare_y(const void *a, const void *b) {
  return index_compare(a, b, 1);
}

/* The tree while it is made. */
typedef struct index_tree {
  gv_io *io;
  gv_box_index *x;
  int64_t *node_of;      /* of features */
  int64_t nodes;         /* number of the last one; the root's is 1 */
  unsigned char *bytes;  /* of a node */
  char *digits;          /* the same as text */
  gv_text rows[2];       /* statements that insert nodes, and nodes above them or features */
  const char *suffix[2]; /* of the tables that they are for */
  bool failed;
} index_tree;

/* Runs a statement that has become long enough, or any. */
static void index_flush(index_tree *t, int which, size_t enough) {
  gv_text *rows = &t->rows[which];
  if (rows->length <= enough || t->failed) return;
  gv_text_put(rows, "", 1); /* its end */
  t->failed = rows->failed || gv_io_cancelled(t->io) || !index_run(t->x, rows->bytes, NULL);
  rows->length = 0;
}

/* Begins a row of one of the tables, with its first value. */
static gv_text *index_begin_row(index_tree *t, int which, int64_t value) {
  gv_text *rows = &t->rows[which];
  index_flush(t, which, INDEX_STATEMENT);
  if (rows->length == 0) {
    const char *const parts[] = {"INSERT INTO \"rtree_", t->x->table,      "_",
                                 t->x->column,           t->suffix[which], "\" VALUES "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      gv_text_put_string(rows, parts[i]);
  } else {
    gv_text_put(rows, ",", 1);
  }
  gv_text_put(rows, "(", 1);
  gv_text_put_integer(rows, value);
  gv_text_put(rows, ",", 1);
  return rows;
}

static void index_put_bytes(unsigned char **to, uint64_t value, int count) {
  while (count-- > 0)
    *(*to)++ = (unsigned char)(value >> 8 * count);
}

/* The blob of a node, as digits: its depth (of the root), the number of entries, and these; of numbers the
 * most significant bytes first. `ids`: of features, NULL: the entries are nodes. */
static void index_put_node(index_tree *t, gv_text *text, int depth, const index_entry *entries, int64_t count,
                           const int64_t *ids) {
  static const char digits[] = "0123456789abcdef";
  unsigned char *to = t->bytes;
  memset(t->bytes, 0, (size_t)t->x->node_bytes);
  index_put_bytes(&to, (uint64_t)depth, 2);
  index_put_bytes(&to, (uint64_t)count, 2);
  for (int64_t i = 0; i < count; i++) {
    const index_entry *e = &entries[i];
    const float bounds[4] = {e->low[0], e->high[0], e->low[1], e->high[1]};
    index_put_bytes(&to, (uint64_t)(ids != NULL ? ids[e->number] : e->number), 8);
    for (int k = 0; k < 4; k++) {
      uint32_t bits;
      memcpy(&bits, &bounds[k], sizeof bits);
      index_put_bytes(&to, bits, 4);
    }
  }
  gv_text_put(text, "X'", 2);
  for (int64_t i = 0; i < t->x->node_bytes; i++) {
    t->digits[2 * i] = digits[t->bytes[i] >> 4];
    t->digits[2 * i + 1] = digits[t->bytes[i] & 15];
  }
  gv_text_put(text, t->digits, 2 * (size_t)t->x->node_bytes);
  gv_text_put(text, "'", 1);
}

/* Notes in which node entries are. */
static void index_put_into(index_tree *t, int64_t node, const index_entry *entries, int64_t count,
                           const int64_t *ids) {
  for (int64_t i = 0; i < count; i++) {
    if (ids != NULL) {
      t->node_of[entries[i].number] = node;
      continue;
    }
    gv_text *rows = index_begin_row(t, 1, entries[i].number);
    gv_text_put_integer(rows, node);
    gv_text_put(rows, ")", 1);
  }
}

/* A node of entries; returns its own entry. */
static index_entry index_make_node(index_tree *t, const index_entry *entries, int64_t count,
                                   const int64_t *ids) {
  index_entry own = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}, .number = ++t->nodes};
  for (int64_t i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) {
      own.low[k] = fminf(own.low[k], entries[i].low[k]);
      own.high[k] = fmaxf(own.high[k], entries[i].high[k]);
    }
  gv_text *rows = index_begin_row(t, 0, own.number);
  index_put_node(t, rows, 0, entries, count, ids);
  gv_text_put(rows, ")", 1);
  index_put_into(t, own.number, entries, count, ids);
  return own;
}

/* Replaces the entries of a level by those of the nodes that they are put in; returns their number. */
static int64_t index_make_level(index_tree *t, index_entry *entries, int64_t count, int64_t capacity,
                                const int64_t *ids) {
  int64_t nodes = (count + capacity - 1) / capacity, columns = (int64_t)ceil(sqrt((double)nodes)), made = 0;
  int64_t width = (nodes + columns - 1) / columns * capacity;
  qsort(entries, (size_t)count, sizeof *entries, index_compare_x);
  for (int64_t first = 0; first < count && !t->failed; first += width) {
    int64_t number = count - first < width ? count - first : width,
            parts = (number + capacity - 1) / capacity;
    qsort(entries + first, (size_t)number, sizeof *entries, index_compare_y);
    for (int64_t part = 0; part < parts; part++) {
      int64_t begin = first + part * number / parts, end = first + (part + 1) * number / parts;
      entries[made++] = index_make_node(t, entries + begin, end - begin, ids);
    }
  }
  return made;
}

/* The root, which exists. */
static void index_make_root(index_tree *t, int depth, const index_entry *entries, int64_t count,
                            const int64_t *ids) {
  gv_text text = {0};
  const char *const parts[] = {"UPDATE \"rtree_", t->x->table, "_", t->x->column, "_node\" SET data = "};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    gv_text_put_string(&text, parts[i]);
  index_put_node(t, &text, depth, entries, count, ids);
  gv_text_put_string(&text, " WHERE nodeno = 1");
  gv_text_put(&text, "", 1); /* its end */
  t->failed = t->failed || text.failed || !index_run(t->x, text.bytes, NULL);
  gv_text_free(&text);
  index_put_into(t, 1, entries, count, ids);
}

/* All nodes; false if memory runs out, or GDAL fails. */
static bool index_fill(gv_io *io, gv_box_index *x) {
  index_tree t = {.io = io, .x = x, .nodes = 1, .suffix = {"_node", "_parent"}};
  const int64_t capacity = (x->node_bytes - 4) / INDEX_CELL, *ids = x->ids;
  int64_t count = x->count;
  int depth = 0;
  t.node_of = malloc(((size_t)count + 1) * sizeof *t.node_of);
  t.bytes = malloc((size_t)x->node_bytes);
  t.digits = malloc(2 * (size_t)x->node_bytes);
  t.failed = t.node_of == NULL || t.bytes == NULL || t.digits == NULL;
  for (; count > capacity && !t.failed; depth++, ids = NULL)
    count = index_make_level(&t, x->entries, count, capacity, ids);
  if (!t.failed && x->count > 0) index_make_root(&t, depth, x->entries, count, ids);
  index_flush(&t, 0, 0);
  index_flush(&t, 1, 0);
  t.suffix[1] = "_rowid";
  for (int64_t i = 0; i < x->count && !t.failed; i++) {
    gv_text *rows = index_begin_row(&t, 1, x->ids[i]);
    gv_text_put_integer(rows, t.node_of[i]);
    gv_text_put(rows, ")", 1);
  }
  index_flush(&t, 1, 0);
  free(t.node_of);
  free(t.bytes);
  free(t.digits);
  gv_text_free(&t.rows[0]);
  gv_text_free(&t.rows[1]);
  return !t.failed;
}

/* All boxes by GDAL. */
static bool index_insert(const gv_box_index *x, OGRLayerH layer) {
  const char *id = OGR_L_GetFIDColumn(layer), *g = x->column;
  char *statement = NULL;
  if (asprintf(
          &statement,
          "INSERT INTO \"rtree_%s_%s\" SELECT \"%s\", ST_MinX(\"%s\"), ST_MaxX(\"%s\"), ST_MinY(\"%s\"), "
          "ST_MaxY(\"%s\") "
          "FROM \"%s\" WHERE \"%s\" NOT NULL AND NOT ST_IsEmpty(\"%s\")",
          x->table, g, id, g, g, g, g, x->table, g, g) < 0)
    return false;
  bool good = index_run(x, statement, NULL);
  free(statement);
  return good;
}

gv_status gv_box_index_finish(gv_io *io, gv_box_index *x, OGRLayerH layer, bool *made) {
  gv_box_index_begin(x);
  *made = x->state != INDEX_NONE;
  if (x->state != INDEX_WAITS) return GV_OK;
  bool filled = !x->lost && index_fill(io, x);
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  *made = (filled || index_insert(x, layer)) && index_run(x, x->insert, NULL);
  return GV_OK;
}
