/*
 * Seeds from any vector source that GDAL reads.
 *
 * A seed is a point, or each point of a multipoint; if lines and polygons are requested, each feature. A
 * source without geometry (a CSV file, a plain table) has positions in columns: lon, lng, long or longitude
 * with lat or latitude (any letter case; EPSG:4326 unless the caller declares a system), or x with y. All
 * fields of a CSV file are read as text.
 */
#ifndef GV_IO_SEEDS_H
#define GV_IO_SEEDS_H

#include "gpuvoronoi/geometries.h"
#include <ogr_api.h>

#include "io/crs/crs.h"
#include "io/in/shapes.h"
#include "io/row_texts.h"

/* More seeds than this have no attribute table, and their names are not kept. */
enum { GV_MAX_NAMED_SEEDS = 65535 };

typedef struct gv_seed_options {
  const char *source;       /* data source name for OGR */
  const char *layer;        /* NULL = the only one */
  const char *where;        /* NULL = all features */
  const char *crs;          /* NULL = the source's own */
  const char *crs_option;   /* option of the coordinate system, for messages; NULL = --seeds-crs, "" = none */
  const char *option;       /* of a layer that does not hold seeds, for warnings; NULL */
  const char *layer_option; /* the same of the layer; NULL = --layer */
  const char *
      columns_remedy; /* what to do if there are no columns of coordinates; NULL = name them with -x and -y */
  const char *id_field;     /* NULL = feature ids */
  const char *id_option;    /* that names it; NULL = --id */
  const char *weight_field; /* NULL = no weights */
  const char *attribute;    /* field of numbers to read into `integers` or `reals`; NULL = none */
  /* fields of positions; NULL = from geometries, or columns with known names */
  const char *x_field, *y_field;
  const char *z_field;   /* with `heights`; NULL = from geometries, if they have them */
  char **open_options;   /* "NAME=VALUE" for GDAL, may be NULL */
  bool heights;          /* read z, if there is one */
  bool positive_weights; /* distances are divided by them: in 1e-100 ... 1e100 */
  bool keep_texts;       /* of a CSV file, as far as memory allows: for gv_seed_features */
  bool keep_source;      /* keep positions as they were read, for tables of the seeds */
  bool skip_invalid;     /* leave out and count seeds that cannot be used, instead of failing */
  bool shapes;           /* lines and polygons are seeds too */
  /* layers without features, and features without geometries, which are left out */
  bool may_be_empty;
  bool queries;   /* these are queries, not seeds; used in messages */
  gv_edges edges; /* theirs */
  bool boundary;  /* polygons are their rings */
} gv_seed_options;

/* The seeds that were read. Arrays have `count` entries and belong to the set. */
typedef struct gv_seed_list {
  int64_t count;
  double *x, *y;               /* in `crs`, traditional GIS order; later in degrees or in the grid's CRS */
  int64_t *ids;                /* values to write */
  int64_t *rows;               /* 1-based number of the feature among those read */
  int64_t *fids;               /* the source's feature ids */
  double *weights;             /* NULL without a weight field */
  double *areas;               /* of query cells with known areas, square meters; else NULL */
  double *z;                   /* NULL unless requested and present */
  int64_t *integers;           /* the attribute, if it is of integers; else NULL */
  double *reals;               /* the attribute, if it is of real numbers; else NULL */
  bool reals_are_floats;       /* the field of `reals` has 32 bits */
  double *source_x, *source_y; /* in `crs`, unaffected by transforming x and y; NULL unless requested */
  /* the features' lines and polygons, of which x and y are a vertex; NULL: points */
  gv_shapes *shapes;
  gv_row_texts *texts; /* of the rows; NULL: not kept */
  /* NULL without a name field or if there are too many seeds; entries may be NULL */
  char **names;
  char name_field[64];
  bool ids_are_rows; /* a text id field: ids are numbers, from 0, of the first feature with that text; names
                        hold it */
  OGRSpatialReferenceH crs; /* NULL = unknown */
  bool skip_invalid;
  const char *source;     /* where they come from, not copied; NULL: not a file */
  const char *crs_option; /* option that declares their system, for messages */
  /* without a system: columns called x and y, or a layer in an undefined Cartesian one */
  bool plane;
  bool are_cells;  /* of a raster: rows and fids are their numbers */
  int64_t columns; /* of cells of a file that are in rows: the fastest dimension; 0: a list */
  bool filtered;   /* a where clause left features out: rows are not the source's */
  int64_t skipped; /* features (or points of them) left out */
  char skipped_first[256];
} gv_seed_list;

#define GV_SEED_LIST_INIT                                                                                    \
  { .count = 0 }

/* Reads seeds; *out must be GV_SEED_LIST_INIT and is to be freed with gv_seeds_free in any case. */
gv_status gv_seeds_read(gv_io *io, const gv_seed_options *options, gv_seed_list *out);
void gv_seeds_free(gv_seed_list *seeds);

/* The same without reading features, as far as possible: *out gets the data that columns define, and the
 * coordinate system. *narrow: all ids have 32 bits. */
gv_status gv_seeds_read_header(gv_io *io, const gv_seed_options *options, gv_seed_list *out, bool *narrow);

/* Transforms the seeds to the grid's system. `operation` may be NULL: positions are then unchanged. With
 * `globe` they are longitude and latitude in degrees afterwards, multiplied by `scale` if there is no
 * operation, and latitudes are checked. Seeds without an image are errors that name the row, or are
 * skipped. */
gv_status gv_seeds_transform(gv_io *io, gv_seed_list *seeds, gv_operation *operation, bool globe,
                             double scale);

/* Transforms their shapes; call it before gv_seeds_transform. Edges are followed to a millimeter. `target`:
 * the grid's system, or NULL. */
gv_status gv_seeds_transform_shapes(gv_io *io, gv_seed_list *seeds, gv_operation *operation,
                                    OGRSpatialReferenceH target, bool globe, double scale);

/* All places of the seeds. */
void gv_seeds_places(const gv_seed_list *seeds, const double **x, const double **y, int64_t *count);

/* The library's features, for seeds with shapes. They borrow the arrays. */
gv_features gv_seeds_features(const gv_seed_list *seeds);

/* Warns of seeds without a coordinate system that may be in degrees. `subject`: "the seeds have"; `option`
 * declares a system. */
void gv_seeds_warn_of_degrees(const gv_seed_list *seeds, const char *subject, const char *option);

/* Errors out if skipping has left nothing. */
gv_status gv_seeds_require_some(gv_io *io, const gv_seed_list *seeds);

/* A warning of what --skip-invalid has skipped; none if that is nothing. `source`: option or file, NULL: the
 * seeds. */
void gv_warn_of_skipped(const char *source, const char *items, int64_t skipped, int64_t used,
                        const char *first);

/* A warning of seeds that ways do not start from, an error if they are all. `of`: the input that they are
 * points of, NULL: the seeds; `where` and `path`: what they are in. */
gv_status gv_seeds_check_left_out(gv_io *io, const gv_seed_list *seeds, int64_t left_out, const char *option,
                                  const char *of, const char *where, const char *path);

/*
 * A second pass over the features that gv_seeds_read has read, in the same order, for the attributes of each
 * seed (without geometries if the driver supports that): feature number `row` (from 1) is that of
 * seeds->rows. For sources that can be read twice.
 *
 * Columns of a CSV file that hold only integers, or only numbers, are numeric fields; with leading zeros they
 * are text. `digits_15`: numbers with more than 15 digits are text, too.
 */
typedef struct gv_seed_features gv_seed_features;

gv_status gv_seed_features_open(gv_io *io, const gv_seed_options *options, const gv_seed_list *seeds,
                                bool digits_15, gv_seed_features **out);

/* The feature of a seed, owned by `features`; call it for seeds in ascending order. An error if the source
 * has changed. */
gv_status gv_seed_features_find(gv_io *io, gv_seed_features *features, const gv_seed_list *seeds,
                                int64_t seed, OGRFeatureH *feature);

/* Of the layer's features. */
OGRFeatureDefnH gv_seed_features_definition(const gv_seed_features *features);

/* NULL is allowed. */
void gv_seed_features_close(gv_seed_features *features);

/* Smallest and largest of values, of which there is one at least. */
void gv_seeds_range(const int64_t *values, int64_t count, int64_t *lowest, int64_t *highest);

#endif
