/*
 * Options are matched exactly, not by prefix: a script must not change its meaning when an option is added.
 */
#include "cli/options.h"

#include <ctype.h>
#include <string.h>

#include "cli/backend_limits.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/suggest.h"
#include "io/source_name.h"

/* ---------------------------------------------------------------------------------------------- arguments */

static bool is_option(const cli_syntax *syntax, const char *argument) {
  if (argument[0] != '-' || argument[1] == '\0') return false;
  return !syntax->negative_numbers || !(isdigit((unsigned char)argument[1]) || argument[1] == '.');
}

/* Handles --help and --version, with any other arguments. */
static int options_print_help(const cli_syntax *syntax, const gv_option *o) {
  if (o->kind != GV_OPTION_VERSION) {
    (void)setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* one write, so that cli_end_output can report its error */
    cli_print_help(syntax, o->kind == GV_OPTION_HELP_ALL, stdout);
  } else {
    cli_print_version();
  }
  int status = cli_end_output(EXIT_OK);
  return status == EXIT_OK ? CLI_DONE : status;
}

/* The error of an unknown option; `length` of its name, without a value. */
static int options_unknown(const cli_syntax *syntax, const char *argument, const char *name, size_t length) {
  const gv_option *closest = NULL;
  int least = GV_SUGGEST_FAR;
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    if (o->kind != GV_OPTION_HEADING && cli_is_closer(name, length, o->name, &least)) closest = o;
  }
  int shown = (int)(length + (size_t)(name - argument));
  if (closest != NULL)
    return cli_fail(EXIT_USAGE, "unknown option %.*s; did you mean --%s?", shown, argument, closest->name);
  bool main_job = syntax == &voronoi_syntax;
  return cli_fail(EXIT_USAGE, "unknown option %.*s; gpuvoronoi %s%s--help-all lists all options", shown,
                  argument, main_job ? "" : syntax->name, main_job ? "" : " ");
}

int cli_second_output(const char *first, const char *second, const char *input) {
  return cli_fail(EXIT_USAGE, "output: given twice ('%s' and '%s'); use one; %s names the input", first,
                  second, input);
}

int cli_read(const cli_syntax *syntax, int argc, char **argv, cli_take_fn *take, void *user) {
  bool only_positional = false;
  for (int at = 0; at < argc;) {
    char *argument = argv[at++];
    int status;
    if (!only_positional && strcmp(argument, "--") == 0) {
      only_positional = true;
      continue;
    }
    if (only_positional || !is_option(syntax, argument)) {
      gv_text_remember(argument);
      status = take(user, NULL, argument);
      if (status != EXIT_OK) return status;
      continue;
    }
    /* GDAL's options have one dash ("-co X=Y", "-of COG"); both forms are accepted. */
    char *name = argument + (argument[1] == '-' ? 2 : 1), *value = NULL;
    size_t length = strcspn(name, "=");
    const gv_option *o = gv_option_find(syntax->options, syntax->count, name, length);
    if (o == NULL) return options_unknown(syntax, argument, name, length);
    if (name[length] == '=') value = name + length + 1;
    if (o->metavar == NULL && value != NULL)
      return cli_fail(EXIT_USAGE, "%s%s: unexpected value", gv_option_dashes(o), o->name);
    if (o->metavar != NULL && value == NULL) {
      if (at >= argc) return cli_fail(EXIT_USAGE, "%s%s: missing value", gv_option_dashes(o), o->name);
      value = argv[at++];
    }
    if (value != NULL) gv_option_remember(o, value);
    bool prints_help =
        o->kind == GV_OPTION_HELP || o->kind == GV_OPTION_HELP_ALL || o->kind == GV_OPTION_VERSION;
    status = prints_help ? options_print_help(syntax, o) : take(user, o, value);
    if (status != EXIT_OK) return status;
  }
  return EXIT_OK;
}

int cli_wrong(gv_status status, const gv_io *io) {
  if (status == GV_OK) return EXIT_OK;
  if (status == GV_ERROR_OUT_OF_MEMORY) return cli_fail_as(io->code, EXIT_ERROR, io->message);
  return cli_fail_as(GV_CODE_USAGE, EXIT_USAGE, io->message);
}

/* State of cli_parse. */
typedef struct options_filling {
  const cli_syntax *syntax;
  void *settings;
} options_filling;

static int options_fill(void *user, const gv_option *o, char *value) {
  const options_filling *f = user;
  gv_io io = {.cancelled = NULL};
  if (o != NULL) return cli_wrong(gv_option_set(&io, o, f->settings, value), &io);
  if (f->syntax->positional != NULL) return f->syntax->positional(f->settings, value);
  return cli_fail(EXIT_USAGE, "%s: unexpected argument (%s)", f->syntax->name, value);
}

int cli_parse(const cli_syntax *syntax, void *settings, int argc, char **argv) {
  options_filling f = {syntax, settings};
  return cli_read(syntax, argc, argv, options_fill, &f);
}

/* ------------------------------------------------------------------------------------------------- --help */

enum { HELP_COLUMN = 24, HELP_WIDTH = 110 };

/* Prints the text from column `column`, where the line is already, broken between words. */
static void print_wrapped(const char *text, int column, FILE *out) {
  int at = column;
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");
    if (at > column && at + 1 + length > HELP_WIDTH) {
      fprintf(out, "\n%*s", column, "");
      at = column;
    }
    if (at > column) at += fprintf(out, " ");
    at += fprintf(out, "%.*s", length, text);
    text += length;
    text += strspn(text, " ");
  }
  fprintf(out, "\n");
}

/* Adds the library's limits to an option's help. */
static void add_limits(const gv_option *o, char *text, size_t size) {
  if (o->more == GV_MORE_LIMITS_OF_GRIDS) cli_add_limits_of_grids(text, size);
  if (o->more == GV_MORE_LIMITS_OF_POINTS) cli_add_limits_of_points(text, size);
}

static void print_option(const gv_option *o, bool all, FILE *out) {
  char text[2048];
  int length = fprintf(out, "  %s%s", o->name[1] == '\0' ? "-" : "--", o->name);
  if (o->metavar != NULL) length += fprintf(out, " %s", o->metavar);
  if (length >= HELP_COLUMN) {
    fprintf(out, "\n");
    length = 0;
  }
  fprintf(out, "%*s", HELP_COLUMN - length, "");
  gv_option_describe(o, all, text, sizeof text);
  if (all) add_limits(o, text, sizeof text);
  print_wrapped(text, HELP_COLUMN, out);
}

void cli_print_help(const cli_syntax *syntax, bool all, FILE *out) {
  bool complete = all || syntax->details == NULL;
  fputs(syntax->usage, out);
  if (all && syntax->details != NULL) fprintf(out, "\n%s", syntax->details);
  fputs("\n", out);
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    complete = complete && !o->rare && strchr(o->help != NULL ? o->help : "", '\n') == NULL;
    if (o->kind == GV_OPTION_HEADING) {
      fprintf(out, "%s%s\n", i > 0 ? "\n" : "", o->name);
    } else if (all || !o->rare) {
      print_option(o, all, out);
    }
  }
  if (syntax->examples != NULL) fprintf(out, "\nExamples\n%s", syntax->examples);
  if (!all && !complete) fprintf(out, "\nAll options, with details: --help-all\n");
}
