#include "cli/json.h"

#include <stdio.h>

#include "io/text.h"

void cli_print_json_string(const char *text) {
  gv_text out = {0};
  gv_text_put_json(&out, text);
  if (out.bytes != NULL) fwrite(out.bytes, 1, out.length, stdout);
  gv_text_free(&out);
}

void cli_print_json_number(double value) {
  char text[GV_NUMBER_TEXT];
  gv_number_text(value, text);
  fputs(text[0] != '\0' ? text : "null", stdout);
}
