#include "job/description/description.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/grow.h"
#include "io/in/json.h"
#include "io/json_writer.h"
#include "io/path.h"
#include "io/source_name.h"
#include "io/text.h"

static const char OUTPUTS[] = "outputs", SCHEMA[] = "$schema", HIDDEN[] = "***";

/* -------------------------------------------------------------------------------------------------- lists */

void gv_description_free(gv_description *d) {
  for (int64_t i = 0; i < d->count; i++)
    free(d->list[i].value);
  free(d->list);
  free(d->name);
  *d = (gv_description){0};
}

static gv_status description_no_memory(gv_io *io) {
  return gv_io_fail_memory(io, "a description");
}

static gv_status description_add(gv_io *io, gv_description *d, const gv_option *option, const char *value,
                                 const char *from) {
  char *copy = value != NULL ? strdup(value) : NULL;
  if (value != NULL && copy == NULL) return description_no_memory(io);
  for (int64_t i = 0; i < d->count && !option->several; i++) {
    if (d->list[i].option != option) continue;
    free(d->list[i].value);
    d->list[i] = (gv_given){option, copy, from};
    return GV_OK;
  }
  gv_given *more = d->count < d->room ? d->list : gv_grow(d->list, &d->room, d->count + 1, sizeof *more);
  if (more == NULL) {
    free(copy);
    return description_no_memory(io);
  }
  d->list = more;
  d->list[d->count++] = (gv_given){option, copy, from};
  return GV_OK;
}

gv_status gv_description_add(gv_io *io, gv_description *d, const gv_option *option, const char *value) {
  return description_add(io, d, option, value, NULL);
}

void gv_description_drop(gv_description *d, const gv_option *option) {
  int64_t kept = 0;
  for (int64_t i = 0; i < d->count; i++) {
    if (d->list[i].option == option) {
      free(d->list[i].value);
    } else {
      d->list[kept++] = d->list[i];
    }
  }
  d->count = kept;
}

gv_status gv_description_complete(gv_io *io, gv_description *d, const gv_description *base) {
  int64_t given = d->count;
  for (int64_t i = 0; i < base->count; i++) {
    const gv_given *one = &base->list[i];
    bool replaced = false;
    for (int64_t k = 0; k < given && !replaced; k++) {
      const gv_option *by = d->list[k].option;
      replaced = by == one->option ||
                 (by->alternatives & (one->option->alternatives | one->option->belongs_to)) != 0;
    }
    GV_TRY(replaced ? GV_OK : description_add(io, d, one->option, one->value, one->from));
  }
  return GV_OK;
}

gv_status gv_description_apply(gv_io *io, const gv_description *d, gv_job_settings *settings) {
  for (int64_t i = 0; i < d->count; i++) {
    const gv_given *one = &d->list[i];
    bool may_hide = gv_option_is_source(one->option) || gv_option_is_driver_option(one->option);
    GV_REQUIRE(io, one->from == NULL || !may_hide || strstr(one->value, HIDDEN) == NULL,
               "%s: the password of \"%s\" is left out; use --%s on the command line", one->from,
               one->option->name, one->option->name);
    gv_status status = gv_option_set(io, one->option, settings, one->value);
    if (status == GV_OK) continue;
    if (one->from == NULL) return status;
    return gv_io_within(io, status, "%s", one->from);
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------- names of files */

/* False for what begins at the root, for connection strings ("PG:...", "https://...") and for sources that
 * are text themselves. */
static bool is_relative(const char *name) {
  size_t word = 0;
  while (isalnum((unsigned char)name[word]) || name[word] == '_')
    word++;
  return name[0] != '\0' && strchr("/<{", name[0]) == NULL && strcmp(name, "-") != 0 &&
         (word < 2 || name[word] != ':');
}

/* The value with its file name resolved against `directory`; NULL: out of memory. */
static char *rebase(const gv_option *option, const char *value, const char *named_in, const char *directory) {
  size_t at = 0;
  if (option->names_file && option->several && !gv_sum_file_at(value, named_in, &at)) return NULL;
  if (!option->names_file || !is_relative(value + at)) return strdup(value);
  char *file = gv_path_join(directory, value + at),
       *whole = file != NULL ? malloc(at + strlen(file) + 1) : NULL;
  if (whole != NULL) {
    memcpy(whole, value, at);
    strcpy(whole + at, file);
  }
  free(file);
  return whole;
}

/* The relative path from the directory `from` to the working directory: "." if they are equal, "../.." ... */
static gv_status way_back(gv_io *io, const char *from, char **out) {
  char *here = getcwd(NULL, 0), *there = realpath(from, NULL);
  gv_text way = {0};
  gv_status status = GV_OK;
  if (here == NULL || there == NULL) {
    status = gv_io_fail(io, GV_ERROR_IO, "directory %s: missing", from);
  } else {
    size_t same = 0;
    for (size_t i = 0; i == 0 || (here[i - 1] != '\0' && here[i - 1] == there[i - 1]); i++) {
      bool ends_here = here[i] == '/' || here[i] == '\0', ends_there = there[i] == '/' || there[i] == '\0';
      if (ends_here && ends_there) same = i;
    }
    for (const char *c = there + same; *c != '\0'; c++)
      if (*c == '/' && c[1] != '\0') gv_text_put_string(&way, way.length > 0 ? "/.." : "..");
    const char *rest = here + same + (here[same] == '/');
    if (*rest != '\0' && way.length > 0) gv_text_put_string(&way, "/");
    gv_text_put_string(&way, rest);
    if (way.length == 0) gv_text_put_string(&way, ".");
    *out = gv_text_take(&way);
    if (*out == NULL) status = description_no_memory(io);
  }
  free(here);
  free(there);
  return status;
}

/* ------------------------------------------------------------------------------------------------ reading */

typedef struct parsing {
  gv_description *out;
  const char *directory;
  bool outputs;
} parsing;

static gv_status wrong(gv_io *io, const parsing *r, const gv_json_member *member, const char *what) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: \"%.80s\": invalid type; expected %s", r->out->name,
                    member->name, what);
}

static gv_status find_option(gv_io *io, const parsing *r, const gv_json_member *member,
                             const gv_option **out) {
  gv_option_place place = member->object != NULL ? GV_IN_OUTPUTS : GV_IN_OPTIONS;
  const gv_option *o = gv_option_find(gv_job_options, GV_JOB_OPTIONS, member->name, strlen(member->name));
  if (strcmp(member->name, gv_job_out.name) == 0) o = &gv_job_out;
  GV_REQUIRE(io, o != NULL && o->place != GV_IN_NOTHING, "%s: unknown key \"%.80s\"%s", r->out->name,
             member->name, member->object != NULL ? " in \"outputs\"" : "");
  GV_REQUIRE(io, o->place == place, "%s: \"%s\": invalid place; it belongs %s \"outputs\"", r->out->name,
             o->name, o->place == GV_IN_OUTPUTS ? "into" : "beside");
  *out = o;
  return GV_OK;
}

static gv_status read_member_value(gv_io *io, const parsing *r, const gv_option *option, const char *value) {
  char *moved = value != NULL ? rebase(option, value, r->directory, r->directory) : NULL;
  if (value != NULL && moved == NULL) return description_no_memory(io);
  if (moved != NULL) gv_option_remember(option, moved);
  gv_status status = description_add(io, r->out, option, moved, r->out->name);
  free(moved);
  return status;
}

/* Numbers become the text that the command line has. */
static gv_status read_member_numbers(gv_io *io, const parsing *r, const gv_option *o,
                                     const gv_json_member *member) {
  gv_text text = {0};
  for (int i = 0; i < member->count; i++) {
    if (member->items[i].kind != GV_JSON_NUMBER || member->count > o->numbers) {
      gv_text_free(&text);
      return wrong(io, r, member, o->numbers > 1 ? "an array of numbers, or text" : "a number, or text");
    }
    if (i > 0) gv_text_put_string(&text, ",");
    gv_text_put_string(&text, member->items[i].text);
  }
  gv_text_put(&text, "", 1);
  gv_status status = text.failed ? description_no_memory(io) : read_member_value(io, r, o, text.bytes);
  gv_text_free(&text);
  return status;
}

static gv_status read_member_texts(gv_io *io, const parsing *r, const gv_option *o,
                                   const gv_json_member *member) {
  for (int i = 0; i < member->count; i++)
    if (!member->array || member->items[i].kind != GV_JSON_TEXT)
      return wrong(io, r, member, "an array of texts");
  for (int i = 0; i < member->count; i++)
    GV_TRY(read_member_value(io, r, o, member->items[i].text));
  return GV_OK;
}

static gv_status read_description_member(gv_io *io, void *user, const gv_json_member *member) {
  const parsing *r = user;
  const gv_option *o = NULL;
  if (member->object != NULL && !r->outputs) return GV_OK;
  gv_json_kind kind = member->array ? GV_JSON_OTHER : member->items[0].kind;
  if (member->object == NULL && strcmp(member->name, SCHEMA) == 0) {
    return kind == GV_JSON_TEXT ? GV_OK : wrong(io, r, member, "text");
  }
  GV_TRY(find_option(io, r, member, &o));
  if (o->several) return read_member_texts(io, r, o, member);
  switch (o->kind) {
  case GV_OPTION_FLAG:
    if (kind == GV_JSON_TRUE) return read_member_value(io, r, o, NULL);
    return kind == GV_JSON_FALSE ? GV_OK : wrong(io, r, member, "true or false");
  case GV_OPTION_INT:
  case GV_OPTION_LONG:
  case GV_OPTION_REAL:
    if (kind != GV_JSON_NUMBER) return wrong(io, r, member, "a number");
    return read_member_value(io, r, o, member->items[0].text);
  default:
    if (kind == GV_JSON_TEXT) return read_member_value(io, r, o, member->items[0].text);
    if (o->numbers > 0 && member->count > 0 && (o->numbers > 1 || !member->array))
      return read_member_numbers(io, r, o, member);
    return wrong(io, r, member, "text");
  }
}

gv_status gv_description_parse(gv_io *io, const char *text, size_t length, const char *name,
                               const char *directory, bool outputs, gv_description *out) {
  parsing r = {out, directory, outputs};
  free(out->name);
  out->name = strdup(name);
  if (out->name == NULL) return description_no_memory(io);
  return gv_json_read(io, text, length, name, OUTPUTS, read_description_member, &r);
}

gv_status gv_description_read(gv_io *io, const char *path, bool outputs, gv_description *out) {
  enum { MOST_BYTES = 17 << 20 };
  GByte *bytes = NULL;
  vsi_l_offset length = 0;
  VSIStatBufL found;
  gv_gdal_reset();
  bool directory = VSIStatL(path, &found) == 0 && VSI_ISDIR(found.st_mode);
  if (directory || !VSIIngestFile(NULL, path, &bytes, &length, MOST_BYTES)) {
    return gv_io_fail_gdal(io, GV_ERROR_IO, "description %s: cannot read", path);
  }
  char *parent = gv_path_parent(path);
  gv_status status = parent != NULL ? gv_description_parse(io, (const char *)bytes, (size_t)length, path,
                                                           parent, outputs, out)
                                    : description_no_memory(io);
  free(parent);
  VSIFree(bytes);
  return status;
}

/* ------------------------------------------------------------------------------------------------ writing */

/* Length of a JSON number; 0 if the text does not begin with one. */
static size_t number_length(const char *text) {
  const char *digits = text + (text[0] == '-');
  char *end;
  (void)strtod(text, &end);
  size_t length = (size_t)(end - text);
  const char *point = memchr(text, '.', length);
  bool good = isdigit((unsigned char)digits[0]) && !(digits[0] == '0' && isdigit((unsigned char)digits[1])) &&
              strspn(text, "0123456789.eE+-") >= length &&
              (point == NULL || isdigit((unsigned char)point[1]));
  return good ? length : 0;
}

/* Number of numbers separated by commas; 0 for other texts. */
static int count_numbers(const char *text) {
  for (int count = 1;; count++) {
    size_t length = number_length(text);
    if (length == 0 || (text[length] != ',' && text[length] != '\0')) return 0;
    if (text[length] == '\0') return count;
    text += length + 1;
  }
}

/* FILE, or NAME=FILE of options that may be repeated. */
static char *clean_source(const gv_option *option, const char *value) {
  gv_text text = {0};
  size_t at = 0;
  if (option->several && !gv_sum_file_at(value, ".", &at)) return NULL;
  char *name = gv_source_name(value + at);
  if (name == NULL) return NULL;
  gv_text_put(&text, value, at);
  gv_text_put_string(&text, name);
  free(name);
  return gv_text_take(&text);
}

/* The value as it may be shown. */
static gv_status put_clean(gv_io *io, const gv_option *option, const char *name, const char *value,
                           const char *back, gv_json_writer *out) {
  char *moved = rebase(option, value, ".", back), *clean = NULL;
  if (moved != NULL && gv_option_is_driver_option(option)) {
    clean = gv_driver_option_name(moved, strcmp(option->name, "co") == 0);
  } else if (moved != NULL && gv_option_is_source(option)) {
    clean = clean_source(option, moved);
  } else if (moved != NULL) {
    clean = strdup(moved);
  }
  gv_status status = clean != NULL ? GV_OK : description_no_memory(io);
  if (status == GV_OK && !CPLIsUTF8(clean, -1)) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--%s: unsupported text in a description; expected UTF-8", option->name);
  }
  if (status == GV_OK && strcmp(clean, moved) != 0) {
    gv_io_warn(GV_CODE_SECRET_LEFT_OUT, 0,
               "the password of --%s is not in the description; add it to the command line with --config",
               option->name);
  }
  if (status == GV_OK) gv_json_put_string(out, name, clean);
  free(clean);
  free(moved);
  return status;
}

/* Writes the member of the option that occurs at `number`, and of its repetitions. */
static gv_status put_member(gv_io *io, const gv_description *d, int64_t number, const char *back,
                            gv_json_writer *out) {
  const gv_option *o = d->list[number].option;
  const char *value = d->list[number].value;
  gv_status status = GV_OK;
  bool number_kind = o->kind == GV_OPTION_INT || o->kind == GV_OPTION_LONG || o->kind == GV_OPTION_REAL;
  int numbers = value != NULL && (number_kind || o->numbers > 0) ? count_numbers(value) : 0;
  if (value == NULL) {
    gv_json_put_bool(out, o->name, true);
  } else if (o->several) {
    gv_json_begin_array(out, o->name, GV_JSON_IN_LINE);
    for (int64_t i = number; i < d->count && status == GV_OK; i++)
      if (d->list[i].option == o) status = put_clean(io, o, NULL, d->list[i].value, back, out);
    gv_json_end(out);
  } else if (number_kind && numbers != 1) { /* "+5", ".5" */
    gv_json_put_number(out, o->name, strtod(value, NULL));
  } else if (numbers > 1) {
    gv_json_begin_array(out, o->name, GV_JSON_IN_LINE);
    gv_json_put_as_is(out, NULL, value);
    gv_json_end(out);
  } else if (numbers == 1) {
    gv_json_put_as_is(out, o->name, value);
  } else {
    status = put_clean(io, o, o->name, value, back, out);
  }
  return status;
}

/* The first occurrence of an option; -1 = none. */
static int64_t first_of(const gv_description *d, const gv_option *option) {
  for (int64_t i = 0; i < d->count; i++)
    if (d->list[i].option == option) return i;
  return -1;
}

/* The members of one place in the order of the table. */
static gv_status put_members(gv_io *io, const gv_description *d, gv_option_place place, const char *back,
                             gv_json_writer *out) {
  gv_status status = GV_OK;
  for (int i = -1; i < GV_JOB_OPTIONS && status == GV_OK; i++) {
    const gv_option *o = i < 0 ? &gv_job_out : &gv_job_options[i];
    int64_t at = o->kind != GV_OPTION_HEADING && o->place == place ? first_of(d, o) : -1;
    if (at >= 0) status = put_member(io, d, at, back, out);
  }
  return status;
}

static bool has_outputs(const gv_description *d) {
  for (int64_t i = 0; i < d->count; i++)
    if (d->list[i].option->place == GV_IN_OUTPUTS) return true;
  return false;
}

static gv_status put_all(gv_io *io, const gv_description *d, const char *back, gv_json_writer *json) {
  gv_json_begin_object(json, NULL, GV_JSON_IN_LINES);
  GV_TRY(put_members(io, d, GV_IN_OPTIONS, back, json));
  if (has_outputs(d)) {
    gv_json_begin_object(json, OUTPUTS, GV_JSON_IN_LINES);
    GV_TRY(put_members(io, d, GV_IN_OUTPUTS, back, json));
    gv_json_end(json);
  }
  gv_json_end(json);
  return json->text.failed ? description_no_memory(io) : GV_OK;
}

gv_status gv_description_put(gv_io *io, const gv_description *d, const char *path, gv_text *text) {
  char *parent = gv_path_parent(path), *back = NULL;
  gv_json_writer json = {0};
  gv_status status = parent != NULL ? way_back(io, parent, &back) : description_no_memory(io);
  if (status == GV_OK) status = put_all(io, d, back, &json);
  *text = json.text;
  free(back);
  free(parent);
  return status;
}

/* `output` and `text` are to be freed. */
static gv_status write_output(gv_io *io, const gv_description *d, gv_inputs *inputs, gv_sync sync,
                              gv_output *output, gv_text *text) {
  gv_output *outputs[] = {output};
  GV_TRY(gv_output_check(io, output));
  if (gv_inputs_find(inputs, output->path) != NULL) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                         "--describe: %s is an input, too; use another name", output->path);
  }
  GV_TRY(gv_description_put(io, d, output->path, text));
  GV_TRY(gv_output_begin(io, output));
  GV_TRY(gv_output_write(io, output, text->bytes, text->length));
  return gv_outputs_commit(io, outputs, 1, inputs, sync);
}

gv_status gv_description_write(gv_io *io, const gv_description *d, const char *path, bool overwrite,
                               gv_inputs *inputs, gv_sync sync) {
  gv_text text = {0};
  gv_output output;
  gv_status status = gv_output_init(io, &output, path, overwrite);
  if (status == GV_OK) status = write_output(io, d, inputs, sync, &output, &text);
  gv_output_clear(&output);
  gv_text_free(&text);
  return status;
}
