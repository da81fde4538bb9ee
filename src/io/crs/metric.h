/* The metric for a coordinate system: one decision for rasters and for searches. */
#ifndef GV_IO_METRIC_H
#define GV_IO_METRIC_H

#include "io/crs/crs.h"

/* True for metrics that measure on the globe: they need a coordinate system that is tied to it. */
bool gv_metric_on_globe(gv_metric metric);

typedef struct gv_metric_request {
  OGRSpatialReferenceH crs; /* in which distances would be measured on the map; NULL = none */
  bool requested;           /* for `metric` */
  gv_metric metric;
  const char *places; /* ... and the option that declares one */
  const char *remedy; /* ... and the option that gives one */
} gv_metric_request;

/*
 * The requested metric, or gv_default_metric. An error if it is not supported for the system; a warning for
 * distances on a map for which the default is geodesic.
 */
gv_status gv_metric_choose(gv_io *io, const gv_metric_request *request, gv_metric *out);

/* Why it is that one, for people: "default for longitudes and latitudes". */
const char *gv_metric_reason(const gv_metric_request *request);

#endif
