/* Prints a dictionary for fuzz_options: the names of all commands' options and of their choices, from the
 * tables; with any argument, one for fuzz_descriptions: those of the main command, as JSON. */
#include <stdio.h>

#include "cli/commands.h"

static void print_syntax(const cli_syntax *syntax) {
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    if (o->kind == GV_OPTION_HEADING) continue;
    printf("\"--%s%s\"\n", o->name, o->metavar != NULL ? "=" : "\\x0a");
    if (o->metavar != NULL) printf("\"--%s\\x0a\"\n", o->name);
    for (const gv_choice *c = o->choices; c != NULL && c->name != NULL; c++)
      printf("\"%s\\x0a\"\n", c->name);
  }
}

static void print_members(const cli_syntax *syntax) {
  puts("\"\\\"outputs\\\":{\"\n\"true\"\n\"null\"\n\"[\\\"\"\n\"\\\",\\\"\"");
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    if (o->kind == GV_OPTION_HEADING) continue;
    printf("\"\\\"%s\\\":\"\n", o->name);
    for (const gv_choice *c = o->choices; c != NULL && c->name != NULL; c++)
      printf("\"\\\"%s\\\"\"\n", c->name);
  }
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    print_members(&voronoi_syntax);
    return 0;
  }
  print_syntax(&voronoi_syntax);
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    print_syntax(one->syntax);
  return 0;
}
