#define _GNU_SOURCE
#include "CSystemSandbox.h"
#include "rules.h"
#include "traps.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#endif

#ifdef OWN_ARCHITECTURE

// Calls that change only this process and what it has open, or that Landlock controls.
static const int common_calls[] = {
    // Memory
    SYS_brk, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_msync, SYS_mincore, SYS_mlock,
    SYS_munlock, SYS_mlock2, SYS_membarrier,
    // Threads and waiting
    SYS_futex, SYS_futex_waitv, SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_gettid,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority, SYS_getcpu, SYS_exit,
    SYS_exit_group, SYS_wait4, SYS_waitid, SYS_restart_syscall,
    // Signals
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_signalfd4,
    // Time
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_times, SYS_getitimer, SYS_setitimer, SYS_timer_create, SYS_timer_settime,
    SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_timerfd_gettime,
    // Open descriptors
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev,
    SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_pipe2,
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2,
    SYS_eventfd2, SYS_ftruncate, SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_flock,
    SYS_fadvise64, SYS_readahead, SYS_copy_file_range, SYS_sendfile, SYS_fgetxattr,
    SYS_flistxattr, SYS_getdents64,
    // Files by path
    SYS_openat, SYS_openat2, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2,
    SYS_readlinkat, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_mkdirat, SYS_unlinkat, SYS_renameat2,
    SYS_linkat, SYS_symlinkat, SYS_umask, SYS_statfs, SYS_fstatfs, SYS_getxattr, SYS_lgetxattr,
    SYS_listxattr, SYS_llistxattr,
    // Facts
    SYS_getpid, SYS_getppid, SYS_getpgid, SYS_getsid, SYS_getuid, SYS_geteuid, SYS_getgid,
    SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_getrusage, SYS_sysinfo,
    SYS_uname, SYS_getrandom,
#ifdef __x86_64__
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir,
    SYS_unlink, SYS_rename, SYS_renameat, SYS_link, SYS_symlink, SYS_getdents, SYS_pipe, SYS_dup2,
    SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd, SYS_signalfd, SYS_time,
    SYS_alarm, SYS_pause, SYS_getpgrp, SYS_arch_prctl,
#else
    SYS_renameat,
#endif
};

// What a template needs to turn its forks into processes of their own and to confine them further.
static const int fork_calls[] = {
    SYS_setpgid, SYS_sendmsg, SYS_recvmsg, SYS_capget, SYS_capset, SYS_seccomp,
    SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
};

static const int network_calls[] = {
    SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_getsockname, SYS_getpeername,
    SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown,
    SYS_setsockopt, SYS_getsockopt,
};

static const int program_calls[] = {
    // Moving a stack can make it grow, and a stack is not counted; libc's realloc copies instead.
    SYS_mremap, SYS_execve, SYS_execveat, SYS_tgkill, SYS_tkill,
#ifdef __x86_64__
    SYS_fork, SYS_vfork,
#endif
};

// The calls by which a program leaves its worker's group, with which it is to end. Foundation's
// Process makes one for every program, and starts none where it is refused.
static const int group_calls[] = {SYS_setpgid, SYS_setsid};

/// The bits that say which kind of socket is wanted.
static const uint32_t kind_of_socket = ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK);

/// Allows memory that is counted. Shared memory is not counted, unless it is a file, nor is a
/// growing stack; programs are allowed both.
static void allow_memory(struct program *program, int calls) {
  add_unless(program, SYS_mmap, calls & csystem_calls_programs ? 1 : 6);
  if (!(calls & csystem_calls_programs)) {
    load_argument(program, 3);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_GROWSDOWN, 2, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 2));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1));
    add_return(program, SECCOMP_RET_ERRNO | EPERM);
  }
  add_return(program, SECCOMP_RET_ALLOW);
}

/// Allows new threads; new processes only where they are wanted, and never new namespaces.
static void allow_clone(struct program *program, int calls) {
  uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                        CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  // Its flags are in memory, where no filter can see them; libc then falls back to clone.
  add_unless(program, SYS_clone3, 1);
  add_return(program, SECCOMP_RET_ERRNO | ENOSYS);
  add_unless(program, SYS_clone, 6);
  load_argument(program, 0);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 2, 0));
  if (calls & csystem_calls_programs)
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 2, 0, 0));
  else
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 2, 0));
  // No flags have this value where forking is not wanted.
  uint32_t wanted = calls & csystem_calls_fork ? CLONE_PARENT | SIGCHLD : UINT32_MAX;
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, 1, 0));
  add_return(program, SECCOMP_RET_ERRNO | EPERM);
  add_return(program, SECCOMP_RET_ALLOW);
}

/// Allows signals to this process only; a template's forks have other numbers and their own
/// filters.
static void allow_signals(struct program *program, int calls) {
  if (calls & csystem_calls_fork) {
    static const int signals[] = {SYS_kill, SYS_tgkill};
    allow(program, signals, sizeof signals);
    return;
  }
  uint32_t own = (uint32_t)getpid();
  // A program that kills its own group would kill its worker, whose group it is.
  const uint32_t group[] = {0, -own};
  if (calls & csystem_calls_programs)
    allow_unless(program, SYS_kill, 0, group, COUNT(group));
  else
    allow_when(program, SYS_kill, 0, &own, 1);
  allow_when(program, SYS_tgkill, 0, &own, 1);
}

/// Allows allocating room in a file and holes in it. Room beyond its end is under no bound.
static void allow_room(struct program *program) {
  static const uint32_t modes[] = {0, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE};
  allow_when(program, SYS_fallocate, 1, modes, COUNT(modes));
}

/// Allows changing the mode and time of an open file, but not of a named one. An agent may have
/// opened it only for reading, which cannot be seen here: for an agent these calls do nothing and
/// report success, so that it can still copy files.
static void allow_changes(struct program *program, int calls) {
  uint32_t action = calls & csystem_calls_fork ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO;
  add_unless(program, SYS_fchmod, 1);
  add_return(program, action);
  return_when_null(program, SYS_utimensat, 1, action);
}

static void allow_settings(struct program *program, int calls) {
  static const uint32_t terminal[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
  // FS_IOC_RESVSP and FS_IOC_RESVSP64, which no kernel header exports.
  enum { reserve_space = 0x40305828, reserve_space_64 = 0x4030582A };
  // Injecting terminal input, and allocating beyond the end of a file.
  static const uint32_t refused[] = {TIOCSTI, TIOCLINUX, reserve_space, reserve_space_64};
  static const uint32_t own[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA,
                                 PR_GET_PDEATHSIG};
  static const uint32_t further[] = {PR_SET_NAME,         PR_GET_NAME,      PR_GET_DUMPABLE,
                                     PR_SET_VMA,          PR_GET_PDEATHSIG, PR_SET_PDEATHSIG,
                                     PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT};
  // Without the death signal it would outlive its coordinator.
  static const uint32_t surviving[] = {PR_SET_PDEATHSIG};
  if ((calls & csystem_calls_fork) && (calls & csystem_calls_programs))
    allow(program, (const int[]){SYS_prctl}, sizeof(int));
  else if (calls & csystem_calls_fork)
    allow_when(program, SYS_prctl, 0, further, COUNT(further));
  else if (calls & csystem_calls_programs)
    allow_unless(program, SYS_prctl, 0, surviving, COUNT(surviving));
  else
    allow_when(program, SYS_prctl, 0, own, COUNT(own));
  if (calls & csystem_calls_programs)
    allow_unless(program, SYS_ioctl, 1, refused, COUNT(refused));
  else
    allow_when(program, SYS_ioctl, 1, terminal, COUNT(terminal));
  // Input and output can be turned into signals for others.
  static const uint32_t owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
  if (calls & csystem_calls_fork)
    allow(program, (const int[]){SYS_fcntl}, sizeof(int));
  else
    allow_unless(program, SYS_fcntl, 1, owners, COUNT(owners));
  static const uint32_t itself[] = {0};
  allow_when(program, SYS_prlimit64, 0, itself, 1);
  allow_when(program, SYS_sched_setaffinity, 0, itself, 1);
  // Without capabilities and without a limit that allows more, this grants nothing that others
  // lack.
  allow_when(program, SYS_sched_setattr, 0, itself, 1);
  return_when_both(program, SYS_setpriority, 0, PRIO_PROCESS, 1, UINT32_MAX, 0, SECCOMP_RET_ALLOW);
  allow_room(program);
  allow_changes(program, calls);
}

/// Allows socket pairs, by which Foundation's Process learns that a program has ended. They lead
/// to no other process: nothing is sent to an address, and nothing connects.
static void allow_pairs(struct program *program, int calls) {
  if ((calls & csystem_calls_network) && !(calls & csystem_calls_fork)) {
    // With the calls that the network needs, a datagram pair could reach the socket file of any
    // process.
    return_when_both(program, SYS_socketpair, 0, AF_UNIX, 1, kind_of_socket, SOCK_STREAM,
                     SECCOMP_RET_ALLOW);
    return;
  }
  static const uint32_t families[] = {AF_UNIX};
  allow_when(program, SYS_socketpair, 0, families, COUNT(families));
  if (calls & csystem_calls_network) return;
  static const int uses[] = {SYS_recvfrom, SYS_getsockopt};
  allow(program, uses, sizeof uses);
  return_when_null(program, SYS_sendto, 4, SECCOMP_RET_ALLOW);
}

static void allow_sockets(struct program *program, int calls) {
  if (calls & csystem_calls_programs) allow_pairs(program, calls);
  if (calls & csystem_calls_network) {
    // By such a pair libcurl learns that a host name was resolved. An AF_UNIX pair could hold
    // deleted files that no quota counts.
    return_when_both(program, SYS_socketpair, 0, AF_UNIX, 1, kind_of_socket, SOCK_STREAM,
                     SECCOMP_RET_TRAP);
    static const uint32_t families[] = {AF_INET, AF_INET6};
    allow_when(program, SYS_socket, 0, families, COUNT(families));
    allow(program, network_calls, sizeof network_calls);
  } else if (!(calls & (csystem_calls_fork | csystem_calls_programs))) {
    // Trapped so that the log can explain a library's "Operation not permitted". libc itself asks
    // local services for names, and does without.
    add_unless(program, SYS_socket, 4);
    load_argument(program, 0);
    add_unless(program, AF_UNIX, 1);
    add_return(program, SECCOMP_RET_ERRNO | EPERM);
    add_return(program, SECCOMP_RET_TRAP);
  }
}

int csystem_can_filter_calls(void) {
  uint32_t action = SECCOMP_RET_TRAP;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int csystem_filter_calls(int calls) {
  struct program program = {.count = 0};
  load(&program, offsetof(struct seccomp_data, arch));
  add_unless(&program, OWN_ARCHITECTURE, 1);
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  add_return(&program, SECCOMP_RET_KILL_PROCESS);
  load(&program, offsetof(struct seccomp_data, nr));
  allow(&program, common_calls, sizeof common_calls);
  if (calls & csystem_calls_programs) allow(&program, program_calls, sizeof program_calls);
  if (calls & csystem_calls_fork) allow(&program, fork_calls, sizeof fork_calls);
  // After what a template needs, whose forks have groups of their own.
  if (calls & csystem_calls_programs) pretend(&program, group_calls, sizeof group_calls);
  allow_memory(&program, calls);
  allow_clone(&program, calls);
  allow_signals(&program, calls);
  allow_settings(&program, calls);
  allow_sockets(&program, calls);
  add_return(&program, SECCOMP_RET_ERRNO | EPERM);
  if (program.count == sizeof program.lines / sizeof *program.lines) return E2BIG;
  csystem_answer_traps((calls & csystem_calls_network) != 0);
  struct sock_fprog filter = {.len = program.count, .filter = program.lines};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}
#else
int csystem_can_filter_calls(void) { return 0; }
int csystem_filter_calls(int calls) {
  (void)calls;
  return ENOSYS;
}
#endif
