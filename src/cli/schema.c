/* The JSON Schema of descriptions of runs (job/description.h). */
#include <stdio.h>

#include "cli/json.h"
#include "job/settings.h"

static void put_number_type(cli_json *json, const gv_option *o, const char *type) {
  cli_json_string(json, "type", type);
  if (o->low == o->high) return;
  cli_json_number(json, "minimum", o->low);
  cli_json_number(json, "maximum", o->high);
}

static void put_items(cli_json *json, const char *type) {
  cli_json_object(json, "items", CLI_JSON_IN_LINE);
  cli_json_string(json, "type", type);
  cli_json_end(json);
}

static void put_strings(cli_json *json, const char *name, const char *const *values, int count) {
  cli_json_array(json, name, CLI_JSON_IN_LINE);
  for (int i = 0; i < count; i++)
    cli_json_string(json, NULL, values[i]);
  cli_json_end(json);
}

/* Of an option whose value its setter reads: text, or so many numbers. */
static void put_set_type(cli_json *json, const gv_option *o) {
  static const char *const types[] = {"number", "string", "array"};
  if (o->numbers == 0) {
    cli_json_string(json, "type", "string");
    return;
  }
  put_strings(json, "type", types, o->numbers > 1 ? 3 : 2);
  if (o->numbers == 1) return;
  put_items(json, "number");
  cli_json_integer(json, "minItems", 1);
  cli_json_integer(json, "maxItems", o->numbers);
}

static void put_type(cli_json *json, const gv_option *o) {
  if (o->several) {
    cli_json_string(json, "type", "array");
    put_items(json, "string");
    return;
  }
  switch (o->kind) {
  case GV_OPTION_FLAG:
    cli_json_string(json, "type", "boolean");
    break;
  case GV_OPTION_INT:
  case GV_OPTION_LONG:
    put_number_type(json, o, "integer");
    break;
  case GV_OPTION_REAL:
    put_number_type(json, o, "number");
    break;
  case GV_OPTION_CHOICE:
    cli_json_array(json, "enum", CLI_JSON_IN_LINE);
    for (const gv_choice *c = o->choices; c->name != NULL; c++)
      cli_json_string(json, NULL, c->name);
    cli_json_end(json);
    break;
  default:
    put_set_type(json, o);
  }
}

static void put_properties(cli_json *json, gv_option_place place) {
  for (int i = -1; i < GV_JOB_OPTIONS; i++) {
    const gv_option *o = i < 0 ? &gv_job_out : &gv_job_options[i];
    if (o->kind == GV_OPTION_HEADING || o->place != place) continue;
    cli_json_object(json, o->name, CLI_JSON_IN_LINE);
    put_type(json, o);
    cli_json_string(json, "description", o->help);
    cli_json_end(json);
  }
}

/* Begins an object with its properties. */
static void begin_object(cli_json *json) {
  cli_json_string(json, "type", "object");
  cli_json_bool(json, "additionalProperties", false);
  cli_json_object(json, "properties", CLI_JSON_IN_LINES);
}

int main(void) {
  static const char *const seeds[] = {"seeds", "seeds-raster"};
  cli_json json = {0};
  cli_json_object(&json, NULL, CLI_JSON_IN_LINES);
  cli_json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
  cli_json_string(&json, "title", "A run of gpuvoronoi");
  cli_json_string(&json, "description",
                  "What gpuvoronoi --describe writes and --config runs. Relative names of files are told from the "
                  "directory of the description; whoever only asks for cells ignores outputs.");
  cli_json_array(&json, "oneOf", CLI_JSON_IN_LINE);
  for (int i = 0; i < 2; i++) {
    cli_json_object(&json, NULL, CLI_JSON_IN_LINE);
    put_strings(&json, "required", &seeds[i], 1);
    cli_json_end(&json);
  }
  cli_json_end(&json);
  begin_object(&json);
  cli_json_object(&json, "$schema", CLI_JSON_IN_LINE);
  cli_json_string(&json, "type", "string");
  cli_json_end(&json);
  put_properties(&json, GV_IN_QUESTION);
  cli_json_object(&json, "outputs", CLI_JSON_IN_LINES);
  begin_object(&json);
  put_properties(&json, GV_IN_OUTPUTS);
  while (json.depth > 0)
    cli_json_end(&json);
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
