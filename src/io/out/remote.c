#include "io/out/remote.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_error.h>

#include "io/grow.h"
#include "io/out/style.h"
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
static bool remote_exists(const char *path, VSIStatBufL *found) {
  VSICurlPartialClearCache(path);
  VSIErrorReset();
  return VSIStatExL(path, found, VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG | VSI_STAT_SET_ERROR_FLAG) == 0;
}

gv_status gv_remote_check(gv_io *io, const gv_output *output) {
  VSIStatBufL found;
  const char *path = output->path;
  bool there = remote_exists(path, &found);
  int error = there ? 0 : VSIGetLastErrorNo();
  if (error != 0 && error != VSIE_AWSObjectNotFound)
    return gv_io_fail(io, GV_ERROR_IO, "%s: cannot open: %s", path, VSIGetLastErrorMsg());
  if (!there) return GV_OK;
  if (VSI_ISDIR(found.st_mode)) return gv_io_fail(io, GV_ERROR_IO, "output %s is a directory", path);
  if (output->amends)
    return gv_io_fail(
        io, GV_ERROR_IO,
        "the output %s: unsupported: adding a layer to an object of cloud storage; choose another name", path);
  if (!output->overwrite)
    return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO, "output %s exists; use --overwrite to replace it",
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
    if (VSIFWriteL(buffer, 1, got, to) != got || gv_gdal_failed())
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

/* A side file must not replace an input, or a file that belongs to something else. */
static gv_status remote_check_object(gv_io *io, const gv_output *output, const char *name,
                                     const gv_remote_object *object, gv_inputs *inputs) {
  const char *main_name = gv_path_name(output->path);
  if (!object->replaced) return GV_OK;
  const char *input = inputs != NULL ? gv_inputs_find(inputs, object->path) : NULL;
  if (input != NULL)
    return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                         "%s: file %s is %s, a file of an input", output->path, object->path, input);
  bool own = strncmp(name, main_name, strlen(main_name)) == 0 && strcmp(name, main_name) != 0;
  if (output->overwrite || own || gv_qgis_style_is_ours(object->path)) return GV_OK;
  return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO, "%s: file %s exists; use --overwrite to replace it",
                       output->path, object->path);
}

/* Adds a file of an output to the list. */
static gv_status remote_add(gv_io *io, const gv_output *output, const char *name, gv_inputs *inputs,
                            gv_remote_copies *list) {
  gv_remote_object *more = gv_grow(list->list, &list->room, list->count + 1, sizeof *more);
  if (more == NULL) return gv_io_fail_memory(io, "the outputs' names");
  list->list = more;
  gv_remote_object *object = &more[list->count];
  *object = (gv_remote_object){gv_path_join(output->directory, name), gv_path_join(output->parent, name), false};
  list->count++;
  if (object->source == NULL || object->path == NULL) return gv_io_fail_memory(io, "a file name");
  VSIStatBufL found;
  object->replaced = remote_exists(object->path, &found);
  return remote_check_object(io, output, name, object, inputs);
}

/* The objects of an output: the output itself last. */
static gv_status remote_list(gv_io *io, const gv_output *output, gv_inputs *inputs, gv_remote_copies *list) {
  const char *main_name = gv_path_name(output->path);
  char **files = VSIReadDir(output->directory);
  gv_status status = CSLFindString(files, main_name) >= 0
                         ? GV_OK
                         : gv_io_fail(io, GV_ERROR_IO, "missing file after writing (%s)", output->path);
  for (char **file = files; status == GV_OK && file != NULL && *file != NULL; file++) {
    if (EQUAL(*file, ".") || EQUAL(*file, "..") || strcmp(*file, main_name) == 0) continue;
    if (!STARTS_WITH(*file, GV_SCRATCH)) status = remote_add(io, output, *file, inputs, list);
  }
  CSLDestroy(files);
  return status == GV_OK ? remote_add(io, output, main_name, inputs, list) : status;
}

gv_status gv_remote_copy(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs,
                         gv_remote_copies *copies) {
  for (int i = count - 1; i >= 0; i--) {
    if (!gv_remote_is(outputs[i]->path)) continue;
    if (!outputs[i]->overwrite) GV_TRY(gv_remote_check(io, outputs[i])); /* made by another program meanwhile? */
    GV_TRY(remote_list(io, outputs[i], inputs, copies));
  }
  for (int k = 0; k < copies->count; k++) {
    copies->begun = k + 1;
    GV_TRY(remote_copy_file(io, &copies->list[k]));
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------------------ after it */

static gv_status remote_drop(gv_io *io, const gv_remote_copies *copies, const char *path) {
  for (int i = 0; i < copies->count; i++)
    if (strcmp(copies->list[i].path, path) == 0) return GV_OK;
  VSIStatBufL found;
  if (!remote_exists(path, &found)) return GV_OK;
  gv_gdal_reset();
  return VSIUnlink(path) == 0 ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot be removed", path);
}

gv_status gv_remote_drop_stale(gv_io *io, gv_output *const *outputs, int count, const gv_remote_copies *copies) {
  static const char *const suffixes[] = {".aux.xml", ".ovr", ".msk", ".msk.ovr"};
  gv_status status = GV_OK;
  for (int i = 0; i < count; i++) {
    if (!gv_remote_is(outputs[i]->path) || !outputs[i]->overwrite) continue;
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes && status == GV_OK; k++) {
      char *side = gv_path_add(outputs[i]->path, suffixes[k]);
      status = side != NULL ? remote_drop(io, copies, side) : gv_io_fail_memory(io, "a file name");
      free(side);
    }
    for (char **one = outputs[i]->stale; status == GV_OK && one != NULL && *one != NULL; one++)
      status = remote_drop(io, copies, *one);
  }
  return status;
}

void gv_remote_undo(gv_io *io, gv_status status, const gv_remote_copies *copies) {
  int replaced = 0;
  for (int i = 0; i < copies->begun; i++) {
    replaced += copies->list[i].replaced && i < copies->begun - 1;
    if (!copies->list[i].replaced) VSIUnlink(copies->list[i].path);
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
