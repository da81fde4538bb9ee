/*
 * Bounds the memory of inputs by --memory (gv_io.memory), so that a small file that stands for much data
 * (compressed, constant, only a header) is refused before it is read. Data of a local file may always take 16
 * times the size of the file.
 */
#ifndef GV_IO_INPUT_LIMIT_H
#define GV_IO_INPUT_LIMIT_H

#include "io/io.h"

enum {
  GV_BYTES_A_SEED = 100, /* of a seed, a query, or a vertex of a line or polygon, in lists and indexes */
  GV_INDEX_COPIES = 3    /* copies of each coordinate of an array, while an index is built */
};

/* Most bytes that data of a file or another source (NULL: none) may take. */
int64_t gv_input_limit(const gv_io *io, const char *source);

/* Data of an input: `count` items, like "cells", of `bytes` bytes each. */
typedef struct gv_input_data {
  const char *option; /* for messages; NULL: none */
  const char *source;
  const char *items;
  int64_t count, bytes;
} gv_input_data;

/* Fails, with the size and the option, if the data are larger than the limit. */
gv_status gv_input_fits(gv_io *io, const gv_input_data *data);
gv_status gv_input_too_large(gv_io *io, const gv_input_data *data);

#endif
