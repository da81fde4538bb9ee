/* A command's manual page, in the man macros of groff and mandoc. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/manual/manual.h"
#include "gpuvoronoi.h"

/* Text as it is: nothing in it means anything to roff. */
static void put(const char *text, size_t length) {
  bool begins = true;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (begins && (c == '.' || c == '\'')) fputs("\\&", stdout);
    begins = c == '\n';
    if (c == '\\') {
      fputs("\\e", stdout);
    } else if (c == '-') {
      fputs("\\-", stdout);
    } else if (c == '\'') {
      fputs("\\(aq", stdout);
    } else if (c == '`') {
      fputs("\\(ga", stdout);
    } else if (c == '^') {
      fputs("\\(ha", stdout);
    } else if (c == '~') {
      fputs("\\(ti", stdout);
    } else {
      putchar(c);
    }
  }
}

static void put_all(const char *text) {
  put(text, strlen(text));
}

static void put_as_it_stands(const char *text, size_t length) {
  puts(".nf");
  put(text, length);
  if (length > 0 && text[length - 1] != '\n') putchar('\n');
  puts(".fi");
}

/* Paragraphs of a usage text: those that begin with a blank are tables. */
static void put_description(const char *text) {
  bool first = true;
  while (*text != '\0') {
    while (*text == '\n')
      text++;
    const char *end = strstr(text, "\n\n");
    size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
    if (length == 0) break;
    if (!first) puts(".PP");
    first = false;
    if (text[0] == ' ') {
      put_as_it_stands(text, length);
    } else {
      put(text, length);
      if (text[length - 1] != '\n') putchar('\n');
    }
    text += length;
  }
}

static void put_option(const gv_option *o) {
  puts(".TP");
  fputs("\\fB", stdout);
  put_all(manual_dashes(o));
  put_all(o->name);
  fputs("\\fR", stdout);
  if (o->metavar != NULL) {
    fputs(" \\fI", stdout);
    put_all(o->metavar);
    fputs("\\fR", stdout);
  }
  putchar('\n');
  char text[2048];
  snprintf(text, sizeof text, "%s", o->help);
  cli_add_help(o, text, sizeof text);
  put_all(text);
  putchar('\n');
}

static void see(const char *name, const char *summary, const cli_syntax *syntax) {
  char page[MANUAL_PAGE_NAME];
  (void)summary, (void)syntax;
  manual_page_name(name, page);
  fputs("\\fB", stdout);
  put_all(page);
  puts("\\fR(1),");
}

void manual_page(const char *name, const char *summary, const cli_syntax *syntax) {
  char title[MANUAL_PAGE_NAME];
  manual_page_name(name, title);
  fputs(".\\\" Made from the command's table of options.\n.TH \"", stdout);
  for (const char *c = title; *c != '\0'; c++)
    putchar(toupper((unsigned char)*c));
  printf("\" 1 \"\" \"gpuvoronoi %s\" \"User commands\"\n.SH NAME\n", gv_version());
  put_all(title);
  fputs(" \\- ", stdout);
  put_all(summary);
  puts("\n.SH SYNOPSIS");
  const char *usage = syntax->usage, *rest = strstr(usage, "\n\n");
  size_t length = rest != NULL ? (size_t)(rest - usage) : strlen(usage);
  const char *prefix = "Usage: ";
  if (strncmp(usage, prefix, strlen(prefix)) == 0) {
    usage += strlen(prefix);
    length -= strlen(prefix);
  }
  puts(".nf");
  for (const char *end = usage + length; usage < end;) { /* lines, without what lines them up below "Usage: " */
    while (usage < end && *usage == ' ')
      usage++;
    const char *line = memchr(usage, '\n', (size_t)(end - usage));
    size_t size = line != NULL ? (size_t)(line - usage) : (size_t)(end - usage);
    put(usage, size);
    putchar('\n');
    usage += size + 1;
  }
  puts(".fi");
  if (rest != NULL && rest[strspn(rest, "\n")] != '\0') {
    puts(".SH DESCRIPTION");
    put_description(rest);
  }
  puts(".SH OPTIONS");
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    if (o->kind == GV_OPTION_HEADING) {
      fputs(".SS ", stdout);
      put_all(o->name);
      putchar('\n');
    } else {
      put_option(o);
    }
  }
  if (syntax->examples != NULL) {
    puts(".SH EXAMPLES");
    put_as_it_stands(syntax->examples, strlen(syntax->examples));
  }
  puts(".SH EXIT STATUS\n0 when all is done, 1 for an error, 2 for wrong usage, 130 or 143 when interrupted. An "
       "error is one line on "
       "the standard error.");
  puts(".SH SEE ALSO");
  manual_each(see);
  puts("\\fBgdalinfo\\fR(1), \\fBogrinfo\\fR(1)");
}
