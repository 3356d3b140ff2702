// Connections to other machines, and from them.
#ifndef CSYSTEM_SOCKET_H
#define CSYSTEM_SOCKET_H

#include <stdint.h>

/// Listens on a numeric address of this machine, at a port; 0 stands for one that the system
/// chooses, and becomes that. Returns a descriptor, or -1 with errno.
int csystem_listen(const char *address, uint16_t *port);

/// Accepts a connection. Returns a descriptor, or -1 with errno; ETIMEDOUT where none came in time.
int csystem_accept(int listener, int milliseconds);

/// Connects to a numeric address. Returns a descriptor, or -1 with errno.
int csystem_connect(const char *address, uint16_t port, int milliseconds);

/// Bounds how long a read or a write may take, after which it fails with EAGAIN; 0 removes the
/// bound. Returns 0 or an errno.
int csystem_bound(int fd, int milliseconds);

#endif
