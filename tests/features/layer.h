/* Layers of features for tests, made part by part. */
#ifndef GV_TESTS_LAYER_H
#define GV_TESTS_LAYER_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "gpuvoronoi/geometries.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "split_mix.h"

enum { LAYER_FEATURES = 4096, LAYER_PARTS = 8192, LAYER_RINGS = 8192, LAYER_VERTICES = 65536 };

typedef struct layer {
  int64_t part[LAYER_FEATURES + 1], ring[LAYER_PARTS + 1], vertex[LAYER_RINGS + 1];
  uint8_t kind[LAYER_PARTS];
  double x[LAYER_VERTICES], y[LAYER_VERTICES];
  int64_t features, parts, rings, vertices;
} layer;

/* Also with the closest points; NULL: not requested. */
static inline gv_status search_features(gv_context *context, const gv_index *index, const gv_points *queries,
                                        const gv_search_options *options, int64_t *indices, double *distances,
                                        double *nearest) {
  gv_search_options o;
  gv_search_options_init(&o);
  if (options != NULL) o = *options;
  o.nearest = nearest;
  return gv_index_search(context, index, queries, &o, indices, distances);
}

static inline void layer_clear(layer *l) {
  l->features = l->parts = l->rings = l->vertices = 0;
  l->part[0] = l->ring[0] = l->vertex[0] = 0;
}

static inline void layer_vertex(layer *l, double x, double y) {
  l->x[l->vertices] = x;
  l->y[l->vertices++] = y;
}

static inline void layer_end_ring(layer *l) {
  l->vertex[++l->rings] = l->vertices;
}

static inline void layer_end_part(layer *l, gv_part_kind kind) {
  l->kind[l->parts] = (uint8_t)kind;
  l->ring[++l->parts] = l->rings;
}

static inline void layer_end_feature(layer *l) {
  l->part[++l->features] = l->parts;
}

/* A feature of one part and one ring. */
static inline void layer_add(layer *l, gv_part_kind kind, const double (*xy)[2], int64_t count) {
  for (int64_t i = 0; i < count; i++)
    layer_vertex(l, xy[i][0], xy[i][1]);
  layer_end_ring(l);
  layer_end_part(l, kind);
  layer_end_feature(l);
}

static inline void layer_box(layer *l, double x0, double y0, double x1, double y1) {
  const double xy[5][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}};
  layer_add(l, GV_PART_POLYGON, xy, 5);
}

static inline gv_features layer_features(const layer *l, gv_edges edges, bool boundary) {
  gv_features f;
  gv_features_init(&f);
  f.count = l->features;
  f.part = l->part;
  f.kind = l->kind;
  f.ring = l->ring;
  f.vertex = l->vertex;
  f.x = l->x;
  f.y = l->y;
  f.edges = edges;
  f.boundary = boundary;
  return f;
}

static uint64_t layer_state = 5;

static inline double layer_uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&layer_state) >> 11) * 0x1p-53;
}

/* A ring around a center, of random radii. */
static inline void layer_star(layer *l, double x, double y, double size, int corners, double bottom,
                              double top) {
  int64_t first = l->vertices;
  for (int i = 0; i < corners; i++) {
    double angle = 6.283185307179586 * i / corners, r = size * layer_uniform(0.4, 1.0);
    layer_vertex(l, x + r * cos(angle), fmin(top, fmax(bottom, y + r * sin(angle))));
  }
  layer_vertex(l, l->x[first], l->y[first]);
  layer_end_ring(l);
}

/* Points, lines, polygons with holes and collections of them, in a rectangle. */
static inline void layer_random(layer *l, int64_t features, const double low[2], const double high[2],
                                double size) {
  for (int64_t f = 0; f < features; f++) {
    int parts = layer_uniform(0.0, 1.0) < 0.2 ? 3 : 1;
    for (int p = 0; p < parts; p++) {
      double x = layer_uniform(low[0], high[0]), y = layer_uniform(low[1], high[1]),
             kind = layer_uniform(0.0, 1.0);
      double s = size * exp(layer_uniform(-4.0, 0.0));
      if (kind < 0.15) {
        layer_vertex(l, x, y);
        layer_end_ring(l);
        layer_end_part(l, GV_PART_POINTS);
      } else if (kind < 0.5) {
        for (int i = 0; i < 6; i++) {
          layer_vertex(l, x, y);
          x += layer_uniform(-s, s);
          y = fmin(high[1], fmax(low[1], y + layer_uniform(-s, s)));
          if (i == 2) layer_vertex(l, l->x[l->vertices - 1], l->y[l->vertices - 1]); /* no length */
        }
        layer_end_ring(l);
        layer_end_part(l, GV_PART_LINE);
      } else {
        layer_star(l, x, y, s, 9, low[1], high[1]);
        if (kind < 0.7) layer_star(l, x, y, 0.35 * s, 5, low[1], high[1]);
        layer_end_part(l, GV_PART_POLYGON);
      }
    }
    layer_end_feature(l);
  }
}

/* Boxes that share their borders. */
static inline void layer_countries(layer *l, int across, int down, const double low[2],
                                   const double high[2]) {
  for (int j = 0; j < down; j++) {
    for (int i = 0; i < across; i++) {
      layer_box(l, low[0] + (high[0] - low[0]) * i / across, low[1] + (high[1] - low[1]) * j / down,
                low[0] + (high[0] - low[0]) * (i + 1) / across, low[1] + (high[1] - low[1]) * (j + 1) / down);
    }
  }
}

#endif
