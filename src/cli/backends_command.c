/* gpuvoronoi backends: the table of backends and what can run on this machine. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuvoronoi.h"

typedef struct settings {
  bool json, matrix;
} settings;

static const cli_option table[] = {
    {"matrix", NULL,
     "what each covers: largest dimension, and metric x type x k; an empty box has a letter that is explained "
     "below",
     CLI_INTO(matrix)},
    {"json", NULL,
     "as a JSON array of objects with name, summary, searches_points, allocates_grids, available and reason (why "
     "not, "
     "when it cannot run)",
     CLI_INTO(json)},
    CLI_HELP_ROW,
};

const cli_syntax backends_syntax = {
    .name = "backends",
    .usage = "Usage: gpuvoronoi backends [--json | --matrix]\n"
             "\n"
             "Lists the backends: what each can do (s = search of points, g = Voronoi of a grid), whether\n"
             "it can run on this machine, and the idea behind it. All of them give the same results.\n",
    CLI_ROWS(table)};

/* A string of the table as JSON; it holds no control characters. */
static void print_json_string(const char *text) {
  putchar('"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

static void print_json(void) {
  printf("[");
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    if (gv_backend_get(i, &info) != GV_OK) continue;
    printf("%s\n  {\"name\": ", i > 0 ? "," : "");
    print_json_string(info.name);
    printf(", \"summary\": ");
    print_json_string(info.summary);
    printf(", \"searches_points\": %s, \"allocates_grids\": %s, \"available\": %s, \"reason\": ",
           info.searches_points ? "true" : "false", info.allocates_grids ? "true" : "false",
           info.available ? "true" : "false");
    print_json_string(info.reason);
    printf("}");
  }
  printf("\n]\n");
}

/* Backends down, metric, type and k across; letters stand for reasons. */
static void print_matrix(void) {
  static const int32_t ks[] = {1, 20, 1024};
  enum { REASONS_MAX = 16, KS = sizeof ks / sizeof ks[0] };
  const char *reasons[REASONS_MAX];
  int count = 0;
  printf("%-16s %9s", "", "");
  for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++)
    printf("  %-31s", gv_metric_name(metric));
  printf("\n%-16s %9s", "", "");
  for (int i = 0; i < 3; i++)
    printf("  %-15s %-15s", "float32", "float64");
  printf("\n%-16s %9s", "backend", "dimension");
  for (int i = 0; i < 6; i++)
    printf("%s%-4s %-4s %-5s", i % 2 == 0 ? "  " : " ", "k=1", "20", "1024");
  printf("\n");
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    if (gv_backend_get(b, &info) != GV_OK || !info.searches_points) continue;
    int32_t max_dim = 0;
    (void)gv_backend_supports(b, GV_EUCLIDEAN, GV_FLOAT64, 1, &max_dim, NULL);
    printf("%-16s %9d", info.name, (int)max_dim);
    for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
      for (gv_dtype type = GV_FLOAT32; type <= GV_FLOAT64; type++) {
        printf(type == GV_FLOAT32 ? "  " : " ");
        for (int k = 0; k < KS; k++) {
          const char *reason = NULL;
          char box[8] = "yes";
          if (gv_backend_supports(b, metric, type, ks[k], NULL, &reason) != GV_OK) {
            int at = 0;
            while (at < count && strcmp(reasons[at], reason) != 0)
              at++;
            if (at == count && count < REASONS_MAX) reasons[count++] = reason;
            snprintf(box, sizeof box, "- %c", 'a' + at);
          }
          printf(k + 1 < KS ? "%-4s " : "%-5s", box);
        }
      }
    }
    printf("%s%s\n", info.available ? "" : " not here: ", info.reason);
  }
  for (int i = 0; i < count; i++)
    printf("%c  %s\n", 'a' + i, reasons[i]);
}

int backends_command(int argc, char **argv) {
  settings s = {.json = false};
  int status = cli_parse(&backends_syntax, &s, argc, argv);
  if (status != EXIT_OK) return status == CLI_DONE ? EXIT_OK : status;
  if (s.json && s.matrix) return cli_fail(EXIT_USAGE, "backends takes either --json or --matrix");
  if (s.json) print_json();
  if (s.matrix) print_matrix();
  if (s.json || s.matrix) return cli_answered(EXIT_OK);
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    if (gv_backend_get(i, &info) != GV_OK) continue;
    printf("%-18s %c%c  %s%s%s%s\n", info.name, info.searches_points ? 's' : '-', info.allocates_grids ? 'g' : '-',
           info.summary, info.available ? "" : " [not available here: ", info.available ? "" : info.reason,
           info.available ? "" : "]");
  }
  return cli_answered(EXIT_OK);
}
