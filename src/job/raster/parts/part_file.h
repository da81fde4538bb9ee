/*
 * A part file: the part of a raster that one of several runs has computed, for `gpuvoronoi merge`.
 *
 * It is the GeoTIFF of the ids of its rows, which any program can open, followed by GeoTIFFs of distances and
 * azimuths (GDAL reads them by /vsisubfile/), the seeds' exact sums, a JSON object that describes all this,
 * and in the last bytes the position of that object and a checksum of all bytes.
 */
#ifndef GV_JOB_RASTER_PART_FILE_H
#define GV_JOB_RASTER_PART_FILE_H

#include "job/description/job.h"
#include "job/raster/compute/block_source.h"

typedef struct gv_part {
  char *path;
  int64_t number, parts;                             /* number `number` of `parts`, from 1 */
  int64_t width, height;                             /* of the whole raster */
  int64_t first, end;                                /* its rows */
  int64_t block_rows;                                /* the file's rows are some of this number */
  uint64_t grid, seeds;                              /* fingerprints */
  int64_t mask_bytes;                                /* size of the mask's file; -1 = none, or no file */
  int64_t empty;                                     /* cells without a seed */
  int64_t at[GV_RUN_RASTERS], bytes[GV_RUN_RASTERS]; /* of the GeoTIFFs; 0 bytes = none */
  char **creation[GV_RUN_RASTERS];                   /* options that they were made with */
  gv_sum_totals sums[GV_JOB_MAX_SUMS];
  int sum_count;
  int64_t records, records_at, record_bytes; /* a row's number in 8 bytes, and its sums */
  char *run;                                 /* the run's description (description/description.h) */
  int64_t content;                           /* bytes before the JSON object */
  uint64_t fingerprints[2];                  /* of the rasters and of the records */
} gv_part;

/* Frees what the part has; it begins as {0}. */
void gv_part_free(gv_part *part);

/* A fingerprint of bytes in 64 bits (core/hash.h), continued from that of previous bytes (0: none). */
uint64_t gv_part_hash(uint64_t before, const void *bytes, size_t count);

/* Writes record number `record` into `to`, of part->record_bytes. */
typedef gv_status (*gv_part_record_fn)(gv_io *io, void *user, int64_t record, unsigned char *to);

/*
 * Completes the file at `path`, which is the GeoTIFF of the ids, with those of `files` (NULL = none; [0] is
 * ignored), the records and the data of `part`. part->path: its name in messages.
 */
gv_status gv_part_write(gv_io *io, const char *path, const char *const files[GV_RUN_RASTERS], gv_part *part,
                        gv_part_record_fn record, void *user);

/* Reads a part file's description; *out begins as {0}; always free it. Errors name the file. */
gv_status gv_part_open(gv_io *io, const char *path, gv_part *out);

/* The description of the run that it is a part of; relative file names are resolved against the part. */
struct gv_description;
gv_status gv_part_run(gv_io *io, const gv_part *part, struct gv_description *out);

/* An error if a byte of the records, or of the `rasters`, is not what it was. */
gv_status gv_part_check(gv_io *io, const gv_part *part, bool rasters);

/* Calls `take` for each record. */
typedef gv_status (*gv_part_take_fn)(gv_io *io, void *user, const unsigned char *record);
gv_status gv_part_records(gv_io *io, const gv_part *part, gv_part_take_fn take, void *user);

/* The name by which GDAL opens one of its rasters if the part is at `path`; free it, NULL = out of memory. */
char *gv_part_raster(const gv_part *part, int raster, const char *path);

/* A number in 8 bytes, the lowest first. */
static inline void gv_part_put_number(unsigned char *to, uint64_t value) {
  for (int i = 0; i < 8; i++)
    to[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t gv_part_number(const unsigned char *from) {
  uint64_t value = 0;
  for (int i = 0; i < 8; i++)
    value |= (uint64_t)from[i] << (8 * i);
  return value;
}

#endif
