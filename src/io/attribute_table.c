#include "io/attribute_table.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

enum { FEW = 16 }; /* rows that are GDAL's affair altogether */

void gv_attribute_table_free(gv_attribute_table *table) {
  free(table->rows);
  memset(table, 0, sizeof *table);
}

/* Whether all ids are 32-bit integers. */
static bool is_narrow(const gv_attribute_table *table) {
  return table->rows[0].id >= INT_MIN && table->rows[table->count - 1].id <= INT_MAX;
}

GDALRasterAttributeTableH gv_attribute_table_rows(const gv_attribute_table *table, int64_t first, int64_t count) {
  const int64_t exactly = (int64_t)1 << 53;
  bool narrow = is_narrow(table);
  bool exact = table->rows[0].id >= -exactly && table->rows[table->count - 1].id <= exactly;
  GDALRasterAttributeTableH out = GDALCreateRasterAttributeTable();
  if (out == NULL) return NULL;
  GDALRATSetTableType(out, GRTT_THEMATIC);
  GDALRATCreateColumn(out, "Value", narrow ? GFT_Integer : exact ? GFT_Real : GFT_String, GFU_MinMax);
  if (table->has_names) GDALRATCreateColumn(out, "Name", GFT_String, GFU_Name);
  int colour_column = table->has_names ? 2 : 1;
  GDALRATCreateColumn(out, "Red", GFT_Integer, GFU_Red);
  GDALRATCreateColumn(out, "Green", GFT_Integer, GFU_Green);
  GDALRATCreateColumn(out, "Blue", GFT_Integer, GFU_Blue);
  GDALRATSetRowCount(out, (int)count);
  for (int i = 0; i < (int)count; i++) {
    const gv_attribute_row *row = &table->rows[first + i];
    if (narrow) {
      GDALRATSetValueAsInt(out, i, 0, (int)row->id);
    } else if (exact) {
      GDALRATSetValueAsDouble(out, i, 0, (double)row->id);
    } else {
      char text[24];
      snprintf(text, sizeof text, "%lld", (long long)row->id);
      GDALRATSetValueAsString(out, i, 0, text);
    }
    if (table->has_names) GDALRATSetValueAsString(out, i, 1, row->name);
    for (int c = 0; c < 3; c++)
      GDALRATSetValueAsInt(out, i, colour_column + c, row->rgb[c]);
  }
  return out;
}

/* --------------------------------------------------------------------------------------------------- rows as text */

/* Text that grows. */
typedef struct text {
  char *bytes;
  size_t length, room;
  bool failed; /* out of memory: the rest is missing */
} text;

static void put(text *t, const char *bytes, size_t length) {
  if (t->failed) return;
  if (length > t->room - t->length) {
    size_t room = 2 * (t->length + length) + 4096;
    char *more = realloc(t->bytes, room);
    if (more == NULL) {
      t->failed = true;
      return;
    }
    t->bytes = more;
    t->room = room;
  }
  memcpy(t->bytes + t->length, bytes, length);
  t->length += length;
}

static void put_string(text *t, const char *string) {
  put(t, string, strlen(string));
}

static void put_integer(text *t, int64_t value) {
  char digits[24], *at = digits + sizeof digits;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (value < 0) *--at = '-';
  put(t, at, (size_t)(digits + sizeof digits - at));
}

static void put_field(text *t, int64_t value) {
  put_string(t, "        <F>");
  put_integer(t, value);
  put_string(t, "</F>\n");
}

/* A row as CPLSerializeXMLTree writes it into a side file. */
static void put_row(text *t, const gv_attribute_table *table, int64_t index, const gv_attribute_row *row) {
  put_string(t, "      <Row index=\"");
  put_integer(t, index);
  put_string(t, "\">\n");
  put_field(t, row->id);
  if (table->has_names) {
    char *name = CPLEscapeString(row->name, -1, CPLES_XML_BUT_QUOTES);
    put_string(t, "        <F>");
    put_string(t, name);
    put_string(t, "</F>\n");
    CPLFree(name);
  }
  for (int c = 0; c < 3; c++)
    put_field(t, row->rgb[c]);
  put_string(t, "      </Row>\n");
}

/* ------------------------------------------------------------------------------------------------------- side file */

int64_t gv_attribute_table_sample(const gv_attribute_table *table) {
  if (table->count <= FEW || !is_narrow(table)) return -1;
  /* A name with a quotation mark tells most about how names are escaped. */
  for (int64_t i = 0; i < table->count && table->has_names; i++)
    if (strchr(table->rows[i].name, '"') != NULL) return i;
  return 0;
}

/* The whole file, 0 at its end; NULL if it cannot be read. To be freed with VSIFree. */
static char *read_file(const char *path) {
  GByte *bytes = NULL;
  return VSIIngestFile(NULL, path, &bytes, NULL, -1) ? (char *)bytes : NULL;
}

static bool write_file(const char *path, const char *bytes, size_t size) {
  VSILFILE *file = VSIFOpenL(path, "wb");
  if (file == NULL) return false;
  bool good = VSIFWriteL(bytes, 1, size, file) == size;
  return VSIFCloseL(file) == 0 && good;
}

gv_status gv_attribute_table_complete(gv_io *io, const gv_attribute_table *table, int64_t sample, const char *file,
                                      bool *done) {
  static const char end[] = "    </GDALRasterAttributeTable>\n";
  char *path = CPLStrdup(CPLSPrintf("%s.aux.xml", file));
  char *before = NULL, *at = NULL;
  text row = {NULL, 0, 0, false}, all = {NULL, 0, 0, false};
  VSIStatBufL found;
  gv_status status = GV_OK;
  *done = false;
  if (VSIStatL(path, &found) == 0) before = read_file(path);
  put_row(&row, table, 0, &table->rows[sample]);
  put(&row, end, sizeof end); /* and the 0 */
  if (before != NULL && !row.failed) at = strstr(before, row.bytes);
  if (at == NULL) goto end;
  put(&all, before, (size_t)(at - before));
  for (int64_t i = 0; i < table->count; i++)
    put_row(&all, table, i, &table->rows[i]);
  put_string(&all, at + row.length - sizeof end);
  if (all.failed) {
    status = gv_io_fail_memory(io, "the raster attribute table");
  } else {
    *done = write_file(path, all.bytes, all.length);
    if (!*done) VSIUnlink(path);
  }
end:
  VSIFree(before);
  free(row.bytes);
  free(all.bytes);
  CPLFree(path);
  return status;
}
