/*
 * gpuvoronoi-bench barriers: the shortest ways round polygons on a plane of 1000 x 1000. Polygons are stars
 * of 10 vertices with random angles and radii, one in each cell of a square grid, so most are concave and
 * none meet. Seeds are random; some are inside of polygons.
 */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "gpuvoronoi/barriers.h"

enum { CORNERS = 10, VERTICES = CORNERS + 1 };

static const double SIDE = 1000.0, TURN = 6.283185307179586;

typedef struct barriers_world {
  int64_t *part, *ring, *vertex;
  uint8_t *kind;
  double *x, *y, *seed_x, *seed_y, *cell_x, *cell_y;
} barriers_world;

static int barriers_compare(const void *a, const void *b) {
  const double *p = a, *q = b;
  return *p < *q ? -1 : *p > *q;
}

static void barriers_make_star(barriers_world *w, int64_t polygon, int64_t across, uint64_t *state) {
  const double size = SIDE / (double)across, x = ((double)(polygon % across) + 0.5) * size,
               y = ((double)(polygon / across) + 0.5) * size;
  double angle[CORNERS];
  for (int i = 0; i < CORNERS; i++)
    angle[i] = TURN * bench_uniform(state);
  qsort(angle, CORNERS, sizeof *angle, barriers_compare);
  for (int i = 0; i < VERTICES; i++) {
    const int64_t at = polygon * VERTICES + i;
    const double radius = size * 0.48 * (0.3 + 0.7 * bench_uniform(state));
    w->x[at] = i < CORNERS ? x + radius * cos(angle[i]) : w->x[at - CORNERS];
    w->y[at] = i < CORNERS ? y + radius * sin(angle[i]) : w->y[at - CORNERS];
  }
}

static void barriers_fill(const bench *b, barriers_world *w) {
  uint64_t state = 42;
  const int64_t across = (int64_t)ceil(sqrt((double)b->polygons));
  for (int64_t i = 0; i < b->polygons; i++) {
    barriers_make_star(w, i, across, &state);
    w->kind[i] = GV_PART_POLYGON;
    w->part[i + 1] = w->ring[i + 1] = i + 1;
    w->vertex[i + 1] = (i + 1) * VERTICES;
  }
  for (int64_t i = 0; i < b->seeds[0]; i++) {
    w->seed_x[i] = SIDE * bench_uniform(&state);
    w->seed_y[i] = SIDE * bench_uniform(&state);
  }
  for (int64_t i = 0; i < b->size[0] * b->size[1]; i++) {
    w->cell_x[i] = SIDE * ((double)(i % b->size[0]) + 0.5) / (double)b->size[0];
    w->cell_y[i] = SIDE * ((double)(i / b->size[0]) + 0.5) / (double)b->size[1];
  }
}

static gv_status run_barriers(bench *b, const bench_case *c, bench_sample *s) {
  const barriers_world *w = c->with;
  const int64_t cells = b->size[0] * b->size[1];
  gv_barriers *barriers = NULL;
  gv_features polygons;
  gv_barrier_places places;
  gv_features_init(&polygons);
  polygons.count = b->polygons;
  polygons.part = w->part;
  polygons.ring = w->ring;
  polygons.vertex = w->vertex;
  polygons.kind = w->kind;
  polygons.x = w->x;
  polygons.y = w->y;
  gv_barrier_places_init(&places);
  places.x = w->cell_x;
  places.y = w->cell_y;
  places.count = cells;
  places.distance = malloc((size_t)cells * sizeof *places.distance);
  gv_status status = places.distance != NULL ? GV_OK : GV_ERROR_OUT_OF_MEMORY;
  bench_start(b, s);
  if (status == GV_OK) status = gv_barriers_create(b->context, &polygons, NULL, &barriers);
  if (status == GV_OK)
    status = gv_barriers_solve(b->context, barriers, w->seed_x, w->seed_y, b->seeds[0], NULL);
  bench_stop(b, s);
  s->value[BUILD] = s->value[SECONDS];
  bench_start(b, s);
  if (status == GV_OK) status = gv_barriers_get(b->context, barriers, &places);
  bench_stop(b, s);
  if (status == GV_OK) s->result = bench_checksum(places.distance, (size_t)cells * sizeof *places.distance);
  free(places.distance);
  gv_barriers_destroy(barriers);
  return status;
}

bool bench_barriers(bench *b) {
  const int64_t polygons = b->polygons, vertices = polygons * VERTICES, seeds = b->seeds[0],
                cells = b->size[0] * b->size[1];
  char group[128];
  barriers_world w = {.kind = malloc((size_t)polygons)};
  w.part = calloc((size_t)(3 * (polygons + 1)), sizeof *w.part);
  w.x = malloc((size_t)(2 * (vertices + seeds + cells)) * sizeof *w.x);
  bool good =
      (w.kind != NULL && w.part != NULL && w.x != NULL) || bench_fail("out of memory for the barriers");
  if (good) {
    w.ring = w.part + polygons + 1;
    w.vertex = w.ring + polygons + 1;
    w.y = w.x + vertices;
    w.seed_x = w.y + vertices;
    w.seed_y = w.seed_x + seeds;
    w.cell_x = w.seed_y + seeds;
    w.cell_y = w.cell_x + cells;
    barriers_fill(b, &w);
    bench_name(b, gv_points_xy(w.seed_x, w.seed_y, seeds), group);
    const bench_case one = {"round polygons", -1, 0, (double)cells, run_barriers, &w};
    good = bench_group(b, group, &one, 1);
  }
  free(w.kind);
  free(w.part);
  free(w.x);
  return good;
}
