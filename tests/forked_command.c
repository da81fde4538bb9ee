/*
 * For LD_PRELOAD: a program that has been loaded and linked once waits before main, and forks for each run
 * that forked_command.py requests. More than half of the time of a short run is the dynamic linker's, for the
 * hundred libraries that GDAL needs.
 *
 * A request: its length in bytes (8), with the three standard streams as ancillary data, then strings that
 * end with a zero: the directory and the arguments. The reply: the number of the process (8) when it has
 * started, and its wait status (8) when it has ended.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_VARIABLE "GPUVORONOI_FORKED_COMMAND_SOCKET"

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                           void *);

start_function __libc_start_main;

static main_function *real_main;
static char **arguments; /* of this run */
static int argument_count;

static int run_main(int count, char **ignored, char **environment) {
  (void)count;
  (void)ignored;
  return real_main(argument_count, arguments, environment);
}

static void receive(int from, void *bytes, size_t count) {
  for (ssize_t got; count > 0; count -= (size_t)got, bytes = (char *)bytes + got) {
    got = read(from, bytes, count);
    if (got <= 0) _exit(0); /* the tests have ended */
  }
}

static void reply(int to, int64_t number) {
  if (write(to, &number, sizeof number) != sizeof number) _exit(0);
}

/* The length of the next request, and its streams. */
static int64_t receive_streams(int from, int streams[3]) {
  int64_t length = 0;
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(3 * sizeof(int))];
  } control;
  struct iovec data = {&length, sizeof length};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got = recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (got != sizeof length || length <= 0 || header == NULL || header->cmsg_len != CMSG_LEN(3 * sizeof(int)))
    _exit(0);
  memcpy(streams, CMSG_DATA(header), 3 * sizeof(int));
  return length;
}

/* The strings of a request: the directory becomes the current one, the others are the arguments. */
static void use(char *text, int64_t length) {
  char *end = text + length, *directory = text;
  arguments = calloc((size_t)length + 1, sizeof *arguments);
  if (arguments == NULL || chdir(directory) != 0) _exit(127);
  for (char *at = directory + strlen(directory) + 1; at < end; at += strlen(at) + 1)
    arguments[argument_count++] = at;
}

/* Returns in each child, which is to run main. */
static void serve(int requests) {
  for (;;) {
    int streams[3], status = 0;
    int64_t length = receive_streams(requests, streams);
    char *text = malloc((size_t)length);
    if (text == NULL) _exit(1);
    receive(requests, text, (size_t)length);
    pid_t child = fork();
    if (child == 0) {
      close(requests);
      for (int i = 0; i < 3; i++)
        if (dup2(streams[i], i) != i) _exit(127);
      use(text, length);
      return;
    }
    free(text);
    for (int i = 0; i < 3; i++)
      close(streams[i]);
    if (child < 0) _exit(1);
    reply(requests, child);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    reply(requests, status);
  }
}

int __libc_start_main(main_function *given, int count, char **vector, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack) {
  start_function *next;
  *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
  const char *requests = getenv(SOCKET_VARIABLE);
  if (requests == NULL) return next(given, count, vector, init, fini, loader, stack);
  int number = atoi(requests);
  unsetenv(SOCKET_VARIABLE);
  unsetenv("LD_PRELOAD");
  serve(number);
  real_main = given;
  return next(run_main, count, vector, init, fini, loader, stack);
}
