/* Files by their names, and datasets by their files. */
#include "io/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include "io/format.h"
#include "io/grow.h"
#include "io/object_name.h"
#include "io/path.h"
#include "io/strings.h"

bool gv_path_exists(const char *path) {
  VSIStatBufL found;
  struct stat link;
  return VSIStatL(path, &found) == 0 || lstat(path, &link) == 0;
}

bool gv_same_file(const char *a, const char *b) {
  struct stat first, second;
  if (a == NULL || b == NULL) return false;
  if (strcmp(a, b) == 0 || gv_object_same(a, b)) return true;
  bool exist_a = stat(a, &first) == 0, exist_b = stat(b, &second) == 0;
  if (exist_a != exist_b) return false;
  if (exist_a) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  if (strcmp(gv_path_name(a), gv_path_name(b)) != 0) return false;
  char *parent_a = gv_path_parent(a), *parent_b = gv_path_parent(b);
  bool same = parent_a != NULL && parent_b != NULL && stat(parent_a, &first) == 0 &&
              stat(parent_b, &second) == 0 && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  free(parent_a);
  free(parent_b);
  return same;
}

gv_status gv_inputs_add(gv_io *io, gv_inputs *inputs, gv_input input) {
  if (input.source == NULL) return GV_OK;
  gv_input *list = gv_grow(inputs->list, &inputs->room, inputs->count + 1, sizeof *list);
  if (list == NULL) return gv_io_fail_memory(io, "the inputs");
  inputs->list = list;
  inputs->list[inputs->count++] = input;
  return GV_OK;
}

/* Datasets that are opened to list the files of an input: files can name each other in cycles, by names of
 * growing length. */
enum { MOST_OPENED = 1000 };

/* The archive of a path like /vsizip/a.zip/b.csv or /vsigzip//vsizip/{a.zip}/b: to be freed; NULL if there is
 * none. */
static char *archive_of(const char *source) {
  const char *at = source;
  while (at[0] == '/' && strncmp(at + 1, "vsi", 3) == 0) {
    const char *slash = strchr(at + 1, '/'),
               *comma = strncmp(at, "/vsisubfile/", 12) == 0 ? strchr(at, ',') : NULL;
    if (slash == NULL) return NULL;
    at = comma != NULL ? comma + 1 : slash + 1;
    if (*at == '{') at++;
  }
  char *path = at > source ? strdup(at) : NULL;
  for (size_t end = path != NULL ? strlen(path) : 0; end > 0; end--) {
    struct stat found;
    if (at[end] != '\0' && at[end] != '/' && at[end] != '}') continue;
    path[end] = '\0';
    if (stat(path, &found) == 0 && S_ISREG(found.st_mode)) return path;
  }
  free(path);
  return NULL;
}

static void inputs_add_file(gv_inputs *inputs, gv_input *input, const char *file) {
  inputs->lacks = !gv_strings_add(&input->files, file) || inputs->lacks;
}

/* The file of a name like ZARR:"a.zarr":/array, which not all drivers list. */
static void list_named_file(gv_inputs *inputs, gv_input *input, const char *source) {
  char **parts = CSLTokenizeString2(source, ":", CSLT_HONOURSTRINGS);
  if (CSLCount(parts) > 1 && gv_path_exists(parts[1])) inputs_add_file(inputs, input, parts[1]);
  CSLDestroy(parts);
}

/* Lists the files of a source that is opened by one of some drivers (NULL: any), and of those that they name.
 * Sources that cannot be opened have only themselves as a file; their errors are reported when they are read.
 * `within`: the drivers of files that name others. */
static void list_files(gv_inputs *inputs, gv_input *input, int *opened, const char *source, unsigned kind,
                       const char *const *drivers, const char *const *within, char *const *options) {
  char *archive = archive_of(source);
  if (archive != NULL) inputs_add_file(inputs, input, archive);
  free(archive);
  list_named_file(inputs, input, source);
  if (kind == 0 || *opened >= MOST_OPENED) return;
  ++*opened;
  GDALDatasetH dataset =
      GDALOpenEx(source, kind | GDAL_OF_READONLY, drivers, (const char *const *)options, NULL);
  char **files = dataset != NULL ? GDALGetFileList(dataset) : NULL;
  if (dataset != NULL) GDALClose(dataset);
  for (char **file = files; file != NULL && *file != NULL; file++) {
    if (CSLFindString(input->files, *file) >= 0) continue;
    inputs_add_file(inputs, input, *file);
    if (strcmp(*file, source) != 0)
      list_files(inputs, input, opened, *file, GDAL_OF_RASTER | GDAL_OF_VECTOR, within, within, NULL);
  }
  CSLDestroy(files);
}

static void open_all(gv_inputs *inputs, bool on_demand) {
  inputs->opened = true;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  for (int i = 0; i < inputs->count; i++) {
    gv_input *input = &inputs->list[i];
    int opened = 0;
    list_files(inputs, input, &opened, input->source, input->kind, NULL, gv_format_naming(on_demand),
               input->open_options);
  }
  CPLPopErrorHandler();
}

static bool is_on_demand(const char *name) {
  return GDALIdentifyDriverEx(name, GDAL_OF_RASTER, gv_format_on_demand(), NULL) != NULL;
}

/* An on-demand raster must not have on-demand sources: files that name others are searched for them. */
const char *gv_inputs_find_on_demand(gv_inputs *inputs) {
  const char *const *virtual = gv_format_naming(false);
  const char *found = NULL;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  for (int i = 0; i < inputs->count && found == NULL; i++) {
    gv_input *input = &inputs->list[i];
    int opened = 0;
    if (input->kind != 0 && is_on_demand(input->source)) found = input->source;
    if (found == NULL) list_files(inputs, input, &opened, input->source, input->kind, virtual, virtual, NULL);
    for (char **file = input->files; file != NULL && *file != NULL && found == NULL; file++)
      if (is_on_demand(*file)) found = *file;
  }
  CPLPopErrorHandler();
  return found;
}

gv_status gv_inputs_files(gv_io *io, gv_inputs *inputs, char ***out) {
  bool complete = true;
  *out = NULL;
  if (!inputs->opened) open_all(inputs, false);
  for (int i = 0; i < inputs->count; i++) {
    struct stat found;
    const gv_input *input = &inputs->list[i];
    if (stat(input->source, &found) == 0) complete = gv_strings_add(out, input->source) && complete;
    for (char **file = input->files; file != NULL && *file != NULL; file++)
      if (CSLFindString(*out, *file) < 0) complete = gv_strings_add(out, *file) && complete;
  }
  return complete && !inputs->lacks ? GV_OK : gv_io_fail_memory(io, "the files of the inputs");
}

/* Whether a file is within the directory `path`, whatever links lead there. */
static bool inputs_is_within(const char *path, const char *file) {
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode)) return false;
  char *outer = realpath(path, NULL), *inner = realpath(file, NULL);
  size_t length = outer != NULL ? strlen(outer) : 0;
  bool within = length > 0 && inner != NULL && strncmp(outer, inner, length) == 0 && inner[length] == '/';
  free(outer);
  free(inner);
  return within;
}

/* The file of an input that `path` leads to, or that is within that directory, or NULL. */
static const char *find_file(const gv_input *input, const char *path) {
  for (char **file = input->files; file != NULL && *file != NULL; file++) {
    if (gv_same_file(path, *file) || inputs_is_within(path, *file)) return *file;
  }
  return NULL;
}

const char *gv_inputs_find(gv_inputs *inputs, const char *path) {
  for (int i = 0; i < inputs->count; i++) {
    const char *source = inputs->list[i].source;
    if (gv_same_file(path, source) || (path != NULL && inputs_is_within(path, source))) return source;
  }
  if (path == NULL || !gv_path_exists(path)) return NULL;
  if (!inputs->opened) open_all(inputs, true);
  const char *found = NULL;
  for (int i = 0; i < inputs->count && found == NULL; i++)
    found = find_file(&inputs->list[i], path);
  /* It may be a file that is missing. */
  return found == NULL && inputs->lacks ? inputs->list[0].source : found;
}

bool gv_inputs_read_layer(gv_inputs *inputs, const char *path, const char *layer, int layers) {
  if (!inputs->opened) open_all(inputs, true);
  for (int i = 0; i < inputs->count; i++) {
    const gv_input *input = &inputs->list[i];
    if ((input->kind & GDAL_OF_VECTOR) == 0) continue;
    if (gv_same_file(path, input->source)) {
      if (input->layer != NULL ? EQUAL(input->layer, layer) : layers == 1) return true;
    } else if (find_file(input, path) != NULL) {
      return true;
    }
  }
  return false;
}

/* Whether a source in a GeoPackage may be that raster: true unless it names another table. */
static bool may_be_table(const gv_input *input, const char *table) {
  const char *chosen = CSLFetchNameValue(input->open_options, "TABLE");
  if (chosen != NULL) return EQUAL(chosen, table);
  size_t length = strlen(table), whole = strlen(input->source);
  if (!STARTS_WITH_CI(input->source, "GPKG:")) return true;
  return whole > length && input->source[whole - length - 1] == ':' &&
         EQUAL(input->source + whole - length, table);
}

bool gv_inputs_read_raster(gv_inputs *inputs, const char *path, const char *table) {
  if (!inputs->opened) open_all(inputs, true);
  for (int i = 0; i < inputs->count; i++) {
    const gv_input *input = &inputs->list[i];
    if ((input->kind & GDAL_OF_RASTER) == 0 || input->layer != NULL) continue;
    bool same = gv_same_file(path, input->source) || find_file(input, path) != NULL;
    if (same && may_be_table(input, table)) return true;
  }
  return false;
}

void gv_inputs_free(gv_inputs *inputs) {
  for (int i = 0; i < inputs->count; i++)
    gv_strings_free(inputs->list[i].files);
  free(inputs->list);
  *inputs = (gv_inputs){0};
}
