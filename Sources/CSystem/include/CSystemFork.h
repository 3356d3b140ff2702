// What a process needs to be forked into many: descriptors that travel, and memory that is cheap to
// share.
#ifndef CSYSTEM_FORK_H
#define CSYSTEM_FORK_H

#include <stddef.h>
#include <sys/types.h>

/// Makes two connected sockets that are closed on exec. Returns 0 or an errno.
int csystem_socket_pair(int ends[2]);

/// Sends bytes, and descriptors with the first of them. Returns how many bytes went, or -1.
ssize_t csystem_send(int socket, const void *bytes, size_t size, const int *descriptors, int count);

/// Receives bytes, and the descriptors that came with them: `count` says how many fit, and then how
/// many came. They are closed on exec. Returns how many bytes came, 0 at the end, or -1.
ssize_t csystem_receive(int socket, void *bytes, size_t size, int *descriptors, int *count);

/// Forks a child of this process's parent: who started this process also learns of the child's end.
/// Only for a process with one thread. Returns like fork.
pid_t csystem_fork_sibling(void);

/// Shows two words after the name of the program as the arguments of this process, cut off where its
/// own were shorter.
void csystem_show_arguments(const char *first, const char *second);

/// Joins this process's pages of private memory into huge ones where nearly all of them are there, so that
/// forking it copies few page tables. What it shares with forks already would not be shared any more.
/// Returns how many bytes are in huge pages then.
size_t csystem_collapse_memory(void);

#endif
