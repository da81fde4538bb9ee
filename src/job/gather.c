/* What processes of one run have found beside cells: sums, cells without a seed, and which regions meet. It all goes to the first. */
#include "job/run.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 1 << 20 };

/* What a process tells first. */
typedef struct header {
  int64_t empty, pairs, records;
} header;

typedef struct gathering {
  gv_run *r;
  gv_team *team;
  gv_run_sums sums;
  unsigned char *message;
  int64_t record_bytes;
} gathering;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Records of a message. */
static int64_t records_together(const gathering *g) {
  return g->record_bytes > 0 && g->record_bytes < MESSAGE_BYTES ? MESSAGE_BYTES / g->record_bytes : 1;
}

/* Everything that can fail before the first message. */
static gv_status prepare(gathering *g) {
  gv_run *r = g->r;
  gv_status status = gv_run_list_sums(r, &g->sums);
  g->record_bytes = gv_run_sum_bytes(r);
  g->message = malloc((size_t)(g->record_bytes > MESSAGE_BYTES ? g->record_bytes : MESSAGE_BYTES));
  if (status == GV_OK && g->message == NULL) status = gv_io_fail_memory(r->io, "the statistics");
  for (int i = 1; i < r->worker_count && status == GV_OK && r->style; i++)
    status = gv_adjacency_merge(r->io, &r->workers[0].adjacency, &r->workers[i].adjacency);
  return status;
}

static gv_status send_all(gathering *g) {
  gv_run *r = g->r;
  gv_team *team = g->team;
  const gv_adjacency *pairs = &r->workers[0].adjacency;
  header h = {gv_run_empty(r), r->style ? (int64_t)pairs->count : 0, g->sums.count};
  gv_status status = team->send(r->io, team->user, &h, sizeof h);
  int64_t room = MESSAGE_BYTES / (int64_t)sizeof(uint64_t), kept = 0;
  for (uint64_t i = 0; h.pairs > 0 && i < pairs->capacity && status == GV_OK; i++) {
    if (pairs->slots[i] == 0) continue;
    memcpy(g->message + (size_t)kept++ * sizeof(uint64_t), &pairs->slots[i], sizeof(uint64_t));
    h.pairs--;
    if (kept < room && h.pairs > 0) continue;
    status = team->send(r->io, team->user, g->message, (size_t)kept * sizeof(uint64_t));
    kept = 0;
  }
  room = records_together(g);
  for (int64_t i = 0; i < h.records && status == GV_OK; i += room) {
    int64_t count = least(room, h.records - i);
    for (int64_t k = 0; k < count && status == GV_OK; k++)
      status = gv_run_put_sum(r->io, &g->sums, i + k, g->message + k * g->record_bytes);
    if (status == GV_OK) status = team->send(r->io, team->user, g->message, (size_t)(count * g->record_bytes));
  }
  return status;
}

/* Takes all that comes, also where it has no place for it. */
static gv_status receive_all(gathering *g, int from) {
  gv_run *r = g->r;
  gv_team *team = g->team;
  header h;
  gv_status bad = GV_OK, status = team->receive(r->io, team->user, from, &h, sizeof h);
  if (status != GV_OK) return status;
  r->workers[0].empty += h.empty;
  int64_t room = MESSAGE_BYTES / (int64_t)sizeof(uint64_t);
  for (int64_t i = 0; i < h.pairs && status == GV_OK; i += room) {
    int64_t count = least(room, h.pairs - i);
    status = team->receive(r->io, team->user, from, g->message, (size_t)count * sizeof(uint64_t));
    for (int64_t k = 0; k < count && status == GV_OK && bad == GV_OK; k++) {
      uint64_t pair;
      memcpy(&pair, g->message + (size_t)k * sizeof pair, sizeof pair);
      bad = gv_adjacency_add(r->io, &r->workers[0].adjacency, pair);
    }
  }
  room = records_together(g);
  for (int64_t i = 0; i < h.records && status == GV_OK; i += room) {
    int64_t count = least(room, h.records - i);
    status = team->receive(r->io, team->user, from, g->message, (size_t)(count * g->record_bytes));
    for (int64_t k = 0; k < count && status == GV_OK && bad == GV_OK; k++)
      bad = gv_run_add_sum(r->io, r, g->message + k * g->record_bytes);
  }
  return status == GV_OK ? bad : status;
}

gv_status gv_run_gather(gv_run *r, gv_status status) {
  gathering g = {.r = r, .team = r->j->team};
  gv_status own = status == GV_OK ? prepare(&g) : status;
  status = g.team->agree(r->io, g.team->user, own);
  if (status == GV_OK) status = own;
  g.team->done = status == GV_OK;
  if (status == GV_OK && gv_run_helps(r)) status = send_all(&g);
  for (int from = 1; from < g.team->ranks && !gv_run_helps(r) && g.team->done; from++) {
    gv_status received = receive_all(&g, from);
    if (status == GV_OK) status = received;
  }
  free(g.sums.rows);
  free(g.message);
  return status;
}
