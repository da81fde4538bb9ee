/* The points of a search: of arrays, layers and rasters. */
#ifndef GV_CLI_SEARCH_SOURCE_H
#define GV_CLI_SEARCH_SOURCE_H

#include <pthread.h>

#include "cli/search_options.h"
#include "io/in/arrays/arrays.h"
#include "io/in/seeds.h"

/* Points of a file: an open array, or a layer in memory. */
typedef struct cli_source {
  source_options options;
  gv_array_reader *array; /* NULL: a layer */
  gv_seed_list seeds;     /* layer ... */
  gv_seed_options layer;  /* ... and how it was read */
  double *rows;           /* layer on the plane: count x dim */
  int32_t dim;
} cli_source;

/* Whether it is an array; `globe`: the metric that was asked for measures there. */
gv_status cli_source_find_kind(gv_io *io, source_options *options, bool globe);

gv_status cli_source_open(gv_io *io, gv_context *context, const search_settings *j, const source_options *options,
                          cli_source *s);
void cli_source_close(cli_source *s);

/* A layer's x, y and z if there is one, as rows. */
gv_status cli_source_make_rows(gv_io *io, cli_source *s);

/* Brings a layer to longitude and latitude in degrees on the globe of the system `globe`. */
gv_status cli_source_to_globe(gv_io *io, cli_source *s, OGRSpatialReferenceH globe);

/* Points of an array that is no text, as the library reads them (gv_read_points_fn, `user` being one of these): from number `first` on. What
 * fails is told `io`; of several failures the first point's. */
typedef struct cli_source_reading {
  gv_io *io;
  const gv_array_reader *array;
  int64_t first;
  int64_t failed; /* the point of that failure; INT64_MAX: there is none */
  pthread_mutex_t lock;
} cli_source_reading;

gv_status cli_source_read(void *user, int64_t first, int64_t count, void *out);

/* How many points there are: of text an array is read to its end, and opened anew. */
gv_status cli_source_count(gv_io *io, cli_source *s, int64_t *count);

#endif
