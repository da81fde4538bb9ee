/* The page of messages, docs/messages.md: codes of errors and warnings, statuses of the library. */
#include <stdio.h>

#include "io/codes.h"

static void print_codes(const char *title, const char *head, bool warnings) {
  printf("\n## %s\n\n| %s | meaning | what to do |\n|---|---|---|\n", title, head);
  for (int code = GV_CODE_NONE + 1; code < GV_CODES; code++) {
    const gv_code_text *text = gv_code_describe((gv_code)code);
    if (gv_code_is_warning((gv_code)code) != warnings) continue;
    const char *note = gv_code_is_note((gv_code)code) ? " A note in the summary, not a warning." : "";
    printf("| `%s` | %s%s | %s |\n", text->name, text->meaning, note, text->remedy);
  }
}

static void print_statuses(void) {
  static const char *const names[] = {
      "GV_OK",
      "GV_ERROR_INVALID_ARGUMENT",
      "GV_ERROR_OUT_OF_MEMORY",
      "GV_ERROR_UNKNOWN_BACKEND",
      "GV_ERROR_UNSUPPORTED",
      "GV_ERROR_UNAVAILABLE",
      "GV_ERROR_CANCELLED",
      "GV_ERROR_PROJECTION",
      "GV_ERROR_IO",
      "GV_ERROR_DEVICE",
      "GV_ERROR_INTERNAL",
  };
  _Static_assert(sizeof names / sizeof *names == GV_ERROR_INTERNAL + 1, "a name for each status");
  printf(
      "\n## Statuses of the C library\n\n"
      "`gv_status_message` returns the text of a status, `gv_context_message` the line of the last error.\n\n"
      "| status | number | text | code of the command |\n|---|---|---|---|\n");
  for (int status = GV_OK; status <= GV_ERROR_INTERNAL; status++) {
    const char *code = status == GV_OK ? "" : gv_code_name(gv_code_of_status((gv_status)status));
    printf("| `%s` | %d | %s | %s%s%s |\n", names[status], status, gv_status_message((gv_status)status),
           status == GV_OK ? "" : "`", code, status == GV_OK ? "" : "`");
  }
}

int main(void) {
  fputs("<!-- Written by gpuvoronoi_messages from src/io/codes.c. Do not edit. -->\n"
        "# Messages\n"
        "\n"
        "Find the meaning of an error or warning, and what to do. An error is one line on stderr:\n"
        "\n"
        "```\n"
        "gpuvoronoi: error: WHAT: WHAT IS WRONG (VALUE); WHAT TO DO\n"
        "```\n"
        "\n"
        "With `--json` each error and warning has a code. Codes do not change; the text of messages may.\n",
        stdout);
  print_codes("Errors", "code of an error", false);
  print_codes("Warnings", "code of a warning", true);
  print_statuses();
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
