/*
 * Statistics of regions with quantities of any form: refused, or the same bits in either order of the blocks,
 * with all cells and all of each quantity in them.
 */
#include <float.h>

#include "../grid_fill.h"
#include "../statistics_of.h"
#include "question.h"

enum { FEW_CELLS = 300, MOST_SUMS = 2 };

/* Contents of the blocks: seeds, distances, and a value a cell for each quantity. */
typedef struct contents {
  int32_t seed[FEW_CELLS];
  double distance[FEW_CELLS], value[MOST_SUMS][FEW_CELLS];
  int32_t sums;
  double bound[MOST_SUMS];
  bool distances;
  uint8_t spoiled; /* 0: the quantities are well formed */
} contents;

/* The quantity of one block: a value a cell, or spans of two columns by spans of two rows. Memory is as large
 * as it must be. */
typedef struct quantity {
  gv_quantity q;
  double *value;
  int32_t *first, *first_row;
} quantity;

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  FUZZ_REQUIRE(memory != NULL);
  return memory;
}

static quantity make_quantity(const question *q, const contents *c, int32_t sum, block_place place) {
  quantity made = {0};
  int32_t span = sum == 0 ? 1 : 2;
  int32_t count = (int32_t)((place.width + span - 1) / span),
          rows = (int32_t)((place.height + span - 1) / span);
  made.value = allocate((size_t)count * (size_t)rows, sizeof *made.value);
  for (int32_t r = 0; r < rows; r++)
    for (int32_t i = 0; i < count; i++)
      made.value[r * count + i] = c->value[sum][place.at + r * span * fuzz_stride(q) + i * span];
  made.q = quantity_of(made.value, NULL, count, count, NULL, rows);
  if (span == 1) return made;
  made.first = allocate((size_t)count, sizeof *made.first);
  made.first_row = allocate((size_t)rows, sizeof *made.first_row);
  for (int32_t i = 0; i < count; i++)
    made.first[i] = i * span;
  for (int32_t r = 0; r < rows; r++)
    made.first_row[r] = r * span;
  if (c->spoiled != 0) {
    int32_t *offsets = c->spoiled % 2 == 0 ? made.first : made.first_row;
    offsets[c->spoiled % (c->spoiled % 2 == 0 ? count : rows)] = (int8_t)(c->spoiled * 37U);
  }
  made.q.first = made.first;
  made.q.first_row = made.first_row;
  return made;
}

static gv_status add_block(gv_context *context, const question *q, const contents *c,
                           const gv_voronoi *voronoi, int64_t column, int64_t row,
                           gv_statistics *statistics) {
  quantity made[MOST_SUMS];
  gv_quantity quantities[MOST_SUMS];
  gv_statistics_cells block;
  gv_statistics_cells_init(&block);
  block_place place = fuzz_block(q, column, row);
  for (int32_t s = 0; s < c->sums; s++) {
    made[s] = make_quantity(q, c, s, place);
    quantities[s] = made[s].q;
  }
  AT_BLOCK(block, voronoi, column, row);
  block.seed = c->seed + place.at;
  block.distance = c->distance + place.at;
  block.stride = block.distance_stride = fuzz_stride(q);
  block.quantity = quantities;
  gv_status status = gv_statistics_add(context, statistics, &block);
  for (int32_t s = 0; s < c->sums; s++) {
    free(made[s].value);
    free(made[s].first);
    free(made[s].first_row);
  }
  return status;
}

static gv_status add_all(gv_context *context, const question *q, const contents *c, bool backwards,
                         gv_seed_statistics *of_seed, sum_statistics *sums) {
  gv_statistics_options options;
  gv_statistics_options_init(&options);
  gv_voronoi *voronoi = NULL;
  gv_statistics *statistics = NULL;
  options.distances = c->distances;
  options.sums = c->sums;
  options.bound = c->bound;
  gv_status status = fuzz_create(context, q, NULL, &voronoi);
  if (status == GV_OK) status = gv_statistics_create(context, voronoi, &options, &statistics);
  int64_t across = status == GV_OK ? blocks_across(voronoi) : 0,
          count = across > 0 ? across * blocks_down(voronoi) : 0;
  for (int64_t i = 0; status == GV_OK && i < count; i++) {
    int64_t block = backwards ? count - 1 - i : i;
    status = add_block(context, q, c, voronoi, block % across, block / across, statistics);
  }
  for (int64_t i = 0; status == GV_OK && i < q->sources; i++)
    status = get_statistics(context, statistics, i, &of_seed[i], &sums[i * c->sums], c->sums);
  if (status != GV_OK) FUZZ_REQUIRE(gv_context_message(context)[0] != '\0');
  gv_statistics_destroy(statistics);
  gv_voronoi_destroy(voronoi);
  return status;
}

static void check(const question *q, const contents *c, const gv_seed_statistics *of_seed,
                  const sum_statistics *sums) {
  int64_t cells = 0, assigned = 0;
  for (int64_t i = 0; i < q->cells; i++)
    assigned += c->seed[i] >= 0;
  for (int64_t i = 0; i < q->sources; i++) {
    cells += of_seed[i].cells;
    FUZZ_REQUIRE(of_seed[i].cells >= 0 && of_seed[i].area >= 0.0);
    FUZZ_REQUIRE(of_seed[i].cells > 0 || (isnan(of_seed[i].centroid_x) && isnan(of_seed[i].distance_mean)));
  }
  FUZZ_REQUIRE(cells == assigned);
  if (c->sums == 0) return;
  /* The first quantity has a value a cell. */
  long double expected = 0.0L, found = 0.0L, size = 0.0L;
  for (int64_t i = 0; i < q->cells; i++) {
    expected += c->seed[i] >= 0 ? c->value[0][i] : 0.0;
    size += fabs(c->value[0][i]);
  }
  for (int64_t i = 0; i < q->sources; i++)
    found += sums[i * c->sums].sum;
  /* A sum may overflow a double. */
  if (size <= DBL_MAX)
    FUZZ_REQUIRE(fabsl(found - expected) <= 1e-13L * size + 1e-15L * fmax(c->bound[0], 1e-280));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static question q;
  static contents c;
  static gv_seed_statistics first[MOST_SEEDS], second[MOST_SEEDS];
  static sum_statistics first_sums[MOST_SEEDS * MOST_SUMS], second_sums[MOST_SEEDS * MOST_SUMS];
  fuzz_input input = {data, size};
  uint8_t choices = fuzz_byte(&input);
  c.spoiled = (choices & 0x10U) != 0 ? fuzz_byte(&input) : 0;
  c.sums = choices % 4 % (MOST_SUMS + 1);
  c.distances = (choices & 4U) != 0;
  for (int32_t s = 0; s < MOST_SUMS; s++)
    c.bound[s] = (choices & 8U) != 0 ? 200.0 : fuzz_take_number(&input, (uint8_t)(choices >> 6));
  fuzz_take_question(&input, &q);
  q.options.k = 1;
  if (choices & 0x20U) fuzz_take_features(&input, &q);
  fuzz_fit(&q, fuzz_more_room(fuzz_room(data, size), 4));
  if (q.cells > FEW_CELLS) return 0;
  gv_context *context = fuzz_context(1);
  if (fuzz_answer(context, &q, NULL, c.seed, c.distance) == GV_OK) {
    for (int64_t i = 0; i < q.cells * MOST_SUMS; i++)
      c.value[i / q.cells][i % q.cells] = fuzz_take_number(&input, (uint8_t)(choices >> 6));
    gv_status status = add_all(context, &q, &c, false, first, first_sums);
    FUZZ_REQUIRE(add_all(context, &q, &c, true, second, second_sums) == status);
    if (status == GV_OK) {
      check(&q, &c, first, first_sums);
      FUZZ_REQUIRE(memcmp(first, second, (size_t)q.sources * sizeof *first) == 0);
      FUZZ_REQUIRE(memcmp(first_sums, second_sums, (size_t)(q.sources * c.sums) * sizeof *first_sums) == 0);
    }
  }
  gv_context_destroy(context);
  return 0;
}
