/*
 * What inputs and outputs need to know about GDAL's drivers beyond what these declare: one table, the only
 * place with names of drivers. Drivers without a row have none of these properties.
 *
 * To treat a driver differently: a member here, set in its row of format.c.
 */
#ifndef GV_IO_FORMAT_H
#define GV_IO_FORMAT_H

#include <stdbool.h>

#include <gdal.h>

typedef enum gv_layering {
  GV_LAYERS_ONE,     /* has one, or each in a file of its own */
  GV_LAYERS_AT_ONCE, /* when it is made */
  GV_LAYERS_ANY_TIME
} gv_layering;

/* Named arrays with attributes. */
typedef enum gv_format_arrays { GV_ARRAYS_NONE, GV_ARRAYS_NETCDF, GV_ARRAYS_ZARR } gv_format_arrays;

typedef struct gv_format {
  const char *driver;     /* GDAL's short name; "": drivers without a row */
  const char *extensions; /* by which outputs choose it; NULL: none */
  const char *tables;     /* extensions of a vector driver that many builds of GDAL lack; NULL: none */
  gv_format_arrays arrays;
  bool on_demand; /* rasters that this program computes when they are read */
  /* descriptions: their text names files that they open, SQL that they run, or a cache file */
  bool indirect;

  /* Rasters: how they are written. */
  bool tiled;           /* GeoTIFF: tiles are encoded by the threads that compute them */
  bool makes_overviews; /* the driver does, as a cloud-optimized GeoTIFF needs them */
  bool without_pixels;  /* creates rasters but stores no pixels */
  bool copied;          /* copied as a whole, although the driver can also create datasets */
  bool drops_history;   /* a history would name the temporary file */
  /* the file has the dataset's name, which must not be that of the temporary directory */
  bool keeps_name;
  bool keeps_source_name; /* the file has the name of the raster that it was copied from */

  /* Rasters: what they hold. */
  bool all_types;                   /* more types than the driver declares */
  const char *types;                /* in place of those that the driver declares */
  bool keeps_integers;              /* a copy has every integer */
  bool fixed_nodata;                /* Int16 has the lowest value, reals have none; others are ignored */
  const char *const *options;       /* creation options for unchanged values, NULL-terminated */
  const char *const *byte_options;  /* of Byte */
  const char *const *wide_options;  /* of integers except Int16 and Int32 */
  const char *array_option;         /* creation option with the name of the array */
  const char *software_item;        /* metadata item for the name of the program */
  bool without_palette, own_styles; /* of attribute tables */
  bool raster_tables;               /* rasters are tables of a database */

  /* Layers. */
  gv_layering layers;
  bool lower_names;            /* names of layers in lower case */
  bool replaced_whole;         /* a database that holds nothing else */
  bool text;                   /* all values are text; geometries are a column of it */
  bool exact_reals;            /* stored in binary; others have 15 digits */
  int real_width, real_digits; /* of fields of text; 0: GDAL's */
  int decimals;                /* after the point, of all real numbers; 0: digits count */
  bool integers_as_reals;      /* of 64 bits, as 64-bit reals */
  int first_day;               /* year, month and day as digits; earlier dates are changed */
  bool local_times;            /* without time zones */
  bool wgs84;                  /* without a code, coordinates are WGS 84's */
  bool undefined_system;       /* layers without a coordinate system need an undefined one */
  bool geometry_required;      /* rows without a geometry are left out */
  bool slow_index;             /* GDAL before 3.8 makes the spatial index box by box */
  bool index_in_memory;        /* GDAL keeps features in memory for the spatial index */
  bool header_unchecked;       /* GDAL is silent about headers that it could not write */
  bool write_unchecked;        /* GDAL is silent about failed writes; the file is read back */
  bool sqlite;                 /* layers are tables of SQLite */
  bool numbers_features;       /* feature ids are row numbers */
  bool longitudes_first;       /* without stating it, whatever the order of the coordinate system's axes */
  const char *twin;            /* a driver that writes the same geometries faster, but cannot append */
} gv_format;

/* Never NULL; `driver` may be. */
const gv_format *gv_format_of(GDALDriverH driver);
const gv_format *gv_format_of_dataset(GDALDatasetH dataset);

/* That of GeoTIFF, in which rasters are made, also those that are then copied, and parts. */
const gv_format *gv_format_tiled(void);

/* That of virtual rasters. */
const gv_format *gv_format_virtual(void);

/* That with such arrays. */
const gv_format *gv_format_with_arrays(gv_format_arrays arrays);

/* That with the path's extension; NULL: none in the table. */
const gv_format *gv_format_of_path(const char *path);

/* The vector driver of the path's extension, if this GDAL lacks it; else NULL. */
const char *gv_format_missing(const char *path);

/* Whether the GDAL that is loaded is this version or a later one. */
bool gv_gdal_is_from(int major, int minor);

/*
 * The version of Zarr that creation options of its driver choose, as FORMAT=ZARR_V2 or FORMAT=ZARR_V3;
 * without that 3, or 2 where GDAL (before 3.13) writes what zarr cannot read, or no metadata of the whole. 0:
 * another text, or such a GDAL. `options` may be NULL.
 */
int gv_format_zarr_version(char *const *options);

/* True if it has the driver of that name. */
bool gv_format_is(const gv_format *format, const char *driver);

/* The drivers of files that name other files, NULL-terminated: with or without that of on-demand rasters. */
const char *const *gv_format_naming(bool on_demand);

/* The driver of on-demand rasters, NULL-terminated. */
const char *const *gv_format_on_demand(void);

/* GDAL's driver; NULL: not installed. */
GDALDriverH gv_format_driver(const gv_format *format);

/* The driver of datasets in memory, which have layers; NULL: not installed. */
GDALDriverH gv_format_memory_driver(void);

/* True if a list of words has the word; `list` may be NULL. */
bool gv_format_lists(const char *list, const char *word);

/* True if it is one of the extensions that the driver declares. */
bool gv_driver_has_extension(GDALDriverH driver, const char *extension);

#endif
