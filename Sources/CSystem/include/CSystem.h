// The few system calls that Swift cannot make by itself: variadic ones, ones behind feature macros,
// ones whose types differ from system to system, and what must happen between fork and exec.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "CSystemFork.h"
#include "CSystemSandbox.h"
#include "CSystemSanitizer.h"

/// Starts a program in a process group of its own, with default signals, these three descriptors as
/// 0, 1 and 2, and no others. Returns 0 or an errno.
int csystem_spawn(const char *path, char *const argv[], char *const envp[],
                  int input, int output, int error, pid_t *pid);

/// Makes a pipe whose ends are closed on exec and are none of the standard three descriptors.
/// Returns 0 or an errno.
int csystem_pipe(int ends[2]);

/// A descriptor that becomes readable when the process ends; -1 where there is no such thing.
int csystem_pidfd(pid_t pid);

/// Signals the process of such a descriptor, and no other that has its number. Returns 0, or -1 with
/// errno.
int csystem_signal(int pidfd, int signal);

/// Duplicates a descriptor to a number above the standard three, closed on exec. Returns -1 on failure.
int csystem_duplicate(int fd);

/// Makes reads and writes return at once. Returns 0 or an errno.
int csystem_nonblocking(int fd);

/// Has the kernel end this process when its parent ends; -1 when the parent has ended already.
int csystem_end_with_parent(void);

/// Lets other threads that wake have this one's core at once, for as long as they need it, and those
/// that it starts from now on too. Returns 0 or an errno; Linux before 6.12 takes no notice.
///
/// A thread that computes without a pause otherwise keeps whoever waits for its core waiting for
/// milliseconds. Nothing is lost by it: what it gives away it gets back.
int csystem_yield_readily(void);

/// Starts a thread that does some work with what it is given, and ends with it. Returns 0 or an
/// errno.
int csystem_start_thread(void *(*work)(void *), void *context);

/// Has a thread of its own do some work with what it is given, and waits for its end. Returns 0 or
/// an errno.
int csystem_join_thread(void *(*work)(void *), void *context);

/// Remembers a child that has its own process group, and is to end with this process.
void csystem_add_ward(pid_t pid);

/// Forgets a child, before its end is collected.
void csystem_remove_ward(pid_t pid);

/// How long a process that crashes may take to print a trace of its stack.
#define CSYSTEM_TRACE_SECONDS 10

/// Has the children that are remembered killed first when this process crashes, before anything else
/// is done about the signal: to print a trace of the stack takes many seconds, in which this process
/// is still there and does nothing. After CSYSTEM_TRACE_SECONDS it is killed itself.
void csystem_end_wards_at_crash(void);

/// Ends this process with status 0 as soon as nobody holds the other end of the pipe any more,
/// whatever its threads do. -1 stops the watch. Uses SIGIO.
void csystem_end_at_hangup(int fd);

/// Takes a variable out of the environment, and its value out of what the system shows of it.
void csystem_forget_variable(const char *name);

/// Has standard output written line by line, also when it is no terminal.
void csystem_print_by_lines(void);

/// Lets this process have as many descriptors as it may, which systems do not at first: every worker
/// takes some, and every client.
void csystem_raise_descriptors(void);

/// Writes the build identity of this executable as hexadecimal digits; 0 when it has none.
size_t csystem_build_id(char *buffer, size_t size);

/// Writes the folder from which this process has loaded a library; returns its length, or 0.
size_t csystem_library_folder(const char *name, char *folder, size_t size);

/// What a folder holds.
typedef struct {
  /// As the disk counts them.
  uint64_t bytes;
  /// Files and folders, however deep.
  uint64_t entries;
} csystem_use;

/// Counts what is in a folder and below it, until there is more than a limit of either; folders that are
/// nested without end are more than any limit. Follows no links.
csystem_use csystem_measure(const char *folder, csystem_use limit);

/// Removes what is in a folder, however deep, and also while somebody else changes it: follows no links,
/// and opens folders that were closed. Returns 0 or an errno; what is left after all is left.
int csystem_empty(const char *folder);

/// Removes a folder in the same way, with everything in it, or whatever else is there; a link alone.
/// Returns 0, also when nothing is there, or an errno.
int csystem_remove(const char *path);

/// Whether a signal is ignored by this process.
int csystem_is_ignored(int signal);

/// Opens a file that only its owner can read and write, and takes an exclusive lock on it.
/// Returns the descriptor, or -1 with errno; EWOULDBLOCK when another process holds the lock.
int csystem_lock(const char *path);

#endif
