/*
 * Neighbors as a table in any OGR format: a row for each query and neighbor, with the ids and attributes of
 * both, and the query's point or the line to the neighbor.
 */
#ifndef GV_IO_NEIGHBORS_OUT_H
#define GV_IO_NEIGHBORS_OUT_H

#include "io/in/seeds.h"
#include "io/out/table_out.h"

/* The queries, or the points that were searched. */
typedef struct gv_neighbor_side {
  const gv_seed_options *source;
  const gv_seed_list *seeds;        /* where they were searched: x, y are those of the geometries */
  const char *id_option, *id_field; /* NULL = the feature id */
  const char *keep_option, *keep;   /* fields with commas between them, "*" = all; NULL = none */
} gv_neighbor_side;

typedef struct gv_neighbor_content {
  gv_neighbor_side queries, references;
  OGRSpatialReferenceH crs; /* of the geometries; may be NULL */
  double unit;              /* on the globe: degrees in one of its units */
  bool lines;
  bool globe;                    /* x, y are degrees, lines the shortest on ... */
  double semi_major, flattening; /* ... this */
  int k;
} gv_neighbor_content;

/* Neighbors of some queries. */
typedef struct gv_neighbor_rows {
  int64_t first, count; /* the queries */
  /* query first + i has the places offsets[i] ... offsets[i + 1] - 1; NULL: k of them */
  const int64_t *offsets;
  const int64_t *indices;  /* of references, -1 = none */
  const double *distances; /* as many */
  const double *nearest;   /* twice as many: where lines end; NULL: at the references */
} gv_neighbor_rows;

typedef struct gv_neighbors_out gv_neighbors_out;

/* Creates the layer for `rows` rows (-1: unknown). *out is to be ended in any case; NULL: out of memory.
 * `content` and `table` stay the caller's until then. */
gv_status gv_neighbors_begin(gv_io *io, gv_table_out *table, const gv_neighbor_content *content, int64_t rows,
                             gv_neighbors_out **out);

/* Writes the rows of the next queries. */
gv_status gv_neighbors_write(gv_neighbors_out *out, const gv_neighbor_rows *rows);

/* Completes the file if `status`, that of all before, is GV_OK; frees in any case. NULL is allowed. */
gv_status gv_neighbors_end(gv_neighbors_out *out, gv_status status);

#endif
