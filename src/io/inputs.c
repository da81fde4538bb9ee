/* Files by their names, and datasets by their files. */
#include "io/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include "io/path.h"

bool gv_is_there(const char *path) {
  VSIStatBufL found;
  struct stat link;
  return VSIStatL(path, &found) == 0 || lstat(path, &link) == 0;
}

bool gv_same_file(const char *a, const char *b) {
  struct stat first, second;
  if (a == NULL || b == NULL) return false;
  if (strcmp(a, b) == 0) return true;
  bool exist_a = stat(a, &first) == 0, exist_b = stat(b, &second) == 0;
  if (exist_a != exist_b) return false;
  if (exist_a) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  if (strcmp(gv_path_name(a), gv_path_name(b)) != 0) return false;
  char *parent_a = gv_path_parent(a), *parent_b = gv_path_parent(b);
  bool same = parent_a != NULL && parent_b != NULL && stat(parent_a, &first) == 0 && stat(parent_b, &second) == 0 &&
              first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  free(parent_a);
  free(parent_b);
  return same;
}

/* Sources that cannot be opened have no files but themselves; what is wrong with them is said when they are read. */
static void open_all(gv_inputs *inputs) {
  inputs->opened = true;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  for (int i = 0; i < inputs->count; i++) {
    gv_input *input = &inputs->list[i];
    if (input->source == NULL || input->kind == 0) continue;
    GDALDatasetH dataset = GDALOpenEx(input->source, input->kind | GDAL_OF_READONLY, NULL,
                                      (const char *const *)input->open_options, NULL);
    if (dataset == NULL) continue;
    input->files = GDALGetFileList(dataset);
    GDALClose(dataset);
  }
  CPLPopErrorHandler();
}

/* The file of an input that `path` leads to, or NULL. */
static const char *find_file(const gv_input *input, const char *path) {
  for (char **file = input->files; file != NULL && *file != NULL; file++) {
    if (gv_same_file(path, *file)) return *file;
  }
  return NULL;
}

const char *gv_inputs_find(gv_inputs *inputs, const char *path) {
  for (int i = 0; i < inputs->count; i++) {
    if (gv_same_file(path, inputs->list[i].source)) return inputs->list[i].source;
  }
  if (path == NULL || !gv_is_there(path)) return NULL;
  if (!inputs->opened) open_all(inputs);
  const char *found = NULL;
  for (int i = 0; i < inputs->count && found == NULL; i++)
    found = find_file(&inputs->list[i], path);
  return found;
}

bool gv_inputs_read_layer(gv_inputs *inputs, const char *path, const char *layer, int layers) {
  if (!inputs->opened) open_all(inputs);
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

/* Whether a source that is made of a GeoPackage may be that raster: all but those that name another. */
static bool may_be_table(const gv_input *input, const char *table) {
  const char *chosen = CSLFetchNameValue(input->open_options, "TABLE");
  if (chosen != NULL) return EQUAL(chosen, table);
  size_t length = strlen(table), whole = strlen(input->source);
  if (!STARTS_WITH_CI(input->source, "GPKG:")) return true;
  return whole > length && input->source[whole - length - 1] == ':' && EQUAL(input->source + whole - length, table);
}

bool gv_inputs_read_raster(gv_inputs *inputs, const char *path, const char *table) {
  if (!inputs->opened) open_all(inputs);
  for (int i = 0; i < inputs->count; i++) {
    const gv_input *input = &inputs->list[i];
    if ((input->kind & GDAL_OF_RASTER) == 0 || input->layer != NULL) continue;
    bool same = gv_same_file(path, input->source) || find_file(input, path) != NULL;
    if (same && may_be_table(input, table)) return true;
  }
  return false;
}

void gv_inputs_free(gv_inputs *inputs) {
  for (int i = 0; i < inputs->count; i++) {
    CSLDestroy(inputs->list[i].files);
    inputs->list[i].files = NULL;
  }
}
