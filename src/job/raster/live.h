/*
 * A raster that is computed as it is looked at: what GDAL's driver (plugin/gdal) is a face of.
 *
 * It is opened by a description (job/description.h), whose outputs are not looked at. Opening looks at the sources' headers where these
 * tell what the raster is like; seeds are read when a value is first asked for. Its sources cannot be on-demand rasters.
 *
 * Level 0 is the raster, the others are its overviews: exact answers for cells of twice, four times ... the size.
 *
 * One is used by one thread at a time, as GDAL's datasets are, within calls of that thread (gv_live_begin); different ones by any number
 * of threads.
 */
#ifndef GV_JOB_RASTER_LIVE_H
#define GV_JOB_RASTER_LIVE_H

#include <gdal.h>

#include "io/io.h"

enum {
  GV_LIVE_BLOCK = 256,    /* cells a side of what is computed at once */
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
  int kind, rank; /* of what (GV_RUN_OUT ...), and the how manieth band of that, from 0 */
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

/* What is known of a raster. */
typedef struct gv_live gv_live;

/* True for names that gv_live_open takes, whatever is there: "VORONOI:..." and "....voronoi.json". */
bool gv_live_is_name(const char *name);

/* The options that are known, as GDAL's XML; to be freed with CPLFree. */
char *gv_live_option_list(void);

/* `options`: NAME=VALUE, a list of GDAL's, in place of what the description says; names as GDAL has them (MAX_DISTANCE). To be closed in
 * any case but an error. */
gv_status gv_live_open(gv_io *io, const char *name, char **options, gv_live **out);
void gv_live_close(gv_live *live);

/* The files that the raster is made of, without its own description: to be freed with CSLDestroy. */
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

/* Values of a rectangle of a window: of band (kind, rank) at row r, column c of it:
 * values[kind] + rank * band_stride[kind] + r * stride[kind] + c * step[kind], counted in values. */
typedef struct gv_live_piece {
  int64_t x, y, w, h; /* in the window */
  const void *values[GV_LIVE_KINDS];
  int64_t band_stride[GV_LIVE_KINDS], stride[GV_LIVE_KINDS];
  int step[GV_LIVE_KINDS]; /* 0 where all are alike */
} gv_live_piece;

typedef struct gv_live_window {
  int level;
  int64_t x, y, w, h; /* within the level */
  unsigned kinds;     /* bits that are asked for: 1 << GV_RUN_OUT ... */
  void (*take)(void *user,
               const gv_live_piece *piece); /* pieces share no cell; called by several threads at once */
  void *user;
  gv_progress_fn progress; /* called by the calling thread; may be NULL */
  void *progress_user;
} gv_live_window;

gv_status gv_live_read(gv_io *io, gv_live *live, const gv_live_window *window);

#endif
