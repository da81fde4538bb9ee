/*
 * An on-demand raster: the implementation of GDAL's driver VORONOI (plugin/gdal).
 *
 * It is opened by a description (job/description.h), without its outputs. Opening reads only the sources' headers
 * if they define the raster; seeds are read at the first access to a value. Its sources cannot be on-demand
 * rasters.
 *
 * Level 0 is the raster, the others are its overviews: exact results for cells of twice, four times ... the size.
 *
 * An on-demand raster is used by one thread at a time, like GDAL's datasets, within calls of that thread
 * (gv_live_begin). Different ones may be used by different threads.
 */
#ifndef GV_JOB_RASTER_LIVE_H
#define GV_JOB_RASTER_LIVE_H

#include <gdal.h>

#include "io/io.h"

enum {
  GV_LIVE_BLOCK = 256,    /* side in cells of blocks that are computed at once */
  GV_LIVE_SMALLEST = 256, /* overviews are made until one has no longer side than this */
  GV_LIVE_KINDS = 3
};

/* A call from outside: until it ends, GDAL's messages in this thread are its own. */
typedef struct gv_live_call {
  gv_io io;
  gv_messages *messages; /* NULL: the call was refused */
  gv_messages_scope scope;
} gv_live_call;

/* Fails within another call of this thread: that on-demand raster has this one as a source. gv_live_end is called in any case. */
gv_status gv_live_begin(gv_live_call *call);

/* Reports the warnings, and the error of a status that is not GV_OK, to GDAL's error handler; true for GV_OK. */
bool gv_live_end(gv_live_call *call, gv_status status);

typedef struct gv_live_band {
  int kind,
      number; /* kind of the values (GV_RUN_OUT ...), and number of the band among those of this kind, from 0 */
  GDALDataType type;
  char *name;
  char *unit; /* may be NULL */
} gv_live_band;

typedef struct gv_live_facts {
  int64_t width, height;
  double geotransform[6];
  OGRSpatialReferenceH crs; /* may be NULL */
  gv_live_band *band;
  int bands, levels;
} gv_live_facts;

/* State of an on-demand raster. */
typedef struct gv_live gv_live;

/* True for names that gv_live_open accepts, even if no such file exists: "VORONOI:..." and "....voronoi.json". */
bool gv_live_is_name(const char *name);

/* The supported options, as GDAL's XML; free with CPLFree. */
char *gv_live_option_list(void);

/* `options`: NAME=VALUE, a GDAL list that overrides the description; GDAL's names (MAX_DISTANCE). Close *out unless
 * there is an error. */
gv_status gv_live_open(gv_io *io, const char *name, char **options, gv_live **out);
void gv_live_close(gv_live *live);

/* The files that the raster is made from, without its own description: free with CSLDestroy. */
char **gv_live_files(gv_live *live);

const gv_live_facts *gv_live_facts_of(const gv_live *live);

/* Sides of a level. */
void gv_live_size(const gv_live *live, int level, int64_t *width, int64_t *height);

/* The rest needs the seeds. */
gv_status gv_live_nodata(gv_io *io, gv_live *live, int64_t *out);
gv_status gv_live_id_range(gv_io *io, gv_live *live, int64_t range[2]);

/* To be freed with CSLDestroy. */
gv_status gv_live_metadata(gv_io *io, gv_live *live, char ***out);

/* Ids, names and colours, as the level with some millions of cells at most shows them; NULL where there are too many seeds. To be freed
 * with GDALDestroyRasterAttributeTable. */
gv_status gv_live_table(gv_io *io, gv_live *live, GDALRasterAttributeTableH *out);

/* Values of a rectangle of a window: of band (kind, number) at row r, column c of it:
 * values[kind] + number * band_stride[kind] + r * stride[kind] + c * step[kind], counted in values. */
typedef struct gv_live_piece {
  int64_t x, y, w, h; /* in the window */
  const void *values[GV_LIVE_KINDS];
  int64_t band_stride[GV_LIVE_KINDS], stride[GV_LIVE_KINDS];
  int step[GV_LIVE_KINDS]; /* 0 where all are alike */
} gv_live_piece;

typedef struct gv_live_window {
  int level;
  int64_t x, y, w, h; /* within the level */
  unsigned kinds;     /* requested bits: 1 << GV_RUN_OUT ... */
  void (*take)(void *user,
               const gv_live_piece *piece); /* pieces share no cell; called by several threads at once */
  void *user;
  gv_progress_fn progress; /* called by the calling thread; may be NULL */
  void *progress_user;
} gv_live_window;

gv_status gv_live_read(gv_io *io, gv_live *live, const gv_live_window *window);

#endif
