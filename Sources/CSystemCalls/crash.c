#define _GNU_SOURCE
#include "CSystemSandbox.h"

#include <signal.h>

#ifdef __linux__
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Nothing here may allocate, lock, or use anything that a crash may have left half done.

static size_t append_text(char *line, size_t length, const char *text) {
  while (*text != 0) line[length++] = *text++;
  return length;
}

static size_t append_number(char *line, size_t length, uint64_t number) {
  char digits[24];
  size_t count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  while (count > 0) line[length++] = digits[--count];
  return length;
}

/// The memory that counts toward the bound; 0 when unknown.
static uint64_t bounded_memory(void) {
  char status[4096];
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t count = read(fd, status, sizeof status - 1);
  close(fd);
  if (count <= 0) return 0;
  status[count] = 0;
  const char *place = strstr(status, "VmData:");
  if (place == NULL) return 0;
  uint64_t kilobytes = 0;
  for (place += 7; *place == ' ' || *place == '\t'; place++) {}
  for (; *place >= '0' && *place <= '9'; place++)
    kilobytes = kilobytes * 10 + (uint64_t)(*place - '0');
  return kilobytes * 1024;
}

static void report_memory(int signal) {
  struct rlimit limit;
  uint64_t had = bounded_memory();
  // What a process with memory to spare crashed of is something else.
  if (had != 0 && getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      had >= limit.rlim_cur - limit.rlim_cur / 16) {
    char line[128];
    size_t length = append_text(line, 0, "\n" CSYSTEM_OUT_OF_MEMORY);
    length = append_number(line, length, had);
    length = append_text(line, length, " of ");
    length = append_number(line, length, (uint64_t)limit.rlim_cur);
    length = append_text(line, length, " bytes\n");
    ssize_t written = write(STDERR_FILENO, line, length);
    (void)written;
  }
  // The handler is reset, so that the signal, delivered when this returns, has its usual effect.
  // The thread's number is asked for, because in a fork libc remembers another's.
  syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), signal);
}

void csystem_report_memory_at_crash(void) {
  static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  struct sigaction action = {.sa_handler = report_memory, .sa_flags = SA_RESETHAND | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
}
#else
void csystem_report_memory_at_crash(void) {}
#endif
