#include "io/source_name.h"

#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/grow.h"
#include "io/text.h"

/* Shorter secrets are hidden only as whole words: they may be parts of any word. */
enum { LEAST_SECRET = 4 };

static const char HIDDEN[] = "***";

/* -------------------------------------------------------------------------------------------------- names */

/* The length of "DRIVER:"; 0 if the source does not begin so. A single letter is a disk. */
static size_t prefix_length(const char *source) {
  size_t length = 0;
  while (isalnum((unsigned char)source[length]) || source[length] == '_')
    length++;
  return length > 1 && source[length] == ':' ? length + 1 : 0;
}

static bool is_one_of(const char *const *list, size_t count, const char *word, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (strlen(list[i]) == length && strncasecmp(list[i], word, length) == 0) return true;
  return false;
}

static bool is_plain(const char *source) {
  static const char *const of_files[] = {"healpix",  "s2",        "h3",     "qtm",       "NETCDF",
                                         "HDF4_EOS", "HDF4_SDS",  "HDF5",   "HDF5Image", "GPKG",
                                         "ZARR",     "GTIFF_DIR", "VORONOI"};
  size_t prefix = prefix_length(source);
  if (strncmp(source, "/vsi", 4) == 0) return strpbrk(source, "@?=<") == NULL;
  if (prefix > 0 && !is_one_of(of_files, sizeof of_files / sizeof *of_files, source, prefix - 1))
    return false;
  return strstr(source, "://") == NULL && strpbrk(source, "@?{<=") == NULL;
}

char *gv_source_name(const char *source) {
  size_t prefix = prefix_length(source);
  if (is_plain(source)) return strdup(source);
  if (strncmp(source, "/vsi", 4) == 0) prefix = 4 + strcspn(source + 4, "/?") + 1;
  gv_text name = {0};
  gv_text_put(&name, source, prefix);
  gv_text_put_string(&name, HIDDEN);
  return gv_text_take(&name);
}

char *gv_source_title(const char *source) {
  return is_plain(source) ? strdup(CPLGetFilename(source)) : gv_source_name(source);
}

/* ------------------------------------------------------------------------------------------------ secrets */

static bool is_word_letter(char letter) {
  return isalnum((unsigned char)letter) || (letter != '\0' && strchr("_-.", letter) != NULL);
}

/* Whether what follows such a word is a secret: "sslpassword", "X-Amz-Signature", "API_KEY". */
static bool is_secret_word(const char *word, size_t length) {
  static const char *const parts[] = {"pass",      "pwd",        "secret",     "token",  "credential",
                                      "signature", "authoriz",   "auth_key",   "apikey", "api_key",
                                      "api-key",   "access_key", "access-key", "cookie", "bearer"};
  static const char *const whole[] = {"pw", "sig", "auth", "sas", "headers", "header"};
  if (is_one_of(whole, sizeof whole / sizeof *whole, word, length)) return true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size_t part = strlen(parts[i]);
    for (size_t at = 0; at + part <= length; at++)
      if (strncasecmp(word + at, parts[i], part) == 0) return true;
  }
  return false;
}

/* A stretch of a text; end 0 = none. */
typedef struct secret_span {
  size_t begin, end;
} secret_span;

static size_t skip(const char *text, size_t at, const char *letters) {
  return at + strspn(text + at, letters);
}

/* Whether "key=" or the like begins at `at`. */
static bool key_begins(const char *text, size_t at) {
  size_t end = at;
  while (is_word_letter(text[end]))
    end++;
  return end > at && text[skip(text, end, " \t")] == '=';
}

/* The value behind a secret word that begins at `at`: KEY=v, KEY: v, "key": "v", key="PASSWORD">v<,
 * <Password>v<. An unquoted value may have spaces until the next key. */
static secret_span value_of_word(const char *text, size_t at) {
  size_t length = 0;
  if (at > 0 && is_word_letter(text[at - 1])) return (secret_span){0, 0};
  while (is_word_letter(text[at + length]))
    length++;
  bool in_query = at > 0 && (text[at - 1] == '?' || text[at - 1] == '&');
  bool query_key = in_query && length == 3 &&
                   (strncasecmp(text + at, "key", 3) == 0 || strncasecmp(text + at, "url", 3) == 0);
  if (length == 0 || (!is_secret_word(text + at, length) && !query_key)) return (secret_span){0, 0};
  size_t begin = skip(text, at + length, " \t\"'\\=:>");
  /* only the word */
  if (at + length + strcspn(text + at + length, "=:>") >= begin) return (secret_span){0, 0};
  char quote = text[begin - 1] == '"' || text[begin - 1] == '\'' ? text[begin - 1] : '\0';
  size_t end = begin;
  for (; text[end] != '\0' && text[end] != '<'; end++) {
    if (text[end] == '\\' && text[end + 1] != '\0') {
      end++;
    } else if (quote != '\0') {
      if (text[end] == quote && text[end + 1] == quote) {
        end++;
      } else if (text[end] == quote) {
        break;
      }
    } else if (strchr("\"&#\n", text[end]) != NULL ||
               (strchr(" \t;,", text[end]) != NULL && key_begins(text, skip(text, end, " \t;,")))) {
      break;
    }
  }
  while (quote == '\0' && end > begin && strchr(" \t;,", text[end - 1]) != NULL)
    end--;
  return end > begin ? (secret_span){begin, end} : (secret_span){0, 0};
}

/* scheme://user:password@host: the part before '@'; in http a user without password is a token. The password
 * may have a '/' in it. */
static secret_span value_of_login(const char *text, size_t at) {
  if (strncmp(text + at, "://", 3) != 0) return (secret_span){0, 0};
  size_t begin = at + 3, length = strcspn(text + begin, " \t\r\n\"<>"), last = 0;
  size_t path = strcspn(text + begin, "/?#"), limit = path < length ? path : length;
  const char *colon = memchr(text + begin, ':', limit);
  for (size_t i = 0; i < limit; i++)
    if (text[begin + i] == '@') last = begin + i;
  if (last == 0 && colon != NULL && text[begin] != '[' && !isdigit((unsigned char)colon[1])) {
    for (size_t i = (size_t)(colon - text) - begin; i < length; i++)
      if (text[begin + i] == '@') last = begin + i;
  }
  bool http =
      at >= 4 && (strncasecmp(text + at - 4, "http", 4) == 0 || strncasecmp(text + at - 4, "ttps", 4) == 0);
  if (last == 0 || (colon == NULL && !http)) return (secret_span){0, 0};
  if (colon != NULL && (size_t)(colon - text) < last) begin = (size_t)(colon - text) + 1;
  return begin < last ? (secret_span){begin, last} : (secret_span){0, 0};
}

/* ODBC:user/password@name, OCI:user/password@name:table, GEOR:user,password,name. */
static secret_span value_of_user(const char *text, size_t at) {
  static const char *const drivers[] = {"ODBC", "OCI", "GEOR", "GEORASTER", "SDE", "DB2ODBC"};
  size_t prefix = at == 0 || !is_word_letter(text[at - 1]) ? prefix_length(text + at) : 0;
  if (prefix == 0 || !is_one_of(drivers, sizeof drivers / sizeof *drivers, text + at, prefix - 1))
    return (secret_span){0, 0};
  size_t begin = at + prefix + strcspn(text + at + prefix, "/,= \t\r\n\"<");
  if (text[begin] != '/' && text[begin] != ',') return (secret_span){0, 0};
  begin++;
  size_t end = begin + strcspn(text + begin, " \t\r\n\"<");
  for (size_t i = end; i > begin; i--)
    if (text[i] == '@') return (secret_span){begin, i};
  return (secret_span){begin, begin + strcspn(text + begin, ",: \t\r\n\"<")};
}

static secret_span secret_at(const char *text, size_t at) {
  secret_span found = value_of_word(text, at);
  if (found.end == 0) found = value_of_login(text, at);
  return found.end != 0 ? found : value_of_user(text, at);
}

/* ------------------------------------------------------------------------------------------------ options */

/* Whether a number is a secret, too. */
static bool is_secret_number(const char *key, size_t length) {
  static const char *const ends[] = {"KEY", "PIN", "CODE"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (length >= end && strncasecmp(key + length - end, ends[i], end) == 0) return true;
  }
  return false;
}

/* The value of an option to be hidden, or NULL. */
static const char *secret_value(const char *option, bool creates) {
  static const char *const harmless[] = {"ENCODING",
                                         "SEPARATOR",
                                         "AUTODETECT_TYPE",
                                         "AUTODETECT_WIDTH",
                                         "X_POSSIBLE_NAMES",
                                         "Y_POSSIBLE_NAMES",
                                         "Z_POSSIBLE_NAMES",
                                         "GEOM_POSSIBLE_NAMES",
                                         "KEEP_GEOM_COLUMNS",
                                         "KEEP_SOURCE_COLUMNS",
                                         "EMPTY_STRING_AS_NULL",
                                         "MERGE_SEPARATOR",
                                         "QUOTED_FIELDS_AS_STRING",
                                         "LIST_ALL_TABLES",
                                         "TABLE",
                                         "TABLES",
                                         "LAYERS",
                                         "SCHEMAS",
                                         "OVERVIEW_LEVEL",
                                         "NUM_THREADS",
                                         "IMMUTABLE",
                                         "DRIVER",
                                         "DATE_AS_STRING",
                                         "FLATTEN_NESTED_ATTRIBUTES",
                                         "NATIVE_DATA",
                                         "HONOUR_VALID_RANGE",
                                         "VARIABLES_AS_BANDS",
                                         "GEOREF_SOURCES",
                                         "SPARSE_OK",
                                         "ADJUST_TYPE",
                                         "ADJUST_GEOM_TYPE",
                                         "AUTO_REPAIR",
                                         "DBF_DATE_LAST_UPDATE",
                                         "METRIC",
                                         "SEEDS",
                                         "SIZE",
                                         "RES",
                                         "BANDS",
                                         "K",
                                         "WHERE",
                                         "LIKE",
                                         "CRS",
                                         "SEEDS_CRS"};
  static const char *const words[] = {"YES", "NO",   "TRUE",  "FALSE",   "ON",
                                      "OFF", "AUTO", "FORCE", "DISABLE", "DISABLED"};
  const char *equals = strchr(option, '=');
  if (equals == NULL || equals[1] == '\0') return NULL;
  const char *value = equals + 1;
  size_t key = (size_t)(equals - option);
  if (creates) return is_secret_word(option, key) || strstr(value, "://") != NULL ? value : NULL;
  if (is_one_of(words, sizeof words / sizeof *words, value, strlen(value))) return NULL;
  if (is_one_of(harmless, sizeof harmless / sizeof *harmless, option, key))
    return is_plain(value) ? NULL : value;
  bool number = value[strspn(value, "0123456789.+-")] == '\0';
  return number && !is_secret_word(option, key) && !is_secret_number(option, key) ? NULL : value;
}

char *gv_driver_option_name(const char *option, bool creates) {
  const char *value = secret_value(option, creates);
  gv_text name = {0};
  gv_text_put(&name, option, value != NULL ? (size_t)(value - option) : strlen(option));
  if (value != NULL) gv_text_put_string(&name, HIDDEN);
  return gv_text_take(&name);
}

/* -------------------------------------------------------------------------------------------- remembering */

/* A source, and how it is shown. */
typedef struct known {
  char *source, *name;
} known;

/* For the whole process: GDAL's threads report too. */
static struct {
  pthread_mutex_t lock;
  known *sources;
  int64_t source_count, source_room;
  gv_text secrets; /* each with '\0' at its end */
  bool failed;     /* something could not be remembered */
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put_secret(const char *secret) {
  if (*secret != '\0') gv_text_put(&memory.secrets, secret, strlen(secret) + 1);
}

/* A secret unchanged, URL-encoded, without quotation marks and escapes, and word by word: drivers and their
 * libraries repeat all these. */
static void add_secret(const char *secret) {
  char *decoded = CPLUnescapeString(secret, NULL, CPLES_URL), *plain = strdup(secret), *rest = NULL,
       *to = plain;
  const char *const forms[] = {secret, decoded, plain};
  for (const char *at = secret; plain != NULL && *at != '\0'; at++) {
    if (*at == '\\' && at[1] != '\0') at++;
    if (*at != '\'' && *at != '"') *to++ = *at;
  }
  if (to != NULL) *to = '\0';
  for (int i = 0; i < 3 && forms[i] != NULL; i++) {
    char *encoded = CPLEscapeString(forms[i], -1, CPLES_URL);
    put_secret(forms[i]);
    put_secret(encoded);
    CPLFree(encoded);
  }
  memory.failed |= plain == NULL;
  for (char *word = plain != NULL ? strtok_r(plain, " \t:", &rest) : NULL; word != NULL;
       word = strtok_r(NULL, " \t:", &rest))
    if (strlen(word) >= LEAST_SECRET) put_secret(word);
  free(plain);
  CPLFree(decoded);
}

/* In the query of a URL any value may be a token: of keys that are not known they are hidden, too. */
static void add_query_values(const char *source) {
  const char *at =
      strstr(source, "://") != NULL || strncmp(source, "/vsi", 4) == 0 ? strchr(source, '?') : NULL;
  while (at != NULL) {
    size_t length = strcspn(++at, "&#"), key = strcspn(at, "=");
    char *value = key < length ? strndup(at + key + 1, length - key - 1) : NULL;
    if (value != NULL && strlen(value) >= LEAST_SECRET && value[strspn(value, "0123456789.,+-")] != '\0')
      add_secret(value);
    free(value);
    at = at[length] == '&' ? at + length : NULL;
  }
}

/* The secrets in a text; `depth` more times in what it is when it is decoded as a part of a URL. */
static void add_secrets(const char *text, int depth) {
  for (size_t at = 0; text[at] != '\0'; at++) {
    secret_span found = secret_at(text, at);
    if (found.end == 0) continue;
    char *secret = strndup(text + found.begin, found.end - found.begin);
    memory.failed |= secret == NULL;
    if (secret != NULL) add_secret(secret);
    free(secret);
  }
  if (depth == 0 || strchr(text, '%') == NULL) return;
  char *decoded = CPLUnescapeString(text, NULL, CPLES_URL);
  add_secrets(decoded, depth - 1);
  CPLFree(decoded);
}

void gv_source_remember(const char *source) {
  if (is_plain(source)) return;
  pthread_mutex_lock(&memory.lock);
  bool there = false;
  for (int64_t i = 0; i < memory.source_count && !there; i++)
    there = strcmp(memory.sources[i].source, source) == 0;
  if (!there) {
    known *more = gv_grow(memory.sources, &memory.source_room, memory.source_count + 1, sizeof *more);
    known one = {strdup(source), gv_source_name(source)};
    if (more != NULL) memory.sources = more;
    if (more != NULL && one.source != NULL && one.name != NULL) {
      memory.sources[memory.source_count++] = one;
    } else {
      memory.failed = true;
      free(one.source);
      free(one.name);
    }
    add_secrets(source, 2);
    add_query_values(source);
  }
  memory.failed |= memory.secrets.failed;
  pthread_mutex_unlock(&memory.lock);
}

void gv_driver_option_remember(const char *option, bool creates) {
  const char *value = secret_value(option, creates);
  if (value == NULL) return;
  pthread_mutex_lock(&memory.lock);
  add_secret(value);
  add_secrets(option, 1);
  memory.failed |= memory.secrets.failed;
  pthread_mutex_unlock(&memory.lock);
}

void gv_text_remember(const char *text) {
  bool connects = prefix_length(text) > 0 || strstr(text, "://") != NULL || *text == '<' || *text == '{' ||
                  strncmp(text, "/vsi", 4) == 0;
  const char *query = connects ? strchr(text, '?') : NULL;
  bool has_values = query != NULL && strchr(query, '=') != NULL;
  for (size_t at = 0; connects && text[at] != '\0'; at++) {
    if (!has_values && secret_at(text, at).end == 0) continue;
    gv_source_remember(text);
    return;
  }
}

void gv_source_forget(void) {
  pthread_mutex_lock(&memory.lock);
  for (int64_t i = 0; i < memory.source_count; i++) {
    free(memory.sources[i].source);
    free(memory.sources[i].name);
  }
  free(memory.sources);
  gv_text_free(&memory.secrets);
  memory.sources = NULL;
  memory.source_count = memory.source_room = 0;
  memory.failed = false;
  pthread_mutex_unlock(&memory.lock);
}

/* ----------------------------------------------------------------------------------------------- messages */

static size_t common_length(const char *a, const char *b) {
  size_t length = 0;
  while (a[length] != '\0' && a[length] == b[length])
    length++;
  return length;
}

/* The length of a remembered source at the beginning of `text`, or of as much of it as a message that cuts it
 * short has; *name is how it is shown. */
static size_t source_length(const char *text, const char **name) {
  size_t longest = 0;
  for (int64_t i = 0; i < memory.source_count; i++) {
    const known *one = &memory.sources[i];
    size_t length = common_length(one->source, text), least = prefix_length(one->source) + LEAST_SECRET;
    bool is_cut = length >= least && strchr("'\":,", text[length]) != NULL; /* or its end */
    if ((one->source[length] != '\0' && !is_cut) || length <= longest) continue;
    longest = length;
    *name = one->name;
  }
  return longest;
}

/* The length of a remembered secret at `at`, which may be cut short at the end of the text. */
static size_t secret_length(const char *text, size_t at) {
  size_t longest = 0;
  for (size_t k = 0; k < memory.secrets.length;) {
    const char *secret = memory.secrets.bytes + k;
    size_t full = strlen(secret), length = common_length(secret, text + at);
    bool alone =
        at > 0 && strchr("=:/,'\"", text[at - 1]) != NULL && !isalnum((unsigned char)text[at + length]);
    bool is_cut = length >= LEAST_SECRET && text[at + length] == '\0';
    bool found = length == full && (full >= LEAST_SECRET || alone);
    if ((found || is_cut) && length > longest) longest = length;
    k += full + 1;
  }
  return longest;
}

static char *clean_text(const char *message, bool foreign) {
  gv_text out = {0};
  const char *name = "";
  pthread_mutex_lock(&memory.lock);
  for (size_t at = 0; message[at] != '\0';) {
    size_t length = source_length(message + at, &name);
    secret_span found = {0, 0};
    if (length > 0) {
      gv_text_put_string(&out, name);
    } else if ((length = secret_length(message, at)) > 0) {
      gv_text_put_string(&out, HIDDEN);
    } else if (foreign && (found = secret_at(message, at)).end > 0) {
      gv_text_put(&out, message + at, found.begin - at);
      gv_text_put_string(&out, HIDDEN);
      length = found.end - at;
    } else {
      gv_text_put(&out, message + at, length = 1);
    }
    at += length;
  }
  out.failed |= memory.failed;
  pthread_mutex_unlock(&memory.lock);
  return gv_text_take(&out);
}

char *gv_clean_message(const char *message) {
  return clean_text(message, false);
}

char *gv_clean_foreign_message(const char *message) {
  return clean_text(message, true);
}
