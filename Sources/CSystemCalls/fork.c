#define _GNU_SOURCE
#include "CSystemFork.h"
#include "CSystemSanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

enum { maximum_descriptors = 8 };

int csystem_socket_pair(int ends[2]) {
#ifdef __linux__
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

ssize_t csystem_send(int socket, const void *bytes, size_t size, const int *descriptors,
                     int count) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * maximum_descriptors)];
  } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > maximum_descriptors) {
    errno = EINVAL;
    return -1;
  }
  if (count > 0) {
    size_t length = sizeof(int) * (size_t)count;
    memset(&control, 0, sizeof control);
    message.msg_control = control.space;
    message.msg_controllen = CMSG_SPACE(length);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(length);
    memcpy(CMSG_DATA(header), descriptors, length);
  }
#ifdef MSG_NOSIGNAL
  return sendmsg(socket, &message, MSG_NOSIGNAL);
#else
  return sendmsg(socket, &message, 0);
#endif
}

ssize_t csystem_receive(int socket, void *bytes, size_t size, int *descriptors, int *count) {
  struct iovec part = {.iov_base = bytes, .iov_len = size};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * maximum_descriptors)];
  } control;
  struct msghdr message = {
      .msg_iov = &part,
      .msg_iovlen = 1,
      .msg_control = control.space,
      .msg_controllen = sizeof control.space,
  };
  int capacity = *count;
  *count = 0;
#ifdef MSG_CMSG_CLOEXEC
  ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
#else
  ssize_t received = recvmsg(socket, &message, 0);
#endif
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int came = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < came; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + sizeof(int) * (size_t)i, sizeof descriptor);
      if (*count < capacity)
        descriptors[(*count)++] = descriptor;
      else
        close(descriptor);
    }
  }
  return received;
}

pid_t csystem_fork_sibling(void) {
#ifdef __linux__
  // Bypasses libc, whose fork cannot use CLONE_PARENT. Its handlers are for locks held by other
  // threads, of which there are none.
  pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0);
  if (pid == 0) csystem_open_reports();
  return pid;
#else
  errno = ENOTSUP;
  return -1;
#endif
}

void csystem_show_arguments(const char *first, const char *second) {
#ifdef __linux__
  // The kernel shows the memory that held the arguments when the program began.
  char text[2048];
  FILE *file = fopen("/proc/self/stat", "re");
  if (file == NULL) return;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  char *field = strrchr(text, ')');
  // After the name, which may hold anything, comes the third field; these are the 48th and the
  // 49th.
  for (int i = 2; i < 48 && field != NULL; i++) field = strchr(field + 1, ' ');
  unsigned long start = 0, end = 0;
  if (field == NULL || sscanf(field, " %lu %lu", &start, &end) != 2 || start == 0 || end <= start)
    return;
  char *shown = (char *)start;
  char *last = (char *)end - 1;
  shown += strnlen(shown, (size_t)(last - shown)) + 1;
  if (shown >= last) return;
  memset(shown, 0, (size_t)(last - shown) + 1);
  const char *words[] = {first, second};
  for (int i = 0; i < 2 && shown < last; i++) {
    size_t size = strnlen(words[i], (size_t)(last - shown));
    memcpy(shown, words[i], size);
    shown += size + 1;
  }
#else
  (void)first;
  (void)second;
#endif
}

#ifdef __linux__
enum { huge = 2 * 1024 * 1024 };

// Collapsing a mostly empty range would only fill it with zeros.
static int is_nearly_full(unsigned long start) {
  enum { small = 4096 };
  unsigned char resident[huge / small];
  if (sysconf(_SC_PAGESIZE) != small || mincore((void *)start, huge, resident) != 0) return 0;
  size_t count = 0;
  for (size_t i = 0; i < sizeof resident; i++) count += resident[i] & 1;
  return count >= sizeof resident / 8 * 7;
}
#endif

size_t csystem_collapse_memory(void) {
  size_t collapsed = 0;
#ifdef __linux__
  enum { madv_collapse = 25 };
  // The sanitizer's own memory is terabytes of nothing.
  if (csystem_sanitizer() != NULL) return 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return 0;
  char line[512];
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long start, end, inode;
    char permissions[5];
    if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &start, &end, permissions, &inode) != 4) continue;
    // Only private memory without a file behind it; a stack may grow and is left alone.
    if (inode != 0 || strncmp(permissions, "rw-p", 4) != 0 || strchr(line, '[') != NULL) continue;
    start = (start + huge - 1) & ~(unsigned long)(huge - 1);
    end &= ~(unsigned long)(huge - 1);
    while (start < end) {
      unsigned long stop = start;
      while (stop < end && is_nearly_full(stop)) stop += huge;
      if (stop > start && madvise((void *)start, stop - start, madv_collapse) == 0)
        collapsed += stop - start;
      start = stop > start ? stop : start + huge;
    }
  }
  fclose(maps);
#endif
  return collapsed;
}
