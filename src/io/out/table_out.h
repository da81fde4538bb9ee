/*
 * Tables of the seeds in any OGR format: a row for each seed in the order of the input, with its id, the
 * value that rasters have for it (the same integer, by which both join), the attributes of its layer and the
 * caller's columns.
 *
 * An attribute with the name of another column is renamed to seed_NAME.
 */
#ifndef GV_IO_TABLE_OUT_H
#define GV_IO_TABLE_OUT_H

#include "io/in/seeds.h"
#include "io/out/layer_out.h"

typedef gv_writer gv_table_out;

/* True if numbers become texts, of which OGR writes 15 digits. */
bool gv_table_rounds(GDALDriverH driver);

/* Checks the path and finds the driver by its extension; `option` is used in messages, and not copied.
 * Release *out with gv_table_close. No file is written yet. */
gv_status gv_table_plan(gv_io *io, const char *option, const char *path, const char *layer, bool overwrite,
                        gv_table_out **out);

typedef struct gv_table_column {
  char *name;
  OGRFieldType type;
} gv_table_column;

typedef struct gv_table_value {
  bool given;
  union { /* by the type of its column: OFTInteger64 or OFTReal */
    int64_t integer;
    double real;
  };
} gv_table_value;

/* Values of one seed in addition to its id and attributes. */
typedef struct gv_table_row {
  bool keep;              /* true when it is to be filled; false leaves the seed out */
  gv_table_value *values; /* values of the columns; NULL when they are to be filled */
  double x, y;            /* in tables of points */
  OGRGeometryH geometry;  /* in others; passes to the table */
} gv_table_row;

/* Fills a row. Called in the order of the seeds. */
typedef gv_status (*gv_table_row_fn)(gv_io *io, void *user, int64_t seed, gv_table_row *row);

typedef struct gv_table_content {
  OGRSpatialReferenceH crs; /* may be NULL */
  /* with wkbPoint formats without geometries will do; wkbNone: no geometries */
  OGRwkbGeometryType geometry;
  const gv_seed_options *source; /* where the attributes are read from, once more; NULL: there are none */
  const gv_seed_list *seeds;
  const gv_table_column *columns;
  int count;
  gv_table_row_fn row;
  void *user;
} gv_table_content;

/* Makes the file. */
gv_status gv_table_write(gv_io *io, gv_table_out *table, const gv_table_content *content);

/* Its place, complete after gv_table_write, for gv_places_commit. */
gv_place *gv_table_place(gv_table_out *table);

/* Removes files that are not in place and frees; NULL is allowed. */
void gv_table_close(gv_table_out *table);

#endif
