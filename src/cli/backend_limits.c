/* Unsupported metrics and grids of backends, for --help and the table of backends. */
#include "cli/backend_limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *cli_backend_refuses(int backend, gv_metric metric) {
  gv_backend_info info;
  gv_backend_info_init(&info);
  const char *reason = NULL;
  if (gv_backend_get(backend, &info) != GV_OK || !info.searches_points) return NULL;
  return gv_backend_supports(backend, metric, GV_FLOAT64, 1, NULL, &reason) == GV_OK ? NULL : reason;
}

int32_t cli_backend_largest_dimension(int backend) {
  int32_t dimension = 0;
  (void)gv_backend_supports(backend, GV_EUCLIDEAN, GV_FLOAT64, 1, &dimension, NULL);
  return dimension;
}

/* Adds "; WHAT: NAME, NAME ..." with the backends for which `has` is true; adds nothing if there is none. */
static void add_names(char *text, size_t size, const char *what, bool (*has)(int backend, int value),
                      int value) {
  int count = 0;
  for (int b = 0; b < gv_backend_count(); b++) {
    gv_backend_info info;
    gv_backend_info_init(&info);
    if (gv_backend_get(b, &info) != GV_OK || !has(b, value)) continue;
    size_t length = strlen(text);
    if (count++ == 0) {
      snprintf(text + length, size - length, "; %s: %s", what, info.name);
    } else {
      snprintf(text + length, size - length, ", %s", info.name);
    }
  }
}

static bool has_weights(int backend, int unused) {
  gv_backend_info info;
  gv_backend_info_init(&info);
  (void)unused;
  return gv_backend_get(backend, &info) == GV_OK && info.weighted_grids;
}

static bool lacks_metric(int backend, int metric) {
  return cli_backend_refuses(backend, (gv_metric)metric) != NULL;
}

static bool ends_at_dimension(int backend, int dimension) {
  gv_backend_info info;
  gv_backend_info_init(&info);
  return gv_backend_get(backend, &info) == GV_OK && info.searches_points &&
         cli_backend_largest_dimension(backend) == dimension;
}

static void add_metrics(char *text, size_t size) {
  for (gv_metric metric = GV_EUCLIDEAN; metric <= GV_CHEBYSHEV; metric++) {
    char what[64];
    snprintf(what, sizeof what, "not %s", gv_metric_name(metric));
    add_names(text, size, what, lacks_metric, (int)metric);
  }
}

void cli_add_limits_of_grids(char *text, size_t size) {
  add_names(text, size, "with --weighting only", has_weights, 0);
  add_metrics(text, size);
}

void cli_add_limits_of_points(char *text, size_t size) {
  int32_t largest = 0;
  for (int b = 0; b < gv_backend_count(); b++)
    largest = cli_backend_largest_dimension(b) > largest ? cli_backend_largest_dimension(b) : largest;
  add_metrics(text, size);
  for (int32_t dimension = 1; dimension < largest; dimension++) {
    char what[64];
    snprintf(what, sizeof what, "up to %d dimensions", (int)dimension);
    add_names(text, size, what, ends_at_dimension, dimension);
  }
}
