/*
 * Device or CPUs: the decision of "auto", by sizes, before the work begins; it is not revised later. No speed
 * is measured at run time. A device is used if it saves more time than its start takes:
 *
 *   values x (cpu_ns / threads - device_ns) > seconds to start
 *
 * Every figure is nanoseconds a value, of docs/benchmarks.md and docs/benchmarks-search.md: CPUs with AVX-512
 * (with a slower CPU the rule is more cautious than necessary), devices including transfers, with 16 threads
 * and one H100 or H200.
 *
 * The start of CUDA with its end costs 0.35 to 0.9 s a process ("Rasters of distances and azimuths"); 0.6
 * s are assumed. If CUDA runs already, only page-locked memory of a grid is left, 0.1 s.
 */
#ifndef GV_DEVICE_RULE_H
#define GV_DEVICE_RULE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool gv_device_pays(double values, double cpu_ns, double device_ns, int threads,
                                  double start_seconds) {
  return values * 1e-9 * (cpu_ns / threads - device_ns) > start_seconds;
}

static inline double gv_device_start_seconds(bool cuda_runs, double running) {
  return cuda_runs ? running : 0.6;
}

/* How the cells of a grid follow each other: in rows of a raster, along a curve, or as the caller or a scheme
 * has them. */
typedef enum gv_device_order { GV_ORDER_ROWS, GV_ORDER_CURVE, GV_ORDER_NONE } gv_device_order;

/*
 * Neighbors of the cells of a grid, cells x k, written block by block to the caller's memory. "Rasters on two
 * cores": 1.3 ns with 10,000 seeds. Farther neighbors cost twice as much, cells with positions that are not
 * products of a row's and a column's (meshes) six times ("More than the nearest seed on one GPU"). Above two
 * million seeds the CPUs take 15 ns more for each further million (2026-11-25, two cores of an AMD EPYC,
 * 21600x10800 cells: 55 ns with 4,000,000, 171 with 10,000,000). Lists in no order take 100 ns and 2 ns more
 * for each thousand seeds, up to 700 ns (docs/cells.md). A device delivers 4 bytes in 0.15 ns, and a thread
 * needs 0.5 ns to copy them out; copying a list to it takes 4 ns.
 */
static inline bool gv_device_pays_for_grid(double values, double seeds, bool farther, gv_device_order order,
                                           int threads, bool cuda_runs) {
  const double many = 1 << 21, list = order == GV_ORDER_NONE ? 4.0 : 0.0;
  double ns = 1.3 * (order == GV_ORDER_CURVE ? 6.0
                     : farther               ? 2.0
                                             : 1.0) +
              (seeds > many ? 15e-6 * seeds : 0.0);
  if (order == GV_ORDER_NONE) ns = fmin(100.0 + 2e-3 * seeds, 700.0);
  return gv_device_pays(values, ns, 0.15 + 0.5 / threads + list, threads,
                        gv_device_start_seconds(cuda_runs, 0.1));
}

/* Distances or azimuths of a grid's cells, one value each: 30 ns (geodesic) or 8 ns of the CPUs ("Rasters of
 * distances and azimuths", less the 1.2 s of writing); a device moves 12 bytes and computes in 0.35 ns, a
 * thread copies them in 1.5 ns. */
static inline bool gv_device_pays_for_measuring(double values, bool geodesic, int threads, bool cuda_runs) {
  return gv_device_pays(values, geodesic ? 30.0 : 8.0, 0.35 + 1.5 / threads, threads,
                        gv_device_start_seconds(cuda_runs, 0.1));
}

/* The nearest line or polygon of queries by their numbers (docs/benchmarks-search.md): 350 ns of the CPU; a
 * device takes 8 ns with the copies, a thread 30 ns to write a result. */
static inline bool gv_device_pays_for_features(double queries, int threads, bool cuda_runs) {
  return gv_device_pays(queries, 350.0, 8.0 + 30.0 / threads, threads,
                        gv_device_start_seconds(cuda_runs, 0.02));
}

/* The nearest line or polygon of a grid's cells (30 ns of the CPU on fine grids, 5 ns of it remain with a
 * device), and the distances from them (150 ns, 15 ns). Of grids without tables of columns and rows, and with
 * masks, the CPU computes the positions: 26 ns and 75 ns remain. */
static inline bool gv_device_pays_for_feature_cells(double cells, bool distances, bool tables, int threads,
                                                    bool cuda_runs) {
  const double rest = tables ? (distances ? 15.0 : 5.0) : distances ? 75.0 : 26.0;
  return gv_device_pays(cells, distances ? 150.0 : 30.0, 0.4 + rest / threads, threads,
                        gv_device_start_seconds(cuda_runs, 0.1));
}

/* Statistics of a grid without a raster on devices ("Statistics that stay on the device"); their own time is
 * negligible. */
static inline bool gv_device_pays_for_statistics(double cells, bool distances, bool geodesic, int threads) {
  double ns = !distances ? 0.6 : geodesic ? 34.0 : 13.0;
  return gv_device_pays(cells, ns, 0.0, threads, gv_device_start_seconds(false, 0.1));
}

/*
 * Travel cost to all cells of a raster (docs/cost.md): 80 ns of the CPUs where a quarter of them is land,
 * more if there are fewer barriers; a device takes 1.3 ns with its copies. Page-locked memory for these is
 * small.
 */
static inline bool gv_device_pays_for_cost(double cells, int threads, bool cuda_runs) {
  return gv_device_pays(cells, 80.0, 1.3, threads, gv_device_start_seconds(cuda_runs, 0.02));
}

/*
 * A search. Two cores compare a pair in 15 ps x (10 + dimensions). Pairs are all of them, or those of a tree:
 * 2^(dim + 8) a query and as many as 1,000 a point to build it. Preparing a point costs as much as 16 pairs,
 * keeping one of several neighbors as 128. On a running device a search takes at least 0.1 ms with its copies
 * ("The ladder on a GPU").
 */
static inline bool gv_device_pays_for_search(double points, double queries, int dim, int k, int threads,
                                             bool cuda_runs) {
  double pairs = fmin(queries * points, queries * ldexp(1.0, dim + 8) + 1000.0 * points);
  pairs += 16.0 * points + (k > 1 ? 128.0 * k * queries : 0.0);
  return gv_device_pays(pairs, 0.03 * (10 + dim), 0.0, threads, gv_device_start_seconds(cuda_runs, 0.0002));
}

#endif
