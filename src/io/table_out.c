/*
 * Seeds to features. The attributes come from a second walk over the seeds' layer, feature by feature.
 *
 * OGR takes ten microseconds to write a row of CSV, nearly all of it for numbers as text. So that is done by all threads: each
 * has OGR write some rows into a file of its own, in memory, and these files follow one another without their headers.
 */
#include "io/table_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <ogr_api.h>

enum {
  FEATURES_A_TRANSACTION = 1 << 17,
  SEEDS_A_PART = 1 << 10, /* or a few more, if these are of one feature */
  PARTS_A_THREAD = 8      /* at once in memory */
};

struct gv_table_out {
  gv_output output;
  GDALDriverH driver;
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

gv_status gv_table_plan(gv_io *io, const char *option, const char *path, bool overwrite, gv_table_out **out) {
  gv_table_out *table = calloc(1, sizeof *table);
  if (table == NULL) return gv_io_fail_memory(io, "the output");
  table->driver = gv_vector_driver(path);
  gv_status status = gv_output_init(io, &table->output, path, overwrite);
  if (status == GV_OK && table->driver == NULL) {
    status =
        gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                   "%s: no vector driver is known for '%s'; .gpkg, .fgb, .csv and .geojson are some", option, path);
  }
  if (status == GV_OK) status = gv_output_check(io, &table->output);
  if (status != GV_OK) {
    gv_table_close(table);
    return status;
  }
  *out = table;
  return GV_OK;
}

gv_output *gv_table_output(gv_table_out *table) {
  return &table->output;
}

void gv_table_close(gv_table_out *table) {
  if (table == NULL) return;
  gv_output_clear(&table->output);
  free(table);
}

/* A table being written. */
typedef struct writer {
  gv_io *io;
  gv_table_out *table;
  const gv_table_content *content;
  gv_seed_features *features;
  OGRFeatureH from; /* the feature read last, and ... */
  int64_t row;      /* ... its number */
  const char *path;
  GDALDatasetH dataset;
  OGRLayerH layer;
  int *map;  /* field of the layer for each attribute; -1 = none */
  int first; /* field of the first column */
} writer;

static gv_status cannot_write(const writer *w) {
  return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot write %s", w->table->output.path);
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
  OGRFeatureDefnH from = gv_seed_features_definition(w->features);
  int count = OGR_FD_GetFieldCount(from);
  w->map = malloc((size_t)(count + 1) * sizeof *w->map);
  if (w->map == NULL) return gv_io_fail_memory(w->io, "the seeds' attributes");
  for (int i = 0; i < count; i++) {
    OGRFieldDefnH like = OGR_FD_GetFieldDefn(from, i);
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
  w->dataset = GDALCreate(w->table->driver, w->path, 0, 0, 0, GDT_Unknown, NULL);
  if (w->dataset == NULL) {
    return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot create %s", w->table->output.path);
  }
  char **options = NULL;
  if (EQUAL(GDALGetDriverShortName(w->table->driver), "CSV")) {
    options = CSLSetNameValue(options, "GEOMETRY", "AS_WKT");
  }
  if (EQUAL(GDALGetDriverShortName(w->table->driver), "FlatGeobuf")) {
    options = CSLSetNameValue(options, "SPATIAL_INDEX", "NO"); /* which would sort the rows by place */
  }
  w->layer = GDALDatasetCreateLayer(w->dataset, w->content->layer, w->content->crs, w->content->geometry, options);
  CSLDestroy(options);
  if (w->layer == NULL) {
    return gv_io_fail_gdal(w->io, GV_ERROR_IO, "cannot create %s", w->table->output.path);
  }
  gv_status status = create_column(w, "id", OFTInteger64);
  if (status == GV_OK) status = create_attributes(w);
  w->first = OGR_FD_GetFieldCount(OGR_L_GetLayerDefn(w->layer));
  for (int i = 0; i < w->content->count && status == GV_OK; i++)
    status = create_column(w, w->content->columns[i].name, w->content->columns[i].type);
  return status;
}

static gv_status close_layer(writer *w) {
  free(w->map);
  w->map = NULL;
  if (w->dataset == NULL) return GV_OK;
  GDALClose(w->dataset);
  w->dataset = NULL;
  return gv_gdal_failed() ? cannot_write(w) : GV_OK;
}

static gv_status write_seed(const writer *w, OGRFeatureH from, int64_t seed) {
  OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(w->layer));
  if (feature == NULL) return gv_io_fail_memory(w->io, "a row of a table");
  bool keep = true;
  gv_status status = GV_OK;
  if (OGR_F_SetFromWithMap(feature, from, TRUE, w->map) != OGRERR_NONE) status = cannot_write(w);
  if (status == GV_OK) {
    OGR_F_SetGeometryDirectly(feature, NULL);
    OGR_F_SetFieldInteger64(feature, 0, w->content->seeds->ids[seed]);
    status = w->content->row(w->io, w->content->user, seed, feature, w->first, &keep);
  }
  if (status == GV_OK && keep && OGR_L_CreateFeature(w->layer, feature) != OGRERR_NONE) status = cannot_write(w);
  OGR_F_Destroy(feature);
  return status;
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
  gv_status status = create_layer(w);
  bool transactions = status == GV_OK && GDALDatasetTestCapability(w->dataset, ODsCTransactions) != 0;
  if (transactions) GDALDatasetStartTransaction(w->dataset, FALSE);
  for (int64_t i = 0; i < seeds->count && status == GV_OK; i++) {
    status = find_feature(w, i);
    if (status == GV_OK) status = write_seed(w, w->from, i);
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
  return status == GV_OK ? closed : status;
}

/* -------------------------------------------------------------------------------------------------- CSV by parts */

/* Some seeds in a row, and the file of them alone. */
typedef struct part {
  gv_io io; /* parts are made at once: each has its own message */
  gv_status status;
  OGRFeatureH *from; /* feature of each seed: seeds of one feature follow one another */
  int64_t first, count, capacity;
  char path[64];
  GByte *bytes;
  vsi_l_offset size;
} part;

static void drop_part(part *p) {
  for (int64_t i = 0; i < p->count; i++) {
    if (i + 1 == p->count || p->from[i] != p->from[i + 1]) OGR_F_Destroy(p->from[i]);
  }
  CPLFree(p->bytes);
  p->bytes = NULL;
  p->count = 0;
}

/* Reads the features of SEEDS_A_PART seeds from seed `first` on, and those of other seeds of the last of them. */
static gv_status read_part(writer *w, int64_t first, part *p) {
  const gv_seed_list *seeds = w->content->seeds;
  p->first = first;
  for (int64_t i = first; i < seeds->count; i++) {
    bool again = i > first && seeds->rows[i] == seeds->rows[i - 1];
    if (!again && p->count >= SEEDS_A_PART) break;
    if (p->count == p->capacity) {
      int64_t capacity = p->capacity > 0 ? 2 * p->capacity : SEEDS_A_PART;
      OGRFeatureH *from = realloc(p->from, (size_t)capacity * sizeof *from);
      if (from == NULL) return gv_io_fail_memory(w->io, "the rows of a table");
      p->from = from;
      p->capacity = capacity;
    }
    gv_status status = find_feature(w, i);
    if (status != GV_OK) return status;
    if (!again) gv_seed_features_keep(w->features);
    p->from[p->count++] = w->from;
  }
  return GV_OK;
}

/* Has OGR write a part into memory. */
static gv_status write_part(const writer *whole, part *p) {
  writer w = *whole;
  w.io = &p->io;
  w.path = p->path;
  gv_status status = create_layer(&w);
  for (int64_t i = 0; i < p->count && status == GV_OK; i++)
    status = write_seed(&w, p->from[i], p->first + i);
  gv_status closed = close_layer(&w);
  p->bytes = VSIGetMemFileBuffer(p->path, &p->size, TRUE);
  if (status == GV_OK) status = closed;
  return status == GV_OK && p->bytes == NULL ? cannot_write(&w) : status;
}

static gv_status pass_on(const writer *w, gv_status status, const part *p) {
  return status == GV_OK ? GV_OK : gv_io_fail(w->io, status, "%s", p->io.message);
}

/* Puts a part behind those before it. */
static gv_status append_part(const writer *w, VSILFILE *file, const part *header, const part *p) {
  bool fits = p->size >= header->size && memcmp(p->bytes, header->bytes, (size_t)header->size) == 0;
  size_t rest = fits ? (size_t)(p->size - header->size) : 0;
  return fits && VSIFWriteL(p->bytes + header->size, 1, rest, file) == rest ? GV_OK : cannot_write(w);
}

/* The parts of a round, from seed *next on: read one after the other, written at once, put in their order. */
static gv_status write_round(writer *w, VSILFILE *file, const part *header, part *parts, int count, int threads,
                             int64_t *next) {
  const writer shared = *w; /* of which reading on changes nothing */
  gv_status status = GV_OK;
  int taken = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int i = 0; i < count; i++) {
    part *p;
#pragma omp critical(gv_table_read)
    {
      p = &parts[taken++];
      if (status == GV_OK) status = read_part(w, *next, p);
      *next += p->count;
    }
    p->status = p->count > 0 ? write_part(&shared, p) : GV_OK;
  }
  for (int i = 0; i < count && status == GV_OK; i++) {
    status = pass_on(w, parts[i].status, &parts[i]);
    if (status == GV_OK && parts[i].count > 0) status = append_part(w, file, header, &parts[i]);
  }
  for (int i = 0; i < count; i++)
    drop_part(&parts[i]);
  return status;
}

static gv_status write_by_parts(writer *w, int threads) {
  const gv_seed_list *seeds = w->content->seeds;
  int64_t all = seeds->count / SEEDS_A_PART + 1;
  int count = all < threads * PARTS_A_THREAD ? (int)all : threads * PARTS_A_THREAD;
  part header = {.io = *w->io}, *parts = calloc((size_t)count, sizeof *parts);
  if (parts == NULL) return gv_io_fail_memory(w->io, "the rows of a table");
  for (int i = 0; i < count; i++) {
    parts[i].io = *w->io;
    snprintf(parts[i].path, sizeof parts[i].path, "/vsimem/gpuvoronoi_%p_%d.csv", (void *)parts, i);
  }
  snprintf(header.path, sizeof header.path, "/vsimem/gpuvoronoi_%p.csv", (void *)parts);
  VSILFILE *file = VSIFOpenL(w->path, "wb");
  gv_status status = file != NULL ? pass_on(w, write_part(w, &header), &header) : cannot_write(w);
  if (status == GV_OK && VSIFWriteL(header.bytes, 1, (size_t)header.size, file) != (size_t)header.size) {
    status = cannot_write(w);
  }
  for (int64_t next = 0; next < seeds->count && status == GV_OK;) {
    status = write_round(w, file, &header, parts, count, threads, &next);
    if (status == GV_OK && gv_io_cancelled(w->io)) status = gv_io_fail_cancelled(w->io);
  }
  if (file != NULL && VSIFCloseL(file) != 0 && status == GV_OK) status = cannot_write(w);
  CPLFree(header.bytes);
  for (int i = 0; i < count; i++)
    free(parts[i].from);
  free(parts);
  return status;
}

gv_status gv_table_write(gv_io *io, gv_table_out *table, const gv_table_content *content) {
  writer w = {.io = io, .table = table, .content = content};
  bool csv = EQUAL(GDALGetDriverShortName(table->driver), "CSV");
  gv_status status = gv_output_begin(io, &table->output);
  w.path = table->output.work;
  if (status == GV_OK) status = gv_seed_features_open(io, content->source, &w.features);
  gv_gdal_reset();
  if (status == GV_OK && csv && content->threads > 1) {
    status = write_by_parts(&w, content->threads);
  } else if (status == GV_OK) {
    status = write_seeds(&w);
  }
  gv_seed_features_close(w.features);
  return status == GV_OK ? gv_output_check_written(io, &table->output) : status;
}
