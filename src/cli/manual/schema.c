/* The JSON Schema of descriptions of runs (job/description.h). */
#include "manual.h"

#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "job/settings.h"

static void put_number_type(const gv_option *o, const char *type) {
  printf("\"type\": \"%s\"", type);
  if (o->low == o->high) return;
  printf(", \"minimum\": ");
  cli_print_json_number(o->low);
  printf(", \"maximum\": ");
  cli_print_json_number(o->high);
}

static void put_type(const gv_option *o) {
  const char *separator = "";
  if (o->several) {
    printf("\"type\": \"array\", \"items\": {\"type\": \"string\"}");
    return;
  }
  switch (o->kind) {
  case GV_OPTION_FLAG:
    printf("\"type\": \"boolean\"");
    break;
  case GV_OPTION_INT:
  case GV_OPTION_LONG:
    put_number_type(o, "integer");
    break;
  case GV_OPTION_REAL:
    put_number_type(o, "number");
    break;
  case GV_OPTION_CHOICE:
    printf("\"enum\": [");
    for (const gv_choice *c = o->choices; c->name != NULL; c++, separator = ", ") {
      printf("%s", separator);
      cli_print_json_string(c->name);
    }
    printf("]");
    break;
  default:
    if (o->numbers == 0) {
      printf("\"type\": \"string\"");
    } else if (o->numbers == 1) {
      printf("\"type\": [\"number\", \"string\"]");
    } else {
      printf("\"type\": [\"number\", \"string\", \"array\"], \"items\": {\"type\": \"number\"}, \"minItems\": 1, "
             "\"maxItems\": %d",
             o->numbers);
    }
  }
}

static void put_properties(gv_option_place place, const char *indent) {
  const char *separator = "";
  for (int i = -1; i < GV_JOB_OPTIONS; i++) {
    const gv_option *o = i < 0 ? &gv_job_out : &gv_job_options[i];
    if (o->kind == GV_OPTION_HEADING || o->place != place) continue;
    printf("%s\n%s", separator, indent);
    cli_print_json_string(o->name);
    printf(": {");
    put_type(o);
    printf(", \"description\": ");
    cli_print_json_string(o->help);
    printf("}");
    separator = ",";
  }
}

void manual_schema(void) {
  printf("{\n"
         "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
         "  \"title\": \"A run of gpuvoronoi\",\n"
         "  \"description\": \"What gpuvoronoi --describe writes and --config runs. Relative names of files are "
         "told from the "
         "directory of the description; whoever only asks for cells ignores outputs.\",\n"
         "  \"type\": \"object\",\n"
         "  \"oneOf\": [{\"required\": [\"seeds\"]}, {\"required\": [\"seeds-raster\"]}],\n"
         "  \"additionalProperties\": false,\n"
         "  \"properties\": {\n"
         "    \"$schema\": {\"type\": \"string\"},");
  put_properties(GV_IN_QUESTION, "    ");
  printf(",\n    \"outputs\": {\n"
         "      \"type\": \"object\",\n"
         "      \"additionalProperties\": false,\n"
         "      \"properties\": {");
  put_properties(GV_IN_OUTPUTS, "        ");
  printf("\n      }\n    }\n  }\n}\n");
}
