/* For LD_PRELOAD: a process that takes two seconds to leave, as others do on a busy machine. */
#include <unistd.h>

__attribute__((destructor)) static void leave_slowly(void) {
  (void)sleep(2);
}
