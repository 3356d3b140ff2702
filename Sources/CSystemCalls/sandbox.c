#define _GNU_SOURCE
#include "CSystemSandbox.h"

#include "CSystemSanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// System headers are often older than the kernel, so the following is spelled out.

struct landlock_rules {
  uint64_t handled_files;
  uint64_t handled_network;
  uint64_t scoped;
};

enum {
  file_truncate = 1 << 14,
  file_device_control = 1 << 15,
  network_bind = 1 << 0,
  network_connect = 1 << 1,
  scope_abstract_socket = 1 << 0,
  scope_signal = 1 << 1,
};

static uint64_t handled_files(int version) {
  uint64_t files = ((uint64_t)1 << 13) - 1;
  if (version >= 2) files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) files |= file_truncate;
  if (version >= 5) files |= file_device_control;
  return files;
}

int csystem_landlock_version(void) {
  long version =
      syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

int csystem_landlock_begin(int allows_network) {
  int version = csystem_landlock_version();
  struct landlock_rules rules = {.handled_files = handled_files(version)};
  if (version >= 4 && !allows_network) rules.handled_network = network_bind | network_connect;
  if (version >= 6) rules.scoped = scope_abstract_socket | scope_signal;
  // Kernels refuse unknown fields only when they are nonzero.
  return (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
}

static int open_place(const char *path, int access) {
  if (!(access & csystem_access_exact)) return open(path, O_PATH | O_CLOEXEC);
  enum { resolve_no_symlinks = 4 };
  const struct {
    uint64_t flags, mode, resolve;
  } how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve_no_symlinks};
  // Older than Landlock, so it is there.
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int csystem_landlock_allow(int list, const char *path, int access) {
  int fd = open_place(path, access);
  if (fd < 0) return errno;
  struct stat status;
  int problem = fstat(fd, &status) == 0 ? 0 : errno;
  uint64_t files = 0;
  if (access & csystem_access_read)
    files |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (access & csystem_access_look_up) files |= LANDLOCK_ACCESS_FS_READ_FILE;
  if (access & csystem_access_run)
    files |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
  if (access & csystem_access_write)
    files |= LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
             LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM |
             LANDLOCK_ACCESS_FS_REFER | file_truncate;
  if (problem == 0 && !S_ISDIR(status.st_mode))
    files &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
             LANDLOCK_ACCESS_FS_EXECUTE | file_truncate;
  struct landlock_path_beneath_attr rule = {
      .allowed_access = files & handled_files(csystem_landlock_version()),
      .parent_fd = fd,
  };
  if (problem == 0 &&
      syscall(SYS_landlock_add_rule, list, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
    problem = errno;
  close(fd);
  return problem;
}

int csystem_landlock_enforce(int list) {
  int problem = syscall(SYS_landlock_restrict_self, list, 0) == 0 ? 0 : errno;
  close(list);
  return problem;
}

int csystem_forbid_new_privileges(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

int csystem_drop_capabilities(int keeps_reading) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct had[2], has[2];
  if (syscall(SYS_capget, &header, had) != 0) return errno;
  memset(has, 0, sizeof has);
  if (keeps_reading) has[0].permitted = had[0].permitted & (1u << CAP_DAC_READ_SEARCH);
  has[0].effective = has[0].permitted;
  if (syscall(SYS_capset, &header, has) != 0) return errno;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return 0;
}

uint64_t csystem_private_memory(void) {
  FILE *status = fopen("/proc/self/status", "re");
  if (status == NULL) return 0;
  char line[128];
  unsigned long kilobytes = 0;
  while (fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmData: %lu", &kilobytes) == 1) break;
  fclose(status);
  return (uint64_t)kilobytes * 1024;
}
#else
int csystem_landlock_version(void) { return 0; }
int csystem_landlock_begin(int allows_network) {
  (void)allows_network;
  errno = ENOSYS;
  return -1;
}
int csystem_landlock_allow(int list, const char *path, int access) {
  (void)list, (void)path, (void)access;
  return ENOSYS;
}
int csystem_landlock_enforce(int list) {
  (void)list;
  return ENOSYS;
}
int csystem_forbid_new_privileges(void) { return ENOSYS; }
int csystem_drop_capabilities(int keeps_reading) {
  (void)keeps_reading;
  return ENOSYS;
}
uint64_t csystem_private_memory(void) { return 0; }
#endif

int csystem_limit(enum csystem_limit resource, uint64_t bound) {
#ifdef RLIMIT_RTPRIO
  static const int realtime = RLIMIT_RTPRIO;
#else
  static const int realtime = -1;
#endif
  const int resources[] = {RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_CORE, realtime,
                           RLIMIT_STACK, RLIMIT_CPU};
  if (resources[resource] < 0) return 0;
  struct rlimit limit;
  // What a sanitizer reserves counts, although it is never occupied, and exceeds any machine's
  // memory.
  if (resource == csystem_limit_memory && csystem_sanitizer() != NULL &&
      bound <= csystem_private_memory())
    return 0;
  if (getrlimit(resources[resource], &limit) != 0) return errno;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max <= bound) bound = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = bound;
  return setrlimit(resources[resource], &limit) == 0 ? 0 : errno;
}

// More descriptors than this are not worth counting; the sandbox allows far fewer.
#define COUNTED_DESCRIPTORS 4096

csystem_share csystem_use_of(enum csystem_limit resource) {
  const csystem_share unknown = {0, 0};
  struct rlimit limit;
  if (resource == csystem_limit_memory) {
    // What a sanitizer reserves counts, and is always near the bound.
    if (csystem_sanitizer() != NULL || getrlimit(RLIMIT_DATA, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY)
      return unknown;
    return (csystem_share){csystem_private_memory(), limit.rlim_cur};
  }
  if (resource != csystem_limit_descriptors || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
      limit.rlim_cur > COUNTED_DESCRIPTORS)
    return unknown;
  struct pollfd places[COUNTED_DESCRIPTORS];
  for (rlim_t place = 0; place < limit.rlim_cur; place++)
    places[place] = (struct pollfd){.fd = (int)place};
  // One system call reports which are open, even where none is left with which to list a folder.
  if (poll(places, limit.rlim_cur, 0) < 0) return unknown;
  csystem_share share = {0, limit.rlim_cur};
  for (rlim_t place = 0; place < limit.rlim_cur; place++)
    if (!(places[place].revents & POLLNVAL)) share.used++;
  return share;
}
