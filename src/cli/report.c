#include "cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/json.h"

void cli_print_warnings(void) {
  gv_warning warning;
  while (gv_io_next_warning(&warning))
    cli_print_line("%s: %s", gv_code_is_note(warning.code) ? "note" : "warning", warning.text);
}

/* --------------------------------------------------------------------------------------------------- in lines */

static void print_grid(const gv_job_report *r) {
  char size[64], level[48] = "";
  snprintf(size, sizeof size, r->cell_height != r->cell_width ? "%.9g x %.9g" : "%.9g", r->cell_width,
           r->cell_height);
  if (r->level >= 0) snprintf(level, sizeof level, ", by the triangles of QTM level %d", r->level);
  cli_print_line("grid: %" PRId64 " x %" PRId64 " cells of %s%s%s, %s%s", r->width, r->height, size,
                 r->unit[0] != '\0' ? " " : "", r->unit, r->crs, level);
}

static void print_planned(const gv_planned_output *o) {
  if (o->type == NULL) {
    cli_print_line("output: %s %s, %" PRId64 " rows at most", o->option, o->path, o->count);
  } else {
    cli_print_line("output: %s %s, %" PRId64 " values of %s, %" PRId64 " bytes without compression", o->option,
                   o->path, o->count, o->type, o->bytes);
  }
}

static void print_metric(gv_metric metric, const char *reason) {
  cli_print_line("metric: %s, %s", gv_metric_name(metric), reason);
}

static void print_backend(const char *backend, int threads, const char *rest) {
  cli_print_line("backend: %s, %d thread%s, %s", backend, threads, threads == 1 ? "" : "s", rest);
}

void cli_report_lines(const gv_job_report *r, double seconds) {
  char without[64] = "", rest[96];
  cli_print_warnings();
  print_metric(r->metric, r->metric_reason);
  print_grid(r);
  for (int i = 0; i < r->planned_count; i++)
    print_planned(&r->planned[i]);
  if (r->empty_cells >= 0)
    cli_print_line("cells: %" PRId64 ", %" PRId64 " without a seed", r->width * r->height, r->empty_cells);
  if (r->seeds_without_cells >= 0)
    snprintf(without, sizeof without, ", %" PRId64 " without a cell", r->seeds_without_cells);
  cli_print_line("seeds: %" PRId64 " used, %" PRId64 " left out%s", r->seeds, r->seeds_skipped, without);
  if (r->planned_count > 0) {
    snprintf(rest, sizeof rest, "%" PRId64 " bytes of memory at most beside the seeds'; nothing was written",
             r->memory);
  } else {
    snprintf(rest, sizeof rest, "%.2f s", seconds);
  }
  print_backend(r->backend != NULL ? r->backend : r->backend_asked, r->threads, rest);
}

/* There is one for lines and polygons, which no option names. */
static const char *search_backend(const cli_search_report *r) {
  return r->backend != NULL ? r->backend : "features";
}

static int64_t neighbours(const cli_search_report *r) {
  return r->queries.used * r->k;
}

void cli_report_search_lines(const cli_search_report *r, double seconds) {
  cli_print_warnings();
  print_metric(r->metric, r->metric_reason);
  char rest[32];
  cli_print_line("references: %" PRId64 " used, %" PRId64 " left out, %d dimension%s, %s", r->references.used,
                 r->references.left_out, r->dimensions, r->dimensions == 1 ? "" : "s", r->crs);
  cli_print_line("queries: %" PRId64 " used, %" PRId64 " left out", r->queries.used, r->queries.left_out);
  cli_print_line("neighbours: %" PRId64 ", %" PRId64 " do not exist", neighbours(r), r->missing);
  snprintf(rest, sizeof rest, "%.2f s", seconds);
  print_backend(search_backend(r), r->threads, rest);
}

/* ---------------------------------------------------------------------------------------------------- as JSON */

/* Null if it is not known. */
static void put_count(cli_json *json, const char *name, int64_t value) {
  if (value < 0) {
    cli_json_null(json, name);
  } else {
    cli_json_integer(json, name, value);
  }
}

/* What every object begins with. */
static void begin(cli_json *json, int status) {
  cli_json_object(json, NULL, CLI_JSON_IN_LINES);
  cli_json_string(json, "gpuvoronoi", gv_version());
  cli_json_integer(json, "status", status);
}

static void put_warnings(cli_json *json) {
  gv_warning warning;
  cli_json_array(json, "warnings", CLI_JSON_IN_LINES);
  while (gv_io_next_warning(&warning)) {
    cli_json_object(json, NULL, CLI_JSON_IN_LINE);
    cli_json_string(json, "code", gv_code_name(warning.code));
    if (warning.count > 0) cli_json_integer(json, "count", warning.count);
    cli_json_string(json, "message", warning.text);
    cli_json_end(json);
  }
  cli_json_end(json);
}

/* And what those of runs that went well end with. */
static void end(cli_json *json) {
  put_warnings(json);
  cli_json_null(json, "error");
  cli_json_end(json);
}

void cli_report_error(gv_code code, int status, const char *message) {
  cli_json json = {0};
  begin(&json, status);
  put_warnings(&json);
  cli_json_object(&json, "error", CLI_JSON_IN_LINE);
  cli_json_string(&json, "code", gv_code_name(code));
  cli_json_string(&json, "message", message);
  cli_json_end(&json);
  cli_json_end(&json);
}

static void put_metric(cli_json *json, gv_metric metric, const char *reason) {
  cli_json_object(json, "metric", CLI_JSON_IN_LINE);
  cli_json_string(json, "name", gv_metric_name(metric));
  cli_json_string(json, "reason", reason);
  cli_json_end(json);
}

static void put_backend(cli_json *json, const char *name, const char *asked, int threads) {
  cli_json_object(json, "backend", CLI_JSON_IN_LINE);
  cli_json_string(json, "name", name);
  cli_json_string(json, "asked", asked);
  cli_json_integer(json, "threads", threads);
  cli_json_end(json);
}

static void put_seconds(cli_json *json, double seconds) {
  cli_json_number(json, "seconds", round(1e3 * seconds) / 1e3);
}

static void put_plan(cli_json *json, const gv_job_report *r) {
  cli_json_integer(json, "memory", r->memory);
  cli_json_array(json, "outputs", CLI_JSON_IN_LINES);
  for (int i = 0; i < r->planned_count; i++) {
    const gv_planned_output *o = &r->planned[i];
    cli_json_object(json, NULL, CLI_JSON_IN_LINE);
    cli_json_string(json, "option", o->option);
    cli_json_string(json, "path", o->path);
    if (o->type != NULL) cli_json_string(json, "type", o->type);
    put_count(json, o->type != NULL ? "values" : "rows", o->count);
    put_count(json, "bytes", o->bytes);
    cli_json_end(json);
  }
  cli_json_end(json);
}

static void put_grid(cli_json *json, const gv_job_report *r) {
  cli_json_object(json, "grid", CLI_JSON_IN_LINE);
  cli_json_integer(json, "width", r->width);
  cli_json_integer(json, "height", r->height);
  cli_json_array(json, "cell_size", CLI_JSON_IN_LINE);
  cli_json_number(json, NULL, r->cell_width);
  cli_json_number(json, NULL, r->cell_height);
  cli_json_end(json);
  cli_json_string(json, "unit", r->unit);
  cli_json_string(json, "crs", r->crs);
  put_count(json, "level", r->level);
  cli_json_end(json);
}

static void put_run(cli_json *json, const gv_job_report *r, double seconds) {
  put_metric(json, r->metric, r->metric_reason);
  put_grid(json, r);
  cli_json_object(json, "cells", CLI_JSON_IN_LINE);
  cli_json_integer(json, "count", r->width * r->height);
  put_count(json, "without_seed", r->empty_cells);
  cli_json_end(json);
  cli_json_object(json, "seeds", CLI_JSON_IN_LINE);
  cli_json_integer(json, "used", r->seeds);
  cli_json_integer(json, "left_out", r->seeds_skipped);
  put_count(json, "without_cells", r->seeds_without_cells);
  cli_json_end(json);
  put_backend(json, r->backend != NULL ? r->backend : r->backend_asked, r->backend_asked, r->threads);
  if (r->planned_count > 0) {
    put_plan(json, r);
  } else {
    put_seconds(json, seconds);
  }
}

void cli_report_json(const gv_job_report *r, double seconds) {
  cli_json json = {0};
  begin(&json, EXIT_OK);
  if (r != NULL) put_run(&json, r, seconds);
  end(&json);
}

static void put_side(cli_json *json, const char *name, const cli_search_side *side) {
  cli_json_object(json, name, CLI_JSON_IN_LINE);
  cli_json_integer(json, "used", side->used);
  cli_json_integer(json, "left_out", side->left_out);
  cli_json_end(json);
}

void cli_report_search_json(const cli_search_report *r, double seconds) {
  cli_json json = {0};
  begin(&json, EXIT_OK);
  put_metric(&json, r->metric, r->metric_reason);
  cli_json_string(&json, "crs", r->crs);
  cli_json_integer(&json, "dimensions", r->dimensions);
  put_side(&json, "references", &r->references);
  put_side(&json, "queries", &r->queries);
  cli_json_object(&json, "neighbours", CLI_JSON_IN_LINE);
  cli_json_integer(&json, "count", neighbours(r));
  cli_json_integer(&json, "missing", r->missing);
  cli_json_end(&json);
  put_backend(&json, search_backend(r), r->backend_asked, r->threads);
  put_seconds(&json, seconds);
  end(&json);
}
