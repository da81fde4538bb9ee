/*
 * Neighbours as a table in any OGR format: a row for each query and neighbour, with the ids and attributes of both,
 * and the query's point or the line to the neighbour.
 */
#ifndef GV_IO_NEIGHBOURS_OUT_H
#define GV_IO_NEIGHBOURS_OUT_H

#include "io/in/seeds.h"
#include "io/out/table_out.h"

/* The queries, or the points that were searched. */
typedef struct gv_neighbour_side {
  const gv_seed_options *source;
  const gv_seed_list *seeds;        /* where they were searched: x, y are those of the geometries */
  const char *id_option, *id_field; /* NULL = the feature id */
  const char *keep_option, *keep;   /* fields with commas between them, "*" = all; NULL = none */
} gv_neighbour_side;

typedef struct gv_neighbour_content {
  gv_neighbour_side queries, references;
  OGRSpatialReferenceH crs; /* of the geometries; may be NULL */
  double unit;              /* on the globe: degrees in one of its units */
  bool lines;
  bool globe;                    /* x, y are degrees, lines the shortest on ... */
  double semi_major, flattening; /* ... this */
  int k;
  const int64_t
      *offsets; /* NULL, or query i has the places offsets[i] ... offsets[i + 1] - 1 instead of k of them */
  const int64_t *indices;  /* queries x k references, -1 = none */
  const double *distances; /* queries x k */
  const double *nearest;   /* queries x 2k: where lines end; NULL: at the references */
} gv_neighbour_content;

/* Makes the file, which is complete then. */
gv_status gv_neighbours_write(gv_io *io, gv_table_out *table, const gv_neighbour_content *content);

#endif
