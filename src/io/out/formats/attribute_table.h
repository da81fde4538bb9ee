/* The raster attribute table of ids, names and colors. */
#ifndef GV_IO_ATTRIBUTE_TABLE_H
#define GV_IO_ATTRIBUTE_TABLE_H

#include <gdal.h>

#include "io/io.h"

/* One row a distinct id that has cells, in ascending order. */
typedef struct gv_attribute_row {
  int64_t id;
  const char *name; /* borrowed from the seeds; "" = none */
  uint8_t rgb[3];
} gv_attribute_row;

typedef struct gv_attribute_table {
  gv_attribute_row *rows;
  int64_t count;  /* at least 1 */
  bool has_names; /* there is a column for them */
} gv_attribute_table;

/* Frees the rows, not the names. */
void gv_attribute_table_free(gv_attribute_table *table);

/* GDAL's table, to be freed with GDALDestroyRasterAttributeTable; NULL when out of memory. Ids are integers
 * of 32 bits, else numbers, else text. */
GDALRasterAttributeTableH gv_attribute_table_make(const gv_attribute_table *table);

#endif
