// What a process needs to be forked many times: descriptors that travel, and memory that is cheap
// to share.
#ifndef CSYSTEM_FORK_H
#define CSYSTEM_FORK_H

#include <stddef.h>
#include <sys/types.h>

/// Creates two connected sockets that are closed on exec. Returns 0 or an errno.
int csystem_socket_pair(int ends[2]);

/// Sends bytes, with descriptors attached to the first. Returns the number of bytes sent, or -1.
ssize_t csystem_send(int socket, const void *bytes, size_t size, const int *descriptors, int count);

/// Receives bytes and the descriptors attached to them. `count` is the capacity on entry and the
/// number received on return; the descriptors are closed on exec. Returns the number of bytes
/// received, 0 at the end, or -1.
ssize_t csystem_receive(int socket, void *bytes, size_t size, int *descriptors, int *count);

/// Forks a child of this process's parent, which thus also learns of the child's end. Only for a
/// process with one thread. Returns like fork.
pid_t csystem_fork_sibling(void);

/// Shows two words after the program's name as the arguments of this process, cut off where its own
/// were shorter.
void csystem_show_arguments(const char *first, const char *second);

/// Collapses this process's private memory into huge pages where nearly all of it is present, so
/// that forking copies few page tables. Memory already shared with forks would no longer be shared.
/// Returns the number of bytes collapsed.
size_t csystem_collapse_memory(void);

#endif
