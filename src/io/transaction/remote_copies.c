#include "io/transaction/remote_copies.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/grow.h"
#include "io/object_name.h"
#include "io/path.h"
#include "io/transaction/remote.h"

enum { CHUNK = 1 << 20 };

static atomic_bool copying;

/* Copies the bytes. */
static gv_status remote_copy_bytes(gv_io *io, VSILFILE *from, VSILFILE *to, const gv_remote_object *object) {
  char *buffer = malloc(CHUNK);
  gv_status status = buffer != NULL ? GV_OK : gv_io_fail_memory(io, object->path);
  for (size_t got = CHUNK; status == GV_OK && got == CHUNK;) {
    got = VSIFReadL(buffer, 1, CHUNK, from);
    if (got < CHUNK && !VSIFEofL(from))
      status = gv_io_fail(io, GV_ERROR_IO, "%s: cannot read its temporary file", object->path);
    else if (VSIFWriteL(buffer, 1, got, to) != got || gv_gdal_failed())
      status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be written", object->path);
    if (gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  free(buffer);
  return status;
}

/* Closing a handle completes its object, as cut as it is, unless an error has occurred before; then it also
 * ends uploads of several parts. Such handles cannot be positioned: that is the error that GDAL's interface
 * allows. */
static void remote_give_up(VSILFILE *to) {
  CPLPushErrorHandler(CPLQuietErrorHandler);
  (void)VSIFSeekL(to, VSIFTellL(to) + 1, SEEK_SET);
  VSIFCloseL(to);
  CPLPopErrorHandler();
}

static gv_status remote_copy_file(gv_io *io, const gv_remote_object *object) {
  gv_gdal_reset();
  VSILFILE *from = VSIFOpenL(object->source, "rb");
  if (from == NULL)
    return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read its temporary file", object->path);
  VSILFILE *to = VSIFOpenL(object->path, "wb");
  gv_status status = to != NULL ? remote_copy_bytes(io, from, to, object)
                                : gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be written", object->path);
  VSIFCloseL(from);
  if (to != NULL && status != GV_OK) {
    remote_give_up(to);
  } else if (to != NULL && VSIFCloseL(to) != 0) {
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be written", object->path);
  }
  return status;
}

typedef struct remote_list {
  gv_remote_copies *copies;
  gv_inputs *inputs;
} remote_list;

/* Adds an object without a source; NULL: out of memory. */
static gv_remote_object *remote_append(gv_remote_copies *copies, char *path) {
  gv_remote_object *more =
      path != NULL ? gv_grow(copies->list, &copies->room, copies->count + 1, sizeof *more) : NULL;
  if (more == NULL) {
    free(path);
    return NULL;
  }
  copies->list = more;
  more[copies->count] = (gv_remote_object){.path = path};
  return &more[copies->count++];
}

/* Adds a file of an output to the list. */
static gv_status remote_add(gv_io *io, gv_output *output, const char *name, void *user) {
  const remote_list *list = user;
  gv_remote_object *object = remote_append(list->copies, gv_path_join(output->parent, name));
  if (object == NULL) return gv_io_fail_memory(io, "a file name");
  object->source = gv_path_join(output->directory, name);
  if (object->source == NULL) return gv_io_fail_memory(io, "a file name");
  for (const gv_remote_object *other = list->copies->list; other < object; other++) {
    if (gv_same_file(other->path, object->path))
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: file %s belongs to another output, too",
                        output->path, object->path);
  }
  object->replaced = gv_remote_exists(object->path);
  return object->replaced ? gv_output_check_replaced(io, output, name, object->path, list->inputs) : GV_OK;
}

/* Adds an object that is removed, unless one of the outputs replaces it. */
static gv_status remote_add_stale(gv_io *io, gv_output *output, const char *path, void *user) {
  const remote_list *list = user;
  for (int i = 0; i < list->copies->count; i++)
    if (gv_same_file(list->copies->list[i].path, path)) return GV_OK;
  if (!gv_remote_exists(path)) return GV_OK;
  if (remote_append(list->copies, strdup(path)) == NULL) return gv_io_fail_memory(io, "a file name");
  return gv_output_check_replaced(io, output, gv_path_name(path), path, list->inputs);
}

gv_status gv_remote_copy(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs,
                         gv_remote_copies *copies) {
  remote_list list = {copies, inputs};
  for (int i = 0; i < count; i++) {
    if (!gv_object_is(outputs[i]->path)) continue;
    /* made by another program meanwhile? */
    if (!outputs[i]->overwrite) GV_TRY(gv_output_check(io, outputs[i]));
    GV_TRY(gv_output_each_file(io, outputs[i], remote_add, &list));
  }
  for (int i = 0; i < count; i++)
    if (gv_object_is(outputs[i]->path)) GV_TRY(gv_output_each_stale(io, outputs[i], remote_add_stale, &list));
  gv_status status = GV_OK;
  if (copies->count > 0) atomic_store(&copying, true);
  /* From the end: each output follows its side files. */
  for (int k = copies->count - 1; k >= 0 && status == GV_OK; k--) {
    if (copies->list[k].source == NULL) continue;
    copies->list[k].state = GV_REMOTE_BEGUN;
    status = gv_io_cancelled(io) ? gv_io_fail_cancelled(io) : remote_copy_file(io, &copies->list[k]);
    if (status == GV_OK) copies->list[k].state = GV_REMOTE_COPIED;
  }
  return status;
}

/* ----------------------------------------------------------------------------------------------- after it */

void gv_remote_drop_stale(const gv_remote_copies *copies) {
  gv_io io = {.cancelled = NULL};
  for (const gv_remote_object *one = copies->list; one < copies->list + copies->count; one++) {
    gv_gdal_reset();
    if (one->source != NULL || VSIUnlink(one->path) == 0) continue;
    (void)gv_io_fail_gdal(&io, GV_ERROR_IO, "%s: the side file of a replaced output cannot be removed",
                          one->path);
    gv_io_warn(GV_CODE_STALE_FILE, 0, "%s", io.message);
  }
}

void gv_remote_undo(gv_io *io, gv_status status, const gv_remote_copies *copies) {
  int replaced = 0, left = 0;
  const char *first_left = "";
  CPLPushErrorHandler(CPLQuietErrorHandler);
  for (const gv_remote_object *one = copies->list; one < copies->list + copies->count; one++) {
    replaced += one->replaced && one->state == GV_REMOTE_COPIED;
    bool made =
        one->state == GV_REMOTE_COPIED || (one->state == GV_REMOTE_BEGUN && gv_remote_exists(one->path));
    if (one->replaced || !made || VSIUnlink(one->path) == 0) continue;
    if (left++ == 0) first_left = one->path;
  }
  CPLPopErrorHandler();
  char *reason = replaced + left > 0 ? strdup(io->message) : NULL;
  const gv_code code = io->code;
  if (left > 0)
    gv_io_fail(io, status, "%s (%d new objects of cloud storage cannot be removed: %s%s)",
               reason != NULL ? reason : "", left, first_left, left > 1 ? " ..." : "");
  if (left > 0 && replaced > 0) {
    free(reason);
    reason = strdup(io->message);
  }
  if (replaced > 0)
    gv_io_fail(io, status, "%s (%d objects of cloud storage were replaced before)",
               reason != NULL ? reason : "", replaced);
  if (replaced + left > 0) io->code = code;
  free(reason);
}

bool gv_remote_copying(void) {
  return atomic_load(&copying);
}

bool gv_remote_have_replaced(const gv_remote_copies *copies) {
  bool some = false;
  for (int i = 0; i < copies->count; i++)
    some = some || (copies->list[i].replaced && copies->list[i].state == GV_REMOTE_COPIED);
  return some;
}

void gv_remote_free(gv_remote_copies *copies) {
  if (copies->count > 0) atomic_store(&copying, false);
  for (int i = 0; i < copies->count; i++) {
    free(copies->list[i].source);
    free(copies->list[i].path);
  }
  free(copies->list);
}
