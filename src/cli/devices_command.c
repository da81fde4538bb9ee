/* gpuvoronoi devices: the GPUs of this machine, or why there are none. */
#include "cli/commands.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "gpuvoronoi.h"

typedef struct settings {
  bool json;
} settings;

static const gv_option table[] = {
    {"json", NULL, "the same as a JSON object with the reason why there is none, and devices",
     GV_OPTION_INTO(json)},
    GV_OPTION_HELP_ROW,
};

const cli_syntax devices_syntax = {
    .name = "devices",
    .usage = "Usage: gpuvoronoi devices [--json]\n"
             "\n"
             "Lists the CUDA devices: number, name, compute capability, multiprocessors, memory and PCI address,\n"
             "and what keeps a device from being used. Without any it says why. Status 0 in both cases.\n",
    CLI_ROWS(table)};

static const double gibibyte = 1024.0 * 1024.0 * 1024.0;

static void print_json_device(int number, const gv_device_info *info) {
  printf("%s\n    {\"number\": %d, \"name\": ", number > 0 ? "," : "", number);
  cli_print_json_string(info->name);
  printf(", \"pci\": ");
  cli_print_json_string(info->pci);
  printf(", \"compute_capability\": \"%d.%d\", \"multiprocessors\": %d, \"clock_mhz\": %d,\n", info->compute_major,
         info->compute_minor, info->multiprocessors, info->clock_mhz);
  printf("     \"memory_bytes\": %lld, \"free_memory_bytes\": %lld, \"l2_bytes\": %lld, "
         "\"shared_block_bytes\": %lld,\n     \"usable\": %s, \"reason\": ",
         (long long)info->memory_bytes, (long long)info->free_memory_bytes, (long long)info->l2_bytes,
         (long long)info->shared_block_bytes, info->usable ? "true" : "false");
  cli_print_json_string(info->reason);
  putchar('}');
}

static void print_device(int number, const gv_device_info *info) {
  printf("%d  %s, compute capability %d.%d, %d multiprocessors, %.1f GiB", number, info->name, info->compute_major,
         info->compute_minor, info->multiprocessors, (double)info->memory_bytes / gibibyte);
  if (info->usable) printf(" (%.1f GiB free)", (double)info->free_memory_bytes / gibibyte);
  printf(", %s", info->pci);
  if (!info->usable) printf(" [not usable: %s]", info->reason);
  putchar('\n');
}

static int list(gv_context *context, bool json) {
  int count = 0;
  gv_status status = gv_device_count(context, &count);
  if (status != GV_OK && status != GV_ERROR_UNAVAILABLE)
    return cli_fail(EXIT_ERROR, "%s", gv_context_message(context));
  if (json) {
    printf("{\n  \"reason\": ");
    cli_print_json_string(status == GV_OK ? "" : gv_context_message(context));
    printf(",\n  \"devices\": [");
  } else if (status != GV_OK) {
    printf("no CUDA device: %s\n", gv_context_message(context));
  }
  for (int i = 0; i < count; i++) {
    gv_device_info info;
    if (gv_device_get(context, i, &info) != GV_OK) return cli_fail(EXIT_ERROR, "%s", gv_context_message(context));
    (json ? print_json_device : print_device)(i, &info);
  }
  if (json) printf("%s]\n}\n", count > 0 ? "\n  " : "");
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
  return cli_answered(status);
}
