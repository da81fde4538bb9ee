/* Functions that the shared library exports for the command and the driver of the same version; they are not
 * part of the API. */
#ifndef GV_SHARED_H
#define GV_SHARED_H

#if defined(__GNUC__) && !defined(_WIN32)
#define GV_SHARED __attribute__((visibility("default")))
#else
#define GV_SHARED
#endif

#endif
