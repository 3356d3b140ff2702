// What a process takes away from itself, for good: files, system calls, privileges and resources.
// Linux only; elsewhere every call says ENOSYS.
#ifndef CSYSTEM_SANDBOX_H
#define CSYSTEM_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The version of Landlock that the kernel has, or 0.
int csystem_landlock_version(void);

/// Whether the kernel filters system calls.
int csystem_can_filter_calls(void);

/// Gives up whatever a program could gain by being executed. Returns 0 or an errno.
int csystem_forbid_new_privileges(void);

/// Gives up the capabilities of the superuser; keeps the right to read any file when asked to.
/// Returns 0 or an errno.
int csystem_drop_capabilities(int keeps_reading);

/// What may be done below a path.
enum csystem_access {
  csystem_access_read = 1,
  csystem_access_write = 2,
  csystem_access_run = 4,
  /// To read files whose names are known: folders cannot be listed.
  csystem_access_look_up = 8,
};

/// Begins a list of what may be reached. Returns a descriptor, or -1 with errno.
int csystem_landlock_begin(int allows_network);

/// Adds a file, or a folder with everything in it. Returns 0 or an errno.
int csystem_landlock_allow(int list, const char *path, int access);

/// Takes away everything that is not on the list, and closes it. Returns 0 or an errno.
int csystem_landlock_enforce(int list);

/// What a filter of system calls leaves beside what every process needs.
enum csystem_calls {
  /// What a template needs: to fork itself, and to confine its forks further.
  csystem_calls_fork = 1,
  /// Sockets of the internet.
  csystem_calls_network = 2,
  /// To start programs, which stay in the group of their worker whatever they ask for.
  csystem_calls_programs = 4,
};

/// Takes away every other system call: it fails with EPERM. Returns 0 or an errno.
int csystem_filter_calls(int calls);

/// Resources that are bounded, in the order of their numbers here.
enum csystem_limit { csystem_limit_memory, csystem_limit_file, csystem_limit_descriptors,
                     csystem_limit_core, csystem_limit_realtime, csystem_limit_stack };

/// Bounds a resource, for good. A bound that is lower already stays. Returns 0 or an errno.
int csystem_limit(enum csystem_limit resource, uint64_t bound);

/// The private memory that this process has now, in bytes; 0 when it cannot be told.
uint64_t csystem_private_memory(void);

/// With what the line begins that a process writes when it crashes, before the bytes that it has and
/// those that it may have.
#define CSYSTEM_MEMORY_NOTE "worker: memory at its end: "

/// Has this process write that line to its standard error when it crashes. Its end stays what it
/// would have been.
void csystem_note_memory_at_crash(void);

#endif
