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
#include <dlfcn.h>
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

// Here rather than in the environment, of which a worker gets little.
#define OPTIONS                                                                                  \
  /* Tests kill processes by these signals, and look at what came of it. */                      \
  "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:"                                               \
  /* As without a sanitizer: who asks for too much gets nothing. */                              \
  "allocator_may_return_null=1:"

#if HAS_ADDRESS_SANITIZER
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  // A leak search stops the process from another one, which a confined process cannot start. The
  // additional stacks of every thread would count toward a worker's memory bound.
  return OPTIONS "detect_leaks=0:detect_stack_use_after_return=0:use_sigaltstack=0";
}
#endif

#if HAS_THREAD_SANITIZER
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return OPTIONS "die_after_fork=0"; }

const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) {
  // Swift marks a change of a generic class's property at the beginning of the object, which a
  // thread about to take the object's own lock reads before it has it.
  return "race_top:s11FlyingSocks7StorageCAARi_zrlE4lockyyF\n";
}

// Where threads wait for each other, Swift's Mutex continues in its own library, which has no
// sanitizer: what is done under the lock would seem unordered. So these functions stand in front of
// that library's and report what they do.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void csystem_lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK_SLOW);
SWIFT void csystem_lock_slow(uint32_t thread, SELF mutex) {
  SWIFT void (*lock)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK_SLOW);
  lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void csystem_unlock_slow(SELF mutex) __asm__(UNLOCK_SLOW);
SWIFT void csystem_unlock_slow(SELF mutex) {
  SWIFT void (*unlock)(SELF) = dlsym(RTLD_NEXT, UNLOCK_SLOW);
  __tsan_release(mutex);
  unlock(mutex);
}
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
  // A confined process cannot open it later. The number stays clear of those that tests look at.
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
