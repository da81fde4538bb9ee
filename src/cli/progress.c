#include "cli/progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { STEPS = 40 };

static atomic_int shown = -1; /* steps on the line; -1: no bar has begun */
static atomic_bool ended;

bool cli_wants_progress(bool requested, bool quiet, bool json) {
  return !quiet && (requested || (!json && isatty(STDERR_FILENO)));
}

int cli_show_progress(double fraction, void *unused) {
  (void)unused;
  int step = atomic_load(&shown);
  if (atomic_load(&ended)) return 1;
  while (step < STEPS && step < (int)(STEPS * fraction)) {
    step++;
    if (step % 4 == 0) {
      fprintf(stderr, "%d", step / 4 * 10);
    } else {
      fputc('.', stderr);
    }
    if (step == STEPS) {
      fputs(" - done.\n", stderr);
      atomic_store(&ended, true);
    }
  }
  atomic_store(&shown, step);
  fflush(stderr);
  return 1;
}

void cli_complete_progress(void) {
  if (atomic_load(&shown) >= 0) (void)cli_show_progress(1.0, NULL);
}

void cli_end_progress(void) {
  if (atomic_load(&shown) < 0 || atomic_exchange(&ended, true)) return;
  fputc('\n', stderr);
}
