/* gpuvoronoi devices: the GPUs of this machine, or why there are none. */
#include "cli/commands.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/report.h"
#include "gpuvoronoi/gpuvoronoi.h"

typedef struct settings {
  bool json;
} settings;

static const gv_option table[] = {
    {"json", NULL, "JSON object: devices, and reason if no device is usable", GV_OPTION_INTO(json)},
    GV_OPTION_HELP_ROWS,
};

const cli_syntax devices_syntax = {
    .name = "devices",
    .usage =
        "Usage: gpuvoronoi devices [--json]\n"
        "\n"
        "Lists the CUDA devices: number, name, compute capability, multiprocessors, memory and PCI address,\n"
        "and the reason if a device, or all of CUDA, is not usable. The status is 0 also without a device.\n",
    CLI_ROWS(table)};

static const double gibibyte = 1024.0 * 1024.0 * 1024.0;

static void put_device(gv_json_writer *json, int number, const gv_device_info *info) {
  char capability[32];
  snprintf(capability, sizeof capability, "%d.%d", info->compute_major, info->compute_minor);
  gv_json_begin_object(json, NULL, GV_JSON_IN_LINE);
  gv_json_put_integer(json, "number", number);
  gv_json_put_string(json, "name", info->name);
  gv_json_put_string(json, "pci", info->pci);
  gv_json_put_string(json, "compute_capability", capability);
  gv_json_put_integer(json, "multiprocessors", info->multiprocessors);
  gv_json_put_integer(json, "clock_mhz", info->clock_mhz);
  gv_json_put_integer(json, "memory_bytes", info->memory_bytes);
  gv_json_put_integer(json, "free_memory_bytes", info->free_memory_bytes);
  gv_json_put_integer(json, "l2_bytes", info->l2_bytes);
  gv_json_put_integer(json, "shared_block_bytes", info->shared_block_bytes);
  gv_json_put_bool(json, "usable", info->usable);
  gv_json_put_string(json, "reason", info->reason);
  gv_json_end(json);
}

static void print_device(int number, const gv_device_info *info) {
  printf("%d  %s, compute capability %d.%d, %d multiprocessors, %.1f GiB", number, info->name,
         info->compute_major, info->compute_minor, info->multiprocessors,
         (double)info->memory_bytes / gibibyte);
  if (info->usable) printf(" (%.1f GiB free)", (double)info->free_memory_bytes / gibibyte);
  printf(", %s", info->pci);
  if (!info->usable) printf(" [not usable: %s]", info->reason);
  putchar('\n');
}

static int list(gv_context *context, bool as_json) {
  gv_json_writer json = {0};
  int count = 0;
  gv_status status = gv_device_count(context, &count);
  if (status != GV_OK && status != GV_ERROR_UNAVAILABLE)
    return cli_fail(EXIT_ERROR, "%s", gv_context_message(context));
  if (as_json) {
    gv_json_begin_object(&json, NULL, GV_JSON_IN_LINES);
    gv_json_put_string(&json, "reason", status == GV_OK ? "" : gv_context_message(context));
    gv_json_begin_array(&json, "devices", GV_JSON_IN_LINES);
  } else if (status != GV_OK) {
    printf("no CUDA device: %s\n", gv_context_message(context));
  }
  for (int i = 0; i < count; i++) {
    gv_device_info info;
    gv_device_info_init(&info);
    if (gv_device_get(context, i, &info) != GV_OK) {
      gv_text_free(&json.text);
      return cli_fail(EXIT_ERROR, "%s", gv_context_message(context));
    }
    if (as_json) {
      put_device(&json, i, &info);
    } else {
      print_device(i, &info);
    }
  }
  while (json.depth > 0)
    gv_json_end(&json);
  if (as_json) cli_print_json(&json);
  return EXIT_OK;
}

int devices_command(int argc, char **argv) {
  settings s = {.json = false};
  int status = cli_parse(&devices_syntax, &s, argc, argv);
  if (status != EXIT_OK) return status == CLI_DONE ? EXIT_OK : status;
  gv_context *context = NULL;
  if (gv_context_create(NULL, &context) != GV_OK) return cli_fail(EXIT_ERROR, "out of memory");
  status = list(context, s.json);
  gv_context_destroy(context);
  return cli_end_output(status);
}
