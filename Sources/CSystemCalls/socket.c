#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "CSystem.h"

/// Returns a socket for an address, which is found; -1 with errno.
static int socket_for(const char *address, uint16_t port, int flags, struct addrinfo **found) {
  char service[8];
  snprintf(service, sizeof service, "%u", port);
  struct addrinfo hints = {.ai_family = AF_UNSPEC,
                           .ai_socktype = SOCK_STREAM,
                           .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | flags};
  if (getaddrinfo(address, service, &hints, found) != 0) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  int fd = socket((*found)->ai_family, SOCK_STREAM, 0);
  if (fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
    int problem = errno;
    if (fd >= 0) close(fd);
    freeaddrinfo(*found);
    errno = problem;
    return -1;
  }
  return fd;
}

/// Closes a descriptor and keeps errno.
static int fail(int fd) {
  int problem = errno;
  close(fd);
  errno = problem;
  return -1;
}

/// Waits for an event; returns 0, or -1 with errno.
static int await(int fd, short events, int milliseconds) {
  struct pollfd request = {.fd = fd, .events = events};
  int count;
  do count = poll(&request, 1, milliseconds);
  while (count < 0 && errno == EINTR);
  if (count == 0) errno = ETIMEDOUT;
  return count > 0 ? 0 : -1;
}

/// Makes a connection block, and send at once what it is given.
static int settle(int fd) {
  int on = 1;
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, 0) != 0 ||
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
    return fail(fd);
  return fd;
}

int csystem_listen(const char *address, uint16_t *port) {
  struct addrinfo *found;
  int fd = socket_for(address, *port, AI_PASSIVE, &found);
  if (fd < 0) return -1;
  // A connection that was accepted at the port, or has just ended there, keeps none from listening.
  int on = 1;
  struct sockaddr_storage own;
  socklen_t size = sizeof own;
  int problem = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (problem == 0) problem = bind(fd, found->ai_addr, found->ai_addrlen);
  if (problem == 0) problem = listen(fd, 16);
  if (problem == 0) problem = getsockname(fd, (struct sockaddr *)&own, &size);
  freeaddrinfo(found);
  if (problem != 0) return fail(fd);
  *port = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
                                          : ((struct sockaddr_in *)&own)->sin_port);
  return fd;
}

int csystem_accept(int listener, int milliseconds) {
  if (await(listener, POLLIN, milliseconds) != 0) return -1;
  int fd = accept(listener, NULL, NULL);
  return fd < 0 ? -1 : settle(fd);
}

int csystem_connect(const char *address, uint16_t port, int milliseconds) {
  struct addrinfo *found;
  int fd = socket_for(address, port, 0, &found);
  if (fd < 0) return -1;
  int problem = connect(fd, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  if (problem != 0) {
    if (errno != EINPROGRESS || await(fd, POLLOUT, milliseconds) != 0) return fail(fd);
    socklen_t size = sizeof problem;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) return fail(fd);
    if (problem != 0) {
      errno = problem;
      return fail(fd);
    }
  }
  return settle(fd);
}

int csystem_bound(int fd, int milliseconds) {
  struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0 &&
                 setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) == 0
             ? 0
             : errno;
}
