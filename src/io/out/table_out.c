/*
 * Seeds to features. The attributes come from a second walk over the seeds' layer, feature by feature.
 *
 * OGR takes eight microseconds to write a row of CSV, so tables of points go past it there: OGR makes the header, and the rows are
 * written by io/out/csv_out.c, some thousand at a time by each thread, provided that OGR has written a row made up for that as it is
 * written here. Attributes are taken from the seeds' file where that is a plain CSV file and still in memory, else from features.
 */
#include "io/out/table_out.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <ogr_api.h>

#include "io/grow.h"
#include "io/out/csv_out.h"
#include "io/parallel.h"

enum {
  FEATURES_A_TRANSACTION = 1 << 17,
  SEEDS_A_PART = 1 << 10, /* or a few more, if these are of one feature */
  PARTS_A_THREAD = 8,     /* at once in memory */
  SAMPLE_ID = 12
};

struct gv_table_out {
  gv_place place;
};

GDALDriverH gv_vector_driver(const char *path) {
  const char *extension = CPLGetExtension(path);
  for (int i = 0; extension[0] != '\0' && i < GDALGetDriverCount(); i++) {
    GDALDriverH driver = GDALGetDriver(i);
    if (GDALGetMetadataItem(driver, GDAL_DCAP_VECTOR, NULL) == NULL ||
        GDALGetMetadataItem(driver, GDAL_DCAP_CREATE, NULL) == NULL) {
      continue;
    }
    const char *list = GDALGetMetadataItem(driver, GDAL_DMD_EXTENSIONS, NULL);
    char **names = CSLTokenizeString2(list != NULL ? list : "", " ", 0);
    bool found = CSLFindString(names, extension) >= 0;
    CSLDestroy(names);
    if (found) return driver;
  }
  return NULL;
}

gv_status gv_table_plan(gv_io *io, const char *option, const char *path, const char *layer, bool overwrite,
                        gv_table_out **out) {
  gv_table_out *table = calloc(1, sizeof *table);
  if (table == NULL) return gv_io_fail_memory(io, "the output");
  gv_place_options options = {option, path, gv_vector_driver(path), layer, overwrite};
  gv_status status =
      options.driver != NULL
          ? gv_place_plan(io, &table->place, &options)
          : gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                       "%s: no vector driver is known for '%s'; .gpkg, .fgb, .csv and .geojson are some", option,
                       path);
  if (status != GV_OK) {
    gv_table_close(table);
    return status;
  }
  *out = table;
  return GV_OK;
}

gv_place *gv_table_place(gv_table_out *table) {
  return &table->place;
}

void gv_table_close(gv_table_out *table) {
  if (table == NULL) return;
  gv_place_clear(&table->place);
  free(table);
}

/* A table being written. */
typedef struct writer {
  gv_io *io;
  gv_table_out *table;
  const gv_table_content *content;
  OGRFeatureDefnH attributes; /* of the seeds' layer */
  gv_seed_features *features; /* NULL until one is read */
  OGRFeatureH from;           /* the feature read last, and ... */
  int64_t row;                /* ... its number */
  const char *sample;         /* file in memory for a row made up; NULL = the output */
  GDALDatasetH dataset;
  OGRLayerH layer;
  int *map;  /* field of the layer for each attribute; -1 = none */
  int first; /* field of the first column */
} writer;

static gv_status cannot_write(const writer *w) {
  return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot write %s", w->table->place.output.path);
}

static gv_status cannot_create(const writer *w) {
  return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot create %s", w->table->place.output.path);
}

static gv_status create_field(const writer *w, OGRFieldDefnH field, int *index) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(w->layer);
  int before = OGR_FD_GetFieldCount(definition);
  if (OGR_L_CreateField(w->layer, field, TRUE) != OGRERR_NONE) return cannot_write(w);
  if (index != NULL) *index = OGR_FD_GetFieldCount(definition) > before ? before : -1;
  return GV_OK;
}

static gv_status create_column(const writer *w, const char *name, OGRFieldType type) {
  OGRFieldDefnH field = OGR_Fld_Create(name, type);
  gv_status status = create_field(w, field, NULL);
  OGR_Fld_Destroy(field);
  return status;
}

/* True for the name of one of our columns, of an attribute before this one, or one that formats use themselves. */
static bool taken(const writer *w, const char *name) {
  static const char *const reserved[] = {"id", "fid", "ogc_fid", "geom", "geometry", "wkt"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (EQUAL(name, reserved[i])) return true;
  }
  for (int i = 0; i < w->content->count; i++) {
    if (EQUAL(name, w->content->columns[i].name)) return true;
  }
  return OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(w->layer), name) >= 0;
}

static gv_status create_attributes(writer *w) {
  int count = OGR_FD_GetFieldCount(w->attributes);
  for (int i = 0; i < count; i++) {
    OGRFieldDefnH like = OGR_FD_GetFieldDefn(w->attributes, i);
    char name[256];
    snprintf(name, sizeof name, "%s", OGR_Fld_GetNameRef(like));
    if (taken(w, name)) snprintf(name, sizeof name, "seed_%.240s", OGR_Fld_GetNameRef(like));
    while (taken(w, name) && strlen(name) + 2 < sizeof name)
      strcat(name, "_");
    OGRFieldDefnH field = OGR_Fld_Create(name, OGR_Fld_GetType(like));
    OGR_Fld_SetSubType(field, OGR_Fld_GetSubType(like));
    OGR_Fld_SetWidth(field, OGR_Fld_GetWidth(like));
    OGR_Fld_SetPrecision(field, OGR_Fld_GetPrecision(like));
    gv_status status = create_field(w, field, &w->map[i]);
    OGR_Fld_Destroy(field);
    if (status != GV_OK) return status;
  }
  return GV_OK;
}

static gv_status create_layer(writer *w) {
  gv_place *place = &w->table->place;
  gv_status status = GV_OK;
  if (w->sample == NULL) {
    status = gv_place_open(w->io, place, &w->dataset);
  } else if ((w->dataset = GDALCreate(place->driver, w->sample, 0, 0, 0, GDT_Unknown, NULL)) == NULL) {
    status = cannot_create(w);
  }
  if (status != GV_OK) return status;
  char **options = NULL;
  if (EQUAL(GDALGetDriverShortName(place->driver), "CSV")) {
    options = CSLSetNameValue(options, "GEOMETRY", "AS_WKT");
  }
  if (EQUAL(GDALGetDriverShortName(place->driver), "FlatGeobuf")) {
    options = CSLSetNameValue(options, "SPATIAL_INDEX", "NO"); /* which would sort the rows by place */
  }
  w->layer = GDALDatasetCreateLayer(w->dataset, place->layer, w->content->crs, w->content->geometry, options);
  CSLDestroy(options);
  if (w->layer == NULL) return cannot_create(w);
  if (w->content->geometry != wkbPoint &&
      OGR_FD_GetGeomFieldCount(OGR_L_GetLayerDefn(w->layer)) == 0) { /* spreadsheets */
    return gv_io_fail(w->io, GV_ERROR_INVALID_ARGUMENT, "%s: a file of this format holds no geometries",
                      w->table->place.option);
  }
  status = create_column(w, "id", OFTInteger64);
  if (status == GV_OK) status = create_attributes(w);
  w->first = OGR_FD_GetFieldCount(OGR_L_GetLayerDefn(w->layer));
  for (int i = 0; i < w->content->count && status == GV_OK; i++)
    status = create_column(w, w->content->columns[i].name, w->content->columns[i].type);
  return status;
}

static gv_status close_layer(writer *w) {
  if (w->dataset == NULL) return GV_OK;
  GDALClose(w->dataset);
  w->dataset = NULL;
  return gv_gdal_failed() ? cannot_write(w) : GV_OK;
}

/* A row without values, to be filled; to be freed with free_row. */
static gv_status make_row(const writer *w, gv_table_row *row) {
  row->values = calloc((size_t)w->content->count + 1, sizeof *row->values);
  return row->values != NULL ? GV_OK : gv_io_fail_memory(w->io, "a row of a table");
}

static void free_row(gv_table_row *row) {
  free(row->values);
}

static gv_status fill_row(const writer *w, gv_io *io, int64_t seed, gv_table_row *row) {
  for (int i = 0; i < w->content->count; i++)
    row->values[i].given = false;
  row->keep = true;
  row->geometry = NULL;
  return w->content->row(io, w->content->user, seed, row);
}

static void set_column(OGRFeatureH feature, int field, OGRFieldType type, gv_table_value value) {
  if (!value.given) {
    OGR_F_SetFieldNull(feature, field);
  } else if (type == OFTReal) {
    OGR_F_SetFieldDouble(feature, field, value.real);
  } else {
    OGR_F_SetFieldInteger64(feature, field, value.integer);
  }
}

/* Formats that hold no points go without. */
static gv_status set_geometry(const writer *w, OGRFeatureH feature, const gv_table_row *row) {
  OGRGeometryH geometry = row->geometry;
  if (w->content->geometry == wkbPoint) {
    geometry = OGR_G_CreateGeometry(wkbPoint);
    if (geometry == NULL) return gv_io_fail_memory(w->io, "a point");
    OGR_G_SetPoint_2D(geometry, 0, row->x, row->y);
  }
  OGR_F_SetGeometryDirectly(feature, geometry);
  return GV_OK;
}

/* Writes a row with the attributes of the feature `from`. */
static gv_status write_row(const writer *w, OGRFeatureH from, int64_t id, const gv_table_row *row) {
  OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(w->layer));
  if (feature == NULL) return gv_io_fail_memory(w->io, "a row of a table");
  gv_status status = OGR_F_SetFromWithMap(feature, from, TRUE, w->map) == OGRERR_NONE ? GV_OK : cannot_write(w);
  OGR_F_SetFieldInteger64(feature, 0, id);
  for (int i = 0; i < w->content->count; i++)
    set_column(feature, w->first + i, w->content->columns[i].type, row->values[i]);
  gv_status set = set_geometry(w, feature, row);
  if (status == GV_OK) status = set;
  if (status == GV_OK && OGR_L_CreateFeature(w->layer, feature) != OGRERR_NONE) status = cannot_write(w);
  OGR_F_Destroy(feature);
  return status;
}

static gv_status set_attributes(writer *w, OGRFeatureDefnH attributes) {
  free(w->map);
  w->attributes = attributes;
  w->map = malloc(((size_t)OGR_FD_GetFieldCount(attributes) + 1) * sizeof *w->map);
  return w->map != NULL ? GV_OK : gv_io_fail_memory(w->io, "the seeds' attributes");
}

static gv_status open_features(writer *w) {
  if (w->features != NULL) return GV_OK;
  gv_status status = gv_seed_features_open(w->io, w->content->source, &w->features);
  return status == GV_OK ? set_attributes(w, gv_seed_features_definition(w->features)) : status;
}

/* Reads on to the feature of a seed. */
static gv_status find_feature(writer *w, int64_t seed) {
  const gv_seed_list *seeds = w->content->seeds;
  gv_status status = GV_OK;
  while (w->row < seeds->rows[seed] && status == GV_OK) {
    status = gv_seed_features_next(w->io, w->features, &w->from, &w->row);
    if (status == GV_OK && w->from == NULL) break;
  }
  if (status == GV_OK && (w->from == NULL || (int64_t)OGR_F_GetFID(w->from) != seeds->fids[seed])) {
    status = gv_io_fail(w->io, GV_ERROR_IO, "%s changed while it was read", w->content->source->source);
  }
  return status;
}

static gv_status write_seeds(writer *w) {
  const gv_seed_list *seeds = w->content->seeds;
  gv_table_row row = {0};
  gv_status status = open_features(w);
  if (status == GV_OK) status = make_row(w, &row);
  if (status == GV_OK) status = create_layer(w);
  bool transactions = status == GV_OK && GDALDatasetTestCapability(w->dataset, ODsCTransactions) != 0;
  if (transactions) GDALDatasetStartTransaction(w->dataset, FALSE);
  for (int64_t i = 0; i < seeds->count && status == GV_OK; i++) {
    status = find_feature(w, i);
    if (status == GV_OK) status = fill_row(w, w->io, i, &row);
    if (status == GV_OK && row.keep) status = write_row(w, w->from, seeds->ids[i], &row);
    if (status == GV_OK && transactions && (i + 1) % FEATURES_A_TRANSACTION == 0 &&
        (GDALDatasetCommitTransaction(w->dataset) != OGRERR_NONE ||
         GDALDatasetStartTransaction(w->dataset, FALSE) != OGRERR_NONE)) {
      status = cannot_write(w);
    }
    if (status == GV_OK && i % 4096 == 0 && gv_io_cancelled(w->io)) status = gv_io_fail_cancelled(w->io);
  }
  if (status == GV_OK && transactions && GDALDatasetCommitTransaction(w->dataset) != OGRERR_NONE) {
    status = cannot_write(w);
  }
  gv_status closed = close_layer(w);
  free_row(&row);
  return status == GV_OK ? closed : status;
}

/* ---------------------------------------------------------------------------------------------------- CSV as text */

/* Some seeds in a row, and the text of their rows. */
typedef struct part {
  gv_io io; /* parts are made at once: each has its own message */
  gv_status status;
  int plain;         /* part of the plain file; otherwise: */
  OGRFeatureH *from; /* feature of each seed: seeds of one feature follow one another */
  int64_t first, count, capacity;
  gv_table_row row;
  gv_text text;
} part;

static void drop_features(part *p) {
  for (int64_t i = 0; i < p->count && p->from != NULL; i++) {
    if (i + 1 == p->count || p->from[i] != p->from[i + 1]) OGR_F_Destroy(p->from[i]);
  }
  p->count = 0;
}

/* The seeds from p->first on that are in the next part of the plain file. */
static void take_plain(const writer *w, int plain, part *p) {
  const gv_seed_list *seeds = w->content->seeds;
  int64_t end = gv_plain_csv_part_end(seeds->plain, plain);
  p->plain = plain;
  while (p->first + p->count < seeds->count && seeds->rows[p->first + p->count] <= end)
    p->count++;
}

/* Reads the features of SEEDS_A_PART seeds from p->first on, and those of other seeds of the last of them. */
static gv_status take_features(writer *w, part *p) {
  const gv_seed_list *seeds = w->content->seeds;
  for (int64_t i = p->first; i < seeds->count; i++) {
    bool again = i > p->first && seeds->rows[i] == seeds->rows[i - 1];
    if (!again && p->count >= SEEDS_A_PART) break;
    OGRFeatureH *from = gv_grow(p->from, &p->capacity, p->count + 1, sizeof *from);
    if (from == NULL) return gv_io_fail_memory(w->io, "the rows of a table");
    p->from = from;
    gv_status status = find_feature(w, i);
    if (status != GV_OK) return status;
    if (!again) gv_seed_features_keep(w->features);
    p->from[p->count++] = w->from;
  }
  return GV_OK;
}

/* Of the attributes, one or the other. */
typedef struct attributes {
  OGRFeatureH feature;
  const gv_plain_value *values;
} attributes;

static void put_column(gv_text *text, OGRFieldType type, gv_table_value value) {
  gv_text_put(text, ",", 1);
  if (!value.given) return;
  if (type == OFTReal) {
    gv_text_put_real(text, value.real);
  } else {
    gv_csv_put_integer(text, value.integer);
  }
}

/* What write_row has OGR write. */
static void put_row(const writer *w, attributes from, int64_t id, const gv_table_row *row, gv_text *text) {
  gv_csv_put_point(text, row->x, row->y);
  gv_text_put(text, ",", 1);
  gv_csv_put_integer(text, id);
  for (int i = 0, count = OGR_FD_GetFieldCount(w->attributes); i < count; i++) {
    if (w->map[i] < 0) continue;
    gv_text_put(text, ",", 1);
    if (from.values != NULL) {
      gv_csv_put_text(text, from.values[i].text, from.values[i].length);
    } else {
      gv_csv_put_field(text, from.feature, i);
    }
  }
  for (int i = 0; i < w->content->count; i++)
    put_column(text, w->content->columns[i].type, row->values[i]);
  gv_text_put(text, "\n", 1);
}

static gv_status put_seed(const writer *w, part *p, int64_t seed, attributes from) {
  gv_status status = fill_row(w, &p->io, seed, &p->row);
  if (status == GV_OK && p->row.keep) put_row(w, from, w->content->seeds->ids[seed], &p->row, &p->text);
  return status;
}

/* A walk over the rows of a part of the plain file. */
typedef struct plain_walk {
  const writer *w;
  part *p;
  int64_t seed; /* the next one */
} plain_walk;

static bool put_plain_row(void *user, int64_t row, const gv_plain_value *values) {
  plain_walk *walk = user;
  part *p = walk->p;
  /* A seed may have been left out, but each has a row of its own. */
  if (walk->seed == p->first + p->count || walk->w->content->seeds->rows[walk->seed] != row + 1) return true;
  p->status = put_seed(walk->w, p, walk->seed++, (attributes){.values = values});
  return p->status == GV_OK;
}

static gv_status make_part(const writer *w, part *p) {
  p->status = GV_OK;
  p->text.length = 0;
  if (w->features == NULL) {
    plain_walk walk = {w, p, p->first};
    gv_plain_csv_walk_part(w->content->seeds->plain, p->plain, put_plain_row, &walk);
  }
  for (int64_t i = 0; w->features != NULL && i < p->count && p->status == GV_OK; i++)
    p->status = put_seed(w, p, p->first + i, (attributes){.feature = p->from[i]});
  return p->status == GV_OK && p->text.failed ? gv_io_fail_memory(&p->io, "the rows of a table") : p->status;
}

/* Parts that are made at once. */
typedef struct table_round {
  writer *w;
  writer shared; /* of which reading on changes nothing */
  part *parts;
  pthread_mutex_t lock; /* of what is read: all below */
  int taken;
  int64_t next; /* seed */
  int plain;    /* next part of the plain file */
  gv_status status;
} table_round;

static void take_part(table_round *r, part *p) {
  const gv_table_content *content = r->w->content;
  p->first = r->next;
  if (r->status == GV_OK && r->w->features == NULL && r->next < content->seeds->count)
    take_plain(r->w, r->plain++, p);
  if (r->status == GV_OK && r->w->features != NULL) r->status = take_features(r->w, p);
  r->next += p->count;
}

static gv_status make_parts(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  table_round *r = user;
  (void)io, (void)worker;
  for (int64_t i = first; i < end; i++) {
    pthread_mutex_lock(&r->lock);
    part *p = &r->parts[r->taken++];
    take_part(r, p);
    pthread_mutex_unlock(&r->lock);
    p->status = p->count > 0 ? make_part(&r->shared, p) : GV_OK;
  }
  return GV_OK; /* which part fails first is seen when they are put in their order */
}

/* The parts of a round, from seed *next and part *plain of the plain file on: taken one after the other, made at once, put in
 * their order. */
static gv_status write_round(writer *w, VSILFILE *file, part *parts, int count, int64_t *next, int *plain) {
  table_round r = {
      .w = w, .shared = *w, .parts = parts, .lock = PTHREAD_MUTEX_INITIALIZER, .next = *next, .plain = *plain};
  gv_io_loop loop = {.threads = w->content->threads, .count = count, .grain = 1, .user = &r};
  gv_io_parallel_for(w->io, &loop, make_parts);
  pthread_mutex_destroy(&r.lock);
  *next = r.next;
  *plain = r.plain;
  gv_status status = r.status;
  for (int i = 0; i < count; i++) {
    part *p = &parts[i];
    if (status == GV_OK && p->status != GV_OK) status = gv_io_pass_on(w->io, p->status, &p->io);
    if (status == GV_OK && p->count > 0 && VSIFWriteL(p->text.bytes, 1, p->text.length, file) != p->text.length) {
      status = cannot_write(w);
    }
    drop_features(p);
  }
  return status;
}

static gv_status write_parts(writer *w, VSILFILE *file) {
  const int64_t seeds = w->content->seeds->count, all = seeds / SEEDS_A_PART + 1;
  int most = PARTS_A_THREAD * (w->content->threads > 1 ? w->content->threads : 1), plain = 0;
  int count = all < most ? (int)all : most;
  part *parts = calloc((size_t)count, sizeof *parts);
  gv_status status = parts != NULL ? GV_OK : gv_io_fail_memory(w->io, "the rows of a table");
  for (int i = 0; i < count && status == GV_OK; i++) {
    gv_io_for_worker(w->io, &parts[i].io);
    status = make_row(w, &parts[i].row);
  }
  for (int64_t next = 0; next < seeds && status == GV_OK;) {
    status = write_round(w, file, parts, count, &next, &plain);
    if (status == GV_OK && gv_io_cancelled(w->io)) status = gv_io_fail_cancelled(w->io);
  }
  for (int i = 0; i < count && parts != NULL; i++) {
    free_row(&parts[i].row);
    free(parts[i].from);
    gv_text_free(&parts[i].text);
  }
  free(parts);
  return status;
}

/* A row and a feature with its attributes that show how values are written: 12 and 12.5 wherever there is a number or text. */
static gv_status make_sample(const writer *w, gv_table_row *row, OGRFeatureH *from) {
  gv_status status = make_row(w, row);
  *from = status == GV_OK ? OGR_F_Create(w->attributes) : NULL;
  if (*from == NULL) return gv_io_fail_memory(w->io, "a row of a table");
  row->x = -7.25;
  row->y = 3.0;
  for (int i = 0; i < w->content->count; i++) {
    row->values[i].given = true;
    if (w->content->columns[i].type == OFTReal) {
      row->values[i].real = 12.5;
    } else {
      row->values[i].integer = 12;
    }
  }
  for (int i = 0; i < OGR_FD_GetFieldCount(w->attributes); i++) {
    OGRFieldType type = OGR_Fld_GetType(OGR_FD_GetFieldDefn(w->attributes, i));
    if (type == OFTString || type == OFTReal) OGR_F_SetFieldString(*from, i, "12.5");
  }
  return GV_OK;
}

/* The file that OGR makes of one row, in memory; to be freed with CPLFree. */
static gv_status write_sample(const writer *whole, OGRFeatureH from, const gv_table_row *row, GByte **bytes,
                              vsi_l_offset *size) {
  writer w = *whole; /* its map of attributes remains that of the whole */
  char path[64];
  snprintf(path, sizeof path, "/vsimem/gpuvoronoi_%p.csv", (void *)&w);
  w.sample = path;
  gv_status status = create_layer(&w);
  if (status == GV_OK) status = write_row(&w, from, SAMPLE_ID, row);
  gv_status closed = close_layer(&w);
  if (status == GV_OK) status = closed;
  *bytes = VSIGetMemFileBuffer(path, size, TRUE);
  return status == GV_OK && *bytes == NULL ? cannot_write(&w) : status;
}

/* Has OGR make the header; *header is NULL if OGR writes rows in another way than they are written here. */
static gv_status make_header(writer *w, GByte **header, size_t *size) {
  gv_table_row row = {0};
  gv_text text = {0};
  GByte *bytes = NULL;
  vsi_l_offset all = 0;
  OGRFeatureH from = NULL;
  gv_status status = make_sample(w, &row, &from);
  if (status == GV_OK) status = write_sample(w, from, &row, &bytes, &all);
  if (status == GV_OK) put_row(w, (attributes){.feature = from}, SAMPLE_ID, &row, &text);
  if (status == GV_OK && text.failed) status = gv_io_fail_memory(w->io, "a row of a table");
  if (status == GV_OK && all >= text.length && memcmp(bytes + all - text.length, text.bytes, text.length) == 0) {
    *header = bytes;
    *size = (size_t)all - text.length;
    bytes = NULL;
  }
  CPLFree(bytes);
  if (from != NULL) OGR_F_Destroy(from);
  free_row(&row);
  gv_text_free(&text);
  return status;
}

/* Whether the table can be written as text; OGR knows more formats, geometries and types. */
static bool is_simple(const writer *w) {
  bool simple = EQUAL(GDALGetDriverShortName(w->table->place.driver), "CSV") && w->content->geometry == wkbPoint;
  for (int i = 0; i < OGR_FD_GetFieldCount(w->attributes); i++)
    simple = simple && gv_csv_writes(OGR_Fld_GetType(OGR_FD_GetFieldDefn(w->attributes, i)));
  return simple;
}

/* *done is false if OGR would write the rows in another way. */
static gv_status write_csv(writer *w, bool *done) {
  GByte *header = NULL;
  size_t size = 0;
  gv_status status = make_header(w, &header, &size);
  *done = header != NULL;
  if (status != GV_OK || !*done) return status;
  VSILFILE *file = VSIFOpenL(gv_place_work(&w->table->place), "wb");
  if (file == NULL || VSIFWriteL(header, 1, size, file) != size) status = cannot_write(w);
  if (status == GV_OK) status = write_parts(w, file);
  if (file != NULL && VSIFCloseL(file) != 0 && status == GV_OK) status = cannot_write(w);
  CPLFree(header);
  return status;
}

gv_status gv_table_write(gv_io *io, gv_table_out *table, const gv_table_content *content) {
  writer w = {.io = io, .table = table, .content = content};
  bool done = false;
  gv_status status = gv_place_begin(io, &table->place);
  if (status == GV_OK && content->seeds->plain != NULL) {
    status = set_attributes(&w, gv_plain_csv_definition(content->seeds->plain));
  } else if (status == GV_OK) {
    status = open_features(&w);
  }
  gv_gdal_reset();
  if (status == GV_OK && is_simple(&w)) status = write_csv(&w, &done);
  if (status == GV_OK && !done) status = write_seeds(&w);
  gv_seed_features_close(w.features);
  free(w.map);
  return status == GV_OK ? gv_place_check_written(io, &table->place) : status;
}
