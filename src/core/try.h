/* Going on only if a call succeeded. */
#ifndef GV_TRY_H
#define GV_TRY_H

/* Returns the status of a call that fails; for functions that have nothing to release yet. */
#define GV_TRY(call)                                                                                         \
  do {                                                                                                       \
    const gv_status gv_tried = (call);                                                                       \
    if (gv_tried != GV_OK) return gv_tried;                                                                  \
  } while (0)

#endif
