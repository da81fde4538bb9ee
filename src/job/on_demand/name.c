/* Converts names for GDAL to descriptions. */
#include "job/on_demand/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_minixml.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/path.h"
#include "io/source_name.h"
#include "job/description/foreign_options.h"

static const char PREFIX[] = "VORONOI:", EXTENSION[] = ".voronoi.json";

static bool has_prefix(const char *name) {
  return EQUALN(name, PREFIX, strlen(PREFIX));
}

static bool is_file(const char *name) {
  size_t length = strlen(name), extension = strlen(EXTENSION);
  return length > extension && EQUAL(name + length - extension, EXTENSION);
}

bool gv_on_demand_is_name(const char *name) {
  return has_prefix(name) || is_file(name);
}

static gv_status on_demand_name_no_memory(gv_io *io) {
  return gv_io_fail_memory(io, "a description");
}

/* The working directory; to be freed. */
static char *here(void) {
  char *directory = CPLGetCurrentDir(), *copy = directory != NULL ? strdup(directory) : NULL;
  CPLFree(directory);
  return copy;
}

/* An existing file's name becomes absolute, independent of the working directory; other names are
 * unchanged. */
static char *absolute(const char *name) {
  VSIStatBufL found;
  char *directory = name[0] != '/' && VSIStatL(name, &found) == 0 ? here() : NULL;
  char *path = directory != NULL ? gv_path_join(directory, name) : strdup(name);
  free(directory);
  return path;
}

/* MAX_DISTANCE as max-distance. */
static const gv_option *find_option(const char *name) {
  char plain[64];
  size_t length = strlen(name);
  if (length >= sizeof plain) return NULL;
  for (size_t i = 0; i < length; i++)
    plain[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
  const gv_option *o = gv_option_find(gv_job_options, GV_JOB_OPTIONS, plain, length);
  return o != NULL && o->place == GV_IN_OPTIONS ? o : NULL;
}

static void put_option(CPLXMLNode *list, const gv_option *o) {
  const bool number = o->kind == GV_OPTION_INT || o->kind == GV_OPTION_LONG;
  CPLXMLNode *option = CPLCreateXMLNode(list, CXT_Element, "Option");
  char name[64], text[2048];
  snprintf(name, sizeof name, "%s", o->name);
  for (char *c = name; *c != '\0'; c++)
    *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
  CPLAddXMLAttributeAndValue(option, "name", name);
  CPLAddXMLAttributeAndValue(option, "type",
                             o->kind == GV_OPTION_FLAG     ? "boolean"
                             : o->kind == GV_OPTION_CHOICE ? "string-select"
                             : number                      ? "int"
                                                           : "string");
  gv_option_describe(o, true, text, sizeof text);
  CPLAddXMLAttributeAndValue(option, "description", text);
  for (const gv_choice *c = o->choices; c != NULL && c->name != NULL; c++)
    CPLCreateXMLElementAndValue(option, "Value", c->name);
}

char *gv_on_demand_option_list(void) {
  CPLXMLNode *list = CPLCreateXMLNode(NULL, CXT_Element, "OpenOptionList");
  for (int i = 0; i < GV_JOB_OPTIONS; i++) {
    const gv_option *o = &gv_job_options[i];
    if (o->kind != GV_OPTION_HEADING && o->place == GV_IN_OPTIONS) put_option(list, o);
  }
  char *text = CPLSerializeXMLTree(list), *copy = text != NULL ? strdup(text) : NULL;
  CPLDestroyXMLNode(list);
  CPLFree(text);
  return copy;
}

static gv_status on_demand_name_add(gv_io *io, gv_description *d, const gv_option *o, const char *value) {
  char *full = o->names_file ? absolute(value) : strdup(value);
  if (full == NULL) return on_demand_name_no_memory(io);
  gv_option_remember(o, full);
  gv_status status = gv_description_add(io, d, o, full);
  free(full);
  return status;
}

/* Options that are not ours are GDAL's, or unknown, for which GDAL warns. */
static gv_status add_options(gv_io *io, char **options, gv_description *d, gv_description *base) {
  gv_status status = GV_OK;
  for (int i = 0; options != NULL && options[i] != NULL && status == GV_OK; i++) {
    char *name = NULL;
    const char *value = CPLParseNameValue(options[i], &name);
    const gv_option *o = name != NULL && value != NULL ? find_option(name) : NULL;
    if (o != NULL && o->kind == GV_OPTION_FLAG) {
      if (CPLTestBool(value)) {
        status = gv_description_add(io, d, o, NULL);
      } else {
        gv_description_drop(base, o);
      }
    } else if (o != NULL) {
      status = on_demand_name_add(io, d, o, value);
    }
    CPLFree(name);
  }
  return status;
}

static gv_status on_demand_name_describe(gv_io *io, const char *name, gv_description *out) {
  const char *rest = has_prefix(name) ? name + strlen(PREFIX) : name;
  if (*rest == '{') {
    char *directory = here();
    gv_status status = directory != NULL ? gv_description_parse(io, rest, strlen(rest), "the description",
                                                                directory, false, out)
                                         : on_demand_name_no_memory(io);
    free(directory);
    return status;
  }
  if (!is_file(rest)) return on_demand_name_add(io, out, find_option("seeds"), rest);
  char *file = absolute(rest);
  gv_status status = file != NULL ? gv_description_read(io, file, false, out) : on_demand_name_no_memory(io);
  free(file);
  return status;
}

gv_status gv_on_demand_describe(gv_io *io, const char *name, char **options, gv_description *out) {
  gv_description base = {0};
  gv_status status = on_demand_name_describe(io, name, &base);
  if (status == GV_OK) status = add_options(io, options, out, &base);
  if (status == GV_OK) status = gv_description_complete(io, out, &base);
  if (status == GV_OK) status = gv_foreign_check(io, out, GV_FOREIGN_DESCRIPTION);
  /* Messages name the file that an option is from. */
  free(out->name);
  out->name = base.name;
  base.name = NULL;
  gv_description_free(&base);
  return status;
}

gv_status gv_on_demand_refuse_nested(gv_io *io, const char *name) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: unsupported on-demand raster as a source of another one; write it to a file first",
                    name);
}
