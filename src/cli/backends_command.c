/* gpuvoronoi backends: the table of backends and what can run on this machine. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/backend_limits.h"
#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/report.h"
#include "gpuvoronoi/gpuvoronoi.h"

typedef struct settings {
  bool json, matrix;
} settings;

static const gv_option table[] = {
    {"matrix", NULL,
     "table of largest dimensions, metrics, types, k and weights of grids\n"
     "A letter in a box refers to the reason below the table.",
     GV_OPTION_INTO(matrix)},
    {"json", NULL,
     "JSON array of backends\n"
     "Objects with name, summary, gpu, searches_points, searches_radius, list_grids, feature_grids, "
     "weighted_grids, travel_cost, max_dim, refused_metrics, available, and reason if it is not available.",
     GV_OPTION_INTO(json)},
    GV_OPTION_HELP_ROWS,
};

const cli_syntax backends_syntax = {
    .name = "backends",
    .usage =
        "Usage: gpuvoronoi backends [--json | --matrix]\n"
        "\n"
        "Lists the backends in a table: where each runs, what it computes, whether it is available on this\n"
        "machine, and its method. All return the same results. The columns:\n"
        "\n"
        "  runs on  CPU or GPU\n"
        "  points   the k nearest points of a search\n"
        "  radius   all points within a radius; CPU: a backend of CPUs searches in its place\n"
        "  rasters  nearest-seed rasters, also of triangles, and QTM meshes\n"
        "  lists    HEALPix, S2, H3 and lists of points\n"
        "  lines    rasters and lists with lines and polygons as seeds\n"
        "  weights  rasters and lists with weights of seeds\n"
        "  cost     travel cost\n"
        "  here     can run on this machine; a letter refers to the reason below the table\n",
    CLI_ROWS(table)};

static void put_unsupported(gv_json_writer *json, int backend) {
  gv_json_begin_object(json, "refused_metrics", GV_JSON_IN_LINE);
  for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
    const char *why = cli_backend_refuses(backend, metric);
    if (why != NULL) gv_json_put_string(json, gv_metric_name(metric), why);
  }
  gv_json_end(json);
}

static void print_json(void) {
  gv_json_writer json = {0};
  gv_json_begin_array(&json, NULL, GV_JSON_IN_LINES);
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    if (gv_backend_get(i, &info) != GV_OK) continue;
    gv_json_begin_object(&json, NULL, GV_JSON_IN_LINE);
    gv_json_put_string(&json, "name", info.name);
    gv_json_put_string(&json, "summary", info.summary);
    gv_json_put_bool(&json, "gpu", info.gpu);
    gv_json_put_bool(&json, "searches_points", info.searches_points);
    gv_json_put_bool(&json, "searches_radius", info.searches_radius);
    gv_json_put_bool(&json, "list_grids", info.list_grids);
    gv_json_put_bool(&json, "feature_grids", info.feature_grids);
    gv_json_put_bool(&json, "weighted_grids", info.weighted_grids);
    gv_json_put_bool(&json, "travel_cost", info.travel_cost);
    gv_json_put_integer(&json, "max_dim", cli_backend_largest_dimension(i));
    put_unsupported(&json, i);
    gv_json_put_bool(&json, "available", info.available);
    gv_json_put_string(&json, "reason", info.reason);
    gv_json_end(&json);
  }
  gv_json_end(&json);
  cli_print_json(&json);
}

/* The letters of reasons in the table's boxes. */
typedef struct legend {
  const char *reasons[16];
  int count;
} legend;

/* The letter of a reason. */
static int legend_letter(legend *l, const char *reason) {
  enum { MOST = sizeof l->reasons / sizeof *l->reasons };
  int at = 0;
  while (at < l->count && strcmp(l->reasons[at], reason) != 0)
    at++;
  if (at == l->count && l->count < MOST) l->reasons[l->count++] = reason;
  return 'a' + at;
}

static void legend_print(const legend *l) {
  for (int i = 0; i < l->count; i++)
    printf("%c  %s\n", 'a' + i, l->reasons[i]);
}

/* Prints a box: yes, or the reason's letter. */
static void print_box(legend *l, const char *reason, int width) {
  char box[8] = "yes";
  if (reason != NULL) snprintf(box, sizeof box, "- %c", legend_letter(l, reason));
  printf("%-*s ", width, box);
}

/* Backends down, metric, type and k of points and weights of grids across. */
static void print_matrix(void) {
  static const int32_t ks[] = {1, 20, 1024};
  enum { KS = sizeof ks / sizeof ks[0] };
  legend l = {.count = 0};
  printf("%-16s %9s", "", "");
  for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++)
    printf("  %-31s", gv_metric_name(metric));
  printf("  grids\n%-16s %9s", "", "");
  for (int i = 0; i < 3; i++)
    printf("  %-15s %-15s", "float32", "float64");
  printf("  with\n%-16s %9s", "backend", "dimension");
  for (int i = 0; i < 6; i++)
    printf("%s%-4s %-4s %-5s", i % 2 == 0 ? "  " : " ", "k=1", "20", "1024");
  printf("  weights\n");
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    if (gv_backend_get(b, &info) != GV_OK) continue;
    printf("%-16s %9d  ", info.name, (int)cli_backend_largest_dimension(b));
    for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
      for (gv_dtype type = GV_FLOAT32; type <= GV_FLOAT64; type++) {
        for (int k = 0; k < KS; k++) {
          const char *reason = NULL;
          (void)gv_backend_supports(b, metric, type, ks[k], NULL, &reason);
          print_box(&l, reason, k + 1 < KS ? 4 : 5);
        }
      }
      printf(" ");
    }
    print_box(&l, info.weighted_grids ? NULL : "supports only grids without weights", 4);
    printf("%s%s\n", info.available ? "" : " not available here: ", info.reason);
  }
  legend_print(&l);
}

/* Backends down, what they compute and where across. */
static void print_table(void) {
  legend l = {.count = 0};
  printf("%-16s%-9s%-8s%-8s%-9s%-7s%-7s%-9s%-6s%-6s%s\n", "backend", "runs on", "points", "radius", "rasters",
         "lists", "lines", "weights", "cost", "here", "method");
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    if (gv_backend_get(i, &info) != GV_OK) continue;
    char here[8] = "yes";
    if (!info.available) snprintf(here, sizeof here, "no %c", legend_letter(&l, info.reason));
    const char *radius = info.searches_radius ? "yes" : info.searches_points ? "CPU" : "-";
    printf("%-16s%-9s%-8s%-8s%-9s%-7s%-7s%-9s%-6s%-6s%s\n", info.name, info.gpu ? "GPU" : "CPU",
           info.searches_points ? "yes" : "-", radius, "yes", info.list_grids ? "yes" : "-",
           info.feature_grids ? "yes" : "-", info.weighted_grids ? "yes" : "-",
           info.travel_cost ? "yes" : "-", here, info.summary);
  }
  if (l.count > 0) printf("\n");
  legend_print(&l);
}

int backends_command(int argc, char **argv) {
  settings s = {.json = false};
  int status = cli_parse(&backends_syntax, &s, argc, argv);
  if (status != EXIT_OK) return status == CLI_DONE ? EXIT_OK : status;
  if (s.json && s.matrix)
    return cli_fail(EXIT_USAGE, "--json and --matrix: unsupported together; use one of them");
  if (s.json) print_json();
  if (s.matrix) print_matrix();
  if (s.json || s.matrix) return cli_end_output(EXIT_OK);
  print_table();
  return cli_end_output(EXIT_OK);
}
