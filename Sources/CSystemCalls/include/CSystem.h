// The few system calls that Swift cannot make itself: variadic ones, ones behind feature macros,
// ones whose types differ between systems, and what must happen between fork and exec.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "CSystemFork.h"
#include "CSystemSandbox.h"
#include "CSystemSanitizer.h"
#include "CSystemSocket.h"

/// Starts a program in its own process group, with default signals, these three descriptors as 0, 1
/// and 2, and no others. Returns 0 or an errno.
int csystem_spawn(const char *path, char *const argv[], char *const envp[],
                  int input, int output, int error, pid_t *pid);

/// Creates a pipe whose ends are closed on exec and are none of the standard three descriptors.
/// Returns 0 or an errno.
int csystem_pipe(int ends[2]);

/// Returns a descriptor that becomes readable when the process ends; -1 where unsupported.
int csystem_pidfd(pid_t pid);

/// Signals the process of such a descriptor, and no other that has its number. Returns 0, or -1
/// with errno.
int csystem_signal(int pidfd, int signal);

/// Duplicates a descriptor to a number above the standard three, closed on exec. Returns -1 on
/// failure.
int csystem_duplicate(int fd);

/// Makes reads and writes return at once. Returns 0 or an errno.
int csystem_nonblocking(int fd);

/// Makes the kernel end this process when its parent ends; -1 when the parent has already ended.
int csystem_end_with_parent(void);

/// Forks a process that is to become a program, and guards it: returns 0 in the new process, and
/// never in this one, which ends as the program does. When this process's parent ends, however it
/// ends, the whole process group is killed, of which this process is the leader: a program may have
/// started others. Returns an errno where there is no new process. This process must have a single
/// thread.
int csystem_fork_guarded(void);

/// Becomes a program, with the environment of this process. Returns an errno.
int csystem_execute(const char *path, char *const argv[]);

/// Lets other threads that wake up take this one's core at once, for as long as they need it;
/// threads started later inherit this. Returns 0 or an errno; Linux before 6.12 ignores it.
///
/// A thread that computes without a pause would otherwise keep others waiting for its core for
/// milliseconds. Nothing is lost: the thread gets back what it gives away.
int csystem_yield_readily(void);

/// Starts a thread that runs `work` with `context` and ends with it. Returns 0 or an errno.
int csystem_start_thread(void *(*work)(void *), void *context);

/// Runs `work` with `context` on a thread of its own and waits for its end. Returns 0 or an errno.
int csystem_join_thread(void *(*work)(void *), void *context);

/// Registers a child, which leads a process group, to be killed when this process crashes or is
/// terminated.
void csystem_register_child(pid_t pid);

/// Unregisters a child; call before reaping it.
void csystem_unregister_child(pid_t pid);

/// How long a crashing process may take to print a stack trace.
#define CSYSTEM_TRACE_SECONDS 10

/// Makes this process kill its registered children first when it crashes, before anything else is
/// done about the signal: printing a stack trace takes many seconds, in which the process still
/// exists but does nothing. After CSYSTEM_TRACE_SECONDS it is killed itself.
void csystem_kill_children_at_crash(void);

/// Makes SIGINT, SIGQUIT, SIGTERM and SIGHUP kill the registered children first where they would
/// end this process, which they then do. An ignored signal stays ignored.
void csystem_kill_children_at_termination(void);

/// Starts a program as `csystem_spawn` does and registers it, so that no signal that ends this
/// process can come in between. Returns 0 or an errno.
int csystem_spawn_registered(const char *path, char *const argv[], char *const envp[], int input,
                       int output, int error, pid_t *pid);

/// Ends this process with status 0 as soon as the other end of the pipe is closed, even
/// while its threads are blocked. -1 stops the watch. Uses SIGIO.
void csystem_end_at_hangup(int fd);

/// Removes a variable from the environment, and its value from what the system shows of it.
void csystem_forget_variable(const char *name);

/// Removes everything from an address in the environment that may be secret, in the same way: its
/// user and password, its query and its fragment. What is no address is removed as a whole.
void csystem_forget_credentials(const char *name);

/// Makes standard output line-buffered, even when it is no terminal.
void csystem_print_by_lines(void);

/// The columns of the terminal behind a descriptor; 0 when it is none or does not report them.
int csystem_columns(int fd);

/// The rows of the terminal behind a descriptor; 0 when it is none or does not report them.
int csystem_rows(int fd);

/// Takes the whole screen of a terminal: keys come one by one and are not shown, and what was on the
/// screen comes back at the end. Returns 0 or an errno.
///
/// However this process ends, the terminal is given back; only SIGKILL leaves it as it is.
int csystem_begin_screen(int input, int output);

/// Does what Ctrl-Z asks for: gives the terminal back, stops this process, and takes the terminal
/// again when the process goes on.
void csystem_stop_screen(void);

/// Gives the terminal back, if it is taken. A signal handler may call this.
void csystem_end_screen(void);

/// Raises the soft limit on descriptors, which systems set low: every worker and every client takes
/// some.
void csystem_raise_descriptors(void);

/// Writes the build ID of this executable as hexadecimal digits and returns its length; 0 when it
/// has none.
size_t csystem_build_id(char *buffer, size_t size);

/// Writes the folder from which this process loaded a library and returns its length, or 0.
size_t csystem_library_folder(const char *name, char *folder, size_t size);

/// What a folder holds.
typedef struct {
  /// As the disk counts them.
  uint64_t bytes;
  /// Files and folders, however deep.
  uint64_t entries;
} csystem_use;

/// Counts what is in a folder and below it, until either limit is exceeded; nesting that is too
/// deep exceeds any limit. Follows no links.
csystem_use csystem_measure(const char *folder, csystem_use limit);

/// Removes the contents of a folder, however deep, even while another process changes them: follows
/// no links and opens closed folders. Returns 0 or an errno; what cannot be removed is left.
int csystem_empty(const char *folder);

/// Removes a folder in the same way, with all its contents, or anything else at the path; of a
/// link, only the link. Returns 0, also when nothing is there, or an errno.
int csystem_remove(const char *path);

/// Whether this process ignores a signal.
int csystem_is_ignored(int signal);

/// Opens a file that only its owner can read and write, and takes an exclusive lock on it. Returns
/// the descriptor, or -1 with errno; EWOULDBLOCK when another process holds the lock.
int csystem_lock(const char *path);

#endif
