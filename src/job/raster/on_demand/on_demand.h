/*
 * An on-demand raster: the implementation of GDAL's driver VORONOI (plugin/gdal).
 *
 * It is opened by a description (plan/description.h), without its outputs. Opening reads only the sources' headers
 * if they define the raster; seeds are read at the first access to a value. Its sources cannot be on-demand
 * rasters.
 *
 * Level 0 is the raster, the others are its overviews: exact results for cells of twice, four times ... the size.
 *
 * An on-demand raster is used by one thread at a time, like GDAL's datasets, within calls of that thread
 * (gv_on_demand_begin). Different ones may be used by different threads.
 */
#ifndef GV_JOB_RASTER_ON_DEMAND_H
#define GV_JOB_RASTER_ON_DEMAND_H

#include <gdal.h>

#include "io/io.h"

enum {
  GV_ON_DEMAND_BLOCK = 256,    /* side in cells of blocks that are computed at once */
  GV_ON_DEMAND_SMALLEST = 256, /* overviews are made until one has no longer side than this */
  GV_ON_DEMAND_KINDS = 3
};

/* A call from outside: until it ends, GDAL's messages in this thread are its own. */
typedef struct gv_on_demand_call {
  gv_io io;
  gv_messages *messages; /* NULL: the call was refused */
  gv_messages_scope scope;
} gv_on_demand_call;

/* Fails within another call of this thread: that on-demand raster has this one as a source. gv_on_demand_end is called in any case. */
gv_status gv_on_demand_begin(gv_on_demand_call *call);

/* Reports the warnings, and the error of a status that is not GV_OK, to GDAL's error handler; true for GV_OK. */
bool gv_on_demand_end(gv_on_demand_call *call, gv_status status);

typedef struct gv_on_demand_band {
  int kind,
      number; /* kind of the values (GV_RUN_OUT ...), and number of the band among those of this kind, from 0 */
  GDALDataType type;
  char *name;
  char *unit; /* may be NULL */
} gv_on_demand_band;

typedef struct gv_on_demand_facts {
  int64_t width, height;
  double geotransform[6];
  OGRSpatialReferenceH crs; /* may be NULL */
  gv_on_demand_band *band;
  int bands, levels;
} gv_on_demand_facts;

/* State of an on-demand raster. */
typedef struct gv_on_demand gv_on_demand;

/* True for names that gv_on_demand_open accepts, even if no such file exists: "VORONOI:..." and "....voronoi.json". */
bool gv_on_demand_is_name(const char *name);

/* The supported options, as GDAL's XML: to be freed; NULL = out of memory. */
char *gv_on_demand_option_list(void);

/* `options`: NAME=VALUE, a GDAL list that overrides the description; GDAL's names (MAX_DISTANCE). Close *out unless
 * there is an error. */
gv_status gv_on_demand_open(gv_io *io, const char *name, char **options, gv_on_demand **out);
void gv_on_demand_close(gv_on_demand *on_demand);

/* The files that the raster is made from, without its own description: a list of io/strings.h. *out is to be freed in any case. */
gv_status gv_on_demand_files(gv_io *io, gv_on_demand *on_demand, char ***out);

const gv_on_demand_facts *gv_on_demand_facts_of(const gv_on_demand *on_demand);

/* Sides of a level. */
void gv_on_demand_size(const gv_on_demand *on_demand, int level, int64_t *width, int64_t *height);

/* The rest needs the seeds. */
gv_status gv_on_demand_nodata(gv_io *io, gv_on_demand *on_demand, int64_t *out);
gv_status gv_on_demand_id_range(gv_io *io, gv_on_demand *on_demand, int64_t range[2]);

/* To be freed with CSLDestroy. */
gv_status gv_on_demand_metadata(gv_io *io, gv_on_demand *on_demand, char ***out);

/* Ids, names and colors, as the level with some millions of cells at most shows them; NULL where there are too many seeds. To be freed
 * with GDALDestroyRasterAttributeTable. */
gv_status gv_on_demand_table(gv_io *io, gv_on_demand *on_demand, GDALRasterAttributeTableH *out);

/* Values of a rectangle of a window: of band (kind, number) at row r, column c of it:
 * values[kind] + number * band_stride[kind] + r * stride[kind] + c * step[kind], counted in values. */
typedef struct gv_on_demand_piece {
  int64_t x, y, w, h; /* in the window */
  const void *values[GV_ON_DEMAND_KINDS];
  int64_t band_stride[GV_ON_DEMAND_KINDS], stride[GV_ON_DEMAND_KINDS];
  int step[GV_ON_DEMAND_KINDS]; /* 0 where all are alike */
} gv_on_demand_piece;

typedef struct gv_on_demand_window {
  int level;
  int64_t x, y, w, h; /* within the level */
  unsigned kinds;     /* requested bits: 1 << GV_RUN_OUT ... */
  void (*take)(void *user,
               const gv_on_demand_piece *piece); /* pieces share no cell; called by several threads at once */
  void *user;
  gv_progress_fn progress; /* called by the calling thread; may be NULL */
  void *progress_user;
} gv_on_demand_window;

gv_status gv_on_demand_read(gv_io *io, gv_on_demand *on_demand, const gv_on_demand_window *window);

#endif
