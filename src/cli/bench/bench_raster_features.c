/* bench raster: the suite `features`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_raster.h"
#include "cli/cli.h"
#include "io/crs.h"
#include "io/in/seeds.h"

typedef bench_raster_settings settings;

/* Polygons: those of a file, or islands all over the globe. */
typedef struct polygons {
  gv_seed_list list; /* of the file */
  gv_features features;
  int64_t *part, *ring, *vertex;
  uint8_t *kind;
  double *x, *y;
  int64_t vertices;
} polygons;

enum { ISLANDS = 1400, CORNERS = 42 };

static void make_islands(polygons *p) {
  static double lon[ISLANDS], lat[ISLANDS];
  uint64_t state = 7;
  bench_seeds_on_globe(ISLANDS, 42, lon, lat);
  for (int64_t i = 0; i < ISLANDS; i++) {
    double size = 8.0 * exp(-4.0 * bench_uniform(&state)),
           wide = size / fmax(0.1, cos(lat[i] * 0.017453292519943295));
    int64_t first = i * (CORNERS + 1);
    for (int64_t c = 0; c < CORNERS; c++) {
      double angle = 6.283185307179586 * (double)c / CORNERS, reach = 0.6 + 0.4 * bench_uniform(&state);
      p->x[first + c] = lon[i] + wide * reach * cos(angle);
      p->y[first + c] = fmin(90.0, fmax(-90.0, lat[i] + size * reach * sin(angle)));
    }
    p->x[first + CORNERS] = p->x[first];
    p->y[first + CORNERS] = p->y[first];
    p->kind[i] = GV_PART_POLYGON;
  }
  for (int64_t i = 0; i <= ISLANDS; i++) {
    p->part[i] = p->ring[i] = i;
    p->vertex[i] = i * (CORNERS + 1);
  }
  p->vertices = ISLANDS * (CORNERS + 1);
  p->features.count = ISLANDS;
  p->features.part = p->part;
  p->features.kind = p->kind;
  p->features.ring = p->ring;
  p->features.vertex = p->vertex;
  p->features.x = p->x;
  p->features.y = p->y;
}

static void free_polygons(polygons *p) {
  gv_seeds_free(&p->list);
  free(p->part);
  free(p->ring);
  free(p->vertex);
  free(p->kind);
  free(p->x);
  free(p->y);
}

/* To be freed in any case. */
static int get_polygons(const settings *s, polygons *p) {
  *p = (polygons){.list = GV_SEED_LIST_INIT, .features = GV_FEATURES_INIT};
  if (s->seed_file == NULL) {
    size_t vertices = (size_t)ISLANDS * (CORNERS + 1);
    p->part = malloc((ISLANDS + 1) * sizeof *p->part);
    p->ring = malloc((ISLANDS + 1) * sizeof *p->ring);
    p->vertex = malloc((ISLANDS + 1) * sizeof *p->vertex);
    p->kind = malloc(ISLANDS);
    p->x = malloc(vertices * sizeof *p->x);
    p->y = malloc(vertices * sizeof *p->y);
    if (p->part == NULL || p->ring == NULL || p->vertex == NULL || p->kind == NULL || p->x == NULL || p->y == NULL)
      return cli_fail(EXIT_ERROR, "bench: out of memory for the polygons");
    make_islands(p);
    return EXIT_OK;
  }
  gv_io io = {.cancelled = NULL};
  gv_seed_options options = {.source = s->seed_file, .shapes = true};
  gv_status status = gv_seeds_read(&io, &options, &p->list);
  if (status == GV_OK) status = gv_seeds_require_some(&io, &p->list);
  if (status != GV_OK) return cli_fail(EXIT_ERROR, "bench: %s", io.message);
  if (p->list.shapes == NULL || p->list.crs == NULL || !gv_crs_is_lonlat(p->list.crs))
    return cli_fail(EXIT_ERROR, "bench: %s has no lines or polygons in longitude and latitude", s->seed_file);
  p->features = gv_seeds_features(&p->list);
  const double *x, *y;
  gv_seeds_places(&p->list, &x, &y, &p->vertices);
  return EXIT_OK;
}

/* The allocation, and then what all its distances take. */
static gv_status time_once(gv_context *context, const settings *s, const polygons *p, bool vertices, int32_t *out,
                           double *allocation, double *both) {
  gv_seeds seeds = {p->features.x, p->features.y, p->vertices};
  gv_grid grid = bench_raster_globe(s);
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  gv_voronoi *voronoi = NULL;
  options.metric = GV_GEODESIC;
  options.backend = vertices ? s->backend : "tile";
  if (!vertices) options.features = &p->features;
  double start = bench_now();
  gv_status status = gv_voronoi_create(context, &grid, vertices ? &seeds : NULL, &options, &voronoi);
  if (status == GV_OK) status = gv_voronoi_compute(context, voronoi, out, s->width);
  *allocation = bench_now() - start;
  if (status == GV_OK) status = bench_raster_measure(context, voronoi, s, false, out);
  *both = bench_now() - start;
  gv_voronoi_destroy(voronoi);
  return status;
}

int bench_raster_features(const settings *s, gv_context *context) {
  static const char *const names[2][2] = {{"vertices as points", "vertices, distances"},
                                          {"polygons", "polygons, distances"}};
  double time[2][2][BENCH_RASTER_RUNS], ratio[2][BENCH_RASTER_RUNS], cells = (double)s->width * (double)s->height;
  int32_t *out = malloc((size_t)(s->width * s->height) * sizeof *out);
  polygons p;
  int result = get_polygons(s, &p);
  if (result == EXIT_OK && out == NULL)
    result = cli_fail(EXIT_ERROR, "bench: out of memory for the seeds' numbers");
  for (int run = -1; run < s->runs && result == EXIT_OK; run++) {
    int at = run < 0 ? 0 : run;
    for (int which = 0; which < 2 && result == EXIT_OK; which++) {
      if (time_once(context, s, &p, which == 0, out, &time[which][0][at], &time[which][1][at]) != GV_OK)
        result = cli_fail(EXIT_ERROR, "bench: %s", gv_context_message(context));
    }
    for (int what = 0; what < 2; what++)
      ratio[what][at] = time[1][what][at] / time[0][what][at];
  }
  for (int what = 0; what < 2 && result == EXIT_OK; what++) {
    bench_raster_row(s, "features", names[0][what], p.vertices, cells, time[0][what], NULL, s->runs, "", -1.0);
    bench_raster_row(s, "features", names[1][what], p.features.count, cells, time[1][what], ratio[what], s->runs,
                     names[0][what], -1.0);
  }
  free_polygons(&p);
  free(out);
  return result;
}
