#include "cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"

void cli_print_warnings(void) {
  gv_warning warning;
  while (gv_io_next_warning(&warning))
    cli_print_line("%s: %s", gv_code_is_note(warning.code) ? "note" : "warning", warning.text);
}

/* ----------------------------------------------------------------------------------------------- in lines */

static void print_grid(const gv_job_report *r) {
  char size[64], level[48] = "";
  if (r->cells_of[0] != '\0') {
    cli_print_line("grid: %" PRId64 " cells, %s, %s", r->width, r->cells_of, r->crs);
    return;
  }
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
    cli_print_line("output: %s %s, %" PRId64 " values of %s, %" PRId64 " bytes without compression",
                   o->option, o->path, o->count, o->type, o->bytes);
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
    const double mebibytes = (double)r->memory / (1 << 20);
    snprintf(rest, sizeof rest, "%.4g %s of memory at most, in addition to the seeds; nothing was written",
             mebibytes < 1024.0 ? mebibytes : mebibytes / 1024.0, mebibytes < 1024.0 ? "MiB" : "GiB");
  } else {
    snprintf(rest, sizeof rest, "%.2f s", seconds);
  }
  print_backend(r->backend != NULL ? r->backend : r->requested_backend, r->threads, rest);
}

/* There is one for lines and polygons, which no option names. */
static const char *search_backend(const gv_search_report *r) {
  return r->backend != NULL ? r->backend : "features";
}

static int64_t neighbors(const gv_search_report *r) {
  return r->by_radius ? r->pairs : r->queries.used * r->k;
}

void cli_report_search_lines(const gv_search_report *r, double seconds) {
  cli_print_warnings();
  print_metric(r->metric, r->metric_reason);
  char rest[32];
  cli_print_line("references: %" PRId64 " used, %" PRId64 " left out, %d dimension%s, %s", r->references.used,
                 r->references.left_out, r->dimensions, r->dimensions == 1 ? "" : "s", r->crs);
  cli_print_line("queries: %" PRId64 " used, %" PRId64 " left out", r->queries.used, r->queries.left_out);
  cli_print_line("neighbors: %" PRId64 ", %" PRId64 " missing", neighbors(r), r->missing);
  snprintf(rest, sizeof rest, "%.2f s", seconds);
  print_backend(search_backend(r), r->threads, rest);
}

void cli_report_diagram_lines(const gv_diagram_report *r, double seconds) {
  cli_print_warnings();
  print_metric(r->metric, r->metric_reason);
  cli_print_line("seeds: %" PRId64 " used, %" PRId64 " left out, %" PRId64 " different places", r->seeds,
                 r->left_out, r->places);
  cli_print_line("output: %" PRId64 " %s, %s, %d thread%s, %.2f s", r->features,
                 r->lines ? "lines" : "polygons", r->crs, r->threads, r->threads == 1 ? "" : "s", seconds);
}

void cli_report_weights_lines(const gv_weights_report *r, double seconds) {
  char rest[32];
  cli_print_warnings();
  print_metric(r->metric, r->metric_reason);
  cli_print_line("source: %" PRId64 " cells, %" PRId64 " left out", r->source, r->unused);
  cli_print_line("target: %" PRId64 " cells, %" PRId64 " without a weight, %s", r->target, r->empty, r->crs);
  cli_print_line("weights: %" PRId64, r->weights);
  snprintf(rest, sizeof rest, "%.2f s", seconds);
  print_backend(r->backend, r->threads, rest);
}

/* ------------------------------------------------------------------------------------------------ as JSON */

/* Null if unknown. */
static void put_count(gv_json_writer *json, const char *name, int64_t value) {
  if (value < 0) {
    gv_json_put_null(json, name);
  } else {
    gv_json_put_integer(json, name, value);
  }
}

/* Begins an object with its common members. */
static void report_begin(gv_json_writer *json, int status) {
  gv_json_begin_object(json, NULL, GV_JSON_IN_LINES);
  gv_json_put_string(json, "gpuvoronoi", gv_version());
  gv_json_put_integer(json, "status", status);
}

static void put_warnings(gv_json_writer *json) {
  gv_warning warning;
  gv_json_begin_array(json, "warnings", GV_JSON_IN_LINES);
  while (gv_io_next_warning(&warning)) {
    gv_json_begin_object(json, NULL, GV_JSON_IN_LINE);
    gv_json_put_string(json, "code", gv_code_name(warning.code));
    if (warning.count > 0) gv_json_put_integer(json, "count", warning.count);
    gv_json_put_string(json, "message", warning.text);
    gv_json_end(json);
  }
  gv_json_end(json);
}

void cli_print_json(gv_json_writer *json) {
  if (json->text.failed) {
    cli_print_line("error: out of memory for the answer");
  } else {
    cli_put_output(json->text.bytes, json->text.length);
  }
  gv_text_free(&json->text);
}

/* And what those of runs that went well end with. */
static void report_end(gv_json_writer *json) {
  put_warnings(json);
  gv_json_put_null(json, "error");
  gv_json_end(json);
  cli_print_json(json);
}

void cli_report_error(gv_code code, int status, const char *message) {
  gv_json_writer json = {0};
  report_begin(&json, status);
  put_warnings(&json);
  gv_json_begin_object(&json, "error", GV_JSON_IN_LINE);
  gv_json_put_string(&json, "code", gv_code_name(code));
  gv_json_put_string(&json, "message", message);
  gv_json_end(&json);
  gv_json_end(&json);
  cli_print_json(&json);
}

static void put_metric(gv_json_writer *json, gv_metric metric, const char *reason) {
  gv_json_begin_object(json, "metric", GV_JSON_IN_LINE);
  gv_json_put_string(json, "name", gv_metric_name(metric));
  gv_json_put_string(json, "reason", reason);
  gv_json_end(json);
}

static void put_backend(gv_json_writer *json, const char *name, const char *requested, int threads) {
  gv_json_begin_object(json, "backend", GV_JSON_IN_LINE);
  gv_json_put_string(json, "name", name);
  gv_json_put_string(json, "asked", requested);
  gv_json_put_integer(json, "threads", threads);
  gv_json_end(json);
}

static void put_seconds(gv_json_writer *json, double seconds) {
  gv_json_put_number(json, "seconds", round(1e3 * seconds) / 1e3);
}

static void put_plan(gv_json_writer *json, const gv_job_report *r) {
  gv_json_put_integer(json, "memory", r->memory);
  gv_json_begin_array(json, "outputs", GV_JSON_IN_LINES);
  for (int i = 0; i < r->planned_count; i++) {
    const gv_planned_output *o = &r->planned[i];
    gv_json_begin_object(json, NULL, GV_JSON_IN_LINE);
    gv_json_put_string(json, "option", o->option);
    gv_json_put_string(json, "path", o->path);
    if (o->type != NULL) gv_json_put_string(json, "type", o->type);
    put_count(json, o->type != NULL ? "values" : "rows", o->count);
    put_count(json, "bytes", o->bytes);
    gv_json_end(json);
  }
  gv_json_end(json);
}

static void put_grid(gv_json_writer *json, const gv_job_report *r) {
  gv_json_begin_object(json, "grid", GV_JSON_IN_LINE);
  gv_json_put_integer(json, "width", r->width);
  gv_json_put_integer(json, "height", r->height);
  if (r->cells_of[0] != '\0') {
    gv_json_put_string(json, "cells_of", r->cells_of);
  } else {
    gv_json_begin_array(json, "cell_size", GV_JSON_IN_LINE);
    gv_json_put_number(json, NULL, r->cell_width);
    gv_json_put_number(json, NULL, r->cell_height);
    gv_json_end(json);
    gv_json_put_string(json, "unit", r->unit);
  }
  gv_json_put_string(json, "crs", r->crs);
  put_count(json, "level", r->level);
  gv_json_end(json);
}

static void put_run(gv_json_writer *json, const gv_job_report *r, double seconds) {
  put_metric(json, r->metric, r->metric_reason);
  put_grid(json, r);
  gv_json_begin_object(json, "cells", GV_JSON_IN_LINE);
  gv_json_put_integer(json, "count", r->width * r->height);
  put_count(json, "without_seed", r->empty_cells);
  gv_json_end(json);
  gv_json_begin_object(json, "seeds", GV_JSON_IN_LINE);
  gv_json_put_integer(json, "used", r->seeds);
  gv_json_put_integer(json, "left_out", r->seeds_skipped);
  put_count(json, "without_cells", r->seeds_without_cells);
  gv_json_end(json);
  put_backend(json, r->backend != NULL ? r->backend : r->requested_backend, r->requested_backend, r->threads);
  if (r->planned_count > 0) {
    put_plan(json, r);
  } else {
    put_seconds(json, seconds);
  }
}

void cli_report_json(const gv_job_report *r, double seconds) {
  gv_json_writer json = {0};
  report_begin(&json, EXIT_OK);
  if (r != NULL) put_run(&json, r, seconds);
  report_end(&json);
}

static void put_side(gv_json_writer *json, const char *name, const gv_search_side *side) {
  gv_json_begin_object(json, name, GV_JSON_IN_LINE);
  gv_json_put_integer(json, "used", side->used);
  gv_json_put_integer(json, "left_out", side->left_out);
  gv_json_end(json);
}

void cli_report_search_json(const gv_search_report *r, double seconds) {
  gv_json_writer json = {0};
  report_begin(&json, EXIT_OK);
  put_metric(&json, r->metric, r->metric_reason);
  gv_json_put_string(&json, "crs", r->crs);
  gv_json_put_integer(&json, "dimensions", r->dimensions);
  put_side(&json, "references", &r->references);
  put_side(&json, "queries", &r->queries);
  gv_json_begin_object(&json, "neighbours", GV_JSON_IN_LINE);
  gv_json_put_integer(&json, "count", neighbors(r));
  gv_json_put_integer(&json, "missing", r->missing);
  gv_json_end(&json);
  put_backend(&json, search_backend(r), r->requested_backend, r->threads);
  put_seconds(&json, seconds);
  report_end(&json);
}

void cli_report_diagram_json(const gv_diagram_report *r, double seconds) {
  gv_json_writer json = {0};
  report_begin(&json, EXIT_OK);
  put_metric(&json, r->metric, r->metric_reason);
  gv_json_put_string(&json, "crs", r->crs);
  gv_json_begin_object(&json, "seeds", GV_JSON_IN_LINE);
  gv_json_put_integer(&json, "used", r->seeds);
  gv_json_put_integer(&json, "left_out", r->left_out);
  gv_json_put_integer(&json, "places", r->places);
  gv_json_end(&json);
  gv_json_put_integer(&json, "edges", r->edges);
  gv_json_put_integer(&json, "features", r->features);
  gv_json_put_integer(&json, "unverified", r->unverified);
  gv_json_put_integer(&json, "threads", r->threads);
  put_seconds(&json, seconds);
  report_end(&json);
}

void cli_report_weights_json(const gv_weights_report *r, double seconds) {
  gv_json_writer json = {0};
  report_begin(&json, EXIT_OK);
  put_metric(&json, r->metric, r->metric_reason);
  gv_json_put_string(&json, "crs", r->crs);
  gv_json_begin_object(&json, "source", GV_JSON_IN_LINE);
  gv_json_put_integer(&json, "cells", r->source);
  gv_json_put_integer(&json, "left_out", r->unused);
  gv_json_end(&json);
  gv_json_begin_object(&json, "target", GV_JSON_IN_LINE);
  gv_json_put_integer(&json, "cells", r->target);
  gv_json_put_integer(&json, "without_weight", r->empty);
  gv_json_end(&json);
  gv_json_put_integer(&json, "weights", r->weights);
  gv_json_put_string(&json, "backend", r->backend);
  gv_json_put_integer(&json, "threads", r->threads);
  put_seconds(&json, seconds);
  report_end(&json);
}
