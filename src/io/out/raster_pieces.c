/*
 * Rasters that several processes write: each keeps the encoded tiles of the pieces it has got until the sizes of all that comes before are
 * known, then writes them where they belong. What is kept takes memory up to the rasters' bound, and beyond that a file without a
 * name.
 *
 * The first process has libtiff believe that it writes all of this itself (gv_tiff_promise), so files have the bytes that one process
 * writes.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/grow.h"
#include "io/out/raster_file.h"
#include "io/path.h"
#include "io/retry.h"

enum { COPY_BYTES = 1 << 20 };

/* Bytes of a raster that went to the file. */
typedef struct extent {
  int raster;
  int64_t at, size;
} extent;

typedef struct piece {
  struct piece *next;
  int64_t first, count; /* units */
  int64_t tiles, room;  /* complete ones, of ... */
  uint64_t *sizes;
  char *bytes[GV_MAX_RASTERS];
  int64_t size[GV_MAX_RASTERS], bytes_room[GV_MAX_RASTERS];
  extent *extents;
  int64_t extent_count, extent_room;
} piece;

struct gv_pieces {
  gv_team *team;
  gv_raster_out *const *rasters;
  int count, tiles; /* rasters; tiles of a unit */
  int64_t across, bound;
  bool lasting;
  int file[GV_MAX_RASTERS];
  int spool; /* -1: none yet */
  int64_t spooled;
  pthread_mutex_t lock; /* on what follows */
  piece *head, *tail;   /* in their order: the first is the next to be written */
  piece *filling;       /* NULL: of all that are here the tiles are */
  int64_t kept;         /* bytes in memory */
};

static gv_status cannot_write(gv_io *io, const gv_raster_out *raster) {
  return gv_io_fail(io, GV_ERROR_IO, "cannot write %s: %s", raster->place.output.path, strerror(errno));
}

static gv_status write_at(gv_io *io, const gv_raster_out *raster, int file, const char *bytes, int64_t size,
                          int64_t at) {
  return gv_retry_write_all_at(file, bytes, (size_t)size, (off_t)at) ? GV_OK : cannot_write(io, raster);
}

/* ------------------------------------------------------------------------------------------------------ places */

/* Of the first process: those of a piece's tiles, in the order in which one process would write them. */
static gv_status place_tiles(gv_io *io, void *user, int64_t first, int64_t count, const uint64_t *sizes,
                             int64_t *at) {
  const gv_pieces *p = user;
  gv_status status = GV_OK;
  for (int64_t unit = first; unit < first + count && status == GV_OK; unit++) {
    for (int i = 0; i < p->count; i++) {
      for (int b = 0; b < p->rasters[i]->bands && status == GV_OK; b++) {
        int64_t place = 0;
        status = gv_tiff_promise(io, p->rasters[i]->tiff, b, unit % p->across, unit / p->across, (size_t)*sizes++,
                                 &place);
        if (unit == first && b == 0) at[i] = place;
      }
    }
  }
  return status;
}

static void free_piece(piece *one) {
  for (int i = 0; i < GV_MAX_RASTERS; i++)
    free(one->bytes[i]);
  free(one->sizes);
  free(one->extents);
  free(one);
}

static gv_status copy_extent(gv_io *io, const gv_pieces *p, const extent *e, int64_t at) {
  gv_status status = GV_OK;
  char *buffer = malloc(COPY_BYTES);
  if (buffer == NULL) return gv_io_fail_memory(io, "the output blocks");
  for (int64_t done = 0; done < e->size && status == GV_OK;) {
    int64_t size = e->size - done < COPY_BYTES ? e->size - done : COPY_BYTES;
    ssize_t got = gv_retry_read_at(p->spool, buffer, (size_t)size, (off_t)(e->at + done));
    if (got <= 0) {
      status = cannot_write(io, p->rasters[e->raster]);
    } else {
      status = write_at(io, p->rasters[e->raster], p->file[e->raster], buffer, got, at + done);
      done += got;
    }
  }
  free(buffer);
  return status;
}

static gv_status write_piece(gv_io *io, const gv_pieces *p, const piece *one, int64_t *at) {
  gv_status status = GV_OK;
  for (int64_t i = 0; i < one->extent_count && status == GV_OK; i++) {
    const extent *e = &one->extents[i];
    status = copy_extent(io, p, e, at[e->raster]);
    at[e->raster] += e->size;
  }
  for (int i = 0; i < p->count && status == GV_OK; i++)
    status = write_at(io, p->rasters[i], p->file[i], one->bytes[i], one->size[i], at[i]);
  return status;
}

/* Writes the pieces whose places are known; `wait`: all that are complete. By one thread at a time. */
static gv_status write_placed(gv_io *io, gv_pieces *p, bool wait) {
  gv_status status = GV_OK;
  while (status == GV_OK) {
    int64_t at[GV_TEAM_MOST_FILES] = {0};
    bool known = false;
    pthread_mutex_lock(&p->lock);
    piece *one = p->head != p->filling ? p->head : NULL;
    pthread_mutex_unlock(&p->lock);
    if (one == NULL) return GV_OK;
    status = p->team->where(io, p->team->user, wait, &known, at);
    if (status != GV_OK || !known) return status;
    status = write_piece(io, p, one, at);
    pthread_mutex_lock(&p->lock);
    p->head = one->next;
    if (p->head == NULL) p->tail = NULL;
    for (int i = 0; i < p->count; i++)
      p->kept -= one->size[i];
    pthread_mutex_unlock(&p->lock);
    free_piece(one);
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------------ keeping */

/* What the piece has in memory, into a file that goes with this process. */
static gv_status spool(gv_io *io, gv_pieces *p, piece *one) {
  const gv_raster_out *raster = p->rasters[0];
  gv_status status = GV_OK;
  if (p->spool < 0) {
    char *folder = gv_path_parent(raster->work), name[64];
    snprintf(name, sizeof name, GV_SCRATCH "spool%d", p->team->rank);
    char *path = folder != NULL ? gv_path_join(folder, name) : NULL;
    if (path == NULL) status = gv_io_fail_memory(io, "a file name");
    if (status == GV_OK) p->spool = gv_retry_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (status == GV_OK && (p->spool < 0 || unlink(path) != 0)) status = cannot_write(io, raster);
    free(folder);
    free(path);
  }
  for (int i = 0; i < p->count && status == GV_OK; i++) {
    if (one->size[i] == 0) continue;
    extent *more = gv_grow(one->extents, &one->extent_room, one->extent_count + 1, sizeof *more);
    if (more == NULL) return gv_io_fail_memory(io, "the output blocks");
    one->extents = more;
    one->extents[one->extent_count++] = (extent){i, p->spooled, one->size[i]};
    status = write_at(io, p->rasters[i], p->spool, one->bytes[i], one->size[i], p->spooled);
    p->spooled += one->size[i];
    pthread_mutex_lock(&p->lock);
    p->kept -= one->size[i];
    pthread_mutex_unlock(&p->lock);
    one->size[i] = 0;
  }
  return status;
}

gv_status gv_pieces_put(gv_io *io, gv_pieces *p, int raster, const void *bytes, size_t size) {
  piece *one = p->filling;
  char *more = gv_grow(one->bytes[raster], &one->bytes_room[raster], one->size[raster] + (int64_t)size, 1);
  if (more == NULL) return gv_io_fail_memory(io, "the output blocks");
  one->bytes[raster] = more;
  memcpy(more + one->size[raster], bytes, size);
  one->size[raster] += (int64_t)size;
  one->sizes[one->tiles++] = size;
  pthread_mutex_lock(&p->lock);
  p->kept += (int64_t)size;
  bool much = p->kept > p->bound, complete = one->tiles == one->room;
  pthread_mutex_unlock(&p->lock);
  gv_status status = much ? spool(io, p, one) : GV_OK;
  if (status != GV_OK || !complete) return status;
  status = p->team->complete(io, p->team->user, one->first, one->count, one->sizes);
  pthread_mutex_lock(&p->lock);
  p->filling = one->next;
  pthread_mutex_unlock(&p->lock);
  return status;
}

gv_status gv_pieces_next(gv_io *io, gv_pieces *p, int64_t *first, int64_t *count) {
  gv_status status = write_placed(io, p, false);
  if (status == GV_OK) status = p->team->next(io, p->team->user, first, count);
  if (status != GV_OK || *count == 0 || p->tiles == 0) return status;
  piece *one = calloc(1, sizeof *one);
  if (one == NULL) return gv_io_fail_memory(io, "the output blocks");
  one->first = *first;
  one->count = *count;
  one->room = *count * p->tiles;
  one->sizes = malloc((size_t)one->room * sizeof *one->sizes);
  if (one->sizes == NULL) {
    free(one);
    return gv_io_fail_memory(io, "the output blocks");
  }
  pthread_mutex_lock(&p->lock);
  *(p->tail != NULL ? &p->tail->next : &p->head) = one;
  p->tail = one;
  if (p->filling == NULL) p->filling = one;
  pthread_mutex_unlock(&p->lock);
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------ beginning and ending */

gv_status gv_pieces_begin(gv_io *io, const gv_raster_work *work, gv_raster_out *const *rasters, int count,
                          int64_t units, int64_t across, gv_pieces **out) {
  gv_team *team = work->team;
  gv_status status = GV_OK;
  gv_pieces *p = *out = calloc(1, sizeof *p);
  if (p == NULL) status = gv_io_fail_memory(io, "the output blocks");
  if (p != NULL) {
    *p = (gv_pieces){.team = team, .rasters = rasters, .count = count, .across = across, .spool = -1};
    p->bound = count > 0 ? rasters[0]->memory : 0;
    p->lasting = work->lasting;
    pthread_mutex_init(&p->lock, NULL);
    for (int i = 0; i < count; i++)
      p->file[i] = -1;
  }
  for (int i = 0; i < count && status == GV_OK; i++) {
    p->tiles += rasters[i]->bands;
    p->file[i] = gv_retry_open(rasters[i]->work, O_WRONLY | O_CLOEXEC, 0);
    if (p->file[i] < 0) status = cannot_write(io, rasters[i]);
  }
  if (status == GV_OK) {
    const gv_team_work dealt = {units, across, work->coarse, p->tiles, place_tiles, p};
    status = team->begin(io, team->user, &dealt);
  }
  if (status == GV_OK) return GV_OK;
  *out = NULL;
  if (p != NULL) p->team = NULL; /* nothing was dealt */
  return p != NULL ? gv_pieces_end(io, p, status) : status;
}

/* What another process than the first has written only it can hand to the disk, where that is another machine's. */
static gv_status make_last(gv_io *io, const gv_pieces *p) {
  for (int i = 0; i < p->count && p->lasting && p->team->rank > 0; i++) {
    if (p->rasters[i]->copies || gv_retry_sync(p->file[i]) == 0) continue;
    return gv_io_fail(io, GV_ERROR_IO, "cannot write %s to the disk: %s", p->rasters[i]->place.output.path,
                      strerror(errno));
  }
  return GV_OK;
}

gv_status gv_pieces_end(gv_io *io, gv_pieces *p, gv_status status) {
  if (status == GV_OK) status = write_placed(io, p, true);
  if (status == GV_OK) status = make_last(io, p);
  for (int i = 0; i < p->count; i++) {
    if (p->file[i] >= 0 && close(p->file[i]) != 0 && status == GV_OK) status = cannot_write(io, p->rasters[i]);
  }
  if (p->team != NULL) status = p->team->end(io, p->team->user, status);
  if (p->spool >= 0) close(p->spool);
  for (piece *one = p->head, *next; one != NULL; one = next) {
    next = one->next;
    free_piece(one);
  }
  pthread_mutex_destroy(&p->lock);
  free(p);
  return status;
}
