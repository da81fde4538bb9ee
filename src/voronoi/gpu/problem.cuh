/*
 * Arguments of kernels: the seeds and tables of a raster, levels of tiles with their lists, and the output.
 *
 * Levels. A level is a dense array of square tiles, all of one side (a power of 2, in cells), aligned to
 * the grid. Each tile holds a list of the seeds that may own one of its cells; a list of one seed is held
 * in the entry itself. Going down a level, a tile culls its parent's list (the argument is that of
 * voronoi/margin.h: the bound of the tile is a zonotope, any seed serves as a pivot, everything in double
 * with the same margins).
 *   - Few tiles with long lists: many blocks a tile, in three passes (pivot, count, write), because a list
 *     must be counted before it has a place in the pool (narrow_kernels.cuh).
 *   - Many tiles with short lists: one warp a tile does it all (cull_kernels.cuh).
 * Lists are not sorted: the lowest of equal seeds is found by number, not by position.
 *
 * Leaves. One warp decides a square of cells ("quad").
 *   - leaf_float (filter_kernels.cuh): k = 1, squared distances, cells with positions that are products of
 *     a value by column and a value by row. It culls once more, into shared memory, and compares in float
 *     with a proven margin; cells within the margin are decided by exact distances in the kernel, or, for
 *     geodesics, left to the host.
 *   - leaf_canonical (canonical_kernels.cuh): everything else (several neighbors, other metrics, other
 *     grids), by exact distances in double.
 * Leaves of the QTM mesh and of lists are spans of cells (mesh_kernels.cuh, mesh_k_kernels.cuh).
 *
 * A maximum distance removes seeds from lists that are farther from every cell of the tile. Leaves that it
 * crosses are decided cell by cell.
 */
#ifndef GV_PROBLEM_CUH
#define GV_PROBLEM_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "cells/bound.h"
#include "geodesic/slack.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "voronoi/gpu/warp.cuh"

namespace gv {

enum form { PLANE, GLOBE, ROTATED, MESH, TRIANGLES, PLACES };
enum norm { SQUARE = GV_EUCLIDEAN, SUM = GV_MANHATTAN, LARGEST = GV_CHEBYSHEV };

enum {
  GROUP = WARP, /* seeds of a group */
  MOST_NEIGHBORS = 64,
  LEAF_WARPS = 4, /* quads or spans a block of the leaves */
  /* Of the mesh: cells decided together. */
  LEAF_BITS = 5,
  LEAF_LOG = 2 * LEAF_BITS,
  LEAF_SIDE = 1 << LEAF_BITS
};

/* 32 bytes: one sector of memory. On the plane (x, 0, y). */
struct alignas(16) seed {
  double x, y, z;
  int32_t label, site; /* the site is the same for all seeds of one place */
};

/* Of a mesh's vertices: sine and cosine of the latitude, radius and height. */
struct alignas(16) parallel {
  double sine, cosine, p, z;
};

/* GROUP seeds that are close together (fewer in the last group), in a ball; one of them is the pivot of
 * all. */
struct alignas(16) group {
  double x, y, z, radius;
  int32_t speaker, unused[3];
};

/* The box around places. */
struct place_box {
  double low[3], high[3];
};

/* Levels of spans of 2^log cells. */
enum { BOX_LEVELS = 48 };

/* Arguments that are constant for a raster. */
struct problem {
  int64_t width, height;
  /* Canonical tables (see cells/grid.h); column_y and row_p are NULL on the plane. */
  const double *column_x, *column_y, *row_p, *row_z;
  const double *half_cos, *half_sin, *half_sin_lat, *half_cos_lat;
  double geotransform[6];
  double curvature, position_error;
  int32_t mesh_level;                 /* MESH and TRIANGLES only */
  const parallel *parallels;          /* the same; from the pole to the equator */
  double eccentricity2;               /* the same; -1 on the sphere */
  const double *longitude, *latitude; /* TRIANGLES only: degrees by column and by row */
  /* PLACES only: x, then y, then z of all cells along a curve; the numbers of these cells, NULL: their order
   * is a curve already; and the boxes of spans, level after level. */
  const double *places;
  const int32_t *order;
  const place_box *boxes[BOX_LEVELS];
  double scale; /* float filter: makes lengths moderate; a power of 2 */
  double size;  /* float filter: of positions; 1 on the globe, 0 on the plane */
  const seed *seeds;
  const group *groups;    /* and their seeds, group after group; NULL without groups */
  const int32_t *members; /* count of them */
  int32_t count;          /* seeds */
  int32_t neighbors;      /* k */
  int32_t nodata;
  /* The maximum distance. Exact values up to `within` are within it, those above `beyond` are outside;
   * between them (geodesics only) the host decides. And their roots. */
  double within, beyond, within_length, beyond_length;
  int32_t limited;  /* both are finite */
  gv_chords chords; /* geodesics */
};

struct alignas(16) entry {
  int64_t offset; /* in the level's pool; the label to write, if count is 1 */
  int32_t count;  /* -1: the pool was too small */
  int32_t single; /* the seed, if count is 1 */
};

/* A window of tiles [i0, i0 + across) x [j0, j0 + down). */
struct level {
  int log; /* of the side */
  int64_t i0, j0;
  int32_t across, down;
  entry *entries;
  const int32_t *pool;
};

__device__ static inline const entry &entry_at(const level &l, int64_t i, int64_t j) {
  return l.entries[(j - l.j0) * l.across + (i - l.i0)];
}

/* Kind of a narrowing step: lists of seeds to lists of seeds, groups to groups, or groups to seeds. */
enum narrowing { SEEDS, GROUPS, MEMBERS };

/* Output: blocks of bw x bh cells one after another, the first at (c0, r0); cells within the rectangle
 * only. */
struct target {
  int32_t *out;
  int64_t c0, c1, r0, r1;
  int64_t bw, bh, across;
  int64_t band_stride; /* distance from the 1st to the 2nd ... neighbors, in values */
  int32_t aligned;     /* quads do not straddle blocks */
};

/* The quads of a launch. */
struct quad_window {
  int64_t i0, j0;
  int32_t across, down;
};

/* A cell left to the host, and its candidates. */
struct open_cell {
  int64_t column, row, at, list;
  int32_t count, unused;
};

struct counters {
  unsigned long long pool; /* requested entries, also beyond the pool's end */
  unsigned long long open, open_ids;
  unsigned long long decided; /* by the canonical rule within leaf_float */
  unsigned int longest;       /* list of a level of long lists */
};

struct open_list {
  open_cell *cell;
  int32_t *id;
  unsigned long long cells, ids; /* capacities */
};

} // namespace gv

#endif
