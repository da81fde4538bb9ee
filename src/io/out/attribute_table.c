#include "io/out/attribute_table.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/text.h"

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

static void put_field(gv_text *t, int64_t value) {
  gv_text_put_string(t, "        <F>");
  gv_text_put_integer(t, value);
  gv_text_put_string(t, "</F>\n");
}

/* A row as CPLSerializeXMLTree writes it into a side file. */
static void put_row(gv_text *t, const gv_attribute_table *table, int64_t index, const gv_attribute_row *row) {
  gv_text_put_string(t, "      <Row index=\"");
  gv_text_put_integer(t, index);
  gv_text_put_string(t, "\">\n");
  put_field(t, row->id);
  if (table->has_names) {
    char *name = CPLEscapeString(row->name, -1, CPLES_XML_BUT_QUOTES);
    gv_text_put_string(t, "        <F>");
    gv_text_put_string(t, name);
    gv_text_put_string(t, "</F>\n");
    CPLFree(name);
  }
  for (int c = 0; c < 3; c++)
    put_field(t, row->rgb[c]);
  gv_text_put_string(t, "      </Row>\n");
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
  gv_text row = {0}, all = {0};
  VSIStatBufL found;
  gv_status status = GV_OK;
  *done = false;
  if (VSIStatL(path, &found) == 0) before = read_file(path);
  put_row(&row, table, 0, &table->rows[sample]);
  gv_text_put(&row, end, sizeof end); /* and the 0 */
  if (before != NULL && !row.failed) at = strstr(before, row.bytes);
  if (at == NULL) goto end;
  gv_text_put(&all, before, (size_t)(at - before));
  for (int64_t i = 0; i < table->count; i++)
    put_row(&all, table, i, &table->rows[i]);
  gv_text_put_string(&all, at + row.length - sizeof end);
  if (all.failed) {
    status = gv_io_fail_memory(io, "the raster attribute table");
  } else {
    *done = write_file(path, all.bytes, all.length);
    if (!*done) VSIUnlink(path);
  }
end:
  VSIFree(before);
  gv_text_free(&row);
  gv_text_free(&all);
  CPLFree(path);
  return status;
}
