/*
 * The raster attribute table of ids, names and colours, and a quick way into the file.
 *
 * GDAL keeps a GeoTIFF's table in the side file FILE.aux.xml, by way of a tree with a node for every value, which takes
 * longer than everything else about a small raster. So GDAL is given the table with a single row, and the side file it
 * makes of that gets the other rows as text. Should it not look as expected, GDAL gets the whole table after all.
 */
#ifndef GV_IO_ATTRIBUTE_TABLE_H
#define GV_IO_ATTRIBUTE_TABLE_H

#include <gdal.h>

#include "io/io.h"

/* One row a distinct id, in ascending order. */
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

/* GDAL's table of rows first ... first + count - 1, to be freed with GDALDestroyRasterAttributeTable; NULL if there is no
 * memory. Its columns have the types that all rows of `table` need. */
GDALRasterAttributeTableH gv_attribute_table_rows(const gv_attribute_table *table, int64_t first, int64_t count);

/* The row to give to GDAL first, -1 if it should have all at once: there are too few to gain anything, or ids are no 32-bit
 * integers. */
int64_t gv_attribute_table_sample(const gv_attribute_table *table);

/* Puts the whole table in place of the row `sample` in the side file of the raster `file`, which GDAL has closed. *done is
 * false, and GDAL is to be given the whole table, if there is no side file, if GDAL has not written that row as it would be
 * written here, or if the file could not be written (it is removed then). */
gv_status gv_attribute_table_complete(gv_io *io, const gv_attribute_table *table, int64_t sample, const char *file,
                                      bool *done);

#endif
