/* The JSON Schema of descriptions of runs (job/description/description.h). */
#include <stdio.h>

#include "cli/report.h"
#include "job/description/settings.h"

static void put_number_type(gv_json_writer *json, const gv_option *o, const char *type) {
  gv_json_put_string(json, "type", type);
  if (o->low == o->high) return;
  gv_json_put_number(json, "minimum", o->low);
  gv_json_put_number(json, "maximum", o->high);
}

static void put_items(gv_json_writer *json, const char *type) {
  gv_json_begin_object(json, "items", GV_JSON_IN_LINE);
  gv_json_put_string(json, "type", type);
  gv_json_end(json);
}

static void put_strings(gv_json_writer *json, const char *name, const char *const *values, int count) {
  gv_json_begin_array(json, name, GV_JSON_IN_LINE);
  for (int i = 0; i < count; i++)
    gv_json_put_string(json, NULL, values[i]);
  gv_json_end(json);
}

/* Type of an option with a value that its setter reads: text, or a number of numbers. */
static void put_set_type(gv_json_writer *json, const gv_option *o) {
  static const char *const types[] = {"number", "string", "array"};
  if (o->numbers == 0) {
    gv_json_put_string(json, "type", "string");
    return;
  }
  put_strings(json, "type", types, o->numbers > 1 ? 3 : 2);
  if (o->numbers == 1) return;
  put_items(json, "number");
  gv_json_put_integer(json, "minItems", 1);
  gv_json_put_integer(json, "maxItems", o->numbers);
}

static void put_type(gv_json_writer *json, const gv_option *o) {
  if (o->several) {
    gv_json_put_string(json, "type", "array");
    put_items(json, "string");
    return;
  }
  switch (o->kind) {
  case GV_OPTION_FLAG:
    gv_json_put_string(json, "type", "boolean");
    break;
  case GV_OPTION_INT:
  case GV_OPTION_LONG:
    put_number_type(json, o, "integer");
    break;
  case GV_OPTION_REAL:
    put_number_type(json, o, "number");
    break;
  case GV_OPTION_CHOICE:
    gv_json_begin_array(json, "enum", GV_JSON_IN_LINE);
    for (const gv_choice *c = o->choices; c->name != NULL; c++)
      gv_json_put_string(json, NULL, c->name);
    gv_json_end(json);
    break;
  default:
    put_set_type(json, o);
  }
}

static void put_properties(gv_json_writer *json, gv_option_place place) {
  for (int i = -1; i < GV_JOB_OPTIONS; i++) {
    const gv_option *o = i < 0 ? &gv_job_out : &gv_job_options[i];
    if (o->kind == GV_OPTION_HEADING || o->place != place) continue;
    gv_json_begin_object(json, o->name, GV_JSON_IN_LINE);
    put_type(json, o);
    char text[2048];
    gv_option_describe(o, true, text, sizeof text);
    gv_json_put_string(json, "description", text);
    gv_json_end(json);
  }
}

/* Begins an object with its properties. */
static void begin_object(gv_json_writer *json) {
  gv_json_put_string(json, "type", "object");
  gv_json_put_bool(json, "additionalProperties", false);
  gv_json_begin_object(json, "properties", GV_JSON_IN_LINES);
}

int main(void) {
  static const char *const seeds[] = {"seeds", "seeds-raster"};
  gv_json_writer json = {0};
  gv_json_begin_object(&json, NULL, GV_JSON_IN_LINES);
  gv_json_put_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
  gv_json_put_string(&json, "title", "A run of gpuvoronoi");
  gv_json_put_string(&json, "description",
                     "What gpuvoronoi --describe writes and --config runs. Relative paths are resolved "
                     "against the directory of "
                     "the description. Programs that only read cells ignore outputs.");
  gv_json_begin_array(&json, "oneOf", GV_JSON_IN_LINE);
  for (int i = 0; i < 2; i++) {
    gv_json_begin_object(&json, NULL, GV_JSON_IN_LINE);
    put_strings(&json, "required", &seeds[i], 1);
    gv_json_end(&json);
  }
  gv_json_end(&json);
  begin_object(&json);
  gv_json_begin_object(&json, "$schema", GV_JSON_IN_LINE);
  gv_json_put_string(&json, "type", "string");
  gv_json_end(&json);
  put_properties(&json, GV_IN_OPTIONS);
  gv_json_begin_object(&json, "outputs", GV_JSON_IN_LINES);
  begin_object(&json);
  put_properties(&json, GV_IN_OUTPUTS);
  while (json.depth > 0)
    gv_json_end(&json);
  cli_print_json(&json);
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
