/* Declarations shared by the files that read seeds: seeds.c defines the order of reading. */
#ifndef GV_IO_SEED_READER_H
#define GV_IO_SEED_READER_H

#include <gdal.h>

#include "io/in/seeds.h"
#include "io/in/text_ids.h"

typedef enum gv_id_kind { GV_ID_FID, GV_ID_INTEGER, GV_ID_TEXT } gv_id_kind;

/* State of reading a layer. */
typedef struct gv_seed_reader {
  gv_io *io;
  const gv_seed_options *options;
  gv_seed_list *set;
  int64_t capacity;
  char *name; /* of the source, for GDAL */
  GDALDatasetH dataset;
  OGRLayerH layer;
  bool is_csv;
  char separator;       /* separator of a CSV file's fields (io/in/separator.h) */
  int x_field, y_field; /* -1 = positions come from geometries */
  bool has_heights;     /* z is read */
  bool shaped;          /* the layer has lines or polygons */
  bool swapped;         /* the source's data order is y, x */
  gv_id_kind id;
  int id_field, name_field, weight_field, z_field;
  int attribute_field; /* -1 = none */
  bool attribute_is_integer;
  gv_text_ids texts; /* of GV_ID_TEXT, with the numbers of their first rows */
  int64_t row;
  /* of all texts, if the driver returns them unconverted; NULL: UTF-8, or else Latin-1 */
  const char *encoding;
  bool recoded;       /* texts were not UTF-8, which has been warned of */
  GDALDatasetH typed; /* a second, typed view of a CSV file, for --where */
  OGRLayerH picked;   /* its layer: the features to read; NULL = all of `layer` */
} gv_seed_reader;

/* ----------------------------------------------------------------------------------- layers: seed_layer.c */

/* Opens the layer of r->options. */
gv_status gv_seed_open(gv_seed_reader *r);
void gv_seed_reader_close(gv_seed_reader *r);

/* A CSV file's where clause needs column types, its values must stay text: features are picked in a second,
 * typed view of the file and then read from the first. r->picked is NULL where no such care is needed. */
gv_status gv_seed_pick_features(gv_seed_reader *r);

void gv_seed_start(gv_seed_reader *r);

/* The next feature that is to be read, to be destroyed; NULL after the last. */
OGRFeatureH gv_seed_next(gv_seed_reader *r);
gv_status gv_seed_read_failed(const gv_seed_reader *r);

const char *gv_seed_field_name(OGRLayerH layer, int field);
OGRFieldType gv_seed_field_type(OGRLayerH layer, int field);

/* -------------------------------------------------------------------------------- columns: seed_columns.c */

/* Decides the source of positions and their coordinate system. */
gv_status gv_seed_choose_positions(gv_seed_reader *r);
gv_status gv_seed_choose_id(gv_seed_reader *r);
/* True if ids have 32 bits for any selection of features. */
bool gv_seed_ids_are_narrow(const gv_seed_reader *r);
gv_status gv_seed_choose_weight(gv_seed_reader *r);
gv_status gv_seed_choose_height(gv_seed_reader *r);
gv_status gv_seed_choose_attribute(gv_seed_reader *r);

/* -------------------------------------------------------------------------------------- rows: seed_rows.c */

/* A seed that cannot be used: an error, or one more skipped. GV_OK means skipped. */
gv_status gv_seed_unusable(gv_io *io, gv_seed_list *set, int64_t row, int64_t fid, const char *format, ...)
    GV_IO_PRINTF(5, 6);

/* A number in a text: with a decimal comma where separators are semicolons. */
bool gv_seed_parse_number(const gv_seed_reader *r, const char *text, double *out);

gv_status gv_seed_read_layer(gv_seed_reader *r);

void gv_seed_names_drop(gv_seed_list *set);

/* Frees everything read of the features except their shapes. */
void gv_seed_rows_free(gv_seed_list *set);

#endif
