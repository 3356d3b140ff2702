#define _GNU_SOURCE
#include "CSystemSanitizer.h"

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#endif
#endif

#if HAS_ADDRESS_SANITIZER || HAS_THREAD_SANITIZER
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

const char *csystem_sanitizer(void) {
#if HAS_ADDRESS_SANITIZER
  return "address";
#else
  return "thread";
#endif
}

// Here and not in the environment, of which a worker gets little.
#define OPTIONS                                                                                  \
  /* Tests kill processes by these signals, and look at what came of it. */                      \
  "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:"                                               \
  /* As without a sanitizer: who asks for too much gets nothing. */                              \
  "allocator_may_return_null=1:"

#if HAS_ADDRESS_SANITIZER
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  // A search for leaks stops the process from another one, which a confined process cannot start. The
  // second stack of every thread would be taken out of a worker's bound on memory.
  return OPTIONS "detect_leaks=0:detect_stack_use_after_return=0";
}
#endif

#if HAS_THREAD_SANITIZER
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return OPTIONS "die_after_fork=0"; }
#endif

const char *csystem_reports(void) {
#ifdef CSYSTEM_REPORTS
  return CSYSTEM_REPORTS;
#else
  return NULL;
#endif
}

void __sanitizer_set_report_fd(void *fd);

void csystem_open_reports(void) {
#ifdef CSYSTEM_REPORTS
  // A confined process cannot open it later. Out of the way of the numbers that tests look at.
  static int reports = -1;
  if (reports < 0) {
    int fd = open(CSYSTEM_REPORTS, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return;
    reports = fcntl(fd, F_DUPFD_CLOEXEC, 200);
    close(fd);
  }
  if (reports >= 0) __sanitizer_set_report_fd((void *)(intptr_t)reports);
#endif
}

__attribute__((constructor)) static void open_reports(void) { csystem_open_reports(); }
#else
const char *csystem_sanitizer(void) { return NULL; }
const char *csystem_reports(void) { return NULL; }
void csystem_open_reports(void) {}
#endif
