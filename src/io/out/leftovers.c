/* Locks, journals, and finishing what others have begun. */
#include "io/out/leftovers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include <cpl_vsi.h>

#include "io/inputs.h"
#include "io/out/sync.h"
#include "io/path.h"
#include "io/retry.h"

/* A journal is a list of strings, each with its NUL: the head; for each directory its name behind DIRECTORY; for each move, behind
 * MOVE, from ("" for none), to, and what was at `to` ("" for nothing); the end, without which it is not complete. */
static const char HEAD[] = "gpuvoronoi moves 1", DIRECTORY[] = "directory", MOVE[] = "move", END[] = "end";

enum { MAX_JOURNAL = 1 << 26, MAX_PATH = 4096, IDENTITY = 128 };

void gv_leftovers_host(char *host, size_t size) {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) name[0] = '\0';
  size_t n = 0;
  for (const char *c = name; *c != '\0' && n + 1 < size; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    host[n++] = plain ? *c : '_';
  }
  if (n == 0) host[n++] = '_';
  host[n] = '\0';
}

int gv_leftovers_lock(const char *directory, bool *lost) {
  *lost = false;
  int lock = gv_retry_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (lock < 0) {
    VSIStatBufL found; /* one in GDAL's memory is there all the same */
    *lost = errno == ENOENT && VSIStatL(directory, &found) != 0;
    return -1;
  }
  struct stat opened, named;
  bool locked = flock(lock, LOCK_EX | LOCK_NB) == 0;
  *lost = !locked && errno == EWOULDBLOCK;
  if (locked && fstat(lock, &opened) == 0) {
    *lost = lstat(directory, &named) != 0 || named.st_dev != opened.st_dev || named.st_ino != opened.st_ino;
  }
  if (locked && !*lost) return lock;
  close(lock);
  return -1;
}

bool gv_leftovers_remove(const char *directory) {
  char backups[MAX_PATH]; /* also without memory */
  int length = snprintf(backups, sizeof backups, "%s/%s", directory, GV_BACKUPS);
  if (length < 0 || length >= MAX_PATH || (gv_is_there(backups) && VSIRmdirRecursive(backups) != 0)) return false;
  return VSIRmdirRecursive(directory) == 0;
}

/* What tells one state of a file from another; "" for none. */
static void identify(const char *path, char identity[IDENTITY]) {
  struct stat found;
  identity[0] = '\0';
  if (lstat(path, &found) != 0) return;
  snprintf(identity, IDENTITY, "%ju %ju %ju %jd.%09ld", (uintmax_t)found.st_dev, (uintmax_t)found.st_ino,
           (uintmax_t)found.st_size, (intmax_t)found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

static void put(FILE *file, const char *text) {
  fwrite(text, 1, strlen(text) + 1, file);
}

int gv_journal_write(char *const *directories, int count, const gv_journal_move *moves, int move_count,
                     bool lasting) {
  int error = 0;
  for (int d = 0; d < count && error == 0; d++) {
    char *path = gv_path_join(directories[d], GV_JOURNAL);
    FILE *file = path != NULL ? fopen(path, "wxe") : NULL;
    if (file == NULL) {
      error = path != NULL ? errno : ENOMEM;
      free(path);
      break;
    }
    put(file, HEAD);
    for (int i = 0; i < count; i++) {
      put(file, DIRECTORY);
      put(file, directories[i]);
    }
    for (int i = 0; i < move_count; i++) {
      char identity[IDENTITY];
      identify(moves[i].to, identity);
      put(file, MOVE);
      put(file, moves[i].from != NULL ? moves[i].from : "");
      put(file, moves[i].to);
      put(file, identity);
    }
    put(file, END);
    errno = 0;
    bool written = !ferror(file) && fflush(file) == 0;
    if (!written) error = errno != 0 ? errno : EIO;
    if (written && lasting && gv_retry_sync(fileno(file)) != 0) error = errno;
    if (fclose(file) != 0 && error == 0) error = errno;
    if (error == 0 && lasting) error = gv_sync_directory(directories[d]);
    free(path);
  }
  if (error != 0) gv_journal_remove(directories, count);
  return error;
}

void gv_journal_remove(char *const *directories, int count) {
  for (int d = 0; d < count; d++) {
    char *path = gv_path_join(directories[d], GV_JOURNAL);
    if (path != NULL) unlink(path);
    free(path);
  }
}

/* ------------------------------------------------------------------------------------------------ finishing */

/* The strings of a journal, `count` pointers into one piece of memory (the first of which is to be freed, then the list); NULL if
 * there is none, or not a whole one. */
static char **read_journal(const char *directory, int *count) {
  char *path = gv_path_join(directory, GV_JOURNAL), **list = NULL;
  int file = path != NULL ? gv_retry_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0) : -1;
  struct stat found;
  free(path);
  if (file < 0) return NULL;
  size_t size = fstat(file, &found) == 0 && found.st_size < MAX_JOURNAL ? (size_t)found.st_size : 0, n = 0;
  char *text = size > 0 ? malloc(size) : NULL;
  bool whole = text != NULL && gv_retry_read(file, text, size) == (ssize_t)size && text[size - 1] == '\0';
  close(file);
  for (size_t i = 0; whole && i < size; i++)
    n += text[i] == '\0' ? 1 : 0;
  if (whole && n >= 2) list = malloc(n * sizeof *list);
  if (list == NULL) {
    free(text);
    return NULL;
  }
  for (size_t i = 0, at = 0; i < n; i++, at += strlen(text + at) + 1)
    list[i] = text + at;
  *count = (int)n;
  if (strcmp(list[0], HEAD) == 0 && strcmp(list[n - 1], END) == 0) return list;
  free(text);
  free(list);
  return NULL;
}

/* A move that may have been carried out or not. */
static void finish_move(const char *from, const char *to, const char *was) {
  char is[IDENTITY];
  identify(to, is);
  bool untouched = strcmp(is, was) == 0, aside = is[0] == '\0';
  if (from[0] == '\0') {
    if (untouched) unlink(to);
  } else if (untouched || aside) {
    rename(from, to); /* fails where that has been done: the new file is not at `from` any more */
  }
}

/* True if there is nothing in it that is nowhere else. */
static bool is_without_backups(const char *directory) {
  char *path = gv_path_join(directory, GV_BACKUPS);
  bool none = path != NULL && (rmdir(path) == 0 || errno == ENOENT);
  free(path);
  return none;
}

static void finish(const char *directory) {
  int count = 0;
  char **journal = read_journal(directory, &count);
  if (journal == NULL) {
    if (is_without_backups(directory)) gv_leftovers_remove(directory);
    return;
  }
  int at = 1;
  while (at + 1 < count && strcmp(journal[at], DIRECTORY) == 0)
    at += 2;
  for (; at + 3 < count && strcmp(journal[at], MOVE) == 0; at += 4)
    finish_move(journal[at + 1], journal[at + 2], journal[at + 3]);
  for (int i = 1; i + 1 < count && strcmp(journal[i], DIRECTORY) == 0; i += 2)
    gv_leftovers_remove(journal[i + 1]);
  free(journal[0]);
  free(journal);
}

void gv_leftovers_clear(const char *parent, const char *prefix) {
  DIR *opened = opendir(parent);
  if (opened == NULL) return;
  for (const struct dirent *entry; (entry = readdir(opened)) != NULL;) {
    if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
    char *directory = gv_path_join(parent, entry->d_name);
    bool lost = false;
    int lock = directory != NULL ? gv_leftovers_lock(directory, &lost) : -1;
    if (lock >= 0) {
      finish(directory);
      close(lock);
    }
    free(directory);
  }
  closedir(opened);
}
