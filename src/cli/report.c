#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/json.h"

void cli_print_warnings(void) {
  gv_warning warning;
  while (gv_io_next_warning(&warning))
    fprintf(stderr, "gpuvoronoi: warning: %s\n", warning.text);
}

/* --------------------------------------------------------------------------------------------------- in lines */

static void print_grid(const gv_job_report *r) {
  fprintf(stderr, "gpuvoronoi: grid: %" PRId64 " x %" PRId64 " cells of %.9g", r->width, r->height, r->cell_width);
  if (r->cell_height != r->cell_width) fprintf(stderr, " x %.9g", r->cell_height);
  fprintf(stderr, "%s%s, %s", r->unit[0] != '\0' ? " " : "", r->unit, r->crs);
  if (r->level >= 0) fprintf(stderr, ", by the triangles of QTM level %d", r->level);
  fprintf(stderr, "\n");
}

static void print_planned(const gv_planned_output *o) {
  fprintf(stderr, "gpuvoronoi: output: %s %s, ", o->option, o->path);
  if (o->type == NULL) {
    fprintf(stderr, "%" PRId64 " rows at most\n", o->count);
  } else {
    fprintf(stderr, "%" PRId64 " values of %s, %" PRId64 " bytes without compression\n", o->count, o->type,
            o->bytes);
  }
}

void cli_report_lines(const gv_job_report *r, double seconds) {
  cli_print_warnings();
  fprintf(stderr, "gpuvoronoi: metric: %s, %s\n", gv_metric_name(r->metric), r->metric_reason);
  print_grid(r);
  for (int i = 0; i < r->planned_count; i++)
    print_planned(&r->planned[i]);
  if (r->empty_cells >= 0) {
    fprintf(stderr, "gpuvoronoi: cells: %" PRId64 ", %" PRId64 " without a seed\n", r->width * r->height,
            r->empty_cells);
  }
  fprintf(stderr, "gpuvoronoi: seeds: %" PRId64 " used, %" PRId64 " left out", r->seeds, r->seeds_skipped);
  if (r->seeds_without_cells >= 0) fprintf(stderr, ", %" PRId64 " without a cell", r->seeds_without_cells);
  fprintf(stderr, "\ngpuvoronoi: backend: %s, %d thread%s, ", r->backend != NULL ? r->backend : r->backend_asked,
          r->threads, r->threads == 1 ? "" : "s");
  if (r->planned_count > 0) {
    fprintf(stderr, "%" PRId64 " bytes of memory at most beside the seeds'; nothing was written\n", r->memory);
  } else {
    fprintf(stderr, "%.2f s\n", seconds);
  }
}

/* ---------------------------------------------------------------------------------------------------- as JSON */

static void print_string(const char *name, const char *value) {
  printf("\"%s\": ", name);
  cli_print_json_string(value);
}

static void print_integer(const char *name, int64_t value) {
  if (value < 0) {
    printf("\"%s\": null", name);
  } else {
    printf("\"%s\": %" PRId64, name, value);
  }
}

/* What every object begins with. */
static void print_head(int status) {
  printf("{\n  ");
  print_string("gpuvoronoi", gv_version());
  printf(",\n  \"status\": %d,\n", status);
}

static void print_warnings(void) {
  gv_warning warning;
  const char *separator = "\n    ";
  printf("  \"warnings\": [");
  for (; gv_io_next_warning(&warning); separator = ",\n    ") {
    printf("%s{", separator);
    print_string("code", gv_code_name(warning.code));
    if (warning.count > 0) printf(", \"count\": %" PRId64, warning.count);
    printf(", ");
    print_string("message", warning.text);
    printf("}");
  }
  printf("%s],\n", separator[0] == ',' ? "\n  " : "");
}

void cli_report_error(gv_code code, int status, const char *message) {
  print_head(status);
  print_warnings();
  printf("  \"error\": {");
  print_string("code", gv_code_name(code));
  printf(", ");
  print_string("message", message);
  printf("}\n}\n");
}

static void print_plan(const gv_job_report *r) {
  printf("  ");
  print_integer("memory", r->memory);
  printf(",\n  \"outputs\": [");
  for (int i = 0; i < r->planned_count; i++) {
    const gv_planned_output *o = &r->planned[i];
    printf("%s\n    {", i > 0 ? "," : "");
    print_string("option", o->option);
    printf(", ");
    print_string("path", o->path);
    printf(", ");
    if (o->type != NULL) {
      print_string("type", o->type);
      printf(", ");
    }
    print_integer(o->type != NULL ? "values" : "rows", o->count);
    printf(", ");
    print_integer("bytes", o->bytes);
    printf("}");
  }
  printf("\n  ],\n");
}

static void print_run(const gv_job_report *r, double seconds) {
  printf("  \"metric\": {");
  print_string("name", gv_metric_name(r->metric));
  printf(", ");
  print_string("reason", r->metric_reason);
  printf("},\n  \"grid\": {");
  print_integer("width", r->width);
  printf(", ");
  print_integer("height", r->height);
  printf(", \"cell_size\": [");
  cli_print_json_number(r->cell_width);
  printf(", ");
  cli_print_json_number(r->cell_height);
  printf("], ");
  print_string("unit", r->unit);
  printf(", ");
  print_string("crs", r->crs);
  printf(", ");
  print_integer("level", r->level);
  printf("},\n  \"cells\": {");
  print_integer("count", r->width * r->height);
  printf(", ");
  print_integer("without_seed", r->empty_cells);
  printf("},\n  \"seeds\": {");
  print_integer("used", r->seeds);
  printf(", ");
  print_integer("left_out", r->seeds_skipped);
  printf(", ");
  print_integer("without_cells", r->seeds_without_cells);
  printf("},\n  \"backend\": {");
  print_string("name", r->backend != NULL ? r->backend : r->backend_asked);
  printf(", ");
  print_string("asked", r->backend_asked);
  printf(", ");
  print_integer("threads", r->threads);
  printf("},\n");
  if (r->planned_count > 0) {
    print_plan(r);
  } else {
    printf("  \"seconds\": %.3f,\n", seconds);
  }
}

void cli_report_json(const gv_job_report *r, double seconds) {
  print_head(EXIT_OK);
  if (r != NULL) print_run(r, seconds);
  print_warnings();
  printf("  \"error\": null\n}\n");
}
