/*
 * An on-demand raster: the implementation of GDAL's driver VORONOI (plugin/gdal).
 *
 * It is opened by a description (description/description.h), without its outputs. Opening reads only the
 * sources' headers if they define the raster; seeds are read at the first access to a value. Its sources
 * cannot be on-demand rasters.
 *
 * Level 0 is the raster, the others are its overviews: exact results for cells of twice, four times ... the
 * size.
 *
 * An on-demand raster is used by one thread at a time, like GDAL's datasets, within calls of that thread
 * (call.h). Different ones may be used by different threads.
 */
#ifndef GV_JOB_ON_DEMAND_H
#define GV_JOB_ON_DEMAND_H

#include <gdal.h>

#include "io/io.h"

enum {
  GV_ON_DEMAND_BLOCK = 256,    /* side in cells of blocks that are computed at once */
  GV_ON_DEMAND_SMALLEST = 256, /* overviews are made until one has no longer side than this */
  GV_ON_DEMAND_KINDS = 3
};

typedef struct gv_on_demand_band {
  int kind,
      /* kind of the values (GV_RUN_OUT ...), and number of the band among those of this kind, from 0 */
      number;
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

/* `options`: NAME=VALUE, a GDAL list that overrides the description; GDAL's names (MAX_DISTANCE). Close *out
 * unless there is an error. */
gv_status gv_on_demand_open(gv_io *io, const char *name, char **options, gv_on_demand **out);
void gv_on_demand_close(gv_on_demand *on_demand);

/* The files that the raster is made from, without its own description: a list of io/strings.h. *out is to be
 * freed in any case. */
gv_status gv_on_demand_files(gv_io *io, gv_on_demand *on_demand, char ***out);

const gv_on_demand_facts *gv_on_demand_facts_of(const gv_on_demand *on_demand);

/* Sides of a level. */
void gv_on_demand_size(const gv_on_demand *on_demand, int level, int64_t *width, int64_t *height);

#endif
