/*
 * One walk through the text serves sources and messages: at each position the rules are asked one by one whether a secret
 * is there. They know the syntax of no driver in full; where it is doubtful how far a secret goes, more is left out.
 */
#include "io/source_name.h"

#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/grow.h"
#include "io/text.h"

/* Shorter secrets are looked for only where values stand: they may be parts of any word. */
enum { LEAST_SECRET = 4 };

/* What may take long, of one text. A value that is encoded holds others, each with all that follows: twice as many with each more, were they
 * decoded without end. No source that people have comes near either; behind them more is left out. */
typedef struct patience {
  int decodings; /* of values */
  int files;     /* that the file-system is asked about */
} patience;

static const patience at_first = {.decodings = 64, .files = 4096};

typedef struct cleaner {
  const char *text;
  bool whole;       /* a source and nothing else; a message goes on behind it */
  gv_text *out;     /* the clean text */
  gv_text *secrets; /* what was left out, each with '\0' at its end; NULL: not needed */
  size_t first;     /* where the first of them begins */
  patience *left;
} cleaner;

static const char hidden[] = "***";

static void hide(cleaner *c, size_t from, size_t to) {
  gv_text_put_string(c->out, hidden);
  if (from < c->first) c->first = from;
  if (c->secrets == NULL) return;
  gv_text_put(c->secrets, c->text + from, to - from);
  gv_text_put(c->secrets, "", 1);
}

static bool is_key_letter(char letter) {
  return isalnum((unsigned char)letter) || strchr("_-.", letter) != NULL;
}

/* 0 if no key begins at `at`. */
static size_t key_length(const char *text, size_t at) {
  size_t length = 0;
  if (at > 0 && is_key_letter(text[at - 1])) return 0;
  while (text[at + length] != '\0' && is_key_letter(text[at + length]))
    length++;
  return length;
}

static bool is_space(char letter) {
  return letter != '\0' && strchr(" \t\r\n", letter) != NULL;
}

static size_t skip_spaces(const char *text, size_t at) {
  while (is_space(text[at]))
    at++;
  return at;
}

/* The file-system's word on whether letters that look like a secret are a file's name: a text around `at`, between marks
 * that may enclose a name, that is a file. */
static bool names_file(const char *text, size_t at, patience *left) {
  enum { LONGEST = 4096 };
  char name[LONGEST];
  for (size_t from = at + 1; from-- > 0 && at - from < LONGEST;) {
    if (from > 0 && strchr(":\"'{/(=, `", text[from - 1]) == NULL) continue;
    for (size_t to = at + 1; to - from < LONGEST; to++) {
      struct stat found;
      if (text[to] == '\0' || strchr(":\"'}/), `?|", text[to]) != NULL) {
        if (left->files == 0) return false;
        left->files--;
        memcpy(name, text + from, to - from);
        name[to - from] = '\0';
        if (stat(name, &found) == 0 && S_ISREG(found.st_mode)) return true;
      }
      if (text[to] == '\0') break;
    }
  }
  return false;
}

/* ----------------------------------------------------------------------------------------------- keys and values */

/* True if the values of this key are secret, by the key's end without '_', '-' and '.'. */
static bool is_secret_key(const char *key, size_t length, bool in_query) {
  static const char *const ends[] = {"password",    "passwd",      "passphrase",    "passfile",  "pwd",
                                     "token",       "secret",      "secretkey",     "accesskey", "apikey",
                                     "authkey",     "accountkey",  "signature",     "bearer",    "credential",
                                     "accesskeyid", "credentials", "authorization", "cookie"};
  static const char *const names[] = {"pass", "pw", "sig", "sas", "auth", "jwt"};
  char plain[64];
  size_t count = 0;
  for (size_t i = 0; i < length; i++) {
    if (strchr("_-.", key[i]) != NULL) continue;
    if (count == sizeof plain - 1) memmove(plain, plain + 1, --count);
    plain[count++] = (char)tolower((unsigned char)key[i]);
  }
  plain[count] = '\0';
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (count >= end && strcmp(plain + count - end, ends[i]) == 0) return true;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(plain, names[i]) == 0) return true;
  }
  return in_query && strcmp(plain, "key") == 0;
}

static bool is_in_query(const char *text, size_t key) {
  if (key > 0 && strchr("?&", text[key - 1]) != NULL) return true;
  return key >= 5 && strncmp(text + key - 5, "&amp;", 5) == 0;
}

/* What stands between the items of which the key at `key` is one. */
static char separator_at(const char *text, size_t key) {
  static const struct {
    const char *driver;
    char separator;
  } table[] = {{"PG", ' '},    {"POSTGRESQL", ' '}, {"MYSQL", ','}, {"PLMOSAIC", ','}, {"PLSCENES", ','},
               {"MSSQL", ';'}, {"ODBC", ';'},       {"HANA", ';'},  {"PGEO", ';'}};
  if (is_in_query(text, key)) return '&';
  for (size_t colon = key; colon-- > 0;) {
    if (text[colon] != ':') continue;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
      size_t length = strlen(table[i].driver);
      if (colon < length || strncasecmp(text + colon - length, table[i].driver, length) != 0) continue;
      if (key_length(text, colon - length) == length) return table[i].separator;
    }
  }
  return key > 0 && strchr(",;", text[key - 1]) != NULL ? text[key - 1] : ' ';
}

/* Behind the quotation that begins at `at`; `at` itself if none does. */
static size_t quotation_end(const char *text, size_t at, char separator, bool in_string) {
  static const char *const marks[] = {"\\\"", "&quot;", "&apos;"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    size_t length = strlen(marks[i]);
    if (strncmp(text + at, marks[i], length) != 0) continue;
    const char *end = strstr(text + at + length, marks[i]);
    return end != NULL ? (size_t)(end - text) + length : strlen(text);
  }
  bool braces = separator == ';' && text[at] == '{';
  if (!braces && text[at] != '\'' && (text[at] != '"' || in_string)) return at;
  char mark = braces ? '}' : text[at];
  for (at++; text[at] != '\0'; at++) {
    if (text[at] == '\\' && !braces && text[at + 1] != '\0') {
      at++;
    } else if (text[at] == mark && text[at + 1] == mark) {
      at++;
    } else if (text[at] == mark) {
      return at + 1;
    }
  }
  return at;
}

/* True if another item, or nothing, follows the spaces at `at`. libpq and people disagree about unquoted values with spaces:
 * what is no item belongs to the secret. */
static bool item_follows(const char *text, size_t at) {
  at = skip_spaces(text, at);
  if (text[at] == '\0') return true;
  size_t length = key_length(text, at);
  return length > 0 && text[skip_spaces(text, at + length)] == '=';
}

/* How the value of a key ends, and where it begins. */
typedef struct value {
  size_t begin;   /* 0: the key has no value */
  char separator; /* '<': the value is the content of an XML element */
} value;

static value find_value(const char *text, size_t key, size_t end) {
  static const char header[] = "authorization";
  const size_t header_length = sizeof header - 1;
  size_t at = end;
  if (key > 0 && text[key - 1] == '<') {
    at += strcspn(text + at, ">");
    return text[at] == '>' && text[at - 1] != '/' ? (value){at + 1, '<'} : (value){0, 0};
  }
  if (text[at] == '\\' && text[at + 1] == '"') at++;
  bool quoted = text[at] == '"' || text[at] == '\'';
  at = skip_spaces(text, at + quoted);
  if (quoted && text[at] == '>') return (value){at + 1, '<'};
  bool is_header =
      end - key >= header_length && strncasecmp(text + end - header_length, header, header_length) == 0;
  if (text[at] == '=') return (value){skip_spaces(text, at + 1), separator_at(text, key)};
  if (text[at] == ':' && quoted) return (value){skip_spaces(text, at + 1), ','};
  if (text[at] == ':' && is_header) return (value){skip_spaces(text, at + 1), '\n'};
  return (value){0, 0};
}

static size_t value_end(const cleaner *c, size_t key, value v) {
  const char *text = c->text;
  size_t at = v.begin;
  if (v.separator == '<') return at + strcspn(text + at, "<");
  bool in_string = false, in_xml = memchr(text, '<', key) != NULL;
  for (size_t i = 0; i < at; i++) {
    if (text[i] == '\\' && i + 1 < at) {
      i++;
    } else {
      in_string ^= text[i] == '"';
    }
  }
  /* "KEY=VALUE" in quotation marks ends with them. */
  char mark = key > 0 ? text[key - 1] : '\0';
  if ((mark != '"' && mark != '\'') || memchr(text + key, mark, at - key) != NULL) mark = '\0';
  bool words = v.separator == ' ' || v.separator == '&';
  at = quotation_end(text, at, v.separator, in_string);
  for (; text[at] != '\0'; at++) {
    if (text[at] == '\\' && text[at + 1] != '\0') {
      at++;
    } else if ((in_string && text[at] == '"') || (in_xml && text[at] == '<') ||
               (mark != '\0' && text[at] == mark)) {
      break;
    } else if (v.separator == '&' && (text[at] == '&' || text[at] == '#')) {
      break;
    } else if (!words && (text[at] == v.separator || text[at] == '\n')) {
      break;
    } else if (words && mark == '\0' && is_space(text[at]) && (!c->whole || item_follows(text, at))) {
      break;
    }
  }
  return at;
}

/* ---------------------------------------------------------------------------------------------------------- rules */

/* A rule writes the clean text of what it knows and returns where that ends; `at` if it knows nothing. */

static void clean(cleaner *c);

/* The value of a query's item is a URL of its own in /vsicurl?url=https%3A%2F%2F... */
static size_t hide_encoded(cleaner *c, size_t key, size_t end) {
  size_t begin = end + 1, stop = begin;
  if (c->text[end] != '=') return key;
  stop += strcspn(c->text + begin, "&# \t\r\n\"<>");
  if (memchr(c->text + begin, '%', stop - begin) == NULL) return key;
  if (c->left->decodings == 0) {
    gv_text_put(c->out, c->text + key, begin - key);
    hide(c, begin, stop);
    return stop;
  }
  c->left->decodings--;
  gv_text part = {0}, plain = {0};
  gv_text_put(&part, c->text + begin, stop - begin);
  gv_text_put(&part, "", 1);
  if (!part.failed) {
    char *decoded = CPLUnescapeString(part.bytes, NULL, CPLES_URL);
    cleaner inner = *c;
    inner.text = decoded;
    inner.whole = true;
    inner.out = &plain;
    inner.first = SIZE_MAX;
    clean(&inner);
    if (inner.first != SIZE_MAX) {
      gv_text_put(c->out, c->text + key, begin - key);
      for (size_t i = 0; i < plain.length; i++) {
        char code[4] = {plain.bytes[i]};
        if (strchr("&#% ", plain.bytes[i]) != NULL) snprintf(code, sizeof code, "%%%02X", (unsigned)plain.bytes[i]);
        gv_text_put_string(c->out, code);
      }
      if (begin < c->first) c->first = begin;
      key = stop;
    }
    CPLFree(decoded);
  }
  c->out->failed |= part.failed || plain.failed;
  gv_text_free(&part);
  gv_text_free(&plain);
  return key;
}

/* KEY=VALUE and its relatives in JSON and XML. */
static size_t hide_value(cleaner *c, size_t at) {
  size_t length = key_length(c->text, at);
  if (length == 0) return at;
  bool in_query = is_in_query(c->text, at);
  if (!is_secret_key(c->text + at, length, in_query)) return in_query ? hide_encoded(c, at, at + length) : at;
  value v = find_value(c->text, at, at + length);
  if (v.begin == 0) return at;
  size_t end = value_end(c, at, v);
  if (end == v.begin || names_file(c->text, at, c->left)) return at;
  gv_text_put(c->out, c->text + at, v.begin - at);
  hide(c, v.begin, end);
  return end;
}

/* scheme://user:password@host; a user alone is a token in http. */
static size_t hide_login(cleaner *c, size_t at) {
  if (strncmp(c->text + at, "://", 3) != 0) return at;
  const char *user = c->text + at + 3, *last = NULL, *colon;
  size_t length = strcspn(user, "/?# \t\r\n\"<>");
  for (size_t i = 0; i < length; i++)
    last = user[i] == '@' ? user + i : last;
  colon = memchr(user, ':', last != NULL ? (size_t)(last - user) : length);
  if (last == NULL && colon != NULL && user[0] != '[' && !isdigit((unsigned char)colon[1])) {
    /* What follows is no port: a password with a '/' in it, perhaps. */
    length = c->whole ? strlen(user) : strcspn(user, " \t\r\n");
    for (size_t i = (size_t)(colon - user); i < length && strncmp(user + i, "://", 3) != 0; i++)
      last = user[i] == '@' ? user + i : last;
  }
  bool http = (at >= 4 && strncasecmp(c->text + at - 4, "http", 4) == 0) ||
              (at >= 5 && strncasecmp(c->text + at - 5, "https", 5) == 0);
  if (last == NULL || (colon == NULL && !http)) return at;
  const char *secret = colon != NULL ? colon + 1 : user;
  if (secret == last) return at;
  gv_text_put(c->out, c->text + at, (size_t)(secret - c->text) - at);
  hide(c, (size_t)(secret - c->text), (size_t)(last - c->text));
  return (size_t)(last - c->text);
}

/* ODBC:user/password@name, OCI:user/password@name:table, GEOR:user,password,name. */
static size_t hide_second(cleaner *c, size_t at) {
  static const struct {
    const char *driver, *before, *behind;
  } table[] = {{"ODBC", "/", "@"}, {"OCI", "/", "@:,"}, {"GEOR", "/,", "@,"}, {"GEORASTER", "/,", "@,"}};
  size_t length = key_length(c->text, at), i = 0;
  const size_t count = sizeof table / sizeof *table;
  while (i < count &&
         (strlen(table[i].driver) != length || strncasecmp(c->text + at, table[i].driver, length) != 0))
    i++;
  if (i == count || c->text[at + length] != ':') return at;
  const char *body = c->text + at + length + 1;
  size_t end = c->whole ? strcspn(body, "\"<") : strcspn(body, " \t\r\n\"<");
  size_t begin = strcspn(body, "=;/,") + 1, stop = begin;
  if (begin > end || strchr(table[i].before, body[begin - 1]) == NULL) return at;
  if (body[begin - 1] == '/') {
    for (size_t k = begin; k < end; k++)
      stop = body[k] == '@' ? k : stop;
  }
  if (stop == begin) {
    stop += strcspn(body + begin, table[i].behind);
    if (stop >= end && table[i].behind[1] == '\0') return at;
    if (stop > end) stop = end;
  }
  if (stop == begin || begin == 1 || names_file(c->text, at + length + 1, c->left)) return at;
  gv_text_put(c->out, c->text + at, length + 1 + begin);
  hide(c, (size_t)(body - c->text) + begin, (size_t)(body - c->text) + stop);
  return (size_t)(body - c->text) + stop;
}

static size_t apply_rules(cleaner *c, size_t at) {
  size_t next = hide_value(c, at);
  if (next == at) next = hide_login(c, at);
  if (next == at) next = hide_second(c, at);
  return next;
}

static void clean(cleaner *c) {
  for (size_t at = 0; c->text[at] != '\0';) {
    size_t next = apply_rules(c, at);
    if (next == at) gv_text_put(c->out, c->text + next++, 1);
    at = next;
  }
}

/* ---------------------------------------------------------------------------------------------------------- names */

/* The length of "DRIVER:"; 0 if the source does not begin so. A single letter is a disk. */
static size_t prefix_length(const char *source) {
  size_t length = 0;
  while (isalnum((unsigned char)source[length]) || source[length] == '_')
    length++;
  return length > 1 && source[length] == ':' ? length + 1 : 0;
}

/* False for what can only be the name of a file. */
static bool may_connect(const char *source) {
  source += skip_spaces(source, 0);
  if (*source == '{' || *source == '<' || strstr(source, "://") != NULL || prefix_length(source) > 0) return true;
  if (strncmp(source, "/vsi", 4) == 0) return strchr(source, '?') != NULL;
  /* A list of items whose driver was forgotten. */
  const char *equals = strchr(source, '=');
  return item_follows(source, 0) && equals != NULL && strchr(equals + 1, '=') != NULL;
}

static char *clean_source(const char *source, gv_text *secrets, size_t *first) {
  gv_text out = {0};
  patience left = at_first;
  cleaner c = {.text = source, .whole = true, .out = &out, .secrets = secrets, .first = SIZE_MAX, .left = &left};
  if (may_connect(source)) {
    clean(&c);
  } else {
    gv_text_put_string(&out, source);
  }
  *first = c.first;
  return gv_text_take(&out);
}

char *gv_source_name(const char *source) {
  size_t first;
  return clean_source(source, NULL, &first);
}

char *gv_source_title(const char *source) {
  size_t prefix = prefix_length(source);
  patience left = at_first;
  bool file = strncmp(source, "/vsi", 4) == 0
                  ? strstr(source, "/vsicurl?") != source
                  : !may_connect(source) || names_file(source, prefix + (source[prefix] == '"'), &left);
  char *name = gv_source_name(source);
  if (!file || name == NULL) return name;
  /* A query's '/' divides no directories. */
  size_t length = strncmp(source, "/vsi", 4) == 0 ? strcspn(name, "?") : strlen(name);
  char letter = name[length];
  name[length] = '\0';
  const char *title = CPLGetFilename(name);
  name[length] = letter;
  memmove(name, title, strlen(title) + 1);
  return name;
}

/* ------------------------------------------------------------------------------------------------------- messages */

/* Name and clean name of a source. */
typedef struct known {
  char *source, *name;
  size_t first; /* where its first secret begins */
} known;

/* What was remembered, for the whole process: GDAL's threads report too. */
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

/* As it is, and as it stands in URLs. */
static void put_in_codes(const char *secret) {
  char *decoded = CPLUnescapeString(secret, NULL, CPLES_URL), *encoded = CPLEscapeString(secret, -1, CPLES_URL);
  put_secret(secret);
  put_secret(decoded);
  put_secret(encoded);
  CPLFree(decoded);
  CPLFree(encoded);
}

/* A secret in the forms in which drivers and their libraries repeat it. */
static void add_secret(const char *secret) {
  gv_text plain = {0}; /* without quotation marks */
  for (const char *at = secret; *at != '\0'; at++) {
    if (*at == '\\' && at[1] != '\0') {
      gv_text_put(&plain, ++at, 1);
    } else if (*at != '\'' && *at != '"') {
      gv_text_put(&plain, at, 1);
    }
  }
  char *unquoted = gv_text_take(&plain), *rest = NULL;
  put_in_codes(secret);
  if (unquoted == NULL) {
    memory.failed = true;
    return;
  }
  put_in_codes(unquoted);
  /* libpq complains about single words of a value that should have been quoted. */
  for (char *word = strtok_r(unquoted, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
    put_secret(word);
  free(unquoted);
}

void gv_source_remember(const char *source) {
  gv_text secrets = {0}, plain = {0};
  known one;
  one.name = clean_source(source, &secrets, &one.first);
  patience left = at_first;
  cleaner c = {.text = source, .out = &plain, .first = SIZE_MAX, .left = &left};
  clean(&c);
  pthread_mutex_lock(&memory.lock);
  bool plain_name = c.first == SIZE_MAX && one.first == SIZE_MAX; /* which no rule would touch */
  bool known_already = false;
  for (int64_t i = 0; i < memory.source_count && !plain_name && !known_already; i++)
    known_already = strcmp(memory.sources[i].source, source) == 0;
  if (!plain_name && !known_already) {
    known *more = gv_grow(memory.sources, &memory.source_room, memory.source_count + 1, sizeof *more);
    if (more != NULL) memory.sources = more;
    one.source = strdup(source);
    if (more != NULL && one.source != NULL && one.name != NULL) {
      memory.sources[memory.source_count++] = one;
      one.name = NULL;
    } else {
      memory.failed = true;
      free(one.source);
    }
    for (size_t at = 0; at < secrets.length; at += strlen(secrets.bytes + at) + 1)
      add_secret(secrets.bytes + at);
  }
  memory.failed |= secrets.failed || plain.failed || memory.secrets.failed;
  pthread_mutex_unlock(&memory.lock);
  free(one.name);
  gv_text_free(&plain);
  gv_text_free(&secrets);
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

static size_t common_length(const char *a, const char *b) {
  size_t length = 0;
  while (a[length] != '\0' && a[length] == b[length])
    length++;
  return length;
}

/* A source that was remembered, or as much of it as has some of a secret. */
static size_t replace_source(cleaner *c, size_t at) {
  const known *best = NULL;
  size_t longest = 0;
  for (int64_t i = 0; i < memory.source_count; i++) {
    const known *one = &memory.sources[i];
    size_t length = common_length(one->source, c->text + at);
    bool counts = one->source[length] == '\0' || (one->first != SIZE_MAX && length > one->first);
    if (!counts || length <= longest) continue;
    longest = length;
    best = one;
  }
  if (best != NULL) gv_text_put_string(c->out, best->name);
  return at + longest;
}

/* A secret that was remembered, wherever it stands. */
static size_t replace_secret(cleaner *c, size_t at) {
  const char *text = c->text + at;
  size_t longest = 0;
  for (size_t k = 0; k < memory.secrets.length;) {
    const char *secret = memory.secrets.bytes + k;
    size_t full = strlen(secret), length = common_length(secret, text);
    bool stands_alone = at > 0 && strchr("=:/,'\"", text[-1]) != NULL && !isalnum((unsigned char)text[length]);
    bool is_cut = length >= LEAST_SECRET && text[length] == '\0';
    bool found = length == full && (full >= LEAST_SECRET || stands_alone);
    if ((found || is_cut) && length > longest) longest = length;
    k += full + 1;
  }
  if (longest > 0) gv_text_put_string(c->out, hidden);
  return at + longest;
}

static char *clean_text(const char *message, bool foreign) {
  gv_text out = {0};
  patience left = at_first;
  cleaner c = {.text = message, .out = &out, .first = SIZE_MAX, .left = &left};
  pthread_mutex_lock(&memory.lock);
  for (size_t at = 0; message[at] != '\0';) {
    size_t next = replace_source(&c, at);
    if (next == at && foreign) next = apply_rules(&c, at);
    if (next == at && foreign) next = replace_secret(&c, at);
    if (next == at) gv_text_put(&out, message + next++, 1);
    at = next;
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
