/*
 * The installed header for MPI, by any number of processes: each has the same cells and neighbors as a single
 * process, for any communicator, and errors reach all.
 */
#include <gpuvoronoi/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 900, QUERIES = 240, K = 7, DIM = 3, WIDTH = 70, HEIGHT = 90, SEEDS = 30, BLOCK = 16 };

static int failures;

#define EXPECT(what) expect((what) != 0, #what, __LINE__)

static void expect(int holds, const char *what, int line) {
  if (holds) return;
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  failures++;
}

/* Numbers on a coarse lattice, so that many are equally far. */
static double number(int64_t i) {
  return (double)((uint64_t)(i + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 61);
}

typedef struct setting {
  MPI_Comm communicator;
  int rank, ranks;
  gv_context *context;
  double point[POINTS * DIM], query[QUERIES * DIM];
  int64_t found[POINTS * K], expected[POINTS * K];
  double distance[POINTS * K], expected_distance[POINTS * K];
  int32_t cell[2 * WIDTH * HEIGHT], whole[2 * WIDTH * HEIGHT];
} setting;

/* What of `count` things is this process's: uneven shares. */
static void share(const setting *s, int64_t count, int64_t *first, int64_t *end) {
  *first = count * s->rank * s->rank / s->ranks / s->ranks;
  *end = count * (s->rank + 1) * (s->rank + 1) / s->ranks / s->ranks;
}

static void compare(setting *s, int64_t first, int64_t end) {
  size_t count = (size_t)((end - first) * K);
  EXPECT(memcmp(s->found, s->expected + first * K, count * sizeof *s->found) == 0);
  EXPECT(memcmp(s->distance, s->expected_distance + first * K, count * sizeof *s->distance) == 0);
}

static void search_plane(setting *s) {
  int64_t first, end, first_query, end_query;
  gv_index_options serial;
  gv_index_options_init(&serial);
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *all = NULL, *own = NULL;
  share(s, POINTS, &first, &end);
  share(s, QUERIES, &first_query, &end_query);
  gv_points points = gv_points_rows(s->point, POINTS, DIM, GV_FLOAT64), mine = points,
            queries = gv_points_rows(s->query, QUERIES, DIM, GV_FLOAT64);
  gv_points asked = queries;
  mine.data = s->point + first * DIM;
  mine.count = end - first;
  asked.data = s->query + first_query * DIM;
  asked.count = end_query - first_query;
  serial.backend = "serial";
  options.k = K;
  EXPECT(gv_index_build(s->context, &points, &serial, &all) == GV_OK);
  EXPECT(gv_index_build(s->context, &mine, NULL, &own) == GV_OK);
  EXPECT(gv_index_search(s->context, all, &queries, &options, s->expected, s->expected_distance) == GV_OK);
  EXPECT(gv_mpi_index_search(s->communicator, s->context, own, &asked, &options, s->found, s->distance) ==
         GV_OK);
  compare(s, first_query, end_query);
  options.exclude_self = 1;
  EXPECT(gv_index_search(s->context, all, NULL, &options, s->expected, s->expected_distance) == GV_OK);
  EXPECT(gv_mpi_index_search(s->communicator, s->context, own, NULL, &options, s->found, s->distance) ==
         GV_OK);
  compare(s, first, end);
  /* One invalid call: all get the error, and continue. */
  options.k = s->rank == s->ranks - 1 ? 0 : K;
  EXPECT(gv_mpi_index_search(s->communicator, s->context, own, NULL, &options, s->found, NULL) ==
         GV_ERROR_INVALID_ARGUMENT);
  EXPECT(s->rank == s->ranks - 1 ||
         strstr(gv_context_message(s->context), "failed: invalid argument") != NULL);
  gv_index_destroy(own);
  gv_index_destroy(all);
}

static void search_globe(setting *s) {
  int64_t first, end;
  gv_search_options options;
  gv_search_options_init(&options);
  gv_index *all = NULL, *own = NULL;
  share(s, POINTS, &first, &end);
  gv_points seeds = gv_points_xy(s->point, s->point + POINTS, POINTS);
  gv_points mine = gv_points_xy(seeds.x + first, seeds.y + first, end - first);
  gv_index_options globe;
  gv_index_options_init(&globe);
  globe.metric = GV_GEODESIC;
  options.k = K;
  EXPECT(gv_index_build(s->context, &seeds, &globe, &all) == GV_OK);
  EXPECT(gv_index_build(s->context, &mine, &globe, &own) == GV_OK);
  EXPECT(gv_index_search(s->context, all, &seeds, &options, s->expected, s->expected_distance) == GV_OK);
  EXPECT(gv_mpi_index_search(s->communicator, s->context, own, &mine, &options, s->found, s->distance) ==
         GV_OK);
  compare(s, first, end);
  gv_index_destroy(own);
  gv_index_destroy(all);
}

static void compute(setting *s) {
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(s->point, s->point + POINTS, SEEDS);
  gv_voronoi *serial = NULL, *voronoi = NULL;
  gv_labels all, own;
  gv_labels_init(&all);
  gv_labels_init(&own);
  grid.width = WIDTH;
  grid.height = HEIGHT;
  grid.geotransform[1] = 8.0 / WIDTH;
  grid.geotransform[5] = 8.0 / HEIGHT;
  options.k = 2;
  options.block_width = options.block_height = BLOCK;
  EXPECT(gv_voronoi_create(s->context, &grid, &seeds, &options, &voronoi) == GV_OK);
  options.backend = "serial";
  EXPECT(gv_voronoi_create(s->context, &grid, &seeds, &options, &serial) == GV_OK);
  all.out = s->whole;
  EXPECT(gv_voronoi_fill(s->context, serial, &all, NULL) == GV_OK);
  EXPECT(gv_mpi_voronoi_part(s->communicator, s->context, voronoi, &own) == GV_OK);
  own.out = s->cell;
  EXPECT(own.rows == 0 || gv_voronoi_fill(s->context, voronoi, &own, NULL) == GV_OK);
  for (int64_t band = 0; band < 2; band++) {
    EXPECT(memcmp(s->cell + band * own.rows * WIDTH, s->whole + (band * HEIGHT + own.row) * WIDTH,
                  (size_t)(own.rows * WIDTH) * sizeof *s->cell) == 0);
  }
  long long rows = own.rows, total = 0;
  MPI_Allreduce(&rows, &total, 1, MPI_LONG_LONG, MPI_SUM, s->communicator);
  EXPECT(total == HEIGHT && own.column == 0 && own.columns == WIDTH);
  gv_voronoi_destroy(serial);
  gv_voronoi_destroy(voronoi);
}

static void ask_all(setting *s, MPI_Comm communicator) {
  s->communicator = communicator;
  MPI_Comm_rank(communicator, &s->rank);
  MPI_Comm_size(communicator, &s->ranks);
  search_plane(s);
  search_globe(s);
  compute(s);
}

int main(int argc, char **argv) {
  int given = 0, expected = argc > 1 ? atoi(argv[1]) : 1;
  setting *s = calloc(1, sizeof *s);
  gv_context_options options;
  gv_context_options_init(&options);
  MPI_Comm reversed = MPI_COMM_NULL;
  options.threads = 1;
  if (s == NULL || MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) return 1;
  EXPECT(gv_context_create(&options, &s->context) == GV_OK);
  EXPECT(gv_mpi_communicator(NULL, NULL) == GV_ERROR_INVALID_ARGUMENT);
  for (int64_t i = 0; i < POINTS * DIM; i++)
    s->point[i] = number(i);
  for (int64_t i = 0; i < QUERIES * DIM; i++)
    s->query[i] = number(-2 * i) + 0.5;
  ask_all(s, MPI_COMM_WORLD);
  EXPECT(s->ranks == expected);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -s->rank, &reversed);
  ask_all(s, reversed);
  ask_all(s, MPI_COMM_SELF);
  gv_context_destroy(s->context);
  free(s);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return failures > 0;
}
