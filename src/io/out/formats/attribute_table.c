#include "io/out/formats/attribute_table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gv_attribute_table_free(gv_attribute_table *table) {
  free(table->rows);
  memset(table, 0, sizeof *table);
}

GDALRasterAttributeTableH gv_attribute_table_make(const gv_attribute_table *table) {
  const int64_t exactly = (int64_t)1 << 53, lowest = table->rows[0].id,
                highest = table->rows[table->count - 1].id;
  bool narrow = lowest >= INT_MIN && highest <= INT_MAX, exact = lowest >= -exactly && highest <= exactly;
  GDALRasterAttributeTableH out = GDALCreateRasterAttributeTable();
  if (out == NULL) return NULL;
  GDALRATSetTableType(out, GRTT_THEMATIC);
  GDALRATCreateColumn(out, "Value", narrow ? GFT_Integer : exact ? GFT_Real : GFT_String, GFU_MinMax);
  if (table->has_names) GDALRATCreateColumn(out, "Name", GFT_String, GFU_Name);
  int color_column = table->has_names ? 2 : 1;
  GDALRATCreateColumn(out, "Red", GFT_Integer, GFU_Red);
  GDALRATCreateColumn(out, "Green", GFT_Integer, GFU_Green);
  GDALRATCreateColumn(out, "Blue", GFT_Integer, GFU_Blue);
  GDALRATSetRowCount(out, (int)table->count);
  for (int i = 0; i < (int)table->count; i++) {
    const gv_attribute_row *row = &table->rows[i];
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)row->id);
    GDALRATSetValueAsString(out, i, 0, text); /* exact in columns of numbers, too */
    if (table->has_names) GDALRATSetValueAsString(out, i, 1, row->name);
    for (int c = 0; c < 3; c++)
      GDALRATSetValueAsInt(out, i, color_column + c, row->rgb[c]);
  }
  return out;
}
