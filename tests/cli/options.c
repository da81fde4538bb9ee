/* The tables of options against --help, --help-all and the parser. */
#include "cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"

static void for_each(void (*check)(const cli_syntax *)) {
  check(&voronoi_syntax);
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    check(one->syntax);
}

static char *help_of(const cli_syntax *syntax, bool all) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  cli_print_help(syntax, all, out);
  assert_int_equal(fclose(out), 0);
  return text;
}

/* The lines of help that begin with an option are the rows of the table in their order; rare rows only in
 * --help-all. Each line has the name and the metavar. */
static void check_help_of(const cli_syntax *syntax, bool all) {
  char *text = help_of(syntax, all), *rest = text;
  size_t row = 0;
  for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
    assert_true(strlen(line) <= 110);
    if (strncmp(line, "  -", 3) != 0) continue;
    while (row < syntax->count &&
           (syntax->options[row].kind == GV_OPTION_HEADING || (!all && syntax->options[row].rare)))
      row++;
    assert_true(row < syntax->count);
    const gv_option *o = &syntax->options[row++];
    char expected[200];
    int length = snprintf(expected, sizeof expected, "  %s%s%s%s", strlen(o->name) == 1 ? "-" : "--", o->name,
                          o->metavar != NULL ? " " : "", o->metavar != NULL ? o->metavar : "");
    if (strncmp(line, expected, (size_t)length) != 0 || strspn(line + length, " ") < (length < 24 ? 1 : 0)) {
      fail_msg("%s: '%s' is not the line of '%s'", syntax->name, line, expected);
    }
  }
  if (row != syntax->count) fail_msg("%s: --%s is not in the help", syntax->name, syntax->options[row].name);
  free(text);
}

static void check_help(const cli_syntax *syntax) {
  check_help_of(syntax, true);
  check_help_of(syntax, false);
  assert_non_null(gv_option_find(syntax->options, syntax->count, "help", 4));
  assert_non_null(gv_option_find(syntax->options, syntax->count, "help-all", 8));
}

/* --help has one line of text for an option and at most 100 lines. It names --help-all if that has more. */
static void check_short_help(const cli_syntax *syntax) {
  char *text = help_of(syntax, false), *whole = help_of(syntax, true), *rest = text, *last = text;
  bool more = strlen(whole) > strlen(text), names_it = strstr(text, "with details: --help-all") != NULL;
  int lines = 0;
  for (char *line; (line = strsep(&rest, "\n")) != NULL && (*line != '\0' || rest != NULL); last = line)
    lines++;
  assert_true(*last != '\0');
  if (lines > 100) fail_msg("%s --help has %d lines", syntax->name, lines);
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    if (o->kind == GV_OPTION_HEADING || o->rare) continue;
    int first = (int)strcspn(o->help, "\n");
    if (first > 110 - 24)
      fail_msg("%s: --%s has more than a line of --help (%d)", syntax->name, o->name, first);
  }
  if (more != names_it) fail_msg("%s --help: invalid reference to --help-all", syntax->name);
  free(text);
  free(whole);
}

/* Each row is complete, and no name is there twice. */
static void check_rows(const cli_syntax *syntax) {
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    assert_non_null(o->name);
    if (o->kind == GV_OPTION_HEADING) continue;
    bool takes_value = o->kind != GV_OPTION_FLAG && o->kind != GV_OPTION_HELP &&
                       o->kind != GV_OPTION_HELP_ALL && o->kind != GV_OPTION_VERSION;
    if ((o->metavar != NULL) != takes_value) fail_msg("%s: --%s and its value", syntax->name, o->name);
    if (o->help == NULL || *o->help == '\0') fail_msg("%s: --%s without help", syntax->name, o->name);
    if (o->low > o->high) fail_msg("%s: --%s without a range", syntax->name, o->name);
    if ((o->kind == GV_OPTION_CHOICE) != (o->choices != NULL))
      fail_msg("%s: --%s and its choices", syntax->name, o->name);
    if ((o->kind == GV_OPTION_SET) != (o->set != NULL))
      fail_msg("%s: --%s and its setter", syntax->name, o->name);
    for (size_t k = 0; k < i; k++)
      if (strcmp(syntax->options[k].name, o->name) == 0) fail_msg("%s: --%s twice", syntax->name, o->name);
  }
}

/* Choices that --help names are those that there are. */
static void check_choices(const cli_syntax *syntax) {
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    for (const gv_choice *c = o->choices; c != NULL && c->name != NULL; c++)
      if (strstr(o->help, c->name) == NULL)
        fail_msg("%s: --%s %s is missing in the help", syntax->name, o->name, c->name);
  }
}

static void help_lists_the_table(void **state) {
  (void)state;
  for_each(check_help);
}

static void help_is_short(void **state) {
  (void)state;
  for_each(check_short_help);
}

/* The help of an option: its first line, then its details. */
static void details_follow_the_first_line(void **state) {
  (void)state;
  static const gv_option with = {"a", "A", "one [default: 1]\nTwo. Three.", .kind = GV_OPTION_TEXT};
  static const gv_option without = {"b", "B", "one", .kind = GV_OPTION_TEXT};
  char text[64];
  gv_option_describe(&with, false, text, sizeof text);
  assert_string_equal(text, "one [default: 1]");
  gv_option_describe(&with, true, text, sizeof text);
  assert_string_equal(text, "one [default: 1]. Two. Three.");
  gv_option_describe(&without, true, text, sizeof text);
  assert_string_equal(text, "one");
  gv_option_describe(&with, true, text, 8);
  assert_string_equal(text, "one [de");
}

static void rows_are_complete(void **state) {
  (void)state;
  for_each(check_rows);
}

static void help_names_choices(void **state) {
  (void)state;
  for_each(check_choices);
}

/* ------------------------------------------------------------------------------------- the kinds of value */

typedef struct settings {
  bool flag, given;
  const char *text, *last;
  int whole, choice;
  int64_t large;
  double real;
  char **list;
} settings;

static gv_status set_last(gv_io *io, void *to, const char *value) {
  (void)io;
  ((settings *)to)->last = value;
  return GV_OK;
}

static int take_argument(void *to, char *value) {
  ((settings *)to)->last = value;
  return EXIT_OK;
}

static const gv_choice choices[] = {{"one", 1}, {"two", 2}, {NULL, 0}};

static const gv_option table[] = {
    GV_OPTION_SECTION("All of them"),
    {"flag", NULL, "a flag", GV_OPTION_INTO(flag)},
    {"text", "TEXT", "a text", GV_OPTION_INTO(text)},
    {"whole", "N", "a number", GV_OPTION_RANGE(whole, -2, 9), GV_OPTION_AND(given)},
    {"large", "N", "any number", GV_OPTION_INTO(large)},
    {"real", "X", "a real number", GV_OPTION_RANGE(real, 0.0, 1.0)},
    {"choice", "NAME", "one or two", GV_OPTION_ONE_OF(choice, choices)},
    {"s", "X", "a setter", GV_OPTION_BY(set_last)},
    GV_OPTION_HELP_ROWS,
};

static const cli_syntax syntax = {.name = "test", .usage = "", CLI_ROWS(table), .positional = take_argument};

static int parse(settings *s, const char *first, const char *second) {
  char a[100], b[100], *arguments[] = {a, b, NULL};
  snprintf(a, sizeof a, "%s", first);
  snprintf(b, sizeof b, "%s", second != NULL ? second : "");
  return cli_parse(&syntax, s, second != NULL ? 2 : 1, arguments);
}

static void values_go_where_they_belong(void **state) {
  (void)state;
  settings s = {.real = 0.0};
  assert_int_equal(parse(&s, "--flag", NULL), EXIT_OK);
  assert_true(s.flag && !s.given);
  assert_int_equal(parse(&s, "-whole", "-2"), EXIT_OK);
  assert_true(s.whole == -2 && s.given);
  assert_int_equal(parse(&s, "--large=-9223372036854775808", NULL), EXIT_OK);
  assert_true(s.large == INT64_MIN);
  assert_int_equal(parse(&s, "--real", "0.5"), EXIT_OK);
  assert_true(s.real == 0.5);
  assert_int_equal(parse(&s, "--choice=two", NULL), EXIT_OK);
  assert_int_equal(s.choice, 2);
  assert_int_equal(parse(&s, "-s", "x"), EXIT_OK);
  assert_non_null(s.last);
  s.last = NULL;
  assert_int_equal(parse(&s, "--", "--flag"), EXIT_OK);
  assert_non_null(s.last);
}

static void wrong_ones_are_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {{"--flag=1", NULL},
                                         {"--text", NULL},
                                         {"--whole", "10"},
                                         {"--whole", "-3"},
                                         {"--whole", "1.5"},
                                         {"--large", "1e3"},
                                         {"--real", "-0.1"},
                                         {"--real", "nan"},
                                         {"--real", "1.5"},
                                         {"--choice", "three"},
                                         {"--choice", ""},
                                         {"--fla", NULL},
                                         {"--large", "9223372036854775808"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    settings s = {.real = 0.0};
    assert_int_equal(parse(&s, wrong[i][0], wrong[i][1]), EXIT_USAGE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_lists_the_table),
      cmocka_unit_test(rows_are_complete),
      cmocka_unit_test(help_names_choices),
      cmocka_unit_test(help_is_short),
      cmocka_unit_test(details_follow_the_first_line),
      cmocka_unit_test(values_go_where_they_belong),
      cmocka_unit_test(wrong_ones_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
