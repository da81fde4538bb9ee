/* manual list | page PAGE | bash | zsh | schema, on the standard output. */
#include <stdio.h>
#include <string.h>

#include "cli/manual/manual.h"

static const char *wanted;

static void list(const char *name, const char *summary, const cli_syntax *syntax) {
  char page[MANUAL_PAGE_NAME];
  (void)summary, (void)syntax;
  manual_page_name(name, page);
  printf("%s\n", page);
}

static void show(const char *name, const char *summary, const cli_syntax *syntax) {
  char page[MANUAL_PAGE_NAME];
  manual_page_name(name, page);
  if (strcmp(page, wanted) == 0) manual_page(name, summary, syntax);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "list") == 0) {
    manual_each(list);
  } else if (strcmp(what, "page") == 0 && argc == 3) {
    wanted = argv[2];
    manual_each(show);
  } else if (strcmp(what, "bash") == 0) {
    manual_bash();
  } else if (strcmp(what, "zsh") == 0) {
    manual_zsh();
  } else if (strcmp(what, "schema") == 0) {
    manual_schema();
  } else {
    fprintf(stderr, "usage: %s list | page PAGE | bash | zsh | schema\n", argv[0]);
    return 2;
  }
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
