/* Questions about grids for fuzzers, read off the input, and what every backend must answer to them. */
#ifndef FUZZ_QUESTION_H
#define FUZZ_QUESTION_H

#include <stdbool.h>

#include "fuzz.h"
#include "gpuvoronoi/geometries.h"
#include "gpuvoronoi/gpuvoronoi.h"

enum { MOST_CELLS = 1500, MOST_SEEDS = 60, MOST_RANKS = 6 };
enum { MOST_PARTS = 24, MOST_RINGS = 32, MOST_VERTICES = 160 };

typedef struct question {
  gv_grid grid;
  gv_points seeds;
  gv_features features;
  gv_voronoi_options options;
  int64_t cells;
  int64_t sources; /* number of seeds or features */
  int threads;
  int asked; /* which backends: fuzz_asks */
  bool masked;
  uint8_t mask[MOST_CELLS];
  double x[MOST_SEEDS], y[MOST_SEEDS], weights[MOST_SEEDS];
  int64_t part[MOST_SEEDS + 1], ring[MOST_PARTS + 1], vertex[MOST_RINGS + 1];
  uint8_t kind[MOST_PARTS];
  double vertex_x[MOST_VERTICES], vertex_y[MOST_VERTICES];
} question;

/* Grid, options, seeds. The question must stay where it is. */
void fuzz_take_question(fuzz_input *input, question *q);

/* Lines and polygons in place of the seeds, most of them well formed. */
void fuzz_take_features(fuzz_input *input, question *q);

/* Fewer cells, seeds or features where there are more than there is room for (fuzz_room), and one thread. */
enum { GEODESICS_TAKE = 4 }; /* times as long as other distances */
void fuzz_fit(question *q, int64_t room);

/* Whole numbers (ties), any bits, fractions. */
double fuzz_take_number(fuzz_input *input, uint8_t kind);

typedef struct block_place {
  int64_t width, height;
  int64_t at; /* the first cell's number */
} block_place;

/* Blocks have the requested width, except for the mesh; rows of cells are fuzz_stride apart. */
block_place fuzz_block(const question *q, int64_t column, int64_t row);
int64_t fuzz_stride(const question *q);

/* The seeds or features as `backend` prepares them. */
gv_status fuzz_create(gv_context *context, const question *q, const char *backend, gv_voronoi **out);

/* All blocks; `distance` may be NULL. */
gv_status fuzz_answer(gv_context *context, const question *q, const char *backend, int32_t *out,
                      double *distance);

/* Every backend reports an error, or returns the results of the first one (serial): seeds and distances,
 * which are checked. */
void fuzz_compare_backends(const question *q);

gv_context *fuzz_context(int threads);

#endif
