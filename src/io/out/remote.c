#include "io/out/remote.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_error.h>

#include "io/grow.h"
#include "io/path.h"

enum { CHUNK = 1 << 20 };

bool gv_remote_is(const char *path) {
  static const char *const prefixes[] = {"/vsis3/",  "/vsigs/",    "/vsiaz/",     "/vsiadls/",
                                         "/vsioss/", "/vsiswift/", "/vsiwebhdfs/"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

const char *gv_remote_temporary(void) {
  const char *directory = CPLGetConfigOption("CPL_TMPDIR", NULL);
  if (directory == NULL) directory = CPLGetConfigOption("TMPDIR", NULL);
  return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

/* Whether there is an object. GDAL keeps answers, which other programs may have made wrong. */
static bool remote_exists(const char *path) {
  VSIStatBufL found;
  VSICurlPartialClearCache(path);
  VSIErrorReset();
  return VSIStatExL(path, &found, VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG | VSI_STAT_SET_ERROR_FLAG) == 0;
}

gv_status gv_remote_check(gv_io *io, const gv_output *output) {
  const char *path = output->path;
  bool there = remote_exists(path);
  int error = there ? 0 : VSIGetLastErrorNo();
  if (error != 0 && error != VSIE_AWSObjectNotFound)
    return gv_io_fail(io, GV_ERROR_IO, "%s: cannot open: %s", path, VSIGetLastErrorMsg());
  if (there && output->amends)
    return gv_io_fail(io, GV_ERROR_IO,
                      "output %s: unsupported: adding a layer to an object of cloud storage; choose another name",
                      path);
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------------------- copying */

/* Copies the bytes. A new object is given up if the run is cancelled; one that replaces another is completed, because GDAL cannot
 * end a transfer without replacing it. */
static gv_status remote_copy_bytes(gv_io *io, VSILFILE *from, VSILFILE *to, const gv_remote_object *object) {
  char *buffer = malloc(CHUNK);
  gv_status status = buffer != NULL ? GV_OK : gv_io_fail_memory(io, object->path);
  for (size_t got = CHUNK; status == GV_OK && got == CHUNK;) {
    got = VSIFReadL(buffer, 1, CHUNK, from);
    if (got < CHUNK && !VSIFEofL(from))
      status = gv_io_fail(io, GV_ERROR_IO, "%s: cannot read its temporary file", object->path);
    else if (VSIFWriteL(buffer, 1, got, to) != got || gv_gdal_failed())
      status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be written", object->path);
    if (!object->replaced && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  free(buffer);
  return status;
}

static gv_status remote_copy_file(gv_io *io, const gv_remote_object *object) {
  gv_gdal_reset();
  VSILFILE *from = VSIFOpenL(object->source, "rb");
  if (from == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read its temporary file", object->path);
  VSILFILE *to = VSIFOpenL(object->path, "wb");
  gv_status status = to != NULL ? remote_copy_bytes(io, from, to, object)
                                : gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be written", object->path);
  VSIFCloseL(from);
  if (to != NULL && VSIFCloseL(to) != 0 && status == GV_OK)
    status = gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be written", object->path);
  return status;
}

typedef struct remote_list {
  gv_remote_copies *copies;
  gv_inputs *inputs;
} remote_list;

/* Adds a file of an output to the list. */
static gv_status remote_add(gv_io *io, gv_output *output, const char *name, void *user) {
  const remote_list *list = user;
  gv_remote_copies *copies = list->copies;
  gv_remote_object *more = gv_grow(copies->list, &copies->room, copies->count + 1, sizeof *more);
  if (more == NULL) return gv_io_fail_memory(io, "the outputs' names");
  copies->list = more;
  gv_remote_object *object = &more[copies->count++];
  *object = (gv_remote_object){.source = gv_path_join(output->directory, name),
                               .path = gv_path_join(output->parent, name)};
  if (object->source == NULL || object->path == NULL) return gv_io_fail_memory(io, "a file name");
  for (const gv_remote_object *other = more; other < object; other++) {
    if (strcmp(other->path, object->path) == 0)
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: file %s belongs to another output, too", output->path,
                        object->path);
  }
  object->replaced = remote_exists(object->path);
  return object->replaced ? gv_output_check_replaced(io, output, name, object->path, list->inputs) : GV_OK;
}

gv_status gv_remote_copy(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs,
                         gv_remote_copies *copies) {
  remote_list list = {copies, inputs};
  for (int i = 0; i < count; i++) {
    if (!gv_remote_is(outputs[i]->path)) continue;
    if (!outputs[i]->overwrite) GV_TRY(gv_output_check(io, outputs[i])); /* made by another program meanwhile? */
    GV_TRY(gv_output_each_file(io, outputs[i], remote_add, &list));
  }
  for (int k = copies->count - 1; k >= 0; k--) { /* from the end: each output follows its side files */
    copies->list[k].state = GV_REMOTE_BEGUN;
    GV_TRY(remote_copy_file(io, &copies->list[k]));
    copies->list[k].state = GV_REMOTE_COPIED;
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------------------ after it */

static gv_status remote_drop(gv_io *io, gv_output *output, const char *path, void *user) {
  const gv_remote_copies *copies = user;
  (void)output;
  for (int i = 0; i < copies->count; i++)
    if (strcmp(copies->list[i].path, path) == 0) return GV_OK;
  if (!remote_exists(path)) return GV_OK;
  gv_gdal_reset();
  return VSIUnlink(path) == 0 ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be removed", path);
}

gv_status gv_remote_drop_stale(gv_io *io, gv_output *const *outputs, int count, gv_remote_copies *copies) {
  for (int i = 0; i < count; i++) {
    if (!gv_remote_is(outputs[i]->path) || !outputs[i]->overwrite) continue;
    GV_TRY(gv_output_each_stale(io, outputs[i], remote_drop, copies));
  }
  return GV_OK;
}

void gv_remote_undo(gv_io *io, gv_status status, const gv_remote_copies *copies) {
  int replaced = 0;
  for (const gv_remote_object *one = copies->list; one < copies->list + copies->count; one++) {
    replaced += one->replaced && one->state == GV_REMOTE_COPIED;
    if (!one->replaced && one->state != GV_REMOTE_WAITS) VSIUnlink(one->path);
  }
  if (replaced == 0) return;
  char *reason = strdup(io->message);
  gv_io_fail(io, status, "%s (%d objects of cloud storage were replaced before)", reason != NULL ? reason : "",
             replaced);
  free(reason);
}

void gv_remote_free(gv_remote_copies *copies) {
  for (int i = 0; i < copies->count; i++) {
    free(copies->list[i].source);
    free(copies->list[i].path);
  }
  free(copies->list);
}
