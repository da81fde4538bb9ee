/*
 * Which metric goes with a coordinate system: one decision for rasters and for searches.
 */
#ifndef GV_IO_METRIC_H
#define GV_IO_METRIC_H

#include "io/crs.h"

/* True for metrics that measure on the globe: they need a coordinate system that is tied to it. */
bool gv_metric_on_globe(gv_metric metric);

typedef struct gv_metric_question {
  OGRSpatialReferenceH crs; /* in which distances would be measured on the map; NULL = none */
  bool asked;               /* for `metric` */
  gv_metric metric;
  const char *places; /* "the seeds have", for messages: what may lack a coordinate system ... */
  const char *remedy; /* ... and the option that gives one */
} gv_metric_question;

/*
 * The metric that was asked for, or the default: geodesic for longitudes and latitudes and where distances on the map are none on
 * the ground (gv_crs_fits_distances), else euclidean. An error where it makes no sense; a warning for distances on such a map.
 */
gv_status gv_metric_choose(gv_io *io, const gv_metric_question *question, gv_metric *out);

/* Why it is that one, for people: "default for longitudes and latitudes". */
const char *gv_metric_reason(const gv_metric_question *question);

#endif
