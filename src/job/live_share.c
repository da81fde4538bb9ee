/* Which rasters are one: those of one description whose files are the same. */
#include "job/live_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/path.h"
#include "io/text.h"

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static gv_live *shared;

/* ------------------------------------------------------------------------------------------------------- stamps */

char *gv_live_key(const gv_description *d) {
  gv_text text = {0};
  for (int row = 0; row < GV_JOB_OPTIONS; row++) {
    for (int64_t i = 0; i < d->count; i++) {
      if (d->list[i].option != &gv_job_options[row]) continue;
      gv_text_put_string(&text, gv_job_options[row].name);
      gv_text_put_string(&text, "=");
      if (d->list[i].value != NULL) gv_text_put_json(&text, d->list[i].value);
      gv_text_put_string(&text, "\n");
    }
  }
  return gv_text_take(&text);
}

/* True if a file may change once more without its time telling: clocks of file systems tick every 10 ms or every second. */
static bool is_fresh(const VSIStatBufL *found) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  double age = (double)(now.tv_sec - found->st_mtim.tv_sec) + 1e-9 * (double)(now.tv_nsec - found->st_mtim.tv_nsec);
  return age < (found->st_mtim.tv_nsec == 0 ? 2.0 : 0.02);
}

/* False if there is no file of that name, or one that cannot be told from what it may become. */
static bool stamp(const char *path, gv_text *out) {
  VSIStatBufL found;
  char line[128];
  if (VSIStatL(path, &found) != 0 || is_fresh(&found)) return false;
  snprintf(line, sizeof line, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 ".%09ld\n", (int64_t)found.st_dev,
           (int64_t)found.st_ino, (int64_t)found.st_size, (int64_t)found.st_mtim.tv_sec,
           (long)found.st_mtim.tv_nsec);
  gv_text_put_string(out, line);
  return true;
}

/* What drivers keep beside a file of this name, or within a folder. */
static void stamp_company(const char *path, gv_text *out) {
  static const char *const suffixes[] = {"-wal", ".aux.xml", ".ovr"};
  static const char *const extensions[] = {"dbf", "shx", "prj", "cpg", "vrt"};
  enum { MOST = 1000 };
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    char *beside = gv_path_add(path, suffixes[i]);
    if (beside == NULL || !stamp(beside, out)) gv_text_put_string(out, "-\n");
    free(beside);
  }
  for (size_t i = 0; EQUAL(CPLGetExtension(path), "shp") && i < sizeof extensions / sizeof *extensions; i++)
    if (!stamp(CPLResetExtension(path, extensions[i]), out)) gv_text_put_string(out, "-\n");
  char **within = VSIReadDirEx(path, MOST);
  for (int i = 0; within != NULL && within[i] != NULL && i < MOST; i++) {
    char *one = gv_path_join(path, within[i]);
    if (one != NULL) (void)stamp(one, out);
    free(one);
  }
  CSLDestroy(within);
}

char *gv_live_stamps(const gv_description *d) {
  gv_text text = {0};
  bool told = true;
  for (int64_t i = 0; i < d->count && told; i++) {
    const gv_given *one = &d->list[i];
    if (!one->option->names_file || strchr("{<", one->value[0]) != NULL) continue;
    told = stamp(one->value, &text);
    if (told) stamp_company(one->value, &text);
  }
  char *stamps = gv_text_take(&text);
  if (told) return stamps;
  free(stamps);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------ sharing */

gv_live *gv_live_find(const char *key, const char *stamps) {
  pthread_mutex_lock(&shared_lock);
  gv_live *found = shared;
  while (found != NULL && (strcmp(found->key, key) != 0 || strcmp(found->stamps, stamps) != 0))
    found = found->next;
  if (found != NULL) found->users++;
  pthread_mutex_unlock(&shared_lock);
  return found;
}

void gv_live_share(gv_live *live) {
  pthread_mutex_lock(&shared_lock);
  live->next = shared;
  shared = live;
  pthread_mutex_unlock(&shared_lock);
}

bool gv_live_leave_shared(gv_live *live) {
  pthread_mutex_lock(&shared_lock);
  bool last = --live->users == 0;
  gv_live **at = &shared;
  while (last && *at != NULL && *at != live)
    at = &(*at)->next;
  if (last && *at == live) *at = live->next;
  pthread_mutex_unlock(&shared_lock);
  return last;
}
