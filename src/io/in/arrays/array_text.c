/* Arrays of text: lines of numbers, below a header or not, of which some columns are coordinates. Gain:
 * GDAL's CSV driver takes 5.9 times the time to read 1,000,000 rows of three numbers (and has no rows of
 * blanks, comments or files without a header). */
#include "io/in/arrays/array_reader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/in/separator.h"
#include "io/in/whole_file.h"

/* -------------------------------------------------------------------------------------------------- lines */

/* The next line that is neither empty nor a comment; false at the end or after a read error (check_end). */
static bool next_line(gv_array_reader *reader) {
  for (;;) {
    errno = 0;
    ssize_t length = getline(&reader->line, &reader->line_capacity, reader->file);
    if (length < 0) return false;
    reader->line_number++;
    while (length > 0 && isspace((unsigned char)reader->line[length - 1]))
      reader->line[--length] = '\0';
    if (strlen(reader->line) != (size_t)length) reader->line[0] = '\1'; /* a NUL byte: not a number */
    const char *at = reader->line;
    if (reader->line_number == 1 && strncmp(at, "\xef\xbb\xbf", 3) == 0) {
      memmove(reader->line, reader->line + 3, (size_t)length - 2);
    }
    while (isspace((unsigned char)*at))
      at++;
    if (*at != '\0' && *at != '#') return true;
  }
}

/* Called after the last line: whether the file was read to its end. */
static gv_status check_end(gv_io *io, const gv_array_reader *reader) {
  if (errno == ENOMEM) return gv_io_fail_memory(io, "a line of text");
  if (!ferror(reader->file)) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "%s: cannot read: %s", reader->path, strerror(errno));
}

static gv_status fail_empty(gv_io *io, const gv_array_reader *reader) {
  GV_TRY(check_end(io, reader));
  return gv_array_fail_file(io, reader, "missing numbers");
}

/* ------------------------------------------------------------------------------------------------- fields */

/* Behind the blanks that mean nothing there. */
static const char *skip_blanks(const char *at, char separator) {
  while (*at == ' ' || (*at == '\t' && separator != '\t'))
    at++;
  return at;
}

/* What separates the field at `at` from the next, or the line's end; *length is that of its content, from
 * *content on. */
static const char *find_end(const char *at, char separator, const char **content, size_t *length) {
  const char ends[] = {separator, separator == ' ' ? '\t' : '\0', '\0'};
  at = skip_blanks(at, separator);
  if (*at == '"') {
    *content = ++at;
    while (*at != '\0' && (*at != '"' || at[1] == '"'))
      at += *at == '"' ? 2 : 1;
    *length = (size_t)(at - *content);
    return at + strcspn(at, ends);
  }
  *content = at;
  *length = strcspn(at, ends);
  at += *length;
  while (*length > 0 && isspace((unsigned char)(*content)[*length - 1]))
    --*length;
  return at;
}

/* From the end of a field to the next one; NULL: there is none. */
static const char *next_field(const char *at, char separator) {
  if (separator == ' ') at = skip_blanks(at, separator);
  if (*at == '\0') return NULL;
  return separator == ' ' ? at : at + 1;
}

/* The number at `at`, up to the field's end, which is returned; NULL: there is none. */
static const char *parse_number(const char *at, char separator, double *out) {
  const char *start = skip_blanks(at, separator);
  bool quoted = *start == '"';
  start += quoted;
  char *end;
  *out = strtod(start, &end);
  if (end == start || isspace((unsigned char)*start)) return NULL;
  if (quoted && *end++ != '"') return NULL;
  const char *next = skip_blanks(end, separator);
  if (separator == ' ' && next > end) return end;
  return *next == '\0' || (separator != ' ' && *next == separator) ? next : NULL;
}

/* Between semicolons a comma can only be a decimal one. */
static void take_decimal_commas(gv_array_reader *reader) {
  if (reader->separator != ';') return;
  for (char *c = reader->line; *c != '\0'; c++)
    if (*c == ',') *c = '.';
}

static int64_t count_fields(const char *line, char separator) {
  int64_t count = 0;
  size_t length;
  for (const char *at = skip_blanks(line, separator), *content; at != NULL; count++)
    at = next_field(find_end(at, separator, &content, &length), separator);
  return count;
}

/* Whether all fields are numbers. */
static bool has_numbers_only(const char *line, char separator) {
  double value;
  for (const char *at = skip_blanks(line, separator); at != NULL; at = next_field(at, separator))
    if ((at = parse_number(at, separator, &value)) == NULL) return false;
  return true;
}

/* Whether the line is i, i + 1, ...: pandas' header of columns without names, and rarely a point. Two numbers
 * only from 0. */
static bool counts_up(const char *line, char separator) {
  double first = 0.0, value = 0.0;
  int count = 0;
  for (const char *at = skip_blanks(line, separator); at != NULL; at = next_field(at, separator), count++) {
    at = parse_number(at, separator, &value);
    if (at == NULL || value != (count == 0 ? rint(value) : first + count)) return false;
    if (count == 0) first = value;
  }
  return count > 2 || (count == 2 && first == 0.0);
}

/* ------------------------------------------------------------------------------------------------ columns */

typedef struct column_name {
  const char *text;
  size_t length;
} column_name;

/* The header of a column, which has `shift` fields less than the lines: R leaves out that of row names. */
static column_name find_name(const gv_array_reader *reader, int64_t column, int64_t shift) {
  column_name name = {"", 0};
  const char *at = reader->header;
  for (int64_t c = shift; at != NULL && c <= column; c++) {
    at = find_end(at, reader->separator, &name.text, &name.length);
    at = next_field(at, reader->separator);
  }
  return column < shift ? (column_name){"", 0} : name;
}

static bool is_named(column_name name, const char *wanted, size_t length) {
  return name.length == length && strncasecmp(name.text, wanted, length) == 0;
}

/* Names of columns with row numbers. */
static bool is_id(column_name name) {
  static const char *const ids[] = {"", "id", "fid", "ogc_fid", "gid", "objectid", "index"};
  static const char unnamed[] = "Unnamed:"; /* pandas, of a header without a name */
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
    if (is_named(name, ids[i], strlen(ids[i]))) return true;
  return name.length > sizeof unnamed - 1 && strncmp(name.text, unnamed, sizeof unnamed - 1) == 0;
}

/* All columns but ids. */
static void leave_out_ids(gv_array_reader *reader, int64_t shift) {
  char list[256] = "";
  int left_out = 0;
  for (int64_t c = 0; c < reader->columns; c++) {
    column_name name = find_name(reader, c, shift);
    reader->place[c] = -1;
    if (reader->header == NULL || !is_id(name)) {
      reader->place[c] = reader->dim++;
      continue;
    }
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%.*s", left_out++ > 0 ? ", " : "",
             name.length > 0 ? (int)name.length : 10, name.length > 0 ? name.text : "(no name)");
  }
  if (left_out == 0 || reader->dim == 0) return;
  gv_io_warn(GV_CODE_COLUMNS_LEFT_OUT, left_out,
             "%s: columns %s are taken as ids, not as coordinates; choose columns with %s", reader->path,
             list, reader->options.columns_option);
}

/* Those that were chosen, by names or by numbers from 1. */
static gv_status choose_columns(gv_io *io, gv_array_reader *reader, int64_t shift) {
  const char *option = reader->options.columns_option, *at = reader->options.columns;
  for (int64_t c = 0; c < reader->columns; c++)
    reader->place[c] = -1;
  for (;; at++) {
    size_t length = strcspn(at, ",");
    int64_t found = -1;
    char *end = NULL;
    for (int64_t c = 0; c < reader->columns && found < 0 && reader->header != NULL; c++)
      if (is_named(find_name(reader, c, shift), at, length)) found = c;
    long long number = found < 0 ? strtoll(at, &end, 10) : 0;
    if (found < 0 && end == at + length && length > 0 && number >= 1 && number <= reader->columns)
      found = number - 1;
    GV_REQUIRE(io, found >= 0, "%s: %s: unknown column (%.*s); it has %" PRId64 "%s%.200s", option,
               reader->path, (int)length, at, reader->columns, reader->header != NULL ? ": " : "",
               reader->header != NULL ? reader->header : "");
    GV_REQUIRE(io, reader->place[found] < 0, "%s: column '%.*s' is given twice", option, (int)length, at);
    reader->place[found] = reader->dim++;
    at += length;
    if (*at == '\0') return GV_OK;
  }
}

static gv_status find_columns(gv_io *io, gv_array_reader *reader) {
  int64_t named = reader->header != NULL ? count_fields(reader->header, reader->separator) : 0;
  reader->columns = count_fields(reader->line, reader->separator);
  GV_TRY(gv_array_check_dim(io, reader, reader->columns));
  int64_t shift = reader->columns - named;
  if (reader->header != NULL && shift != 0 && shift != 1) { /* a line of text */
    free(reader->header);
    reader->header = NULL;
  }
  reader->place = malloc((size_t)reader->columns * sizeof *reader->place);
  if (reader->place == NULL) return gv_io_fail_memory(io, "reading an array");
  if (reader->options.columns != NULL) return choose_columns(io, reader, shift);
  leave_out_ids(reader, shift);
  return reader->dim > 0 ? GV_OK
                         : gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                                      "%s: missing coordinates; all columns are ids; choose columns with %s",
                                      reader->path, reader->options.columns_option);
}

/* ------------------------------------------------------------------------------------------------ reading */

/* Fails with a field that is not a number, and the header of its column if it has one. */
static gv_status fail_field(gv_io *io, const gv_array_reader *reader, const char *at, int64_t field) {
  enum { SHOWN = 60 };
  const char end[] = {reader->separator, '\0'};
  column_name name = {"", 0};
  if (reader->header != NULL)
    name = find_name(reader, field, reader->columns - count_fields(reader->header, reader->separator));
  int length = (int)strcspn(at, end), named = (int)name.length;
  if (length > SHOWN) length = SHOWN;
  if (named > SHOWN) named = SHOWN;
  const char *option = named > 0 ? reader->options.columns_option : NULL;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: line %" PRId64 ": field %" PRId64 " is not a number: '%.*s'%s%.*s%s%s%s",
                    reader->path, reader->line_number, field + 1, length, at, named > 0 ? " (column " : "",
                    named, name.text, named > 0 ? ")" : "", option != NULL ? "; choose columns with " : "",
                    option != NULL ? option : "");
}

static gv_status read_line(gv_io *io, const gv_array_reader *reader, double *out) {
  const char *at = skip_blanks(reader->line, reader->separator), *end, *content;
  size_t length;
  for (int64_t c = 0; c < reader->columns; c++) {
    double *to = reader->place[c] >= 0 ? &out[reader->place[c]] : NULL;
    end = to != NULL ? parse_number(at, reader->separator, to)
                     : find_end(at, reader->separator, &content, &length);
    if (end == NULL) return fail_field(io, reader, at, c);
    GV_REQUIRE(io, to == NULL || isfinite(*to), "%s: line %" PRId64 ": field %" PRId64 " is not finite",
               reader->path, reader->line_number, c + 1);
    at = next_field(end, reader->separator);
    if ((at == NULL) == (c + 1 == reader->columns)) continue;
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: line %" PRId64 " has %s than the %" PRId64 " fields of the first", reader->path,
                      reader->line_number, at != NULL ? "more" : "fewer", reader->columns);
  }
  return GV_OK;
}

gv_status gv_array_read_text(gv_io *io, gv_array_reader *reader, int64_t rows, double *out, int64_t *got) {
  for (*got = 0; *got < rows;) {
    bool waiting = reader->line_waiting;
    if (!waiting && !next_line(reader)) return check_end(io, reader);
    if (!waiting) take_decimal_commas(reader);
    reader->line_waiting = false;
    gv_status status = read_line(io, reader, &out[*got * reader->dim]);
    if (status == GV_OK) {
      ++*got;
    } else if (!gv_array_leave_out(io, reader, status)) {
      return status;
    }
  }
  return GV_OK;
}

bool gv_array_skip_line(gv_io *io, gv_array_reader *reader, gv_status *status) {
  *status = GV_OK;
  if (!reader->line_waiting && !next_line(reader)) {
    *status = check_end(io, reader);
    return false;
  }
  reader->line_waiting = false;
  return true;
}

/* ------------------------------------------------------------------------------------------------ opening */

static gv_status array_text_read_header(gv_io *io, gv_array_reader *reader) {
  gv_header header = reader->options.header;
  bool numbers = has_numbers_only(reader->line, reader->separator);
  if (header == GV_HEADER_AUTO && numbers && counts_up(reader->line, reader->separator)) {
    gv_io_warn(GV_CODE_HEADER_OF_NUMBERS, 0,
               "%s: the first line (%.100s) is read as a point; use --header yes if it is a header",
               reader->path, reader->line);
  }
  if (header == GV_HEADER_NO || (header == GV_HEADER_AUTO && numbers)) {
    take_decimal_commas(reader);
    return GV_OK;
  }
  reader->header = strdup(reader->line);
  if (reader->header == NULL) return gv_io_fail_memory(io, "reading an array");
  if (!next_line(reader)) return fail_empty(io, reader);
  take_decimal_commas(reader);
  return GV_OK;
}

gv_status gv_array_open_text(gv_io *io, gv_array_reader *reader) {
  reader->type = 'f';
  reader->bytes = 8;
  reader->count = -1;
  GV_TRY(gv_text_file_open(io, reader->path, &reader->file, &reader->memory));
  if (!next_line(reader)) return fail_empty(io, reader);
  reader->separator = gv_separator_of(reader->line);
  GV_REQUIRE(io, reader->separator != '\0',
             "%s: line %" PRId64
             ": ambiguous separator (comma, semicolon, tab and | occur); add a header like "
             "x;y, also for numbers with decimal commas",
             reader->path, reader->line_number);
  gv_status status = array_text_read_header(io, reader);
  if (status == GV_OK) status = find_columns(io, reader);
  reader->line_waiting = true;
  if (status != GV_OK || reader->header == NULL || reader->options.skip_invalid) return status;
  const char *at = skip_blanks(reader->line, reader->separator);
  for (int64_t c = 0; c < reader->columns; c++) { /* below a header there are numbers */
    const char *content;
    double value;
    size_t length;
    const char *end = reader->place[c] >= 0 ? parse_number(at, reader->separator, &value)
                                            : find_end(at, reader->separator, &content, &length);
    if (end == NULL) return fail_field(io, reader, at, c);
    at = next_field(end, reader->separator);
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------- tables */

static bool names_any(column_name name, const char *const *names) {
  while (*names != NULL && !is_named(name, *names, strlen(*names)))
    names++;
  return *names != NULL;
}

gv_status gv_array_is_layer(gv_io *io, const char *path, bool *is) {
  static const char *const longitudes[] = {"lon", "lng", "long", "longitude", NULL};
  static const char *const latitudes[] = {"lat", "latitude", NULL};
  static const char *const geometries[] = {"WKT", "_WKT", NULL};
  gv_array_reader reader = {.path = (char *)path};
  bool lon = false, lat = false, shapes = false;
  *is = false;
  GV_TRY(gv_text_file_open(io, path, &reader.file, &reader.memory));
  gv_status status = GV_OK;
  if (next_line(&reader)) {
    char separator = gv_separator_of(reader.line);
    column_name name;
    for (const char *at = skip_blanks(reader.line, separator); at != NULL; at = next_field(at, separator)) {
      at = find_end(at, separator, &name.text, &name.length);
      lon |= names_any(name, longitudes);
      lat |= names_any(name, latitudes);
      shapes |= names_any(name, geometries);
    }
  } else {
    status = check_end(io, &reader);
  }
  fclose(reader.file);
  free(reader.memory);
  free(reader.line);
  *is = (lon && lat) || shapes;
  return status;
}
