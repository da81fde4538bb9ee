/*
 * The threads of this process that wait for work. They are made when they are first wanted and kept, asleep: waking one takes a
 * microsecond or two, making one ten or more.
 */
#ifndef GV_POOL_H
#define GV_POOL_H

/* What a thread does: `number` is 0 for the calling thread, other threads have 1, 2 ... */
typedef void gv_pool_work(void *user, int number);

/*
 * Calls work(user, 0) here and work(user, number) in up to threads - 1 other threads, and returns when all have returned. There may
 * be fewer threads, down to the calling one alone: where the system gives no more of them, or where the work is done before they
 * are awake.
 */
void gv_pool_run(int threads, gv_pool_work *work, void *user);

#endif
