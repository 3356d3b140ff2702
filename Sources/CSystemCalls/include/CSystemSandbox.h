// What a process gives up for good: files, system calls, privileges and resources. Linux only;
// elsewhere every call returns ENOSYS.
#ifndef CSYSTEM_SANDBOX_H
#define CSYSTEM_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The kernel's version of Landlock, or 0.
int csystem_landlock_version(void);

/// Whether the kernel filters system calls.
int csystem_can_filter_calls(void);

/// Gives up all privileges that a program could gain by being executed. Returns 0 or an errno.
int csystem_forbid_new_privileges(void);

/// Gives up the superuser's capabilities; keeps the right to read any file when asked to. Returns 0
/// or an errno.
int csystem_drop_capabilities(int keeps_reading);

/// What may be done below a path.
enum csystem_access {
  csystem_access_read = 1,
  csystem_access_write = 2,
  csystem_access_run = 4,
  /// Read files whose names are known; folders cannot be listed.
  csystem_access_look_up = 8,
  /// Only if no part of the path is a link; otherwise it is refused with ELOOP.
  csystem_access_exact = 16,
};

/// Begins a list of what may be reached. Returns a descriptor, or -1 with errno.
int csystem_landlock_begin(int allows_network);

/// Adds a file, or a folder with all its contents. Returns 0 or an errno.
int csystem_landlock_allow(int list, const char *path, int access);

/// Takes away everything that is not on the list, and closes it. Returns 0 or an errno.
int csystem_landlock_enforce(int list);

/// What a system call filter allows beyond what every process needs.
enum csystem_calls {
  /// What a template needs to fork itself and to confine its forks further.
  csystem_calls_fork = 1,
  /// Internet sockets.
  csystem_calls_network = 2,
  /// Starting programs, which cannot leave their worker's group.
  csystem_calls_programs = 4,
};

/// Makes every other system call fail with EPERM. Returns 0 or an errno.
int csystem_filter_calls(int calls);

/// Resources that can be bounded; the order determines their numbers.
enum csystem_limit { csystem_limit_memory, csystem_limit_file, csystem_limit_descriptors,
                     csystem_limit_core, csystem_limit_realtime, csystem_limit_stack,
                     csystem_limit_seconds };

/// Bounds a resource for good. A bound that is already lower stays. Returns 0 or an errno.
int csystem_limit(enum csystem_limit resource, uint64_t bound);

/// How much of a resource this process uses, and its bound; a bound of 0 stands for none, or for
/// one whose use is unknown.
typedef struct {
  uint64_t used;
  uint64_t bound;
} csystem_share;

/// Returns the use of memory or descriptors. Opens nothing, unless descriptors are left.
csystem_share csystem_use_of(enum csystem_limit resource);

/// The private memory that this process has now, in bytes; 0 when unknown.
uint64_t csystem_private_memory(void);

/// The beginning of the line that a process writes when it crashes with less than a sixteenth of
/// its memory left, before the bytes that it has and those that it may have.
#define CSYSTEM_OUT_OF_MEMORY "worker: out of memory: "

/// Makes this process write that line to its standard error. How it ends does not change.
void csystem_report_memory_at_crash(void);

#endif
