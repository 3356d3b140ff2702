#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <link.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

int csystem_spawn(const char *path, char *const argv[], char *const envp[],
                  int input, int output, int error, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result = posix_spawn_file_actions_init(&actions);
  if (result != 0) return result;
  result = posix_spawnattr_init(&attributes);
  if (result != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return result;
  }
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef __APPLE__
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, flags);
  posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, error, 2);
#ifdef __linux__
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
  result = posix_spawn(pid, path, &actions, &attributes, argv, envp);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

int csystem_pipe(int ends[2]) {
#ifdef __linux__
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
#else
  if (pipe(ends) != 0) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
  // A process started without its standard three would use their numbers for its first pipes; a
  // child's 0, 1 and 2 could then not be put in place without closing one another.
  for (int i = 0; i < 2; i++) {
    if (ends[i] >= 3) continue;
    int moved = csystem_duplicate(ends[i]);
    int problem = errno;
    close(ends[i]);
    ends[i] = moved;
    if (moved >= 0) continue;
    close(ends[1 - i]);
    return problem;
  }
  return 0;
}

int csystem_pidfd(pid_t pid) {
#ifdef __linux__
  return (int)syscall(SYS_pidfd_open, pid, 0);
#else
  (void)pid;
  return -1;
#endif
}

int csystem_signal(int pidfd, int signal) {
#ifdef __linux__
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
#else
  (void)pidfd;
  (void)signal;
  errno = ENOSYS;
  return -1;
#endif
}

int csystem_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 3); }

int csystem_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return errno;
  return fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : errno;
}

int csystem_end_with_parent(void) {
#ifdef __linux__
  pid_t parent = getppid();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  // The parent may have ended between the two calls; then the signal would never be sent.
  return getppid() == parent ? 0 : -1;
#else
  return 0;
#endif
}

// Atomic, because the signal may reach another thread than the one that sets it.
static atomic_int watched = -1;

static void end_if_hung_up(int signal) {
  (void)signal;
  int problem = errno;
  struct pollfd request = {.fd = watched, .events = 0};
  if (poll(&request, 1, 0) > 0 && (request.revents & (POLLHUP | POLLERR)) != 0) _exit(0);
  errno = problem;
}

void csystem_end_at_hangup(int fd) {
  int last = watched;
  if (last >= 0) fcntl(last, F_SETFL, fcntl(last, F_GETFL) & ~O_ASYNC);
  watched = fd;
  // The handler stays when the watch ends: a signal under way finds nothing to look at.
  if (fd < 0) return;
  struct sigaction action = {.sa_handler = end_if_hung_up, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGIO, &action, NULL);
  fcntl(fd, F_SETOWN, getpid());
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
  // The other end may have closed before the watch began.
  end_if_hung_up(SIGIO);
}

static void wipe(char *text) {
  for (volatile char *byte = text; *byte != 0; byte++) *byte = 0;
}

void csystem_forget_variable(const char *name) {
  // The system shows the environment that a process began with, wherever its own has moved since.
  char *value = getenv(name);
  if (value != NULL) wipe(value);
  unsetenv(name);
}

void csystem_forget_credentials(const char *name) {
  char *value = getenv(name);
  if (value == NULL) return;
  char *start = strstr(value, "://");
  if (start == NULL) {
    csystem_forget_variable(name);
    return;
  }
  start += strlen("://");
  // A user and a password end with the last '@' before the path.
  char *host = start;
  size_t authority = strcspn(start, "/?#");
  for (char *byte = start; byte < start + authority; byte++)
    if (*byte == '@') host = byte + 1;
  // In place, so that no copy is left.
  size_t length = strcspn(host, "?#");
  memmove(start, host, length);
  wipe(start + length);
}

void csystem_raise_descriptors(void) {
  // Far more than is needed, and far less than what some systems call unlimited.
  const rlim_t most = 65536;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= most) return;
  limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int csystem_columns(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void csystem_print_by_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

#ifdef __linux__
struct build_id {
  char *buffer;
  size_t size;
  size_t length;
};

static int find_build_id(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct build_id *found = data;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_NOTE) continue;
    const char *note = (const char *)(info->dlpi_addr + header->p_vaddr);
    const char *end = note + header->p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *entry = (const ElfW(Nhdr) *)note;
      const char *name = note + sizeof(*entry);
      const unsigned char *value = (const unsigned char *)name + ((entry->n_namesz + 3) & ~3u);
      note = (const char *)value + ((entry->n_descsz + 3) & ~3u);
      if (note > end) break;
      if (entry->n_type != NT_GNU_BUILD_ID || entry->n_namesz != 4 || memcmp(name, "GNU", 4) != 0)
        continue;
      for (size_t j = 0; j < entry->n_descsz && found->length + 2 < found->size; j++)
        found->length += (size_t)snprintf(found->buffer + found->length, 3, "%02x", value[j]);
      return 1;
    }
  }
  // The first object is the executable itself; the libraries after it do not matter.
  return 1;
}
#endif

size_t csystem_build_id(char *buffer, size_t size) {
#ifdef __linux__
  struct build_id found = {buffer, size, 0};
  dl_iterate_phdr(find_build_id, &found);
  return found.length;
#else
  (void)buffer;
  (void)size;
  return 0;
#endif
}

#ifdef __linux__
struct library {
  const char *name;
  char *folder;
  size_t size;
  size_t length;
};

static int find_library(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct library *library = data;
  const char *slash = strrchr(info->dlpi_name, '/');
  if (slash == NULL || strcmp(slash + 1, library->name) != 0) return 0;
  size_t length = (size_t)(slash - info->dlpi_name);
  if (length < library->size) {
    memcpy(library->folder, info->dlpi_name, length);
    library->length = length;
  }
  return 1;
}
#endif

size_t csystem_library_folder(const char *name, char *folder, size_t size) {
#ifdef __linux__
  struct library library = {name, folder, size, 0};
  dl_iterate_phdr(find_library, &library);
  return library.length;
#else
  (void)name, (void)folder, (void)size;
  return 0;
#endif
}

int csystem_yield_readily(void) {
#ifdef SYS_sched_setattr
  // The kernel's structure, which not every libc declares.
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = 48, .flags = 0x08 /* SCHED_FLAG_KEEP_POLICY */};
  errno = 0;
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  if (errno != 0) return errno;
  // Since Linux 6.12 a waking thread with a shorter slice does not wait for the end of this one;
  // the default slice is at most 3 ms.
  attributes.runtime = 5 * 1000 * 1000;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? 0 : errno;
#else
  return ENOTSUP;
#endif
}

int csystem_lock(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    int problem = errno;
    close(fd);
    errno = problem;
    return -1;
  }
  return fd;
}

int csystem_is_ignored(int signal) {
  struct sigaction action;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
