/*
 * gpuvoronoi - the experimental part of the interface: parts of one task for several processes, points that a function reads, and arrays
 * in the memory of CUDA devices.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is declared here may change in any release. A program says that it accepts this by defining GV_EXPERIMENTAL before it includes this
 * header. The conventions of gpuvoronoi.h hold here too, and those of gv_memory: all arrays of a call that lie on a device lie on the
 * same one.
 */
#ifndef GPUVORONOI_EXPERIMENTAL_H
#define GPUVORONOI_EXPERIMENTAL_H

#ifndef GV_EXPERIMENTAL
#error "gpuvoronoi/experimental.h may change in any release: define GV_EXPERIMENTAL to use it"
#endif

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------------- grids by parts */

/*
 * Example:
 *     const double x[2] = {1.0, 3.0}, y[2] = {1.0, 9.0};
 *     gv_seeds seeds = {x, y, 2};
 *     gv_grid grid;
 *     gv_grid_init(&grid);
 *     gv_voronoi_options options;
 *     gv_voronoi_options_init(&options);
 *     gv_voronoi *voronoi = NULL;
 *     gv_window upper = {0, 0, 0, 0}, lower = upper;
 *     int32_t nearest[10][4];
 *     grid.width = 4;
 *     grid.height = 10;
 *     options.block_height = 2; // five rows of blocks, of which the first part has two
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
 *     if (status == GV_OK) status = gv_voronoi_part(context, voronoi, 0, 2, &upper);
 *     if (status == GV_OK) status = gv_voronoi_part(context, voronoi, 1, 2, &lower);
 *     if (status == GV_OK) status = gv_voronoi_compute_part(context, voronoi, 1, 2, nearest[lower.row], 4);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || upper.height != 4 || lower.row != 4 || lower.height != 6 || nearest[9][0] != 1) return 1;
 */

/* Cells of a grid: columns column ... column + width - 1 of the rows row ... row + height - 1. */
typedef struct gv_window {
  int64_t column, row, width, height;
} gv_window;

/*
 * The cells of part `part` (from 0) of `parts`, which are the whole grid one after another: whole rows of blocks, as many as the others
 * have, or one more (GV_GRID_QTM: blocks of its only row). *out, in cells, has a height or width of 0 where there are fewer rows of blocks
 * than parts: lower options.block_height then. Where cells are not all alike, make more parts than there are processes, and let each
 * compute every n-th. Errors: INVALID_ARGUMENT.
 */
GV_API gv_status gv_voronoi_part(gv_context *context, const gv_voronoi *voronoi, int32_t part, int32_t parts,
                                 gv_window *out);

/*
 * gv_voronoi_compute of these cells only, with the context's threads and progress: cell (column, row) of the grid into
 * out[(row - window.row) * stride + column - window.column], bands stride x window.height apart. The caller owns `out`, which may be NULL
 * where the part has no cells. The values are those that the whole grid has there. Errors: INVALID_ARGUMENT, PROJECTION, OUT_OF_MEMORY,
 * CANCELLED, DEVICE.
 */
GV_API gv_status gv_voronoi_compute_part(gv_context *context, const gv_voronoi *voronoi, int32_t part,
                                         int32_t parts, int32_t *out, int64_t stride);

/* ------------------------------------------------------------------------------------------ statistics by parts */

/*
 * Example:
 *     const double x[2] = {1.0, 3.0}, y[2] = {1.0, 1.0};
 *     gv_seeds seeds = {x, y, 2};
 *     gv_grid grid;
 *     gv_grid_init(&grid);
 *     gv_voronoi *voronoi = NULL;
 *     gv_statistics *half = NULL, *whole = NULL;
 *     gv_seed_statistics first;
 *     unsigned char sums[256];
 *     grid.width = grid.height = 4;
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi);
 *     if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &half);
 *     if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &whole);
 *     // ... blocks are added to `half`, which is here, and to others elsewhere; all that they have goes to `whole`:
 *     if (gv_statistics_sums_size(half) > sizeof sums) return 1;
 *     for (int seed = 0; seed < 2 && status == GV_OK; seed++) {
 *       status = gv_statistics_get_sums(context, half, seed, sums);
 *       if (status == GV_OK) status = gv_statistics_add_sums(context, whole, seed, sums);
 *     }
 *     if (status == GV_OK) status = gv_statistics_get(context, whole, 0, &first, NULL);
 *     gv_statistics_destroy(half);
 *     gv_statistics_destroy(whole);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || first.cells != 0) return 1;
 */

/* Bytes of what follows, the same for all seeds; 0 for NULL. */
GV_API size_t gv_statistics_sums_size(const gv_statistics *statistics);

/*
 * What one seed, or group, has got so far, as whole numbers: the same bytes on every machine. They mean the same to statistics of the
 * same grid, seeds, options and bounds only. Errors: INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get_sums(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                        void *sums);

/* Adds such bytes to a seed, or group. Safe in several threads at once, and in any order. Errors: INVALID_ARGUMENT, also for bytes
 * that no statistics give. */
GV_API gv_status gv_statistics_add_sums(gv_context *context, gv_statistics *statistics, int64_t seed,
                                        const void *sums);

/* -------------------------------------------------------------------------------------------- searches by parts */

/*
 * Example:
 *     const double places[] = {0, 0, 3, 4, 10, 0, 3, 4}, position[] = {3, 3}; // four points, of which each half has an index
 *     gv_points low = {places, 2, 2, GV_FLOAT64}, high = {places + 4, 2, 2, GV_FLOAT64}, query = {position, 1, 2, GV_FLOAT64};
 *     gv_search_options two;
 *     gv_search_options_init(&two);
 *     gv_index *half[2] = {NULL, NULL};
 *     int64_t found[2][2], nearest[2];
 *     double value[2][2], distance[2];
 *     const int64_t *const all_found[2] = {found[0], found[1]};
 *     const double *const all_values[2] = {value[0], value[1]};
 *     two.k = 2;
 *     gv_status status = gv_index_build(context, &low, NULL, &half[0]);
 *     if (status == GV_OK) status = gv_index_build(context, &high, NULL, &half[1]);
 *     for (int part = 0; part < 2 && status == GV_OK; part++)
 *       status = gv_index_search_part(context, half[part], &query, &two, 0, 2 * part, found[part], value[part]);
 *     if (status == GV_OK) status = gv_neighbors_join(context, 2, 1, 2, all_found, all_values, nearest, distance);
 *     if (status == GV_OK) status = gv_index_distances(context, half[0], 2, distance);
 *     gv_index_destroy(half[0]);
 *     gv_index_destroy(half[1]);
 *     if (status != GV_OK || nearest[0] != 1 || nearest[1] != 3 || distance[1] != 1) return 1; // a tie: the lower number first
 */

/*
 * As gv_index_search, for queries number first_query, ... of all, among points number first_reference, ... of all, of which the index is
 * made. `indices` are numbers of all points. `canonical` (may be NULL) are canonical values, which tell apart what distances do not:
 * +inf where there is no neighbour. With exclude_self query i of all skips point i of all; any number of queries will do. Queries whose
 * data is NULL are the index's own points of those numbers. Errors: as gv_index_search.
 */
GV_API gv_status gv_index_search_part(gv_context *context, const gv_index *index, const gv_points *queries,
                                      const gv_search_options *options, int64_t first_query,
                                      int64_t first_reference, int64_t *indices, double *canonical);

/* The same as gv_globe_index_search, queries with data. */
GV_API gv_status gv_globe_index_search_part(gv_context *context, const gv_globe_index *index,
                                            const gv_seeds *queries, const gv_search_options *options,
                                            int64_t first_query, int64_t first_seed, int64_t *indices,
                                            double *canonical);

/*
 * What was found by several searches for the same queries, each among some of the points: the first k of them all by (canonical value,
 * index). indices[p], canonical[p]: queries x k, as searches give them; the results must lie elsewhere. Errors: INVALID_ARGUMENT,
 * OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_neighbors_join(gv_context *context, int32_t k, int64_t queries, int32_t parts,
                                   const int64_t *const *indices, const double *const *canonical,
                                   int64_t *out_indices, double *out_canonical);

/* Canonical values of an index's metric to distances, in place. Errors: INVALID_ARGUMENT. */
GV_API gv_status gv_index_distances(gv_context *context, const gv_index *index, int64_t count, double *values);
GV_API gv_status gv_globe_index_distances(gv_context *context, const gv_globe_index *index, int64_t count,
                                          double *values);

/* -------------------------------------------------------------------------------------------- searches together */

/*
 * Example:
 *     // As one process alone does it; with MPI gpuvoronoi/mpi.h has the functions.
 *     gv_communicator alone = {sizeof(gv_communicator), 0, 1, NULL, NULL, NULL, NULL};
 *     const double places[] = {0, 0, 3, 4};
 *     gv_points own = {places, 2, 2, GV_FLOAT64};
 *     gv_index *index = NULL;
 *     int64_t nearest[2] = {-1, -1};
 *     gv_status status = gv_index_build(context, &own, NULL, &index);
 *     if (status == GV_OK) status = gv_index_search_distributed(context, &alone, index, NULL, NULL, nearest, NULL);
 *     gv_index_destroy(index);
 *     if (status != GV_OK || nearest[0] != 0 || nearest[1] != 1) return 1; // each point is its own nearest
 */

/*
 * How processes that search together reach each other. All of them make the same calls of the library in the same order, which calls the
 * same ones of these functions everywhere, from the thread that called it. They return 0, or anything else where another process is out
 * of reach. What they carry is bytes that mean the same to all of the processes.
 */

/* The largest of all processes' values, for all of them. */
typedef int (*gv_allreduce_max_fn)(void *user, int value, int *out);

/* From each to all: process p's bytes[p] bytes come to `all` + places[p]; `own` are this process's. */
typedef int (*gv_allgatherv_fn)(void *user, const void *own, void *all, const int *bytes, const int *places);

/* From each to each: out_bytes[p] bytes at `out` + out_places[p] go to process p; in_bytes[p] come from it, to `in` + in_places[p]. */
typedef int (*gv_alltoallv_fn)(void *user, const void *out, const int *out_bytes, const int *out_places, void *in,
                               const int *in_bytes, const int *in_places);

typedef struct gv_communicator {
  size_t struct_size;
  int rank, ranks; /* this process: 0 ... ranks - 1 */
  void *user;
  gv_allreduce_max_fn allreduce_max; /* NULL will do where there is one process */
  gv_allgatherv_fn allgatherv;
  gv_alltoallv_fn alltoallv;
} gv_communicator;

/*
 * gv_index_search among the points of all processes' indexes: each has an index of its own points, which are numbered in the order of the
 * processes, queries of its own, any number of them (NULL: its points), and gets what is nearest to these. All give the same k,
 * max_distance and exclude_self, and have indexes of one dimension and metric. With exclude_self query i of a process is its point i.
 *
 * indices, distances: of this process's queries, as gv_index_search gives them; the same as one index of all points gives, to the last bit
 * (gv_neighbors_join). Beside them a process needs about 64 MB, whatever the number of processes and queries. Progress counts the
 * queries of the process that has the most.
 *
 * Errors: as gv_index_search, for all processes: where it is another's, the message names it. IO: a process is out of reach.
 */
GV_API gv_status gv_index_search_distributed(gv_context *context, const gv_communicator *processes,
                                             const gv_index *index, const gv_points *queries,
                                             const gv_search_options *options, int64_t *indices, double *distances);

/* The same as gv_globe_index_search; all indexes are of one ellipsoid too. */
GV_API gv_status gv_globe_index_search_distributed(gv_context *context, const gv_communicator *processes,
                                                   const gv_globe_index *index, const gv_seeds *queries,
                                                   const gv_search_options *options, int64_t *indices,
                                                   double *distances);

/* ------------------------------------------------------------------------------------------ points that are read */

/*
 * Example:
 *     static gv_status read_places(void *user, int64_t first, int64_t count, void *out) {
 *       memcpy(out, (const float *)user + first, (size_t)count * sizeof(float)); // or pread, and GV_ERROR_IO where that fails
 *       return GV_OK;
 *     }
 *
 *     float places[5] = {0, 3, 4, 9, 10}, position = 7;
 *     const gv_point_source source = {5, 1, GV_FLOAT32, read_places, places};
 *     const gv_points query = {&position, 1, 1, GV_FLOAT32};
 *     gv_index *index = NULL;
 *     int64_t nearest = -1;
 *     gv_status status = gv_index_build_from(context, &source, NULL, &index);
 *     if (status == GV_OK) status = gv_index_search(context, index, &query, NULL, &nearest, NULL);
 *     gv_index_destroy(index);
 *     if (status != GV_OK || nearest != 3) return 1;
 */

/*
 * Points [first, first + count) of a set, as count x dim values of its type, row-major, to `out`. Called by several threads at once, with
 * some MiB at a time, in no particular order; a point may be asked for again, and is the same then. It may not use the context
 * of the call that it is called in. Anything but GV_OK ends that call, which gives it to its caller.
 */
typedef gv_status (*gv_read_points_fn)(void *user, int64_t first, int64_t count, void *out);

typedef struct gv_point_source {
  int64_t count;
  int32_t dim; /* 1 ... 4096 */
  gv_dtype dtype;
  gv_read_points_fn read;
  void *user;
} gv_point_source;

/*
 * gv_index_build of points that are read in pieces, by the context's threads; to a device while the next are read. The same index: the same
 * bytes from every search. When this returns the source is not needed any more.
 *
 * Host memory, for n points of dim values: brute force on a GPU that is named (options->backend; not cuda-multigpu) keeps nothing there but
 * 32 MiB of buffers, and what "auto" takes keeps one copy as they are, so that processors can go on where a device fails.
 * `serial`, `openmp` and cuda-multigpu keep one copy too, trees one as doubles, beside what docs/api.md says of each.
 *
 * options may be NULL; its memory is GV_MEMORY_HOST. Errors: those of gv_index_build (INVALID_ARGUMENT names the first point with a
 * coordinate that is not finite), and what `read` gives. Of several points that cannot be read the first is told of.
 */
GV_API gv_status gv_index_build_from(gv_context *context, const gv_point_source *source,
                                     const gv_index_options *options, gv_index **out);

/* ------------------------------------------------------------------------------------------------------- strips */

/*
 * Example:
 *     const double x[] = {2, 7}, y[] = {5, 5}; // two seeds, a plane of 10 x 10 cells of size 1
 *     int32_t seed[3][4]; // of columns 3 ... 6 of rows 5 ... 7
 *     gv_grid grid;
 *     gv_grid_init(&grid);
 *     gv_seeds seeds = {x, y, 2};
 *     gv_voronoi *voronoi = NULL;
 *     gv_strip strip;
 *     gv_strip_init(&strip);
 *     grid.width = grid.height = 10;
 *     strip.column = 3;
 *     strip.row = 5;
 *     strip.columns = strip.stride = 4;
 *     strip.rows = 3;
 *     strip.out = &seed[0][0]; // or memory of a device, with strip.memory = GV_MEMORY_CUDA and the backend "cuda-tile"
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi);
 *     if (status == GV_OK) status = gv_voronoi_strip(context, voronoi, &strip);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || seed[0][0] != 0 || seed[0][1] != 0 || seed[0][2] != 1 || seed[2][3] != 1) return 1;
 */

/* A rectangle of cells, wherever blocks begin. Of GV_GRID_QTM: cells of the one row that a mesh is. */
typedef struct gv_strip {
  size_t struct_size;
  int64_t column, row;   /* its first cell */
  int64_t columns, rows; /* 0: up to the grid's edge */
  const uint8_t *mask;   /* mask[r * mask_stride + c]: 0 = leave out (nodata); NULL = all cells */
  int64_t mask_stride;
  int32_t
      *out; /* band b, row r, column c of the strip: out[b * band_stride + r * stride + c], as gv_block has it */
  int64_t stride, band_stride; /* in cells; band_stride is not looked at when k is 1 */
  void *stream;                /* of `memory` */
  gv_memory memory;            /* of mask and out */
} gv_strip;

/* Sets the defaults. */
static inline void gv_strip_init(gv_strip *out) {
  const gv_strip defaults = {sizeof(gv_strip), 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL, GV_MEMORY_HOST};
  *out = defaults;
}

/*
 * What gv_voronoi_fill answers, for the cells of a strip, with the context's threads and progress: the same values whatever the
 * rectangle and the memory.
 *
 * GV_MEMORY_CUDA: the backend is `cuda-tile`, without weights and of no projected grid, else GV_ERROR_UNSUPPORTED. Answers are made
 * where they are to stay; only what geodesics leave open is decided by the host, as are pieces of a grid that a device has no room
 * for. The first call prepares the device that `out` lies on, whatever the context's; further ones find it prepared, as long as they
 * ask for the same device. Calls of several threads wait for each other: several devices have an object each. No other device, and
 * no processor, answers where the device fails.
 *
 * Errors: INVALID_ARGUMENT, UNSUPPORTED, UNAVAILABLE, OUT_OF_MEMORY, PROJECTION, DEVICE, CANCELLED; after one `out` holds unspecified
 * values.
 */
GV_API gv_status gv_voronoi_strip(gv_context *context, const gv_voronoi *voronoi, const gv_strip *strip);

/* ----------------------------------------------------------------------------------------- measuring on a device */

/*
 * Example:
 *     gv_strip_measure measure; // of the labels that gv_voronoi_strip has left on the device
 *     gv_strip_measure_init(&measure);
 *     if (gv_voronoi_measure_strip(context, NULL, &measure) != GV_ERROR_INVALID_ARGUMENT) return 1; // without a grid
 */

/* Cells of a strip, their seeds, and where their distances and azimuths go. */
typedef struct gv_strip_measure {
  size_t struct_size;
  int64_t column, row;   /* the first cell */
  int64_t columns, rows; /* 0: up to the grid's edge */
  int32_t bands;         /* >= 1 */
  const int32_t
      *seed; /* seed[b * band_stride + r * stride + c]: numbers from 0, as they are without labels; < 0: none */
  int64_t stride, band_stride; /* in values */
  gv_dtype type;               /* of distance */
  void *distance;              /* likewise with the out_ strides; may be NULL if there are azimuths */
  int64_t out_stride, out_band_stride;
  void *stream;   /* see gv_memory */
  float *azimuth; /* likewise with the out_ strides; may be NULL */
} gv_strip_measure;

/* Sets the defaults. */
static inline void gv_strip_measure_init(gv_strip_measure *out) {
  const gv_strip_measure defaults = {
      sizeof(gv_strip_measure), 0, 0, 0, 0, 1, NULL, 0, 0, GV_FLOAT32, NULL, 0, 0, NULL, NULL};
  *out = defaults;
}

/*
 * The distances and azimuths of gv_voronoi_measure, to the bit, of seeds in a device's memory into memory of the same device; for arrays of
 * the host there is that function. The grid is one that gv_voronoi_strip answers there. The host is asked about the few pairs that the
 * series of geodesics does not answer, near the antipodes, directions also within a metre, and about all where the ellipsoid is prolate or
 * flatter than 1/50.
 *
 * Errors: as gv_voronoi_strip; INVALID_ARGUMENT also for a seed number beyond the last.
 */
GV_API gv_status gv_voronoi_measure_strip(gv_context *context, const gv_voronoi *voronoi,
                                          const gv_strip_measure *measure);

/* ------------------------------------------------------------------------------------------ statistics on a device */

/*
 * Example:
 *     gv_strip_statistics strip; // labels that gv_voronoi_strip has left on the device
 *     gv_strip_statistics_init(&strip);
 *     if (gv_statistics_add_strip(context, NULL, &strip) != GV_ERROR_INVALID_ARGUMENT) return 1; // without statistics
 */

/* A quantity of the cells of a strip: a value each. */
typedef struct gv_strip_quantity {
  gv_dtype type;     /* GV_FLOAT32, GV_FLOAT64 */
  const void *value; /* value[r * stride + c], on the device */
  int64_t stride;    /* in values */
} gv_strip_quantity;

/* Cells of a strip, their seeds and quantities. */
typedef struct gv_strip_statistics {
  size_t struct_size;
  int64_t column, row;               /* the first cell */
  int64_t columns, rows;             /* 0: up to the grid's edge */
  const int32_t *seed;               /* seed[r * stride + c]: numbers from 0, the first band; < 0: none */
                                     /* NULL: the nearest seeds, which are found on the device */
  int64_t stride;                    /* in values */
  const gv_strip_quantity *quantity; /* an array of the host's, one for each of the statistics' `sums` */
  void *stream;                      /* see gv_memory */
} gv_strip_statistics;

/* Sets the defaults. */
static inline void gv_strip_statistics_init(gv_strip_statistics *out) {
  const gv_strip_statistics defaults = {sizeof(gv_strip_statistics), 0, 0, 0, 0, NULL, 0, NULL, NULL};
  *out = defaults;
}

/*
 * What gv_statistics_add does, for a strip whose seeds and quantities lie on a device, or whose seeds are still to be found there (on
 * the context's device if there are no quantities): the same sums, to the bit, in any mixture of blocks and strips. Where the
 * statistics have distances, the device measures them as gv_voronoi_measure_strip does. The grid is one that gv_voronoi_strip answers
 * there, without labels. Memory of the device: about 100 bytes a seed (or group) and 32 a quantity of each, 1 GiB at most for seeds
 * that are found, 512 MiB at most for distances. Only these sums come to the host.
 *
 * Errors: as gv_voronoi_strip, and gv_statistics_add. Nothing of a strip that ends in one has been added.
 */
GV_API gv_status gv_statistics_add_strip(gv_context *context, gv_statistics *statistics,
                                         const gv_strip_statistics *strip);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_EXPERIMENTAL_H */
