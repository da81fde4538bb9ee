#include "job/description/foreign_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cpl_minixml.h>
#include <cpl_string.h>
#include <gdal.h>

#include "io/format.h"
#include "io/inputs.h"
#include "io/source_name.h"

static const char OVERWRITE[] = "overwrite";

/* By gv_foreign_file, for messages. */
static const char *const foreign_names[] = {"part file", "description"};

static bool is_given(const gv_description *d, const char *name) {
  for (int64_t i = 0; i < d->count && name != NULL; i++)
    if (strcmp(d->list[i].option->name, name) == 0) return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------ outputs */

/* Options that have an effect only with an output. */
static const struct {
  const char *name, *needs, *or_needs;
} needing_outputs[] = {{"distance-type", "distance", NULL},
                       {"signed-distance", "distance", NULL},
                       {"distance-per-value", "distance", NULL},
                       {"distance-unit", "distance", "stats"},
                       {"stats-layer", "stats", NULL},
                       {"sum", "stats", NULL},
                       {"sum-oo", "stats", NULL},
                       {"group", "stats", NULL},
                       {"no-stats-distances", "stats", NULL},
                       {"polygons-layer", "polygons", NULL},
                       {"ways-layer", "ways", NULL}};

static bool names_output(const gv_option *o) {
  return o->place == GV_IN_OUTPUTS && o->names_file && !gv_option_is_source(o);
}

static bool part_option_counts(const gv_description *own, const gv_option *o) {
  if (names_output(o) || strcmp(o->name, OVERWRITE) == 0) return false;
  for (size_t i = 0; i < sizeof needing_outputs / sizeof *needing_outputs; i++) {
    if (strcmp(needing_outputs[i].name, o->name) != 0) continue;
    return is_given(own, needing_outputs[i].needs) || is_given(own, needing_outputs[i].or_needs);
  }
  return true;
}

static gv_status warn_of_outputs(gv_io *io, const gv_description *own, const gv_description *run) {
  gv_text options = {0};
  for (int64_t i = 0; i < run->count; i++) {
    const gv_option *o = run->list[i].option;
    if (!names_output(o) || o == &gv_job_out || is_given(own, o->name)) continue;
    gv_text_put_string(&options, options.length > 0 ? ", --" : "--");
    gv_text_put_string(&options, o->name);
    gv_text_put_string(&options, " FILE");
  }
  if (options.length == 0) return GV_OK;
  char *text = gv_text_take(&options);
  if (text == NULL) return gv_io_fail_memory(io, "the options of parts");
  gv_io_warn(GV_CODE_PART_OUTPUT, 0, "merge: outputs of the parts' run are not written; use %s to write them",
             text);
  free(text);
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------- driver options */

/* Creation options that are text without naming a file, of one driver at least. */
static const char *const harmless_texts[] = {"BLOCKSIZE",           "COMPRESS",          "NUM_THREADS",
                                             "OVERVIEW_RESAMPLING", "PIXELTYPE",         "QUALITY",
                                             "RASTER_DESCRIPTION",  "RASTER_IDENTIFIER", "RASTER_TABLE",
                                             "RESAMPLING",          "TILING_SCHEME",     "WARP_RESAMPLING"};

/* 1: a number, a flag or one of the driver's values; -1: any text; 0: the driver does not list it. */
static int creation_option_kind(GDALDriverH driver, const char *key) {
  static const char *const kinds[] = {"boolean", "float", "int", "integer", "string-select", "unsigned int"};
  const char *list = GDALGetMetadataItem(driver, GDAL_DMD_CREATIONOPTIONLIST, NULL);
  CPLXMLNode *root = list != NULL ? CPLParseXMLString(list) : NULL;
  int kind = 0;
  for (CPLXMLNode *n = CPLGetXMLNode(root, "=CreationOptionList"), *o = n != NULL ? n->psChild : NULL;
       o != NULL; o = o->psNext) {
    if (!EQUAL(CPLGetXMLValue(o, "name", ""), key)) continue;
    kind = -1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      if (EQUAL(CPLGetXMLValue(o, "type", ""), kinds[i])) kind = 1;
    break;
  }
  CPLDestroyXMLNode(root);
  return kind;
}

/* GDAL's drivers list which creation options are text: a few of them name files to be written. */
static bool creation_option_is_safe(const char *option) {
  size_t length = strcspn(option, "=");
  bool listed = false;
  if (strpbrk(option, "/\\<{") != NULL) return false;
  for (size_t i = 0; i < sizeof harmless_texts / sizeof *harmless_texts; i++)
    if (strlen(harmless_texts[i]) == length && EQUALN(harmless_texts[i], option, length)) return true;
  char *key = strndup(option, length);
  bool text = key == NULL;
  for (int i = 0; i < GDALGetDriverCount() && !text; i++) {
    GDALDriverH driver = GDALGetDriver(i);
    int kind =
        GDALGetMetadataItem(driver, GDAL_DCAP_RASTER, NULL) != NULL ? creation_option_kind(driver, key) : 0;
    listed = listed || kind > 0;
    text = kind < 0;
  }
  free(key);
  return listed && !text;
}

/* Options that make drivers write beside an input. */
static bool open_option_writes(const char *option) {
  size_t length = strcspn(option, "=");
  bool writes = EQUALN(option, "WRITE", 5);
  for (size_t i = 0; i + 5 <= length && !writes; i++)
    writes = EQUALN(option + i, "CACHE", 5);
  return writes;
}

/* ------------------------------------------------------------------------------------------------ sources */

/* Pipes and devices would be waited for. */
static bool is_special_file(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

/* Also a file that a /vsi path has within: /vsigzip//tmp/pipe. */
static bool leads_to_special_file(const char *source) {
  if (is_special_file(source)) return true;
  if (strncmp(source, "/vsi", 4) != 0) return false;
  if (strstr(source, "/vsistdin") != NULL) return true;
  for (const char *at = strchr(source, '/'); at != NULL; at = strchr(at + 1, '/'))
    if (is_special_file(at) || is_special_file(at + 1)) return true;
  return false;
}

/* Whether opening the source reads what its path names, and nothing else is done. */
static bool source_is_safe(const char *source, const char *shown) {
  if (strcmp(source, shown) != 0 || leads_to_special_file(source)) return false;
  GDALDriverH driver =
      GDALIdentifyDriverEx(source, GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_MULTIDIM_RASTER, NULL, NULL);
  return !gv_format_of(driver)->indirect;
}

/* Sources that merge opens; masks and rasters of --sum are in the parts. */
static bool is_opened(const gv_option *o) {
  return gv_option_is_source(o) && o->place == GV_IN_OPTIONS && strcmp(o->name, "mask") != 0;
}

static bool names_crs(const gv_option *o) {
  return strcmp(o->name, "crs") == 0 || strcmp(o->name, "seeds-crs") == 0;
}

/* A description is opened as a virtual raster is: it may name virtual rasters and connections, too. */
static bool source_is_allowed(const gv_given *one, const char *shown, gv_foreign_file from) {
  const gv_option *o = one->option;
  size_t at = 0;
  if (from == GV_FOREIGN_PART) return !is_opened(o) || source_is_safe(one->value, shown);
  if (!gv_option_is_source(o)) return true;
  return !o->several || gv_sum_file_at(one->value, ".", &at) ? !leads_to_special_file(one->value + at)
                                                             : false;
}

static gv_status check_source(gv_io *io, const gv_given *one, gv_foreign_file from) {
  char *shown = gv_source_name(one->value);
  if (shown == NULL) return gv_io_fail_memory(io, "the options of a file");
  gv_status status = GV_OK;
  if (names_crs(one->option) && leads_to_special_file(one->value)) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: unsupported value of \"%s\" in a %s (%s)",
                        one->from, one->option->name, foreign_names[from], shown);
  } else if (!source_is_allowed(one, shown, from)) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "%s: unsupported source \"%s\" in a %s (%s); use --%s on the command line", one->from,
                        one->option->name, foreign_names[from], shown, one->option->name);
  }
  free(shown);
  return status;
}

/* ------------------------------------------------------------------------------------------------- checks */

static gv_status check_driver_option(gv_io *io, const gv_given *one, gv_foreign_file from) {
  bool creates = strcmp(one->option->name, "co") == 0;
  char *shown = gv_driver_option_name(one->value, creates);
  if (shown == NULL) return gv_io_fail_memory(io, "the options of a file");
  bool safe = strcmp(shown, one->value) == 0;
  safe = safe && (creates ? creation_option_is_safe(one->value) : !open_option_writes(one->value));
  gv_status status = GV_OK;
  if (!safe) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "%s: unsupported value of \"%s\" in a %s (%.*s); use --%s on the command line",
                        one->from, one->option->name, foreign_names[from], (int)strcspn(shown, "="), shown,
                        one->option->name);
  }
  free(shown);
  return status;
}

gv_status gv_foreign_check(gv_io *io, const gv_description *d, gv_foreign_file from) {
  for (int64_t i = 0; i < d->count; i++) {
    const gv_given *one = &d->list[i];
    if (one->from == NULL || one->value == NULL) continue;
    GV_TRY(check_source(io, one, from));
    if (gv_option_is_driver_option(one->option)) GV_TRY(check_driver_option(io, one, from));
  }
  return GV_OK;
}

gv_status gv_foreign_check_outputs(gv_io *io, const gv_description *d, bool overwrite) {
  for (int64_t i = 0; i < d->count && !overwrite; i++) {
    const gv_given *one = &d->list[i];
    if (one->from == NULL || !names_output(one->option) || !gv_path_exists(one->value)) continue;
    return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO,
                         "%s: output %s exists; use --overwrite on the command line to replace it", one->from,
                         one->value);
  }
  return GV_OK;
}

gv_status gv_foreign_drop_outputs(gv_io *io, const gv_description *own, gv_description *run) {
  gv_status status = warn_of_outputs(io, own, run);
  int64_t kept = 0;
  for (int64_t i = 0; i < run->count; i++) {
    if (part_option_counts(own, run->list[i].option)) {
      run->list[kept++] = run->list[i];
    } else {
      free(run->list[i].value);
    }
  }
  run->count = kept;
  return status;
}

void gv_foreign_drop_overwrite(gv_description *d) {
  gv_description_drop(d, gv_option_find(gv_job_options, GV_JOB_OPTIONS, OVERWRITE, strlen(OVERWRITE)));
}
